//! Which link of one probe is which link of the other?
//!
//! In: the link lists of two fetches of one page. Out: pairs of positions. The key of a link is its place, its anchor
//! text and its URL with every token blotted out that the other fetch does not have in that slot: what only one session
//! knows cannot tell two links of it apart from the other's. Keys that occur once on both sides pair wherever they
//! stand; the rest pair in order, by longest common subsequence (Myers), first on these keys, then on place, anchor and
//! slot names alone. What stays unpaired is churn and counts for nothing.

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use gleaner_model::Url;
use similar::{Algorithm, DiffOp};

use super::slots::{UrlPiece, UrlStep};
use super::split::split;

/// Links of a page that are learned from. Myers is quadratic in what differs; two thousand links prove enough.
pub(super) const LINKS_MAX: usize = 2000;

/// The place of a page's own address among its links, where the site itself chose that address by a redirect.
pub const ADDRESS: &str = "address";

/// A link as a probe saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeLink {
    pub url: Url,
    /// Where on the page, without positions in lists: the path of element names, or any other stable key.
    pub place: String,
    pub anchor: String,
}

/// A probe taken apart.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pub(super) links: Vec<SplitLink>,
    /// Every token with the area it was seen in.
    tokens: HashSet<u64>,
}

#[derive(Debug, Clone)]
pub(super) struct SplitLink {
    pub(super) url: String,
    pub(super) anchor: String,
    /// It is the page's own address.
    pub(super) is_address: bool,
    /// Hash of place and anchor.
    stand: u64,
    pub(super) pieces: Vec<UrlPiece>,
    /// Hashes of the way to each piece, and of the area it lies in.
    ways: Vec<(u64, u64)>,
}

impl Page {
    pub(super) fn new(links: &[ProbeLink]) -> Page {
        let mut tokens_seen = HashSet::new();
        let mut split_links = Vec::with_capacity(links.len().min(LINKS_MAX));
        for link in links.iter().take(LINKS_MAX) {
            let mut split_link = SplitLink {
                url: link.url.as_str().to_owned(),
                anchor: link.anchor.clone(),
                is_address: link.place == ADDRESS,
                stand: hash(&(&link.place, &link.anchor)),
                pieces: split(link.url.as_str()),
                ways: Vec::new(),
            };
            split_link.find_ways(&mut tokens_seen);
            split_links.push(split_link);
        }
        Page {
            links: split_links,
            tokens: tokens_seen,
        }
    }

    /// The same page with other addresses for its links.
    pub(super) fn with_urls(&self, url: impl Fn(&str) -> String) -> Page {
        let mut page = self.clone();
        page.tokens.clear();
        for link in &mut page.links {
            link.url = url(&link.url);
            link.pieces = split(&link.url);
            link.find_ways(&mut page.tokens);
        }
        page
    }

    /// How many parameters its links have.
    pub(super) fn pieces_named(&self) -> usize {
        let pieces = self.links.iter().flat_map(|link| &link.pieces);
        pieces.filter(|piece| piece.is_named()).count()
    }

    /// The same page without some pieces of its addresses.
    pub(super) fn without(&self, is_left_out: impl Fn(&UrlPiece) -> bool) -> Page {
        let mut page = self.clone();
        page.tokens.clear();
        for link in &mut page.links {
            link.pieces.retain(|piece| !is_left_out(piece));
            link.find_ways(&mut page.tokens);
        }
        page
    }

    /// The same page with pieces that are read in another way.
    pub(super) fn with_pieces(&self, read: impl Fn(&mut UrlPiece)) -> Page {
        let mut page = self.clone();
        page.tokens.clear();
        for link in &mut page.links {
            for piece in &mut link.pieces {
                read(piece);
            }
            link.find_ways(&mut page.tokens);
        }
        page
    }
}

/// Pairs `(i, j)`: link `i` of `a` is link `j` of `b`. Each occurs at most once; sorted by `i`.
pub(super) fn align(a: &Page, b: &Page) -> Vec<(usize, usize)> {
    let strict_a: Vec<u64> = a.links.iter().map(|link| strict_key(link, &b.tokens)).collect();
    let strict_b: Vec<u64> = b.links.iter().map(|link| strict_key(link, &a.tokens)).collect();
    let mut pairs = unique_pairs(&strict_a, &strict_b);
    add_in_order(&mut pairs, &strict_a, &strict_b);
    let loose_a: Vec<u64> = a.links.iter().map(loose_key).collect();
    let loose_b: Vec<u64> = b.links.iter().map(loose_key).collect();
    add_in_order(&mut pairs, &loose_a, &loose_b);
    pairs.sort_unstable();
    pairs
}

fn unique_pairs(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    fn once(keys: &[u64]) -> HashMap<u64, Option<usize>> {
        let mut seen = HashMap::with_capacity(keys.len());
        for (at, key) in keys.iter().enumerate() {
            seen.entry(*key)
                .and_modify(|place| *place = None)
                .or_insert(Some(at));
        }
        seen
    }
    let in_b = once(b);
    once(a)
        .into_iter()
        .filter_map(|(key, i)| Some((i?, (*in_b.get(&key)?)?)))
        .collect()
}

/// Pairs what is not paired yet, keeping the order.
fn add_in_order(pairs: &mut Vec<(usize, usize)>, a: &[u64], b: &[u64]) {
    let paired_a: HashSet<usize> = pairs.iter().map(|pair| pair.0).collect();
    let paired_b: HashSet<usize> = pairs.iter().map(|pair| pair.1).collect();
    let rest_a: Vec<usize> = (0..a.len()).filter(|i| !paired_a.contains(i)).collect();
    let rest_b: Vec<usize> = (0..b.len()).filter(|j| !paired_b.contains(j)).collect();
    if rest_a.is_empty() || rest_b.is_empty() {
        return;
    }
    let keys_a: Vec<u64> = rest_a.iter().map(|i| a[*i]).collect();
    let keys_b: Vec<u64> = rest_b.iter().map(|j| b[*j]).collect();
    for operation in similar::capture_diff_slices(Algorithm::Myers, &keys_a, &keys_b) {
        if let DiffOp::Equal {
            old_index,
            new_index,
            len,
        } = operation
        {
            pairs.extend((0..len).map(|k| (rest_a[old_index + k], rest_b[new_index + k])));
        }
    }
}

/// Sums of hashes: the order of parameters must not matter, and segments carry their index.
fn strict_key(link: &SplitLink, others: &HashSet<u64>) -> u64 {
    let mut key = link.stand;
    for (piece, (names, area)) in link.leaves() {
        key = key.wrapping_add(hash(&(names, skeleton(piece, *area, others))));
    }
    key
}

/// The links' addresses as the other page can know them: whatever the order of parameters, and with blots for what only this
/// page has.
pub(super) fn addresses(page: &Page, other: &Page) -> Vec<u64> {
    let links = page.links.iter();
    links
        .map(|link| strict_key(link, &other.tokens).wrapping_sub(link.stand))
        .collect()
}

/// Links that stand on both pages, once on each, at the same path and with other parameters: one has what the other lacks.
pub(super) fn differ_in_names(a: &Page, b: &Page) -> bool {
    let named = |page: &Page| {
        let mut by_stand: HashMap<u64, Option<(u64, u64)>> = HashMap::new();
        for link in &page.links {
            let sum = |is_path: bool| {
                let leaves = link.leaves().filter(|(piece, _)| piece.is_named() != is_path);
                leaves.fold(0_u64, |sum, (piece, (names, _))| {
                    let value = if is_path { hash(&piece.value) } else { 0 };
                    sum.wrapping_add(hash(&(names, value)))
                })
            };
            by_stand
                .entry(link.stand)
                .and_modify(|one| *one = None)
                .or_insert_with(|| Some((sum(true), sum(false))));
        }
        by_stand
    };
    let others = named(b);
    named(a)
        .into_iter()
        .any(|(stand, one)| match (one, others.get(&stand)) {
            (Some((path, names)), Some(Some((other_path, other_names)))) => {
                path == *other_path && names != *other_names
            }
            _ => false,
        })
}

fn loose_key(link: &SplitLink) -> u64 {
    link.leaves()
        .fold(link.stand, |key, (_, (names, _))| key.wrapping_add(*names))
}

impl SplitLink {
    fn find_ways(&mut self, tokens_seen: &mut HashSet<u64>) {
        let ways = |piece: &UrlPiece| (names(piece), area(piece));
        self.ways = self.pieces.iter().map(ways).collect();
        for (piece, (_, area)) in self.leaves() {
            tokens_seen.extend(tokens(&piece.value).map(|token| token_hash(*area, token)));
        }
    }

    fn leaves(&self) -> impl Iterator<Item = (&UrlPiece, &(u64, u64))> {
        self.pieces
            .iter()
            .zip(&self.ways)
            .filter(|(piece, _)| !piece.is_composite)
    }
}

/// The way to a piece without the values met on it.
fn names(piece: &UrlPiece) -> u64 {
    let mut hasher = Quick::default();
    for step in &piece.steps {
        match step {
            UrlStep::Segment { index, count, .. } => (0, index, count).hash(&mut hasher),
            other => other.hash(&mut hasher),
        }
    }
    hasher.finish()
}

/// Like [`names`], but segments of a path are one area: pages move up and down in it.
fn area(piece: &UrlPiece) -> u64 {
    let mut hasher = Quick::default();
    for step in &piece.steps {
        match step {
            UrlStep::Segment { .. } => 0.hash(&mut hasher),
            UrlStep::Host { .. } => 1.hash(&mut hasher),
            other => other.hash(&mut hasher),
        }
    }
    hasher.finish()
}

/// The value with the tokens blotted out that the other side lacks; neighbouring blots are one.
fn skeleton(piece: &UrlPiece, area: u64, others: &HashSet<u64>) -> u64 {
    let mut hasher = Quick::default();
    let mut is_blot = false;
    let mut is_start = true;
    // Separators wait until it is known whether a blot follows: `a1-b2_c3` is one value when none of it is shared.
    let mut waiting: Vec<&str> = Vec::new();
    for part in parts(&piece.value) {
        if !is_token(part) {
            waiting.push(part);
            continue;
        }
        if others.contains(&token_hash(area, part)) {
            for separator in waiting.drain(..) {
                separator.hash(&mut hasher);
            }
            part.hash(&mut hasher);
            is_blot = false;
        } else {
            // A sign before the first blot is the id's own: base 64 may begin with one.
            if is_start {
                waiting.clear();
            }
            if !is_blot {
                for separator in waiting.drain(..) {
                    separator.hash(&mut hasher);
                }
                '*'.hash(&mut hasher);
            }
            waiting.clear();
            is_blot = true;
        }
        is_start = false;
    }
    // A sign at the very end of an id belongs to it, but only a shared ending says where the id ends.
    if !is_blot {
        for separator in waiting {
            separator.hash(&mut hasher);
        }
    }
    hasher.finish()
}

fn tokens(value: &str) -> impl Iterator<Item = &str> {
    parts(value).filter(|part| is_token(part))
}

fn is_token(part: &str) -> bool {
    part.chars().next().is_some_and(is_token_char)
}

pub(super) fn is_token_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || !c.is_ascii()
}

/// Runs of letters and digits, and single separators between them.
pub(super) fn parts(value: &str) -> impl Iterator<Item = &str> {
    let mut rest = value;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let length = if is_token_char(first) {
            rest.find(|c| !is_token_char(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (part, after) = rest.split_at(length);
        rest = after;
        Some(part)
    })
}

fn hash<T: Hash>(value: &T) -> u64 {
    let mut hasher = Quick::default();
    value.hash(&mut hasher);
    hasher.finish()
}

fn token_hash(area: u64, token: &str) -> u64 {
    let mut hasher = Quick(area);
    hasher.write(token.as_bytes());
    hasher.finish()
}

/// Multiply and fold. Links of one page are compared with each other, never kept; who floods it spoils only his own.
#[derive(Default)]
struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let mixed = (self.0 ^ u64::from_le_bytes(word)).wrapping_add(chunk.len() as u64);
            let product = u128::from(mixed ^ 0xa076_1d64_78bd_642f) * 0x9e37_79b9_7f4a_7c15_u128;
            self.0 = (product as u64) ^ ((product >> 64) as u64);
        }
    }

    fn finish(&self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 29)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(urls: &[&str]) -> Page {
        let links: Vec<ProbeLink> = urls
            .iter()
            .map(|url| ProbeLink {
                url: Url::parse(url).unwrap(),
                place: "a".to_owned(),
                anchor: String::new(),
            })
            .collect();
        Page::new(&links)
    }

    #[test]
    fn links_pair_over_ids_order_and_advertisements() {
        let a = page(&[
            "http://h.test/ad/1",
            "http://h.test/a?x=1&sid=aaa1",
            "http://h.test/b?sid=aaa1",
            "http://h.test/c-aaa1.html",
        ]);
        let b = page(&[
            "http://h.test/a?sid=bbb2&x=1",
            "http://h.test/c-bbb2.html",
            "http://h.test/b?sid=bbb2",
            "http://h.test/about/ads/77",
        ]);
        assert_eq!(align(&a, &b), vec![(1, 0), (2, 2), (3, 1)]);
    }

    #[test]
    fn equal_keys_pair_in_their_order() {
        let a = page(&["http://h.test/n?q=1", "http://h.test/n?q=2"]);
        let b = page(&["http://h.test/n?q=8", "http://h.test/n?q=9"]);
        assert_eq!(align(&a, &b), vec![(0, 0), (1, 1)]);
    }
}
