use super::*;
use proptest::prelude::*;

fn with(site: &str, path: &str, fetches: u64, accepted: u64) -> Directories {
    let mut directories = Directories::default();
    for at in 0..fetches {
        directories.fetched(site, path, at < accepted);
    }
    directories
}

/// Table 24 becomes table 16: names are put together, and only those without any accepted document stay.
#[test]
fn g10_tables_24_and_16_s1s_names() {
    let rows = [
        ("papers", 46, 105),
        ("previous tests", 51, 102),
        ("pdf", 54, 62),
        ("willie", 44, 44),
        ("techreports", 71, 252),
        ("ranveer", 63, 87),
        ("public_pdfs", 61, 88),
        ("2005", 68, 90),
        ("handouts", 42, 42),
        ("handouts", 41, 41),
        ("concepts", 45, 78),
        ("2003sp", 46, 49),
        ("documents", 41, 97),
        ("Lectures", 44, 44),
        ("Lectures", 45, 45),
    ];
    let list = seed_stop_list(rows);
    assert_eq!(
        list,
        BTreeMap::from([("willie", 44), ("handouts", 83), ("Lectures", 89)])
    );
    let rows = [("review", 37, 37), ("review", 1, 2)];
    assert!(
        seed_stop_list(rows).is_empty(),
        "one good document, and the name stays"
    );
}

#[test]
fn g10_a_folder_that_never_yields_is_paused_drawn_and_opened_again() {
    let rule = StopRule::default();
    let mut known = with("a.test", "/calendar/2005/1.html", 600, 0);
    let state = |known: &Directories, draw| {
        known
            .judge("a.test", "/calendar/2006/x.html", &rule, draw)
            .map(|verdict| verdict.state)
    };
    assert_eq!(state(&known, 0.5), Some(FolderState::Paused));
    assert_eq!(state(&known, 0.01), Some(FolderState::Drawn));
    known.set("a.test", "/calendar/", Some(ByHand::Open));
    assert_eq!(state(&known, 0.5), Some(FolderState::Open));
    known.set("a.test", "/calendar/", None);
    assert_eq!(state(&known, 0.5), Some(FolderState::Paused));
    known.restructured("a.test");
    assert_eq!(state(&known, 0.5), Some(FolderState::Open));
}

#[test]
fn g10_a_name_that_is_poor_elsewhere_is_not_banned_here() {
    let rule = StopRule::default();
    let mut known = with("a.test", "/Research/x.html", 2000, 0);
    for at in 0..40 {
        known.fetched("b.test", "/Research/y.html", at % 4 == 0);
    }
    let here = known.judge("b.test", "/Research/z.html", &rule, 0.5).unwrap();
    assert_eq!(
        (here.state, here.count, here.elsewhere.fetches),
        (
            FolderState::Open,
            FolderCount {
                fetches: 40,
                accepted: 10
            },
            2000
        )
    );
    // And one that is not known at all is open whatever its name.
    assert_eq!(known.judge("c.test", "/Research/z.html", &rule, 0.5), None);
}

#[test]
fn g10_a_good_folder_in_a_poor_one_stays_open() {
    let rule = StopRule::default();
    let mut known = with("a.test", "/people/x.html", 3000, 0);
    for at in 0..100 {
        known.fetched("a.test", "/people/papers/y.pdf", at % 3 == 0);
    }
    let state = |path| known.judge("a.test", path, &rule, 0.5).unwrap().state;
    assert_eq!(state("/people/papers/z.pdf"), FolderState::Open);
}

#[test]
fn g10_the_learned_depth_of_s1s_documents() {
    let table_11 = BTreeMap::from([
        (1, 260),
        (2, 10_789),
        (3, 32_703),
        (4, 33_911),
        (5, 25_121),
        (6, 3537),
        (7, 95),
    ]);
    assert_eq!(depth_that_holds(&table_11, 0.95), Some(5));
    assert_eq!(depth_that_holds(&table_11, 1.0), Some(7));
    assert_eq!(depth_that_holds(&BTreeMap::new(), 0.95), None);
}

proptest! {
    #[test]
    fn g10_every_paused_folder_is_drawn_sometimes_and_never_before_30_fetches(fetches in 1u64..1500, accepted in 0u64..3) {
        let rule = StopRule::default();
        let known = with("a.test", "/a/b.html", fetches, accepted.min(fetches));
        let state = known.judge("a.test", "/a/c.html", &rule, 0.0).unwrap().state;
        prop_assert!(state != FolderState::Paused);
        if fetches < 30 {
            prop_assert_eq!(known.judge("a.test", "/a/c.html", &rule, 0.9).unwrap().state, FolderState::Open);
        }
    }

    #[test]
    fn g10_odd_paths_do_no_harm(path in "\\PC{0,40}") {
        let mut known = Directories::default();
        known.fetched("a.test", &path, false);
        let _ = known.judge("a.test", &path, &StopRule::default(), 0.5);
    }
}
