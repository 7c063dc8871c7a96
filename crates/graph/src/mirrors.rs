//! Hosts that serve the same.
//!
//! After Bharat and Broder (1999): two hosts are mirrors when they share many rare paths, and the same texts lie at them.
//!
//! ```text
//! paths share = Σ idf(p) over common paths / Σ idf(p) over all paths of both     idf(p) = ln(1 + hosts / hosts that have p)
//! texts share = common paths whose texts are alike / common paths
//! ```
//!
//! A host is known by a sketch: of its paths those with the least hashes (bottom-k). Two sketches are comparable up to the lower of
//! their greatest hashes, and below it they hold all paths of both hosts, so the shares are fair estimates whatever the sizes.
//!
//! Variants: texts are alike, not equal ([`TextSketch`]): a mirror has its own banner, date or spelling on every page. Names of index
//! pages are taken off, because mirrors differ in them. Paths come first and texts later, so that a caller reads the texts of
//! the few hosts whose paths are alike, and of these only what the sketches hold.
//!
//! Traps: hosts made by the same program share all paths and no texts. Parked hosts answer every path with much the same text, so texts
//! are asked for that are unlike each other. A path that hundreds of hosts have (`/robots.txt`) proves nothing and would make pairs of
//! all of them.

mod text;

pub use text::TextSketch;

use std::collections::{BTreeMap, HashMap};
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
    /// The share of common paths whose texts are alike.
    pub texts_share_min: f64,
    /// Texts are alike from this resemblance on.
    pub resemblance_min: f64,
}

impl Default for MirrorOptions {
    fn default() -> Self {
        MirrorOptions {
            sketch_size: 128,
            common_min: 20,
            paths_share_min: 0.5,
            // A tenth of the texts may have changed since the copy, and a sample of twenty scatters.
            texts_share_min: 0.7,
            // With a tenth of the words changed two texts still have two thirds of their pairs of words in common.
            resemblance_min: 0.5,
        }
    }
}

/// A host's paths and what lies at them, as a sketch of bounded size.
#[derive(Debug, Clone, PartialEq)]
pub struct HostSketch {
    size: usize,
    /// From the hash of a path to its text, the least path hashes.
    entries: BTreeMap<u64, TextSketch>,
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

    /// A page of the host: path and query as in its address. What it says may be told later.
    pub fn add_path(&mut self, path: &str) {
        let path_hash = hash_of(path);
        if self.full && path_hash > self.greatest() {
            return;
        }
        self.entries.entry(path_hash).or_insert(TextSketch::NOTHING);
        if self.entries.len() > self.size {
            self.entries.pop_last();
            self.full = true;
        }
    }

    /// Whether the text of this page would be looked at.
    pub fn holds(&self, path: &str) -> bool {
        self.entries.contains_key(&hash_of(path))
    }

    /// What a page says. Of two names of one index page the greater sketch stays, whichever came first.
    pub fn set_text(&mut self, path: &str, text: TextSketch) {
        if let Some(known) = self.entries.get_mut(&hash_of(path)) {
            *known = text.max(*known);
        }
    }

    /// A page with what it says.
    pub fn add(&mut self, path: &str, text: TextSketch) {
        self.add_path(path);
        self.set_text(path, text);
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

fn hash_of(path: &str) -> u64 {
    xxh3_64(without_index_name(path).as_bytes())
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

/// Two hosts whose paths are alike, whatever lies at them.
#[derive(Debug, Clone, PartialEq)]
pub struct AlikePaths {
    /// Places in the given list, the lower first.
    pub hosts: (usize, usize),
    /// Their weighted share of all paths of both.
    pub paths_share: f64,
    /// Rare paths that a pair of their sizes must share.
    wanted: usize,
}

/// Pairs of hosts that may be mirrors by the names of their pages, in the order of the list.
pub fn alike_by_paths(hosts: &[HostSketch], options: &MirrorOptions) -> Vec<AlikePaths> {
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
    let mut found: Vec<AlikePaths> = common
        .into_iter()
        .filter_map(|((one, other), count)| {
            let pair = (one as usize, other as usize);
            let smaller = hosts[pair.0].len().min(hosts[pair.1].len());
            let wanted = options.common_min.min(smaller * 4 / 5).max(COMMON_FLOOR);
            if (count as usize) < wanted {
                return None;
            }
            let paths_share = paths_share(&hosts[pair.0], &hosts[pair.1], rarity);
            (paths_share >= options.paths_share_min).then_some(AlikePaths {
                hosts: pair,
                paths_share,
                wanted,
            })
        })
        .collect();
    found.sort_by_key(|alike| alike.hosts);
    found
}

fn paths_share(one: &HostSketch, other: &HostSketch, rarity: impl Fn(u64) -> f64) -> f64 {
    let bound = one.complete_to().min(other.complete_to());
    let (mut all, mut shared) = (0.0, 0.0);
    for &path in one.entries.range(..=bound).map(|(path, _)| path) {
        let weight = rarity(path);
        all += weight;
        if other.entries.contains_key(&path) {
            shared += weight;
        }
    }
    let alone = other
        .entries
        .range(..=bound)
        .filter(|(path, _)| !one.entries.contains_key(path));
    all += alone.map(|(&path, _)| rarity(path)).sum::<f64>();
    if all > 0.0 { shared / all } else { 0.0 }
}

/// Pairs of mirrors, the surest first.
pub fn mirrors(hosts: &[HostSketch], options: &MirrorOptions) -> Vec<Mirror> {
    let mut found: Vec<Mirror> = alike_by_paths(hosts, options)
        .iter()
        .filter_map(|alike| with_texts(hosts, alike, options))
        .filter(|mirror| mirror.texts_share >= options.texts_share_min)
        .collect();
    found.sort_by(|one, other| {
        let sure = |mirror: &Mirror| mirror.paths_share * mirror.texts_share;
        sure(other)
            .total_cmp(&sure(one))
            .then(one.hosts.cmp(&other.hosts))
    });
    found
}

/// The pair with the share of its texts; nothing when too few of the texts that both have are unlike each other.
fn with_texts(hosts: &[HostSketch], alike: &AlikePaths, options: &MirrorOptions) -> Option<Mirror> {
    let (one, other) = (&hosts[alike.hosts.0], &hosts[alike.hosts.1]);
    let bound = one.complete_to().min(other.complete_to());
    let (mut common_paths, mut same) = (0, 0);
    let mut kinds: Vec<&TextSketch> = Vec::new();
    for (path, text) in one.entries.range(..=bound) {
        let Some(there) = other.entries.get(path) else {
            continue;
        };
        common_paths += 1;
        if text.resemblance(there) < options.resemblance_min {
            continue;
        }
        same += 1;
        let is_known = |known: &&TextSketch| known.resemblance(text) >= options.resemblance_min;
        if kinds.len() * 2 < alike.wanted && !kinds.iter().any(is_known) {
            kinds.push(text);
        }
    }
    if common_paths == 0 || kinds.len() * 2 < alike.wanted {
        return None;
    }
    Some(Mirror {
        hosts: alike.hosts,
        common_paths,
        paths_share: alike.paths_share,
        texts_share: f64::from(same) / common_paths as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(pages: impl IntoIterator<Item = (String, u64)>) -> HostSketch {
        let mut sketch = HostSketch::new(&MirrorOptions::default());
        for (path, text) in pages {
            sketch.add(&path, TextSketch::of_words([text.to_string().as_str()]));
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
