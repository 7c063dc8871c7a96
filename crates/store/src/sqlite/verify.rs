//! Is everything there, and is it what it was? Every reference, digest, gzip member and the database itself.
//!
//! One walk through each archive file, side by side with the catalog's rows sorted by the place they name: memory does
//! not grow with the catalog, and no question is asked once per row of another. Works beside a running crawl: all rows
//! are read as of one moment, and what lies behind the last commit is then the crawl's business.

pub(crate) mod hashes;
mod mend;
mod records;
mod references;

pub use mend::fix;

use crate::sqlite::{Catalog, sums};
use crate::{DataFolder, StoreError, folder};
use records::{check_archives, check_unknown_files};
use references::check_catalog;
use std::path::Path;

/// One thing that is wrong, where, and what `--fix` does about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    pub what: String,
    pub place: String,
    pub fix: Fix,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fix {
    /// The place is noted as damaged, and the body that stood there as lost; the next run fetches it again.
    MarkLost {
        archive: i64,
        offset: u64,
        body: Option<i64>,
    },
    /// The file ends here; everything that stood behind is lost, and the next run fetches it again.
    LoseTail { archive: i64, from: u64 },
    /// Unreferenced bytes behind the committed length are cut off.
    CutTail,
    /// The archive knows more than the catalog: its records are kept, and a new file is begun.
    Adopt,
    /// Indexes are made again.
    Reindex,
    /// A page of the catalog changed; it is taken as it is now.
    Accept,
    /// Nothing is lost by it, and it is not ours to change.
    LeaveAlone,
    /// Only a backup helps.
    Restore,
}

impl Fix {
    pub fn describe(&self) -> &'static str {
        match self {
            Fix::MarkLost { .. } | Fix::LoseTail { .. } => {
                "--fix marks it as lost, the next run fetches it again"
            }
            Fix::CutTail => "--fix cuts it off; so does the next run",
            Fix::Adopt => {
                "put back the right gleaner.db and gleaner.db-wal; --fix goes on without them, keeping these bytes"
            }
            Fix::Reindex => "--fix makes the indexes again",
            Fix::Accept => "put back gleaner.db from a backup; --fix goes on with it as it is",
            Fix::LeaveAlone => "left alone",
            Fix::Restore => "put back gleaner.db from a backup",
        }
    }
}

/// What was looked at and what was found.
#[derive(Debug, Clone, Default)]
pub struct Verified {
    pub archives: u64,
    pub records: u64,
    pub bodies: u64,
    pub versions: u64,
    pub findings: Vec<Defect>,
}

impl Verified {
    fn add(&mut self, what: impl Into<String>, place: impl Into<String>, fix: Fix) {
        self.findings.push(Defect {
            what: what.into(),
            place: place.into(),
            fix,
        });
    }
}

/// Looks at everything; changes nothing.
pub fn verify(root: &Path) -> Result<Verified, StoreError> {
    look(root, false)
}

/// The same in a folder that nobody else writes to meanwhile: for what is to be put right.
pub fn verify_held(folder: &DataFolder) -> Result<Verified, StoreError> {
    look(folder.root(), true)
}

fn look(root: &Path, is_held: bool) -> Result<Verified, StoreError> {
    let path = folder::catalog(root);
    if !path.is_file() {
        return Err(StoreError::NoData {
            folder: root.to_owned(),
        });
    }
    let name = path.display().to_string();
    let mut result = Verified::default();
    for offset in sums::changes(&path) {
        result.add(
            "a page of the catalog changed while nobody used it",
            format!("{name} at byte {offset}"),
            Fix::Accept,
        );
    }
    let db = match Catalog::open_reader(&path) {
        Ok(db) => db,
        Err(StoreError::CatalogDamaged { path, cause, .. }) => {
            result.add(
                format!("the catalog cannot be opened: {cause}"),
                path.display().to_string(),
                Fix::Restore,
            );
            return Ok(result);
        }
        Err(StoreError::Empty { .. }) => {
            result.add("the catalog is empty", name, Fix::Restore);
            check_unknown_files(&folder::archive(root), &[], &[], 0, &mut result);
            return Ok(result);
        }
        Err(StoreError::CatalogChanged { .. }) => return Ok(result), // An older one, to be migrated first.
        Err(other) => return Err(other),
    };
    let snapshot = db.unchecked_transaction()?;
    let checked = check_catalog(&snapshot, &mut result).map_err(StoreError::from);
    let checked = checked.and_then(|()| check_archives(root, &snapshot, is_held, &mut result));
    match checked {
        Err(StoreError::CatalogDamaged { cause, .. } | StoreError::Catalog(cause)) => {
            result.add(format!("the catalog is damaged: {cause}"), name, Fix::Restore);
            Ok(result)
        }
        Err(other) => Err(other),
        Ok(()) => Ok(result),
    }
}
