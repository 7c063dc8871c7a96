//! What sites' own lists say of pages.

use super::MemoryStore;
use super::keep::Batch;
use super::rows::{HeldChange, Rows};
use crate::StoreError;
use crate::keep::Refused;
use crate::lists::Lists;
use crate::runs::RunRef;
use crate::settling::DatedDocument;
use crate::work::Purpose;
use async_trait::async_trait;
use gleaner_model::{HostId, Modified, Reason, ResourceId, State, Timestamp, defaults};
use std::collections::{BTreeMap, HashSet};

/// Rows given in one go.
const PIECE: usize = 4000;

impl Batch<'_> {
    pub(super) fn notes_dates(&self) -> bool {
        self.rows.of_process.notes_dates.contains(&self.of.run)
    }

    /// The pages of `host` wait for this list. Only one that was queued as a list is waited for: a page of that address waits
    /// itself.
    pub(super) fn wait_for(&mut self, list: ResourceId, host: HostId, is_queued: bool) {
        if is_queued || !self.waiting_for(list).is_empty() {
            self.rows.list_waits.insert((self.of.run, list, host));
        }
    }

    /// Who waits for an index or a redirect waits for what it leads to.
    pub(super) fn wait_for_next(&mut self, list: ResourceId, from: ResourceId) {
        if self.notes_dates() {
            for host in self.waiting_for(from) {
                self.rows.list_waits.insert((self.of.run, list, host));
            }
        }
    }

    /// Nobody waits for a second try.
    pub(super) fn wait_no_more(&mut self, list: ResourceId) {
        if self.notes_dates() {
            let run = self.of.run;
            self.rows
                .list_waits
                .retain(|(of, other, _)| (*of, *other) != (run, list));
        }
    }

    fn waiting_for(&self, list: ResourceId) -> Vec<HostId> {
        let waits = self.rows.list_waits.iter();
        waits
            .filter(|(run, other, _)| (*run, *other) == (self.of.run, list))
            .map(|(.., host)| *host)
            .collect()
    }

    /// The page is as it was, by its site's word: its row goes with that. False if it has none.
    fn settle_unasked(&mut self, host: HostId, row: &DatedDocument, now: Timestamp) -> bool {
        let resource = ResourceId(row.resource);
        let place = (self.of.run, host, row.priority, resource);
        if self.rows.frontier.remove(&place).is_none() {
            return false;
        }
        self.leave_out(resource, Reason::NotAsked, now);
        let change = HeldChange::new(Some(row.document), State::Sam, Some(Reason::NotAsked));
        self.rows.add_change(self.of.run, resource, change);
        // This visit was no look: the next run has to know when the last one was.
        if let Some(document) = self.rows.documents.get_mut(&row.document) {
            document.looked_at = Some(row.looked);
        }
        true
    }
}

impl Rows {
    /// What the lists of one host say, the latest for each page.
    fn dates_for(&self, of: RunRef, host: HostId) -> BTreeMap<ResourceId, Modified> {
        let mut dates: BTreeMap<ResourceId, Modified> = BTreeMap::new();
        let waits = self.list_waits.iter();
        for (run, list, _) in waits.filter(|(run, _, waits)| (*run, *waits) == (of.run, host)) {
            for &(resource, modified) in self.list_dates.get(&(*run, *list)).into_iter().flatten() {
                let latest = dates.entry(resource).or_insert(modified);
                latest.at = latest.at.max(modified.at);
                latest.until = latest.until.max(modified.until);
            }
        }
        dates
    }

    fn dated_documents(
        &self,
        of: RunRef,
        host: HostId,
        after: Option<(i64, ResourceId)>,
    ) -> Vec<DatedDocument> {
        let dates = self.dates_for(of, host);
        let before = self.run_before(of.project, of.run);
        let rows = self
            .frontier_of(of.run)
            .filter(|((_, at, priority, resource), row)| {
                *at == host
                    && Some((*priority, *resource)) > after
                    && row.purpose == Purpose::Page
                    && row.tries == 0
            });
        let dated = rows.filter_map(|((_, _, priority, resource), _)| {
            let modified = *dates.get(&resource)?;
            let id = self.document_there(resource, of.project)?;
            let document = &self.documents[&id];
            let version = self.versions.get(&document.version?)?;
            let said = before.and_then(|run| self.changes.get(&(run, resource)));
            if said.is_some_and(|change| change.state == State::Err) {
                return None;
            }
            let looked = document.looked_at.unwrap_or(Timestamp(0));
            Some(DatedDocument {
                document: id,
                url: self.resources[&resource].url.as_str().to_owned(),
                modified,
                looked: looked
                    .max(version.fetched_at)
                    .max(self.seen_as_it_was(before, resource)),
                priority,
                resource: resource.0,
            })
        });
        dated.take(PIECE).collect()
    }
}

#[async_trait]
impl Lists for MemoryStore {
    async fn note_dates(&self, of: RunRef) -> Result<(), StoreError> {
        self.rows().of_process.notes_dates.insert(of.run);
        Ok(())
    }

    async fn open_list(&self, of: RunRef, host: HostId) -> Result<Option<ResourceId>, StoreError> {
        let rows = self.rows();
        let is_open = |list: ResourceId| {
            let visit = rows.visits.get(&(of.run, list));
            visit.is_some_and(|visit| visit.at.is_none())
        };
        let mut waits = rows.list_waits.iter();
        let open = waits.find(|(run, list, waits)| (*run, *waits) == (of.run, host) && is_open(*list));
        Ok(open.map(|(_, list, _)| *list))
    }

    async fn round(&self, of: RunRef) -> Result<i64, StoreError> {
        let rows = self.rows();
        let runs = rows.runs.range(..=of.run);
        Ok(runs.filter(|(_, run)| run.project == of.project).count() as i64)
    }

    async fn dated_documents(
        &self,
        of: RunRef,
        host: HostId,
        after: Option<DatedDocument>,
    ) -> Result<Vec<DatedDocument>, StoreError> {
        let after = after.map(|after| (after.priority, ResourceId(after.resource)));
        Ok(self.rows().dated_documents(of, host, after))
    }

    async fn settle_unasked(
        &self,
        of: RunRef,
        host: HostId,
        documents: Vec<DatedDocument>,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        let mut rows = self.rows();
        let none = Refused::new();
        let mut batch = Batch::new(&mut rows, of, &none);
        let settled = documents.iter().map(|row| batch.settle_unasked(host, row, now));
        Ok(settled.filter(|is_settled| *is_settled).count() as u64)
    }

    async fn trusted_lists(&self) -> Result<HashSet<HostId>, StoreError> {
        let rows = self.rows();
        let trusts = rows.list_trusts.iter();
        Ok(trusts
            .filter(|(_, announced)| **announced >= i64::from(defaults::LIST_PROOFS))
            .map(|(host, _)| *host)
            .collect())
    }

    async fn weigh_lists(&self, of: RunRef) -> Result<(), StoreError> {
        self.rows().weigh_lists(of);
        Ok(())
    }
}
