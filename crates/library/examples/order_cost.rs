//! What the order costs: a million links are scored, their rows chosen among, and fetches learned from.
//!
//! Prints one JSON line: microseconds a link, a choice, a fetch and a row scored anew, and megabytes in memory at the end.
#![expect(
    clippy::print_stdout,
    reason = "a command of the repository prints its figures"
)]

use gleaner_frontier::{LinkScore, LinkSeen, PageSeen};
use gleaner_library::order::{LinkOrder, OrderRow};
use gleaner_library::topic::{Keywords, TopicExamples, TopicJudge, TopicReader};
use gleaner_model::{Block, BlockKind, Content, LinkKind, Url};
use serde_json::json;
use std::time::{Duration, Instant};

const PAGES: u64 = 20_000;
const LINKS: u64 = 50;
/// Rows that a choice is made from, as a run holds them.
const AT_HAND: usize = 64;
const RESCORED: usize = 1_000;
const WORDS: [&str; 12] = [
    "papers", "reports", "people", "teaching", "learning", "networks", "seminar", "archive", "thesis",
    "systems", "contact", "news",
];

/// Numbers that look like chance, always the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.next() as usize % WORDS.len()]
    }
}

fn url(numbers: &mut Numbers) -> Url {
    let (host, first, second) = (numbers.next() % 200, numbers.word(), numbers.word());
    let number = numbers.next() % 1_000_000_000;
    Url::parse(&format!("http://site{host}.test/{first}/{second}-{number}.html")).expect("a plain address")
}

fn main() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let keywords = Keywords::new(["learning", "networks"]);
    let judge = TopicJudge::new(&keywords, &TopicExamples::default());
    let reader = TopicReader::new(keywords);
    let mut order = LinkOrder::default();
    let mut rows: Vec<(Url, LinkScore)> = Vec::with_capacity((PAGES * LINKS) as usize);
    let (mut scoring, mut updating, mut choosing, mut rescoring) =
        (Duration::ZERO, Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let (mut choices, mut rescored) = (0u32, 0u32);
    for number in 0..PAGES {
        let page_url = url(&mut numbers);
        let links: Vec<(Url, String)> = (0..LINKS)
            .map(|_| {
                (
                    url(&mut numbers),
                    format!(
                        "{} of {} {}",
                        numbers.word(),
                        numbers.word(),
                        numbers.next() % 100
                    ),
                )
            })
            .collect();
        let content = page(&links, &mut numbers);
        let seen: Vec<LinkSeen<'_>> = links
            .iter()
            .map(|(url, anchor)| LinkSeen {
                url,
                kind: LinkKind::Anchor,
                anchor,
            })
            .collect();
        let page = PageSeen {
            url: &page_url,
            depth: 2,
            title: "",
            content: Some(&content),
            worth: None,
            links: &seen,
        };
        let worth = (numbers.next() % 100) as f32 / 100.0;
        let start = Instant::now();
        order.fetched(&page_url, worth, -3.0);
        let fetched = start.elapsed();
        let promises: Vec<f32> = links
            .iter()
            .map(|(url, anchor)| judge.promise(&reader.link(url, anchor)))
            .collect();
        let scores = order.links(&page, worth, &promises);
        updating += fetched;
        scoring += start.elapsed().checked_sub(fetched).unwrap_or_default();
        rows.extend(links.into_iter().map(|(url, _)| url).zip(scores));
        if number % 10 == 9 {
            let from = numbers.next() as usize % (rows.len() - AT_HAND);
            let at_hand: Vec<OrderRow<'_>> = seen_rows(&rows[from..from + AT_HAND]);
            let start = Instant::now();
            std::hint::black_box(order.choose(&at_hand, numbers.next()));
            choosing += start.elapsed();
            choices += 1;
        }
        if number % 1_000 == 999 {
            let part = seen_rows(&rows[rows.len() - RESCORED..]);
            let start = Instant::now();
            std::hint::black_box(order.rescore(&part));
            rescoring += start.elapsed();
            rescored += RESCORED as u32;
        }
    }
    let micro = |time: Duration, count: f64| time.as_secs_f64() * 1e6 / count;
    let (rows_kept, arms_kept) = order.remembered();
    println!(
        "{}",
        json!({
            "rows": rows.len(), "rows_remembered": rows_kept, "arms_remembered": arms_kept,
            "scoring_us": micro(scoring, (PAGES * LINKS) as f64),
            "updating_us": micro(updating, PAGES as f64),
            "choosing_us": micro(choosing, f64::from(choices)),
            "rescoring_us": micro(rescoring, f64::from(rescored)),
            "bytes": order.bytes(),
            "mb": order.bytes() as f64 / 1e6,
            "saved_bytes": order.save().len(),
        })
    );
}

fn seen_rows(rows: &[(Url, LinkScore)]) -> Vec<OrderRow<'_>> {
    rows.iter()
        .map(|(url, score)| OrderRow { url, score: *score })
        .collect()
}

/// A list of links, each with some words around it.
fn page(links: &[(Url, String)], numbers: &mut Numbers) -> Content {
    let block = |(url, anchor): &(Url, String)| Block {
        path: "html>body>ul>li".to_owned(),
        kind: BlockKind::Item,
        text: format!(
            "{} {} {anchor} {} {}",
            numbers.word(),
            numbers.word(),
            numbers.word(),
            numbers.word()
        ),
        is_main: true,
        is_frame: false,
        links: vec![url.as_str().to_owned()],
        images: Vec::new(),
    };
    Content {
        blocks: links.iter().map(block).collect(),
        ..Content::default()
    }
}
