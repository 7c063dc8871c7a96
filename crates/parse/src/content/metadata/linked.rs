//! Linked data: the JSON-LD of a page. It often describes more than the page (its site, its crumbs, other articles), so the
//! thing that is most like a text is taken for the page.

use super::super::tree::Tree;
use super::super::words::folded;
use super::KEYWORDS_MAX;
use super::names::people;
use crate::html::entities::{Place, unescape};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Larger ones are data, not description.
const SCRIPT_BYTES_MAX: usize = 1024 * 1024;
const THINGS_MAX: usize = 2000;
/// The types of things that a page may be, best first.
const KINDS: &[&[&str]] = &[
    &[
        "article",
        "newsarticle",
        "blogposting",
        "reportagenewsarticle",
        "opinionnewsarticle",
        "analysisnewsarticle",
        "techarticle",
        "scholarlyarticle",
        "liveblogposting",
        "report",
        "review",
        "recipe",
        "medicalscholarlyarticle",
    ],
    &[
        "discussionforumposting",
        "socialmediaposting",
        "question",
        "qapage",
    ],
    &[
        "product",
        "productgroup",
        "book",
        "movie",
        "event",
        "jobposting",
        "course",
        "softwareapplication",
    ],
    &[
        "webpage",
        "collectionpage",
        "itempage",
        "aboutpage",
        "faqpage",
        "medicalwebpage",
        "profilepage",
    ],
    // A film stands on pages that are about something else.
    &["videoobject"],
];

#[derive(Debug, Default)]
pub(super) struct Linked {
    pub(super) kind: Option<String>,
    pub(super) headline: Option<String>,
    pub(super) authors: Vec<String>,
    pub(super) published: Option<String>,
    pub(super) modified: Option<String>,
    pub(super) licence: Option<String>,
    pub(super) description: Option<String>,
    pub(super) site: Option<String>,
    /// Names of the site and of who publishes it.
    pub(super) sites: Vec<String>,
    pub(super) language: Option<String>,
    pub(super) keywords: Vec<String>,
    /// Of the authors: none is a person.
    pub(super) is_desk: bool,
    /// The page is an article, a posting or a question.
    pub(super) is_text: bool,
    /// Something is said of the page, and it is none of these.
    pub(super) is_other: bool,
}

/// Of all scripts of a page together.
const SCRIPTS_BYTES_MAX: usize = 4 * 1024 * 1024;
const AUTHORS_MAX: usize = 200;
const SITES_MAX: usize = 8;
/// What is inside of these is about other pages.
const OTHERS: &[&str] = &[
    "author",
    "comment",
    "review",
    "itemListElement",
    "blogPost",
    "hasPart",
    "suggestedAnswer",
    "acceptedAnswer",
    "relatedLink",
    "mentions",
    "citation",
    "isRelatedTo",
    "isSimilarTo",
];

impl Linked {
    pub(super) fn read(tree: &Tree) -> Linked {
        let scripts: Vec<Value> = tree
            .linked_data
            .iter()
            .filter_map(|at| tree.nodes.get(*at as usize + 1).filter(|node| node.tag.is_none()))
            .scan(SCRIPTS_BYTES_MAX, |left, node| {
                let script = tree.str(node.text);
                *left = left.checked_sub(script.len())?;
                Some(script)
            })
            .filter_map(value)
            .collect();
        let mut things: Vec<(usize, &Map<String, Value>)> = Vec::new();
        let mut site = None;
        let mut sites: Vec<String> = Vec::new();
        let mut named: HashMap<&str, &Map<String, Value>> = HashMap::new();
        let mut open: Vec<&Value> = scripts.iter().rev().collect();
        while let Some(value) = open.pop() {
            if things.len() + named.len() >= THINGS_MAX {
                break;
            }
            match value {
                Value::Array(list) => open.extend(list.iter().rev()),
                Value::Object(thing) => {
                    let kinds = kinds(thing);
                    if let Some(id) = thing.get("@id").and_then(Value::as_str)
                        && (thing.contains_key("name") || !named.contains_key(id))
                    {
                        named.insert(id, thing);
                    }
                    if sites.len() < SITES_MAX && kinds.iter().any(|kind| is_publisher(kind)) {
                        sites.extend(text(thing.get("name")));
                        sites.extend(text(thing.get("alternateName")));
                    }
                    if kinds.iter().any(|kind| kind == "website") {
                        site = site.or_else(|| text(thing.get("name")));
                    }
                    let rank = KINDS
                        .iter()
                        .position(|list| kinds.iter().any(|kind| list.contains(&kind.as_str())));
                    things.extend(rank.map(|rank| (rank, thing)));
                    // What is described inside of a thing comes after it; answered questions are a part of a page.
                    let is_answers = kinds.iter().any(|kind| kind == "faqpage");
                    let inner = thing.iter().filter(|(key, _)| {
                        !(OTHERS.contains(&key.as_str()) || is_answers && *key == "mainEntity")
                    });
                    open.extend(
                        inner
                            .map(|(_, value)| value)
                            .filter(|value| value.is_object() || value.is_array()),
                    );
                }
                _ => {}
            }
        }
        let Some((_, page)) = things.iter().min_by_key(|(rank, _)| *rank) else {
            return Linked {
                site,
                sites,
                ..Linked::default()
            };
        };
        // Another thing about the same page may know what the best one does not say.
        let ask = |key: &str| {
            let own = text(page.get(key));
            own.or_else(|| things.iter().find_map(|(_, thing)| text(thing.get(key))))
        };
        let by_id = |id: &str| named.get(id).copied();
        let mut authors = Vec::new();
        let mut is_desk = true;
        let writers = things
            .iter()
            .filter(|(rank, _)| *rank <= 1)
            .find_map(|(_, thing)| thing.get("author").or_else(|| thing.get("creator")));
        let writer = page.get("author").or_else(|| page.get("creator")).or(writers);
        for person in list(writer).into_iter().take(AUTHORS_MAX) {
            let (name, is_person) = match person {
                Value::String(name) => (Some(folded(name)), true),
                Value::Object(person) => {
                    let known = person.get("@id").and_then(Value::as_str).and_then(by_id);
                    let name = text(person.get("name")).or_else(|| text(known?.get("name")));
                    let is_publisher = kinds(person).iter().any(|kind| is_publisher(kind));
                    (name, !is_publisher)
                }
                _ => (None, true),
            };
            is_desk &= !is_person;
            authors.extend(name.into_iter().flat_map(|name| people(&name)));
        }
        let rank = things.iter().map(|(rank, _)| *rank).min().unwrap_or(usize::MAX);
        Linked {
            kind: kinds_as_written(page).into_iter().next(),
            headline: text(page.get("headline")).or_else(|| text(page.get("name"))),
            authors,
            published: ask("datePublished")
                .or_else(|| ask("dateCreated"))
                .or_else(|| ask("uploadDate")),
            modified: ask("dateModified"),
            licence: ask("license"),
            description: text(page.get("description")),
            site,
            sites,
            language: ask("inLanguage"),
            keywords: list(page.get("keywords"))
                .into_iter()
                .take(KEYWORDS_MAX)
                .filter_map(|word| text(Some(word)))
                .collect(),
            is_desk,
            is_text: rank <= 1,
            is_other: rank > 1,
        }
    }
}

/// Whether a type of thing publishes pages.
fn is_publisher(kind: &str) -> bool {
    kind == "website" || kind.ends_with("organization") || matches!(kind, "corporation" | "blog")
}

fn value(script: &str) -> Option<Value> {
    let script = script.trim().trim_end_matches(';');
    if script.len() > SCRIPT_BYTES_MAX {
        return None;
    }
    serde_json::from_str(script)
        .ok()
        .or_else(|| serde_json::from_str(&mended(script)).ok())
}

/// Some write what JSON forbids: line breaks and half characters in strings, unknown escapes, commas at the end of lists,
/// comments around the whole.
fn mended(script: &str) -> String {
    let start = script.find(['{', '[']).unwrap_or(0);
    let end = script.rfind(['}', ']']).map_or(script.len(), |end| end + 1);
    let script = script.get(start..end).unwrap_or_default();
    let mut out = String::with_capacity(script.len());
    let mut is_string = false;
    let mut rest = script.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                is_string = !is_string;
                out.push(c);
            }
            '\\' if is_string => {
                let behind = rest.as_str();
                let code = behind.get(..5).filter(|code| code.starts_with('u'));
                let number = code.and_then(|code| u32::from_str_radix(&code[1..], 16).ok());
                match (behind.chars().next(), number) {
                    (Some('u'), Some(number)) if char::from_u32(number).is_some() => out.push(c),
                    // Half of a pair: kept where the other half follows, which JSON's reader sees itself.
                    (Some('u'), Some(0xD800..0xDC00)) if is_second_half(behind.get(5..)) => {
                        out.push('\\');
                        out.push_str(&behind[..11]);
                        rest = behind[11..].chars();
                    }
                    (Some('u'), Some(_)) => {
                        out.push('\u{FFFD}');
                        rest = behind[5..].chars();
                    }
                    (Some('"' | '\\'), _) => {
                        out.push(c);
                        out.extend(rest.next());
                    }
                    (Some('/' | 'b' | 'f' | 'n' | 'r' | 't'), _) => out.push(c),
                    _ => {}
                }
            }
            c if c.is_control() => out.push(' '),
            ']' | '}' if !is_string => {
                let kept = out.trim_end();
                if kept.ends_with(',') {
                    out.truncate(kept.len() - 1);
                }
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// `\udc00` to `\udfff`.
fn is_second_half(text: Option<&str>) -> bool {
    let code = text
        .and_then(|text| text.strip_prefix("\\u"))
        .and_then(|text| text.get(..4));
    code.and_then(|code| u32::from_str_radix(code, 16).ok())
        .is_some_and(|code| (0xDC00..0xE000).contains(&code))
}

fn list(value: Option<&Value>) -> Vec<&Value> {
    match value {
        Some(Value::Array(list)) => list.iter().collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    }
}

fn kinds_as_written(thing: &Map<String, Value>) -> Vec<String> {
    let kinds = list(thing.get("@type")).into_iter().filter_map(Value::as_str);
    kinds
        .map(|kind| kind.rsplit(['/', ':']).next().unwrap_or(kind).to_owned())
        .collect()
}

fn kinds(thing: &Map<String, Value>) -> Vec<String> {
    kinds_as_written(thing)
        .iter()
        .map(|kind| kind.to_ascii_lowercase())
        .collect()
}

fn text(value: Option<&Value>) -> Option<String> {
    let found = match value? {
        Value::String(text) => text.as_str(),
        Value::Object(thing) => thing
            .get("@value")
            .or_else(|| thing.get("url"))
            .and_then(Value::as_str)?,
        Value::Array(list) => return list.iter().find_map(|one| text(Some(one))),
        _ => return None,
    };
    let found = unescape(found.into(), Place::Text);
    Some(folded(&found)).filter(|found| !found.is_empty())
}
