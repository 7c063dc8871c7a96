//! Which path segments and host labels are volatile?
//!
//! In: observations and the probes they came from. Out: candidates for rules on places that have no name. Here the value
//! leads: the links whose differing part changed from the same value to the same value carry one id. Then the narrowest
//! description of where it stands is sought that covers them and touches nothing else on the probes.

use std::collections::{BTreeMap, HashSet};

use super::align::Page;
use super::named::{Candidate, Proven, Seen, beside_left, beside_right, evidence, tally};
use super::observe::{Observation, is_meant, trim};
use super::rule::{RuleKind, UrlRule};
use super::shape::ValueShape;
use super::slots::{Position, Slot, UrlStep, slot_of};
use super::verdict::{Tally, Verdict, judge};

/// Constants that a rule may name as exceptions; more, and the shape tells nothing apart.
const EXCEPT_MAX: usize = 16;

/// What the probes say, for checking a rule against everything in sight.
pub(super) struct Probes<'p> {
    pub(super) first: &'p Page,
    pub(super) second: &'p Page,
    pub(super) again: Option<&'p Page>,
}

/// One sighting of a differing part in an unnamed place.
#[derive(Debug, Clone, Copy)]
struct Sighting<'p> {
    observation: Observation<'p>,
    left: usize,
    right: usize,
}

impl<'p> Sighting<'p> {
    fn first(&self) -> &'p str {
        let value = self.observation.values().0;
        &value[self.left..value.len() - self.right]
    }

    fn second(&self) -> &'p str {
        let value = self.observation.values().1;
        &value[self.left..value.len() - self.right]
    }

    fn before(&self) -> &'p str {
        &self.observation.values().0[..self.left]
    }

    fn after(&self) -> &'p str {
        let value = self.observation.values().0;
        &value[value.len() - self.right..]
    }
}

/// Candidates, given the pairs of values that are proven already.
pub(super) fn candidates(
    observed: &[Observation<'_>],
    probes: &Probes<'_>,
    proven: &Proven,
) -> Vec<Candidate> {
    let mut groups: BTreeMap<(Option<Slot>, u8, &str, &str), Vec<Sighting<'_>>> = BTreeMap::new();
    for observation in observed.iter().filter(|o| !o.first.is_named() && o.differs()) {
        let (left, right) = trim(observation.values().0, observation.values().1);
        let sighting = Sighting {
            observation: *observation,
            left,
            right,
        };
        let steps = &observation.first.steps;
        let outer = (steps.len() > 1).then(|| slot_of(&steps[..steps.len() - 1]));
        let area = match observation.first.leaf() {
            UrlStep::Host { .. } => 0,
            UrlStep::Segment { .. } => 1,
            UrlStep::Matrix { .. } => 2,
            UrlStep::Query { .. } => 3,
        };
        groups
            .entry((outer, area, sighting.first(), sighting.second()))
            .or_default()
            .push(sighting);
    }
    // The same pair twice anywhere, or proven elsewhere: one id. What is left over is seen once each.
    let mut found = Vec::new();
    let mut lone: BTreeMap<(Option<Slot>, u8), Vec<Sighting<'_>>> = BTreeMap::new();
    for ((outer, area, first, second), sightings) in groups {
        let is_proven = proven.contains(&(first.to_owned(), second.to_owned()));
        if sightings.len() < 2 && !is_proven {
            lone.entry((outer, area)).or_default().extend(sightings);
            continue;
        }
        found.extend(one_id(outer.as_ref(), &sightings, probes, is_proven));
    }
    for ((outer, _), sightings) in lone {
        found.extend(one_value_each(outer.as_ref(), &sightings, observed, probes));
    }
    found
}

/// All sightings show the same pair of values.
fn one_id(
    outer: Option<&Slot>,
    sightings: &[Sighting<'_>],
    probes: &Probes<'_>,
    is_proven: bool,
) -> Vec<Candidate> {
    let counted = tally(
        sightings
            .iter()
            .map(|s| (s.first(), s.second(), s.observation.is_same_again)),
    );
    let kind = match judge(&counted) {
        Verdict::Proven(kind) => kind,
        _ if is_proven => RuleKind::Session,
        _ => return Vec::new(),
    };
    let mut rest = if is_proven {
        sightings.to_vec()
    } else {
        given_back(sightings)
    };
    let mut found = Vec::new();
    let total = rest.len();
    // Each round covers at least one sighting, so this ends.
    while !rest.is_empty() {
        let Some((rule, covered)) = best_rule(outer, kind, &rest, total, probes) else {
            break;
        };
        let (taken, left): (Vec<_>, Vec<_>) = rest
            .into_iter()
            .partition(|sighting| covered.contains(&std::ptr::from_ref(sighting.observation.first)));
        if taken.is_empty() {
            break;
        }
        found.push(candidate(rule, false, &counted, &taken));
        rest = left;
    }
    found
}

fn candidate(mut rule: UrlRule, needs_test: bool, counted: &Tally, taken: &[Sighting<'_>]) -> Candidate {
    rule.support = taken.len();
    rule.evidence = evidence(rule.kind, counted);
    let seen = taken.iter().map(|s| Seen {
        link: s.observation.link,
        first: s.first().to_owned(),
        second: s.second().to_owned(),
    });
    Candidate {
        rule,
        needs_test,
        seen: seen.collect(),
    }
}

/// What two random ids share by chance at their ends belongs to the id again, unless the surroundings vary.
fn given_back<'p>(sightings: &[Sighting<'p>]) -> Vec<Sighting<'p>> {
    let mut sightings = sightings.to_vec();
    let Some(one) = sightings.first().copied() else {
        return sightings;
    };
    if sightings
        .iter()
        .any(|s| s.before() != one.before() || s.after() != one.after())
    {
        return sightings;
    }
    let is_left_meant = is_meant(one.before());
    let is_right_meant = is_meant(one.after());
    for sighting in &mut sightings {
        if !is_left_meant {
            sighting.left = 0;
        }
        if !is_right_meant {
            sighting.right = 0;
        }
    }
    sightings
}

type Covered = HashSet<*const super::slots::UrlPiece>;

/// The rule that covers most sightings and nothing else; the earlier in the list of places, the better.
fn best_rule(
    outer: Option<&Slot>,
    kind: RuleKind,
    sightings: &[Sighting<'_>],
    total: usize,
    probes: &Probes<'_>,
) -> Option<(UrlRule, Covered)> {
    let mut best: Option<(usize, UrlRule, Covered)> = None;
    let mut places: Vec<(Slot, Vec<Sighting<'_>>)> = places(outer, sightings)
        .into_iter()
        .map(|slot| {
            let here = sightings
                .iter()
                .filter(|s| slot.holds(&s.observation.first.steps))
                .copied()
                .collect();
            (slot, here)
        })
        .collect();
    // Whoever covers all needs no rival; among equals the order of places stands.
    places.sort_by_key(|(_, here)| std::cmp::Reverse(here.len()));
    for (slot, here) in places {
        if best.as_ref().is_some_and(|(count, ..)| *count >= here.len()) {
            break;
        }
        let mut rule = UrlRule::learned(slot, kind);
        rule.left = beside_left(&here.iter().map(Sighting::before).collect::<Vec<_>>());
        rule.right = beside_right(&here.iter().map(Sighting::after).collect::<Vec<_>>());
        let values: Vec<&str> = here.iter().flat_map(|s| [s.first(), s.second()]).collect();
        let mut shape = ValueShape::of(&values);
        // Between brackets or after `sid=` a plain word is an id too.
        let is_marked = is_meant(&rule.left.text) && rule.left.is_all;
        shape.is_mixed &= !is_marked;
        // Where page names have that shape too, only one place for all of them is proof; many small ones are chance.
        if shape.is_like_names() && !is_marked && here.len() < total {
            continue;
        }
        rule.shape = Some(shape);
        let Some(covered) = check(&mut rule, &here, probes) else {
            continue;
        };
        if !covered.is_empty() && best.as_ref().is_none_or(|(count, ..)| covered.len() > *count) {
            best = Some((covered.len(), rule, covered));
        }
    }
    best.map(|(_, rule, covered)| (rule, covered))
}

/// What the rule takes of the sightings, or `None` if it takes too much else.
fn check(rule: &mut UrlRule, here: &[Sighting<'_>], probes: &Probes<'_>) -> Option<Covered> {
    let firsts: HashSet<&str> = here.iter().map(Sighting::first).collect();
    let seconds: HashSet<&str> = here.iter().map(Sighting::second).collect();
    let mut matches = 0;
    let mut wrong: HashSet<String> = HashSet::new();
    let mut wrong_count = 0;
    let mut pages = vec![(probes.first, &firsts), (probes.second, &seconds)];
    if let Some(again) = probes.again
        && rule.kind == RuleKind::Session
    {
        pages.push((again, &firsts));
    }
    for (page, expected) in pages {
        for piece in page.links.iter().flat_map(|link| &link.pieces) {
            let Some((_, id)) = rule.find_in(piece) else {
                continue;
            };
            matches += 1;
            if !expected.contains(id) {
                wrong_count += 1;
                wrong.insert(id.to_owned());
            }
        }
    }
    // A fifth of constants is what the table allows for a volatile slot.
    if wrong_count * 5 > matches || wrong.len() > EXCEPT_MAX {
        return None;
    }
    if rule.kind == RuleKind::Session {
        rule.except = wrong.into_iter().collect();
        rule.except.sort();
    }
    let covered = here.iter().filter(|s| {
        rule.find_in(s.observation.first)
            .is_some_and(|(_, id)| id == s.first())
            && rule
                .find_in(s.observation.second)
                .is_some_and(|(_, id)| id == s.second())
    });
    Some(covered.map(|s| std::ptr::from_ref(s.observation.first)).collect())
}

/// The ways to say where these stand, the most telling first.
fn places(outer: Option<&Slot>, sightings: &[Sighting<'_>]) -> Vec<Slot> {
    let mut inner: Vec<Slot> = Vec::new();
    let mut add = |slot: Slot| {
        if !inner.contains(&slot) {
            inner.push(slot);
        }
    };
    let segments: Vec<(usize, usize, Option<&str>)> = sightings
        .iter()
        .filter_map(|s| match s.observation.first.leaf() {
            UrlStep::Segment {
                index,
                count,
                previous,
            } => Some((*index, *count, previous.as_deref())),
            _ => None,
        })
        .collect();
    for (_, _, previous) in &segments {
        if let Some(previous) = previous {
            let pattern = previous.find('=').map_or(*previous, |at| &previous[..=at]);
            add(Slot::Path(Position::After(pattern.to_owned())));
        }
    }
    if !segments.is_empty() {
        add(Slot::Path(Position::First));
        add(Slot::Path(Position::Last));
    }
    for (index, count, _) in &segments {
        add(Slot::Path(Position::FromLeft(*index)));
        add(Slot::Path(Position::FromRight(count - 1 - index)));
    }
    if !segments.is_empty() {
        add(Slot::Path(Position::Any));
    }
    for sighting in sightings {
        match sighting.observation.first.leaf() {
            UrlStep::Segment { .. } => {}
            other => add(slot_of(std::slice::from_ref(other))),
        }
    }
    let nested = |inner: Slot| match outer {
        Some(outer) => Slot::Nested {
            outer: Box::new(outer.clone()),
            inner: Box::new(inner),
        },
        None => inner,
    };
    inner.into_iter().map(nested).collect()
}

/// Sightings that share no value: a nonce in the path, or nothing at all.
fn one_value_each(
    outer: Option<&Slot>,
    sightings: &[Sighting<'_>],
    observed: &[Observation<'_>],
    probes: &Probes<'_>,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    for slot in places(outer, sightings) {
        if matches!(slot, Slot::Path(Position::Any)) {
            continue;
        }
        let here: Vec<Sighting<'_>> = sightings
            .iter()
            .filter(|s| slot.holds(&s.observation.first.steps))
            .copied()
            .collect();
        let here = if here.len() == 1 { given_back(&here) } else { here };
        let shape = ValueShape::of(
            &here
                .iter()
                .flat_map(|s| [s.first(), s.second()])
                .collect::<Vec<_>>(),
        );
        let same = observed
            .iter()
            .filter(|o| !o.differs() && slot.holds(&o.first.steps));
        let same = same
            .filter(|o| shape.fits(o.values().0))
            .map(|o| (o.values().0, o.values().1, None));
        let counted = tally(
            here.iter()
                .map(|s| (s.first(), s.second(), s.observation.is_same_again))
                .chain(same),
        );
        let (kind, needs_test) = match judge(&counted) {
            Verdict::Proven(kind) => (kind, false),
            Verdict::NeedsContentTest(kind) => (kind, true),
            Verdict::Constant | Verdict::Undecided => continue,
        };
        let mut rule = UrlRule::learned(slot, kind);
        rule.left = beside_left(&here.iter().map(Sighting::before).collect::<Vec<_>>());
        rule.right = beside_right(&here.iter().map(Sighting::after).collect::<Vec<_>>());
        rule.shape = Some(shape);
        let is_safe = check(&mut rule, &here, probes).is_some_and(|covered| covered.len() == here.len());
        if is_safe && here.len() == sightings.len() {
            found.push(candidate(rule, needs_test, &counted, &here));
            break;
        }
    }
    found
}
