//! What runs learn about sites and remember for the next ones: volatile parts of URLs, noise, traps.

use crate::StoreError;
use crate::keep::{Cut, Rekeyed};
use crate::runs::{RunRef, SiteRules};
use async_trait::async_trait;
use gleaner_model::{ProjectId, ResourceId, RunId, Timestamp};

/// The rows about sites.
#[async_trait]
pub trait Sites: Send + Sync {
    /// What is known about the URLs of the project's sites.
    async fn site_rules(&self, project: ProjectId) -> Result<Vec<SiteRules>, StoreError>;

    /// Addresses of a domain behind this one, in the order of discovery; none at the end.
    async fn addresses_of_domain(
        &self,
        domain: String,
        after: Option<ResourceId>,
    ) -> Result<Vec<(ResourceId, String)>, StoreError>;

    /// Stores the rules of a site, as they were learned, together with the keys that follow from them. Where two resources turn
    /// out to be one, the first keeps the key and the other stays as it is.
    async fn keep_rules(
        &self,
        project: ProjectId,
        site: String,
        rules: String,
        now: Timestamp,
        keys: Vec<Rekeyed>,
    ) -> Result<(), StoreError>;

    /// The rules of a site as a person wants them.
    async fn set_rules(
        &self,
        project: ProjectId,
        site: String,
        rules: String,
        is_pinned: bool,
        keys: Vec<Rekeyed>,
    ) -> Result<(), StoreError>;

    /// What was learned about the noise of the project's sites: site and memory.
    async fn noises(&self, project: ProjectId) -> Result<Vec<(String, String)>, StoreError>;

    async fn keep_noises(&self, project: ProjectId, noises: Vec<(String, String)>) -> Result<(), StoreError>;

    /// What the trap rules had learned when the run was left.
    async fn traps(&self, run: RunId) -> Result<Option<Vec<u8>>, StoreError>;

    /// The same of the project's runs before this one, from the newest that has any.
    async fn traps_before(&self, of: RunRef) -> Result<Option<Vec<u8>>, StoreError>;

    /// What the trap rules know, and all they cut in this run so far.
    async fn keep_traps(&self, run: RunId, saved: Vec<u8>, cuts: Vec<Cut>) -> Result<(), StoreError>;
}
