//! Documents as they are now.

use super::{Ledger, PAGE, Pages};
use crate::StoreError;
use gleaner_model::{DocumentId, HostId, ProjectId, Reason, ResourceId, RunId, Timestamp, Url, VersionId};

/// One line of `gleaner ls`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRow {
    pub id: DocumentId,
    pub resource: ResourceId,
    pub url: String,
    pub media_type: String,
    pub charset: Option<String>,
    pub title: Option<String>,
    pub size: u64,
    pub fetched_at: Timestamp,
    pub project: String,
    /// None: it is there, as far as we know.
    pub absence: Option<Absence>,
}

/// Why a document that is kept is not among those that a project has now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// This run found it gone.
    Gone(RunId),
    /// The project's settings no longer take it, as this run said last.
    Out(RunId),
}

/// Which documents to list.
#[derive(Debug, Clone, Default)]
pub struct DocumentFilter {
    pub host: Option<String>,
    /// A type, or what stands before its slash.
    pub media_type: Option<String>,
    pub project: Option<String>,
    /// Only those that are no longer there.
    pub only_absent: bool,
}

/// One visit of one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    pub run: RunId,
    pub depth: u32,
    /// None: still queued.
    pub at: Option<Timestamp>,
    pub status: Option<u16>,
    pub reason: Option<Reason>,
}

/// A document with the oldest of its versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstVersion {
    pub document: DocumentId,
    pub resource: ResourceId,
    pub host: HostId,
    /// None: no version of it is there.
    pub version: Option<(VersionId, String)>,
}

pub trait DocumentLedger {
    /// Documents behind one, the oldest first; none at the end.
    fn documents(
        &self,
        filter: &DocumentFilter,
        after: Option<DocumentId>,
        limit: usize,
    ) -> Result<Vec<DocumentRow>, StoreError>;

    /// The project of a document, its address and the host of that.
    fn find_document(&self, document: DocumentId) -> Result<Option<(ProjectId, String, HostId)>, StoreError>;

    /// The document at an address: where several projects have one, that which was fetched last, or the newest of those that
    /// never were; else the last that moved away from there.
    fn document_at(&self, resource: ResourceId) -> Result<Option<DocumentId>, StoreError>;

    /// The address of a document.
    fn address_of_document(&self, document: DocumentId) -> Result<Option<ResourceId>, StoreError>;

    fn resource_of(&self, url: &Url) -> Result<Option<ResourceId>, StoreError>;

    /// What the last run that took up this resource found: depth, status, reason.
    fn last_visit(&self, resource: ResourceId) -> Result<Option<Visit>, StoreError>;

    /// Documents behind one with their first versions, the oldest first; none at the end.
    fn first_versions(&self, after: DocumentId, limit: usize) -> Result<Vec<FirstVersion>, StoreError>;

    /// Documents of a project with more than one version.
    fn documents_with_history(&self, project: ProjectId) -> Result<Vec<DocumentId>, StoreError>;

    /// Bodies whose bytes are gone; the next run fetches them again.
    fn lost_bodies(&self) -> Result<u64, StoreError>;

    /// The project of a document and its URL.
    fn document(&self, document: DocumentId) -> Result<(ProjectId, String), StoreError> {
        let found = self.find_document(document)?;
        found
            .map(|(project, url, _)| (project, url))
            .ok_or_else(|| no_document(&document.to_string()))
    }

    /// The host of a document; none where there is no such document.
    fn host_of(&self, document: DocumentId) -> Result<Option<HostId>, StoreError> {
        Ok(self.find_document(document)?.map(|(_, _, host)| host))
    }

    /// A document's number or a URL, as people type it.
    fn resource_named(&self, given: &str) -> Result<ResourceId, StoreError> {
        let found = if let Ok(id) = given.parse() {
            self.address_of_document(DocumentId(id))?
        } else {
            let url = Url::parse(given).map_err(|_| no_document(given))?;
            self.resource_of(&url)?
        };
        found.ok_or_else(|| no_document(given))
    }

    /// A document's number or a URL, as people type it. Where several projects hold the URL it is the one fetched last; an
    /// address from which a document has moved still leads to it.
    fn document_named(&self, given: &str) -> Result<DocumentId, StoreError> {
        let found = if let Ok(id) = given.parse() {
            let id = DocumentId(id);
            self.address_of_document(id)?.map(|_| id)
        } else {
            let url = Url::parse(given).map_err(|_| no_document(given))?;
            match self.resource_of(&url)? {
                Some(resource) => self.document_at(resource)?,
                None => None,
            }
        };
        found.ok_or_else(|| no_document(given))
    }
}

pub(crate) fn no_document(given: &str) -> StoreError {
    StoreError::NotFound {
        what: "document",
        given: given.into(),
    }
}

impl dyn Ledger + '_ {
    /// All documents that are meant, the oldest first.
    pub fn all_documents<'l>(&'l self, filter: &'l DocumentFilter) -> Pages<'l, DocumentRow> {
        Pages::new(move |last: Option<&DocumentRow>| self.documents(filter, last.map(|row| row.id), PAGE))
    }
}
