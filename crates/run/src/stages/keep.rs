//! Keep the page: `Keep` in, `Kept` out. One thread, one writer, many pages to a commit.
//!
//! Pages gather for a short while, because a commit costs two syncs whatever its size. When the scheduler has nothing
//! left to fetch it says so, and whatever has gathered is committed at once: the links in it are what it waits for.

use crate::error::RunError;
use crate::fresh::Comparing;
use crate::lists::{self, ListsRead};
use crate::news::{Done, End, News};
use crate::progress::{Progress, Told};
use crate::run_store::RunStore;
use crate::stages::fetch::Fetched;
use crate::stages::follow::Deciding;
use crate::stages::pieces::Hold;
use crate::track::rests;
use crossbeam_channel::{Receiver, RecvTimeoutError};
use gleaner_frontier::revisit::Turns;
use gleaner_frontier::traps::{Gave, PageTraits, Source};
use gleaner_frontier::{RobotsState, Traps};
use gleaner_history::noise::keys_under;
use gleaner_judge::identity::UrlRules;
use gleaner_model::{Clock, HostId, Reason, ResourceId, State, Timestamp, Url};
use gleaner_store::keep::{Cut, Enqueue, Found, Keep, KeepWith, Kept, NotKept, Outcome, Refused};
use gleaner_store::work::{Ending, Load, StoredRobots, Unreadable};
use gleaner_store::{StoreError, wait};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;
use tracing::{Span, debug, debug_span, error, info, trace, warn};

/// How long the first page of a commit waits for company.
const BATCH_WAIT: Duration = Duration::from_millis(60);
/// How often a full disk is tried again.
const DISK_WAIT: Duration = Duration::from_secs(2);
/// How often what the trap rules learned is written down: a kill forgets no more than this.
const REMEMBER_EVERY: Duration = Duration::from_secs(10);

/// Where pages come fast, as many may wait as come in this time: fetched again, they cost no more than that.
const UNKEPT_WAIT: Duration = Duration::from_millis(50);
/// Larger batches do not make a commit cheaper for each page.
const UNKEPT_PAGES_MAX: usize = 256;
/// The same of answers that say "not modified".
const UNKEPT_UNCHANGED_MAX: usize = 1024;

/// How many pages may wait for their commit beyond those being fetched: what a kill costs is no more (A13). Few where few
/// are fetched at once, so that it stays in proportion; enough that nobody waits for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unkept {
    pub pages: usize,
    /// The same for those that the server calls unchanged: they are a few bytes each, and large commits cost less a page.
    pub unchanged: usize,
}

impl Unkept {
    /// `per_second`: how many pages come at present.
    pub fn of(concurrency: usize, per_second: usize) -> Unkept {
        let come = per_second.saturating_mul(UNKEPT_WAIT.as_millis() as usize) / 1000;
        Unkept {
            pages: (2 * concurrency).max(16).max(come.min(UNKEPT_PAGES_MAX)),
            unchanged: (16 * concurrency).max(128).max(come.min(UNKEPT_UNCHANGED_MAX)),
        }
    }

    /// A commit takes half of them at least: while it is made, as many again may come.
    fn is_commit(self, pages: usize, unchanged: usize) -> bool {
        pages >= self.pages / 2 || unchanged >= self.unchanged / 2
    }
}

type Pages = HashMap<ResourceId, Came>;

/// A page of a batch, for the trap rules.
struct Came {
    url: Url,
    seen: Option<Box<PageTraits>>,
    gave: Gave,
}

impl Came {
    fn source(&self) -> Option<Source<'_>> {
        Some(Source {
            url: &self.url,
            seen: self.seen.as_deref()?,
            gave: self.gave,
        })
    }
}

/// What the other stages ask of the store.
pub enum Order {
    Keep(Box<Judged>),
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
    GiveUp {
        host: Option<HostId>,
        reason: Reason,
        detail: Option<String>,
        state: Option<State>,
    },
    /// What was learned about a site's URLs, and the page that waits for it.
    Rules {
        host: HostId,
        rules: Box<UrlRules>,
        fetched: Box<Fetched>,
    },
}

/// A page with its outcome.
pub struct Judged {
    pub keep: Keep,
    /// Its address as the trap rules see it: without ids.
    pub url: Url,
    /// What the trap rules want to know of its content.
    pub seen: Option<Box<PageTraits>>,
    /// Of a piece of a listing.
    pub hold: Option<Hold>,
}

/// What the scheduler tells the keeping thread, so that it knows when to commit.
#[derive(Default)]
pub struct CommitHints {
    /// Nothing is left to fetch: commit what has gathered.
    pub is_commit_wanted: AtomicBool,
    /// How many pages come in a second at present.
    pub per_second: AtomicUsize,
}

pub struct Keeping {
    pub(crate) store: RunStore,
    pub concurrency: usize,
    pub orders: Receiver<Order>,
    pub news: UnboundedSender<News>,
    pub hints: Arc<CommitHints>,
    pub progress: Arc<Progress>,
    pub clock: Arc<dyn Clock>,
    pub traps: Arc<Mutex<Traps>>,
    /// What the project has was told to the trap rules by an earlier run.
    pub is_track: bool,
    /// How rarely what gave no document before is asked for; none: each time.
    pub turns: Option<Turns>,
    pub comparing: Arc<Comparing>,
    pub deciding: Arc<Deciding>,
    pub has_history: bool,
    /// Of so many documents that a site's lists call unchanged one is asked for all the same; 0: none.
    pub sample_of_dated: u32,
    /// Active time of earlier parts of a resumed run.
    pub active_ms_before: u64,
    /// When this part of the run began, by the clock that counts from any moment.
    pub begun_at: gleaner_model::Instant,
    pub cookies: Box<dyn Fn() -> Option<Vec<u8>> + Send>,
    /// Give up waiting for disk space: the user stops the run.
    pub abandon: Arc<AtomicBool>,
    /// What is logged here belongs to the run.
    pub span: Span,
    /// When the trap rules were last written down.
    pub remembered: Instant,
}

impl Keeping {
    /// Works until every sender of orders is gone. The scheduler is told of a failure, so that it does not wait for pages that
    /// nobody keeps; what failed is for the caller of this.
    pub fn work(mut self) -> Result<(), StoreError> {
        let span = self.span.clone();
        let _of_this_run = span.enter();
        match self.take_orders() {
            Ok(()) => Ok(()),
            Err(error) => {
                error!(%error, "the store failed");
                let _the_run_may_be_over = self
                    .news
                    .send(News::Failed(RunError::StageGone { stage: "keep" }));
                Err(error)
            }
        }
    }

    fn take_orders(&mut self) -> Result<(), StoreError> {
        let mut batch: Vec<Judged> = Vec::new();
        let mut since: Option<Instant> = None;
        let mut unchanged = 0;
        // A server waits for what is safe.
        let mut is_awaited = false;
        loop {
            let patience = since.map_or(Duration::from_hours(1), |since| {
                BATCH_WAIT.saturating_sub(since.elapsed())
            });
            let per_second = self.hints.per_second.load(Ordering::Relaxed);
            let is_full =
                Unkept::of(self.concurrency, per_second).is_commit(batch.len() - unchanged, unchanged);
            let is_urgent = is_full || is_awaited || self.hints.is_commit_wanted.load(Ordering::Relaxed);
            let next = if !batch.is_empty() && (is_urgent || patience.is_zero()) {
                // What waits already comes along: no more can than may be lost, and each commit costs two syncs.
                if let Ok(order) = self.orders.try_recv() {
                    Some(order)
                } else {
                    self.commit(&mut batch)?;
                    (since, unchanged, is_awaited) = (None, 0, false);
                    None
                }
            } else {
                // Short waits while pages have gathered, so that a scheduler without work is noticed.
                let nap = if batch.is_empty() {
                    patience
                } else {
                    patience.min(Duration::from_millis(2))
                };
                match self.orders.recv_timeout(nap) {
                    Ok(order) => Some(order),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => {
                        self.commit(&mut batch)?;
                        break;
                    }
                }
            };
            match next {
                Some(Order::Keep(page)) => {
                    since.get_or_insert_with(Instant::now);
                    unchanged += usize::from(matches!(page.keep.outcome, Outcome::Unchanged(_)));
                    is_awaited |= page.hold.is_some();
                    batch.push(*page);
                }
                Some(order) => self.other(order)?,
                None => {}
            }
        }
        self.remember_traps()
    }

    /// What the trap rules learned and cut so far, for a run that is resumed and for the report.
    fn remember_traps(&mut self) -> Result<(), StoreError> {
        let (saved, cuts) = {
            let traps = lock(&self.traps);
            (traps.save(), traps.cuts())
        };
        let cuts: Vec<Cut> = cuts
            .into_iter()
            .map(|cut| Cut {
                reason: cut.reason,
                shape: cut.shape,
                count: cut.count,
                example: cut.example,
            })
            .collect();
        self.remembered = Instant::now();
        let noises = self.comparing.take_changed();
        self.with_room(|this| {
            let RunStore { store, of } = &this.store;
            wait(store.keep_noises(of.project, noises.clone()))?;
            wait(store.keep_traps(of.run, saved.clone(), cuts.clone()))
        })
    }

    fn commit(&mut self, batch: &mut Vec<Judged>) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        let span = debug_span!("commit", pages = batch.len());
        let _of_this_commit = span.enter();
        let cookies = (self.cookies)();
        let holds: Vec<Hold> = batch.iter_mut().filter_map(|judged| judged.hold.take()).collect();
        let (keeps, mut pages): (Vec<Keep>, Pages) = batch
            .drain(..)
            .map(|Judged { keep, url, seen, .. }| {
                let (id, gave) = (keep.resource, Gave::Something);
                (keep, (id, Came { url, seen, gave }))
            })
            .unzip();
        self.tell_traps(&keeps, &mut pages);
        let (keeps, refused) = self.decide(keeps, &pages)?;
        let with = KeepWith {
            active_ms: self.active_ms(),
            cookies,
            refused,
        };
        let (keeps, kept, took) = self.keep(keeps, &with)?;
        self.measure(&keeps, &kept, took);
        self.tell_guesses(&keeps, &pages, &kept);
        drop(holds); // First: whoever hears that it is kept looks whether all is.
        self.tell(keeps, kept, &pages);
        if self.remembered.elapsed() > REMEMBER_EVERY {
            self.remember_traps()?;
        }
        Ok(())
    }

    /// Which of the URLs that the batch would take up are not asked for. The rules count what they are asked, so each URL is
    /// decided once, before anything is written.
    fn decide(&mut self, keeps: Vec<Keep>, pages: &Pages) -> Result<(Vec<Keep>, Refused), StoreError> {
        let RunStore { store, of } = &self.store;
        let (keeps, met) = wait(store.meet(*of, keeps))?;
        let now = self.clock.wall();
        let mut traps = lock(&self.traps);
        let refused = met.iter().filter_map(|found| {
            let reason = self.refuses(found, pages, &mut traps, now)?;
            Some((found.key, reason))
        });
        Ok((keeps, refused.collect()))
    }

    fn refuses(&self, found: &Found, pages: &Pages, traps: &mut Traps, now: Timestamp) -> Option<Reason> {
        if let (Some(turns), Some(last), Some(resource)) = (self.turns, found.last, found.resource)
            && rests(resource, last, self.store.of.run, turns)
        {
            return Some(Reason::AsBefore);
        }
        let seen_as = self.deciding.identities.without_ids(&found.url);
        let url = seen_as.as_ref().unwrap_or(&found.url);
        let from = pages.get(&found.from).and_then(Came::source);
        let admitted = if self.is_track && found.resource.is_some() {
            traps.admit_again(url, from, now)
        } else {
            traps.admit(url, from, now)
        };
        if let Err(reason) = admitted {
            trace!(%url, reason = reason.code(), "a trap is cut");
        }
        if found.is_guess && admitted.is_ok() {
            traps.guesses.queued(url);
        }
        admitted.err()
    }

    fn measure(&self, keeps: &[Keep], kept: &Kept, took: Duration) {
        let metrics = &self.progress.metrics;
        metrics.commit.record_time(took);
        metrics.batch.record(keeps.len() as u64);
        metrics.queue.record(Progress::read(&self.progress.queued));
        metrics
            .links
            .add(keeps.iter().map(|keep| keep.outlinks.len() as u64).sum());
        let queued: u64 = kept.queued.values().sum();
        metrics.queued.add(queued);
        metrics.done(Some(State::Sam), kept.unchanged);
        debug!(
            queued,
            unchanged = kept.unchanged,
            ms = took.as_millis() as u64,
            "kept"
        );
    }

    /// Keeps a batch, however long the disk is full; also says how long it took.
    fn keep(&mut self, batch: Vec<Keep>, with: &KeepWith) -> Result<(Vec<Keep>, Kept, Duration), StoreError> {
        let mut waiting = batch;
        self.with_room(|this| {
            let RunStore { store, of } = &this.store;
            let begun = Instant::now();
            match wait(store.keep(*of, std::mem::take(&mut waiting), with.clone())) {
                Ok((kept, what)) => Ok((kept, what, begun.elapsed())),
                Err(NotKept { batch, error }) => {
                    waiting = batch;
                    Err(error)
                }
            }
        })
    }

    /// Does what writes; a full disk is waited out, because nothing happened then (HC118).
    fn with_room<T>(
        &mut self,
        mut act: impl FnMut(&mut Keeping) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let done = loop {
            match act(self) {
                Err(error) if error.is_disk_full() && !self.abandon.load(Ordering::Relaxed) => {
                    if !self.progress.is_waiting_for_disk.swap(true, Ordering::Relaxed) {
                        warn!(%error, "waiting for space");
                        self.progress.say(format!("{error}; waiting for space"));
                    }
                    std::thread::sleep(DISK_WAIT);
                }
                done => break done,
            }
        };
        if self.progress.is_waiting_for_disk.swap(false, Ordering::Relaxed) && done.is_ok() {
            info!("there is space again; continuing");
            self.progress.say("there is space again; continuing".to_owned());
        }
        done
    }

    /// What the pages gave, before their links are asked about. A page that the project has is no news for the rules:
    /// whatever it says today, its address was not made today.
    fn tell_traps(&self, keeps: &[Keep], pages: &mut Pages) {
        let mut traps = lock(&self.traps);
        for keep in keeps {
            let is_news = !self.is_track || keep.state == Some(State::New);
            if let (Outcome::Document(_), true) = (&keep.outcome, is_news)
                && let Some(Came { url, seen, gave }) = pages.get_mut(&keep.resource)
                && let Some(seen) = seen
            {
                *gave = traps.fetched_page(url, seen);
            }
        }
    }

    /// What came of guesses. What was here already under another address was not worth a question.
    fn tell_guesses(&self, keeps: &[Keep], pages: &Pages, kept: &Kept) {
        let mut traps = lock(&self.traps);
        for keep in keeps {
            let Some(Came { url, .. }) = pages.get(&keep.resource) else {
                continue;
            };
            let is_right = match (&keep.outcome, keep.status) {
                (Outcome::Again { .. } | Outcome::Piece(_), _) => continue,
                (Outcome::Document(_) | Outcome::Unchanged(_), _) => {
                    Some(!kept.copies.contains(&keep.resource))
                }
                (Outcome::Nothing, None | Some(300..400)) => None,
                (Outcome::Nothing, Some(_)) => Some(false),
            };
            let is_list = match keep.status {
                Some(200..300) => Some(keep.reason.is_none()),
                Some(400..500) => Some(false),
                _ => None,
            };
            traps.guesses.lists.came(url, is_list);
            let was_guess = traps.guesses.came(url, is_right);
            if !was_guess && matches!(keep.outcome, Outcome::Document(_)) {
                traps.guesses.page_came(url);
            }
        }
    }

    fn tell(&mut self, keeps: Vec<Keep>, kept: Kept, pages: &Pages) {
        let mut done = Vec::with_capacity(keeps.len());
        for keep in keeps {
            let end = match keep.outcome {
                Outcome::Document(_) | Outcome::Unchanged(_) => End::Document,
                Outcome::Nothing => End::Other,
                Outcome::Again { .. } => End::Again,
                // The folder is not done with.
                Outcome::Piece(_) => continue,
            };
            self.progress.tell(|| {
                let page = pages.get(&keep.resource)?;
                Some(Told {
                    url: page.url.clone(),
                    state: keep.state,
                    status: keep.status,
                    reason: keep.reason,
                    detail: keep.detail.clone(),
                    bytes: keep.wire_bytes,
                    is_again: end == End::Again,
                })
            });
            match end {
                End::Again => self.progress.metrics.again.add(1),
                End::Document | End::Other => self.progress.metrics.done(keep.state, 1),
            }
            match (end, keep.state) {
                (End::Again, _) => {}
                (_, Some(State::Err)) => Progress::add(&self.progress.errors, 1),
                (End::Document, _) => Progress::add(&self.progress.kept, 1),
                _ => {}
            }
            done.push(Done {
                host: keep.host,
                resource: keep.resource,
                end,
            });
        }
        let _the_run_may_be_over = self.news.send(News::Kept {
            queued: kept.queued,
            done,
            unchanged: kept.unchanged,
        });
    }

    /// What cannot be asked for is done, and said to be: nothing else would ever take it from the frontier.
    fn end_unreadable(&mut self, host: HostId, rows: &[Unreadable]) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        let now = self.clock.wall();
        let ended = |row: &Unreadable| {
            let place = (host, row.resource, row.priority);
            Keep::nothing(place, row.depth, row.purpose, Reason::AddressUnreadable, now)
        };
        let keeps: Vec<Keep> = rows.iter().map(ended).collect();
        let with = KeepWith {
            active_ms: self.active_ms(),
            ..KeepWith::default()
        };
        self.keep(keeps, &with)?;
        Progress::add(&self.progress.errors, rows.len() as u64);
        self.progress.metrics.done(Some(State::Err), rows.len() as u64);
        warn!(rows = rows.len(), "addresses in the frontier cannot be read");
        Ok(())
    }

    /// Of the run, its earlier parts included.
    fn active_ms(&self) -> u64 {
        self.active_ms_before + self.clock.monotonic().since(self.begun_at).as_millis() as u64
    }

    fn other(&mut self, order: Order) -> Result<(), StoreError> {
        let news = match order {
            Order::Keep(_) => return Ok(()),
            Order::Load(load) => {
                let (host, wants_robots) = (load.host, load.wants_robots);
                let RunStore { store, of } = self.store.clone();
                let loaded = wait(store.load(of, load, self.has_history))?;
                self.end_unreadable(host, &loaded.unreadable)?;
                let robots = if wants_robots {
                    wait(store.robots(host))?
                } else {
                    None
                };
                News::Loaded {
                    host,
                    is_all: loaded.is_all,
                    rows: loaded.rows,
                    robots,
                }
            }
            Order::Robots {
                host,
                stored,
                sitemaps,
                awaits_lists,
            } => {
                let kept = self.with_room(|this| {
                    let RunStore { store, of } = &this.store;
                    wait(store.keep_robots(*of, host, stored.clone(), sitemaps.clone(), awaits_lists))
                })?;
                News::Kept {
                    queued: kept.queued,
                    done: Vec::new(),
                    unchanged: 0,
                }
            }
            Order::Lists { host, robots } => {
                let (now, sample) = (self.clock.wall(), self.sample_of_dated);
                let read =
                    self.with_room(|this| lists::settle(&this.store, host, sample, robots.as_deref(), now))?;
                if let ListsRead::Done(count) = read {
                    self.progress.metrics.done(Some(State::Sam), count);
                }
                News::Lists { host, read }
            }
            Order::GiveUp {
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
                let count = self.with_room(|this| {
                    let RunStore { store, of } = &this.store;
                    wait(store.give_up(*of, host, why.clone(), now))
                })?;
                if state == Some(State::Err) {
                    Progress::add(&self.progress.errors, count);
                    self.progress.metrics.done(state, count);
                }
                News::GaveUp { count, reason }
            }
            Order::Rules { host, rules, fetched } => {
                let now = self.clock.wall();
                let domain = fetched.page.url.domain().to_owned();
                let json = serde_json::to_string(&rules).unwrap_or_default();
                self.with_room(|this| {
                    let RunStore { store, of } = &this.store;
                    let keys = keys_under(&**store, &domain, &rules)?;
                    wait(store.keep_rules(of.project, rules.site.clone(), json.clone(), now, keys))
                })?;
                News::RulesKept { host, rules, fetched }
            }
        };
        let _the_run_may_be_over = self.news.send(news);
        Ok(())
    }
}

/// The rules hold no half-made state across a panic, so a poisoned lock is as good as any.
pub fn lock(traps: &Mutex<Traps>) -> MutexGuard<'_, Traps> {
    traps.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case24_more_may_wait_for_a_commit_only_where_they_come_within_an_instant() {
        let pages = |concurrency, per_second| Unkept::of(concurrency, per_second).pages;
        assert_eq!([pages(16, 0), pages(16, 640), pages(16, 1280)], [32, 32, 64]);
        assert_eq!([pages(1, 100), pages(4, 100), pages(64, 1000)], [16, 16, 128]);
        assert_eq!([pages(16, 4000), pages(16, 1_000_000)], [200, 256]);
        let unchanged = |per_second| Unkept::of(16, per_second).unchanged;
        assert_eq!(
            [unchanged(4000), unchanged(10_000), unchanged(1_000_000)],
            [256, 500, 1024]
        );
    }
}
