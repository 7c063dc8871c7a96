//! What is known about a folder that an export wrote: `.gleaner-export.json`.

use crate::files::folder::{self, OwnList};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One path a line: the texts that are there.
pub(super) const ADDRESSES: &str = "addresses.txt";
/// The same under the name that seed S3 gave it.
pub(super) const ADDRESS_FILE: &str = "Address_File.txt";
/// One path a line: what is there although its document is gone.
pub(super) const GONE: &str = "gone.txt";
/// Of the list's form.
const FORMAT: u32 = 1;

/// The folder of an export.
pub(super) type Folder = folder::Folder<List>;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct List {
    format: u32,
    pub(super) project: String,
    /// `s3`, `text`, `markdown`.
    pub(super) form: String,
    /// How files are named.
    pub(super) naming: String,
    pub(super) run: i64,
    /// Whether the update that wrote this came to its end.
    pub(super) is_whole: bool,
    /// By number.
    pub(super) documents: BTreeMap<i64, Entry>,
    /// By path; those at the root belong to no document.
    pub(super) files: BTreeMap<String, OwnFile>,
}

/// A document of the export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// What its files are named after, in every update.
    pub(super) name: String,
    /// A digest of all that its files are made from; empty while they are being made.
    pub(super) made_from: String,
    /// Why it has no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OwnFile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) document: Option<i64>,
    /// Bytes.
    pub(super) size: u64,
}

impl List {
    pub(super) fn new(project: &str, form: &str, naming: &str, run: i64) -> List {
        List {
            format: FORMAT,
            project: project.to_owned(),
            form: form.to_owned(),
            naming: naming.to_owned(),
            run,
            is_whole: false,
            documents: BTreeMap::new(),
            files: BTreeMap::new(),
        }
    }
}

impl OwnList for List {
    const COMMAND: &'static str = "export";
    const OR_ELSE: &'static str = ", or write over them with --force";
    const AT_ROOT: &'static [&'static str] = &[ADDRESSES, ADDRESS_FILE, GONE];

    fn is_known(&self) -> bool {
        self.format == FORMAT
    }

    fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }
}
