//! Which documents are there though no way leads to them any more? (B5)
//!
//! A way begins at a seed or a sitemap and goes over pages that are there. Two pages that only name each other are orphans
//! both.

use super::track::is_sitemap;
use crate::StoreError;
use crate::sqlite::seen::Bits;
use crate::sqlite::writer::RunWriter;
use crate::tracking::targets;
use gleaner_model::steps::legs_of;
use gleaner_model::{ResourceId, RunId};
use rusqlite::Connection;

/// Passes over the stored lists; after so many, what any page names counts as reached.
const PASSES_MAX: usize = 40;

impl RunWriter<'_> {
    /// Marks documents that are there though no way leads to them any more; `seeds` need no link. In a project with steps
    /// the ways are its steps, of which there are so many.
    pub(crate) fn mark_orphans(&mut self, seeds: &[ResourceId], steps: usize) -> Result<u64, StoreError> {
        let db = &self.catalog.db;
        let may_have_changed: bool = db.query_row(
            "SELECT EXISTS (SELECT 1 FROM past_links WHERE gone_run = ?1)
                 OR EXISTS (SELECT 1 FROM changes WHERE run = ?1 AND state = 'MIS')
                 OR EXISTS (SELECT 1 FROM documents WHERE project = ?2 AND orphan_run IS NOT NULL)",
            (self.run.0, self.project.0),
            |row| row.get(0),
        )?;
        if !may_have_changed {
            return Ok(0);
        }
        let named = match steps {
            0 => reached(db, self.run, seeds)?,
            _ => reached_by_steps(db, self.run, steps)?,
        };
        let transaction = db.unchecked_transaction()?;
        let mut count = 0;
        {
            let mut all = transaction.prepare(
                "SELECT c.id, d.id, d.resource, d.orphan_run IS NOT NULL FROM changes c JOIN documents d ON d.id = c.document
                 WHERE c.run = ?1 AND c.state IN ('SAM', 'UPD')",
            )?;
            let mut mark = transaction.prepare("UPDATE changes SET is_orphan = 1 WHERE id = ?1")?;
            let mut orphan = transaction
                .prepare("UPDATE documents SET orphan_run = coalesce(orphan_run, ?2) WHERE id = ?1")?;
            let mut found = transaction.prepare("UPDATE documents SET orphan_run = NULL WHERE id = ?1")?;
            let mut rows = all.query([self.run.0])?;
            let mut marks: Vec<(i64, i64)> = Vec::new();
            let mut cleared: Vec<i64> = Vec::new();
            while let Some(row) = rows.next()? {
                let (is_named, was_orphan): (bool, bool) = (named.has(row.get(2)?), row.get(3)?);
                if !is_named {
                    marks.push((row.get(0)?, row.get(1)?));
                } else if was_orphan {
                    cleared.push(row.get(1)?);
                }
            }
            for (change, document) in marks {
                mark.execute([change])?;
                orphan.execute((document, self.run.0))?;
                count += 1;
            }
            for document in cleared {
                found.execute([document])?;
            }
        }
        transaction.commit()?;
        Ok(count)
    }
}

/// What the steps of a run came to; the documents that were only looked at lie behind them.
fn reached_by_steps(db: &Connection, run: RunId, steps: usize) -> Result<Bits, StoreError> {
    let mut reached = Bits::default();
    let mut statement =
        db.prepare("SELECT resource, legs FROM visits WHERE run = ?1 AND legs IS NOT NULL")?;
    let mut rows = statement.query([run.0])?;
    while let Some(row) = rows.next()? {
        let legs = legs_of(row.get_ref(1)?.as_str().unwrap_or(""));
        if legs.iter().any(|leg| (leg.step as usize) < steps) {
            reached.set(row.get(0)?);
        }
    }
    Ok(reached)
}

/// What the ways of a run lead to. Pages lie in the order of their discovery, so one pass follows nearly all links, and
/// the next ones, to and fro, those that lead back. A list is read once.
fn reached(db: &Connection, run: RunId, seeds: &[ResourceId]) -> Result<Bits, StoreError> {
    let (mut reached, mut read) = (Bits::default(), Bits::default());
    for seed in seeds {
        reached.set(seed.0);
    }
    for pass in 0..=PASSES_MAX {
        let order = if pass % 2 == 0 { "ASC" } else { "DESC" };
        let mut statement = db.prepare_cached(&format!(
            "SELECT p.source, p.list FROM visits v JOIN page_links p ON p.source = v.resource
             WHERE v.run = ?1 AND coalesce(v.status, 0) NOT IN (404, 410) ORDER BY v.resource {order}"
        ))?;
        let mut rows = statement.query([run.0])?;
        let mut has_new = false;
        while let Some(row) = rows.next()? {
            let source: i64 = row.get(0)?;
            let counts_anyway = pass == 0 || pass == PASSES_MAX; // Sitemaps show in the first pass.
            if read.has(source) || !(reached.has(source) || counts_anyway) {
                continue;
            }
            let list = row.get_ref(1)?.as_str().unwrap_or("");
            if pass == 0 && !reached.has(source) && !is_sitemap(list) {
                continue;
            }
            read.set(source);
            for (target, _) in targets(list).filter(|(target, _)| *target != source) {
                has_new |= !reached.has(target);
                reached.set(target);
            }
        }
        if !has_new {
            break;
        }
    }
    Ok(reached)
}
