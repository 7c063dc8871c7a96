//! The stages of a run, started and joined by their channels.

use crate::begin::Begun;
use crate::channels;
use crate::crawl::Surroundings;
use crate::credentials;
use crate::disk::FullDisk;
use crate::error::RunError;
use crate::handoff::{ToThreads, handoff};
use crate::login::PreparedLogin;
use crate::news::News;
use crate::outbox::Outbox;
use crate::reading::{Readers, Reading, start_reading};
use crate::requests::Requests;
use crate::room::SpoolRoom;
use crate::scheduler::{
    Backlog, Budget, Going, HostFailures, Leasing, Line, LoginState, Scheduler, SeedsOfRun, StepBarrier,
};
use crate::shared_pace::{Paces, RunPace};
use crate::stages::fetch::{Fetched, Fetcher};
use crate::stages::keep::KeepStage;
use crate::stages::keep::commit::{Committer, Cookies};
use crate::stages::keep::gathered::CommitPace;
use crate::stages::keep::traps::BatchTraps;
use crate::stages::pieces::Pieces;
use crate::stages::reserve::Reserve;
use crate::way::Way;
use gleaner_frontier::{FetchSlots, PaceSettings};
use gleaner_store::StoreError;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tracing::Instrument;

/// What works beside the scheduler, until nobody sends it anything any more.
pub(crate) struct Stages {
    pub(crate) keep: JoinHandle<Result<(), StoreError>>,
    pub(crate) requests: JoinHandle<Result<(), StoreError>>,
    pub(crate) readers: Readers,
    /// True: nobody waits for disk space any more.
    pub(crate) abandon: watch::Sender<bool>,
}

/// Starts the stages and makes the scheduler that feeds them.
pub(crate) fn assemble(begun: &Begun, around: Surroundings) -> Result<(Scheduler, Stages), RunError> {
    let (to_read, fetched) = handoff(channels::FETCHED);
    let (to_keep, judged) = channel(channels::JUDGED);
    let (to_store, asked) = channel(channels::REQUESTS);
    let (tell, news) = channel(channels::NEWS);
    let (commit_pace, pace) = watch::channel(CommitPace::default());
    let (abandon, abandoned) = watch::channel(false);
    let fetcher = fetcher(begun, &around, &to_read)?;
    let disk = FullDisk {
        progress: Arc::clone(&begun.progress),
        abandon: abandoned,
    };
    let reading = Reading {
        fetched,
        to_keep: to_keep.clone(),
        news: tell.clone(),
        run: begun.run.of.run,
        rules: Arc::clone(&begun.rules),
        sites: Arc::clone(&begun.sites),
        comparing: Arc::clone(&begun.comparing),
        clock: Arc::clone(&begun.clock),
        progress: Arc::clone(&begun.progress),
        spool: around.spool.clone(),
        tries_max: begun.project.tries_max,
        body_bytes_max: begun.project.body_bytes_max,
        guidance: around.guidance.clone(),
    };
    let documents = around.readers.as_ref().filter(|_| begun.project.document_links);
    let readers = start_reading(reading, begun.processor, documents)?;
    let keep = KeepStage {
        committer: committer(begun, &disk, &tell, Mutex::new(around.cookies)),
        input: judged,
        pace,
        concurrency: begun.project.concurrency.max(1),
    };
    let requests = requests(begun, disk, &tell);
    let stages = Stages {
        keep: tokio::spawn(keep.work().in_current_span()),
        requests: tokio::spawn(requests.work(asked).in_current_span()),
        readers,
        abandon,
    };
    let line = Line {
        fetcher,
        to_read,
        to_keep: Outbox::new(to_keep),
        requests: Outbox::new(to_store),
        unanswered: 0,
        commit_pace,
        news: tell,
        processor: begun.processor,
        tasks: JoinSet::new(),
    };
    let scheduler = Scheduler {
        reserve: reserve(begun, around.paces, around.guidance.is_some()),
        rules: Arc::clone(&begun.rules),
        sites: Arc::clone(&begun.sites),
        line,
        news,
        going: Going::new(FetchSlots::new(begun.project.concurrency, around.sockets_max)),
        backlog: Backlog::new(begun.project.concurrency.max(1)),
        budget: budget(begun),
        steps: StepBarrier::new(begun.rules.way.as_ref().map_or(0, Way::last)),
        login: LoginState::new(begun.project.login.is_some()),
        failures: HostFailures::default(),
        leasing: Leasing::new(begun.worker.clone(), begun.since),
        room: SpoolRoom::new(around.spool),
        seeds: SeedsOfRun {
            urls: begun.seeds.clone(),
            led_to: Arc::clone(&begun.led_to),
            is_track: begun.is_track(),
            reads_sitemaps: begun.reads_sitemaps,
            started_at: begun.row.started_at,
        },
        robots_asked: 0,
        cuts: Vec::new(),
        clock: Arc::clone(&begun.clock),
        chance: around.chance,
        guidance: around.guidance,
        progress: Arc::clone(&begun.progress),
    };
    Ok((scheduler, stages))
}

fn fetcher(
    begun: &Begun,
    around: &Surroundings,
    to_read: &ToThreads<Fetched>,
) -> Result<Arc<Fetcher>, RunError> {
    let (project, secrets) = (&begun.project, &*around.secrets);
    let login = (project.login.as_ref())
        .map(|login| PreparedLogin::of(login, secrets, around.witness.as_ref()))
        .transpose()?;
    Ok(Arc::new(Fetcher {
        login,
        headers: credentials::headers(project, &begun.seeds, secrets)?,
        units: around.units.clone(),
        body_bytes_max: project.body_bytes_max,
        rules: Arc::clone(&begun.rules),
        sites: Arc::clone(&begun.sites),
        comparing: Arc::clone(&begun.comparing),
        processor: begun.processor,
        slashes: tokio::sync::Mutex::default(),
        pieces: Arc::new(Pieces::new(to_read.clone())),
    }))
}

fn committer(begun: &Begun, disk: &FullDisk, news: &Sender<News>, cookies: Cookies) -> Arc<Committer> {
    Arc::new(Committer {
        store: begun.run.clone(),
        disk: disk.clone(),
        processor: begun.processor,
        news: news.clone(),
        progress: Arc::clone(&begun.progress),
        clock: Arc::clone(&begun.clock),
        traps: BatchTraps {
            sites: Arc::clone(&begun.sites),
            run: begun.run.of.run,
            is_track: begun.is_track(),
            turns: begun.turns,
        },
        comparing: Arc::clone(&begun.comparing),
        active_ms_before: begun.row.active_ms,
        begun_at: begun.since,
        cookies,
        is_changed: AtomicBool::new(false),
    })
}

fn requests(begun: &Begun, disk: FullDisk, news: &Sender<News>) -> Requests {
    Requests {
        store: begun.run.clone(),
        disk,
        processor: begun.processor,
        news: news.clone(),
        progress: Arc::clone(&begun.progress),
        clock: Arc::clone(&begun.clock),
        has_history: begun.has_history,
        sample_of_dated: begun.lists.sample,
    }
}

/// The hosts of this worker, none at first, and what is known about asking them.
fn reserve(begun: &Begun, paces: Paces, is_best_first: bool) -> Reserve {
    let project = &begun.project;
    let mut reserve = Reserve::new(
        RunPace::new(paces, PaceSettings::of(project)),
        project.obey_robots,
        project.tries_max,
        project.pages_per_host_max,
    );
    if begun.rules.way.is_some() {
        reserve.open_to(0);
    }
    reserve.set_waiters(begun.lists.waiters.clone());
    let (now, wall) = (begun.clock.monotonic(), begun.clock.wall());
    for (name, until) in &begun.hosts.held {
        reserve.pace.hold(name, now.after(until.since(wall)));
    }
    for (host, pages) in &begun.hosts.pages {
        reserve.had_pages(*host, *pages);
    }
    reserve.set_wants_hosts(true);
    reserve.set_best_first(is_best_first);
    reserve
}

fn budget(begun: &Begun) -> Budget {
    let (row, counts) = (&begun.row, &begun.counts);
    Budget {
        limits: begun.rules.limits,
        pages: counts.new + counts.updated + counts.same,
        bytes_before: row.wire_bytes,
        time_before: Duration::from_millis(row.active_ms),
        bytes: 0,
        begun_at: begun.since,
    }
}
