//! What does a page say about itself? (F2) Title, authors, dates, language, licence, and what it asks of robots.
//!
//! In: a page. Out: [`Metadata`]. Sources are asked in this order, and the first that has an answer gives it: linked data
//! (JSON-LD), `OpenGraph`, Dublin Core and `citation_…`, plain `meta`, microdata, what is visible. Only the title is weighed:
//! pages put the site's name into it, and their first heading often says it better.

mod dates;
mod linked;
mod said;
mod title;
mod visible;

use super::blocks;
use super::page::open_html;
use super::tree::Tree;
use super::words::folded;
use crate::headers::header;
use gleaner_model::Url;
use linked::Linked;
use said::Saids;
use serde::{Deserialize, Serialize};
use visible::Visible;

/// More authors than this are a list of something else.
const AUTHORS_MAX: usize = 50;
const KEYWORDS_MAX: usize = 100;
const TEXT_CHARS_MAX: usize = 2000;

/// What a page says about itself. What it does not say is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// Without the site's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The site's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// A day, as `2024-05-17`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// As a BCP 47 tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// A name or an address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// What it calls itself: `NewsArticle`, `Product`, `website`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// What it asks of robots and of those who train models, as found: where it is said, and what.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub directives: Vec<Directive>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directive {
    /// `meta robots`, `header x-robots-tag`, …
    pub source: String,
    pub content: String,
}

/// Reads what a document says about itself: its final URL, its response headers (names in lower case) and its decoded
/// body. `None` where it is no HTML.
pub fn read(url: &Url, headers: &[(String, String)], body: &[u8]) -> Option<Metadata> {
    let (html, _) = open_html(url, headers, body)?;
    let mut found = of_html(&html, url);
    found.directives.extend(said::from_headers(headers));
    if found.language.is_none() {
        found.language = header(headers, "content-language").and_then(language);
    }
    Some(found)
}

/// Reads HTML that is text already.
pub fn of_html(html: &str, url: &Url) -> Metadata {
    let tree = Tree::read(html);
    let base = tree
        .base
        .and_then(|href| url.join(tree.str(href).trim()).ok())
        .unwrap_or_else(|| url.clone());
    let drafts = blocks::collect(&tree, url, &|_| true);
    let said = Saids::read(&tree);
    let linked = Linked::read(&tree);
    let visible = Visible::read(&tree, &drafts);
    let address = |text: &str| base.join(text.trim()).ok().map(|url| url.as_str().to_owned());
    let site = said
        .first(&["og:site_name", "application-name"])
        .or(linked.site.clone());
    let title = title::choose(&title::Candidates {
        page: tree.title.map(|title| folded(tree.str(title))),
        open: said.first(&[
            "og:title",
            "twitter:title",
            "dc.title",
            "dcterms.title",
            "citation_title",
        ]),
        linked: linked.headline.clone(),
        headings: &visible.headings,
        site: site.as_deref(),
        host: url.host(),
    });
    let mut authors = linked.authors.clone();
    for names in [
        &["citation_author", "dc.creator", "dcterms.creator"][..],
        &["author", "article:author", "parsely-author", "sailthru.author"],
    ] {
        if authors.is_empty() {
            authors = said.all(names).iter().flat_map(|names| people(names)).collect();
        }
    }
    if authors.is_empty() {
        authors.clone_from(&visible.authors);
    }
    authors.dedup();
    authors.truncate(AUTHORS_MAX);
    let day = |found: Option<String>| found.as_deref().and_then(dates::day);
    let published = day(linked.published.clone())
        .or_else(|| day(said.first(said::PUBLISHED)))
        .or_else(|| visible.published.clone())
        .or_else(|| dates::in_path(url.path()));
    let modified = day(linked.modified.clone()).or_else(|| day(said.first(said::MODIFIED)));
    Metadata {
        title,
        site,
        authors,
        published,
        modified,
        language: tree
            .language
            .and_then(|span| language(tree.str(span)))
            .or_else(|| {
                said.first(&["og:locale", "content-language", "dc.language"])
                    .as_deref()
                    .and_then(language)
            }),
        canonical: said
            .link("canonical")
            .or_else(|| said.first(&["og:url"]))
            .as_deref()
            .and_then(address),
        licence: linked
            .licence
            .clone()
            .or_else(|| said.link("license"))
            .or_else(|| said.first(&["dc.rights", "dcterms.rights", "dcterms.license", "copyright"]))
            .or_else(|| visible.licence.clone()),
        description: said
            .first(&[
                "og:description",
                "description",
                "dc.description",
                "twitter:description",
            ])
            .or(linked.description.clone())
            .map(short),
        keywords: said
            .all(&[
                "keywords",
                "news_keywords",
                "article:tag",
                "citation_keywords",
                "dc.subject",
            ])
            .iter()
            .flat_map(|list| list.split([',', ';']))
            .map(folded)
            .filter(|word| !word.is_empty())
            .take(KEYWORDS_MAX)
            .collect(),
        kind: linked.kind.clone().or_else(|| said.first(&["og:type"])),
        image: said
            .first(&["og:image", "twitter:image"])
            .as_deref()
            .and_then(address),
        directives: said.directives(),
    }
}

fn short(text: String) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

/// `en_US` and `de, en` are tags too, to those who write them.
fn language(text: &str) -> Option<String> {
    let tag = text
        .split([',', ';'])
        .next()
        .unwrap_or_default()
        .trim()
        .replace('_', "-");
    let is_tag = (2..=35).contains(&tag.len())
        && tag
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_tag.then_some(tag)
}

/// Names in one line, parted: `By Ann Lee and Bo Chan`.
fn people(text: &str) -> Vec<String> {
    let text = folded(text);
    if text.contains("://") || text.contains('@') && !text.contains(' ') {
        return Vec::new();
    }
    let mut rest = text.as_str();
    for start in [
        "by ",
        "von ",
        "par ",
        "por ",
        "di ",
        "written by ",
        "posted by ",
        "author: ",
        "author ",
    ] {
        if let Some(head) = rest.get(..start.len())
            && head.eq_ignore_ascii_case(start)
        {
            rest = &rest[start.len()..];
        }
    }
    let parted = rest
        .replace(" and ", ",")
        .replace(" und ", ",")
        .replace(" & ", ",");
    // `Lee, Ann` of libraries is one name.
    let parts: Vec<&str> = parted
        .split([',', ';', '|'])
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    if let [family, given] = parts[..]
        && rest.contains(',')
        && !family.contains(' ')
    {
        return vec![format!("{given} {family}")];
    }
    parts
        .into_iter()
        .filter(|name| name.len() <= 80)
        .map(ToOwned::to_owned)
        .collect()
}

#[cfg(test)]
mod tests;
