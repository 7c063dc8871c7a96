//! A run from beginning to end.
//!
//! ```text
//!  begin: what the project says and the store knows
//!    │
//!    ▼              fetches            threads              task
//!  schedule ──────► fetch ── Fetched ──► read ── Read ──► judge ── Judged ──► keep ─┐ kept
//!    ▲  ▲                                                                           │
//!    │  └───────────────────────────────────────────────────────────────────────────┘
//!    └── rows ── requests ◄── what to load
//!    │
//!    ▼
//!  end: what can only be said when everything was asked
//! ```

use crate::assemble::assemble;
use crate::begin::Begun;
use crate::end;
use crate::error::RunError;
use crate::forms::SecretLookup;
use crate::guidance::Guidance;
use crate::metrics::Measured;
use crate::processor::Processor;
use crate::progress::Progress;
use crate::shared_pace::Paces;
use crate::witness::Witness;
use gleaner_model::{Chance, Clock, Project};
use gleaner_readers::Pool;
use gleaner_store::runs::RunStatus;
use gleaner_store::{RunRef, Store};
use gleaner_units::Units;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch;
use tracing::{Instrument, error, info, info_span};

/// What a run gets from outside.
pub struct Surroundings {
    pub store: Arc<dyn Store>,
    /// By what name hosts are taken.
    pub worker: String,
    /// Where large bodies lie on their way.
    pub spool: PathBuf,
    pub units: Units,
    pub clock: Arc<dyn Clock>,
    /// The pace of hosts, shared by all runs of the process: they share their clock, too.
    pub paces: Paces,
    pub chance: Arc<dyn Chance>,
    /// Where work runs that keeps a processor busy.
    pub processor: Processor,
    pub progress: Arc<Progress>,
    /// Becomes true when the run should finish what is in flight and stop.
    pub stop: watch::Receiver<bool>,
    /// What references to secrets stand for.
    pub secrets: Arc<SecretLookup>,
    /// Connections that may be open at once, those that are only waited for included.
    pub sockets_max: usize,
    /// Reads documents that are no pages; none where nobody can.
    pub readers: Option<Arc<Pool>>,
    /// Guides a run that looks for something; none: breadth first.
    pub guidance: Option<Guidance>,
    /// Is told what happens on the way.
    pub witness: Option<Arc<Witness>>,
    /// The cookie jar as bytes, when it changed since the last call.
    pub cookies: Box<dyn Fn() -> Option<Vec<u8>> + Send>,
}

/// How the run ended.
pub struct CrawlEnd {
    pub status: RunStatus,
    pub note: Option<String>,
    /// It was settled before it began to work again: nobody has looked at the site.
    pub had_nothing_to_ask: bool,
    /// What was counted and measured in this part of the run.
    pub measured: Measured,
}

/// Works on a run until it is finished or told to stop. The seeds are in the frontier already.
pub async fn crawl(of: RunRef, project: &Project, around: Surroundings) -> Result<CrawlEnd, RunError> {
    let span = info_span!("run", project = project.name, id = of.run.0);
    let progress = Arc::clone(&around.progress);
    let work = async {
        let ended = work(of, project, around).await;
        match &ended {
            Ok(ended) => info!(
                status = ended.status.as_str(),
                note = ended.note,
                fetched = Progress::read(&progress.fetched),
                bytes = Progress::read(&progress.bytes),
                "the run ends"
            ),
            Err(error) => error!(%error, "the run cannot go on"),
        }
        ended
    };
    Box::pin(work.instrument(span)).await
}

async fn work(of: RunRef, project: &Project, around: Surroundings) -> Result<CrawlEnd, RunError> {
    let begun = Begun::of(of, project, &around).await?;
    let stop = around.stop.clone();
    let (mut scheduler, stages) = assemble(&begun, around)?;
    let ending = scheduler.go(stop, &stages.abandon).await;
    let left = end::put_away(scheduler, stages, ending.is_err()).await?;
    let (status, note) = ending?;
    end::end(begun, left, status, note).await
}
