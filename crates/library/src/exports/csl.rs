//! CSL-JSON: what citation programs read.

use super::{CatalogueEntry, person_name};
use crate::genre::Genre;
use serde_json::{Map, Value, json};

/// A list of items, one a line.
pub fn csl_json(entries: &[CatalogueEntry]) -> String {
    let lines: Vec<String> = entries.iter().map(|entry| item(entry).to_string()).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

fn item(entry: &CatalogueEntry) -> Value {
    let record = &entry.record;
    let mut item = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            item.insert(name.to_owned(), value);
        }
    };
    put("id", json!(entry.id));
    put("type", json!(kind(entry.genre)));
    put("title", json!(entry.title()));
    let authors: Vec<Value> = record
        .authors
        .iter()
        .map(|author| {
            let name = person_name(author);
            if name.given.is_empty() {
                json!({ "literal": author })
            } else {
                json!({ "family": name.family, "given": name.given })
            }
        })
        .collect();
    put(
        "author",
        if authors.is_empty() {
            Value::Null
        } else {
            json!(authors)
        },
    );
    let parts: Vec<u32> = record
        .date
        .as_deref()
        .unwrap_or_default()
        .split('-')
        .filter_map(|part| part.parse().ok())
        .collect();
    put(
        "issued",
        if parts.is_empty() {
            Value::Null
        } else {
            json!({ "date-parts": [parts] })
        },
    );
    put("abstract", json!(record.summary));
    put(
        "keyword",
        if record.keywords.is_empty() {
            Value::Null
        } else {
            json!(record.keywords.join(", "))
        },
    );
    put("language", json!(record.language));
    put("DOI", json!(record.doi));
    put("URL", json!(entry.url));
    Value::Object(item)
}

fn kind(genre: Option<Genre>) -> &'static str {
    match genre {
        Some(Genre::Paper) => "article",
        Some(Genre::Thesis) => "thesis",
        Some(Genre::TechnicalReport | Genre::FaqOrManual) => "report",
        Some(Genre::Book) => "book",
        Some(Genre::Slides) => "speech",
        Some(Genre::SourceOrData) => "dataset",
        _ => "document",
    }
}
