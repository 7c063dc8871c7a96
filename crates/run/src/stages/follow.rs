//! Which links of a page enter the frontier, and why the others do not.

use super::keep::lock;
use super::left_out::LeftOut;
use super::read::Going;
use crate::identity::Identities;
use crate::way::Way;
use crate::witness::{RuleAt, Sight, Witness, tell};
use gleaner_frontier::traps::{self, Lineage, Slashes};
use gleaner_frontier::{
    Bond, FileNames, Guess, Holder, Limits, Priority, Rules, Scope, Taking, Traps, TypeVerdict, Wanted,
};
use gleaner_model::project::{RuleAction, TypeGroup};
use gleaner_model::{Leg, Link, LinkKind, Reason, ResourceId, RunId, Url, UrlKey, defaults};
use gleaner_parse::{Parsed, group_of_extension};
use gleaner_store::Outlinks;
use gleaner_store::keep::{Cut, Enqueue};
use gleaner_store::work::{Purpose, Queued};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use tracing::trace;

/// Looks of folders that are remembered, those met once as long as there is room.
const LOOKS_MAX: usize = 100_000;

/// The project's own decisions, compiled once per run.
#[expect(clippy::struct_excessive_bools, reason = "switches of the project")]
pub struct Deciding {
    /// Grows by the hosts that seeds redirect to.
    pub scope: RwLock<Scope>,
    pub rules: Rules,
    /// For addresses that no rule speaks about; none: the scope decides.
    pub rules_default: Option<RuleAction>,
    /// The project's steps; none where everything in scope is taken.
    pub way: Option<Way>,
    pub witness: Option<Arc<Witness>>,
    pub wanted: Wanted,
    /// File names that are kept.
    pub names: FileNames,
    /// Parts of pages are taken with them, from other hosts too.
    pub requisites: bool,
    pub limits: Limits,
    pub obey_robots: bool,
    /// Sitemaps taken up so far, by the host that named them.
    pub sitemaps: Mutex<HashMap<Box<str>, u32>>,
    pub identities: Identities,
    /// The project has a login: what visitors without it are shown proves little about the links of the run.
    pub logs_in: bool,
    /// Where addresses are made without end, and which are one page's.
    pub traps: Arc<Mutex<Traps>>,
    /// How the folders that were listed look.
    pub looks: Looks,
    /// What units list, by scheme.
    pub listed_schemes: Vec<&'static str>,
    /// Of so many documents that a listing shows unchanged one is fetched all the same; 0: none.
    pub sample_of_listed: u32,
    /// Addresses in scripts and comments are asked for too.
    pub script_links: bool,
    /// URLs that were left out, for counting each once.
    pub left_out: LeftOut,
    /// For what the archive says of each capture.
    pub run: RunId,
}

/// How often folders of each look were met.
#[derive(Default)]
pub struct Looks {
    counts: Mutex<HashMap<u64, u64>>,
    /// Of folders whose listing is on its way in pieces.
    begun: Mutex<HashMap<ResourceId, Likeness>>,
}

/// How a folder looks beside those above it, and why the folders in it are left out, if they are.
#[derive(Debug, Clone, Copy, Default)]
pub struct Likeness {
    pub lineage: Option<Lineage>,
    pub endless: Option<Reason>,
}

impl Looks {
    pub fn begin(&self, folder: ResourceId, likeness: Likeness) {
        self.lock_begun().insert(folder, likeness);
    }

    pub fn begun(&self, folder: ResourceId) -> Option<Likeness> {
        self.lock_begun().get(&folder).copied()
    }

    pub fn end(&self, folder: ResourceId) -> Option<Likeness> {
        self.lock_begun().remove(&folder)
    }

    fn lock_begun(&self) -> MutexGuard<'_, HashMap<ResourceId, Likeness>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one, and says how many there are.
    pub fn met(&self, look: u64) -> u64 {
        let mut looks = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if looks.len() >= LOOKS_MAX {
            looks.retain(|_, count| *count > 1);
            if looks.len() >= LOOKS_MAX {
                looks.clear();
            }
        }
        let count = looks.entry(look).or_default();
        *count += 1;
        *count
    }
}

impl Deciding {
    /// What is to be said about a link to somebody who watches.
    fn sight(&self, link: &Link, page: &Queued, bond: Bond, is_followed: bool) -> Sight {
        let depth = page.depth + 1;
        let (rule, refused) = match &self.way {
            None => (None, self.refuses_in(&link.url, link.kind, depth, None, bond)),
            Some(way) => (
                way.rule_for(&page.legs, &link.url),
                way.legs_of_link(self, &page.legs, &link.url, link.kind, bond).1,
            ),
        };
        let of_project = || {
            let (_, index) = self.rules.decide(&link.url)?;
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

    /// What a doubled slash is on this host, if it is known.
    pub fn slashes(&self, host: &str) -> Option<Slashes> {
        lock(&self.traps).slashes(host)
    }

    /// The address that `url` is another spelling of, because its host merges slashes.
    pub fn other_spelling(&self, url: &Url) -> Option<Url> {
        let merged = traps::merged(url)?;
        (self.slashes(&url.authority()) == Some(Slashes::Merge)).then_some(merged)
    }

    /// Whether nothing but a string of some page leads to an address that was asked for as a guess.
    pub fn is_guess(&self, url: &Url) -> bool {
        let seen_as = self.identities.without_ids(url);
        lock(&self.traps)
            .guesses
            .is_guess(seen_as.as_ref().unwrap_or(url))
    }

    /// Whether one more sitemap is left out, named by `site`: its index could name thousands.
    pub fn refuses_sitemap(&self, url: &Url, site: &Url) -> Option<Reason> {
        if !url.is_web() {
            return Some(Reason::OutOfScope);
        }
        let mut sitemaps = self.sitemaps.lock().unwrap_or_else(PoisonError::into_inner);
        let count = sitemaps.entry(site.origin().into()).or_default();
        *count = count.saturating_add(1);
        (*count > defaults::SITEMAPS_PER_HOST_MAX).then_some(Reason::LimitSitemaps)
    }

    /// A host that a seed redirects to belongs to the crawl.
    pub fn admit(&self, url: &Url) {
        self.scope
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .admit(url);
    }

    pub fn is_in_scope(&self, url: &Url) -> bool {
        self.scope
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(url)
            .is_inside()
    }

    /// Whether `url`, found `depth` links from a seed, may be taken up.
    pub fn refuses(&self, url: &Url, kind: LinkKind, depth: u32) -> Option<Reason> {
        self.refuses_in(url, kind, depth, None, Bond::Leads)
    }

    /// The same in a step, whose own rules are asked first.
    pub fn refuses_in(
        &self,
        url: &Url,
        kind: LinkKind,
        depth: u32,
        first: Option<&Rules>,
        bond: Bond,
    ) -> Option<Reason> {
        // Where a server lists what it has, nothing else leads there.
        let is_entry = matches!(kind, LinkKind::Entry | LinkKind::Redirect);
        let is_listed = is_entry && self.listed_schemes.contains(&url.scheme());
        if !url.is_web() && !is_listed {
            return Some(Reason::OutOfScope);
        }
        self.asking(first, |taking| {
            taking.refuses(url, expected_group(url, kind), depth, bond)
        })
    }

    fn asking<T>(&self, first: Option<&Rules>, ask: impl FnOnce(&Taking<'_>) -> T) -> T {
        ask(&Taking {
            scope: &self.scope.read().unwrap_or_else(PoisonError::into_inner),
            step: first,
            rules: &self.rules,
            default: self.rules_default,
            limits: &self.limits,
            wanted: self.wanted,
            names: &self.names,
            requisites: self.requisites,
        })
    }

    /// The types that are kept of what lies at `url`.
    pub fn wanted_at(&self, url: &Url) -> Wanted {
        self.asking(None, |taking| taking.wanted_at(url))
    }

    /// Who names the links of what lies at `url`.
    pub fn holder(&self, url: &Url, media_type: &str) -> Holder {
        if !self.requisites || self.asking(None, |taking| taking.is_inside(url)) {
            Holder::Page
        } else if media_type == "text/css" {
            Holder::Style
        } else {
            Holder::Stranger
        }
    }

    /// What lies at `url` is to some page that is not known here; `from` leads there, if it is a redirect.
    pub fn guess(&self, url: &Url, from: Option<&Url>) -> Bond {
        if !self.requisites {
            return Bond::Leads;
        }
        let of = |url: &Url| {
            let is_inside = self.asking(None, |taking| taking.is_inside(url));
            Bond::guess(is_inside, group_of_extension(url.path()))
        };
        match from {
            None => of(url),
            // What a page leads to is no part, wherever it lies.
            Some(from) if of(from) == Bond::Part => Bond::Part,
            Some(_) => Bond::guess(true, group_of_extension(url.path())),
        }
    }
}

/// What the page's links lead to is no guess any more. Of its guesses: which were asked for, and lead nowhere.
fn look(deciding: &Deciding, parsed: &Parsed) -> Vec<bool> {
    let seen_as = |url: &Url| deciding.identities.without_ids(url);
    let mut traps = lock(&deciding.traps);
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
    left_out: BTreeMap<Reason, (u64, String)>,
}

impl Follows {
    /// A link in the page; `may_follow` says whether its target may be taken up, `promised` of which type the page says it is.
    pub fn add(
        &mut self,
        deciding: &Deciding,
        link: &Link,
        original: Option<&str>,
        page: &Queued,
        may_follow: bool,
        promised: Option<TypeGroup>,
    ) {
        if let Some(url) = deciding.other_spelling(&link.url) {
            let link = Link { url, ..link.clone() };
            return self.add(deciding, &link, original, page, may_follow, promised);
        }
        if may_follow && deciding.wanted.by_extension(promised) == TypeVerdict::Refuse {
            self.leave_out(deciding, Reason::UnwantedType, &link.url);
            return self.add(deciding, link, original, page, false, None);
        }
        if let Some((url, key)) = deciding.identities.identify(&link.url) {
            // The id in the link is another in each session, so the link is kept without it, and how it was spelled is
            // not kept.
            let link = Link { url, ..link.clone() };
            return self.add_as(deciding, &link, key, None, page, may_follow);
        }
        self.add_as(deciding, link, link.url.key(), original, page, may_follow);
    }

    /// Addresses that the page holds without promising them. All of them are kept as such, because the links of a page must not
    /// depend on what was learnt elsewhere; those that lead nowhere, as was learnt, are not asked for. Steps go where they are
    /// told to, and nowhere else.
    pub fn add_guesses(&mut self, deciding: &Deciding, parsed: &Parsed, page: &Queued, may_follow: bool) {
        let dead = look(deciding, parsed);
        let depth = page.depth + 1;
        for (link, is_dead) in parsed.guesses.iter().zip(dead) {
            if link.kind == LinkKind::InScript && !deciding.script_links {
                continue;
            }
            let url = deciding
                .other_spelling(&link.url)
                .unwrap_or_else(|| link.url.clone());
            let (url, key) = deciding.identities.identify(&url).unwrap_or_else(|| {
                let key = url.key();
                (url, key)
            });
            let is_taken =
                may_follow && deciding.way.is_none() && deciding.refuses(&url, link.kind, depth).is_none();
            // A form of a page that the project has was asked for when the page was new.
            let is_old_form = link.kind == LinkKind::GetForm && page.known.is_some();
            let guess = (is_taken && !is_dead && !is_old_form).then(|| {
                let seen_as = deciding.identities.without_ids(&url);
                let (seen_as, mut traps) = (seen_as.as_ref().unwrap_or(&url), lock(&deciding.traps));
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
            tell(deciding.witness.as_ref(), || {
                deciding.sight(&link, page, Bond::Leads, queue.is_some())
            });
            self.outlinks.push_as(&link, key, None, queue);
        }
    }

    fn add_as(
        &mut self,
        deciding: &Deciding,
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
        let queue = self.queue_of(deciding, link, page, may_follow, chosen);
        trace!(url = %link.url, kind = link.kind.as_str(), is_followed = queue.is_some(), "link");
        tell(deciding.witness.as_ref(), || {
            let bond = Bond::of(link.kind, self.holder);
            deciding.sight(link, page, bond, queue.is_some())
        });
        self.outlinks.push_as(link, key, original, queue);
    }

    /// A step goes on from the page; what is one of its links is taken up with that.
    pub fn go(&mut self, deciding: &Deciding, going: Going) {
        let Some(way) = &deciding.way else { return };
        let leg = Leg {
            step: going.step,
            depth: 0,
        };
        if let Some(reason) = way.refuses_start(deciding, going.step, &going.url) {
            if reason != Reason::OutOfScope {
                self.leave_out(deciding, reason, &going.url);
            }
            return;
        }
        let (url, key) = deciding
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
        deciding: &Deciding,
        link: &Link,
        page: &Queued,
        may_follow: bool,
        mut legs: Vec<Leg>,
    ) -> Option<Enqueue> {
        let depth = page.depth + u32::from(link.kind != LinkKind::Refresh);
        let bond = Bond::of(link.kind, self.holder);
        let enqueue = |depth| Enqueue::page(i64::from(Priority::breadth_first(depth, link.kind).0), depth);
        let Some(way) = &deciding.way else {
            return (may_follow && self.decide(deciding, &link.url, link.kind, depth, bond))
                .then(|| enqueue(depth));
        };
        if may_follow {
            let (more, refused) = way.legs_of_link(deciding, &page.legs, &link.url, link.kind, bond);
            legs.extend(more);
            if let Some(reason) = refused.filter(|reason| *reason != Reason::OutOfScope && legs.is_empty()) {
                self.leave_out(deciding, reason, &link.url);
            }
        }
        let depth = legs.iter().map(|leg| leg.depth).min()?;
        Some(Enqueue {
            legs,
            ..enqueue(depth)
        })
    }

    /// Is it taken up? If not, the report will say so (foreign links are links, not cuts).
    pub fn decide(&mut self, deciding: &Deciding, url: &Url, kind: LinkKind, depth: u32, bond: Bond) -> bool {
        match deciding.refuses_in(url, kind, depth, None, bond) {
            None => true,
            Some(Reason::OutOfScope) => false,
            Some(reason) => {
                self.leave_out(deciding, reason, url);
                false
            }
        }
    }

    /// One URL that is not taken up; it counts once in a run, however many pages link to it.
    fn leave_out(&mut self, deciding: &Deciding, reason: Reason, url: &Url) {
        let adds = deciding.left_out.adds(reason, url.key());
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
