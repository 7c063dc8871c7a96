//! A catalog from the future, from the past, and half-way between (HC124).

use super::hands::{a_small_crawl, assert_nothing_wrong_is_served, catalog};
use crate::crash::{assert_sound, crawl, site, status};
use gleaner_testkit::hostile::page;
use gleaner_testkit::{Gleaner, HostileServer, crash};

fn user_version(gleaner: &Gleaner, version: i64) {
    let db = rusqlite::Connection::open(catalog(gleaner)).unwrap();
    db.pragma_update(None, "user_version", version).unwrap();
}

#[test]
fn hc124_from_the_future() {
    let site = site(5, 0.0);
    let gleaner = Gleaner::new();
    crawl(&gleaner, &site).expect_code(&[0]);
    user_version(&gleaner, 99);
    let before = std::fs::read(catalog(&gleaner)).unwrap();
    for command in [&["ls"][..], &["verify"], &["resume"], &["report"]] {
        let refused = gleaner.run(command);
        refused.expect_code(&[3]);
        assert!(refused.stderr.contains("newer gleaner"), "{command:?}: {refused}");
    }
    let refused = crawl(&gleaner, &site);
    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("newer gleaner (format 99"), "{refused}");
    assert!(
        std::fs::read(catalog(&gleaner)).unwrap() == before,
        "a refused catalog was changed"
    );
}

#[test]
fn hc124_from_the_past() {
    let site = site(20, 0.0);
    let (gleaner, before) = a_small_crawl(&site);
    let links = "SELECT source, target, kind, count, anchor, nofollow, gone_run FROM links ORDER BY 1, 2, 3";
    let links_before = gleaner.sqlite(links);
    assert!(!links_before.is_empty());
    // Format 1 had no list of damaged places, a row per link, and nothing to remember of pace, traps, tracking, compaction.
    let db = rusqlite::Connection::open(catalog(&gleaner)).unwrap();
    db.execute_batch(
        "DROP TABLE library_memories; DROP TABLE library_cycles; DROP TABLE library_documents; DROP TABLE library_verdicts;
         DROP TABLE library_sites; DROP TABLE libraries;
         DROP INDEX frontier_by_score; ALTER TABLE frontier DROP COLUMN turn; ALTER TABLE frontier DROP COLUMN score;
         DROP TABLE finished; DROP TABLE followers; DROP TABLE numbers; DROP TRIGGER documents_leave; DROP TRIGGER versions_leave; DROP TRIGGER changes_leave;
         DROP TABLE list_trusts; DROP TABLE list_dates; DROP TABLE list_waits; ALTER TABLE documents DROP COLUMN looked_at;
         DROP INDEX frontier_of_steps; ALTER TABLE frontier DROP COLUMN legs; ALTER TABLE frontier DROP COLUMN request;
         ALTER TABLE visits DROP COLUMN legs; ALTER TABLE projects DROP COLUMN archived_at;
         DROP TABLE doomed; DROP TABLE dropped; ALTER TABLE frontier DROP COLUMN stamp;
         DROP TABLE ladders; DROP TABLE site_rules; DROP TABLE noises; DROP TABLE trusts; DROP TABLE notes;
         ALTER TABLE runs DROP COLUMN kind; ALTER TABLE runs DROP COLUMN settled_at;
         ALTER TABLE documents DROP COLUMN gone_run; ALTER TABLE documents DROP COLUMN orphan_run;
         ALTER TABLE documents DROP COLUMN instead_run; ALTER TABLE documents DROP COLUMN instead;
         ALTER TABLE versions DROP COLUMN same_as; ALTER TABLE versions DROP COLUMN ignored;
         ALTER TABLE versions DROP COLUMN url;
         ALTER TABLE changes DROP COLUMN is_orphan; ALTER TABLE changes DROP COLUMN moved_from;
         DROP TABLE host_states; DROP TABLE damages; DROP TABLE trap_memories; ALTER TABLE hosts DROP COLUMN held_until;
         CREATE TABLE rows(source INTEGER NOT NULL, target INTEGER NOT NULL, kind INTEGER NOT NULL, count INTEGER NOT NULL,
             anchor TEXT, nofollow INTEGER, first_run INTEGER NOT NULL, gone_run INTEGER,
             PRIMARY KEY (source, target, kind)) STRICT, WITHOUT ROWID;
         INSERT INTO rows SELECT source, target, kind, count, anchor, nofollow, first_run, gone_run FROM links;
         DROP VIEW links; DROP TABLE page_links; DROP TABLE past_links; ALTER TABLE rows RENAME TO links;
         PRAGMA user_version = 1; PRAGMA wal_checkpoint(TRUNCATE)",
    )
    .unwrap();
    drop(db);
    std::fs::remove_file(gleaner.data().join("gleaner.db-sums")).unwrap();
    assert_nothing_wrong_is_served(&gleaner, &before, "an older catalog");
    gleaner.run(&["verify"]).expect_code(&[0]);
    assert_eq!(gleaner.sqlite(links), links_before);
    crawl(&gleaner, &site).expect_code(&[0]);

    let empty = Gleaner::new();
    std::fs::create_dir_all(empty.data()).unwrap();
    std::fs::write(catalog(&empty), "").unwrap();
    crawl(&empty, &site).expect_code(&[0]);
    assert_sound(&empty, "from an empty file");
}

#[test]
fn hc124_interrupted_migration() {
    if let Err(why) = crash::available() {
        return gleaner_fixtures::skip(format!("{why:#}"));
    }
    let server = HostileServer::start();
    server.route("/", page("<p>one page"));
    let url = server.url("/");
    let args = ["crawl", &url, "--depth", "0", "--delay", "0"];
    let points = crash::points(&Gleaner::new().command(&args), crash::WRITING_CALLS).unwrap();
    let mut killed = 0;
    for point in &points {
        let gleaner = Gleaner::new();
        killed += u64::from(
            crash::kill_at(&gleaner.command(&args), point)
                .unwrap()
                .was_killed(),
        );
        let story = format!("killed at {} {}", point.call, point.nth);
        let again = match status(&gleaner).as_deref() {
            None | Some("finished") => gleaner.run(&args),
            Some(_) => gleaner.run(&["resume"]),
        };
        assert_eq!(again.code(), Some(0), "{story}: {again}");
        assert_sound(&gleaner, &story);
        let cat = gleaner.run(&["cat", &url]);
        assert_eq!(cat.stdout, "<p>one page", "{story}");
    }
    println!(
        "{killed} kills at each of {} writing calls of a first crawl",
        points.len()
    );
}
