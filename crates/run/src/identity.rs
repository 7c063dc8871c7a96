//! Under which address is a page known? The rules of volatile URL parts, applied to every URL of a run (B4).
//!
//! In: URLs as pages spell them. Out: the address to keep (without ids that may be left out) and the key that tells
//! documents apart, which is the same whatever the session. A site without rules costs one look at a flag.

use gleaner_history::noise::without_ids;
use gleaner_judge::identity::{
    Cookies, LiveValues, MASK, ProbeLink, RuleKind, UrlRule, UrlRules, identify, is_suspicious,
    looks_like_session,
};
use gleaner_judge::site::{path_shape, site_of};
use gleaner_model::{Link, ResourceId, Url, UrlKey};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// The rules of the sites that a run meets.
#[derive(Default)]
pub struct Identities {
    sites: RwLock<HashMap<String, Site>>,
    /// Nobody need look into the map while this is false.
    has_rules: AtomicBool,
    surveys: Mutex<Surveys>,
}

#[derive(Clone, Default)]
struct Site {
    rules: Arc<UrlRules>,
    live: Arc<LiveValues>,
    is_settled: bool,
    /// It was looked at in an earlier run.
    is_old: bool,
}

/// Which pages made us look at a site's URLs, and which wait for it.
#[derive(Default)]
struct Surveys {
    looks: HashMap<String, Looks>,
    /// Sites that are being asked now, and whether because of what looks like a session.
    under_way: HashMap<String, bool>,
    /// Pages to ask with, when they are fetched again.
    suspects: HashSet<ResourceId>,
    /// Requests that looking at a site's first page has cost.
    spent: HashMap<String, u32>,
}

/// The shapes of a site's pages that were looked at. Numbers that may mean something must not use up what is there for
/// sessions: one page in a hundred may have links with an id.
#[derive(Default)]
struct Looks {
    sessions: HashSet<String>,
    others: HashSet<String>,
}

impl Looks {
    fn may_look(&self, shape: &str, is_session: bool) -> bool {
        let looked_at = if is_session { &self.sessions } else { &self.others };
        looked_at.len() < SHAPES_MAX && !looked_at.contains(shape)
    }
}

/// Links of a page that are looked at: a session is in most of them.
const LINKS_MAX: usize = 200;
/// Kinds of pages of one site that are looked at in one run, for sessions and for all else.
const SHAPES_MAX: usize = 3;

/// Whether a page can be read now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suspicion {
    None,
    /// Its links may carry what does not belong to them: it is fetched again when that is known.
    Wait,
}

impl Identities {
    /// What earlier runs learned, as stored. A site that is settled need not be asked again.
    pub fn remember_stored(&self, site: &str, rules: UrlRules, is_settled: bool) {
        self.remember(site, rules, is_settled);
        let mut sites = self.sites.write().unwrap_or_else(PoisonError::into_inner);
        sites.entry(site.to_owned()).or_default().is_old = is_settled;
    }

    /// What was learned just now.
    pub fn learned(&self, site: &str, rules: UrlRules) {
        self.remember(site, rules, true);
    }

    fn remember(&self, site: &str, rules: UrlRules, is_settled: bool) {
        self.has_rules
            .fetch_or(!rules.rules.is_empty() || rules.is_order_free, Ordering::Relaxed);
        let mut sites = self.sites.write().unwrap_or_else(PoisonError::into_inner);
        let known = sites.entry(site.to_owned()).or_default();
        known.rules = Arc::new(rules);
        (known.is_settled, known.is_old) = (is_settled, false);
    }

    /// Whether the site's rules need not be looked for in this run.
    pub fn is_settled(&self, site: &str) -> bool {
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        sites.get(site).is_some_and(|site| site.is_settled)
    }

    fn is_old(&self, site: &str) -> bool {
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        sites.get(site).is_some_and(|site| site.is_old)
    }

    /// The rules of the site with what was learned just now added.
    pub fn with(&self, learned: UrlRules) -> UrlRules {
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = sites.get(&learned.site) else {
            return learned;
        };
        let mut rules = (*known.rules).clone();
        rules.is_order_free |= learned.is_order_free;
        rules.requests += learned.requests;
        if learned.cookies != Cookies::Untried {
            rules.cookies = learned.cookies;
        }
        for rule in learned.rules {
            rules.learn(rule);
        }
        rules
    }

    fn surveys(&self) -> MutexGuard<'_, Surveys> {
        self.surveys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the links of a page for signs of sessions that no rule explains yet. `needs_proof`: only what looks like a
    /// session is worth a second look.
    pub fn suspicion(
        &self,
        page: &Url,
        resource: ResourceId,
        links: &[Link],
        needs_proof: bool,
    ) -> Suspicion {
        let links = &links[..links.len().min(LINKS_MAX)];
        let may_carry = |link: &&Link| {
            let path = link.url.path().as_bytes();
            link.url.query().is_some() || path.contains(&b';') || path.contains(&b'(')
        };
        if links.iter().filter(may_carry).nth(1).is_none() {
            return Suspicion::None; // Nearly every page ends here.
        }
        let site = site_of(page);
        let shape = path_shape(page);
        {
            let surveys = self.surveys();
            if surveys.under_way.contains_key(&site) {
                return Suspicion::Wait;
            }
            let looks = surveys.looks.get(&site);
            if looks.is_some_and(|looks| !looks.may_look(&shape, true) && !looks.may_look(&shape, false)) {
                return Suspicion::None;
            }
        }
        let known = self.site(page);
        let unexplained: Vec<ProbeLink> = links
            .iter()
            // Links that are not to be followed need no explanation.
            .filter(|link| link.url.domain() == page.domain() && !link.nofollow)
            .filter_map(|link| {
                let url = match &known {
                    Some(site) => without_known(&site.rules, &link.url)?,
                    None => link.url.clone(),
                };
                Some(ProbeLink {
                    url,
                    place: String::new(),
                    anchor: String::new(),
                })
            })
            .collect();
        let is_session = looks_like_session(&unexplained);
        if !is_session && (needs_proof || self.is_old(&site) || !is_suspicious(&unexplained)) {
            return Suspicion::None;
        }
        let mut surveys = self.surveys();
        let looks = surveys.looks.get(&site);
        if looks.is_some_and(|looks| !looks.may_look(&shape, is_session)) {
            return Suspicion::None;
        }
        if surveys.under_way.insert(site, is_session).is_none() {
            surveys.suspects.insert(resource);
        }
        Suspicion::Wait
    }

    /// Whether this page is to be asked with; then its site is under survey until [`Identities::surveyed`].
    pub fn take_suspect(&self, resource: ResourceId) -> bool {
        self.surveys().suspects.remove(&resource)
    }

    /// Requests that looking at the site's first pages has cost so far.
    pub fn spent(&self, site: &str) -> u32 {
        self.surveys().spent.get(site).copied().unwrap_or(0)
    }

    pub fn spend(&self, site: &str, requests: u32) {
        self.surveys().spent.insert(site.to_owned(), requests);
    }

    pub fn surveyed(&self, page: &Url) {
        let mut surveys = self.surveys();
        let site = site_of(page);
        let why = surveys.under_way.remove(&site);
        let looks = surveys.looks.entry(site).or_default();
        if why != Some(false) {
            looks.sessions.insert(path_shape(page));
        }
        if why != Some(true) {
            looks.others.insert(path_shape(page));
        }
    }

    fn site(&self, url: &Url) -> Option<Site> {
        if !self.has_rules.load(Ordering::Relaxed) {
            return None;
        }
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        let site = sites.get(&site_of(url))?;
        (!site.rules.rules.is_empty() || site.rules.is_order_free).then(|| site.clone())
    }

    /// Whether anything is known to be volatile in the addresses of this site.
    pub fn has_rules(&self, url: &Url) -> bool {
        self.site(url).is_some()
    }

    /// The address to keep and its key; none where the URL is its own identity.
    pub fn identify(&self, url: &Url) -> Option<(Url, UrlKey)> {
        let site = self.site(url)?;
        identify(&site.rules, url)
    }

    /// Whether two addresses are one document's, whatever ids they carry.
    pub fn is_one_document(&self, one: &Url, other: &Url) -> bool {
        let key = |url: &Url| self.identify(url).map_or_else(|| url.key(), |(_, key)| key);
        one == other || key(one) == key(other)
    }

    /// The address as whoever judges addresses should see it, without anything volatile; none where it has none.
    pub fn without_ids(&self, url: &Url) -> Option<Url> {
        let site = self.site(url)?;
        let identity = site.rules.identity(url);
        (identity != url.as_str())
            .then(|| Url::parse(&identity).ok())
            .flatten()
    }

    /// The form to ask for now: with the ids of the running session where a site wants them.
    pub fn request_form(&self, url: &Url) -> Option<Url> {
        let site = self.site(url)?;
        let form = site.rules.request_form(url, &site.live);
        (form != *url).then_some(form)
    }

    /// Whether the site wants ids in its addresses, and none of the running session is known.
    pub fn wants_session(&self, url: &Url) -> bool {
        self.site(url).is_some_and(|site| {
            let is_session = |kind: RuleKind| matches!(kind, RuleKind::Session | RuleKind::Clock);
            let is_wanted = |rule: &UrlRule| rule.is_on && !rule.is_droppable && is_session(rule.kind);
            site.live.values.is_empty() && site.rules.rules.iter().any(is_wanted)
        })
    }

    /// The ids that a page of the running session carries.
    pub fn note_live<'u>(&self, page: &Url, links: impl IntoIterator<Item = &'u Url>) {
        let Some(site) = self.site(page) else { return };
        if site.rules.rules.iter().all(|rule| rule.is_droppable) {
            return;
        }
        let live = site.rules.live_values(links);
        if live.values.is_empty() {
            return;
        }
        let mut sites = self.sites.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(site) = sites.get_mut(&site_of(page)) {
            site.live = Arc::new(live);
        }
    }

    /// A page's bytes with the proven ids taken out.
    pub fn clean(&self, url: &Url, headers: &[(String, String)], bytes: Vec<u8>) -> Vec<u8> {
        let cleaned = (self.site(url)).and_then(|site| without_ids(&site.rules, url, headers, &bytes));
        cleaned.unwrap_or(bytes)
    }
}

/// What the rules leave of an address; none where something is only masked.
fn without_known(rules: &UrlRules, url: &Url) -> Option<Url> {
    let bare = rules.bare(url);
    (!bare.contains(MASK)).then(|| Url::parse(&bare).ok()).flatten()
}
