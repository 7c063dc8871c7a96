//! When may this host be asked again? (A7, HC016, HC052, HC055)
//!
//! In: what started, what finished and how, each with its time. Out: now, at a moment, or busy. The caller promises to
//! start only what [`PaceBook::ready`] answered with `Now`, and then nothing starts too early, neither for the host nor
//! for the address behind it.
//!
//! ```text
//! delay = max(crawl-delay, user's minimum, min(30 s, 5 × usual response time), back-off up to 30 s)
//! ```
//!
//! counted from start to start. A user's minimum of zero is for one's own hosts and switches the adaptive part off too;
//! crawl-delay and back-off remain. A strike (429, 503, no connection) pauses the host: as long as `Retry-After` says,
//! else doubling from strike to strike. Each success halves what is left of the back-off.
//!
//! An address bears as many hosts' worth of requests as it may have connections: its starts lie at least the user's
//! minimum ÷ connections apart. It does not adapt by itself: its slow hosts do, and must not slow their neighbours.

use crate::fetch_slots::Manner;
use gleaner_model::{HostPaceState, Instant, Project, Timestamp, defaults};
use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaceSettings {
    /// The shortest time between two starts on one host.
    pub delay: Duration,
    pub per_host: usize,
    pub per_address: usize,
}

impl Default for PaceSettings {
    fn default() -> Self {
        PaceSettings {
            delay: defaults::DELAY,
            per_host: defaults::PER_HOST,
            per_address: defaults::PER_ADDRESS,
        }
    }
}

impl PaceSettings {
    pub fn of(project: &Project) -> PaceSettings {
        let per_host = project.per_host.max(1);
        PaceSettings {
            delay: Duration::from_millis(project.delay_ms),
            per_host,
            per_address: defaults::PER_ADDRESS.max(per_host),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    Now,
    /// Not before this moment.
    At(Instant),
    /// All connections are in use; ask again when one has finished.
    Busy,
}

/// How a fetch went, as far as pace cares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FetchOutcome {
    /// From start to the end of the header: what the server needed, not what the line needed.
    pub response_time: Duration,
    pub kind: OutcomeKind,
    /// A random number in `0.0..1.0`: spreads back-offs by a fifth either way.
    pub jitter: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeKind {
    /// Any answer that does not ask us to slow down.
    Answered,
    /// 429 or 503, with what [`crate::retry_after`] understood.
    Overloaded { retry_after: Option<Duration> },
    /// No answer: connection refused, timed out, reset.
    Failed,
}

/// The pace of every host and address that was spoken to.
#[derive(Debug)]
pub struct PaceBook {
    settings: PaceSettings,
    hosts: HashMap<Box<str>, HostPace>,
    addresses: HashMap<IpAddr, AddressPace>,
}

/// A start that may still be taken back.
#[derive(Debug)]
pub struct StartClaim {
    host: Box<str>,
    /// When the host could be asked next, and was last, before.
    before: (Instant, Instant),
    address: Option<(IpAddr, Instant)>,
    at: Instant,
}

impl StartClaim {
    pub fn is_of(&self, host: &str) -> bool {
        *self.host == *host
    }
}

#[derive(Debug, Clone, Default)]
struct HostPace {
    next_at: Instant,
    last_start: Instant,
    /// Until then the host itself asked to be left alone.
    paused_until: Instant,
    in_flight: usize,
    usual: Option<Duration>,
    crawl_delay: Option<Duration>,
    backoff: Duration,
    last_strike: Instant,
    /// It is no web server: files are taken one after the other, as fast as they come.
    has_no_delay: bool,
    manner: Manner,
}

#[derive(Debug, Clone, Default)]
struct AddressPace {
    next_at: Instant,
    in_flight: usize,
}

impl PaceBook {
    pub fn new(settings: PaceSettings) -> PaceBook {
        PaceBook {
            settings,
            hosts: HashMap::new(),
            addresses: HashMap::new(),
        }
    }

    /// From now on the book answers with these settings: several runs share one book, and each has settings of its
    /// own. The longer delay of two runs holds for both, because each run waits its own delay after the last start of
    /// any run.
    pub fn under(&mut self, settings: PaceSettings) -> &mut PaceBook {
        self.settings = settings;
        self
    }

    /// The shortest time between two starts that the user wants.
    pub fn wanted_delay(&self) -> Duration {
        self.settings.delay
    }

    /// Requests to this host follow each other without a pause; its failures still count.
    pub fn drop_delay(&mut self, host: &str) {
        self.host(host).has_no_delay = true;
    }

    /// What the host's robots.txt asks for; `None` takes it back.
    pub fn set_crawl_delay(&mut self, host: &str, delay: Option<Duration>) {
        if delay.is_none() && !self.hosts.contains_key(host) {
            return;
        }
        let settings = self.settings;
        let pace = self.host(host);
        pace.crawl_delay = delay;
        if pace.was_asked() {
            pace.next_at = pace.next_at.max(pace.last_start.after(pace.delay(&settings)));
        }
    }

    /// May a fetch start now? `address` is `None` while the name is not resolved.
    pub fn ready(&self, host: &str, address: Option<IpAddr>, now: Instant) -> Readiness {
        let mut at = Instant::default();
        if let Some(pace) = self.hosts.get(host) {
            let at_once = match pace.manner {
                Manner::Slow => self.settings.per_host.div_ceil(2),
                Manner::New | Manner::InTime => self.settings.per_host,
            };
            if pace.in_flight >= at_once {
                return Readiness::Busy;
            }
            at = pace.next_at.max(pace.paused_until);
            if pace.was_asked() {
                at = at.max(pace.last_start.after(pace.delay(&self.settings)));
            }
        }
        if let Some(pace) = address.and_then(|a| self.addresses.get(&a)) {
            if pace.in_flight >= self.settings.per_address {
                return Readiness::Busy;
            }
            at = at.max(pace.next_at);
        }
        if at <= now {
            Readiness::Now
        } else {
            Readiness::At(at)
        }
    }

    /// The same as [`PaceBook::started`], but can be taken back.
    pub fn claim(&mut self, host: &str, address: Option<IpAddr>, now: Instant) -> StartClaim {
        let pace = self.host(host);
        let before = (pace.next_at, pace.last_start);
        let address = address.map(|address| {
            let pace = self.addresses.get(&address);
            (address, pace.map_or(Instant::default(), |pace| pace.next_at))
        });
        self.started(host, address.map(|(address, _)| address), now);
        StartClaim {
            host: host.into(),
            before,
            address,
            at: now,
        }
    }

    /// Nothing was started after all. What somebody else started since stays.
    pub fn take_back(&mut self, claim: &StartClaim) {
        self.broke_off(&claim.host, 1);
        let mut is_last = false;
        if let Some(pace) = self.hosts.get_mut(&claim.host)
            && pace.last_start == claim.at
        {
            (pace.next_at, pace.last_start) = claim.before;
            is_last = true;
        }
        if let Some((address, next_at)) = claim.address {
            self.broke_off_at(address, 1);
            if let Some(pace) = self.addresses.get_mut(&address)
                && is_last
            {
                pace.next_at = next_at;
            }
        }
    }

    /// The moment of the next start on a host that a fetch is under way on, which goes on with a further request: that one is
    /// counted now and belongs to whoever asked. A pause that the host wants is for the next fetch.
    pub fn next_start(&mut self, host: &str, address: Option<IpAddr>, now: Instant) -> Instant {
        let settings = self.settings;
        let mut at = now;
        if let Some(pace) = self.hosts.get(host)
            && pace.was_asked()
        {
            at = at
                .max(pace.next_at)
                .max(pace.last_start.after(pace.delay(&settings)));
        }
        if let Some(pace) = address.and_then(|address| self.addresses.get(&address)) {
            at = at.max(pace.next_at);
        }
        self.started(host, address, at);
        self.broke_off(host, 1); // It has the connection of the fetch.
        if let Some(address) = address {
            self.broke_off_at(address, 1);
        }
        at
    }

    /// What the host's answers taught, for whoever asks it next.
    pub fn state(&self, host: &str, (now, wall): (Instant, Timestamp)) -> HostPaceState {
        let Some(pace) = self.hosts.get(host) else {
            return HostPaceState::default();
        };
        let wait = self.wait(host, now);
        HostPaceState {
            usual_ms: pace.usual.map(|usual| usual.as_millis() as u64),
            backoff_ms: pace.backoff.as_millis() as u64,
            not_before: (!wait.is_zero()).then(|| wall.after(wait + CLOCK_ROUNDING)),
        }
    }

    /// Adds what somebody else learned, who had the host meanwhile: the longer wait holds.
    pub fn learn(&mut self, host: &str, state: &HostPaceState, (now, wall): (Instant, Timestamp)) {
        if *state == HostPaceState::default() {
            return;
        }
        let pace = self.host(host);
        pace.usual = pace.usual.max(state.usual_ms.map(Duration::from_millis));
        let backoff = Duration::from_millis(state.backoff_ms).min(defaults::BACKOFF_MAX);
        pace.backoff = pace.backoff.max(backoff);
        if let Some(at) = state.not_before {
            pace.paused_until = pace.paused_until.max(now.after(at.since(wall)));
        }
    }

    pub fn started(&mut self, host: &str, address: Option<IpAddr>, now: Instant) {
        let settings = self.settings;
        let pace = self.host(host);
        pace.in_flight += 1;
        pace.last_start = now;
        pace.next_at = pace.next_at.max(now.after(pace.delay(&settings)));
        let gap = if pace.has_no_delay {
            Duration::ZERO
        } else {
            settings.delay
        };
        if let Some(address) = address {
            let pace = self.addresses.entry(address).or_default();
            pace.in_flight += 1;
            let connections = u32::try_from(settings.per_address.max(1)).unwrap_or(u32::MAX);
            pace.next_at = pace.next_at.max(now.after(gap / connections));
        }
    }

    pub fn finished(&mut self, host: &str, address: Option<IpAddr>, now: Instant, outcome: FetchOutcome) {
        let settings = self.settings;
        let pace = self.host(host);
        pace.in_flight = pace.in_flight.saturating_sub(1);
        match outcome.kind {
            OutcomeKind::Answered => {
                pace.usual = Some(smoothed(pace.usual, outcome.response_time));
                pace.backoff /= 2;
                if pace.backoff < BACKOFF_FORGOTTEN {
                    pace.backoff = Duration::ZERO;
                }
            }
            OutcomeKind::Overloaded { retry_after } => {
                pace.strike(now, &outcome, defaults::BACKOFF_FIRST, retry_after);
            }
            OutcomeKind::Failed => pace.strike(now, &outcome, defaults::RETRY_WAITS[0], None),
        }
        pace.next_at = pace.next_at.max(pace.last_start.after(pace.delay(&settings)));
        if let Some(pace) = address.and_then(|a| self.addresses.get_mut(&a)) {
            pace.in_flight = pace.in_flight.saturating_sub(1);
        }
    }

    /// How the host has answered so far.
    pub fn manner(&self, host: &str) -> Manner {
        self.hosts.get(host).map_or(Manner::New, |pace| pace.manner)
    }

    pub fn set_manner(&mut self, host: &str, manner: Manner) {
        self.host(host).manner = manner;
    }

    /// Leaves the host alone until then, because of what an earlier run knows about it (HC055).
    pub fn hold(&mut self, host: &str, until: Instant) {
        let pace = self.host(host);
        pace.paused_until = pace.paused_until.max(until);
    }

    /// How long the host is not to be asked, for whatever cause.
    pub fn wait(&self, host: &str, now: Instant) -> Duration {
        let pace = self.hosts.get(host);
        pace.map_or(Duration::ZERO, |pace| {
            pace.next_at.max(pace.paused_until).since(now)
        })
    }

    /// How long the host still wants to be left alone: for status, and for runs that will not wait so long.
    pub fn pause(&self, host: &str, now: Instant) -> Option<Duration> {
        let pause = self.hosts.get(host)?.paused_until.since(now);
        (!pause.is_zero()).then_some(pause)
    }

    /// The wait between two starts on this host as things stand.
    pub fn delay(&self, host: &str) -> Duration {
        self.hosts
            .get(host)
            .map_or(self.settings.delay, |pace| pace.delay(&self.settings))
    }

    /// Forgets hosts and addresses that are free, not paused and not asked for longer than `idle`, so that memory
    /// follows the hosts at work and not the hosts ever met. A crawl-delay is kept.
    pub fn forget_idle(&mut self, now: Instant, idle: Duration) {
        self.hosts.retain(|_, p| {
            p.in_flight > 0
                || p.crawl_delay.is_some()
                || !p.backoff.is_zero()
                || p.next_at.max(p.paused_until).max(p.last_start.after(idle)) > now
        });
        self.addresses
            .retain(|_, p| p.in_flight > 0 || p.next_at.after(idle) > now);
    }

    /// Fetches that ended without an answer to learn from, because their run did.
    pub fn broke_off(&mut self, host: &str, fetches: usize) {
        if let Some(pace) = self.hosts.get_mut(host) {
            pace.in_flight = pace.in_flight.saturating_sub(fetches);
        }
    }

    /// The same for an address.
    pub fn broke_off_at(&mut self, address: IpAddr, fetches: usize) {
        if let Some(pace) = self.addresses.get_mut(&address) {
            pace.in_flight = pace.in_flight.saturating_sub(fetches);
        }
    }

    pub fn hosts_count(&self) -> usize {
        self.hosts.len()
    }

    fn host(&mut self, host: &str) -> &mut HostPace {
        if !self.hosts.contains_key(host) {
            self.hosts.insert(host.into(), HostPace::default());
        }
        self.hosts.get_mut(host).expect("inserted above")
    }
}

/// Times of day are whole milliseconds, rounded down: twice on the way from one book to another.
const CLOCK_ROUNDING: Duration = Duration::from_millis(2);
/// Less back-off than this is none.
const BACKOFF_FORGOTTEN: Duration = Duration::from_secs(1);
/// Past this all is "very slow"; it also keeps the arithmetic far from its ends.
const RESPONSE_TIME_MAX: Duration = Duration::from_hours(1);
const JITTER_SHARE: f64 = 0.2;

impl HostPace {
    /// Whether anything was started, so that `last_start` says when.
    fn was_asked(&self) -> bool {
        self.last_start != Instant::default() || self.in_flight > 0
    }

    fn delay(&self, settings: &PaceSettings) -> Duration {
        let backoff = self.backoff.min(defaults::DELAY_ADAPTIVE_MAX);
        let usual = if self.has_no_delay {
            Duration::ZERO
        } else {
            adaptive(self.usual, settings.delay)
        };
        usual.max(self.crawl_delay.unwrap_or_default()).max(backoff)
    }

    /// Several fetches under way when a host falls over are one strike: only what started after the last one counts.
    fn strike(&mut self, now: Instant, outcome: &FetchOutcome, first: Duration, asked: Option<Duration>) {
        let started = Instant(now.0.saturating_sub(outcome.response_time));
        let is_same_fall = !self.backoff.is_zero() && started < self.last_strike;
        if !is_same_fall {
            self.backoff = self.backoff.saturating_mul(2).clamp(first, defaults::BACKOFF_MAX);
            self.last_strike = now;
        }
        let jitter = if outcome.jitter.is_nan() {
            0.5
        } else {
            outcome.jitter.clamp(0.0, 1.0)
        };
        let spread = 1.0 + JITTER_SHARE * (2.0 * jitter - 1.0);
        let wait = match asked {
            Some(asked) => asked.min(defaults::RETRY_AFTER_MAX),
            None if is_same_fall => return,
            None => self.backoff.mul_f64(spread).min(defaults::BACKOFF_MAX),
        };
        self.paused_until = self.paused_until.max(now.after(wait));
    }
}

/// The user's minimum, or more for a slow server; zero stays zero.
fn adaptive(usual: Option<Duration>, minimum: Duration) -> Duration {
    if minimum.is_zero() {
        return minimum;
    }
    let slow = usual.unwrap_or_default().saturating_mul(defaults::DELAY_FACTOR);
    minimum.max(slow.min(defaults::DELAY_ADAPTIVE_MAX))
}

/// An exponentially weighted mean; the first value counts whole.
fn smoothed(usual: Option<Duration>, new: Duration) -> Duration {
    let new = new.min(RESPONSE_TIME_MAX);
    let Some(usual) = usual else { return new };
    usual.mul_f64(1.0 - defaults::RESPONSE_TIME_WEIGHT) + new.mul_f64(defaults::RESPONSE_TIME_WEIGHT)
}

#[cfg(test)]
mod tests;
