//! `gleaner library run` and its stages: a library's cycles, with the runs of this program.

use super::open::{addresses, find, settings_of};
use super::told::{tell_cycle, tell_event};
use crate::arguments::{AddToLibrary, Given, Network, RunLibrary, StageOfLibrary};
use crate::commands::company::Company;
use crate::commands::crawl::{SOFTWARE, open as open_store};
use crate::commands::engine::{Job, close, run_to_its_end};
use crate::commands::network::check_network;
use crate::commands::secrets;
use crate::output::{Output, is_closed};
use anyhow::{Context, bail};
use gleaner_collect::cycle::{Cycle, CycleEnd};
use gleaner_collect::sites::{all_sites, new_site, site_of};
use gleaner_collect::{
    CollectError, Collecting, Crawls, CycleEvent, LibraryStore, add as add_given, follow, teach,
};
use gleaner_frontier::Guide;
use gleaner_model::library::LibrarySettings;
use gleaner_model::{Project, Timestamp, Url};
use gleaner_readers::Appraises;
use gleaner_run::Guidance;
use gleaner_store::libraries::{Libraries as _, LibraryChange, LibrarySiteState};
use gleaner_store::runs::{RunStatus, Runs as _};
use gleaner_store::{RunRef, SqliteStore, Store as _, ledger, wait};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a wait for the next cycle looks whether somebody wants it to stop.
const WAKE: Duration = Duration::from_millis(200);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Fetch,
    Judge,
    Analyse,
}

/// Works on the runs of a library with this program's own means.
struct OwnRuns<'a> {
    store: SqliteStore,
    network: &'a Network,
    company: Company,
    data: &'a Path,
    output: Output,
}

impl Crawls for OwnRuns<'_> {
    fn crawl(
        &self,
        of: RunRef,
        project: &Project,
        guide: Arc<dyn Guide>,
        appraiser: Arc<dyn Appraises>,
    ) -> Result<RunStatus, CollectError> {
        let mut project = project.clone();
        project.allow_private |= self.network.allow_private;
        let mut job = Job::new(
            (of.project, of.run),
            &project,
            self.network,
            self.company.clone(),
            secrets::reader(self.data),
            self.output,
        );
        job.guidance = Some(Guidance { guide, appraiser });
        wait(self.store.set_running(of.run))?;
        let closed = run_to_its_end(&self.store, &job).and_then(|ended| close(&self.store, ended, &job));
        match closed {
            Ok(closed) => Ok(closed.status),
            Err(error) => {
                let now = self.company.clock.wall();
                let _the_error_says_more = wait(self.store.fail_run(of.run, now, error.to_string()));
                Err(CollectError::Crawl(error.into()))
            }
        }
    }
}

/// A library that is open for writing.
struct OpenLibrary<'a> {
    runs: OwnRuns<'a>,
    settings: Arc<LibrarySettings>,
    id: gleaner_model::LibraryId,
    project: gleaner_model::ProjectId,
    stop: Arc<AtomicBool>,
    output: Output,
    has_failed: Cell<bool>,
}

impl<'a> OpenLibrary<'a> {
    fn open(
        data: &'a Path,
        given: &Given,
        network: &'a Network,
        pages: Option<u64>,
        output: Output,
    ) -> anyhow::Result<OpenLibrary<'a>> {
        check_network(network)?;
        let mut settings = match given {
            Given::File(file) => settings_of(file, output)?,
            Given::Name(name) => find(&*ledger::open(data)?, name)?.settings,
        };
        if settings.project.user_agent.is_empty() {
            SOFTWARE.clone_into(&mut settings.project.user_agent);
        }
        let store = open_store(data, output)?;
        let company = Company::in_turn();
        let now = company.clock.wall();
        let name = settings.name().to_owned();
        let reader = store.reader()?;
        let is_known = reader.find_library(&name)?.is_some();
        // One that a kill left without its library has no seeds.
        let is_taken = |(_, project): (_, Project)| !project.seeds.is_empty();
        if !is_known && wait(store.find_project(name.clone()))?.is_some_and(is_taken) {
            bail!(
                "there is a project of this name, and a library needs one of its own; choose another name: {name}"
            );
        }
        let project = wait(store.project(settings.project.clone(), now))?;
        let id = wait(store.library(settings.clone(), project, now))?;
        if let Some(pages) = pages {
            settings.budget.pages = pages;
        }
        let opened = OpenLibrary {
            runs: OwnRuns {
                store,
                network,
                company,
                data,
                output,
            },
            settings: Arc::new(settings),
            id,
            project,
            stop: Arc::new(AtomicBool::new(false)),
            output,
            has_failed: Cell::new(false),
        };
        opened.listen()?;
        opened.begin()?;
        Ok(opened)
    }

    /// Ctrl-C also stops what is no run.
    fn listen(&self) -> anyhow::Result<()> {
        let (stop, mut told) = (Arc::clone(&self.stop), self.runs.company.stop.subscribe());
        self.runs.company.listen(self.output)?;
        std::thread::Builder::new()
            .name("stop".to_owned())
            .spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().build();
                if let Ok(runtime) = runtime {
                    let is_told = runtime.block_on(told.wait_for(|stop| *stop)).is_ok();
                    stop.store(is_told, Ordering::Relaxed);
                }
            })?;
        Ok(())
    }

    /// Sites and examples of the file that the library does not have yet.
    fn begin(&self) -> anyhow::Result<()> {
        let reader = self.runs.store.reader()?;
        let known = all_sites(&*reader, self.id)?;
        let mut new: BTreeMap<String, (Vec<String>, String)> = BTreeMap::new();
        for (url, how) in addresses(&self.settings, self.output)? {
            let site = site_of(&url);
            let entry = new.entry(site).or_insert_with(|| (Vec::new(), how));
            if !entry.0.contains(&url.to_string()) {
                entry.0.push(url.to_string());
            }
        }
        let mut sites = Vec::new();
        for (site, (starts, how)) in new {
            match known.get(&site) {
                None => sites.push(new_site(&site, starts, LibrarySiteState::Active, &how, &how)?),
                // What was found by itself before is named now.
                Some(old) if starts.iter().any(|start| !old.starts.contains(start)) => {
                    let mut site = old.clone();
                    site.starts
                        .extend(starts.into_iter().filter(|start| !old.starts.contains(start)));
                    if !site.is_by_hand && site.visits == 0 {
                        (site.state, site.why) = (LibrarySiteState::Active, how);
                    }
                    sites.push(site);
                }
                Some(_) => {}
            }
        }
        if !sites.is_empty() {
            let change = LibraryChange {
                sites,
                ..LibraryChange::default()
            };
            wait(self.runs.store.keep_library(self.id, change))?;
        }
        let examples: Vec<(String, bool)> = (self.settings.examples.iter().map(|one| (one.clone(), true)))
            .chain(
                self.settings
                    .counterexamples
                    .iter()
                    .map(|one| (one.clone(), false)),
            )
            .collect();
        let tell = |event: CycleEvent| self.tell(&event);
        let collecting = self.collecting(&tell);
        let unread = teach::learn_examples(&collecting, &examples)?;
        let missing: Vec<Url> = unread
            .iter()
            .filter(|(name, _)| name.contains("://"))
            .filter_map(|(name, _)| Url::parse(name).ok())
            .collect();
        let is_under_way = wait(self.runs.store.unfinished_run(Some(self.project)))?.is_some();
        if !missing.is_empty() && !is_under_way {
            add_given::add_documents(&collecting, &self.runs, &missing)?;
        }
        for (name, why) in teach::learn_examples(&collecting, &examples)? {
            self.output.say(&format!(
                "nothing can be learned from this example: {why}: {name}"
            ));
        }
        Ok(())
    }

    fn collecting<'s>(&'s self, tell: &'s dyn Fn(CycleEvent)) -> Collecting<'s> {
        Collecting {
            store: &self.runs.store as &dyn LibraryStore,
            readers: Arc::clone(&self.runs.company.readers),
            clock: Arc::clone(&self.runs.company.clock),
            library: self.id,
            project: self.project,
            settings: Arc::clone(&self.settings),
            stop: &self.stop,
            told: tell,
        }
    }

    fn tell(&self, event: &CycleEvent) {
        let told = tell_event(event, self.settings.name(), self.output);
        if let Err(error) = told
            && !is_closed(&error)
        {
            self.has_failed.set(true);
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn now(&self) -> Timestamp {
        self.runs.company.clock.wall()
    }

    /// Sleeps until then; false where somebody wants it to stop.
    fn sleep_until(&self, then: Timestamp) -> bool {
        while self.now() < then {
            if self.is_stopped() {
                return false;
            }
            let left = then.since(self.now());
            std::thread::sleep(left.min(WAKE));
        }
        !self.is_stopped()
    }
}

pub(super) fn run(data: &Path, arguments: &RunLibrary, output: Output) -> anyhow::Result<ExitCode> {
    let output = Output {
        telling: arguments.telling,
        ..output
    };
    let library = OpenLibrary::open(
        data,
        &arguments.library,
        &arguments.network,
        arguments.pages,
        output,
    )?;
    let tell = |event: CycleEvent| library.tell(&event);
    let collecting = library.collecting(&tell);
    let cycle = Cycle::new(&collecting, &library.runs);
    let mut done = 0;
    while arguments.cycles.is_none_or(|cycles| done < cycles) {
        match cycle.work()? {
            CycleEnd::Done(_) => done += 1,
            CycleEnd::Stopped => {
                let name = library.settings.name();
                output.note(&format!(
                    "stopped; `gleaner library run {name}` continues the cycle"
                ));
                return Ok(ExitCode::from(130));
            }
            CycleEnd::NothingDue(next) => {
                tell(CycleEvent::Idle {
                    until_ms: next.map(|next| next.0),
                });
                match next {
                    // Whoever asked for a number of cycles does not wait for days.
                    Some(next) if arguments.cycles.is_none() => {
                        if !library.sleep_until(next) {
                            return Ok(ExitCode::from(130));
                        }
                        continue;
                    }
                    _ => break,
                }
            }
        }
        let wait = library.settings.cycle.wait_seconds as i64 * 1000;
        let is_last = arguments.cycles.is_some_and(|cycles| done >= cycles);
        if wait > 0 && !is_last && !library.sleep_until(Timestamp(library.now().0 + wait)) {
            return Ok(ExitCode::from(130));
        }
    }
    if library.has_failed.get() {
        bail!("what happened could not be written; everything is kept");
    }
    Ok(ExitCode::from(u8::from(done == 0)))
}

pub(super) fn stage(
    data: &Path,
    arguments: &StageOfLibrary,
    stage: Stage,
    output: Output,
) -> anyhow::Result<ExitCode> {
    let output = Output {
        telling: arguments.telling,
        ..output
    };
    let library = OpenLibrary::open(data, &arguments.library, &arguments.network, None, output)?;
    let tell = |event: CycleEvent| library.tell(&event);
    let collecting = library.collecting(&tell);
    let cycle = Cycle::new(&collecting, &library.runs);
    match stage {
        Stage::Fetch => {
            let is_done = cycle.fetch()?;
            if library.is_stopped() {
                return Ok(ExitCode::from(130));
            }
            if !is_done {
                output.note("no site is due");
            }
            Ok(ExitCode::from(u8::from(!is_done)))
        }
        Stage::Judge => {
            let counts = if arguments.again {
                follow::judge_again(&collecting)?
            } else {
                cycle.judge()?
            };
            let what = if arguments.again { "changed" } else { "judged" };
            output.note(&format!(
                "{} documents {what}: {} accepted, {} rejected, {} uncertain",
                counts.all(),
                counts.accepted,
                counts.rejected,
                counts.uncertain
            ));
            Ok(ExitCode::SUCCESS)
        }
        Stage::Analyse => {
            if cycle.analyse()?.is_some() {
                Ok(ExitCode::SUCCESS)
            } else {
                output.note("no cycle waits to be analysed");
                let reader = library.runs.store.reader()?;
                if let Some(last) = reader.library_cycles(library.id)?.last() {
                    tell_cycle(last, output)?;
                }
                Ok(ExitCode::from(1))
            }
        }
    }
}

pub(super) fn add(data: &Path, arguments: &AddToLibrary, output: Output) -> anyhow::Result<ExitCode> {
    let output = Output {
        telling: arguments.telling,
        ..output
    };
    let mut urls = Vec::new();
    for one in &arguments.documents {
        let url = if one.contains("://") {
            crate::commands::crawl::read_seed(one)?
        } else {
            let path = Path::new(one);
            let whole = path
                .canonicalize()
                .with_context(|| format!("the document cannot be read: {one}"))?;
            gleaner_units::folder::url_of(&whole).with_context(|| format!("its path is no address: {one}"))?
        };
        urls.push(url);
    }
    let library = OpenLibrary::open(data, &arguments.library, &arguments.network, None, output)?;
    let tell = |event: CycleEvent| library.tell(&event);
    let collecting = library.collecting(&tell);
    match add_given::add_documents(&collecting, &library.runs, &urls)? {
        None => Ok(ExitCode::from(130)),
        Some(counts) => {
            if counts.all() == 0 {
                output.note("there was nothing new to judge; `gleaner library explain` tells what is known");
            }
            Ok(ExitCode::from(u8::from(counts.all() == 0)))
        }
    }
}
