//! A run from beginning to end: sets the stages up, lets them work, and puts everything away.

use crate::channels;
use crate::credentials;
use crate::disk::FullDisk;
use crate::error::RunError;
use crate::flow::Flow;
use crate::flow::coming::Coming;
use crate::flow::going::Going;
use crate::flow::login::Entry;
use crate::forms::SecretLookup;
use crate::fresh::Comparing;
use crate::handoff::handoff;
use crate::identity::Identities;
use crate::lists;
use crate::login::PreparedLogin;
use crate::metrics::Measured;
use crate::outbox::Outbox;
use crate::processor::Processor;
use crate::progress::Progress;
use crate::requests::Requests;
use crate::run_store::RunStore;
use crate::settle::settle;
use crate::shared_pace::{Paces, RunPace};
use crate::stages::fetch::Fetcher;
use crate::stages::follow::{Deciding, Looks};
use crate::stages::keep::KeepStage;
use crate::stages::keep::commit::Committer;
use crate::stages::keep::gathered::CommitPace;
use crate::stages::keep::traps::BatchTraps;
use crate::stages::left_out::LeftOut;
use crate::stages::pieces::Pieces;
use crate::stages::reserve::Reserve;
use crate::thinker::{Reading, start_reading};
use crate::track;
use crate::volatile;
use crate::way::{self, Way};
use crate::witness::Witness;
use gleaner_frontier::{FetchSlots, FileNames, Limits, PaceSettings, Scope, Traps, Wanted};
use gleaner_history::compare::Judging;
use gleaner_judge::identity::UrlRules;
use gleaner_model::project::Sitemaps;
use gleaner_model::{Chance, Clock, HostId, Project, ScopeKind, Timestamp};
use gleaner_readers::Pool;
use gleaner_store::runs::{RunKind, RunStatus};
use gleaner_store::{RunRef, Store, StoreError};
use gleaner_units::Units;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;
use tokio::sync::mpsc::channel;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tracing::{Instrument, debug, error, info, info_span};

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
    /// Where work runs that keeps a processor busy.
    pub processor: Processor,
    pub progress: Arc<Progress>,
    /// Becomes true when the run should finish what is in flight and stop.
    pub stop: watch::Receiver<bool>,
    /// What references to secrets stand for.
    pub secrets: Arc<SecretLookup>,
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
pub struct CrawlEnd {
    pub status: RunStatus,
    pub note: Option<String>,
    /// It was settled before it began to work again: nobody has looked at the site.
    pub had_nothing_to_ask: bool,
    /// What was counted and measured in this part of the run.
    pub measured: Measured,
}

/// Works on a run until it is finished or told to stop. The seeds are in the frontier already.
pub async fn crawl(of: RunRef, project: &Project, around: Surroundings) -> Result<CrawlEnd, RunError> {
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

async fn work(of: RunRef, project: &Project, around: Surroundings) -> Result<CrawlEnd, RunError> {
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
    let project = Arc::new(project.clone());
    let processor = around.processor;
    {
        let (run, project, seeds) = (run.clone(), Arc::clone(&project), seeds.clone());
        let keep = move || volatile::keep(&run, &project, &seeds);
        processor.run(keep).await?;
    }
    for stored in run.store.site_rules(of.project).await? {
        // Rules that cannot be read any more are learned anew.
        if let Ok(rules) = serde_json::from_str::<UrlRules>(&stored.rules) {
            deciding
                .identities
                .remember_stored(&stored.site, rules, stored.is_settled);
        }
    }
    let row = run.store.run_row(of.run).await?;
    let judging = Judging::of(&project)?;
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
        let (run, project, deciding) = (run.clone(), Arc::clone(&project), Arc::clone(&deciding));
        let now = around.clock.wall();
        let begin = move || track::begin(&run, &project, &deciding, now);
        processor.run(begin).await?
    } else {
        None
    };
    let reads_sitemaps = match project.sitemaps {
        Sitemaps::On => true,
        Sitemaps::Off => false,
        Sitemaps::Auto => project.depth_max.is_none() && project.scope != ScopeKind::List,
    };
    let lists = lists::begin(&run, &project, row.kind, reads_sitemaps).await?;
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

    let (to_read, fetched) = handoff(channels::FETCHED);
    let (to_keep, judged) = channel(channels::JUDGED);
    let (to_store, requests) = channel(channels::REQUESTS);
    let (news_in, news) = channel(channels::NEWS);
    let (commit_pace, pace) = watch::channel(CommitPace::default());
    let (abandon, abandoned) = watch::channel(false);
    let spool = around.spool;

    let concurrency = project.concurrency.max(1);
    let disk = FullDisk {
        progress: Arc::clone(&around.progress),
        abandon: abandoned,
    };
    let committer = Arc::new(Committer {
        store: run.clone(),
        disk: disk.clone(),
        processor,
        news: news_in.clone(),
        progress: Arc::clone(&around.progress),
        clock: Arc::clone(&around.clock),
        traps: BatchTraps {
            traps: Arc::clone(&traps),
            deciding: Arc::clone(&deciding),
            run: of.run,
            is_track,
            turns,
        },
        comparing: Arc::clone(&comparing),
        active_ms_before: row.active_ms,
        begun_at,
        cookies: Mutex::new(around.cookies),
        is_changed: AtomicBool::new(false),
    });
    let keep = KeepStage {
        committer,
        input: judged,
        pace,
        concurrency,
    };
    let keep = tokio::spawn(keep.work().in_current_span());
    let asking = Requests {
        store: run.clone(),
        disk,
        processor,
        news: news_in.clone(),
        progress: Arc::clone(&around.progress),
        clock: Arc::clone(&around.clock),
        has_history,
        sample_of_dated: lists.sample,
    };
    let asking = tokio::spawn(asking.work(requests).in_current_span());
    let reading = Reading {
        fetched,
        to_keep: to_keep.clone(),
        news: news_in.clone(),
        deciding: Arc::clone(&deciding),
        comparing: Arc::clone(&comparing),
        clock: Arc::clone(&around.clock),
        progress: Arc::clone(&around.progress),
        spool: spool.clone(),
        tries_max: project.tries_max,
        body_bytes_max: project.body_bytes_max,
    };
    let documents = around.readers.as_ref().filter(|_| project.document_links);
    let readers = start_reading(reading, processor, documents)?;

    let login = (project.login.as_ref())
        .map(|login| PreparedLogin::of(login, &*around.secrets, around.witness.as_ref()))
        .transpose()?;
    let headers = credentials::headers(&project, &seeds, &*around.secrets)?;
    let fetcher = Arc::new(Fetcher {
        login,
        headers,
        units: around.units,
        body_bytes_max: project.body_bytes_max,
        deciding: Arc::clone(&deciding),
        comparing: Arc::clone(&comparing),
        slashes: tokio::sync::Mutex::default(),
        pieces: Arc::new(Pieces::new(to_read.clone())),
    });
    let mut flow = Flow {
        reserve: Reserve::new(
            RunPace::new(around.paces, PaceSettings::of(&project)),
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
        news,
        news_in,
        to_keep: Outbox::new(to_keep),
        requests: Outbox::new(to_store),
        asked: 0,
        to_read,
        commit_pace,
        processor,
        concurrency,
        reads_sitemaps,
        going: Going::new(FetchSlots::new(project.concurrency, around.sockets_max)),
        unkept: 0,
        coming: Coming::default(),
        unchanged: HashSet::new(),
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
        abandon.send_replace(true);
    }
    let cuts = std::mem::take(&mut flow.cuts);
    let (now, wall) = (flow.clock.monotonic(), flow.clock.wall());
    let waits: Vec<(HostId, Timestamp)> = (flow.reserve.waits(now).into_iter())
        .map(|(host, wait)| (host, wall.after(wait)))
        .collect();
    // Fetches that are still under way keep the channel to those who read open: they are stopped, so that these end.
    flow.tasks.shutdown().await;
    drop(flow);
    let kept = ended(keep).await;
    let asked = ended(asking).await;
    readers.join();
    // The store's own error says more than the echo of it.
    kept.and(asked)?;
    let (status, note) = ending?;
    let note = note.or_else(|| idle.first().cloned());
    run.store.keep_cuts(of, cuts).await?;
    run.store.hold_hosts(waits).await?;
    if status == RunStatus::Finished && is_track {
        let settle = move || settle(&run, &project, &comparing, &listed_schemes, wall);
        processor.run(settle).await?;
    }
    Ok(CrawlEnd {
        status,
        note,
        had_nothing_to_ask: counts.queued == 0,
        measured: progress.metrics.read(),
    })
}

/// What a stage says at its end.
async fn ended(stage: JoinHandle<Result<(), StoreError>>) -> Result<(), RunError> {
    match stage.await {
        Ok(done) => Ok(done?),
        Err(_) => Err(RunError::StageGone { stage: "keep" }),
    }
}
