//! The index: one folder, one document a version.
//!
//! ```text
//!  title, headings  stems and words themselves, with places      they weigh more
//!  body, rest       stems with places; rest is what is no main text and weighs less
//!  words            words that differ from their stems: for beginnings and misspelt words
//!  url              the address in words
//!  tags             project, host and the hosts above it, type, language: `p3`, `hexample.org`, `ttext/html`, `len`
//!  version          which version it is (a column, not searched for)
//! ```
//! Nothing is stored but these. How far the index got is part of tantivy's commit, so after a kill both are as they were.

mod ask;
mod terms;
mod top;
mod writer;

pub use top::{Hit, RankedVersion};
pub use writer::{IndexEntry, IndexPassage, Writer};

use crate::{Language, SearchError};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tantivy::directory::MmapDirectory;
use tantivy::schema::{Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions};
use tantivy::{IndexReader, ReloadPolicy, Searcher, TantivyError};

/// Changes with the fields, their terms or what stands in them; an index of another format is made anew.
pub const FORMAT: u32 = 1;

/// How far the index has got, kept with it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Commit {
    /// The last version that was looked at.
    pub position: i64,
    /// Behind which of the changes it goes on, as whoever follows writes it; empty: from the first.
    #[serde(default)]
    pub changes: String,
    /// What it was made from; another means that the position says nothing.
    pub source: String,
}

/// The fields, by name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    pub(crate) title: Field,
    pub(crate) headings: Field,
    pub(crate) body: Field,
    pub(crate) rest: Field,
    pub(crate) words: Field,
    pub(crate) url: Field,
    pub(crate) tags: Field,
    pub(crate) version: Field,
}

const VERSION: &str = "version";

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let text = |tokenizer: &str, option: IndexRecordOption, has_lengths: bool| {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(tokenizer)
            .set_index_option(option)
            .set_fieldnorms(has_lengths);
        TextOptions::default().set_indexing_options(indexing)
    };
    let with_places = IndexRecordOption::WithFreqsAndPositions;
    let fields = Fields {
        title: schema.add_text_field("title", text(terms::BOTH, with_places, true)),
        headings: schema.add_text_field("headings", text(terms::BOTH, with_places, true)),
        body: schema.add_text_field("body", text(terms::STEMS, with_places, true)),
        rest: schema.add_text_field("rest", text(terms::STEMS, with_places, true)),
        words: schema.add_text_field("words", text(terms::SURFACE, IndexRecordOption::Basic, false)),
        url: schema.add_text_field("url", text(terms::STEMS, with_places, true)),
        tags: schema.add_text_field("tags", text("raw", IndexRecordOption::Basic, false)),
        version: schema.add_u64_field(VERSION, NumericOptions::default().set_fast()),
    };
    (schema.build(), fields)
}

pub(crate) fn tag_of_project(id: i64) -> String {
    format!("p{id}")
}

pub(crate) fn tag_of_host(host: &str) -> String {
    format!("h{}", host.trim_end_matches('.').to_lowercase())
}

pub(crate) fn tag_of_type(media_type: &str) -> String {
    format!("t{}", media_type.trim().to_ascii_lowercase())
}

pub(crate) fn tag_of_language(language: Language) -> String {
    format!("l{}", language.code())
}

/// An index as it was at its last commit.
pub struct Index {
    folder: PathBuf,
    inner: tantivy::Index,
    fields: Fields,
    reader: IndexReader,
}

impl Index {
    /// Opens the index in `folder`, or makes an empty one there.
    pub fn open(folder: &Path) -> Result<Index, SearchError> {
        std::fs::create_dir_all(folder).map_err(|cause| SearchError::Folder {
            folder: folder.to_owned(),
            cause,
        })?;
        let failed = |cause| at(folder, cause);
        let (schema, fields) = schema();
        let directory = MmapDirectory::open(folder).map_err(|cause| failed(cause.into()))?;
        let inner = tantivy::Index::open_or_create(directory, schema).map_err(failed)?;
        terms::register(inner.tokenizers());
        let reader = inner
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()
            .map_err(failed)?;
        Ok(Index {
            folder: folder.to_owned(),
            inner,
            fields,
            reader,
        })
    }

    /// Whether there is one in `folder`.
    pub fn exists(folder: &Path) -> bool {
        folder.join("meta.json").is_file()
    }

    /// Looks at the last commit, whoever made it.
    pub fn reload(&self) -> Result<(), SearchError> {
        self.reader.reload().map_err(|cause| self.at(cause))
    }

    /// How far it got; nothing where nothing was committed.
    pub fn commit(&self) -> Result<Option<Commit>, SearchError> {
        let metas = self.inner.load_metas().map_err(|cause| self.at(cause))?;
        Ok(metas
            .payload
            .as_deref()
            .and_then(|text| serde_json::from_str(text).ok()))
    }

    /// Versions in it.
    pub fn count(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// All versions in it, in no order.
    pub fn versions(&self) -> Result<Vec<i64>, SearchError> {
        let mut found = Vec::new();
        for segment in self.searcher().segment_readers() {
            let column = segment
                .fast_fields()
                .u64(VERSION)
                .map_err(|cause| self.at(cause))?;
            found.extend(
                segment
                    .doc_ids_alive()
                    .filter_map(|doc| column.first(doc))
                    .map(|id| id as i64),
            );
        }
        Ok(found)
    }

    /// The languages of its documents.
    pub fn languages(&self) -> Result<Vec<Language>, SearchError> {
        let mut found = Vec::new();
        for segment in self.searcher().segment_readers() {
            let tags = segment
                .inverted_index(self.fields.tags)
                .map_err(|cause| self.at(cause))?;
            let stream = tags.terms().range().ge("l").lt("m").into_stream();
            let mut stream = stream.map_err(|cause| self.at(cause.into()))?;
            while stream.advance() {
                let code = std::str::from_utf8(&stream.key()[1..]).unwrap_or_default();
                found.extend(Language::parse(code));
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }

    fn at(&self, cause: TantivyError) -> SearchError {
        at(&self.folder, cause)
    }
}

fn at(folder: &Path, cause: TantivyError) -> SearchError {
    let folder = folder.to_owned();
    match cause {
        TantivyError::LockFailure(..) => SearchError::InUse { folder },
        cause => SearchError::Index { folder, cause },
    }
}

#[cfg(test)]
mod tests;
