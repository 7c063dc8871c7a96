//! The fetches that are under way: which of them hold a place, and which have been silent for long.

use gleaner_frontier::fetch_slots::{first_look, next_look};
use gleaner_frontier::{FetchSlot, FetchSlots, Manner, Silence, Watch};
use gleaner_model::{HostId, Instant};
use gleaner_units::Pulse;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// One fetch that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Ticket(u64);

/// What a fetch is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Errand {
    Robots,
    Page,
    /// The first page of a host, and what is asked after it, with pauses of our own.
    First,
}

pub(crate) struct Going {
    pub(crate) slots: FetchSlots,
    fetches: HashMap<Ticket, Fetch>,
    /// When each is looked at next: all of a queue wait as long, so the first is the next. The first looks at hosts that were
    /// never answered come sooner than others.
    first_looks: VecDeque<(Instant, Ticket)>,
    looks: VecDeque<(Instant, Ticket)>,
    begun: u64,
    answers: u64,
    /// Of them, those for pages.
    pages: usize,
}

/// How many were broken off.
#[derive(Default)]
pub(crate) struct Ended {
    pub(crate) pages: usize,
    pub(crate) robots: usize,
}

struct Fetch {
    host: HostId,
    errand: Errand,
    slot: FetchSlot,
    was_slow: bool,
    watch: Watch,
    pulse: Arc<Pulse>,
}

impl Going {
    pub(crate) fn new(slots: FetchSlots) -> Going {
        Going {
            slots,
            fetches: HashMap::new(),
            first_looks: VecDeque::new(),
            looks: VecDeque::new(),
            begun: 0,
            answers: 0,
            pages: 0,
        }
    }

    pub(crate) fn begin(
        &mut self,
        host: HostId,
        errand: Errand,
        manner: Manner,
        now: Instant,
    ) -> (Ticket, Arc<Pulse>) {
        self.begun += 1;
        let ticket = Ticket(self.begun);
        let pulse = Arc::new(Pulse::default());
        let fetch = Fetch {
            host,
            errand,
            slot: self.slots.take(manner),
            was_slow: false,
            watch: Watch::new(now, self.answers),
            pulse: Arc::clone(&pulse),
        };
        self.pages += usize::from(errand != Errand::Robots);
        let looks = match fetch.slot {
            FetchSlot::First => &mut self.first_looks,
            FetchSlot::Place | FetchSlot::Aside => &mut self.looks,
        };
        looks.push_back((first_look(fetch.slot, now), ticket));
        self.fetches.insert(ticket, fetch);
        (ticket, pulse)
    }

    /// A fetch is over. Says whether it kept us waiting.
    pub(crate) fn ended(&mut self, ticket: Ticket) -> bool {
        let Some(fetch) = self.fetches.remove(&ticket) else {
            return false;
        };
        self.answers += u64::from(!fetch.was_slow);
        self.pages -= usize::from(fetch.errand != Errand::Robots);
        self.slots.leave(fetch.slot);
        fetch.was_slow
    }

    /// None of them will end by itself any more.
    pub(crate) fn break_off(&mut self) -> Ended {
        let mut ended = Ended::default();
        for (_, fetch) in self.fetches.drain() {
            self.slots.leave(fetch.slot);
            match fetch.errand {
                Errand::Robots => ended.robots += 1,
                Errand::Page | Errand::First => ended.pages += 1,
            }
        }
        self.pages = 0;
        ended
    }

    /// Looks at those whose time has come; gives the hosts that keep us waiting.
    pub(crate) fn look(&mut self, now: Instant) -> Vec<HostId> {
        let mut slow = Vec::new();
        while let Some(ticket) = due(&mut self.first_looks, now).or_else(|| due(&mut self.looks, now)) {
            let Some(fetch) = self.fetches.get_mut(&ticket) else {
                continue;
            };
            let bytes = fetch.pulse.bytes();
            let silence = fetch.watch.look(now, bytes, self.answers, &self.slots);
            fetch.slot = self.slots.moved(fetch.slot, silence);
            let is_slow = silence == Silence::Long;
            if is_slow && !fetch.was_slow && (fetch.errand != Errand::First || bytes == 0) {
                fetch.was_slow = true;
                slow.push(fetch.host);
            }
            self.looks.push_back((next_look(now), ticket));
        }
        slow
    }

    /// When the next one is to be looked at.
    pub(crate) fn next_look(&mut self) -> Option<Instant> {
        let mut next = None;
        for looks in [&mut self.first_looks, &mut self.looks] {
            while let Some((_, ticket)) = looks.front()
                && !self.fetches.contains_key(ticket)
            {
                looks.pop_front();
            }
            next = looks.front().map(|(at, _)| *at).into_iter().chain(next).min();
        }
        next
    }

    pub(crate) fn pages(&self) -> usize {
        self.pages
    }

    pub(crate) fn count(&self) -> usize {
        self.fetches.len()
    }
}

/// The next one whose time has come.
fn due(looks: &mut VecDeque<(Instant, Ticket)>, now: Instant) -> Option<Ticket> {
    let (at, ticket) = *looks.front()?;
    (at <= now).then(|| {
        looks.pop_front();
        ticket
    })
}

#[cfg(test)]
mod tests;
