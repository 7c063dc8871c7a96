//! The scheduler's loop: starts what may start, takes in what the stages tell, and decides when a run is over.

pub(crate) mod coming;
pub(crate) mod going;
pub(crate) mod login;
mod outcome;
mod start;
mod take;

use self::coming::Coming;
use self::going::Going;
use crate::error::RunError;
use crate::news::{Failure, News};
use crate::progress::Progress;
use crate::room::{self, Waiting};
use crate::stages::fetch::{Fetched, Fetcher};
use crate::stages::follow::Deciding;
use crate::stages::keep::{CommitHints, Judged, Order, Unkept, lock};
use crate::stages::reserve::{NextStep, Reserve};
use crate::thinker::{asked_again, refusal};
use crate::way::Way;
use crossbeam_channel::Sender;
use gleaner_frontier::{GuessTurn, Spent, Traps};
use gleaner_judge::{Finding, judge as state_of};
use gleaner_model::{
    Chance, Clock, HostId, Instant, Leg, Link, LinkKind, Reason, ResourceId, State, Timestamp, Url, measure,
};
use gleaner_store::keep::{Cut, Enqueue, Keep};
use gleaner_store::runs::RunStatus;
use gleaner_store::work::{Purpose, Queued};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tracing::{debug, info};

/// How long fetches may go on when the time of the run is up.
const TIME_GRACE: Duration = Duration::from_secs(3);
/// Failures in a row after which a host counts as down: one that never served in this run, and one that did.
const DOWN_FROM_THE_START: u32 = 3;
const DOWN_IN_THE_MIDDLE: u32 = 8;
/// How long a guess waits at first for what others like it tell; each time twice as long.
const GUESS_WAIT: Duration = Duration::from_millis(20);
/// What is said of a guess that waits, and of a list that is not asked for: nothing that a report tells.
const QUIETLY: Reason = Reason::AsBefore;

/// What the scheduler knows of its run.
pub(crate) struct Flow {
    pub(crate) reserve: Reserve,
    pub(crate) deciding: Arc<Deciding>,
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) traps: Arc<Mutex<Traps>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chance: Arc<dyn Chance>,
    pub(crate) progress: Arc<Progress>,
    pub(crate) news: UnboundedReceiver<News>,
    pub(crate) news_in: UnboundedSender<News>,
    pub(crate) orders: Sender<Order>,
    pub(crate) thinkers: Sender<Fetched>,
    pub(crate) hints: Arc<CommitHints>,
    pub(crate) concurrency: usize,
    pub(crate) reads_sitemaps: bool,
    /// Connections in use.
    pub(crate) going: Going,
    /// Pages taken from the frontier and not yet safe.
    pub(crate) unkept: usize,
    /// How fast pages come.
    pub(crate) coming: Coming,
    /// Of those, the ones that are as they were, as the server says.
    pub(crate) unchanged: HashSet<ResourceId>,
    pub(crate) giving_up: usize,
    pub(crate) robots_asked: usize,
    /// Documents of the run so far.
    pub(crate) pages: u64,
    pub(crate) bytes_before: u64,
    pub(crate) time_before: Duration,
    /// By the clock that counts from any moment.
    pub(crate) begun_at: Instant,
    /// When the run began, its earlier parts included: what was read since then belongs to it.
    pub(crate) started_at: Timestamp,
    pub(crate) cuts: Vec<Cut>,
    /// Fetches that are going on.
    pub(crate) tasks: JoinSet<()>,
    /// Where large bodies lie on their way.
    pub(crate) spool: PathBuf,
    /// For room there; nothing new is begun meanwhile.
    pub(crate) waiting: Option<Waiting>,
    pub(crate) is_track: bool,
    pub(crate) seeds: Vec<Url>,
    /// Where they led in the runs before.
    pub(crate) led_to: Arc<[Url]>,
    pub(crate) standings: HashMap<HostId, Standing>,
    /// Of the project's way: later ones wait until all of it is done.
    pub(crate) step: u32,
    pub(crate) entry: login::Entry,
}

/// How a host has done in this run.
#[derive(Default)]
pub(crate) struct Standing {
    has_served: bool,
    /// In a row.
    failures: u32,
}

impl Flow {
    /// Until nothing is left, a limit is reached, or someone says stop.
    pub(crate) async fn go(
        &mut self,
        mut stop: watch::Receiver<bool>,
        abandon: &AtomicBool,
    ) -> Result<(RunStatus, Option<String>), RunError> {
        let mut can_be_stopped = true;
        loop {
            while self.tasks.try_join_next().is_some() {} // Done, and told so in the news.
            let is_stopping = *stop.borrow();
            abandon.store(is_stopping, Ordering::Relaxed);
            let limit = self.limit_reached();
            let mut wait_until = None;
            self.look_at_going();
            self.break_off_at_the_end()?;
            if !is_stopping && limit.is_none() {
                wait_until = match &self.waiting {
                    Some(_) => self.look_for_room(),
                    None => self.start_what_is_ready(),
                };
            }
            let in_flight = self.going.count() + usize::from(self.is_logging_in());
            Progress::set(&self.progress.in_flight, in_flight as u64);
            let pieces = &self.fetcher.pieces;
            pieces.set_over(is_stopping || limit.is_some());
            let is_quiet = in_flight == 0
                && self.unkept == 0
                && self.giving_up == 0
                && self.robots_asked == 0
                && pieces.are_kept();
            if is_quiet {
                if is_stopping {
                    return Ok((RunStatus::Stopped, Some("stopped on request".to_owned())));
                }
                if let Some(reason) = limit {
                    return self.end_by_limit(reason).await;
                }
                if self.reserve.is_empty() && self.next_step() {
                    continue;
                }
                if self.reserve.is_empty() {
                    return Ok((RunStatus::Finished, None));
                }
                if let Some(paused) = self.reserve.all_paused(self.clock.monotonic()) {
                    for (host, pause) in paused {
                        let minutes = pause.as_secs().div_ceil(60);
                        let detail = format!("for another {}", measure::count(minutes, "minute"));
                        self.give_up(host, Reason::HostPaused, Some(detail));
                    }
                    continue;
                }
            }
            // Nothing is being fetched while pages wait for their commit: commit them now, their links are what can be
            // fetched next.
            self.hints.is_commit_wanted.store(
                self.going.slots.in_places() == 0 || is_stopping || limit.is_some(),
                Ordering::Relaxed,
            );
            let sleep = self.sleep_until(wait_until);
            tokio::select! {
                news = self.news.recv() => {
                    let Some(news) = news else { return Err(RunError::StageGone { stage: "keep" }) };
                    self.take(news)?;
                    while let Ok(news) = self.news.try_recv() {
                        self.take(news)?;
                    }
                }
                () = tokio::time::sleep(sleep) => {}
                changed = stop.changed(), if can_be_stopped => can_be_stopped = changed.is_ok(),
            }
        }
    }

    /// What keeps us waiting does not hold a place.
    fn look_at_going(&mut self) {
        for host in self.going.look(self.clock.monotonic()) {
            debug!(parent: &self.reserve.span(host), "an answer is overdue");
            self.reserve.keeps_waiting(host);
        }
    }

    /// What is still on its way when the time was up for some seconds is broken off: a body or a listing may have no end.
    /// Its page stays in the frontier and ends with the others.
    fn break_off_at_the_end(&mut self) -> Result<(), RunError> {
        let is_over = |max| self.spent().time >= max + TIME_GRACE;
        if !self.deciding.limits.time.is_some_and(is_over) {
            return Ok(());
        }
        // They run on this very thread: those that are over have told so, and the others will not wake again.
        while let Ok(news) = self.news.try_recv() {
            self.take(news)?;
        }
        self.tasks.abort_all();
        debug!(
            fetches = self.going.count(),
            "the time is up: what is under way is broken off"
        );
        self.give_up_logging_in();
        let ended = self.going.break_off();
        self.unkept -= ended.pages;
        self.robots_asked -= ended.robots;
        Ok(())
    }

    /// Everything of a step is done: the next one's turn. False where there is none.
    fn next_step(&mut self) -> bool {
        let last = self.deciding.way.as_ref().map_or(0, Way::last);
        let is_next = self.step < last;
        if is_next {
            self.step += 1;
            info!(step = self.step, "the next step begins");
            self.reserve.open_to(self.step);
        }
        is_next
    }

    fn sleep_until(&mut self, wait_until: Option<Instant>) -> Duration {
        let now = self.clock.monotonic();
        let wait_until = wait_until.into_iter().chain(self.going.next_look()).min();
        let wait = wait_until.map_or(Duration::from_secs(5), |at| at.since(now));
        let spent = self.time_before + now.since(self.begun_at);
        let left = self.deciding.limits.time.map_or(wait, |limit| {
            let end = if spent < limit { limit } else { limit + TIME_GRACE };
            match end.saturating_sub(spent) {
                Duration::ZERO => wait,
                left => left + Duration::from_millis(1),
            }
        });
        wait.min(left)
            .clamp(Duration::from_millis(1), Duration::from_secs(5))
    }

    fn spent(&self) -> Spent {
        Spent {
            pages: self.pages,
            bytes: self.bytes_before + Progress::read(&self.progress.bytes),
            time: self.time_before + self.clock.monotonic().since(self.begun_at),
        }
    }

    fn limit_reached(&self) -> Option<Reason> {
        self.deciding.limits.reached(&self.spent())
    }

    /// Starts everything that may start; returns when to look again if nothing happens.
    fn start_what_is_ready(&mut self) -> Option<Instant> {
        loop {
            if !self.is_inside() {
                return None;
            }
            // Any of them may be a page but the folders whose listings go on: those may have no end.
            let in_flight_pages = self.unkept.saturating_sub(self.fetcher.pieces.long()) as u64;
            let spent = self.spent();
            let with_these = Spent {
                pages: spent.pages + in_flight_pages,
                ..spent
            };
            let per_second = self.coming.per_second(self.clock.monotonic());
            self.hints.per_second.store(per_second, Ordering::Relaxed);
            let may_wait = Unkept::of(self.concurrency, per_second);
            // What is only waited for beside the places has no part in what waits for its commit.
            let beside = self.going.pages().saturating_sub(self.concurrency);
            let is_full = !self.going.slots.has_any()
                || self.unkept - self.unchanged.len() - beside >= self.concurrency + may_wait.pages
                || self.unchanged.len() >= may_wait.unchanged
                || self.deciding.limits.reached(&with_these).is_some();
            if is_full {
                return None;
            }
            let (now, wall) = (self.clock.monotonic(), self.clock.wall());
            let traps = &self.traps;
            // A second try was let through once already, and so was a document. What a step names is no trap.
            let may_be_trap = |page: &Queued| {
                page.known.is_none() && page.url.is_web() && !page.legs.iter().any(Leg::is_named)
            };
            let deciding = Arc::clone(&self.deciding);
            let other_spelling = |page: &Queued| deciding.other_spelling(&page.url);
            let waited: Cell<Option<u8>> = Cell::new(None);
            let mut refuses = |page: &Queued| match (page.purpose.is_page(), page.tries) {
                (true, 0) if may_be_trap(page) && other_spelling(page).is_some() => Some(Reason::View),
                (true, 0) if may_be_trap(page) => {
                    let seen_as = deciding.identities.without_ids(&page.url);
                    let (url, mut traps) = (seen_as.as_ref().unwrap_or(&page.url), lock(traps));
                    let turn = match page.purpose {
                        Purpose::Guess => traps.guesses.turn(url),
                        _ => GuessTurn::Ask,
                    };
                    match turn {
                        GuessTurn::Ask => traps.check(url).err(),
                        GuessTurn::Refuse => {
                            traps.cut_guess(url);
                            Some(Reason::ScriptLink)
                        }
                        GuessTurn::Wait(times) => {
                            waited.set(Some(times));
                            Some(QUIETLY)
                        }
                    }
                }
                (false, 0) if page.purpose == Purpose::GuessedSitemap => {
                    match lock(traps).guesses.lists.turn(&page.url) {
                        GuessTurn::Ask => None,
                        GuessTurn::Refuse => Some(QUIETLY),
                        GuessTurn::Wait(times) => {
                            waited.set(Some(times));
                            Some(QUIETLY)
                        }
                    }
                }
                _ => None,
            };
            match self.reserve.next(now, wall, &self.going.slots, &mut refuses) {
                NextStep::Fetch(page) if self.deciding.identities.take_suspect(page.resource) => {
                    let robots = self.reserve.survey(page.host);
                    let gap = self.reserve.gap(page.host);
                    self.start_first(*page, robots, gap, true);
                }
                NextStep::Fetch(page) => self.start_fetch(*page),
                NextStep::First { page, robots, gap } => self.start_first(*page, robots, gap, false),
                NextStep::Robots { host, any } => self.start_robots(host, any),
                NextStep::Load(load) => {
                    let _store_failure_comes_as_news = self.orders.send(Order::Load(load));
                }
                NextStep::Lists { host, robots } => {
                    let _store_failure_comes_as_news = self.orders.send(Order::Lists { host, robots });
                }
                NextStep::Refuse { page, .. } if waited.get().is_some() => {
                    self.unkept += 1;
                    let due_at = wall.after(GUESS_WAIT * (1 << waited.get().unwrap_or(0)));
                    let keep = asked_again(refusal(&page, wall), page.tries, due_at);
                    self.keep(&page, keep);
                }
                NextStep::Refuse { page, reason } => match other_spelling(&page) {
                    Some(target) if reason == Reason::View => self.lead_to(&page, &target),
                    _ => self.refuse(&page, reason),
                },
                NextStep::GiveUp { host, reason, detail } => self.give_up(host, reason, detail),
                NextStep::Wait(until) => return until,
            }
        }
    }

    /// A page that waits under another spelling of its address: that one is taken up in its place, and nothing is asked.
    fn lead_to(&mut self, page: &Queued, target: &Url) {
        self.unkept += 1;
        let link = Link {
            url: target.clone(),
            kind: LinkKind::Redirect,
            anchor: String::new(),
            count: 1,
            nofollow: false,
        };
        let is_taken = self
            .deciding
            .refuses_in(
                target,
                LinkKind::Redirect,
                page.depth,
                None,
                self.deciding.guess(target, Some(&page.url)),
            )
            .is_none();
        let mut keep = Keep {
            reason: None,
            state: None,
            ..refusal(page, self.clock.wall())
        };
        let entry = Enqueue {
            legs: page.legs.clone(),
            ..Enqueue::page(page.priority, page.depth)
        };
        keep.outlinks.push(&link, None, is_taken.then_some(entry));
        keep.links_unchanged = false;
        self.keep(page, keep);
    }

    /// Asks the disk, if it is time to; returns when it is.
    fn look_for_room(&mut self) -> Option<Instant> {
        let now = self.clock.monotonic();
        let waiting = self.waiting.as_mut()?;
        if waiting.look(now) {
            let (spool, bytes, news) = (self.spool.clone(), waiting.bytes, self.news_in.clone());
            self.tasks.spawn_blocking(move || {
                let _the_run_may_be_over = news.send(News::Room(room::has_room(&spool, bytes)));
            });
        }
        Some(waiting.next_look().max(now.after(Duration::from_millis(100))))
    }

    /// A page that may not be fetched is done: its outcome is the reason.
    fn refuse(&mut self, page: &Queued, reason: Reason) {
        self.unkept += 1;
        self.progress.metrics.refused.add(1);
        debug!(url = %page.url, reason = reason.code(), "not asked for");
        let known = page.known.as_ref().filter(|known| !known.is_gone).map(|_| true);
        let state = match page.purpose {
            Purpose::Page | Purpose::Guess => state_of(&Finding::NotTaken(reason), known.as_ref()),
            Purpose::Sitemap | Purpose::GuessedSitemap | Purpose::FoundSitemap => None,
        };
        let keep = Keep {
            reason: Some(reason),
            state,
            ..refusal(page, self.clock.wall())
        };
        self.keep(page, keep);
    }

    fn keep(&self, page: &Queued, keep: Keep) {
        let judged = Judged {
            keep,
            url: page.url.clone(),
            seen: None,
            hold: None,
        };
        let _store_failure_comes_as_news = self.orders.send(Order::Keep(Box::new(judged)));
    }

    /// A host that fails again and again is down: its other pages would only wait for the same (B1: one cause, one line).
    fn note_failure(&mut self, host: HostId, failure: Option<Failure>) {
        let span = self.reserve.span(host);
        let standing = self.standings.entry(host).or_default();
        let Some(failure) = failure else {
            (standing.has_served, standing.failures) = (true, 0);
            return;
        };
        standing.failures += 1;
        debug!(
            parent: &span,
            reason = failure.reason.code(),
            in_a_row = standing.failures,
            "the host does not serve"
        );
        let patience = match (standing.has_served, failure.reason) {
            (true, _) => DOWN_IN_THE_MIDDLE,
            // These come with pauses of their own.
            (false, Reason::HttpTooMany | Reason::HttpUnavailable) => DOWN_FROM_THE_START - 1,
            (false, _) => DOWN_FROM_THE_START,
        };
        if standing.failures >= patience {
            standing.failures = 0;
            let detail = Some(failure.detail).filter(|detail| !detail.is_empty());
            self.give_up(host, failure.reason, detail);
        }
    }

    fn give_up(&mut self, host: HostId, reason: Reason, detail: Option<String>) {
        info!(
            parent: &self.reserve.span(host),
            reason = reason.code(),
            detail,
            "nothing more is asked of this host"
        );
        self.progress.metrics.hosts_given_up.add(1);
        self.reserve.forget(host);
        self.giving_up += 1;
        let state = (reason != Reason::LimitPages).then_some(State::Err);
        let _store_failure_comes_as_news = self.orders.send(Order::GiveUp {
            host: Some(host),
            reason,
            detail,
            state,
        });
    }

    async fn end_by_limit(&mut self, reason: Reason) -> Result<(RunStatus, Option<String>), RunError> {
        info!(reason = reason.code(), "a limit is reached");
        let _store_failure_comes_as_news = self.orders.send(Order::GiveUp {
            host: None,
            reason,
            detail: None,
            state: None,
        });
        loop {
            match self.news.recv().await {
                Some(News::GaveUp { count, .. }) => {
                    if count > 0 {
                        self.cuts.push(Cut {
                            reason,
                            shape: String::new(),
                            count,
                            example: String::new(),
                        });
                    }
                    return Ok((
                        RunStatus::Finished,
                        Some(format!(
                            "{} ({} left)",
                            reason.code(),
                            measure::count(count, "URL")
                        )),
                    ));
                }
                Some(News::Failed(error)) => return Err(error),
                Some(_) => {}
                None => return Err(RunError::StageGone { stage: "keep" }),
            }
        }
    }
}
