//! What would the history of a project say under another equality? (B6)
//!
//! In: a project and a chain. Out: every version judged anew against the last one that says something of its own, the
//! states UPD and SAM of the changes that carry them, and the chain as the project's equality. No request is made: all is
//! read from the archive. NEW, MIS, ERR and OUT do not depend on an equality and stay.
//!
//! Safe to kill: one transaction a document, each right by itself, and the project's equality is set last, so that the
//! same command does the rest.

use crate::compare::{Comparer, Judging};
use crate::error::CompareError;
use crate::side::{SeenVersion, ignored_json};
use gleaner_model::{DocumentId, ProjectId, State, Timestamp};
use gleaner_store::ledger::VersionRow;
use gleaner_store::sqlite::history::Rejudged;
use gleaner_store::{Catalog, DataFolder, Ledger, StoreError, ledger};
use std::path::Path;

/// Whether the answer is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Write,
    /// Only show what would change.
    Tell,
}

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reconsidered {
    /// Documents with more than one version.
    pub documents: u64,
    pub versions: u64,
    /// Changes that were UPD.
    pub became_same: u64,
    /// Changes that were SAM.
    pub became_updated: u64,
    /// Versions whose bytes are lost or cannot be unpacked: left as they were.
    pub unreadable: u64,
}

/// Judges the history of a project anew.
pub fn reconsider(
    root: &Path,
    name: &str,
    judging: &Judging,
    effect: Effect,
    now: Timestamp,
) -> Result<Reconsidered, CompareError> {
    let reader = ledger::open(root)?;
    let missing = || StoreError::NotFound {
        what: "project",
        given: name.into(),
    };
    let (id, mut project) = reader.find_project(name)?.ok_or_else(missing)?;
    let folder = match effect {
        Effect::Write => Some(DataFolder::open(root)?),
        Effect::Tell => None,
    };
    let catalog = match &folder {
        Some(folder) => Some(Catalog::open(&folder.catalog())?),
        None => None,
    };
    let mut comparer = Comparer::new(&*reader);
    let mut done = Reconsidered::default();
    for document in reader.documents_with_history(id)? {
        let judged = judge_document(&*reader, &mut comparer, id, judging, document, &mut done)?;
        if let Some(catalog) = &catalog {
            catalog.rejudge(document, &judged)?;
        }
        done.documents += 1;
    }
    if let Some(catalog) = catalog {
        project.equality = judging.chain.to_string();
        catalog.project(&project, now)?;
        catalog.tidy()?;
    }
    Ok(done)
}

fn judge_document(
    reader: &dyn Ledger,
    comparer: &mut Comparer<'_>,
    project: ProjectId,
    judging: &Judging,
    document: DocumentId,
    done: &mut Reconsidered,
) -> Result<Vec<Rejudged>, CompareError> {
    let mut judged = Vec::new();
    let mut base: Option<(VersionRow, SeenVersion)> = None;
    for version in reader.versions(document)? {
        done.versions += 1;
        let now = match comparer.sight(project, judging, document, version.id) {
            Ok(now) => now,
            Err(error) if error.is_of_one_version() => {
                done.unreadable += 1;
                continue;
            }
            Err(error) => return Err(error),
        };
        // What was reported as NEW is the beginning of something, whatever was there before it went.
        let is_new = version.state == Some(State::New);
        let verdict = base
            .as_ref()
            .filter(|_| !is_new)
            .map(|(_, before)| judging.chain.judge(&before.side, &now.side));
        let same_as = match (&base, &verdict) {
            (Some((base, _)), Some(verdict)) if verdict.is_same() => Some(base.id),
            _ => None,
        };
        match (version.state, same_as.is_some()) {
            (Some(State::Upd), true) => done.became_same += 1,
            (Some(State::Sam), false) => done.became_updated += 1,
            _ => {}
        }
        judged.push(Rejudged {
            version: version.id,
            same_as,
            ignored: verdict.and_then(|verdict| ignored_json(&verdict.ignored)),
            ladder: now.ladder().encode(),
        });
        if same_as.is_none() {
            base = Some((version, now));
        }
    }
    Ok(judged)
}
