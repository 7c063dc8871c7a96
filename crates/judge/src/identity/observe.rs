//! What differs between two probes, slot by slot?
//!
//! In: the probes of two sessions and, where there is one, a second look inside the first. Out: for every piece of every
//! paired link what it said in both, and whether it said the same again. A value that is itself a URL speaks through its
//! inner pieces; only where these do not correspond does it speak for itself.

use std::collections::{HashMap, HashSet};

use super::align::{Page, align, is_token_char, parts};
use super::slots::{UrlPiece, UrlStep};

/// One piece of one paired link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Observation<'p> {
    /// Position of the link in the first probe.
    pub(super) link: usize,
    pub(super) first: &'p UrlPiece,
    pub(super) second: &'p UrlPiece,
    /// Same value in the second look; `None` where the link was not seen there.
    pub(super) is_same_again: Option<bool>,
}

impl<'p> Observation<'p> {
    pub(super) fn differs(&self) -> bool {
        self.first.value != self.second.value
    }

    pub(super) fn values(&self) -> (&'p str, &'p str) {
        (&self.first.value, &self.second.value)
    }
}

pub(super) struct Observed<'p> {
    pub(super) pieces: Vec<Observation<'p>>,
    /// Links that came with the same parameters in another order.
    pub(super) reordered: usize,
}

pub(super) fn observe<'p>(first: &'p Page, second: &'p Page, again: Option<&'p Page>) -> Observed<'p> {
    let pairs = align(first, second);
    let again_pairs: HashMap<usize, usize> = again
        .map(|page| align(first, page))
        .into_iter()
        .flatten()
        .collect();
    let mut observed = Observed {
        pieces: Vec::new(),
        reordered: 0,
    };
    let mut urls = HashSet::with_capacity(pairs.len());
    for (i, j) in pairs {
        // A link that stands twice on the page says nothing the second time.
        if !urls.insert(first.links[i].url.as_str()) {
            continue;
        }
        let (a, b) = (&first.links[i].pieces, &second.links[j].pieces);
        let c = again.and_then(|page| again_pairs.get(&i).map(|k| &page.links[*k].pieces));
        for piece in a {
            let Some(other) = counterpart(piece, b) else {
                continue;
            };
            if piece.is_composite && other.is_composite && inner_match(piece, a, other, b) {
                continue;
            }
            if !piece.is_composite && is_inside_changed(piece, a, b) {
                continue;
            }
            let is_same_again = c
                .and_then(|pieces| counterpart(piece, pieces))
                .map(|same| same.value == piece.value);
            observed.pieces.push(Observation {
                link: i,
                first: piece,
                second: other,
                is_same_again,
            });
        }
        observed.reordered += usize::from(is_reordered(a, b));
    }
    observed
}

fn counterpart<'b>(piece: &UrlPiece, others: &'b [UrlPiece]) -> Option<&'b UrlPiece> {
    others.iter().find(|other| piece.stands_as(other))
}

/// The inner pieces of both stand in the same slots, so whatever differs is seen there.
fn inner_match(a: &UrlPiece, all_a: &[UrlPiece], b: &UrlPiece, all_b: &[UrlPiece]) -> bool {
    let inner_a = inside(a, all_a);
    inner_a.len() == inside(b, all_b).len() && inner_a.iter().all(|piece| counterpart(piece, all_b).is_some())
}

fn inside<'a>(outer: &UrlPiece, all: &'a [UrlPiece]) -> Vec<&'a UrlPiece> {
    all.iter()
        .filter(|piece| piece.steps.len() > outer.steps.len() && piece.steps.starts_with(&outer.steps))
        .collect()
}

/// The piece lies in a value whose inner pieces do not correspond: the outer value speaks for it.
fn is_inside_changed(piece: &UrlPiece, a: &[UrlPiece], b: &[UrlPiece]) -> bool {
    (1..piece.steps.len()).any(|depth| {
        let Some(outer) = a.iter().find(|other| other.steps == piece.steps[..depth]) else {
            return false;
        };
        counterpart(outer, b).is_none_or(|other| !other.is_composite || !inner_match(outer, a, other, b))
    })
}

fn is_reordered(a: &[UrlPiece], b: &[UrlPiece]) -> bool {
    fn top(pieces: &[UrlPiece]) -> impl Iterator<Item = &UrlStep> {
        let named = pieces
            .iter()
            .filter(|piece| piece.steps.len() == 1 && piece.is_named());
        named.map(UrlPiece::leaf)
    }
    !top(a).eq(top(b))
        && top(a).count() == top(b).count()
        && top(a).all(|step| top(b).any(|other| other == step))
}

/// The parts of two values that differ, cut back to token borders: lengths of what is common on the left and right.
pub(super) fn trim(a: &str, b: &str) -> (usize, usize) {
    let left = common_left(a, b);
    let right = common_right(&a[left..], &b[left..]);
    if left + right >= a.len() || left + right >= b.len() {
        (0, 0)
    } else {
        (left, right)
    }
}

fn common_left(a: &str, b: &str) -> usize {
    parts(a)
        .zip(parts(b))
        .take_while(|(x, y)| x == y)
        .map(|(x, _)| x.len())
        .sum()
}

fn common_right(a: &str, b: &str) -> usize {
    let parts_a: Vec<&str> = parts(a).collect();
    let parts_b: Vec<&str> = parts(b).collect();
    parts_a
        .iter()
        .rev()
        .zip(parts_b.iter().rev())
        .take_while(|(x, y)| x == y)
        .map(|(x, _)| x.len())
        .sum()
}

/// Whether a text beside an id was put there on purpose: a word, a bracket, a name with its sign.
///
/// Of two random ids that begin or end alike by chance the common part is one or two characters long.
pub(super) fn is_meant(text: &str) -> bool {
    text.contains(['(', ')', '[', ']', '{', '}', '=', ',', ':'])
        || parts(text).any(|part| {
            part.chars().next().is_some_and(is_token_char)
                && part.len() >= 3
                && part.bytes().all(|b| b.is_ascii_alphabetic())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_cut_at_token_borders() {
        for (a, b, middle) in [
            ("page-name-s01ab.html", "page-name-sfe99.html", "s01ab"),
            ("(S(abc))", "(S(abd))", "abc"),
            ("abc1", "abc2", "abc1"),
            ("x!-12!NONE", "y!34!NONE", "x!-12"),
            ("same", "same", "same"),
            ("a", "a-b", "a"),
        ] {
            let (left, right) = trim(a, b);
            assert_eq!(&a[left..a.len() - right], middle, "{a} {b}");
        }
    }
}
