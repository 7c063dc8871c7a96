//! What libraries keep: their sites, what was decided about documents, their cycles, what they learned (G1 to G13).
//!
//! Nothing is decided here. What a cycle decides comes as one [`LibraryChange`], and is kept whole or not at all: verdicts together with the
//! position up to which changes were judged, the statistics of sites together with the cycle that they were made of. So a kill
//! loses nothing and nothing is counted twice.

use crate::StoreError;
use crate::ledger::FollowPosition;
use crate::store::Store;
use async_trait::async_trait;
use gleaner_model::library::LibrarySettings;
use gleaner_model::{DocumentId, LibraryId, ProjectId, RunId, Timestamp, VersionId};

/// A library as listed.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryRow {
    pub id: LibraryId,
    /// The project of the same name that holds its documents.
    pub project: ProjectId,
    pub settings: LibrarySettings,
    pub made_at: Timestamp,
}

/// How a site stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LibrarySiteState {
    /// Nobody has looked at it.
    Candidate,
    /// A few of its pages are read first.
    Trial,
    Active,
    /// It gave nothing more; it is visited again when its time has come.
    Stopped,
    /// It is not visited.
    Rejected,
}

impl LibrarySiteState {
    pub const ALL: [LibrarySiteState; 5] = [
        LibrarySiteState::Candidate,
        LibrarySiteState::Trial,
        LibrarySiteState::Active,
        LibrarySiteState::Stopped,
        LibrarySiteState::Rejected,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            LibrarySiteState::Candidate => "candidate",
            LibrarySiteState::Trial => "trial",
            LibrarySiteState::Active => "active",
            LibrarySiteState::Stopped => "stopped",
            LibrarySiteState::Rejected => "rejected",
        }
    }

    pub fn parse(text: &str) -> Option<LibrarySiteState> {
        LibrarySiteState::ALL
            .into_iter()
            .find(|state| state.as_str() == text)
    }
}

/// A site of a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibrarySite {
    /// Scheme, host and port: `https://cs.example.edu`.
    pub site: String,
    pub state: LibrarySiteState,
    /// Where a visit begins.
    pub starts: Vec<String>,
    /// A person decided its state, which then stays.
    pub is_by_hand: bool,
    /// S1's level, 1 to 5.
    pub level: u8,
    pub visits: u32,
    pub last_visit: Option<Timestamp>,
    pub next_visit: Option<Timestamp>,
    /// Why its state is what it is, for people.
    pub why: String,
    /// Statistics and evidence as JSON, in the form of whoever decides.
    pub facts: String,
}

/// What is said of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LibraryVerdict {
    Accepted,
    Rejected,
    /// A person decides.
    Uncertain,
}

impl LibraryVerdict {
    pub const ALL: [LibraryVerdict; 3] = [
        LibraryVerdict::Accepted,
        LibraryVerdict::Rejected,
        LibraryVerdict::Uncertain,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            LibraryVerdict::Accepted => "accepted",
            LibraryVerdict::Rejected => "rejected",
            LibraryVerdict::Uncertain => "uncertain",
        }
    }

    pub fn parse(text: &str) -> Option<LibraryVerdict> {
        LibraryVerdict::ALL
            .into_iter()
            .find(|verdict| verdict.as_str() == text)
    }
}

/// A document with what was decided about it last.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryDocument {
    pub document: DocumentId,
    /// The version that was judged.
    pub version: VersionId,
    pub url: String,
    pub site: String,
    pub verdict: LibraryVerdict,
    /// None where it could not be read.
    pub genre: Option<String>,
    /// How sure it is that it is of a kind to keep, and that it speaks of the topic; 0 to 1.
    pub score: f64,
    pub topic: f64,
    /// The strongest first, in plain words.
    pub reasons: Vec<String>,
    pub is_by_person: bool,
    /// In which cycle it was judged; 0: outside of any.
    pub cycle: u32,
    pub at: Timestamp,
    pub media_type: String,
    pub size: u64,
    pub title: Option<String>,
    /// Two letters.
    pub language: Option<String>,
    /// The first document of the same work; none where it is not known to be a copy, another format or another version.
    pub work: Option<DocumentId>,
    /// What it is to that work, in one word.
    pub role: Option<String>,
}

/// A cycle: one run with what was decided before and after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryCycle {
    /// From 1.
    pub number: u32,
    pub run: Option<RunId>,
    /// How far it is, in one word of whoever works on it.
    pub phase: String,
    pub began_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// JSON: what was chosen, and what came of it.
    pub report: String,
}

/// What changes in a library at once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LibraryChange {
    /// Whole rows; a site that is there is replaced.
    pub sites: Vec<LibrarySite>,
    /// Verdicts: each is added to the document's history, and is its last one.
    pub documents: Vec<LibraryDocument>,
    pub cycle: Option<LibraryCycle>,
    /// What was learned, by its name; empty: it is forgotten.
    pub memories: Vec<(String, Vec<u8>)>,
    /// A follower has judged all up to here. It never goes back.
    pub position: Option<(String, FollowPosition)>,
}

/// A store that keeps runs and libraries.
pub trait LibraryStore: Store + Libraries {}

impl<S: Store + Libraries> LibraryStore for S {}

/// The writing half.
#[async_trait]
pub trait Libraries: Send + Sync {
    /// The library of that name with these settings, made if it is not there.
    async fn library(
        &self,
        settings: LibrarySettings,
        project: ProjectId,
        now: Timestamp,
    ) -> Result<LibraryId, StoreError>;

    /// Keeps all of it or nothing.
    async fn keep_library(&self, library: LibraryId, change: LibraryChange) -> Result<(), StoreError>;
}
