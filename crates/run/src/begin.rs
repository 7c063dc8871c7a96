//! How a run begins: what the project says and what the store knows, before anything is asked for.

use crate::crawl::Surroundings;
use crate::error::RunError;
use crate::fresh::Comparing;
use crate::lists::{self, Believed};
use crate::processor::Processor;
use crate::progress::Progress;
use crate::rulebook::Rulebook;
use crate::run_store::RunStore;
use crate::site_memory::{SiteMemory, TrapRules};
use crate::track;
use crate::volatile;
use crate::way;
use gleaner_frontier::Traps;
use gleaner_frontier::revisit::Turns;
use gleaner_history::compare::Judging;
use gleaner_judge::identity::UrlRules;
use gleaner_model::project::Sitemaps;
use gleaner_model::{Clock, HostId, Instant, Project, ScopeKind, Timestamp, Url};
use gleaner_store::RunRef;
use gleaner_store::runs::{Counts, RunKind, RunRow};
use std::sync::Arc;
use tracing::{debug, info};

/// What the run knows when it begins.
pub(crate) struct Begun {
    pub(crate) run: RunStore,
    /// By what name it takes hosts, and its turn to settle.
    pub(crate) worker: String,
    pub(crate) project: Arc<Project>,
    pub(crate) row: RunRow,
    pub(crate) counts: Counts,
    pub(crate) seeds: Vec<Url>,
    /// Where they led in the runs before.
    pub(crate) led_to: Arc<[Url]>,
    pub(crate) rules: Arc<Rulebook>,
    pub(crate) sites: Arc<SiteMemory>,
    pub(crate) comparing: Arc<Comparing>,
    pub(crate) reads_sitemaps: bool,
    pub(crate) lists: Believed,
    /// How rarely what gave no document before is asked for; none: each time.
    pub(crate) turns: Option<Turns>,
    pub(crate) has_history: bool,
    pub(crate) hosts: KnownHosts,
    pub(crate) processor: Processor,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) progress: Arc<Progress>,
    /// By the clock that counts from any moment.
    pub(crate) since: Instant,
}

/// What is known of hosts when a run begins or goes on.
pub(crate) struct KnownHosts {
    /// Documents that earlier parts of the run have of each host, where that is limited.
    pub(crate) pages: Vec<(HostId, u64)>,
    /// Hosts that are not to be asked yet.
    pub(crate) held: Vec<(String, Timestamp)>,
}

impl Begun {
    pub(crate) async fn of(of: RunRef, project: &Project, around: &Surroundings) -> Result<Begun, RunError> {
        let since = around.clock.monotonic();
        let store = Arc::clone(&around.store);
        let run = RunStore { store, of };
        let project = Arc::new(project.clone());
        let processor = around.processor;
        let seeds = way::homes(&project)?;
        let led_to = run.store.redirects_of(seeds.clone()).await?;
        let rules = Arc::new(Rulebook::of(
            &project,
            &seeds,
            &led_to,
            around.units.listed_schemes(),
            &*around.secrets,
            around.witness.as_ref(),
        )?);
        let sites = sites_of(&run, &project, &seeds, processor).await?;
        let row = run.store.run_row(of.run).await?;
        let comparing = comparing_of(&run, &project).await?;
        info!(
            kind = row.kind.as_str(),
            active_ms = row.active_ms,
            "the run begins"
        );
        let turns = match row.kind {
            RunKind::Track => {
                let (run, project, rules) = (run.clone(), Arc::clone(&project), Arc::clone(&rules));
                let now = around.clock.wall();
                let begin = move || track::begin(&run, &project, &rules, now);
                processor.run(begin).await?
            }
            RunKind::Crawl => None,
        };
        let reads_sitemaps = reads_sitemaps(&project);
        let lists = lists::begin(&run, &project, row.kind, reads_sitemaps).await?;
        let counts = run.store.counts(of.run).await?;
        let hosts = KnownHosts::of(&run, &project, around.clock.wall()).await?;
        Progress::set(&around.progress.queued, counts.queued);
        debug!(queued = counts.queued, "the frontier is open");
        Ok(Begun {
            has_history: run.store.has_documents(of.project).await?,
            run,
            worker: around.worker.clone(),
            project,
            row,
            counts,
            seeds,
            led_to: led_to.into(),
            rules,
            sites,
            comparing,
            reads_sitemaps,
            lists,
            turns,
            hosts,
            processor,
            clock: Arc::clone(&around.clock),
            progress: Arc::clone(&around.progress),
            since,
        })
    }

    pub(crate) fn is_track(&self) -> bool {
        self.row.kind == RunKind::Track
    }
}

/// What earlier runs, and earlier parts of this one, remember of the sites.
async fn sites_of(
    run: &RunStore,
    project: &Arc<Project>,
    seeds: &[Url],
    processor: Processor,
) -> Result<Arc<SiteMemory>, RunError> {
    let own = run.store.traps(run.of.run).await?;
    let traps = match own.and_then(|saved| Traps::load(&saved)) {
        Some(traps) => traps,
        None => (run.store.traps_before(run.of).await?)
            .and_then(|saved| Traps::load_for_next(&saved))
            .unwrap_or_default(),
    };
    let keep_named = {
        let (run, project, seeds) = (run.clone(), Arc::clone(project), seeds.to_vec());
        move || volatile::keep(&run, &project, &seeds)
    };
    processor.run(keep_named).await?;
    let sites = SiteMemory::new(TrapRules::new(traps));
    for stored in run.store.site_rules(run.of.project).await? {
        // Rules that cannot be read any more are learned anew.
        if let Ok(rules) = serde_json::from_str::<UrlRules>(&stored.rules) {
            let identities = &sites.identities;
            identities.remember_stored(&stored.site, rules, stored.is_settled);
        }
    }
    Ok(Arc::new(sites))
}

async fn comparing_of(run: &RunStore, project: &Project) -> Result<Arc<Comparing>, RunError> {
    let judging = Judging::of(project)?;
    let noises = run.store.noises(run.of.project).await?;
    let documents = run.store.documents_count(run.of.project).await?;
    let store = Arc::clone(&run.store);
    Ok(Arc::new(Comparing::new(
        judging,
        noises,
        store,
        project.believes_empty,
        documents,
    )))
}

fn reads_sitemaps(project: &Project) -> bool {
    match project.sitemaps {
        Sitemaps::On => true,
        Sitemaps::Off => false,
        Sitemaps::Auto => project.depth_max.is_none() && project.scope != ScopeKind::List,
    }
}

impl KnownHosts {
    async fn of(run: &RunStore, project: &Project, now: Timestamp) -> Result<KnownHosts, RunError> {
        Ok(KnownHosts {
            pages: match project.pages_per_host_max {
                Some(_) => run.store.documents_by_host(run.of).await?,
                None => Vec::new(),
            },
            // Zero is for hosts of one's own: they are asked at once.
            held: match project.delay_ms {
                0 => Vec::new(),
                _ => run.store.hosts_held(now).await?,
            },
        })
    }
}
