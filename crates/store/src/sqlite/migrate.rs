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
