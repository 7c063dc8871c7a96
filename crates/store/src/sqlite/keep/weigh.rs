//! Do the lists of a host tell the truth? What they said is compared with what a track found (B2).
//!
//! A change that a list announced speaks for it; a change that it denied undoes all that was earned. Dates too coarse to say
//! either count for nothing. Only pages that changed are looked at, so a quiet site costs nothing here.

use super::lists::dates_in;
use crate::StoreError;
use crate::sqlite::catalog::Catalog;
use crate::sqlite::writer::RunWriter;
use gleaner_model::{HostId, Modified, Reason, RunId, State, Timestamp, defaults};
use rusqlite::Transaction;
use std::collections::{BTreeMap, HashMap, HashSet};

#[derive(Default)]
struct Tally {
    announced: i64,
    unannounced: i64,
}

/// A document that was found changed or gone.
struct Found {
    host: i64,
    is_gone: bool,
    /// When the server last answered for it before this run.
    looked: Timestamp,
    listed: Option<Modified>,
}

impl Catalog {
    /// Hosts whose lists have earned it.
    pub(crate) fn trusted_lists(&self) -> Result<HashSet<HostId>, StoreError> {
        let sql = "SELECT host FROM list_trusts WHERE announced >= ?1";
        let mut statement = self.db.prepare(sql)?;
        let rows = statement.query_map([defaults::LIST_PROOFS], |row| row.get(0).map(HostId))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl RunWriter<'_> {
    /// Counts for and against the lists of this run. Once: the dates that were compared go with it.
    pub(crate) fn weigh_lists(&mut self) -> Result<(), StoreError> {
        let before = self.run_before()?;
        let transaction = self.catalog.db.unchecked_transaction()?;
        for (host, told) in told_by_lists(&transaction, self.run, before)? {
            transaction.execute(
                "INSERT INTO list_trusts(host, announced, unannounced)
                 VALUES (?1, CASE WHEN ?3 > 0 THEN 0 ELSE ?2 END, ?3)
                 ON CONFLICT DO UPDATE SET announced = CASE WHEN ?3 > 0 THEN 0 ELSE announced + ?2 END,
                     unannounced = unannounced + ?3",
                (host, told.announced, told.unannounced),
            )?;
        }
        for table in ["list_dates", "list_waits"] {
            let sql = format!("DELETE FROM {table} WHERE run IN (SELECT id FROM runs WHERE project = ?1)");
            transaction.execute(&sql, [self.project.0])?;
        }
        transaction.commit()?;
        Ok(())
    }
}

/// By host, what its lists said of the pages that turned out to have changed. A page that is gone though its list calls it
/// unchanged is as good a lie as any.
fn told_by_lists(
    db: &Transaction<'_>,
    run: RunId,
    before: RunId,
) -> Result<BTreeMap<i64, Tally>, StoreError> {
    let mut told: BTreeMap<i64, Tally> = BTreeMap::new();
    let has_dates: bool = db.query_row(
        "SELECT EXISTS (SELECT 1 FROM list_dates WHERE run = ?1)",
        [run.0],
        |row| row.get(0),
    )?;
    if !has_dates {
        return Ok(told);
    }
    let mut found = found_changed(db, run, before)?;
    let mut lists = db.prepare("SELECT dates FROM list_dates WHERE run = ?1")?;
    let mut rows = lists.query([run.0])?;
    while let Some(row) = rows.next()? {
        for (resource, modified) in dates_in(row.get_ref(0)?.as_blob().unwrap_or_default()) {
            if let Some(page) = found.get_mut(&resource) {
                let listed = page.listed.map_or(modified, |other| other.or_later(modified));
                page.listed = Some(listed);
            }
        }
    }
    for page in found.into_values() {
        let Some(listed) = page.listed else { continue };
        if listed.is_before(page.looked) {
            told.entry(page.host).or_default().unannounced += 1;
        } else if listed.is_after(page.looked) && !page.is_gone {
            told.entry(page.host).or_default().announced += 1;
        }
    }
    Ok(told)
}

fn found_changed(db: &Transaction<'_>, run: RunId, before: RunId) -> Result<HashMap<i64, Found>, StoreError> {
    let mut statement = db.prepare(
        "SELECT c.resource, r.host, c.state,
                max(coalesce(d.looked_at, 0),
                    coalesce((SELECT max(v.fetched_at) FROM versions v
                              WHERE v.document = d.id AND (c.version IS NULL OR v.id < c.version)), 0),
                    coalesce((SELECT p.at FROM visits p JOIN changes o ON o.run = p.run AND o.resource = p.resource
                              WHERE p.run = ?2 AND p.resource = c.resource AND o.state = 'SAM'
                                AND (p.status < 300 OR p.status = 304)), 0))
         FROM changes c JOIN documents d ON d.id = c.document JOIN resources r ON r.id = c.resource
         WHERE c.run = ?1 AND c.state IN ('UPD', 'MIS') AND c.reason IS NOT ?3",
    )?;
    let rows = statement.query_map((run.0, before.0, Reason::Moved.code()), |row| {
        let state: String = row.get(2)?;
        let page = Found {
            host: row.get(1)?,
            is_gone: state == State::Mis.as_str(),
            looked: Timestamp(row.get(3)?),
            listed: None,
        };
        Ok((row.get(0)?, page))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
