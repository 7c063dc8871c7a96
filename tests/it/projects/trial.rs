//! `gleaner project try`: what it tells is what a run then does, and nothing is stored (A2).

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up ends")]

use super::forum::{Forum, PASSWORD, expected};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page, status};
use serde_json::Value;
use std::collections::BTreeSet;

fn urls(list: &Value) -> BTreeSet<String> {
    let list = list.as_array().unwrap().iter();
    list.map(|item| {
        item["url"]
            .as_str()
            .unwrap_or_else(|| item.as_str().unwrap())
            .to_owned()
    })
    .collect()
}

/// What `ls` shows.
fn kept(gleaner: &Gleaner) -> BTreeSet<String> {
    let lines = gleaner.run(&["ls", "--json"]).json_lines();
    lines
        .iter()
        .map(|line| line["url"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a2_a_trial_tells_what_the_run_then_collects_and_stores_nothing() {
    for expires_after in [1_000_000, 20] {
        let Some(forum) = Forum::start(expires_after, "form") else {
            return gleaner_fixtures::skip("no PHP");
        };
        let file = forum.path("forum.toml");
        std::fs::write(&file, forum.project()).unwrap();
        let file = file.display().to_string();
        let aside = tempfile::tempdir().unwrap();
        let gleaner = Gleaner::new()
            .with_env(PASSWORD.0, PASSWORD.1)
            .with_env("TMPDIR", &aside.path().display().to_string());
        let tried = gleaner.run(&["project", "try", &file, "--max", "200", "--json"]);
        tried.expect_code(&[0]);
        let told = tried.json();
        assert_eq!(told["complete"], true, "{tried}");
        assert!(!gleaner.data().exists(), "nothing is stored");
        assert_eq!(
            std::fs::read_dir(aside.path()).unwrap().count(),
            0,
            "nothing is left"
        );
        let truth: BTreeSet<String> = expected().iter().map(|name| forum.url(name)).collect();
        assert_eq!(urls(&told["collected"]), truth);
        // Forms as they were filled, and the page behind the login; no password.
        let forms = told["forms"].as_array().unwrap();
        assert_eq!(forms.len(), 2, "{told}");
        assert!(
            forms[0]["step"].is_null() && forms[1]["step"] == "search",
            "{told}"
        );
        let fields = forms[0]["fields"].to_string();
        assert!(
            fields.contains(r#"{"name":"password","value":"(hidden)"}"#),
            "{fields}"
        );
        assert!(forms[1]["fields"].to_string().contains("owls"), "{told}");
        assert!(
            told["login"]["text"].as_str().unwrap().contains("Log out"),
            "{told}"
        );
        assert_eq!(
            told["logins"].as_u64().unwrap() > 1,
            expires_after == 20,
            "{told}"
        );
        assert!(!tried.to_string().contains(PASSWORD.1), "{tried}");
        // What each rule decided.
        let rule = |step: &str, number: u64| {
            let rules = told["rules"].as_array().unwrap().iter();
            let found = rules
                .clone()
                .find(|rule| rule["step"].as_str().unwrap_or_default() == step && rule["rule"] == number);
            found
                .unwrap_or_else(|| panic!("rule {number} of {step:?}: {told}"))
                .clone()
        };
        assert_eq!(rule("", 1)["action"], "deny");
        assert!(
            rule("", 1)["example"].as_str().unwrap().contains("logout.php"),
            "{told}"
        );
        assert_eq!(rule("first board", 2)["action"], "allow");

        let ran = gleaner.run(&["project", "run", &file, "--json"]);
        ran.expect_code(&[0]);
        assert_eq!(kept(&gleaner), truth);
        // A project of the catalog is tried the same way.
        let before = gleaner.sqlite_number("SELECT count(*) FROM visits");
        let tried = gleaner.run(&["project", "try", "forum", "--max", "200", "--json"]);
        assert_eq!(urls(&tried.json()["collected"]), truth);
        assert_eq!(gleaner.sqlite_number("SELECT count(*) FROM visits"), before);
        assert_eq!(gleaner.sqlite_number("SELECT count(*) FROM runs"), 1);
    }
}

#[test]
fn a2_a_trial_fetches_no_more_than_it_may() {
    let server = HostileServer::start();
    let link = |number: u32| format!("<a href=/{number}>page {number}</a> ");
    let links = (1..=30).map(link).collect::<Vec<_>>().concat();
    server.route("/", page(&links));
    for number in 1..=30 {
        server.route(
            &format!("/{number}"),
            page(format!("<title>Page {number}</title><p>{number}")),
        );
    }
    let gleaner = Gleaner::new();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("few.toml");
    let text = format!(
        "name = \"few\"\nsources = [\"{}\"]\n[manners]\ndelay = \"0\"\nprivate = true\n[[rule]]\ndeny = 'regex:/2\\d$'\n",
        server.url("/")
    );
    std::fs::write(&file, text).unwrap();
    let file = file.display().to_string();
    let tried = gleaner.run(&["project", "try", &file, "--max", "5", "--json"]);
    let told = tried.json();
    assert_eq!(told["complete"], false, "{tried}");
    assert_eq!(told["collected"].as_array().unwrap().len(), 5, "{tried}");
    assert!(told["left"].as_u64().unwrap() >= 15, "{tried}");
    let asked = server
        .requests()
        .iter()
        .filter(|request| !["/robots.txt", "/sitemap.xml"].contains(&request.path()))
        .count();
    assert_eq!(asked, 5, "counted at the server");
    assert_eq!(told["rules"][0]["links"], 10, "{tried}");

    let shown = gleaner.run(&["project", "try", &file, "--max", "50"]);
    shown.expect_code(&[0]);
    assert!(
        shown.stdout.contains("a run would collect 21 documents"),
        "{shown}"
    );
    assert!(shown.stdout.contains("nothing stored"), "{shown}");
    assert!(
        shown.stdout.contains("\n  http://") && shown.stdout.contains("Page 7"),
        "a tree: {shown}"
    );
    assert!(shown.stdout.contains("rule 1, deny /2\\d$: 10 links"), "{shown}");
}

#[test]
fn a4_a_trial_shows_the_page_that_a_failed_login_leads_to() {
    let Some(forum) = Forum::start(1_000_000, "form") else {
        return gleaner_fixtures::skip("no PHP");
    };
    let file = forum.path("forum.toml");
    std::fs::write(&file, forum.project()).unwrap();
    let gleaner = Gleaner::new().with_env(PASSWORD.0, "barley");
    let tried = gleaner.run(&["project", "try", &file.display().to_string()]);
    tried.expect_code(&[3]);
    assert!(tried.stdout.contains("Wrong name or password."), "{tried}");
    assert!(tried.stderr.contains("the login failed"), "{tried}");
    assert!(!tried.to_string().contains("barley"), "{tried}");
    assert!(!gleaner.data().exists());
}

#[test]
fn a2_a_trial_says_where_the_way_ends() {
    let server = HostileServer::start();
    server.route("/", page("<form action=/find><input name=q></form>"));
    let gleaner = Gleaner::new();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("way.toml");
    let text = format!(
        "name = \"way\"\n[manners]\ndelay = \"0\"\nprivate = true\n[[step]]\nname = \"search\"\nurl = \"{}\"\n\
         form = \"fitting\"\nfields = {{ q = \"x\" }}\nkeep = false\n[[step]]\nname = \"results\"\nlinks = \"a\"\n",
        server.url("/")
    );
    std::fs::write(&file, text).unwrap();
    let tried = gleaner.run(&["project", "try", &file.display().to_string()]);
    tried.expect_code(&[1]);
    for told in [
        "not there (404): ",
        "/find?q=x",
        "step 'results' found no place to begin",
        "0 documents",
    ] {
        assert!(tried.stdout.contains(told), "{told:?} is missing: {tried}");
    }
}

#[test]
fn a2_a_project_that_cannot_be_tried_says_why() {
    let gleaner = Gleaner::new();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.toml");
    std::fs::write(&file, "name = \"wrong\"\nsourcs = []\n").unwrap();
    for command in ["try", "run"] {
        let refused = gleaner.run(&["project", command, &file.display().to_string()]);
        refused.expect_code(&[3]);
        assert!(refused.stderr.contains("wrong.toml:2:1"), "{refused}");
        assert!(!gleaner.data().exists());
    }
    let server = HostileServer::start();
    server.route("/", status(500));
    let text = format!(
        "name = \"down\"\nsources = [\"{}\"]\n[limits]\ntries = 1\n[manners]\ndelay = \"0\"\nprivate = true\n",
        server.url("/")
    );
    std::fs::write(&file, text).unwrap();
    let tried = gleaner.run(&["project", "try", &file.display().to_string()]);
    tried.expect_code(&[1]);
    assert!(
        tried.stdout.contains("error: ") && tried.stdout.contains("0 documents"),
        "{tried}"
    );
}
