//! The flow: joins the stages, and decides when a run is over.

use crate::compare::Judging;
use crate::error::RunError;
use crate::fresh::Comparing;
use crate::identity::Identities;
use crate::news::{End, Failure, News};
use crate::noise::site_of;
use crate::progress::Progress;
use crate::robots;
use crate::room::{self, Waiting};
use crate::settle::settle;
use crate::stages::fetch::{Fetched, Fetcher, TypeFilter, fetch};
use crate::stages::follow::Deciding;
use crate::stages::keep::{Judged, Keeping, Order, Wishes, lock};
use crate::stages::reserve::{Move, Reserve};
use crate::survey::Survey;
use crate::thinker::{refusal, start_thinkers};
use crate::track;
use crossbeam_channel::Sender;
use gleaner_frontier::{
    Limits, Outcome as PaceOutcome, OutcomeKind, PaceBook, PaceSettings, RobotsState, Scope, Spent, Traps,
    Wanted, retry_after,
};
use gleaner_judge::identity::Rules;
use gleaner_judge::{Finding, judge as state_of};
use gleaner_model::project::Sitemaps;
use gleaner_model::{
    Chance, Clock, HostId, Instant, Project, ProjectId, Reason, RunId, ScopeKind, State, Timestamp, Url,
};
use gleaner_store::Keeper;
use gleaner_store::catalog::queue::{Purpose, Queued};
use gleaner_store::catalog::runs::{RunKind, RunStatus};
use gleaner_store::keep::{Cut, Enqueue, Keep};
use gleaner_units::{Answer, Units};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Pages that may wait for their commit beyond those being fetched.
const UNKEPT_EXTRA: usize = 128;
/// Failures in a row after which a host counts as down: one that never served in this run, and one that did.
const DOWN_FROM_THE_START: u32 = 3;
const DOWN_IN_THE_MIDDLE: u32 = 8;

/// What a run gets from outside.
pub struct Surroundings {
    pub units: Units,
    pub clock: Arc<dyn Clock>,
    pub chance: Arc<dyn Chance>,
    pub progress: Arc<Progress>,
    /// Becomes true when the run should finish what is in flight and stop.
    pub stop: watch::Receiver<bool>,
    /// The cookie jar as bytes, when it changed since the last call.
    pub cookies: Box<dyn Fn() -> Option<Vec<u8>> + Send>,
}

/// How the run ended, and the store back.
pub struct Ended {
    pub keeper: Keeper,
    pub status: RunStatus,
    pub note: Option<String>,
}

/// Works on a run until it is finished or told to stop. The seeds are in the frontier already.
pub async fn crawl(
    mut keeper: Keeper,
    project_id: ProjectId,
    run: RunId,
    project: &Project,
    around: Surroundings,
) -> Result<Ended, RunError> {
    let seeds: Vec<Url> = project
        .seeds
        .iter()
        .map(|seed| Url::parse(seed).map_err(|_| RunError::Seed { seed: seed.clone() }))
        .collect::<Result<_, _>>()?;
    let mut scope = Scope::new(project.scope, &seeds);
    for url in keeper.catalog.redirects_of(&seeds)? {
        scope.admit(&url);
    }
    let deciding = Arc::new(Deciding {
        scope: RwLock::new(scope),
        rules: gleaner_frontier::Rules::compile(&project.rules).map_err(RunError::Rules)?,
        wanted: Wanted::new(&project.types),
        limits: Limits::of(project),
        obey_robots: project.obey_robots,
        sitemaps: Mutex::default(),
        identities: Identities::default(),
    });
    for stored in keeper.catalog.site_rules(project_id)? {
        // Rules that cannot be read any more are learned anew.
        if let Ok(rules) = serde_json::from_str::<Rules>(&stored.rules) {
            deciding
                .identities
                .remember(&stored.site, rules, stored.is_settled);
        }
    }
    let row = keeper.catalog.run_row(run)?;
    let judging = Judging::of(project)?;
    let noises = keeper.catalog.noises(project_id)?;
    let comparing = Arc::new(Comparing::new(judging, noises, keeper.folder().root()));
    if row.kind == RunKind::Track {
        track::begin(&mut keeper, project, &deciding, around.clock.wall())?;
    }
    let counts = keeper.catalog.counts(run)?;
    let waiting = keeper.catalog.hosts_waiting(run)?;
    let pages_before = match project.pages_per_host_max {
        Some(_) => keeper.catalog.documents_by_host(run)?,
        None => Vec::new(),
    };
    let has_history = keeper.catalog.has_documents(project_id)?;
    // Zero is for hosts of one's own: they are asked at once.
    let held = match project.delay_ms {
        0 => Vec::new(),
        _ => keeper.catalog.hosts_held(around.clock.wall())?,
    };
    Progress::set(&around.progress.queued, counts.queued);

    let (fetched_in, fetched_out) = crossbeam_channel::unbounded::<Fetched>();
    let (orders_in, orders_out) = crossbeam_channel::unbounded::<Order>();
    let (news_in, news_out) = unbounded_channel::<News>();
    let wishes = Arc::new(Wishes::default());
    let traps = keeper
        .catalog
        .traps(run)?
        .and_then(|saved| Traps::load(&saved))
        .unwrap_or_default();
    let traps = Arc::new(Mutex::new(traps));
    let abandon = Arc::new(AtomicBool::new(false));
    let spool = keeper.folder().spool();

    let keeping = Keeping {
        keeper,
        orders: orders_out,
        news: news_in.clone(),
        wishes: Arc::clone(&wishes),
        progress: Arc::clone(&around.progress),
        clock: Arc::clone(&around.clock),
        traps: Arc::clone(&traps),
        comparing: Arc::clone(&comparing),
        project: project_id,
        run,
        has_history,
        active_ms_before: row.active_ms,
        cookies: around.cookies,
        abandon: Arc::clone(&abandon),
        remembered: std::time::Instant::now(),
    };
    let keep_thread = std::thread::Builder::new()
        .name("keep".to_owned())
        .spawn(move || keeping.work())
        .map_err(RunError::Thread)?;
    let thinkers = start_thinkers(
        &fetched_out,
        &orders_in,
        &deciding,
        project,
        &comparing,
        &spool,
        &around.clock,
        &news_in,
    )?;
    drop(fetched_out);

    let fetcher = Arc::new(Fetcher {
        units: around.units,
        body_bytes_max: project.body_bytes_max,
        filter: Arc::new(TypeFilter {
            wanted: deciding.wanted,
        }),
        deciding: Arc::clone(&deciding),
        comparing: Arc::clone(&comparing),
    });
    let mut flow = Flow {
        reserve: Reserve::new(
            PaceBook::new(PaceSettings::of(project)),
            project.obey_robots,
            project.tries_max,
            project.pages_per_host_max,
        ),
        deciding,
        fetcher,
        traps,
        clock: around.clock,
        chance: around.chance,
        progress: around.progress,
        news: news_out,
        news_in,
        orders: orders_in,
        thinkers: fetched_in,
        wishes,
        concurrency: project.concurrency.max(1),
        reads_sitemaps: match project.sitemaps {
            Sitemaps::On => true,
            Sitemaps::Off => false,
            Sitemaps::Auto => project.depth_max.is_none() && project.scope != ScopeKind::List,
        },
        fetching: 0,
        unkept: 0,
        giving_up: 0,
        robots_asked: 0,
        pages: counts.new + counts.updated + counts.same,
        bytes_before: row.wire_bytes,
        time_before: Duration::from_millis(row.active_ms),
        started_at: row.started_at,
        cuts: Vec::new(),
        tasks: JoinSet::new(),
        spool,
        waiting: None,
        is_track: row.kind == RunKind::Track,
        standings: HashMap::new(),
    };
    let is_track = flow.is_track;
    let (now, wall) = (flow.clock.monotonic(), flow.clock.wall());
    for (name, until) in held {
        flow.reserve.pace.hold(&name, now.after(until.since(wall)));
    }
    for host in waiting {
        flow.reserve.has_rows(host);
    }
    for (host, pages) in pages_before {
        flow.reserve.had_pages(host, pages);
    }
    let ending = flow.go(around.stop, &abandon).await;
    if ending.is_err() {
        abandon.store(true, Ordering::Relaxed);
    }
    let cuts = std::mem::take(&mut flow.cuts);
    let (now, wall) = (flow.clock.monotonic(), flow.clock.wall());
    let waits: Vec<(HostId, Timestamp)> = (flow.reserve.waits(now).into_iter())
        .map(|(host, wait)| (host, wall.after(wait)))
        .collect();
    // Fetches that are still going hold the way to the thinkers open; after a failure nobody waits for them.
    flow.tasks.shutdown().await;
    drop(flow);
    for thinker in thinkers {
        let _it_caught_its_own_panics = thinker.join();
    }
    let keeper = keep_thread
        .join()
        .map_err(|_| RunError::StageGone { stage: "keep" })?;
    // The store's own error says more than the echo of it.
    let (mut keeper, (status, note)) = match (keeper, ending) {
        (Err(error), _) => return Err(error.into()),
        (Ok(_), Err(error)) => return Err(error),
        (Ok(keeper), Ok(ending)) => (keeper, ending),
    };
    keeper.keep_cuts(&cuts)?;
    keeper.catalog.hold_hosts(&waits)?;
    if status == RunStatus::Finished && is_track {
        settle(&mut keeper, project, &comparing, wall)?;
    }
    Ok(Ended { keeper, status, note })
}

struct Flow {
    reserve: Reserve,
    deciding: Arc<Deciding>,
    fetcher: Arc<Fetcher>,
    traps: Arc<Mutex<Traps>>,
    clock: Arc<dyn Clock>,
    chance: Arc<dyn Chance>,
    progress: Arc<Progress>,
    news: UnboundedReceiver<News>,
    news_in: UnboundedSender<News>,
    orders: Sender<Order>,
    thinkers: Sender<Fetched>,
    wishes: Arc<Wishes>,
    concurrency: usize,
    reads_sitemaps: bool,
    /// Connections in use.
    fetching: usize,
    /// Pages taken from the frontier and not yet safe.
    unkept: usize,
    giving_up: usize,
    robots_asked: usize,
    /// Documents of the run so far.
    pages: u64,
    bytes_before: u64,
    time_before: Duration,
    /// When the run began, its earlier parts included: what was read since then belongs to it.
    started_at: Timestamp,
    cuts: Vec<Cut>,
    /// Fetches that are going on.
    tasks: JoinSet<()>,
    /// Where large bodies lie on their way.
    spool: PathBuf,
    /// For room there; nothing new is begun meanwhile.
    waiting: Option<Waiting>,
    is_track: bool,
    standings: HashMap<HostId, Standing>,
}

/// How a host has done in this run.
#[derive(Default)]
struct Standing {
    has_served: bool,
    /// In a row.
    failures: u32,
}

impl Flow {
    /// Until nothing is left, a limit is reached, or someone says stop.
    async fn go(
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
            if !is_stopping && limit.is_none() {
                wait_until = match &self.waiting {
                    Some(_) => self.look_for_room(),
                    None => self.start_what_is_ready(),
                };
            }
            Progress::set(&self.progress.in_flight, self.fetching as u64);
            let is_quiet =
                self.fetching == 0 && self.unkept == 0 && self.giving_up == 0 && self.robots_asked == 0;
            if is_quiet {
                if is_stopping {
                    return Ok((RunStatus::Stopped, Some("stopped on request".to_owned())));
                }
                if let Some(reason) = limit {
                    return self.end_by_limit(reason).await;
                }
                if self.reserve.is_empty() {
                    return Ok((RunStatus::Finished, None));
                }
                if let Some(paused) = self.reserve.all_paused(self.clock.monotonic()) {
                    for (host, pause) in paused {
                        let minutes = pause.as_secs().div_ceil(60);
                        let detail = format!("for another {minutes} minutes");
                        self.give_up(host, Reason::HostPaused, Some(detail));
                    }
                    continue;
                }
            }
            // Idle hands while pages wait for their commit: what they link to is what we need.
            self.wishes.hungry.store(
                self.fetching == 0 || is_stopping || limit.is_some(),
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

    fn sleep_until(&self, wait_until: Option<Instant>) -> Duration {
        let now = self.clock.monotonic();
        let wait = wait_until.map_or(Duration::from_secs(5), |at| at.since(now));
        let left = self.deciding.limits.time.map_or(wait, |limit| {
            limit.saturating_sub(self.time_before + now.0) + Duration::from_millis(1)
        });
        wait.min(left)
            .clamp(Duration::from_millis(1), Duration::from_secs(5))
    }

    fn spent(&self) -> Spent {
        Spent {
            pages: self.pages,
            bytes: self.bytes_before + Progress::read(&self.progress.bytes),
            time: self.time_before + self.clock.monotonic().0,
        }
    }

    fn limit_reached(&self) -> Option<Reason> {
        self.deciding.limits.reached(&self.spent())
    }

    /// Starts everything that may start; returns when to look again if nothing happens.
    fn start_what_is_ready(&mut self) -> Option<Instant> {
        loop {
            let in_flight_pages = self.unkept as u64;
            let spent = self.spent();
            let with_these = Spent {
                pages: spent.pages + in_flight_pages,
                ..spent
            };
            let is_full = self.fetching >= self.concurrency
                || self.unkept >= self.concurrency + UNKEPT_EXTRA.max(self.concurrency)
                || self.deciding.limits.reached(&with_these).is_some();
            if is_full {
                return None;
            }
            let (now, wall) = (self.clock.monotonic(), self.clock.wall());
            let traps = &self.traps;
            // A second try was let through once already, and so was a document.
            let mut refuses = |page: &Queued| match (page.purpose, page.tries) {
                (Purpose::Page, 0) if page.known.is_none() => lock(traps).check(&page.url).err(),
                _ => None,
            };
            match self.reserve.next(now, wall, &mut refuses) {
                Move::Fetch(page) if self.deciding.identities.take_suspect(page.resource) => {
                    let robots = self.reserve.survey(page.host);
                    let gap = self.reserve.pace.delay(page.url.host());
                    self.start_first(*page, robots, gap, true);
                }
                Move::Fetch(page) => self.start_fetch(*page),
                Move::First { page, robots, gap } => self.start_first(*page, robots, gap, false),
                Move::Robots { host, any } => self.start_robots(host, any),
                Move::Load {
                    host,
                    held,
                    limit,
                    wants_robots,
                } => {
                    let _a_dead_store_shows_in_the_news = self.orders.send(Order::Load {
                        host,
                        held,
                        limit,
                        wants_robots,
                    });
                }
                Move::Refuse { page, reason } => self.refuse(&page, reason),
                Move::GiveUp { host, reason, detail } => self.give_up(host, reason, detail),
                Move::Wait(until) => return until,
            }
        }
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

    fn start_fetch(&mut self, page: Queued) {
        self.fetching += 1;
        self.unkept += 1;
        let (fetcher, news, thinkers) = (
            Arc::clone(&self.fetcher),
            self.news_in.clone(),
            self.thinkers.clone(),
        );
        let (jitter, wall) = (self.chance.share(), self.clock.wall());
        let (luck, gap) = (self.chance.next(), self.reserve.pace.delay(page.url.host()));
        self.tasks.spawn(async move {
            let host = page.host;
            let fetched = fetch(page, &fetcher, luck, gap).await;
            let (address, outcome) = outcome_of(&fetched, jitter, wall);
            let exchange = fetched.answer.as_ref().ok().and_then(Answer::exchange);
            let bytes = exchange.map_or(0, |exchange| exchange.wire_bytes);
            let failure = failure_of(&fetched, &outcome);
            let _the_run_may_be_over = thinkers.send(fetched);
            let _the_run_may_be_over = news.send(News::Answered {
                host,
                address,
                outcome,
                bytes,
                failure,
            });
        });
    }

    /// Fetches the first page of a host, and asks on where its links may carry what does not belong to them.
    fn start_first(
        &mut self,
        mut page: Queued,
        robots: Option<Arc<RobotsState>>,
        gap: Duration,
        is_suspect: bool,
    ) {
        let site = site_of(&page.url);
        let is_settled = !is_suspect && self.deciding.identities.is_settled(&site);
        if let (true, false, Some(known)) = (self.is_track, is_settled, &mut page.known) {
            known.asks_whole = true; // "Not modified" has no links to learn from.
        }
        self.fetching += 1;
        self.unkept += 1;
        let mut survey = Survey {
            fetcher: Arc::clone(&self.fetcher),
            robots,
            gap,
            asks_always: self.is_track || is_suspect,
            requests: 0,
        };
        let news = self.news_in.clone();
        let (jitter, wall) = (self.chance.share(), self.clock.wall());
        let luck = self.chance.next();
        self.tasks.spawn(async move {
            let host = page.host;
            let fetched = fetch(page, &survey.fetcher, luck, gap).await;
            let rules = if is_settled {
                None
            } else {
                survey.of(&fetched).await
            };
            let (address, outcome) = outcome_of(&fetched, jitter, wall);
            let exchange = fetched.answer.as_ref().ok().and_then(Answer::exchange);
            let bytes = exchange.map_or(0, |exchange| exchange.wire_bytes);
            let failure = failure_of(&fetched, &outcome);
            let _the_run_may_be_over = news.send(News::Surveyed {
                host,
                address,
                outcome,
                bytes,
                failure,
                fetched: Box::new(fetched),
                rules: rules.map(Box::new),
            });
        });
    }

    fn start_robots(&mut self, host: HostId, any: Url) {
        self.fetching += 1;
        self.robots_asked += 1;
        let (fetcher, news) = (Arc::clone(&self.fetcher), self.news_in.clone());
        let (jitter, wall) = (self.chance.share(), self.clock.wall());
        self.tasks.spawn(async move {
            match robots::ask(&fetcher.units, &any, wall).await {
                Ok(asked) => {
                    let kind = match (asked.stored.status, &asked.stored.reason) {
                        (Some(429 | 503), _) => OutcomeKind::Overloaded {
                            retry_after: asked
                                .retry_after
                                .as_deref()
                                .and_then(|text| retry_after(text, wall)),
                        },
                        (None, Some(_)) => OutcomeKind::Failed,
                        _ => OutcomeKind::Answered,
                    };
                    let outcome = PaceOutcome {
                        response_time: asked.elapsed,
                        kind,
                        jitter,
                    };
                    let _the_run_may_be_over = news.send(News::Robots {
                        host,
                        asked: Box::new(asked),
                        outcome,
                    });
                }
                Err(error) => {
                    let told = gleaner_store::StoreError::Stopped {
                        why: error.to_string(),
                    };
                    let _the_run_may_be_over = news.send(News::Failed(told));
                }
            }
        });
    }

    /// A page that may not be fetched is done: its outcome is the reason.
    fn refuse(&mut self, page: &Queued, reason: Reason) {
        self.unkept += 1;
        let known = page.known.as_ref().filter(|known| !known.is_gone).map(|_| true);
        let state = match page.purpose {
            Purpose::Page => state_of(&Finding::NotTaken(reason), known.as_ref()),
            Purpose::Sitemap => None,
        };
        let keep = Keep {
            reason: Some(reason),
            state,
            ..refusal(page, self.clock.wall())
        };
        let judged = Judged {
            keep,
            url: page.url.clone(),
            seen: None,
        };
        let _a_dead_store_shows_in_the_news = self.orders.send(Order::Keep(Box::new(judged)));
    }

    /// A host that fails again and again is down: its other pages would only wait for the same (B1: one cause, one line).
    fn note_failure(&mut self, host: HostId, failure: Option<Failure>) {
        let standing = self.standings.entry(host).or_default();
        let Some(failure) = failure else {
            (standing.has_served, standing.failures) = (true, 0);
            return;
        };
        standing.failures += 1;
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
        self.reserve.give_up(host);
        self.giving_up += 1;
        let state = (reason != Reason::LimitPages).then_some(State::Err);
        let _a_dead_store_shows_in_the_news = self.orders.send(Order::GiveUp {
            host: Some(host),
            reason,
            detail,
            state,
        });
    }

    async fn end_by_limit(&mut self, reason: Reason) -> Result<(RunStatus, Option<String>), RunError> {
        let _a_dead_store_shows_in_the_news = self.orders.send(Order::GiveUp {
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
                        Some(format!("{} ({count} URLs left)", reason.code())),
                    ));
                }
                Some(News::Failed(error)) => return Err(error.into()),
                Some(_) => {}
                None => return Err(RunError::StageGone { stage: "keep" }),
            }
        }
    }

    fn take(&mut self, news: News) -> Result<(), RunError> {
        let (now, wall) = (self.clock.monotonic(), self.clock.wall());
        match news {
            News::Loaded {
                host,
                rows,
                is_all,
                robots,
            } => {
                let robots = robots.and_then(|stored| robots::remembered(&stored, self.started_at, wall));
                self.reserve.loaded(host, rows, is_all, robots, wall, now);
                Progress::set(&self.progress.hosts, self.reserve.hosts_count());
            }
            News::Kept { queued, done } => {
                for page in &done {
                    self.unkept -= 1;
                    self.reserve.kept(page);
                    match page.end {
                        End::Document => self.pages += 1,
                        End::Other | End::Again => {}
                    }
                }
                let gone = done.iter().filter(|page| page.end != End::Again).count() as u64;
                let mut added = 0;
                for (host, count) in queued {
                    added += count;
                    self.reserve.has_rows(host);
                }
                let before = Progress::read(&self.progress.queued);
                Progress::set(&self.progress.queued, (before + added).saturating_sub(gone));
            }
            News::GaveUp { count, reason } => {
                self.giving_up -= 1;
                if reason == Reason::LimitPages && count > 0 {
                    self.cuts.push(Cut {
                        reason,
                        shape: String::new(),
                        count,
                        example: String::new(),
                    });
                }
                let before = Progress::read(&self.progress.queued);
                Progress::set(&self.progress.queued, before.saturating_sub(count));
            }
            News::Answered {
                host,
                address,
                outcome,
                bytes,
                failure,
            } => {
                self.fetching -= 1;
                Progress::add(&self.progress.fetched, 1);
                Progress::add(&self.progress.bytes, bytes);
                self.reserve.answered(host, address, now, outcome);
                self.note_failure(host, failure);
            }
            News::Surveyed {
                host,
                address,
                outcome,
                bytes,
                failure,
                fetched,
                rules,
            } => {
                self.fetching -= 1;
                Progress::add(&self.progress.fetched, 1);
                Progress::add(&self.progress.bytes, bytes);
                self.reserve.answered(host, address, now, outcome);
                self.note_failure(host, failure);
                if let Some(rules) = rules {
                    let rules = Box::new(self.deciding.identities.with(*rules));
                    let order = Order::Rules { host, rules, fetched };
                    let _a_dead_store_shows_in_the_news = self.orders.send(order);
                } else {
                    let is_page = matches!(&fetched.answer, Ok(Answer::Here(_) | Answer::Unchanged(_)));
                    self.deciding.identities.surveyed(&fetched.page.url);
                    let _the_run_may_be_over = self.thinkers.send(*fetched);
                    self.reserve.surveyed(host, is_page);
                }
            }
            News::RulesKept { host, rules, fetched } => {
                let site = rules.site.clone();
                self.deciding.identities.remember(&site, *rules, true);
                self.deciding.identities.surveyed(&fetched.page.url);
                let _the_run_may_be_over = self.thinkers.send(*fetched);
                self.reserve.surveyed(host, true);
            }
            News::Robots { host, asked, outcome } => {
                self.fetching -= 1;
                self.robots_asked -= 1;
                let sitemaps = if self.reads_sitemaps {
                    self.sitemaps_of(&asked)
                } else {
                    Vec::new()
                };
                // First what it says: a host whose robots.txt failed must not be made ready by the free connection.
                self.reserve
                    .robots_answered(host, asked.state, asked.failure, now);
                self.reserve.answered(host, asked.address, now, outcome);
                let stored = asked.stored;
                let _a_dead_store_shows_in_the_news = self.orders.send(Order::Robots {
                    host,
                    stored,
                    sitemaps,
                });
            }
            News::NoRoom { bytes } => {
                if self.waiting.is_none() && !self.progress.is_waiting_for_disk.load(Ordering::Relaxed) {
                    self.progress.say(format!(
                        "disk full while a large document came in; nothing was lost, free some space: {}; waiting for space",
                        self.spool.display()
                    ));
                }
                let waiting = self.waiting.get_or_insert_with(|| Waiting::new(now));
                waiting.bytes = waiting.bytes.max(bytes);
            }
            News::Room(true) => {
                self.waiting = None;
                self.progress.say("space is back, going on".to_owned());
            }
            News::Room(false) => {
                if let Some(waiting) = &mut self.waiting {
                    waiting.looked(now);
                }
            }
            News::Failed(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// The sitemaps that robots.txt names, as frontier rows.
    fn sitemaps_of(&mut self, asked: &robots::Asked) -> Vec<(Url, Enqueue)> {
        let named = asked
            .state
            .robots()
            .map(gleaner_frontier::Robots::sitemaps)
            .unwrap_or_default();
        let mut taken = Vec::new();
        for url in named.iter().filter_map(|text| Url::parse(text).ok()) {
            if let Some(reason) = self.deciding.refuses_sitemap(&url, &asked.site) {
                self.cuts.push(Cut {
                    reason,
                    shape: String::new(),
                    count: 1,
                    example: url.to_string(),
                });
                continue;
            }
            let entry = Enqueue {
                priority: 0,
                depth: 0,
                purpose: Purpose::Sitemap,
                hops: 0,
                chain: Vec::new(),
                again: false,
            };
            taken.push((url, entry));
        }
        taken
    }
}

/// The host gave no answer: a pause may help it. A broken answer is an answer, and our own guard's refusal was no
/// question (HC028).
fn is_no_answer(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::DnsTimeout
            | Reason::DnsFailed
            | Reason::ConnectTimeout
            | Reason::ConnectRefused
            | Reason::Unreachable
            | Reason::Reset
            | Reason::Closed
            | Reason::TlsTimeout
            | Reason::FirstByteTimeout
            | Reason::SilenceTimeout
            | Reason::FetchTimeout
            | Reason::TooSlow
            | Reason::ProxyFailed
            | Reason::Http2Failed
    )
}

/// What a fetch says about its host, where that is nothing good.
fn failure_of(fetched: &Fetched, outcome: &PaceOutcome) -> Option<Failure> {
    match (&outcome.kind, &fetched.answer) {
        (OutcomeKind::Failed | OutcomeKind::Overloaded { .. }, Ok(Answer::Unclear(unclear))) => {
            Some(Failure {
                reason: unclear.reason,
                detail: unclear.detail.clone(),
            })
        }
        _ => None,
    }
}

/// How the fetch went, as far as pace cares.
fn outcome_of(fetched: &Fetched, jitter: f64, wall: Timestamp) -> (Option<std::net::IpAddr>, PaceOutcome) {
    let Ok(answer) = &fetched.answer else {
        // Our own failure says nothing against the host.
        return (
            None,
            PaceOutcome {
                response_time: Duration::ZERO,
                kind: OutcomeKind::Answered,
                jitter,
            },
        );
    };
    let exchange = answer.exchange();
    let kind = match answer {
        Answer::Unclear(unclear) => match unclear.reason {
            Reason::HttpTooMany | Reason::HttpUnavailable => OutcomeKind::Overloaded {
                retry_after: unclear
                    .retry_after
                    .as_deref()
                    .and_then(|text| retry_after(text, wall)),
            },
            reason if is_no_answer(reason) && exchange.is_none() => OutcomeKind::Failed,
            _ => OutcomeKind::Answered,
        },
        _ => OutcomeKind::Answered,
    };
    let response_time = exchange.map_or(Duration::ZERO, |e| e.first_byte);
    (
        exchange.and_then(|e| e.address),
        PaceOutcome {
            response_time,
            kind,
            jitter,
        },
    )
}
