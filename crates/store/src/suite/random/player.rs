//! Who plays a sequence: it remembers what it was answered, and asks with that.

use super::leases::Remembered;
use super::{calls, leases, looks, settle};
use crate::runs::{RunKind, RunRef, RunStatus};
use crate::store::Store;
use crate::suite::pages::{NOW, project, url};
use crate::work::Queued;
use gleaner_model::chance::{Chance, SplitMix};
use gleaner_model::{ProjectId, Timestamp};
use std::fmt::Write as _;

/// What is called, and the seed of how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    what: What,
    seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Crash,
    Start,
    End,
    Seeds,
    Fetch,
    Leases,
    TakeAlong,
    KeepTaken,
    GiveUp,
    Rescore,
    Robots,
    Track,
    Links,
    Lists,
    Settle,
    Sites,
    Projects,
}

/// Each as often as it stands here.
const CHOICE: &[What] = &[
    What::Crash,
    What::Start,
    What::Start,
    What::End,
    What::End,
    What::End,
    What::End,
    What::Seeds,
    What::Seeds,
    What::Fetch,
    What::Fetch,
    What::Fetch,
    What::Fetch,
    What::Fetch,
    What::Fetch,
    What::Fetch,
    What::Fetch,
    What::Leases,
    What::Leases,
    What::Leases,
    What::TakeAlong,
    What::KeepTaken,
    What::KeepTaken,
    What::GiveUp,
    What::Rescore,
    What::Rescore,
    What::Robots,
    What::Robots,
    What::Track,
    What::Track,
    What::Track,
    What::Links,
    What::Links,
    What::Lists,
    What::Lists,
    What::Settle,
    What::Settle,
    What::Settle,
    What::Sites,
    What::Projects,
];

impl Call {
    pub(super) fn any(chance: &SplitMix) -> Call {
        Call {
            what: CHOICE[below(chance, CHOICE.len())],
            seed: chance.next(),
        }
    }

    pub(super) fn is_crash(&self) -> bool {
        self.what == What::Crash
    }
}

pub(super) fn below(chance: &SplitMix, count: usize) -> usize {
    (chance.next() % count.max(1) as u64) as usize
}

pub(super) fn one_in(chance: &SplitMix, count: usize) -> bool {
    below(chance, count) == 0
}

pub(super) fn pick<T: Clone>(chance: &SplitMix, from: &[T]) -> T {
    from[below(chance, from.len())].clone()
}

/// Between two calls; dates of lists that lie nearer to each other tell nothing.
pub(super) const HOUR_MS: i64 = 3_600_000;

/// The second project has steps.
const PROJECTS: [&str; 2] = ["plain", "steps"];

#[derive(Default)]
pub(super) struct Player {
    pub(super) now: i64,
    /// Rows that were taken along and not kept yet.
    pub(super) taken: Vec<(RunRef, Queued)>,
    pub(super) leases: Vec<Remembered>,
    pub(super) runs: Vec<RunRef>,
    pub(super) projects: Vec<ProjectId>,
    pub(super) told: String,
}

impl Player {
    pub(super) fn now(&mut self) -> Timestamp {
        self.now += HOUR_MS;
        Timestamp(NOW.0 + self.now)
    }

    /// Writes an answer down.
    pub(super) fn tell(&mut self, what: &str, answer: impl std::fmt::Debug) {
        let _a_string_takes_all = writeln!(self.told, "{what} {answer:?}");
    }

    pub(super) fn has_steps(&self, of: RunRef) -> bool {
        self.projects.get(1) == Some(&of.project)
    }

    /// Gives back all answers to a call, with a look at everything behind it.
    pub(super) async fn play(&mut self, store: &dyn Store, call: &Call) -> String {
        let chance = SplitMix::seeded(call.seed);
        self.told.clear();
        if self.projects.is_empty() {
            for name in PROJECTS {
                let id = store.project(project(name), NOW).await.unwrap();
                self.projects.push(id);
            }
        }
        match call.what {
            What::Start => {
                let place = below(&chance, PROJECTS.len());
                self.start(store, &chance, place).await;
            }
            What::Projects => calls::projects(self, store, &chance).await,
            _ => {}
        }
        if let Some(of) = self.open_run(store, &chance).await {
            match call.what {
                What::Crash | What::Start | What::Projects => {}
                What::End => self.end(store, &chance, of).await,
                What::Seeds => calls::seeds(self, store, &chance, of).await,
                What::Fetch => calls::fetch(self, store, &chance, of).await,
                What::Leases => leases::leases(self, store, &chance, of).await,
                What::TakeAlong => calls::take_along(self, store, &chance, of).await,
                What::KeepTaken => calls::keep_taken(self, store, &chance, of).await,
                What::GiveUp => calls::give_up(self, store, &chance, of).await,
                What::Rescore => calls::rescore(self, store, &chance, of).await,
                What::Robots => calls::robots(self, store, &chance, of).await,
                What::Track => calls::track(self, store, &chance, of).await,
                What::Links => calls::links(self, store, &chance, of).await,
                What::Lists => calls::lists(self, store, &chance, of).await,
                What::Settle => settle::settle(self, store, &chance, of).await,
                What::Sites => calls::sites(self, store, &chance, of).await,
            }
        }
        if one_in(&chance, 3) {
            looks::look(self, store, &chance).await;
        }
        std::mem::take(&mut self.told)
    }

    /// One of the runs that are not finished.
    async fn open_run(&mut self, store: &dyn Store, chance: &SplitMix) -> Option<RunRef> {
        // The one with steps half as often.
        let place = usize::from(one_in(chance, 4));
        let project = self.projects[place];
        let mut run = store.unfinished_run(Some(project)).await.unwrap();
        self.tell("unfinished", run);
        if run.is_none() {
            self.start(store, chance, place).await;
            run = store.unfinished_run(Some(project)).await.unwrap();
        }
        run.map(|run| RunRef { project, run })
    }

    /// Starts the next run of a project, or goes on with the one that is not finished.
    async fn start(&mut self, store: &dyn Store, chance: &SplitMix, place: usize) {
        let (id, now) = (self.projects[place], self.now());
        if let Some(run) = store.unfinished_run(Some(id)).await.unwrap() {
            store.set_running(run).await.unwrap();
            return;
        }
        let kind = pick(chance, &[RunKind::Crawl, RunKind::Track]);
        let mut settings = project(PROJECTS[place]);
        settings.user_agent = format!("agent {}", self.runs.len());
        let id = store.project(settings.clone(), now).await.unwrap();
        self.projects[place] = id;
        let run = store.start_run(id, settings, kind, now).await.unwrap();
        self.tell("started", run);
        let of = RunRef { project: id, run };
        self.runs.push(of);
        let last = store.last_settings(of).await.unwrap();
        self.tell("last", last.map(|project| project.user_agent));
        let root = pick(chance, &["/", "ftp://f.test/d/"]);
        let starts = vec![(url(root), calls::entry(self, chance, of))];
        let kept = store.enqueue_starts(of, starts, now).await.unwrap();
        self.tell("seeds", kept);
    }

    async fn end(&mut self, store: &dyn Store, chance: &SplitMix, of: RunRef) {
        let now = self.now();
        let (finished, stopped) = (RunStatus::Finished, RunStatus::Stopped);
        match below(chance, 5) {
            0 => store.fail_run(of.run, now, "it broke".to_owned()).await.unwrap(),
            1 => {
                let note = Some("stopped".to_owned());
                store.end_run(of.run, stopped, now, note).await.unwrap();
            }
            _ => {
                self.taken.retain(|(other, _)| *other != of);
                store.end_run(of.run, finished, now, None).await.unwrap();
                let place = usize::from(self.has_steps(of));
                self.start(store, chance, place).await;
                if let (Some(of), true) = (self.runs.last().copied(), one_in(chance, 2)) {
                    calls::track(self, store, chance, of).await;
                }
            }
        }
        let ledger = store.reader().unwrap();
        let position = ledger.position("follower").unwrap();
        if let Some(told) = ledger.changes_after(position, 4).unwrap().last() {
            store.advance("follower".to_owned(), told.position).await.unwrap();
        }
        drop(ledger);
        store.tidy().await.unwrap();
    }
}
