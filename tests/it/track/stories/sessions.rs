//! Sites that want a session in every address, and a person's word about it (B4).

use super::{Story, document};
use gleaner_testkit::hostile::{HostileServer, Request, dynamic, page};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// The sessions that the site knows.
#[derive(Default)]
struct Sessions {
    known: BTreeSet<String>,
    begun: u64,
}

impl Sessions {
    fn begin(&mut self) -> String {
        self.begun += 1;
        let number = self.begun.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let id = format!("{number:016x}{:08x}", (number >> 7) as u32 ^ 0x5bd1_e995);
        self.known.insert(id.clone());
        id
    }
}

fn id_in(target: &str) -> &str {
    let (_, rest) = target.split_once("ticket=").unwrap_or_default();
    rest.split('&').next().unwrap_or_default()
}

/// A start page that begins sessions, and six stories. `is_strict`: nobody reads one without a session that is known.
fn newspaper(is_strict: bool) -> (HostileServer, Arc<Mutex<Sessions>>) {
    let server = HostileServer::start();
    let sessions = Arc::new(Mutex::new(Sessions::default()));
    let links = |id: &str| -> Vec<String> {
        let stories = (1..=6).map(|story| format!("/story?number={story}&amp;ticket={id}"));
        stories.chain([format!("/?ticket={id}")]).collect()
    };
    let show = move |number: u64, id: &str| {
        let links = links(id);
        page(document(
            number,
            &links.iter().map(String::as_str).collect::<Vec<_>>(),
        ))
    };
    let of_request = {
        let sessions = Arc::clone(&sessions);
        move |request: &Request| {
            let mut sessions = sessions.lock().expect("no panic before");
            let id = id_in(&request.target);
            if sessions.known.contains(id) {
                (id.to_owned(), true)
            } else {
                (sessions.begin(), false)
            }
        }
    };
    let at_home = of_request.clone();
    server.route(
        "/",
        dynamic(move |request: &Request| show(0, &at_home(request).0)),
    );
    server.route(
        "/story*",
        dynamic(move |request: &Request| {
            let (id, is_known) = of_request(request);
            if is_strict && !is_known {
                return page("<title>No ticket</title><p>Come in by the front page, please.</p>")
                    .with_status(403);
            }
            let (_, rest) = request.target.split_once("number=").unwrap_or_default();
            let number = rest.split('&').next().and_then(|number| number.parse().ok());
            show(number.unwrap_or(99), &id)
        }),
    );
    (server, sessions)
}

#[test]
fn b4_an_id_that_the_site_wants_is_sent_and_is_no_part_of_the_identity() {
    let (server, sessions) = newspaper(true);
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    assert_eq!(
        told.count("NEW"),
        7,
        "the front page and six stories, each once\n{told}"
    );
    let rules = story.gleaner.run(&["rules", "--json"]).json_lines();
    assert_eq!(
        (rules.len(), &rules[0]["slot"], &rules[0]["droppable"]),
        (1, &"?ticket=".into(), &false.into()),
        "{rules:?}"
    );
    for round in 1..=2 {
        // The server forgets everybody.
        sessions.lock().expect("no panic").known.clear();
        story
            .track(&[])
            .expect_all_same(7, &format!("track {round} in a new session"));
    }
}

#[test]
fn b4_rules_are_shown_switched_forgotten_and_added() {
    let (server, _) = newspaper(false);
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    assert_eq!(told.count("NEW"), 7, "{told}");
    let site = server.url("/");
    let run = |arguments: &[&str]| {
        let finished = story.gleaner.run(arguments);
        finished.expect_code(&[0]);
        finished
    };
    let shown = run(&["rules"]).stdout;
    assert!(
        shown.contains("?ticket=: a session ID, left out of requests"),
        "{shown}"
    );

    let with_id = server.url("/story?number=3&ticket=0123456789abcdef01234567");
    let known_as = format!("known as {}", server.url("/story?number=3"));
    let explained = run(&["explain", &with_id]).stdout;
    assert!(explained.contains(&known_as), "{explained}");
    assert!(
        explained.contains("answered 200 in run 1"),
        "it was fetched: {explained}"
    );

    let off = run(&["rules", &site, "--off", "1"]).stdout;
    assert!(off.contains("?ticket= (off)"), "{off}");
    let explained = run(&["explain", &with_id]).stdout;
    assert!(!explained.contains("known as"), "{explained}");
    let on = run(&["rules", &site, "--on", "?ticket", "--pin"]).stdout;
    assert!(on.contains(", pinned") && !on.contains("(off)"), "{on}");

    let gone = run(&["rules", &site, "--forget", "1"]).stdout;
    assert!(gone.contains("nothing volatile found"), "{gone}");
    let added = run(&["rules", &site, "--add", "?ticket", "--json"]).json_lines();
    assert_eq!(
        (&added[0]["slot"], &added[0]["origin"], &added[0]["pinned"]),
        (&"?ticket=".into(), &"user".into(), &true.into()),
        "{added:?}"
    );
    let explained = run(&["explain", &with_id]).stdout;
    assert!(explained.contains(&known_as), "{explained}");

    let unknown = story.gleaner.run(&["rules", &site, "--off", "9"]);
    unknown.expect_code(&[3]);
    let nameless = story.gleaner.run(&["rules", "--off", "1"]);
    nameless.expect_code(&[2]);
    assert!(nameless.stderr.contains("name the site"), "{nameless}");
    story.track(&[]).expect_all_same(7, "with the rule of a person");
}
