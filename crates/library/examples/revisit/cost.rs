//! What choosing and updating cost among a million documents.

use crate::traces::Chance;
use gleaner_frontier::revisit::plan::{Plan, Settings, WatchedPage};
use gleaner_frontier::revisit::queue::Queue;
use std::time::Instant;

const DOCUMENTS: u32 = 1_000_000;
const FOLDERS: u32 = 10_000;
const PRICE: f64 = 10.0;

pub(crate) fn of_a_million() -> serde_json::Value {
    let mut chance = Chance(1);
    let mut plan = Plan::new(Settings::default(), 0.0);
    let sites: Vec<_> = (0..100).map(|_| plan.add_group(None)).collect();
    let folders: Vec<_> = (0..FOLDERS)
        .map(|at| plan.add_group(Some(sites[at as usize % 100])))
        .collect();
    let mut pages: Vec<WatchedPage> = (0..DOCUMENTS)
        .map(|at| plan.add_page(folders[(at % FOLDERS) as usize], 1.0, 0.0))
        .collect();
    let mut queue = Queue::default();
    for (page, at) in pages.iter().zip(0..) {
        queue.set(at, plan.due(page, PRICE, 0.0) * chance.next());
    }
    let (mut choosing, mut updating, mut settling) = (0.0, 0.0, 0.0);
    let mut looks = 0u64;
    let mut longest_settle = 0f64;
    for day in 1..=20 {
        let now = f64::from(day);
        let begun = Instant::now();
        let leapt = plan.settle(now);
        settling += begun.elapsed().as_secs_f64();
        longest_settle = longest_settle.max(begun.elapsed().as_secs_f64());
        drop(leapt);
        let begun = Instant::now();
        let chosen: Vec<u32> = std::iter::from_fn(|| queue.take(now)).take(20_000).collect();
        choosing += begun.elapsed().as_secs_f64();
        looks += chosen.len() as u64;
        let begun = Instant::now();
        for at in chosen {
            let has_changed = chance.next() < 0.3;
            let page = &mut pages[at as usize];
            plan.seen(page, now, has_changed);
            queue.set(at, plan.due(page, PRICE, now));
        }
        updating += begun.elapsed().as_secs_f64();
    }
    let each = |seconds: f64| seconds * 1e6 / looks as f64;
    serde_json::json!({
        "of": "cost", "documents": DOCUMENTS, "looks": looks, "choosing_us": each(choosing), "updating_us": each(updating + settling),
        "settle_seconds": longest_settle, "bytes_a_document": size_of::<WatchedPage>() + 2 * size_of::<(u64, u32)>() + 16,
    })
}
