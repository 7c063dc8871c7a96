//! One visitor: cookies last for a run and over its resume.

use crate::crawled::{arguments, crawl_well, expect_sound, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{Action, Gate, HostileServer, Script, page};
use std::time::Duration;

const SOON: Duration = Duration::from_mins(1);

#[test]
fn cookies_last_for_a_run_and_over_its_resume() {
    let (gleaner, server, gate) = (Gleaner::new(), HostileServer::start(), Gate::closed());
    server.route(
        "/",
        page(links(["/held", "/later"])).with_header("Set-Cookie", "visitor=42; Path=/"),
    );
    server.route(
        "/held",
        Script::new()
            .then(Action::Hold(gate.clone()))
            .send(page("held").to_bytes("GET")),
    );
    server.route("/later", page("later"));
    let start = server.url("/");
    let mut running = gleaner.spawn(&arguments(&start, &[]));
    assert!(server.wait_until(SOON, |server| server.hits("/held") == 1));
    running.interrupt();
    assert!(running.wait_for_output("in flight", SOON));
    gate.open();
    running.wait(SOON).expect_code(&[130]);
    assert_eq!(server.hits("/later"), 0);
    gleaner.run(&["resume", "--json"]).expect_code(&[0]);
    assert_eq!(
        server.requests_to("/later")[0].header("cookie"),
        Some("visitor=42")
    );
    server.forget();
    crawl_well(&gleaner, &start, &[]);
    assert_eq!(
        server.requests_to("/")[0].header("cookie"),
        None,
        "a new run is a new visitor"
    );
    expect_sound(&gleaner);
}
