//! [`Followers`] on SQLite: how far they have come.

use super::SqliteStore;
use crate::StoreError;
use crate::followers::Followers;
use crate::ledger::FollowPosition;
use async_trait::async_trait;

#[async_trait]
impl Followers for SqliteStore {
    async fn advance(&self, follower: String, to: FollowPosition) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.advance(&follower, to))
            .await
    }

    async fn forget_follower(&self, follower: String) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.forget_follower(&follower))
            .await
    }
}
