//! The trap garden: endless places beside honest ones on one site, crawled breadth-first without a network.

use super::*;

/// What a URL gives: its content, and the links on it (as absolute paths or full URLs).
type Page = (u64, Vec<String>);

const ROOT: &str = "http://garden.test";

/// Honest parts; every page has a content of its own.
const FORUM_TOPICS: u64 = 10_000;
const TOPIC_PAGES: u64 = 5;
const ITEMS: u64 = 60_000;
const NEWS_PAGES: u64 = 2_000;
const SLUGS: u64 = 5_000;
const STORIES: u64 = 3_000;
const SHOP: (u64, u64) = (40, 50);

fn word(seed: u64) -> String {
    let mut state = number(&seed.to_string());
    let mut out = String::new();
    for _ in 0..5 + seed % 5 {
        out.push(char::from(b'a' + (state % 26) as u8));
        state /= 26;
    }
    out
}

/// The honest site. `None`: not one of its pages.
fn real(path: &str) -> Option<Page> {
    let own = number(path);
    let (head, tail) = path.split_once(['/', '?']).unwrap_or((path, ""));
    let id = |text: &str| text.parse::<u64>().ok();
    Some(match head {
        "" => {
            let mut links: Vec<String> = (0..100).map(|i| format!("list/{i}.html")).collect();
            links.extend((0..20).map(|f| format!("viewforum.php?f={f}")));
            links.extend(["news?page=0", "wiki/0", "archive/2026", "shop?cat=0&page=0"].map(String::from));
            (own, links)
        }
        "list" => {
            let n = id(tail.strip_suffix(".html")?).filter(|n| *n < 100)?;
            (
                own,
                (0..ITEMS / 100)
                    .map(|i| format!("p/{}.html", n * (ITEMS / 100) + i))
                    .collect(),
            )
        }
        "p" => (
            own,
            id(tail.strip_suffix(".html")?)
                .filter(|n| *n < ITEMS)
                .map(|_| vec![])?,
        ),
        "viewforum.php" => {
            let f = id(tail.strip_prefix("f=")?)?;
            let topics = (0..FORUM_TOPICS).filter(|t| t % 20 == f);
            (
                own,
                topics
                    .map(|t| format!("viewtopic.php?f={f}&t={t}&start=0"))
                    .collect(),
            )
        }
        "viewtopic.php" => {
            let mut parts = tail.split(['=', '&']).filter_map(id);
            let (f, t, start) = (parts.next()?, parts.next()?, parts.next()?);
            let next = start / 20 + 1;
            let links =
                (next < TOPIC_PAGES).then(|| format!("viewtopic.php?f={f}&t={t}&start={}", next * 20));
            (own, links.into_iter().collect())
        }
        "news" => {
            let n = id(tail.strip_prefix("page=")?)?;
            (
                own,
                (n + 1 < NEWS_PAGES)
                    .then(|| format!("news?page={}", n + 1))
                    .into_iter()
                    .collect(),
            )
        }
        "wiki" if tail == "0" => (
            own,
            (0..SLUGS)
                .map(|i| format!("wiki/{}-{}", word(i), word(i + 77)))
                .collect(),
        ),
        "wiki" => (own, vec![]),
        "archive" => {
            let year = id(tail)?;
            let mut links: Vec<String> = (0..STORIES / 30)
                .map(|i| {
                    format!(
                        "{year}/{:02}/{:02}/{}",
                        1 + i % 12,
                        1 + i % 28,
                        word(i + year * 1000)
                    )
                })
                .collect();
            if year > 1997 {
                links.push(format!("archive/{}", year - 1));
            }
            (own, links)
        }
        "shop" => {
            let mut parts = tail.split(['=', '&']).filter_map(id);
            let (cat, page) = (parts.next()?, parts.next()?);
            let mut links = Vec::new();
            if cat + 1 < SHOP.0 {
                links.push(format!("shop?cat={}&page=0", cat + 1));
            }
            if page + 1 < SHOP.1 {
                links.push(format!("shop?cat={cat}&page={}", page + 1));
            }
            (own, links)
        }
        year if id(year).is_some_and(|y| (1997..=2026).contains(&y)) => (own, vec![]),
        _ => return None,
    })
}

/// The traps by their first segment, each with its entrance.
const ENTRANCES: &[&str] = &[
    "t-month/2026/06",
    "t-day?date=2026-06-15",
    "t-year-month?year=2026&month=6",
    "calendar/2026/6",
    "t-weak/2024/1",
    "t-iso/2026-06-15",
    "t-past/2026-06",
    "t-facets?a=0&b=0&c=0&d=0&e=0",
    "t-flags?f0=1",
    "t-facets-same?a=0&b=0&c=0&d=0",
    "t-loop/a/b/",
    "t-self/x/",
    "t-page-same?page=1",
    "t-path-page-same/page/1/",
    "t-grow-pair?a=1",
    "t-grow-name?a1=1",
    "t-session?sid=00000000aaaaaaaa",
    "t-path-session;jsessionid=0A1B2C3D4E5F6071",
    "t-maze/start",
    "t-hex/0123456789abcdef",
    "http://s0.garden.test/t-sub",
    "t-uuid/550e8400-e29b-41d4-a716-446655440000",
    "t-count/1/next",
    "t-deep/1/2",
    "t-soft404/start",
    "t-seldom?n=1",
    "t-numbers/1/2/",
    "t-token/AbCdEf0123456789xyz",
    "t-sort?sort=a&dir=up&view=1&n=1",
    "t-words/start/here",
];

fn months(year: u64, month: u64, step: i64) -> (u64, u64) {
    let at = (year * 12 + month - 1).saturating_add_signed(step);
    (at / 12, at % 12 + 1)
}

/// A trap's page; `made` makes every link of the crawl different from the one before.
fn trap(full: &str, path: &str, made: &mut u64) -> Page {
    let own = number(full);
    let head = path.split(['/', '?', ';']).next().unwrap_or("");
    let same = number(head);
    let numbers: Vec<u64> = path
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|n| n.parse().ok())
        .collect();
    let nth = |i: usize| numbers.get(i).copied().unwrap_or(0);
    let mut fresh = || {
        *made += 1;
        *made
    };
    let last = *numbers.last().unwrap_or(&0);
    match head {
        // Calendars: every month has a text of its own, so only the date gives them away.
        "t-month" | "calendar" | "t-weak" => {
            let (year, month) = months(nth(0), nth(1), 1);
            let month = if head == "t-month" {
                format!("{month:02}")
            } else {
                month.to_string()
            };
            (own, vec![format!("{head}/{year}/{month}")])
        }
        "t-day" | "t-iso" => {
            let (year, month) = if nth(2) >= 28 {
                months(nth(0), nth(1), 1)
            } else {
                (nth(0), nth(1))
            };
            let day = nth(2) % 28 + 1;
            let joint = if head == "t-day" { "?date=" } else { "/" };
            // Days of the first are empty and alike, those of the second all differ.
            (
                if head == "t-day" { same } else { own },
                vec![format!("{head}{joint}{year}-{month:02}-{day:02}")],
            )
        }
        "t-year-month" => {
            let (year, month) = months(nth(0), nth(1), 1);
            (own, vec![format!("t-year-month?year={year}&month={month}")])
        }
        // Backwards, one year of content and then empty months.
        "t-past" => {
            let (year, month) = months(nth(0), nth(1), -1);
            (
                if year >= 2025 { own } else { same },
                vec![format!("t-past/{year}-{month:02}")],
            )
        }
        "t-facets" | "t-facets-same" => {
            let names = if head == "t-facets" { "abcde" } else { "abcd" };
            let mut links = Vec::new();
            for change in 0..names.len() {
                for value in 0..10 {
                    let values = names
                        .char_indices()
                        .map(|(i, name)| format!("{name}={}", if i == change { value } else { nth(i) }));
                    links.push(format!("{head}?{}", values.collect::<Vec<_>>().join("&")));
                }
            }
            (if head == "t-facets" { own } else { same }, links)
        }
        "t-flags" => {
            let on: Vec<u64> = numbers.iter().copied().step_by(2).collect();
            let links = (0..17).filter(|f| !on.contains(f)).map(|f| {
                let mut flags = on.clone();
                flags.push(f);
                flags.sort_unstable();
                format!(
                    "t-flags?{}",
                    flags
                        .iter()
                        .map(|f| format!("f{f}=1"))
                        .collect::<Vec<_>>()
                        .join("&")
                )
            });
            (own, links.collect())
        }
        "t-loop" => (own, vec![format!("{path}a/b/")]),
        "t-self" => (own, vec![format!("{path}x/")]),
        "t-numbers" => (own, vec![format!("{path}1/2/")]),
        "t-deep" => (own, vec![format!("{path}/{}", last + 1)]),
        "t-page-same" => (same, vec![format!("t-page-same?page={}", last + 1)]),
        "t-path-page-same" => (same, vec![format!("t-path-page-same/page/{}/", last + 1)]),
        "t-count" => (same, vec![format!("t-count/{}/next", last + 1)]),
        "t-grow-pair" => (own, vec![format!("{path}&a=1")]),
        "t-grow-name" => (same, vec![format!("{path}&a{}=1", fresh())]),
        "t-session" => (
            same,
            (0..10)
                .map(|_| format!("t-session?sid={:016x}", number(&fresh().to_string())))
                .collect(),
        ),
        "t-path-session" => (
            same,
            (0..10)
                .map(|_| format!("t-path-session;jsessionid={:016X}", number(&fresh().to_string())))
                .collect(),
        ),
        "t-hex" => (
            same,
            (0..100)
                .map(|_| format!("t-hex/{:016x}", number(&fresh().to_string())))
                .collect(),
        ),
        "t-maze" | "t-soft404" => (
            same,
            (0..100)
                .map(|_| format!("{head}/{}", word(fresh() + 1000)))
                .collect(),
        ),
        "t-words" => (
            same,
            (0..20)
                .map(|_| format!("t-words/{}/{}", word(fresh() + 1000), word(fresh() + 1000)))
                .collect(),
        ),
        "t-sub" => (
            same,
            (0..5)
                .map(|_| format!("http://s{}.garden.test/t-sub", fresh()))
                .collect(),
        ),
        "t-uuid" => {
            let uuid = |n: u64| {
                format!(
                    "{:08x}-1111-4222-8333-{:012x}",
                    n as u32,
                    number(&n.to_string()) >> 16
                )
            };
            (
                same,
                (0..10).map(|_| format!("t-uuid/{}", uuid(fresh()))).collect(),
            )
        }
        // One page in twenty has something to say.
        "t-seldom" => (
            if last.is_multiple_of(20) { own } else { same },
            vec![format!("t-seldom?n={}", last + 1)],
        ),
        "t-token" => (
            same,
            (0..10)
                .map(|_| format!("t-token/Ab{}0123456789xyz", fresh()))
                .collect(),
        ),
        "t-sort" => (
            same,
            (0..10)
                .map(|_| format!("t-sort?sort={}&dir=up&view=1&n={}", word(fresh()), fresh()))
                .collect(),
        ),
        other => panic!("no such trap: {other}"),
    }
}

#[test]
fn a10_traps_are_bounded_and_the_real_site_is_complete() {
    const STEPS_MAX: usize = 3_000_000;
    let mut traps = Traps::new();
    let mut seen: HashSet<String> = HashSet::new();
    let mut queue: VecDeque<Url> = VecDeque::new();
    let (mut real_fetched, mut made) = (0usize, 0u64);
    let mut real_cut: Vec<String> = Vec::new();
    let mut wasted: HashMap<String, usize> = HashMap::new();
    let mut found = vec![String::new()];
    found.extend(ENTRANCES.iter().map(ToString::to_string));
    let mut gave = Gave::Something;
    let mut steps = 0;
    loop {
        for link in found.drain(..) {
            let text = if link.starts_with("http") {
                link
            } else {
                format!("{ROOT}/{link}")
            };
            let url = url(&text);
            if !seen.insert(url.to_string()) {
                continue;
            }
            match traps.admit_from(&url, 0, gave, NOW) {
                Ok(()) => queue.push_back(url),
                Err(reason) if is_real(&url) => real_cut.push(format!("{reason} {url}")),
                Err(_) => {}
            }
        }
        let Some(url) = queue.pop_front() else { break };
        steps += 1;
        assert!(steps < STEPS_MAX, "the garden never ends");
        if let Err(reason) = traps.check(&url) {
            if is_real(&url) {
                real_cut.push(format!("{reason} {url}"));
            }
            continue;
        }
        let target = url.request_target().trim_start_matches('/').to_owned();
        let (content, links) = if let Some(page) = real(&target).filter(|_| is_real(&url)) {
            real_fetched += 1;
            page
        } else {
            let head = target.split(['/', '?', ';']).next().unwrap_or("").to_owned();
            *wasted.entry(head).or_default() += 1;
            trap(url.as_str(), &target, &mut made)
        };
        gave = traps.fetched(&url, content);
        found = links;
    }
    let real_all = real_fetched + real_cut.len();
    let wasted_all: usize = wasted.values().sum();
    let share = wasted_all as f64 / (wasted_all + real_fetched) as f64;
    let mut by_trap: Vec<_> = wasted
        .iter()
        .map(|(head, count)| (*count, head.as_str()))
        .collect();
    by_trap.sort_unstable_by(|a, b| b.cmp(a));
    println!(
        "trap garden: {} traps, real pages {real_fetched}/{real_all}",
        ENTRANCES.len()
    );
    println!(
        "trap garden: {wasted_all} fetches wasted, {:.2} % of all; by trap {by_trap:?}",
        share * 100.0
    );
    for cut in traps.cuts().iter().take(5) {
        println!(
            "cut: {} {} times, as {} ({})",
            cut.reason, cut.count, cut.example, cut.shape
        );
    }
    assert!(real_all > 120_000, "the honest site was walked whole: {real_all}");
    assert_eq!(real_cut, Vec::<String>::new(), "no honest page is cut");
    assert!(share <= 0.02, "{share}");
    assert_eq!(by_trap.len(), ENTRANCES.len(), "every trap was entered");
}

fn is_real(url: &Url) -> bool {
    url.host() == "garden.test" && !url.path().starts_with("/t-") && !url.path().starts_with("/calendar")
}
