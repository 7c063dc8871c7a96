//! Documents that a person gives: fetched, kept and judged as those of cycles are (G13).

use crate::filter::LiveFilter;
use crate::follow::{JudgedCounts, filter_of, judge_new};
use crate::guide::{BreadthGuide, CycleGuide, CycleShares};
use crate::{CollectError, Collecting, Crawls};
use gleaner_frontier::Guide;
use gleaner_library::stop::StopRule;
use gleaner_model::project::Sitemaps;
use gleaner_model::{Project, RunId, ScopeKind, Url};
use gleaner_store::runs::{RunKind, RunStatus};
use gleaner_store::{RunRef, wait};
use std::sync::Arc;

/// Fetches these addresses alone, and judges what came. None where somebody stopped it.
pub fn add_documents(
    of: &Collecting<'_>,
    crawls: &dyn Crawls,
    urls: &[Url],
) -> Result<Option<JudgedCounts>, CollectError> {
    if let Some(run) = wait(of.store.unfinished_run(Some(of.project)))? {
        return Err(CollectError::Given {
            why: "a cycle is under way; finish it first with `gleaner library run`".to_owned(),
            given: format!("run {run}"),
        });
    }
    let mut project = of.settings.project.clone();
    project.seeds = urls.iter().map(Url::to_string).collect();
    project.scope = ScopeKind::List;
    project.sitemaps = Sitemaps::Off;
    let now = of.clock.wall();
    let run = wait(
        of.store
            .start_run(of.project, project.clone(), RunKind::Crawl, now),
    )?;
    if crawl_list(of, crawls, run, &project)? != RunStatus::Finished {
        return Ok(None);
    }
    judge_new(of, 0).map(Some)
}

/// Works on a run that asks for a list of addresses.
pub(crate) fn crawl_list(
    of: &Collecting<'_>,
    crawls: &dyn Crawls,
    run: RunId,
    project: &Project,
) -> Result<RunStatus, CollectError> {
    let mut shares = CycleShares {
        all: u64::MAX,
        ..CycleShares::default()
    };
    for url in project.seeds.iter().filter_map(|seed| Url::parse(seed).ok()) {
        shares.by_site.insert(url.origin().to_owned(), u64::MAX);
    }
    let guide: Arc<dyn Guide> = Arc::new(CycleGuide::new(
        BreadthGuide::new(StopRule::default()),
        shares,
        false,
    ));
    let ledger = of.store.reader()?;
    let live = LiveFilter {
        filter: filter_of(of, &*ledger)?,
        readers: Arc::clone(&of.readers),
    };
    let of_run = RunRef {
        project: of.project,
        run,
    };
    crawls.crawl(of_run, project, guide, Arc::new(live))
}
