//! Death while lists are read and pages are settled by them (A13): nothing is lost, nothing is told twice.

use super::{DAY, Dated, PATIENCE};
use crate::crash::{is_settled, status};
use crate::track::track_arguments;
use gleaner_testkit::Gleaner;
use std::collections::BTreeSet;
use std::time::Duration;

const ROUNDS: usize = 12;

#[test]
fn b2_kills_at_any_moment() {
    let site = Dated::start();
    let mut story = site.crawled();
    let args = track_arguments(&["--lastmod", "always"]);
    let mut in_the_middle = 0;
    for round in 0..ROUNDS {
        site.age(&story, 2 * DAY);
        let changed = [round + 1, round + 20, round + 40];
        site.announce(changed);
        site.server.forget();
        let before = runs(&story.gleaner);
        let mut running = story.gleaner.spawn(&args);
        // The moment of death is the fault itself, not a way of waiting for something.
        std::thread::sleep(Duration::from_millis(10 + 25 * round as u64));
        let told = if running.has_ended() {
            story.review(running.wait(PATIENCE))
        } else {
            running.kill9();
            match (runs(&story.gleaner) > before, status(&story.gleaner).as_deref()) {
                // It was done with its work; the next round will see that nothing is told twice.
                (true, Some("finished")) => continue,
                (true, _) if round % 2 == 0 || is_settled(&story.gleaner) => {
                    in_the_middle += 1;
                    story.review(story.gleaner.run(&["resume", "--json"]))
                }
                (has_begun, _) => {
                    in_the_middle += usize::from(has_begun);
                    story.track(&["--lastmod", "always"])
                }
            }
        };
        let changed_only = BTreeSet::from(changed);
        assert_eq!(site.asked(), changed_only, "round {round}\n{told}");
        site.expect(&told, &changed, &changed_only);
    }
    assert!(
        in_the_middle >= 3,
        "only {in_the_middle} of {ROUNDS} tracks died in the middle"
    );
}

fn runs(gleaner: &Gleaner) -> usize {
    gleaner.run(&["runs", "--json"]).json_lines().len()
}
