//! What the scheduler asks of the store beside keeping pages: rows, robots.txt, lists, the end of a host.
//!
//! Requests about one host are done one after the other, in the order in which they were asked: rows that are loaded after a
//! host was given up, or after its lists were read, must not be those that ended with that. Requests about different hosts
//! are done side by side, and none waits for a commit. That is right because the scheduler knows which pages are on their way
//! to a commit (it holds their rows, and is not given them again), and because a commit that adds rows is told to it, after
//! which it asks again.

use crate::disk::FullDisk;
use crate::error::RunError;
use crate::lists::{self, ListsRead};
use crate::news::News;
use crate::processor::Processor;
use crate::progress::Progress;
use crate::run_store::RunStore;
use gleaner_frontier::RobotsState;
use gleaner_judge::validators::{DocumentValidators, HostValidators};
use gleaner_model::{Clock, HostId, HostState, Reason, RunId, State, Url, defaults};
use gleaner_store::StoreError;
use gleaner_store::keep::Enqueue;
use gleaner_store::leases::{FencedHost, HostsWanted};
use gleaner_store::work::{Ending, Load, Loaded, StoredRobots};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::task::JoinSet;
use tracing::{Instrument, Span, error};

/// Requests that are done side by side.
const AT_ONCE: usize = 32;

pub(crate) enum Request {
    Lease(HostsWanted),
    Renew(Vec<FencedHost>),
    Release(Vec<(FencedHost, HostState)>),
    /// Whether nothing waits any more, below this priority, and nobody works on a host.
    IsFinished(Option<i64>),
    Load(Load),
    Robots {
        host: HostId,
        stored: StoredRobots,
        sitemaps: Vec<(Url, Enqueue)>,
        awaits_lists: bool,
    },
    /// Are the lists of this host read? What they call unchanged is settled then.
    Lists {
        host: HostId,
        robots: Option<Arc<RobotsState>>,
    },
    /// Nothing more is asked of this host, or of any.
    GiveUp {
        host: Option<FencedHost>,
        reason: Reason,
        detail: Option<String>,
        state: Option<State>,
    },
}

impl Request {
    /// None: all of them.
    fn host(&self) -> Option<HostId> {
        match self {
            Request::Load(load) => Some(load.host),
            Request::Robots { host, .. } | Request::Lists { host, .. } => Some(*host),
            Request::GiveUp { host, .. } => host.map(|of| of.host),
            Request::Lease(_) | Request::Renew(_) | Request::Release(_) | Request::IsFinished(_) => None,
        }
    }
}

/// Does what is asked.
pub(crate) struct Requests {
    pub(crate) store: RunStore,
    pub(crate) disk: FullDisk,
    pub(crate) processor: Processor,
    pub(crate) news: Sender<News>,
    pub(crate) progress: Arc<Progress>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) has_history: bool,
    /// Of so many documents that a site's lists call unchanged one is asked for all the same; 0: none.
    pub(crate) sample_of_dated: u32,
}

/// Some documents are asked for whole although their servers may say that they are as they were.
fn test_validators(loaded: &mut Loaded, run: RunId, is_later: bool) {
    let (right, wrong) = (loaded.right, loaded.wrong);
    let host = HostValidators {
        right,
        wrong,
        is_later,
    };
    for known in loaded.rows.iter_mut().filter_map(|row| row.known.as_mut()) {
        let own = DocumentValidators {
            etag: known.etag.as_deref(),
            last_modified: known.last_modified.as_deref(),
            size: known.size,
        };
        known.asks_whole |= host.are_tested_by(known.document, run, &own);
    }
}

/// By host: what waits for the request before it.
type Waiting = HashMap<Option<HostId>, VecDeque<Request>>;

impl Requests {
    /// Works until nobody asks any more. The scheduler is told of a failure; what failed is for the caller of this.
    pub(crate) async fn work(self, input: Receiver<Request>) -> Result<(), StoreError> {
        let news = self.news.clone();
        let done = self.take_requests(input).await;
        if let Err(error) = &done {
            error!(%error, "the store failed");
            let failed = News::Failed(RunError::StageGone { stage: "keep" });
            let _the_run_may_be_over = news.send(failed).await;
        }
        done
    }

    async fn take_requests(self, mut input: Receiver<Request>) -> Result<(), StoreError> {
        let this = Arc::new(self);
        let mut waiting = Waiting::new();
        let mut under_way = JoinSet::new();
        let mut has_input = true;
        let begin = |under_way: &mut JoinSet<_>, request: Request| {
            let (this, host) = (Arc::clone(&this), request.host());
            let work = async move { (host, this.answer(request).await) };
            under_way.spawn(work.instrument(Span::current()));
        };
        while has_input || !under_way.is_empty() {
            tokio::select! {
                biased;
                Some(done) = under_way.join_next(), if !under_way.is_empty() => {
                    // The panic is in the log. Nobody would answer the request, so the run ends.
                    let Ok((host, done)) = done else { return Err(StoreError::WriterGone) };
                    done?;
                    if let Some(next) = waiting.get_mut(&host).and_then(VecDeque::pop_front) {
                        begin(&mut under_way, next);
                    } else {
                        waiting.remove(&host);
                    }
                }
                request = input.recv(), if has_input && under_way.len() < AT_ONCE => match request {
                    Some(request) => {
                        if let Some(of_host) = waiting.get_mut(&request.host()) {
                            of_host.push_back(request);
                        } else {
                            waiting.insert(request.host(), VecDeque::new());
                            begin(&mut under_way, request);
                        }
                    }
                    None => has_input = false,
                },
            }
        }
        Ok(())
    }

    async fn answer(&self, request: Request) -> Result<(), StoreError> {
        let news = self.news_of(request).await?;
        let _the_run_may_be_over = self.news.send(news).await;
        Ok(())
    }

    async fn news_of(&self, request: Request) -> Result<News, StoreError> {
        let RunStore { store, of } = &self.store;
        Ok(match request {
            Request::Lease(wanted) => {
                let until = self.clock.monotonic().after(defaults::HOST_LEASE);
                let given = store.lease_hosts(*of, wanted, self.clock.wall()).await?;
                News::Leased { given, until }
            }
            Request::Renew(leases) => {
                let until = self.clock.monotonic().after(defaults::HOST_LEASE);
                let lost = store.renew_leases(*of, leases.clone(), self.clock.wall()).await?;
                News::Renewed { leases, lost, until }
            }
            Request::Release(released) => {
                let release = || store.release_hosts(*of, released.clone());
                self.disk.wait_out(release).await?;
                News::Released
            }
            Request::IsFinished(priority_below) => {
                let now = self.clock.wall();
                News::Finished(store.is_finished(*of, priority_below, now).await?)
            }
            Request::Load(load) => {
                let (host, wants_robots, is_later) = (load.host, load.wants_robots, load.after.is_some());
                let mut loaded = store.load(*of, load, self.has_history).await?;
                test_validators(&mut loaded, of.run, is_later);
                let robots = if wants_robots {
                    store.robots(host).await?
                } else {
                    None
                };
                News::Loaded { host, loaded, robots }
            }
            Request::Robots {
                host,
                stored,
                sitemaps,
                awaits_lists,
            } => {
                let keep = || store.keep_robots(*of, host, stored.clone(), sitemaps.clone(), awaits_lists);
                let kept = self.disk.wait_out(keep).await?;
                News::RobotsKept { queued: kept.queued }
            }
            Request::Lists { host, robots } => {
                let now = self.clock.wall();
                let settle = || {
                    lists::settle(
                        &self.store,
                        host,
                        self.sample_of_dated,
                        robots.as_ref(),
                        now,
                        self.processor,
                    )
                };
                let read = self.disk.wait_out(settle).await?;
                if let ListsRead::Done(count) = read {
                    self.progress.metrics.done(Some(State::Sam), count);
                }
                News::Lists { host, read }
            }
            Request::GiveUp {
                host,
                reason,
                detail,
                state,
            } => {
                let now = self.clock.wall();
                let why = Ending {
                    reason,
                    detail,
                    state,
                };
                let give_up = || store.give_up(*of, host, why.clone(), now);
                let count = self.disk.wait_out(give_up).await?;
                if state == Some(State::Err) {
                    Progress::add(&self.progress.errors, count);
                    self.progress.metrics.done(state, count);
                }
                News::GaveUp {
                    host: host.map(|of| of.host),
                    count,
                    reason,
                }
            }
        })
    }
}
