//! The learner: what was fetched teaches it, what waits is scored by it.

use super::arms::{Arms, OrderArm, better, better_drawn, normal};
use super::features::{ArmKeys, LinkParent, of_link, of_row};
use super::remembered::Remembered;
use super::surroundings::Surroundings;
use super::weights::{NUMBERS, Weights};
use gleaner_frontier::{LinkScore, LinkSeen, PageSeen};
use gleaner_model::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Rows that are remembered with what is known of their links, in each of two generations.
const ROWS_MAX: usize = 60_000;
const HOSTS_MAX: usize = 10_000;
/// Pages that link to an address and are counted with it.
const PARENTS_MAX: usize = 4;
/// Features of an address that many pages link to.
const ROW_FEATURES_MAX: usize = 160;
/// The best page found through a page counts so much for it, and the best two links away.
const TUNNEL: [f32; 2] = [0.5, 0.25];
/// From this worth on a page is credited to those that led to it.
const CREDITED: f32 = 0.3;
/// Fetches of usual worth that are believed of a page's links and of arms before there are any.
const BELIEVED: f32 = 2.0;
const BELIEVED_OF_RELATIONS: f32 = 5.0;
/// One choice in so many goes to the best row of an arm that was never tried.
const UNTRIED: u64 = 20;
/// How far draws lie from what is believed most, as a share of what Thompson's rule says: its full spread cost more than it found.
const BOLDNESS: f32 = 0.4;
/// Links between a seed and a row of which that is not known.
const DEPTH_USUAL: u16 = 6;
/// Which of the numbers is the arm that is drawn.
const DRAWN: usize = 3;
/// Rows are scored anew after a quarter as many fetches as their host had, within these bounds.
const RESCORED_AFTER: std::ops::RangeInclusive<u64> = 5..=200;

/// A row as it is chosen from.
#[derive(Debug, Clone, Copy)]
pub struct OrderRow<'a> {
    pub url: &'a Url,
    pub score: LinkScore,
}

/// What is remembered of an address.
#[derive(Debug, Clone)]
struct Known {
    features: Box<[u32]>,
    keys: ArmKeys,
    /// What anchor and address promise.
    promise: f32,
    parents: [u64; PARENTS_MAX],
    parents_count: u8,
    /// Pages that link there.
    linked: u16,
    /// Links between a seed and it, where it was found first.
    depth: u16,
    /// What its own links gave.
    children: OrderArm,
    fetched: Option<Fetched>,
}

#[derive(Debug, Clone, Copy)]
struct Fetched {
    /// What it taught: its worth, or what it led to.
    target: f32,
    /// What it was itself.
    worth: f32,
    /// As they were when it was fetched.
    numbers: [f32; NUMBERS],
}

/// The page whose links are scored.
struct Holding<'a> {
    key: u64,
    depth: u16,
    parent: LinkParent<'a>,
    around: Surroundings<'a>,
}

#[derive(Debug, Clone, Copy, Default)]
struct HostCount {
    fetched: u64,
    scored_at: u64,
}

/// What was learned about links. A value: the same calls give the same one.
#[derive(Debug, Clone)]
pub struct LinkOrder {
    pub(super) weights: Weights,
    pub(super) arms: Arms,
    pub(super) total: OrderArm,
    pub(super) fetched: u64,
    rows: Remembered<Known>,
    hosts: Remembered<HostCount>,
}

impl Default for LinkOrder {
    fn default() -> LinkOrder {
        LinkOrder {
            weights: Weights::default(),
            arms: Arms::default(),
            total: OrderArm::default(),
            fetched: 0,
            rows: Remembered::new(ROWS_MAX),
            hosts: Remembered::new(HOSTS_MAX),
        }
    }
}

fn key(url: &Url) -> u64 {
    xxh3_64(url.as_str().as_bytes())
}

fn key_of_host(host: &str) -> u64 {
    xxh3_64(host.as_bytes())
}

impl LinkOrder {
    /// An address was fetched, and what it is worth, 0 to 1. `promise` is what its address promises by itself, for one that
    /// is not remembered.
    pub fn fetched(&mut self, url: &Url, worth: f32, promise: f32) {
        let key = key(url);
        self.fetched += 1;
        let host = key_of_host(url.host());
        match self.hosts.meet(host) {
            Some(count) => count.fetched += 1,
            None => self.hosts.put(
                host,
                HostCount {
                    fetched: 1,
                    scored_at: 0,
                },
            ),
        }
        let known = match self.rows.meet(key) {
            Some(known) if known.fetched.is_some() => return self.judged(url, worth),
            Some(known) => known.clone(),
            None => Known::of_row(url, promise),
        };
        let numbers = self.numbers(&known);
        self.weights
            .learn(&known.features, &numbers, worth, self.weight_of(worth));
        for arm in known.keys.all() {
            self.arms.fetched(arm, worth, self.fetched);
        }
        for parent in known.parents() {
            if let Some(parent) = self.rows.meet(*parent) {
                parent.children.good += worth;
                parent.children.all += 1.0;
            }
        }
        self.total = self.total.now(self.fetched);
        self.total.good += worth;
        self.total.all += 1.0;
        let first = known.parents().first().copied();
        let fetched = Some(Fetched {
            target: worth,
            worth,
            numbers,
        });
        match self.rows.meet(key) {
            Some(row) => row.fetched = fetched,
            None => self.rows.put(key, Known { fetched, ..known }),
        }
        self.credit(first, worth);
    }

    /// What a fetched address is worth became known, or is something else than was thought.
    pub fn judged(&mut self, url: &Url, worth: f32) {
        let key = key(url);
        let Some(known) = self.rows.get(key).cloned() else {
            return;
        };
        let Some(fetched) = known.fetched else { return };
        let more = worth - fetched.worth;
        let target = worth.max(fetched.target.min(TUNNEL[0]));
        self.weights
            .learn(&known.features, &fetched.numbers, target, self.weight_of(target));
        for arm in known.keys.all() {
            self.arms.raised(arm, more);
        }
        for parent in known.parents() {
            if let Some(parent) = self.rows.meet(*parent) {
                parent.children.good = (parent.children.good + more).max(0.0);
            }
        }
        self.total.good = (self.total.good + more).max(0.0);
        if let Some(known) = self.rows.meet(key) {
            known.fetched = Some(Fetched {
                target,
                worth,
                ..fetched
            });
        }
        self.credit(known.parents().first().copied(), worth);
    }

    /// The pages that led here were worth reading.
    fn credit(&mut self, first: Option<u64>, worth: f32) {
        let mut parent = first;
        for part in TUNNEL {
            let Some(known) = parent.and_then(|key| self.rows.get(key)) else {
                return;
            };
            let Some(fetched) = known.fetched else { return };
            let credit = part * worth;
            let next = known.parents().first().copied();
            if worth >= CREDITED && credit > fetched.target {
                self.weights.learn(&known.features, &fetched.numbers, credit, 1.0);
                for arm in known.keys.all() {
                    self.arms.raised(arm, credit - fetched.target);
                }
                if let Some(known) = parent.and_then(|key| self.rows.meet(key)) {
                    known.fetched = Some(Fetched {
                        target: credit,
                        ..fetched
                    });
                }
            }
            parent = next;
        }
    }

    /// The rarer kind teaches more.
    fn weight_of(&self, target: f32) -> f32 {
        if target <= 0.5 {
            return 1.0;
        }
        let total = self.total;
        ((total.all - total.good).max(1.0) / total.good.max(1.0))
            .sqrt()
            .max(1.0)
    }

    /// How much a fetch is worth, as far as is known.
    fn usual(&self) -> f32 {
        (self.total.good + 0.25) / (self.total.all + 10.0)
    }

    /// Scores for the links of a page that came and is worth so much; `promises` are what the topic's judge says of each.
    pub fn links(&mut self, page: &PageSeen<'_>, worth: f32, promises: &[f32]) -> Vec<LinkScore> {
        let holding = Holding {
            key: key(page.url),
            depth: u16::try_from(page.depth.saturating_add(1)).unwrap_or(u16::MAX),
            parent: LinkParent { url: page.url, worth },
            around: Surroundings::of(page.content),
        };
        let links = page.links.iter().zip(promises);
        links
            .map(|(link, promise)| self.link(link, *promise, &holding))
            .collect()
    }

    fn link(&mut self, link: &LinkSeen<'_>, promise: f32, page: &Holding<'_>) -> LinkScore {
        let place = page.around.place(link.url.as_str(), link.anchor);
        let (features, keys) = of_link(link, &place, page.parent);
        let key = key(link.url);
        match self.rows.meet(key) {
            Some(known) if known.fetched.is_some() => {}
            Some(known) => known.linked_again(&features, promise, page.key),
            None => self.rows.put(
                key,
                Known {
                    depth: page.depth,
                    ..Known::new(features, keys, promise, Some(page.key))
                },
            ),
        }
        self.rows
            .get(key)
            .map_or(LinkScore::LEAST, |known| LinkScore::of_odds(self.odds(known)))
    }

    fn odds(&self, known: &Known) -> f32 {
        self.weights.odds(&known.features, &self.numbers(known))
    }

    fn numbers(&self, known: &Known) -> [f32; NUMBERS] {
        let usual = self.usual();
        let mut children = OrderArm::default();
        for parent in known.parents().iter().filter_map(|parent| self.rows.get(*parent)) {
            children.good += parent.children.good;
            children.all += parent.children.all;
        }
        let arm = |key| better(self.arms.of(key, self.fetched), usual, BELIEVED);
        let keys = &known.keys;
        [
            known.promise,
            better(children, usual, BELIEVED),
            arm(keys.part),
            arm(keys.shape),
            arm(keys.wide),
            better(
                self.arms.of(keys.relation, self.fetched),
                usual,
                BELIEVED_OF_RELATIONS,
            ),
            f32::from(known.linked.max(1)).ln(),
            -f32::from(known.depth).ln_1p(),
        ]
    }

    /// Whether so much was learned since a host's rows were last scored that it is time.
    pub fn is_due(&mut self, host: &str) -> bool {
        let Some(count) = self.hosts.meet(key_of_host(host)) else {
            return false;
        };
        let wait = (count.fetched / 4).clamp(*RESCORED_AFTER.start(), *RESCORED_AFTER.end());
        let is_due = count.fetched - count.scored_at >= wait;
        if is_due {
            count.scored_at = count.fetched;
        }
        is_due
    }

    /// The scores of rows as of now. Rows of which nothing is remembered keep the one they have.
    pub fn rescore(&self, rows: &[OrderRow<'_>]) -> Vec<LinkScore> {
        let score = |row: &OrderRow<'_>| {
            let known = self.rows.get(key(row.url));
            known.map_or(row.score, |known| LinkScore::of_odds(self.odds(known)))
        };
        rows.iter().map(score).collect()
    }

    /// Which row is next: the best by its odds, where what its arm gives is drawn from what may be believed of it (Thompson).
    pub fn choose(&self, rows: &[OrderRow<'_>], chance: u64) -> Option<usize> {
        let usual = self.usual();
        let is_for_untried = chance.is_multiple_of(UNTRIED);
        let mut best: Option<(bool, f32, usize)> = None;
        for (at, row) in rows.iter().enumerate() {
            let candidate = match self.rows.get(key(row.url)) {
                Some(known) => {
                    let arm = self.arms.of(known.keys.shape, self.fetched);
                    let normal = BOLDNESS * normal(chance ^ known.keys.shape);
                    let drawn = better_drawn(arm, usual, BELIEVED, normal) - better(arm, usual, BELIEVED);
                    let odds = self.odds(known) + self.weights.numbers[DRAWN] * drawn;
                    (is_for_untried && arm.all < 0.5, odds, at)
                }
                None => (false, row.score.odds(), at),
            };
            let is_better = best.is_none_or(|best| (candidate.0, candidate.1) > (best.0, best.1));
            if is_better {
                best = Some(candidate);
            }
        }
        best.map(|(_, _, at)| at)
    }

    /// Bytes in memory, nearly.
    pub fn bytes(&self) -> usize {
        let row = size_of::<(u64, Known)>() + 2;
        let features: usize = self
            .rows
            .all()
            .iter()
            .map(|(_, known)| known.features.len() * 4)
            .sum();
        let weights = self.weights.features.len() * 8;
        weights
            + features
            + self.rows.len() * row * 8 / 7
            + self.arms.len() * (size_of::<(u64, OrderArm)>() + 2)
    }

    /// Rows and arms that are remembered.
    pub fn remembered(&self) -> (usize, usize) {
        (self.rows.len(), self.arms.len())
    }
}

impl ArmKeys {
    fn all(&self) -> impl Iterator<Item = u64> {
        [self.shape, self.wide, self.relation, self.part]
            .into_iter()
            .filter(|key| *key != 0)
    }
}

impl Known {
    fn new(features: Vec<u32>, keys: ArmKeys, promise: f32, parent: Option<u64>) -> Known {
        let mut known = Known {
            features: features.into_boxed_slice(),
            keys,
            promise,
            parents: [0; PARENTS_MAX],
            parents_count: 0,
            linked: 0,
            depth: DEPTH_USUAL,
            children: OrderArm::default(),
            fetched: None,
        };
        if let Some(parent) = parent {
            known.add_parent(parent);
        }
        known
    }

    fn of_row(url: &Url, promise: f32) -> Known {
        let (features, keys) = of_row(url);
        Known::new(features, keys, promise, None)
    }

    fn parents(&self) -> &[u64] {
        &self.parents[..usize::from(self.parents_count)]
    }

    fn add_parent(&mut self, parent: u64) {
        if self.parents().contains(&parent) {
            return;
        }
        self.linked = self.linked.saturating_add(1);
        if let Some(place) = self.parents.get_mut(usize::from(self.parents_count)) {
            *place = parent;
            self.parents_count += 1;
        }
    }

    /// Another page links there: what both say counts.
    fn linked_again(&mut self, features: &[u32], promise: f32, parent: u64) {
        self.add_parent(parent);
        self.promise = self.promise.max(promise);
        if self.features.len() >= ROW_FEATURES_MAX {
            return;
        }
        let mut both: Vec<u32> = self.features.iter().chain(features).copied().collect();
        both.sort_unstable();
        both.dedup();
        both.truncate(ROW_FEATURES_MAX);
        self.features = both.into_boxed_slice();
    }
}
