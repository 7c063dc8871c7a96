//! Hosts, resources and links as the graph wants them (E4): of some projects or all, as they stood at the end of a run.
//!
//! Everything comes row by row in the order of the tables, so that no more is in memory than the caller keeps. What was at the end
//! of a run follows from the rows of that run and those before it; a list of links says itself from which run to which it held.

use super::Reader;
use super::link_list::{LinkList, ListedLink};
use crate::StoreError;
use crate::sqlite::migrate;
use gleaner_model::{DocumentId, HostId, ProjectId, Reason, ResourceId, RunId, State, Timestamp, VersionId};
use rusqlite::{OptionalExtension, Row};
use std::fmt::Write as _;

/// Which part of the catalog is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// None: all of them.
    pub projects: Vec<ProjectId>,
    /// As it was at the end of this run; none: as it is.
    pub run: Option<RunId>,
}

/// A host.
#[derive(Debug, Clone)]
pub struct HostRow {
    pub id: HostId,
    pub scheme: String,
    pub name: String,
    pub port: u16,
}

/// What a resource is called, as the catalog knows it now.
#[derive(Debug, Clone, Copy)]
pub struct AddressRow<'a> {
    pub id: ResourceId,
    pub url: &'a str,
    /// Empty where there is none.
    pub title: &'a str,
    /// Empty where there is none.
    pub media_type: &'a str,
    pub discovered_at: Timestamp,
}

/// A resource as the catalog knows it now, whatever the run.
#[derive(Debug, Clone)]
pub struct ResourceRow {
    pub id: ResourceId,
    pub host: HostId,
    pub url: String,
    pub title: Option<String>,
    pub media_type: Option<String>,
    pub charset: Option<String>,
    pub discovered_at: Timestamp,
    pub discovered_by: String,
    pub processed_at: Option<Timestamp>,
    pub processed_by: Option<String>,
}

/// What a run did about a resource.
#[derive(Debug, Clone, Copy)]
pub struct Sighting {
    pub resource: ResourceId,
    pub depth: u32,
    /// None: it was still to be asked for.
    pub at: Option<Timestamp>,
    pub status: Option<u16>,
    pub reason: Option<Reason>,
}

/// What a run found about a resource.
#[derive(Debug, Clone, Copy)]
pub struct Judgement {
    pub resource: ResourceId,
    pub state: State,
    /// It is, or was, a document.
    pub is_document: bool,
}

/// The facts of a version, of the oldest first.
#[derive(Debug, Clone, Copy)]
pub struct VersionLook<'a> {
    pub resource: ResourceId,
    /// Empty where there is none.
    pub title: &'a str,
    pub media_type: &'a str,
}

/// Measured sizes, for forecasts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    pub catalog_bytes: u64,
    pub archive_bytes: u64,
    pub documents: u64,
    pub resources: u64,
    pub hosts: u64,
    /// Of the lists of links that hold now.
    pub list_bytes: u64,
    /// Of the rows of hosts with their robots.txt.
    pub host_bytes: u64,
}

impl Extent {
    /// A condition on a run's project and number; `run` is the column.
    fn condition(&self, run: &str) -> String {
        let mut condition = "1".to_owned();
        if !self.projects.is_empty() {
            let ids: Vec<String> = self.projects.iter().map(ToString::to_string).collect();
            let _never_fails = write!(
                condition,
                " AND {run} IN (SELECT id FROM runs WHERE project IN ({}))",
                ids.join(",")
            );
        }
        if let Some(last) = self.run {
            let _never_fails = write!(condition, " AND {run} <= {last}");
        }
        condition
    }
}

impl Reader {
    /// Changes whenever anything that a graph is made from may have changed. What stands before the `/` is the catalog's own:
    /// the format, and when its first run began.
    pub fn mark(&self) -> Result<String, StoreError> {
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

    /// Everything that is asked for while `work` lasts comes from one state of the catalog, also beside a running crawl.
    pub fn in_one_state<T, E: From<StoreError>>(&self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let snapshot = self.db.unchecked_transaction().map_err(StoreError::from)?;
        let done = work();
        drop(snapshot);
        done
    }

    /// The largest number of a resource: arrays over resources are one longer.
    pub fn last_resource(&self) -> Result<ResourceId, StoreError> {
        let mut statement = self.db.prepare("SELECT coalesce(max(id), 0) FROM resources")?;
        Ok(statement.query_row([], |row| row.get(0).map(ResourceId))?)
    }

    pub fn hosts(&self, mut each: impl FnMut(HostRow)) -> Result<(), StoreError> {
        let mut statement = self
            .db
            .prepare("SELECT id, scheme, name, port FROM hosts ORDER BY id")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            each(HostRow {
                id: HostId(row.get(0)?),
                scheme: row.get(1)?,
                name: row.get(2)?,
                port: row.get(3)?,
            });
        }
        Ok(())
    }

    /// The address of every resource that is wanted, in the order of their numbers.
    pub fn addresses(
        &self,
        is_wanted: impl Fn(ResourceId) -> bool,
        mut each: impl FnMut(AddressRow<'_>),
    ) -> Result<(), StoreError> {
        let mut statement = self
            .db
            .prepare("SELECT id, url, title, type, discovered_at FROM resources ORDER BY id")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let id = ResourceId(row.get(0)?);
            if is_wanted(id) {
                each(AddressRow {
                    id,
                    url: text(row, 1)?,
                    title: text(row, 2)?,
                    media_type: text(row, 3)?,
                    discovered_at: Timestamp(row.get(4)?),
                });
            }
        }
        Ok(())
    }

    /// Every resource that is wanted, in the order of their numbers.
    pub fn resources(
        &self,
        is_wanted: impl Fn(ResourceId) -> bool,
        mut each: impl FnMut(ResourceRow),
    ) -> Result<(), StoreError> {
        let mut statement = self.db.prepare(
            "SELECT r.id, r.host, r.url, r.title, r.type, r.charset, r.discovered_at, d.name, r.processed_at, p.name
             FROM resources r JOIN workers d ON d.id = r.discovered_by LEFT JOIN workers p ON p.id = r.processed_by ORDER BY r.id",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let id = ResourceId(row.get(0)?);
            if !is_wanted(id) {
                continue;
            }
            each(ResourceRow {
                id,
                host: HostId(row.get(1)?),
                url: row.get(2)?,
                title: row.get(3)?,
                media_type: row.get(4)?,
                charset: row.get(5)?,
                discovered_at: Timestamp(row.get(6)?),
                discovered_by: row.get(7)?,
                processed_at: row.get::<_, Option<i64>>(8)?.map(Timestamp),
                processed_by: row.get(9)?,
            });
        }
        Ok(())
    }

    /// What the runs did about each resource, the oldest run first.
    pub fn sightings(&self, extent: &Extent, mut each: impl FnMut(Sighting)) -> Result<(), StoreError> {
        let mut statement = self.db.prepare(&format!(
            "SELECT resource, depth, at, status, reason FROM visits WHERE {} ORDER BY run, resource",
            extent.condition("run")
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            each(Sighting {
                resource: ResourceId(row.get(0)?),
                depth: row.get(1)?,
                at: row.get::<_, Option<i64>>(2)?.map(Timestamp),
                status: row.get(3)?,
                reason: row
                    .get_ref(4)?
                    .as_str_or_null()
                    .unwrap_or(None)
                    .and_then(Reason::parse),
            });
        }
        Ok(())
    }

    /// What the runs found about each resource, the oldest run first.
    pub fn judgements(&self, extent: &Extent, mut each: impl FnMut(Judgement)) -> Result<(), StoreError> {
        let mut statement = self.db.prepare(&format!(
            "SELECT resource, state, document IS NOT NULL FROM changes WHERE {} ORDER BY id",
            extent.condition("run")
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let Some(state) = State::parse(text(row, 1)?) else {
                continue;
            };
            each(Judgement {
                resource: ResourceId(row.get(0)?),
                state,
                is_document: row.get(2)?,
            });
        }
        Ok(())
    }

    /// Titles and types that documents had, the oldest version first.
    pub fn looks(&self, extent: &Extent, mut each: impl FnMut(VersionLook<'_>)) -> Result<(), StoreError> {
        let mut statement = self.db.prepare(&format!(
            "SELECT d.resource, v.title, v.type FROM versions v JOIN documents d ON d.id = v.document WHERE {} ORDER BY v.id",
            extent.condition("v.run")
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            each(VersionLook {
                resource: ResourceId(row.get(0)?),
                title: text(row, 1)?,
                media_type: text(row, 2)?,
            });
        }
        Ok(())
    }

    /// Which version each document had, the oldest first.
    pub fn version_places(
        &self,
        extent: &Extent,
        mut each: impl FnMut(ResourceId, DocumentId, VersionId),
    ) -> Result<(), StoreError> {
        let mut statement = self.db.prepare(&format!(
            "SELECT d.resource, d.id, v.id FROM versions v JOIN documents d ON d.id = v.document WHERE {} ORDER BY v.id",
            extent.condition("v.run")
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            each(
                ResourceId(row.get(0)?),
                DocumentId(row.get(1)?),
                VersionId(row.get(2)?),
            );
        }
        Ok(())
    }

    /// Every link that held at the end of the run, page by page. `is_source` says which pages belong to the projects.
    pub fn page_links(
        &self,
        extent: &Extent,
        is_source: impl Fn(ResourceId) -> bool,
        mut each: impl FnMut(ResourceId, ListedLink<'_>),
    ) -> Result<(), StoreError> {
        let queries = match extent.run {
            None => vec!["SELECT source, list FROM page_links ORDER BY source".to_owned()],
            Some(run) => vec![
                format!("SELECT source, list FROM page_links WHERE first_run <= {run} ORDER BY source"),
                format!(
                    "SELECT source, list FROM past_links WHERE first_run <= {run} AND gone_run > {run} ORDER BY source"
                ),
            ],
        };
        for query in queries {
            let mut statement = self.db.prepare(&query)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let source = ResourceId(row.get(0)?);
                if !is_source(source) {
                    continue;
                }
                for link in LinkList::new(text(row, 1)?) {
                    each(source, link);
                }
            }
        }
        Ok(())
    }

    /// What the catalog and the archive take on the disk, and how much lies in them.
    pub fn sizes(&self) -> Result<Sizes, StoreError> {
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

fn text<'a>(row: &'a Row<'_>, column: usize) -> Result<&'a str, StoreError> {
    let value = row.get_ref(column)?;
    Ok(value.as_str().unwrap_or_default())
}
