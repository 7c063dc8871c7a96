//! Pages that wait for the lists (sitemaps) that date them, where those are believed (B2).
//!
//! ```text
//!          lists of the host fetched, one by one         store: all are read
//! Awaited ────────────────────────────────────► Asked ──────────────────────► Free: pages may go
//!    ▲                                            │ store: one is not
//!    └───────── it was read, or nobody can ◄──── Open
//! ```
//! Only lists are asked for meanwhile. They never wait for anything themselves, so nothing waits for ever: a list that fails
//! once is not waited for, and the store forgets those of a host that was given up.

use super::host::{Host, Lists};
use super::{NextStep, Reserve};
use gleaner_frontier::RobotsState;
use gleaner_model::{HostId, ResourceId};
use std::collections::HashSet;
use std::sync::Arc;

/// Hosts whose pages wait until their lists are read.
#[derive(Default, Clone)]
pub enum Waiters {
    #[default]
    None,
    These(HashSet<HostId>),
    All,
}

impl Reserve {
    /// To be said before the first host is met.
    pub fn set_waiters(&mut self, waiters: Waiters) {
        self.waiters = waiters;
    }

    pub(super) fn is_waiter(&self, id: HostId) -> bool {
        match &self.waiters {
            Waiters::None => false,
            Waiters::These(hosts) => hosts.contains(&id),
            Waiters::All => true,
        }
    }

    /// Whether pages of the host wait for its lists now.
    pub fn awaits_lists(&self, id: HostId) -> bool {
        self.hosts.get(&id).is_some_and(Host::awaits_lists)
    }

    /// All lists of the host are read: rows went, so those in memory are loaded anew.
    pub fn lists_read(&mut self, id: HostId, documents: u64) {
        let Some(host) = self.hosts.get_mut(&id) else {
            return;
        };
        host.lists = Lists::Free;
        host.pages += documents;
        host.forget();
        self.has_rows(id);
    }

    /// One of them was not when the store was asked. If a list was done with since then, it may have been this one.
    pub fn list_open(&mut self, id: HostId, list: ResourceId) {
        let Some(host) = self.hosts.get_mut(&id) else {
            return;
        };
        if host.lists_asked_at == self.lists_done {
            host.lists = Lists::Open;
            self.open_lists.entry(list).or_default().push(id);
        } else {
            host.lists = Lists::Awaited;
            self.make_ready(id);
        }
    }

    /// Lists that nobody could read are not waited for: who waits asks again.
    pub fn ask_for_lists_again(&mut self) {
        self.lists_done += 1;
        let lists: Vec<ResourceId> = self.open_lists.keys().copied().collect();
        for list in lists {
            self.list_done(list);
        }
    }

    pub(super) fn list_done(&mut self, list: ResourceId) {
        for id in self.open_lists.remove(&list).unwrap_or_default() {
            if let Some(host) = self.hosts.get_mut(&id)
                && host.lists == Lists::Open
            {
                host.lists = Lists::Awaited;
                self.make_ready(id);
            }
        }
    }

    /// No list of the host is in memory: there may be others in the frontier, or all are read.
    pub(super) fn ask_for_lists(&mut self, id: HostId, robots: Option<Arc<RobotsState>>) -> Option<NextStep> {
        let host = self.hosts.get_mut(&id)?;
        if host.is_loading() || host.has_sitemap_taken {
            return None; // Ready again when that is done.
        }
        if host.wants_lists {
            return self.load(id);
        }
        if host.lists != Lists::Awaited {
            return None;
        }
        host.lists = Lists::Asked;
        host.lists_asked_at = self.lists_done;
        Some(NextStep::Lists { host: id, robots })
    }
}
