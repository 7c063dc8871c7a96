//! Finding what was collected, now and at any time (F5, J2), and texts in chunks (J4).

use crate::crawled::{self, crawl_well, links};
use crate::storage::hands::copy_folder;
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, Script, page, status};
use gleaner_testkit::program::Finished;
use serde_json::Value;
use std::time::{Duration, Instant};

const FILLER: &str =
    "This paragraph is here so that everybody who reads the page takes it for a text with something to say.";

fn story(title: &str, words: &str) -> String {
    format!(
        "<html><title>{title}</title><body><nav><a href=/>Home</a></nav><main><h1>{title}</h1><p>{FILLER}</p>\
         <p>{words}</p></main></body></html>"
    )
}

fn site() -> HostileServer {
    let server = HostileServer::start();
    server.route(
        "/",
        page(links(["/harbour", "/lamp", "/gone"]) + "<title>Start</title>"),
    );
    server.route(
        "/harbour",
        page(story(
            "Harbour news",
            "The harbour connections were opened to the public on Sunday.",
        )),
    );
    server.route(
        "/lamp",
        page(story(
            "Lamp",
            "A lamp for the harbour costs nineteen coins, and nobody asked for it.",
        )),
    );
    server.route(
        "/gone",
        page(story(
            "Ferry",
            "The last ferry leaves the harbour at midnight, as it always did.",
        )),
    );
    server
}

fn done(gleaner: &Gleaner, arguments: &[&str]) -> Finished {
    let finished = gleaner.run(arguments);
    finished.expect_code(&[0]);
    finished
}

fn found(gleaner: &Gleaner, arguments: &[&str]) -> Vec<Value> {
    done(gleaner, &[&["search", "--json"], arguments].concat()).json_lines()
}

fn paths(lines: &[Value]) -> Vec<String> {
    let path = |line: &Value| {
        let url = line["url"].as_str().expect("an address");
        format!("/{}", url.splitn(4, '/').nth(3).unwrap_or_default())
    };
    lines.iter().map(path).collect()
}

#[test]
fn f5_words_are_found_and_shown() {
    let (gleaner, server) = (Gleaner::new(), site());
    crawl_well(&gleaner, &server.url("/"), &["--name", "town"]);

    let lines = found(&gleaner, &["harbour"]);
    assert_eq!(paths(&lines)[0], "/harbour", "the title weighs most");
    assert_eq!(lines.len(), 3);
    let first = &lines[0];
    assert_eq!(first["title"], "Harbour news");
    assert!(first["id"].is_i64() && first["score"].as_f64().is_some_and(|score| score > 0.0));
    let snippet = first["snippet"].as_str().expect("a snippet");
    assert!(snippet.contains("<mark>"), "{snippet}");

    assert_eq!(paths(&found(&gleaner, &["connected", "public"])), ["/harbour"]);
    assert_eq!(
        paths(&found(&gleaner, &["\"opened to the public\""])),
        ["/harbour"]
    );
    assert_eq!(paths(&found(&gleaner, &["harbour -lamp -news"])), ["/gone"]);
    assert_eq!(paths(&found(&gleaner, &["title:lamp"])), ["/lamp"]);
    assert_eq!(paths(&found(&gleaner, &["midn*"])), ["/gone"]);
    assert_eq!(paths(&found(&gleaner, &["ferri~2", "midnight"])), ["/gone"]);
    assert!(found(&gleaner, &["submarine"]).is_empty());
    assert_eq!(found(&gleaner, &["harbour", "--host", "127.0.0.1"]).len(), 3);
    assert!(found(&gleaner, &["harbour", "--host", "other.test"]).is_empty());
    assert!(found(&gleaner, &["harbour", "--type", "application/pdf"]).is_empty());
    assert_eq!(
        found(
            &gleaner,
            &["harbour", "--type", "text", "--lang", "en", "--state", "new"]
        )
        .len(),
        3
    );
    assert_eq!(
        found(&gleaner, &["harbour", "--since", "1h", "--project", "town"]).len(),
        3
    );
    assert!(found(&gleaner, &["harbour", "--until", "2001-01-01"]).is_empty());

    // Page by page gives what one page gives.
    let mut all = Vec::new();
    let mut arguments = vec!["harbour".to_owned(), "--limit".to_owned(), "1".to_owned()];
    loop {
        let given: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let page = found(&gleaner, &given);
        let Some(line) = page.first() else { break };
        let cursor = line["cursor"].as_str().expect("a cursor").to_owned();
        arguments.truncate(3);
        arguments.extend(["--cursor".to_owned(), cursor]);
        all.push(line.clone());
    }
    assert_eq!(paths(&all), paths(&lines));

    let counted = found(&gleaner, &["harbour", "--facets"]);
    assert_eq!(
        (&counted[0]["documents"], &counted[0]["languages"]["en"]),
        (&3.into(), &3.into())
    );
    let text = done(&gleaner, &["search", "harbour"]).stdout;
    assert!(
        text.contains("Harbour news") && text.contains("opened to the public"),
        "{text}"
    );
    let suggested = found(&gleaner, &["harbour", "--suggest"]);
    let phrases: Vec<&str> = suggested
        .iter()
        .filter_map(|line| line["phrase"].as_str())
        .collect();
    assert!(
        phrases
            .iter()
            .any(|phrase| phrase.to_lowercase().contains("ferry"))
            && !phrases.contains(&"harbour"),
        "{phrases:?}"
    );
    done(&gleaner, &["search", "rebuild"]);
    assert_eq!(found(&gleaner, &["harbour"]), lines);
}

#[test]
fn f5_what_is_wrong_with_a_question_is_told_in_a_sentence() {
    let (gleaner, server) = (Gleaner::new(), site());
    let none = gleaner.run(&["search", "harbour"]);
    none.expect_code(&[3]);
    assert!(none.stderr.contains("crawl something first"), "{none}");
    crawl_well(&gleaner, &server.url("/"), &["--name", "town"]);
    for (arguments, code, words) in [
        (&["a \"b"][..], 2, "quotation mark at character 3"),
        (&["(a"], 2, "bracket at character 1"),
        (&["NOT", "a"], 2, "only words to leave out"),
        (&["a", "--cursor", "x"], 2, "leave out --cursor"),
        (&["a", "--lang", "klingon"], 2, "not one that is recognised"),
        (&["a", "--since", "soon"], 2, "--since needs a time"),
        (&["a", "--appeared=x"], 2, "3..5"),
        (&["a", "--project", "nobody"], 3, "no such project"),
        (&["a", "--as-of", "99"], 3, "no such run"),
        (&[], 2, "WORDS"),
    ] {
        let finished = gleaner.run(&[&["search"], arguments].concat());
        finished.expect_code(&[code]);
        assert!(finished.stderr.contains(words), "{finished}");
    }
}

#[test]
fn j2_a_sentence_came_and_went() {
    let (gleaner, server) = (Gleaner::new(), site());
    crawl_well(&gleaner, &server.url("/"), &["--name", "town"]);
    server.route(
        "/lamp",
        page(story(
            "Lamp",
            "A lamp for the harbour costs eighteen coins, which is a bargain these days.",
        )),
    );
    server.route("/gone", status(404));
    server.route(
        "/",
        page(links(["/harbour", "/lamp", "/gone"]) + "<title>Start</title>"),
    );
    let track = ["track", "town", "--delay", "0", "--tries", "1"];
    gleaner.run(&track).expect_code(&[0, 1]);

    let price = "\"nineteen coins\"";
    assert!(
        found(&gleaner, &[price]).is_empty(),
        "the newest version no longer says so"
    );
    assert_eq!(paths(&found(&gleaner, &[price, "--as-of", "1"])), ["/lamp"]);
    assert_eq!(paths(&found(&gleaner, &[price, "--all-versions"])), ["/lamp"]);
    assert!(found(&gleaner, &["midnight"]).is_empty(), "it is gone");
    assert_eq!(
        paths(&found(&gleaner, &["midnight", "--state", "MIS"])),
        ["/gone"]
    );
    assert_eq!(paths(&found(&gleaner, &["midnight", "--as-of", "1"])), ["/gone"]);
    assert!(found(&gleaner, &["midnight", "--as-of", "2"]).is_empty());
    assert!(found(&gleaner, &["midnight", "--as-of", "2001-01-01"]).is_empty());

    let events = |arguments: &[&str]| -> Vec<(String, i64, String)> {
        let lines = found(&gleaner, arguments);
        let paths = paths(&lines);
        let event = |(line, path): (&Value, String)| {
            let word = line["event"].as_str().expect("an event").to_owned();
            (word, line["run"].as_i64().expect("a run"), path)
        };
        lines.iter().zip(paths).map(event).collect()
    };
    let is = |word: &str, run, path: &str| (word.to_owned(), run, path.to_owned());
    assert_eq!(
        events(&[price, "--appeared", "--vanished"]),
        [is("appeared", 1, "/lamp"), is("vanished", 2, "/lamp")]
    );
    assert_eq!(
        events(&["\"eighteen coins\"", "--appeared"]),
        [is("appeared", 2, "/lamp")]
    );
    assert_eq!(
        events(&["midnight", "--vanished=1..2"]),
        [is("vanished", 2, "/gone")]
    );
    assert!(events(&["midnight", "--appeared=1..2"]).is_empty());
}

#[test]
fn f5_what_left_the_store_leaves_the_index() {
    let (gleaner, server) = (Gleaner::new(), site());
    for price in ["nineteen", "eighteen", "seventeen"] {
        let words = format!("A lamp for the harbour costs {price} coins, and nobody asked for it.");
        server.route("/lamp", page(story("Lamp", &words)));
        crawl_well(&gleaner, &server.url("/"), &["--name", "town"]);
    }
    assert_eq!(found(&gleaner, &["nineteen", "--all-versions"]).len(), 1);
    done(&gleaner, &["prune", "--keep", "1"]);
    assert!(found(&gleaner, &["nineteen", "--all-versions"]).is_empty());
    assert_eq!(found(&gleaner, &["seventeen", "--all-versions"]).len(), 1);
    let kept = std::fs::read(gleaner.data().join("derived/texts.db")).expect("the texts");
    assert!(kept.len() > 100);
    // What is derived may be thrown away, in part or whole.
    std::fs::remove_dir_all(gleaner.data().join("derived")).expect("removed");
    assert_eq!(found(&gleaner, &["seventeen"]).len(), 1);
    for entry in std::fs::read_dir(gleaner.data().join("derived/index-1")).expect("the index") {
        std::fs::write(entry.expect("a file").path(), b"damaged").expect("written");
    }
    assert_eq!(
        found(&gleaner, &["seventeen"]).len(),
        1,
        "a damaged index is made anew"
    );
    std::fs::write(
        gleaner.data().join("derived/texts.db"),
        b"damaged, and no database at all".repeat(99),
    )
    .expect("written");
    assert_eq!(found(&gleaner, &["seventeen"]).len(), 1);
}

/// What an open run has kept is found at once; when it has finished, every document is in the index once.
#[test]
fn f5_pages_of_an_open_run_are_found_and_counted_once_when_it_ends() {
    let (gleaner, server) = (Gleaner::new(), site());
    server.route(
        "/",
        page(links(["/harbour", "/lamp", "/slow"]) + "<title>Start</title>"),
    );
    server.route("/slow", Script::new().wait_close());
    let mut running = gleaner.spawn(&crawled::arguments(
        &server.url("/"),
        &[
            "--name",
            "town",
            "--fetch-timeout",
            "300",
            "--read-timeout",
            "300",
        ],
    ));
    let until = Instant::now() + Duration::from_mins(2);
    let mut early = Vec::new();
    while early.len() < 2 && Instant::now() < until && !running.has_ended() {
        let asked = gleaner.run(&["search", "--json", "harbour"]);
        if asked.code() == Some(0) {
            early = asked.json_lines();
        }
    }
    assert!(!running.has_ended(), "the run is still open");
    assert_eq!(early.len(), 2, "found while the run is open");
    running.kill9();
    server.route(
        "/slow",
        page(story("Ferry", "The last ferry leaves the harbour at midnight.")),
    );
    done(&gleaner, &["resume"]);

    let lines = found(&gleaner, &["harbour", "--all-versions"]);
    let mut found_paths = paths(&lines);
    found_paths.sort();
    assert_eq!(found_paths, ["/harbour", "/lamp", "/slow"]);
    done(&gleaner, &["search", "rebuild"]);
    assert_eq!(found(&gleaner, &["harbour", "--all-versions"]), lines);

    // An index of a program that kept another position goes on, or is made anew: nothing is missing and nothing is there twice.
    for word in ["\\\"changes\\\":", "\\\"source\\\":"] {
        let meta = gleaner.data().join("derived/index-1/meta.json");
        let text = std::fs::read_to_string(&meta).expect("the index's own file");
        assert!(text.contains(word), "{text}");
        std::fs::write(&meta, text.replace(word, "\\\"other\\\":")).expect("written");
        server.route(
            "/lamp",
            page(story("Lamp", &format!("The harbour has {word:?} lamps."))),
        );
        gleaner
            .run(&["track", "town", "--delay", "0", "--tries", "1"])
            .expect_code(&[0, 1]);
        let mut found_paths = paths(&found(&gleaner, &["harbour"]));
        found_paths.sort();
        assert_eq!(found_paths, ["/harbour", "/lamp", "/slow"]);
    }
}

/// What a site says on many pages is left out from its twenty-first page on, by all who take the main text alike (0017).
#[test]
fn f1_what_a_site_says_on_many_pages_is_no_main_text_for_anybody() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let society = "We are a society of friends of water birds, founded long ago, and we are glad about every new member who \
                   wants to help us with the work in the field.";
    let numbers: Vec<String> = (0..30).map(|number| format!("/{number}")).collect();
    let names: Vec<&str> = numbers.iter().map(String::as_str).collect();
    server.route("/", page(links(names) + "<title>Start</title>"));
    for number in 0..30 {
        let own = format!("Heron number {number} stands in the reeds by the water, waits for fish, and has done so since dawn. ")
            .repeat(4);
        let html = format!(
            "<title>Heron {number}</title><div><p>{own}</p><p>{own}</p></div><div><p>{society}</p></div>"
        );
        server.route(&format!("/{number}"), page(html));
    }
    crawl_well(&gleaner, &server.url("/"), &["--name", "birds"]);
    let chunks = done(&gleaner, &["chunks", "birds"]).json_lines();
    let says = |id: i64| {
        let own = chunks.iter().filter(|line| line["document"] == id);
        own.filter_map(|line| line["text"].as_str())
            .any(|text| text.contains("society"))
    };
    let last = gleaner.sqlite_number("SELECT max(id) FROM documents");
    assert!(says(5) && !says(last), "{chunks:?}");
    for (id, is_there) in [(5, true), (last, false)] {
        for form in ["main", "html"] {
            let shown = done(&gleaner, &["cat", &id.to_string(), "--as", form]).stdout;
            assert!(shown.contains("Heron number"), "{form}: {shown}");
            assert_eq!(shown.contains("society"), is_there, "{form}: {shown}");
        }
        let all = done(&gleaner, &["cat", &id.to_string(), "--as", "text"]).stdout;
        assert!(all.contains("society"), "{all}");
    }
}

/// Style sheets and scripts that were collected with their pages are no texts.
#[test]
fn f5_what_makes_a_page_is_no_text() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let head = "<link rel=stylesheet href=/style.css><script src=/app.js></script>";
    server.route(
        "/",
        page(story("Harbour", "The harbour was painted blue.").replace("<body>", &format!("{head}<body>"))),
    );
    let typed = |kind: &str, text: &str| status(200).with_header("content-type", kind).with_body(text);
    server.route(
        "/style.css",
        typed("text/css", "/* harbour */ body { color: blue }"),
    );
    server.route("/app.js", typed("text/javascript", "// harbour\nvar boat = 1;"));
    crawl_well(&gleaner, &server.url("/"), &["--name", "town", "--requisites"]);
    assert_eq!(
        gleaner.sqlite_number("SELECT count(*) FROM documents"),
        3,
        "they are kept"
    );
    assert_eq!(paths(&found(&gleaner, &["harbour"])), ["/"]);
    let chunks = done(&gleaner, &["chunks", "town"]).json_lines();
    let urls: Vec<&str> = chunks.iter().filter_map(|line| line["url"].as_str()).collect();
    assert_eq!(urls, [server.url("/")]);
    for form in ["markdown", "text", "s3"] {
        let folder = gleaner.data().with_file_name(form);
        let told = done(
            &gleaner,
            &[
                "export",
                "town",
                &folder.display().to_string(),
                "--as",
                form,
                "--json",
            ],
        );
        assert_eq!(told.json()["documents"], 1, "{told}");
        assert_eq!(told.json()["without_text"], Value::Array(Vec::new()), "{told}");
    }
    let lines = done(&gleaner, &["export", "town", "--as", "jsonl", "-o", "-"]);
    assert_eq!(
        (lines.json_lines().len(), lines.stderr.as_str()),
        (3, ""),
        "{lines}"
    );
}

#[test]
fn j4_only_changed_chunks_are_told_again() {
    let (gleaner, server) = (Gleaner::new(), site());
    crawl_well(&gleaner, &server.url("/"), &["--name", "town"]);
    let chunks = |arguments: &[&str]| {
        let mut lines = done(&gleaner, &[&["chunks", "town"], arguments].concat()).json_lines();
        let cursor = lines.pop().expect("a last line")["cursor"]
            .as_str()
            .expect("a cursor")
            .to_owned();
        (lines, cursor)
    };
    let (all, cursor) = chunks(&[]);
    assert!(all.len() >= 3, "{all:?}");
    let first = &all[all.len() - 1];
    assert!(first["id"].as_str().is_some_and(|id| id.len() == 32), "{first}");
    assert!(first["tokens"].as_u64().is_some_and(|tokens| tokens <= 400) && first["headings"].is_array());
    assert_eq!(
        chunks(&["--since", &cursor]).0,
        [Value::Null; 0],
        "nothing changed"
    );

    server.route(
        "/lamp",
        page(story(
            "Lamp",
            "A lamp for the harbour costs eighteen coins, which is a bargain these days.",
        )),
    );
    server.route("/gone", status(404));
    gleaner
        .run(&["track", "town", "--delay", "0", "--tries", "1"])
        .expect_code(&[0, 1]);
    let (changed, next) = chunks(&["--since", &cursor]);
    let gone: Vec<&Value> = changed.iter().filter(|line| line["gone"] == true).collect();
    let came: Vec<&Value> = changed.iter().filter(|line| line["text"].is_string()).collect();
    assert_eq!((gone.len(), came.len()), (2, 1), "{changed:?}");
    assert!(
        came[0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("eighteen"))
    );
    let known: Vec<&Value> = all.iter().map(|line| &line["id"]).collect();
    assert!(gone.iter().all(|line| known.contains(&&line["id"])));
    assert_eq!(chunks(&["--since", &next]).0, [Value::Null; 0]);
    // Another length gives other chunks: everything is told anew.
    let (anew, _) = chunks(&["--since", &next, "--tokens", "40"]);
    assert!(
        anew.iter()
            .any(|line| line["gone"] == true && line.get("id").is_none()),
        "{anew:?}"
    );
    for wrong in ["x", "77-400-1-1"] {
        let finished = gleaner.run(&["chunks", "town", "--since", wrong]);
        finished.expect_code(&[2]);
        assert!(finished.stderr.contains("leave out --since"), "{finished}");
    }
}

const FILES: usize = 900;
const WORDS: [&str; 24] = [
    "harbour", "lamp", "ferry", "coin", "public", "sunday", "market", "bridge", "river", "tower", "garden",
    "letter", "winter", "stone", "glass", "paper", "silver", "copper", "window", "music", "engine", "forest",
    "island", "valley",
];

/// Words that follow from numbers, some often and some seldom.
fn sentence(seed: usize) -> String {
    let mut state = seed as u64 + 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let words: Vec<&str> = (0..12)
        .map(|_| WORDS[(next() % WORDS.len()).min(next() % WORDS.len())])
        .collect();
    format!("The {} of number {seed}.", words.join(" "))
}

/// An index whose making was killed again and again answers as one that was made in one go.
fn killed(kills: usize) {
    let source = tempfile::tempdir().expect("a folder");
    for number in 0..FILES {
        let text = format!("{}\n\n{}\n", sentence(number), sentence(number * 7 + 1));
        std::fs::write(source.path().join(format!("{number}.txt")), text).expect("written");
    }
    let gleaner = Gleaner::new();
    let address = format!("file://{}/", source.path().display());
    done(&gleaner, &["crawl", &address, "--name", "files", "--delay", "0"]);
    let whole = Gleaner::new();
    copy_folder(&gleaner.data(), &whole.data());
    let began = Instant::now();
    done(&whole, &["search", "rebuild"]);
    let took = began.elapsed();
    for kill in 0..kills {
        // The first kills come early and the last ones when nearly all is done.
        let wait = took.mul_f64((kill + 1) as f64 / kills as f64);
        let mut running = gleaner.spawn(&["search", "harbour"]);
        let end = Instant::now() + wait;
        while Instant::now() < end && !running.has_ended() {
            std::thread::yield_now();
        }
        running.kill9();
        if kill % 3 == 2 {
            std::fs::remove_dir_all(gleaner.data().join("derived")).ok();
        }
    }
    let answers = |gleaner: &Gleaner, question: &str| {
        let lines = found(gleaner, &[question]);
        let of = |line: &Value| (line["id"].clone(), line["score"].clone());
        lines.iter().map(of).collect::<Vec<_>>()
    };
    for question in WORDS
        .iter()
        .map(|word| (*word).to_owned())
        .chain((0..16).map(|n| sentence(n * 31).replace('.', "")))
    {
        let (one, two) = (answers(&whole, &question), answers(&gleaner, &question));
        assert!(!one.is_empty());
        assert_eq!(one, two, "{question}");
    }
    let counted = |gleaner: &Gleaner| found(gleaner, &["number", "--facets"])[0]["documents"].clone();
    assert_eq!((counted(&whole), counted(&gleaner)), (FILES.into(), FILES.into()));
}

#[test]
fn f5_an_index_that_was_killed_goes_on() {
    killed(5);
}

#[test]
#[ignore = "takes hours: make soak"]
fn soak_an_index_that_was_killed_goes_on() {
    killed(100);
}
