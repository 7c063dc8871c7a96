//! What followers write down: how far they have come.

use crate::StoreError;
use crate::ledger::FollowPosition;
use async_trait::async_trait;

/// The positions of followers, each under its own name. They outlive the process.
#[async_trait]
pub trait Followers: Send + Sync {
    /// A follower has done with all up to here. It never goes back: of two that say so at the same time, the further one counts.
    async fn advance(&self, follower: String, to: FollowPosition) -> Result<(), StoreError>;

    /// A follower begins anew, or is no more.
    async fn forget_follower(&self, follower: String) -> Result<(), StoreError>;
}
