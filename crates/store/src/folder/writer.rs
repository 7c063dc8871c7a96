//! The one open archive file: append, sync, rotate, and step back when the catalog could not follow.

use crate::warc::gzip::set_commit;
use crate::warc::record::Packer;
use crate::{StoreError, private};
use gleaner_model::{RunId, Timestamp};
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Written to the file in one go once this much has gathered.
const BUFFER_BYTES: usize = 4 * 1024 * 1024;

/// A row of the catalog's `archives`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveFile {
    pub id: i64,
    pub name: String,
    /// Everything before this is referred to by the catalog; nothing behind it is.
    pub committed_bytes: u64,
    /// Full, or given up: never written to again.
    pub is_sealed: bool,
}

pub struct ArchiveWriter {
    folder: PathBuf,
    software: String,
    file_bytes_max: u64,
    open: Option<Open>,
    next_id: i64,
    buffer: Vec<u8>,
}

struct Open {
    id: i64,
    name: String,
    file: File,
    committed: u64,
    /// Written or buffered, not yet committed.
    length: u64,
    is_new: bool,
    /// The run whose records follow, as the file says.
    told: Option<RunId>,
}

impl ArchiveWriter {
    /// `last` is the newest unsealed file, already cut back to its committed length.
    pub fn new(
        folder: &Path,
        software: &str,
        file_bytes_max: u64,
        last: Option<ArchiveFile>,
        next_id: i64,
    ) -> Result<ArchiveWriter, StoreError> {
        let mut writer = ArchiveWriter {
            folder: folder.to_owned(),
            software: software.to_owned(),
            file_bytes_max,
            open: None,
            next_id,
            buffer: Vec::new(),
        };
        if let Some(last) = last {
            let path = folder.join(&last.name);
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .open(&path)
                .map_err(|e| StoreError::writing(&path, e))?;
            file.seek(SeekFrom::Start(last.committed_bytes))
                .map_err(|e| StoreError::writing(&path, e))?;
            writer.open = Some(Open {
                id: last.id,
                name: last.name,
                file,
                committed: last.committed_bytes,
                length: last.committed_bytes,
                is_new: false,
                told: None,
            });
        }
        Ok(writer)
    }

    /// Opens a new file if there is none or the open one is full. Called between commits only.
    pub fn rotate(&mut self, at: Timestamp, commit: u64, packer: &mut Packer) -> Result<(), StoreError> {
        if self
            .open
            .as_ref()
            .is_some_and(|open| open.length < self.file_bytes_max)
        {
            return Ok(());
        }
        let id = self.next_id;
        let name = file_name(at, id);
        let path = self.folder.join(&name);
        let file = private::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(|e| StoreError::writing(&path, e))?;
        sync_folder(&self.folder)?;
        tracing::debug!(name, "a new file of the archive");
        self.next_id += 1;
        let mut info = packer.warcinfo(&name, at, &self.software);
        set_commit(&mut info, commit);
        self.open = Some(Open {
            id,
            name,
            file,
            committed: 0,
            length: info.len() as u64,
            is_new: true,
            told: None,
        });
        self.buffer.clear();
        self.buffer.extend_from_slice(&info);
        Ok(())
    }

    /// Whether the open file says that what follows belongs to this run.
    pub fn tells_of(&self, run: RunId) -> bool {
        self.open.as_ref().is_some_and(|open| open.told == Some(run))
    }

    /// Says so: a record of its own, so that a compaction keeps it.
    pub fn tell_of(&mut self, run: RunId, commit: u64, fields: &[(&str, String)], packer: &mut Packer) {
        let Some(open) = &mut self.open else { return };
        let mut record = packer.run_info(fields);
        set_commit(&mut record, commit);
        open.told = Some(run);
        open.length += record.len() as u64;
        self.buffer.extend_from_slice(&record);
    }

    /// The open file is not known to the catalog yet: with it, the ones before it are full.
    pub fn is_new(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.is_new)
    }

    /// The open file and where the next record will begin.
    pub fn position(&self) -> (i64, u64) {
        let open = self
            .open
            .as_ref()
            .expect("rotate opens a file before anything is appended");
        (open.id, open.length)
    }

    /// Counts what the caller wrote through [`ArchiveWriter::sink`].
    pub fn advance(&mut self, bytes: u64) {
        let open = self
            .open
            .as_mut()
            .expect("rotate opens a file before anything is appended");
        open.length += bytes;
    }

    pub fn sink(&mut self) -> Sink<'_> {
        Sink { writer: self }
    }

    /// Everything appended is on the disk when this returns. Gives the row as it is to be committed.
    pub fn sync(&mut self) -> Result<Option<ArchiveFile>, StoreError> {
        self.flush()?;
        let path = self.path();
        let Some(open) = &mut self.open else {
            return Ok(None);
        };
        if open.length == open.committed {
            return Ok(None);
        }
        open.file.sync_data().map_err(|cause| match cause.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                StoreError::DiskFull { path: path.clone() }
            }
            _ => StoreError::SyncFailed {
                path: path.clone(),
                cause,
            },
        })?;
        Ok(Some(ArchiveFile {
            id: open.id,
            name: open.name.clone(),
            committed_bytes: open.length,
            is_sealed: false,
        }))
    }

    /// The catalog's transaction went through.
    pub fn committed(&mut self) {
        if let Some(open) = &mut self.open {
            open.committed = open.length;
            open.is_new = false;
        }
    }

    /// The catalog's transaction did not go through: nothing was appended.
    pub fn step_back(&mut self) -> Result<(), StoreError> {
        self.buffer.clear();
        let path = self.path();
        let Some(open) = &mut self.open else { return Ok(()) };
        if open.is_new {
            // Not known to the catalog: as if it had never been made.
            self.next_id = open.id;
            self.open = None;
            return std::fs::remove_file(&path).map_err(|e| StoreError::writing(&path, e));
        }
        open.file
            .set_len(open.committed)
            .map_err(|e| StoreError::writing(&path, e))?;
        open.file
            .seek(SeekFrom::Start(open.committed))
            .map_err(|e| StoreError::writing(&path, e))?;
        open.length = open.committed;
        open.told = None;
        Ok(())
    }

    /// The file is still the one that stands under its name: a removed data folder is noticed here.
    pub fn is_in_place(&self) -> bool {
        match &self.open {
            Some(open) => {
                let here = open.file.metadata();
                let named = std::fs::metadata(self.folder.join(&open.name));
                match (here, named) {
                    (Ok(here), Ok(named)) => same_file(&here, &named),
                    _ => false,
                }
            }
            None => self.folder.is_dir(),
        }
    }

    fn path(&self) -> PathBuf {
        match &self.open {
            Some(open) => self.folder.join(&open.name),
            None => self.folder.clone(),
        }
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let path = self.path();
        if let Some(open) = &mut self.open {
            open.file
                .write_all(&self.buffer)
                .map_err(|e| StoreError::writing(&path, e))?;
        }
        self.buffer.clear();
        Ok(())
    }
}

#[cfg(unix)]
fn same_file(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    a.ino() == b.ino() && a.dev() == b.dev()
}

#[cfg(not(unix))]
fn same_file(_: &std::fs::Metadata, _: &std::fs::Metadata) -> bool {
    true
}

/// What records are written through: gathers, and writes large pieces.
pub struct Sink<'a> {
    writer: &'a mut ArchiveWriter,
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writer.buffer.extend_from_slice(bytes);
        if self.writer.buffer.len() >= BUFFER_BYTES {
            let open = self
                .writer
                .open
                .as_mut()
                .expect("rotate opens a file before anything is appended");
            open.file.write_all(&self.writer.buffer)?;
            self.writer.buffer.clear();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A new name must survive a power loss as the bytes do.
pub fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    let open = File::open(folder).map_err(|e| StoreError::writing(folder, e))?;
    open.sync_all().map_err(|cause| StoreError::SyncFailed {
        path: folder.to_owned(),
        cause,
    })
}

pub(crate) fn file_name(at: Timestamp, id: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("gleaner-{}-{id:06}.warc.gz", at.strftime("%Y%m%d%H%M%S"))
}

/// Is this a name that [`ArchiveWriter`] gives?
pub fn is_ours(name: &str) -> bool {
    name.strip_prefix("gleaner-")
        .and_then(|rest| rest.strip_suffix(".warc.gz"))
        .and_then(|middle| middle.split_once('-'))
        .is_some_and(|(date, id)| {
            date.len() == 14 && id.len() >= 6 && date.bytes().chain(id.bytes()).all(|b| b.is_ascii_digit())
        })
}
