//! The frontier as rows: what a run still has to ask for.

use super::Catalog;
use super::queue_order::{ROWS_OF_HOST, RowsInOrder, SCORE, SCORED_ROWS_OF_HOST};
use crate::tracking::targets;
use crate::work::{AWAITED, Known, Load, Loaded, Purpose, Queued, RowPlace, StoredRobots, Unreadable};
use crate::{Digest, StoreError};
use gleaner_model::steps::legs_of;
use gleaner_model::{DocumentId, HostId, ProjectId, ResourceId, RunId, Timestamp, Url, VersionId};
use rusqlite::{OptionalExtension, Row};

/// A row as it is asked for; one whose address cannot be read can only be ended.
fn queued(row: &Row<'_>, load: &Load) -> Result<Result<Queued, Unreadable>, StoreError> {
    let resource = ResourceId(row.get(0)?);
    let (priority, depth) = (row.get(2)?, row.get(3)?);
    let purpose = Purpose::parse(row.get_ref(4)?.as_str_or_null().unwrap_or(None));
    let Ok(url) = Url::parse(row.get_ref(1)?.as_str().unwrap_or("")) else {
        return Ok(Err(Unreadable {
            resource,
            priority,
            depth,
            purpose,
        }));
    };
    let chain: Option<String> = row.get(6)?;
    Ok(Ok(Queued {
        host: load.host,
        fence: load.fence,
        resource,
        url,
        priority,
        score: row.get(SCORE)?,
        depth,
        purpose,
        hops: row.get(5)?,
        chain: chain
            .and_then(|c| serde_json::from_str(&c).ok())
            .unwrap_or_default(),
        tries: row.get(7)?,
        due_at: Timestamp(row.get(8)?),
        stamp: row.get(9)?,
        legs: row
            .get_ref(10)?
            .as_str_or_null()
            .unwrap_or(None)
            .map_or_else(Vec::new, legs_of),
        request: row.get(11)?,
        known: None,
    }))
}

impl Catalog {
    /// The next rows of one host, best first.
    pub fn load(
        &self,
        run: RunId,
        project: ProjectId,
        load: &Load,
        with_known: bool,
    ) -> Result<Loaded, StoreError> {
        let (host, limit) = (load.host, load.limit);
        // One look at the database for all rows: each look of its own takes and gives back locks.
        let _look = self.db.unchecked_transaction()?;
        let mut scored = self.db.prepare_cached(SCORED_ROWS_OF_HOST)?;
        let mut all = self.db.prepare_cached(ROWS_OF_HOST)?;
        let priority_max = match load.priority_below {
            _ if load.lists_only => AWAITED,
            Some(below) => below - 1,
            None => i64::MAX,
        };
        let after = load.after.unwrap_or(RowPlace::BEFORE_ALL);
        let turn_max = RowPlace::new(priority_max, 0, after.resource).turn;
        let by_score = (after.turn, after.priority, after.resource.0);
        let (priority, resource) = after.without_score();
        // No limit in SQL: rows that are passed over here must not make the batch look like the last one.
        let mut rows = RowsInOrder::of(
            all.query((run.0, host.0, priority, resource.0, priority_max))?,
            scored.query((
                run.0,
                host.0,
                by_score.0,
                by_score.1,
                by_score.2,
                priority_max,
                turn_max,
            ))?,
        );
        let mut loaded = Loaded {
            rows: Vec::with_capacity(limit),
            ..Loaded::default()
        };
        while loaded.rows.len() < limit {
            let Some(row) = rows.next()? else {
                loaded.is_all = true;
                break;
            };
            let resource = ResourceId(row.get(0)?);
            if load.held.contains(&resource) {
                continue;
            }
            match queued(row, load)? {
                Ok(queued) => loaded.rows.push(queued),
                Err(unreadable) => loaded.unreadable.push(unreadable),
            }
        }
        if with_known {
            (loaded.right, loaded.wrong) = self.trust_in(host)?;
            let last = self.run_before(project, run)?;
            for page in &mut loaded.rows {
                page.known = self.known(project, page.resource, last)?;
            }
        }
        Ok(loaded)
    }

    /// How often the host's validators were right and wrong.
    fn trust_in(&self, host: HostId) -> Result<(u64, u64), StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT right, wrong FROM trusts WHERE host = ?1")?;
        let told: Option<(u64, u64)> = statement
            .query_row([host.0], |row| {
                Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64))
            })
            .optional()?;
        Ok(told.unwrap_or_default())
    }

    fn known(
        &self,
        project: ProjectId,
        resource: ResourceId,
        last: Option<RunId>,
    ) -> Result<Option<Known>, StoreError> {
        // Three plain look-ups: joined in one statement SQLite prepares it anew at every use.
        let mut document = self.db.prepare_cached(
            "SELECT id, version, gone_run IS NOT NULL, instead_run, instead FROM documents
             WHERE resource = ?1 AND project = ?2",
        )?;
        let mut version = self
            .db
            .prepare_cached("SELECT size, etag, last_modified, same_as, body FROM versions WHERE id = ?1")?;
        let mut body = self
            .db
            .prepare_cached("SELECT digest, is_lost FROM bodies WHERE id = ?1")?;
        let found = document
            .query_row((resource.0, project.0), |row| {
                let away = row.get::<_, Option<i64>>(3)?.map(RunId);
                let (id, newest): (i64, Option<i64>) = (row.get(0)?, row.get(1)?);
                let (is_gone, instead): (bool, Option<Vec<u8>>) = (row.get(2)?, row.get(4)?);
                Ok((id, newest, is_gone, away, instead))
            })
            .optional()?;
        let Some((document, Some(newest), is_gone, away, instead)) = found else {
            return Ok(None);
        };
        let found = version
            .query_row([newest], |row| {
                let (digest, is_lost) = body.query_row([row.get::<_, i64>(4)?], |row| {
                    Ok((Digest(row.get(0)?), row.get::<_, bool>(1)?))
                })?;
                let base: Option<i64> = row.get(3)?;
                let (size, etag) = (row.get::<_, i64>(0)? as u64, row.get::<_, Option<String>>(1)?);
                let last_modified: Option<String> = row.get(2)?;
                Ok(Known {
                    document: DocumentId(document),
                    version: VersionId(newest),
                    digest,
                    size,
                    etag,
                    last_modified,
                    base: VersionId(base.unwrap_or(newest)),
                    base_digest: digest,
                    is_gone,
                    asks_whole: is_lost || away.is_some(),
                    was_away: away.is_some(),
                    // What an older run saw has been contradicted, or nobody looked since.
                    instead: instead.filter(|_| away == last),
                })
            })
            .optional()?;
        let Some(mut known) = found else { return Ok(None) };
        if known.base != known.version {
            let mut statement = self.db.prepare_cached(
                "SELECT b.digest FROM versions v JOIN bodies b ON b.id = v.body WHERE v.id = ?1",
            )?;
            known.base_digest = Digest(statement.query_row([known.base.0], |row| row.get(0))?);
        }
        Ok(Some(known))
    }

    /// The project's run before this one.
    pub(crate) fn run_before(&self, project: ProjectId, run: RunId) -> Result<Option<RunId>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT max(id) FROM runs WHERE project = ?1 AND id < ?2")?;
        let last: Option<i64> = statement.query_row((project.0, run.0), |row| row.get(0))?;
        Ok(last.map(RunId))
    }

    /// Hosts that have something queued, in the order of their ids.
    pub fn hosts_waiting(&self, run: RunId) -> Result<Vec<HostId>, StoreError> {
        // One step per host through the index, however many rows each has.
        let mut statement = self.db.prepare_cached(
            "WITH RECURSIVE h(id) AS (
                 SELECT min(host) FROM frontier WHERE run = ?1
                 UNION ALL
                 SELECT (SELECT min(host) FROM frontier WHERE run = ?1 AND host > h.id) FROM h WHERE h.id IS NOT NULL)
             SELECT id FROM h WHERE id IS NOT NULL",
        )?;
        let rows = statement.query_map([run.0], |row| row.get(0).map(HostId))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many documents the run has of each host so far.
    pub fn documents_by_host(&self, run: RunId) -> Result<Vec<(HostId, u64)>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT r.host, count(*) FROM changes c JOIN resources r ON r.id = c.resource
             WHERE c.run = ?1 AND c.state IN ('NEW', 'UPD', 'SAM') GROUP BY r.host",
        )?;
        let rows = statement.query_map([run.0], |row| {
            Ok((HostId(row.get(0)?), row.get::<_, i64>(1)? as u64))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn waiting(&self, run: RunId) -> Result<u64, StoreError> {
        Ok(self
            .db
            .query_row("SELECT count(*) FROM frontier WHERE run = ?1", [run.0], |row| {
                row.get::<_, i64>(0)
            })? as u64)
    }

    pub fn robots(&self, host: HostId) -> Result<Option<StoredRobots>, StoreError> {
        Ok(self
            .db
            .query_row(
                "SELECT robots_status, robots_reason, robots_body, robots_at FROM hosts
                 WHERE id = ?1 AND robots_at IS NOT NULL",
                [host.0],
                |row| {
                    Ok(StoredRobots {
                        status: row.get(0)?,
                        reason: row.get(1)?,
                        body: row.get::<_, Option<Vec<u8>>>(2)?.unwrap_or_default(),
                        at: Timestamp(row.get(3)?),
                    })
                },
            )
            .optional()?)
    }
}

impl Catalog {
    /// Where the seeds were found to redirect to, hop by hop: a resumed run knows what belongs to it.
    pub fn redirects_of(&self, seeds: &[Url]) -> Result<Vec<Url>, StoreError> {
        let mut by_key = self
            .db
            .prepare_cached("SELECT id FROM resources WHERE key = ?1")?;
        let mut url_of = self
            .db
            .prepare_cached("SELECT url FROM resources WHERE id = ?1")?;
        let mut found = Vec::new();
        for seed in seeds {
            let mut at: Option<i64> = by_key.query_row([&seed.key().0], |row| row.get(0)).optional()?;
            for _ in 0..gleaner_model::defaults::REDIRECTS_MAX {
                let Some(from) = at else { break };
                at = self.redirect_from(ResourceId(from))?.map(|to| to.0);
                let Some(to) = at else { break };
                let text: String = url_of.query_row([to], |row| row.get(0))?;
                let url = Url::parse(&text).ok();
                found.extend(url.filter(|url| url.domain() == seed.domain()));
            }
        }
        Ok(found)
    }

    /// Where a resource redirects to, one hop on.
    pub(crate) fn redirect_from(&self, resource: ResourceId) -> Result<Option<ResourceId>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT list FROM page_links WHERE source = ?1")?;
        let list: Option<String> = statement.query_row([resource.0], |row| row.get(0)).optional()?;
        let redirect = gleaner_model::LinkKind::Redirect as u8;
        let hop = list
            .as_deref()
            .and_then(|list| targets(list).find(|(_, kind)| *kind == redirect));
        Ok(hop.map(|(target, _)| ResourceId(target)))
    }
}
