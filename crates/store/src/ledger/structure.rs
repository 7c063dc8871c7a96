//! Resources and links as the graph wants them (E4): of some projects or all, as they stood at the end of a run.
//!
//! Everything comes page by page in the order of the tables, so that no more is in memory than the caller keeps. What was at the
//! end of a run follows from the rows of that run and those before it; a list of links says itself from which run to which it held.

use super::link_list::{LinkList, ListedLink};
use crate::StoreError;
use gleaner_model::{DocumentId, HostId, ProjectId, Reason, ResourceId, RunId, State, Timestamp, VersionId};

/// Which part of the store is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// None: all of them.
    pub projects: Vec<ProjectId>,
    /// As it was at the end of this run; none: as it is.
    pub run: Option<RunId>,
}

impl Extent {
    /// Whether what a run of a project found is part of it.
    pub fn holds(&self, project: ProjectId, run: RunId) -> bool {
        (self.projects.is_empty() || self.projects.contains(&project))
            && self.run.is_none_or(|last| run <= last)
    }
}

/// What a resource is called, as the store knows it now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressRow {
    pub id: ResourceId,
    pub url: String,
    /// Empty where there is none.
    pub title: String,
    /// Empty where there is none.
    pub media_type: String,
    pub discovered_at: Timestamp,
}

/// A resource as the store knows it now, whatever the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceRow {
    pub id: ResourceId,
    pub host: HostId,
    pub url: String,
    pub title: Option<String>,
    pub media_type: Option<String>,
    pub charset: Option<String>,
    pub discovered_at: Timestamp,
    pub discovered_by: String,
    pub processed_at: Option<Timestamp>,
    pub processed_by: Option<String>,
}

/// What a run did about a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sighting {
    pub resource: ResourceId,
    pub depth: u32,
    /// None: it was still to be asked for.
    pub at: Option<Timestamp>,
    pub status: Option<u16>,
    pub reason: Option<Reason>,
}

impl Sighting {
    pub fn is_redirect(&self) -> bool {
        self.status
            .is_some_and(|status| (300..400).contains(&status) && status != 304)
    }
}

/// What a run found about a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judgement {
    pub resource: ResourceId,
    pub state: State,
    /// The document that it is, or was.
    pub document: Option<DocumentId>,
    /// The version that was kept, as long as it is.
    pub version: Option<VersionId>,
    pub moved_from: Option<ResourceId>,
}

/// The facts of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionLook {
    pub version: VersionId,
    pub document: DocumentId,
    pub resource: ResourceId,
    /// Empty where there is none.
    pub title: String,
    pub media_type: String,
}

/// Measured sizes, for forecasts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    pub catalog_bytes: u64,
    pub archive_bytes: u64,
    pub documents: u64,
    pub resources: u64,
    pub hosts: u64,
    /// Of the lists of links that hold now.
    pub list_bytes: u64,
    /// Of the rows of hosts with their robots.txt.
    pub host_bytes: u64,
}

/// Pages with their lists of links. The lists are read when they are walked through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkLists {
    text: String,
    /// Each with the end of its list in the text.
    pages: Vec<(ResourceId, usize)>,
    /// Where the next page of lists begins; none at the end.
    pub next: Option<ListPlace>,
}

/// A place in the lists of links: a list of now, or behind them all one that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ListPlace {
    pub(crate) has_ended: bool,
    pub(crate) source: i64,
    pub(crate) first_run: i64,
}

/// Bytes of lists in one page, about.
const LIST_BYTES_MAX: usize = 4 * 1024 * 1024;

impl LinkLists {
    pub(crate) fn push(&mut self, page: ResourceId, list: &str) {
        self.text.push_str(list);
        self.pages.push((page, self.text.len()));
    }

    pub(crate) fn is_full(&self, limit: usize) -> bool {
        self.pages.len() >= limit || self.text.len() >= LIST_BYTES_MAX
    }

    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The pages with their links, in the order of the pages' numbers.
    pub fn iter(&self) -> impl Iterator<Item = (ResourceId, impl Iterator<Item = ListedLink<'_>>)> {
        let mut start = 0;
        self.pages.iter().map(move |&(page, end)| {
            let list = &self.text[start..end];
            start = end;
            (page, LinkList::new(list))
        })
    }
}

pub trait StructureLedger: super::RunLedger {
    /// Changes whenever anything that a graph is made from may have changed. What stands before the `/` is the store's own:
    /// the format, and when its first run began.
    fn mark(&self) -> Result<String, StoreError>;

    /// The largest number of a resource: arrays over resources are one longer.
    fn last_resource(&self) -> Result<ResourceId, StoreError>;

    /// Addresses behind a resource, in the order of their numbers; none at the end.
    fn addresses(&self, after: ResourceId, limit: usize) -> Result<Vec<AddressRow>, StoreError>;

    /// Resources behind one, in the order of their numbers; none at the end.
    fn resources(&self, after: ResourceId, limit: usize) -> Result<Vec<ResourceRow>, StoreError>;

    /// What a run did about each resource behind one, in the order of their numbers; none at the end.
    fn sightings(
        &self,
        run: RunId,
        after: Option<ResourceId>,
        limit: usize,
    ) -> Result<Vec<Sighting>, StoreError>;

    /// What a run found about each resource behind one, in the order of their numbers; none at the end.
    fn judgements(
        &self,
        run: RunId,
        after: Option<ResourceId>,
        limit: usize,
    ) -> Result<Vec<Judgement>, StoreError>;

    /// The versions that documents had, behind one, the oldest first; none at the end.
    fn looks(&self, extent: &Extent, after: VersionId, limit: usize) -> Result<Vec<VersionLook>, StoreError>;

    /// Lists of links from a place on: those that hold now, or those that held at the end of a run.
    fn link_lists(&self, run: Option<RunId>, from: ListPlace, limit: usize) -> Result<LinkLists, StoreError>;

    /// What is kept, and what it takes.
    fn sizes(&self) -> Result<Sizes, StoreError>;

    /// The runs that are part of an extent, the oldest first.
    fn runs_in(&self, extent: &Extent) -> Result<Vec<RunId>, StoreError> {
        let runs = self.runs()?.into_iter();
        let meant = runs.filter(|row| extent.holds(row.project, row.id));
        Ok(meant.map(|row| row.id).collect())
    }
}
