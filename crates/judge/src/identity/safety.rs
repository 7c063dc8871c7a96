//! Could a rule join two pages that differ?
//!
//! In: candidates and the links of one session. Out: the same candidates, with those marked that join links of different
//! anchors. Inside one session an id that is the same on all links cannot join anything; one that is new on every link
//! can, and then only the content test may save it: a single counter-example kills.

use std::collections::HashMap;

use super::align::Page;
use super::named::Candidate;
use super::rule::{RuleKind, UrlRule};
use super::rules::UrlRules;

/// Marks what needs the content test, and takes out what no test can save: one value per session that yet tells two links of
/// it apart, for there the slot holds more than the id.
pub(super) fn screen(candidates: &mut Vec<Candidate>, page: &Page) {
    candidates.retain_mut(|candidate| {
        let is_joining = joined(&[&candidate.rule], page).is_some();
        candidate.needs_test |= is_joining;
        let is_one_value = matches!(candidate.rule.kind, RuleKind::Session | RuleKind::Clock);
        !(is_joining && is_one_value && candidate.seen.len() > 1)
    });
}

/// Two links with different URLs and, as far as is known, different anchors that the rules would make one.
pub(super) fn joined(rules: &[&UrlRule], page: &Page) -> Option<(usize, usize)> {
    if rules.iter().all(|rule| has_one_value(rule, page)) {
        return None;
    }
    let rules = UrlRules {
        rules: rules.iter().map(|rule| (*rule).clone()).collect(),
        ..UrlRules::default()
    };
    let mut seen: HashMap<String, usize> = HashMap::with_capacity(page.links.len());
    for (number, link) in page.links.iter().enumerate() {
        let other = *seen.entry(rules.mask_text(&link.url)).or_insert(number);
        let earlier = &page.links[other];
        let is_known_same = !link.anchor.is_empty() && link.anchor == earlier.anchor;
        if earlier.url != link.url && !is_known_same {
            return Some((other, number));
        }
    }
    None
}

/// What is the same on every link cannot make two of them one.
fn has_one_value(rule: &UrlRule, page: &Page) -> bool {
    if rule.is_name() {
        return matches!(rule.kind, RuleKind::Session | RuleKind::Clock);
    }
    let pieces = page.links.iter().flat_map(|link| &link.pieces);
    let mut values = pieces.filter_map(|piece| rule.find_in(piece).map(|(_, id)| id));
    let Some(first) = values.next() else { return true };
    values.all(|value| value == first)
}
