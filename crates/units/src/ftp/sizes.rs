//! What do listings say about the length of a file? Asked where the server knows no `SIZE`: a transfer that broke and was
//! called done would pass for the whole file.
//!
//! The files of a folder are fetched one after the other, so the last folder of each server is remembered and listed once.

use super::control::Control;
use super::folder::{self, Walked};
use super::list::Line;
use super::visit::Visit;
use crate::EntryKind;
use crate::net::failure::Failure;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Names of a folder that are remembered; of a larger one each file costs a listing.
const NAMES_MAX: usize = 100_000;

#[derive(Debug, Default)]
pub(super) struct Sizes(Mutex<HashMap<Box<str>, Folder>>);

#[derive(Debug, Default)]
struct Folder {
    names: Vec<Vec<u8>>,
    files: HashMap<Vec<u8>, u64>,
}

impl Sizes {
    /// The length of the file that `names` lead to, `came` being that of what was received. A listing that says otherwise
    /// may be older than the file, so it is asked for again. `None`: no listing tells.
    pub(super) async fn of(
        &self,
        control: &mut Control,
        visit: &mut Visit<'_>,
        names: &[Vec<u8>],
        came: u64,
    ) -> Result<Option<u64>, Failure> {
        let Some((name, parent)) = names.split_last() else {
            return Ok(None);
        };
        let origin = visit.url.origin();
        if self.known(origin, parent, name) == Some(came) {
            return Ok(Some(came));
        }
        let mut files = HashMap::new();
        let mut found = None;
        let mut take = |line: Line| {
            if let (EntryKind::File, Some(size)) = (line.kind, line.meta.size) {
                if line.name == *name {
                    found = Some(size);
                }
                if files.len() < NAMES_MAX {
                    files.insert(line.name, size);
                }
            }
            true
        };
        match folder::walk(control, visit, parent, &mut take).await? {
            Walked::Whole | Walked::Part(_) => {}
            Walked::Refused(_) => return Ok(None),
        }
        let names = parent.to_vec();
        self.lock().insert(origin.into(), Folder { names, files });
        Ok(found)
    }

    fn known(&self, origin: &str, parent: &[Vec<u8>], name: &[u8]) -> Option<u64> {
        let known = self.lock();
        let folder = known.get(origin).filter(|folder| folder.names == parent)?;
        folder.files.get(name).copied()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Box<str>, Folder>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
