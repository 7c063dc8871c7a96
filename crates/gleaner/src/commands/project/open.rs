//! A project by its name or from its file, and the catalog to keep it in.

use crate::arguments::Given;
use anyhow::{Context, bail};
use gleaner_model::{Project, ProjectId};
use gleaner_settings::project_file::{self, FILE_BYTES_MAX, ProjectFile};
use gleaner_store::{Catalog, DataFolder, Ledger, StoreError, ledger};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// A project as text, before anybody has looked at it.
pub(super) struct Draft {
    /// What mistakes in it are shown with: the path of the file, or the project's name.
    pub(super) title: String,
    pub(super) bytes: Vec<u8>,
    /// Where its paths begin.
    pub(super) base: PathBuf,
}

impl Draft {
    pub(super) fn open(data: &Path, given: &Given) -> anyhow::Result<Draft> {
        match given {
            Given::File(path) => Draft::of_file(path),
            Given::Name(name) => {
                let (_, project) = find(&*ledger::open(data)?, name)?;
                Ok(Draft::of_project(&project))
            }
        }
    }

    pub(super) fn of_file(path: &Path) -> anyhow::Result<Draft> {
        let unreadable = || format!("the project file cannot be read: {}", path.display());
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).with_context(unreadable)?;
        // One byte more than is taken, so that the reader can say that it is too much.
        file.take(FILE_BYTES_MAX as u64 + 1)
            .read_to_end(&mut bytes)
            .with_context(unreadable)?;
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        Ok(Draft {
            title: path.display().to_string(),
            bytes,
            base: std::path::absolute(folder.unwrap_or(Path::new(".")))?,
        })
    }

    /// As it would be written; its paths are whole.
    pub(super) fn of_project(project: &Project) -> Draft {
        Draft {
            title: project.name.clone(),
            bytes: project_file::write(project).into_bytes(),
            // Only for what somebody adds to it now.
            base: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        }
    }

    pub(super) fn read(&self) -> Result<ProjectFile, Vec<project_file::Mistake>> {
        project_file::read_bytes(&self.bytes)
    }

    /// What can be read of it, and the mistakes in it.
    pub(super) fn read_with_mistakes(&self) -> (Option<ProjectFile>, Vec<project_file::Mistake>) {
        project_file::read_with_mistakes(&self.bytes)
    }
}

/// The stored project of that name; who has a file of that name is told how to say so.
pub(super) fn find(reader: &dyn Ledger, name: &str) -> anyhow::Result<(ProjectId, Project)> {
    if let Some(found) = reader.find_project(name)? {
        return Ok(found);
    }
    let file = format!("{name}.toml");
    if Path::new(&file).is_file() {
        bail!("there is no such project in the catalog; to use the file, write {file}: {name}");
    }
    let known = reader.projects()?;
    if known.is_empty() {
        bail!("there are no projects yet: {name}");
    }
    bail!(
        "there is no such project (there are: {}): {name}",
        known.join(", ")
    );
}

/// The catalog for writing; the folder is held, so no run is going.
pub(super) struct Held {
    pub(super) catalog: Catalog,
    _folder: DataFolder,
}

impl Held {
    pub(super) fn open(data: &Path) -> Result<Held, StoreError> {
        let folder = DataFolder::open(data)?;
        let catalog = Catalog::open(&folder.catalog())?;
        Ok(Held {
            catalog,
            _folder: folder,
        })
    }

    /// The same, but makes no new folder.
    pub(super) fn open_existing(data: &Path) -> Result<Held, StoreError> {
        drop(ledger::open(data)?);
        Held::open(data)
    }

    pub(super) fn close(self) -> Result<(), StoreError> {
        self.catalog.tidy()
    }
}

/// Writes a file whole or not at all.
pub(super) fn write_file(path: &Path, text: &[u8]) -> anyhow::Result<()> {
    let failed = || format!("the file cannot be written: {}", path.display());
    let mut name = path.file_name().with_context(failed)?.to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let written = std::fs::File::create(&beside)
        .and_then(|mut file| {
            file.write_all(text)?;
            file.sync_all()
        })
        .and_then(|()| keep_rights(path, &beside))
        .and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        let _best_effort = std::fs::remove_file(&beside);
    }
    written.with_context(failed)
}

/// A file that others may not read stays one.
fn keep_rights(old: &Path, new: &Path) -> std::io::Result<()> {
    match std::fs::metadata(old) {
        Ok(found) => std::fs::set_permissions(new, found.permissions()),
        Err(_) => Ok(()),
    }
}
