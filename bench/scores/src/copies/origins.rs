//! Is the original found? Works that are made up: who had it first is known, and what is known of its documents is partly wrong.
//!
//! Each work has an original and one to five copies, put elsewhere later. What may be wrong: clocks that were never set, dates of the
//! day on which a site was moved, dates in the future, copies that keep the author's file with its dates; what may be missing: everything.

use gleaner_library::works::{Provenance, UploadWaves, original};
use gleaner_model::Timestamp;

const WORKS: usize = 4000;
const DAY: i64 = 24 * 3_600_000;
/// 2000-01-01.
const EPOCH: i64 = 946_684_800_000;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    fn below(&mut self, end: u64) -> i64 {
        (self.next() % end) as i64
    }

    fn percent(&mut self, share: u64) -> bool {
        self.next() % 100 < share
    }
}

/// The share of works whose original is found, the same by the earliest Last-Modified as S1 does it, and how many works.
pub(super) fn measure(names: &[&str]) -> (f64, f64, usize) {
    let mut random = Random(17);
    let (mut right, mut by_date) = (0usize, 0usize);
    for work in 0..WORKS {
        // The names of the texts give hosts that differ from each other as hosts do.
        let name = names[work % names.len().max(1)];
        let hosts: Vec<String> = (0..6)
            .map(|at| {
                format!(
                    "www{at}.{}{at}.{}",
                    plain(name),
                    ["edu", "org", "net", "de", "com", "ac.uk"][(work + at) % 6]
                )
            })
            .collect();
        let count = 2 + random.below(5) as usize;
        let made = EPOCH + random.below(9000) * DAY + random.below(24) * 3_600_000;
        let has_publisher = random.percent(15);
        let mail = random
            .percent(65)
            .then(|| hosts[0].trim_start_matches("www0.").to_owned());
        let crawled = made + 9000 * DAY;
        let wave = Timestamp(made + (2500 + random.below(3000)) * DAY);
        let waves = UploadWaves::of(
            std::iter::repeat_n(wave, 40).chain((0..60).map(|at| Timestamp(made + at * 37 * DAY))),
        );
        let documents: Vec<Provenance<'_>> = (0..count)
            .map(|at| {
                let is_original = at == 0;
                let put_there = if is_original {
                    made
                } else {
                    made + (3 + random.below(3500)) * DAY
                };
                let keeps_file = is_original || random.percent(40);
                let created = match random.below(100) {
                    0..30 => None,
                    // A clock that was never set, and one that runs ahead.
                    30..35 => Some(315_532_800_000 + random.below(400) * DAY),
                    35..38 => Some(crawled + 5000 * DAY),
                    _ if keeps_file => Some(made - random.below(3) * DAY),
                    _ => Some(put_there),
                };
                let last_modified = match random.below(100) {
                    0..25 => None,
                    25..50 => Some(wave),
                    50..55 => Some(Timestamp(0)),
                    _ => Some(Timestamp(put_there + random.below(5) * DAY)),
                };
                // Most are seen long after, in any order; some soon after they were put there.
                let seen = if random.percent(30) {
                    put_there + random.below(120) * DAY
                } else {
                    crawled + random.below(300) * DAY
                };
                Provenance {
                    document: at as i64,
                    host: &hosts[at],
                    format: if is_original && random.percent(30) {
                        "tex"
                    } else if keeps_file {
                        "pdf"
                    } else {
                        ["pdf", "postscript", "html"][random.below(3) as usize]
                    },
                    created: created.map(Timestamp),
                    archived: random
                        .percent(35)
                        .then(|| Timestamp(put_there + random.below(400) * DAY)),
                    first_seen: Some(Timestamp(seen)),
                    last_modified,
                    is_of_upload_wave: last_modified.is_some_and(|date| waves.holds(date)),
                    own_links: u32::from(random.percent(if is_original { 40 } else { 3 })),
                    is_at_publisher: is_original && has_publisher,
                    rank: if random.percent(if is_original { 70 } else { 30 }) {
                        0.4 + random.below(600) as f64 / 1000.0
                    } else {
                        0.1
                    },
                }
            })
            .collect();
        // Nobody is told which came first by the order in which they are given.
        let mut given = documents.clone();
        given.sort_by_key(|document| {
            (document.document as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ work as u64)
        });
        for (number, document) in given.iter_mut().enumerate() {
            document.document += number as i64 * 10;
        }
        let author_hosts: Vec<&str> = mail.as_deref().into_iter().collect();
        let told = original(&given, &author_hosts, None);
        right += usize::from(told.first().is_some_and(|first| first.document % 10 == 0));
        let earliest = given
            .iter()
            .filter(|document| document.last_modified.is_some())
            .min_by_key(|document| document.last_modified);
        by_date += usize::from(earliest.is_some_and(|document| document.document % 10 == 0));
    }
    (right as f64 / WORKS as f64, by_date as f64 / WORKS as f64, WORKS)
}

fn plain(name: &str) -> String {
    let letters: String = name.chars().filter(char::is_ascii_alphabetic).take(12).collect();
    if letters.is_empty() {
        "host".to_owned()
    } else {
        letters.to_ascii_lowercase()
    }
}
