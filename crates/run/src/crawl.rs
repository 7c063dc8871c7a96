//! A run from beginning to end: sets the stages up, lets them work, and puts everything away.

use crate::credentials;
use crate::error::RunError;
use crate::flow::Flow;
use crate::flow::coming::Coming;
use crate::flow::going::Going;
use crate::flow::login::Entry;
use crate::forms::Secrets;
use crate::fresh::Comparing;
use crate::identity::Identities;
use crate::lists;
use crate::login::Door;
use crate::metrics::Measured;
use crate::news::News;
use crate::progress::Progress;
use crate::run_store::RunStore;
use crate::settle::settle;
use crate::shared_pace::{Paces, RunPace};
use crate::stages::fetch::{Fetched, Fetcher};
use crate::stages::follow::{Deciding, Looks};
use crate::stages::keep::{Keeping, Order, Wishes};
use crate::stages::left_out::LeftOut;
use crate::stages::pieces::Pieces;
use crate::stages::reserve::Reserve;
use crate::thinker::start_thinkers;
use crate::track;
use crate::volatile;
use crate::way::{self, Way};
use crate::witness::Witness;
use gleaner_frontier::{FileNames, Limits, PaceSettings, Scope, Seats, Traps, Wanted};
use gleaner_history::compare::Judging;
use gleaner_judge::identity::Rules;
use gleaner_model::project::Sitemaps;
use gleaner_model::{Chance, Clock, HostId, Project, ScopeKind, Timestamp};
use gleaner_readers::Pool;
use gleaner_store::runs::{RunKind, RunStatus};
use gleaner_store::{RunRef, Store};
use gleaner_units::Units;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tracing::{Instrument, Span, debug, error, info, info_span};

/// What a run gets from outside.
pub struct Surroundings {
    pub store: Arc<dyn Store>,
    /// Where large bodies lie on their way.
    pub spool: PathBuf,
    pub units: Units,
    pub clock: Arc<dyn Clock>,
    /// The pace of hosts, shared by all runs of the process: they share their clock, too.
    pub paces: Paces,
    pub chance: Arc<dyn Chance>,
    pub progress: Arc<Progress>,
    /// Becomes true when the run should finish what is in flight and stop.
    pub stop: watch::Receiver<bool>,
    /// What references to secrets stand for.
    pub secrets: Arc<Secrets>,
    /// Connections that may be open at once, those that are only waited for included.
    pub sockets_max: usize,
    /// Reads documents that are no pages; none where nobody can.
    pub readers: Option<Arc<Pool>>,
    /// Is told what happens on the way.
    pub witness: Option<Arc<Witness>>,
    /// The cookie jar as bytes, when it changed since the last call.
    pub cookies: Box<dyn Fn() -> Option<Vec<u8>> + Send>,
}

/// How the run ended.
pub struct Ended {
    pub status: RunStatus,
    pub note: Option<String>,
    /// It was settled before it began to work again: nobody has looked at the site.
    pub had_nothing_to_ask: bool,
    /// What was counted and measured in this part of the run.
    pub measured: Measured,
}

/// Works on a run until it is finished or told to stop. The seeds are in the frontier already.
pub async fn crawl(of: RunRef, project: &Project, around: Surroundings) -> Result<Ended, RunError> {
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

async fn work(of: RunRef, project: &Project, around: Surroundings) -> Result<Ended, RunError> {
    let store = Arc::clone(&around.store);
    let run = RunStore { store, of };
    let begun_at = around.clock.monotonic();
    let seeds = way::homes(project)?;
    let mut scope = Scope::new(project.scope, &seeds);
    let led_to = run.store.redirects_of(seeds.clone()).await?;
    for url in &led_to {
        scope.admit(url);
    }
    let own = run.store.traps(of.run).await?;
    let traps = match own.and_then(|saved| Traps::load(&saved)) {
        Some(traps) => traps,
        None => (run.store.traps_before(of).await?)
            .and_then(|saved| Traps::load_for_next(&saved))
            .unwrap_or_default(),
    };
    let traps = Arc::new(Mutex::new(traps));
    let deciding = Arc::new(Deciding {
        traps: Arc::clone(&traps),
        scope: RwLock::new(scope),
        rules: gleaner_frontier::Rules::compile(&project.rules).map_err(RunError::Rules)?,
        rules_default: project.rules_default,
        way: Way::of(project, &*around.secrets, around.witness.as_ref())?,
        witness: around.witness.clone(),
        wanted: Wanted::of(project),
        names: FileNames::of(project)?,
        requisites: project.requisites,
        limits: Limits::of(project),
        obey_robots: project.obey_robots,
        sitemaps: Mutex::default(),
        identities: Identities::default(),
        logs_in: project.login.is_some(),
        looks: Looks::default(),
        listed_schemes: around.units.listed_schemes(),
        sample_of_listed: project.verify_content.sample(),
        script_links: project.script_links,
        left_out: LeftOut::default(),
        run: of.run,
    });
    volatile::keep(&run, project, &seeds)?;
    for stored in run.store.site_rules(of.project).await? {
        // Rules that cannot be read any more are learned anew.
        if let Ok(rules) = serde_json::from_str::<Rules>(&stored.rules) {
            deciding
                .identities
                .remember_stored(&stored.site, rules, stored.is_settled);
        }
    }
    let row = run.store.run_row(of.run).await?;
    let judging = Judging::of(project)?;
    let noises = run.store.noises(of.project).await?;
    let comparing = Arc::new(Comparing::new(
        judging,
        noises,
        Arc::clone(&run.store),
        project.believes_empty,
        run.store.documents_count(of.project).await?,
    ));
    let is_track = row.kind == RunKind::Track;
    info!(
        kind = row.kind.as_str(),
        active_ms = row.active_ms,
        "the run begins"
    );
    let turns = if is_track {
        track::begin(&run, project, &deciding, around.clock.wall())?
    } else {
        None
    };
    let reads_sitemaps = match project.sitemaps {
        Sitemaps::On => true,
        Sitemaps::Off => false,
        Sitemaps::Auto => project.depth_max.is_none() && project.scope != ScopeKind::List,
    };
    let lists = lists::begin(&run, project, row.kind, reads_sitemaps)?;
    let counts = run.store.counts(of.run).await?;
    let waiting = run.store.hosts_waiting(of).await?;
    let pages_before = match project.pages_per_host_max {
        Some(_) => run.store.documents_by_host(of).await?,
        None => Vec::new(),
    };
    let has_history = run.store.has_documents(of.project).await?;
    // Zero is for hosts of one's own: they are asked at once.
    let held = match project.delay_ms {
        0 => Vec::new(),
        _ => run.store.hosts_held(around.clock.wall()).await?,
    };
    Progress::set(&around.progress.queued, counts.queued);
    debug!(
        queued = counts.queued,
        hosts = waiting.len(),
        "the frontier is open"
    );

    let (fetched_in, fetched_out) = crossbeam_channel::unbounded::<Fetched>();
    let (orders_in, orders_out) = crossbeam_channel::unbounded::<Order>();
    let (news_in, news_out) = unbounded_channel::<News>();
    let wishes = Arc::new(Wishes::default());
    let abandon = Arc::new(AtomicBool::new(false));
    let spool = around.spool;

    let concurrency = project.concurrency.max(1);
    let keeping = Keeping {
        store: run.clone(),
        concurrency,
        orders: orders_out,
        news: news_in.clone(),
        wishes: Arc::clone(&wishes),
        progress: Arc::clone(&around.progress),
        clock: Arc::clone(&around.clock),
        traps: Arc::clone(&traps),
        is_track,
        turns,
        comparing: Arc::clone(&comparing),
        deciding: Arc::clone(&deciding),
        has_history,
        sample_of_dated: lists.sample,
        active_ms_before: row.active_ms,
        begun_at,
        cookies: around.cookies,
        abandon: Arc::clone(&abandon),
        span: Span::current(),
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
        &around.progress,
        around.readers.as_ref().filter(|_| project.document_links),
    )?;
    drop(fetched_out);

    let door = (project.login.as_ref())
        .map(|login| Door::of(login, &*around.secrets, around.witness.as_ref()))
        .transpose()?;
    let headers = credentials::headers(project, &seeds, &*around.secrets)?;
    let fetcher = Arc::new(Fetcher {
        door,
        headers,
        units: around.units,
        body_bytes_max: project.body_bytes_max,
        deciding: Arc::clone(&deciding),
        comparing: Arc::clone(&comparing),
        slashes: tokio::sync::Mutex::default(),
        pieces: Arc::new(Pieces::new(fetched_in.clone())),
    });
    let mut flow = Flow {
        reserve: Reserve::new(
            RunPace::new(around.paces, PaceSettings::of(project)),
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
        concurrency,
        reads_sitemaps,
        going: Going::new(Seats::new(project.concurrency, around.sockets_max)),
        unkept: 0,
        coming: Coming::default(),
        unchanged: HashSet::new(),
        giving_up: 0,
        robots_asked: 0,
        pages: counts.new + counts.updated + counts.same,
        bytes_before: row.wire_bytes,
        time_before: Duration::from_millis(row.active_ms),
        begun_at,
        started_at: row.started_at,
        cuts: Vec::new(),
        tasks: JoinSet::new(),
        spool,
        waiting: None,
        is_track,
        seeds,
        led_to: led_to.into(),
        standings: HashMap::new(),
        step: 0,
        entry: Entry::new(),
    };
    if flow.deciding.way.is_some() {
        flow.reserve.open_to(0);
    }
    flow.reserve.set_waiters(lists.waiters);
    let listed_schemes = flow.deciding.listed_schemes.clone();
    let progress = Arc::clone(&flow.progress);
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
    // A run that goes on does not know what its steps found before.
    let idle = match &flow.deciding.way {
        Some(way) if row.active_ms == 0 => way.idle(),
        _ => Vec::new(),
    };
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
    let kept = keep_thread
        .join()
        .map_err(|_| RunError::StageGone { stage: "keep" })?;
    // The store's own error says more than the echo of it.
    kept?;
    let (status, note) = ending?;
    let note = note.or_else(|| idle.first().cloned());
    run.store.keep_cuts(of, cuts).await?;
    run.store.hold_hosts(waits).await?;
    if status == RunStatus::Finished && is_track {
        settle(&run, project, &comparing, &listed_schemes, wall)?;
    }
    Ok(Ended {
        status,
        note,
        had_nothing_to_ask: counts.queued == 0,
        measured: progress.metrics.read(),
    })
}
