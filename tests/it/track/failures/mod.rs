//! The ways a server can fail between crawl and track (B1, C5): nothing gone and nothing changed is ever told of them.
//!
//! Each case is played in three acts: the site is crawled while it is well, tracked while it is broken, tracked again when it
//! is healed. In the second act no page may be MIS or UPD; in the third all are SAM (C7).

mod answers;
mod lies;
mod network;
mod site;
mod walls;

use super::{Story, Told};
use gleaner_testkit::hostile::{HostileServer, Reply};
use site::{PATHS, heal};

/// A name of the site's own, so that it can move, vanish or be led elsewhere.
const HOST: &str = "site.test";
const HERE: &str = "--resolve=site.test=127.0.0.1";

/// What is broken, and what may be told of it.
struct Case {
    /// Which pages answer otherwise, and how.
    broken: Vec<(usize, Reply)>,
    /// States that the broken pages may have; the others are SAM.
    states: Vec<&'static str>,
    /// Reasons the broken pages may have; empty: any.
    reasons: Vec<&'static str>,
    flags: Vec<&'static str>,
}

impl Case {
    /// Every page answers so.
    fn all(reply: impl Into<Reply>) -> Case {
        Case::of(0..PATHS.len(), reply)
    }

    /// Every page but the first.
    fn all_but_home(reply: impl Into<Reply>) -> Case {
        Case::of(1..PATHS.len(), reply)
    }

    /// Every second page, the first not among them.
    fn half(reply: impl Into<Reply>) -> Case {
        Case::of((1..PATHS.len()).step_by(2), reply)
    }

    /// Three pages, with and without validators.
    fn some(reply: impl Into<Reply>) -> Case {
        Case::of([2, 5, 9], reply)
    }

    fn of(pages: impl IntoIterator<Item = usize>, reply: impl Into<Reply>) -> Case {
        let reply = reply.into();
        Case::each(pages, |_| reply.clone())
    }

    /// Each page in its own way.
    fn each<R: Into<Reply>>(pages: impl IntoIterator<Item = usize>, reply: impl Fn(usize) -> R) -> Case {
        Case {
            broken: pages.into_iter().map(|at| (at, reply(at).into())).collect(),
            states: vec!["ERR"],
            reasons: Vec::new(),
            flags: Vec::new(),
        }
    }

    fn reasons(mut self, reasons: &[&'static str]) -> Case {
        self.reasons = reasons.to_vec();
        self
    }

    fn states(mut self, states: &[&'static str]) -> Case {
        self.states = states.to_vec();
        self
    }

    fn flags(mut self, flags: &[&'static str]) -> Case {
        self.flags = flags.to_vec();
        self
    }

    /// The host is given a rest of half a minute after such a failure, twice as long after the next: the broken run does not
    /// wait for that. What it did not come to is ERR with the reason of the limit.
    fn resting(mut self) -> Case {
        self.flags.extend(["--max-time", "3"]);
        self.reasons.extend(["limit-time", "cut-short", "host-paused"]);
        self
    }

    /// The three acts.
    fn play(self) {
        self.play_with(|server| server);
    }

    /// The same with more that is broken than the pages.
    fn play_with(self, break_more: impl FnOnce(&HostileServer) -> &HostileServer) {
        let server = HostileServer::start();
        let mut story = first_act(&server);
        let mut allowed = [["SAM"].as_slice(); PATHS.len()];
        for (at, reply) in self.broken {
            server.route(PATHS[at], reply);
            allowed[at] = &self.states;
        }
        break_more(&server);
        let mut flags = vec![HERE];
        flags.extend(&self.flags);
        let told = story.track(&flags);
        expect_states(&told, &server, &allowed);
        for change in &told.changes {
            assert!(
                change.state != "ERR"
                    || self.reasons.is_empty()
                    || self.reasons.contains(&change.reason.as_str()),
                "another reason than {:?}: {change:?}\n{told}",
                self.reasons
            );
        }
        heal(&server);
        third_act(&mut story, &server, &[HERE]);
    }
}

/// Crawls the healthy site.
fn first_act(server: &HostileServer) -> Story {
    heal(server);
    let mut story = Story::new();
    let told = story.crawl(&server.url_as(HOST, "/"), &["--per-host", "8", HERE]);
    assert_eq!(told.count("NEW"), PATHS.len(), "{told}");
    story
}

/// Tracks the healed site: as if nothing had been.
fn third_act(story: &mut Story, server: &HostileServer, flags: &[&str]) {
    let told = story.track(flags);
    expect_states(&told, server, &[["SAM"].as_slice(); PATHS.len()]);
}

/// Each page of the site has one of its allowed states, and nothing else is told to have changed or gone.
fn expect_states(told: &Told, server: &HostileServer, allowed: &[&[&str]; PATHS.len()]) {
    let urls = PATHS.map(|path| server.url_as(HOST, path));
    let mut wrong = Vec::new();
    for (url, allowed) in urls.iter().zip(allowed) {
        let states: Vec<_> = told
            .changes
            .iter()
            .filter(|change| change.url == *url)
            .map(|change| change.state.as_str())
            .collect();
        if states.len() != 1 || !allowed.contains(&states[0]) {
            wrong.push(format!("{url}: told {states:?}, allowed {allowed:?}"));
        }
    }
    for change in &told.changes {
        // A login page that everything leads to may be told as new, and as gone when it is taken away.
        if !urls.contains(&change.url) && change.state == "UPD" {
            wrong.push(format!("{}: UPD", change.url));
        }
    }
    assert!(wrong.is_empty(), "{}\n{told}", wrong.join("\n"));
}

/// One test for each case, so that each is reported by its name.
macro_rules! cases {
    ($($name:ident: $case:expr;)*) => { $( #[test] fn $name() { $case.play(); } )* };
}
use cases;
