//! Judging: the documents that runs brought, one after the other, from where the library was.
//!
//! The verdicts of a batch and the position behind it are one change of the store: a kill judges nothing twice and leaves
//! nothing out. A batch is read on all processors.

use crate::filter::{Filter, FilteredDocument, GivenDocument};
use crate::report::CycleEvent;
use crate::sites::site_of;
use crate::teach::Lessons;
use crate::{CollectError, Collecting};
use gleaner_history::side::open;
use gleaner_model::{DocumentId, Timestamp, Url, VersionId};
use gleaner_readers::Pool;
use gleaner_store::ledger::OpensLedgers;
use gleaner_store::libraries::{LibraryChange, LibraryDocument, LibraryVerdict};
use gleaner_store::{Ledger, StoreError, wait};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Changes that are looked at, at a time.
const BATCH: usize = 256;

/// How many were judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JudgedCounts {
    pub accepted: u64,
    pub rejected: u64,
    pub uncertain: u64,
}

impl JudgedCounts {
    pub fn add(&mut self, verdict: LibraryVerdict) {
        match verdict {
            LibraryVerdict::Accepted => self.accepted += 1,
            LibraryVerdict::Rejected => self.rejected += 1,
            LibraryVerdict::Uncertain => self.uncertain += 1,
        }
    }

    pub fn all(&self) -> u64 {
        self.accepted + self.rejected + self.uncertain
    }
}

/// The filter as the library's file and its lessons make it.
pub fn filter_of(of: &Collecting<'_>, ledger: &dyn Ledger) -> Result<Filter, CollectError> {
    let lessons = Lessons::of(ledger, of.library)?;
    Ok(Filter::new(Arc::clone(&of.settings), Arc::new(lessons)))
}

/// Judges what finished runs brought since the last time. Stops between two batches where somebody wants that.
pub fn judge_new(of: &Collecting<'_>, cycle: u32) -> Result<JudgedCounts, CollectError> {
    let ledger = of.store.reader()?;
    let ledger = &*ledger;
    let filter = filter_of(of, ledger)?;
    let follower = of.follower();
    let mut counts = JudgedCounts::default();
    while !of.is_stopped() {
        let changes = ledger.changes_after(ledger.position(&follower)?, BATCH)?;
        let Some(last) = changes.last().map(|change| change.position) else {
            break;
        };
        let ours = changes.iter().filter(|change| change.project == of.project);
        let wanted: Vec<_> = ours
            .filter_map(|change| Some((change.document?, change.version?)))
            .collect();
        let documents = judge_all(of, &filter, &ledger.opener(), &wanted, cycle)?;
        let change = LibraryChange {
            documents: documents.clone(),
            position: Some((follower.clone(), last)),
            ..LibraryChange::default()
        };
        wait(of.store.keep_library(of.library, change))?;
        for document in documents {
            counts.add(document.verdict);
            (of.told)(CycleEvent::Judged(Box::new(document)));
        }
    }
    Ok(counts)
}

/// Judges all documents of the library once more, as after a new model or an overrule; those of which something else is said now
/// are kept and told.
pub fn judge_again(of: &Collecting<'_>) -> Result<JudgedCounts, CollectError> {
    let ledger = of.store.reader()?;
    let ledger = &*ledger;
    let filter = filter_of(of, ledger)?;
    let mut counts = JudgedCounts::default();
    let mut after: Option<DocumentId> = None;
    while !of.is_stopped() {
        let page = ledger.library_documents(of.library, None, after, BATCH)?;
        let Some(last) = page.last() else { break };
        after = Some(last.document);
        let wanted: Vec<_> = page.iter().map(|row| (row.document, row.version)).collect();
        let before: BTreeMap<DocumentId, &LibraryDocument> =
            page.iter().map(|row| (row.document, row)).collect();
        let judged = judge_all(of, &filter, &ledger.opener(), &wanted, 0)?;
        let changed: Vec<LibraryDocument> = judged
            .into_iter()
            .filter(|now| {
                before.get(&now.document).is_none_or(|old| {
                    (old.verdict, &old.genre, old.is_by_person) != (now.verdict, &now.genre, now.is_by_person)
                })
            })
            .collect();
        if changed.is_empty() {
            continue;
        }
        let change = LibraryChange {
            documents: changed.clone(),
            ..LibraryChange::default()
        };
        wait(of.store.keep_library(of.library, change))?;
        for document in changed {
            counts.add(document.verdict);
            (of.told)(CycleEvent::Judged(Box::new(document)));
        }
    }
    Ok(counts)
}

/// Those of the versions that are documents, judged, in their order.
pub(crate) fn judge_all(
    of: &Collecting<'_>,
    filter: &Filter,
    opener: &Arc<dyn OpensLedgers>,
    wanted: &[(DocumentId, VersionId)],
    cycle: u32,
) -> Result<Vec<LibraryDocument>, CollectError> {
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(wanted.len());
    let next = AtomicUsize::new(0);
    let (readers, now) = (&*of.readers, of.clock.wall());
    let work = || {
        let ledger = opener.ledger()?;
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((document, version)) = wanted.get(at) else {
                return Ok::<_, CollectError>(done);
            };
            if let Some(judged) = judge_one(filter, readers, &*ledger, (*document, *version))? {
                done.push((
                    at,
                    LibraryDocument {
                        cycle,
                        at: now,
                        ..judged
                    },
                ));
            }
        }
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(std::thread::ScopedJoinHandle::join);
        joined
            .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    let mut done = Vec::new();
    for result in results {
        done.extend(result?);
    }
    done.sort_unstable_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, judged)| judged).collect())
}

fn judge_one(
    filter: &Filter,
    readers: &Pool,
    ledger: &dyn Ledger,
    (document, version): (DocumentId, VersionId),
) -> Result<Option<LibraryDocument>, CollectError> {
    let Some(standing) = ledger.standing(version)? else {
        return Ok(None); // It left meanwhile.
    };
    let Ok(url) = Url::parse(&standing.url) else {
        return Ok(None);
    };
    if !filter.is_document(&standing.media_type, &url) {
        return Ok(None);
    }
    let (found, size) = match ledger.content(document, Some(version)) {
        Ok(stored) => match open(stored) {
            Ok(opened) => {
                let given = GivenDocument {
                    url: &url,
                    media_type: &standing.media_type,
                    bytes: opened.body.len() as u64,
                };
                (filter.judge(&given, &opened.body, readers)?, given.bytes)
            }
            Err(_) => (unreadable("it cannot be unpacked"), 0),
        },
        Err(StoreError::NotFound { .. }) => return Ok(None),
        Err(error) if error.is_of_one_version() => (unreadable("its bytes are lost"), 0),
        Err(error) => return Err(error.into()),
    };
    Ok(Some(LibraryDocument {
        document,
        version,
        site: site_of(&url),
        url: standing.url,
        verdict: found.verdict,
        genre: found.genre,
        score: found.score,
        topic: found.topic,
        reasons: found.reasons,
        is_by_person: found.is_by_person,
        cycle: 0,
        at: Timestamp(0),
        media_type: standing.media_type,
        size,
        title: found.title.or(standing.title),
        language: found.language,
        work: None,
        role: None,
    }))
}

fn unreadable(why: &str) -> FilteredDocument {
    FilteredDocument {
        verdict: LibraryVerdict::Rejected,
        genre: None,
        score: 0.0,
        topic: 0.0,
        reasons: vec![why.to_owned()],
        is_by_person: false,
        title: None,
        language: None,
        seen: None,
    }
}
