//! A damaged archive: each place is named, and the next crawl heals it (HC123).

use super::hands::{
    SAME, a_small_crawl, archive_files, assert_nothing_wrong_is_served, copy_of, cut, flip_bit, same_pages,
};
use crate::crash::{assert_archive, crawl, site};
use gleaner_testkit::program::Finished;
use gleaner_testkit::{Gleaner, SynthSite};
use std::collections::BTreeMap;

/// The place of the response of a URL.
fn response_place(gleaner: &Gleaner, url: &str) -> u64 {
    let query = format!(
        "SELECT v.offset FROM versions v JOIN documents d ON d.id = v.document JOIN resources r ON r.id = d.resource
         WHERE r.url = '{url}'"
    );
    gleaner.sqlite_number(&query).unsigned_abs()
}

/// After the damage: each is listed, nothing wrong is served, `--fix` marks, the next crawl heals.
fn heals(
    gleaner: &Gleaner,
    site: &SynthSite,
    before: &BTreeMap<String, Finished>,
    lost_min: usize,
    story: &str,
) {
    let verified = gleaner.run(&["verify"]);
    assert_eq!(verified.code(), Some(1), "{story}: {verified}");
    assert_nothing_wrong_is_served(gleaner, before, story);
    let files: Vec<_> = archive_files(gleaner)
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect();
    assert_eq!(gleaner.run(&["verify"]).code(), Some(1));
    let same: Vec<_> = archive_files(gleaner)
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect();
    assert!(files == same, "{story}: verify changed something");

    let fixed = gleaner.run(&["verify", "--fix"]);
    assert_eq!(fixed.code(), Some(0), "{story}: {fixed}");
    gleaner.run(&["verify"]).expect_code(&[0]);
    let lost: Vec<_> = before
        .keys()
        .filter(|url| gleaner.run(&["cat", url]).code() != Some(0))
        .collect();
    assert!(lost.len() >= lost_min, "{story}: only {lost:?} are lost");
    for url in &lost {
        let told = gleaner.run(&["cat", url]);
        assert!(told.stderr.contains("lost"), "{story}: {told}");
    }
    assert_nothing_wrong_is_served(gleaner, before, story);

    crawl(gleaner, site).expect_code(&[0]);
    for (url, cat) in before {
        let now = gleaner.run(&["cat", "--headers", url]);
        assert_eq!(now.code(), Some(0), "{story}: {url} was not fetched again: {now}");
        assert!(now.stdout.ends_with(&cat.stdout), "{story}: {url}");
    }
    let verified = gleaner.run(&["verify"]);
    assert_eq!(verified.code(), Some(0), "{story}: {verified}");
}

#[test]
fn hc123_damaged_archive() {
    let site = site(40, 0.0);
    let (gleaner, before) = a_small_crawl(&site);
    let file = archive_files(&gleaner).pop().unwrap();
    let name = file.file_name().unwrap();
    let length = std::fs::metadata(&file).unwrap().len();
    let url = before.keys().nth(7).unwrap();
    let at = response_place(&gleaner, url);

    for inside in [30, 200, 900] {
        let copy = copy_of(&gleaner);
        flip_bit(&copy.data().join("archive").join(name), at + inside);
        let verified = copy.run(&["verify"]);
        assert!(verified.stdout.contains(&format!("at byte {at}")), "{verified}");
        heals(&copy, &site, &before, 1, "a flipped bit");
    }
    for (story, length) in [
        ("the end cut off", length - 700),
        ("cut in half", length / 2),
        ("empty", 0),
    ] {
        let copy = copy_of(&gleaner);
        cut(&copy.data().join("archive").join(name), length);
        // A crawl does not go on as if nothing were: it says what helps.
        let refused = crawl(&copy, &site);
        refused.expect_code(&[3]);
        assert!(refused.stderr.contains("verify --fix"), "{story}: {refused}");
        heals(&copy, &site, &before, usize::from(length < 100_000), story);
        assert_archive(&copy.data(), story);
    }
    let copy = copy_of(&gleaner);
    std::fs::remove_file(copy.data().join("archive").join(name)).unwrap();
    heals(&copy, &site, &before, before.len(), "the file is missing");
    assert_archive(&copy.data(), "the file is missing");
}

#[test]
fn hc123_foreign_file() {
    let site = site(20, 0.0);
    let (gleaner, before) = a_small_crawl(&site);
    let notes = gleaner.data().join("archive/notes.txt");
    let other = gleaner.data().join("archive/other.warc.gz");
    std::fs::write(&notes, "mine").unwrap();
    std::fs::copy(archive_files(&gleaner).pop().unwrap(), &other).unwrap();

    for command in [&["verify"][..], &["verify", "--fix"]] {
        let verified = gleaner.run(command);
        verified.expect_code(&[1]);
        assert_eq!(verified.stdout.matches("foreign file").count(), 2, "{verified}");
    }
    crawl(&gleaner, &site).expect_code(&[0]);
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "mine");
    assert!(other.exists());
    assert_nothing_wrong_is_served(&gleaner, &before, "beside foreign files");
}

#[test]
fn hc123_damaged_revisit_and_request_records() {
    let server = same_pages();
    let gleaner = Gleaner::new();
    gleaner
        .run(&["crawl", &server.url("/"), "--delay", "0"])
        .expect_code(&[0]);
    let file = archive_files(&gleaner).pop().unwrap();
    let first_copy = gleaner.sqlite_number(
        "SELECT min(v.offset) FROM versions v JOIN bodies b ON b.id = v.body WHERE b.offset <> v.offset",
    );
    let revisit_at = u64::try_from(first_copy).unwrap();
    flip_bit(&file, revisit_at + 60);
    let verified = gleaner.run(&["verify"]);
    verified.expect_code(&[1]);
    assert!(
        verified.stdout.contains(&format!("at byte {revisit_at}")),
        "{verified}"
    );
    gleaner.run(&["verify", "--fix"]).expect_code(&[0]);
    // The bytes are whole; only the head of that one answer is gone, and that of its twin stands for it.
    for path in ["/a", "/b", "/c"] {
        let cat = gleaner.run(&["cat", &server.url(path)]);
        assert_eq!(
            (cat.code(), cat.stdout.as_str()),
            (Some(0), SAME),
            "{path}: {cat}"
        );
    }
    gleaner
        .run(&["crawl", &server.url("/"), "--delay", "0"])
        .expect_code(&[0]);
    gleaner.run(&["verify"]).expect_code(&[0]);
}
