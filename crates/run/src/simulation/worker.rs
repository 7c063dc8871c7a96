//! One process that works on a run, again and again: each time until it is killed or has finished.

use super::site::ScriptedSite;
use super::slow_store::{SLOWEST_MS, SlowStore};
use crate::processor::{Processor, inline};
use crate::progress::Progress;
use crate::shared_pace::Paces;
use crate::stages::keep::gathered::Unkept;
use crate::{RunError, Surroundings, crawl, way};
use gleaner_model::chance::SplitMix;
use gleaner_model::project::Sitemaps;
use gleaner_model::{Chance, Clock, Instant, Project, ScopeKind, Timestamp};
use gleaner_store::runs::{Counts, RunKind, RunStatus, Runs as _};
use gleaner_store::work::Work as _;
use gleaner_store::{MemoryStore, RunRef, StoreError, wait};
use gleaner_units::Units;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::{Notify, watch};

/// When everything began.
const BEGAN_MS: i64 = 1_700_000_000_000;
/// More pages do not come in a second, where answers take no time.
const FASTEST: usize = 1000;

thread_local! {
    /// When the runtime of the process began, by its own clock.
    static STARTED: Cell<Option<tokio::time::Instant>> = const { Cell::new(None) };
}

/// Virtual time since the process began.
pub(super) fn since_start() -> Duration {
    STARTED.get().map_or(Duration::ZERO, |started| started.elapsed())
}

pub(super) struct Worker {
    site: Arc<ScriptedSite>,
    store: MemoryStore,
    project: Project,
    of: RunRef,
    chance: Arc<SplitMix>,
    is_slow: bool,
    is_full: bool,
    /// The wall clock goes on from one process to the next.
    wall_ms: AtomicU64,
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .event_interval(1)
        .build()
        .expect("a runtime")
}

/// Waits for all of them, on one task.
async fn all_of<F: Future>(works: Vec<F>) -> Vec<F::Output> {
    let mut works: Vec<_> = works.into_iter().map(|work| (Box::pin(work), None)).collect();
    std::future::poll_fn(|context| {
        for (work, done) in works.iter_mut().filter(|(_, done)| done.is_none()) {
            if let Poll::Ready(output) = work.as_mut().poll(context) {
                *done = Some(output);
            }
        }
        if works.iter().all(|(_, done)| done.is_some()) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    works.into_iter().filter_map(|(_, done)| done).collect()
}

/// What comes in the way of a process, when it has looked at its clock so often.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interruption {
    pub(super) looks: u64,
    pub(super) kind: InterruptionKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InterruptionKind {
    Killed,
    /// Somebody asks it to stop.
    Stopped,
    /// For so long nothing comes back to it.
    Paused {
        seconds: u64,
    },
    /// Its wall clock is set by so much.
    ClockSet {
        seconds: i64,
    },
}

/// Unwinds through work of a process that was killed while it worked, and not while it waited.
struct KilledAtWork;

/// None where the process is killed while it works.
async fn unless_killed<T>(work: impl Future<Output = Option<T>>) -> Option<T> {
    let mut work = Box::pin(work);
    std::future::poll_fn(move |context| {
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)));
        polled.unwrap_or_else(|cause| {
            if cause.is::<KilledAtWork>() {
                Poll::Ready(None)
            } else {
                resume_unwind(cause)
            }
        })
    })
    .await
}

/// The clock of the runtime; it counts how often it is looked at.
pub(super) struct SimulatedClock {
    began_at: Timestamp,
    left: AtomicU64,
    interruption: Option<InterruptionKind>,
    killed: Arc<Notify>,
    stop: watch::Sender<bool>,
    /// By the time since the process began.
    paused_until_ms: AtomicU64,
    set_by_ms: AtomicI64,
}

impl SimulatedClock {
    fn note_look(&self) {
        let before = self.left.fetch_sub(1, Ordering::Relaxed);
        if before != 1 {
            return;
        }
        match self.interruption {
            None => {}
            Some(InterruptionKind::Killed) => self.killed.notify_one(),
            Some(InterruptionKind::Stopped) => {
                self.stop.send_replace(true);
            }
            Some(InterruptionKind::Paused { seconds }) => {
                let until = since_start().as_millis() as u64 + seconds * 1000;
                self.paused_until_ms.store(until, Ordering::Relaxed);
            }
            Some(InterruptionKind::ClockSet { seconds }) => {
                self.set_by_ms.store(seconds * 1000, Ordering::Relaxed);
            }
        }
    }

    fn is_killed(&self) -> bool {
        let is_over = self.left.load(Ordering::Relaxed) > u64::MAX / 2;
        self.interruption == Some(InterruptionKind::Killed) && is_over
    }

    /// Never comes back where the process has been killed; late where it was paused.
    pub(super) async fn alive(&self) {
        self.note_look();
        if self.is_killed() {
            if inline::is_working() {
                resume_unwind(Box::new(KilledAtWork)); // Not a panic: nobody is told.
            }
            std::future::pending::<()>().await;
        }
        let paused_until = Duration::from_millis(self.paused_until_ms.load(Ordering::Relaxed));
        let pause = paused_until.saturating_sub(since_start());
        if !pause.is_zero() && !inline::is_working() {
            tokio::time::sleep(pause).await;
        }
    }

    /// As everybody's clock should be.
    pub(super) fn true_wall(&self) -> Timestamp {
        self.began_at.after(since_start())
    }
}

impl Clock for SimulatedClock {
    fn wall(&self) -> Timestamp {
        self.note_look();
        Timestamp(self.true_wall().0 + self.set_by_ms.load(Ordering::Relaxed))
    }

    fn monotonic(&self) -> Instant {
        self.note_look();
        Instant(since_start())
    }
}

impl Worker {
    pub(super) fn new(site: Arc<ScriptedSite>, pages_max: Option<u64>, seed: u64) -> Worker {
        let chance = Arc::new(SplitMix::seeded(seed));
        let below = |limit: u64| chance.next() % limit;
        let mut project = Project::new("simulated", vec![site.seed()]);
        project.scope = ScopeKind::Web;
        project.sitemaps = Sitemaps::Off;
        project.pages_max = pages_max;
        project.concurrency = 1 + below(8) as usize;
        project.delay_ms = [0, 50, 1000][below(3) as usize];
        let (is_slow, is_full) = (below(2) == 0, below(3) == 0);
        let store = MemoryStore::default();
        let now = Timestamp(BEGAN_MS);
        let of = wait(async {
            let id = store.project(project.clone(), now).await?;
            let run = store.start_run(id, project.clone(), RunKind::Crawl, now).await?;
            Ok::<_, StoreError>(RunRef { project: id, run })
        });
        Worker {
            of: of.expect("a run"),
            site,
            store,
            project,
            chance,
            is_slow,
            is_full,
            wall_ms: AtomicU64::new(0),
        }
    }

    /// The site has changed, and the next run of the project begins.
    pub(super) fn begin_track(&mut self, site: Arc<ScriptedSite>) {
        const SOME_DAYS_MS: u64 = 3 * 24 * 3_600_000;
        self.site = site;
        let passed = self.wall_ms.fetch_add(SOME_DAYS_MS, Ordering::Relaxed) + SOME_DAYS_MS;
        let (project, now) = (self.project.clone(), Timestamp(BEGAN_MS + passed as i64));
        let of = self.of;
        self.of.run = wait(async {
            self.store.end_run(of.run, RunStatus::Finished, now, None).await?;
            self.store
                .start_run(of.project, project, RunKind::Track, now)
                .await
        })
        .expect("a run");
    }

    pub(super) fn store(&self) -> &MemoryStore {
        &self.store
    }

    pub(super) fn of(&self) -> RunRef {
        self.of
    }

    /// Works until the run ends or stops, or until the process is killed. None: it was.
    pub(super) fn go(&self, interruption: Option<Interruption>) -> Option<RunStatus> {
        self.store.restart();
        self.site.next_part();
        let runtime = runtime();
        let ended = runtime.block_on(async {
            STARTED.set(Some(tokio::time::Instant::now()));
            let ended = self.process(interruption).await;
            self.pass_time();
            ended
        });
        drop(runtime); // With all its tasks, wherever they are.
        ended
    }

    /// The next process begins a moment later.
    fn pass_time(&self) {
        let elapsed = since_start().as_millis() as u64 + 1000;
        self.wall_ms.fetch_add(elapsed, Ordering::Relaxed);
    }

    /// Several processes, each on a machine of its own, work on the run at the same time. How those ended that were not killed.
    /// What a killed one had handed on is still kept: as if it had died a moment later.
    pub(super) fn go_together(&self, interruptions: &[Option<Interruption>]) -> Vec<RunStatus> {
        self.site.next_part();
        runtime().block_on(async {
            STARTED.set(Some(tokio::time::Instant::now()));
            let processes = interruptions
                .iter()
                .map(|interruption| self.process(*interruption));
            let ended = all_of(processes.collect()).await;
            self.pass_time();
            ended.into_iter().flatten().collect()
        })
    }

    async fn process(&self, interruption: Option<Interruption>) -> Option<RunStatus> {
        let killed = Arc::new(Notify::new());
        let (stop, stopped) = watch::channel(false);
        let clock = Arc::new(SimulatedClock {
            began_at: Timestamp(BEGAN_MS + self.wall_ms.load(Ordering::Relaxed) as i64),
            left: AtomicU64::new(interruption.map_or(u64::MAX / 2, |one| one.looks)),
            interruption: interruption.map(|one| one.kind),
            killed: Arc::clone(&killed),
            stop,
            paused_until_ms: AtomicU64::new(0),
            set_by_ms: AtomicI64::new(0),
        });
        unless_killed(async {
            tokio::select! {
                biased;
                () = killed.notified() => None,
                status = self.work(clock, stopped) => status,
            }
        })
        .await
    }

    async fn work(&self, clock: Arc<SimulatedClock>, stop: watch::Receiver<bool>) -> Option<RunStatus> {
        let starts = way::starts(&self.project).expect("seeds");
        let now = clock.wall();
        let store = SlowStore {
            store: self.store.clone(),
            clock: Arc::clone(&clock),
            chance: Arc::clone(&self.chance),
            slowest_ms: self.slowest_ms(),
            is_full: self.is_full,
        };
        store.set_running(self.of.run).await.expect("it is there");
        let begun = store.enqueue_starts(self.of, starts, now).await;
        begun.expect("a store in memory");
        let around = Surroundings {
            store: Arc::new(store),
            worker: format!("simulated {}", self.chance.next()),
            spool: std::env::temp_dir(),
            units: Units::default().with(Arc::clone(&self.site) as _),
            clock: Arc::clone(&clock) as _,
            paces: Paces::default(),
            chance: Arc::clone(&self.chance) as _,
            processor: Processor::Inline,
            progress: Arc::new(Progress::default()),
            stop,
            secrets: Arc::new(|_: &_| unreachable!("there are no secrets")),
            sockets_max: 100,
            readers: None,
            guidance: None,
            witness: None,
            cookies: Box::new(|| None),
        };
        let ended = crawl(self.of, &self.project, around).await;
        match ended {
            _ if clock.is_killed() => None,
            Ok(ended) => Some(ended.status),
            // Who is told to stop does not wait for space.
            Err(RunError::Store(StoreError::DiskFull { .. })) => Some(RunStatus::Failed),
            Err(error) => panic!("{error}"),
        }
    }

    /// How long answers of the store take at most: those of some processes longer than a lease lasts.
    fn slowest_ms(&self) -> u64 {
        match self.chance.next() % 16 {
            _ if !self.is_slow => 0,
            0 => SLOWEST_MS * 50,
            _ => SLOWEST_MS,
        }
    }

    pub(super) fn counts(&self) -> Counts {
        wait(self.store.counts(self.of.run)).expect("a run")
    }

    /// Captures that are kept.
    pub(super) fn records(&self) -> u64 {
        self.store.records().len() as u64
    }

    pub(super) fn delay(&self) -> Duration {
        Duration::from_millis(self.project.delay_ms)
    }

    /// How many pages may be asked for again after a kill.
    pub(super) fn costs_of_a_kill(&self) -> u64 {
        let concurrency = self.project.concurrency;
        (concurrency + Unkept::of(concurrency, FASTEST).pages) as u64
    }
}
