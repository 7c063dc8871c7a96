//! Reserve the next page: which host, which URL, and is it time? The scheduler asks this value what to do next.
//!
//! Hosts come by lease and go back when they have nothing to do ([`leases`]). In memory are some rows of each host's part of the
//! frontier, never all. A host moves between three places:
//!
//! ```text
//!            rows loaded            pace says "not yet"
//!  idle ───────────────► ready ───────────────────────► asleep
//!    ▲                    │  ▲                             │
//!    └── nothing queued ──┘  └──── its time has come ──────┘
//! ```
//! A page is *held* from the moment its row is loaded until the store says it is kept; held rows are not loaded again,
//! so no page is fetched twice, and rows that come in behind others are still found.

mod first;
mod host;
mod leases;
mod lists;
mod ready;
mod rows;

use self::host::{Host, Lists, Place, Robots, Survey};
use self::leases::Holding;
pub use self::lists::Waiters;
use crate::news::{Done, End};
use crate::shared_pace::RunPace;
use gleaner_frontier::traps::merged;
use gleaner_frontier::{FetchSlots, RobotsState};
use gleaner_model::{HostId, Instant, Reason, ResourceId, Timestamp, Url};
use gleaner_store::work::{Load, Purpose, Queued};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tracing::Span;

/// Sitemaps on their way at once, one of a host: each may name fifty thousand pages, all in memory until they are rows.
const SITEMAPS_AT_ONCE: usize = 4;

/// How long a host whose lease has lapsed waits for news of it.
const UNTIL_RENEWED: Duration = Duration::from_millis(20);

/// What the caller should do next.
pub enum NextStep {
    /// Fetch this page now.
    Fetch(Box<Queued>),
    /// The same for the first page of a host: its URLs may have to be learned about before others are asked for.
    First {
        page: Box<Queued>,
        robots: Option<Arc<RobotsState>>,
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
    pub(crate) pace: RunPace,
    obey_robots: bool,
    tries_max: u32,
    pages_per_host_max: Option<u64>,
    loads: VecDeque<HostId>,
    holding: Holding,
    waiters: Waiters,
    /// Lists that are not read yet, and whose pages wait for them.
    open_lists: HashMap<ResourceId, Vec<HostId>>,
    /// How many lists were done with so far: an answer of the store that is older than the last of them is not relied on.
    lists_done: u64,
    /// Rows of steps whose turn has not come lie behind this priority.
    priority_below: Option<i64>,
    /// Few rows of each host are held, because what comes first may change with every page.
    is_best_first: bool,
}

impl Reserve {
    pub(crate) fn new(
        pace: RunPace,
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
            holding: Holding::default(),
            waiters: Waiters::None,
            open_lists: HashMap::new(),
            lists_done: 0,
            is_best_first: false,
            priority_below: None,
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

    pub(crate) fn set_best_first(&mut self, is_best_first: bool) {
        self.is_best_first = is_best_first;
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
            // Whoever has the host loads its row again.
            End::Again | End::Late => self.has_rows(done.host),
            End::Other => {}
        }
        let has_list_again = (self.hosts.get_mut(&done.host)).is_some_and(Host::take_up_put_off);
        self.note_maybe_idle(done.host);
        if was_sitemap {
            self.lists_done += 1;
            self.uncrowd();
            self.make_ready(done.host);
        }
        self.list_done(done.resource);
        if self.pages_per_host_max.is_some() || has_list_again || self.is_best_first {
            self.make_ready(done.host);
        }
    }

    /// Documents that earlier parts of a resumed run got from this host.
    pub fn had_pages(&mut self, id: HostId, pages: u64) {
        self.host(id).pages = pages;
    }

    /// What to do now. `refuses` is asked last, about the page that would be fetched and with the documents that its host gave so far:
    /// what it refuses costs the host no turn.
    pub fn next(
        &mut self,
        now: Instant,
        wall: Timestamp,
        slots: &FetchSlots,
        refuses: &mut dyn FnMut(&Queued, u64) -> Option<Reason>,
    ) -> NextStep {
        self.wake(now, wall);
        while let Some(id) = self.loads.pop_front() {
            if let Some(load) = self.load(id) {
                return load;
            }
        }
        while let Some(id) = self.next_ready(slots) {
            if let Some(step) = self.turn(id, now, refuses) {
                return step;
            }
        }
        NextStep::Wait(self.asleep.peek().map(|Reverse((at, _))| *at))
    }

    /// The turn of a host that was ready; none if it has to wait. What it waits for makes it ready again.
    fn turn(
        &mut self,
        id: HostId,
        now: Instant,
        refuses: &mut dyn FnMut(&Queued, u64) -> Option<Reason>,
    ) -> Option<NextStep> {
        let host = self.hosts.get_mut(&id)?;
        host.place = Place::Idle;
        if host.queue.is_empty() || matches!(host.survey, Survey::Asked(_)) {
            return None;
        }
        if host.until.is_none_or(|until| until <= now) {
            // Perhaps nobody else has taken it: to renew the lease tells.
            host.place = Place::Asleep;
            self.asleep.push(Reverse((now.after(UNTIL_RENEWED), id)));
            self.note_lapsed();
            return None;
        }
        let robots = match &host.robots {
            _ if !self.obey_robots || !host.is_web() => None,
            Robots::Asked => return None,
            Robots::Known(state, until) if now < *until => Some(Arc::clone(state)),
            Robots::Known(..) | Robots::Unknown => return self.ask_robots(id, now),
        };
        if let Some(RobotsState::Unreachable { reason }) = robots.as_deref() {
            let detail = Some(host.robots_failure.clone()).filter(|why| !why.is_empty());
            return Some(self.end(id, RobotsState::told(*reason), detail));
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
        // A doubled slash must not lead past robots.txt: the server may give the same page for one slash.
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
        if let Some(reason) = denied.or_else(|| refuses(&page, host.pages)) {
            if reason == Reason::SiteLeft {
                host.queue.push_front(*page);
                // What is on its way has its rows until it is kept; the host is ready again then.
                let is_asked = !host.pages_taken.is_empty() || host.has_sitemap_taken;
                return (!is_asked).then(|| self.end(id, reason, None));
            }
            self.after_taking(id);
            return Some(NextStep::Refuse { page, reason });
        }
        self.pace.started(&host.name, host.address, now);
        let mut is_first = false;
        match page.purpose {
            Purpose::Page | Purpose::Guess => {
                host.pages_taken.insert(page.resource);
                if let (Survey::Due(tries), true) = (host.survey, host.is_web()) {
                    host.survey = Survey::Asked(tries);
                    is_first = true;
                }
            }
            Purpose::Sitemap | Purpose::GuessedSitemap | Purpose::FoundSitemap => {
                host.has_sitemap_taken = true;
                self.sitemaps.insert(page.resource);
            }
        }
        self.after_taking(id);
        Some(if is_first {
            NextStep::First { page, robots }
        } else {
            NextStep::Fetch(page)
        })
    }

    /// Nothing more of this host.
    fn end(&mut self, host: HostId, reason: Reason, detail: Option<String>) -> NextStep {
        self.forget(host);
        NextStep::GiveUp { host, reason, detail }
    }

    /// What is queued for the host was ended in the store.
    pub fn forget(&mut self, id: HostId) {
        if let Some(host) = self.hosts.get_mut(&id) {
            host.forget();
        }
        self.note_maybe_idle(id);
    }

    /// Nothing queued, nothing loading, no host to ask for: what is in flight may still bring more.
    pub fn is_empty(&self) -> bool {
        !self.wants_hosts()
            && self.loads.is_empty()
            && (self.hosts.values()).all(|host| !host.has_work() && !host.is_loading())
    }

    /// Of what is logged about the host; the run's own while the host has no name.
    pub fn span(&self, id: HostId) -> Span {
        let host = self.hosts.get(&id);
        host.and_then(|host| host.span.clone())
            .unwrap_or_else(Span::current)
    }

    /// Rows of steps whose turn has not come lie behind this.
    pub(crate) fn priority_below(&self) -> Option<i64> {
        self.priority_below
    }
}

#[cfg(test)]
pub(crate) mod tests;
