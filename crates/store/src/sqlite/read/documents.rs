//! The documents that are kept, one line of `gleaner ls` each, and which of them are no longer there.

use super::Reader;
use crate::StoreError;
use gleaner_model::{RunId, Timestamp};
use std::collections::HashMap;

/// One line of `gleaner ls`.
#[derive(Debug, Clone)]
pub struct DocumentRow {
    pub id: i64,
    pub url: String,
    pub media_type: String,
    pub charset: Option<String>,
    pub title: Option<String>,
    pub size: u64,
    pub fetched_at: Timestamp,
    pub project: String,
    /// None: it is there, as far as we know.
    pub absence: Option<Absence>,
}

/// Why a document that is kept is not among those that a project has now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// This run found it gone.
    Gone(RunId),
    /// The project's settings no longer take it, as this run said last.
    Out(RunId),
}

/// Which documents to list.
#[derive(Debug, Clone, Default)]
pub struct DocumentFilter {
    pub host: Option<String>,
    pub media_type: Option<String>,
    pub project: Option<String>,
    /// Only those that are no longer there.
    pub only_absent: bool,
}

impl Reader {
    pub fn documents(
        &self,
        filter: &DocumentFilter,
        mut each: impl FnMut(DocumentRow) -> bool,
    ) -> Result<(), StoreError> {
        let out = self.documents_out()?;
        let mut statement = self.db.prepare(
            "SELECT d.id, r.url, v.type, v.charset, v.title, v.size, v.fetched_at, p.name, d.gone_run
             FROM documents d JOIN resources r ON r.id = d.resource JOIN versions v ON v.id = d.version
             JOIN hosts h ON h.id = r.host JOIN projects p ON p.id = d.project
             WHERE (?1 IS NULL OR h.name = ?1) AND (?2 IS NULL OR v.type = ?2 OR v.type LIKE ?2 || '/%')
               AND (?3 IS NULL OR p.name = ?3)
             ORDER BY d.id",
        )?;
        let mut rows = statement.query((&filter.host, &filter.media_type, &filter.project))?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let gone = row.get::<_, Option<i64>>(8)?.map(RunId);
            let absence = match gone {
                Some(run) => Some(Absence::Gone(run)),
                None => out.get(&id).copied().map(Absence::Out),
            };
            if filter.only_absent && absence.is_none() {
                continue;
            }
            let go_on = each(DocumentRow {
                id,
                url: row.get(1)?,
                media_type: row.get(2)?,
                charset: row.get(3)?,
                title: row.get(4)?,
                size: row.get::<_, i64>(5)? as u64,
                fetched_at: Timestamp(row.get(6)?),
                project: row.get(7)?,
                absence,
            });
            if !go_on {
                break;
            }
        }
        Ok(())
    }

    /// Documents that the last run which could tell has called OUT, with that run.
    fn documents_out(&self) -> Result<HashMap<i64, RunId>, StoreError> {
        // Few documents were ever OUT; of those the last word counts. With max(), SQLite takes the state from its row.
        let mut statement = self.db.prepare(
            "SELECT document, max(run), state FROM changes
             WHERE state <> 'ERR' AND document IN
                 (SELECT document FROM changes WHERE state = 'OUT' AND document IS NOT NULL)
             GROUP BY document",
        )?;
        let mut rows = statement.query([])?;
        let mut out = HashMap::new();
        while let Some(row) = rows.next()? {
            if row.get_ref(2)?.as_str().unwrap_or("") == "OUT" {
                out.insert(row.get(0)?, RunId(row.get(1)?));
            }
        }
        Ok(out)
    }
}
