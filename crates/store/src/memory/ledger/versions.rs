//! A document's history, and versions in the order they came.

use super::MemoryLedger;
use super::documents::runs_of;
use crate::ledger::{Event, PrunedVersion, VersionFacts, VersionLedger, VersionRow, VersionStanding, event};
use crate::memory::rows::{HeldVersion, Rows};
use crate::{Digest, StoreError};
use gleaner_model::{DocumentId, RunId, State, VersionId};

impl Rows {
    /// The state by which a version's own run reported it: it stands under the document's address, unless the document has
    /// moved since.
    fn reported(&self, id: VersionId, version: &HeldVersion) -> Option<State> {
        let here = self
            .documents
            .get(&version.document)
            .and_then(|document| self.changes.get(&(version.run, document.resource)))
            .filter(|change| change.version == Some(id));
        let elsewhere = || {
            let mut changes = self.changes_of(version.run).map(|(_, change)| change);
            changes.find(|change| change.version == Some(id))
        };
        here.or_else(elsewhere).map(|change| change.state)
    }
}

impl VersionLedger for MemoryLedger {
    fn versions(&self, document: DocumentId) -> Result<Vec<VersionRow>, StoreError> {
        self.look(|rows| {
            let own = rows
                .versions
                .iter()
                .filter(|(_, version)| version.document == document);
            let row = |(at, (&id, version)): (usize, (&VersionId, &HeldVersion))| VersionRow {
                number: at + 1,
                id,
                run: version.run,
                fetched_at: version.fetched_at,
                media_type: version.media_type.clone(),
                title: version.title.clone(),
                size: version.size,
                digest: version.digest,
                state: rows.reported(id, version),
                same_as: version.same_as,
                ignored: version.ignored.clone(),
                url: version.asked.clone(),
                is_lost: false,
            };
            Ok(own.enumerate().map(row).collect())
        })
    }

    fn pruned_versions(&self, document: DocumentId) -> Result<Vec<PrunedVersion>, StoreError> {
        self.look(|rows| {
            let Some(of) = rows.documents.get(&document) else {
                return Ok(Vec::new());
            };
            let pruned = runs_of(rows, of.project).filter_map(|run| {
                let change = rows.changes.get(&(run, of.resource))?;
                let is_report =
                    matches!(change.state, State::New | State::Upd) && change.moved_from.is_none();
                (is_report && change.version.is_none()).then(|| PrunedVersion {
                    run,
                    at: rows.runs[&run].started_at,
                    state: change.state,
                })
            });
            Ok(pruned.collect())
        })
    }

    fn events(&self, document: DocumentId) -> Result<Vec<(RunId, Event)>, StoreError> {
        self.look(|rows| {
            let Some(of) = rows.documents.get(&document) else {
                return Ok(Vec::new());
            };
            let events = runs_of(rows, of.project).filter_map(|run| {
                let mut versions = rows.versions.iter().rev();
                let version = versions.find(|(_, row)| (row.document, row.run) == (document, run));
                let state = rows.changes.get(&(run, of.resource)).map(|change| change.state);
                Some((run, event(version.map(|(id, _)| *id), state)?))
            });
            Ok(events.collect())
        })
    }

    fn versions_behind(&self, position: VersionId, limit: usize) -> Result<Vec<VersionFacts>, StoreError> {
        self.look(|rows| {
            let behind = rows.versions.iter().filter(|(id, _)| **id > position);
            let row = |(&id, version): (&VersionId, &HeldVersion)| {
                let document = &rows.documents[&version.document];
                let at = &rows.resources[&document.resource];
                VersionFacts {
                    version: id,
                    document: version.document,
                    project: document.project,
                    run: version.run,
                    url: version
                        .asked
                        .clone()
                        .unwrap_or_else(|| at.url.as_str().to_owned()),
                    host: rows.hosts[&at.host].name.clone(),
                    media_type: version.media_type.clone(),
                    title: version.title.clone(),
                    digest: version.digest,
                    is_lost: false,
                }
            };
            Ok(behind.take(limit).map(row).collect())
        })
    }

    fn count_versions(&self, position: VersionId) -> Result<(u64, u64), StoreError> {
        self.look(|rows| {
            let before = rows.versions.keys().filter(|id| **id <= position).count();
            Ok((before as u64, (rows.versions.len() - before) as u64))
        })
    }

    fn version_numbers(&self, position: VersionId) -> Result<Vec<i64>, StoreError> {
        self.look(|rows| {
            let ids = rows.versions.keys().filter(|id| **id <= position);
            Ok(ids.map(|id| id.0).collect())
        })
    }

    fn version_digest(&self, version: VersionId) -> Result<Option<Digest>, StoreError> {
        self.look(|rows| Ok(rows.versions.get(&version).map(|row| row.digest)))
    }

    fn standing(&self, version: VersionId) -> Result<Option<VersionStanding>, StoreError> {
        self.look(|rows| {
            let Some(row) = rows.versions.get(&version) else {
                return Ok(None);
            };
            let document = &rows.documents[&row.document];
            let at = &rows.resources[&document.resource];
            let project = &rows.projects[&document.project];
            let told = || {
                let runs = runs_of(rows, document.project).rev();
                runs.filter_map(|run| Some(rows.changes.get(&(run, document.resource))?.state))
            };
            let last_sure = told().find(|state| *state != State::Err);
            Ok(Some(VersionStanding {
                document: row.document,
                project: document.project,
                project_name: project.settings.name.clone(),
                run: row.run,
                url: at.url.as_str().to_owned(),
                host: rows.hosts[&at.host].name.clone(),
                media_type: row.media_type.clone(),
                title: row.title.clone(),
                fetched_at: row.fetched_at,
                is_newest: document.version == Some(version),
                state: told().next(),
                is_absent: document.gone_run.is_some() || last_sure == Some(State::Out),
                is_archived: project.archived_at.is_some(),
            }))
        })
    }
}
