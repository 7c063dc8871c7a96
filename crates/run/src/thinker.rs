//! The threads that read and judge: a page that was fetched in, what is to be kept of it out.
//!
//! A page that breaks its reader is an ERR of that page, not the end of the run.
//!
//! Documents that are read by a process apart take their time, so they have threads of their own: those that read pages hand
//! them over and go on. A crawl that meets none pays nothing.
//!
//! ```text
//!  fetched ──► read-0, read-1 … ──────────────────────────────► orders
//!                  └── PDF, office … ──► documents-0, … ──► (child processes) ──┘
//! ```

use crate::error::RunError;
use crate::fresh::Comparing;
use crate::news::News;
use crate::progress::Progress;
use crate::room;
use crate::stages::documents::is_foreign;
use crate::stages::fetch::Fetched;
use crate::stages::follow::Deciding;
use crate::stages::judge::{Bench, JudgeError, judge};
use crate::stages::keep::{Judged, Order};
use crate::stages::read::read;
use crossbeam_channel::{Receiver, Sender};
use gleaner_model::{Clock, Project, Reason, State, Timestamp};
use gleaner_readers::Pool;
use gleaner_store::keep::{Keep, Outcome};
use gleaner_store::work::Queued;
use gleaner_store::{Packer, StoreError};
use gleaner_units::{Answer, UnitError, is_exhausted};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::sync::mpsc::UnboundedSender;
use tracing::{debug, error, warn};

#[expect(
    clippy::too_many_arguments,
    reason = "each thread gets its own hold of everything"
)]
pub(crate) fn start_thinkers(
    fetched: &Receiver<Fetched>,
    orders: &Sender<Order>,
    deciding: &Arc<Deciding>,
    project: &Project,
    comparing: &Arc<Comparing>,
    spool: &Path,
    clock: &Arc<dyn Clock>,
    news: &UnboundedSender<News>,
    progress: &Arc<Progress>,
    readers: Option<&Arc<Pool>>,
) -> Result<Vec<JoinHandle<()>>, RunError> {
    let count = std::thread::available_parallelism().map_or(2, usize::from);
    // Unbounded, for the whole way to a commit is bounded where pages are reserved.
    let (aside_in, aside_out) = crossbeam_channel::unbounded();
    let aside = readers.is_some().then_some(aside_in);
    let pages = (0..count).map(|n| (format!("read-{n}"), fetched, aside.clone(), None));
    let documents = readers.into_iter().flat_map(|pool| {
        (0..count).map(|n| (format!("documents-{n}"), &aside_out, None, Some(Arc::clone(pool))))
    });
    pages
        .chain(documents)
        .map(|(name, from, aside, readers)| {
            let thinker = Thinker {
                aside,
                readers,
                fetched: from.clone(),
                orders: orders.clone(),
                deciding: Arc::clone(deciding),
                tries_max: project.tries_max,
                body_bytes_max: project.body_bytes_max,
                comparing: Arc::clone(comparing),
                spool: spool.to_owned(),
                clock: Arc::clone(clock),
                news: news.clone(),
                progress: Arc::clone(progress),
            };
            std::thread::Builder::new()
                .name(name)
                .spawn(move || thinker.work())
                .map_err(RunError::Thread)
        })
        .collect()
}

/// Reads and judges, page after page, off the network's threads.
struct Thinker {
    /// Where documents go that take their time; none for those who read them.
    aside: Option<Sender<Fetched>>,
    readers: Option<Arc<Pool>>,
    fetched: Receiver<Fetched>,
    orders: Sender<Order>,
    deciding: Arc<Deciding>,
    tries_max: u32,
    body_bytes_max: u64,
    comparing: Arc<Comparing>,
    spool: PathBuf,
    clock: Arc<dyn Clock>,
    news: UnboundedSender<News>,
    progress: Arc<Progress>,
}

/// Why nothing could be made of a page.
enum Trouble {
    /// Our own disk is full: the page waits for better times.
    NoRoom {
        bytes: u64,
    },
    /// We were refused what every page needs: the run cannot go on.
    Exhausted(RunError),
    /// Our own store failed: no page can be judged.
    Store(StoreError),
    Other(String),
}

impl Trouble {
    fn of_unit(error: UnitError) -> Trouble {
        match error.no_room() {
            Some(bytes) => Trouble::NoRoom { bytes },
            None if error.is_exhausted() => Trouble::Exhausted(error.into()),
            None => Trouble::Other(error.to_string()),
        }
    }

    fn of_judge(error: JudgeError, bytes: u64) -> Trouble {
        match error {
            JudgeError::Pack(error) if room::is_full(&error) => Trouble::NoRoom { bytes },
            JudgeError::Store(StoreError::DiskFull { .. }) => Trouble::NoRoom { bytes },
            JudgeError::Pack(error) if is_exhausted(&error) => Trouble::Exhausted(RunError::Pack(error)),
            JudgeError::Pack(error) => Trouble::Other(error.to_string()),
            JudgeError::Store(error) => Trouble::Store(error),
        }
    }
}

impl Thinker {
    fn work(self) {
        let spool = || tempfile::tempfile_in(&self.spool);
        let mut bench = Bench {
            deciding: &self.deciding,
            packer: Packer::default(),
            spool: &spool,
            tries_max: self.tries_max,
            comparing: &self.comparing,
            reader: None,
            asked: None,
        };
        let metrics = &self.progress.metrics;
        for fetched in &self.fetched {
            let mut fetched = match &self.aside {
                Some(aside) if is_foreign(&fetched) => match aside.send(fetched) {
                    Ok(()) => continue,
                    Err(back) => back.into_inner(),
                },
                _ => fetched,
            };
            let span = fetched.span.clone();
            let _of_this_page = span.enter();
            let hold = fetched.hold.take();
            let page = &fetched.page.url;
            let url = (self.deciding.identities.without_ids(page)).unwrap_or_else(|| page.clone());
            let refused = refusal(&fetched.page, self.clock.wall());
            let tries = fetched.page.tries;
            let exchange = fetched.answer.as_ref().ok().and_then(Answer::exchange);
            let bytes = exchange.map_or(0, |exchange| exchange.body.len());
            let begun = Instant::now();
            let thought = catch_unwind(AssertUnwindSafe(|| {
                let mut read = read(
                    fetched,
                    &self.deciding,
                    self.body_bytes_max,
                    self.readers.as_deref(),
                )
                .map_err(Trouble::of_unit)?;
                let is_read = Instant::now();
                metrics.read.record_time(is_read - begun);
                let seen = read.take_seen();
                let keep =
                    judge(read, &mut bench, self.clock.wall()).map_err(|e| Trouble::of_judge(e, bytes))?;
                metrics.judge.record_time(is_read.elapsed());
                log(&keep);
                Ok::<_, Trouble>((keep, seen))
            }));
            if let (Some(hold), false) = (&hold, matches!(thought, Ok(Ok(_)))) {
                hold.tear(); // The folder itself is on its way yet.
                continue;
            }
            let (keep, seen) = match thought {
                Ok(Ok(judged)) => judged,
                Ok(Err(Trouble::NoRoom { bytes })) => {
                    (self.once_more(News::NoRoom { bytes }, tries, refused), None)
                }
                Ok(Err(Trouble::Exhausted(error))) => {
                    (self.once_more(News::Failed(error), tries, refused), None)
                }
                // The page stays in the frontier: nothing was kept of it.
                Ok(Err(Trouble::Store(error))) => {
                    let _the_run_may_be_over = self.news.send(News::Failed(error.into()));
                    continue;
                }
                // Our own memory failed us, or a parser did: this page is ERR, the run goes on (C1).
                Ok(Err(Trouble::Other(detail))) => {
                    warn!(%url, detail, "the page could not be judged");
                    (
                        Keep {
                            detail: Some(detail),
                            ..refused
                        },
                        None,
                    )
                }
                Err(_) => {
                    error!(%url, "the page broke the program that reads it");
                    bench.packer = Packer::default();
                    (
                        Keep {
                            detail: Some("the page broke the program that reads it".to_owned()),
                            ..refused
                        },
                        None,
                    )
                }
            };
            if self
                .orders
                .send(Order::Keep(Box::new(Judged {
                    keep,
                    url,
                    seen,
                    hold,
                })))
                .is_err()
            {
                break;
            }
        }
    }

    /// The page stays in the frontier while the run is told what keeps it from going on.
    fn once_more(&self, news: News, tries: u32, refused: Keep) -> Keep {
        let _the_run_may_be_over = self.news.send(news);
        asked_again(refused, tries, self.clock.wall())
    }
}

/// What came of the page, in one line.
fn log(keep: &Keep) {
    let reason = keep.reason.map(Reason::code);
    if let Outcome::Again { tries, due_at } = &keep.outcome {
        debug!(reason, tries, due_at = due_at.0, "it is asked for again");
        return;
    }
    debug!(
        state = keep.state.map(State::as_str),
        reason,
        detail = keep.detail,
        links = keep.outlinks.len(),
        "judged"
    );
}

/// A page about which nothing can be said but that it failed.
pub(crate) fn refusal(page: &Queued, now: Timestamp) -> Keep {
    let place = (page.host, page.resource, page.priority);
    Keep {
        legs: page.legs.clone(),
        ..Keep::nothing(place, page.depth, page.purpose, Reason::ParserFailed, now)
    }
}

/// The same for a page that stays in the frontier: it is asked for again from `due_at` on, and nothing is said of it now.
pub(crate) fn asked_again(refused: Keep, tries: u32, due_at: Timestamp) -> Keep {
    Keep {
        outcome: Outcome::Again { tries, due_at },
        state: None,
        reason: None,
        ..refused
    }
}
