//! Which documents are looked at now, and when is the next look at each?
//!
//! Puts the parts together: a document's looks and group give its rate ([`super::rate`]), rate and time on its group's clock
//! give the worth of a look ([`super::worth`]), the purse gives the price. State is values with a version; who keeps them
//! (rows, files, memory) is left to others.

use super::activity::{Activity, GroupId};
use super::looks::LookCounts;
use super::rate::{self, Prior, Rate};
use super::worth::{self, Aim};
use serde::{Deserialize, Serialize};

/// The version of the stored form of [`Plan`] and [`WatchedPage`].
pub const VERSION: u32 = 1;
/// A group's mean rate weighs as many documents of the enclosing group as this.
const OUTER_WEIGHS: f64 = 10.0;
/// Before anything is known: a change in two months.
const FIRST_MEAN: f64 = 1.0 / 60.0;

/// How documents are looked at again.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    pub aim: Aim,
    /// How many changes the mean of a document's group weighs as much as.
    pub shape: f64,
    /// How even days are; see [`Activity`].
    pub evenness: f64,
    pub floor_days: f64,
    pub ceiling_days: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            aim: Aim::Mirror,
            shape: 1.0,
            evenness: 2.0,
            floor_days: 1.0 / 24.0,
            ceiling_days: 180.0,
        }
    }
}

/// What is known of one document.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WatchedPage {
    pub group: GroupId,
    pub weight: f32,
    /// Changes a day of its group's clock.
    rate: f32,
    pub last: f64,
    looks: LookCounts,
    /// The last look waits here until the clock of its days is set: what a day was like is known a little later.
    newest: Option<Look>,
    is_counted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Look {
    from: f64,
    has_changed: bool,
}

/// What is known of all documents together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub version: u32,
    pub settings: Settings,
    activity: Activity,
    /// By group: the sum of the rates of its documents, and how many.
    means: Vec<(f64, f64)>,
    all: (f64, f64),
}

impl Plan {
    pub fn new(settings: Settings, now: f64) -> Plan {
        Plan {
            version: VERSION,
            settings,
            activity: Activity::new(settings.evenness, now),
            means: Vec::new(),
            all: (0.0, 0.0),
        }
    }

    /// A site, or a folder of one.
    pub fn add_group(&mut self, outer: Option<GroupId>) -> GroupId {
        let id = self.activity.add(outer);
        if Some(id) != outer {
            self.means.push((0.0, 0.0));
        }
        id
    }

    /// A document that was fetched for the first time.
    pub fn add_page(&self, group: GroupId, weight: f64, now: f64) -> WatchedPage {
        WatchedPage {
            group,
            weight: weight as f32,
            rate: self.prior(group).mean as f32,
            last: now,
            looks: LookCounts::default(),
            newest: None,
            is_counted: false,
        }
    }

    /// Sets the clocks; once a day. The groups that turn out to have been much busier lately than was thought are given back:
    /// their documents are due earlier than was said, and want to be asked [`Plan::due`] again.
    pub fn settle(&mut self, now: f64) -> Vec<GroupId> {
        self.activity.settle(now)
    }

    fn prior(&self, group: GroupId) -> Prior {
        let mean =
            |(sum, count): (f64, f64), outer: f64| (sum + OUTER_WEIGHS * outer) / (count + OUTER_WEIGHS);
        let all = mean(self.all, FIRST_MEAN);
        let mut chain = [group; 16];
        let mut length = 0;
        for (slot, id) in chain.iter_mut().zip(self.activity.chain(group)) {
            *slot = id;
            length += 1;
        }
        let within = chain[..length].iter().rev();
        Prior {
            shape: self.settings.shape,
            mean: within.fold(all, |outer, id| mean(self.means[id.index()], outer)),
        }
    }

    /// What a look at the document now is worth: nothing before the shortest wait, more than any price after the longest.
    pub fn worth(&self, page: &WatchedPage, now: f64) -> f64 {
        let days = now - page.last;
        if days < self.settings.floor_days {
            return 0.0;
        }
        if days >= self.settings.ceiling_days {
            return f64::INFINITY;
        }
        let clock = self.activity.between(page.group, page.last, now);
        worth::worth(
            self.settings.aim,
            f64::from(page.rate),
            f64::from(page.weight),
            clock,
        )
    }

    /// How likely the document has changed since the last look.
    pub fn probability(&self, page: &WatchedPage, now: f64) -> f64 {
        let clock = self.activity.between(page.group, page.last, now);
        -(-f64::from(page.rate) * clock).exp_m1()
    }

    /// When a look is worth this price, if the site goes on as usual.
    pub fn due(&self, page: &WatchedPage, price: f64, now: f64) -> f64 {
        let settings = &self.settings;
        let wait = worth::wait(settings.aim, f64::from(page.rate), f64::from(page.weight), price);
        let clock = self.activity.between(page.group, page.last, now.max(page.last));
        let at = wait.map_or(f64::INFINITY, |wait| now.max(page.last) + wait - clock);
        at.clamp(page.last + settings.floor_days, page.last + settings.ceiling_days)
    }

    /// A look found that the document changed, or that it did not.
    pub fn seen(&mut self, page: &mut WatchedPage, now: f64, has_changed: bool) {
        let now = now.max(page.last);
        if let Some(look) = page.newest.take() {
            let clock = self.activity.between(page.group, look.from, page.last);
            page.looks.add(clock, look.has_changed);
        }
        self.activity
            .note(page.group, page.last, now, has_changed, f64::from(page.rate));
        page.newest = Some(Look {
            from: page.last,
            has_changed,
        });
        page.last = now;
        let rate = rate::best(&self.looks(page), self.prior(page.group));
        self.count(page, rate);
        page.rate = rate as f32;
        page.is_counted = true;
    }

    fn count(&mut self, page: &WatchedPage, rate: f64) {
        let (more, one) = if page.is_counted {
            (rate - f64::from(page.rate), 0.0)
        } else {
            (rate, 1.0)
        };
        let add = |mean: &mut (f64, f64)| {
            mean.0 += more;
            mean.1 += one;
        };
        add(&mut self.all);
        for id in self.activity.chain(page.group) {
            add(&mut self.means[id.index()]);
        }
    }

    fn looks(&self, page: &WatchedPage) -> LookCounts {
        let mut looks = page.looks;
        if let Some(look) = page.newest {
            let clock = self.activity.between(page.group, look.from, page.last);
            looks.add(clock, look.has_changed);
        }
        looks
    }

    /// How often the document changes, with bounds.
    pub fn rate(&self, page: &WatchedPage) -> Rate {
        rate::rate(&self.looks(page), self.prior(page.group))
    }
}
