//! What a cycle lets a run ask for: each site has its share of the requests, and the guide of the library's order decides about
//! the rest.

use gleaner_frontier::{Guide, LinkScore, PageGuided, PageSeen, PlaceTurn, RowSeen};
use gleaner_library::stop::{StopRule, Yield};
use gleaner_model::Url;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Of which an accepted document is worth more, and everything else less.
const ACCEPTED: f32 = 0.75;

/// Requests that a cycle may make.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CycleShares {
    pub all: u64,
    /// By site; others have no share.
    pub by_site: BTreeMap<String, u64>,
    /// What an earlier part of the cycle has made.
    pub made: BTreeMap<String, u64>,
}

/// Why a site was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftSite {
    pub why: String,
    /// Its share was used up, or that of the cycle.
    pub is_cut_off: bool,
}

/// The guide of a cycle.
#[derive(Debug)]
pub struct CycleGuide<G> {
    order: G,
    shares: CycleShares,
    /// The order may leave sites.
    leaves: bool,
    state: Mutex<CycleState>,
}

#[derive(Debug, Default)]
struct CycleState {
    all: u64,
    made: BTreeMap<String, u64>,
    left: BTreeMap<String, LeftSite>,
}

impl<G: Guide> CycleGuide<G> {
    pub fn new(order: G, shares: CycleShares, leaves: bool) -> CycleGuide<G> {
        let state = CycleState {
            all: shares.made.values().sum(),
            made: shares.made.clone(),
            left: BTreeMap::new(),
        };
        CycleGuide {
            order,
            shares,
            leaves,
            state: Mutex::new(state),
        }
    }

    fn lock(&self) -> MutexGuard<'_, CycleState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the analysis wants to know of a guide.
pub trait CycleMemory: Guide {
    /// Sites that were left, and why.
    fn left(&self) -> BTreeMap<String, LeftSite>;
}

impl<G: Guide> CycleMemory for CycleGuide<G> {
    fn left(&self) -> BTreeMap<String, LeftSite> {
        self.lock().left.clone()
    }
}

impl<G: Guide> Guide for CycleGuide<G> {
    fn page(&self, page: &PageSeen<'_>) -> PageGuided {
        self.order.page(page)
    }

    fn nothing(&self, url: &Url) {
        self.order.nothing(url);
    }

    fn judged(&self, url: &Url, worth: f32) {
        self.order.judged(url, worth);
    }

    fn is_due(&self, host: &str) -> bool {
        self.order.is_due(host)
    }

    fn rescore(&self, rows: &[RowSeen<'_>]) -> Vec<LinkScore> {
        self.order.rescore(rows)
    }

    fn choose(&self, rows: &[RowSeen<'_>], chance: u64) -> Option<usize> {
        self.order.choose(rows, chance)
    }

    fn place(&self, url: &Url, chance: u64) -> PlaceTurn {
        let site = url.origin();
        let mut state = self.lock();
        if let Some(left) = state.left.get(site) {
            return PlaceTurn::Left(left.why.clone());
        }
        let share = self.shares.by_site.get(site).copied().unwrap_or(0);
        let made = state.made.get(site).copied().unwrap_or(0);
        let end = if state.all >= self.shares.all {
            Some("the requests of the cycle are used up")
        } else if made >= share {
            Some("its share of the cycle is used up")
        } else {
            None
        };
        if let Some(why) = end {
            let left = LeftSite {
                why: why.to_owned(),
                is_cut_off: true,
            };
            state.left.insert(site.to_owned(), left);
            return PlaceTurn::Left(why.to_owned());
        }
        match self.order.place(url, chance) {
            PlaceTurn::Left(why) if self.leaves => {
                let left = LeftSite {
                    why: why.clone(),
                    is_cut_off: false,
                };
                state.left.insert(site.to_owned(), left);
                PlaceTurn::Left(why)
            }
            PlaceTurn::Paused(why) => PlaceTurn::Paused(why),
            PlaceTurn::Open | PlaceTurn::Left(_) => {
                state.all += 1;
                *state.made.entry(site.to_owned()).or_default() += 1;
                PlaceTurn::Open
            }
        }
    }

    fn save(&self) -> Vec<u8> {
        self.order.save()
    }
}

/// Breadth first, and a site is left when it gives too little.
#[derive(Debug)]
pub struct BreadthGuide {
    rule: StopRule,
    sites: Mutex<BTreeMap<String, Yield>>,
}

impl BreadthGuide {
    pub fn new(rule: StopRule) -> BreadthGuide {
        BreadthGuide {
            rule,
            sites: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Yield>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fetched(&self, url: &Url, is_accepted: bool) {
        let mut sites = self.lock();
        let site = sites.entry(url.origin().to_owned()).or_default();
        site.fetched(&self.rule, is_accepted);
    }
}

impl Guide for BreadthGuide {
    fn page(&self, page: &PageSeen<'_>) -> PageGuided {
        let worth = page.worth.unwrap_or(0.0);
        self.fetched(page.url, worth >= ACCEPTED);
        let depth = u16::try_from(page.depth + 1).unwrap_or(u16::MAX - 1);
        PageGuided {
            worth,
            scores: vec![LinkScore(u16::MAX - depth); page.links.len()],
        }
    }

    fn nothing(&self, url: &Url) {
        self.fetched(url, false);
    }

    fn judged(&self, _: &Url, _: f32) {}

    fn is_due(&self, _: &str) -> bool {
        false
    }

    fn rescore(&self, rows: &[RowSeen<'_>]) -> Vec<LinkScore> {
        rows.iter().map(|row| row.score).collect()
    }

    fn choose(&self, rows: &[RowSeen<'_>], _: u64) -> Option<usize> {
        let best = rows.iter().map(|row| row.score).max()?;
        rows.iter().position(|row| row.score == best)
    }

    fn place(&self, url: &Url, _: u64) -> PlaceTurn {
        let sites = self.lock();
        let verdict = sites.get(url.origin()).map(|site| site.judge(&self.rule));
        match verdict.filter(gleaner_library::stop::StopVerdict::is_stop) {
            Some(verdict) => PlaceTurn::Left(format!(
                "{} accepted documents in {} requests, none in the last {}",
                verdict.accepted, verdict.fetches, verdict.barren
            )),
            None => PlaceTurn::Open,
        }
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guide(all: u64, share: u64) -> CycleGuide<BreadthGuide> {
        let shares = CycleShares {
            all,
            by_site: BTreeMap::from([
                ("http://a.test".to_owned(), share),
                ("http://b.test".to_owned(), share),
            ]),
            made: BTreeMap::from([("http://a.test".to_owned(), 1)]),
        };
        CycleGuide::new(BreadthGuide::new(StopRule::default()), shares, true)
    }

    fn is_open(guide: &CycleGuide<BreadthGuide>, address: &str) -> bool {
        guide.place(&Url::parse(address).unwrap(), 0) == PlaceTurn::Open
    }

    #[test]
    fn g2_a_site_has_its_share_and_what_was_made_before_counts() {
        let guide = guide(100, 3);
        let open = (0..9).filter(|_| is_open(&guide, "http://a.test/x")).count();
        assert_eq!(open, 2);
        assert!(is_open(&guide, "http://b.test/"));
        assert!(guide.left()["http://a.test"].is_cut_off);
        assert!(!is_open(&guide, "http://c.test/"), "nobody gave it a share");
    }

    #[test]
    fn g2_a_cycle_has_its_budget() {
        let guide = guide(4, 100);
        let open = (0..9).filter(|_| is_open(&guide, "http://b.test/x")).count();
        assert_eq!(open, 3);
    }

    #[test]
    fn g11_a_site_that_gives_nothing_is_left() {
        let guide = guide(10_000, 10_000);
        let url = Url::parse("http://b.test/x").unwrap();
        let mut asked = 0;
        while guide.place(&url, 0) == PlaceTurn::Open && asked < 5000 {
            asked += 1;
            guide.nothing(&url);
        }
        assert!(asked < 1000, "{asked}");
        assert!(!guide.left()["http://b.test"].is_cut_off);
    }
}
