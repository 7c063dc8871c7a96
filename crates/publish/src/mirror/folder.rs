//! The folder of a copy: whose is it, what lies in it, and how is it changed so that a kill at any moment does no harm?
//!
//! `.gleaner-mirror.json` lists every file that is ours. It is written before the first file of an update and names both what
//! was and what will be, so that after a kill the next update knows all files that may be there and makes good what is missing;
//! at the end it is written again with what is. Every file is written whole beside its place and then renamed. Nothing is
//! synced: whether a file is as it should be is found out by reading it, so a power cut costs no more than a kill.

use super::atlas::{Found, is_sound};
use super::names::OWN_NAMES;
use crate::error::MirrorError;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The page that leads to the others.
pub(super) const INDEX: &str = "index.html";
/// Of the list's form.
const FORMAT: u32 = 1;

/// What is known about a copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct List {
    format: u32,
    pub(super) project: String,
    /// Only what lies below this URL was copied.
    pub(super) below: Option<String>,
    pub(super) run: i64,
    /// Whether the update that wrote this came to its end.
    pub(super) is_whole: bool,
    /// Path and URL.
    pub(super) files: BTreeMap<String, String>,
}

impl List {
    pub(super) fn new(project: &str, below: Option<&str>, run: i64) -> List {
        List {
            format: FORMAT,
            project: project.to_owned(),
            below: below.map(str::to_owned),
            run,
            is_whole: false,
            files: BTreeMap::new(),
        }
    }
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Put {
    Written,
    Unchanged,
}

pub(super) struct Folder {
    root: PathBuf,
    /// What an earlier copy left.
    pub(super) before: Option<List>,
    /// Folders that are known to be real ones.
    entered: HashSet<PathBuf>,
    /// The kernel's lock: two copies into one folder at a time would undo each other's work.
    _lock: Option<File>,
}

impl Folder {
    /// A folder that is new, empty, or an earlier copy's.
    pub(super) fn open(root: &Path) -> Result<Folder, MirrorError> {
        let unusable = |cause| MirrorError::Folder {
            folder: root.to_owned(),
            cause,
        };
        match fs::metadata(root) {
            Ok(found) if !found.is_dir() => {
                return Err(MirrorError::NotAFolder {
                    folder: root.to_owned(),
                });
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(root).map_err(unusable)?;
            }
            Err(error) => return Err(unusable(error)),
        }
        let lock = lock(root)?;
        let list = root.join(format!("{OWN_NAMES}.json"));
        let before = match fs::read(&list) {
            Ok(text) => {
                let read = serde_json::from_slice::<List>(&text).ok();
                let known = read.filter(|list| list.format == FORMAT);
                Some(known.ok_or(MirrorError::List { file: list })?)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(unusable(error)),
        };
        if before.is_none() && !is_empty(root).map_err(unusable)? {
            return Err(MirrorError::NotOurs {
                folder: root.to_owned(),
            });
        }
        Ok(Folder {
            root: root.to_owned(),
            before,
            entered: HashSet::new(),
            _lock: lock,
        })
    }

    /// What lies at a path of the copy now.
    pub(super) fn look(&self, path: &str) -> Found {
        let is_ours = |path: &str| {
            let before = self.before.as_ref();
            before.is_some_and(|list| list.files.contains_key(path))
        };
        match fs::symlink_metadata(self.root.join(path)) {
            Err(_) => Found::Nothing,
            Ok(found) if found.is_dir() => Found::Folder,
            Ok(_) if is_ours(path) => Found::Ours,
            Ok(_) => Found::Foreign,
        }
    }

    /// Writes down what may lie here from now on.
    pub(super) fn note(&mut self, list: &List) -> Result<(), MirrorError> {
        let mut text = serde_json::to_vec_pretty(list).map_err(|error| MirrorError::Folder {
            folder: self.root.clone(),
            cause: error.into(),
        })?;
        text.push(b'\n');
        self.put(&format!("{OWN_NAMES}.json"), &text).map(|_| ())
    }

    /// Makes a file have this content, if it has not.
    pub(super) fn put(&mut self, path: &str, content: &[u8]) -> Result<Put, MirrorError> {
        let target = self.root.join(path);
        let failed = |cause| MirrorError::Write {
            file: target.clone(),
            cause,
        };
        if has(&target, content) {
            return Ok(Put::Unchanged);
        }
        self.enter(path).map_err(failed)?;
        let part = self.root.join(format!("{OWN_NAMES}.part"));
        match fs::remove_file(&part) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let written = File::create_new(&part)
            .and_then(|mut file| file.write_all(content))
            .and_then(|()| fs::rename(&part, &target));
        if written.is_err() {
            let _best_effort = fs::remove_file(&part);
        }
        written.map_err(failed)?;
        Ok(Put::Written)
    }

    /// Makes the folders of a file. One that is a link to elsewhere is not entered.
    fn enter(&mut self, path: &str) -> io::Result<()> {
        for (at, _) in path.match_indices('/') {
            let folder = self.root.join(&path[..at]);
            if self.entered.contains(&folder) {
                continue;
            }
            match fs::symlink_metadata(&folder) {
                Ok(found) if found.is_dir() => {}
                Ok(_) => {
                    return Err(io::Error::new(
                        ErrorKind::NotADirectory,
                        "something else is in its place",
                    ));
                }
                Err(error) if error.kind() == ErrorKind::NotFound => fs::create_dir(&folder)?,
                Err(error) => return Err(error),
            }
            self.entered.insert(folder);
        }
        Ok(())
    }

    /// Removes a file that an earlier copy wrote, and the folders that are empty without it. Whether it was there.
    pub(super) fn remove(&mut self, path: &str) -> Result<bool, MirrorError> {
        if path != INDEX && !is_sound(path) {
            return Ok(false); // Nothing that we wrote.
        }
        for (at, _) in path.match_indices('/') {
            let found = fs::symlink_metadata(self.root.join(&path[..at]));
            if !found.is_ok_and(|found| found.is_dir()) {
                return Ok(false);
            }
        }
        let file = self.root.join(path);
        match fs::symlink_metadata(&file) {
            Ok(found) if found.is_file() => {}
            _ => return Ok(false),
        }
        fs::remove_file(&file).map_err(|cause| MirrorError::Write { file, cause })?;
        for (at, _) in path.rmatch_indices('/') {
            let folder = self.root.join(&path[..at]);
            if fs::remove_dir(&folder).is_err() {
                break; // Others lie there.
            }
            self.entered.remove(&folder);
        }
        Ok(true)
    }
}

fn has(file: &Path, content: &[u8]) -> bool {
    let is_like =
        fs::symlink_metadata(file).is_ok_and(|found| found.is_file() && found.len() == content.len() as u64);
    is_like && fs::read(file).is_ok_and(|found| found == content)
}

/// What is left of a kill before the first list was written does not count.
fn is_empty(root: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(root)? {
        if entry?.file_name() != format!("{OWN_NAMES}.part").as_str() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// None where folders cannot be locked; then nobody else is kept out.
fn lock(root: &Path) -> Result<Option<File>, MirrorError> {
    let Ok(folder) = File::open(root) else {
        return Ok(None);
    };
    match folder.try_lock() {
        Ok(()) => Ok(Some(folder)),
        Err(fs::TryLockError::WouldBlock) => Err(MirrorError::InUse {
            folder: root.to_owned(),
        }),
        Err(fs::TryLockError::Error(_)) => Ok(None),
    }
}
