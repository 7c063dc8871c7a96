//! The real run on a store in memory, in virtual time, against a scripted site (A13, J8).
//!
//! A seed is the whole story: the site, how long its answers take and which of them fail, the project's manners, how slow the
//! store is and when its disk is full, and when the run is stopped or killed. Nothing runs at the same time as anything else, so
//! the story can be told again: a seed that fails is named, and `GLEANER_SEED=… cargo nextest run -p gleaner-run simulation`
//! repeats it. `GLEANER_SEEDS` says how many are tried.

mod site;
mod slow_store;
mod tracks;
mod worker;

use self::site::ScriptedSite;
use self::worker::{Interruption, InterruptionKind, Worker};
use gleaner_model::Chance;
use gleaner_model::chance::SplitMix;
use gleaner_store::runs::RunStatus;
use std::sync::Arc;

/// As many as a suite that is run all the time can bear.
const SEEDS: u64 = 1000;
const INTERRUPTIONS_MAX: u64 = 4;
/// Longer than a lease lasts. What a worker says of when a host may be asked again is a moment on its own clock, so who is
/// further off than a pause that is worth waiting for makes others leave the host out, and say so.
const CLOCK_SET_MAX: u64 = 240;
/// That share a run.
const WORKERS_MAX: u64 = 4;

/// Names the seed whose story ends badly.
struct Named(u64);

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the seed that fails: GLEANER_SEED={}", self.0);
        }
    }
}

fn seeds() -> Vec<u64> {
    let number = |name: &str| std::env::var(name).ok()?.parse().ok();
    match number("GLEANER_SEED") {
        Some(seed) => vec![seed],
        None => (0..number("GLEANER_SEEDS").unwrap_or(SEEDS)).collect(),
    }
}

/// Pages that a run with a limit may have.
fn limit_of(dice: &SplitMix) -> Option<u64> {
    dice.next().is_multiple_of(4).then(|| 1 + dice.next() % 30)
}

#[test]
#[ignore = "minutes"]
fn soak_a_hundred_thousand_simulated_runs() {
    for seed in SEEDS..100_000 {
        let _named = Named(seed);
        tell(seed);
        tell_of_several(seed);
        tracks::tell(seed);
    }
}

#[test]
fn a13_killed_anywhere_and_resumed_a_run_loses_nothing_and_keeps_nothing_twice() {
    for seed in seeds() {
        let _named = Named(seed);
        tell(seed);
    }
}

#[test]
fn a_track_says_what_is_true_of_each_document_whatever_comes_in_its_way() {
    for seed in seeds() {
        let _named = Named(seed);
        tracks::tell(seed);
    }
}

#[test]
fn workers_that_share_a_run_ask_each_host_as_one_would_and_keep_nothing_twice() {
    for seed in seeds() {
        let _named = Named(seed);
        tell_of_several(seed);
    }
}

fn tell_of_several(seed: u64) {
    let dice = SplitMix::seeded(seed);
    let below = |limit: u64| dice.next() % limit;
    let site = Arc::new(ScriptedSite::new(dice.next()));
    let worker = Worker::new(Arc::clone(&site), None, dice.next());
    let others = 1 + below(WORKERS_MAX - 1);
    let interruptions = interruptions_of(others, &dice);
    let ended = worker.go_together(&interruptions);
    let finished = ended
        .iter()
        .filter(|status| **status == RunStatus::Finished)
        .count();
    let goes_on = |interruption: &&Option<Interruption>| {
        !matches!(
            interruption.map(|one| one.kind),
            Some(InterruptionKind::Killed | InterruptionKind::Stopped)
        )
    };
    let undisturbed = interruptions.iter().filter(goes_on).count();
    assert!(finished >= undisturbed, "{ended:?}");
    assert_nothing_lost_or_kept_twice(&site, &worker, others, None);
}

fn interruption(dice: &SplitMix) -> Interruption {
    let below = |limit: u64| dice.next() % limit;
    Interruption {
        // The first parts of a run have the most to lose.
        looks: 1 + below(1 << (4 + below(8))),
        kind: match below(8) {
            0 | 1 => InterruptionKind::Stopped,
            2 => InterruptionKind::Paused {
                seconds: 1 + below(200),
            },
            3 => InterruptionKind::ClockSet {
                seconds: below(2 * CLOCK_SET_MAX) as i64 - CLOCK_SET_MAX as i64,
            },
            _ => InterruptionKind::Killed,
        },
    }
}

/// What comes in the way of so many workers; one more goes on to the end.
fn interruptions_of(others: u64, dice: &SplitMix) -> Vec<Option<Interruption>> {
    let below = |limit: u64| dice.next() % limit;
    let interruptions = (0..others).map(|_| (below(4) > 0).then(|| interruption(dice)));
    interruptions.chain([None]).collect()
}

fn tell(seed: u64) {
    let dice = SplitMix::seeded(seed);
    let site = Arc::new(ScriptedSite::new(dice.next()));
    let limit = limit_of(&dice);
    let worker = Worker::new(Arc::clone(&site), limit, dice.next());
    let killed = work_through(&worker, &dice);
    assert_nothing_lost_or_kept_twice(&site, &worker, killed, limit);
}

/// One process after the other, until the run is finished; how many were killed.
fn work_through(worker: &Worker, dice: &SplitMix) -> u64 {
    let below = |limit: u64| dice.next() % limit;
    let mut killed = 0;
    let mut ended = Some(RunStatus::Stopped);
    for _ in 0..below(INTERRUPTIONS_MAX + 1) {
        ended = worker.go(Some(interruption(dice)));
        killed += u64::from(matches!(ended, None | Some(RunStatus::Failed)));
        if ended == Some(RunStatus::Finished) {
            break;
        }
    }
    if ended != Some(RunStatus::Finished) {
        ended = worker.go(None);
    }
    assert_eq!(ended, Some(RunStatus::Finished));
    killed
}

fn assert_nothing_lost_or_kept_twice(site: &ScriptedSite, worker: &Worker, killed: u64, limit: Option<u64>) {
    assert_eq!(site.forbidden_requests(), Vec::<String>::new(), "robots.txt");
    let too_early = site.too_early(worker.delay());
    assert_eq!(
        too_early,
        Vec::<String>::new(),
        "requests before their host's time"
    );
    let expected = site.expected();
    let counts = worker.counts();
    if let Some(limit) = limit.filter(|limit| *limit <= expected.pages) {
        assert_eq!(counts.new, limit, "a12: a limit of n pages means n pages");
        return;
    }
    let found = (counts.new, counts.redirects, counts.dead_links);
    assert_eq!(
        found,
        (expected.pages, expected.redirects, expected.missing),
        "pages, redirects and dead links"
    );
    let others = (
        counts.errors,
        counts.updated,
        counts.same,
        counts.missing,
        counts.out,
        counts.queued,
    );
    assert_eq!(
        others,
        (0, 0, 0, 0, 0, 0),
        "what a first run cannot have, and what is left"
    );
    let kept = expected.pages + expected.redirects + expected.missing;
    assert_eq!(worker.records(), kept, "each capture once");
    let asked = site.asked();
    let may_cost = killed * worker.costs_of_a_kill();
    assert!(
        asked.answers <= kept + may_cost,
        "{} answers for {kept} pages and {killed} kills, which may cost {may_cost}",
        asked.answers
    );
}
