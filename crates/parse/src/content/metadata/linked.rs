//! Linked data: the JSON-LD of a page. It often describes more than the page (its site, its crumbs, other articles), so the
//! thing that is most like a text is taken for the page.

use super::super::tree::Tree;
use super::super::words::folded;
use crate::html::entities::{Place, unescape};
use serde_json::{Map, Value};

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
        "videoobject",
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
}

impl Linked {
    pub(super) fn read(tree: &Tree) -> Linked {
        let scripts: Vec<Value> = tree
            .linked_data
            .iter()
            .filter_map(|at| tree.nodes.get(*at as usize + 1).filter(|node| node.tag.is_none()))
            .filter_map(|node| value(tree.str(node.text)))
            .collect();
        let mut things: Vec<(usize, &Map<String, Value>)> = Vec::new();
        let mut site = None;
        let mut named: Vec<(&str, &Map<String, Value>)> = Vec::new();
        let mut open: Vec<&Value> = scripts.iter().rev().collect();
        while let Some(value) = open.pop() {
            if things.len() + named.len() >= THINGS_MAX {
                break;
            }
            match value {
                Value::Array(list) => open.extend(list.iter().rev()),
                Value::Object(thing) => {
                    let kinds = kinds(thing);
                    if let Some(id) = thing.get("@id").and_then(Value::as_str) {
                        named.push((id, thing));
                    }
                    if kinds.iter().any(|kind| kind == "website") {
                        site = site.or_else(|| text(thing.get("name")));
                    }
                    let rank = KINDS
                        .iter()
                        .position(|list| kinds.iter().any(|kind| list.contains(&kind.as_str())));
                    things.extend(rank.map(|rank| (rank, thing)));
                    // What is described inside of a thing comes after it.
                    let inner = thing
                        .iter()
                        .filter(|(key, _)| !matches!(key.as_str(), "author" | "comment" | "review"));
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
                ..Linked::default()
            };
        };
        // Another thing about the same page may know what the best one does not say.
        let ask = |key: &str| {
            let own = text(page.get(key));
            own.or_else(|| things.iter().find_map(|(_, thing)| text(thing.get(key))))
        };
        let by_id = |id: &str| {
            named
                .iter()
                .find(|(known, thing)| *known == id && thing.contains_key("name"))
        };
        let mut authors = Vec::new();
        let writer = page.get("author").or_else(|| page.get("creator"));
        for person in list(writer) {
            let name = match person {
                Value::String(name) => Some(folded(name)),
                Value::Object(person) => text(person.get("name")).or_else(|| {
                    let id = person.get("@id")?.as_str()?;
                    text(by_id(id)?.1.get("name"))
                }),
                _ => None,
            };
            authors.extend(name.into_iter().flat_map(|name| super::people(&name)));
        }
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
        }
    }
}

/// Some put line breaks into strings, which JSON forbids.
fn value(script: &str) -> Option<Value> {
    let script = script.trim().trim_end_matches(';');
    if script.len() > SCRIPT_BYTES_MAX {
        return None;
    }
    serde_json::from_str(script).ok().or_else(|| {
        let mended: String = script
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        serde_json::from_str(&mended).ok()
    })
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
