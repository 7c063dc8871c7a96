//! What was learned about a site, found again for a version: the noise of its template, the ids in its URLs.

use crate::side::Opened;
use gleaner_judge::equality::{Learned, LearnedTemplate, template_of};
use gleaner_judge::identity::{UrlRules, clean, identify, values_on};
use gleaner_judge::site::{path_shape, site_of};
use gleaner_model::defaults::PARSE_BYTES_MAX;
use gleaner_model::{Content, ProjectId, Url};
use gleaner_parse::rewrite::rewrite;
use gleaner_parse::{Input, parse};
use gleaner_store::keep::Rekeyed;
use gleaner_store::{Ledger, Store, StoreError, wait};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// What a project knows about one site.
#[derive(Debug, Default)]
struct Site {
    learned: Learned,
    rules: UrlRules,
}

/// What projects learned, read once for each site.
#[derive(Debug, Default)]
pub struct LearnedSites {
    known: HashMap<(ProjectId, String), Arc<Site>>,
}

impl LearnedSites {
    /// What is known of the page's template and of its site.
    pub fn noise(
        &mut self,
        reader: &dyn Ledger,
        project: ProjectId,
        url: &Url,
        content: &Content,
    ) -> Result<Arc<LearnedTemplate>, StoreError> {
        let site = self.site(reader, project, url)?;
        let template = template_of(content, &path_shape(url));
        let known = site.learned.knowledge(&template);
        // As in a run: nothing is learned from files.
        Ok(Arc::new(if url.is_web() {
            known
        } else {
            known.with_all_editions()
        }))
    }

    /// The page's bytes without the ids that the site's rules name.
    pub fn clean(
        &mut self,
        reader: &dyn Ledger,
        project: ProjectId,
        opened: &mut Opened,
    ) -> Result<(), StoreError> {
        let site = self.site(reader, project, &opened.url)?;
        if site.rules.rules.is_empty() {
            return Ok(());
        }
        if let Some(cleaned) = without_ids(&site.rules, &opened.url, &opened.headers, &opened.body) {
            opened.body = cleaned;
        }
        Ok(())
    }

    fn site(&mut self, reader: &dyn Ledger, project: ProjectId, url: &Url) -> Result<Arc<Site>, StoreError> {
        let key = (project, site_of(url));
        if let Some(site) = self.known.get(&key) {
            return Ok(Arc::clone(site));
        }
        // A memory in a form that is not understood is as good as none: more is UPD, nothing is hidden.
        let learned = reader.noise(project, &key.1)?;
        let rules = reader.site_rules(project, &key.1)?;
        let site = Arc::new(Site {
            learned: learned
                .and_then(|text| serde_json::from_str(&text).ok())
                .unwrap_or_default(),
            rules: rules
                .and_then(|text| serde_json::from_str(&text).ok())
                .unwrap_or_default(),
        });
        self.known.insert(key, Arc::clone(&site));
        Ok(site)
    }
}

/// The keys that follow from a site's rules for the resources of its domain; only those that are not their own identity. For
/// callers with a thread of their own.
pub fn keys_under(store: &dyn Store, domain: &str, rules: &UrlRules) -> Result<Vec<Rekeyed>, StoreError> {
    let (mut keys, mut last) = (Vec::new(), None);
    if rules.says_nothing() {
        return Ok(keys);
    }
    loop {
        let addresses = wait(store.addresses_of_domain(domain.to_owned(), last))?;
        let Some((id, _)) = addresses.last() else {
            return Ok(keys);
        };
        last = Some(*id);
        for (id, text) in addresses {
            let Ok(url) = Url::parse(&text) else { continue };
            if site_of(&url) == rules.site
                && let Some((_, key)) = identify(rules, &url)
            {
                keys.push((id, key));
            }
        }
    }
}

/// A page's bytes without the ids that the rules find on it, in every form they are escaped in; none where there are none.
/// Its links are bare: what is short, or stands now in this order and now in that, cannot be found in the bytes alone.
pub fn without_ids(
    rules: &UrlRules,
    url: &Url,
    headers: &[(String, String)],
    body: &[u8],
) -> Option<Vec<u8>> {
    let site = site_of(url);
    let bare = |link: &Url| {
        let bare = (site_of(link) == site).then(|| rules.bare(link))?;
        (bare != link.as_str()).then_some(bare)
    };
    let linked = rewrite(url, headers, body, &bare).body;
    let cleaned = without_values(rules, url, headers, body, linked.as_deref().unwrap_or(body));
    cleaned.or(linked)
}

/// `text`, made of the page's body, without the values that the links of the body carry.
fn without_values(
    rules: &UrlRules,
    url: &Url,
    headers: &[(String, String)],
    body: &[u8],
    text: &[u8],
) -> Option<Vec<u8>> {
    let parsed = parse(&Input {
        url,
        headers,
        body: &body[..body.len().min(PARSE_BYTES_MAX)],
        agent: "",
        is_sitemap: false,
    });
    let links = parsed.links.iter().map(|link| &link.url);
    let values = values_on(rules, links.chain([url]));
    match clean(text, &values) {
        Cow::Owned(cleaned) => Some(cleaned),
        Cow::Borrowed(_) => None,
    }
}
