use super::*;
use gleaner_model::{Link, LinkKind};
use std::collections::{HashSet, VecDeque};
use std::fmt::Write as _;

/// 2026-06-15, as good a day as any.
const NOW: Timestamp = Timestamp(1_781_481_600_000);

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn number(text: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}

#[test]
fn hc036_too_many_parameters_and_too_deep_paths_are_refused() {
    let many = (0..10_000).fold(String::new(), |mut s, i| {
        let _ = write!(s, "p{i}&");
        s
    });
    // Past the length limit there is no `Url` to ask about; within it the count decides.
    assert!(
        Url::parse(&format!("http://a.test/?{many}"))
            .map_or(true, |u| syntax(&u) == Some(Reason::TrapParameters))
    );
    let query = |count: usize| {
        (0..count)
            .map(|i| format!("p{i}=1"))
            .collect::<Vec<_>>()
            .join("&")
    };
    assert_eq!(syntax(&url(&format!("http://a.test/?{}", query(40)))), None);
    assert_eq!(
        syntax(&url(&format!("http://a.test/?{}", query(41)))),
        Some(Reason::TrapParameters)
    );
    let path = |depth: usize| (0..depth).map(|i| format!("s{i}")).collect::<Vec<_>>().join("/");
    assert_eq!(syntax(&url(&format!("http://a.test/{}", path(20)))), None);
    assert_eq!(
        syntax(&url(&format!("http://a.test/{}", path(21)))),
        Some(Reason::TrapDepth)
    );
}

#[test]
fn hc039_repeating_segments_are_refused_and_honest_paths_are_not() {
    for trap in [
        "/a/b/a/b/a",
        "/x/x/x",
        "/en/a/en/b/en/c",
        "/1/2/1/2/1/2",
        "/q/7/8/9/7/8/9/7/8/9",
        "/s?a=1&b=2&a=1&a=1",
        "////a/x.html",
        "/a//b//c//d",
    ] {
        assert_eq!(
            syntax(&url(&format!("http://a.test{trap}"))),
            Some(Reason::TrapRepeating),
            "{trap}"
        );
    }
    for honest in [
        "/2024/01/01/01",
        "/a/a/b",
        "/wiki/a/b/a/b",
        "/1/1/1",
        "/-/x/-/y/-/z",
        "/group/-/tree/main/src/main/java/org",
        "/s?id=1&id=2&id=3",
        "/2001/01/01/2001/01",
        "/",
        "///a/x.html",
        "/a//b//c",
        "/web/2020//http://b.test//x",
        "/a//b//",
    ] {
        assert_eq!(syntax(&url(&format!("http://a.test{honest}"))), None, "{honest}");
    }
}

#[test]
fn shapes_mask_what_counts_and_keep_what_names() {
    let same = [
        ("http://a.test/p/1.html", "http://www.a.test/p/200.html"),
        ("http://a.test/t?id=1&page=2", "http://a.test/t?page=9&id=77"),
        (
            "http://a.test/x/550e8400-e29b-41d4-a716-446655440000",
            "http://a.test/x/6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        ),
        (
            "http://a.test/f/d41d8cd98f00b204e9800998ecf8427e",
            "http://a.test/f/0cc175b9c0f1b6a831c399e269772661",
        ),
        (
            "http://a.test/s;jsessionid=0A1B2C3D4E5F",
            "http://a.test/s;jsessionid=99ABCDEF0011",
        ),
        ("http://a.test/2024/01/01", "http://a.test/1999/12/31"),
        ("http://a.test/?x1=1", "http://a.test/?x1=2&x2=3"),
    ];
    for (a, b) in same {
        assert_eq!(shape(&url(a)), shape(&url(b)), "{a} {b}");
    }
    let apart = [
        ("http://a.test/p/1.html", "http://b.test/p/1.html"),
        ("http://a.test/p/1.html", "http://a.test/q/1.html"),
        ("http://a.test/p/1.html", "http://a.test/p/1.html?print"),
        ("http://a.test/t?id=1", "http://a.test/t?topic=1"),
        ("http://a.test/p/1", "http://a.test/p/1/2"),
        ("http://a.test/deadbeat", "http://a.test/deadbeef"),
    ];
    for (a, b) in apart {
        assert_ne!(shape(&url(a)), shape(&url(b)), "{a} {b}");
    }
    assert_eq!(
        ShapeBuffer::default().text(&url("http://w.a.test/c/12/x9?b=1&a")),
        "a.test/c/#/x#?a?b"
    );
}

#[test]
fn hc040_dates_are_read_only_where_they_are_dates() {
    let edge = [
        "/calendar/2031/5",
        "/calendar/9999",
        "/x/2031/05",
        "/x/2031-05",
        "/x/2031-05-17",
        "/x/2031-05-17T10:00",
        "/?date=2031-05-17",
        "/?year=2031&month=1",
        "/?y=2031&m=3",
        "/?start_date=20310501",
        "/x/2031-W07",
        "/x/2031/W7",
        "/?week=2031-W07",
        "/?week=7&year=2031",
        "/?w=7&y=2031",
        "/?date=17.05.2031",
        "/x/05-17-2031",
        "/x/2031/10/17/",
        "/?day=1&month=12&year=0001",
        "/events/0999",
    ];
    for text in edge {
        assert_eq!(
            calendar(&url(&format!("http://a.test{text}")), NOW),
            Some(Reason::TrapCalendar),
            "{text}"
        );
    }
    let honest = [
        "/calendar/2028/12",
        "/calendar/1985/1",
        "/p/2031.html",
        "/p/2031",
        "/t/2031/5",
        "/t/2031/12",
        "/x/2031/17",
        "/?id=2031",
        "/?y=2031",
        "/x/20310517",
        "/x/2031-055",
        "/x/2031-13",
        "/isbn/9783-16-148410-0",
        "/?date=soon",
    ];
    for text in honest {
        assert_eq!(
            calendar(&url(&format!("http://a.test{text}")), NOW),
            None,
            "{text}"
        );
    }
}

#[test]
fn topics_with_numbers_like_years_are_no_calendar() {
    // Topic 2031, page 5: ids on both sides of the years show that they are ids.
    let mut traps = Traps::new();
    for topic in (1..5000).rev() {
        for page in 1..3 {
            assert_eq!(
                traps.admit(&url(&format!("http://a.test/t/{topic}/{page}")), None, NOW),
                Ok(()),
                "{topic}/{page}"
            );
        }
    }
}

#[test]
fn size_alone_is_no_fault() {
    let mut traps = Traps::new();
    let mut visit = |text: String, content: u64| {
        let url = url(&text);
        assert_eq!(traps.admit(&url, None, NOW), Ok(()), "{text}");
        (url, content)
    };
    // Everything is discovered before anything is fetched: the worst order for a rule that looks at growth.
    let mut queue = Vec::new();
    for i in 0..200_000u64 {
        queue.push(visit(format!("http://a.test/p/{i}.html"), i));
    }
    for i in 0..50_000u64 {
        let (forum, topic, start) = (i % 12, i / 5, i % 5 * 20);
        queue.push(visit(
            format!("http://b.test/viewtopic.php?f={forum}&t={topic}&start={start}"),
            1 << 32 | i,
        ));
    }
    for i in 0..2_000u64 {
        queue.push(visit(format!("http://c.test/news?page={i}"), 2 << 32 | i));
        queue.push(visit(
            format!("http://c.test/shop?cat={}&page={}", i % 40, i / 40),
            3 << 32 | i,
        ));
        queue.push(visit(format!("http://c.test/blog/page/{i}/"), 4 << 32 | i));
        let date = format!("{}/{:02}/{:02}", 1995 + i % 30, 1 + i % 12, 1 + i % 28);
        queue.push(visit(format!("http://c.test/{date}/story-{i}"), 5 << 32 | i));
    }
    for (url, content) in queue {
        assert_eq!(traps.check(&url), Ok(()), "{url}");
        traps.fetched(&url, content);
    }
    assert_eq!(traps.cuts(), []);
    assert!(traps.arms_count() <= ARMS_MAX, "{}", traps.arms_count());
}

#[test]
fn content_that_is_not_known_is_no_copy() {
    let mut traps = Traps::new();
    for i in 0..500 {
        let url = url(&format!("http://a.test/p/{i}"));
        assert_eq!(traps.admit(&url, None, NOW), Ok(()));
        traps.fetched(&url, 0);
    }
}

#[test]
fn a_closed_arm_opens_when_it_gives_again() {
    let mut traps = Traps::new();
    let at = |i: u64| url(&format!("http://a.test/item?id={i}"));
    let mut next = 0;
    while traps.admit(&at(next), None, NOW).is_ok() {
        traps.fetched(&at(next), 1);
        next += 1;
        assert!(next < 300, "two hundred equal pages and nothing else");
    }
    // From here on every page is real: the probes find out.
    let mut admitted = 0;
    for i in next..next + 10_000 {
        if traps.admit(&at(i), None, NOW).is_ok() {
            admitted += 1;
            traps.fetched(&at(i), i + 2);
        }
    }
    assert!(admitted > 9_000, "{admitted}");
    let cuts = traps.cuts();
    assert_eq!(
        (cuts.len(), cuts[0].reason, cuts[0].shape.as_str()),
        (1, Reason::TrapCopies, "a.test/item?id")
    );
    assert_eq!(cuts[0].count, 1 + 10_000 - admitted);
    assert!(cuts[0].example.starts_with("http://a.test/item?id="));
}

#[test]
fn hc042_memory_stays_flat_under_never_repeating_addresses() {
    let mut traps = Traps::new();
    for i in 0..100_000u64 {
        let word: String = (0..8)
            .map(|k| char::from(b'a' + (number(&format!("{i}.{k}")) % 26) as u8))
            .collect();
        let url = url(&format!(
            "http://{word}.a{}.test/{word}/{}?{word}=1&b=2",
            i % 5000,
            i
        ));
        if traps.admit(&url, None, NOW).is_ok() {
            traps.fetched(&url, 7);
        }
    }
    assert!(traps.arms_count() <= ARMS_MAX, "{}", traps.arms_count());
    assert!(traps.cuts().len() <= CUTS_MAX + 1);
    // What is kept of it stays small too, and reads back as what it was.
    let saved = traps.save();
    println!(
        "traps saved: {} bytes of {} arms",
        saved.len(),
        traps.arms_count()
    );
    assert!(saved.len() <= SAVED_BYTES_MAX, "{}", saved.len());
    let loaded = Traps::load(&saved).unwrap();
    let count = |traps: &Traps| traps.cuts().iter().map(|cut| cut.count).sum::<u64>();
    assert_eq!(count(&loaded), count(&traps));
    assert_eq!(loaded.save(), saved);
}

#[test]
fn a13_what_is_no_saved_state_is_refused() {
    let mut traps = Traps::new();
    for i in 0..30 {
        let page = url(&format!("http://a.test/f?a={}&b={}&c=1", i % 3, i % 5));
        if traps.admit(&page, None, NOW).is_ok() {
            traps.fetched(&page, 7);
        }
    }
    let saved = traps.save();
    assert!(Traps::load(&saved).is_some());
    assert!(Traps::load(&[]).is_none());
    // Cut anywhere, or with any byte changed: no panic, and never a state that cannot be saved again.
    for at in 0..saved.len() {
        let _nothing_or_something = Traps::load(&saved[..at]);
        let mut damaged = saved.clone();
        damaged[at] ^= 0xFF;
        if let Some(loaded) = Traps::load(&damaged) {
            assert!(loaded.save().len() <= SAVED_BYTES_MAX);
        }
    }
}

/// Eighty folders, each with its own page, a style sheet and the same notice.
#[test]
fn case27_equal_files_in_listed_folders_are_no_trap() {
    for path in [
        "d{}/legal.html",
        "docs/{}/legal.html",
        "legal/{}.html",
        "n{}/a.css",
    ] {
        let mut traps = Traps::new();
        let word = |i: u64| format!("{}{i}", ["oak", "ash", "elm", "fir"][i as usize % 4]);
        for i in 0..1_000 {
            let own = url(&format!("http://a.test/{}/index.html", word(i)));
            assert_eq!(traps.admit(&own, None, NOW), Ok(()));
            let gave = traps.fetched(&own, 100 + i);
            let copy = url(&format!("http://a.test/{}", path.replace("{}", &word(i))));
            assert_eq!(traps.admit_from(&copy, 0, gave, NOW), Ok(()), "{copy}");
            assert_eq!(traps.check(&copy), Ok(()), "{copy}");
            traps.fetched(&copy, 7);
        }
        assert_eq!(traps.cuts(), []);
    }
}

/// Notices that are the same in every folder, and lead to more of the folder that nothing else leads to.
#[test]
fn case27_what_a_notice_alone_leads_to_is_no_trap() {
    let mut traps = Traps::new();
    for i in 0..500 {
        let at = |name: &str| url(&format!("http://a.test/d{i}/{name}.html"));
        let own = at("index");
        assert_eq!(traps.admit(&own, None, NOW), Ok(()));
        traps.fetched(&own, 1_000 + i);
        let (mut from, mut found) = (None, at("legal"));
        for (content, next) in [(1, "terms"), (2, "third"), (3, "end")] {
            let link = Link {
                url: at(next),
                kind: LinkKind::Anchor,
                anchor: String::new(),
                count: 1,
                nofollow: false,
            };
            let seen = PageTraits::of(&found, format!("<p>{content}").as_bytes(), &[link]);
            let source = from.as_ref().map(|(url, seen, gave)| Source {
                url,
                seen,
                gave: *gave,
            });
            assert_eq!(traps.admit(&found, source, NOW), Ok(()), "{found}");
            assert_eq!(traps.check(&found), Ok(()), "{found}");
            let gave = traps.fetched_page(&found, &seen);
            from = Some((found, seen, gave));
            found = at(next);
        }
    }
    assert_eq!(traps.cuts(), []);
}

/// The days of a year, listed by its months: most say that there is nothing, each leads to its neighbours.
#[test]
fn case27_days_that_are_listed_are_no_trap() {
    let mut traps = Traps::new();
    let link = |to: &Url| Link {
        url: to.clone(),
        kind: LinkKind::Anchor,
        anchor: String::new(),
        count: 1,
        nofollow: false,
    };
    let day = |month: u32, day: u32| url(&format!("http://a.test/cal/2024/{month:02}/{day:02}"));
    let front = url("http://a.test/");
    let months: Vec<Url> = (1..=12)
        .map(|month| url(&format!("http://a.test/cal/2024/{month:02}")))
        .collect();
    traps.fetched_page(
        &front,
        &PageTraits::of(&front, b"<p>A year", &months.iter().map(link).collect::<Vec<_>>()),
    );
    for month in &months {
        let from = Source {
            url: &front,
            seen: &PageTraits::default(),
            gave: Gave::Something,
        };
        assert_eq!(traps.admit(month, Some(from), NOW), Ok(()));
    }
    let mut days = Vec::new();
    for (number, month) in (1..).zip(&months) {
        assert_eq!(traps.check(month), Ok(()), "{month}");
        let all: Vec<Url> = (1..=28).map(|at| day(number, at)).collect();
        let seen = PageTraits::of(month, b"<p>Days", &all.iter().map(link).collect::<Vec<_>>());
        let gave = traps.fetched_page(month, &seen);
        for day in all {
            let from = Source {
                url: month,
                seen: &seen,
                gave,
            };
            assert_eq!(traps.admit(&day, Some(from), NOW), Ok(()), "{day}");
            days.push(day);
        }
    }
    for (number, day) in days.iter().enumerate() {
        assert_eq!(traps.check(day), Ok(()), "{day}");
        let text = match number % 28 {
            9 | 18 | 27 => format!("<p>Event {}", number * 1_000),
            _ => "<p>No events".to_owned(),
        };
        let next = (number + 1).min(days.len() - 1);
        let beside = [&days[number.saturating_sub(1)], &days[next]].map(link);
        traps.fetched_page(day, &PageTraits::of(day, text.as_bytes(), &beside));
    }
    assert_eq!(traps.cuts(), []);
}

/// The same content, and each of its pages leads to the next.
#[test]
fn hc042_equal_pages_that_lead_on_are_a_trap() {
    let mut traps = Traps::new();
    let mut gave = Gave::Something;
    let mut fetched = 0;
    for i in 0..1_000 {
        let page = url(&format!("http://a.test/d{i}/legal.html"));
        if traps.admit_from(&page, 0, gave, NOW).is_ok() {
            fetched += 1;
            gave = traps.fetched(&page, 7);
        }
    }
    assert!(fetched < 60, "{fetched}");
}

/// Pages that name one word each, which stands in their address too, all listed on each of them: small sections.
#[test]
fn case15_siblings_that_differ_in_a_word_are_no_trap() {
    let mut traps = Traps::new();
    let link = |section: u64, word: u64| Link {
        url: url(&format!("http://a.test/s{section}?about=word{word}x")),
        kind: LinkKind::Anchor,
        anchor: String::new(),
        count: 1,
        nofollow: false,
    };
    for section in 0..20 {
        let links: Vec<Link> = (0..10).map(|word| link(section, word)).collect();
        for (index, page) in links.iter().enumerate() {
            if index == 0 {
                assert_eq!(traps.admit(&page.url, None, NOW), Ok(()));
            }
            assert_eq!(traps.check(&page.url), Ok(()), "{}", page.url);
            let body = format!("<p>All there is to say about word{index}x of s{section}.");
            let seen = PageTraits::of(&page.url, body.as_bytes(), &links);
            let gave = traps.fetched_page(&page.url, &seen);
            if index == 0 {
                let from = Source {
                    url: &page.url,
                    seen: &seen,
                    gave,
                };
                for other in &links[1..] {
                    assert_eq!(traps.admit(&other.url, Some(from), NOW), Ok(()));
                }
            }
        }
    }
    assert_eq!(traps.cuts(), []);
}

/// What was closed is closed in the next run too, however often its pages are read again; what is new is looked at.
#[test]
fn case26_what_was_closed_stays_closed_in_the_next_run() {
    let mut traps = Traps::new();
    let at = |i: u64| url(&format!("http://a.test/maze/{i}"));
    let mut gave = Gave::Something;
    let refused: Vec<u64> = (0..500)
        .filter(|i| {
            let is_refused = traps.admit_from(&at(*i), 0, gave, NOW).is_err();
            if !is_refused {
                gave = traps.fetched(&at(*i), 7);
            }
            is_refused
        })
        .collect();
    assert!(refused.len() > 400, "{}", refused.len());
    for _ in 0..5 {
        traps = Traps::load_for_next(&traps.save()).unwrap();
        assert_eq!(traps.cuts(), [], "those of the last run");
        for i in &refused {
            assert_eq!(
                traps.admit_again(&at(*i), None, NOW),
                Err(Reason::TrapCopies),
                "{i}: no probe either"
            );
        }
        assert_eq!(
            traps.admit_again(&url("http://a.test/other/1"), None, NOW),
            Ok(())
        );
    }
}

#[test]
fn hc044_pages_that_differ_in_a_hex_identifier_are_each_fetched() {
    let mut traps = Traps::new();
    for i in 0..5_000 {
        let url = url(&format!("http://a.test/commit/{:016x}", number(&i.to_string())));
        assert_eq!(traps.admit(&url, None, NOW), Ok(()));
        assert_eq!(traps.check(&url), Ok(()));
        traps.fetched(&url, i);
    }
}

#[test]
fn the_host_budget_is_the_last_resort() {
    let mut traps = Traps::new();
    let page = url("http://a.test/x");
    traps.arms.entry(traps.buffer.shapes(&page).site).discovered =
        u32::try_from(defaults::TRAP_HOST_BUDGET).unwrap();
    assert_eq!(traps.admit(&page, None, NOW), Err(Reason::TrapBudget));
    assert_eq!(traps.admit(&url("http://b.test/x"), None, NOW), Ok(()));
}

#[test]
fn hc041_combined_filters_are_capped_and_the_rest_keeps_its_share() {
    let mut traps = Traps::new();
    let mut admitted = 0;
    for i in 0..100_000u64 {
        let digit = |place: u32| i / 10u64.pow(place) % 10;
        let filters = (0..5)
            .map(|p| format!("filter{p}={}", digit(p)))
            .collect::<Vec<_>>()
            .join("&");
        admitted += usize::from(
            traps
                .admit(&url(&format!("http://a.test/search?{filters}")), None, NOW)
                .is_ok(),
        );
        assert_eq!(
            traps.admit(&url(&format!("http://a.test/product/{i}")), None, NOW),
            Ok(())
        );
    }
    println!("combined filters: {admitted} of 100000 let through");
    assert!(admitted < 1_000, "{admitted}");
    let cuts = traps.cuts();
    assert_eq!((cuts.len(), cuts[0].reason), (1, Reason::TrapGrowth));
    assert_eq!(cuts[0].count, 100_000 - admitted as u64);
}

mod garden;
mod small_garden;
