//! What comes before the pages of a host: its robots.txt, and a look at the first page's addresses.

use super::host::{Place, Robots, Survey};
use super::{NextStep, Reserve};
use gleaner_frontier::RobotsState;
use gleaner_model::{HostId, Instant, defaults};
use std::cmp::Reverse;
use std::sync::Arc;

impl Reserve {
    /// What robots.txt of the host says, where it is known and obeyed.
    pub fn robots(&self, id: HostId) -> Option<Arc<RobotsState>> {
        self.hosts.get(&id).filter(|_| self.obey_robots)?.robots_known()
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

    pub(super) fn ask_robots(&mut self, id: HostId, now: Instant) -> Option<NextStep> {
        if !self.has_pace(id, now) {
            return None;
        }
        let host = self.hosts.get_mut(&id)?;
        let any = host.queue.front()?.url.clone();
        host.robots = Robots::Asked;
        self.pace.started(&host.name, host.address, now);
        Some(NextStep::Robots { host: id, any })
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
}
