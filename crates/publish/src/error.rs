//! What can keep a report, a copy or an export from being written.

use gleaner_history::CompareError;
use gleaner_model::RunId;
use gleaner_readers::ReadersError;
use gleaner_store::StoreError;
use gleaner_text::TextError;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Compare(#[from] CompareError),
    #[error("the output could not be written")]
    Write(#[from] std::io::Error),
}

#[derive(Debug, thiserror::Error)]
pub enum MirrorError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("nothing was collected up to run {run} that could be copied: {project}")]
    Nothing { project: String, run: RunId },
    #[error(
        "all versions of run {run} were removed by retention (`gleaner prune`), so there is nothing to copy; choose a later \
         run: {project}"
    )]
    Pruned { project: String, run: RunId },
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(
        "the folder contains a copy of {of}; choose another, or replace that copy with --replace: {folder}"
    )]
    Another { folder: PathBuf, of: String },
}

/// What can keep files from being written into a folder.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("this is a file, but a folder is needed: {folder}")]
    NotAFolder { folder: PathBuf },
    #[error(
        "the folder contains files that no {command} wrote; choose a new or an empty one{or_else}: {folder}"
    )]
    NotOurs {
        folder: PathBuf,
        command: &'static str,
        /// What else can be done.
        or_else: &'static str,
    },
    #[error("another gleaner is writing into this folder: {folder}")]
    InUse { folder: PathBuf },
    #[error(
        "the list of the folder's files cannot be read; choose another folder, or remove this file: {file}"
    )]
    List { file: PathBuf },
    #[error("the folder cannot be used: {folder}")]
    Unusable {
        folder: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    #[error("the file cannot be written; check free space and permissions, then {command} again: {file}")]
    Write {
        file: PathBuf,
        command: &'static str,
        #[source]
        cause: std::io::Error,
    },
}

/// What can keep a file from being written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("the file exists already; choose another, or overwrite it with --force: {file}")]
    Exists { file: PathBuf },
    #[error("this is a folder, but a file is needed: {file}")]
    Folder { file: PathBuf },
    #[error("another gleaner is writing this file: {file}")]
    InUse { file: PathBuf },
    #[error("the file cannot be written; check free space and permissions, then export again: {file}")]
    Write {
        file: PathBuf,
        #[source]
        cause: std::io::Error,
    },
}

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Text(#[from] TextError),
    #[error(transparent)]
    Readers(#[from] ReadersError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("the project holds no documents as of run {run}, so there is nothing to export: {project}")]
    Nothing { project: String, run: RunId },
    #[error(
        "the folder contains an export of {of}; choose another, or replace that export with --force: {folder}"
    )]
    Another { folder: PathBuf, of: String },
    #[error("a file that no export wrote is in the way; move it away, or overwrite it with --force: {file}")]
    InTheWay { file: PathBuf },
    #[error("the output cannot be written")]
    Write(#[from] std::io::Error),
}
