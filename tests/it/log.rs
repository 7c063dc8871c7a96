//! What a run tells while it works (`--log`) and at its end (`--stats`): every option, and that no secret is ever in it.

use crate::crawled::{arguments, crawl, crawl_well, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, Request, dynamic, page, redirect, status, text};
use gleaner_testkit::program::{Finished, Running};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Two documents, a page that fails, one that is gone, one that is forbidden and one that leads on.
fn small_site() -> HostileServer {
    let server = HostileServer::start();
    server.route("/robots.txt", text("User-agent: *\nDisallow: /closed"));
    server.route(
        "/",
        page(links(["/a", "/dead", "/broken", "/closed", "/on"]) + "<title>Start</title>"),
    );
    server
        .route("/a", page("<title>A</title><p>Words of this page."))
        .route("/broken", status(500))
        .route("/on", redirect("/a"));
    server
}

/// Every line as an object.
fn objects(lines: &str) -> Vec<Value> {
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    lines.lines().map(read).collect()
}

#[test]
fn nothing_is_logged_unless_it_is_asked_for() {
    let server = small_site();
    let plain = crawl_well(&Gleaner::new(), &server.url("/"), &["-q"]);
    assert_eq!(plain.stderr, "", "{plain}");
    for off in ["off", "", "off,run=off"] {
        let gleaner = Gleaner::new().with_env("GLEANER_LOG", off);
        let finished = crawl_well(&gleaner, &server.url("/"), &["-q"]);
        assert_eq!(finished.stderr, "", "{off:?}: {finished}");
    }
}

#[test]
fn levels_tell_more_and_more() {
    let server = small_site();
    let mut counts = Vec::new();
    for level in ["error", "info", "debug", "trace"] {
        let told = crawl_well(&Gleaner::new(), &server.url("/"), &["-q", "--log", level]).stderr;
        counts.push(told.lines().count());
        let has = |words: &str| told.contains(words);
        assert_eq!(
            has("the run begins kind=\"crawl\""),
            level != "error" && level != "off",
            "{told}"
        );
        let is_debug = ["debug", "trace"].contains(&level);
        for words in [
            "robots.txt was read",
            "judged state=\"NEW\"",
            "not asked for",
            "kept queued=",
            "connected",
        ] {
            assert_eq!(has(words), is_debug, "{level}, {words}: {told}");
        }
        assert_eq!(
            has("kind=\"anchor\" is_followed=true"),
            level == "trace",
            "{told}"
        );
        if is_debug {
            let judged = told
                .lines()
                .find(|line| line.contains("judged state=\"ERR\""))
                .expect("a line");
            // Who reads one line knows the run, the host and the page.
            for words in [
                "run{",
                "id=1}",
                "host{host=\"127.0.0.1\"}",
                "page{url=",
                "/broken",
                "reason=\"http-5xx\"",
            ] {
                assert!(judged.contains(words), "{words}: {judged}");
            }
        }
    }
    assert_eq!(counts[0], 0);
    assert!(counts[1] >= 2 && counts[1] < 10, "few lines a run: {counts:?}");
    assert!(counts.is_sorted() && counts[3] > counts[2], "{counts:?}");
}

#[test]
fn rooms_are_heard_one_by_one() {
    let server = small_site();
    let told = |filter: &str| crawl_well(&Gleaner::new(), &server.url("/"), &["-q", "--log", filter]).stderr;
    let units = told("units=debug");
    assert!(
        !units.is_empty() && units.lines().all(|line| line.contains(" gleaner_units::")),
        "{units}"
    );
    let store = told("off,store=trace");
    assert!(
        !store.is_empty() && store.lines().all(|line| line.contains(" gleaner_store::")),
        "{store}"
    );
    let both = told("info,units=debug,store=off");
    assert!(
        both.contains(" gleaner_units::") && both.contains("the run begins"),
        "{both}"
    );
    assert!(!both.contains("gleaner_store"), "{both}");
}

#[test]
fn a_log_as_json_is_nothing_but_json() {
    let (gleaner, server) = (Gleaner::new().with_env("GLEANER_LOG", "trace"), small_site());
    // Messages for people are there too: that of a list without addresses, of a run that goes on, of URLs (-v).
    let finished = crawl_well(&gleaner, &server.url("/"), &["-v", "--log-format", "json"]);
    let lines = objects(&finished.stderr);
    for line in &lines {
        for key in ["timestamp", "level", "target", "fields"] {
            assert!(line.get(key).is_some(), "{key}: {line}");
        }
    }
    let of_people: Vec<&Value> = lines
        .iter()
        .filter(|line| line["target"] == "gleaner::said")
        .collect();
    assert!(
        of_people.iter().any(|line| line.to_string().contains("/broken")),
        "{finished}"
    );
    let judged = (lines.iter())
        .find(|line| line["fields"]["message"] == "judged" && line["fields"]["state"] == "ERR")
        .expect("a page with an error");
    assert_eq!(judged["fields"]["reason"], "http-5xx");
    let spans: Vec<&str> = (judged["spans"].as_array().expect("spans").iter())
        .filter_map(|span| span["name"].as_str())
        .collect();
    assert_eq!(spans, ["run", "host", "page"]);
    assert_eq!(judged["span"]["url"], server.url("/broken"));
    let kept = lines
        .iter()
        .find(|line| line["fields"]["message"] == "kept")
        .expect("a commit");
    assert_eq!(kept["span"]["name"], "commit");
    assert!(
        lines
            .iter()
            .any(|line| line["fields"]["message"] == "the run ends")
    );
    // What goes wrong is a line of it as well.
    let refused = gleaner.run(&["track", "nothing", "--log-format", "json"]);
    refused.expect_code(&[3]);
    assert!(
        objects(&refused.stderr)
            .iter()
            .any(|line| line.to_string().contains("no such project"))
    );
}

#[test]
fn a_log_goes_into_a_file_behind_what_is_there() {
    let (gleaner, server) = (Gleaner::new(), small_site());
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("gleaner.log");
    let name = file.to_str().expect("a name");
    let first = crawl_well(&gleaner, &server.url("/"), &["-q", "--log-file", name]);
    assert_eq!(first.stderr, "", "{first}");
    let told = |file: &Path| std::fs::read_to_string(file).expect("the log");
    let one = told(&file);
    assert!(
        one.contains(" INFO ") && !one.contains("DEBUG"),
        "info, where nobody says more: {one}"
    );
    crawl_well(
        &gleaner,
        &server.url("/"),
        &["-q", "--log-file", name, "--log", "debug"],
    );
    let both = told(&file);
    assert!(
        both.starts_with(&one) && both.contains("DEBUG") && both.contains("kind=\"track\""),
        "{both}"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&file).expect("the log").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let nowhere = folder.path().join("none/gleaner.log");
    let refused = crawl(
        &gleaner,
        &server.url("/"),
        &["--log-file", nowhere.to_str().expect("a name")],
    );
    refused.expect_code(&[3]);
    assert!(
        refused.stderr.contains("the log cannot be written: "),
        "{refused}"
    );
}

#[test]
fn a_filter_that_cannot_be_read_is_told_in_one_sentence() {
    let gleaner = Gleaner::new();
    for (filter, told) in [
        (
            "loud",
            "there is no level 'loud'; use off, error, warn, info, debug or trace",
        ),
        (
            "info,h2=trace",
            "there is no part 'h2' that logs; there are run, units, store, readers",
        ),
    ] {
        let refused = gleaner.run(&["runs", "--log", filter]);
        refused.expect_code(&[2]);
        assert!(refused.stderr.contains(told), "{refused}");
        let refused = Gleaner::new()
            .with_env("GLEANER_LOG", filter)
            .run(&["runs", "--json"]);
        refused.expect_code(&[2]);
        assert!(
            refused.json()["error"]
                .as_str()
                .is_some_and(|error| error.contains(told)),
            "{refused}"
        );
    }
    gleaner.run(&["runs", "--log-format", "xml"]).expect_code(&[2]);
}

const FORM_PASSWORD: &str = "hush form&pass";
const TOKEN: &str = "tok-4711-bearer";
const KEY: &str = "key-of-the-client-0815";
const COOKIE: &str = "c00kie-of-the-session";
const IN_ADDRESS: &str = "pw-in-an-address";
const BASIC: &str = "basic/pass word";

/// All of them, and what is sent in their place.
const SECRETS: [&str; 11] = [
    FORM_PASSWORD,
    "hush+form%26pass",
    "hush%20form",
    TOKEN,
    KEY,
    COOKIE,
    IN_ADDRESS,
    BASIC,
    "basic%2Fpass",
    // reader:basic/pass word
    "cmVhZGVyOmJhc2ljL3Bhc3Mgd29yZA",
    "Bearer tok",
];

/// A site that lets nobody in without a form, names addresses with passwords in them, and wants a token; `method` is that of
/// its form.
fn closed_site(method: &str) -> HostileServer {
    let server = HostileServer::start();
    let address = server.address();
    let with_password = |path: &str| format!("http://eve:{IN_ADDRESS}@{address}{path}");
    server.route(
        "/robots.txt",
        text(format!(
            "User-agent: *\nDisallow:\nSitemap: {}\n",
            with_password("/sitemap.xml")
        )),
    );
    server.route(
        "/login",
        page(format!(
            "<form id=login action=/enter method={method}><input name=user><input type=password name=password></form>"
        )),
    );
    server.route(
        "/enter*",
        dynamic(|_: &Request| {
            redirect("/").with_header("Set-Cookie", &format!("sid={COOKIE}; Path=/; HttpOnly"))
        }),
    );
    let home = links(["/a", "/moved", "/broken", &with_password("/b")]);
    let inside = move |request: &Request| {
        let said = |name: &str| request.header(name).unwrap_or_default().to_owned();
        if !said("cookie").contains(COOKIE) {
            return redirect("/login");
        }
        if said("authorization") != format!("Bearer {TOKEN}") || said("x-key") != KEY {
            return status(403);
        }
        page(format!("<title>Inside</title><p id=out>Log out</p>{home}"))
    };
    server.route("/", dynamic(inside));
    for path in ["/a", "/b"] {
        server.route(
            path,
            page(format!("<title>{path}</title><p id=out>Log out</p>Page {path}")),
        );
    }
    server.route("/broken", status(500));
    server.route("/moved", redirect(&with_password("/b")));
    server
}

fn project(server: &HostileServer, more: &str) -> String {
    format!(
        "name = \"closed\"\nsources = [\"{}\"]\n[limits]\ntries = 2\n[manners]\ndelay = \"0\"\nprivate = true\n{more}",
        server.url("/")
    )
}

/// Runs a project file with all secrets in the environment.
fn run_project(gleaner: &Gleaner, text: &str, more: &[&str]) -> Finished {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("closed.toml");
    std::fs::write(&file, text).expect("a file");
    let name = file.to_str().expect("a name");
    let mut command: Command = gleaner.command(&[&["project", "run", name, "--json"], more].concat());
    let env = [
        ("FORM", FORM_PASSWORD),
        ("TOKEN", TOKEN),
        ("KEY", KEY),
        ("BASIC", BASIC),
    ];
    command.envs(env);
    Running::start(command)
        .expect("it starts")
        .wait(Duration::from_mins(2))
}

fn assert_no_secret(log: &str) {
    for secret in SECRETS {
        let found = log.lines().find(|line| line.contains(secret));
        assert!(
            found.is_none(),
            "{secret} is in the log: {}",
            found.unwrap_or_default()
        );
    }
}

#[test]
fn no_secret_is_ever_logged() {
    for method in ["post", "get"] {
        for format in ["text", "json"] {
            let (gleaner, server) = (Gleaner::new(), closed_site(method));
            let login = format!(
                "[auth]\nbearer = \"env:TOKEN\"\n[headers]\nX-Key = \"env:KEY\"\n[login]\nurl = \"{}\"\n\
                 fields = {{ user = \"reader\", password = \"env:FORM\" }}\nmust_have = \"#out\"\n",
                server.url("/login")
            );
            let ran = run_project(
                &gleaner,
                &project(&server, &login),
                &["-v", "--log", "trace", "--log-format", format, "--stats"],
            );
            ran.expect_code(&[0]);
            // They were sent, or nothing is proved.
            let asked = server.requests_to("/a");
            assert_eq!(asked.len(), 1, "{ran}");
            let sent = |name: &str| asked[0].header(name).unwrap_or_default().to_owned();
            assert!(
                sent("cookie").contains(COOKIE) && sent("authorization").contains(TOKEN),
                "{ran}"
            );
            assert_eq!(sent("x-key"), KEY);
            for words in [
                "logged in",
                "/broken",
                "/moved",
                "one request and its answer",
                "http-5xx",
            ] {
                assert!(ran.stderr.contains(words), "{method}, {format}, {words}: {ran}");
            }
            assert!(ran.stderr.lines().count() > 50, "{ran}");
            assert_eq!(ran.json()["stats"]["logins"], 1, "{ran}");
            assert_no_secret(&ran.stderr);
            if format == "json" {
                objects(&ran.stderr);
            }
        }
    }
}

#[test]
fn no_password_is_logged_where_a_server_asks_or_refuses() {
    let server = HostileServer::start();
    let asks = |request: &Request| match request.header("authorization") {
        Some(said) if said.starts_with("Basic ") => page(links(["/a"]) + "<title>In</title>"),
        _ => status(401).with_header("WWW-Authenticate", "Basic realm=\"x\""),
    };
    server.route("/", dynamic(asks)).route("/a", dynamic(asks));
    let auth = "[auth]\nuser = \"reader\"\npassword = \"env:BASIC\"\n";
    for format in ["text", "json"] {
        let ran = run_project(
            &Gleaner::new(),
            &project(&server, auth),
            &["--log", "trace", "--log-format", format],
        );
        ran.expect_code(&[0]);
        assert!(
            ran.stderr.contains("the server asks who we are, and is told"),
            "{ran}"
        );
        assert_no_secret(&ran.stderr);
    }
    // A login that fails is told with the address of its form, and that holds the password where it is sent by GET.
    let site = closed_site("get");
    site.route("/enter*", status(403));
    let login = format!(
        "[login]\nurl = \"{}\"\nfields = {{ user = \"reader\", password = \"env:FORM\" }}\nmust_have = \"#out\"\n",
        site.url("/login")
    );
    let refused = run_project(&Gleaner::new(), &project(&site, &login), &["--log", "trace"]);
    refused.expect_code(&[3]);
    assert!(
        refused.stderr.contains("the login failed") && refused.stderr.contains("/enter?[hidden]"),
        "{refused}"
    );
    assert_no_secret(&refused.to_string());
}

#[test]
fn statistics_agree_with_the_summary() {
    let (gleaner, server) = (Gleaner::new(), small_site());
    let first = crawl_well(&gleaner, &server.url("/"), &["--stats", "--sitemaps", "off"]).json();
    agree(&first);
    assert_eq!(first["stats"]["robots"], 1, "{first}");
    assert_eq!(first["stats"]["refused"], 1, "{first}");
    assert_eq!(first["stats"]["done"]["new"], 2, "{first}");
    server.route("/a", page("<title>A</title><p>Other words stand here now."));
    let second = gleaner
        .run(&["track", "--stats", "--json", "--tries", "1", "--delay", "0"])
        .json();
    agree(&second);
    assert_eq!(second["stats"]["done"]["updated"], 1, "{second}");
    server.route("/a", status(404));
    let third = gleaner
        .run(&["track", "--stats", "--json", "--tries", "1", "--delay", "0"])
        .json();
    agree(&third);
    assert_eq!(third["stats"]["done"]["missing"], 1, "{third}");
    let without = gleaner
        .run(&["track", "--json", "--tries", "1", "--delay", "0"])
        .json();
    assert!(without.get("stats").is_none(), "{without}");
}

/// The counters of a run that is whole say what its rows say.
fn agree(summary: &Value) {
    let stats = &summary["stats"];
    for name in ["new", "updated", "same", "missing", "errors", "out"] {
        assert_eq!(stats["done"][name], summary[name], "{name}: {summary}");
    }
    assert_eq!(stats["bytes"], summary["bytes"], "{summary}");
    let number = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("{value}: {summary}"));
    // A page that is looked at twice gives two answers.
    assert_eq!(
        number(&stats["answers"]) - number(&stats["again"]),
        number(&summary["fetched"]),
        "{summary}"
    );
    let count = |name: &str| number(&stats[name]["count"]);
    assert_eq!(count("first_byte_us"), number(&stats["answers"]));
    assert_eq!(count("fetch_us"), number(&stats["answers"]));
    assert_eq!(count("read_us"), count("judge_us"));
    assert!(count("commit_us") > 0 && count("commit_us") == count("batch_pages"));
    assert_eq!(count("queue_rows"), count("commit_us"));
    for name in [
        "first_byte_us",
        "fetch_us",
        "read_us",
        "judge_us",
        "commit_us",
        "batch_pages",
        "queue_rows",
    ] {
        let buckets = stats[name]["buckets"].as_array().expect("buckets");
        let sum: u64 = buckets.iter().map(|bucket| number(&bucket["count"])).sum();
        assert_eq!(sum, count(name), "{name}");
        assert!(
            number(&stats[name]["max"]) <= number(&stats[name]["sum"]),
            "{name}"
        );
    }
    // Each commit holds pages that are done with or come again; listed ones come without a commit of their own.
    let done: u64 = (stats["done"].as_object().expect("an object").values())
        .map(number)
        .sum();
    assert_eq!(
        number(&stats["batch_pages"]["sum"]),
        done + number(&stats["again"]),
        "{summary}"
    );
}

#[test]
fn statistics_are_a_short_table() {
    let (gleaner, server) = (Gleaner::new(), small_site());
    let url = server.url("/");
    let mut words = arguments(&url, &["--stats"]);
    words.retain(|word| *word != "--json");
    let finished = gleaner.run(&words);
    finished.expect_code(&[0]);
    for text in [
        "2 new",
        "1 error",
        "first byte",
        "95 %",
        "pages per commit",
        "see more: ",
    ] {
        assert!(finished.stdout.contains(text), "{text}: {finished}");
    }
    assert!(finished.stdout.lines().count() < 25, "{finished}");
    let quiet = gleaner.run(&["track", "--stats", "-q", "--delay", "0", "--tries", "1"]);
    assert!(
        quiet.stdout.starts_with("asked ") && quiet.stdout.contains("2 same"),
        "{quiet}"
    );
    let plain = gleaner.run(&["track", "--delay", "0", "--tries", "1"]);
    assert!(!plain.stdout.contains("first byte"), "{plain}");
}
