//! What a run did and how long it took, counted on the way: for people who want to know, and for servers that show it.
//!
//! Recording is a few additions without a lock. Nothing in a run is decided by these numbers, and nothing is lost with them:
//! what a run found is in the store. They are of this process's part of a run, as its pages were kept; what can only be said
//! at the end of a track (moved, away) is in the report.

pub mod histogram;

use gleaner_model::State;
use histogram::{Distribution, Histogram};
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    pub fn add(&self, amount: u64) {
        self.0.fetch_add(amount, Ordering::Relaxed);
    }

    pub fn read(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The live numbers of a run, readable from any thread at any time.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Answers to questions for pages, folders and lists, failures among them.
    pub answers: Counter,
    /// Of those answers, as received.
    pub bytes: Counter,
    pub robots: Counter,
    pub logins: Counter,
    /// Pages that stayed in the frontier to be asked for again.
    pub again: Counter,
    /// Pages that were taken up and not asked for: robots.txt, traps.
    pub refused: Counter,
    pub hosts_given_up: Counter,
    /// Links that were found on pages.
    pub links: Counter,
    /// Frontier rows that came of them.
    pub queued: Counter,
    /// Done with, by state.
    pub new: Counter,
    pub updated: Counter,
    pub same: Counter,
    pub missing: Counter,
    pub errors: Counter,
    pub out: Counter,
    /// Done with, and no document: a redirect, a dead link, a sitemap.
    pub other: Counter,
    /// From the start of a question to the first byte of its answer.
    pub first_byte: Histogram,
    /// To its last byte.
    pub fetch: Histogram,
    pub read: Histogram,
    pub judge: Histogram,
    /// From the first byte that is written to the end of the transaction.
    pub commit: Histogram,
    /// Pages in a commit.
    pub batch: Histogram,
    /// Rows of the frontier, at each commit.
    pub queue: Histogram,
}

impl Metrics {
    /// So many pages are done with.
    pub fn done(&self, state: Option<State>, count: u64) {
        let counter = match state {
            Some(State::New) => &self.new,
            Some(State::Upd) => &self.updated,
            Some(State::Sam) => &self.same,
            Some(State::Mis) => &self.missing,
            Some(State::Err) => &self.errors,
            Some(State::Out) => &self.out,
            None => &self.other,
        };
        counter.add(count);
    }

    /// All numbers at one moment, as plain values.
    pub fn read(&self) -> Measured {
        Measured {
            answers: self.answers.read(),
            bytes: self.bytes.read(),
            robots: self.robots.read(),
            logins: self.logins.read(),
            again: self.again.read(),
            refused: self.refused.read(),
            hosts_given_up: self.hosts_given_up.read(),
            links: self.links.read(),
            queued: self.queued.read(),
            done: ByState {
                new: self.new.read(),
                updated: self.updated.read(),
                same: self.same.read(),
                missing: self.missing.read(),
                errors: self.errors.read(),
                out: self.out.read(),
                other: self.other.read(),
            },
            first_byte_us: self.first_byte.read(),
            fetch_us: self.fetch.read(),
            read_us: self.read.read(),
            judge_us: self.judge.read(),
            commit_us: self.commit.read(),
            batch_pages: self.batch.read(),
            queue_rows: self.queue.read(),
        }
    }
}

/// What [`Metrics`] showed at one moment; the names are those of `--json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Measured {
    pub answers: u64,
    pub bytes: u64,
    pub robots: u64,
    pub logins: u64,
    pub again: u64,
    pub refused: u64,
    pub hosts_given_up: u64,
    pub links: u64,
    pub queued: u64,
    pub done: ByState,
    pub first_byte_us: Distribution,
    pub fetch_us: Distribution,
    pub read_us: Distribution,
    pub judge_us: Distribution,
    pub commit_us: Distribution,
    pub batch_pages: Distribution,
    pub queue_rows: Distribution,
}

/// Pages that are done with, by what came of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ByState {
    pub new: u64,
    pub updated: u64,
    pub same: u64,
    pub missing: u64,
    pub errors: u64,
    pub out: u64,
    pub other: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_a_counter_of_its_own() {
        let metrics = Metrics::default();
        let states = [
            State::New,
            State::Upd,
            State::Sam,
            State::Mis,
            State::Err,
            State::Out,
        ];
        for (at, state) in states.into_iter().map(Some).chain([None]).enumerate() {
            metrics.done(state, 10u64.pow(at as u32));
        }
        let done = metrics.read().done;
        let counts = [
            done.new,
            done.updated,
            done.same,
            done.missing,
            done.errors,
            done.out,
            done.other,
        ];
        assert_eq!(counts, [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]);
    }
}
