//! Is this a place that makes URLs without end? (A10, HC036, HC039 to HC042, HC044)
//!
//! In: each new link when it is about to be queued ([`Traps::admit`]), each queued URL when it is about to be fetched
//! ([`Traps::check`]), and what each fetch gave ([`Traps::fetched`]). Out: go on, or the reason of the cut; and all cuts
//! with counts and examples for the report ([`Traps::cuts`]).
//!
//! URLs of one *shape* (same site, same path once numbers are masked, same parameter names) form an **arm**, and an arm
//! is judged by what it gave, never by its size: a forum with 50,000 true topics is one large honest arm.
//!
//! | cut | evidence |
//! |---|---|
//! | syntax | segments or parameters repeat, too many of them: no memory needed |
//! | copies | of the arm's last 50 fetches more than 90 % gave content already known |
//! | growth | 200 fetches gave little and the arm still grows twentyfold; or filters are combined with each other |
//! | calendar | a date in the URL walks on past the years that can hold content |
//! | budget | the host used up its share |
//!
//! A closed arm is still probed now and then, ever more rarely, and opens again when probes bring something new.
//! Memory is bounded: arms live in two generations, and those not met for long are forgotten.

mod arms;
mod calendar;
mod facets;
mod shape;
mod signature;
mod syntax;

#[cfg(test)]
mod tests;

pub use calendar::calendar;
pub use shape::shape;
pub use signature::signature;
pub use syntax::syntax;

use arms::{Arm, Generations};
use calendar::Certainty;
use facets::Facets;
use gleaner_model::{Reason, Timestamp, Url, defaults};
use shape::{ShapeBuffer, Shapes};
use std::collections::HashMap;

/// Fetches after which an arm speaks for itself, and no longer for its neighbours in the coarse arm.
const THIN_FETCHES: u32 = 8;
/// Weakly dated URLs that must look like years before they are taken for years.
const YEARS_SEEN_MIN: u32 = 24;
const ARMS_MAX: usize = 20_000;
const FACETS_MAX: usize = 1_000;
/// Cuts listed one by one; further shapes are counted together.
const CUTS_MAX: usize = 1_000;

/// What is remembered of all arms.
#[derive(Debug)]
pub struct Traps {
    arms: Generations<Arm>,
    facets: Generations<Facets>,
    cuts: HashMap<(Reason, u64), Cut>,
    buffer: ShapeBuffer,
}

/// URLs of one shape that were not fetched, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub reason: Reason,
    /// The shape as text, as `a.test/calendar/#/#`.
    pub shape: String,
    pub count: u64,
    pub example: String,
}

impl Default for Traps {
    fn default() -> Self {
        Traps::new()
    }
}

impl Traps {
    pub fn new() -> Traps {
        Traps {
            arms: Generations::new(ARMS_MAX),
            facets: Generations::new(FACETS_MAX),
            cuts: HashMap::new(),
            buffer: ShapeBuffer::default(),
        }
    }

    /// A link that was never met before is about to be queued. To be called once per new URL: it counts.
    pub fn admit(&mut self, url: &Url, now: Timestamp) -> Result<(), Reason> {
        if let Some(reason) = syntax(url) {
            return self.cut(url, reason);
        }
        let shapes = self.buffer.shapes(url);
        if let Some(reason) = self.judge_new(url, shapes, now) {
            return self.cut(url, reason);
        }
        Ok(())
    }

    /// A queued URL is about to be fetched: what was learnt since it was queued counts too.
    pub fn check(&mut self, url: &Url) -> Result<(), Reason> {
        let shapes = self.buffer.shapes(url);
        match self.judge_arms(shapes) {
            Some(reason) => self.cut(url, reason),
            None => Ok(()),
        }
    }

    /// A fetch gave content. [`signature`] stands for the content (0: not known); `is_copy` says that another URL gave it before (not
    /// that this URL gave the same last time: a page that stays the same is no trap).
    pub fn fetched(&mut self, url: &Url, signature: u64, is_copy: bool) {
        let shapes = self.buffer.shapes(url);
        let arm = self.arms.entry(shapes.fine);
        let is_copy = arm.fetched(signature, is_copy);
        if !is_copy && let Some((year, _)) = calendar::date_in(url) {
            arm.content_year_min = arm.content_year_min.min(year);
        }
        let was_thin = arm.fetches <= THIN_FETCHES;
        if was_thin {
            self.arms.entry(shapes.coarse).fetched(signature, is_copy);
        }
    }

    fn judge_new(&mut self, url: &Url, shapes: Shapes, now: Timestamp) -> Option<Reason> {
        let site = self.arms.entry(shapes.site);
        if u64::from(site.discovered) >= defaults::TRAP_HOST_BUDGET {
            return Some(Reason::TrapBudget);
        }
        site.discovered += 1;
        let arm = self.arms.entry(shapes.fine);
        if past_the_edge(arm, url, now) {
            return Some(Reason::TrapCalendar);
        }
        arm.discovered = arm.discovered.saturating_add(1);
        if let Some(family) = shapes.family
            && !self.facets.entry(family).admit(url)
        {
            return Some(Reason::TrapGrowth);
        }
        self.judge_arms(shapes)
    }

    fn judge_arms(&mut self, shapes: Shapes) -> Option<Reason> {
        let arm = self.arms.entry(shapes.fine);
        if let Some(reason) = arm.refuses() {
            return Some(reason);
        }
        if arm.fetches < THIN_FETCHES {
            return self.arms.entry(shapes.coarse).refuses();
        }
        None
    }

    fn cut(&mut self, url: &Url, reason: Reason) -> Result<(), Reason> {
        let key = (reason, self.buffer.shapes(url).fine);
        let is_listed = self.cuts.contains_key(&key) || self.cuts.len() < CUTS_MAX;
        let key = if is_listed { key } else { (reason, 0) };
        let buffer = &mut self.buffer;
        let cut = self.cuts.entry(key).or_insert_with(|| Cut {
            reason,
            shape: if is_listed {
                buffer.text(url)
            } else {
                "others".to_owned()
            },
            count: 0,
            example: url.to_string(),
        });
        cut.count += 1;
        Err(reason)
    }

    /// Everything that was cut, most first.
    pub fn cuts(&self) -> Vec<Cut> {
        let mut cuts: Vec<Cut> = self.cuts.values().cloned().collect();
        cuts.sort_by(|a, b| {
            b.count
                .cmp(&a.count)
                .then_with(|| (a.reason, &a.shape).cmp(&(b.reason, &b.shape)))
        });
        cuts
    }

    /// How many arms are remembered; never more than the limit, whatever the crawl.
    pub fn arms_count(&self) -> usize {
        self.arms.len()
    }
}

/// Does the date in `url` lie where this arm cannot hold content?
fn past_the_edge(arm: &mut Arm, url: &Url, now: Timestamp) -> bool {
    let Some((year, certainty)) = calendar::date_in(url) else {
        // An arm with one URL that holds no date is no calendar: its numbers are ids.
        arm.are_years = false;
        return false;
    };
    let edge = crate::date::year_of(now).saturating_add(defaults::TRAP_CALENDAR_YEARS);
    if certainty == Certainty::Strong && calendar::is_beyond(year, edge) {
        return true;
    }
    let is_walking = arm.are_years && arm.discovered >= YEARS_SEEN_MIN;
    if is_walking && year > edge {
        return true;
    }
    if !(calendar::YEAR_WEAK_MIN..=edge).contains(&year) {
        arm.are_years = false;
    }
    // Backwards: archives are long, so only a walk that left its content behind is stopped.
    arm.are_years
        && arm.fetches >= YEARS_SEEN_MIN
        && year < arm.content_year_min.saturating_sub(defaults::TRAP_CALENDAR_YEARS)
}
