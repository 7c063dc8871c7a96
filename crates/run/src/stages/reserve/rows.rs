//! Rows of the frontier in memory: some of each host, loaded when few are left.
//!
//! Loads go on behind the last row that was loaded; when rows came in meanwhile, which may lie before it, they begin anew and
//! leave out what is held.

use super::host::{Lists, Loading, Robots};
use super::{NextStep, Reserve};
use gleaner_frontier::RobotsState;
use gleaner_model::{HostId, HostPaceState, Instant, ResourceId, Timestamp, defaults};
use gleaner_store::work::priority_behind;
use gleaner_store::work::{Load, Queued};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// Rows of one host in memory: few when there are many hosts.
const ROWS_PER_HOST_MAX: usize = 256;
/// The same where what comes first may change with every page.
const ROWS_BEST_FIRST: usize = 16;
const ROWS_MAX: usize = 16 * 1024;

impl Reserve {
    /// The turn of this step has come.
    pub fn open_to(&mut self, step: u32) {
        self.priority_below = Some(priority_behind(step));
        self.set_wants_hosts(true);
        let hosts: Vec<HostId> = self.leases().into_iter().map(|lease| lease.host).collect();
        for host in hosts {
            self.has_rows(host);
        }
    }

    /// The frontier has rows of this host.
    pub fn has_rows(&mut self, id: HostId) {
        if self.fenced(id).is_none() {
            return self.set_wants_hosts(true);
        }
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

    pub fn loaded(
        &mut self,
        id: HostId,
        mut rows: Vec<Queued>,
        is_all: bool,
        robots: Option<(RobotsState, Duration)>,
        wall: Timestamp,
        now: Instant,
    ) {
        let Some(host) = self.hosts.get_mut(&id) else {
            return;
        };
        rows.retain(|row| host.until.is_some() && row.fence == host.fence);
        let are_lists = std::mem::take(&mut host.loading) == Loading::Lists;
        if are_lists {
            host.wants_lists |= !is_all;
        } else if !host.has_more {
            let last = rows.last().map(Queued::place);
            host.loaded_to = last.or(host.loaded_to);
        }
        host.has_more |= !is_all && !are_lists && host.until.is_some();
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
        if host.pace != HostPaceState::default() && !host.name.is_empty() {
            self.pace
                .learn(&host.name, &std::mem::take(&mut host.pace), (now, wall));
        }
        if !host.is_web() && self.pace.wanted_delay() == defaults::DELAY {
            self.pace.drop_delay(&host.name); // Nobody chose another.
        }
        if let Some(wait) = host.next_later(wall) {
            self.asleep.push(Reverse((now.after(wait), id)));
        }
        host.take_up_put_off();
        if host.has_more && host.queue.is_empty() {
            self.loads.push_back(id);
        }
        self.note_maybe_idle(id);
        self.make_ready(id);
    }

    /// A row that is not to be loaded again until it is kept; false if it is held already.
    pub fn hold_row(&mut self, id: HostId, resource: ResourceId) -> bool {
        self.host(id).held.insert(resource)
    }

    /// A guessed list waits until its host has given more documents, or has nothing else; if that is so already, it is given back.
    pub fn put_off(&mut self, list: Box<Queued>) -> Option<Box<Queued>> {
        match self.hosts.get_mut(&list.host) {
            Some(host) => host.put_off(list),
            None => Some(list),
        }
    }

    pub(super) fn after_taking(&mut self, id: HostId) {
        self.make_ready(id);
        let Some(host) = self.hosts.get(&id) else { return };
        if host.has_more && !host.is_loading() && host.queue.len() < self.rows_per_host() / 4 {
            self.loads.push_back(id);
        }
    }

    pub(super) fn rows_per_host(&self) -> usize {
        let most = if self.is_best_first {
            ROWS_BEST_FIRST
        } else {
            ROWS_PER_HOST_MAX
        };
        (ROWS_MAX / self.hosts.len().max(1)).clamp(8, most)
    }

    pub(super) fn load(&mut self, id: HostId) -> Option<NextStep> {
        let limit = self.rows_per_host();
        let host = self.hosts.get_mut(&id)?;
        let lists_only = host.awaits_lists() && host.wants_lists && !host.queue.is_empty();
        if host.is_loading() || !(host.has_more || lists_only) {
            return None;
        }
        if lists_only {
            (host.wants_lists, host.loading) = (false, Loading::Lists);
            return Some(NextStep::Load(Load {
                host: id,
                fence: host.fence,
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
        Some(NextStep::Load(Load {
            host: id,
            fence: host.fence,
            after: host.loaded_to,
            held,
            limit,
            priority_below: self.priority_below,
            wants_robots,
            lists_only,
        }))
    }
}
