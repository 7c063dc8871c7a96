//! Which parameters have one value on a whole page, and another in the next session?
//!
//! In: two sessions' views of one page. Out: candidates, and what is left of the pages without them. Such a parameter may
//! stand on other links at every fetch, so that hardly any link has it in both sessions; what all links of a page share
//! tells no page from another all the same. It must stand on several pages, and these must be there in both sessions:
//! two links to the story of the day share its number too.

use std::collections::{BTreeMap, HashSet};

use super::align::{Page, SplitLink, addresses};
use super::named::{Candidate, Seen, evidence, tally};
use super::rule::{RuleKind, UrlRule};
use super::slots::{Slot, UrlPiece, UrlStep};

/// Pages that carry it in each session: so many prove it. With fewer, but so many in both, the content test decides.
const PAGES_PROVE: usize = 3;
const PAGES_MIN: usize = 3;

/// The parameters, and the pages without them.
pub(super) struct Shared {
    pub(super) candidates: Vec<Candidate>,
    pub(super) pages: Vec<Page>,
}

/// None where there are none, which is so on most sites.
pub(super) fn candidates(first: &Page, second: &Page, again: Option<&Page>) -> Option<Shared> {
    let (here, there) = (one_valued(first), one_valued(second));
    let later = again.map(one_valued);
    let mut candidates = Vec::new();
    for (slot, value) in &here {
        let Some(other) = there.get(slot).filter(|other| other.is_some() && *other != value) else {
            continue;
        };
        let (Some(value), Some(other)) = (value, other) else {
            continue;
        };
        let rule = UrlRule::learned(slot.clone(), RuleKind::Session);
        let bare = |page: &Page| page.without(|piece| rule.find_in(piece).is_some());
        let (bare_first, bare_second) = (bare(first), bare(second));
        let (all_ours, all_theirs) = (
            addresses(&bare_first, &bare_second),
            addresses(&bare_second, &bare_first),
        );
        let (ours, theirs) = (
            carriers(first, &rule, &all_ours),
            carriers(second, &rule, &all_theirs),
        );
        let everywhere: HashSet<u64> = all_theirs.into_iter().collect();
        let common = ours.intersection(&everywhere).count();
        let pages = ours.len().min(theirs.len());
        if ours.len() + theirs.len() < PAGES_MIN || common * 2 < ours.len() {
            continue;
        }
        let is_same_again = later
            .as_ref()
            .and_then(|later| Some(later.get(slot)?.as_ref() == Some(value)));
        candidates.push(candidate(
            rule,
            first,
            (value, other),
            is_same_again,
            pages < PAGES_PROVE,
        ));
    }
    if candidates.is_empty() {
        return None;
    }
    let slots: HashSet<Slot> = candidates.iter().map(|one| one.rule.slot.clone()).collect();
    let without = |page: &Page| page.without(|piece| piece.steps.len() == 1 && slots.contains(&piece.slot()));
    let pages = [Some(first), Some(second), again];
    Some(Shared {
        pages: pages.into_iter().flatten().map(without).collect(),
        candidates,
    })
}

fn candidate(
    mut rule: UrlRule,
    page: &Page,
    values: (&str, &str),
    is_same_again: Option<bool>,
    needs_test: bool,
) -> Candidate {
    let with_it = |pieces: &[UrlPiece]| pieces.iter().any(|piece| rule.find_in(piece).is_some());
    let links = page.links.iter().enumerate();
    let seen: Vec<Seen> = links
        .filter(|(_, link)| with_it(&link.pieces))
        .map(|(link, _)| Seen {
            link,
            first: values.0.to_owned(),
            second: values.1.to_owned(),
        })
        .collect();
    let counted = tally(seen.iter().map(|_| (values.0, values.1, is_same_again)));
    if is_same_again == Some(false) {
        rule.kind = RuleKind::Clock;
    }
    rule.support = seen.len();
    rule.evidence = evidence(rule.kind, &counted);
    Candidate {
        rule,
        needs_test,
        seen,
    }
}

/// The named parameters of a page's links; with a value, where all links that have it have that.
fn one_valued(page: &Page) -> BTreeMap<Slot, Option<&str>> {
    let mut values: BTreeMap<Slot, Option<&str>> = BTreeMap::new();
    let pieces = page.links.iter().flat_map(|link| &link.pieces);
    let top = pieces.filter(|piece| {
        piece.steps.len() == 1
            && !piece.is_composite
            && matches!(
                piece.leaf(),
                UrlStep::Query { nth: 0, .. } | UrlStep::Matrix { nth: 0, .. }
            )
            && piece.is_named()
    });
    for piece in top {
        let value = values.entry(piece.slot()).or_insert(Some(&piece.value));
        if *value != Some(piece.value.as_str()) {
            *value = None;
        }
    }
    values
}

/// The addresses that carry it, without it.
fn carriers(page: &Page, rule: &UrlRule, addresses: &[u64]) -> HashSet<u64> {
    let carries = |link: &SplitLink| link.pieces.iter().any(|piece| rule.find_in(piece).is_some());
    let links = page.links.iter().zip(addresses);
    links
        .filter(|(link, _)| carries(link))
        .map(|(_, address)| *address)
        .collect()
}
