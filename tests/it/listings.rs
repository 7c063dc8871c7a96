//! What people ask of a collection: what is gone, which links are dead, who links there, what a page says, all projects at once.

use crate::crawled::{crawl_well, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page, status};

const WORDS: &str =
    "many words that make this a paragraph which everybody takes for the main text of the page";

fn site() -> HostileServer {
    let server = HostileServer::start();
    server.route(
        "/",
        page("<title>Home</title>".to_owned() + &links(["/a", "/b", "/goes", "/dead", "/x.png"])),
    );
    server.route(
        "/a",
        page(format!(
            "<title>A</title><nav><a href='/'>Menu</a></nav><main><h1>A page<a href='/a#top'>¶</a></h1><p>{WORDS}</p>\
             <figure><img src='/x.png' alt='A view'></figure><p>More {WORDS}</p>\
             <table><tr><th>x</th><th>y</th></tr><tr><td>a|b</td><td>2</td></tr></table></main><footer>Legal notice</footer>"
        )),
    );
    server.route(
        "/b",
        page("<title>B</title>".to_owned() + &links(["/dead", "/x.png", "/old/1"])),
    );
    server.route("/goes", page(format!("<title>Goes</title><p>{WORDS}</p>")));
    server.route("/old/1", page(format!("<title>Old</title><p>{WORDS}</p>")));
    server
}

#[test]
fn what_is_no_longer_there_is_marked() {
    let (gleaner, server) = (Gleaner::new(), site());
    crawl_well(&gleaner, &server.url("/"), &["--name", "p"]);
    assert_eq!(gleaner.run(&["ls", "--gone"]).stdout, "");
    server.route("/goes", status(404));
    crawl_well(&gleaner, &server.url("/"), &["--name", "p", "--deny", "/old/"]);

    let text = gleaner.run(&["ls"]).stdout;
    let line = |path: &str| {
        let url = format!("  {}  ", server.url(path));
        text.lines()
            .find(|line| line.contains(&url))
            .expect("a line")
            .to_owned()
    };
    assert!(line("/goes").ends_with("(gone since run 2)"), "{text}");
    assert!(
        line("/old/1").ends_with("(out: no longer taken by the project)"),
        "{text}"
    );
    assert!(line("/a").ends_with("  A"), "{text}");

    let gone = gleaner.run(&["ls", "--gone", "--json"]).json_lines();
    assert_eq!(gone.len(), 2, "{gone:?}");
    let of = |path: &str| {
        gone.iter()
            .find(|row| row["url"] == server.url(path))
            .expect("a row")
    };
    assert_eq!(
        (&of("/goes")["gone_run"], &of("/goes")["out_run"]),
        (&2.into(), &serde_json::Value::Null)
    );
    assert_eq!(of("/old/1")["out_run"], 2);
}

#[test]
fn dead_links_are_named_with_their_pages() {
    let (gleaner, server) = (Gleaner::new(), site());
    crawl_well(&gleaner, &server.url("/"), &["--name", "p"]);
    let text = gleaner.run(&["report"]).stdout;
    assert!(text.contains("1 URL that leads nowhere"), "{text}");
    assert!(text.contains("\nNew: 5\n"), "{text}");
    // Two pages link to the picture, and one page shows it: it is one URL.
    assert!(text.contains("         1  unwanted-type"), "{text}");

    let broken = gleaner.run(&["report", "--broken"]);
    broken.expect_code(&[0]);
    assert!(
        broken.stdout.contains("1 URL leads nowhere; 2 pages link to it"),
        "{broken}"
    );
    assert!(
        broken.stdout.contains(&format!("404  {}", server.url("/dead"))),
        "{broken}"
    );
    let csv = gleaner.run(&["report", "--broken", "--format", "csv"]).stdout;
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows.len(), 3, "{csv}");
    assert!(
        rows[1..]
            .iter()
            .all(|row| row.starts_with(&format!("{},404,", server.url("/dead")))),
        "{csv}"
    );
    let json = gleaner.run(&["report", "--broken", "--json"]).json_lines();
    assert_eq!(json[0]["from"].as_array().map(Vec::len), Some(2), "{json:?}");

    let explained = gleaner.run(&["explain", &server.url("/dead")]).stdout;
    assert!(explained.contains("linked from 2 pages:"), "{explained}");
    let explained = gleaner.run(&["explain", &server.url("/dead"), "--json"]).json();
    assert_eq!(
        explained["linked_from"].as_array().map(Vec::len),
        Some(2),
        "{explained}"
    );
}

#[test]
fn markdown_is_the_main_text_with_its_pictures() {
    let (gleaner, server) = (Gleaner::new(), site());
    crawl_well(&gleaner, &server.url("/"), &["--name", "p"]);
    let url = server.url("/a");
    let main = gleaner.run(&["cat", &url, "--as", "markdown"]).stdout;
    assert!(
        main.contains(&format!("![A view]({})", server.url("/x.png"))),
        "{main}"
    );
    assert!(
        !main.contains("Menu") && !main.contains("Legal notice") && !main.contains('¶'),
        "{main}"
    );
    let whole = gleaner.run(&["cat", &url, "--as", "markdown-all"]).stdout;
    assert!(
        whole.contains("Menu") && whole.contains("Legal notice"),
        "{whole}"
    );
    assert!(
        whole.contains("# A page\n") && whole.contains("| a\\|b | 2 |") && !whole.contains('¶'),
        "{whole}"
    );

    let object = gleaner.run(&["cat", &url, "--json", "--as", "markdown"]).json();
    assert_eq!(
        (&object["url"], &object["title"], &object["version"]),
        (&url.as_str().into(), &"A".into(), &1.into())
    );
    assert_eq!(object["content"], main);
    let raw = gleaner.run(&["cat", &url, "--json"]).json();
    assert!(
        raw["content"]
            .as_str()
            .is_some_and(|text| text.starts_with("<title>A")),
        "{raw}"
    );
    let metadata = gleaner.run(&["cat", &url, "--json", "--as", "metadata"]).json();
    assert!(metadata["metadata"].is_object(), "{metadata}");
}

#[test]
fn all_projects_are_tracked_and_one_that_fails_stops_none() {
    let gleaner = Gleaner::new();
    let (one, two, three) = (site(), site(), site());
    for (name, server) in [("one", &one), ("two", &two), ("three", &three)] {
        crawl_well(&gleaner, &server.url("/"), &["--name", name]);
    }
    let all = gleaner.run(&["track", "--all", "--delay", "0", "--tries", "1"]);
    all.expect_code(&[0]);
    let table: Vec<&str> = all.stdout.lines().rev().take(4).collect();
    assert!(table[3].starts_with("project"), "{all}");
    for (line, name) in table.iter().zip(["three", "two", "one"]) {
        assert!(line.starts_with(name) && line.contains("finished"), "{all}");
    }
    // A project whose settings cannot be read any more.
    let catalog = rusqlite::Connection::open(gleaner.data().join("gleaner.db")).expect("the catalog");
    let _ = std::fs::remove_file(gleaner.data().join("gleaner.db-sums"));
    catalog
        .execute_batch("UPDATE projects SET settings = '{}' WHERE name = 'two'")
        .expect("written");
    drop(catalog);
    three.route("/a", page(format!("<title>A</title><p>Other {WORDS}</p>")));
    let all = gleaner.run(&["track", "--all", "--json", "--delay", "0", "--tries", "1"]);
    all.expect_code(&[3]);
    let told = all.json();
    assert_eq!(told["failed"], 1, "{told}");
    assert!(told["projects"][1]["error"].is_string(), "{told}");
    assert_eq!(told["projects"][2]["run"]["updated"], 1, "{told}");
    gleaner.run(&["track", "one", "--all"]).expect_code(&[2]);
}
