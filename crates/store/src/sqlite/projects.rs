//! Projects by themselves: listing, renaming, removing.
//!
//! A project that never ran is removed whole. One that ran is archived: it is no longer listed, its runs, documents and
//! versions stay. SQLite would give the numbers of deleted rows to the next ones, and a report, a link or a reader of
//! changes that remembers "run 7" would then find another one under it. `gleaner prune` is what frees space.

use super::Catalog;
use super::runs::{find_project, to_json};
use crate::StoreError;
use crate::error::no_project;
use crate::runs::{LastRun, ProjectRow, Removed, RunStatus};
use gleaner_model::{Project, ProjectId, RunId, Timestamp};
use rusqlite::Connection;

impl Catalog {
    /// A new project; refused where there is one of that name, archived ones included.
    pub fn add_project(&self, project: &Project, now: Timestamp) -> Result<ProjectId, StoreError> {
        self.check_free(&project.name)?;
        self.project(project, now)
    }

    /// Gives a project another name, also in its unfinished run. What finished runs were called stays in their settings.
    pub fn rename_project(&self, name: &str, new: &str) -> Result<(), StoreError> {
        let transaction = self.db.unchecked_transaction()?;
        let (id, mut project) = find_project(&transaction, name)?.ok_or_else(|| no_project(name))?;
        self.check_free(new)?;
        new.clone_into(&mut project.name);
        transaction.execute(
            "UPDATE projects SET name = ?2, settings = ?3 WHERE id = ?1",
            (id.0, new, to_json(&project)?),
        )?;
        transaction.execute(
            "UPDATE runs SET settings = json_set(settings, '$.name', ?2) WHERE project = ?1 AND status <> 'finished'",
            (id.0, new),
        )?;
        transaction.commit()?;
        Ok(())
    }

    pub fn remove_project(&self, id: ProjectId, now: Timestamp) -> Result<Removed, StoreError> {
        let transaction = self.db.unchecked_transaction()?;
        let has_history: bool = transaction.query_row(
            "SELECT EXISTS (SELECT 1 FROM runs WHERE project = ?1)
                 OR EXISTS (SELECT 1 FROM documents WHERE project = ?1)",
            [id.0],
            |row| row.get(0),
        )?;
        let removed = if has_history {
            transaction.execute(
                "UPDATE projects SET archived_at = ?2 WHERE id = ?1",
                (id.0, now.0),
            )?;
            Removed::Archived
        } else {
            for table in ["site_rules", "noises"] {
                transaction.execute(&format!("DELETE FROM {table} WHERE project = ?1"), [id.0])?;
            }
            transaction.execute("DELETE FROM projects WHERE id = ?1", [id.0])?;
            Removed::Whole
        };
        transaction.commit()?;
        Ok(removed)
    }

    fn check_free(&self, name: &str) -> Result<(), StoreError> {
        let is_taken: bool = self.db.query_row(
            "SELECT EXISTS (SELECT 1 FROM projects WHERE name = ?1)",
            [name],
            |row| row.get(0),
        )?;
        if is_taken {
            return Err(StoreError::NameTaken {
                name: name.to_owned(),
            });
        }
        Ok(())
    }
}

/// All projects, archived ones too, the oldest first.
pub(crate) fn project_rows(db: &Connection) -> Result<Vec<ProjectRow>, StoreError> {
    let mut statement = db.prepare(
        "SELECT p.id, p.name, p.created_at, p.archived_at,
                (SELECT count(*) FROM runs r WHERE r.project = p.id),
                (SELECT count(*) FROM documents d WHERE d.project = p.id AND d.gone_run IS NULL),
                l.id, l.status, l.started_at
         FROM projects p
         LEFT JOIN runs l ON l.id = (SELECT max(r.id) FROM runs r WHERE r.project = p.id)
         ORDER BY p.id",
    )?;
    let rows = statement.query_map([], |row| {
        let last: Option<i64> = row.get(6)?;
        let last_run = match last {
            Some(id) => Some(LastRun {
                id: RunId(id),
                status: RunStatus::parse(&row.get::<_, String>(7)?),
                started_at: Timestamp(row.get(8)?),
            }),
            None => None,
        };
        Ok(ProjectRow {
            id: ProjectId(row.get(0)?),
            name: row.get(1)?,
            created_at: Timestamp(row.get(2)?),
            archived_at: row.get::<_, Option<i64>>(3)?.map(Timestamp),
            runs: row.get::<_, i64>(4)? as u64,
            documents: row.get::<_, i64>(5)? as u64,
            last_run,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataFolder;
    use crate::runs::RunKind;

    fn project(name: &str) -> Project {
        Project::new(name, vec![gleaner_model::Url::parse("http://a.test/").unwrap()])
    }

    #[test]
    fn a_project_that_never_ran_goes_and_one_that_ran_is_archived() {
        let root = tempfile::tempdir().unwrap();
        let folder = DataFolder::open(root.path()).unwrap();
        let catalog = Catalog::open(&folder.catalog()).unwrap();
        let now = Timestamp(1);
        let idle = catalog.add_project(&project("idle"), now).unwrap();
        let used = catalog.add_project(&project("used"), now).unwrap();
        let run = catalog
            .start_run(used, &project("used"), RunKind::Crawl, now)
            .unwrap();
        assert!(matches!(
            catalog.add_project(&project("used"), now),
            Err(StoreError::NameTaken { .. })
        ));

        assert_eq!(catalog.remove_project(idle, now).unwrap(), Removed::Whole);
        assert_eq!(catalog.remove_project(used, now).unwrap(), Removed::Archived);
        let reader = crate::ledger::open(root.path()).unwrap();
        assert_eq!(reader.projects().unwrap(), Vec::<String>::new());
        let rows = reader.project_rows().unwrap();
        assert_eq!((rows.len(), rows[0].name.as_str(), rows[0].runs), (1, "used", 1));
        assert_eq!(reader.runs().unwrap().len(), 1, "its history stays");
        assert_eq!(
            catalog.unfinished_run(None).unwrap(),
            None,
            "nobody resumes it by accident"
        );
        assert_eq!(catalog.unfinished_run(Some(used)).unwrap(), Some(run));
        // Using it again brings it back.
        catalog.project(&project("used"), now).unwrap();
        assert_eq!(reader.projects().unwrap(), ["used"]);
    }

    #[test]
    fn a_new_name_holds_everywhere() {
        let root = tempfile::tempdir().unwrap();
        let folder = DataFolder::open(root.path()).unwrap();
        let catalog = Catalog::open(&folder.catalog()).unwrap();
        let now = Timestamp(1);
        let id = catalog.add_project(&project("old"), now).unwrap();
        catalog.add_project(&project("other"), now).unwrap();
        let run = catalog
            .start_run(id, &project("old"), RunKind::Crawl, now)
            .unwrap();
        assert!(matches!(
            catalog.rename_project("old", "other"),
            Err(StoreError::NameTaken { .. })
        ));
        catalog.rename_project("old", "new").unwrap();
        assert!(catalog.find_project("old").unwrap().is_none());
        let (found, settings) = catalog.find_project("new").unwrap().unwrap();
        assert_eq!((found, settings.name.as_str()), (id, "new"));
        assert_eq!(catalog.run_settings(run).unwrap().1.name, "new");
        assert!(matches!(
            catalog.rename_project("nobody", "x"),
            Err(StoreError::NotFound { .. })
        ));
    }
}
