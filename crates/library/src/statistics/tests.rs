use super::*;
use proptest::prelude::*;

fn tally(pages: u64, all: u64, accepted: u64, rejected: u64, seconds: u64) -> Tally {
    Tally {
        pages,
        downloaded: DocumentCounts {
            all,
            accepted,
            rejected,
        },
        time_ms: seconds * 1000,
        ..Tally::default()
    }
}

/// Table 10, with the times of table 19.
#[test]
fn g7_table_10_site_statistics() {
    let rows = [
        (tally(18_468, 3437, 665, 2772, 20 * 3600 + 77), [18, 19, 80, 1201]),
        (
            tally(15_045, 2042, 137, 1905, 8 * 3600 + 36 * 60 + 54),
            [13, 6, 93, 516],
        ),
        (
            tally(39_679, 3794, 674, 3120, 62 * 3600 + 43 * 60 + 14),
            [9, 17, 82, 3763],
        ),
    ];
    for (site, told) in rows {
        let found = [
            site.download_rate().percent(),
            site.downloaded.accepted_rate().percent(),
            site.downloaded.rejected_rate().percent(),
            site.minutes(),
        ];
        assert_eq!(found, told);
    }
}

/// Table 11: documents by the level of their folder, 106,416 in all.
#[test]
fn g7_table_11_documents_by_level() {
    let rows = [
        (7, 95, 0),
        (6, 3537, 3),
        (5, 25_121, 24),
        (4, 33_911, 32),
        (3, 32_703, 31),
        (2, 10_789, 10),
        (1, 260, 0),
    ];
    let all: u64 = rows.iter().map(|row| row.1).sum();
    assert_eq!(all, 106_416);
    for (level, count, percent) in rows {
        assert_eq!(PartOf(count, all).percent_rounded(), percent, "level {level}");
    }
    // 3.2 says 3 of this address.
    assert_eq!(level_of("/air/papers/speechwear.ps"), 3);
}

/// Table 26, its shares of 61,125 errors and of 348,173 addresses. It prints 63.10 and 35.60 for 63.09 and 35.60.
#[test]
fn g7_table_26_errors_and_foreign_links() {
    let mut site = Tally {
        fetches: 348_173,
        ..Tally::default()
    };
    for (reason, count) in [
        ("empty", 795),
        ("moved", 38_564),
        ("denied", 21_759),
        ("other", 7),
    ] {
        site.errors.insert(reason.to_owned(), count);
    }
    assert_eq!(site.errors_in_all(), 61_125);
    let hundredths = |part: u64, whole: u64| (part as f64 / whole as f64 * 1e4).round() as u64;
    let of_errors: Vec<u64> = site
        .errors
        .values()
        .map(|count| hundredths(*count, 61_125))
        .collect();
    assert_eq!(of_errors, [3560, 130, 6309, 1]);
    assert_eq!(hundredths(38_564, site.fetches), 1108);
    assert_eq!(hundredths(site.errors_in_all(), site.fetches), 1756);
    site.links_out = 117_875;
    site.links = 466_048;
    let PartOf(out, all) = site.foreign_links();
    assert_eq!(hundredths(out, all), 2529);
}

#[test]
fn g7_without_documents_there_are_no_rates() {
    let none = Tally::default();
    assert_eq!(
        (none.download_rate().value(), none.cost_per_accepted()),
        (None, None)
    );
    assert_eq!(none.download_rate().percent(), 0);
}

proptest! {
    #[test]
    fn g7_every_table_adds_up_and_sums_are_those_of_the_parts(
        downloads in prop::collection::vec((0usize..4, 0u64..3_000_000, 1u32..9, prop::option::of(any::<bool>())), 0..100), cut in 0usize..100
    ) {
        let kinds = ["pdf", "ps", "html", "txt"];
        let (mut whole, mut parts) = (Tally::default(), [Tally::default(), Tally::default()]);
        for (at, (kind, bytes, level, is_accepted)) in downloads.into_iter().enumerate() {
            let download = Download { kind: kinds[kind], bytes, level, is_accepted };
            whole.download(&download);
            parts[usize::from(at >= cut)].download(&download);
        }
        for judged in [
            whole.by_type.values().copied().collect::<Vec<_>>(),
            whole.by_size.values().copied().collect(),
            whole.by_level.values().copied().collect(),
        ] {
            let mut sum = DocumentCounts::default();
            for part in judged {
                sum.merge(part);
            }
            prop_assert_eq!(sum, whole.downloaded);
        }
        let [mut first, second] = parts;
        first.merge(&second);
        prop_assert_eq!(first, whole);
    }
}
