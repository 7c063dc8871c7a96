//! The documents of a library in the forms that library systems read: Dublin Core, BibTeX, CSL-JSON, an OAI-PMH static repository, and
//! S1's own tables for those who still use them. (G13, C4)
//!
//! In: [`CatalogueEntry`]s, one a work, in an order that does not change. Out: text. Nothing is read and no file is named here.

mod bibtex;
mod csl;
mod dublin_core;
mod names;
mod s1;

pub use bibtex::bibtex;
pub use csl::csl_json;
pub use dublin_core::{RepositoryName, dublin_core, oai_static_repository};
pub use names::{PersonName, person_name};
pub use s1::{S1_TABLES, S1Rows, S1Table, S1Value, s1_csv, s1_sql};

use crate::genre::Genre;
use crate::record::BibliographicRecord;
use crate::works::{Relation, WorkCounts};

/// A work of the library with its original and whatever else is held of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CatalogueEntry {
    /// Names the work for ever, within this library.
    pub id: String,
    pub record: BibliographicRecord,
    pub genre: Option<Genre>,
    /// The address of the original.
    pub url: String,
    pub media_type: String,
    /// When it was accepted or last changed, as `2026-05-06T07:08:09Z`.
    pub changed_at: String,
    /// Other documents of the work.
    pub others: Vec<(Relation, String)>,
    pub counts: WorkCounts,
}

impl CatalogueEntry {
    /// What stands for the title where there is none.
    fn title(&self) -> &str {
        self.record.title.as_deref().unwrap_or(&self.url)
    }
}

#[cfg(test)]
mod tests;
