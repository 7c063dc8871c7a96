//! The scheduler's loop: starts what may start, takes in what the stages tell, and decides when a run is over.
//!
//! What it has to know is in values of its own, each with one question: is the run logged in, is a host down, is a limit
//! reached, may more pages be on their way, which step's turn is it, which hosts are ours. It asks them; nobody else changes them.

mod backlog;
mod budget;
mod coming;
mod failures;
pub(crate) mod going;
mod leases;
mod line;
mod login;
mod outcome;
mod start;
mod steps;
mod take;
mod turn;

pub(crate) use self::backlog::Backlog;
pub(crate) use self::budget::Budget;
pub(crate) use self::failures::HostFailures;
pub(crate) use self::going::Going;
pub(crate) use self::leases::Leasing;
pub(crate) use self::line::Line;
pub(crate) use self::login::LoginState;
pub(crate) use self::steps::StepBarrier;
use crate::error::RunError;
use crate::guidance::Guidance;
use crate::news::{Failure, News};
use crate::progress::Progress;
use crate::requests::Request;
use crate::room::{self, SpoolRoom};
use crate::rulebook::Rulebook;
use crate::site_memory::SiteMemory;
use crate::stages::reserve::Reserve;
use gleaner_model::{Chance, Clock, HostId, Instant, Reason, State, Timestamp, Url, measure};
use gleaner_store::keep::Cut;
use gleaner_store::runs::RunStatus;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::Receiver;
use tokio::sync::watch;
use tracing::{debug, info};

/// What the scheduler knows of its run.
pub(crate) struct Scheduler {
    pub(crate) reserve: Reserve,
    pub(crate) rules: Arc<Rulebook>,
    pub(crate) sites: Arc<SiteMemory>,
    pub(crate) line: Line,
    pub(crate) news: Receiver<News>,
    /// Connections in use.
    pub(crate) going: Going,
    pub(crate) backlog: Backlog,
    pub(crate) budget: Budget,
    pub(crate) steps: StepBarrier,
    pub(crate) login: LoginState,
    pub(crate) failures: HostFailures,
    pub(crate) leasing: Leasing,
    pub(crate) room: SpoolRoom,
    pub(crate) seeds: SeedsOfRun,
    pub(crate) robots_asked: usize,
    pub(crate) cuts: Vec<Cut>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chance: Arc<dyn Chance>,
    pub(crate) guidance: Option<Guidance>,
    pub(crate) progress: Arc<Progress>,
}

/// Where the run begins, and as what.
pub(crate) struct SeedsOfRun {
    pub(crate) urls: Vec<Url>,
    /// Where they led in the runs before.
    pub(crate) led_to: Arc<[Url]>,
    pub(crate) is_track: bool,
    pub(crate) reads_sitemaps: bool,
    /// When the run began, its earlier parts included: what was read since then belongs to it.
    pub(crate) started_at: Timestamp,
}

impl Scheduler {
    /// Until nothing is left, a limit is reached, or someone says stop.
    pub(crate) async fn go(
        &mut self,
        mut stop: watch::Receiver<bool>,
        abandon: &watch::Sender<bool>,
    ) -> Result<(RunStatus, Option<String>), RunError> {
        let mut can_be_stopped = true;
        loop {
            while self.line.tasks.try_join_next().is_some() {} // Done, and told so in the news.
            let is_stopping = *stop.borrow();
            abandon.send_if_modified(|was| std::mem::replace(was, is_stopping) != is_stopping);
            let limit = self.budget.reached(self.clock.monotonic());
            let is_ending = is_stopping || limit.is_some();
            let mut wait_until = None;
            self.look_at_going();
            self.break_off_at_the_end()?;
            if !is_ending {
                wait_until = if self.room.is_waited_for() {
                    self.look_for_room()
                } else {
                    self.start_what_is_ready()
                };
            }
            self.look_after_leases(!is_ending);
            let in_flight = self.going.count() + usize::from(self.login.is_entering());
            Progress::set(&self.progress.in_flight, in_flight as u64);
            self.line.fetcher.pieces.set_over(is_ending);
            if self.is_quiet(in_flight) {
                if is_stopping {
                    return Ok((RunStatus::Stopped, Some("stopped on request".to_owned())));
                }
                if let Some(reason) = limit {
                    return self.end_by_limit(reason).await;
                }
                if self.reserve.is_empty() {
                    if self.is_finished() {
                        if self.next_step() {
                            continue;
                        }
                        return Ok((RunStatus::Finished, None));
                    }
                } else if self.give_up_paused() {
                    continue;
                }
            }
            // Nothing is being fetched while pages wait for their commit: commit them now, their links are what can be
            // fetched next.
            let is_wanted = self.going.slots.in_places() == 0 || is_ending;
            self.line.set_pace(|pace| pace.is_wanted = is_wanted);
            let sleep = self.sleep_until(wait_until);
            tokio::select! {
                biased;
                () = self.line.to_keep.flush(), if !self.line.to_keep.is_empty() => {}
                () = self.line.requests.flush(), if !self.line.requests.is_empty() => {}
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

    /// Whether nothing is under way: no stage has any news to send.
    fn is_quiet(&self, in_flight: usize) -> bool {
        in_flight == 0
            && self.backlog.is_empty()
            && self.line.unanswered == 0
            && self.robots_asked == 0
            && self.line.fetcher.pieces.are_kept()
    }

    /// Fetches whose answers are overdue are waited for aside, so that others may start.
    fn look_at_going(&mut self) {
        for host in self.going.look(self.clock.monotonic()) {
            debug!(parent: &self.reserve.span(host), "an answer is overdue");
            self.reserve.keeps_waiting(host);
        }
    }

    /// What is still on its way when the time was up for some seconds is broken off. Its page stays in the frontier and ends
    /// with the others.
    fn break_off_at_the_end(&mut self) -> Result<(), RunError> {
        if !self.budget.is_overdrawn(self.clock.monotonic()) {
            return Ok(());
        }
        // Tasks run on this thread: what has ended has sent its news, and nothing of the others runs after this.
        while let Ok(news) = self.news.try_recv() {
            self.take(news)?;
        }
        self.line.tasks.abort_all();
        debug!(
            fetches = self.going.count(),
            "the time is up: what is under way is broken off"
        );
        self.login.break_off();
        let ended = self.going.break_off();
        self.backlog.break_off(ended.pages);
        self.robots_asked -= ended.robots;
        Ok(())
    }

    /// Everything of a step is done: the next one's turn. False where there is none.
    fn next_step(&mut self) -> bool {
        let Some(step) = self.steps.next() else {
            return false;
        };
        info!(step, "the next step begins");
        self.reserve.open_to(step);
        true
    }

    /// All that is left waits for pauses too long to wait for.
    fn give_up_paused(&mut self) -> bool {
        let Some(paused) = self.reserve.all_paused(self.clock.monotonic()) else {
            return false;
        };
        for (host, pause) in paused {
            let minutes = pause.as_secs().div_ceil(60);
            let detail = format!("for another {}", measure::count(minutes, "minute"));
            self.give_up(host, Reason::HostPaused, Some(detail));
        }
        true
    }

    fn sleep_until(&mut self, wait_until: Option<Instant>) -> Duration {
        let now = self.clock.monotonic();
        let wait_until = wait_until.into_iter().chain(self.going.next_look());
        let wait_until = wait_until.fold(self.next_look_at_leases(), Instant::min);
        let wait = wait_until.since(now).min(Duration::from_secs(5));
        let left = self.budget.left(now).unwrap_or(wait);
        wait.min(left)
            .clamp(Duration::from_millis(1), Duration::from_secs(5))
    }

    /// Asks the disk, if it is time to; returns when it is.
    fn look_for_room(&mut self) -> Option<Instant> {
        let now = self.clock.monotonic();
        if let Some(bytes) = self.room.look(now) {
            let (folder, news) = (self.room.folder().to_owned(), self.line.news.clone());
            let processor = self.line.processor;
            self.line.tasks.spawn(async move {
                let has_room = processor.run(move || room::has_room(&folder, bytes)).await;
                let _the_run_may_be_over = news.send(News::Room(has_room)).await;
            });
        }
        let next = self.room.next_look()?;
        Some(next.max(now.after(Duration::from_millis(100))))
    }

    /// A host that fails again and again is down.
    fn note_failure(&mut self, host: HostId, failure: Option<Failure>) {
        let Some(Failure { reason, detail }) = failure else {
            return self.failures.served(host);
        };
        let failed = self.failures.failed(host, reason);
        debug!(
            parent: &self.reserve.span(host),
            reason = reason.code(),
            in_a_row = failed.in_a_row,
            "the host does not serve"
        );
        if failed.is_down {
            self.give_up(host, reason, Some(detail).filter(|detail| !detail.is_empty()));
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
        // Where the lease is lost, its new holder finds out for itself.
        let Some(lease) = self.reserve.gives_up(host) else {
            return;
        };
        let is_ours = matches!(reason, Reason::LimitPages | Reason::SiteLeft);
        let state = (!is_ours).then_some(State::Err);
        self.line.request(Request::GiveUp {
            host: Some(lease),
            reason,
            detail,
            state,
        });
    }

    async fn end_by_limit(&mut self, reason: Reason) -> Result<(RunStatus, Option<String>), RunError> {
        info!(reason = reason.code(), "a limit is reached");
        self.line.request(Request::GiveUp {
            host: None,
            reason,
            detail: None,
            state: None,
        });
        self.line.requests.flush().await;
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
                    let left = measure::count(count, "URL");
                    let note = format!("{} ({left} left)", reason.code());
                    return Ok((RunStatus::Finished, Some(note)));
                }
                Some(News::Failed(error)) => return Err(error),
                Some(_) => {}
                None => return Err(RunError::StageGone { stage: "keep" }),
            }
        }
    }
}
