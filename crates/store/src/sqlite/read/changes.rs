//! What a run found: its changes, what it left out, and the sentences about it as a whole.

use super::Reader;
use crate::StoreError;
use gleaner_model::{DocumentId, Reason, RunId, VersionId};

/// One line of `gleaner report`.
#[derive(Debug, Clone)]
pub struct ChangeRow {
    pub state: String,
    pub document: Option<i64>,
    pub url: String,
    pub media_type: Option<String>,
    pub title: Option<String>,
    pub size: Option<u64>,
    pub reason: Option<String>,
    pub detail: Option<String>,
    /// The version that the run kept; none: it kept none.
    pub version: Option<i64>,
    /// Still there, but nothing links to it any more.
    pub is_orphan: bool,
    /// The address it had before.
    pub moved_from: Option<String>,
}

impl ChangeRow {
    /// The document and its new version, where there are both.
    pub fn kept(&self) -> Option<(DocumentId, VersionId)> {
        Some((DocumentId(self.document?), VersionId(self.version?)))
    }
}

/// One line about what a run left out.
#[derive(Debug, Clone)]
pub struct CutRow {
    pub reason: String,
    pub shape: String,
    pub count: u64,
    pub example: String,
}

/// What became of the documents that the project had before a track: UPD + SAM + MIS + ERR + OUT, all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Before {
    pub updated: u64,
    pub same: u64,
    pub missing: u64,
    pub errors: u64,
    pub out: u64,
    /// URLs that could not be fetched and never were documents: not among those above.
    pub errors_elsewhere: u64,
}

impl Before {
    pub fn documents(&self) -> u64 {
        self.updated + self.same + self.missing + self.errors + self.out
    }
}

impl Reader {
    /// The changes of a run, in the order they were found.
    pub fn changes(
        &self,
        run: RunId,
        state: Option<&str>,
        mut each: impl FnMut(ChangeRow) -> bool,
    ) -> Result<(), StoreError> {
        let mut statement = self.db.prepare(
            "SELECT c.state, c.document, r.url, coalesce(v.type, r.type), v.size, c.reason, c.detail, c.version,
                 coalesce(c.is_orphan, 0), m.url, coalesce(v.title, r.title)
             FROM changes c JOIN resources r ON r.id = c.resource
             LEFT JOIN documents d ON d.id = c.document
             LEFT JOIN versions v ON v.id = CASE WHEN c.state IN ('NEW', 'UPD') THEN c.version
                 ELSE coalesce(c.version, d.version) END -- A dropped version's size is not the newest one's.
             LEFT JOIN resources m ON m.id = c.moved_from
             WHERE c.run = ?1 AND (?2 IS NULL OR c.state = ?2) ORDER BY c.id",
        )?;
        let mut rows = statement.query((run.0, state))?;
        while let Some(row) = rows.next()? {
            let go_on = each(ChangeRow {
                state: row.get(0)?,
                document: row.get(1)?,
                url: row.get(2)?,
                media_type: row.get(3)?,
                size: row.get::<_, Option<i64>>(4)?.map(|s| s as u64),
                reason: row.get(5)?,
                detail: row.get(6)?,
                version: row.get(7)?,
                is_orphan: row.get(8)?,
                moved_from: row.get(9)?,
                title: row.get(10)?,
            });
            if !go_on {
                break;
            }
        }
        Ok(())
    }

    pub fn cuts(&self, run: RunId) -> Result<Vec<CutRow>, StoreError> {
        let mut statement = self.db.prepare(
            "SELECT reason, shape, count, example FROM cuts WHERE run = ?1 ORDER BY count DESC, reason",
        )?;
        let rows = statement.query_map([run.0], |row| {
            Ok(CutRow {
                reason: row.get(0)?,
                shape: row.get(1)?,
                count: row.get::<_, i64>(2)? as u64,
                example: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Sentences about the run as a whole.
    pub fn notes(&self, run: RunId) -> Result<Vec<String>, StoreError> {
        let mut statement = self
            .db
            .prepare("SELECT text FROM notes WHERE run = ?1 ORDER BY text")?;
        let rows = statement.query_map([run.0], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many documents and links of a run ended for this reason, and one of them.
    pub fn count_of_reason(&self, run: RunId, reason: Reason) -> Result<(u64, Option<String>), StoreError> {
        let row = self.db.query_row(
            "SELECT count(*), min(r.url) FROM changes c JOIN resources r ON r.id = c.resource
             WHERE c.run = ?1 AND c.reason = ?2",
            (run.0, reason.code()),
            |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)),
        )?;
        Ok((row.0 as u64, row.1))
    }

    /// What became of the documents there were before; none where the run is no track.
    pub fn before(&self, run: RunId) -> Result<Option<Before>, StoreError> {
        let is_track: bool =
            self.db
                .query_row("SELECT kind = 'track' FROM runs WHERE id = ?1", [run.0], |row| {
                    row.get(0)
                })?;
        if !is_track {
            return Ok(None);
        }
        let mut before = Before::default();
        let mut statement = self.db.prepare(
            "SELECT state, document IS NOT NULL, count(*) FROM changes WHERE run = ?1 GROUP BY 1, 2",
        )?;
        let mut rows = statement.query([run.0])?;
        while let Some(row) = rows.next()? {
            let count = row.get::<_, i64>(2)? as u64;
            let is_document: bool = row.get(1)?;
            match (row.get_ref(0)?.as_str().unwrap_or(""), is_document) {
                ("UPD", _) => before.updated += count,
                ("SAM", _) => before.same += count,
                ("MIS", _) => before.missing += count,
                ("ERR", true) => before.errors += count,
                ("ERR", false) => before.errors_elsewhere += count,
                ("OUT", true) => before.out += count,
                _ => {}
            }
        }
        Ok(Some(before))
    }
}
