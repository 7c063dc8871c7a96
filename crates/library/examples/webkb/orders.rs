//! The orders that are compared, each with the same budget.

use super::university::University;
use gleaner_frontier::{Guide, LinkScore, LinkSeen, PageSeen, PlaceTurn, RowSeen};
use gleaner_library::order::{LinkOrder, SeedGuide, TopicGuide};
use gleaner_library::topic::{TopicJudge, TopicReader};
use serde_json::{Value, json};
use std::collections::VecDeque;

/// Of the reachable pages so many may be read.
const BUDGET: f64 = 0.2;
/// Rows that a choice is made from, as a run holds them.
const AT_HAND: usize = 64;
const RESCORED: usize = 1_000;

struct Replay<'a> {
    university: &'a University,
    start: usize,
    reachable: usize,
    wanted: Vec<bool>,
    budget: usize,
}

pub(crate) fn beside_each_other(
    university: &University,
    class: &str,
    reader: &TopicReader,
    judge: &TopicJudge,
    seeds: u64,
) -> Value {
    let start = university.start.expect("a university with a start");
    let is_reachable = reached(university, start);
    let reachable = is_reachable.iter().filter(|is_reachable| **is_reachable).count();
    let wanted: Vec<bool> = university
        .pages
        .iter()
        .zip(&is_reachable)
        .map(|(page, is_reachable)| *is_reachable && page.label == class)
        .collect();
    let budget = (reachable as f64 * BUDGET) as usize;
    let replay = Replay {
        university,
        start,
        reachable,
        wanted,
        budget,
    };
    let worths: Vec<f32> = university
        .pages
        .iter()
        .map(|page| judge.score(&reader.read(&page.url, &page.content.title, &page.content)))
        .collect();
    let ours: Vec<f64> = (0..seeds)
        .map(|seed| {
            let guide = TopicGuide::new(reader.clone(), judge.clone(), LinkOrder::default()).seeking_pages();
            replay.guided(&guide, seed + 1)
        })
        .collect();
    let right = replay
        .wanted
        .iter()
        .zip(&worths)
        .filter(|(wanted, worth)| **wanted && **worth >= 0.5)
        .count() as f64;
    let taken = is_reachable
        .iter()
        .zip(&worths)
        .filter(|(is_reachable, worth)| **is_reachable && **worth >= 0.5)
        .count();
    json!({
        "of": "replay", "university": university.name, "class": class, "reachable": replay.reachable,
        "breadth first": replay.breadth_first(),
        "parent": replay.by_parent(&worths),
        "s1": replay.guided(&SeedGuide::default(), 1),
        "oracle": replay.oracle(),
        "gleaner": ours.iter().sum::<f64>() / ours.len() as f64,
        "least": ours.iter().copied().fold(1.0, f64::min),
        "judge precision": right / (taken as f64).max(1.0),
        "judge recall": right / replay.wanted.iter().filter(|wanted| **wanted).count().max(1) as f64,
    })
}

fn reached(university: &University, start: usize) -> Vec<bool> {
    let mut is_reached = vec![false; university.pages.len()];
    is_reached[start] = true;
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for (to, _, _) in &university.pages[at].links {
            if !is_reached[*to] {
                is_reached[*to] = true;
                queue.push_back(*to);
            }
        }
    }
    is_reached
}

#[derive(Clone, Copy)]
struct Row {
    page: usize,
    depth: u32,
    score: LinkScore,
}

impl Replay<'_> {
    fn recall(&self, read: &[usize]) -> f64 {
        let found = read.iter().filter(|page| self.wanted[**page]).count();
        let all = self.wanted.iter().filter(|wanted| **wanted).count();
        found as f64 / all.max(1) as f64
    }

    /// Rows in the order of their discovery; `next` says which is read.
    fn replay(&self, mut next: impl FnMut(&[(usize, usize)], &[bool]) -> usize) -> f64 {
        let mut rows = vec![(self.start, self.start)];
        let mut is_known = vec![false; self.university.pages.len()];
        let mut is_read = is_known.clone();
        is_known[self.start] = true;
        let mut read = Vec::new();
        while read.len() < self.budget && !rows.is_empty() {
            let (page, _) = rows.remove(next(&rows, &is_read));
            is_read[page] = true;
            read.push(page);
            for (to, _, _) in &self.university.pages[page].links {
                if !std::mem::replace(&mut is_known[*to], true) {
                    rows.push((*to, page));
                }
            }
        }
        self.recall(&read)
    }

    fn breadth_first(&self) -> f64 {
        self.replay(|_, _| 0)
    }

    fn by_parent(&self, worths: &[f32]) -> f64 {
        self.replay(|rows, _| {
            let mut best = 0;
            for (at, row) in rows.iter().enumerate() {
                if worths[row.1] > worths[rows[best].1] {
                    best = at;
                }
            }
            best
        })
    }

    /// Knows how far each page is from one that is wanted and was not read.
    fn oracle(&self) -> f64 {
        let pages = &self.university.pages;
        let mut back: Vec<Vec<usize>> = vec![Vec::new(); pages.len()];
        for (at, page) in pages.iter().enumerate() {
            for (to, _, _) in &page.links {
                back[*to].push(at);
            }
        }
        self.replay(|rows, is_read| {
            let mut far = vec![usize::MAX; pages.len()];
            let mut queue: VecDeque<usize> = (0..pages.len())
                .filter(|at| self.wanted[*at] && !is_read[*at])
                .collect();
            for at in &queue {
                far[*at] = 0;
            }
            while let Some(at) = queue.pop_front() {
                for from in &back[at] {
                    if far[*from] == usize::MAX && !is_read[*from] {
                        far[*from] = far[at] + 1;
                        queue.push_back(*from);
                    }
                }
            }
            (0..rows.len()).min_by_key(|at| far[rows[*at].0]).unwrap_or(0)
        })
    }

    /// As a run asks its guide.
    fn guided(&self, guide: &dyn Guide, seed: u64) -> f64 {
        let pages = &self.university.pages;
        let mut chance = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut random = move || {
            chance ^= chance << 13;
            chance ^= chance >> 7;
            chance ^= chance << 17;
            chance
        };
        let mut rows = vec![Row {
            page: self.start,
            depth: 0,
            score: LinkScore::MOST,
        }];
        let mut is_known = vec![false; pages.len()];
        is_known[self.start] = true;
        let mut read = Vec::new();
        while read.len() < self.budget && !rows.is_empty() {
            rows.sort_by_key(|row| std::cmp::Reverse(row.score));
            let at_hand: Vec<RowSeen<'_>> = rows.iter().take(AT_HAND).map(|row| self.seen(row)).collect();
            let Some(at) = guide.choose(&at_hand, random()) else {
                break;
            };
            let row = rows.remove(at);
            let page = &pages[row.page];
            if guide.place(&page.url, random()) != PlaceTurn::Open {
                continue;
            }
            read.push(row.page);
            let links: Vec<LinkSeen<'_>> = page
                .links
                .iter()
                .map(|(to, kind, anchor)| LinkSeen {
                    url: &pages[*to].url,
                    kind: *kind,
                    anchor,
                })
                .collect();
            let seen = PageSeen {
                url: &page.url,
                depth: row.depth,
                title: &page.content.title,
                content: Some(&page.content),
                worth: None,
                links: &links,
            };
            let guided = guide.page(&seen);
            for ((to, _, _), score) in page.links.iter().zip(guided.scores) {
                if !std::mem::replace(&mut is_known[*to], true) {
                    rows.push(Row {
                        page: *to,
                        depth: row.depth + 1,
                        score,
                    });
                }
            }
            if guide.is_due(page.url.host()) {
                self.rescore(guide, page.url.host(), &mut rows);
            }
        }
        self.recall(&read)
    }

    fn seen(&self, row: &Row) -> RowSeen<'_> {
        RowSeen {
            url: &self.university.pages[row.page].url,
            depth: row.depth,
            score: row.score,
        }
    }

    /// The best thousand rows of a host.
    fn rescore(&self, guide: &dyn Guide, host: &str, rows: &mut [Row]) {
        let mut of_host: Vec<usize> = (0..rows.len())
            .filter(|at| self.university.pages[rows[*at].page].url.host() == host)
            .collect();
        of_host.sort_by(|one, other| rows[*other].score.cmp(&rows[*one].score));
        of_host.truncate(RESCORED);
        let seen: Vec<RowSeen<'_>> = of_host.iter().map(|at| self.seen(&rows[*at])).collect();
        let scores = guide.rescore(&seen);
        for (at, score) in of_host.into_iter().zip(scores) {
            rows[at].score = score;
        }
    }
}
