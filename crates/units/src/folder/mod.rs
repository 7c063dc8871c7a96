//! How do I read a folder of this machine, or of a disk mounted into it? (A1, HC109, HC110)
//!
//! In: `file:` addresses below the roots that were allowed. Out: entries with what the file system knows of them, and files'
//! bytes. Nothing outside the roots is ever opened: links are named and not followed, and the way to a file is looked at
//! again when it is opened, because anybody may have put a link there since.

mod read;

use crate::listing::{
    EntryKind, FileTime, ListingEnd, ListingEntry, Meta, TakeEntry, Turns, child, segments,
};
use crate::net::failure::words;
use crate::registry::{Around, Plug};
use crate::{Answer, Ask, Redirect, Unclear, Unit, UnitError};
use async_trait::async_trait;
use gleaner_model::{Clock, Reason, Timestamp, Url};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The unit of local folders: one per run.
pub struct Folder {
    /// Without links in them.
    roots: Vec<PathBuf>,
    spool: Arc<Path>,
    clock: Arc<dyn Clock>,
    /// Folders that were listed, by device and inode: one that is met again under another name is not listed twice.
    listed: Mutex<HashMap<(u64, u64), PathBuf>>,
}

/// The address of a file or folder of this machine.
pub fn url_of(path: &Path) -> Option<Url> {
    let mut url = Url::parse("file:///").ok()?;
    let names: Vec<&[u8]> = path.iter().skip(1).map(OsStrExt::as_bytes).collect();
    for (at, name) in names.iter().enumerate() {
        let is_last = at + 1 == names.len();
        url = child(&url, name, !is_last || path.is_dir())?;
    }
    Some(url)
}

/// The path that an address means; none if it is not of this machine.
pub fn path_of(url: &Url) -> Option<PathBuf> {
    if url.scheme() != "file" {
        return None;
    }
    let names = segments(url).into_iter().filter(|name| !name.is_empty());
    Some(Path::new("/").join(names.map(OsString::from_vec).collect::<PathBuf>()))
}

/// Why a path is not read.
#[derive(Debug)]
enum Refusal {
    Gone,
    Denied(String),
}

impl Refusal {
    fn of(error: &io::Error) -> Refusal {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Refusal::Gone,
            _ => Refusal::Denied(words(error)),
        }
    }
}

impl Folder {
    /// `roots`: what may be read, with all that lies below it. One that is not there is a root all the same, and empty.
    pub fn below(roots: &[PathBuf], spool: &Path, clock: Arc<dyn Clock>) -> Folder {
        let real = |root: &PathBuf| root.canonicalize().unwrap_or_else(|_| root.clone());
        Folder {
            roots: roots.iter().map(real).collect(),
            spool: Arc::from(spool),
            clock,
            listed: Mutex::default(),
        }
    }

    /// The file that an address means, if it lies below a root whichever way one looks at it.
    fn path_of(&self, url: &Url) -> Result<PathBuf, Refusal> {
        let mut path = PathBuf::from("/");
        for name in segments(url) {
            if name.contains(&b'/') || name.contains(&0) || name == b".." || name == b"." {
                return Err(Refusal::Denied("no name of a file".to_owned()));
            }
            path.push(OsString::from_vec(name));
        }
        // The folder that holds it must be there; what it is itself is for the caller.
        let real = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => parent.canonicalize().map_err(|e| Refusal::of(&e))?.join(name),
            _ => path,
        };
        if self.roots.iter().any(|root| real.starts_with(root)) {
            return Ok(real);
        }
        // A root may be reached through links of its owner.
        let whole = real.canonicalize().map_err(|e| Refusal::of(&e))?;
        if !self.roots.contains(&whole) {
            return Err(Refusal::Denied(
                "outside of the folders that may be read".to_owned(),
            ));
        }
        Ok(whole)
    }

    fn list_now(&self, folder: &Url) -> Result<Found, Refusal> {
        let path = self.path_of(folder)?;
        let meta = std::fs::symlink_metadata(&path).map_err(|e| Refusal::of(&e))?;
        if meta.is_symlink() {
            return Err(Refusal::Denied("a link, not followed".to_owned()));
        }
        if !meta.is_dir() {
            return Ok(Found::File);
        }
        let entries = std::fs::read_dir(&path).map_err(|e| Refusal::of(&e))?;
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        let first = listed
            .entry((meta.dev(), meta.ino()))
            .or_insert_with(|| path.clone());
        if *first != path {
            return Ok(Found::Again(first.display().to_string()));
        }
        Ok(Found::Entries(entries))
    }
}

enum Found {
    File,
    /// The same folder was listed under this name.
    Again(String),
    Entries(std::fs::ReadDir),
}

fn entry_of(folder: &Url, found: &std::fs::DirEntry) -> Option<ListingEntry> {
    // Not followed: a link is told as one.
    let meta = found.metadata().ok();
    let kind = match meta.as_ref().map(Metadata::file_type) {
        Some(kind) if kind.is_file() => EntryKind::File,
        Some(kind) if kind.is_dir() => EntryKind::Folder,
        Some(kind) if kind.is_symlink() => EntryKind::Link,
        // Gone since, or not ours to look at: it is named, and asking for it tells why.
        None => EntryKind::File,
        Some(_) => EntryKind::Other,
    };
    let url = child(folder, found.file_name().as_bytes(), kind == EntryKind::Folder)?;
    let meta = meta.as_ref().map(meta_of).unwrap_or_default();
    Some(ListingEntry { url, kind, meta })
}

fn meta_of(meta: &Metadata) -> Meta {
    Meta {
        size: Some(meta.size()),
        modified: Some(FileTime {
            at: modified(meta),
            precision: Duration::from_millis(1),
        }),
        // The change time moves with every write and cannot be set back by hand.
        id: Some(format!(
            "{}-{}.{:09}",
            meta.ino(),
            meta.ctime(),
            meta.ctime_nsec()
        )),
    }
}

fn modified(meta: &Metadata) -> Timestamp {
    Timestamp(
        meta.mtime()
            .saturating_mul(1000)
            .saturating_add(meta.mtime_nsec() / 1_000_000),
    )
}

fn unclear(refusal: Refusal) -> Unclear {
    match refusal {
        Refusal::Gone => Unclear::plain(Reason::NoSuchFile, ""),
        Refusal::Denied(why) => Unclear::plain(Reason::AccessDenied, why),
    }
}

#[async_trait]
impl Unit for Folder {
    fn schemes(&self) -> &'static [&'static str] {
        &["file"]
    }

    fn lists(&self) -> bool {
        true
    }

    async fn list(&self, ask: &Ask, take: &mut TakeEntry<'_>) -> Result<ListingEnd, UnitError> {
        let entries = match self.list_now(&ask.url) {
            Ok(Found::Entries(entries)) => entries,
            Ok(Found::File) => return Ok(ListingEnd::File),
            Ok(Found::Again(first)) => {
                let detail = format!("the same folder as {first}");
                return Ok(ListingEnd::Part { detail });
            }
            Err(Refusal::Gone) => return Ok(ListingEnd::Gone),
            Err(denied) => return Ok(ListingEnd::Unclear(Box::new(unclear(denied)))),
        };
        let cut = |detail: String| Ok(ListingEnd::Part { detail });
        let mut turns = Turns::default();
        for found in entries {
            let found = match found {
                Ok(found) => found,
                Err(error) => return cut(words(&error)), // Removed while it was read.
            };
            if let Some(entry) = entry_of(&ask.url, &found)
                && !take(entry)
            {
                return cut("more entries than the limit".to_owned());
            }
            turns.after(1).await;
        }
        Ok(ListingEnd::Whole)
    }

    async fn fetch(&self, ask: &Ask) -> Result<Answer, UnitError> {
        let path = match self.path_of(&ask.url) {
            Ok(path) => path,
            Err(refusal) => return Ok(Answer::Unclear(unclear(refusal))),
        };
        match std::fs::symlink_metadata(&path) {
            Err(error) => Ok(Answer::Unclear(unclear(Refusal::of(&error)))),
            Ok(meta) if meta.is_dir() => {
                let location = format!("{}/", ask.url.as_str());
                Ok(Answer::Moved(
                    crate::Exchange::empty(self.clock.wall()),
                    Redirect {
                        status: 0,
                        target: Url::parse(&location),
                        location,
                    },
                ))
            }
            Ok(meta) if !meta.is_file() => Ok(Answer::Unclear(Unclear::plain(
                Reason::AccessDenied,
                "no file that can be read: a link, a pipe or a device",
            ))),
            Ok(_) => read::read(&path, ask, &self.spool, self.clock.wall()).await,
        }
    }
}

impl Plug for Folder {
    const SCHEMES: &'static [(&'static str, u16)] = &[("file", 0)];

    fn plug(around: &Around) -> Result<Arc<dyn Unit>, UnitError> {
        let roots: Vec<PathBuf> = around.seeds.iter().filter_map(path_of).collect();
        let settings = &around.net.settings;
        Ok(Arc::new(Folder::below(
            &roots,
            &settings.spool_folder,
            Arc::clone(&settings.clock),
        )))
    }
}
