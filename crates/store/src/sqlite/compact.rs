//! What is no longer wanted leaves: versions by retention (B7), then their bytes by compaction, safe to kill anywhere.
//!
//! ```text
//! retain: one transaction drops versions and bodies, and remembers where their records lie
//!    for each archive file that holds enough of them:
//! plan:    one walk decides, record by record, what stays
//! rewrite: name of the new file noted as doomed ──► written, synced, read back
//!          ──► one transaction: every row points at the new file, the old one is doomed in its place
//! sweep:   the log folded into the catalog ──► doomed files removed ──► forgotten
//! ```
//! A kill leaves a doomed file, and every start sweeps those first. A file goes only while its heir stands, so that of the
//! old and the new one there is always one, whatever happened to the catalog. Other files are never removed.
//!
//! Readers take no lock. They hold a snapshot of the catalog while they read records, and SQLite folds the log only when
//! nobody reads from before: no file goes that someone may be about to open.

mod plan;
mod retain;
mod rewrite;
mod sweep;
#[cfg(test)]
mod tests;

pub use retain::PrunedProject;
pub(crate) use sweep::{doomed_names, put_right};

use crate::folder::writer::ArchiveFile;
use crate::{Catalog, DataFolder, StoreError};
use gleaner_model::Timestamp;
use gleaner_model::project::Retention;
use plan::{Plan, plan};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// A file is rewritten when at least this part of it can be freed: copying nine tenths to win one is about what a disk
/// and a person bear.
pub const WORTHWHILE_PERCENT: u64 = 10;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct PruneOptions {
    /// None: all of them.
    pub project: Option<String>,
    /// In place of what the projects say themselves.
    pub keep: Option<Retention>,
    /// Also rewrite files of which little can be freed.
    pub every_file: bool,
    /// Only tell what would be done.
    pub is_trial: bool,
}

/// What was done.
#[derive(Debug, Clone, Default)]
pub struct Pruned {
    pub projects: Vec<PrunedProject>,
    pub bodies_dropped: u64,
    pub files_rewritten: u64,
    /// Of which nothing was needed any more.
    pub files_removed: u64,
    pub bytes_freed: u64,
    /// Of all archive files together, before.
    pub bytes_before: u64,
    /// Replaced, but still there because someone may be reading them; the next start removes them.
    pub files_waiting: u64,
    pub left_alone: Vec<LeftAlone>,
}

impl Pruned {
    pub fn versions_dropped(&self) -> u64 {
        self.projects.iter().map(|project| project.dropped).sum()
    }
}

/// A file that was not rewritten because something is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftAlone {
    pub path: PathBuf,
    pub why: String,
}

/// Drops what retention no longer wants, then rewrites the archive files that held it.
pub fn prune(
    folder: &DataFolder,
    wish: &PruneOptions,
    software: &str,
    now: Timestamp,
) -> Result<Pruned, StoreError> {
    let catalog = Catalog::open(&folder.catalog())?;
    let archive = folder.archive();
    put_right(&catalog, &archive)?;
    let mut done = Pruned {
        bytes_before: catalog.archives()?.iter().map(|file| file.committed_bytes).sum(),
        ..Pruned::default()
    };

    let transaction = catalog.db.unchecked_transaction()?;
    let retained = retain::retain(&transaction, wish, now)?;
    (done.projects, done.bodies_dropped) = (retained.projects, retained.bodies_dropped);
    if wish.is_trial {
        for file in candidates(&transaction, wish)? {
            if let Some(plan) = worthwhile_plan(&transaction, &archive, file, wish, &mut done)? {
                done.count(&plan);
            }
        }
        transaction.rollback()?;
    } else {
        transaction.commit()?;
        compact(&catalog, &archive, wish, software, now, &mut done)?;
    }
    catalog.tidy()?;
    Ok(done)
}

fn compact(
    catalog: &Catalog,
    archive: &Path,
    wish: &PruneOptions,
    software: &str,
    now: Timestamp,
    done: &mut Pruned,
) -> Result<(), StoreError> {
    for file in candidates(&catalog.db, wish)? {
        let Some(plan) = worthwhile_plan(&catalog.db, archive, file, wish, done)? else {
            continue;
        };
        rewrite::rewrite(catalog, archive, &plan, software, now)?;
        done.count(&plan);
        // Room is made file by file, unless someone is reading: then each would be waited for.
        if done.files_waiting == 0 {
            done.files_waiting = sweep::sweep(catalog, archive)?.len() as u64;
        }
    }
    if done.files_waiting > 0 {
        done.files_waiting = sweep::sweep(catalog, archive)?.len() as u64;
    }
    Ok(())
}

/// The files worth walking through: those that hold records of dropped versions which no body needs.
fn candidates(db: &Connection, wish: &PruneOptions) -> Result<Vec<ArchiveFile>, StoreError> {
    let mut files = crate::sqlite::catalog::archives(db, false)?;
    if wish.every_file {
        return Ok(files);
    }
    let mut statement = db.prepare(
        "SELECT DISTINCT archive FROM
             (SELECT archive, offset FROM dropped EXCEPT SELECT archive, offset FROM bodies WHERE NOT is_lost)",
    )?;
    let holders: Vec<i64> = statement
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    files.retain(|file| holders.contains(&file.id));
    Ok(files)
}

fn worthwhile_plan(
    db: &Connection,
    archive: &Path,
    file: ArchiveFile,
    wish: &PruneOptions,
    done: &mut Pruned,
) -> Result<Option<Plan>, StoreError> {
    let path = archive.join(&file.name);
    match plan(db, archive, file)? {
        Ok(plan) => Ok(Some(plan).filter(|plan| is_worthwhile(plan, wish))),
        Err(why) => {
            done.left_alone.push(LeftAlone { path, why });
            Ok(None)
        }
    }
}

fn is_worthwhile(plan: &Plan, wish: &PruneOptions) -> bool {
    let freed = u128::from(plan.freed_bytes);
    let enough = u128::from(plan.file.committed_bytes) * u128::from(WORTHWHILE_PERCENT);
    plan.freed_bytes > 0 && (wish.every_file || freed * 100 >= enough)
}

impl Pruned {
    fn count(&mut self, plan: &Plan) {
        self.bytes_freed += plan.freed_bytes;
        if plan.is_empty() {
            self.files_removed += 1;
        } else {
            self.files_rewritten += 1;
        }
    }
}
