//! Projects and runs: making, reusing, ending, counting.

use super::Catalog;
use super::followers::{note_finished, note_unfinished};
use crate::StoreError;
use crate::error::{no_project, no_run};
use crate::runs::{Counts, RunKind, RunRow, RunStatus, SiteRules};
use gleaner_model::{Project, ProjectId, RunId, Timestamp};
use rusqlite::{Connection, OptionalExtension};

impl Catalog {
    /// The project of that name with these settings, made if it is not there, brought back if it was archived.
    pub fn project(&self, project: &Project, now: Timestamp) -> Result<ProjectId, StoreError> {
        let settings = to_json(project)?;
        self.db.execute(
            "INSERT INTO projects(name, settings, created_at) VALUES (?1, ?2, ?3)
             ON CONFLICT(name) DO UPDATE SET settings = excluded.settings, archived_at = NULL",
            (&project.name, settings, now.0),
        )?;
        Ok(self.db.query_row(
            "SELECT id FROM projects WHERE name = ?1",
            [&project.name],
            |row| row.get(0).map(ProjectId),
        )?)
    }

    pub fn find_project(&self, name: &str) -> Result<Option<(ProjectId, Project)>, StoreError> {
        find_project(&self.db, name)
    }

    pub fn start_run(
        &self,
        id: ProjectId,
        project: &Project,
        kind: RunKind,
        now: Timestamp,
    ) -> Result<RunId, StoreError> {
        let added = self.db.execute(
            "INSERT INTO runs(project, settings, status, started_at, kind)
             SELECT id, ?2, 'running', ?3, ?4 FROM projects WHERE id = ?1",
            (id.0, to_json(project)?, now.0, kind.as_str()),
        )?;
        if added == 0 {
            return Err(no_project(&id.to_string()));
        }
        Ok(RunId(self.db.last_insert_rowid()))
    }

    /// A run that was started and not finished: stopped, failed, killed, or cut off by a power loss. Runs of archived projects
    /// only where the project is named.
    pub fn unfinished_run(&self, project: Option<ProjectId>) -> Result<Option<RunId>, StoreError> {
        Ok(self
            .db
            .query_row(
                "SELECT id FROM runs WHERE status <> 'finished' AND project = coalesce(?1, project)
                   AND (?1 IS NOT NULL OR project NOT IN (SELECT id FROM projects WHERE archived_at IS NOT NULL))
                 ORDER BY id DESC LIMIT 1",
                [project.map(|p| p.0)],
                |row| row.get(0).map(RunId),
            )
            .optional()?)
    }

    pub fn run_settings(&self, run: RunId) -> Result<(ProjectId, Project), StoreError> {
        run_settings(&self.db, run)
    }

    pub fn set_run_settings(&self, run: RunId, project: &Project) -> Result<(), StoreError> {
        self.db.execute(
            "UPDATE runs SET settings = ?2 WHERE id = ?1",
            (run.0, to_json(project)?),
        )?;
        Ok(())
    }

    pub fn set_running(&self, run: RunId) -> Result<(), StoreError> {
        let transaction = self.db.unchecked_transaction()?;
        transaction.execute(
            "UPDATE runs SET status = 'running', ended_at = NULL, settled_at = NULL, note = NULL WHERE id = ?1",
            [run.0],
        )?;
        note_unfinished(&transaction, run)?;
        transaction.commit()?;
        Ok(())
    }

    pub fn end_run(
        &self,
        run: RunId,
        status: RunStatus,
        now: Timestamp,
        note: Option<&str>,
    ) -> Result<(), StoreError> {
        let transaction = self.db.unchecked_transaction()?;
        let ended = transaction.execute(
            // A finished run sends no more requests: its cookies are deleted.
            "UPDATE runs SET status = ?2, ended_at = ?3, note = ?4, cookies = iif(?2 = 'finished', NULL, cookies)
             WHERE id = ?1",
            (run.0, status.as_str(), now.0, note),
        )?;
        if status == RunStatus::Finished {
            transaction.execute("DELETE FROM host_states WHERE run = ?1", [run.0])?;
            if ended > 0 {
                note_finished(&transaction, run)?;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// It could not go on. A run that has its end keeps it.
    pub fn fail_run(&self, run: RunId, now: Timestamp, why: &str) -> Result<(), StoreError> {
        self.db.execute(
            "UPDATE runs SET status = 'failed', ended_at = ?2, note = ?3 WHERE id = ?1 AND status = 'running'",
            (run.0, now.0, why),
        )?;
        Ok(())
    }

    /// What the trap rules had learned when the run was left.
    pub fn traps(&self, run: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        let mut statement = self
            .db
            .prepare("SELECT memory FROM trap_memories WHERE run = ?1")?;
        Ok(statement.query_row([run.0], |row| row.get(0)).optional()?)
    }

    /// The same of the project's runs before this one, from the newest that has any.
    pub fn traps_before(&self, project: ProjectId, run: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        let mut statement = self.db.prepare(
            "SELECT m.memory FROM trap_memories m JOIN runs r ON r.id = m.run
             WHERE r.project = ?1 AND r.id < ?2 ORDER BY r.id DESC LIMIT 1",
        )?;
        let row = statement.query_row((project.0, run.0), |row| row.get(0));
        Ok(row.optional()?)
    }

    /// What is known about the URLs of the project's sites.
    pub fn site_rules(&self, project: ProjectId) -> Result<Vec<SiteRules>, StoreError> {
        site_rules(&self.db, project)
    }

    /// What was learned about the noise of the project's sites: site and memory.
    pub fn noises(&self, project: ProjectId) -> Result<Vec<(String, String)>, StoreError> {
        let mut statement = self
            .db
            .prepare("SELECT site, memory FROM noises WHERE project = ?1 ORDER BY site")?;
        let rows = statement.query_map([project.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The cookies of an open run, sealed by whoever gave them.
    pub fn cookies(&self, run: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        self.db
            .query_row("SELECT cookies FROM runs WHERE id = ?1", [run.0], |row| {
                row.get(0)
            })
            .optional()?
            .ok_or_else(|| no_run(run))
    }

    pub fn run_row(&self, run: RunId) -> Result<RunRow, StoreError> {
        run_row(&self.db, run)
    }

    pub fn counts(&self, run: RunId) -> Result<Counts, StoreError> {
        counts(&self.db, run)
    }

    /// Has the project been crawled before? Then pages have older versions to be compared with.
    pub fn has_documents(&self, project: ProjectId) -> Result<bool, StoreError> {
        Ok(self.db.query_row(
            "SELECT EXISTS (SELECT 1 FROM documents WHERE project = ?1)",
            [project.0],
            |row| row.get(0),
        )?)
    }
}

pub(crate) fn site_rules(db: &Connection, project: ProjectId) -> Result<Vec<SiteRules>, StoreError> {
    let mut statement = db.prepare(
        "SELECT site, rules, probed_at, is_pinned FROM site_rules WHERE project = ?1 ORDER BY site",
    )?;
    let rows = statement.query_map([project.0], |row| {
        let probed_at: Option<i64> = row.get(2)?;
        let is_pinned: bool = row.get(3)?;
        Ok(SiteRules {
            site: row.get(0)?,
            rules: row.get(1)?,
            probed_at: probed_at.map(Timestamp),
            is_settled: probed_at.is_some() || is_pinned,
            is_pinned,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(crate) fn to_json(project: &Project) -> Result<String, StoreError> {
    serde_json::to_string(project).map_err(|cause| StoreError::Settings {
        what: format!("project {}", project.name),
        cause,
    })
}

/// What the archive says of a run, so that it can be understood without the catalog: what was to be collected, and nothing about
/// who asked or how they got in.
pub(crate) fn run_fields(db: &Connection, run: RunId) -> Result<Vec<(&'static str, String)>, StoreError> {
    let row = run_row(db, run)?;
    let (_, project) = run_settings(db, run)?;
    let told = Project {
        user_agent: String::new(),
        steps: Vec::new(),
        login: None,
        auth: gleaner_model::steps::Auth::default(),
        headers: Vec::new(),
        cookies_file: None,
        notify: Vec::new(),
        ..project
    };
    Ok(vec![
        ("isPartOf", row.project_name.clone()),
        ("run", row.id.to_string()),
        ("kind", row.kind.as_str().to_owned()),
        ("startedAt", row.started_at.0.to_string()),
        ("settings", to_json(&told)?),
    ])
}

pub(crate) fn find_project(db: &Connection, name: &str) -> Result<Option<(ProjectId, Project)>, StoreError> {
    let found: Option<(i64, String)> = db
        .query_row(
            "SELECT id, settings FROM projects WHERE name = ?1",
            [name],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let Some((id, settings)) = found else {
        return Ok(None);
    };
    let project = serde_json::from_str(&settings).map_err(|cause| StoreError::Settings {
        what: format!("project {name}"),
        cause,
    })?;
    Ok(Some((ProjectId(id), project)))
}

pub(crate) fn run_settings(db: &Connection, run: RunId) -> Result<(ProjectId, Project), StoreError> {
    let (id, settings): (i64, String) = db
        .query_row(
            "SELECT project, settings FROM runs WHERE id = ?1",
            [run.0],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?
        .ok_or_else(|| no_run(run))?;
    let project = serde_json::from_str(&settings).map_err(|cause| StoreError::Settings {
        what: format!("run {run}"),
        cause,
    })?;
    Ok((ProjectId(id), project))
}

const RUN_COLUMNS: &str = "runs.id, runs.project, projects.name, runs.status, runs.started_at, runs.ended_at,
     runs.active_ms, runs.wire_bytes, runs.note, runs.kind FROM runs JOIN projects ON projects.id = runs.project";

fn to_run_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        id: RunId(row.get(0)?),
        project: ProjectId(row.get(1)?),
        project_name: row.get(2)?,
        status: RunStatus::parse(&row.get::<_, String>(3)?),
        started_at: Timestamp(row.get(4)?),
        ended_at: row.get::<_, Option<i64>>(5)?.map(Timestamp),
        active_ms: row.get::<_, i64>(6)? as u64,
        wire_bytes: row.get::<_, i64>(7)? as u64,
        note: row.get(8)?,
        kind: RunKind::parse(&row.get::<_, String>(9)?),
    })
}

pub(crate) fn run_row(db: &Connection, run: RunId) -> Result<RunRow, StoreError> {
    db.query_row(
        &format!("SELECT {RUN_COLUMNS} WHERE runs.id = ?1"),
        [run.0],
        to_run_row,
    )
    .optional()?
    .ok_or_else(|| no_run(run))
}

pub(crate) fn run_rows(db: &Connection) -> Result<Vec<RunRow>, StoreError> {
    let mut statement = db.prepare(&format!("SELECT {RUN_COLUMNS} ORDER BY runs.id"))?;
    let rows = statement.query_map([], to_run_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(crate) fn counts(db: &Connection, run: RunId) -> Result<Counts, StoreError> {
    let mut counts = Counts::default();
    let mut statement = db.prepare("SELECT state, count(*) FROM changes WHERE run = ?1 GROUP BY state")?;
    let mut rows = statement.query([run.0])?;
    while let Some(row) = rows.next()? {
        let count = row.get::<_, i64>(1)? as u64;
        match row.get_ref(0)?.as_str().unwrap_or("") {
            "NEW" => counts.new = count,
            "UPD" => counts.updated = count,
            "SAM" => counts.same = count,
            "MIS" => counts.missing = count,
            "ERR" => counts.errors = count,
            "OUT" => counts.out = count,
            _ => {}
        }
    }
    // A track that was cut off has not asked for these: until it goes on, nobody can tell.
    let unasked: i64 = db.query_row(
        "SELECT count(*) FROM frontier f JOIN runs ON runs.id = f.run
         JOIN documents d ON d.resource = f.resource AND d.project = runs.project AND d.gone_run IS NULL
         WHERE f.run = ?1 AND runs.kind = 'track' AND runs.status = 'stopped'
           AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.run = f.run AND c.resource = f.resource)",
        [run.0],
        |row| row.get(0),
    )?;
    let failed_before: i64 = db.query_row(
        "SELECT count(*) FROM changes WHERE run = ?1 AND state = 'ERR' AND document IS NOT NULL",
        [run.0],
        |row| row.get(0),
    )?;
    counts.errors += unasked as u64;
    counts.before =
        counts.updated + counts.same + counts.missing + counts.out + (failed_before + unasked) as u64;
    let (fetched, redirects, dead): (i64, i64, i64) = db.query_row(
        "SELECT count(status) FILTER (WHERE reason IS NOT 'script-link'),
                count(*) FILTER (WHERE status BETWEEN 300 AND 399 AND status <> 304),
                count(*) FILTER (WHERE status IN (404, 410) AND reason IS NOT 'script-link')
         FROM visits WHERE run = ?1 AND at IS NOT NULL",
        [run.0],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    counts.fetched = fetched as u64;
    counts.redirects = redirects as u64;
    counts.dead_links = (dead as u64).saturating_sub(counts.missing);
    counts.queued = db.query_row("SELECT count(*) FROM frontier WHERE run = ?1", [run.0], |row| {
        row.get::<_, i64>(0)
    })? as u64;
    Ok(counts)
}
