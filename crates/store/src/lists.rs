//! What sites' own lists (sitemaps, Atom feeds) say of pages that we have, and how far they are believed (B2).

use crate::StoreError;
use crate::runs::RunRef;
use crate::settling::DatedDocument;
use async_trait::async_trait;
use gleaner_model::{HostId, ResourceId, Timestamp};
use std::collections::HashSet;

/// The rows about lists.
#[async_trait]
pub trait Lists: Send + Sync {
    /// From now on the dates of this run's lists are noted: a track that may believe them, or learn to.
    async fn note_dates(&self, of: RunRef) -> Result<(), StoreError>;

    /// A list that the pages of `host` wait for and that is not read yet.
    async fn open_list(&self, of: RunRef, host: HostId) -> Result<Option<ResourceId>, StoreError>;

    /// How many runs the project has had, this one included.
    async fn round(&self, of: RunRef) -> Result<i64, StoreError>;

    /// Documents of the host that wait in the frontier and that its lists date, behind this one; none at the end. Those whose
    /// last answer was a failure are left out, and those whose bytes were lost: a list cannot tell that they are there.
    async fn dated_documents(
        &self,
        of: RunRef,
        host: HostId,
        after: Option<DatedDocument>,
    ) -> Result<Vec<DatedDocument>, StoreError>;

    /// Ends documents that are as they were, by their site's word; gives back how many. Harmless to repeat.
    async fn settle_unasked(
        &self,
        of: RunRef,
        host: HostId,
        documents: Vec<DatedDocument>,
        now: Timestamp,
    ) -> Result<u64, StoreError>;

    /// Hosts whose lists have earned it.
    async fn trusted_lists(&self) -> Result<HashSet<HostId>, StoreError>;

    /// Counts for and against the lists of this run. Once: the dates that were compared go with it.
    async fn weigh_lists(&self, of: RunRef) -> Result<(), StoreError>;
}
