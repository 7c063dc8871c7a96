//! Which unmatched old document is which unmatched new one? (B5)
//!
//! In: what a run could not match. Out: pairs, by what pages say of themselves (`rel=canonical`), then by place and
//! anchor with nearly equal text. Enough of them with one and the same differing slot mean that identity itself changed:
//! then the site is probed anew, and the report says so instead of listing everything twice.

use std::collections::HashMap;

use gleaner_model::Url;

use super::slots::Slot;
use super::split::split;

/// Bits by which the simhashes of one page's versions may differ.
const SIMHASH_DISTANCE_MAX: u32 = 3;
/// Pairs that must agree before a site is probed anew.
const REPROBE_PAIRS_MIN: usize = 3;
/// More than this share unmatched, and this many times the usual, is no ordinary day.
const BROKEN_SHARE: f64 = 0.2;
const BROKEN_FACTOR: f64 = 3.0;

/// A document that was found on one side only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmatched {
    pub url: Url,
    /// What the page calls its own address.
    pub canonical: Option<Url>,
    pub place: String,
    pub anchor: String,
    /// Of its text; none where it was not fetched.
    pub simhash: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Paired {
    Canonical,
    PlaceAndText,
}

/// Pairs `(old, new, why)`; each document in at most one. Doubtful ones, where several would do, are left alone.
pub fn pair(old: &[Unmatched], new: &[Unmatched]) -> Vec<(usize, usize, Paired)> {
    let mut pairs = Vec::new();
    let mut is_old_free = vec![true; old.len()];
    let mut is_new_free = vec![true; new.len()];
    // A page whose canonical is the other's address, or the same canonical on both.
    let address = |document: &Unmatched| document.canonical.clone().unwrap_or_else(|| document.url.clone());
    let by_canonical = only_ones(new.iter().map(address));
    let old_addresses = only_ones(old.iter().map(address));
    for (i, document) in old.iter().enumerate() {
        let key = address(document);
        if let (Some(Some(_)), Some(Some(j))) = (old_addresses.get(&key), by_canonical.get(&key))
            && (document.canonical.is_some() || new[*j].canonical.is_some())
        {
            pairs.push((i, *j, Paired::Canonical));
            (is_old_free[i], is_new_free[*j]) = (false, false);
        }
    }
    let mut by_stand: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for (j, document) in new.iter().enumerate().filter(|(j, _)| is_new_free[*j]) {
        by_stand
            .entry((&document.place, &document.anchor))
            .or_default()
            .push(j);
    }
    for (i, document) in old.iter().enumerate().filter(|(i, _)| is_old_free[*i]) {
        let stand = (document.place.as_str(), document.anchor.as_str());
        let Some(there) = by_stand.get(&stand) else {
            continue;
        };
        let mut near = there
            .iter()
            .filter(|j| is_new_free[**j] && is_near(document, &new[**j]));
        if let (Some(j), None) = (near.next(), near.next()) {
            pairs.push((i, *j, Paired::PlaceAndText));
            is_new_free[*j] = false;
        }
    }
    pairs.sort_unstable_by_key(|(i, ..)| *i);
    pairs
}

fn is_near(a: &Unmatched, b: &Unmatched) -> bool {
    matches!((a.simhash, b.simhash), (Some(x), Some(y)) if (x ^ y).count_ones() <= SIMHASH_DISTANCE_MAX)
}

/// Where each key stands, or `None` if it stands twice.
pub fn only_ones<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>) -> HashMap<K, Option<usize>> {
    let mut seen = HashMap::new();
    for (at, key) in keys.enumerate() {
        seen.entry(key)
            .and_modify(|place| *place = None)
            .or_insert(Some(at));
    }
    seen
}

/// The slot in which at least three pairs differ, and in nothing else: the site has a rule that nobody learned.
pub fn suggests_reprobe(
    pairs: &[(usize, usize, Paired)],
    old: &[Unmatched],
    new: &[Unmatched],
) -> Option<Slot> {
    let mut counts: HashMap<Slot, usize> = HashMap::new();
    for (i, j, _) in pairs {
        if let (Some(a), Some(b)) = (old.get(*i), new.get(*j))
            && let Some(slot) = only_difference(&a.url, &b.url)
        {
            *counts.entry(slot).or_default() += 1;
        }
    }
    let (slot, count) = counts
        .into_iter()
        .max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)))?;
    (count >= REPROBE_PAIRS_MIN).then_some(slot)
}

fn only_difference(a: &Url, b: &Url) -> Option<Slot> {
    let leaves = |url: &Url| -> Vec<_> {
        split(url.as_str())
            .into_iter()
            .filter(|p| !p.is_composite)
            .collect()
    };
    let (a, b) = (leaves(a), leaves(b));
    if a.len() != b.len() || !a.iter().zip(&b).all(|(x, y)| x.stands_as(y)) {
        return None;
    }
    let mut differing = a.iter().zip(&b).filter(|(x, y)| x.value != y.value);
    match (differing.next(), differing.next()) {
        (Some((piece, _)), None) => Some(piece.slot()),
        _ => None,
    }
}

/// Whether so much is unmatched that identity must be learned anew. `usual_share` is that of the runs before.
pub fn is_identity_broken(unmatched: usize, total: usize, usual_share: f64) -> bool {
    let share = unmatched as f64 / total.max(1) as f64;
    share > BROKEN_SHARE && share > BROKEN_FACTOR * usual_share
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(url: &str, canonical: Option<&str>, anchor: &str, simhash: u64) -> Unmatched {
        Unmatched {
            url: Url::parse(url).unwrap(),
            canonical: canonical.map(|text| Url::parse(text).unwrap()),
            place: "ul/li".to_owned(),
            anchor: anchor.to_owned(),
            simhash: Some(simhash),
        }
    }

    #[test]
    fn canonical_first_then_place_and_text() {
        let old = [
            document("http://a.test/1?k=a", Some("http://a.test/1"), "One", 0),
            document("http://a.test/2?k=a", None, "Two", 0b1111),
            document("http://a.test/3?k=a", None, "Three", 0),
            document("http://a.test/4?k=a", None, "Four", 0),
        ];
        let new = [
            document("http://a.test/4?k=b", None, "Four", u64::MAX),
            document("http://a.test/3?k=b", None, "Three", 0b1),
            document("http://a.test/2?k=b", None, "Two", 0b1000),
            document(
                "http://a.test/1?k=b",
                Some("http://a.test/1"),
                "Renamed",
                u64::MAX,
            ),
        ];
        let pairs = pair(&old, &new);
        let expected = vec![
            (0, 3, Paired::Canonical),
            (1, 2, Paired::PlaceAndText),
            (2, 1, Paired::PlaceAndText),
        ];
        assert_eq!(pairs, expected);
        let slot = suggests_reprobe(&pairs, &old, &new);
        assert_eq!(
            slot,
            Some(Slot::Query {
                name: "k".to_owned(),
                nth: 0
            })
        );
        assert_eq!(suggests_reprobe(&pairs[..2], &old, &new), None);
    }

    #[test]
    fn two_that_would_do_are_left_alone() {
        let old = [document("http://a.test/1", None, "More", 0)];
        let new = [
            document("http://a.test/2", None, "More", 0),
            document("http://a.test/3", None, "More", 1),
        ];
        assert!(pair(&old, &new).is_empty());
    }

    #[test]
    fn identity_is_broken_when_much_and_unusual() {
        assert!(is_identity_broken(300, 600, 0.05));
        assert!(!is_identity_broken(300, 600, 0.3), "usual for this site");
        assert!(!is_identity_broken(10, 600, 0.0), "not much");
        assert!(!is_identity_broken(0, 0, 0.0));
    }
}
