//! A damaged catalog is noticed and serves nothing wrong (HC122).

use super::hands::{
    a_small_crawl, archive_files, assert_nothing_wrong_is_served, catalog, copy_of, cut, flip_bit, kept,
    wait_until, write_at,
};
use crate::crash::{Left, assert_archive, assert_sound, crawl, site, spawn_crawl, undisturbed};
use gleaner_testkit::Gleaner;
use std::path::Path;

/// The place of some text in a file, the `nth` time it occurs.
fn find(path: &Path, text: &str, nth: usize) -> u64 {
    let bytes = std::fs::read(path).unwrap();
    let found = bytes
        .windows(text.len())
        .enumerate()
        .filter(|(_, window)| *window == text.as_bytes());
    found
        .map(|(at, _)| at as u64)
        .nth(nth)
        .unwrap_or_else(|| panic!("{text} is not in {}", path.display()))
}

/// A story and what happens to the catalog in it.
type Damage<'a> = (&'a str, Box<dyn Fn(&Path) + 'a>);

#[test]
fn hc122_damaged_catalog_is_noticed_and_serves_nothing_wrong() {
    let site = site(60, 0.0);
    let (gleaner, before) = a_small_crawl(&site);
    let length = std::fs::metadata(catalog(&gleaner)).unwrap().len();
    let title = gleaner.sqlite("SELECT title FROM versions WHERE title <> '' LIMIT 1")[0][0].clone();
    let url = gleaner.sqlite("SELECT url FROM resources WHERE id = 30")[0][0].clone();
    let bit_in = |text: &str, nth| find(&catalog(&gleaner), text, nth) + text.len() as u64 - 1;
    let (title_at, url_at) = (bit_in(&title, 0), bit_in(&url, 0));

    let mut damages: Vec<Damage<'_>> = vec![
        ("cut in half", Box::new(|db| cut(db, length / 2))),
        ("last page cut off", Box::new(|db| cut(db, length - 8192))),
        ("header gone", Box::new(|db| write_at(db, 0, &[0; 100]))),
        ("a bit in a title", Box::new(|db| flip_bit(db, title_at))),
        ("a bit in a URL", Box::new(|db| flip_bit(db, url_at))),
    ];
    for page in [2, 5, 9, length / 8192 / 2] {
        damages.push((
            "a page zeroed",
            Box::new(move |db| write_at(db, page * 8192, &[0; 8192])),
        ));
    }
    for n in 0..12u64 {
        let at = 8192 + (n * 7919 * 131) % (length - 8192);
        damages.push(("a bit anywhere", Box::new(move |db| flip_bit(db, at))));
    }
    for (story, damage) in &damages {
        let copy = copy_of(&gleaner);
        damage(&catalog(&copy));
        let verified = copy.run(&["verify"]);
        assert_eq!(verified.code(), Some(1), "{story}: {verified}");
        assert!(
            verified.stdout.contains("gleaner.db"),
            "{story}: no place named: {verified}"
        );
        assert_nothing_wrong_is_served(&copy, &before, story);
        let refused = crawl(&copy, &site);
        assert_eq!(refused.code(), Some(3), "{story}: {refused}");
        // The way back: the file from a backup.
        std::fs::copy(catalog(&gleaner), catalog(&copy)).unwrap();
        for left in ["gleaner.db-wal", "gleaner.db-shm"] {
            let _may_not_be_there = std::fs::remove_file(copy.data().join(left));
        }
        let verified = copy.run(&["verify"]);
        assert_eq!(verified.code(), Some(0), "{story}, restored: {verified}");
    }
}

#[test]
fn hc122_a_changed_page_is_accepted_by_fix_only() {
    let site = site(30, 0.0);
    let (gleaner, _) = a_small_crawl(&site);
    let title = gleaner.sqlite("SELECT title FROM versions WHERE title <> '' LIMIT 1")[0][0].clone();
    flip_bit(&catalog(&gleaner), find(&catalog(&gleaner), &title, 0));

    let refused = crawl(&gleaner, &site);
    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("gleaner.db at byte"), "{refused}");
    gleaner.run(&["verify"]).expect_code(&[1]);
    gleaner.run(&["verify", "--fix"]).expect_code(&[0]);
    gleaner.run(&["verify"]).expect_code(&[0]);
    crawl(&gleaner, &site).expect_code(&[0]);
}

#[test]
fn hc122_lost_write_ahead_log() {
    let site = site(400, 10.0);
    let undisturbed = undisturbed(&site);
    let gleaner = Gleaner::new();
    let running = spawn_crawl(&gleaner, &site);
    wait_until("some commits are there", || kept(&gleaner) > 100);
    running.kill9();
    for left in ["gleaner.db-wal", "gleaner.db-shm"] {
        std::fs::remove_file(gleaner.data().join(left)).unwrap();
    }
    let lengths = || -> Vec<u64> {
        archive_files(&gleaner)
            .iter()
            .map(|file| std::fs::metadata(file).unwrap().len())
            .collect()
    };
    let before = lengths();

    let refused = crawl(&gleaner, &site);
    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("ahead of the catalog"), "{refused}");
    assert_eq!(lengths(), before, "bytes were cut that are the only copy");
    let verified = gleaner.run(&["verify"]);
    verified.expect_code(&[1]);
    assert!(verified.stdout.contains("catalog does not know"), "{verified}");

    gleaner.run(&["verify", "--fix"]).expect_code(&[0]);
    assert_eq!(lengths().len(), before.len());
    site.set_latency_ms(0);
    crawl(&gleaner, &site).expect_code(&[0]);
    assert_sound(&gleaner, "without its log");
    Left::of(&gleaner).assert_same(&undisturbed, "without its log");
    assert_archive(&gleaner.data(), "without its log");
}
