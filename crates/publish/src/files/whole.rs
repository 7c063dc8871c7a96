//! A file that is there whole or not at all: written beside its place, synced, then renamed.
//!
//! What a kill leaves lies beside the file under a name of our own (`.gleaner-NAME.part`), and the next one who writes the same
//! file takes it over.

use super::folder::Foreign;
use super::names::OWN_NAMES;
use crate::error::FileError;
use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Of the part of the name that is the file's own: file systems take 255 bytes in all.
const NAME_BYTES_MAX: usize = 200;

/// A file that is being written.
#[derive(Debug)]
pub struct WholeFile {
    target: PathBuf,
    part: PathBuf,
    file: File,
    is_finished: bool,
}

impl WholeFile {
    /// Begins a file. One that is there already is replaced only where that is wanted.
    pub fn create(target: &Path, is_replacing: bool) -> Result<WholeFile, FileError> {
        let foreign = if is_replacing {
            Foreign::Overwritten
        } else {
            Foreign::Refused
        };
        WholeFile::begin(target, foreign)
    }

    fn begin(target: &Path, foreign: Foreign) -> Result<WholeFile, FileError> {
        let failed = |cause| FileError::Write {
            file: target.to_owned(),
            cause,
        };
        match fs::metadata(target) {
            Ok(found) if found.is_dir() => {
                return Err(FileError::Folder {
                    file: target.to_owned(),
                });
            }
            Ok(_) if foreign == Foreign::Refused => {
                return Err(FileError::Exists {
                    file: target.to_owned(),
                });
            }
            _ => {}
        }
        let name = target
            .file_name()
            .ok_or_else(|| failed(io::ErrorKind::InvalidFilename.into()))?;
        let name = name.to_string_lossy();
        let name = &name[..name.floor_char_boundary(NAME_BYTES_MAX)];
        let part = target.with_file_name(format!("{OWN_NAMES}{name}.part"));
        let file = take_over(&part).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => FileError::InUse {
                file: target.to_owned(),
            },
            _ => failed(error),
        })?;
        Ok(WholeFile {
            target: target.to_owned(),
            part,
            file,
            is_finished: false,
        })
    }

    /// Puts the file in its place.
    pub fn finish(mut self) -> Result<(), FileError> {
        let done = self
            .file
            .sync_all()
            .and_then(|()| fs::rename(&self.part, &self.target));
        done.map_err(|cause| FileError::Write {
            file: self.target.clone(),
            cause,
        })?;
        self.is_finished = true;
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for WholeFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if !self.is_finished {
            let _best_effort = fs::remove_file(&self.part);
        }
    }
}

/// An empty file that nobody else writes to.
fn take_over(part: &Path) -> io::Result<File> {
    loop {
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(part)?;
        // Where files cannot be locked nobody else is kept out.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        // Whoever held it may have put it in its place meanwhile: then it is not ours to empty.
        if is_at(&file, part) {
            file.set_len(0)?;
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(here), Ok(named)) => here.ino() == named.ino() && here.dev() == named.dev(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_whole_or_not_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("out.jsonl");
        let names = || fs::read_dir(folder.path()).expect("a folder").count();
        let mut file = WholeFile::create(&target, false).expect("begun");
        file.write_all(b"half").expect("written");
        assert!(!target.exists());
        assert!(matches!(
            WholeFile::create(&target, false),
            Err(FileError::InUse { .. })
        ));
        drop(file);
        assert_eq!(names(), 0, "nothing is left");

        // What a kill left is taken over.
        fs::write(
            folder.path().join(".gleaner-out.jsonl.part"),
            "of one who was killed",
        )
        .expect("written");
        let mut file = WholeFile::create(&target, false).expect("begun");
        file.write_all(b"whole").expect("written");
        file.finish().expect("in its place");
        assert_eq!(fs::read(&target).expect("a file"), b"whole");
        assert_eq!(names(), 1);

        assert!(matches!(
            WholeFile::create(&target, false),
            Err(FileError::Exists { .. })
        ));
        WholeFile::create(&target, true)
            .expect("begun")
            .finish()
            .expect("in its place");
        assert_eq!(fs::read(&target).expect("a file"), b"");
    }
}
