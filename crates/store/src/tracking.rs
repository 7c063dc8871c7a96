//! What a project had before a track, and what the track does about it.

use crate::keep::LastAnswer;
use gleaner_model::{DocumentId, LinkKind, Reason, ResourceId, Url, UrlKey};

/// A document that the project had before this run.
#[derive(Debug)]
pub struct KnownDocument {
    pub document: DocumentId,
    pub url: Url,
    pub depth: u32,
    pub(crate) resource: ResourceId,
    pub(crate) key: UrlKey,
}

/// What a track does about a document that the project had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    Ask,
    /// It is looked at where the steps of the project come in.
    AskForSteps,
    /// Its server lists what it has: the folders are asked, not the document.
    List,
    /// The settings no longer take it.
    Out(Reason),
}

/// Addresses that the last run took up and that are no documents, each with the page that it was found on first.
#[derive(Debug)]
pub struct Others {
    pub found: Vec<(ResourceId, ResourceId)>,
}

/// The links of a document, as stored.
#[derive(Debug)]
pub struct LinkPage {
    pub source: ResourceId,
    pub depth: u32,
    pub(crate) list: String,
}

impl LinkPage {
    /// Where the links lead, each with its kind; kinds that nobody knows any more are left out.
    pub fn targets(&self) -> impl Iterator<Item = (ResourceId, LinkKind)> + '_ {
        targets(&self.list)
            .filter_map(|(target, kind)| Some((ResourceId(target), LinkKind::of_number(kind)?)))
    }
}

/// A link to what is no document, as a track begins with it.
#[derive(Debug)]
pub struct KnownLink {
    pub resource: ResourceId,
    pub url: Url,
    pub kind: LinkKind,
    pub depth: u32,
    /// What it was when it was asked last, where that was no document.
    pub last: Option<LastAnswer>,
}

/// The targets of a stored list with the numbers of their kinds, without reading the rest of it.
pub(crate) fn targets(list: &str) -> impl Iterator<Item = (i64, u8)> + '_ {
    let bytes = list.as_bytes();
    let mut at = 0;
    let mut depth = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let byte = bytes[at];
            at += 1;
            match byte {
                b'[' => {
                    depth += 1;
                    if depth == 2 {
                        let mut number = || {
                            let start = at;
                            while at < bytes.len() && bytes[at].is_ascii_digit() {
                                at += 1;
                            }
                            let found = list[start..at].parse::<i64>().ok();
                            at += usize::from(at < bytes.len() && bytes[at] == b',');
                            found
                        };
                        if let (Some(target), Some(kind)) = (number(), number()) {
                            // The bracket may have been passed with the last number.
                            return Some((target, u8::try_from(kind).unwrap_or(u8::MAX)));
                        }
                    }
                }
                b']' => depth -= 1,
                b'"' => {
                    while at < bytes.len() && bytes[at] != b'"' {
                        at += 1 + usize::from(bytes[at] == b'\\');
                    }
                    at += 1;
                }
                _ => {}
            }
        }
        None
    })
}
