//! Libraries as they stand.

use super::SqliteLedger;
use crate::StoreError;
use crate::ledger::LibraryLedger;
use crate::libraries::{
    LibraryCycle, LibraryDocument, LibraryRow, LibrarySite, LibrarySiteState, LibraryVerdict,
};
use crate::sqlite::libraries::from_json;
use gleaner_model::{DocumentId, LibraryId, ProjectId, RunId, Timestamp, VersionId};
use rusqlite::{OptionalExtension, Row};

const VERDICT: &str = "v.document, v.version, v.url, v.site, v.verdict, v.genre, v.score, v.topic, v.reasons, v.is_by_person, \
                       v.cycle, v.at, v.media_type, v.size, v.title, v.language, v.work, v.role";

fn verdict_of(row: &Row<'_>) -> Result<LibraryDocument, StoreError> {
    let verdict: String = row.get(4)?;
    let reasons: String = row.get(8)?;
    Ok(LibraryDocument {
        document: DocumentId(row.get(0)?),
        version: VersionId(row.get(1)?),
        url: row.get(2)?,
        site: row.get(3)?,
        // What this program has no word for waits for a person.
        verdict: LibraryVerdict::parse(&verdict).unwrap_or(LibraryVerdict::Uncertain),
        genre: row.get(5)?,
        score: row.get(6)?,
        topic: row.get(7)?,
        reasons: from_json(&reasons)?,
        is_by_person: row.get(9)?,
        cycle: row.get(10)?,
        at: Timestamp(row.get(11)?),
        media_type: row.get(12)?,
        size: row.get::<_, i64>(13)? as u64,
        title: row.get(14)?,
        language: row.get(15)?,
        work: row.get::<_, Option<i64>>(16)?.map(DocumentId),
        role: row.get(17)?,
    })
}

impl LibraryLedger for SqliteLedger {
    fn libraries(&self) -> Result<Vec<LibraryRow>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT id, project, settings, made_at FROM libraries ORDER BY id")?;
        let mut rows = statement.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let settings: String = row.get(2)?;
            found.push(LibraryRow {
                id: LibraryId(row.get(0)?),
                project: ProjectId(row.get(1)?),
                settings: from_json(&settings)?,
                made_at: Timestamp(row.get(3)?),
            });
        }
        Ok(found)
    }

    fn library_sites(
        &self,
        library: LibraryId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<LibrarySite>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT site, state, starts, is_by_hand, level, visits, last_visit, next_visit, why, facts FROM library_sites
             WHERE library = ?1 AND site > ?2 ORDER BY site LIMIT ?3",
        )?;
        let mut rows = statement.query((library.0, after.unwrap_or(""), limit as i64))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let (state, starts): (String, String) = (row.get(1)?, row.get(2)?);
            found.push(LibrarySite {
                site: row.get(0)?,
                // What this program has no word for is not visited.
                state: LibrarySiteState::parse(&state).unwrap_or(LibrarySiteState::Rejected),
                starts: from_json(&starts)?,
                is_by_hand: row.get(3)?,
                level: row.get(4)?,
                visits: row.get(5)?,
                last_visit: row.get::<_, Option<i64>>(6)?.map(Timestamp),
                next_visit: row.get::<_, Option<i64>>(7)?.map(Timestamp),
                why: row.get(8)?,
                facts: row.get(9)?,
            });
        }
        Ok(found)
    }

    fn library_documents(
        &self,
        library: LibraryId,
        verdict: Option<LibraryVerdict>,
        after: Option<DocumentId>,
        limit: usize,
    ) -> Result<Vec<LibraryDocument>, StoreError> {
        let one = match verdict {
            Some(_) => "d.verdict = ?2",
            None => "?2 IS NULL",
        };
        let mut statement = self.db.prepare_cached(&format!(
            "SELECT {VERDICT} FROM library_documents d JOIN library_verdicts v ON v.id = d.last
             WHERE d.library = ?1 AND {one} AND d.document > ?3 ORDER BY d.document LIMIT ?4"
        ))?;
        let after = after.map_or(i64::MIN, |after| after.0);
        let verdict = verdict.map(LibraryVerdict::as_str);
        let mut rows = statement.query((library.0, verdict, after, limit as i64))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(verdict_of(row)?);
        }
        Ok(found)
    }

    fn library_verdicts(
        &self,
        library: LibraryId,
        document: DocumentId,
    ) -> Result<Vec<LibraryDocument>, StoreError> {
        let mut statement = self.db.prepare_cached(&format!(
            "SELECT {VERDICT} FROM library_verdicts v WHERE v.library = ?1 AND v.document = ?2 ORDER BY v.id"
        ))?;
        let mut rows = statement.query((library.0, document.0))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(verdict_of(row)?);
        }
        Ok(found)
    }

    fn library_cycles(&self, library: LibraryId) -> Result<Vec<LibraryCycle>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT number, run, phase, began_at, ended_at, report FROM library_cycles WHERE library = ?1 ORDER BY number",
        )?;
        let rows = statement.query_map([library.0], |row| {
            Ok(LibraryCycle {
                number: row.get(0)?,
                run: row.get::<_, Option<i64>>(1)?.map(RunId),
                phase: row.get(2)?,
                began_at: Timestamp(row.get(3)?),
                ended_at: row.get::<_, Option<i64>>(4)?.map(Timestamp),
                report: row.get(5)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn library_memory(&self, library: LibraryId, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT memory FROM library_memories WHERE library = ?1 AND name = ?2")?;
        Ok(statement
            .query_row((library.0, name), |row| row.get(0))
            .optional()?)
    }
}
