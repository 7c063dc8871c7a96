//! What a library was taught: examples, and what people decided against the filter.
//!
//! Lessons are data: they are kept whole and applied again after every new model, so that no decision is silently undone.

use crate::CollectError;
use gleaner_library::genre::Overrules;
use gleaner_library::topic::{Example, ExampleKind, TopicExamples};
use gleaner_model::LibraryId;
use gleaner_store::Ledger;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const LESSONS: &str = "lessons";

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Lessons {
    pub overrules: Overrules,
    pub examples: TopicExamples,
    /// Files and addresses of the library's file that were read already.
    pub read: Vec<String>,
}

impl Lessons {
    pub fn of(ledger: &dyn Ledger, library: LibraryId) -> Result<Lessons, CollectError> {
        Ok(memory(ledger, library, LESSONS, "lessons")?.unwrap_or_default())
    }

    /// As they are kept.
    pub fn memory(&self) -> Result<(String, Vec<u8>), CollectError> {
        Ok((LESSONS.to_owned(), memory_json(self, "lessons")?))
    }

    /// Whether the topic is known by examples of what is good.
    pub fn has_examples(&self) -> bool {
        self.examples.count(ExampleKind::Good) > 0
    }

    pub fn learn(&mut self, example: Example) {
        self.examples.add(example);
    }
}

/// What is kept as JSON under a name.
pub(crate) fn memory<T: DeserializeOwned>(
    ledger: &dyn Ledger,
    library: LibraryId,
    name: &str,
    what: &'static str,
) -> Result<Option<T>, CollectError> {
    let Some(kept) = ledger.library_memory(library, name)? else {
        return Ok(None);
    };
    let read = serde_json::from_slice(&kept);
    read.map(Some).map_err(|cause| CollectError::Kept { what, cause })
}

pub(crate) fn memory_json<T: Serialize>(value: &T, what: &'static str) -> Result<Vec<u8>, CollectError> {
    serde_json::to_vec(value).map_err(|cause| CollectError::Kept { what, cause })
}
