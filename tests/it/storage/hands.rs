//! What a test does to a store, and what it looks at: copies, flipped bits, cut files, contents.

use crate::crash::{crawl, status};
use gleaner_testkit::hostile::page;
use gleaner_testkit::program::Finished;
use gleaner_testkit::{Gleaner, HostileServer, SynthSite};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) const SOON: Duration = Duration::from_secs(30);

/// Waits for a condition; the test ends if it does not come true soon.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + SOON;
    while !holds() {
        assert!(Instant::now() < end, "not within {SOON:?}: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Pages that are safe: those a second process can read.
pub(crate) fn kept(gleaner: &Gleaner) -> i64 {
    match status(gleaner) {
        Some(_) => gleaner.sqlite_number("SELECT count(*) FROM changes"),
        None => 0,
    }
}

pub(crate) fn archive_files(gleaner: &Gleaner) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(gleaner.data().join("archive"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".warc.gz"))
        .collect();
    files.sort();
    files
}

/// Turns one bit of a file around.
pub(crate) fn flip_bit(path: &Path, at: u64) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[usize::try_from(at).unwrap()] ^= 1;
    write_at(path, at, &bytes[at as usize..=at as usize]);
}

pub(crate) fn write_at(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

pub(crate) fn cut(path: &Path, length: u64) {
    OpenOptions::new()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(length)
        .unwrap();
}

/// The content of every document as `cat` gives it.
pub(crate) fn contents(gleaner: &Gleaner) -> BTreeMap<String, Finished> {
    let urls = gleaner.run(&["ls", "--json"]).json_lines();
    let urls = urls.iter().filter_map(|row| row["url"].as_str());
    urls.map(|url| (url.to_owned(), gleaner.run(&["cat", url])))
        .collect()
}

/// A finished crawl of a small site, and what `cat` gave then.
pub(crate) fn a_small_crawl(site: &SynthSite) -> (Gleaner, BTreeMap<String, Finished>) {
    let gleaner = Gleaner::new();
    crawl(&gleaner, site).expect_code(&[0]);
    let before = contents(&gleaner);
    assert!(before.len() > 20 && before.values().all(|cat| cat.code() == Some(0)));
    (gleaner, before)
}

/// What `cat` gives is what it gave before, or nothing.
pub(crate) fn assert_nothing_wrong_is_served(
    gleaner: &Gleaner,
    before: &BTreeMap<String, Finished>,
    story: &str,
) {
    for (url, cat) in before {
        let now = gleaner.run(&["cat", url]);
        match now.code() {
            Some(0) => assert_eq!(now.stdout, cat.stdout, "{story}: {url}"),
            Some(3) => assert!(now.stdout.is_empty(), "{story}: {url}: {now}"),
            _ => panic!("{story}: {url}: {now}"),
        }
    }
}

pub(crate) fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The same data in a folder of its own, to be damaged.
pub(crate) fn copy_of(gleaner: &Gleaner) -> Gleaner {
    let copy = Gleaner::new();
    copy_folder(&gleaner.data(), &copy.data());
    copy
}

pub(crate) fn catalog(gleaner: &Gleaner) -> PathBuf {
    gleaner.data().join("gleaner.db")
}

pub(crate) const SAME: &str = "<title>same</title><p>The same words under three addresses.";

pub(crate) fn same_pages() -> HostileServer {
    let server = HostileServer::start();
    server.route("/", page("<a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a>"));
    for (path, tag) in [("/a", "one"), ("/b", "two"), ("/c", "three")] {
        server.route(path, page(SAME).with_header("X-Page", tag));
    }
    server
}
