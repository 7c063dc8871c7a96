//! Hosts that serve the same.
//!
//! After Bharat and Broder (1999): two hosts are mirrors when they share many rare paths, and the same texts lie at them.
//!
//! ```text
//! paths share = Σ idf(p) over common paths / Σ idf(p) over all paths of both     idf(p) = ln(1 + hosts / hosts that have p)
//! texts share = common paths with equal texts / common paths
//! ```
//!
//! A host is known by a sketch: of its paths those with the least hashes (bottom-k). Two sketches are comparable up to the lower of
//! their greatest hashes, and below it they hold all paths of both hosts, so the shares are fair estimates whatever the sizes.
//!
//! Variants: texts are equal when their hashes are; a caller who wants near-equal texts gives hashes of what counts. Names of index
//! pages are taken off, because mirrors differ in them.
//!
//! Traps: hosts made by the same program share all paths and no texts. Parked hosts answer every path with the same text, so distinct texts
//! are asked for. A path that hundreds of hosts have (`/robots.txt`) proves nothing and would make pairs of all of them.

use std::collections::{BTreeMap, HashMap, HashSet};
use xxhash_rust::xxh3::xxh3_64;

/// Paths that more hosts have do not bring two of them together.
const RARE_HOSTS_MAX: usize = 100;
/// Fewer common paths prove nothing, however small the hosts.
const COMMON_FLOOR: usize = 5;

#[derive(Debug, Clone, PartialEq)]
pub struct MirrorOptions {
    /// Entries of a sketch.
    pub sketch_size: usize,
    /// Rare paths that two hosts must share; of hosts that have fewer, nearly all, and never fewer than five.
    pub common_min: usize,
    /// Their weighted share of all paths of both (Jaccard).
    pub paths_share_min: f64,
    /// The share of common paths whose texts are equal.
    pub texts_share_min: f64,
}

impl Default for MirrorOptions {
    fn default() -> Self {
        MirrorOptions {
            sketch_size: 128,
            common_min: 20,
            paths_share_min: 0.5,
            // A tenth of the texts may have changed since the copy, and a sample of twenty scatters.
            texts_share_min: 0.7,
        }
    }
}

/// A host's paths and what their texts are, as a sketch of bounded size.
#[derive(Debug, Clone, PartialEq)]
pub struct HostSketch {
    size: usize,
    /// From the hash of a path to the hash of its text, the least path hashes.
    entries: BTreeMap<u64, u64>,
    /// Whether paths were left out.
    full: bool,
}

impl HostSketch {
    pub fn new(options: &MirrorOptions) -> Self {
        HostSketch {
            size: options.sketch_size.max(1),
            entries: BTreeMap::new(),
            full: false,
        }
    }

    /// A page of the host: path and query as in its address, and a hash of its text.
    pub fn add(&mut self, path: &str, text_hash: u64) {
        let path_hash = xxh3_64(without_index_name(path).as_bytes());
        if self.full && path_hash > self.greatest() {
            return;
        }
        // Two names of one index page: the lower text hash stays, whichever came first.
        let text = self.entries.entry(path_hash).or_insert(text_hash);
        *text = (*text).min(text_hash);
        if self.entries.len() > self.size {
            self.entries.pop_last();
            self.full = true;
        }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn greatest(&self) -> u64 {
        self.entries.last_key_value().map_or(0, |(&hash, _)| hash)
    }

    /// Up to this hash the sketch holds all paths of the host.
    fn complete_to(&self) -> u64 {
        if self.full { self.greatest() } else { u64::MAX }
    }
}

/// A path without the name of an index page and without the slash before it.
fn without_index_name(path: &str) -> &str {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let is_index = ["index", "default", "home", "welcome", "main"]
        .iter()
        .any(|index| stem.eq_ignore_ascii_case(index));
    if name.is_empty() || (is_index && !name.contains('?')) {
        folder
    } else {
        path
    }
}

/// Two hosts that serve the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Mirror {
    /// Places in the given list, the lower first.
    pub hosts: (usize, usize),
    pub common_paths: usize,
    pub paths_share: f64,
    pub texts_share: f64,
}

/// Pairs of mirrors, the surest first.
pub fn mirrors(hosts: &[HostSketch], options: &MirrorOptions) -> Vec<Mirror> {
    let mut with_path: HashMap<u64, Vec<u32>, foldhash::fast::FixedState> = HashMap::default();
    for (host, sketch) in hosts.iter().enumerate() {
        for &path in sketch.entries.keys() {
            with_path.entry(path).or_default().push(host as u32);
        }
    }
    let rarity = |path: u64| {
        let having = with_path.get(&path).map_or(1, Vec::len);
        (1.0 + hosts.len() as f64 / having as f64).ln()
    };
    let mut common: HashMap<(u32, u32), u32, foldhash::fast::FixedState> = HashMap::default();
    for having in with_path.values().filter(|having| having.len() <= RARE_HOSTS_MAX) {
        for (at, &one) in having.iter().enumerate() {
            for &other in &having[at + 1..] {
                *common.entry((one, other)).or_insert(0) += 1;
            }
        }
    }
    let mut found: Vec<Mirror> = common
        .into_iter()
        .filter_map(|((one, other), count)| {
            let (one, other) = (one as usize, other as usize);
            let smaller = hosts[one].len().min(hosts[other].len());
            let wanted = options.common_min.min(smaller * 4 / 5).max(COMMON_FLOOR);
            if (count as usize) < wanted {
                return None;
            }
            let mirror = compared(hosts, (one, other), rarity, wanted)?;
            let sure = mirror.paths_share >= options.paths_share_min;
            (sure && mirror.texts_share >= options.texts_share_min).then_some(mirror)
        })
        .collect();
    found.sort_by(|one, other| {
        let sure = |mirror: &Mirror| mirror.paths_share * mirror.texts_share;
        sure(other)
            .total_cmp(&sure(one))
            .then(one.hosts.cmp(&other.hosts))
    });
    found
}

/// The shares of two hosts; nothing when too few distinct texts are equal.
fn compared(
    hosts: &[HostSketch],
    pair: (usize, usize),
    rarity: impl Fn(u64) -> f64,
    wanted: usize,
) -> Option<Mirror> {
    let (one, other) = (&hosts[pair.0], &hosts[pair.1]);
    let bound = one.complete_to().min(other.complete_to());
    let (mut all, mut shared) = (0.0, 0.0);
    let (mut common_paths, mut equal) = (0, 0);
    let mut texts = HashSet::<u64, foldhash::fast::FixedState>::default();
    for (&path, text) in one.entries.range(..=bound) {
        let weight = rarity(path);
        all += weight;
        if let Some(there) = other.entries.get(&path) {
            shared += weight;
            common_paths += 1;
            if there == text {
                equal += 1;
                texts.insert(*text);
            }
        }
    }
    let alone = other
        .entries
        .range(..=bound)
        .filter(|(path, _)| !one.entries.contains_key(path));
    all += alone.map(|(&path, _)| rarity(path)).sum::<f64>();
    if common_paths == 0 || texts.len() * 2 < wanted {
        return None;
    }
    Some(Mirror {
        hosts: pair,
        common_paths,
        paths_share: shared / all,
        texts_share: f64::from(equal) / common_paths as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(pages: impl IntoIterator<Item = (String, u64)>) -> HostSketch {
        let mut sketch = HostSketch::new(&MirrorOptions::default());
        for (path, text) in pages {
            sketch.add(&path, text);
        }
        sketch
    }

    #[test]
    fn names_of_index_pages_do_not_count() {
        for (path, bare) in [
            ("/", ""),
            ("/index.html", ""),
            ("/a/Default.aspx", "/a"),
            ("/a/", "/a"),
            ("/a", "/a"),
            ("/a/index.php?page=2", "/a/index.php?page=2"),
            ("/indexes.html", "/indexes.html"),
        ] {
            assert_eq!(without_index_name(path), bare, "{path}");
        }
    }

    #[test]
    fn two_hosts_alone_are_compared_as_well() {
        let pages = |salt: u64| (0..60u64).map(move |n| (format!("/page/{n}"), n + salt));
        let found = mirrors(&[sketch(pages(0)), sketch(pages(0))], &MirrorOptions::default());
        assert_eq!(found.len(), 1);
        assert!((found[0].paths_share - 1.0).abs() < 1e-12);
        assert!(
            mirrors(
                &[sketch(pages(0)), sketch(pages(1000))],
                &MirrorOptions::default()
            )
            .is_empty()
        );
    }

    #[test]
    fn hosts_that_answer_everything_with_one_text_are_no_mirrors() {
        let pages = || (0..60u64).map(|n| (format!("/page/{n}"), 7));
        assert!(mirrors(&[sketch(pages()), sketch(pages())], &MirrorOptions::default()).is_empty());
    }

    #[test]
    fn the_order_of_pages_does_not_matter() {
        let pages: Vec<_> = (0..1000u64).map(|n| (format!("/page/{n}"), n)).collect();
        let forward = sketch(pages.clone());
        assert_eq!(forward, sketch(pages.into_iter().rev()));
        assert_eq!(forward.len(), 128);
    }
}
