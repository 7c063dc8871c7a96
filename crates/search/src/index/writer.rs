//! What goes into the index, and out of it again.

use super::terms::Marked;
use super::{Commit, Fields, Index, VERSION, at, tag_of_host, tag_of_language, tag_of_project, tag_of_type};
use crate::{Language, SearchError};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use tantivy::index::SegmentReader;
use tantivy::query::doc_predicate_query::{DocPredicateQuery, FunctionPredicate};
use tantivy::{DocId, IndexWriter, TantivyDocument};

/// Memory for terms before they are written as a segment.
const HEAP_BYTES: usize = 96 * 1024 * 1024;

/// A version as the index sees it.
#[derive(Debug, Clone)]
pub struct IndexEntry<'a> {
    pub version: i64,
    pub project: i64,
    pub host: &'a str,
    pub url: &'a str,
    pub media_type: &'a str,
    pub title: &'a str,
    /// In document order.
    pub passages: Vec<IndexPassage<'a>>,
}

/// A piece of text over which no phrase reaches.
#[derive(Debug, Clone, Copy)]
pub struct IndexPassage<'a> {
    pub text: &'a str,
    pub is_heading: bool,
    pub is_main: bool,
}

/// The one that writes. There is one at a time for an index, in all processes.
pub struct Writer {
    folder: PathBuf,
    fields: Fields,
    inner: IndexWriter,
}

impl Index {
    /// Takes the index for writing; an error at once where someone else has it.
    pub fn writer(&self) -> Result<Writer, SearchError> {
        let inner = self
            .inner
            .writer_with_num_threads(1, HEAP_BYTES)
            .map_err(|cause| self.at(cause))?;
        Ok(Writer {
            folder: self.folder.clone(),
            fields: self.fields,
            inner,
        })
    }
}

impl Writer {
    /// Adds a version that is not in the index.
    pub fn add(&mut self, entry: &IndexEntry<'_>) -> Result<(), SearchError> {
        let document = document(entry, &self.fields);
        self.inner
            .add_document(document)
            .map_err(|cause| at(&self.folder, cause))?;
        Ok(())
    }

    /// Takes versions out again.
    pub fn remove(&mut self, versions: HashSet<i64>) -> Result<(), SearchError> {
        if versions.is_empty() {
            return Ok(());
        }
        let versions = Arc::new(versions);
        let predicate = FunctionPredicate::from(move |segment: &SegmentReader| {
            let column = segment.fast_fields().u64(VERSION)?;
            let versions = Arc::clone(&versions);
            Ok(move |doc: DocId| {
                column
                    .first(doc)
                    .is_some_and(|id| versions.contains(&(id as i64)))
            })
        });
        let query = DocPredicateQuery::from(predicate);
        self.inner
            .delete_query(Box::new(query))
            .map_err(|cause| at(&self.folder, cause))?;
        Ok(())
    }

    /// Makes everything up to here durable, together with how far that is.
    pub fn commit(&mut self, commit: &Commit) -> Result<(), SearchError> {
        let payload = serde_json::to_string(commit).expect("numbers and text are JSON");
        let failed = |cause| at(&self.folder, cause);
        let mut prepared = self.inner.prepare_commit().map_err(failed)?;
        prepared.set_payload(&payload);
        prepared.commit().map_err(failed)?;
        Ok(())
    }

    /// Writes segments anew that hold versions which were taken out: they would still count as documents in the scores.
    pub fn tidy(&mut self) -> Result<(), SearchError> {
        let metas = self.inner.index().searchable_segment_metas();
        let metas = metas.map_err(|cause| at(&self.folder, cause))?;
        for meta in metas.iter().filter(|meta| meta.has_deletes()) {
            let merged = self.inner.merge(&[meta.id()]).wait();
            merged.map_err(|cause| at(&self.folder, cause))?;
        }
        Ok(())
    }

    /// Waits for what is done in the background and lets the index go.
    pub fn finish(self) -> Result<(), SearchError> {
        let folder = self.folder;
        self.inner
            .wait_merging_threads()
            .map_err(|cause| at(&folder, cause))
    }
}

fn document(entry: &IndexEntry<'_>, fields: &Fields) -> TantivyDocument {
    let has_main = entry.passages.iter().any(|passage| passage.is_main);
    let is_main = |passage: &IndexPassage<'_>| passage.is_main || !has_main;
    let language = Language::of(&sample(entry, is_main));
    let mut title = Marked::new(language);
    title.push(entry.title);
    let mut headings = Marked::new(language);
    let mut body = Marked::new(language);
    let mut rest = Marked::new(language);
    for passage in &entry.passages {
        if is_main(passage) {
            body.push(passage.text);
            if passage.is_heading {
                headings.push(passage.text);
            }
        } else {
            rest.push(passage.text);
        }
    }
    let mut url = Marked::new(Language::UNKNOWN);
    url.push(entry.url);

    let mut document = TantivyDocument::new();
    document.add_u64(fields.version, entry.version as u64);
    document.add_text(fields.title, title.into_text());
    document.add_text(fields.url, url.into_text());
    for (field, text) in [
        (fields.headings, headings),
        (fields.body, body),
        (fields.rest, rest),
    ] {
        if text.is_empty() {
            continue;
        }
        let text = text.into_text();
        if field != fields.headings {
            document.add_text(fields.words, &text);
        }
        document.add_text(field, text);
    }
    for tag in tags(entry, language) {
        document.add_text(fields.tags, tag);
    }
    document
}

/// What the language is told by: the longest passages say most, and menus the least.
fn sample<'a>(entry: &IndexEntry<'a>, is_main: impl Fn(&IndexPassage<'a>) -> bool) -> String {
    const LONG_BYTES: usize = 80;
    const SAMPLE_BYTES: usize = 2000;
    let mut sample = String::new();
    let main = || entry.passages.iter().filter(|passage| is_main(passage));
    let long = main().filter(|passage| passage.text.len() >= LONG_BYTES);
    let short = main().filter(|passage| passage.text.len() < LONG_BYTES);
    for text in long.chain(short).map(|passage| passage.text).chain([entry.title]) {
        if sample.len() >= SAMPLE_BYTES {
            break;
        }
        sample.push_str(text);
        sample.push('\n');
    }
    sample
}

fn tags(entry: &IndexEntry<'_>, language: Language) -> Vec<String> {
    let mut tags = vec![tag_of_project(entry.project), tag_of_language(language)];
    let mut host = entry.host.trim_end_matches('.');
    tags.push(tag_of_host(host));
    // Also by the hosts above it; an address in digits has none.
    if host.parse::<std::net::IpAddr>().is_err() {
        while let Some((_, above)) = host.split_once('.').filter(|(_, above)| above.contains('.')) {
            tags.push(tag_of_host(above));
            host = above;
        }
    }
    tags.push(tag_of_type(entry.media_type));
    if let Some((group, _)) = entry.media_type.split_once('/') {
        tags.push(tag_of_type(group));
    }
    tags
}
