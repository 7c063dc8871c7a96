//! A cycle from its choice to its report, however often it is cut off on the way.
//!
//! The row of the cycle says how far it is: `chosen`, `crawled`, `done`. What was under way at a kill is begun again; a run goes on
//! where it was, and judging where its position is.

use crate::again::enqueue_known;
use crate::analyse::{analyse, folders_of, share_of, stop_rule, was_asked};
use crate::choose::{ChosenSite, choose_sites};
use crate::filter::LiveFilter;
use crate::follow::{JudgedCounts, filter_of, judge_new};
use crate::guide::{BreadthGuide, CycleGuide, CycleMemory, CycleShares, LeftSite};
use crate::report::{CycleEvent, CycleReport, SiteReport};
use crate::sites::all_sites;
use crate::teach::Lessons;
use crate::{CollectError, Collecting, Crawls, add};
use gleaner_frontier::Guide;
use gleaner_library::order::{LinkOrder, SeedGuide, SeedKnowledge, TopicGuide};
use gleaner_model::library::{StopRuleKind, VisitOrder};
use gleaner_model::project::Sitemaps;
use gleaner_model::{Project, RunId, ScopeKind, Timestamp, Url};
use gleaner_store::libraries::{LibraryChange, LibraryCycle, LibrarySite};
use gleaner_store::runs::{RunKind, RunStatus};
use gleaner_store::{Ledger, RunRef, wait};
use std::collections::BTreeMap;
use std::sync::Arc;

const CHOSEN: &str = "chosen";
const CRAWLED: &str = "crawled";
const DONE: &str = "done";
/// What was learned of links, by the order that learned it.
const ORDER: &str = "order";

/// How a cycle ended.
#[derive(Debug, Clone, PartialEq)]
pub enum CycleEnd {
    Done(Box<CycleReport>),
    /// Somebody stopped it; it goes on where it is.
    Stopped,
    /// No site is due before this time, or ever.
    NothingDue(Option<Timestamp>),
}

/// Works on cycles of one library.
pub struct Cycle<'a> {
    of: &'a Collecting<'a>,
    crawls: &'a dyn Crawls,
}

/// A cycle that is under way.
struct OpenCycle {
    row: LibraryCycle,
    chosen: Vec<ChosenSite>,
}

impl<'a> Cycle<'a> {
    pub fn new(of: &'a Collecting<'a>, crawls: &'a dyn Crawls) -> Cycle<'a> {
        Cycle { of, crawls }
    }

    /// One cycle from beginning to end: the one that was cut off, or a new one.
    pub fn work(&self) -> Result<CycleEnd, CollectError> {
        let mut cycle = match self.open()? {
            Ok(cycle) => cycle,
            Err(next) => return Ok(CycleEnd::NothingDue(next)),
        };
        let Some(left) = self.fetch_open(&mut cycle)? else {
            return Ok(CycleEnd::Stopped);
        };
        judge_new(self.of, cycle.row.number)?;
        if self.of.is_stopped() {
            return Ok(CycleEnd::Stopped);
        }
        Ok(CycleEnd::Done(Box::new(self.end(cycle, &left)?)))
    }

    /// The crawl of a cycle alone. False where somebody stopped it or nothing was due.
    pub fn fetch(&self) -> Result<bool, CollectError> {
        match self.open()? {
            Ok(mut cycle) => Ok(self.fetch_open(&mut cycle)?.is_some()),
            Err(_) => Ok(false),
        }
    }

    /// Judges what runs brought.
    pub fn judge(&self) -> Result<JudgedCounts, CollectError> {
        let number = self.unfinished()?.map_or(0, |cycle| cycle.row.number);
        judge_new(self.of, number)
    }

    /// The analysis of a cycle whose crawl is over; none where there is no such cycle.
    pub fn analyse(&self) -> Result<Option<CycleReport>, CollectError> {
        match self.unfinished()? {
            Some(cycle) if cycle.row.phase == CRAWLED => {
                judge_new(self.of, cycle.row.number)?;
                self.end(cycle, &BTreeMap::new()).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn unfinished(&self) -> Result<Option<OpenCycle>, CollectError> {
        let ledger = self.of.store.reader()?;
        let last = ledger.library_cycles(self.of.library)?.pop();
        let Some(row) = last.filter(|row| row.phase != DONE) else {
            return Ok(None);
        };
        let chosen = CycleReport::of(&row).sites.into_iter();
        let chosen = chosen.map(|site| ChosenSite {
            site: site.site,
            why: site.why,
        });
        Ok(Some(OpenCycle {
            chosen: chosen.collect(),
            row,
        }))
    }

    /// The cycle that is under way, or a new one; when the next one is due where there is nothing to do now.
    fn open(&self) -> Result<Result<OpenCycle, Option<Timestamp>>, CollectError> {
        if let Some(cycle) = self.unfinished()? {
            return Ok(Ok(cycle));
        }
        let of = self.of;
        let ledger = of.store.reader()?;
        let now = of.clock.wall();
        let sites = all_sites(&*ledger, of.library)?;
        let chosen = choose_sites(&of.settings, &sites, now)?;
        if chosen.is_empty() {
            let known = sites.values().filter(|site| site.visits > 0);
            return Ok(Err(known.filter_map(|site| site.next_visit).min()));
        }
        let last = ledger.library_cycles(of.library)?.pop();
        let number = last.map_or(1, |last| last.number + 1);
        let told: Vec<SiteReport> = chosen
            .iter()
            .map(|chosen| SiteReport {
                site: chosen.site.clone(),
                why: chosen.why.clone(),
                state: sites[&chosen.site].state.as_str().to_owned(),
                ..SiteReport::default()
            })
            .collect();
        let report = CycleReport {
            cycle: number,
            status: CHOSEN.to_owned(),
            order: of.settings.order.as_str().to_owned(),
            sites: told,
            ..CycleReport::default()
        };
        let row = LibraryCycle {
            number,
            run: None,
            phase: CHOSEN.to_owned(),
            began_at: now,
            ended_at: None,
            report: json(&report)?,
        };
        self.keep(row.clone())?;
        Ok(Ok(OpenCycle { row, chosen }))
    }

    fn keep(&self, row: LibraryCycle) -> Result<(), CollectError> {
        let change = LibraryChange {
            cycle: Some(row),
            ..LibraryChange::default()
        };
        Ok(wait(self.of.store.keep_library(self.of.library, change))?)
    }

    /// Crawls the sites of a cycle; none where somebody stopped it.
    fn fetch_open(&self, cycle: &mut OpenCycle) -> Result<Option<BTreeMap<String, LeftSite>>, CollectError> {
        if cycle.row.phase != CHOSEN {
            return Ok(Some(BTreeMap::new()));
        }
        let of = self.of;
        let ledger = of.store.reader()?;
        let sites = all_sites(&*ledger, of.library)?;
        let project = self.project(&cycle.chosen, &sites);
        let run = self.run_of(cycle, &project)?;
        (of.told)(CycleEvent::Chosen {
            cycle: cycle.row.number,
            run: run.0,
            sites: CycleReport::of(&cycle.row).sites,
        });
        let mut left = BTreeMap::new();
        if ledger.run(run)?.status != RunStatus::Finished {
            let reference = RunRef {
                project: of.project,
                run,
            };
            let (_, project) = wait(of.store.run_settings(run))?;
            let guide = self.guide(&*ledger, cycle, &sites)?;
            let known = cycle.chosen.iter().filter_map(|chosen| sites.get(&chosen.site));
            let shares = known
                .filter(|site| site.visits > 0)
                .map(|site| (site.site.clone(), share_of(&of.settings, site)))
                .collect();
            enqueue_known(of, &*ledger, reference, &shares, &*guide)?;
            let live = LiveFilter {
                filter: filter_of(of, &*ledger)?,
                readers: Arc::clone(&of.readers),
            };
            let as_guide = Arc::clone(&guide) as Arc<dyn Guide>;
            let status = self.crawls.crawl(reference, &project, as_guide, Arc::new(live))?;
            self.remember(&*guide)?;
            if status != RunStatus::Finished {
                return Ok(None);
            }
            left = guide.left();
        }
        CRAWLED.clone_into(&mut cycle.row.phase);
        self.keep(cycle.row.clone())?;
        Ok(Some(left))
    }

    /// What the run of a cycle collects.
    fn project(&self, chosen: &[ChosenSite], sites: &BTreeMap<String, LibrarySite>) -> Project {
        let settings = &*self.of.settings;
        let starts = chosen.iter().filter_map(|chosen| sites.get(&chosen.site));
        let mut seeds: Vec<String> = Vec::new();
        for start in starts.flat_map(|site| &site.starts) {
            if !seeds.contains(start) {
                seeds.push(start.clone());
            }
        }
        let mut project = settings.project.clone();
        project.seeds = seeds;
        project.scope = ScopeKind::Host;
        project.seconds_max = settings.budget.seconds;
        // What no page links to promises nothing, and would come first.
        project.sitemaps = Sitemaps::Off;
        project.script_links = false;
        project
    }

    /// The run of a cycle, noted before anything is asked for.
    fn run_of(&self, cycle: &mut OpenCycle, project: &Project) -> Result<RunId, CollectError> {
        if let Some(run) = cycle.row.run {
            return Ok(run);
        }
        let of = self.of;
        // A kill between the two leaves a run without its cycle: it is taken up here.
        let run = match self.stray(project)? {
            Some(run) => run,
            None => wait(
                of.store
                    .start_run(of.project, project.clone(), RunKind::Crawl, of.clock.wall()),
            )?,
        };
        cycle.row.run = Some(run);
        self.keep(cycle.row.clone())?;
        Ok(run)
    }

    /// A run that was started for this cycle and not noted; others that were left behind are ended first.
    fn stray(&self, project: &Project) -> Result<Option<RunId>, CollectError> {
        let of = self.of;
        while let Some(run) = wait(of.store.unfinished_run(Some(of.project)))? {
            let (_, settings) = wait(of.store.run_settings(run))?;
            if settings.seeds == project.seeds {
                return Ok(Some(run));
            }
            if add::crawl_list(of, self.crawls, run, &settings)? != RunStatus::Finished {
                return Err(CollectError::Given {
                    why: "a run that was left behind could not be ended".to_owned(),
                    given: run.to_string(),
                });
            }
        }
        Ok(None)
    }

    fn guide(
        &self,
        ledger: &dyn Ledger,
        cycle: &OpenCycle,
        sites: &BTreeMap<String, LibrarySite>,
    ) -> Result<Arc<dyn CycleMemory>, CollectError> {
        let settings = &*self.of.settings;
        let mut shares = CycleShares {
            all: settings.budget.pages,
            ..CycleShares::default()
        };
        for chosen in &cycle.chosen {
            if let Some(site) = sites.get(&chosen.site) {
                shares
                    .by_site
                    .insert(chosen.site.clone(), share_of(settings, site));
            }
        }
        if let Some(run) = cycle.row.run {
            shares.made = made(ledger, run)?;
        }
        let rule = stop_rule(settings);
        let leaves = settings.stop.rule != StopRuleKind::Never;
        let guide: Arc<dyn CycleMemory> = match settings.order {
            VisitOrder::BestFirst => {
                let lessons = Lessons::of(ledger, self.of.library)?;
                let (_, reader, judge) = crate::filter::topic_of(settings, &lessons);
                let kept = ledger.library_memory(self.of.library, ORDER)?;
                // What another version learned is learned anew.
                let order = kept
                    .and_then(|kept| LinkOrder::read(&kept).ok())
                    .unwrap_or_default();
                let guide = TopicGuide::new(reader, judge, order);
                let guide = guide.with_folders(folders_of(ledger, self.of)?, rule);
                Arc::new(CycleGuide::new(guide, shares, leaves))
            }
            VisitOrder::BreadthFirst => Arc::new(CycleGuide::new(BreadthGuide::new(rule), shares, leaves)),
            VisitOrder::S1 => {
                let guide = SeedGuide::new(SeedKnowledge::default());
                Arc::new(CycleGuide::new(guide, shares, leaves))
            }
        };
        Ok(guide)
    }

    fn remember(&self, guide: &dyn CycleMemory) -> Result<(), CollectError> {
        let learned = guide.save();
        if learned.is_empty() {
            return Ok(());
        }
        let change = LibraryChange {
            memories: vec![(ORDER.to_owned(), learned)],
            ..LibraryChange::default()
        };
        Ok(wait(self.of.store.keep_library(self.of.library, change))?)
    }

    /// The last step: what the cycle brought, kept together with its end.
    fn end(
        &self,
        mut cycle: OpenCycle,
        left: &BTreeMap<String, LeftSite>,
    ) -> Result<CycleReport, CollectError> {
        let analysed = analyse(self.of, &cycle.row, &cycle.chosen, left)?;
        DONE.clone_into(&mut cycle.row.phase);
        cycle.row.ended_at = Some(self.of.clock.wall());
        cycle.row.report = json(&analysed.report)?;
        let change = LibraryChange {
            sites: analysed.sites,
            cycle: Some(cycle.row),
            memories: analysed.memories,
            ..LibraryChange::default()
        };
        wait(self.of.store.keep_library(self.of.library, change))?;
        (self.of.told)(CycleEvent::Ended(Box::new(analysed.report.clone())));
        Ok(analysed.report)
    }
}

fn json(report: &CycleReport) -> Result<String, CollectError> {
    serde_json::to_string(report).map_err(|cause| CollectError::Kept {
        what: "report of a cycle",
        cause,
    })
}

/// Requests that a run has made, by site.
fn made(ledger: &dyn Ledger, run: RunId) -> Result<BTreeMap<String, u64>, CollectError> {
    let mut made: BTreeMap<String, u64> = BTreeMap::new();
    let mut after = None;
    loop {
        let page = ledger.sightings(run, after, 4096)?;
        let Some(last) = page.last() else { break };
        after = Some(last.resource);
        for sighting in page.iter().filter(|one| one.at.is_some() && was_asked(one)) {
            if let Some(place) = ledger.place(sighting.resource)?
                && let Ok(url) = Url::parse(&place.url)
            {
                *made.entry(url.origin().to_owned()).or_default() += 1;
            }
        }
    }
    Ok(made)
}
