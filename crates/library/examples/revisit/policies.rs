//! One trace and one budget, by every policy.

use crate::traces::{Chance, DAYS, Page, Trace, Watched};
use gleaner_frontier::revisit::activity::GroupId;
use gleaner_frontier::revisit::plan::{self, Plan, Settings};
use gleaner_frontier::revisit::purse::Purse;
use gleaner_library::levels::{Mode, SiteStanding, SiteVisit};
use std::collections::HashMap;

/// Looks that were not spent for so many days may be spent later.
const SAVED_DAYS: f64 = 30.0;
/// Folders in folders that have a clock of their own.
const FOLDERS_MOST: usize = 6;
/// Where nothing is saved beyond rounding.
const HARDLY_SAVED_DAYS: f64 = 3.0;

struct Result {
    stale: f64,
    looks: u64,
}

pub(crate) fn beside_each_other(trace: &Trace, days: f64) -> serde_json::Value {
    let robins: Vec<Result> = (1..=3).map(|seed| round_robin(trace, days, seed)).collect();
    let robin = robins.iter().map(|result| result.stale).sum::<f64>() / 3.0;
    let budget = trace.life() / days;
    let printed = scaled(budget, |scale| levels(trace, Mode::AsPrinted, scale));
    let repaired = scaled(budget, |scale| levels(trace, Mode::Repaired, scale));
    let nutch = scaled(budget, |scale| adaptive(trace, scale));
    let poisson = gleaner(trace, days, Kind::Poisson);
    let own = gleaner(trace, days, Kind::Whole);
    let row =
        |result: &Result| serde_json::json!({"stale": result.stale, "looks": result.looks as f64 / budget});
    serde_json::json!({
        "of": "trace", "trace": trace.name, "days": days, "pages": trace.pages.len(), "looks": budget,
        "round robin": row(&Result { stale: robin, looks: robins[0].looks }),
        "S1 as printed": row(&printed), "S1 repaired": row(&repaired), "adaptive": row(&nutch),
        "index, constant rates": row(&poisson), "gleaner": row(&own),
    })
}

fn each(trace: &Trace, mut policy: impl FnMut(usize, &Page, &mut Watched)) -> Result {
    let mut result = Result { stale: 0.0, looks: 0 };
    for (at, page) in trace.pages.iter().enumerate() {
        let mut watched = Watched::new(page);
        policy(at, page, &mut watched);
        watched.end(page);
        result.stale += watched.stale;
        result.looks += watched.looks;
    }
    result.stale /= trace.life();
    result
}

fn round_robin(trace: &Trace, days: f64, seed: u64) -> Result {
    let mut chance = Chance(seed);
    each(trace, |_, page, watched| {
        let mut now = page.born + chance.next() * days;
        while now < page.died {
            watched.look(page, now);
            now += days;
        }
    })
}

/// S1's levels with all waits multiplied by one factor, so that as many looks are made as with the others. A page's accepted
/// documents are the looks that found it changed; its phase is chance, as with round robin.
fn levels(trace: &Trace, mode: Mode, scale: f64) -> Result {
    let mut chance = Chance(1);
    each(trace, |_, page, watched| {
        let mut standing = SiteStanding::default();
        let (mut looks, mut changed) = (0, 0);
        let mut now = page.born + chance.next() * 15.0 * scale;
        while now < page.died {
            let has_changed = watched.look(page, now);
            looks += 1;
            changed += u64::from(has_changed);
            standing.visited(
                mode,
                SiteVisit {
                    downloaded: looks,
                    accepted: changed,
                    accepted_new: u64::from(has_changed),
                },
            );
            match standing.level.wait_days(mode) {
                Some(days) => now += days * scale,
                None => return,
            }
        }
    })
}

/// Nutch's: waits grow by 1.4 where nothing changed and shrink by 0.8 where something did.
fn adaptive(trace: &Trace, scale: f64) -> Result {
    let mut chance = Chance(1);
    each(trace, |_, page, watched| {
        let mut wait = 30.0;
        let mut now = page.born + chance.next() * wait * scale;
        while now < page.died {
            wait = f64::clamp(wait * if watched.look(page, now) { 0.8 } else { 1.4 }, 1.0, 365.0);
            now += wait * scale;
        }
    })
}

/// The factor on all waits that gives as many looks as the budget allows, or a few less.
fn scaled(budget: f64, run: impl Fn(f64) -> Result) -> Result {
    let (mut low, mut high) = (1e-3f64, 1e2f64);
    for _ in 0..30 {
        let middle = (low * high).sqrt();
        if run(middle).looks as f64 > budget {
            low = middle;
        } else {
            high = middle;
        }
    }
    run(high)
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Without groups and savings: a rate for each page, and the best of each day.
    Poisson,
    Whole,
}

fn gleaner(trace: &Trace, days: f64, kind: Kind) -> Result {
    let mut plan = Plan::new(Settings::default(), 0.0);
    let saved = match kind {
        Kind::Poisson => HARDLY_SAVED_DAYS,
        Kind::Whole => SAVED_DAYS,
    };
    let mut purse = Purse::new(0.0, saved);
    let mut groups: HashMap<Vec<String>, GroupId> = HashMap::new();
    let site = plan.add_group(None);
    let mut group_of = |plan: &mut Plan, page: &Page| {
        let mut group = site;
        if kind == Kind::Poisson {
            // By itself: nothing that others do moves its clock.
            return plan.add_group(None);
        }
        for depth in 1..=page.folders.len().min(FOLDERS_MOST) {
            let name = &page.folders[..depth];
            group = if let Some(known) = groups.get(name) {
                *known
            } else {
                let new = plan.add_group(Some(group));
                groups.insert(name.to_vec(), new);
                new
            };
        }
        group
    };
    let mut births: Vec<usize> = (0..trace.pages.len()).collect();
    births.sort_by(|a, b| trace.pages[*a].born.total_cmp(&trace.pages[*b].born));
    let mut births = births.into_iter().peekable();
    let mut watched: Vec<Watched> = trace.pages.iter().map(Watched::new).collect();
    let mut live: Vec<(usize, plan::WatchedPage)> = Vec::new();
    for day in 0..DAYS as usize {
        let now = day as f64;
        while let Some(at) = births.next_if(|at| trace.pages[*at].born <= now) {
            let page = &trace.pages[at];
            let group = group_of(&mut plan, page);
            live.push((at, plan.add_page(group, 1.0, page.born)));
        }
        live.retain(|(at, _)| trace.pages[*at].died > now);
        if kind == Kind::Whole {
            plan.settle(now);
        }
        purse.set_budget(live.len() as f64 / days);
        purse.earn(1.0);
        let mut order: Vec<(f64, usize)> = live
            .iter()
            .enumerate()
            .map(|(at, (_, page))| (plan.worth(page, now), at))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let worths: Vec<f64> = order.iter().map(|one| one.0).collect();
        let taken = match kind {
            Kind::Poisson => purse.can_spend().min(worths.len()),
            Kind::Whole => purse.take(&worths, 1.0),
        };
        for (_, at) in &order[..taken] {
            purse.spend();
            let (page, state) = &mut live[*at];
            let has_changed = watched[*page].look(&trace.pages[*page], now);
            plan.seen(state, now, has_changed);
        }
    }
    each(trace, |at, _, seen| *seen = watched[at].clone())
}
