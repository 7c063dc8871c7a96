//! What can keep a report or a copy from being written.

use gleaner_model::RunId;
use gleaner_run::CompareError;
use gleaner_store::StoreError;
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
    #[error("a file is there, a folder is needed: {folder}")]
    NotAFolder { folder: PathBuf },
    #[error("the folder holds files that no mirror wrote; choose a new or an empty one: {folder}")]
    NotOurs { folder: PathBuf },
    #[error(
        "the folder holds a copy of {of}; choose another, or put this one in its place with --replace: {folder}"
    )]
    Another { folder: PathBuf, of: String },
    #[error("another gleaner writes into this folder: {folder}")]
    InUse { folder: PathBuf },
    #[error("the list of the copy's files cannot be read; choose another folder, or remove this one: {file}")]
    List { file: PathBuf },
    #[error("the folder cannot be used: {folder}")]
    Folder {
        folder: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    #[error("the file cannot be written; free room or rights and mirror again: {file}")]
    Write {
        file: PathBuf,
        #[source]
        cause: std::io::Error,
    },
}
