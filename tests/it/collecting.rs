//! Libraries from their file to accepted documents, and what a kill leaves of a cycle (G1 to G13).

use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page, text};
use gleaner_testkit::program::Finished;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// A paper as S1's rules know one.
fn paper(subject: &str, number: usize) -> String {
    let body = format!("The {subject} of number {number} is described here in some detail. ").repeat(30);
    format!(
        "On a {subject}, part {number}\n\nAbstract\n\n{body}\n\nKeywords: {subject}\n\n1 Introduction\n\n{body}\n\nReferences\n\n[1] A. Author, On number {number}.\n"
    )
}

fn links(paths: impl IntoIterator<Item = String>) -> String {
    paths.into_iter().fold(String::new(), |all, path| {
        all + &format!("<a href=\"{path}\">{path}</a> ")
    })
}

/// A site with papers on the topic and off it, a CV, and pages that lead nowhere.
fn site(papers: usize, pages: usize) -> HostileServer {
    let server = HostileServer::start();
    let all = |name: &str, count: usize, end: &str| -> Vec<String> {
        (0..count)
            .map(|number| format!("/{name}/{number}{end}"))
            .collect()
    };
    let mut index = vec!["/cv.txt".to_owned()];
    index.extend(all("papers", papers, ".txt"));
    index.extend(all("other", papers, ".txt"));
    index.extend(all("pages", pages, ".html"));
    server.route("/", page(links(index)));
    for number in 0..papers {
        server.route(
            &format!("/papers/{number}.txt"),
            text(paper("focused crawler", number)),
        );
        server.route(
            &format!("/other/{number}.txt"),
            text(paper("garden of roses", number)),
        );
    }
    for number in 0..pages {
        let words = format!("<h1>Page {number}</h1><p>Nothing but the number {number} stands here.</p>");
        server.route(&format!("/pages/{number}.html"), page(words));
    }
    server.route(
        "/cv.txt",
        text("Curriculum vitae of a person who likes a focused crawler. Education. Employment."),
    );
    server
}

struct Libraries {
    gleaner: Gleaner,
    file: PathBuf,
}

impl Libraries {
    fn of(server: &HostileServer, more: &str) -> Libraries {
        let gleaner = Gleaner::new();
        std::fs::create_dir_all(gleaner.data()).expect("as the test needs it");
        let file = gleaner.data().join("crawling.toml");
        let text = format!(
            "name = \"crawling\"\ntopic = [\"focused crawler\", \"crawler\"]\nsites = [\"{}\"]\n{more}\n[accept]\nfilter = \"s1\"\n[manners]\ndelay = \"0ms\"\n",
            server.url("/")
        );
        std::fs::write(&file, text).expect("as the test needs it");
        Libraries { gleaner, file }
    }

    fn file(&self) -> &str {
        self.file.to_str().expect("a path as text")
    }

    fn run(&self, arguments: &[&str]) -> Finished {
        let mut all = vec!["library"];
        all.extend(arguments);
        self.gleaner.run(&all)
    }

    fn cycle(&self) -> Finished {
        let finished = self.run(&["run", self.file(), "--cycles", "1", "--json"]);
        finished.expect_code(&[0]);
        finished
    }

    /// Verdicts by path.
    fn verdicts(&self) -> BTreeMap<String, String> {
        let told = self.run(&["documents", "crawling", "--json"]).json_lines();
        let of = |line: &Value| {
            let url = line["url"].as_str().expect("as the test needs it");
            let path = url.splitn(4, '/').nth(3).unwrap_or("").to_owned();
            (path, line["verdict"].as_str().expect("a text").to_owned())
        };
        told.iter().map(of).collect()
    }
}

fn event<'a>(lines: &'a [Value], name: &str) -> &'a Value {
    lines
        .iter()
        .find(|line| line["event"] == name)
        .unwrap_or(&Value::Null)
}

#[test]
fn g2_a_cycle_goes_from_the_file_to_accepted_documents() {
    let server = site(6, 10);
    let library = Libraries::of(&server, "");
    library.run(&["check", library.file()]).expect_code(&[0]);
    let told = library.cycle().json_lines();
    let chosen = event(&told, "chosen");
    assert_eq!(chosen["sites"].as_array().unwrap().len(), 1, "{chosen}");
    let cycle = event(&told, "cycle");
    assert_eq!(cycle["accepted"], 6, "{cycle}");
    assert_eq!(cycle["downloaded"], 13, "{cycle}");
    assert_eq!(cycle["fetches"], 24, "one for each address: {cycle}");
    let verdicts = library.verdicts();
    assert_eq!(verdicts["papers/0.txt"], "accepted");
    assert_eq!(verdicts["other/0.txt"], "rejected");
    assert_eq!(verdicts["cv.txt"], "rejected");
    assert_eq!(verdicts.len(), 13);
    let sites = library.run(&["sites", "crawling", "--json"]).json_lines();
    assert_eq!(
        (sites.len(), sites[0]["accepted"].as_u64()),
        (1, Some(6)),
        "{sites:?}"
    );
    assert_eq!(sites[0]["state"], "active");
    let explained = library.run(&["explain", "crawling", &server.url("/papers/0.txt")]);
    explained.expect_code(&[0]);
    assert!(
        explained.stdout.contains("accepted by the filter: paper"),
        "{explained}"
    );
    let shown = library.run(&["statistics", "crawling"]);
    assert!(
        shown
            .stdout
            .contains("24 requests, 11 pages, 13 documents: 6 accepted, 7 rejected"),
        "{shown}"
    );
    // Nothing is due: the site was read whole.
    let again = library.run(&["run", "crawling", "--cycles", "1", "--json"]);
    again.expect_code(&[1]);
    assert_eq!(event(&again.json_lines(), "idle")["event"], "idle");
}

#[test]
fn g5_what_a_person_decided_stands_until_it_is_taken_back() {
    let server = site(2, 0);
    let library = Libraries::of(&server, "");
    library.cycle();
    let other = server.url("/other/0.txt");
    library
        .run(&["overrule", "crawling", &other, "--accept"])
        .expect_code(&[0]);
    assert_eq!(library.verdicts()["other/0.txt"], "accepted");
    library.run(&["judge", "crawling", "--again"]).expect_code(&[0]);
    assert_eq!(
        library.verdicts()["other/0.txt"],
        "accepted",
        "also after judging again"
    );
    let explained = library.run(&["explain", "crawling", &other]);
    assert!(explained.stdout.contains("accepted by a person"), "{explained}");
    assert!(explained.stdout.contains("before: rejected"), "{explained}");
    library
        .run(&["overrule", "crawling", &other, "--undo"])
        .expect_code(&[0]);
    assert_eq!(library.verdicts()["other/0.txt"], "rejected");
    library.run(&["overrule", "crawling", &other]).expect_code(&[2]);
    library
        .run(&["overrule", "crawling", "https://a.test/", "--accept"])
        .expect_code(&[3]);
}

#[test]
fn g13_documents_of_a_person_go_through_the_same_filter() {
    let server = site(1, 0);
    let library = Libraries::of(&server, "");
    let own = library.gleaner.data().join("own.txt");
    std::fs::write(&own, paper("focused crawler", 7)).expect("as the test needs it");
    let told = library.run(&["add", library.file(), own.to_str().unwrap(), "--json"]);
    told.expect_code(&[0]);
    let lines = told.json_lines();
    let document = event(&lines, "document");
    assert_eq!(document["verdict"], "accepted", "{told}");
    library.cycle();
    assert_eq!(library.verdicts().len(), 4, "{:?}", library.verdicts());
}

#[test]
fn g2_each_site_has_its_share_of_a_cycle() {
    let server = site(3, 200);
    let library = Libraries::of(
        &server,
        "order = \"breadth-first\"\n[budget]\npages_per_site = 50",
    );
    let told = library.cycle().json_lines();
    let cycle = event(&told, "cycle");
    let fetches = cycle["fetches"].as_u64().expect("as the test needs it");
    assert!((40..=51).contains(&fetches), "{cycle}");
    let asked = server.requests().len() as u64;
    assert!(asked <= fetches + 3, "{asked} for {fetches}");
}

#[test]
fn g2_mistakes_in_the_file_are_told_and_nothing_is_done() {
    let server = site(1, 0);
    let library = Libraries::of(&server, "[budjet]\npages = 3");
    let told = library.run(&["run", library.file(), "--cycles", "1"]);
    told.expect_code(&[2]);
    assert!(told.stderr.contains("did you mean [budget]?"), "{told}");
    library.run(&["show", "nothing"]).expect_code(&[3]);
    let checked = library.run(&["check", library.file(), "--json"]);
    checked.expect_code(&[1]);
    assert_eq!(checked.json()["mistakes"][0]["line"], 4, "{checked}");
}

/// What there is of a library, by what matters: verdicts, and how often each was given.
fn state(gleaner: &Gleaner) -> Vec<Vec<String>> {
    gleaner.sqlite("SELECT url, verdict, count(*) FROM library_verdicts GROUP BY url, verdict ORDER BY url")
}

#[test]
fn a13_cycles_that_are_killed_lose_nothing_and_count_nothing_twice() {
    const KILLS: u64 = 50;
    let server = site(40, 60);
    let whole = Libraries::of(&server, "");
    whole.cycle();
    let wanted = state(&whole.gleaner);
    assert_eq!(wanted.len(), 81);
    let mut kills = 0;
    while kills < KILLS {
        let library = Libraries::of(&server, "");
        let before = server.requests().len();
        let killed = kill_until_done(&library, kills);
        kills += killed;
        assert_eq!(state(&library.gleaner), wanted, "each document was judged once");
        let cycles = library.run(&["cycles", "crawling", "--json"]).json_lines();
        assert_eq!(cycles.len(), 1, "{cycles:?}");
        let count = |name: &str| cycles[0][name].as_u64();
        assert_eq!(
            (count("accepted"), count("fetches")),
            (Some(40), Some(142)),
            "{cycles:?}"
        );
        let sites = library.run(&["sites", "crawling", "--json"]).json_lines();
        assert_eq!(
            (sites[0]["visits"].as_u64(), sites[0]["fetches"].as_u64()),
            (Some(1), Some(142))
        );
        // What was on its way to a commit may be asked for again (48 pages, or what comes within 50 ms: `scheduler/backlog.rs`), and robots.txt.
        let asked = (server.requests().len() - before) as u64;
        assert!(
            asked <= 143 + killed * 80,
            "{asked} requests after {killed} kills"
        );
        library.gleaner.run(&["verify"]).expect_code(&[0]);
    }
}

/// Kills the cycle again and again until it is done; how often that hit it.
fn kill_until_done(library: &Libraries, seed: u64) -> u64 {
    let mut kills = 0;
    for number in 0..200 {
        let running = library
            .gleaner
            .spawn(&["library", "run", library.file(), "--cycles", "1", "--json"]);
        std::thread::sleep(Duration::from_millis(20 + (seed + number) * 37 % 400));
        kills += u64::from(running.kill9().code().is_none());
        if !library.gleaner.data().join("gleaner.db").is_file() {
            continue;
        }
        let cycles = library.run(&["cycles", "crawling", "--json"]);
        let is_there = cycles.code() == Some(0);
        if is_there && cycles.json_lines().iter().any(|cycle| cycle["phase"] == "done") {
            return kills;
        }
    }
    library.cycle();
    kills
}
