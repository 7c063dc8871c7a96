use super::*;
use proptest::prelude::*;

fn after(good: u64, every: u64, dry: u64) -> Yield {
    let rule = StopRule::default();
    let mut site = Yield::default();
    for at in 0..good * every {
        site.fetched(&rule, at % every == every - 1);
    }
    for _ in 0..dry {
        site.fetched(&rule, false);
    }
    site
}

fn stops_after(good: u64, every: u64) -> u64 {
    let rule = StopRule::default();
    let mut site = after(good, every, 0);
    (0..5000)
        .find(|_| {
            let is_stop = site.judge(&rule).is_stop();
            site.fetched(&rule, false);
            is_stop
        })
        .unwrap_or(5000)
}

#[test]
fn g11_beta_by_its_textbook_values() {
    // With a uniform prior 298 barren pages leave less than 5 % for a yield of 1 %: 0.99^299.
    assert!((1.0 - beta_below(1.0, 299.0, 0.01) - 0.99f64.powi(299)).abs() < 1e-8);
    assert!((beta_below(2.0, 3.0, 0.4) - 0.5248).abs() < 1e-8);
    assert!((beta_below(0.5, 0.5, 0.5) - 0.5).abs() < 1e-8);
}

#[test]
fn g11_a_site_is_left_at_most_500_pages_after_its_last_good_document() {
    for every in [5, 10, 20, 50, 100] {
        for good in [1, 5, 20, 100] {
            let pages = stops_after(good, every);
            assert!(pages <= 500, "{good} documents, one in {every}: {pages}");
        }
    }
    assert!((200..=500).contains(&stops_after(0, 1)), "{}", stops_after(0, 1));
}

#[test]
fn g11_a_site_that_pays_is_not_left() {
    let rule = StopRule::default();
    for every in [10, 30, 100] {
        let mut site = Yield::default();
        for at in 0..5000 {
            site.fetched(&rule, at % every == every - 1);
            assert!(
                !site.judge(&rule).is_stop(),
                "one in {every}, at {at}: {:?}",
                site.judge(&rule)
            );
        }
    }
}

#[test]
fn g11_a_part_that_pays_keeps_its_site_open() {
    let rule = StopRule::default();
    let (dry, good) = (after(0, 1, 2000), after(30, 10, 0));
    assert!(judge_site([&dry], &dry, &rule).is_stop());
    assert!(!judge_site([&dry, &good], &dry, &rule).is_stop());
    assert!(
        judge_site([&Yield::default()], &dry, &rule).is_stop(),
        "an untried part is no reason by itself"
    );
}

#[test]
fn g11_s1_looks_after_10_000_pages_and_once_more() {
    let left = |downloaded: fn(u64) -> u64| {
        let mut rule = SeedStop::default();
        (1..50_000).find(|pages| rule.is_over(*pages, downloaded(*pages)))
    };
    assert_eq!(left(|_| 99), Some(11_000));
    // 1.1 % of useless downloads, and S1 never stops.
    assert_eq!(left(|pages| pages * 11 / 1000), None);
    // Good until 15,000.
    assert_eq!(left(|pages| pages.min(15_000) / 100), Some(21_000));
    // Flagged, and better at the second look.
    assert_eq!(left(|pages| if pages <= 10_000 { 0 } else { pages / 50 }), None);
}

proptest! {
    #[test]
    fn g11_a_document_never_speaks_for_leaving(looks in prop::collection::vec(prop::bool::weighted(0.05), 0..800), least in 0.001f64..0.2) {
        let rule = StopRule::default();
        let mut site = Yield::default();
        for is_accepted in looks {
            site.fetched(&rule, is_accepted);
        }
        let likely = site.likely_at_least(least);
        prop_assert!((0.0..=1.0).contains(&likely), "{likely}");
        let (mut good, mut dry) = (site, site);
        good.fetched(&rule, true);
        dry.fetched(&rule, false);
        prop_assert!(good.likely_at_least(least) >= dry.likely_at_least(least) - 1e-9);
    }
}
