//! Rows of the frontier that nobody can read: ended and told, and in nobody's way.

use super::hands::{catalog, kept, wait_until};
use crate::crash::{site, spawn_crawl};
use crate::crawled::changes;
use gleaner_testkit::Gleaner;
use std::collections::BTreeSet;

#[test]
fn case36_unreadable_addresses_do_not_end_a_run_early() {
    let site = site(900, 25.0);
    let gleaner = Gleaner::new();
    let running = spawn_crawl(&gleaner, &site);
    let waiting = "SELECT count(*) FROM frontier";
    wait_until("many pages wait", || {
        kept(&gleaner) > 0 && gleaner.sqlite_number(waiting) > 400
    });
    running.kill9();
    // More of them in a row than are loaded at once.
    let db = rusqlite::Connection::open(catalog(&gleaner)).unwrap();
    let damaged = db
        .execute(
            "UPDATE resources SET url = 'no address ' || id WHERE id IN
                 (SELECT resource FROM frontier WHERE purpose IS NULL ORDER BY priority, resource LIMIT 300)",
            [],
        )
        .unwrap();
    drop(db);
    assert_eq!(damaged, 300);

    site.set_latency_ms(0);
    gleaner.run(&["resume"]).expect_code(&[0]);

    let told = changes(&gleaner);
    let unreadable = told.values().filter(|(_, reason)| reason == "address-unreadable");
    assert_eq!(unreadable.count(), damaged);
    let missed: BTreeSet<_> = (site.urls().into_iter())
        .filter(|url| !told.contains_key(url.as_str()))
        .collect();
    assert!(
        missed.len() <= damaged,
        "{} pages were not asked for",
        missed.len()
    );
    assert_eq!(gleaner.sqlite_number(waiting), 0);
    let open = gleaner.sqlite_number("SELECT count(*) FROM visits WHERE at IS NULL");
    assert_eq!(open, 0);
}
