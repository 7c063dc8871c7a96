//! The same bytes are stored once.

use super::hands::{SAME, archive_files, same_pages};
use crate::crash::{assert_archive, record_heads};
use gleaner_testkit::Gleaner;

#[test]
fn same_bytes_are_stored_once() {
    let server = same_pages();
    let gleaner = Gleaner::new();
    gleaner
        .run(&["crawl", &server.url("/"), "--delay", "0"])
        .expect_code(&[0]);
    // A second project meets the same bytes in another batch.
    gleaner
        .run(&[
            "crawl",
            &server.url("/a"),
            "--name",
            "two",
            "--depth",
            "0",
            "--delay",
            "0",
        ])
        .expect_code(&[0]);

    let heads: Vec<String> = archive_files(&gleaner)
        .iter()
        .flat_map(|file| record_heads(file))
        .collect();
    let digest = gleaner.sqlite(
        "SELECT DISTINCT hex(b.digest) FROM bodies b JOIN versions v ON v.body = b.id WHERE v.title = 'same'",
    );
    assert_eq!(digest.len(), 1);
    let is_same = |head: &&String| {
        ["/a", "/b", "/c"]
            .iter()
            .any(|path| head.contains(&format!("WARC-Target-URI: {}\r\n", server.url(path))))
    };
    let count = |kind: &str| {
        let kind = format!("WARC-Type: {kind}\r\n");
        heads
            .iter()
            .filter(is_same)
            .filter(|head| head.contains(&kind))
            .count()
    };
    assert_eq!((count("response"), count("revisit")), (1, 3));
    for (path, tag) in [("/a", "one"), ("/b", "two"), ("/c", "three")] {
        let cat = gleaner.run(&["cat", &server.url(path)]);
        assert_eq!((cat.code(), cat.stdout.as_str()), (Some(0), SAME), "{path}");
        let with_head = gleaner.run(&["cat", "--headers", &server.url(path)]);
        assert!(
            with_head.stdout.contains(&format!("X-Page: {tag}")),
            "{path}: not its own head: {with_head}"
        );
    }
    assert_archive(&gleaner.data(), "same bytes");
    gleaner.run(&["verify"]).expect_code(&[0]);
}
