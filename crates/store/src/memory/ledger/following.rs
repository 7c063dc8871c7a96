//! Changes of finished runs, behind a position.

use super::MemoryLedger;
use crate::StoreError;
use crate::followers::Followers;
use crate::ledger::{ChangeId, FollowLedger, FollowPosition, FollowedChange};
use crate::memory::MemoryStore;
use async_trait::async_trait;

impl FollowLedger for MemoryLedger {
    fn changes_after(
        &self,
        position: FollowPosition,
        limit: usize,
    ) -> Result<Vec<FollowedChange>, StoreError> {
        self.look(|rows| {
            let url = |resource| rows.resources[&resource].url.as_str().to_owned();
            let runs = rows.finished.iter().flat_map(|(&number, &run)| {
                let changes = rows.changes_in_order(run).into_iter();
                changes.map(move |(resource, change)| (number, run, resource, change))
            });
            let told = runs.map(|(finished, run, resource, change)| FollowedChange {
                position: FollowPosition {
                    finished,
                    change: change.number,
                },
                change: ChangeId(change.number),
                project: rows.runs[&run].project,
                run,
                resource,
                url: url(resource),
                state: change.state,
                document: change.document,
                version: change.version,
                reason: change.reason,
                is_orphan: change.is_orphan,
                moved_from: change.moved_from.map(url),
            });
            Ok(told.filter(|told| told.position > position).take(limit).collect())
        })
    }

    fn position(&self, follower: &str) -> Result<FollowPosition, StoreError> {
        self.look(|rows| Ok(rows.followers.get(follower).copied().unwrap_or_default()))
    }
}

#[async_trait]
impl Followers for MemoryStore {
    async fn advance(&self, follower: String, to: FollowPosition) -> Result<(), StoreError> {
        let mut rows = self.rows();
        let at = rows.followers.entry(follower).or_default();
        *at = to.max(*at);
        Ok(())
    }

    async fn forget_follower(&self, follower: String) -> Result<(), StoreError> {
        self.rows().followers.remove(&follower);
        Ok(())
    }
}
