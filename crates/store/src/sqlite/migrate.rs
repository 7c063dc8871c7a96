//! Numbered changes of the stored format, each in one transaction together with the number it leads to.
//!
//! An interrupted migration did not happen and is repeated at the next start (HC124).

use crate::StoreError;
use rusqlite::{Connection, Transaction, TransactionBehavior};

const MIGRATIONS: &[&str] = &[
    include_str!("migrations/001_start.sql"),
    include_str!("migrations/002_damages.sql"),
    include_str!("migrations/003_link_lists.sql"),
    include_str!("migrations/004_pace.sql"),
    include_str!("migrations/005_trap_memories.sql"),
    include_str!("migrations/006_tracking.sql"),
    include_str!("migrations/007_compaction.sql"),
    include_str!("migrations/008_listings.sql"),
    include_str!("migrations/009_lists.sql"),
    include_str!("migrations/010_steps.sql"),
    include_str!("migrations/011_archived_projects.sql"),
    include_str!("migrations/012_instead.sql"),
    include_str!("migrations/013_sealed_cookies.sql"),
    include_str!("migrations/014_guessed_links.sql"),
    include_str!("migrations/015_numbers.sql"),
    include_str!("migrations/016_host_states.sql"),
    include_str!("migrations/017_followers.sql"),
    include_str!("migrations/018_scores.sql"),
    include_str!("migrations/019_libraries.sql"),
];

/// The format this program writes.
pub const FORMAT: i64 = MIGRATIONS.len() as i64;

/// Brings the catalog up to [`FORMAT`], whole or not at all; true if there was something to do.
///
/// In one transaction that is a writing one from the start: a reader beside it never sees a catalog between two formats,
/// which it would take for an old one and migrate too.
pub(crate) fn migrate(db: &Connection) -> Result<bool, StoreError> {
    check_known(db)?;
    if format(db)? == FORMAT {
        return Ok(false);
    }
    let transaction = Transaction::new_unchecked(db, TransactionBehavior::Immediate)?;
    // Somebody else may have been first.
    let before = format(&transaction)?;
    for (number, change) in (0..).zip(MIGRATIONS).skip(usize::try_from(before).unwrap_or(0)) {
        transaction.execute_batch(change)?;
        if number == 0 {
            for kind in gleaner_model::LinkKind::ALL {
                transaction.execute(
                    "INSERT INTO link_kinds VALUES (?1, ?2)",
                    (kind as u8, kind.as_str()),
                )?;
            }
        }
    }
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()?;
    // A new folder is nothing to tell.
    if (1..FORMAT).contains(&before) {
        tracing::info!(
            before,
            now = FORMAT,
            "the catalog was brought to the newest format"
        );
    }
    Ok(before < FORMAT)
}

/// Refuses a catalog from the future: its rows may mean what we do not know (HC124).
pub(crate) fn check_known(db: &Connection) -> Result<(), StoreError> {
    let found = format(db)?;
    if found > FORMAT {
        return Err(StoreError::TooNew { found, known: FORMAT });
    }
    Ok(())
}

pub(crate) fn format(db: &Connection) -> Result<i64, StoreError> {
    Ok(db.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A catalog as an older program left it.
    pub(in crate::sqlite) fn in_format(number: usize, rows: &str) -> Connection {
        let db = Connection::open_in_memory().unwrap();
        db.pragma_update(None, "foreign_keys", false).unwrap();
        for change in &MIGRATIONS[..number] {
            db.execute_batch(change).unwrap();
        }
        db.execute_batch(rows).unwrap();
        db.pragma_update(None, "user_version", number as i64).unwrap();
        db
    }

    /// Two projects; the first has a finished and a stopped run, and the second one that finished before the first did.
    const ROWS_OF_14: &str = "
        INSERT INTO projects(id, name, settings, created_at) VALUES (1, 'p', '{}', 0), (2, 'q', '{}', 0);
        INSERT INTO workers VALUES (1, 'w');
        INSERT INTO hosts(id, scheme, name, port) VALUES (1, 'http', 'a.test', 80);
        INSERT INTO resources(id, key, host, url, discovered_at, discovered_by)
            VALUES (1, x'01', 1, 'http://a.test/1', 0, 1), (2, x'02', 1, 'http://a.test/2', 0, 1);
        INSERT INTO runs(id, project, settings, status, started_at, ended_at)
            VALUES (1, 1, '{}', 'finished', 0, 9), (2, 2, '{}', 'finished', 1, 5), (3, 1, '{}', 'stopped', 10, 11);
        INSERT INTO documents(id, project, resource, depth) VALUES (1, 1, 1, 0), (2, 2, 1, 0), (7, 1, 2, 0);
        INSERT INTO changes(id, run, resource, document, state)
            VALUES (1, 1, 1, 1, 'NEW'), (2, 2, 1, 2, 'NEW'), (3, 1, 2, 7, 'NEW'), (4, 3, 1, 1, 'SAM');";

    #[test]
    fn finished_runs_of_an_older_catalog_are_told_in_their_order() {
        let db = in_format(14, ROWS_OF_14);
        assert!(migrate(&db).unwrap());
        let mut statement = db
            .prepare("SELECT number, run, first_change, last_change FROM finished ORDER BY number")
            .unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
        let rows: Vec<(i64, i64, i64, i64)> = rows.unwrap().map(Result::unwrap).collect();
        assert_eq!(rows, [(1, 2, 2, 2), (2, 1, 1, 3)]);
    }

    #[test]
    fn an_older_catalog_gives_no_number_twice() {
        let db = in_format(14, ROWS_OF_14);
        assert!(migrate(&db).unwrap());
        db.execute_batch("DELETE FROM documents WHERE id = 7; DELETE FROM changes WHERE run = 3")
            .unwrap();
        let sql = concat!(
            "SELECT ",
            crate::sqlite::numbers::next_number!("documents"),
            ", ",
            crate::sqlite::numbers::next_number!("changes"),
            ", ",
            crate::sqlite::numbers::next_number!("versions"),
        );
        let next: (i64, i64, i64) = db
            .query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap();
        assert_eq!(next, (8, 5, 1));
    }
}
