//! What was learned about a site, found again for a version: the noise of its template, the ids in its URLs.
//!
//! Whoever learns and whoever judges must mean the same by "site" and "path shape"; both are said here and nowhere else.

use crate::side::Opened;
use gleaner_judge::equality::{Known, Learned, template_of};
use gleaner_judge::identity::{Rules, clean, values_on};
use gleaner_model::defaults::PARSE_BYTES_MAX;
use gleaner_model::{Content, ProjectId, Url};
use gleaner_parse::rewrite::rewrite;
use gleaner_parse::{Input, parse};
use gleaner_store::{Reader, StoreError};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// Pages that are learned about together: those of one registrable domain, with its port where that is not the usual one.
pub fn site_of(url: &Url) -> String {
    let authority = url.authority();
    match authority.strip_prefix(url.host()) {
        Some(port) if port.starts_with(':') => format!("{}{port}", url.domain()),
        _ => url.domain().to_owned(),
    }
}

/// The URL's path with what names one item cut out: `/story/2024/some-words.html?id=7` is `/story/*/*.html?id`.
pub fn path_shape(url: &Url) -> String {
    let path = url.path();
    let mut shape = String::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        shape.push('/');
        if segment.is_empty() {
            continue;
        }
        let names_one = is_last || segment.len() > 24 || segment.bytes().any(|byte| byte.is_ascii_digit());
        if !names_one {
            shape.push_str(segment);
            continue;
        }
        shape.push('*');
        let extension = segment.rsplit_once('.').map(|(_, end)| end);
        if let Some(extension) = extension.filter(|end| is_last && (1..=5).contains(&end.len())) {
            shape.push('.');
            shape.push_str(extension);
        }
    }
    if let Some(query) = url.query() {
        let mut names: Vec<&str> = query
            .split('&')
            .map(|pair| pair.split('=').next().unwrap_or(pair))
            .collect();
        names.sort_unstable();
        names.dedup();
        shape.push('?');
        shape.push_str(&names.join("&"));
    }
    shape
}

/// What a project knows about one site.
#[derive(Debug, Default)]
struct Site {
    learned: Learned,
    rules: Rules,
}

/// What projects learned, read once for each site.
#[derive(Debug, Default)]
pub struct Sites {
    known: HashMap<(ProjectId, String), Arc<Site>>,
}

impl Sites {
    /// What is known of the page's template and of its site.
    pub fn noise(
        &mut self,
        reader: &Reader,
        project: ProjectId,
        url: &Url,
        content: &Content,
    ) -> Result<Arc<Known>, StoreError> {
        let site = self.site(reader, project, url)?;
        let template = template_of(content, &path_shape(url));
        Ok(Arc::new(site.learned.knowledge(&template)))
    }

    /// The page's bytes without the ids that the site's rules name.
    pub fn clean(
        &mut self,
        reader: &Reader,
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

    fn site(&mut self, reader: &Reader, project: ProjectId, url: &Url) -> Result<Arc<Site>, StoreError> {
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

/// A page's bytes without the ids that the rules find on it, in every form they are escaped in; none where there are none.
/// Its links are bare: what is short, or stands now in this order and now in that, cannot be found in the bytes alone.
pub fn without_ids(rules: &Rules, url: &Url, headers: &[(String, String)], body: &[u8]) -> Option<Vec<u8>> {
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
    rules: &Rules,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_have_their_port() {
        let site = |text: &str| site_of(&Url::parse(text).expect("an address"));
        assert_eq!(site("http://www.a.co.uk/x"), "a.co.uk");
        assert_eq!(site("http://127.0.0.1:8080/x"), "127.0.0.1:8080");
    }

    #[test]
    fn shapes_join_what_one_mould_made() {
        let cases = [
            ("http://a.test/", "/"),
            (
                "http://a.test/story/2024/some-words.html?id=7&a=1",
                "/story/*/*.html?a&id",
            ),
            ("http://a.test/story/other", "/story/*"),
            ("http://a.test/story/", "/story/"),
        ];
        for (url, expected) in cases {
            assert_eq!(path_shape(&Url::parse(url).expect("an address")), expected);
        }
    }
}
