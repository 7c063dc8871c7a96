//! The rows of libraries: a change of one is one transaction.

use super::Catalog;
use crate::StoreError;
use crate::error::no_library;
use crate::libraries::{LibraryChange, LibraryCycle, LibraryDocument, LibrarySite};
use gleaner_model::library::LibrarySettings;
use gleaner_model::{LibraryId, ProjectId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

impl Catalog {
    pub(super) fn library(
        &self,
        settings: &LibrarySettings,
        project: ProjectId,
        now: Timestamp,
    ) -> Result<LibraryId, StoreError> {
        self.db.execute(
            "INSERT INTO libraries(name, project, settings, made_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT(name) DO UPDATE SET settings = excluded.settings, project = excluded.project",
            (settings.name(), project.0, to_json(settings)?, now.0),
        )?;
        let mut statement = self.db.prepare("SELECT id FROM libraries WHERE name = ?1")?;
        Ok(statement.query_row([settings.name()], |row| row.get(0).map(LibraryId))?)
    }

    pub(super) fn keep_library(&self, library: LibraryId, change: &LibraryChange) -> Result<(), StoreError> {
        let transaction = self.db.unchecked_transaction()?;
        let mut there = transaction.prepare_cached("SELECT 1 FROM libraries WHERE id = ?1")?;
        if there.query_row([library.0], |_| Ok(())).optional()?.is_none() {
            return Err(no_library(library));
        }
        drop(there);
        for site in &change.sites {
            keep_site(&transaction, library, site)?;
        }
        for judged in &change.documents {
            keep_verdict(&transaction, library, judged)?;
        }
        if let Some(cycle) = &change.cycle {
            keep_cycle(&transaction, library, cycle)?;
        }
        for (name, memory) in &change.memories {
            if memory.is_empty() {
                let forget = "DELETE FROM library_memories WHERE library = ?1 AND name = ?2";
                transaction.execute(forget, (library.0, name))?;
            } else {
                transaction.execute(
                    "INSERT INTO library_memories VALUES (?1, ?2, ?3)
                     ON CONFLICT DO UPDATE SET memory = excluded.memory",
                    (library.0, name, memory),
                )?;
            }
        }
        if let Some((follower, to)) = &change.position {
            self.advance(follower, *to)?;
        }
        Ok(transaction.commit()?)
    }
}

fn keep_site(db: &Connection, library: LibraryId, site: &LibrarySite) -> Result<(), StoreError> {
    let mut statement = db.prepare_cached(
        "INSERT OR REPLACE INTO library_sites VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    statement.execute(params![
        library.0,
        site.site,
        site.state.as_str(),
        to_json(&site.starts)?,
        site.is_by_hand,
        site.level,
        site.visits,
        site.last_visit.map(|at| at.0),
        site.next_visit.map(|at| at.0),
        site.why,
        site.facts,
    ])?;
    Ok(())
}

fn keep_verdict(db: &Connection, library: LibraryId, judged: &LibraryDocument) -> Result<(), StoreError> {
    let mut statement = db.prepare_cached(
        "INSERT INTO library_verdicts(library, document, version, url, site, verdict, genre, score, topic, reasons,
             is_by_person, cycle, at, media_type, size, title, language, work, role)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
    )?;
    statement.execute(params![
        library.0,
        judged.document.0,
        judged.version.0,
        judged.url,
        judged.site,
        judged.verdict.as_str(),
        judged.genre,
        judged.score,
        judged.topic,
        to_json(&judged.reasons)?,
        judged.is_by_person,
        judged.cycle,
        judged.at.0,
        judged.media_type,
        judged.size as i64,
        judged.title,
        judged.language,
        judged.work.map(|work| work.0),
        judged.role,
    ])?;
    let mut last = db.prepare_cached("INSERT OR REPLACE INTO library_documents VALUES (?1, ?2, ?3, ?4)")?;
    let number = db.last_insert_rowid();
    last.execute((library.0, judged.document.0, number, judged.verdict.as_str()))?;
    Ok(())
}

fn keep_cycle(db: &Connection, library: LibraryId, cycle: &LibraryCycle) -> Result<(), StoreError> {
    db.execute(
        "INSERT OR REPLACE INTO library_cycles VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        (
            library.0,
            cycle.number,
            cycle.run.map(|run| run.0),
            &cycle.phase,
            cycle.began_at.0,
            cycle.ended_at.map(|at| at.0),
            &cycle.report,
        ),
    )?;
    Ok(())
}

fn to_json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(unreadable)
}

/// What a row of a library says in JSON.
pub(super) fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(unreadable)
}

fn unreadable(cause: serde_json::Error) -> StoreError {
    StoreError::Settings {
        what: "a library".to_owned(),
        cause,
    }
}
