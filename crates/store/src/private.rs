//! Nobody else reads what lies in the data folder (I3): documents behind a login lie there, and cookies of open runs.
//!
//! What is made here is made for its owner alone; what an older version left open is closed when its owner comes by.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::Path;

/// Names in the data folder that are ours, by how they begin.
const OURS: [&str; 6] = [
    "gleaner.",
    "archive",
    "derived",
    "spool",
    "secrets.",
    "known_hosts",
];

/// For a new file: readable and writable by its owner only.
pub(crate) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a folder for its owner only, and the folders above it as usual.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        other => other,
    }
}

/// Takes from others what they may do with the data folder. What is not ours to change stays as it is: files of other names,
/// and a folder that holds such files, because somebody else may have to get at them.
pub(crate) fn tighten(root: &Path) {
    let mut is_all_ours = true;
    for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !OURS.iter().any(|ours| name.starts_with(ours)) {
            is_all_ours = false;
            continue;
        }
        let path = entry.path();
        close(&path);
        if name == "archive" {
            for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
                close(&entry.path());
            }
        }
    }
    if is_all_ours {
        close(root);
    }
}

/// Only its owner can do that; whoever else works here has been let in on purpose.
#[cfg(unix)]
fn close(path: &Path) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let Ok(meta) = std::fs::symlink_metadata(path) else {
        return;
    };
    let mode = meta.mode() & 0o7700;
    if meta.is_symlink() || meta.mode() & 0o7777 == mode {
        return;
    }
    let _not_the_owner = std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode));
}

#[cfg(not(unix))]
fn close(_: &Path) {}
