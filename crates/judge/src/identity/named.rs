//! Which named slots are volatile?
//!
//! In: observations. Out: candidates for rules on parameters, judged by the table of [`super::verdict`] over all links
//! that have the slot. Where only some differ, those that look like the differing ones are judged alone (`id=7` is a
//! story, `id=9f0c…` the session). Where the values have one differing part in common, that part is the id.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::align::is_token_char;
use super::observe::{Observation, trim};
use super::rule::{Beside, RuleKind, UrlRule};
use super::shape::ValueShape;
use super::slots::{Slot, UrlPiece};
use super::verdict::{Tally, Verdict, judge};

/// A rule before it is proven safe.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) rule: UrlRule,
    pub(super) needs_test: bool,
    /// Links of the first probe that carry it, with the values of both sessions.
    pub(super) seen: Vec<Seen>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Seen {
    pub(super) link: usize,
    pub(super) first: String,
    pub(super) second: String,
}

impl Candidate {
    /// The one pair of values, for ids that have one per session.
    pub(super) fn pair(&self) -> Option<(&str, &str)> {
        let seen = self.seen.first()?;
        matches!(self.rule.kind, RuleKind::Session | RuleKind::Clock)
            .then_some((seen.first.as_str(), seen.second.as_str()))
    }
}

pub(super) fn tally<'v>(seen: impl Iterator<Item = (&'v str, &'v str, Option<bool>)>) -> Tally {
    let mut tally = Tally::default();
    let mut pairs: HashMap<(&str, &str), usize> = HashMap::new();
    for (first, second, is_same_again) in seen {
        tally.links += 1;
        if first == second {
            continue;
        }
        tally.differing += 1;
        *pairs.entry((first, second)).or_default() += 1;
        tally.seen_again += usize::from(is_same_again.is_some());
        tally.same_again += usize::from(is_same_again == Some(true));
    }
    tally.commonest = pairs.values().copied().max().unwrap_or(0);
    tally.distinct = pairs.keys().map(|pair| pair.0).collect::<HashSet<_>>().len();
    tally
}

/// Pairs of values that are known to be one id in two sessions.
pub(super) type Proven = HashSet<(String, String)>;

pub(super) fn candidates(observed: &[Observation<'_>], proven: &Proven) -> Vec<Candidate> {
    // Most slots of most links differ nowhere; only those that do somewhere get a name.
    let mut differing: Vec<&UrlPiece> = Vec::new();
    for observation in observed.iter().filter(|o| o.first.is_named() && o.differs()) {
        if !differing.iter().any(|piece| piece.stands_as(observation.first)) {
            differing.push(observation.first);
        }
    }
    let mut by_slot: BTreeMap<Slot, Vec<Observation<'_>>> = BTreeMap::new();
    for observation in observed.iter().filter(|o| o.first.is_named()) {
        if differing.iter().any(|piece| piece.stands_as(observation.first)) {
            by_slot
                .entry(observation.first.slot())
                .or_default()
                .push(*observation);
        }
    }
    by_slot
        .into_iter()
        .filter(|(_, all)| all.iter().any(Observation::differs))
        .filter_map(|(slot, all)| {
            whole_value(&slot, &all, proven).or_else(|| like_the_differing(&slot, &all, proven))
        })
        .collect()
}

/// The slot as it is: all its values count.
fn whole_value(slot: &Slot, all: &[Observation<'_>], proven: &Proven) -> Option<Candidate> {
    let counted = tally(
        all.iter()
            .map(|o| (o.first.value.as_str(), o.second.value.as_str(), o.is_same_again)),
    );
    let verdict = judge(&counted);
    if let Verdict::NeedsContentTest(_) = verdict
        && !are_proven(all, proven)
        && let Some(glued) = common_part(slot, all, proven)
    {
        return Some(glued);
    }
    let mut found = candidate(
        UrlRule::learned(slot.clone(), RuleKind::Session),
        verdict,
        &counted,
        all,
    )?;
    found.needs_test &= !are_proven(all, proven);
    Some(found)
}

/// Whatever differs is an id that was proven in another slot.
fn are_proven(all: &[Observation<'_>], proven: &Proven) -> bool {
    all.iter()
        .filter(|o| o.differs())
        .all(|o| proven.contains(&(o.first.value.clone(), o.second.value.clone())))
}

/// Only the values that look like the differing ones.
fn like_the_differing(slot: &Slot, all: &[Observation<'_>], proven: &Proven) -> Option<Candidate> {
    let differing: Vec<Observation<'_>> = all.iter().filter(|o| o.differs()).copied().collect();
    let is_proven = are_proven(&differing, proven);
    if differing.len() < 2 && !is_proven {
        return None;
    }
    let values: Vec<&str> = differing
        .iter()
        .flat_map(|o| [o.values().0, o.values().1])
        .collect();
    let shape = ValueShape::of(&values);
    let fitting: Vec<Observation<'_>> = all
        .iter()
        .filter(|o| shape.fits(o.values().0) && shape.fits(o.values().1))
        .copied()
        .collect();
    let counted = tally(
        fitting
            .iter()
            .map(|o| (o.values().0, o.values().1, o.is_same_again)),
    );
    let mut rule = UrlRule::learned(slot.clone(), RuleKind::Session);
    rule.shape = Some(shape);
    rule.except = constants(&fitting);
    let mut found = candidate(rule, judge(&counted), &counted, &fitting)?;
    found.needs_test &= !is_proven;
    Some(found)
}

fn constants(all: &[Observation<'_>]) -> Vec<String> {
    let same: HashSet<&str> = all
        .iter()
        .filter(|o| !o.differs())
        .map(|o| o.values().0)
        .collect();
    let mut same: Vec<String> = same.into_iter().map(str::to_owned).collect();
    same.sort();
    same
}

fn candidate(
    mut rule: UrlRule,
    verdict: Verdict,
    counted: &Tally,
    all: &[Observation<'_>],
) -> Option<Candidate> {
    let (kind, needs_test) = match verdict {
        Verdict::Proven(kind) => (kind, false),
        Verdict::NeedsContentTest(kind) => (kind, true),
        Verdict::Constant | Verdict::Undecided => return None,
    };
    rule.kind = kind;
    rule.support = counted.differing;
    rule.evidence = evidence(kind, counted);
    let seen = all.iter().filter(|o| o.differs()).map(|o| Seen {
        link: o.link,
        first: o.values().0.to_owned(),
        second: o.values().1.to_owned(),
    });
    Some(Candidate {
        rule,
        needs_test,
        seen: seen.collect(),
    })
}

pub(super) fn evidence(kind: RuleKind, counted: &Tally) -> String {
    let again = match (kind, counted.seen_again) {
        (_, 0) => "seen in two sessions only".to_owned(),
        (_, seen) => format!(
            "the same again inside one session on {} of {seen}",
            counted.same_again
        ),
    };
    let how = match kind {
        RuleKind::Session => "one value per session",
        RuleKind::Clock => "one value per fetch",
        RuleKind::Nonce => "a new value on every link",
        RuleKind::Volatile => "values of its own on each link",
    };
    format!(
        "differs between two sessions on {} of {} links that have it: {how}, {again}",
        counted.differing, counted.links
    )
}

/// The differing parts of all values are one pair: the id is glued to something that belongs to the page.
fn common_part(slot: &Slot, all: &[Observation<'_>], proven: &Proven) -> Option<Candidate> {
    let differing: Vec<Observation<'_>> = all.iter().filter(|o| o.differs()).copied().collect();
    let cuts: Vec<(usize, usize)> = differing
        .iter()
        .map(|o| trim(o.values().0, o.values().1))
        .collect();
    let parts: Vec<(&str, &str, Option<bool>)> = differing
        .iter()
        .zip(&cuts)
        .map(|(o, (left, right))| {
            let (a, b) = o.values();
            (
                &a[*left..a.len() - right],
                &b[*left..b.len() - right],
                o.is_same_again,
            )
        })
        .collect();
    let counted = tally(parts.iter().copied());
    let is_proven = parts
        .iter()
        .all(|part| proven.contains(&(part.0.to_owned(), part.1.to_owned())));
    let kind = match judge(&counted) {
        Verdict::Proven(kind @ (RuleKind::Session | RuleKind::Clock)) => kind,
        _ if is_proven => RuleKind::Session,
        _ => return None,
    };
    let lefts: Vec<&str> = differing
        .iter()
        .zip(&cuts)
        .map(|(o, cut)| &o.values().0[..cut.0])
        .collect();
    let rights: Vec<&str> = differing
        .iter()
        .zip(&cuts)
        .map(|(o, cut)| &o.values().0[o.values().0.len() - cut.1..])
        .collect();
    let mut rule = UrlRule::learned(slot.clone(), kind);
    rule.left = beside_left(&lefts);
    rule.right = beside_right(&rights);
    rule.shape = Some(ValueShape::of(
        &parts.iter().flat_map(|part| [part.0, part.1]).collect::<Vec<_>>(),
    ));
    rule.support = counted.differing;
    rule.evidence = evidence(kind, &counted);
    let seen = differing.iter().zip(&parts).map(|(o, part)| Seen {
        link: o.link,
        first: part.0.to_owned(),
        second: part.1.to_owned(),
    });
    Some(Candidate {
        rule,
        needs_test: false,
        seen: seen.collect(),
    })
}

/// What all of these end with.
pub(super) fn beside_left(lefts: &[&str]) -> Beside {
    let Some((first, rest)) = lefts.split_first() else {
        return Beside::nothing();
    };
    if rest.iter().all(|other| other == first) {
        return Beside {
            text: (*first).to_owned(),
            is_all: true,
        };
    }
    let mut from = 0;
    for (at, _) in first.char_indices().chain([(first.len(), ' ')]) {
        from = at;
        if rest.iter().all(|other| other.ends_with(&first[at..])) {
            break;
        }
    }
    // Only whole tokens: what two page names happen to end with says nothing of the third.
    let text = &first[from..];
    let text = &text[text.find(|c| !is_token_char(c)).unwrap_or(text.len())..];
    Beside {
        text: text.to_owned(),
        is_all: false,
    }
}

/// What all of these begin with.
pub(super) fn beside_right(rights: &[&str]) -> Beside {
    let Some((first, rest)) = rights.split_first() else {
        return Beside::nothing();
    };
    if rest.iter().all(|other| other == first) {
        return Beside {
            text: (*first).to_owned(),
            is_all: true,
        };
    }
    let mut to = first.len();
    for (at, _) in first
        .char_indices()
        .chain([(first.len(), ' ')])
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
    {
        to = at;
        if rest.iter().all(|other| other.starts_with(&first[..at])) {
            break;
        }
    }
    let text = &first[..to];
    let text = &text[..text.rfind(|c| !is_token_char(c)).map_or(0, |at| at + 1)];
    Beside {
        text: text.to_owned(),
        is_all: false,
    }
}
