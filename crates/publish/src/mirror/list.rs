//! What is known about a copy: `.gleaner-mirror.json`.

use crate::files::folder::{self, OwnList};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The page that leads to the others.
pub(super) const INDEX: &str = "index.html";
/// Of the list's form.
const FORMAT: u32 = 1;

/// The folder of a copy.
pub(super) type Folder = folder::Folder<List>;

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

impl OwnList for List {
    const COMMAND: &'static str = "mirror";
    const OR_ELSE: &'static str = "";
    const AT_ROOT: &'static [&'static str] = &[INDEX];

    fn is_known(&self) -> bool {
        self.format == FORMAT
    }

    fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }
}
