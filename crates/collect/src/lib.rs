//! How does a library come from its file to accepted documents? (G1 to G12)
//!
//! ```text
//!  choose ──► crawl ──► judge ──► analyse ──► (choose …)
//!  sites      one run   verdicts  statistics, levels, new sites, next visits
//! ```
//! Each step begins with what the store has and ends with one change of it ([`gleaner_store::libraries::LibraryChange`]), and the cycle's row says how far
//! it is: a kill at any moment repeats at most the step that was under way, and a step that is repeated comes to the same. What
//! is decided is decided in `library`; this room brings together what its decisions need.
//!
//! The crawl itself is done by whoever implements [`Crawls`]: this room does not know how runs work.

pub mod add;
mod again;
pub mod analyse;
pub mod choose;
pub mod cycle;
pub mod error;
pub mod explain;
pub mod filter;
pub mod follow;
pub mod guide;
pub mod report;
pub mod sites;
pub mod teach;

pub use cycle::{Cycle, CycleEnd};
pub use error::CollectError;
pub use gleaner_store::libraries::LibraryStore;
pub use report::CycleEvent;

use gleaner_frontier::Guide;
use gleaner_model::library::LibrarySettings;
use gleaner_model::{Clock, LibraryId, Project, ProjectId};
use gleaner_readers::{Appraises, Pool};
use gleaner_store::RunRef;
use gleaner_store::runs::RunStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whoever can work on a run.
pub trait Crawls {
    /// Works on the run until it is finished or told to stop, and writes its end down.
    fn crawl(
        &self,
        of: RunRef,
        project: &Project,
        guide: Arc<dyn Guide>,
        appraiser: Arc<dyn Appraises>,
    ) -> Result<RunStatus, CollectError>;
}

/// A library, and what working on it needs.
pub struct Collecting<'a> {
    pub store: &'a dyn LibraryStore,
    pub readers: Arc<Pool>,
    pub clock: Arc<dyn Clock>,
    pub library: LibraryId,
    pub project: ProjectId,
    pub settings: Arc<LibrarySettings>,
    /// Somebody wants it to stop.
    pub stop: &'a AtomicBool,
    pub told: &'a dyn Fn(CycleEvent),
}

impl Collecting<'_> {
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Under which name it follows the changes of runs.
    pub(crate) fn follower(&self) -> String {
        format!("library {}", self.library)
    }
}
