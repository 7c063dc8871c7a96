//! Folders that hold themselves and listings without end: bounded, told, and never taken for the whole (HC094, HC095).

use super::large::peak_kb;
use crate::crawled::{arguments, cuts, documents, expect_sound, reason_of};
use gleaner_testkit::Gleaner;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What a folder holds: lines of MLSD, and whether they come again and again.
type Folder = dyn Fn(&str) -> (String, bool) + Send + Sync;

/// An FTP server whose folders are made up as they are asked for. Its files hold three bytes.
struct Fabulist {
    url: String,
    listings: Arc<AtomicU64>,
    /// Of endless listings, so far.
    lines: Arc<AtomicU64>,
}

impl Fabulist {
    fn start(folder: impl Fn(&str) -> (String, bool) + Send + Sync + 'static) -> Fabulist {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("ftp://{}/", listener.local_addr().expect("an address"));
        let (listings, lines) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
        let folder: Arc<Folder> = Arc::new(folder);
        let counts = (Arc::clone(&listings), Arc::clone(&lines));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _slower_without = stream.set_nodelay(true);
                let (folder, counts) = (Arc::clone(&folder), counts.clone());
                std::thread::spawn(move || converse(&stream, &*folder, &counts.0, &counts.1));
            }
        });
        Fabulist { url, listings, lines }
    }

    fn listings(&self) -> u64 {
        self.listings.load(Ordering::Relaxed)
    }
}

/// Ends with the connection.
fn converse(stream: &TcpStream, folder: &Folder, listings: &AtomicU64, lines: &AtomicU64) -> Option<()> {
    let mut out = stream;
    let mut say = |line: &str| write!(out, "{line}\r\n").ok();
    say("220 hello")?;
    let mut door = None;
    for line in BufReader::new(stream).lines() {
        let line = line.ok()?;
        let (verb, path) = line.split_once(' ').unwrap_or((&line, "/"));
        match verb {
            "USER" => say("331 and the password?")?,
            "PASS" => say("230 in")?,
            "FEAT" => say("211-these\r\n MLST type*;size*;modify*;\r\n SIZE\r\n MDTM\r\n UTF8\r\n211 end")?,
            "SIZE" => say("213 3")?,
            "MDTM" => say("213 20200102030405")?,
            "CWD" => say("250 there")?,
            "EPSV" => {
                let listener = TcpListener::bind("127.0.0.1:0").ok()?;
                let port = listener.local_addr().ok()?.port();
                door = Some(listener);
                say(&format!("229 Extended (|||{port}|)"))?;
            }
            "MLSD" | "RETR" => {
                let (text, is_endless) = match verb {
                    "MLSD" => folder(path),
                    _ => ("abc".to_owned(), false),
                };
                listings.fetch_add(u64::from(verb == "MLSD"), Ordering::Relaxed);
                say("150 here it comes")?;
                let (mut data, _) = door.take()?.accept().ok()?;
                let mut number = 0u64;
                loop {
                    let piece = text.replace("{n}", &number.to_string());
                    if data.write_all(piece.as_bytes()).is_err() || !is_endless {
                        break;
                    }
                    number += 1;
                    lines.fetch_add(1, Ordering::Relaxed);
                }
                drop(data);
                say("226 that was it")?;
            }
            _ => say("200 fine")?,
        }
    }
    Some(())
}

fn file(name: &str) -> String {
    format!("type=file;size=3;modify=20200102030405; {name}\r\n")
}

fn folders(names: &[&str]) -> String {
    let lines: Vec<String> = names.iter().map(|name| format!("type=dir; {name}\r\n")).collect();
    lines.concat()
}

#[test]
fn case23_folders_that_hold_themselves_are_walked_some_levels_deep() {
    // A chain with a file at each level, and a tree that doubles with each.
    for (names, has_files, listings_max) in [(vec!["d"], true, 20), (vec!["a", "b"], false, 1100)] {
        let held = folders(&names);
        let server = Fabulist::start(move |path| {
            let is_root = path.trim_end_matches('/').is_empty();
            let read_me = if has_files || is_root {
                file("read.me")
            } else {
                String::new()
            };
            (held.clone() + &read_me, false)
        });
        let gleaner = Gleaner::new();
        let finished = gleaner.run(&arguments(&server.url, &[]));
        finished.expect_code(&[0]);
        assert!(
            cuts(&gleaner).contains_key("trap-repeating"),
            "{names:?}: {finished}"
        );
        let listings = server.listings();
        assert!(listings < listings_max, "{names:?}: {listings} listings");
        let documents = documents(&gleaner).len();
        let most = if has_files { 12 } else { 1 };
        assert!((1..=most).contains(&documents), "{names:?}: {documents}");
        expect_sound(&gleaner);
        // What was left out is not called gone, and nothing is new the next time.
        let again = gleaner.run(&["track", "--json", "--delay", "0"]);
        let told = again.json();
        assert_eq!(
            (&told["new"], &told["missing"], &told["updated"], &told["errors"]),
            (&0.into(), &0.into(), &0.into(), &0.into()),
            "{names:?}: {again}"
        );
    }
}

#[test]
fn case23_honest_trees_with_names_that_repeat_are_walked_whole() {
    let levels = 12;
    let server = Fabulist::start(move |path| {
        let depth = path.split('/').filter(|name| !name.is_empty()).count();
        let held = match depth {
            depth if depth >= levels => String::new(),
            depth if depth % 2 == 0 => folders(&["node_modules"]),
            depth => folders(&[&format!("package-{depth}")]),
        };
        (held + &file(&format!("index-{depth}")), false)
    });
    let gleaner = Gleaner::new();
    gleaner.run(&arguments(&server.url, &[])).expect_code(&[0]);
    assert_eq!(documents(&gleaner).len(), levels + 1);
    assert!(cuts(&gleaner).is_empty(), "{:?}", cuts(&gleaner));
}

#[test]
fn case23_time_holds_for_a_listing_without_end() {
    let server = Fabulist::start(|path| match path.trim_end_matches('/') {
        "" => (file("a.txt") + &folders(&["endless"]), false),
        _ => (file("entry-{n}"), true),
    });
    let gleaner = Gleaner::new();
    let finished = gleaner.run(&arguments(
        &server.url,
        &["--max-time", "2s", "--fetch-timeout", "600"],
    ));
    finished.expect_code(&[0]);
    let note = finished.json()["note"].as_str().unwrap_or_default().to_owned();
    assert!(note.starts_with("limit-time"), "{finished}");
    assert_eq!(documents(&gleaner).len(), 1, "what was listed before is there");
    assert_eq!(
        reason_of(&gleaner, &format!("{}endless/", server.url)),
        "limit-time"
    );
    expect_sound(&gleaner);
}

#[test]
fn case23_the_limit_of_pages_holds_for_a_listing_without_end() {
    let server = Fabulist::start(|path| match path.trim_end_matches('/') {
        "" => (folders(&["endless"]), false),
        _ => (file("entry-{n}"), true),
    });
    let gleaner = Gleaner::new();
    let finished = gleaner.run(&arguments(
        &server.url,
        &["--max-pages", "20", "--per-host", "4", "--fetch-timeout", "600"],
    ));
    finished.expect_code(&[0]);
    let note = finished.json()["note"].as_str().unwrap_or_default().to_owned();
    assert!(note.starts_with("limit-pages"), "{finished}");
    assert_eq!(
        documents(&gleaner).len(),
        20,
        "entries are fetched while the listing goes on"
    );
    assert_eq!(
        reason_of(&gleaner, &format!("{}endless/", server.url)),
        "limit-pages"
    );
    let lines = server.lines.load(Ordering::Relaxed);
    assert!(
        lines < 900_000,
        "{lines} lines of a listing that nobody wanted any more"
    );
    expect_sound(&gleaner);
    // Nothing is called gone by a listing that was broken off.
    let again = gleaner.run(&["track", "--json", "--delay", "0", "--max-pages", "20"]);
    assert_eq!(again.json()["missing"], 0, "{again}");
}

/// A tenth of this in `case23_of_a_long_listing_a_piece_is_held_and_the_unit_waits`; here the memory itself is looked at.
#[test]
#[ignore = "takes hours: make soak"]
fn soak_case23_a_million_entries_take_little_memory() {
    let million: String = (0..1_000_000)
        .map(|n| file(&format!("some-file-name-{n:07}.txt")))
        .collect();
    let server = Fabulist::start(move |path| match path.trim_end_matches('/') {
        "" => (folders(&["long"]), false),
        _ => (million.clone(), false),
    });
    let gleaner = Gleaner::new();
    let mut running = gleaner.spawn(&arguments(
        &server.url,
        &["--per-host", "1", "--max-pages", "10", "--fetch-timeout", "600"],
    ));
    let mut peak = 0;
    while !running.has_ended() {
        peak = peak.max(peak_kb(running.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(peak > 0 && peak < 140 * 1024, "{peak} kB");
}
