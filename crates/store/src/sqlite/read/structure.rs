//! Resources, links and what runs found about them, page by page.

use super::{SqliteLedger, reason, state};
use crate::StoreError;
use crate::ledger::{
    AddressRow, Extent, Judgement, LinkLists, ListPlace, ResourceRow, Sighting, Sizes, StructureLedger,
    VersionLook,
};
use crate::sqlite::migrate;
use gleaner_model::{DocumentId, HostId, ResourceId, RunId, Timestamp, VersionId};
use rusqlite::{OptionalExtension, Row};
use std::fmt::Write as _;

/// A condition on a run; `run` is the column.
fn condition(extent: &Extent, run: &str) -> String {
    let mut condition = "1".to_owned();
    if !extent.projects.is_empty() {
        let ids: Vec<String> = extent.projects.iter().map(ToString::to_string).collect();
        let _never_fails = write!(
            condition,
            " AND {run} IN (SELECT id FROM runs WHERE project IN ({}))",
            ids.join(",")
        );
    }
    if let Some(last) = extent.run {
        let _never_fails = write!(condition, " AND {run} <= {last}");
    }
    condition
}

impl StructureLedger for SqliteLedger {
    fn mark(&self) -> Result<String, StoreError> {
        let began: Option<i64> = self
            .db
            .query_row("SELECT started_at FROM runs ORDER BY id LIMIT 1", [], |row| {
                row.get(0)
            })
            .optional()?;
        let numbers: Vec<Option<i64>> = self.db.query_row(
            "SELECT (SELECT last FROM commits), (SELECT max(id) FROM resources), (SELECT max(id) FROM changes),
                    (SELECT max(id) FROM versions), (SELECT max(rowid) FROM past_links), (SELECT max(source) FROM page_links),
                    n.count, n.started, n.ended, n.settled, n.active
             FROM (SELECT count(*) AS count, sum(started_at) AS started, sum(ended_at) AS ended, sum(settled_at) AS settled,
                          sum(active_ms) AS active FROM runs) n",
            [],
            |row| (0..11).map(|column| row.get(column)).collect(),
        )?;
        let mut mark = format!("{}.{}/", migrate::FORMAT, began.unwrap_or(-1));
        for number in numbers {
            let _never_fails = write!(mark, ".{}", number.unwrap_or(-1));
        }
        Ok(mark)
    }

    fn last_resource(&self) -> Result<ResourceId, StoreError> {
        let mut statement = self.db.prepare("SELECT coalesce(max(id), 0) FROM resources")?;
        Ok(statement.query_row([], |row| row.get(0).map(ResourceId))?)
    }

    fn addresses(&self, after: ResourceId, limit: usize) -> Result<Vec<AddressRow>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT id, url, title, type, discovered_at FROM resources WHERE id > ?1 ORDER BY id LIMIT ?2",
        )?;
        let rows = statement.query_map((after.0, limit as i64), |row| {
            Ok(AddressRow {
                id: ResourceId(row.get(0)?),
                url: text(row, 1)?,
                title: text(row, 2)?,
                media_type: text(row, 3)?,
                discovered_at: Timestamp(row.get(4)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn resources(&self, after: ResourceId, limit: usize) -> Result<Vec<ResourceRow>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT r.id, r.host, r.url, r.title, r.type, r.charset, r.discovered_at, d.name, r.processed_at, p.name
             FROM resources r CROSS JOIN workers d ON d.id = r.discovered_by LEFT JOIN workers p ON p.id = r.processed_by
             WHERE r.id > ?1 ORDER BY r.id LIMIT ?2",
        )?;
        let rows = statement.query_map((after.0, limit as i64), |row| {
            Ok(ResourceRow {
                id: ResourceId(row.get(0)?),
                host: HostId(row.get(1)?),
                url: row.get(2)?,
                title: row.get(3)?,
                media_type: row.get(4)?,
                charset: row.get(5)?,
                discovered_at: Timestamp(row.get(6)?),
                discovered_by: row.get(7)?,
                processed_at: row.get::<_, Option<i64>>(8)?.map(Timestamp),
                processed_by: row.get(9)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn sightings(
        &self,
        run: RunId,
        after: Option<ResourceId>,
        limit: usize,
    ) -> Result<Vec<Sighting>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT resource, depth, at, status, reason FROM visits WHERE run = ?1 AND resource > ?2
             ORDER BY resource LIMIT ?3",
        )?;
        let after = after.map_or(i64::MIN, |after| after.0);
        let rows = statement.query_map((run.0, after, limit as i64), |row| {
            Ok(Sighting {
                resource: ResourceId(row.get(0)?),
                depth: row.get(1)?,
                at: row.get::<_, Option<i64>>(2)?.map(Timestamp),
                status: row.get(3)?,
                reason: reason(row.get_ref(4)?.as_str_or_null().unwrap_or(None)),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn judgements(
        &self,
        run: RunId,
        after: Option<ResourceId>,
        limit: usize,
    ) -> Result<Vec<Judgement>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT resource, state, document, version, moved_from FROM changes WHERE run = ?1 AND resource > ?2
             ORDER BY resource LIMIT ?3",
        )?;
        let after = after.map_or(i64::MIN, |after| after.0);
        let rows = statement.query_map((run.0, after, limit as i64), |row| {
            Ok(Judgement {
                resource: ResourceId(row.get(0)?),
                state: state(row.get_ref(1)?.as_str()?),
                document: row.get::<_, Option<i64>>(2)?.map(DocumentId),
                version: row.get::<_, Option<i64>>(3)?.map(VersionId),
                moved_from: row.get::<_, Option<i64>>(4)?.map(ResourceId),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn looks(&self, extent: &Extent, after: VersionId, limit: usize) -> Result<Vec<VersionLook>, StoreError> {
        let mut statement = self.db.prepare_cached(&format!(
            "SELECT v.id, d.id, d.resource, v.title, v.type FROM versions v NOT INDEXED CROSS JOIN documents d ON d.id = v.document
             WHERE v.id > ?1 AND {} ORDER BY v.id LIMIT ?2",
            condition(extent, "v.run")
        ))?;
        let rows = statement.query_map((after.0, limit as i64), |row| {
            Ok(VersionLook {
                version: VersionId(row.get(0)?),
                document: DocumentId(row.get(1)?),
                resource: ResourceId(row.get(2)?),
                title: text(row, 3)?,
                media_type: text(row, 4)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn link_lists(&self, run: Option<RunId>, from: ListPlace, limit: usize) -> Result<LinkLists, StoreError> {
        let mut lists = LinkLists::default();
        let until = run.map_or(i64::MAX, |run| run.0);
        if !from.has_ended {
            let mut statement = self.db.prepare_cached(
                "SELECT source, list FROM page_links WHERE source >= ?1 AND first_run <= ?2 ORDER BY source",
            )?;
            let mut rows = statement.query((from.source, until))?;
            while let Some(row) = rows.next()? {
                let source: i64 = row.get(0)?;
                if lists.is_full(limit) {
                    lists.next = Some(ListPlace { source, ..from });
                    return Ok(lists);
                }
                lists.push(ResourceId(source), row.get_ref(1)?.as_str().unwrap_or_default());
            }
            if run.is_none() {
                return Ok(lists);
            }
        }
        // Those of now are over; of those that ended some held then.
        let from = if from.has_ended {
            from
        } else {
            ListPlace {
                has_ended: true,
                ..ListPlace::default()
            }
        };
        let mut statement = self.db.prepare_cached(
            "SELECT source, first_run, list FROM past_links WHERE (source, first_run) >= (?1, ?2) AND first_run <= ?3
               AND gone_run > ?3 ORDER BY source, first_run",
        )?;
        let mut rows = statement.query((from.source, from.first_run, until))?;
        while let Some(row) = rows.next()? {
            let (source, first_run) = (row.get(0)?, row.get(1)?);
            if lists.is_full(limit) {
                lists.next = Some(ListPlace {
                    source,
                    first_run,
                    has_ended: true,
                });
                break;
            }
            lists.push(ResourceId(source), row.get_ref(2)?.as_str().unwrap_or_default());
        }
        Ok(lists)
    }

    fn sizes(&self) -> Result<Sizes, StoreError> {
        let number = |query: &str| -> Result<u64, StoreError> {
            Ok(self.db.query_row(query, [], |row| row.get::<_, i64>(0))? as u64)
        };
        let bytes_of = |name: &str| std::fs::metadata(self.root.join(name)).map_or(0, |meta| meta.len());
        Ok(Sizes {
            catalog_bytes: bytes_of("gleaner.db") + bytes_of("gleaner.db-wal"),
            archive_bytes: number("SELECT coalesce(sum(bytes), 0) FROM archives")?,
            documents: number("SELECT count(*) FROM documents")?,
            resources: number("SELECT count(*) FROM resources")?,
            hosts: number("SELECT count(*) FROM hosts")?,
            list_bytes: number("SELECT coalesce(sum(length(list)), 0) FROM page_links")?,
            // Two numbers and a time beside the texts.
            host_bytes: number(
                "SELECT coalesce(sum(24 + length(scheme) + length(name) + coalesce(length(robots_body), 0)), 0) FROM hosts",
            )?,
        })
    }
}

/// Empty where there is none.
fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(row.get_ref(column)?.as_str().unwrap_or_default().to_owned())
}
