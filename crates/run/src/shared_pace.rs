//! One pace per host and address over all runs of a process (A7).
//!
//! Each run asks with its own settings; a request that any of them started counts for all. A host that is busy with
//! somebody else's requests is looked at again soon, because nobody tells when those have ended.

use gleaner_frontier::pace::FetchOutcome;
use gleaner_frontier::{Manner, PaceBook, PaceSettings, Readiness, StartClaim};
use gleaner_model::{Clock, HostPaceState, Instant, Timestamp};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How soon a host is looked at again that others keep busy.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The book that the runs of a process share.
#[derive(Debug, Clone)]
pub struct Paces(Arc<Mutex<PaceBook>>);

impl Default for Paces {
    fn default() -> Paces {
        let book = PaceBook::new(PaceSettings::default());
        Paces(Arc::new(Mutex::new(book)))
    }
}

/// Further requests that belong to a fetch under way: each is a start like others, in the book that all runs share.
#[derive(Clone)]
pub(crate) struct FurtherStarts {
    book: Paces,
    settings: PaceSettings,
    clock: Arc<dyn Clock>,
    host: Box<str>,
    address: Option<IpAddr>,
}

impl FurtherStarts {
    /// Waits until the next request may start, which nobody else then may.
    pub(crate) async fn next(&self) {
        let now = self.clock.monotonic();
        let at = {
            let mut book = self.book.0.lock().unwrap_or_else(PoisonError::into_inner);
            book.under(self.settings)
                .next_start(&self.host, self.address, now)
        };
        tokio::time::sleep(at.since(now)).await;
    }
}

/// The book as one run uses it.
#[derive(Debug)]
pub(crate) struct RunPace {
    book: Paces,
    settings: PaceSettings,
    /// Fetches of this run that are under way.
    at_hosts: HashMap<Box<str>, usize>,
    at_addresses: HashMap<IpAddr, usize>,
    /// What this run was just allowed to start: nobody else is allowed the same meanwhile.
    claim: Option<StartClaim>,
}

impl Drop for RunPace {
    /// What is still under way is not any more.
    fn drop(&mut self) {
        self.give_claim_back();
        let (hosts, addresses) = (
            std::mem::take(&mut self.at_hosts),
            std::mem::take(&mut self.at_addresses),
        );
        let mut book = self.book();
        for (host, fetches) in hosts {
            book.broke_off(&host, fetches);
        }
        for (address, fetches) in addresses {
            book.broke_off_at(address, fetches);
        }
    }
}

impl RunPace {
    pub(crate) fn new(book: Paces, settings: PaceSettings) -> RunPace {
        RunPace {
            book,
            settings,
            at_hosts: HashMap::new(),
            at_addresses: HashMap::new(),
            claim: None,
        }
    }

    /// What was allowed and not started is free again.
    fn give_claim_back(&mut self) {
        if let Some(claim) = self.claim.take() {
            self.book().take_back(&claim);
        }
    }

    /// The book with this run's settings. Its lock is held for one question at a time.
    fn book(&self) -> MutexGuard<'_, PaceBook> {
        let mut book = self.book.0.lock().unwrap_or_else(PoisonError::into_inner);
        book.under(self.settings);
        book
    }

    pub(crate) fn wanted_delay(&self) -> Duration {
        self.settings.delay
    }

    pub(crate) fn drop_delay(&mut self, host: &str) {
        self.book().drop_delay(host);
    }

    pub(crate) fn set_crawl_delay(&mut self, host: &str, delay: Option<Duration>) {
        self.book().set_crawl_delay(host, delay);
    }

    /// May a fetch start now? Then it is this run's to start, until it asks again. Busy only while a fetch of this run is in
    /// the way, whose end is told.
    pub(crate) fn ready(&mut self, host: &str, address: Option<IpAddr>, now: Instant) -> Readiness {
        self.give_claim_back();
        let (ready, claim) = {
            let mut book = self.book();
            let ready = book.ready(host, address, now);
            let claim = (ready == Readiness::Now).then(|| book.claim(host, address, now));
            (ready, claim)
        };
        self.claim = claim;
        let is_mine =
            self.at_hosts.contains_key(host) || address.is_some_and(|a| self.at_addresses.contains_key(&a));
        match ready {
            Readiness::Busy if !is_mine => Readiness::At(now.after(LOOK_AGAIN)),
            ready => ready,
        }
    }

    pub(crate) fn started(&mut self, host: &str, address: Option<IpAddr>, now: Instant) {
        *self.at_hosts.entry(host.into()).or_default() += 1;
        if let Some(address) = address {
            *self.at_addresses.entry(address).or_default() += 1;
        }
        match self.claim.take() {
            Some(claim) if claim.is_of(host) => {}
            other => {
                self.claim = other;
                self.book().started(host, address, now);
            }
        }
    }

    pub(crate) fn finished(
        &mut self,
        host: &str,
        address: Option<IpAddr>,
        now: Instant,
        outcome: FetchOutcome,
    ) {
        one_less(&mut self.at_hosts, host);
        if let Some(address) = address {
            one_less(&mut self.at_addresses, &address);
        }
        self.book().finished(host, address, now, outcome);
    }

    pub(crate) fn manner(&self, host: &str) -> Manner {
        self.book().manner(host)
    }

    pub(crate) fn set_manner(&mut self, host: &str, manner: Manner) {
        self.book().set_manner(host, manner);
    }

    pub(crate) fn hold(&mut self, host: &str, until: Instant) {
        self.book().hold(host, until);
    }

    pub(crate) fn wait(&self, host: &str, now: Instant) -> Duration {
        self.book().wait(host, now)
    }

    pub(crate) fn pause(&self, host: &str, now: Instant) -> Option<Duration> {
        self.book().pause(host, now)
    }

    /// What the host's answers taught, for whoever asks it next.
    pub(crate) fn state(&self, host: &str, at: (Instant, Timestamp)) -> HostPaceState {
        self.book().state(host, at)
    }

    /// Goes on with what somebody else learned. Hosts of one's own are asked at once.
    pub(crate) fn learn(&mut self, host: &str, state: &HostPaceState, at: (Instant, Timestamp)) {
        if !self.settings.delay.is_zero() {
            self.book().learn(host, state, at);
        }
    }

    pub(crate) fn further_starts(
        &self,
        host: &str,
        address: Option<IpAddr>,
        clock: &Arc<dyn Clock>,
    ) -> FurtherStarts {
        FurtherStarts {
            book: self.book.clone(),
            settings: self.settings,
            clock: Arc::clone(clock),
            host: host.into(),
            address,
        }
    }
}

fn one_less<K: std::hash::Hash + Eq + std::borrow::Borrow<Q>, Q: std::hash::Hash + Eq + ?Sized>(
    counts: &mut HashMap<K, usize>,
    key: &Q,
) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_frontier::pace::OutcomeKind;

    fn at(ms: u64) -> Instant {
        Instant(Duration::from_millis(ms))
    }

    fn run_of(book: &Paces, delay_ms: u64) -> RunPace {
        let settings = PaceSettings {
            delay: Duration::from_millis(delay_ms),
            per_host: 1,
            per_address: 4,
        };
        RunPace::new(book.clone(), settings)
    }

    fn answered() -> FetchOutcome {
        FetchOutcome {
            response_time: Duration::ZERO,
            kind: OutcomeKind::Answered,
            jitter: 0.5,
        }
    }

    #[test]
    fn two_runs_at_one_host_are_as_polite_as_one() {
        let book = Paces::default();
        let (mut one, mut two) = (run_of(&book, 1000), run_of(&book, 1000));
        assert_eq!(one.ready("a.test", None, at(5000)), Readiness::Now);
        one.started("a.test", None, at(5000));
        assert_eq!(one.ready("a.test", None, at(5001)), Readiness::Busy);
        assert_eq!(
            two.ready("a.test", None, at(5001)),
            Readiness::At(at(5021)),
            "nobody tells it"
        );
        one.finished("a.test", None, at(5100), answered());
        assert_eq!(two.ready("a.test", None, at(5101)), Readiness::At(at(6000)));
        assert_eq!(two.ready("b.test", None, at(5101)), Readiness::Now);
    }

    #[test]
    fn each_run_keeps_its_own_distance_from_all_starts() {
        let book = Paces::default();
        let (mut slow, mut fast) = (run_of(&book, 3000), run_of(&book, 500));
        fast.started("a.test", None, at(1000));
        fast.finished("a.test", None, at(1010), answered());
        assert_eq!(fast.ready("a.test", None, at(1400)), Readiness::At(at(1500)));
        assert_eq!(slow.ready("a.test", None, at(1400)), Readiness::At(at(4000)));
    }

    #[test]
    fn what_one_run_may_start_no_other_may() {
        let book = Paces::default();
        let (mut one, mut two) = (run_of(&book, 1000), run_of(&book, 1000));
        assert_eq!(one.ready("a.test", None, at(5000)), Readiness::Now);
        assert_ne!(two.ready("a.test", None, at(5000)), Readiness::Now);
        // It starts something else instead.
        assert_eq!(one.ready("b.test", None, at(5001)), Readiness::Now);
        assert_eq!(two.ready("a.test", None, at(5001)), Readiness::Now);
        two.started("a.test", None, at(5001));
        one.started("b.test", None, at(5001));
        two.finished("a.test", None, at(5002), answered());
        assert_eq!(one.ready("a.test", None, at(5003)), Readiness::At(at(6001)));
    }

    #[test]
    fn what_a_fetch_asks_further_is_waited_for_by_all_runs() {
        let book = Paces::default();
        let (mut one, mut two) = (run_of(&book, 1000), run_of(&book, 1000));
        let clock: Arc<dyn Clock> = Arc::new(Still(at(5000)));
        one.started("a.test", None, at(5000));
        let further = one.further_starts("a.test", None, &clock);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build();
        runtime.expect("a runtime").block_on(async {
            let begun = tokio::time::Instant::now();
            further.next().await;
            further.next().await;
            // The clock stands still, so each waits for its own moment from the same now.
            assert_eq!(begun.elapsed(), Duration::from_secs(3));
        });
        one.finished("a.test", None, at(7100), answered());
        assert_eq!(two.ready("a.test", None, at(7200)), Readiness::At(at(8000)));
    }

    /// A clock that shows one moment.
    struct Still(Instant);

    impl Clock for Still {
        fn wall(&self) -> gleaner_model::Timestamp {
            gleaner_model::Timestamp::default()
        }

        fn monotonic(&self) -> Instant {
            self.0
        }
    }

    #[test]
    fn a_run_that_is_broken_off_leaves_nothing_busy() {
        let book = Paces::default();
        let address = Some(IpAddr::from([127, 0, 0, 1]));
        let (mut one, mut two) = (run_of(&book, 0), run_of(&book, 0));
        one.started("a.test", address, at(1));
        assert_ne!(two.ready("a.test", address, at(2)), Readiness::Now);
        drop(one);
        assert_eq!(two.ready("a.test", address, at(2)), Readiness::Now);
    }
}
