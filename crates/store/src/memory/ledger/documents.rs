//! Documents as they are now.

use super::MemoryLedger;
use crate::StoreError;
use crate::ledger::{Absence, DocumentFilter, DocumentLedger, DocumentRow, FirstVersion, Visit};
use crate::memory::rows::{HeldDocument, Rows};
use gleaner_model::{DocumentId, HostId, ProjectId, ResourceId, RunId, State, Url};

impl Rows {
    fn absence(&self, id: DocumentId, document: &HeldDocument) -> Option<Absence> {
        if let Some(run) = document.gone_run {
            return Some(Absence::Gone(run));
        }
        let mut told = self.changes.iter().rev();
        let last = told.find(|(_, change)| change.document == Some(id) && change.state != State::Err);
        last.filter(|(_, change)| change.state == State::Out)
            .map(|((run, _), _)| Absence::Out(*run))
    }
}

impl DocumentLedger for MemoryLedger {
    fn documents(
        &self,
        filter: &DocumentFilter,
        after: Option<DocumentId>,
        limit: usize,
    ) -> Result<Vec<DocumentRow>, StoreError> {
        self.look(|rows| {
            let mut found = Vec::new();
            for (&id, document) in &rows.documents {
                let Some(version) = document.version.and_then(|id| rows.versions.get(&id)) else {
                    continue;
                };
                let resource = &rows.resources[&document.resource];
                let project = &rows.projects[&document.project].settings.name;
                let absence = rows.absence(id, document);
                let is_host = |host: &String| *host == rows.hosts[&resource.host].name;
                let is_type = |of: &String| {
                    let rest = version.media_type.strip_prefix(of.as_str());
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                };
                let is_meant = after.is_none_or(|after| id > after)
                    && filter.host.as_ref().is_none_or(is_host)
                    && filter.media_type.as_ref().is_none_or(is_type)
                    && filter.project.as_ref().is_none_or(|name| name == project)
                    && (!filter.only_absent || absence.is_some());
                if is_meant && found.len() < limit {
                    found.push(DocumentRow {
                        id,
                        resource: document.resource,
                        url: resource.url.as_str().to_owned(),
                        media_type: version.media_type.clone(),
                        charset: version.charset.clone(),
                        title: version.title.clone(),
                        size: version.size,
                        fetched_at: version.fetched_at,
                        project: project.clone(),
                        absence,
                    });
                }
            }
            Ok(found)
        })
    }

    fn find_document(&self, document: DocumentId) -> Result<Option<(ProjectId, String, HostId)>, StoreError> {
        self.look(|rows| {
            Ok(rows.documents.get(&document).map(|row| {
                let at = &rows.resources[&row.resource];
                (row.project, at.url.as_str().to_owned(), at.host)
            }))
        })
    }

    fn document_at(&self, resource: ResourceId) -> Result<Option<DocumentId>, StoreError> {
        self.look(|rows| {
            let here = rows.documents.iter().filter(|(_, row)| row.resource == resource);
            if let Some((id, _)) = here.max_by_key(|(id, row)| (row.version, **id)) {
                return Ok(Some(*id));
            }
            let moved = rows
                .changes
                .values()
                .filter(|change| change.moved_from == Some(resource) && change.document.is_some());
            Ok(moved
                .max_by_key(|change| change.number)
                .and_then(|change| change.document))
        })
    }

    fn address_of_document(&self, document: DocumentId) -> Result<Option<ResourceId>, StoreError> {
        self.look(|rows| Ok(rows.documents.get(&document).map(|row| row.resource)))
    }

    fn resource_of(&self, url: &Url) -> Result<Option<ResourceId>, StoreError> {
        self.look(|rows| Ok(rows.resource_of.get(&url.key()).copied()))
    }

    fn last_visit(&self, resource: ResourceId) -> Result<Option<Visit>, StoreError> {
        self.look(|rows| {
            let mut visits = rows.visits.iter().rev();
            let found = visits.find(|((_, of), _)| *of == resource);
            Ok(found.map(|((run, _), visit)| Visit {
                run: *run,
                depth: visit.depth,
                at: visit.at,
                status: visit.status,
                reason: visit.reason,
            }))
        })
    }

    fn first_versions(&self, after: DocumentId, limit: usize) -> Result<Vec<FirstVersion>, StoreError> {
        self.look(|rows| {
            let behind = rows.documents.iter().filter(|(id, _)| **id > after);
            let row = |(&id, document): (&DocumentId, &HeldDocument)| {
                let mut versions = rows.versions.iter();
                let first = versions.find(|(_, version)| version.document == id);
                FirstVersion {
                    document: id,
                    resource: document.resource,
                    host: rows.resources[&document.resource].host,
                    version: first.map(|(version, row)| (*version, row.media_type.clone())),
                }
            };
            Ok(behind.take(limit).map(row).collect())
        })
    }

    fn documents_with_history(&self, project: ProjectId) -> Result<Vec<DocumentId>, StoreError> {
        self.look(|rows| {
            let of_project = rows.documents.iter().filter(|(_, row)| row.project == project);
            let has_history = |id: DocumentId| {
                rows.versions
                    .values()
                    .filter(|version| version.document == id)
                    .count()
                    > 1
            };
            Ok(of_project
                .map(|(id, _)| *id)
                .filter(|id| has_history(*id))
                .collect())
        })
    }

    fn lost_bodies(&self) -> Result<u64, StoreError> {
        Ok(0)
    }
}

/// The runs of a project, the oldest first.
pub(super) fn runs_of(rows: &Rows, project: ProjectId) -> impl DoubleEndedIterator<Item = RunId> {
    rows.runs
        .iter()
        .filter(move |(_, row)| row.project == project)
        .map(|(run, _)| *run)
}
