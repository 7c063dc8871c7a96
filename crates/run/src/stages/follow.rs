//! Which links of a page enter the frontier, and why the others do not.

use crate::identity::Identities;
use gleaner_frontier::traps;
use gleaner_frontier::{Limits, Priority, Rules, Scope, TypeVerdict, Wanted};
use gleaner_model::project::{RuleAction, TypeGroup};
use gleaner_model::{Link, LinkKind, Reason, Url, UrlKey, defaults};
use gleaner_parse::group_of_extension;
use gleaner_store::catalog::queue::Purpose;
use gleaner_store::keep::{Cut, Enqueue, Outlinks};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError, RwLock};

/// The project's own decisions, compiled once per run.
pub struct Deciding {
    /// Grows by the hosts that seeds redirect to.
    pub scope: RwLock<Scope>,
    pub rules: Rules,
    pub wanted: Wanted,
    pub limits: Limits,
    pub obey_robots: bool,
    /// Sitemaps taken up so far, by the host that named them.
    pub sitemaps: Mutex<HashMap<Box<str>, u32>>,
    pub identities: Identities,
    /// What units list, by scheme.
    pub listed_schemes: Vec<&'static str>,
    /// Of so many documents that a listing shows unchanged one is fetched all the same; 0: none.
    pub sample_of_listed: u32,
}

impl Deciding {
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
        // Where a server lists what it has, nothing else leads there.
        let is_entry = matches!(kind, LinkKind::Entry | LinkKind::Redirect);
        let is_listed = is_entry && self.listed_schemes.contains(&url.scheme());
        if !url.is_web() && !is_listed {
            return Some(Reason::OutOfScope);
        }
        match self.rules.decide(url) {
            Some((RuleAction::Deny, _)) => return Some(Reason::RuleDenied),
            None if !self.is_in_scope(url) => return Some(Reason::OutOfScope),
            Some((RuleAction::Allow, _)) | None => {}
        }
        if let Some(reason) = self.limits.too_deep(depth) {
            return Some(reason);
        }
        if self.wanted.by_extension(expected_group(url, kind)) == TypeVerdict::Refuse {
            return Some(Reason::UnwantedType);
        }
        if url.is_web() { traps::syntax(url) } else { None }
    }
}

/// The type a link promises: by its extension, else by the place that holds it.
fn expected_group(url: &Url, kind: LinkKind) -> Option<TypeGroup> {
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
    left_out: BTreeMap<Reason, (u64, String)>,
}

impl Follows {
    /// A link in the page at `depth`; `queue` says whether its target may be taken up.
    pub fn add(
        &mut self,
        deciding: &Deciding,
        link: &Link,
        original: Option<&str>,
        depth: u32,
        may_follow: bool,
    ) {
        if let Some((url, key)) = deciding.identities.identify(&link.url) {
            // Ids come and go: the spelling of the day is nobody's mistake and is not kept.
            let link = Link { url, ..link.clone() };
            return self.add_as(deciding, &link, key, None, depth, may_follow);
        }
        self.add_as(deciding, link, link.url.key(), original, depth, may_follow);
    }

    fn add_as(
        &mut self,
        deciding: &Deciding,
        link: &Link,
        key: UrlKey,
        original: Option<&str>,
        depth: u32,
        may_follow: bool,
    ) {
        let target_depth = if link.kind == LinkKind::Refresh {
            depth
        } else {
            depth + 1
        };
        let queue = if may_follow && link.kind.is_followed() {
            self.decide(deciding, &link.url, link.kind, target_depth)
                .then(|| Enqueue {
                    priority: i64::from(Priority::breadth_first(target_depth, link.kind).0),
                    depth: target_depth,
                    purpose: Purpose::Page,
                    hops: 0,
                    chain: Vec::new(),
                    again: false,
                    listed: None,
                })
        } else {
            None
        };
        self.outlinks.push_as(link, key, original, queue);
    }

    /// Is it taken up? If not, the report will say so (foreign links are links, not cuts).
    pub fn decide(&mut self, deciding: &Deciding, url: &Url, kind: LinkKind, depth: u32) -> bool {
        match deciding.refuses(url, kind, depth) {
            None => true,
            Some(Reason::OutOfScope) => false,
            Some(reason) => {
                self.left_out
                    .entry(reason)
                    .or_insert_with(|| (0, url.to_string()))
                    .0 += 1;
                false
            }
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
