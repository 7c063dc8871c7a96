//! Under which address is a page known? The rules of volatile URL parts, applied to every URL of a run (B4).
//!
//! In: URLs as pages spell them. Out: the address to keep (without ids that may be left out) and the key that tells
//! documents apart, which is the same whatever the session. A site without rules costs one look at a flag.

use gleaner_judge::identity::{LiveValues, Rules, clean, values_on};
use gleaner_model::{Url, UrlKey};
use gleaner_parse::{Input, parse};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::side::Fields;

/// The rules of the sites that a run meets.
#[derive(Default)]
pub struct Identities {
    sites: RwLock<HashMap<String, Site>>,
    /// Nobody need look into the map while this is false.
    has_rules: AtomicBool,
}

#[derive(Clone, Default)]
struct Site {
    rules: Arc<Rules>,
    live: Arc<LiveValues>,
    is_settled: bool,
}

/// Where rules hold: the registrable domain, with its port where that is not the usual one.
pub fn site_of(url: &Url) -> String {
    let authority = url.authority();
    match authority.strip_prefix(url.host()) {
        Some(port) if port.starts_with(':') => format!("{}{port}", url.domain()),
        _ => url.domain().to_owned(),
    }
}

impl Identities {
    /// What earlier runs learned, as stored. A site that is here need not be asked again.
    pub fn remember(&self, site: &str, rules: Rules, is_settled: bool) {
        self.has_rules
            .fetch_or(!rules.rules.is_empty() || rules.is_order_free, Ordering::Relaxed);
        let mut sites = self.sites.write().unwrap_or_else(PoisonError::into_inner);
        let known = sites.entry(site.to_owned()).or_default();
        known.rules = Arc::new(rules);
        known.is_settled = is_settled;
    }

    /// Whether the site's rules need not be looked for in this run.
    pub fn is_settled(&self, site: &str) -> bool {
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        sites.get(site).is_some_and(|site| site.is_settled)
    }

    fn site(&self, url: &Url) -> Option<Site> {
        if !self.has_rules.load(Ordering::Relaxed) {
            return None;
        }
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        let site = sites.get(&site_of(url))?;
        (!site.rules.rules.is_empty() || site.rules.is_order_free).then(|| site.clone())
    }

    /// The address to keep and its key; none where the URL is its own identity.
    pub fn identify(&self, url: &Url) -> Option<(Url, UrlKey)> {
        let site = self.site(url)?;
        identify(&site.rules, url)
    }

    /// The form to ask for now: with the ids of the running session where a site wants them.
    pub fn request_form(&self, url: &Url) -> Option<Url> {
        let site = self.site(url)?;
        let form = site.rules.request_form(url, &site.live);
        (form != *url).then_some(form)
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

    /// A page's bytes with the proven ids taken out, in every form they are escaped in.
    pub fn clean(&self, url: &Url, fields: &Fields, bytes: Vec<u8>) -> Vec<u8> {
        let Some(site) = self.site(url) else { return bytes };
        let input = Input {
            url,
            headers: fields,
            body: &bytes,
            agent: "",
            is_sitemap: false,
        };
        let parsed = parse(&input);
        let links = parsed.links.iter().map(|link| &link.url);
        let values = values_on(&site.rules, links.chain(std::iter::once(url)));
        match clean(&bytes, &values) {
            std::borrow::Cow::Borrowed(_) => bytes,
            std::borrow::Cow::Owned(cleaned) => cleaned,
        }
    }
}

/// The address to keep under `rules`, and its key; none where nothing is volatile in it.
pub fn identify(rules: &Rules, url: &Url) -> Option<(Url, UrlKey)> {
    let kept = rules.request_form(url, &LiveValues::default());
    let masked = rules.mask(&kept);
    if kept == *url && masked == url.as_str() {
        return None;
    }
    let key = UrlKey::of_text(&masked);
    Some((kept, key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_judge::identity::{RuleKind, Slot, UrlRule};

    fn rules(is_droppable: bool) -> Rules {
        let slot = Slot::Query {
            name: "sid".to_owned(),
            nth: 0,
        };
        let mut rules = Rules::new("a.test");
        rules.add(UrlRule {
            is_droppable,
            ..UrlRule::from_user(slot, RuleKind::Session)
        });
        rules
    }

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn b4_an_id_that_may_be_left_out_is_left_out() {
        let (kept, key) = identify(&rules(true), &url("http://a.test/x?sid=abc&p=1")).unwrap();
        assert_eq!(kept.as_str(), "http://a.test/x?p=1");
        assert_eq!(key, kept.key());
        assert!(identify(&rules(true), &url("http://a.test/x?p=1")).is_none());
    }

    #[test]
    fn b4_an_id_that_is_needed_stays_in_the_address_and_out_of_the_key() {
        let one = identify(&rules(false), &url("http://a.test/x?sid=abc&p=1")).unwrap();
        let two = identify(&rules(false), &url("http://a.test/x?sid=def&p=1")).unwrap();
        assert_ne!(one.0, two.0);
        assert_eq!(one.1, two.1);
        let other = identify(&rules(false), &url("http://a.test/x?sid=def&p=2")).unwrap();
        assert_ne!(one.1, other.1);
    }

    #[test]
    fn sites_have_their_port() {
        assert_eq!(site_of(&url("http://www.a.co.uk/x")), "a.co.uk");
        assert_eq!(site_of(&url("http://127.0.0.1:8080/x")), "127.0.0.1:8080");
    }
}
