//! Which rules do the probes suggest?
//!
//! In: two sessions' views of one page, and a second look inside the first. Out: candidates, proven by counts or marked
//! for the content test, and whether the order of parameters varies. Two rounds: what the first proves (the pair of
//! values of an id) explains sightings that were too few to judge in the second.

use super::align::{Page, addresses};
use super::named::{self, Candidate, Proven, Seen};
use super::names;
use super::observe::observe;
use super::rule::{Beside, RuleKind};
use super::rules::UrlRules;
use super::safety;
use super::shared;
use super::slots::Slot;
use super::unnamed::{self, Probes};

#[derive(Debug, Clone, Default)]
pub(super) struct Discovered {
    pub(super) candidates: Vec<Candidate>,
    pub(super) is_order_free: bool,
    /// Whether the sessions differ in anything.
    pub(super) differs: bool,
}

pub(super) fn discover(first: &Page, second: &Page, again: Option<&Page>) -> Discovered {
    let mut found = discover_names(first, second, again);
    discover_without(&mut found, first, second, again);
    names::add_known(&mut found.candidates);
    found
}

/// Links pair badly where some carry an id and some do not. Without the ids that are proven they pair, and parameters that
/// too few pairs spoke for can be judged.
fn discover_without(found: &mut Discovered, first: &Page, second: &Page, again: Option<&Page>) {
    let is_id = |one: &&Candidate| !one.needs_test && one.rule.kind == RuleKind::Session;
    let rules = UrlRules {
        rules: found
            .candidates
            .iter()
            .filter(is_id)
            .map(|one| one.rule.clone())
            .collect(),
        ..UrlRules::default()
    };
    if rules.rules.is_empty() {
        return;
    }
    let bare = |page: &Page| page.with_urls(|url| rules.bare_text(url));
    let (bare_first, bare_second) = (bare(first), bare(second));
    let more = discover_names(&bare_first, &bare_second, again.map(bare).as_ref());
    found.is_order_free |= more.is_order_free;
    for candidate in more.candidates {
        let slot = &candidate.rule.slot;
        // Places in a path are others without the ids.
        let is_parameter = matches!(
            slot,
            Slot::Query { .. } | Slot::Matrix { .. } | Slot::QueryName | Slot::MatrixName
        );
        let known = found.candidates.iter_mut().find(|one| one.rule.slot == *slot);
        match known {
            _ if !is_parameter => {}
            Some(known) if known.needs_test && !candidate.needs_test => *known = candidate,
            Some(_) => {}
            None => found.candidates.push(candidate),
        }
    }
}

fn discover_names(first: &Page, second: &Page, again: Option<&Page>) -> Discovered {
    match names::candidates(first, second, again) {
        None => discover_shared(first, second, again),
        Some((mut names, pages)) => {
            safety::screen(&mut names, first);
            let mut found = discover_shared(&pages.first, &pages.second, pages.again.as_ref());
            found.differs = true;
            found.candidates.extend(names);
            found
        }
    }
}

/// The same where all names of parameters stand still.
fn discover_shared(first: &Page, second: &Page, again: Option<&Page>) -> Discovered {
    let Some(shared) = shared::candidates(first, second, again) else {
        return discover_values(first, second, again, Vec::new());
    };
    let mut pages = shared.pages.iter();
    match (pages.next(), pages.next()) {
        (Some(first), Some(second)) => discover_values(first, second, pages.next(), shared.candidates),
        _ => discover_values(first, second, again, Vec::new()),
    }
}

/// The same where what all links of a page share is taken out of them.
fn discover_values(first: &Page, second: &Page, again: Option<&Page>, shared: Vec<Candidate>) -> Discovered {
    let observed = observe(first, second, again);
    let is_order_free = observed.reordered > 0;
    if shared.is_empty() && observed.pieces.iter().all(|piece| !piece.differs()) {
        return Discovered {
            candidates: Vec::new(),
            is_order_free,
            differs: is_order_free,
        };
    }
    let probes = Probes { first, second, again };
    let mut proven = Proven::new();
    add_pairs(&mut proven, &shared);
    let mut candidates = Vec::new();
    for _ in 0..2 {
        candidates = named::candidates(&observed.pieces, &proven);
        candidates.retain(|candidate| !names_one_page(candidate, first, second));
        add_pairs(&mut proven, &candidates);
        let unnamed = unnamed::candidates(&observed.pieces, &probes, &proven);
        add_pairs(&mut proven, &unnamed);
        candidates.extend(unnamed);
    }
    candidates.extend(shared);
    drop_covered(&mut candidates);
    safety::screen(&mut candidates, first);
    Discovered {
        candidates,
        is_order_free,
        differs: true,
    }
}

/// All links that carry the value lead to one address but for what is volatile in it: then it may name what is shown there, as
/// the number of the story of the day does.
fn names_one_page(candidate: &Candidate, first: &Page, second: &Page) -> bool {
    let is_one_value = matches!(candidate.rule.kind, RuleKind::Session | RuleKind::Clock);
    if !is_one_value || candidate.seen.len() < 2 {
        return false;
    }
    let bare = |page: &Page| page.without(|piece| candidate.rule.find_in(piece).is_some());
    let addresses = addresses(&bare(first), &bare(second));
    let of = |seen: &Seen| addresses[seen.link];
    (candidate.seen.iter()).all(|seen| of(seen) == of(&candidate.seen[0]))
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
