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
    /// Ask for the robots.txt of this page's host.
    Robots { host: HostId, any: Url },
    /// Load more rows.
    Load { host: HostId, held: HashSet<ResourceId>, limit: usize, wants_robots: bool },
    /// This page may not be fetched: keep that as its outcome.
    Refuse { page: Box<Queued>, reason: Reason },
    /// Nothing on this host can be fetched in this run.
    GiveUp { host: HostId, reason: Reason },
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
    address: Option<IpAddr>,
    /// The name that pace is kept by: http and https of one host share it.
    name: Box<str>,
    place: Place,
    pages: u64,
}

#[derive(Clone)]
enum Robots {
    Unknown,
    Asked,
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
    pub fn new(pace: PaceBook, obey_robots: bool, tries_max: u32, pages_per_host_max: Option<u64>) -> Reserve {
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
        let host = self.hosts.entry(id).or_insert_with(|| Host {
            queue: VecDeque::new(),
            later: BinaryHeap::new(),
            later_pages: HashMap::new(),
            held: HashSet::new(),
            has_more: true,
            is_loading: false,
            robots: Robots::Unknown,
            robots_tries: 0,
            address: None,
            name: Box::default(),
            place: Place::Idle,
            pages: 0,
        });
        host.has_more = true;
        if host.queue.is_empty() && !host.is_loading {
            self.loads.push_back(id);
        }
    }

    pub fn loaded(
        &mut self,
        id: HostId,
        rows: Vec<Queued>,
        is_all: bool,
        robots: Option<RobotsState>,
        wall: Timestamp,
        now: Instant,
    ) {
        let Some(host) = self.hosts.get_mut(&id) else { return };
        host.is_loading = false;
        if is_all {
            host.has_more = false;
        }
        if let Some(state) = robots
            && matches!(host.robots, Robots::Unknown)
        {
            if let Some(first) = rows.first() {
                host.name = first.url.host().into();
            }
            let delay = state.robots().and_then(gleaner_frontier::Robots::crawl_delay);
            self.pace.set_crawl_delay(&host.name, delay);
            host.robots = Robots::Known(Arc::new(state), now);
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
        self.make_ready(id);
    }

    /// The store has the page: it is no longer held.
    pub fn kept(&mut self, done: &Done) {
        let Some(host) = self.hosts.get_mut(&done.host) else { return };
        host.held.remove(&done.resource);
        match done.end {
            End::Document => host.pages += 1,
            End::Again => self.has_rows(done.host),
            End::Other => {}
        }
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

    pub fn robots_answered(&mut self, id: HostId, state: RobotsState, now: Instant) {
        let Some(host) = self.hosts.get_mut(&id) else { return };
        if let RobotsState::Unreachable { .. } = state {
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
        host.robots = Robots::Known(Arc::new(state), now);
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
            let Some(host) = self.hosts.get_mut(&id) else { continue };
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

    /// What to do now.
    pub fn next(&mut self, now: Instant, wall: Timestamp) -> Move {
        self.wake(now, wall);
        while let Some(id) = self.loads.pop_front() {
            if let Some(load) = self.load(id) {
                return load;
            }
        }
        while let Some(id) = self.ready.pop_front() {
            let Some(host) = self.hosts.get_mut(&id) else { continue };
            host.place = Place::Idle;
            let Some(first) = host.queue.front() else { continue };
            let robots = match (&host.robots, self.obey_robots) {
                (_, false) => None,
                (Robots::Asked, true) => continue, // Ready again when it is answered.
                (Robots::Known(state, since), true) if now.since(*since) < defaults::ROBOTS_CACHE => {
                    Some(Arc::clone(state))
                }
                (Robots::Known(..) | Robots::Unknown, true) => match self.pace.ready(&host.name, host.address, now) {
                    Readiness::Now => {
                        host.robots = Robots::Asked;
                        self.pace.started(&host.name, host.address, now);
                        return Move::Robots { host: id, any: first.url.clone() };
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
                },
            };
            if let Some(RobotsState::Unreachable { .. }) = robots.as_deref() {
                self.forget(id);
                return Move::GiveUp { host: id, reason: Reason::RobotsUnreachable };
            }
            if self.pages_per_host_max.is_some_and(|max| host.pages >= max) {
                self.forget(id);
                return Move::GiveUp { host: id, reason: Reason::LimitPages };
            }
            if let Some(reason) = robots.and_then(|robots| robots.refuses(&first.url))
                && let Some(page) = host.queue.pop_front()
            {
                self.after_taking(id);
                return Move::Refuse { page: Box::new(page), reason };
            }
            match self.pace.ready(&host.name, host.address, now) {
                Readiness::Now => {
                    let Some(page) = host.queue.pop_front() else { continue };
                    self.pace.started(&host.name, host.address, now);
                    self.after_taking(id);
                    return Move::Fetch(Box::new(page));
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
        // News of further rows may come while this is under way; they set it again.
        host.has_more = true;
        let wants_robots = matches!(host.robots, Robots::Unknown);
        Some(Move::Load { host: id, held: host.held.clone(), limit, wants_robots })
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

    /// Hosts whose pause is too long to wait for, if all that is left waits for such a pause.
    pub fn all_paused(&self, now: Instant) -> Option<Vec<HostId>> {
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
                Some(pause) if pause > defaults::PAUSE_WORTH_WAITING => paused.push(*id),
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

    /// Sitemap rows count as no page.
    pub fn is_page(page: &Queued) -> bool {
        page.purpose == Purpose::Page
    }
}
