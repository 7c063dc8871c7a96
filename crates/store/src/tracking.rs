//! What a project had before a track, and what the track does about it.

use crate::StoreError;
use crate::keep::LastAnswer;
use crate::runs::RunRef;
use async_trait::async_trait;
use gleaner_model::{
    DocumentId, Leg, LinkKind, Project, ProjectId, Reason, ResourceId, Timestamp, Url, UrlKey,
};

/// A document that the project had before this run.
#[derive(Debug)]
pub struct KnownDocument {
    pub document: DocumentId,
    pub url: Url,
    pub depth: u32,
    pub(crate) resource: ResourceId,
    pub(crate) key: UrlKey,
}

/// What a track does about a document that the project had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    Ask,
    /// It is looked at where the steps of the project come in.
    AskForSteps,
    /// Its server lists what it has: the folders are asked, not the document.
    List,
    /// The settings no longer take it.
    Out(Reason),
}

/// Addresses that the last run took up and that are no documents, each with the page that it was found on first.
#[derive(Debug)]
pub struct Others {
    pub found: Vec<(ResourceId, ResourceId)>,
}

/// The links of a document, as stored.
#[derive(Debug)]
pub struct LinkPage {
    pub source: ResourceId,
    pub depth: u32,
    pub(crate) list: String,
}

impl LinkPage {
    /// Where the links lead, each with its kind; kinds that nobody knows any more are left out.
    pub fn targets(&self) -> impl Iterator<Item = (ResourceId, LinkKind)> + '_ {
        targets(&self.list)
            .filter_map(|(target, kind)| Some((ResourceId(target), LinkKind::of_number(kind)?)))
    }
}

/// A link to what is no document, as a track begins with it.
#[derive(Debug)]
pub struct KnownLink {
    pub resource: ResourceId,
    pub url: Url,
    pub kind: LinkKind,
    pub depth: u32,
    /// What it was when it was asked last, where that was no document.
    pub last: Option<LastAnswer>,
}

/// The targets of a stored list with the numbers of their kinds, without reading the rest of it.
pub(crate) fn targets(list: &str) -> impl Iterator<Item = (i64, u8)> + '_ {
    let bytes = list.as_bytes();
    let mut at = 0;
    let mut depth = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let byte = bytes[at];
            at += 1;
            match byte {
                b'[' => {
                    depth += 1;
                    if depth == 2 {
                        let mut number = || {
                            let start = at;
                            while at < bytes.len() && bytes[at].is_ascii_digit() {
                                at += 1;
                            }
                            let found = list[start..at].parse::<i64>().ok();
                            at += usize::from(at < bytes.len() && bytes[at] == b',');
                            found
                        };
                        if let (Some(target), Some(kind)) = (number(), number()) {
                            // The bracket may have been passed with the last number.
                            return Some((target, u8::try_from(kind).unwrap_or(u8::MAX)));
                        }
                    }
                }
                b']' => depth -= 1,
                b'"' => {
                    while at < bytes.len() && bytes[at] != b'"' {
                        at += 1 + usize::from(bytes[at] == b'\\');
                    }
                    at += 1;
                }
                _ => {}
            }
        }
        None
    })
}

/// What a link of interest is named by: its depth and its kind.
pub type Naming = (u32, LinkKind);

/// The rows that a track begins with.
#[async_trait]
pub trait Tracking: Send + Sync {
    /// Documents of the project behind this one, in the order of their numbers; none at the end.
    async fn known_documents(
        &self,
        project: ProjectId,
        after: Option<DocumentId>,
    ) -> Result<Vec<KnownDocument>, StoreError>;

    /// Queues documents, or says of them what the settings say. `legs`: where the steps of the project come in. Harmless to
    /// repeat.
    async fn begin_documents(
        &self,
        of: RunRef,
        documents: Vec<(KnownDocument, Beginning)>,
        legs: Vec<Leg>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// How many documents the project has.
    async fn documents_count(&self, project: ProjectId) -> Result<u64, StoreError>;

    /// Whether the project ever had a document: pages may have older versions to be compared with.
    async fn has_documents(&self, project: ProjectId) -> Result<bool, StoreError>;

    /// The links of these pages, as far as they are documents.
    async fn link_pages(
        &self,
        project: ProjectId,
        sources: Vec<ResourceId>,
    ) -> Result<Vec<LinkPage>, StoreError>;

    /// The links of documents behind this page, in the order of discovery; none at the end.
    async fn link_pages_after(
        &self,
        project: ProjectId,
        after: Option<ResourceId>,
    ) -> Result<Vec<LinkPage>, StoreError>;

    /// What is known of the targets of links.
    async fn known_links(
        &self,
        of: RunRef,
        wanted: Vec<(ResourceId, Naming)>,
    ) -> Result<Vec<KnownLink>, StoreError>;

    /// Queues the targets of links. Harmless to repeat.
    async fn begin_links(&self, of: RunRef, links: Vec<KnownLink>) -> Result<(), StoreError>;

    /// Leaves the targets of links for a later run, because they gave no document before. Harmless to repeat.
    async fn rest_links(&self, of: RunRef, links: Vec<KnownLink>, now: Timestamp) -> Result<(), StoreError>;

    /// What the run before this one took up and did not keep as a document.
    async fn others_of_last_run(&self, of: RunRef) -> Result<Others, StoreError>;

    /// The settings of the project's run before this one.
    async fn last_settings(&self, of: RunRef) -> Result<Option<Project>, StoreError>;
}
