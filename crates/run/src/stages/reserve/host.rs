//! One host of a run: its rows in memory, and what is known about asking it.

use gleaner_frontier::RobotsState;
use gleaner_frontier::guesses::LARGE_HOST_DOCUMENTS;
use gleaner_model::{HostPaceState, Instant, ResourceId, Timestamp, Url};
use gleaner_store::leases::Fence;
use gleaner_store::work::{Queued, RowPlace};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tracing::{Span, debug, info_span};

/// Pages of a host that are tried for a survey: the first may be no page, or gone.
const SURVEY_TRIES: u8 = 3;

#[derive(Default)]
pub(super) struct Host {
    pub(super) queue: VecDeque<Queued>,
    /// Waiting for a second try.
    later: BinaryHeap<Reverse<(Timestamp, i64)>>,
    later_pages: HashMap<ResourceId, Queued>,
    /// Guessed lists that wait until the host has given more documents, or has nothing else.
    put_off: Vec<Queued>,
    pub(super) held: HashSet<ResourceId>,
    /// Of the lease, or of the last one.
    pub(super) fence: Fence,
    /// It is this worker's until then; none: it is not. By the clock that nobody sets.
    pub(super) until: Option<Instant>,
    /// When it may be asked, as the holder before learned; given to the pace book with the first rows.
    pub(super) pace: HostPaceState,
    /// The frontier may have rows that are not held.
    pub(super) has_more: bool,
    pub(super) loading: Loading,
    /// The last row that was loaded, if none came in before it since.
    pub(super) loaded_to: Option<RowPlace>,
    pub(super) robots: Robots,
    pub(super) robots_tries: u32,
    /// Why robots.txt could not be read the last time.
    pub(super) robots_failure: String,
    pub(super) address: Option<IpAddr>,
    /// The name that pace is kept by: http and https of one host share it.
    pub(super) name: Box<str>,
    /// What is logged about the host is told with this; made with its name.
    pub(super) span: Option<Span>,
    pub(super) place: Place,
    pub(super) survey: Survey,
    /// Documents of this run so far.
    pub(super) pages: u64,
    /// Pages taken and not yet safe: each may become a document.
    pub(super) pages_taken: HashSet<ResourceId>,
    pub(super) has_sitemap_taken: bool,
    pub(super) lists: Lists,
    /// How many lists were done with when the store was asked for those that are open.
    pub(super) lists_asked_at: u64,
    /// The frontier may have lists of this host that are waited for and not held.
    pub(super) wants_lists: bool,
}

/// What was asked of the store and has not come yet.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Loading {
    #[default]
    Nothing,
    Rows,
    /// Only lists that are waited for.
    Lists,
}

/// Whether the pages wait for the lists (sitemaps) that date them.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Lists {
    /// They do not, or all that could be read was.
    #[default]
    Free,
    Awaited,
    /// The store was asked whether all are read.
    Asked,
    /// One of them is not, and lies elsewhere or is on its way.
    Open,
}

/// Whether the host's URLs were looked at for volatile parts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Survey {
    /// So many pages may still be tried for it.
    Due(u8),
    /// Nothing else is asked meanwhile.
    Asked(u8),
    Done,
}

impl Default for Survey {
    fn default() -> Survey {
        Survey::Due(SURVEY_TRIES)
    }
}

#[derive(Clone, Default)]
pub(super) enum Robots {
    #[default]
    Unknown,
    Asked,
    /// Believed until that moment.
    Known(Arc<RobotsState>, Instant),
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Place {
    #[default]
    Idle,
    Ready,
    Asleep,
    /// Waits for a connection of its own or of its address to be free, or for a sitemap to be done.
    Crowded,
}

impl Host {
    pub(super) fn awaiting(lists: Lists) -> Host {
        Host {
            lists,
            ..Host::default()
        }
    }

    /// Takes a row of the frontier in.
    pub(super) fn hold(&mut self, page: Queued, wall: Timestamp) {
        self.take_name(&page.url);
        self.held.insert(page.resource);
        if page.due_at > wall {
            self.later.push(Reverse((page.due_at, page.resource.0)));
            self.later_pages.insert(page.resource, page);
        } else {
            self.queue.push_back(page);
        }
    }

    /// A web server and a file server of one name are two.
    pub(super) fn take_name(&mut self, url: &Url) {
        if self.name.is_empty() {
            self.name = if url.is_web() { url.host() } else { url.origin() }.into();
            let span = info_span!("host", host = &*self.name);
            debug!(parent: &span, "the host is taken up");
            self.span = Some(span);
            if !url.is_web() {
                self.survey = Survey::Done; // What is listed has no volatile parts, and a long listing must not wait alone.
            }
        }
    }

    /// Lets a guessed list wait, if the host may yet give more; otherwise it is given back.
    pub(super) fn put_off(&mut self, list: Box<Queued>) -> Option<Box<Queued>> {
        let may_wait = self.pages < LARGE_HOST_DOCUMENTS && self.has_others(1) && !self.awaits_lists();
        if may_wait {
            self.put_off.push(*list);
            return None;
        }
        Some(list)
    }

    /// Those that waited are queued again once the host is large or has nothing else; whether there were any.
    pub(super) fn take_up_put_off(&mut self) -> bool {
        let is_time = self.pages >= LARGE_HOST_DOCUMENTS || !self.has_others(0);
        let takes = is_time && !self.put_off.is_empty();
        if takes {
            for list in self.put_off.drain(..) {
                self.queue.push_front(list);
            }
        }
        takes
    }

    /// Whether anything but so many rows and those that were put off is on its way, in memory or in the store.
    fn has_others(&self, but: usize) -> bool {
        self.held.len() > self.put_off.len() + but || self.has_more || self.is_loading()
    }

    /// How long until the next second try is due.
    pub(super) fn next_later(&self, wall: Timestamp) -> Option<Duration> {
        let Reverse((due, _)) = self.later.peek()?;
        Some(Duration::from_millis(due.0.saturating_sub(wall.0).max(0) as u64))
    }

    pub(super) fn take_up_due(&mut self, wall: Timestamp) {
        while let Some(Reverse((due, resource))) = self.later.peek().copied() {
            if due > wall {
                break;
            }
            self.later.pop();
            self.queue.extend(self.later_pages.remove(&ResourceId(resource)));
        }
    }

    /// The place in the queue of what may be taken next: a sitemap waits for the one before it, pages behind it do not.
    pub(super) fn next_index(&self, sitemaps_too: bool) -> Option<usize> {
        let takes_sitemaps = sitemaps_too && !self.has_sitemap_taken;
        (self.queue.iter()).position(|page| page.purpose.is_page() || takes_sitemaps)
    }

    pub(super) fn is_loading(&self) -> bool {
        self.loading != Loading::Nothing
    }

    pub(super) fn awaits_lists(&self) -> bool {
        self.lists != Lists::Free && self.is_web()
    }

    /// The same for a host whose pages wait.
    pub(super) fn next_list(&self, sitemaps_too: bool) -> Option<usize> {
        let takes_sitemaps = sitemaps_too && !self.has_sitemap_taken;
        self.first_list().filter(|_| takes_sitemaps)
    }

    pub(super) fn first_list(&self) -> Option<usize> {
        (self.queue.iter()).position(|page| !page.purpose.is_page())
    }

    /// Whether it has robots.txt, and addresses that may carry sessions.
    pub(super) fn is_web(&self) -> bool {
        self.queue.front().is_none_or(|page| page.url.is_web())
    }

    pub(super) fn robots_known(&self) -> Option<Arc<RobotsState>> {
        match &self.robots {
            Robots::Known(state, _) => Some(Arc::clone(state)),
            _ => None,
        }
    }

    /// Something queued, in memory or in the store.
    pub(super) fn has_work(&self) -> bool {
        !(self.queue.is_empty() && self.later.is_empty() && self.put_off.is_empty()) || self.has_more
    }

    pub(super) fn forget(&mut self) {
        for page in self.queue.drain(..).chain(self.put_off.drain(..)) {
            self.held.remove(&page.resource);
        }
        for (resource, _) in self.later_pages.drain() {
            self.held.remove(&resource);
        }
        self.later.clear();
        self.has_more = false;
    }
}
