//! [`Work`] on SQLite: what a run does next, and what came of it.

use super::{Job, KeepAnswer, SqliteStore};
use crate::StoreError;
use crate::keep::{Cut, Enqueue, Found, Keep, KeepWith, Kept, NotKept};
use crate::leases::FencedHost;
use crate::runs::RunRef;
use crate::sqlite::keep::RunBatch;
use crate::work::{Ending, Load, Loaded, Rescored, StoredRobots, Work};
use async_trait::async_trait;
use gleaner_model::{HostId, Timestamp, Url};
use tokio::sync::oneshot;

#[async_trait]
impl Work for SqliteStore {
    async fn enqueue_starts(
        &self,
        of: RunRef,
        starts: Vec<(Url, Enqueue)>,
        now: Timestamp,
    ) -> Result<Kept, StoreError> {
        self.of(of, move |run| run.enqueue_starts(&starts, now)).await
    }

    async fn load(&self, of: RunRef, load: Load, with_known: bool) -> Result<Loaded, StoreError> {
        self.write(move |writer| writer.catalog.load(of.run, of.project, &load, with_known))
            .await
    }

    async fn rescore(&self, of: RunRef, host: FencedHost, rows: Vec<Rescored>) -> Result<u64, StoreError> {
        self.of(of, move |run| run.rescore(host, &rows)).await
    }

    async fn hosts_waiting(&self, of: RunRef) -> Result<Vec<HostId>, StoreError> {
        self.write(move |writer| writer.catalog.hosts_waiting(of.run))
            .await
    }

    async fn documents_by_host(&self, of: RunRef) -> Result<Vec<(HostId, u64)>, StoreError> {
        self.write(move |writer| writer.catalog.documents_by_host(of.run))
            .await
    }

    async fn meet(&self, of: RunRef, batch: Vec<Keep>) -> Result<(Vec<Keep>, Vec<Found>), StoreError> {
        let mut batch = batch;
        self.of(of, move |run| {
            let met = run.meet(&mut batch)?;
            Ok((batch, met))
        })
        .await
    }

    async fn keep(&self, of: RunRef, batch: Vec<Keep>, with: KeepWith) -> KeepAnswer {
        let (tell, told) = oneshot::channel();
        let pages = batch;
        self.hand_in(Job::Keep(RunBatch { of, pages, with }, tell));
        told.await.unwrap_or_else(|_| {
            Err(NotKept {
                batch: Vec::new(),
                error: StoreError::WriterGone,
            })
        })
    }

    async fn give_up(
        &self,
        of: RunRef,
        host: Option<FencedHost>,
        why: Ending,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        self.of(of, move |run| run.give_up(host, &why, now)).await
    }

    async fn robots(&self, host: HostId) -> Result<Option<StoredRobots>, StoreError> {
        self.write(move |writer| writer.catalog.robots(host)).await
    }

    async fn keep_robots(
        &self,
        of: RunRef,
        host: HostId,
        robots: StoredRobots,
        sitemaps: Vec<(Url, Enqueue)>,
        awaits_lists: bool,
    ) -> Result<Kept, StoreError> {
        self.of(of, move |run| {
            run.keep_robots(host, &robots, &sitemaps, awaits_lists)
        })
        .await
    }

    async fn redirects_of(&self, seeds: Vec<Url>) -> Result<Vec<Url>, StoreError> {
        self.write(move |writer| writer.catalog.redirects_of(&seeds))
            .await
    }

    async fn keep_cuts(&self, of: RunRef, cuts: Vec<Cut>) -> Result<(), StoreError> {
        self.of(of, move |run| run.keep_cuts(&cuts)).await
    }

    async fn hold_hosts(&self, held: Vec<(HostId, Timestamp)>) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.hold_hosts(&held)).await
    }

    async fn hosts_held(&self, now: Timestamp) -> Result<Vec<(String, Timestamp)>, StoreError> {
        self.write(move |writer| writer.catalog.hosts_held(now)).await
    }
}
