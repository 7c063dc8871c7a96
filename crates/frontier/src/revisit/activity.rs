//! How busy is a site, and each of its folders, on each day? Real sites do not change page by page: someone edits a hundred of
//! them in an hour, and then nobody comes for weeks. A look that finds a change tells something about all other pages.
//!
//! Each group (site, folder in it, folder in that) has a clock that runs fast on busy days and slowly on quiet ones, at 1 on
//! average. Pages change at their own constant rate *on the clock of their group*, so everything that is known about constant
//! rates holds for bursts as well. The speed s of a day is Gamma with the mean of the enclosing group and a small shape c (most
//! days are quiet, few are very busy): s = (c·outer + E)/(c + N), N = Σ λ over the looks whose interval covers the day,
//! E = the changes of that day which the looks make likely: each look that found a change spreads λs/(1 − e^(−H)) over the
//! days of its interval, H = λ·(clock time). Some rounds of this (EM) say when the burst was: between the last looks that found
//! nothing and the first that found something. Only `changed` or `unchanged` of each look is used.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Days whose speed is known and can still be corrected by new looks; before them clocks ran at 1.
const DAYS: usize = 192;
/// Looks that ended so long ago say nothing new.
const NOTED_DAYS: f64 = 120.0;
/// Looks of one day that a group notes; of large groups these are enough.
const NOTES_A_DAY: u32 = 64;
/// Where there are more groups, further folders are one with what encloses them.
const GROUPS_MAX: usize = 20_000;
const ROUNDS: usize = 4;
/// A clock leapt where it went so many days further in the last month than was thought.
const LATELY_DAYS: f64 = 30.0;
const LEAP_DAYS: f64 = 3.0;

/// A group of pages: a site or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GroupId(u32);

impl GroupId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The clocks of all groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    groups: Vec<Group>,
    /// The first day that is kept.
    first: i64,
    /// The day that clocks were last set on.
    settled: i64,
    shape: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Group {
    outer: Option<GroupId>,
    /// By day from `first` on.
    speeds: Vec<f32>,
    /// The clock at the beginning of each day, from `first` on; one more than speeds.
    reached: Vec<f64>,
    notes: VecDeque<Note>,
    noted_today: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Note {
    from: f64,
    to: f64,
    rate: f32,
    has_changed: bool,
}

impl Activity {
    /// `shape` is c: the smaller, the more uneven are days thought to be.
    pub fn new(shape: f64, today: f64) -> Activity {
        let day = today.floor() as i64;
        Activity {
            groups: Vec::new(),
            first: day - 1,
            settled: day,
            shape,
        }
    }

    /// One more group, inside another or by itself.
    pub fn add(&mut self, outer: Option<GroupId>) -> GroupId {
        if let (Some(outer), true) = (outer, self.groups.len() >= GROUPS_MAX) {
            return outer;
        }
        let speeds = match outer {
            Some(outer) => self.group(outer).speeds.clone(),
            None => vec![1.0; (self.settled + 2 - self.first) as usize],
        };
        let mut group = Group {
            outer,
            speeds,
            reached: Vec::new(),
            notes: VecDeque::new(),
            noted_today: 0,
        };
        group.wind();
        self.groups.push(group);
        GroupId(self.groups.len() as u32 - 1)
    }

    fn group(&self, id: GroupId) -> &Group {
        &self.groups[id.0 as usize]
    }

    /// The group and those that enclose it.
    pub fn chain(&self, of: GroupId) -> impl Iterator<Item = GroupId> + '_ {
        std::iter::successors(Some(of), |id| self.group(*id).outer)
    }

    /// How far the group's clock went between two times.
    pub fn between(&self, group: GroupId, from: f64, to: f64) -> f64 {
        let group = self.group(group);
        let first = self.first as f64;
        (group.at(to - first) - group.at(from - first)).max(0.0)
    }

    /// A look at a page of this group, whose rate was thought to be this.
    pub fn note(&mut self, group: GroupId, from: f64, to: f64, has_changed: bool, rate: f64) {
        let note = Note {
            from: from.max(to - DAYS as f64),
            to: to.max(from + 0.01),
            rate: rate as f32,
            has_changed,
        };
        let mut next = Some(group);
        while let Some(id) = next {
            let group = &mut self.groups[id.0 as usize];
            if group.noted_today < NOTES_A_DAY {
                group.noted_today += 1;
                group.notes.push_back(note);
            }
            next = group.outer;
        }
    }

    /// Sets all clocks by what was noted; once a day is enough, more often does nothing. Gives the groups whose clock leapt:
    /// something happened there in the last month that was not known yesterday.
    pub fn settle(&mut self, now: f64) -> Vec<GroupId> {
        let today = now.floor() as i64;
        let mut leapt = Vec::new();
        if today <= self.settled {
            return leapt;
        }
        self.settled = today;
        let forgotten = (today + 2 - self.first - DAYS as i64).max(0) as usize;
        self.first += forgotten as i64;
        let days = (today + 2 - self.first) as usize;
        for at in 0..self.groups.len() {
            let (before, rest) = self.groups.split_at_mut(at);
            let group = &mut rest[0];
            let outer = group.outer.map(|id| &before[id.0 as usize].speeds);
            group.speeds.drain(..forgotten.min(group.speeds.len()));
            group.speeds.resize(days, 1.0);
            group.noted_today = 0;
            while group.notes.front().is_some_and(|note| note.to < now - NOTED_DAYS) {
                group.notes.pop_front();
            }
            group.wind();
            let lately = |group: &Group| group.at(days as f64) - group.at(days as f64 - LATELY_DAYS);
            let known = lately(group);
            group.estimate(self.first as f64, outer, self.shape);
            if lately(group) > known * 1.25 + LEAP_DAYS {
                leapt.push(GroupId(at as u32));
            }
        }
        leapt
    }
}

impl Group {
    /// The clock so many days after the first day; beyond what is known it goes at 1.
    fn at(&self, days: f64) -> f64 {
        let known = self.speeds.len() as f64;
        if days < 0.0 {
            days
        } else if days >= known {
            self.reached[self.speeds.len()] + days - known
        } else {
            let day = days as usize;
            self.reached[day] + (days - day as f64) * f64::from(self.speeds[day])
        }
    }

    fn wind(&mut self) {
        self.reached.clear();
        let mut reached = 0.0;
        self.reached.push(0.0);
        for speed in &self.speeds {
            reached += f64::from(*speed);
            self.reached.push(reached);
        }
    }

    fn estimate(&mut self, first: f64, outer: Option<&Vec<f32>>, shape: f64) {
        // The last two days lie ahead: nothing is known about them.
        let known = self.speeds.len() - 2;
        let looked = spread(
            known,
            first,
            self.notes.iter().map(|note| (note, f64::from(note.rate))),
        );
        for _ in 0..ROUNDS {
            let found = self.notes.iter().filter(|note| note.has_changed).map(|note| {
                let clock = self.at(note.to - first) - self.at(note.from - first);
                let expected = (f64::from(note.rate) * clock).max(1e-9);
                (note, f64::from(note.rate) / -(-expected).exp_m1())
            });
            let found = spread(known, first, found);
            for day in 0..known {
                let usual = outer.map_or(1.0, |outer| f64::from(outer[day]));
                let changes = f64::from(self.speeds[day]) * found[day];
                self.speeds[day] = ((shape * usual + changes) / (shape + looked[day])) as f32;
            }
            self.wind();
        }
    }
}

/// The sum of weights by day, each over the days of its look's interval, by the share of the day.
fn spread<'a>(days: usize, first: f64, notes: impl Iterator<Item = (&'a Note, f64)>) -> Vec<f64> {
    // Differences from day to day: each interval costs the same however long it is.
    let mut steps = vec![0.0; days + 2];
    for (note, weight) in notes {
        let from = (note.from - first).clamp(0.0, days as f64);
        let to = (note.to - first).clamp(0.0, days as f64);
        if to <= from {
            continue;
        }
        let (begin, end) = (from as usize, to as usize);
        let mut put = |day: usize, share: f64| {
            steps[day] += weight * share;
            steps[day + 1] -= weight * share;
        };
        if begin == end {
            put(begin, to - from);
            continue;
        }
        put(begin, begin as f64 + 1.0 - from);
        put(end, to - end as f64);
        steps[begin + 1] += weight;
        steps[end] -= weight;
    }
    let mut sum = 0.0;
    steps.truncate(days);
    for step in &mut steps {
        sum += *step;
        // Differences of sums may leave a trace below 0.
        *step = f64::max(sum, 0.0);
    }
    steps
}

#[cfg(test)]
mod tests;
