//! Tomcat with `;jsessionid=` in its links (B4), with cookies and without; and its own examples.

use super::Story;
use super::shop::{Shop, plain, tell_the_story};
use gleaner_testkit::servers::{Context, TomcatServer};
use std::collections::BTreeSet;

fn start() -> Option<TomcatServer> {
    match TomcatServer::start(|site| Shop::write(site, "jsp")) {
        Ok(server) => Some(server),
        Err(why) => {
            gleaner_fixtures::skip(format!("{why:#}"));
            None
        }
    }
}

fn every_state_is_right(context: Context) {
    let Some(mut server) = start() else { return };
    let shop = Shop::at(&server.site(), "jsp", server.url(context, "/"));
    let flags = ["--scope", "subtree"];
    let problems = tell_the_story(&shop, &flags, &[], || {
        server.restart().expect("Tomcat starts again");
    });
    assert!(
        problems.is_empty(),
        "{context:?}: {} wrong:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn b4_tomcat_without_cookies_every_state_right() {
    every_state_is_right(Context::CookiesOff);
}

#[test]
fn b4_tomcat_with_cookies_every_state_right() {
    every_state_is_right(Context::CookiesKept);
}

/// Examples that say another thing in another session or hour, which two looks a second apart cannot show to be noise: about
/// the visit itself, how much memory the server uses, a shuffled deck, a date written with minutes as a number of their own.
/// They may be UPD; that they are the same documents must still be seen.
const SAY_OTHER_THINGS: [&str; 6] = [
    "SessionExample",
    "RequestInfoExample",
    "sessions/carts",
    "forward/forward.jsp",
    "jspattribute/shuffle.jsp",
    "dates/date.jsp",
];

#[test]
fn b4_tomcat_examples_are_the_same_after_a_restart() {
    let Some(mut server) = start() else { return };
    let mut story = Story::new();
    // The asynchronous examples answer for ever, or late on purpose.
    let flags = ["--scope", "subtree", "--deny", "async|nonblocking|websocket"];
    let crawled = story.crawl(&server.url(Context::Examples, "/"), &flags);
    let pages: BTreeSet<String> = crawled.changes.iter().map(|change| plain(&change.url)).collect();
    assert!(pages.len() >= 40, "the examples are many\n{crawled}");
    let mut problems = Vec::new();
    if crawled.count("NEW") != pages.len() {
        problems.push(format!(
            "crawl: {} documents of {} pages",
            crawled.count("NEW"),
            pages.len()
        ));
    }
    for round in ["first", "second"] {
        server.restart().expect("Tomcat starts again");
        let told = story.track(&[]);
        for change in &told.changes {
            let may_change = SAY_OTHER_THINGS.iter().any(|part| change.url.contains(part));
            if change.state != "SAM" && !(may_change && change.state == "UPD") {
                problems.push(format!(
                    "{round} track: {} is {} {}",
                    change.url, change.state, change.reason
                ));
            }
        }
    }
    assert!(
        problems.is_empty(),
        "{} wrong:\n{}",
        problems.len(),
        problems.join("\n")
    );
}
