//! What is the site called? As it says itself, as others of its page say, and as its host does.
//!
//! Pages put the site's name into their titles and into their authors; what is cut off there must be named here.

use super::page::Page;
use super::visible::words_in;
use crate::content::tags::Tag;
use gleaner_model::Url;
use std::collections::HashSet;

/// Longer ones are sentences.
const NAME_WORDS_MAX: usize = 10;
const NAMES_MAX: usize = 24;
const HOME_LINKS_MAX: usize = 6;
/// So many links of a page are asked for their words.
const LINKS_MAX: usize = 2000;
/// Words that sites add to their names, and pages to the name of their section.
const ADDED: &[&str] = &[
    "and",
    "blog",
    "blogs",
    "community",
    "doc",
    "docs",
    "documentation",
    "forum",
    "forums",
    "home",
    "homepage",
    "magazin",
    "magazine",
    "news",
    "official",
    "online",
    "page",
    "reference",
    "shop",
    "site",
    "startseite",
    "store",
    "support",
    "the",
    "und",
    "webseite",
    "website",
    "wiki",
];

/// Names of the site, in the form of [`plain`].
#[derive(Debug, Default)]
pub(super) struct Site {
    names: Vec<String>,
    /// What may be its name: the words of links to its first page.
    maybe: Vec<String>,
    /// The parts of its host that may be names, without hyphens.
    labels: Vec<String>,
    hosts: Vec<String>,
}

impl Site {
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>, url: &Url) -> Site {
        let mut site = Site::default();
        for host in hosts(url) {
            let host = host.trim_start_matches("www.");
            let labels: Vec<&str> = host.split('.').collect();
            // The last one is a country or a kind.
            let own = &labels[..labels.len().saturating_sub(1)];
            let may_name =
                |label: &&&str| label.len() >= 2 && !matches!(**label, "www" | "com" | "co" | "org" | "gov");
            site.labels
                .extend(own.iter().filter(may_name).map(|label| label.replace('-', "")));
            site.hosts.push(host.replace(['.', '-'], ""));
        }
        for name in names {
            site.add(name);
        }
        site
    }

    fn add(&mut self, name: &str) {
        let name = plain(name);
        if is_short(&name) && self.names.len() < NAMES_MAX && !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    /// A name that counts only where it is said whole.
    pub(super) fn add_maybe(&mut self, name: &str) {
        let name = plain(name);
        if is_short(&name) && self.maybe.len() < NAMES_MAX {
            self.maybe.push(name);
        }
    }

    /// Whether this is the site's name, as it calls itself or as its host does, alone or with what the site says of itself.
    /// For what stands behind a title: elsewhere `Reed Pro` is a thing that the site `Reed` sells.
    pub(super) fn is_named(&self, part: &str) -> bool {
        let part = plain(part);
        let begins = |name: &String| part.starts_with(&format!("{name} "));
        let is_label = |part: &str| {
            let joined = part.replace(' ', "");
            let is_in = |label: &String| label.len() >= 4 && joined.contains(label.as_str());
            joined.len() >= 5 && part.split(' ').count() <= 4 && self.labels.iter().any(is_in)
        };
        self.is_name(&part)
            || self.names.iter().any(begins)
            || is_label(&part)
            || is_label(&without_added(&part))
    }

    /// Whether this is the site's name, or a part of it, and nothing else.
    pub(super) fn is_name(&self, part: &str) -> bool {
        let part = plain(part);
        part.is_empty() || self.is_one(&part) || self.is_one(&without_added(&part))
    }

    fn is_one(&self, part: &str) -> bool {
        let is_said = |name: &String| {
            name == part || name.starts_with(&format!("{part} ")) || name.ends_with(&format!(" {part}"))
        };
        if part.is_empty() {
            return false;
        }
        if self.names.iter().any(is_said) || self.maybe.iter().any(|name| name == part) {
            return true;
        }
        let joined = part.replace(' ', "");
        let is_short = part.split(' ').count() <= 4;
        let is_label =
            |label: &String| *label == joined || (joined.len() >= 5 && is_short && label.contains(&joined));
        joined.len() >= 2 && (self.hosts.contains(&joined) || self.labels.iter().any(is_label))
    }
}

fn is_short(name: &str) -> bool {
    !name.is_empty() && name.split(' ').count() <= NAME_WORDS_MAX
}

/// A name without what sites add to it, and without numbers: `Reed 5.6.2 documentation` is `reed`.
fn without_added(part: &str) -> String {
    let kept: Vec<&str> = part
        .split(' ')
        .filter(|word| !ADDED.contains(word) && !word.bytes().all(|byte| byte.is_ascii_digit()))
        .collect();
    kept.join(" ")
}

/// The hosts of an address: of a page in an archive also that which was archived.
fn hosts(url: &Url) -> Vec<String> {
    let mut hosts = vec![url.host().to_ascii_lowercase()];
    if let Some(at) = url.path().find("/http") {
        let (_, inner) = url.path()[at..].split_once(":/").unwrap_or_default();
        let inner = inner.trim_start_matches('/');
        let host = inner.split(['/', '?', ':']).next().unwrap_or_default();
        if host.contains('.') {
            hosts.push(host.to_ascii_lowercase());
        }
    }
    hosts
}

/// The texts of links to the site's first page, which are mostly its name.
pub(super) fn home_links(page: &Page<'_>, url: &Url) -> Vec<String> {
    let tree = page.tree;
    let root = url.join("/").ok();
    let mut found = Vec::new();
    for at in 0..tree.len() {
        let node = tree.node(at);
        if node.tag != Some(Tag::Link) || !node.is_link {
            continue;
        }
        let href = tree.str(node.value);
        if href.len() > 200 || page.address(href).as_deref() != root.as_ref().map(Url::as_str) {
            continue;
        }
        let words = words_in(tree, at, 100, true);
        let picture = tree.inside(at).find(|inner| tree.tag(*inner) == Some(Tag::Image));
        let name = match picture {
            Some(inner) if words.is_empty() => super::folded(tree.str(tree.node(inner).label)),
            _ => words,
        };
        if !name.is_empty() && name.split(' ').count() <= 6 {
            found.push(name);
        }
        if found.len() >= HOME_LINKS_MAX {
            break;
        }
    }
    found
}

/// What links are called, in the form of [`plain`].
pub(super) fn links(page: &Page<'_>) -> HashSet<String> {
    let tree = page.tree;
    let links = (0..tree.len()).filter(|at| tree.node(*at).tag == Some(Tag::Link) && tree.node(*at).is_link);
    links
        .take(LINKS_MAX)
        .map(|at| plain(&words_in(tree, at, 100, true)))
        .filter(|name| is_short(name))
        .collect()
}

/// Letters and digits, lower case, parted by single blanks.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}
