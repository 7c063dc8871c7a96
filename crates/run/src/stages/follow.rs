//! Which links of a page enter the frontier, and why the others do not.

use super::read::Going;
use crate::guidance::Guidance;
use crate::rulebook::Rulebook;
use crate::site_memory::SiteMemory;
use crate::witness::{RuleAt, Sight, tell};
use gleaner_frontier::{Bond, Guess, Holder, Priority, TypeVerdict};
use gleaner_model::project::TypeGroup;
use gleaner_model::{Leg, Link, LinkKind, Reason, Url, UrlKey};
use gleaner_parse::{Parsed, group_of_extension};
use gleaner_store::Outlinks;
use gleaner_store::keep::{Cut, Enqueue};
use gleaner_store::work::{Purpose, Queued};
use std::collections::{BTreeMap, HashMap};
use tracing::trace;

/// By what it is decided about links: what the project says, and what the run remembers of the sites.
#[derive(Clone, Copy)]
pub struct LinkRules<'a> {
    pub rules: &'a Rulebook,
    pub sites: &'a SiteMemory,
    pub guidance: Option<&'a Guidance>,
}

impl LinkRules<'_> {
    /// What is to be said about a link to somebody who watches.
    fn sight(&self, link: &Link, page: &Queued, bond: Bond, is_followed: bool) -> Sight {
        let rules = self.rules;
        let depth = page.depth + 1;
        let (rule, refused) = match &rules.way {
            None => (None, rules.refuses_in(&link.url, link.kind, depth, None, bond)),
            Some(way) => (
                way.rule_for(&page.legs, &link.url),
                way.legs_of_link(rules, &page.legs, &link.url, link.kind, bond).1,
            ),
        };
        let of_project = || {
            let (_, index) = rules.rules.decide(&link.url)?;
            Some(RuleAt { step: None, index })
        };
        Sight::Link {
            page: page.url.clone(),
            url: link.url.clone(),
            refused: refused.filter(|_| !is_followed && link.kind.is_followed()),
            is_followed,
            rule: rule.or_else(of_project),
        }
    }
}

/// What the page's links lead to is no guess any more. Of its guesses: which were asked for, and lead nowhere.
fn look(sites: &SiteMemory, parsed: &Parsed) -> Vec<bool> {
    let seen_as = |url: &Url| sites.identities.without_ids(url);
    let mut traps = sites.traps.lock();
    if traps.guesses.has_waiting() {
        for link in &parsed.links {
            let url = seen_as(&link.url);
            traps.guesses.vouch(url.as_ref().unwrap_or(&link.url));
        }
    }
    let is_vain = |link: &Link| {
        let url = seen_as(&link.url);
        traps.guesses.is_vain(url.as_ref().unwrap_or(&link.url))
    };
    parsed.guesses.iter().map(is_vain).collect()
}

/// The type a link promises: by its extension, else by the place that holds it.
pub fn expected_group(url: &Url, kind: LinkKind) -> Option<TypeGroup> {
    group_of_extension(url.path()).or(match kind {
        LinkKind::Image => Some(TypeGroup::Images),
        LinkKind::Media => Some(TypeGroup::Video),
        LinkKind::Script | LinkKind::Style => Some(TypeGroup::Assets),
        _ => None,
    })
}

/// Links of one page with the decision on each, and what was left out.
#[derive(Default)]
pub struct Follows {
    pub outlinks: Outlinks,
    /// Who names them.
    pub holder: Holder,
    /// Links that a step has chosen on this page.
    pub chosen: HashMap<UrlKey, Vec<Leg>>,
    /// What links of this page promise, where the run looks for something.
    pub scores: HashMap<UrlKey, u16>,
    left_out: BTreeMap<Reason, (u64, String)>,
}

impl Follows {
    /// A link in the page; `may_follow` says whether its target may be taken up, `promised` of which type the page says it is.
    pub fn add(
        &mut self,
        by: LinkRules<'_>,
        link: &Link,
        original: Option<&str>,
        page: &Queued,
        may_follow: bool,
        promised: Option<TypeGroup>,
    ) {
        if let Some(url) = by.sites.other_spelling(&link.url) {
            let link = Link { url, ..link.clone() };
            return self.add(by, &link, original, page, may_follow, promised);
        }
        if may_follow && by.rules.wanted.by_extension(promised) == TypeVerdict::Refuse {
            self.leave_out(by, Reason::UnwantedType, &link.url);
            return self.add(by, link, original, page, false, None);
        }
        if let Some((url, key)) = by.sites.identities.identify(&link.url) {
            // The id in the link is another in each session, so the link is kept without it, and how it was spelled is
            // not kept.
            let link = Link { url, ..link.clone() };
            return self.add_as(by, &link, key, None, page, may_follow);
        }
        self.add_as(by, link, link.url.key(), original, page, may_follow);
    }

    /// Addresses that the page holds without promising them. All of them are kept as such, because the links of a page must not
    /// depend on what was learnt elsewhere; those that lead nowhere, as was learnt, are not asked for. Steps go where they are
    /// told to, and nowhere else.
    pub fn add_guesses(&mut self, by: LinkRules<'_>, parsed: &Parsed, page: &Queued, may_follow: bool) {
        let dead = look(by.sites, parsed);
        let depth = page.depth + 1;
        for (link, is_dead) in parsed.guesses.iter().zip(dead) {
            if link.kind == LinkKind::InScript && !by.rules.script_links {
                continue;
            }
            let url = by
                .sites
                .other_spelling(&link.url)
                .unwrap_or_else(|| link.url.clone());
            let (url, key) = by.sites.identities.identify(&url).unwrap_or_else(|| {
                let key = url.key();
                (url, key)
            });
            let is_taken =
                may_follow && by.rules.way.is_none() && by.rules.refuses(&url, link.kind, depth).is_none();
            // A form of a page that the project has was asked for when the page was new.
            let is_old_form = link.kind == LinkKind::GetForm && page.known.is_some();
            let guess = (is_taken && !is_dead && !is_old_form).then(|| {
                let seen_as = by.sites.identities.without_ids(&url);
                let (seen_as, mut traps) = (seen_as.as_ref().unwrap_or(&url), by.sites.traps.lock());
                let guess = traps.guesses.wants(seen_as);
                if guess == Guess::Never {
                    traps.cut_guess(seen_as);
                }
                guess
            });
            // A string that leads elsewhere is no link; the action of a form is. What was learnt decides only about asking:
            // the links of a page do not depend on it.
            if !is_taken && link.kind != LinkKind::GetForm {
                continue;
            }
            let guess = guess.filter(|guess| matches!(guess, Guess::Probe | Guess::Late));
            let queue = guess.map(|guess| Enqueue {
                purpose: Purpose::Guess,
                ..Enqueue::page(i64::from(Priority::of_guess(depth, guess).0), depth)
            });
            let link = Link { url, ..link.clone() };
            tell(by.rules.witness.as_ref(), || {
                by.sight(&link, page, Bond::Leads, queue.is_some())
            });
            self.outlinks.push_as(&link, key, None, queue);
        }
    }

    fn add_as(
        &mut self,
        by: LinkRules<'_>,
        link: &Link,
        key: UrlKey,
        original: Option<&str>,
        page: &Queued,
        may_follow: bool,
    ) {
        let chosen = if self.chosen.is_empty() {
            Vec::new()
        } else {
            self.chosen.remove(&key).unwrap_or_default()
        };
        let may_follow = may_follow && link.kind.is_followed();
        let queue = self.queue_of(by, link, page, may_follow, chosen);
        trace!(url = %link.url, kind = link.kind.as_str(), is_followed = queue.is_some(), "link");
        tell(by.rules.witness.as_ref(), || {
            let bond = Bond::of(link.kind, self.holder);
            by.sight(link, page, bond, queue.is_some())
        });
        self.outlinks.push_as(link, key, original, queue);
    }

    /// A step goes on from the page; what is one of its links is taken up with that.
    pub fn go(&mut self, by: LinkRules<'_>, going: Going) {
        let Some(way) = &by.rules.way else { return };
        let leg = Leg {
            step: going.step,
            depth: 0,
        };
        if let Some(reason) = way.refuses_start(by.rules, going.step, &going.url) {
            if reason != Reason::OutOfScope {
                self.leave_out(by, reason, &going.url);
            }
            return;
        }
        let (url, key) = by
            .sites
            .identities
            .identify(&going.url)
            .unwrap_or_else(|| (going.url.clone(), going.url.key()));
        if going.is_link {
            self.chosen.entry(key).or_default().push(leg);
            return;
        }
        let link = Link {
            url,
            kind: LinkKind::Form,
            anchor: String::new(),
            count: 1,
            nofollow: false,
        };
        let entry = Enqueue {
            legs: vec![leg],
            request: going.request,
            ..Enqueue::page(0, 0)
        };
        self.outlinks.push_as(&link, key, None, Some(entry));
    }

    /// How a link is taken up, if it is.
    fn queue_of(
        &mut self,
        by: LinkRules<'_>,
        link: &Link,
        page: &Queued,
        may_follow: bool,
        mut legs: Vec<Leg>,
    ) -> Option<Enqueue> {
        let depth = page.depth + u32::from(link.kind != LinkKind::Refresh);
        let bond = Bond::of(link.kind, self.holder);
        // A run that looks for nothing pays nothing for the key.
        let score = if self.scores.is_empty() {
            None
        } else {
            self.scores.get(&link.url.key()).copied()
        };
        let enqueue = |depth| Enqueue {
            score: score.unwrap_or(0),
            ..Enqueue::page(i64::from(Priority::breadth_first(depth, link.kind).0), depth)
        };
        let Some(way) = &by.rules.way else {
            return (may_follow && self.decide(by, &link.url, link.kind, depth, bond))
                .then(|| enqueue(depth));
        };
        if may_follow {
            let (more, refused) = way.legs_of_link(by.rules, &page.legs, &link.url, link.kind, bond);
            legs.extend(more);
            if let Some(reason) = refused.filter(|reason| *reason != Reason::OutOfScope && legs.is_empty()) {
                self.leave_out(by, reason, &link.url);
            }
        }
        let depth = legs.iter().map(|leg| leg.depth).min()?;
        Some(Enqueue {
            legs,
            ..enqueue(depth)
        })
    }

    /// Is it taken up? If not, the report will say so (foreign links are links, not cuts).
    pub fn decide(&mut self, by: LinkRules<'_>, url: &Url, kind: LinkKind, depth: u32, bond: Bond) -> bool {
        match by.rules.refuses_in(url, kind, depth, None, bond) {
            None => true,
            Some(Reason::OutOfScope) => false,
            Some(reason) => {
                self.leave_out(by, reason, url);
                false
            }
        }
    }

    /// One URL that is not taken up; it counts once in a run, however many pages link to it.
    fn leave_out(&mut self, by: LinkRules<'_>, reason: Reason, url: &Url) {
        let adds = by.sites.left_out.adds(reason, url.key());
        if adds > 0 {
            trace!(%url, reason = reason.code(), "left out");
            self.note(reason, adds, url);
        }
    }

    pub fn note(&mut self, reason: Reason, count: u64, example: &Url) {
        self.left_out
            .entry(reason)
            .or_insert_with(|| (0, example.to_string()))
            .0 += count;
    }

    pub fn cuts(&mut self) -> Vec<Cut> {
        std::mem::take(&mut self.left_out)
            .into_iter()
            .map(|(reason, (count, example))| Cut {
                reason,
                shape: String::new(),
                count,
                example,
            })
            .collect()
    }
}
