use super::*;
use gleaner_model::date::days_from_civil;
use proptest::prelude::*;

/// `2005-07-22 23:55:41` as milliseconds.
fn ms(text: &str) -> i64 {
    let parts: Vec<i64> = text
        .split([' ', '-', ':'])
        .map(|part| part.parse().unwrap())
        .collect();
    let day = days_from_civil(parts[0], parts[1], parts[2]);
    ((day * 24 + parts[3]) * 60 + parts[4]) * 60_000 + parts[5] * 1000
}

/// Table 19 with the rates of table 20; the three that have not waited long enough stand in no rank there.
fn known() -> Vec<KnownSite<u32>> {
    let rows = include_str!("table_19.tsv").lines().map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        KnownSite {
            id: fields[0].parse().unwrap(),
            level: VisitLevel::FIRST,
            ended_ms: ms(fields[3]),
            accepted_rate: fields[4].parse().unwrap_or(100.0) / 100.0,
            links_from_outside: fields[5].parse().unwrap_or(0),
        }
    });
    rows.collect()
}

#[test]
fn g8_tables_19_to_21_the_second_crawl_of_s1() {
    let sites = known();
    assert_eq!(sites.len(), 30);
    assert_eq!(places_for_known(30, 3100), 15);
    let ranked = choose(&sites, Mode::AsPrinted, ms("2005-07-22 23:55:41"), 15);
    let ranks: Vec<u32> = ranked.iter().map(|site| site.id).collect();
    // Sites 28, 29 and 30 ended less than 15 days before; at the beginning of that day 27 would be missing too.
    let table_20 = [
        19, 1, 8, 3, 18, 6, 7, 5, 9, 2, 20, 4, 10, 11, 12, 13, 14, 21, 24, 25, 26, 23, 15, 16, 27, 17, 22,
    ];
    assert_eq!(ranks, table_20);
    let chosen: Vec<u32> = ranked
        .iter()
        .filter(|site| site.is_chosen)
        .map(|site| site.id)
        .collect();
    let table_21 = [19, 1, 8, 3, 18, 6, 7, 5, 9, 2, 20, 12, 13, 14, 21];
    assert_eq!(chosen, table_21);
    let too_early = choose(&sites, Mode::AsPrinted, ms("2005-07-22 00:00:00"), 15);
    assert!(too_early.iter().all(|site| site.id != 27));
}

#[test]
fn g8_mean_completion_time_of_the_first_crawl() {
    assert_eq!(mean_completion_minutes(26_672, 30), Some(889));
    assert_eq!(mean_completion_minutes(26_672, 0), None);
}

proptest! {
    #[test]
    fn g8_every_place_is_taken_while_someone_waits(rates in prop::collection::vec(0.0f64..1.0, 0..60), places in 0usize..40) {
        let sites: Vec<KnownSite<usize>> = rates.iter().enumerate().map(|(id, rate)| KnownSite {
            id, level: VisitLevel::FIRST, ended_ms: 0, accepted_rate: *rate, links_from_outside: 0,
        }).collect();
        let ranked = choose(&sites, Mode::Repaired, 86_400_000 * 16, places);
        prop_assert_eq!(ranked.len(), rates.len());
        prop_assert_eq!(ranked.iter().filter(|site| site.is_chosen).count(), places.min(rates.len()));
        let good = ranked.iter().filter(|site| site.class == Class::Good).count();
        prop_assert!(ranked.iter().take(good.min(places)).all(|site| site.is_chosen));
    }
}
