//! Numbered changes of the stored format, each in one transaction together with the number it leads to.
//!
//! An interrupted migration did not happen and is repeated at the next start (HC124).

use crate::StoreError;
use rusqlite::Connection;

const MIGRATIONS: &[&str] = &[
    include_str!("migrations/001_start.sql"),
    include_str!("migrations/002_damages.sql"),
    include_str!("migrations/003_link_lists.sql"),
    include_str!("migrations/004_pace.sql"),
    include_str!("migrations/005_trap_memories.sql"),
    include_str!("migrations/006_tracking.sql"),
    include_str!("migrations/007_compaction.sql"),
    include_str!("migrations/008_listings.sql"),
];

/// The format this program writes.
pub const FORMAT: i64 = MIGRATIONS.len() as i64;

/// Brings the catalog up to [`FORMAT`]; true if there was something to do.
pub(crate) fn migrate(db: &Connection) -> Result<bool, StoreError> {
    check_known(db)?;
    let before = format(db)?;
    loop {
        let transaction = db.unchecked_transaction()?;
        let found = format(&transaction)?;
        let Some(change) = usize::try_from(found).ok().and_then(|n| MIGRATIONS.get(n)) else {
            break;
        };
        transaction.execute_batch(change)?;
        if found == 0 {
            for kind in gleaner_model::LinkKind::ALL {
                transaction.execute(
                    "INSERT INTO link_kinds VALUES (?1, ?2)",
                    (kind as u8, kind.as_str()),
                )?;
            }
        }
        transaction.pragma_update(None, "user_version", found + 1)?;
        transaction.commit()?;
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
