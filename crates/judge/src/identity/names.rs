//! Which parameters carry an id in their name? (`ASPSESSIONIDQABC=…`, `sid_9f0c=1`)
//!
//! In: two sessions' views of one page. Out: candidates for rules on names, and the pages with the ids taken out of the
//! names, so that everything else is learned as on a site whose names stand still. Only names that one session has and the
//! other has not come into question: on most sites there are none.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::align::{Page, align};
use super::named::{Candidate, Seen, evidence, tally};
use super::rule::{Beside, RuleKind, UrlRule};
use super::rules::MASK;
use super::shape::ValueShape;
use super::slots::{Slot, UrlPiece, UrlStep};
use super::split::split as split_url;
use super::verdict::{Verdict, judge};

/// Characters that two random ids share by chance at their beginning, at most.
const CHANCE: usize = 2;
/// A beginning that is shortened keeps so many characters.
const LEFT_MIN: usize = 3;
/// Links of two sessions that carry a name which only one session knows, where they are not the same links.
const LINKS_MIN: usize = 5;
/// Stands for a name that the other session does not have. No name can hold it.
const UNKNOWN: &str = "\u{0}";

/// The pieces of a URL; a name that holds an id is written with [`MASK`] in its place.
pub(super) fn split<'r>(url: &str, rules: impl Iterator<Item = &'r UrlRule>) -> Vec<UrlPiece> {
    let mut pieces = split_url(url);
    let rules: Vec<&UrlRule> = rules.filter(|rule| rule.is_name()).collect();
    if !rules.is_empty() {
        for piece in &mut pieces {
            settle(piece, &rules);
        }
    }
    pieces
}

fn settle(piece: &mut UrlPiece, rules: &[&UrlRule]) {
    let last = piece.steps.len() - 1;
    for (depth, step) in piece.steps.iter_mut().enumerate() {
        let Some(rule) = rules.iter().find(|rule| is_in(rule, step)) else {
            continue;
        };
        let (UrlStep::Query { name, .. } | UrlStep::Matrix { name, .. }) = step else {
            continue;
        };
        let known = format!("{}{MASK}{}", rule.left.text, rule.right.text);
        let spelled = std::mem::replace(name, known);
        if depth == last {
            piece.spelled = Some(spelled);
        }
    }
}

fn is_in(rule: &UrlRule, step: &UrlStep) -> bool {
    match (&rule.slot, step) {
        (Slot::QueryName, UrlStep::Query { name, .. }) | (Slot::MatrixName, UrlStep::Matrix { name, .. }) => {
            rule.find_in_name(name).is_some()
        }
        _ => false,
    }
}

/// ASP writes the mark of its process into the name of the parameter, so that the name stands still until the server is
/// started again. Two sessions cannot show that; the name alone is known.
const OF_PROCESS: &str = "ASPSESSIONID";
const PROCESS_BYTES: usize = 8;

/// Adds rules for names that are known to hold a mark beside the id in the value.
pub(super) fn add_known(candidates: &mut Vec<Candidate>) {
    let mut found = Vec::new();
    for candidate in candidates
        .iter_mut()
        .filter(|one| !one.needs_test && one.rule.is_whole())
    {
        let Slot::Query { name, .. } = &mut candidate.rule.slot else {
            continue;
        };
        let is_mark =
            |mark: &str| mark.len() == PROCESS_BYTES && mark.bytes().all(|b| b.is_ascii_uppercase());
        let Some(mark) = name.strip_prefix(OF_PROCESS).filter(|mark| is_mark(mark)) else {
            continue;
        };
        let mut rule = UrlRule::learned(Slot::QueryName, candidate.rule.kind);
        rule.left = Beside {
            text: OF_PROCESS.to_owned(),
            is_all: true,
        };
        let mut shape = ValueShape::of(&[mark]);
        (shape.length_min, shape.length_max) = (PROCESS_BYTES, PROCESS_BYTES);
        rule.shape = Some(shape);
        rule.support = candidate.rule.support;
        rule.evidence += "the mark of the server's process, as ASP writes it into the name";
        let spelled = std::mem::replace(name, format!("{OF_PROCESS}{MASK}"));
        let seen = candidate.seen.iter().map(|seen| Seen {
            link: seen.link,
            first: spelled.clone(),
            second: spelled.clone(),
        });
        found.push(Candidate {
            seen: seen.collect(),
            needs_test: false,
            rule,
        });
    }
    candidates.extend(found);
}

/// The name of a piece of [`split`], if the rule finds an id in it.
pub(super) fn find<'p>(rule: &UrlRule, piece: &'p UrlPiece) -> Option<&'p str> {
    let spelled = piece.spelled.as_deref()?;
    let is_place = matches!(
        (&rule.slot, piece.leaf()),
        (Slot::QueryName, UrlStep::Query { .. }) | (Slot::MatrixName, UrlStep::Matrix { .. })
    );
    (is_place && rule.find_in_name(spelled).is_some()).then_some(spelled)
}

/// The probes of one page.
pub(super) struct Pages {
    pub(super) first: Page,
    pub(super) second: Page,
    pub(super) again: Option<Page>,
}

/// Rules on names, and the pages under them; none where all names stand still.
pub(super) fn candidates(
    first: &Page,
    second: &Page,
    again: Option<&Page>,
) -> Option<(Vec<Candidate>, Pages)> {
    let mut found = Vec::new();
    for slot in [Slot::QueryName, Slot::MatrixName] {
        found.extend(of_slot(&slot, first, second, again));
    }
    if found.is_empty() {
        return None;
    }
    let rules: Vec<&UrlRule> = found.iter().map(|candidate| &candidate.rule).collect();
    let known = |page: &Page| page.with_pieces(|piece| settle(piece, &rules));
    let pages = Pages {
        first: known(first),
        second: known(second),
        again: again.map(known),
    };
    Some((found, pages))
}

/// A parameter whose name only this session knows, as it stands on a link.
struct Unknown<'p> {
    name: &'p str,
    value: &'p str,
}

fn of_slot(slot: &Slot, first: &Page, second: &Page, again: Option<&Page>) -> Vec<Candidate> {
    let (here, there) = (names_of(slot, first), names_of(slot, second));
    let only = |these: &HashSet<&str>, those: &HashSet<&str>| -> HashSet<String> {
        let only = these
            .iter()
            .filter(|name| !those.contains(**name) && name.is_ascii());
        only.map(|name| (*name).to_owned()).collect()
    };
    let (only_here, only_there) = (only(&here, &there), only(&there, &here));
    if only_here.is_empty() || only_there.is_empty() {
        return Vec::new();
    }
    let blotted = |page: &Page, names: &HashSet<String>| {
        page.with_pieces(|piece| {
            if let Some(name) = name_in(slot, piece).filter(|name| names.contains(*name)) {
                piece.spelled = Some(name.to_owned());
                if let Some(UrlStep::Query { name, nth } | UrlStep::Matrix { name, nth }) =
                    piece.steps.last_mut()
                {
                    (*name, *nth) = (UNKNOWN.to_owned(), 0);
                }
            }
        })
    };
    let (a, b) = (blotted(first, &only_here), blotted(second, &only_there));
    // In the third probe whatever the second does not have is unknown.
    let c = again.map(|page| blotted(page, &only(&names_of(slot, page), &there)));
    let again_pairs: HashMap<usize, usize> = (c.as_ref())
        .map(|page| align(&a, page))
        .into_iter()
        .flatten()
        .collect();
    let mut by_pair: BTreeMap<(&str, &str), Vec<Sighting<'_>>> = BTreeMap::new();
    for (i, j) in align(&a, &b) {
        let (ours, theirs) = (unknowns(&a, i), unknowns(&b, j));
        if ours.len() != theirs.len() {
            continue;
        }
        let later = c
            .as_ref()
            .and_then(|page| again_pairs.get(&i).map(|k| unknowns(page, *k)));
        for (at, (one, other)) in ours.iter().zip(&theirs).enumerate() {
            let again = later
                .as_ref()
                .map(|later| later.get(at).is_some_and(|it| it.name == one.name));
            by_pair.entry((one.name, other.name)).or_default().push(Sighting {
                link: i,
                values: (one.value, other.value),
                again,
            });
        }
    }
    let constants: HashSet<&str> = here
        .iter()
        .chain(&there)
        .copied()
        .filter(|name| !only_here.contains(*name) && !only_there.contains(*name))
        .collect();
    let (many, lone): (Vec<_>, Vec<_>) = by_pair.into_iter().partition(|(_, seen)| seen.len() > 1);
    let mut found = Vec::new();
    for (pair, sightings) in many {
        found.extend(candidate(slot, &vec![(pair, sightings)], &constants));
    }
    if lone.len() > 1 {
        found.extend(candidate(slot, &lone, &constants));
    }
    if found.is_empty() {
        found.extend(one_name(slot, &a, &b, &constants));
    }
    found
}

/// Each session has one name that the other does not know, on several links: one id, whichever links carry it.
fn one_name(slot: &Slot, first: &Page, second: &Page, constants: &HashSet<&str>) -> Option<Candidate> {
    let carried = |page: &'_ Page| -> Vec<(usize, String, String)> {
        let links = 0..page.links.len();
        links
            .flat_map(|link| unknowns(page, link).into_iter().map(move |it| (link, it)))
            .map(|(link, it)| (link, it.name.to_owned(), it.value.to_owned()))
            .collect()
    };
    let (ours, theirs) = (carried(first), carried(second));
    let is_one = |all: &[(usize, String, String)]| all.len() > 1 && all.iter().all(|one| one.1 == all[0].1);
    if !is_one(&ours) || !is_one(&theirs) || ours.len() + theirs.len() < LINKS_MIN {
        return None;
    }
    let sightings = ours.iter().map(|(link, _, value)| Sighting {
        link: *link,
        values: (value.as_str(), theirs[0].2.as_str()),
        again: None,
    });
    let pair = (ours[0].1.as_str(), theirs[0].1.as_str());
    let mut found = candidate(slot, &vec![(pair, sightings.collect())], constants)?;
    // Without what the names share this may be two parameters of two kinds of links.
    let is_shared = found.rule.left.text.len() >= LEFT_MIN;
    let values: HashSet<&str> = ours.iter().chain(&theirs).map(|one| one.2.as_str()).collect();
    found.rule.value = (values.len() == 1).then(|| ours[0].2.clone());
    is_shared.then_some(found)
}

struct Sighting<'p> {
    link: usize,
    values: (&'p str, &'p str),
    again: Option<bool>,
}

type Pairs<'p> = Vec<((&'p str, &'p str), Vec<Sighting<'p>>)>;

fn candidate(slot: &Slot, pairs: &Pairs<'_>, constants: &HashSet<&str>) -> Option<Candidate> {
    let all: Vec<(&str, &str, &Sighting<'_>)> = pairs
        .iter()
        .flat_map(|((first, second), seen)| seen.iter().map(|one| (*first, *second, one)))
        .collect();
    let counted = tally(
        all.iter()
            .map(|(first, second, one)| (*first, *second, one.again)),
    );
    let Verdict::Proven(kind) = judge(&counted) else {
        return None;
    };
    let names: Vec<&str> = pairs
        .iter()
        .flat_map(|((first, second), _)| [*first, *second])
        .collect();
    let mut rule = rule_for(slot, kind, &names, constants)?;
    rule.support = counted.differing;
    rule.evidence = evidence(kind, &counted);
    let mut values = all.iter().flat_map(|(.., one)| [one.values.0, one.values.1]);
    let value = values.next().filter(|value| values.all(|other| other == *value));
    rule.value = value.map(str::to_owned);
    let seen = all.iter().map(|(first, second, one)| Seen {
        link: one.link,
        first: (*first).to_owned(),
        second: (*second).to_owned(),
    });
    Some(Candidate {
        needs_test: false,
        seen: seen.collect(),
        rule,
    })
}

/// What the names have in common is the name; it must not be that of a parameter that stands still.
fn rule_for(slot: &Slot, kind: RuleKind, names: &[&str], constants: &HashSet<&str>) -> Option<UrlRule> {
    let first = names.first()?;
    let left = common(
        names,
        first.len(),
        |name, at| &name[..at],
        |name, text| name.starts_with(text),
    );
    let shortest = names.iter().map(|name| name.len()).min()?;
    let right = common(
        names,
        shortest - left.min(shortest),
        |name, at| &name[name.len() - at..],
        |name, text| name.ends_with(text),
    );
    let is_sign = |c: char| !c.is_ascii_alphanumeric();
    // A sign ends the name proper. Without one, two ids may begin alike by chance.
    let left = match first[..left].rfind(is_sign) {
        Some(at) => vec![at + 1],
        None if first[..left].starts_with(OF_PROCESS) => vec![OF_PROCESS.len()],
        None => vec![left.saturating_sub(CHANCE).max(LEFT_MIN.min(left)), left],
    };
    let right = &first[first.len() - right..];
    let right = right.find(is_sign).map_or("", |at| &right[at..]);
    left.into_iter().find_map(|left| {
        let mut rule = UrlRule::learned(slot.clone(), kind);
        rule.left = Beside {
            text: first[..left].to_owned(),
            is_all: true,
        };
        rule.right = Beside {
            text: right.to_owned(),
            is_all: true,
        };
        let ids = names.iter().map(|name| name.get(left..name.len() - right.len()));
        let ids: Option<Vec<&str>> = ids.map(|id| id.filter(|id| !id.is_empty())).collect();
        rule.shape = Some(ValueShape::of(&ids?));
        let is_safe = !constants.iter().any(|name| rule.find_in_name(name).is_some());
        (is_safe && names.iter().all(|name| rule.find_in_name(name).is_some())).then_some(rule)
    })
}

/// The longest part, `most` bytes at most, that all names have.
fn common<'n>(
    names: &[&'n str],
    most: usize,
    part: impl Fn(&'n str, usize) -> &'n str,
    has: impl Fn(&str, &str) -> bool,
) -> usize {
    (0..=most)
        .rev()
        .find(|length| {
            let text = part(names[0], *length);
            names.iter().all(|name| has(name, text))
        })
        .unwrap_or(0)
}

fn names_of<'p>(slot: &Slot, page: &'p Page) -> HashSet<&'p str> {
    let pieces = page.links.iter().flat_map(|link| &link.pieces);
    pieces.filter_map(|piece| name_in(slot, piece)).collect()
}

/// The name of a parameter of the URL itself.
fn name_in<'p>(slot: &Slot, piece: &'p UrlPiece) -> Option<&'p str> {
    match (slot, piece.steps.as_slice()) {
        (Slot::QueryName, [UrlStep::Query { name, .. }])
        | (Slot::MatrixName, [UrlStep::Matrix { name, .. }]) => {
            Some(name.as_str()).filter(|name| !name.is_empty())
        }
        _ => None,
    }
}

fn unknowns(page: &Page, link: usize) -> Vec<Unknown<'_>> {
    let pieces = page.links[link].pieces.iter();
    pieces
        .filter(|piece| matches!(piece.leaf(), UrlStep::Query { name, .. } | UrlStep::Matrix { name, .. } if name == UNKNOWN))
        .filter_map(|piece| {
            Some(Unknown {
                name: piece.spelled_name()?,
                value: &piece.value,
            })
        })
        .collect()
}
