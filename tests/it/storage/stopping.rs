//! Stopping on request leaves nothing half-done (A13).

use super::hands::{SOON, kept, wait_until};
use crate::crash::{Left, assert_sound, site, spawn_crawl, status, undisturbed};
use gleaner_testkit::Gleaner;
use std::time::Duration;

fn stops_and_resumes(signal: &str) {
    let site = site(600, 20.0);
    let undisturbed = undisturbed(&site);
    let gleaner = Gleaner::new();
    let running = spawn_crawl(&gleaner, &site);
    wait_until("some pages are kept", || kept(&gleaner) > 20);
    running.signal(signal);
    let stopped = running.wait(SOON);
    stopped.expect_code(&[130]);
    assert!(stopped.stdout.contains("gleaner resume"), "{stopped}");
    assert_eq!(status(&gleaner).as_deref(), Some("stopped"));
    gleaner.run(&["verify"]).expect_code(&[0]);
    // Everything in flight was finished and kept: nothing is fetched twice.
    site.set_latency_ms(0);
    gleaner.run(&["resume"]).expect_code(&[0]);
    assert_sound(&gleaner, signal);
    Left::of(&gleaner).assert_same(&undisturbed, signal);
    assert_eq!(site.stats().duplicate_pages, 0, "{signal}");
    gleaner.run(&["resume"]).expect_code(&[3]);
}

#[test]
fn a13_interrupt_stops_and_resume_completes() {
    stops_and_resumes("INT");
}

#[test]
fn a13_terminate_stops_and_resume_completes() {
    stops_and_resumes("TERM");
}

#[test]
fn a13_second_interrupt_ends_at_once() {
    let site = site(300, 10.0);
    let undisturbed = undisturbed(&site);
    let gleaner = Gleaner::new();
    let mut running = spawn_crawl(&gleaner, &site);
    wait_until("some pages are kept", || kept(&gleaner) > 20);
    // Answers that never seem to come: only the second signal ends it.
    site.set_latency_ms(60_000);
    running.interrupt();
    assert!(running.wait_for_output("press Ctrl-C again to stop at once", SOON));
    running.interrupt();
    let stopped = running.wait(Duration::from_secs(10));
    stopped.expect_code(&[130]);
    site.set_latency_ms(0);
    gleaner.run(&["resume"]).expect_code(&[0]);
    assert_sound(&gleaner, "stopped at once");
    Left::of(&gleaner).assert_same(&undisturbed, "stopped at once");
}
