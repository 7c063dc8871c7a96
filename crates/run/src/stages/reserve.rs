//! Reserve the next page: which host, which URL, and is it time? The scheduler of a run.
//!
//! In memory are some rows of each host's part of the frontier, never all. A host moves between three places:
//!
//! ```text
//!            rows loaded            pace says "not yet"
//!  idle ───────────────► ready ───────────────────────► asleep
//!    ▲                    │  ▲                             │
//!    └── nothing queued ──┘  └──── its time has come ──────┘
//! ```
//! A page is *held* from the moment its row is loaded until the store says it is kept; held rows are not loaded again,
//! so no page is fetched twice, and rows that come in behind others are still found.

use crate::news::{Done, End};
use gleaner_frontier::{Outcome, PaceBook, Readiness, RobotsState};
use gleaner_model::{HostId, Instant, Reason, ResourceId, Timestamp, Url, defaults};
use gleaner_store::catalog::queue::{Purpose, Queued};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Rows of one host in memory: few when there are many hosts.
const ROWS_PER_HOST_MAX: usize = 256;
const ROWS_MAX: usize = 16 * 1024;

/// What the caller should do next.
pub enum Move {
    /// Fetch this page now.
    Fetch(Box<Queued>),
    /// The same for the first page of a host: its URLs may have to be learned about before others are asked for.
    First {
        page: Box<Queued>,
        robots: Option<Arc<RobotsState>>,
        gap: Duration,
    },
    /// Ask for the robots.txt of this page's host.
    Robots { host: HostId, any: Url },
    /// Load more rows.
    Load {
        host: HostId,
        held: HashSet<ResourceId>,
        limit: usize,
        wants_robots: bool,
    },
    /// This page may not be fetched: keep that as its outcome.
    Refuse { page: Box<Queued>, reason: Reason },
    /// Nothing on this host can be fetched in this run.
    GiveUp {
        host: HostId,
        reason: Reason,
        detail: Option<String>,
    },
    /// Nothing before this moment, unless news comes.
    Wait(Option<Instant>),
}

struct Host {
    queue: VecDeque<Queued>,
    /// Waiting for a second try.
    later: BinaryHeap<Reverse<(Timestamp, i64)>>,
    later_pages: HashMap<ResourceId, Queued>,
    held: HashSet<ResourceId>,
    /// The frontier may have rows that are not held.
    has_more: bool,
    is_loading: bool,
    robots: Robots,
    robots_tries: u32,
    /// Why robots.txt could not be read the last time.
    robots_failure: String,
    address: Option<IpAddr>,
    /// The name that pace is kept by: http and https of one host share it.
    name: Box<str>,
    place: Place,
    survey: Survey,
    /// Documents of this run so far.
    pages: u64,
    /// Pages taken and not yet safe: each may become a document.
    pages_taken: HashSet<ResourceId>,
}

/// Whether the host's URLs were looked at for volatile parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Survey {
    /// So many pages may still be tried for it.
    Due(u8),
    /// Nothing else is asked meanwhile.
    Asked(u8),
    Done,
}

/// Pages of a host that are tried for a survey: the first may be no page, or gone.
const SURVEY_TRIES: u8 = 3;

#[derive(Clone)]
enum Robots {
    Unknown,
    Asked,
    /// Believed until that moment.
    Known(Arc<RobotsState>, Instant),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Idle,
    Ready,
    Asleep,
    /// Waits for a connection of its own or of its address to be free.
    Crowded,
}

pub struct Reserve {
    hosts: HashMap<HostId, Host>,
    ready: VecDeque<HostId>,
    asleep: BinaryHeap<Reverse<(Instant, HostId)>>,
    crowded: Vec<HostId>,
    pub pace: PaceBook,
    obey_robots: bool,
    tries_max: u32,
    pages_per_host_max: Option<u64>,
    loads: VecDeque<HostId>,
}

impl Reserve {
    pub fn new(
        pace: PaceBook,
        obey_robots: bool,
        tries_max: u32,
        pages_per_host_max: Option<u64>,
    ) -> Reserve {
        Reserve {
            hosts: HashMap::new(),
            ready: VecDeque::new(),
            asleep: BinaryHeap::new(),
            crowded: Vec::new(),
            pace,
            obey_robots,
            tries_max,
            pages_per_host_max,
            loads: VecDeque::new(),
        }
    }

    /// The frontier has rows of this host.
    pub fn has_rows(&mut self, id: HostId) {
        let host = self.host(id);
        host.has_more = true;
        if host.queue.is_empty() && !host.is_loading {
            self.loads.push_back(id);
        }
    }

    fn host(&mut self, id: HostId) -> &mut Host {
        self.hosts.entry(id).or_insert_with(|| Host {
            queue: VecDeque::new(),
            later: BinaryHeap::new(),
            later_pages: HashMap::new(),
            held: HashSet::new(),
            has_more: false,
            is_loading: false,
            robots: Robots::Unknown,
            robots_tries: 0,
            robots_failure: String::new(),
            address: None,
            name: Box::default(),
            place: Place::Idle,
            survey: Survey::Due(SURVEY_TRIES),
            pages: 0,
            pages_taken: HashSet::new(),
        })
    }

    pub fn loaded(
        &mut self,
        id: HostId,
        rows: Vec<Queued>,
        is_all: bool,
        robots: Option<(RobotsState, Duration)>,
        wall: Timestamp,
        now: Instant,
    ) {
        let Some(host) = self.hosts.get_mut(&id) else {
            return;
        };
        host.is_loading = false;
        host.has_more |= !is_all;
        if let Some((state, good_for)) = robots
            && matches!(host.robots, Robots::Unknown)
        {
            if let Some(first) = rows.first() {
                host.name = first.url.host().into();
            }
            let delay = state.robots().and_then(gleaner_frontier::Robots::crawl_delay);
            self.pace.set_crawl_delay(&host.name, delay);
            host.robots = Robots::Known(Arc::new(state), now.after(good_for));
        }
        for page in rows {
            if host.name.is_empty() {
                host.name = page.url.host().into();
            }
            host.held.insert(page.resource);
            if page.due_at > wall {
                host.later.push(Reverse((page.due_at, page.resource.0)));
                host.later_pages.insert(page.resource, page);
            } else {
                host.queue.push_back(page);
            }
        }
        if let Some(Reverse((due, _))) = host.later.peek() {
            let wait = Duration::from_millis(due.0.saturating_sub(wall.0).max(0) as u64);
            self.asleep.push(Reverse((now.after(wait), id)));
        }
        if host.has_more && host.queue.is_empty() {
            self.loads.push_back(id);
        }
        self.make_ready(id);
    }

    /// The store has the page: it is no longer held.
    pub fn kept(&mut self, done: &Done) {
        let Some(host) = self.hosts.get_mut(&done.host) else {
            return;
        };
        host.held.remove(&done.resource);
        host.pages_taken.remove(&done.resource);
        match done.end {
            End::Document => host.pages += 1,
            End::Again => self.has_rows(done.host),
            End::Other => {}
        }
        if self.pages_per_host_max.is_some() {
            self.make_ready(done.host);
        }
    }

    /// Documents that earlier parts of a resumed run got from this host.
    pub fn had_pages(&mut self, id: HostId, pages: u64) {
        self.host(id).pages = pages;
    }

    /// A fetch from this host has ended, one way or another.
    pub fn answered(&mut self, id: HostId, address: Option<IpAddr>, now: Instant, outcome: Outcome) {
        if let Some(host) = self.hosts.get_mut(&id) {
            self.pace.finished(&host.name, host.address, now, outcome);
            if let Some(address) = address {
                host.address = Some(address);
            }
        }
        for id in std::mem::take(&mut self.crowded) {
            self.make_ready_from(id, Place::Crowded);
        }
        self.make_ready(id);
    }

    /// A page of the host is looked at like a first one; nothing else is asked meanwhile.
    pub fn survey(&mut self, id: HostId) -> Option<Arc<RobotsState>> {
        let host = self.hosts.get_mut(&id)?;
        host.survey = Survey::Asked(1);
        match &host.robots {
            Robots::Known(state, _) => Some(Arc::clone(state)),
            _ => None,
        }
    }

    /// The first page of a host was looked at; `is_done` if it was one to learn from.
    pub fn surveyed(&mut self, id: HostId, is_done: bool) {
        if let Some(host) = self.hosts.get_mut(&id) {
            host.survey = match host.survey {
                Survey::Asked(tries) if !is_done && tries > 1 => Survey::Due(tries - 1),
                _ => Survey::Done,
            };
        }
        self.make_ready(id);
    }

    /// `failure` says why it could not be read, where it could not.
    pub fn robots_answered(&mut self, id: HostId, state: RobotsState, failure: String, now: Instant) {
        let Some(host) = self.hosts.get_mut(&id) else {
            return;
        };
        if let RobotsState::Unreachable { .. } = state {
            host.robots_failure = failure;
            host.robots_tries += 1;
            if host.robots_tries < self.tries_max {
                let wait = defaults::RETRY_WAITS
                    [(host.robots_tries as usize - 1).min(defaults::RETRY_WAITS.len() - 1)];
                host.robots = Robots::Unknown;
                host.place = Place::Asleep;
                self.asleep.push(Reverse((now.after(wait), id)));
                return;
            }
        }
        let delay = state.robots().and_then(gleaner_frontier::Robots::crawl_delay);
        self.pace.set_crawl_delay(&host.name, delay);
        host.robots = Robots::Known(Arc::new(state), now.after(defaults::ROBOTS_CACHE));
        self.make_ready(id);
    }

    fn make_ready(&mut self, id: HostId) {
        self.make_ready_from(id, Place::Idle);
    }

    fn make_ready_from(&mut self, id: HostId, from: Place) {
        if let Some(host) = self.hosts.get_mut(&id)
            && host.place == from
            && !host.queue.is_empty()
        {
            host.place = Place::Ready;
            self.ready.push_back(id);
        }
    }

    fn wake(&mut self, now: Instant, wall: Timestamp) {
        while let Some(Reverse((at, id))) = self.asleep.peek().copied() {
            if at > now {
                break;
            }
            self.asleep.pop();
            let Some(host) = self.hosts.get_mut(&id) else {
                continue;
            };
            while let Some(Reverse((due, resource))) = host.later.peek().copied() {
                if due > wall {
                    break;
                }
                host.later.pop();
                host.queue.extend(host.later_pages.remove(&ResourceId(resource)));
            }
            if let Some(Reverse((due, _))) = host.later.peek() {
                let wait = Duration::from_millis(due.0.saturating_sub(wall.0).max(1) as u64);
                self.asleep.push(Reverse((now.after(wait), id)));
            }
            if host.place == Place::Asleep {
                host.place = Place::Idle;
            }
            self.make_ready(id);
        }
    }

    /// What to do now. `refuses` is asked last, about the page that would be fetched: what it refuses costs the host
    /// no turn.
    pub fn next(
        &mut self,
        now: Instant,
        wall: Timestamp,
        refuses: &mut dyn FnMut(&Queued) -> Option<Reason>,
    ) -> Move {
        self.wake(now, wall);
        while let Some(id) = self.loads.pop_front() {
            if let Some(load) = self.load(id) {
                return load;
            }
        }
        while let Some(id) = self.ready.pop_front() {
            let Some(host) = self.hosts.get_mut(&id) else {
                continue;
            };
            host.place = Place::Idle;
            if matches!(host.survey, Survey::Asked(_)) {
                continue; // Ready again when that is done.
            }
            let Some(first) = host.queue.front() else { continue };
            let robots = match (&host.robots, self.obey_robots) {
                (_, false) => None,
                (Robots::Asked, true) => continue, // Ready again when it is answered.
                (Robots::Known(state, until), true) if now < *until => Some(Arc::clone(state)),
                (Robots::Known(..) | Robots::Unknown, true) => {
                    match self.pace.ready(&host.name, host.address, now) {
                        Readiness::Now => {
                            host.robots = Robots::Asked;
                            self.pace.started(&host.name, host.address, now);
                            return Move::Robots {
                                host: id,
                                any: first.url.clone(),
                            };
                        }
                        Readiness::At(at) => {
                            host.place = Place::Asleep;
                            self.asleep.push(Reverse((at, id)));
                            continue;
                        }
                        Readiness::Busy => {
                            host.place = Place::Crowded;
                            self.crowded.push(id);
                            continue;
                        }
                    }
                }
            };
            if let Some(RobotsState::Unreachable { .. }) = robots.as_deref() {
                let detail = Some(host.robots_failure.clone()).filter(|why| !why.is_empty());
                self.forget(id);
                return Move::GiveUp {
                    host: id,
                    reason: Reason::RobotsUnreachable,
                    detail,
                };
            }
            if let Some(max) = self.pages_per_host_max {
                if host.pages >= max {
                    self.forget(id);
                    return Move::GiveUp {
                        host: id,
                        reason: Reason::LimitPages,
                        detail: None,
                    };
                }
                if host.pages + host.pages_taken.len() as u64 >= max {
                    continue; // Ready again when one of them is kept.
                }
            }
            if let Some(reason) = robots.as_ref().and_then(|robots| robots.refuses(&first.url))
                && let Some(page) = host.queue.pop_front()
            {
                self.after_taking(id);
                return Move::Refuse {
                    page: Box::new(page),
                    reason,
                };
            }
            match self.pace.ready(&host.name, host.address, now) {
                Readiness::Now => {
                    let Some(page) = host.queue.pop_front() else {
                        continue;
                    };
                    if let Some(reason) = refuses(&page) {
                        self.after_taking(id);
                        return Move::Refuse {
                            page: Box::new(page),
                            reason,
                        };
                    }
                    self.pace.started(&host.name, host.address, now);
                    let mut is_first = false;
                    if page.purpose == Purpose::Page {
                        host.pages_taken.insert(page.resource);
                        if let Survey::Due(tries) = host.survey {
                            host.survey = Survey::Asked(tries);
                            is_first = true;
                        }
                    }
                    let gap = self.pace.delay(&host.name);
                    self.after_taking(id);
                    let page = Box::new(page);
                    return if is_first {
                        Move::First { page, robots, gap }
                    } else {
                        Move::Fetch(page)
                    };
                }
                Readiness::At(at) => {
                    host.place = Place::Asleep;
                    self.asleep.push(Reverse((at, id)));
                }
                Readiness::Busy => {
                    host.place = Place::Crowded;
                    self.crowded.push(id);
                }
            }
        }
        Move::Wait(self.asleep.peek().map(|Reverse((at, _))| *at))
    }

    fn after_taking(&mut self, id: HostId) {
        self.make_ready(id);
        let Some(host) = self.hosts.get(&id) else { return };
        if host.has_more && !host.is_loading && host.queue.len() < self.rows_per_host() / 4 {
            self.loads.push_back(id);
        }
    }

    fn rows_per_host(&self) -> usize {
        (ROWS_MAX / self.hosts.len().max(1)).clamp(8, ROWS_PER_HOST_MAX)
    }

    fn load(&mut self, id: HostId) -> Option<Move> {
        let limit = self.rows_per_host();
        let host = self.hosts.get_mut(&id)?;
        if host.is_loading || !host.has_more {
            return None;
        }
        host.is_loading = true;
        // Set again by news of further rows while this is under way, which may or may not see them.
        host.has_more = false;
        let wants_robots = matches!(host.robots, Robots::Unknown);
        Some(Move::Load {
            host: id,
            held: host.held.clone(),
            limit,
            wants_robots,
        })
    }

    /// What is queued for the host was ended in the store.
    fn forget(&mut self, id: HostId) {
        if let Some(host) = self.hosts.get_mut(&id) {
            let gone: Vec<ResourceId> = host.queue.drain(..).map(|page| page.resource).collect();
            for resource in gone {
                host.held.remove(&resource);
            }
            for (resource, _) in host.later_pages.drain() {
                host.held.remove(&resource);
            }
            host.later.clear();
            host.has_more = false;
        }
    }

    /// Nothing queued, nothing loading: what is in flight may still bring more.
    pub fn is_empty(&self) -> bool {
        self.loads.is_empty()
            && self.hosts.values().all(|host| {
                host.queue.is_empty() && host.later.is_empty() && !host.has_more && !host.is_loading
            })
    }

    /// Hosts that are not to be asked yet, and for how long: what the next run has to know.
    pub fn waits(&self, now: Instant) -> Vec<(HostId, Duration)> {
        self.hosts
            .iter()
            .map(|(id, host)| (*id, self.pace.wait(&host.name, now)))
            .filter(|(_, wait)| !wait.is_zero())
            .collect()
    }

    /// Hosts whose pause is too long to wait for, if all that is left waits for such a pause.
    pub fn all_paused(&self, now: Instant) -> Option<Vec<(HostId, Duration)>> {
        if !self.loads.is_empty() || !self.ready.is_empty() || !self.crowded.is_empty() {
            return None;
        }
        let mut paused = Vec::new();
        for (id, host) in &self.hosts {
            if host.is_loading {
                return None;
            }
            if host.queue.is_empty() && host.later.is_empty() && !host.has_more {
                continue;
            }
            match self.pace.pause(&host.name, now) {
                Some(pause) if pause > defaults::PAUSE_WORTH_WAITING => paused.push((*id, pause)),
                _ => return None,
            }
        }
        (!paused.is_empty()).then_some(paused)
    }

    pub fn give_up(&mut self, id: HostId) {
        self.forget(id);
    }

    pub fn hosts_count(&self) -> u64 {
        self.hosts.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_frontier::{OutcomeKind, PaceSettings};

    const HOST: HostId = HostId(1);

    fn reserve(pages_per_host_max: Option<u64>) -> Reserve {
        let pace = PaceSettings {
            per_host: 9,
            ..PaceSettings::default()
        };
        Reserve::new(PaceBook::new(pace), false, 1, pages_per_host_max)
    }

    fn page(resource: i64) -> Queued {
        Queued {
            host: HOST,
            resource: ResourceId(resource),
            url: Url::parse(&format!("http://a.test/{resource}")).expect("a URL"),
            priority: 0,
            depth: 0,
            purpose: Purpose::Page,
            hops: 0,
            chain: Vec::new(),
            tries: 0,
            due_at: Timestamp::default(),
            known: None,
        }
    }

    fn at(seconds: u64) -> Instant {
        Instant(Duration::from_secs(seconds))
    }

    fn next(reserve: &mut Reserve, now: Instant) -> Move {
        plainly(reserve, now, &mut |_| None)
    }

    /// What a first page is looked at for is no matter here.
    fn plainly(
        reserve: &mut Reserve,
        now: Instant,
        refuses: &mut dyn FnMut(&Queued) -> Option<Reason>,
    ) -> Move {
        match reserve.next(now, Timestamp::default(), refuses) {
            Move::First { page, .. } => {
                reserve.surveyed(HOST, true);
                Move::Fetch(page)
            }
            other => other,
        }
    }

    #[test]
    fn b4_the_first_page_of_a_host_is_asked_for_alone() {
        let mut reserve = reserve(None);
        reserve.has_rows(HOST);
        next(&mut reserve, at(0));
        let rows = (0..3).map(page).collect();
        reserve.loaded(HOST, rows, true, None, Timestamp::default(), at(0));
        let mut none = |_: &Queued| None;
        let first = reserve.next(at(0), Timestamp::default(), &mut none);
        assert!(matches!(first, Move::First { page, .. } if page.resource.0 == 0));
        assert!(matches!(next(&mut reserve, at(60)), Move::Wait(_)));
        // It was no page to learn from, so the next is tried.
        reserve.surveyed(HOST, false);
        let second = reserve.next(at(120), Timestamp::default(), &mut none);
        assert!(matches!(second, Move::First { page, .. } if page.resource.0 == 1));
        reserve.surveyed(HOST, true);
        let third = reserve.next(at(180), Timestamp::default(), &mut none);
        assert!(matches!(third, Move::Fetch(page) if page.resource.0 == 2));
    }

    #[test]
    fn rows_that_come_while_others_are_loaded_are_found() {
        let mut reserve = reserve(None);
        reserve.has_rows(HOST);
        assert!(matches!(next(&mut reserve, at(0)), Move::Load { .. }));
        // The load may have left out a page that was held then and is to be tried again now.
        reserve.has_rows(HOST);
        reserve.loaded(HOST, Vec::new(), true, None, Timestamp::default(), at(0));
        assert!(!reserve.is_empty());
        assert!(matches!(next(&mut reserve, at(0)), Move::Load { .. }));
        reserve.loaded(HOST, Vec::new(), true, None, Timestamp::default(), at(0));
        assert!(reserve.is_empty());
    }

    #[test]
    fn a12_pages_under_way_count_against_the_limit_of_their_host() {
        let mut reserve = reserve(Some(2));
        reserve.has_rows(HOST);
        next(&mut reserve, at(0));
        reserve.loaded(
            HOST,
            (0..5).map(page).collect(),
            true,
            None,
            Timestamp::default(),
            at(0),
        );
        assert!(matches!(next(&mut reserve, at(0)), Move::Fetch(page) if page.resource.0 == 0));
        assert!(matches!(next(&mut reserve, at(100)), Move::Fetch(page) if page.resource.0 == 1));
        assert!(matches!(next(&mut reserve, at(200)), Move::Wait(_)));
        // The first was a dead link and makes room for another; then the host has given its two.
        reserve.kept(&Done {
            host: HOST,
            resource: ResourceId(0),
            end: End::Other,
        });
        assert!(matches!(next(&mut reserve, at(300)), Move::Fetch(page) if page.resource.0 == 2));
        reserve.kept(&Done {
            host: HOST,
            resource: ResourceId(1),
            end: End::Document,
        });
        reserve.kept(&Done {
            host: HOST,
            resource: ResourceId(2),
            end: End::Document,
        });
        assert!(matches!(
            next(&mut reserve, at(400)),
            Move::GiveUp {
                reason: Reason::LimitPages,
                ..
            }
        ));
        assert!(reserve.is_empty());
    }

    #[test]
    fn a_refused_page_costs_its_host_no_turn() {
        let mut reserve = reserve(None);
        reserve.has_rows(HOST);
        next(&mut reserve, at(0));
        reserve.loaded(
            HOST,
            (0..3).map(page).collect(),
            true,
            None,
            Timestamp::default(),
            at(0),
        );
        for refused in [0, 1] {
            let mut traps = |_: &Queued| Some(Reason::TrapCopies);
            let Move::Refuse { page, .. } = reserve.next(at(0), Timestamp::default(), &mut traps) else {
                panic!("page {refused} was not refused");
            };
            assert_eq!(page.resource.0, refused);
        }
        assert!(matches!(next(&mut reserve, at(0)), Move::Fetch(page) if page.resource.0 == 2));
    }

    #[test]
    fn hc045_robots_that_failed_are_asked_for_after_a_pause() {
        let mut reserve = reserve(None);
        (reserve.obey_robots, reserve.tries_max) = (true, 2);
        reserve.has_rows(HOST);
        next(&mut reserve, at(0));
        reserve.loaded(HOST, vec![page(0)], true, None, Timestamp::default(), at(0));
        assert!(matches!(next(&mut reserve, at(0)), Move::Robots { .. }));
        let outcome = Outcome {
            response_time: Duration::ZERO,
            kind: OutcomeKind::Answered,
            jitter: 0.5,
        };
        let failed = || RobotsState::of_failure(Reason::Reset);
        reserve.robots_answered(HOST, failed(), "reset".to_owned(), at(1));
        reserve.answered(HOST, None, at(1), outcome);
        assert!(matches!(next(&mut reserve, at(2)), Move::Wait(_)));
        assert!(matches!(next(&mut reserve, at(4)), Move::Robots { .. }));
        reserve.robots_answered(HOST, failed(), "reset: by the peer".to_owned(), at(5));
        assert!(matches!(
            next(&mut reserve, at(9)),
            Move::GiveUp {
                reason: Reason::RobotsUnreachable,
                detail: Some(why),
                ..
            } if why == "reset: by the peer"
        ));
    }

    #[test]
    fn hc053_what_is_queued_obeys_the_robots_of_the_next_refresh() {
        let mut reserve = reserve(None);
        reserve.obey_robots = true;
        reserve.has_rows(HOST);
        next(&mut reserve, at(0));
        let rows = (0..5).map(page).collect();
        reserve.loaded(HOST, rows, true, None, Timestamp::default(), at(0));
        let answered = |reserve: &mut Reserve, now, robots: &[u8]| {
            let state = RobotsState::of_answer(200, robots, defaults::AGENT_TOKEN);
            reserve.robots_answered(HOST, state, String::new(), now);
            let outcome = Outcome {
                response_time: Duration::ZERO,
                kind: OutcomeKind::Answered,
                jitter: 0.5,
            };
            reserve.answered(HOST, None, now, outcome);
        };
        assert!(matches!(next(&mut reserve, at(0)), Move::Robots { .. }));
        answered(&mut reserve, at(1), b"User-agent: *\nDisallow:\n");
        assert!(matches!(next(&mut reserve, at(10)), Move::Fetch(page) if page.resource.0 == 0));
        // To the last second of a day the file is believed; then it is asked for before any page.
        let day = defaults::ROBOTS_CACHE.as_secs();
        assert!(day <= 24 * 3600);
        assert!(matches!(next(&mut reserve, at(day)), Move::Fetch(page) if page.resource.0 == 1));
        assert!(matches!(next(&mut reserve, at(day + 20)), Move::Robots { .. }));
        answered(
            &mut reserve,
            at(day + 21),
            b"User-agent: *\nDisallow: /2\nDisallow: /3\n",
        );
        for refused in [2, 3] {
            let Move::Refuse { page, reason } = next(&mut reserve, at(day + 40)) else {
                panic!("page {refused} was not refused");
            };
            assert_eq!((page.resource.0, reason), (refused, Reason::RobotsDenied));
        }
        assert!(matches!(next(&mut reserve, at(day + 40)), Move::Fetch(page) if page.resource.0 == 4));
    }
}
