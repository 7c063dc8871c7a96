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

mod host;
mod lists;

use self::host::{Host, Lists, Loading, Place, Robots, Survey};
pub use self::lists::Waiters;
use crate::news::{Done, End};
use gleaner_frontier::traps::merged;
use gleaner_frontier::{Manner, Outcome, OutcomeKind, PaceBook, Readiness, RobotsState, Seats};
use gleaner_model::{HostId, Instant, Reason, ResourceId, Timestamp, Url, defaults};
use gleaner_store::catalog::queue::{Load, Purpose, Queued};
use gleaner_store::keep::priority_behind;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Rows of one host in memory: few when there are many hosts.
const ROWS_PER_HOST_MAX: usize = 256;
const ROWS_MAX: usize = 16 * 1024;
/// Sitemaps on their way at once, one of a host: each may name fifty thousand pages, all in memory until they are rows.
const SITEMAPS_AT_ONCE: usize = 4;

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
    Load(Load),
    /// Ask whether the lists that this host's pages wait for are all read, and settle by them what can be.
    Lists {
        host: HostId,
        robots: Option<Arc<RobotsState>>,
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

pub struct Reserve {
    hosts: HashMap<HostId, Host>,
    /// By their manner, in the order of [`Manner::ALL`].
    ready: [VecDeque<HostId>; 3],
    asleep: BinaryHeap<Reverse<(Instant, HostId)>>,
    crowded: Vec<HostId>,
    /// Taken and not yet safe.
    sitemaps: HashSet<ResourceId>,
    pub pace: PaceBook,
    obey_robots: bool,
    tries_max: u32,
    pages_per_host_max: Option<u64>,
    loads: VecDeque<HostId>,
    waiters: Waiters,
    /// Lists that are not read yet, and whose pages wait for them.
    open_lists: HashMap<ResourceId, Vec<HostId>>,
    /// Rows of steps whose turn has not come lie behind this priority.
    priority_below: Option<i64>,
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
            ready: Default::default(),
            asleep: BinaryHeap::new(),
            crowded: Vec::new(),
            sitemaps: HashSet::new(),
            pace,
            obey_robots,
            tries_max,
            pages_per_host_max,
            loads: VecDeque::new(),
            waiters: Waiters::None,
            open_lists: HashMap::new(),
            priority_below: None,
        }
    }

    /// The turn of this step has come.
    pub fn open_to(&mut self, step: u32) {
        self.priority_below = Some(priority_behind(step));
        let hosts: Vec<HostId> = self.hosts.keys().copied().collect();
        for host in hosts {
            self.has_rows(host);
        }
    }

    /// The frontier has rows of this host.
    pub fn has_rows(&mut self, id: HostId) {
        let host = self.host(id);
        host.has_more = true;
        host.loaded_to = None; // They may lie before those that were loaded.
        host.wants_lists = host.lists != Lists::Free;
        if host.queue.is_empty() && !host.is_loading() {
            self.loads.push_back(id);
        } else if host.wants_lists {
            self.make_ready(id);
        }
    }

    fn host(&mut self, id: HostId) -> &mut Host {
        let lists = if self.is_waiter(id) {
            Lists::Awaited
        } else {
            Lists::Free
        };
        self.hosts.entry(id).or_insert_with(|| Host::awaiting(lists))
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
        let are_lists = std::mem::take(&mut host.loading) == Loading::Lists;
        if are_lists {
            host.wants_lists |= !is_all;
        } else if !host.has_more {
            let last = rows.last().map(|page| (page.priority, page.resource));
            host.loaded_to = last.or(host.loaded_to);
        }
        host.has_more |= !is_all && !are_lists;
        if let Some((state, good_for)) = robots
            && matches!(host.robots, Robots::Unknown)
        {
            if let Some(first) = rows.first() {
                host.take_name(&first.url);
            }
            let delay = state.robots().and_then(gleaner_frontier::Robots::crawl_delay);
            self.pace.set_crawl_delay(&host.name, delay);
            host.robots = Robots::Known(Arc::new(state), now.after(good_for));
        }
        for page in rows {
            host.hold(page, wall);
        }
        if !host.is_web() && self.pace.wanted_delay() == defaults::DELAY {
            self.pace.drop_delay(&host.name); // Nobody chose another.
        }
        if let Some(wait) = host.next_later(wall) {
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
        let was_sitemap = self.sitemaps.remove(&done.resource);
        if was_sitemap {
            host.has_sitemap_taken = false;
        }
        match done.end {
            End::Document => host.pages += 1,
            End::Again => self.has_rows(done.host),
            End::Other => {}
        }
        if was_sitemap {
            self.uncrowd();
            self.make_ready(done.host);
        }
        self.list_done(done.resource);
        if self.pages_per_host_max.is_some() {
            self.make_ready(done.host);
        }
    }

    /// The time between two requests to a host.
    pub fn gap(&self, id: HostId) -> Duration {
        (self.hosts.get(&id)).map_or(Duration::ZERO, |host| self.pace.delay(&host.name))
    }

    /// What robots.txt of the host says, where it is known and obeyed.
    pub fn robots(&self, id: HostId) -> Option<Arc<RobotsState>> {
        self.hosts.get(&id).filter(|_| self.obey_robots)?.robots_known()
    }

    /// Documents that earlier parts of a resumed run got from this host.
    pub fn had_pages(&mut self, id: HostId, pages: u64) {
        self.host(id).pages = pages;
    }

    /// A fetch from this host has ended, one way or another.
    pub fn answered(
        &mut self,
        id: HostId,
        address: Option<IpAddr>,
        now: Instant,
        outcome: Outcome,
        kept_waiting: bool,
    ) {
        if let Some(host) = self.hosts.get_mut(&id) {
            if !kept_waiting && outcome.kind != OutcomeKind::Failed {
                self.pace.set_manner(&host.name, Manner::InTime);
            }
            self.pace.finished(&host.name, host.address, now, outcome);
            if let Some(address) = address {
                host.address = Some(address);
            }
        }
        self.uncrowd();
        self.make_ready(id);
    }

    fn uncrowd(&mut self) {
        for id in std::mem::take(&mut self.crowded) {
            self.make_ready_from(id, Place::Crowded);
        }
    }

    /// A page of the host is looked at like a first one; nothing else is asked meanwhile.
    pub fn survey(&mut self, id: HostId) -> Option<Arc<RobotsState>> {
        let host = self.hosts.get_mut(&id)?;
        host.survey = Survey::Asked(1);
        host.robots_known()
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
            let manner = self.pace.manner(&host.name);
            self.ready[manner as usize].push_back(id);
        }
    }

    /// How the host has answered so far.
    pub fn manner(&self, id: HostId) -> Manner {
        (self.hosts.get(&id)).map_or(Manner::New, |host| self.pace.manner(&host.name))
    }

    /// An answer of this host is overdue: it is asked after the others until it answers in time.
    pub fn keeps_waiting(&mut self, id: HostId) {
        if let Some(host) = self.hosts.get(&id) {
            self.pace.set_manner(&host.name, Manner::Slow);
        }
    }

    /// The next host that is ready and has a seat, the slow ones last.
    fn next_ready(&mut self, seats: &Seats) -> Option<HostId> {
        for manner in Manner::ALL {
            while seats.has(manner)
                && let Some(id) = self.ready[manner as usize].pop_front()
            {
                let is = self.manner(id);
                // It answered, or kept us waiting, since it was put there.
                if is == manner || seats.has(is) {
                    return Some(id);
                }
                self.ready[is as usize].push_back(id);
            }
        }
        None
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
            host.take_up_due(wall);
            if let Some(wait) = host.next_later(wall) {
                self.asleep
                    .push(Reverse((now.after(wait.max(Duration::from_millis(1))), id)));
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
        seats: &Seats,
        refuses: &mut dyn FnMut(&Queued) -> Option<Reason>,
    ) -> Move {
        self.wake(now, wall);
        while let Some(id) = self.loads.pop_front() {
            if let Some(load) = self.load(id) {
                return load;
            }
        }
        while let Some(id) = self.next_ready(seats) {
            if let Some(step) = self.turn(id, now, refuses) {
                return step;
            }
        }
        Move::Wait(self.asleep.peek().map(|Reverse((at, _))| *at))
    }

    /// The turn of a host that was ready: nothing if something is in its way, and then it is ready again by what takes
    /// that away.
    fn turn(
        &mut self,
        id: HostId,
        now: Instant,
        refuses: &mut dyn FnMut(&Queued) -> Option<Reason>,
    ) -> Option<Move> {
        let host = self.hosts.get_mut(&id)?;
        host.place = Place::Idle;
        if host.queue.is_empty() || matches!(host.survey, Survey::Asked(_)) {
            return None;
        }
        let robots = match &host.robots {
            _ if !self.obey_robots || !host.is_web() => None,
            Robots::Asked => return None,
            Robots::Known(state, until) if now < *until => Some(Arc::clone(state)),
            Robots::Known(..) | Robots::Unknown => return self.ask_robots(id, now),
        };
        if let Some(RobotsState::Unreachable { .. }) = robots.as_deref() {
            let detail = Some(host.robots_failure.clone()).filter(|why| !why.is_empty());
            return Some(self.end(id, Reason::RobotsUnreachable, detail));
        }
        if let Some(max) = self.pages_per_host_max {
            if host.pages >= max {
                return Some(self.end(id, Reason::LimitPages, None));
            }
            if host.pages + host.pages_taken.len() as u64 >= max {
                return None; // Ready again when one of them is kept.
            }
        }
        let sitemaps_too = self.sitemaps.len() < SITEMAPS_AT_ONCE;
        let awaits_lists = host.awaits_lists();
        if awaits_lists && host.first_list().is_none() {
            return self.ask_for_lists(id, robots);
        }
        let next = if awaits_lists {
            host.next_list(sitemaps_too)
        } else {
            host.next_index(sitemaps_too)
        };
        let Some(index) = next else {
            host.place = Place::Crowded;
            self.crowded.push(id);
            return None;
        };
        // One slash more is no way past robots.txt: the same page may be asked for with one less.
        let denied = |page: &Queued| {
            let robots = robots.as_ref()?;
            let merged = || robots.refuses(&merged(&page.url)?);
            robots.refuses(&page.url).or_else(merged)
        };
        let denied = host.queue.get(index).and_then(denied);
        if denied.is_none() && !self.has_pace(id, now) {
            return None;
        }
        let host = self.hosts.get_mut(&id)?;
        let page = Box::new(host.queue.remove(index)?);
        if let Some(reason) = denied.or_else(|| refuses(&page)) {
            self.after_taking(id);
            return Some(Move::Refuse { page, reason });
        }
        self.pace.started(&host.name, host.address, now);
        let gap = self.pace.delay(&host.name);
        let mut is_first = false;
        match page.purpose {
            Purpose::Page => {
                host.pages_taken.insert(page.resource);
                if let (Survey::Due(tries), true) = (host.survey, host.is_web()) {
                    host.survey = Survey::Asked(tries);
                    is_first = true;
                }
            }
            Purpose::Sitemap => {
                host.has_sitemap_taken = true;
                self.sitemaps.insert(page.resource);
            }
        }
        self.after_taking(id);
        Some(if is_first {
            Move::First { page, robots, gap }
        } else {
            Move::Fetch(page)
        })
    }

    /// Whether the host may be asked now; otherwise it waits where it belongs.
    fn has_pace(&mut self, id: HostId, now: Instant) -> bool {
        let Some(host) = self.hosts.get_mut(&id) else {
            return false;
        };
        match self.pace.ready(&host.name, host.address, now) {
            Readiness::Now => return true,
            Readiness::At(at) => {
                host.place = Place::Asleep;
                self.asleep.push(Reverse((at, id)));
            }
            Readiness::Busy => {
                host.place = Place::Crowded;
                self.crowded.push(id);
            }
        }
        false
    }

    fn ask_robots(&mut self, id: HostId, now: Instant) -> Option<Move> {
        if !self.has_pace(id, now) {
            return None;
        }
        let host = self.hosts.get_mut(&id)?;
        let any = host.queue.front()?.url.clone();
        host.robots = Robots::Asked;
        self.pace.started(&host.name, host.address, now);
        Some(Move::Robots { host: id, any })
    }

    /// Nothing more of this host.
    fn end(&mut self, host: HostId, reason: Reason, detail: Option<String>) -> Move {
        self.forget(host);
        Move::GiveUp { host, reason, detail }
    }

    fn after_taking(&mut self, id: HostId) {
        self.make_ready(id);
        let Some(host) = self.hosts.get(&id) else { return };
        if host.has_more && !host.is_loading() && host.queue.len() < self.rows_per_host() / 4 {
            self.loads.push_back(id);
        }
    }

    fn rows_per_host(&self) -> usize {
        (ROWS_MAX / self.hosts.len().max(1)).clamp(8, ROWS_PER_HOST_MAX)
    }

    fn load(&mut self, id: HostId) -> Option<Move> {
        let limit = self.rows_per_host();
        let host = self.hosts.get_mut(&id)?;
        let lists_only = host.awaits_lists() && host.wants_lists && !host.queue.is_empty();
        if host.is_loading() || !(host.has_more || lists_only) {
            return None;
        }
        if lists_only {
            (host.wants_lists, host.loading) = (false, Loading::Lists);
            return Some(Move::Load(Load {
                host: id,
                after: None,
                held: host.held.clone(),
                limit,
                priority_below: self.priority_below,
                wants_robots: false,
                lists_only,
            }));
        }
        host.loading = Loading::Rows;
        // Set again by news of further rows while this is under way, which may or may not see them.
        host.has_more = false;
        let wants_robots = matches!(host.robots, Robots::Unknown);
        let held = match host.loaded_to {
            Some(_) => HashSet::new(), // All of them lie before.
            None => host.held.clone(),
        };
        Some(Move::Load(Load {
            host: id,
            after: host.loaded_to,
            held,
            limit,
            priority_below: self.priority_below,
            wants_robots,
            lists_only,
        }))
    }

    /// What is queued for the host was ended in the store.
    pub fn forget(&mut self, id: HostId) {
        if let Some(host) = self.hosts.get_mut(&id) {
            host.forget();
        }
    }

    /// Nothing queued, nothing loading: what is in flight may still bring more.
    pub fn is_empty(&self) -> bool {
        self.loads.is_empty() && (self.hosts.values()).all(|host| !host.has_work() && !host.is_loading())
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
        if !self.loads.is_empty() || !self.ready.iter().all(VecDeque::is_empty) || !self.crowded.is_empty() {
            return None;
        }
        let mut paused = Vec::new();
        for (id, host) in &self.hosts {
            if host.is_loading() || host.lists == Lists::Asked {
                return None;
            }
            if !host.has_work() || host.lists == Lists::Open {
                continue; // What it waits for may be paused.
            }
            match self.pace.pause(&host.name, now) {
                Some(pause) if pause > defaults::PAUSE_WORTH_WAITING => paused.push((*id, pause)),
                _ => return None,
            }
        }
        (!paused.is_empty()).then_some(paused)
    }

    pub fn hosts_count(&self) -> u64 {
        self.hosts.len() as u64
    }
}

#[cfg(test)]
mod tests;
