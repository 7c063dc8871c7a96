//! Pages whose rates are known to the simulation: how near does the plan come to an index that knows them?
//!
//! 600 pages, rates log-normal (median 20 days, σ 2), weights by Zipf, 450 days; constant rates, so the first change after a
//! look lies an exponential time away. The measure is freshness, weighted, over time.

use crate::traces::Chance;
use gleaner_frontier::revisit::plan::{Plan, Settings, WatchedPage};
use gleaner_frontier::revisit::purse::Purse;
use gleaner_frontier::revisit::worth::{Aim, worth};

const PAGES: usize = 600;
const DAYS: f64 = 450.0;
const STEP: f64 = 0.125;
const SEEDS: u64 = 5;

struct World {
    rates: Vec<f64>,
    weights: Vec<f64>,
    /// When each page is next out of date, and when it was looked at.
    next: Vec<f64>,
    last: Vec<f64>,
    fresh: f64,
    chance: Chance,
}

impl World {
    fn new(seed: u64) -> World {
        let mut chance = Chance(seed);
        let rates: Vec<f64> = (0..PAGES)
            .map(|_| {
                let normal = (-2.0 * chance.next().max(1e-12).ln()).sqrt()
                    * (std::f64::consts::TAU * chance.next()).cos();
                (2.0 * normal).exp() / 20.0
            })
            .collect();
        let mut weights: Vec<f64> = (1..=PAGES).map(|rank| 1.0 / rank as f64).collect();
        for at in (1..PAGES).rev() {
            weights.swap(at, (chance.next() * (at + 1) as f64) as usize);
        }
        let next = rates
            .iter()
            .map(|rate| -chance.next().max(1e-12).ln() / rate)
            .collect();
        World {
            rates,
            weights,
            next,
            last: vec![0.0; PAGES],
            fresh: 0.0,
            chance: Chance(seed + 1000),
        }
    }

    fn look(&mut self, page: usize, now: f64) -> bool {
        self.fresh += self.weights[page] * (self.next[page].min(now) - self.last[page]);
        let has_changed = self.next[page] <= now;
        self.last[page] = now;
        if has_changed {
            self.next[page] = now - self.chance.next().max(1e-12).ln() / self.rates[page];
        }
        has_changed
    }

    fn freshness(mut self) -> f64 {
        for page in 0..PAGES {
            self.look(page, DAYS);
        }
        self.fresh / (self.weights.iter().sum::<f64>() * DAYS)
    }
}

fn true_rates(seed: u64, per_day: f64) -> f64 {
    let mut world = World::new(seed);
    let mut looks = 0.0;
    let mut now = 0.0;
    while now < DAYS {
        looks += per_day * STEP;
        let mut order: Vec<(f64, usize)> = (0..PAGES)
            .map(|page| {
                (
                    worth(
                        Aim::Mirror,
                        world.rates[page],
                        world.weights[page],
                        now - world.last[page],
                    ),
                    page,
                )
            })
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, page) in order.into_iter().take(looks as usize) {
            world.look(page, now);
            looks -= 1.0;
        }
        now += STEP;
    }
    world.freshness()
}

fn learned(seed: u64, per_day: f64) -> f64 {
    let mut world = World::new(seed);
    let mut plan = Plan::new(Settings::default(), 0.0);
    let mut purse = Purse::new(per_day, 30.0);
    let site = plan.add_group(None);
    let mut pages: Vec<WatchedPage> = world
        .weights
        .iter()
        .map(|weight| plan.add_page(site, *weight, 0.0))
        .collect();
    let mut now = 0.0;
    while now < DAYS {
        plan.settle(now);
        purse.earn(STEP);
        let mut order: Vec<(f64, usize)> = pages
            .iter()
            .enumerate()
            .map(|(at, page)| (plan.worth(page, now), at))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let worths: Vec<f64> = order.iter().map(|one| one.0).collect();
        let taken = purse.take(&worths, STEP);
        for (_, at) in order.into_iter().take(taken) {
            purse.spend();
            let has_changed = world.look(at, now);
            plan.seen(&mut pages[at], now, has_changed);
        }
        now += STEP;
    }
    world.freshness()
}

fn round_robin(seed: u64, per_day: f64) -> f64 {
    let mut world = World::new(seed);
    let looks = (per_day * DAYS) as usize;
    for at in 0..looks {
        world.look(at % PAGES, at as f64 / per_day);
    }
    world.freshness()
}

pub(crate) fn beside_each_other(days: f64) -> serde_json::Value {
    let per_day = PAGES as f64 / days;
    let mean = |run: &dyn Fn(u64, f64) -> f64| {
        (1..=SEEDS).map(|seed| run(seed, per_day)).sum::<f64>() / SEEDS as f64
    };
    let (known, own, robin) = (mean(&true_rates), mean(&learned), mean(&round_robin));
    serde_json::json!({"of": "known", "days": days, "round robin": robin, "true rates": known, "gleaner": own, "share": own / known})
}
