//! [`Leases`] on SQLite: who works on which host.

use super::SqliteStore;
use crate::StoreError;
use crate::leases::{FencedHost, HostLease, HostsWanted, Leases};
use crate::runs::RunRef;
use async_trait::async_trait;
use gleaner_model::{HostState, Timestamp};

#[async_trait]
impl Leases for SqliteStore {
    async fn lease_hosts(
        &self,
        of: RunRef,
        wanted: HostsWanted,
        now: Timestamp,
    ) -> Result<Vec<HostLease>, StoreError> {
        self.of(of, move |run| run.lease_hosts(&wanted, now)).await
    }

    async fn renew_leases(
        &self,
        of: RunRef,
        leases: Vec<FencedHost>,
        now: Timestamp,
    ) -> Result<Vec<FencedHost>, StoreError> {
        self.of(of, move |run| Ok(run.renew_leases(leases, now))).await
    }

    async fn release_hosts(
        &self,
        of: RunRef,
        released: Vec<(FencedHost, HostState)>,
    ) -> Result<(), StoreError> {
        self.of(of, move |run| run.release_hosts(released)).await
    }

    async fn is_finished(
        &self,
        of: RunRef,
        priority_below: Option<i64>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.of(of, move |run| run.is_finished(priority_below, now)).await
    }
}
