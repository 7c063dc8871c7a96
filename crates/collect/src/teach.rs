//! What a library was taught: examples, and what people decided against the filter.
//!
//! Lessons are data: they are kept whole and applied again after every new model, so that no decision is silently undone.

use crate::filter::{Filter, GivenDocument};
use crate::follow::{filter_of, judge_all};
use crate::{CollectError, Collecting};
use gleaner_history::side::open;
use gleaner_library::genre::{Genre, Overrules, Seen};
use gleaner_library::topic::{ExampleKind, TopicExample, TopicExamples, TopicPage};
use gleaner_model::{DocumentId, LibraryId, Url};
use gleaner_store::libraries::{LibraryChange, LibraryDocument, LibraryVerdict};
use gleaner_store::{Ledger, wait};
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

    pub fn learn(&mut self, example: TopicExample) {
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

/// A person decides about a document of the library. Gives what it contradicts, in words. The verdict, the lesson and what the
/// filter learned from it are one change.
pub fn overrule(
    of: &Collecting<'_>,
    document: DocumentId,
    accept: Option<bool>,
    genre: Option<Genre>,
) -> Result<(LibraryDocument, Vec<String>), CollectError> {
    let ledger = of.store.reader()?;
    let ledger = &*ledger;
    let history = ledger.library_verdicts(of.library, document)?;
    let Some(last) = history.last().cloned() else {
        return Err(CollectError::Given {
            why: "the library has not judged this document".to_owned(),
            given: document.to_string(),
        });
    };
    let mut lessons = Lessons::of(ledger, of.library)?;
    let Some(accept) = accept else {
        // Taken back: the filter judges again.
        lessons.overrules = lessons.overrules.without(&last.url);
        lessons.examples.forget(&last.url);
        let change = LibraryChange {
            memories: vec![lessons.memory()?],
            ..LibraryChange::default()
        };
        wait(of.store.keep_library(of.library, change))?;
        let filter = filter_of(of, ledger)?;
        let wanted = [(last.document, last.version)];
        let again = judge_all(of, &filter, &ledger.opener(), &wanted, last.cycle)?;
        let judged = again.into_iter().next().unwrap_or(last);
        keep(of, judged.clone(), None)?;
        return Ok((judged, Vec::new()));
    };
    let filter = filter_of(of, ledger)?;
    let mut told = Vec::new();
    if let Some((seen, page)) = seen_of(of, &filter, ledger, &last)? {
        let at = crate::report::iso(of.clock.wall());
        for found in lessons
            .overrules
            .add(seen.overrule(&last.url, genre, accept, &at))
        {
            let what = if found.is_same_document {
                "the same document"
            } else {
                "a document that says the same"
            };
            told.push(format!(
                "two decisions contradict each other, the later one counts: {} is {what} as {}",
                found.later, found.earlier
            ));
        }
        // A document may be of the wrong kind and on the topic all the same: only what is accepted shows the topic.
        if accept && let Ok(url) = Url::parse(&last.url) {
            lessons.learn(TopicExample::new(&url, ExampleKind::Good, true, page));
        }
    }
    let mut reasons = vec!["a person decided so".to_owned()];
    if !last.is_by_person {
        reasons.push(format!("the filter said {}", last.verdict.as_str()));
    }
    let judged = LibraryDocument {
        verdict: if accept {
            LibraryVerdict::Accepted
        } else {
            LibraryVerdict::Rejected
        },
        genre: genre
            .map(|genre| genre.as_str().to_owned())
            .or(last.genre.clone()),
        is_by_person: true,
        at: of.clock.wall(),
        reasons,
        ..last
    };
    keep(of, judged.clone(), Some(&lessons))?;
    Ok((judged, told))
}

fn keep(of: &Collecting<'_>, judged: LibraryDocument, lessons: Option<&Lessons>) -> Result<(), CollectError> {
    let change = LibraryChange {
        documents: vec![judged],
        memories: lessons.map(Lessons::memory).transpose()?.into_iter().collect(),
        ..LibraryChange::default()
    };
    Ok(wait(of.store.keep_library(of.library, change))?)
}

/// What can be learned from a stored document; none where it cannot be read.
fn seen_of(
    of: &Collecting<'_>,
    filter: &Filter,
    ledger: &dyn Ledger,
    row: &LibraryDocument,
) -> Result<Option<(Seen, TopicPage)>, CollectError> {
    let Ok(url) = Url::parse(&row.url) else {
        return Ok(None);
    };
    let stored = match ledger.content(row.document, Some(row.version)) {
        Ok(stored) => stored,
        Err(error) if error.is_of_one_version() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let Ok(opened) = open(stored) else { return Ok(None) };
    let given = GivenDocument {
        url: &url,
        media_type: &row.media_type,
        bytes: opened.body.len() as u64,
    };
    let found = filter.judge(&given, &opened.body, &of.readers)?;
    Ok(found.seen.map(|seen| *seen))
}

/// Examples of the library's file that lie in files: read once, and learned from. Gives those that could not be read, with why.
pub fn learn_examples(
    of: &Collecting<'_>,
    examples: &[(String, bool)],
) -> Result<Vec<(String, String)>, CollectError> {
    let ledger = of.store.reader()?;
    let ledger = &*ledger;
    let mut lessons = Lessons::of(ledger, of.library)?;
    let new: Vec<&(String, bool)> = examples
        .iter()
        .filter(|(name, _)| !lessons.read.contains(name))
        .collect();
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let filter = filter_of(of, ledger)?;
    let mut unread = Vec::new();
    for (name, is_good) in new {
        let kind = if *is_good {
            ExampleKind::Good
        } else {
            ExampleKind::Bad
        };
        let found = if name.contains("://") {
            example_of_address(of, &filter, ledger, name)?
        } else {
            example_of_file(of, &filter, name)?
        };
        match found {
            Ok((url, page)) => {
                lessons.learn(TopicExample::new(&url, kind, false, page));
                lessons.read.push(name.clone());
            }
            Err(why) => unread.push((name.clone(), why)),
        }
    }
    let change = LibraryChange {
        memories: vec![lessons.memory()?],
        ..LibraryChange::default()
    };
    wait(of.store.keep_library(of.library, change))?;
    Ok(unread)
}

type ReadExample = Result<(Url, TopicPage), String>;

fn example_of_file(of: &Collecting<'_>, filter: &Filter, name: &str) -> Result<ReadExample, CollectError> {
    let body = match std::fs::read(name) {
        Ok(body) => body,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let address = format!("file://{}", name.replace(' ', "%20"));
    let Ok(url) = Url::parse(&address) else {
        return Ok(Err("its path is no address".to_owned()));
    };
    let given = GivenDocument {
        url: &url,
        media_type: "",
        bytes: body.len() as u64,
    };
    let found = filter.judge(&given, &body, &of.readers)?;
    let why = found.reasons.first().cloned().unwrap_or_default();
    Ok(found.seen.map(|seen| (url, seen.1)).ok_or(why))
}

/// Of a document that the library has.
fn example_of_address(
    of: &Collecting<'_>,
    filter: &Filter,
    ledger: &dyn Ledger,
    address: &str,
) -> Result<ReadExample, CollectError> {
    let Ok(url) = Url::parse(address) else {
        return Ok(Err("it is no address".to_owned()));
    };
    let resource = ledger.resource_of(&url)?;
    let document = resource.map(|at| ledger.document_at(at)).transpose()?.flatten();
    let Some(document) = document else {
        return Ok(Err("it was not fetched yet".to_owned()));
    };
    let last = ledger.library_verdicts(of.library, document)?.pop();
    let Some(last) = last else {
        return Ok(Err("it is no document".to_owned()));
    };
    let seen = seen_of(of, filter, ledger, &last)?;
    let why = last.reasons.first().cloned().unwrap_or_default();
    Ok(seen.map(|(_, page)| (url, page)).ok_or(why))
}
