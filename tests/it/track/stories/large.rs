//! Pages that are too long for a tree, and versions that cannot be read.

use super::{Story, crawled, site};
use crate::http::stage::weigh;
use crate::storage::hands::{archive_files, flip_bit};
use crate::track::{Told, track_arguments};
use gleaner_testkit::hostile::{HostileServer, Reply, Request, dynamic, page};
use gleaner_testkit::program::Running;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

const MIB: usize = 1024 * 1024;

/// So much prose in marks that are others in each answer; `word` stands in its last paragraph.
fn long_page(bytes: usize, word: &str) -> Reply {
    let (turn, word) = (AtomicU64::new(0), word.to_owned());
    dynamic(move |_: &Request| {
        let turn = turn.fetch_add(1, Ordering::Relaxed);
        let mut html = format!(
            "<!DOCTYPE html><title>Log</title><script nonce=\"{turn:x}\">var t = '<p>{turn}';</script>"
        );
        let mut line = 0;
        while html.len() < bytes {
            let id = turn.wrapping_mul(0x9e37_79b9) ^ line;
            let _ = write!(
                html,
                "<p id=\"{id:016x}\" class=\"line c{}\" data-t={id:020}>Entry {line} of the harbour's log: the ferry left in time and \
                 <a href=\"/\">came</a> back with the evening tide, as on every other day of this long year.</p>\n<!-- {id:016x} -->",
                id % 7
            );
            line += 1;
        }
        let _ = write!(html, "<p>The last entry speaks of {word}.</p>");
        page(html)
    })
}

/// A track, and the most memory it took.
fn weighed(story: &mut Story) -> (Told, u64) {
    let running = Running::start(story.gleaner.command(&track_arguments(&[]))).expect("the program");
    let (finished, peak_kib) = weigh(running);
    finished.expect_code(&[0, 1]);
    (story.review(finished), peak_kib)
}

#[test]
fn case07_pages_of_any_size_are_compared_by_their_words() {
    let paths = ["/3", "/10", "/60"];
    let server = site(&paths);
    let sizes = [3 * MIB, 10 * MIB, 60 * MIB];
    let mut small = crawled(&server, 4);
    let (_, usual_kib) = weighed(&mut small);
    let set = |word: &str| {
        for (path, bytes) in paths.iter().zip(sizes) {
            server.route(path, long_page(bytes, word));
        }
    };
    set("herring");
    let mut story = crawled(&server, 4);
    let (told, peak_kib) = weighed(&mut story);
    told.expect_all_same(4, "only marks differ");
    assert!(
        peak_kib < usual_kib + 64 * 1024,
        "{peak_kib} KiB for long pages, {usual_kib} KiB for short ones"
    );
    set("mackerel");
    let (told, _) = weighed(&mut story);
    assert_eq!((told.count("SAM"), told.count("UPD")), (1, 3), "{told}");
    story.track(&[]).expect_all_same(4, "and it is told once");
}

/// Where the response of a page lies.
fn damage(story: &Story, server: &HostileServer, path: &str) {
    let place = story.gleaner.sqlite_number(&format!(
        "SELECT v.offset FROM versions v JOIN documents d ON d.id = v.document JOIN resources r ON r.id = d.resource
         WHERE r.url = '{}'",
        server.url(path)
    ));
    let file = archive_files(&story.gleaner).pop().expect("an archive");
    flip_bit(&file, place.unsigned_abs() + 300);
}

#[test]
fn case38_a_version_that_cannot_be_read_is_no_change() {
    let server = site(&["/one", "/two"]);
    let mut story = crawled(&server, 3);
    damage(&story, &server, "/one");
    for (number, path) in [(11, "/one"), (12, "/two")] {
        server.route(path, page(super::document(number, &["/"])));
    }
    let finished = story.gleaner.run(&track_arguments(&[]));
    let told = Told::read(&story.gleaner, finished);
    assert_eq!(told.state_of(&server.url("/two")), "UPD", "{told}");
    assert_eq!(told.state_of(&server.url("/one")), "ERR", "{told}");
    assert_eq!(told.of(&server.url("/one")).reason, "version-damaged", "{told}");
    // Once it is known to be lost, what came is all there is.
    story.gleaner.run(&["verify", "--fix"]).expect_code(&[0]);
    let told = story.track(&[]);
    assert_eq!(told.state_of(&server.url("/one")), "UPD", "{told}");
    story.track(&[]).expect_all_same(3, "healed");
}
