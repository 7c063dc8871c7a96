//! The graph as one file in `derived/`, beside the catalog: read in one go, and made again when it is no longer right.
//!
//! ```text
//! "gleaner graph\n" · format (4) · bytes of the snapshot (8) · bytes of the facts (8) · checksum of the facts (8) · snapshot · facts
//! ```
//!
//! Right is a file whose snapshot says that it was made from this state of the catalog for this question. There is one file for
//! each question (projects, run, kinds of links); those of another state of the catalog go when a new one is written.

use super::facts::Facts;
use super::gather::{Gathered, LinkChoice, gather};
use super::{GraphError, Structure};
use gleaner_graph::{Snapshot, SnapshotError};
use gleaner_model::{ProjectId, UrlKey};
use gleaner_store::ledger::Extent;
use gleaner_store::{Ledger, folder};
use std::fmt;
use std::fmt::Write as _;
use std::path::Path;

const MAGIC: &[u8; 14] = b"gleaner graph\n";
const FORMAT: u32 = 1;
const HEAD_BYTES: usize = MAGIC.len() + 4 + 8 + 8 + 8;

/// Why the file was not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Made {
    /// It was right.
    FromFile,
    /// There was none.
    First,
    /// The catalog has more to tell than when it was written.
    CatalogMovedOn,
    Cut,
    /// Another program's file, or another catalog's.
    Foreign,
    OtherFormat {
        found: u32,
    },
    Damaged,
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Made::FromFile => f.write_str("the stored graph is up to date"),
            Made::First => f.write_str("the graph was built from the catalog"),
            Made::CatalogMovedOn => {
                f.write_str("the graph was built again: the catalog has changed since it was stored")
            }
            Made::Cut => f.write_str("the graph was built again: its stored file was cut off"),
            Made::Foreign => {
                f.write_str("the graph was built again: its stored file belongs to another catalog")
            }
            Made::OtherFormat { found } => {
                write!(
                    f,
                    "the graph was built again: its stored file has format {found}, and this program writes {FORMAT}"
                )
            }
            Made::Damaged => f.write_str("the graph was built again: its stored file was damaged"),
        }
    }
}

/// A graph and how it came.
#[derive(Debug, Clone)]
pub struct OpenedGraph {
    pub structure: Structure,
    pub made: Made,
    /// Bytes of its file.
    pub file_bytes: u64,
}

/// The graph that is asked for: from its file where that is right, else from the catalog.
pub fn open(
    data: &Path,
    reader: &dyn Ledger,
    extent: &Extent,
    choice: &LinkChoice,
    what: &str,
) -> Result<OpenedGraph, GraphError> {
    let (question, mark) = (question_of(extent, choice), reader.mark()?);
    let name = format!("graph-{}.bin", hex(&UrlKey::of_text(&question).0[..8]));
    let path = folder::derived(data).join(&name);
    let about = format!("{mark}\n{question}");
    let made = match std::fs::read(&path) {
        Err(_) => Made::First,
        Ok(bytes) => match read(&bytes, &about) {
            Ok(gathered) => {
                return Ok(OpenedGraph {
                    structure: structure(gathered, extent, what),
                    made: Made::FromFile,
                    file_bytes: bytes.len() as u64,
                });
            }
            Err(why) => why,
        },
    };
    let gathered = gather(reader, extent, choice)?;
    let (gathered, bytes) = with_bytes(gathered, &about);
    // A folder that cannot be written to still has a graph.
    if folder::keep_derived(data, &name, &bytes).is_ok() {
        forget_others(&folder::derived(data), &name, &mark);
    }
    Ok(OpenedGraph {
        file_bytes: bytes.len() as u64,
        structure: structure(gathered, extent, what),
        made,
    })
}

fn structure(gathered: Gathered, extent: &Extent, what: &str) -> Structure {
    Structure {
        graph: gathered.graph,
        names: gathered.names,
        facts: Some(gathered.facts),
        what: what.to_owned(),
        run: extent.run.map(|run| run.0),
    }
}

/// Everything that decides what is in the graph, in one spelling.
fn question_of(extent: &Extent, choice: &LinkChoice) -> String {
    let mut projects: Vec<ProjectId> = extent.projects.clone();
    projects.sort_unstable();
    projects.dedup();
    let mut kinds: Vec<u8> = choice.kinds.iter().map(|kind| *kind as u8).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let run = extent.run.map_or(0, |run| run.0);
    format!(
        "projects {projects:?} run {run} kinds {kinds:?} nofollow {}",
        choice.with_nofollow
    )
}

/// The bytes of a graph beside it.
fn with_bytes(gathered: Gathered, about: &str) -> (Gathered, Vec<u8>) {
    let whole = Snapshot {
        about: about.to_owned(),
        graph: gathered.graph,
        names: gathered.names,
    };
    let snapshot = whole.to_bytes();
    let facts = gathered.facts.to_bytes();
    let mut bytes = Vec::with_capacity(HEAD_BYTES + snapshot.len() + facts.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&FORMAT.to_le_bytes());
    bytes.extend_from_slice(&(snapshot.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&(facts.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&xxhash_rust::xxh3::xxh3_64(&facts).to_le_bytes());
    bytes.extend_from_slice(&snapshot);
    bytes.extend_from_slice(&facts);
    let gathered = Gathered {
        graph: whole.graph,
        names: whole.names,
        facts: gathered.facts,
    };
    (gathered, bytes)
}

fn read(bytes: &[u8], about: &str) -> Result<Gathered, Made> {
    if !bytes.starts_with(MAGIC) {
        let is_beginning = MAGIC.starts_with(bytes);
        return Err(if is_beginning { Made::Cut } else { Made::Foreign });
    }
    let number = |at: usize| -> Result<u64, Made> {
        let eight = bytes.get(at..at + 8).ok_or(Made::Cut)?;
        Ok(u64::from_le_bytes(eight.try_into().unwrap_or_default()))
    };
    let at = MAGIC.len();
    let format = bytes.get(at..at + 4).ok_or(Made::Cut)?;
    let format = u32::from_le_bytes(format.try_into().unwrap_or_default());
    if format != FORMAT {
        return Err(Made::OtherFormat { found: format });
    }
    let (snapshot_bytes, facts_bytes, sum) = (number(at + 4)?, number(at + 12)?, number(at + 20)?);
    let rest = &bytes[HEAD_BYTES..];
    let expected = snapshot_bytes.checked_add(facts_bytes).ok_or(Made::Damaged)?;
    if (rest.len() as u64) < expected {
        return Err(Made::Cut);
    }
    let (snapshot, facts) = rest.split_at(snapshot_bytes as usize);
    let facts = &facts[..facts_bytes as usize];
    let snapshot = Snapshot::from_bytes(snapshot).map_err(|error| match error {
        SnapshotError::Foreign => Made::Foreign,
        SnapshotError::OtherFormat { found, .. } => Made::OtherFormat { found },
        SnapshotError::Cut { .. } => Made::Cut,
        SnapshotError::Damaged { .. } => Made::Damaged,
    })?;
    if snapshot.about != about {
        return Err(why_other(&snapshot.about, about));
    }
    if xxhash_rust::xxh3::xxh3_64(facts) != sum {
        return Err(Made::Damaged);
    }
    let facts = Facts::from_bytes(facts)
        .filter(|facts| facts.len() == snapshot.graph.nodes() && snapshot.names.len() == facts.len())
        .ok_or(Made::Damaged)?;
    Ok(Gathered {
        graph: snapshot.graph,
        names: snapshot.names,
        facts,
    })
}

/// Another catalog began at another time, in another format; the same one only grew.
fn why_other(found: &str, wanted: &str) -> Made {
    let first_lines = (found.lines().next(), wanted.lines().next());
    let question = |about: &str| about.split_once('\n').map(|(_, rest)| rest.to_owned());
    match first_lines {
        (Some(found_mark), Some(mark))
            if origin(found_mark) == origin(mark) && question(found) == question(wanted) =>
        {
            Made::CatalogMovedOn
        }
        _ => Made::Foreign,
    }
}

/// The part of a mark that stays as long as it is the same catalog.
fn origin(mark: &str) -> &str {
    mark.split('/').next().unwrap_or_default()
}

/// Files of another state of the catalog are of no more use.
fn forget_others(derived: &Path, name: &str, mark: &str) {
    for entry in std::fs::read_dir(derived).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let file = file.to_string_lossy();
        let is_graph = file.starts_with("graph-") && file.ends_with(".bin") && *file != *name;
        if is_graph && !std::fs::read(entry.path()).is_ok_and(|bytes| holds(&bytes, mark)) {
            let _somebody_else_did = std::fs::remove_file(entry.path());
        }
    }
}

/// Whether the mark stands in the first part of the file, where its snapshot says what it is about.
fn holds(bytes: &[u8], mark: &str) -> bool {
    let beginning = &bytes[..bytes.len().min(HEAD_BYTES + 4096)];
    beginning
        .windows(mark.len())
        .any(|window| window == mark.as_bytes())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _never_fails = write!(text, "{byte:02x}");
        text
    })
}
