//! What does a page say about itself? (F2) Title, authors, dates, language, licence, and what it asks of robots.
//!
//! In: a page. Out: [`PageMetadata`]. Sources are asked in this order, and the first that has an answer gives it: linked data
//! (JSON-LD), `OpenGraph`, Dublin Core and `citation_…`, plain `meta`, microdata, what is visible. Only the title is weighed:
//! pages put the site's name into it, and their first heading often says it better.

mod bylines;
mod dates;
mod headings;
mod linked;
mod names;
mod page;
mod parts;
mod pitch;
mod said;
mod site;
mod title;
mod visible;

use super::blocks;
use super::page::open_html;
use super::tree::Tree;
use super::words::folded;
use crate::headers::header;
use bylines::Bylines;
use gleaner_model::Url;
use linked::Linked;
use names::people;
use page::Page;
use parts::Parts;
pub use parts::{PageImage, PageLink, PageMedium, PageTable};
use said::Saids;
use serde::{Deserialize, Serialize};
use site::{Site, plain};
use visible::Visible;

/// More authors than this are a list of something else.
const AUTHORS_MAX: usize = 50;
const KEYWORDS_MAX: usize = 100;
const TEXT_BYTES_MAX: usize = 4000;

/// What a page says about itself. What it does not say is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageMetadata {
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
    /// The language of its main text, where somebody has looked: this room only reads what is declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language_found: Option<String>,
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
    /// All that stands in its `meta` elements, names in lower case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub meta: Vec<MetaPair>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<PageImage>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<PageMedium>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<PageLink>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<PageTable>,
}

/// The name and the content of a `meta` element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetaPair {
    pub name: String,
    pub content: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directive {
    /// `meta robots`, `header x-robots-tag`, …
    pub source: String,
    pub content: String,
}

/// Reads what a document says about itself: its final URL, its response headers (names in lower case) and its decoded
/// body. `None` where it is no HTML.
pub fn read(url: &Url, headers: &[(String, String)], body: &[u8]) -> Option<PageMetadata> {
    let (html, _) = open_html(url, headers, body)?;
    let mut found = of_html(&html, url);
    found.directives.extend(said::from_headers(headers));
    if found.language.is_none() {
        found.language = header(headers, "content-language").and_then(language);
    }
    Some(found)
}

/// Reads HTML that is text already.
pub fn of_html(html: &str, url: &Url) -> PageMetadata {
    let (tree, document) = Tree::read_with_document(html);
    let page = Page::new(&tree, &document, url);
    let drafts = blocks::collect(&tree, url, &|_| true);
    let said = Saids::read(&tree);
    let linked = Linked::read(&tree);
    let address = |text: &str| page.address(text);
    let parts = Parts::read(&page);
    let home = url.join("/").ok();
    let headings = headings::read(&page, home.as_ref().map(Url::as_str));
    let named_site = said.first(&["og:site_name", "application-name", "apple-mobile-web-app-title"]);
    let mut site_names = Site::new(named_site.iter().chain(&linked.sites).map(String::as_str), url);
    for name in site::home_links(&page, url) {
        site_names.add_maybe(&name);
    }
    for heading in headings.iter().filter(|heading| heading.leads_home) {
        site_names.add_maybe(&heading.text);
    }
    // The program that makes the pages of all crates ends each title with the name of its language.
    if said.first(&["generator"]).is_some_and(|name| name == "rustdoc") {
        site_names.add_maybe("Rust");
    }
    // Editing programs call every page an article; then linked data knows better.
    let is_article = linked.is_text
        || said.first(said::PUBLISHED).is_some()
        || (!linked.is_other && said.first(&["og:type"]).is_some_and(|kind| kind == "article"));
    let title = title::choose(&title::Candidates {
        page: tree.title.map(|title| folded(tree.str(title))),
        open: said.first(&[
            "og:title",
            "twitter:title",
            "dc.title",
            "dcterms.title",
            "citation_title",
            "headline",
        ]),
        linked: linked.headline.clone().filter(|name| {
            // What a page offers has a name of its own.
            let name = plain(name);
            let is_it = |heading: &headings::Heading| heading.level == 1 && plain(&heading.text) == name;
            linked.is_text || headings.iter().any(is_it)
        }),
        headings: &headings,
        links: &site::links(&page),
        site: &site_names,
        url,
        is_article,
    });
    let heading = title.as_deref().and_then(|title| {
        let title = plain(title);
        headings
            .iter()
            .find(|heading| plain(&heading.text).contains(&title))
            .or_else(|| {
                headings
                    .iter()
                    .find(|heading| heading.level == 1 && !heading.is_frame)
            })
            .map(|heading| heading.at)
    });
    let visible = Visible::read(&page, &drafts, heading);
    let bylines = Bylines::read(&page, &drafts, heading);
    let authors = authors(&linked, &said, &bylines, &site_names);
    let day = |found: Option<String>| found.as_deref().and_then(dates::day);
    let published = day(linked.published.clone())
        .or_else(|| day(said.first(said::PUBLISHED)))
        .or_else(|| visible.published.clone())
        .or_else(|| dates::in_path(url.path()));
    let modified = day(linked.modified.clone()).or_else(|| day(said.first(said::MODIFIED)));
    PageMetadata {
        title,
        site: named_site.or(linked.site.clone()),
        authors,
        published,
        modified,
        language: tree
            .language
            .and_then(|span| language(tree.str(span)))
            .or_else(|| {
                said.first(&[
                    "og:locale",
                    "content-language",
                    "dc.language",
                    "dcterms.language",
                    "language",
                ])
                .or(linked.language.clone())
                .as_deref()
                .and_then(language)
            }),
        language_found: None,
        canonical: said
            .link("canonical")
            .or_else(|| said.first(&["og:url"]))
            .as_deref()
            .and_then(address),
        licence: linked
            .licence
            .clone()
            .or_else(|| said.link("license").and_then(|written| address(&written)))
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
            .map(|text| cut(&text, TEXT_BYTES_MAX).to_owned()),
        keywords: keywords(&said, &linked),
        kind: linked.kind.clone().or_else(|| said.first(&["og:type"])),
        image: said
            .first(&["og:image", "twitter:image"])
            .as_deref()
            .and_then(address),
        directives: said.directives(),
        meta: said.pairs(),
        images: parts.images,
        media: parts.media,
        links: parts.links,
        tables: parts.tables,
    }
}

/// The beginning of a text, at most so many bytes of it.
fn cut(text: &str, bytes_max: usize) -> &str {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
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

/// From the first source that names a person; where none does, from the first that names anybody.
fn authors(linked: &Linked, said: &Saids, bylines: &Bylines, site: &Site) -> Vec<String> {
    let metas = |names: &[&str]| -> Vec<String> {
        let lines = said.all(names);
        lines
            .iter()
            .take(AUTHORS_MAX)
            .flat_map(|line| people(line))
            .collect()
    };
    let sources = [
        linked.authors.clone(),
        metas(&["citation_author", "dc.creator", "dcterms.creator"]),
        metas(&[
            "author",
            "article:author",
            "article:author_name",
            "article.author",
            "parsely-author",
            "sailthru.author",
            "byl",
            "dc.contributor",
            "authors",
        ]),
        bylines.marked.clone(),
        bylines.near.clone(),
    ];
    let is_person = |name: &String| !names::is_desk(name) && !site.is_named(name);
    let person = sources
        .iter()
        .enumerate()
        .find(|(at, names)| !(*at == 0 && linked.is_desk) && names.iter().any(is_person));
    let found = person
        .map(|(_, names)| names)
        .or_else(|| sources.iter().find(|names| !names.is_empty()))
        .unwrap_or(&bylines.far);
    let mut authors: Vec<String> = Vec::new();
    for name in found {
        if authors.len() < AUTHORS_MAX && !authors.contains(name) {
            authors.push(name.clone());
        }
    }
    authors
}

fn keywords(said: &Saids, linked: &Linked) -> Vec<String> {
    let lists = said.all(&[
        "keywords",
        "news_keywords",
        "article:tag",
        "citation_keywords",
        "dc.subject",
        "dcterms.subject",
        "parsely-tags",
        "sailthru.tags",
    ]);
    let mut found: Vec<String> = Vec::new();
    for word in lists
        .iter()
        .chain(&linked.keywords)
        .flat_map(|list| list.split([',', ';']))
    {
        let word = folded(word);
        if !word.is_empty() && found.len() < KEYWORDS_MAX && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

#[cfg(test)]
mod tests;
