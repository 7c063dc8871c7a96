//! Which document does a URL mean, and how is it asked for? (B4, A9)
//!
//! In: the rules of a site and a URL. Out: its identity (the URL with every volatile part written `{sid}`), the key made
//! from that, and the form in which it is requested. The form for identity is never requested and the form for requests
//! is never compared; that is the whole trick.

use std::collections::BTreeMap;
use std::ops::Range;

use gleaner_model::Url;
use serde::{Deserialize, Serialize};

use super::names;
use super::rule::{RuleKind, RuleOrigin, UrlRule};
use super::slots::{Slot, UrlPiece, UrlStep};

/// What stands in the identity where the id stood.
pub const MASK: &str = "{sid}";

/// What cookies do for this site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cookies {
    #[default]
    Untried,
    /// With cookies returned, links carry no ids: crawl so.
    Suffice,
    /// Links carry ids all the same.
    DoNotHelp,
}

/// All that was learned or told about the URLs of one site.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UrlRules {
    /// The registrable domain, or the host.
    pub site: String,
    pub rules: Vec<UrlRule>,
    /// The order of parameters was seen to vary, so it means nothing here.
    pub is_order_free: bool,
    pub cookies: Cookies,
    /// Requests that learning cost.
    pub requests: u32,
}

/// The values that the ids have now, one for each slot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LiveValues {
    pub values: Vec<(Slot, String)>,
}

/// One line of an explanation: what a rule found in a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    pub slot: String,
    pub value: String,
    pub kind: RuleKind,
    pub is_droppable: bool,
    pub evidence: String,
}

impl UrlRules {
    pub fn new(site: &str) -> UrlRules {
        UrlRules {
            site: site.to_owned(),
            ..UrlRules::default()
        }
    }

    fn active(&self) -> impl Iterator<Item = &UrlRule> {
        self.rules.iter().filter(|rule| rule.is_on)
    }

    /// The pieces of a URL, with ids taken out of the names of its parameters.
    fn pieces(&self, url: &str) -> Vec<UrlPiece> {
        names::split(url, self.active())
    }

    /// Whether every address is its own identity.
    pub fn says_nothing(&self) -> bool {
        !self.is_order_free && self.active().next().is_none()
    }

    /// The form that is the identity: the same in every session, different for different pages.
    pub fn mask(&self, url: &Url) -> String {
        self.mask_text(url.as_str())
    }

    /// Like [`UrlRules::mask`], for text that has the form of a URL, such as an identity made before.
    pub fn mask_text(&self, url: &str) -> String {
        let mut masked = url.to_owned();
        if self.active().next().is_some() {
            let pieces = self.pieces(url);
            let mut ids: Vec<Found<'_>> = self.found(&pieces, url);
            ids.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
            let mut covered = 0;
            ids.retain(|found| {
                let is_new = found.range.start >= covered;
                covered = covered.max(found.range.end);
                is_new
            });
            for found in ids.into_iter().rev() {
                masked.replace_range(found.range.clone(), found.mask());
            }
        }
        if self.is_order_free {
            sorted(&masked)
        } else {
            masked
        }
    }

    /// The identity of a page under an address that has the id or not: parameters that are ids are left out whole, and
    /// other ids masked, unless the site itself leads from addresses without them to those with them. The front page that
    /// hands out ids is then the one that it links to.
    pub fn identity(&self, url: &Url) -> String {
        let mut text = url.as_str().to_owned();
        let may_lack = |rule: &UrlRule| {
            rule.may_lack || rule.is_name() || matches!(rule.slot, Slot::Query { .. } | Slot::Matrix { .. })
        };
        while let Some(range) = self.removable_in(&text, may_lack) {
            text.replace_range(range, "");
        }
        self.mask_text(&text)
    }

    /// The site led from the address `from`, which has no id, to `to`: if nothing but the ids was added, addresses mean the
    /// same without them.
    pub fn know_led(&mut self, from: &Url, to: &Url) {
        if self.bare(to) == from.as_str() {
            for rule in &mut self.rules {
                rule.may_lack |= matches!(rule.slot, Slot::Path(_));
            }
        }
    }

    /// The address without anything volatile, wherever it stands. For comparing what pages link to: a link is the same with
    /// an id in its path and without.
    pub fn bare(&self, url: &Url) -> String {
        self.bare_text(url.as_str())
    }

    pub(super) fn bare_text(&self, url: &str) -> String {
        let mut text = url.to_owned();
        while let Some(range) = self.removable_in(&text, |_| true) {
            text.replace_range(range, "");
        }
        self.mask_text(&text)
    }

    /// 128 bits of BLAKE3 over site and identity.
    pub fn key(&self, url: &Url) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.site.as_bytes());
        hasher.update(&[0]);
        hasher.update(self.mask(url).as_bytes());
        let mut key = [0; 16];
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        key
    }

    /// The form to ask for: without ids that may be left out, with the live value of those that may not.
    pub fn request_form(&self, url: &Url, live: &LiveValues) -> Url {
        let mut text = url.as_str().to_owned();
        // Dropping one piece moves all others, so each is dropped by itself; every round makes the text shorter.
        while let Some(range) = self.removable_in(&text, |rule| rule.is_droppable) {
            text.replace_range(range, "");
        }
        let pieces = self.pieces(&text);
        let mut fresh: Vec<(Range<usize>, String)> = Vec::new();
        for found in self.found(&pieces, &text) {
            let is_of = |value: &str| !found.rule.is_name() || found.rule.find_in_name(value).is_some();
            let live = (live.values.iter()).find(|(slot, value)| *slot == found.rule.slot && is_of(value));
            if let Some((_, value)) = live
                && found.value != value
                && fresh
                    .iter()
                    .all(|(range, _)| range.end <= found.range.start || found.range.end <= range.start)
            {
                let depth = found.piece.steps.len() - 1;
                fresh.push((found.range, escaped(value, depth)));
            }
        }
        fresh.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        for (range, value) in fresh {
            text.replace_range(range, &value);
        }
        Url::parse(&text).unwrap_or_else(|_| url.clone())
    }

    fn removable_in(&self, text: &str, is_meant: impl Fn(&UrlRule) -> bool) -> Option<Range<usize>> {
        let pieces = self.pieces(text);
        self.found(&pieces, text)
            .into_iter()
            .find(|found| is_meant(found.rule) && is_removable(found))
            .map(|found| found.piece.whole.clone())
            .filter(|range| !range.is_empty())
    }

    /// The ids of the session that these links belong to: in each slot the commonest value.
    pub fn live_values<'u>(&self, links: impl IntoIterator<Item = &'u Url>) -> LiveValues {
        let mut counts: Vec<BTreeMap<String, usize>> = vec![BTreeMap::default(); self.rules.len()];
        for url in links {
            let pieces = self.pieces(url.as_str());
            for found in self.found(&pieces, url.as_str()) {
                if matches!(found.rule.kind, RuleKind::Session | RuleKind::Clock) {
                    *counts[found.number].entry(found.value.to_owned()).or_default() += 1;
                }
            }
        }
        let commonest = counts.into_iter().zip(&self.rules).filter_map(|(counts, rule)| {
            let (value, _) = counts.into_iter().max_by_key(|(_, count)| *count)?;
            Some((rule.slot.clone(), value))
        });
        LiveValues {
            values: commonest.collect(),
        }
    }

    /// What the rules see in a URL, for people who ask why.
    pub fn explain(&self, url: &Url) -> Vec<Explained> {
        let pieces = self.pieces(url.as_str());
        self.found(&pieces, url.as_str())
            .into_iter()
            .map(|found| Explained {
                slot: found.rule.slot.to_string(),
                value: found.value.to_owned(),
                kind: found.rule.kind,
                is_droppable: found.rule.is_droppable,
                evidence: found.rule.evidence.clone(),
            })
            .collect()
    }

    /// The ids in a URL. That of a name comes with its name and alone: pages may show both.
    pub(super) fn ids(&self, url: &Url) -> Vec<(RuleKind, String)> {
        let pieces = self.pieces(url.as_str());
        let mut ids = Vec::new();
        for found in self.found(&pieces, url.as_str()) {
            if found.rule.is_name() {
                ids.extend(
                    found
                        .rule
                        .find_in_name(found.value)
                        .map(|id| (found.rule.kind, id.to_owned())),
                );
            }
            ids.push((found.rule.kind, found.value.to_owned()));
        }
        ids
    }

    pub fn add(&mut self, rule: UrlRule) {
        self.rules
            .retain(|other| other.slot != rule.slot || other.left != rule.left);
        self.rules.push(rule);
    }

    /// Adds what a further look at the site taught. What a person said stays; of two findings about one place the one that
    /// more links bear out stands, because a page with few links proves little about a site that was understood before.
    pub fn learn(&mut self, rule: UrlRule) {
        let same = |other: &&mut UrlRule| other.slot == rule.slot && other.left == rule.left;
        let Some(known) = self.rules.iter_mut().find(same) else {
            self.rules.push(rule);
            return;
        };
        if known.origin == RuleOrigin::User {
            return;
        }
        let shape = match (&known.shape, &rule.shape) {
            (Some(one), Some(other)) => Some(one.with(other)),
            _ if rule.support < known.support => known.shape.clone(),
            _ => rule.shape.clone(),
        };
        let (may_lack, is_on) = (known.may_lack || rule.may_lack, known.is_on);
        if rule.support >= known.support {
            *known = rule;
        }
        (known.shape, known.may_lack, known.is_on) = (shape, may_lack, is_on);
    }

    /// Removes the rules of a slot; tells how many there were.
    pub fn forget(&mut self, slot: &Slot) -> usize {
        let before = self.rules.len();
        self.rules.retain(|rule| rule.slot != *slot);
        before - self.rules.len()
    }

    /// Turns the rules of a slot on or off; tells how many there are.
    pub fn switch(&mut self, slot: &Slot, is_on: bool) -> usize {
        let mut count = 0;
        for rule in self.rules.iter_mut().filter(|rule| rule.slot == *slot) {
            rule.is_on = is_on;
            count += 1;
        }
        count
    }

    /// The ids in the pieces of a URL. That of a name is the whole name: it stands so in pages.
    fn found<'a>(&'a self, pieces: &'a [UrlPiece], url: &'a str) -> Vec<Found<'a>> {
        let mut all = Vec::new();
        for piece in pieces {
            for (number, rule) in self.rules.iter().enumerate().filter(|(_, rule)| rule.is_on) {
                let found = if rule.is_name() {
                    names::find(rule, piece).map(|name| (piece.name.clone(), name))
                } else {
                    rule.find(piece, url)
                };
                all.extend(found.map(|(range, value)| Found {
                    number,
                    rule,
                    piece,
                    range,
                    value,
                }));
            }
        }
        all
    }
}

struct Found<'a> {
    number: usize,
    rule: &'a UrlRule,
    piece: &'a UrlPiece,
    range: Range<usize>,
    value: &'a str,
}

impl Found<'_> {
    /// What stands in the identity in its place.
    fn mask(&self) -> &str {
        match (self.rule.is_name(), self.piece.leaf()) {
            (true, UrlStep::Query { name, .. } | UrlStep::Matrix { name, .. }) => name,
            _ => MASK,
        }
    }
}

/// Dropping takes the whole piece, so nothing but the id may be in it. A host label is part of an address.
fn is_removable(found: &Found<'_>) -> bool {
    if found.rule.is_name() {
        return found.rule.value.as_deref() == Some(found.piece.value.as_str());
    }
    (found.rule.left.is_all && found.rule.right.is_all) && !matches!(found.rule.slot, Slot::Host(_))
}

/// Parameters in the order of their names; those of one name keep theirs.
fn sorted(url: &str) -> String {
    let Some((before, query)) = url.split_once('?') else {
        return url.to_owned();
    };
    let mut parameters: Vec<&str> = query.split('&').collect();
    parameters.sort_by_key(|parameter| parameter.split('=').next().unwrap_or(""));
    format!("{before}?{}", parameters.join("&"))
}

/// A value for a place `depth` URLs deep: escaped once for each.
fn escaped(value: &str, depth: usize) -> String {
    let mut text = value.to_owned();
    for _ in 0..depth {
        text = super::clean::percent_escaped(&text);
    }
    text
}
