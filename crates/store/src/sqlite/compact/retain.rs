//! Which versions go? One transaction drops their rows, and those of bodies that nobody needs any more.
//!
//! What runs found stays: a change whose version was dropped still says what happened, it only names no version.

use super::PruneOptions;
use crate::StoreError;
use crate::sqlite::runs::find_project;
use gleaner_model::project::Retention;
use gleaner_model::{ProjectId, Timestamp};
use rusqlite::Connection;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// What retention did to a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedProject {
    pub name: String,
    pub keep: Retention,
    pub versions: u64,
    pub dropped: u64,
}

pub(super) struct Retained {
    pub(super) projects: Vec<PrunedProject>,
    pub(super) bodies_dropped: u64,
}

pub(super) fn retain(db: &Connection, wish: &PruneOptions, now: Timestamp) -> Result<Retained, StoreError> {
    db.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS leaving(version INTEGER PRIMARY KEY); DELETE FROM leaving",
    )?;
    let mut projects = Vec::new();
    for name in names(db, wish)? {
        let Some((id, project)) = find_project(db, &name)? else {
            continue;
        };
        let keep = wish.keep.unwrap_or(project.retention);
        projects.push(PrunedProject {
            name,
            keep,
            versions: versions_of(db, id)?,
            dropped: choose(db, id, keep, now)?,
        });
    }
    let bodies_dropped = drop_leaving(db)?;
    Ok(Retained {
        projects,
        bodies_dropped,
    })
}

fn names(db: &Connection, wish: &PruneOptions) -> Result<Vec<String>, StoreError> {
    let mut statement = db.prepare("SELECT name FROM projects WHERE ?1 IS NULL OR name = ?1 ORDER BY id")?;
    let names: Vec<String> = statement
        .query_map([&wish.project], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    match &wish.project {
        Some(given) if names.is_empty() => Err(StoreError::NotFound {
            what: "project",
            given: given.clone().into(),
        }),
        _ => Ok(names),
    }
}

fn versions_of(db: &Connection, project: ProjectId) -> Result<u64, StoreError> {
    let sql = "SELECT count(*) FROM versions v JOIN documents d ON d.id = v.document WHERE d.project = ?1";
    Ok(db.query_row(sql, [project.0], |row| row.get::<_, i64>(0))? as u64)
}

/// Puts the project's versions that are to go into `leaving`, and says how many.
fn choose(db: &Connection, project: ProjectId, keep: Retention, now: Timestamp) -> Result<u64, StoreError> {
    let (unwanted, limit) = match keep {
        Retention::All => return Ok(0),
        Retention::Versions(count) => (
            "row_number() OVER (PARTITION BY v.document ORDER BY v.id DESC) > ?2",
            i64::from(count.max(1)),
        ),
        // It was current until the next one was fetched.
        Retention::Days(days) => (
            "lead(v.fetched_at) OVER (PARTITION BY v.document ORDER BY v.id) <= ?2",
            now.0.saturating_sub(i64::from(days) * DAY_MS),
        ),
    };
    let before = count_leaving(db)?;
    db.execute(
        &format!(
            "INSERT INTO leaving SELECT id FROM
                 (SELECT v.id AS id, {unwanted} AS is_unwanted
                  FROM versions v JOIN documents d ON d.id = v.document WHERE d.project = ?1)
             WHERE is_unwanted AND id NOT IN (SELECT version FROM documents WHERE version IS NOT NULL)"
        ),
        (project.0, limit),
    )?;
    // A version that is kept may repeat an older one ("the same as"): that one has to be kept too.
    db.execute(
        "WITH RECURSIVE needed(id) AS (
             SELECT v.same_as FROM versions v JOIN documents d ON d.id = v.document
             WHERE d.project = ?1 AND v.same_as IS NOT NULL AND v.id NOT IN (SELECT version FROM leaving)
             UNION SELECT v.same_as FROM needed n JOIN versions v ON v.id = n.id WHERE v.same_as IS NOT NULL)
         DELETE FROM leaving WHERE version IN (SELECT id FROM needed)",
        [project.0],
    )?;
    Ok(count_leaving(db)?.saturating_sub(before))
}

fn count_leaving(db: &Connection) -> Result<u64, StoreError> {
    Ok(db.query_row("SELECT count(*) FROM leaving", [], |row| row.get::<_, i64>(0))? as u64)
}

/// Drops the versions chosen; gives how many bodies went with them.
fn drop_leaving(db: &Connection) -> Result<u64, StoreError> {
    if count_leaving(db)? == 0 {
        return Ok(0);
    }
    // A body goes when no version needs it and its record was a dropped version's. One that came with an answer of its
    // own (a 404 page, say) stays with that answer.
    db.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS unneeded(body INTEGER PRIMARY KEY);
         DELETE FROM unneeded;
         INSERT INTO unneeded SELECT DISTINCT body FROM versions WHERE id IN (SELECT version FROM leaving);
         INSERT INTO dropped(archive, offset)
             SELECT v.archive, v.offset FROM versions v JOIN archives a ON a.id = v.archive
             WHERE v.id IN (SELECT version FROM leaving) AND v.offset < a.bytes
             ON CONFLICT DO NOTHING;
         UPDATE changes SET version = NULL WHERE version IN (SELECT version FROM leaving);
         DELETE FROM ladders WHERE version IN (SELECT version FROM leaving);
         DELETE FROM versions WHERE id IN (SELECT version FROM leaving);
         DELETE FROM unneeded WHERE body IN (SELECT body FROM versions);",
    )?;
    let bodies = db.execute(
        "DELETE FROM bodies WHERE id IN (SELECT body FROM unneeded)
             AND (is_lost OR EXISTS
                 (SELECT 1 FROM dropped d WHERE d.archive = bodies.archive AND d.offset = bodies.offset))",
        [],
    )?;
    db.execute_batch("DELETE FROM leaving; DELETE FROM unneeded")?;
    Ok(bodies as u64)
}
