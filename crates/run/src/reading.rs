//! The threads that read and judge: a page that was fetched in, what is to be kept of it out.
//!
//! A page that breaks its reader is an ERR of that page, not the end of the run.
//!
//! Documents that are read by a process apart take their time, so they have threads of their own: those that read pages hand
//! them over and go on. A crawl that meets none pays nothing.
//!
//! ```text
//!  fetched ──► read-0, read-1 … ──────────────────────────────► judged
//!                  └── PDF, office … ──► documents-0, … ──► (child processes) ──┘
//! ```

use crate::error::RunError;
use crate::fresh::Comparing;
use crate::guidance::Guidance;
use crate::handoff::FromTasks;
use crate::news::News;
use crate::processor::Processor;
use crate::progress::Progress;
use crate::room;
use crate::rulebook::Rulebook;
use crate::site_memory::SiteMemory;
use crate::stages::documents::is_foreign;
use crate::stages::fetch::Fetched;
use crate::stages::follow::LinkRules;
use crate::stages::judge::{Bench, JudgeError, judge};
use crate::stages::keep::{Judged, ToKeep};
use crate::stages::read::read;
use gleaner_model::{Clock, Reason, RunId, State, Timestamp};
use gleaner_readers::Pool;
use gleaner_store::keep::{Keep, Outcome};
use gleaner_store::work::Queued;
use gleaner_store::{Packer, StoreError};
use gleaner_units::{Answer, UnitError, is_exhausted};
use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;
use tracing::{Instrument, Span, debug, error, warn};

/// What reading and judging needs, on whatever thread.
#[derive(Clone)]
pub(crate) struct Reading {
    pub(crate) fetched: FromTasks<Fetched>,
    pub(crate) to_keep: Sender<ToKeep>,
    pub(crate) news: Sender<News>,
    pub(crate) run: RunId,
    pub(crate) rules: Arc<Rulebook>,
    pub(crate) sites: Arc<SiteMemory>,
    pub(crate) comparing: Arc<Comparing>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) progress: Arc<Progress>,
    /// Where large bodies lie on their way.
    pub(crate) spool: PathBuf,
    pub(crate) tries_max: u32,
    pub(crate) body_bytes_max: u64,
    pub(crate) guidance: Option<Guidance>,
}

/// Who reads: they end when no page can come any more.
pub(crate) struct Readers {
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    /// Waits for the threads to end, which they do at once when nobody sends pages any more.
    pub(crate) fn join(self) {
        for thread in self.threads {
            let _it_caught_its_own_panics = thread.join();
        }
    }
}

/// `documents` reads what is no page, by processes apart; none where nobody can.
pub(crate) fn start_reading(
    reading: Reading,
    processor: Processor,
    documents: Option<&Arc<Pool>>,
) -> Result<Readers, RunError> {
    if processor == Processor::Inline {
        tokio::spawn(reading.read_inline().instrument(Span::current()));
        return Ok(Readers { threads: Vec::new() });
    }
    let count = std::thread::available_parallelism().map_or(2, usize::from);
    let (aside, from_aside) = crossbeam_channel::bounded(crate::channels::ASIDE);
    let aside = documents.is_some().then_some(aside);
    let pages = (0..count).map(|number| {
        let (reading, aside) = (reading.clone(), aside.clone());
        start(format!("read-{number}"), move || {
            reading.read_pages(aside.as_ref());
        })
    });
    let documents = documents.into_iter().flat_map(|pool| {
        (0..count).map(|number| {
            let (reading, pool, aside) = (reading.clone(), Arc::clone(pool), from_aside.clone());
            start(format!("documents-{number}"), move || {
                reading.read_documents(&aside, &pool);
            })
        })
    });
    let threads = pages.chain(documents).collect::<Result<_, _>>()?;
    Ok(Readers { threads })
}

fn start(name: String, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, RunError> {
    let builder = std::thread::Builder::new().name(name);
    builder.spawn(work).map_err(RunError::Thread)
}

/// What came of a page: what is kept of it, if anything is, and what the scheduler has to know.
struct Thought {
    judged: Option<Judged>,
    news: Option<News>,
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

impl Reading {
    /// Pages; documents that take their time go `aside`.
    fn read_pages(&self, aside: Option<&crossbeam_channel::Sender<Fetched>>) {
        let spool = || self.spool_file();
        let mut bench = self.bench(&spool);
        while let Some(fetched) = self.fetched.recv() {
            let fetched = match aside {
                Some(aside) if is_foreign(&fetched) => match aside.send(fetched) {
                    Ok(()) => continue,
                    Err(back) => back.into_inner(),
                },
                _ => fetched,
            };
            if !self.hand_on(self.think(fetched, &mut bench, None)) {
                return;
            }
        }
    }

    fn read_documents(&self, aside: &crossbeam_channel::Receiver<Fetched>, pool: &Pool) {
        let spool = || self.spool_file();
        let mut bench = self.bench(&spool);
        for fetched in aside {
            if !self.hand_on(self.think(fetched, &mut bench, Some(pool))) {
                return;
            }
        }
    }

    /// All pages, one after the other, in a task.
    async fn read_inline(self) {
        let spool = || self.spool_file();
        let mut bench = self.bench(&spool);
        while let Some(fetched) = self.fetched.next().await {
            let Thought { judged, news } = self.think(fetched, &mut bench, None);
            if let Some(news) = news {
                let _the_run_may_be_over = self.news.send(news).await;
            }
            if let Some(judged) = judged
                && self.to_keep.send(ToKeep::Page(Box::new(judged))).await.is_err()
            {
                return;
            }
        }
    }

    fn by(&self) -> LinkRules<'_> {
        LinkRules {
            rules: &self.rules,
            sites: &self.sites,
            guidance: self.guidance.as_ref(),
        }
    }

    fn spool_file(&self) -> io::Result<File> {
        tempfile::tempfile_in(&self.spool)
    }

    fn bench<'a>(&'a self, spool: &'a (dyn Fn() -> io::Result<File> + Sync)) -> Bench<'a> {
        Bench {
            by: self.by(),
            run: self.run,
            packer: Packer::default(),
            spool,
            tries_max: self.tries_max,
            comparing: &self.comparing,
            reader: None,
            asked: None,
        }
    }

    /// False if nobody keeps anything any more.
    fn hand_on(&self, thought: Thought) -> bool {
        if let Some(news) = thought.news {
            let _the_run_may_be_over = self.news.blocking_send(news);
        }
        let Some(judged) = thought.judged else {
            return true;
        };
        match self.to_keep.try_send(ToKeep::Page(Box::new(judged))) {
            Ok(()) => true,
            Err(TrySendError::Full(page)) => self.to_keep.blocking_send(page).is_ok(),
            Err(TrySendError::Closed(_)) => false,
        }
    }

    fn think(&self, mut fetched: Fetched, bench: &mut Bench<'_>, documents: Option<&Pool>) -> Thought {
        let span = fetched.span.clone();
        let _of_this_page = span.enter();
        let metrics = &self.progress.metrics;
        let hold = fetched.hold.take();
        let page = &fetched.page.url;
        let url = (self.sites.identities.without_ids(page)).unwrap_or_else(|| page.clone());
        let refused = refusal(&fetched.page, self.clock.wall());
        let tries = fetched.page.tries;
        let exchange = fetched.answer.as_ref().ok().and_then(Answer::exchange);
        let bytes = exchange.map_or(0, |exchange| exchange.body.len());
        let begun = Instant::now();
        let thought = catch_unwind(AssertUnwindSafe(|| {
            let mut read =
                read(fetched, self.by(), self.body_bytes_max, documents).map_err(Trouble::of_unit)?;
            let is_read = Instant::now();
            metrics.read.record_time(is_read - begun);
            let seen = read.take_seen();
            let keep = judge(read, bench, self.clock.wall()).map_err(|e| Trouble::of_judge(e, bytes))?;
            metrics.judge.record_time(is_read.elapsed());
            log(&keep);
            Ok::<_, Trouble>((keep, seen))
        }));
        if let (Some(hold), false) = (&hold, matches!(thought, Ok(Ok(_)))) {
            hold.tear(); // The folder itself is on its way yet.
            return Thought {
                judged: None,
                news: None,
            };
        }
        // The page stays in the frontier while the run is told what keeps it from going on.
        let once_more = |refused| asked_again(refused, tries, self.clock.wall());
        let (keep, seen, news) = match thought {
            Ok(Ok((keep, seen))) => (keep, seen, None),
            Ok(Err(Trouble::NoRoom { bytes })) => (once_more(refused), None, Some(News::NoRoom { bytes })),
            Ok(Err(Trouble::Exhausted(error))) => (once_more(refused), None, Some(News::Failed(error))),
            // The page stays in the frontier: nothing was kept of it.
            Ok(Err(Trouble::Store(error))) => {
                return Thought {
                    judged: None,
                    news: Some(News::Failed(error.into())),
                };
            }
            // Our own memory failed us, or a parser did: this page is ERR, the run goes on (C1).
            Ok(Err(Trouble::Other(detail))) => {
                warn!(%url, detail, "the page could not be judged");
                (failed(refused, detail), None, None)
            }
            Err(_) => {
                error!(%url, "the page made the program that reads it fail");
                bench.packer = Packer::default();
                let detail = "the page made the program that reads it fail".to_owned();
                (failed(refused, detail), None, None)
            }
        };
        let judged = Some(Judged {
            keep,
            url: Some(url),
            seen,
            hold,
        });
        Thought { judged, news }
    }
}

fn failed(refused: Keep, detail: String) -> Keep {
    Keep {
        detail: Some(detail),
        ..refused
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
    let place = (page.fenced_host(), page.resource, page.priority);
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
