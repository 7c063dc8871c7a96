//! Which rules do the probes suggest?
//!
//! In: two sessions' views of one page, and a second look inside the first. Out: candidates, proven by counts or marked
//! for the content test, and whether the order of parameters varies. Two rounds: what the first proves (the pair of
//! values of an id) explains sightings that were too few to judge in the second.

use super::align::Page;
use super::named::{self, Candidate, Proven};
use super::observe::observe;
use super::rule::Beside;
use super::safety;
use super::slots::Slot;
use super::unnamed::{self, Probes};

#[derive(Debug, Clone, Default)]
pub(super) struct Discovered {
    pub(super) candidates: Vec<Candidate>,
    pub(super) is_order_free: bool,
}

pub(super) fn discover(first: &Page, second: &Page, again: Option<&Page>) -> Discovered {
    let observed = observe(first, second, again);
    let is_order_free = observed.reordered > 0;
    if observed.pieces.iter().all(|piece| !piece.differs()) {
        return Discovered {
            candidates: Vec::new(),
            is_order_free,
        };
    }
    let probes = Probes { first, second, again };
    let mut proven = Proven::new();
    let mut candidates = Vec::new();
    for _ in 0..2 {
        candidates = named::candidates(&observed.pieces, &proven);
        add_pairs(&mut proven, &candidates);
        let unnamed = unnamed::candidates(&observed.pieces, &probes, &proven);
        add_pairs(&mut proven, &unnamed);
        candidates.extend(unnamed);
    }
    drop_covered(&mut candidates);
    safety::screen(&mut candidates, first);
    Discovered {
        candidates,
        is_order_free,
    }
}

fn add_pairs(proven: &mut Proven, candidates: &[Candidate]) {
    for candidate in candidates.iter().filter(|candidate| !candidate.needs_test) {
        if let Some((first, second)) = candidate.pair() {
            proven.insert((first.to_owned(), second.to_owned()));
        }
    }
}

/// A name means the same at every depth, so the rule for the outer one covers the nested.
fn drop_covered(candidates: &mut Vec<Candidate>) {
    let names: Vec<Slot> = candidates
        .iter()
        .filter(|c| c.rule.is_whole() && c.rule.shape.is_none() && !c.needs_test)
        .map(|c| c.rule.slot.clone())
        .filter(|slot| matches!(slot, Slot::Matrix { .. } | Slot::Query { .. }))
        .collect();
    candidates.retain(|candidate| {
        !matches!(candidate.rule.slot, Slot::Nested { .. })
            || candidate.rule.left != Beside::nothing()
            || candidate.rule.right != Beside::nothing()
            || !names.contains(innermost(&candidate.rule.slot))
    });
}

fn innermost(slot: &Slot) -> &Slot {
    let mut slot = slot;
    while let Slot::Nested { inner, .. } = slot {
        slot = inner;
    }
    slot
}
