use super::*;
use gleaner_model::Chance;
use gleaner_model::chance::SplitMix;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::Ipv4Addr;

const HOST: &str = "a.test";

fn at(seconds: f64) -> Instant {
    Instant(Duration::from_secs_f64(seconds))
}

/// As the book wants it.
#[expect(clippy::unnecessary_wraps, reason = "an address that is known")]
fn address(number: u32) -> Option<IpAddr> {
    Some(IpAddr::V4(Ipv4Addr::from(0x0a00_0000 + number)))
}

fn outcome(response_seconds: f64, kind: OutcomeKind) -> FetchOutcome {
    FetchOutcome {
        response_time: Duration::from_secs_f64(response_seconds),
        kind,
        jitter: 0.5,
    }
}

fn overloaded(retry_after: Option<u64>) -> OutcomeKind {
    OutcomeKind::Overloaded {
        retry_after: retry_after.map(Duration::from_secs),
    }
}

/// One fetch that starts when it may and takes a tenth of a second; gives the start.
fn fetch(book: &mut PaceBook, now: Instant, kind: OutcomeKind) -> Instant {
    let start = match book.ready(HOST, None, now) {
        Readiness::Now => now,
        Readiness::At(at) => at,
        Readiness::Busy => panic!("nothing is under way"),
    };
    book.started(HOST, None, start);
    book.finished(
        HOST,
        None,
        start.after(Duration::from_millis(100)),
        outcome(0.1, kind),
    );
    start
}

#[test]
fn a7_the_delay_follows_the_slowest_wish() {
    let cases = [
        // minimum, crawl-delay, response time, expected delay
        (1.0, None, 0.05, 1.0),
        (1.0, None, 0.4, 2.0),
        (1.0, None, 60.0, 30.0),
        (1.0, Some(10.0), 0.4, 10.0),
        (1.0, Some(0.001), 0.05, 1.0),
        (40.0, None, 60.0, 40.0),
        (0.0, None, 60.0, 0.0),
        (0.0, Some(5.0), 0.05, 5.0),
    ];
    for (minimum, crawl_delay, response, wanted) in cases {
        let settings = PaceSettings {
            delay: Duration::from_secs_f64(minimum),
            ..PaceSettings::default()
        };
        let mut book = PaceBook::new(settings);
        book.set_crawl_delay(HOST, crawl_delay.map(Duration::from_secs_f64));
        book.started(HOST, None, at(0.0));
        book.finished(HOST, None, at(response), outcome(response, OutcomeKind::Answered));
        let delay = book.delay(HOST).as_secs_f64();
        assert!(
            (delay - wanted).abs() < 1e-6,
            "{minimum} {crawl_delay:?} {response}: {delay}"
        );
    }
}

#[test]
fn a7_one_slow_answer_is_soon_forgotten() {
    let mut book = PaceBook::new(PaceSettings::default());
    let mut now = at(0.0);
    book.started(HOST, None, now);
    book.finished(HOST, None, at(10.0), outcome(10.0, OutcomeKind::Answered));
    assert_eq!(book.delay(HOST), Duration::from_secs(30));
    for _ in 0..14 {
        now = fetch(
            &mut book,
            now.after(Duration::from_mins(1)),
            OutcomeKind::Answered,
        );
    }
    assert!(
        book.delay(HOST) < Duration::from_secs(2),
        "{:?}",
        book.delay(HOST)
    );
}

#[test]
fn a7_strikes_double_the_pause_and_successes_halve_it() {
    let mut book = PaceBook::new(PaceSettings::default());
    let mut now = at(0.0);
    for pause in [30, 60, 120, 240] {
        now = fetch(&mut book, now, overloaded(None)).after(Duration::from_millis(100));
        assert_eq!(book.pause(HOST, now), Some(Duration::from_secs(pause)));
    }
    for _ in 0..20 {
        now = fetch(&mut book, now, overloaded(None)).after(Duration::from_millis(100));
    }
    assert_eq!(book.pause(HOST, now), Some(defaults::BACKOFF_MAX));
    now = fetch(&mut book, now, OutcomeKind::Answered);
    assert_eq!(
        book.delay(HOST),
        Duration::from_secs(30),
        "after the pause: slowly first"
    );
    for _ in 0..20 {
        now = fetch(&mut book, now, OutcomeKind::Answered);
    }
    assert_eq!(book.delay(HOST), defaults::DELAY);
    // Connections that fail start with a shorter pause.
    now = fetch(&mut book, now.after(Duration::from_secs(1)), OutcomeKind::Failed)
        .after(Duration::from_millis(100));
    assert_eq!(book.pause(HOST, now), Some(defaults::RETRY_WAITS[0]));
}

#[test]
fn a7_jitter_spreads_by_a_fifth() {
    for (jitter, seconds) in [
        (0.0, 24.0),
        (0.5, 30.0),
        (1.0, 36.0),
        (f64::NAN, 30.0),
        (-7.0, 24.0),
        (9.0, 36.0),
    ] {
        let mut book = PaceBook::new(PaceSettings::default());
        book.started(HOST, None, at(0.0));
        book.finished(
            HOST,
            None,
            at(0.0),
            FetchOutcome {
                jitter,
                ..outcome(0.0, overloaded(None))
            },
        );
        let pause = book.pause(HOST, at(0.0)).unwrap().as_secs_f64();
        assert!((pause - seconds).abs() < 0.001, "{jitter}: {pause}");
    }
}

#[test]
fn hc016_retry_after_pauses_this_host_and_no_other() {
    let mut book = PaceBook::new(PaceSettings::default());
    book.started(HOST, address(1), at(0.0));
    let ten_years = Some(10 * 365 * 86_400);
    book.finished(HOST, address(1), at(0.1), outcome(0.1, overloaded(ten_years)));
    let end = at(0.1).after(defaults::RETRY_AFTER_MAX);
    assert_eq!(book.ready(HOST, address(1), at(5.0)), Readiness::At(end));
    assert_eq!(
        book.ready("b.test", address(1), at(5.0)),
        Readiness::Now,
        "another host on the same address"
    );
    assert_eq!(book.ready("b.test", address(2), at(0.1)), Readiness::Now);
}

#[test]
fn several_fetches_that_fail_together_are_one_strike() {
    let mut book = PaceBook::new(PaceSettings {
        per_host: 8,
        per_address: 8,
        delay: Duration::ZERO,
    });
    for _ in 0..8 {
        book.started(HOST, None, at(0.0));
    }
    for _ in 0..8 {
        book.finished(HOST, None, at(2.0), outcome(2.0, overloaded(None)));
    }
    assert_eq!(book.pause(HOST, at(2.0)), Some(defaults::BACKOFF_FIRST));
}

#[test]
fn hc052_a_huge_crawl_delay_slows_this_host_only() {
    let mut book = PaceBook::new(PaceSettings::default());
    book.set_crawl_delay(HOST, Some(defaults::CRAWL_DELAY_MAX));
    assert_eq!(
        book.ready(HOST, None, at(0.0)),
        Readiness::Now,
        "the first request need not wait"
    );
    book.started(HOST, None, at(0.0));
    book.finished(HOST, None, at(0.1), outcome(0.1, OutcomeKind::Answered));
    assert_eq!(book.ready(HOST, None, at(1.0)), Readiness::At(at(300.0)));
    assert_eq!(book.ready("b.test", None, at(1.0)), Readiness::Now);
}

#[test]
fn memory_follows_the_hosts_at_work() {
    let mut book = PaceBook::new(PaceSettings::default());
    for i in 0..1000 {
        let host = format!("h{i}.test");
        book.started(&host, address(i), at(f64::from(i)));
        if i != 3 {
            book.finished(
                &host,
                address(i),
                at(f64::from(i)),
                outcome(0.0, OutcomeKind::Answered),
            );
        }
    }
    book.forget_idle(at(1000.0), Duration::from_secs(100));
    assert_eq!(
        book.hosts_count(),
        100,
        "those of the last hundred seconds and the one under way"
    );
    assert_eq!(book.ready("h3.test", address(3), at(1000.0)), Readiness::Busy);
}

/// What the test itself remembers of a host or an address, to judge the book by.
#[derive(Clone, Default)]
struct Watched {
    last_start: Option<Instant>,
    earliest: Instant,
    in_flight: usize,
    starts: u64,
    usual: Option<f64>,
}

#[test]
fn hc055_nothing_starts_too_early_in_100_000_fetches() {
    const FETCHES: usize = 100_000;
    const HOSTS: u32 = 1_000;
    const ADDRESSES: u32 = 40;
    let settings = PaceSettings::default();
    let chance = SplitMix::seeded(7);
    let names: Vec<String> = (0..HOSTS).map(|h| format!("h{h}.test")).collect();
    let mut book = PaceBook::new(settings);
    // Every tenth host asks for a delay; host 0 is very slow and shares its address with others.
    let crawl_delay = |h: u32| (h % 10 == 3).then(|| Duration::from_secs(u64::from(h % 7) + 1));
    let address_of = |h: u32| h % ADDRESSES;
    for h in 0..HOSTS {
        book.set_crawl_delay(&names[h as usize], crawl_delay(h));
    }
    let mut hosts = vec![Watched::default(); HOSTS as usize];
    let mut addresses = vec![Watched::default(); ADDRESSES as usize];
    let mut wakes: BinaryHeap<Reverse<(Instant, u32)>> = (0..HOSTS).map(|h| Reverse((at(0.0), h))).collect();
    let mut ends: BinaryHeap<Reverse<(Instant, u32, Instant)>> = BinaryHeap::new();
    let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); ADDRESSES as usize];
    let (mut started, mut now, mut early, mut over) = (0, at(0.0), 0, 0);
    while started < FETCHES {
        let end = ends.peek().map(|Reverse((time, ..))| *time);
        let wake = wakes.peek().map(|Reverse((time, _))| *time);
        if end.is_some_and(|end| wake.is_none_or(|wake| end <= wake)) {
            let Reverse((time, h, start)) = ends.pop().unwrap();
            now = now.max(time);
            let a = address_of(h);
            let response = time.since(start).as_secs_f64();
            let kind = match chance.next() % 1000 {
                0 => overloaded(Some(60)),
                1 => overloaded(None),
                2 => OutcomeKind::Failed,
                _ => OutcomeKind::Answered,
            };
            let outcome = FetchOutcome {
                jitter: chance.share(),
                ..outcome(response, kind)
            };
            book.finished(&names[h as usize], address(a), now, outcome);
            hosts[h as usize].in_flight -= 1;
            addresses[a as usize].in_flight -= 1;
            let watched = &mut hosts[h as usize];
            match kind {
                OutcomeKind::Overloaded { retry_after } => {
                    // Without a wish at least the first pause, less its jitter.
                    let pause = retry_after.unwrap_or(Duration::from_secs(24));
                    watched.earliest = watched.earliest.max(now.after(pause));
                }
                OutcomeKind::Failed => {}
                OutcomeKind::Answered => {
                    let usual = watched.usual.map_or(response, |u| 0.7 * u + 0.3 * response);
                    watched.usual = Some(usual);
                    let slow = Duration::from_secs_f64((5.0 * usual).min(30.0) * 0.999_999);
                    watched.earliest = watched.earliest.max(watched.last_start.unwrap().after(slow));
                }
            }
            wakes.push(Reverse((now, h)));
            wakes.extend(waiting[a as usize].drain(..).map(|h| Reverse((now, h))));
            continue;
        }
        let Reverse((time, h)) = wakes.pop().unwrap();
        now = now.max(time);
        let a = address_of(h);
        match book.ready(&names[h as usize], address(a), now) {
            Readiness::At(time) => wakes.push(Reverse((time, h))),
            // Its own end or that of a neighbour wakes it.
            Readiness::Busy if hosts[h as usize].in_flight > 0 => {}
            Readiness::Busy => waiting[a as usize].push(h),
            Readiness::Now => {
                book.started(&names[h as usize], address(a), now);
                started += 1;
                let host_gap = settings.delay.max(crawl_delay(h).unwrap_or_default());
                let address_gap = settings.delay / settings.per_address as u32;
                for (watched, gap, limit) in [
                    (&mut hosts[h as usize], host_gap, settings.per_host),
                    (&mut addresses[a as usize], address_gap, settings.per_address),
                ] {
                    early += usize::from(now < watched.earliest);
                    watched.last_start = Some(now);
                    watched.earliest = now.after(gap);
                    watched.in_flight += 1;
                    watched.starts += 1;
                    over += usize::from(watched.in_flight > limit);
                }
                let response = if h == 0 { 20.0 } else { 0.02 + 0.1 * chance.share() };
                ends.push(Reverse((now.after(Duration::from_secs_f64(response)), h, now)));
            }
        }
    }
    let seconds = now.0.as_secs_f64();
    let busiest = addresses
        .iter()
        .map(|a| a.starts as f64 / seconds)
        .fold(0.0, f64::max);
    let idlest = addresses
        .iter()
        .map(|a| a.starts as f64 / seconds)
        .fold(f64::MAX, f64::min);
    println!("{started} fetches in {seconds:.0} virtual s, {early} early, {over} over a limit");
    println!(
        "starts per second on an address: {idlest:.2} to {busiest:.2}; slow host {} starts",
        hosts[0].starts
    );
    assert_eq!((early, over), (0, 0));
    assert!(
        hosts[0].starts as f64 <= seconds / 30.0 + 1.0,
        "the slow host is asked every 30 s at most"
    );
    assert!(idlest > 1.5, "the slow host slows nobody else: {idlest}");
}

#[test]
fn further_requests_of_a_fetch_are_starts_like_others() {
    let mut book = PaceBook::new(PaceSettings::default());
    book.started(HOST, address(1), at(10.0));
    // Two more of the same fetch, asked for at once: each a delay after the one before.
    assert_eq!(book.next_start(HOST, address(1), at(10.1)), at(11.0));
    assert_eq!(book.next_start(HOST, address(1), at(10.1)), at(12.0));
    assert_eq!(
        book.ready(HOST, address(1), at(12.5)),
        Readiness::Busy,
        "one connection"
    );
    book.finished(HOST, address(1), at(12.6), outcome(0.1, OutcomeKind::Answered));
    assert_eq!(book.ready(HOST, address(1), at(12.7)), Readiness::At(at(13.0)));
    // Another host of the address waits for them, too.
    assert_eq!(
        book.ready("b.test", address(1), at(12.1)),
        Readiness::At(at(12.5))
    );
    assert_eq!(book.next_start("c.test", None, at(20.0)), at(20.0), "never asked");
}

#[test]
fn who_is_given_a_host_goes_on_with_what_was_learned() {
    let wall = Timestamp(5_000_000);
    let mut book = PaceBook::new(PaceSettings::default());
    let slow = outcome(0.4, OutcomeKind::Answered);
    book.started(HOST, None, at(100.0));
    book.finished(HOST, None, at(100.4), slow);
    book.started(HOST, None, at(102.4));
    book.finished(HOST, None, at(102.8), outcome(0.4, overloaded(Some(60))));
    let state = book.state(HOST, (at(103.0), wall));
    assert_eq!(state.not_before, Some(wall.after(Duration::from_millis(59_802))));

    let mut other = PaceBook::new(PaceSettings::default());
    other.learn(HOST, &state, (at(7.0), wall.after(Duration::from_secs(10))));
    assert_eq!(other.ready(HOST, None, at(7.0)), Readiness::At(at(56.802)));
    assert_eq!(other.delay(HOST), book.delay(HOST));
    // Who asked it, too, keeps to the longer wait.
    other.started(HOST, None, at(60.0));
    let mut asked = PaceBook::new(PaceSettings::default());
    asked.started(HOST, None, at(50.0));
    asked.broke_off(HOST, 1);
    asked.learn(HOST, &other.state(HOST, (at(60.5), wall)), (at(70.0), wall));
    assert_eq!(asked.delay(HOST), other.delay(HOST));
    let left = other.wait(HOST, at(60.5)) + CLOCK_ROUNDING;
    assert_eq!(
        asked.ready(HOST, None, at(70.0)),
        Readiness::At(at(70.0).after(left))
    );
}
