//! Is this a place that makes URLs without end? (A10, HC036, HC039 to HC042, HC044)
//!
//! In: what each fetch gave ([`Traps::fetched_page`]), each new link when it is about to be queued ([`Traps::admit`]) and
//! each queued URL when it is about to be fetched ([`Traps::check`]). Out: go on, or the reason of the cut; and all cuts
//! with counts and examples for the report ([`Traps::cuts`]).
//!
//! URLs of one *shape* (same site, same path once numbers are masked, same parameter names) form an **arm**, and an arm
//! is judged by what it gave, never by its size: a forum with 50,000 true topics is one large honest arm.
//!
//! Saying nothing new is no fault by itself: eighty folders may each hold the same licence. A trap makes addresses: an arm
//! is closed only where pages that said nothing new led to others like them, and those to more of the arm. Those
//! addresses were **bred**; all others stand on some honest page, and end with those.
//!
//! | cut | evidence |
//! |---|---|
//! | syntax | segments or parameters repeat, too many of them: no memory needed |
//! | copies | one content four times on pages that feed their own kind; or of the last 50 fetches more than 90 % gave content already known |
//! | stale | dates, combined parameters or a walk step by step, and page after page says nothing that its kind did not say before ([`PageTraits`]); the days of months that are listed are no walk |
//! | growth | 200 fetches gave little and the arm still grows twentyfold; or filters are combined with each other |
//! | calendar | a date in the URL walks on past the years that can hold content |
//! | budget | the host used up its share |
//! | view | pages under such parameters were another page in another order ([`Traps::is_view`]) |
//!
//! What no rule can tell from content costs a bound: dates with a text of their own 40 steps into the future when they
//! are walked one by one (else two years), filters four combinations per value.
//!
//! A closed arm is still probed now and then, ever more rarely, and opens again when probes bring something new.
//! Memory is bounded: arms live in two generations, and those not met for long are forgotten. [`Traps::save`] keeps the
//! essence of it for a run that is resumed and for the next run of the project: what was closed stays closed
//! ([`Traps::admit_again`]).

mod arms;
mod calendar;
mod cuts;
mod edge;
mod facets;
mod folders;
mod gave;
mod known;
mod runs;
mod save;
mod seen;
mod shape;
mod signature;
mod slashes;
mod syntax;
mod views;

#[cfg(test)]
mod tests;

pub use calendar::calendar;
pub use cuts::TrapCut;
pub use folders::Lineage;
pub use gave::{EmptyPage, Gave, Source};
pub use save::SAVED_BYTES_MAX;
pub use seen::PageTraits;
pub use shape::shape;
pub use signature::signature;
pub use slashes::{Slashes, merged};
pub use syntax::syntax;

use crate::Guesses;
use arms::{Arm, Generations, News, Patience, Sighting};
use calendar::Certainty;
use edge::past_the_edge;
use facets::Facets;
use gleaner_model::{Reason, Timestamp, Url, defaults};
use known::Known;
use seen::Outline;
use shape::{ShapeBuffer, Shapes};
use std::collections::{BTreeMap, HashMap};
use views::Views;
use xxhash_rust::xxh3::xxh3_64;

/// After so many fetches an arm is judged by its own fetches alone; before, together with its neighbours in the coarse
/// arm.
const THIN_FETCHES: u32 = 8;
/// From so many pages with one content on, its links to more of the kind are not followed.
const TEMPLATE_COPIES: u32 = 3;
/// After so many fetches an arm must have shown as many new pages to count as one that may still hold content.
const FRESH_MIN: u32 = 3;
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
    /// URLs that wait, where the page that they were first found on is of their kind or gave nothing.
    sprouts: Generations<Sprout>,
    views: Views,
    /// What doubled slashes are, by host and port.
    slashes: BTreeMap<String, Slashes>,
    cuts: HashMap<(Reason, u64), TrapCut>,
    buffer: ShapeBuffer,
    /// Which addresses that no link promises lead anywhere: remembered and told together with the traps.
    pub guesses: Guesses,
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

/// Where a URL was first found that waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sprout {
    /// The content of that page, if the page is of its kind; else 0.
    content: u64,
    /// That page gave nothing.
    is_of_spent: bool,
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
            views: Views::new(),
            slashes: BTreeMap::new(),
            cuts: HashMap::new(),
            buffer: ShapeBuffer::default(),
            guesses: Guesses::default(),
        }
    }

    /// A page came. Whether it is a view of one that came before: then it is no document of its own. To be asked for every
    /// page, also for those that are known.
    pub fn is_view(&mut self, url: &Url, seen: &PageTraits) -> bool {
        let listing = seen.listing.as_ref();
        listing.is_some_and(|listing| self.views.came(url, listing))
    }

    /// Whether [`Traps::is_view`] has anything to say about such a page.
    pub fn may_be_view(seen: &PageTraits) -> bool {
        seen.listing.is_some()
    }

    /// A link that was never met before is about to be queued. To be called once per new URL: it counts. Not where the page
    /// is one of many with the same content and the link leads to more of the kind (soft 404s, mazes); it is remembered, so
    /// that links of the first such pages are let go when the content turns out to be one of many.
    pub fn admit(&mut self, url: &Url, from: Option<Source<'_>>, now: Timestamp) -> Result<(), Reason> {
        let content = from.map_or(0, |from| self.fed_by(from, url, false));
        let gave = from.map_or(Gave::Something, |from| from.gave);
        if let Some(from) = from
            && self.is_list(from.url, url)
        {
            let arm = self.buffer.shapes(url).fine;
            self.arms.entry(arm).is_listed = true;
        }
        self.admit_from(url, content, gave, now)
    }

    /// Whether a page lists the dates that it links to: it is no step of a walk through dates itself.
    fn is_list(&mut self, page: &Url, link: &Url) -> bool {
        let has_date = |url| matches!(calendar::date_in(url), Some((_, Certainty::Strong)));
        if !has_date(link) {
            return false;
        }
        let kind = self.buffer.shapes(page).fine;
        !has_date(page) || self.arms.get(kind).is_some_and(|arm| !arm.is_chain())
    }

    fn admit_from(&mut self, url: &Url, content: u64, gave: Gave, now: Timestamp) -> Result<(), Reason> {
        if let Some(reason) = syntax(url) {
            return self.cut(url, reason);
        }
        if self.views.refuses(url, false) {
            return self.cut(url, Reason::View);
        }
        let shapes = self.buffer.shapes(url);
        if let Gave::Nothing(page) = gave
            && page.is_made
        {
            // A month without news makes its days as it makes the next month.
            let is_finer = page.leads.contains(&shapes.fine);
            let kinds = [
                (shapes.fine, page.fine == shapes.fine || is_finer),
                (shapes.coarse, page.coarse == shapes.coarse),
            ];
            for (kind, is_own) in kinds {
                if is_own {
                    self.arms.entry(kind).breed();
                }
            }
        }
        if self.is_template(content) {
            return self.cut(url, Reason::TrapCopies);
        }
        let is_of_spent = gave != Gave::Something;
        if content != 0 || is_of_spent {
            let sprout = Sprout { content, is_of_spent };
            self.sprouts.insert(xxh3_64(url.as_str().as_bytes()), sprout);
        }
        if let Some(reason) = self.judge_new(url, shapes, now) {
            return self.cut(url, reason);
        }
        self.arms.entry(shapes.fine).let_through();
        Ok(())
    }

    /// The same for a link that an earlier run met and made no document of. What was closed stays closed: neither does the
    /// address count once more, nor is it a probe.
    pub fn admit_again(&mut self, url: &Url, from: Option<Source<'_>>, now: Timestamp) -> Result<(), Reason> {
        let content = from.map_or(0, |from| self.fed_by(from, url, true));
        let shapes = self.buffer.shapes(url);
        let patience = self.patience(shapes.site);
        let fine = self.arms.get(shapes.fine);
        let date = calendar::date_in(url);
        let reason = if let Some(reason) = syntax(url) {
            Some(reason)
        } else if self.views.refuses(url, true) {
            Some(Reason::View)
        } else if self.is_template(content) {
            Some(Reason::TrapCopies)
        } else if fine.is_some_and(|arm| past_the_edge(&mut arm.clone(), date, now)) {
            Some(Reason::TrapCalendar)
        } else if let Some(family) = shapes.family
            && self.facets.get(family).is_some_and(|facets| facets.refuses(url))
        {
            Some(Reason::TrapGrowth)
        } else {
            let of_kind = fine.filter(|arm| arm.fetches >= THIN_FETCHES);
            fine.and_then(|arm| arm.closed(patience))
                .or_else(|| match of_kind {
                    Some(_) => None,
                    None => self.arms.get(shapes.coarse)?.closed(patience),
                })
        };
        reason.map_or(Ok(()), |reason| self.cut(url, reason))
    }

    /// The content of the page that `link` was found on, if the page feeds its own kind with it; else 0.
    fn fed_by(&mut self, from: Source<'_>, link: &Url, is_known: bool) -> u64 {
        let Source { url: page, seen, .. } = from;
        if seen.signature == 0 || !seen.feeds_itself {
            return 0;
        }
        let (here, there) = (Outline::of(page), Outline::of(link));
        let is_kin = there.is_kin_of(&here);
        if !is_kin && !there.resembles(&here) {
            return 0;
        }
        let (site, to) = (self.buffer.shapes(page).site, self.buffer.shapes(link));
        // Made-up words in every place: alike in outline only, and nothing like it was ever fetched.
        if !is_kin && !is_known && self.arms.get(to.coarse).is_some_and(|arm| arm.fetches > 0) {
            return 0;
        }
        seen.signature ^ site
    }

    fn is_template(&self, content: u64) -> bool {
        let content = self.contents.get(content).filter(|_| content != 0);
        content.is_some_and(|content| content.copies >= TEMPLATE_COPIES)
    }

    /// A queued URL is about to be fetched: what was learnt since it was queued counts too.
    pub fn check(&mut self, url: &Url) -> Result<(), Reason> {
        if self.views.refuses(url, false) {
            return self.cut(url, Reason::View);
        }
        let shapes = self.buffer.shapes(url);
        let mut reason = self.judge_arms(shapes);
        let from = self.sprouts.get(xxh3_64(url.as_str().as_bytes()));
        if reason.is_none() && from.is_some_and(|from| self.is_template(from.content)) {
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
    pub(crate) fn fetched(&mut self, url: &Url, signature: u64) -> Gave {
        self.fetched_page(url, &PageTraits::by_signature(signature))
    }

    /// A fetch gave content. To be told before the page's links are asked about, and once per URL: a page that stays the
    /// same from run to run is no trap.
    pub fn fetched_page(&mut self, url: &Url, seen: &PageTraits) -> Gave {
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
        let is_copy = !is_mirror && content != Met::Never && !leads_on;
        let sprout = self.sprouts.remove(xxh3_64(url.as_str().as_bytes()));
        let sprout = sprout.unwrap_or_default();
        let is_sprung = sprout.content == seen.signature ^ shapes.site;
        if content != Met::Never && seen.feeds_itself && is_other_kin && is_sprung && !leads_on {
            // A page that feeds nothing of its own kind, or the same few each time, is no template, however often it is
            // met; nor is one that other pages lead to.
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
            feeds_itself: seen.feeds_itself && is_sprung,
            news,
        };
        if let (Some(family), Some(new)) = (shapes.family, new_runs) {
            let all = seen.runs.as_deref().map_or(0, <[u32]>::len);
            let is_stale = news == News::Stale || (is_copy && seen.feeds_itself && !is_hopeful);
            self.facets.entry(family).fetched(is_stale, new * 2 > all);
        }
        let arm = self.arms.entry(shapes.fine);
        arm.is_combined |= shapes.family.is_some();
        arm.has_query |= url.query().is_some();
        arm.is_dated |= matches!(date, Some((_, Certainty::Strong)));
        let is_copy = arm.fetched(sighting);
        if !is_copy
            && news != News::Stale
            && let Some((date, _)) = date
        {
            arm.content_year_min = arm.content_year_min.min(date.year);
        }
        let mut is_spent = is_copy || news == News::Stale;
        let was_thin = arm.fetches <= THIN_FETCHES;
        if was_thin {
            // The coarse arm holds pages of many kinds, good ones too, so only the rules that need many fetches count
            // here.
            let coarse = self.arms.entry(shapes.coarse);
            coarse.has_query |= url.query().is_some();
            is_spent |= coarse.fetched(Sighting {
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
        if is_spent {
            Gave::Nothing(EmptyPage {
                is_made: sprout.is_of_spent,
                fine: shapes.fine,
                coarse: shapes.coarse,
                leads: seen.leads,
            })
        } else {
            Gave::Something
        }
    }

    /// Whether another URL of the site gave this content, and led to other pages of its kind; and notes it.
    fn met_before(&mut self, url: &Url, seen: &PageTraits, site: u64, shape: u64) -> (Met, bool, u64) {
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
    fn is_hopeful(&self, seen: &PageTraits, site: u64) -> bool {
        let patience = self.patience(site);
        seen.leads.iter().filter(|lead| **lead != 0).any(|lead| {
            self.arms.get(*lead).is_none_or(|arm| {
                arm.fetches < FRESH_MIN || arm.fresh >= FRESH_MIN && arm.closed(patience).is_none()
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

    /// How many arms are remembered; never more than the limit, whatever the crawl.
    pub fn arms_count(&self) -> usize {
        self.arms.len()
    }
}
