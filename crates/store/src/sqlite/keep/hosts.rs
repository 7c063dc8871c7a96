//! What became of the documents of each host, for whoever judges hosts as a whole, and the rows that follow from it.

use crate::StoreError;
use crate::settling::{Candidate, HostCounts, HostDocument, TakenBack};
use crate::sqlite::catalog::Catalog;
use crate::sqlite::writer::RunWriter;
use gleaner_model::{DocumentId, HostId, Reason, ResourceId, RunId, State, VersionId};
use rusqlite::{OptionalExtension, Transaction, params};
use std::collections::BTreeMap;

impl Catalog {
    /// The page that this resource was first found on.
    pub(crate) fn first_found_on(&self, resource: ResourceId) -> Result<Option<ResourceId>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT source FROM resources WHERE id = ?1")?;
        let source: Option<Option<i64>> = statement.query_row([resource.0], |row| row.get(0)).optional()?;
        Ok(source.flatten().map(ResourceId))
    }
}

impl RunWriter<'_> {
    /// The hosts whose documents are not all as they were.
    pub(crate) fn counts_by_host(&self) -> Result<Vec<HostCounts>, StoreError> {
        let mut found = self.hosts_with_changes()?;
        if found.is_empty() {
            return Ok(Vec::new());
        }
        // Counted here: SQLite would sort all changes of the run to group them.
        let mut statement = self.catalog.db.prepare(
            "SELECT r.host, c.state, c.reason FROM changes c JOIN resources r ON r.id = c.resource
             WHERE c.run = ?1 AND c.document IS NOT NULL",
        )?;
        let mut reasons: BTreeMap<(HostId, String), usize> = BTreeMap::new();
        let mut rows = statement.query([self.run.0])?;
        while let Some(row) = rows.next()? {
            let Some(counts) = found.get_mut(&HostId(row.get(0)?)) else {
                continue;
            };
            counts.all += 1;
            match row.get_ref(1)?.as_str().unwrap_or_default() {
                "SAM" => counts.same += 1,
                "UPD" => counts.changed += 1,
                "MIS" => counts.gone += 1,
                "ERR" => {
                    counts.failed += 1;
                    let reason = row.get_ref(2)?.as_str_or_null().unwrap_or(None);
                    if let Some(reason) = reason {
                        *reasons.entry((counts.host, reason.to_owned())).or_default() += 1;
                    }
                }
                _ => {}
            }
        }
        for ((host, code), count) in reasons {
            if let Some(counts) = found.get_mut(&host) {
                counts.reasons.push((Reason::stored(&code), count));
            }
        }
        Ok(found.into_values().collect())
    }

    /// The hosts that have a document that is not as it was, with nothing counted yet.
    fn hosts_with_changes(&self) -> Result<BTreeMap<HostId, HostCounts>, StoreError> {
        let mut statement = self.catalog.db.prepare(
            "SELECT DISTINCT r.host, h.scheme, h.name, h.port
             FROM changes c JOIN resources r ON r.id = c.resource JOIN hosts h ON h.id = r.host
             WHERE c.run = ?1 AND c.state IN ('UPD', 'ERR', 'MIS') AND c.document IS NOT NULL",
        )?;
        let rows = statement.query_map([self.run.0], |row| {
            Ok(HostCounts {
                host: HostId(row.get(0)?),
                scheme: row.get(1)?,
                name: row.get(2)?,
                port: row.get(3)?,
                all: 0,
                same: 0,
                changed: 0,
                failed: 0,
                gone: 0,
                reasons: Vec::new(),
            })
        })?;
        let hosts = rows.map(|counts| counts.map(|counts| (counts.host, counts)));
        Ok(hosts.collect::<Result<_, _>>()?)
    }

    /// The documents of a host that are not as they were.
    pub(crate) fn host_documents(&self, host: HostId) -> Result<Vec<HostDocument>, StoreError> {
        let last_run = self.catalog.run_before(self.project, self.run)?;
        let mut statement = self.catalog.db.prepare_cached(
            "SELECT c.document, c.resource, c.state, c.reason, c.version, l.ladder,
                    (SELECT b.ladder FROM ladders b JOIN versions v ON v.id = b.version
                     WHERE v.document = c.document AND v.id < c.version ORDER BY v.id DESC LIMIT 1),
                    d.instead_run, d.instead
             FROM changes c JOIN resources r ON r.id = c.resource JOIN documents d ON d.id = c.document
             LEFT JOIN ladders l ON l.version = c.version
             WHERE c.run = ?1 AND r.host = ?2 AND c.state IN ('UPD', 'ERR', 'MIS') ORDER BY c.id",
        )?;
        let mut last = self.catalog.db.prepare_cached(
            "SELECT state, reason FROM changes WHERE run = ?1 AND resource = ?2 AND document IS NOT NULL",
        )?;
        let state_of = |text: &str| State::parse(text).unwrap_or(State::Err);
        let mut rows = statement.query((self.run.0, host.0))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let resource: i64 = row.get(1)?;
            let (shown_in, shown): (Option<i64>, Option<Vec<u8>>) = (row.get(7)?, row.get(8)?);
            let is_of = |run: Option<i64>| run.is_some() && run == shown_in;
            let last_said: Option<(String, Option<String>)> = match last_run {
                Some(run) => last
                    .query_row((run.0, resource), |row| Ok((row.get(0)?, row.get(1)?)))
                    .optional()?,
                None => None,
            };
            found.push(HostDocument {
                document: DocumentId(row.get(0)?),
                resource: ResourceId(resource),
                state: state_of(row.get_ref(2)?.as_str().unwrap_or_default()),
                reason: row.get::<_, Option<String>>(3)?.map(|code| Reason::stored(&code)),
                version: row.get::<_, Option<i64>>(4)?.map(VersionId),
                ladder: row.get(5)?,
                base_ladder: row.get(6)?,
                shown: shown.clone().filter(|_| is_of(Some(self.run.0))),
                shown_last: shown.filter(|_| is_of(last_run.map(|run| run.0))),
                last: last_said
                    .map(|(state, reason)| (state_of(&state), reason.map(|code| Reason::stored(&code)))),
            });
        }
        Ok(found)
    }

    /// Takes back versions that were none: what came was not the documents' content. It is remembered, so that the next run
    /// can tell whether it stays.
    pub(crate) fn take_back(&mut self, versions: &[TakenBack], detail: &str) -> Result<(), StoreError> {
        let transaction = self.catalog.db.unchecked_transaction()?;
        for taken in versions {
            let (document, version) = (taken.document.0, taken.version.0);
            transaction.execute(
                "UPDATE documents SET instead_run = ?2, instead = (SELECT ladder FROM ladders WHERE version = ?3)
                 WHERE id = ?1",
                (document, self.run.0, version),
            )?;
            transaction.execute(
                "UPDATE changes SET state = 'ERR', reason = ?3, detail = ?4, version = NULL
                 WHERE run = ?1 AND document = ?2",
                params![self.run.0, document, taken.reason.code(), detail],
            )?;
            transaction.execute("DELETE FROM ladders WHERE version = ?1", [version])?;
            transaction.execute("DELETE FROM versions WHERE id = ?1", [version])?;
            transaction.execute(
                "UPDATE documents SET version = (SELECT max(id) FROM versions WHERE document = ?1) WHERE id = ?1",
                [document],
            )?;
            restore_links(&transaction, taken.resource, self.run)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Documents that this run called gone are not: their host is away.
    pub(crate) fn withhold(
        &mut self,
        documents: &[(DocumentId, ResourceId)],
        detail: &str,
    ) -> Result<(), StoreError> {
        let transaction = self.catalog.db.unchecked_transaction()?;
        for (document, resource) in documents {
            transaction.execute(
                "UPDATE changes SET state = 'ERR', detail = ?3, reason = CASE reason WHEN ?4 THEN ?5 ELSE reason END
                 WHERE run = ?1 AND document = ?2",
                params![
                    self.run.0,
                    document.0,
                    detail,
                    Reason::Soft404.code(),
                    Reason::SameForAll.code()
                ],
            )?;
            transaction.execute("UPDATE documents SET gone_run = NULL WHERE id = ?1", [document.0])?;
            restore_links(&transaction, *resource, self.run)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// New documents that are none: more addresses of a page that many addresses show. Their records stay in the archive.
    pub(crate) fn drop_new(&mut self, found: &[Candidate]) -> Result<(), StoreError> {
        let transaction = self.catalog.db.unchecked_transaction()?;
        for one in found {
            let document = one.document.0;
            transaction.execute(
                "DELETE FROM changes WHERE run = ?1 AND document = ?2 AND state = 'NEW'",
                (self.run.0, document),
            )?;
            transaction.execute(
                "UPDATE visits SET reason = ?3 WHERE run = ?1 AND resource = ?2",
                (self.run.0, one.resource.0, Reason::SameForAll.code()),
            )?;
            transaction.execute(
                "DELETE FROM ladders WHERE version IN (SELECT id FROM versions WHERE document = ?1 AND run = ?2)",
                (document, self.run.0),
            )?;
            transaction.execute(
                "DELETE FROM versions WHERE document = ?1 AND run = ?2",
                (document, self.run.0),
            )?;
            // It may have been one before it was gone.
            let has_past: bool = transaction.query_row(
                "SELECT EXISTS (SELECT 1 FROM versions WHERE document = ?1)",
                [document],
                |row| row.get(0),
            )?;
            if has_past {
                transaction.execute(
                    "UPDATE documents SET gone_run = ?2,
                         version = (SELECT max(id) FROM versions WHERE document = ?1) WHERE id = ?1",
                    (document, self.run.0),
                )?;
            } else {
                transaction.execute("DELETE FROM documents WHERE id = ?1", [document])?;
            }
        }
        transaction.commit()?;
        Ok(())
    }
}

/// The links that a page had before this run: what came in its place had others, or none.
fn restore_links(transaction: &Transaction<'_>, page: ResourceId, run: RunId) -> Result<(), StoreError> {
    let rows = (page.0, run.0);
    transaction.execute(
        "DELETE FROM page_links WHERE source = ?1 AND first_run = ?2",
        rows,
    )?;
    transaction.execute(
        "INSERT INTO page_links(source, first_run, list)
         SELECT source, first_run, list FROM past_links WHERE source = ?1 AND gone_run = ?2 ON CONFLICT DO NOTHING",
        rows,
    )?;
    transaction.execute("DELETE FROM past_links WHERE source = ?1 AND gone_run = ?2", rows)?;
    Ok(())
}
