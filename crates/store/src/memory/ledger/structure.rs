//! Resources, links and what runs found about them.

use super::MemoryLedger;
use crate::StoreError;
use crate::ledger::{
    AddressRow, Extent, Judgement, LinkLists, ListPlace, ResourceRow, Sighting, Sizes, StructureLedger,
    VersionLook,
};
use crate::memory::WORKER;
use gleaner_model::{ResourceId, RunId, VersionId};

impl StructureLedger for MemoryLedger {
    fn mark(&self) -> Result<String, StoreError> {
        self.look(|rows| {
            let began = rows.runs.values().next().map_or(-1, |run| run.started_at.0);
            Ok(format!("0.{began}/{}", rows.touched))
        })
    }

    fn last_resource(&self) -> Result<ResourceId, StoreError> {
        self.look(|rows| {
            let last = rows.resources.keys().next_back();
            Ok(last.copied().unwrap_or(ResourceId(0)))
        })
    }

    fn addresses(&self, after: ResourceId, limit: usize) -> Result<Vec<AddressRow>, StoreError> {
        self.look(|rows| {
            let behind = rows.resources.iter().filter(|(id, _)| **id > after).take(limit);
            let found = behind.map(|(&id, row)| AddressRow {
                id,
                url: row.url.as_str().to_owned(),
                title: row.title.clone().unwrap_or_default(),
                media_type: row.media_type.clone().unwrap_or_default(),
                discovered_at: row.discovered_at,
            });
            Ok(found.collect())
        })
    }

    fn resources(&self, after: ResourceId, limit: usize) -> Result<Vec<ResourceRow>, StoreError> {
        self.look(|rows| {
            let behind = rows.resources.iter().filter(|(id, _)| **id > after).take(limit);
            let found = behind.map(|(&id, row)| ResourceRow {
                id,
                host: row.host,
                url: row.url.as_str().to_owned(),
                title: row.title.clone(),
                media_type: row.media_type.clone(),
                charset: row.charset.clone(),
                discovered_at: row.discovered_at,
                discovered_by: WORKER.to_owned(),
                processed_at: row.processed_at,
                processed_by: row.processed_at.map(|_| WORKER.to_owned()),
            });
            Ok(found.collect())
        })
    }

    fn sightings(
        &self,
        run: RunId,
        after: Option<ResourceId>,
        limit: usize,
    ) -> Result<Vec<Sighting>, StoreError> {
        self.look(|rows| {
            let behind = rows
                .visits_of(run)
                .filter(|(resource, _)| Some(*resource) > after);
            let found = behind.take(limit).map(|(resource, visit)| Sighting {
                resource,
                depth: visit.depth,
                at: visit.at,
                status: visit.status,
                reason: visit.reason,
            });
            Ok(found.collect())
        })
    }

    fn judgements(
        &self,
        run: RunId,
        after: Option<ResourceId>,
        limit: usize,
    ) -> Result<Vec<Judgement>, StoreError> {
        self.look(|rows| {
            let behind = rows
                .changes_of(run)
                .filter(|(resource, _)| Some(*resource) > after);
            let found = behind.take(limit).map(|(resource, change)| Judgement {
                resource,
                state: change.state,
                document: change.document,
                version: change.version,
                moved_from: change.moved_from,
            });
            Ok(found.collect())
        })
    }

    fn looks(&self, extent: &Extent, after: VersionId, limit: usize) -> Result<Vec<VersionLook>, StoreError> {
        self.look(|rows| {
            let is_meant = |run: &RunId| {
                rows.runs
                    .get(run)
                    .is_some_and(|row| extent.holds(row.project, *run))
            };
            let behind = rows
                .versions
                .iter()
                .filter(|(id, row)| **id > after && is_meant(&row.run));
            let found = behind.take(limit).map(|(&version, row)| VersionLook {
                version,
                document: row.document,
                resource: rows.documents[&row.document].resource,
                title: row.title.clone().unwrap_or_default(),
                media_type: row.media_type.clone(),
            });
            Ok(found.collect())
        })
    }

    fn link_lists(&self, run: Option<RunId>, from: ListPlace, limit: usize) -> Result<LinkLists, StoreError> {
        self.look(|rows| {
            let place = |has_ended, page: ResourceId, first_run: RunId| ListPlace {
                has_ended,
                source: page.0,
                first_run: first_run.0,
            };
            let now = rows.page_links.iter().map(|(page, list)| {
                let holds = run.is_none_or(|run| list.first_run <= run);
                (place(false, *page, RunId(0)), holds, &list.list)
            });
            let ended = rows.past_links.iter().map(|((page, first_run), list)| {
                let holds = run.is_some_and(|run| *first_run <= run && list.gone_run > run);
                (place(true, *page, *first_run), holds, &list.list)
            });
            let mut lists = LinkLists::default();
            for (at, _, list) in now.chain(ended).filter(|(at, holds, _)| *holds && *at >= from) {
                if lists.is_full(limit) {
                    lists.next = Some(at);
                    break;
                }
                lists.push(ResourceId(at.source), list);
            }
            Ok(lists)
        })
    }

    fn sizes(&self) -> Result<Sizes, StoreError> {
        self.look(|rows| {
            let of_host = |host: &crate::memory::rows::HeldHost| {
                let robots = host.robots.as_ref().map_or(0, |robots| robots.body.len());
                (24 + host.scheme.len() + host.name.len() + robots) as u64
            };
            Ok(Sizes {
                catalog_bytes: 0,
                archive_bytes: rows.records.iter().map(|record| record.len() as u64).sum(),
                documents: rows.documents.len() as u64,
                resources: rows.resources.len() as u64,
                hosts: rows.hosts.len() as u64,
                list_bytes: rows.page_links.values().map(|list| list.list.len() as u64).sum(),
                host_bytes: rows.hosts.values().map(of_host).sum(),
            })
        })
    }
}
