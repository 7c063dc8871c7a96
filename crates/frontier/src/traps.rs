//! Is this a place that makes URLs without end? (A10, HC036, HC039 to HC042, HC044)
//!
//! In: each new link when it is about to be queued ([`Traps::feeds`], [`Traps::admit`]), each queued URL when it is about
//! to be fetched ([`Traps::check`]), and what each fetch gave ([`Traps::fetched_page`]). Out: go on, or the reason of the
//! cut; and all cuts with counts and examples for the report ([`Traps::cuts`]).
//!
//! URLs of one *shape* (same site, same path once numbers are masked, same parameter names) form an **arm**, and an arm
//! is judged by what it gave, never by its size: a forum with 50,000 true topics is one large honest arm.
//!
//! | cut | evidence |
//! |---|---|
//! | syntax | segments or parameters repeat, too many of them: no memory needed |
//! | copies | one content four times on pages that feed their own kind; or of the last 50 fetches more than 90 % gave content already known |
//! | stale | dates, combined parameters or a walk step by step, and page after page says nothing that its kind did not say before ([`Seen`]) |
//! | growth | 200 fetches gave little and the arm still grows twentyfold; or filters are combined with each other |
//! | calendar | a date in the URL walks on past the years that can hold content |
//! | budget | the host used up its share |
//!
//! What no rule can tell from content costs a bound: dates with a text of their own 40 steps into the future when they
//! are walked one by one (else two years), filters four combinations per value.
//!
//! A closed arm is still probed now and then, ever more rarely, and opens again when probes bring something new.
//! Memory is bounded: arms live in two generations, and those not met for long are forgotten. [`Traps::save`] keeps the
//! essence of it for a run that is resumed.

mod arms;
mod calendar;
mod date_words;
mod facets;
mod known;
mod save;
mod seen;
mod shape;
mod signature;
mod syntax;

#[cfg(test)]
mod tests;

pub use calendar::calendar;
pub use save::SAVED_BYTES_MAX;
pub use seen::Seen;
pub use shape::shape;
pub use signature::signature;
pub use syntax::syntax;

use arms::{Arm, Generations, News, Patience, Sighting};
use calendar::{Certainty, Date};
use facets::Facets;
use gleaner_model::{Reason, Timestamp, Url, defaults};
use known::Known;
use seen::Outline;
use shape::{ShapeBuffer, Shapes};
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Fetches after which an arm speaks for itself, and no longer for its neighbours in the coarse arm.
const THIN_FETCHES: u32 = 8;
/// Weakly dated URLs that must look like years before they are taken for years.
const YEARS_SEEN_MIN: u32 = 24;
/// Steps into the future that a calendar is followed, one page leading to the next.
const FUTURE_STEPS_MAX: u32 = 40;
/// No archive is older, if it is only to be had step by step.
const YEAR_CHAIN_MIN: i32 = 1800;
/// From so many pages with one content on, its links to more of the kind are not followed.
const TEMPLATE_COPIES: u32 = 3;
/// Fetches after which an arm must have shown something fresh to be worth hoping for.
const HOPE_FETCHES: u32 = 3;
const ARMS_MAX: usize = 20_000;
const FACETS_MAX: usize = 1_000;
const KNOWN_MAX: usize = 2_000;
const CONTENTS_MAX: usize = 20_000;
const SPROUTS_MAX: usize = 40_000;
/// Cuts listed one by one; further shapes are counted together.
const CUTS_MAX: usize = 1_000;

/// What is remembered of all arms.
#[derive(Debug)]
pub struct Traps {
    arms: Generations<Arm>,
    facets: Generations<Facets>,
    /// What pages of one family or coarse shape said and led to.
    known: Generations<Known>,
    /// Contents by site.
    contents: Generations<Content>,
    /// URLs that wait, by the content of the page that they were first found on, if it is of their kind.
    sprouts: Generations<u64>,
    cuts: HashMap<(Reason, u64), Cut>,
    buffer: ShapeBuffer,
}

/// One content: the URL that gave it last, where that page led, and how many gave nothing but it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Content {
    url: u64,
    links: u64,
    /// Where it led among its own kind.
    kin: u64,
    copies: u32,
    /// The shape of the URL that gave it last; 0 where that was not remembered.
    home: u64,
}

/// Did another URL give this content before?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Met {
    Never,
    /// Its links to other kinds of pages were the same.
    WithTheseLinks,
    WithOthers,
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
            known: Generations::new(KNOWN_MAX),
            contents: Generations::new(CONTENTS_MAX),
            sprouts: Generations::new(SPROUTS_MAX),
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
        self.arms.entry(shapes.fine).let_through();
        Ok(())
    }

    /// Whether the new link to `link` found on `page` is worth following: not where `page` is one of many with the same
    /// content and `link` leads to more of the kind (soft 404s, mazes). Before [`Traps::admit`], for the same links; it
    /// is remembered, so that links of the first such pages are let go when the content turns out to be one of many.
    pub fn feeds(&mut self, page: &Url, seen: &Seen, link: &Url) -> Result<(), Reason> {
        if seen.signature == 0 || !seen.feeds_itself {
            return Ok(());
        }
        let (here, there) = (Outline::of(page), Outline::of(link));
        let is_kin = there.is_kin_of(&here);
        if !is_kin && !there.resembles(&here) {
            return Ok(());
        }
        let (from, to) = (self.buffer.shapes(page), self.buffer.shapes(link));
        // Made-up words in every place: alike in outline only, and nothing like it was ever fetched.
        if !is_kin && self.arms.get(to.coarse).is_some_and(|arm| arm.fetches > 0) {
            return Ok(());
        }
        let content = seen.signature ^ from.site;
        if self.is_template(content) {
            return self.cut(link, Reason::TrapCopies);
        }
        self.sprouts.insert(xxh3_64(link.as_str().as_bytes()), content);
        Ok(())
    }

    fn is_template(&self, content: u64) -> bool {
        let content = self.contents.get(content);
        content.is_some_and(|content| content.copies >= TEMPLATE_COPIES)
    }

    /// A queued URL is about to be fetched: what was learnt since it was queued counts too.
    pub fn check(&mut self, url: &Url) -> Result<(), Reason> {
        let shapes = self.buffer.shapes(url);
        let mut reason = self.judge_arms(shapes);
        let from = self.sprouts.remove(xxh3_64(url.as_str().as_bytes()));
        if reason.is_none() && from.is_some_and(|content| self.is_template(content)) {
            reason = Some(Reason::TrapCopies);
        }
        if reason.is_none()
            && let Some(family) = shapes.family
            && !self.facets.entry(family).check(url)
        {
            reason = Some(Reason::TrapGrowth);
        }
        let Some(reason) = reason else { return Ok(()) };
        let arm = self.arms.entry(shapes.fine);
        arm.ahead = arm.ahead.saturating_sub(1);
        self.cut(url, reason)
    }

    /// As [`Traps::fetched_page`], where only the content's [`signature`] is known (0: not even that).
    #[cfg(test)]
    pub(crate) fn fetched(&mut self, url: &Url, signature: u64, is_copy: bool) {
        self.fetched_page(url, &Seen::by_signature(signature), is_copy);
    }

    /// A fetch gave content. `is_copy` says that another URL gave these bytes before (not that this URL gave the same
    /// last time: a page that stays the same is no trap); a caller that does not know may say no.
    pub fn fetched_page(&mut self, url: &Url, seen: &Seen, is_copy: bool) {
        let shapes = self.buffer.shapes(url);
        let known = self.known.entry(shapes.family.unwrap_or(shapes.coarse));
        let new_links = known.learn(&seen.links) > 0;
        let new_runs = seen.runs.as_deref().map(|runs| known.learn(runs));
        let is_hopeful = self.is_hopeful(seen, shapes.site);
        let (content, is_other_kin, home) = self.met_before(url, seen, shapes.site, shapes.fine);
        let new_links = new_links && content != Met::WithTheseLinks;
        let leads_on = new_links || is_hopeful;
        // A second way to other pages (a mirror, a print view) ends with them; what repeats itself need not.
        let is_mirror = content != Met::Never && home != 0 && home != shapes.fine;
        let is_copy = !is_mirror && (is_copy || (content != Met::Never && !leads_on));
        if content != Met::Never && seen.feeds_itself && is_other_kin && !leads_on {
            // A page that feeds nothing of its own kind, or the same few each time, is no template, however often it is met.
            let content = self.contents.entry(seen.signature ^ shapes.site);
            content.copies = content.copies.saturating_add(1);
        }
        let date = calendar::date_in(url);
        let news = match new_runs {
            None => News::Unknown,
            Some(new) if new > 0 || new_links => News::Fresh,
            // Without kin there is nothing endless about it.
            Some(_) if !seen.feeds_itself || is_hopeful => News::Unknown,
            Some(_) => News::Stale,
        };
        let sighting = Sighting {
            signature: seen.signature,
            is_copy,
            leads_on,
            feeds_itself: seen.feeds_itself,
            news,
        };
        if let (Some(family), Some(new)) = (shapes.family, new_runs) {
            let all = seen.runs.as_deref().map_or(0, <[u32]>::len);
            let is_stale = news == News::Stale || (is_copy && seen.feeds_itself && !is_hopeful);
            self.facets.entry(family).fetched(is_stale, new * 2 > all);
        }
        let arm = self.arms.entry(shapes.fine);
        arm.is_combined |= shapes.family.is_some();
        arm.is_dated |= matches!(date, Some((_, Certainty::Strong)));
        let is_copy = arm.fetched(sighting);
        if !is_copy
            && news != News::Stale
            && let Some((date, _)) = date
        {
            arm.content_year_min = arm.content_year_min.min(date.year);
        }
        let was_thin = arm.fetches <= THIN_FETCHES;
        if was_thin {
            // It holds all sorts, honest ones too, so only the slow rules count here.
            self.arms.entry(shapes.coarse).fetched(Sighting {
                is_copy,
                feeds_itself: false,
                news: News::Unknown,
                ..sighting
            });
        }
        let is_wasted = news == News::Stale || (is_copy && seen.feeds_itself);
        let site = self.arms.entry(shapes.site);
        site.fetches = site.fetches.saturating_add(1);
        site.distinct = site.distinct.saturating_add(u32::from(!is_wasted));
    }

    /// Whether another URL of the site gave this content, and led to other pages of its kind; and notes it.
    fn met_before(&mut self, url: &Url, seen: &Seen, site: u64, shape: u64) -> (Met, bool, u64) {
        if seen.signature == 0 {
            return (Met::Never, false, 0);
        }
        let url = xxh3_64(url.as_str().as_bytes());
        let links = seen.links.iter().fold(1, |hash: u64, link| {
            (hash.rotate_left(7) ^ u64::from(*link)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        });
        let content = self.contents.entry(seen.signature ^ site);
        let met = if content.url == 0 || content.url == url {
            Met::Never
        } else if content.links == links {
            Met::WithTheseLinks
        } else {
            Met::WithOthers
        };
        let is_other_kin = content.kin != seen.kin;
        (content.url, content.links, content.kin) = (url, links, seen.kin);
        // Each content passes for a mirror once: the next copy of it comes from here.
        let home = std::mem::replace(&mut content.home, shape);
        (met, is_other_kin, home)
    }

    /// Finer dates that the page leads to, where they hold content or nobody has looked yet.
    fn is_hopeful(&self, seen: &Seen, site: u64) -> bool {
        let patience = self.patience(site);
        seen.leads.iter().filter(|lead| **lead != 0).any(|lead| {
            self.arms.get(*lead).is_none_or(|arm| {
                arm.fetches < HOPE_FETCHES || arm.fresh >= HOPE_FETCHES && arm.closed(patience).is_none()
            })
        })
    }

    fn judge_new(&mut self, url: &Url, shapes: Shapes, now: Timestamp) -> Option<Reason> {
        let site = self.arms.entry(shapes.site);
        if u64::from(site.discovered) >= defaults::TRAP_HOST_BUDGET {
            return Some(Reason::TrapBudget);
        }
        site.discovered += 1;
        let arm = self.arms.entry(shapes.fine);
        if past_the_edge(arm, calendar::date_in(url), now) {
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

    fn patience(&self, site: u64) -> Patience {
        let (fetches, fruitful) = self
            .arms
            .get(site)
            .map_or((0, 0), |site| (site.fetches, site.distinct));
        Patience::with(fetches, fetches - fruitful)
    }

    fn judge_arms(&mut self, shapes: Shapes) -> Option<Reason> {
        let patience = self.patience(shapes.site);
        let arm = self.arms.entry(shapes.fine);
        if let Some(reason) = arm.refuses(patience) {
            return Some(reason);
        }
        if arm.fetches < THIN_FETCHES {
            return self.arms.entry(shapes.coarse).refuses(patience);
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

/// Does this date of a URL lie where its arm cannot hold content?
fn past_the_edge(arm: &mut Arm, date: Option<(Date, Certainty)>, now: Timestamp) -> bool {
    let Some((date, certainty)) = date else {
        // An arm with one URL that holds no date is no calendar: its numbers are ids.
        arm.are_years = false;
        return false;
    };
    let year = date.year;
    let edge = gleaner_model::date::year_of(now).saturating_add(defaults::TRAP_CALENDAR_YEARS);
    let is_walked = arm.is_chain() && arm.fetches > 0;
    if certainty == Certainty::Strong {
        let is_walk_past = is_walked && year < YEAR_CHAIN_MIN;
        if calendar::is_beyond(year, edge) || is_walk_past {
            return true;
        }
    }
    let is_walking = arm.are_years && arm.discovered >= YEARS_SEEN_MIN;
    if is_walking && year > edge {
        return true;
    }
    if is_walked && (certainty == Certainty::Strong || is_walking) && date.is_after(now) {
        arm.future_steps = arm.future_steps.saturating_add(1);
        if arm.future_steps > FUTURE_STEPS_MAX {
            return true;
        }
    }
    if !(calendar::YEAR_WEAK_MIN..=edge).contains(&year) {
        arm.are_years = false;
    }
    // Backwards: archives are long, so only a walk that left its content behind is stopped.
    arm.are_years
        && arm.fetches >= YEARS_SEEN_MIN
        && year < arm.content_year_min.saturating_sub(defaults::TRAP_CALENDAR_YEARS)
}
