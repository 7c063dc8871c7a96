//! A folder that is ours: what lies in it, and how is it changed so that a kill at any moment does no harm?
//!
//! A list beside the files (`.gleaner-mirror.json`, `.gleaner-export.json`) names every file that is ours. It is written before
//! the first file of an update and names both what was and what will be, so that after a kill the next update knows all files
//! that may be there and makes good what is missing; at the end it is written again with what is. Every file is written whole
//! beside its place and then renamed. Nothing is synced: whether a file is as it should be is found out by looking at it, so a
//! power cut costs no more than a kill.

use super::atlas::{Found, is_sound};
use super::names::OWN_NAMES;
use crate::error::FolderError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// What is written down about the files of a folder.
pub(crate) trait OwnList: Serialize + DeserializeOwned {
    /// The command that writes such folders.
    const COMMAND: &'static str;
    /// What helps where files of others lie in the folder, besides another folder.
    const OR_ELSE: &'static str;
    /// Files of ours that do not lie in a folder below.
    const AT_ROOT: &'static [&'static str];

    /// Whether its form is one that this program knows.
    fn is_known(&self) -> bool;

    /// Whether it names this file.
    fn has(&self, path: &str) -> bool;
}

/// What happens to a folder that holds files of somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Foreign {
    Refused,
    /// They stay, unless one is in the place of a file of ours.
    Overwritten,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Put {
    Written,
    Unchanged,
}

pub(crate) struct Folder<L> {
    root: PathBuf,
    /// What an earlier update left.
    pub(crate) before: Option<L>,
    foreign: Foreign,
    /// Folders that are known to be real ones.
    entered: HashSet<PathBuf>,
    /// The kernel's lock: two updates of one folder at a time would undo each other's work.
    _lock: Option<File>,
}

impl<L: OwnList> Folder<L> {
    /// A folder that is new, empty, or ours from before.
    pub(crate) fn open(root: &Path, foreign: Foreign) -> Result<Folder<L>, FolderError> {
        let unusable = |cause| FolderError::Unusable {
            folder: root.to_owned(),
            cause,
        };
        match fs::metadata(root) {
            Ok(found) if !found.is_dir() => {
                return Err(FolderError::NotAFolder {
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
        let list = root.join(list_name::<L>());
        let before = match fs::read(&list) {
            Ok(text) => {
                let read = serde_json::from_slice::<L>(&text).ok();
                let known = read.filter(L::is_known);
                Some(known.ok_or(FolderError::List { file: list })?)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(unusable(error)),
        };
        if before.is_none() && foreign == Foreign::Refused && !is_empty::<L>(root).map_err(unusable)? {
            return Err(FolderError::NotOurs {
                folder: root.to_owned(),
                command: L::COMMAND,
                or_else: L::OR_ELSE,
            });
        }
        Ok(Folder {
            root: root.to_owned(),
            before,
            foreign,
            entered: HashSet::new(),
            _lock: lock,
        })
    }

    /// What lies at a path of the folder now.
    pub(crate) fn look(&self, path: &str) -> Found {
        let is_listed = |path: &str| {
            let before = self.before.as_ref();
            before.is_some_and(|list| list.has(path))
        };
        match fs::symlink_metadata(self.root.join(path)) {
            Err(_) => Found::Nothing,
            Ok(found) if found.is_dir() => Found::Folder,
            Ok(_) if is_listed(path) => Found::Ours,
            Ok(found) if found.is_file() && self.foreign == Foreign::Overwritten => Found::Ours,
            Ok(_) => Found::Foreign,
        }
    }

    /// Whether a file lies at a path and is this large.
    pub(crate) fn has_size(&self, path: &str, size: u64) -> bool {
        let found = fs::symlink_metadata(self.root.join(path));
        found.is_ok_and(|found| found.is_file() && found.len() == size)
    }

    /// Writes down what may lie here from now on.
    pub(crate) fn note(&mut self, list: &L) -> Result<(), FolderError> {
        let mut text = serde_json::to_vec_pretty(list).map_err(|error| FolderError::Unusable {
            folder: self.root.clone(),
            cause: error.into(),
        })?;
        text.push(b'\n');
        self.put(&list_name::<L>(), &text).map(|_| ())
    }

    /// Makes a file have this content, if it has not.
    pub(crate) fn put(&mut self, path: &str, content: &[u8]) -> Result<Put, FolderError> {
        let target = self.root.join(path);
        let failed = |cause| FolderError::Write {
            file: target.clone(),
            command: L::COMMAND,
            cause,
        };
        if has(&target, content) {
            return Ok(Put::Unchanged);
        }
        self.enter(path).map_err(failed)?;
        let part = self.root.join(part_name::<L>());
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

    /// Removes a file that an earlier update wrote, and the folders that are empty without it. Whether it was there.
    pub(crate) fn remove(&mut self, path: &str) -> Result<bool, FolderError> {
        if !L::AT_ROOT.contains(&path) && !is_sound(path) {
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
        fs::remove_file(&file).map_err(|cause| FolderError::Write {
            file,
            command: L::COMMAND,
            cause,
        })?;
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

fn list_name<L: OwnList>() -> String {
    format!("{OWN_NAMES}{}.json", L::COMMAND)
}

fn part_name<L: OwnList>() -> String {
    format!("{OWN_NAMES}{}.part", L::COMMAND)
}

fn has(file: &Path, content: &[u8]) -> bool {
    let is_like =
        fs::symlink_metadata(file).is_ok_and(|found| found.is_file() && found.len() == content.len() as u64);
    is_like && fs::read(file).is_ok_and(|found| found == content)
}

/// What is left of a kill before the first list was written does not count.
fn is_empty<L: OwnList>(root: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(root)? {
        if entry?.file_name() != part_name::<L>().as_str() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// None where folders cannot be locked; then nobody else is kept out.
fn lock(root: &Path) -> Result<Option<File>, FolderError> {
    let Ok(folder) = File::open(root) else {
        return Ok(None);
    };
    match folder.try_lock() {
        Ok(()) => Ok(Some(folder)),
        Err(fs::TryLockError::WouldBlock) => Err(FolderError::InUse {
            folder: root.to_owned(),
        }),
        Err(fs::TryLockError::Error(_)) => Ok(None),
    }
}
