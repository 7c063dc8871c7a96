//! What if nobody reads the output, or it takes nothing more? Printing never decides about a run.

use crate::crawled::{arguments, crawl_well, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{Action, Gate, HostileServer, Script, page};
use gleaner_testkit::program::Finished;
use std::fs::File;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const SOON: Duration = Duration::from_mins(1);

/// Where an output leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sink {
    /// A pipe whose reader is gone: `| true`.
    ClosedPipe,
    /// `> /dev/full`.
    Full,
    /// `>&-`.
    Closed,
}

impl Sink {
    fn open(self) -> Stdio {
        match self {
            Sink::ClosedPipe => std::io::pipe().expect("a pipe").1.into(),
            Sink::Full => File::options()
                .write(true)
                .open("/dev/full")
                .expect("/dev/full")
                .into(),
            Sink::Closed => Stdio::null(), // The shell closes it.
        }
    }
}

/// Runs a command to its end with one of its outputs led there.
fn run_into(gleaner: &Gleaner, args: &[&str], (number, sink): (u8, Sink)) -> Output {
    let inner = gleaner.command(args);
    let mut command = Command::new("sh");
    let close = match sink {
        Sink::Closed => format!("exec \"$@\" {number}>&-"),
        _ => "exec \"$@\"".to_owned(),
    };
    command.args(["-c", &close, "sh"]).arg(inner.get_program());
    command
        .args(inner.get_args())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    match number {
        1 => command.stdout(sink.open()),
        _ => command.stderr(sink.open()),
    };
    command.output().expect("it runs")
}

fn site() -> HostileServer {
    let server = HostileServer::start();
    server
        .route("/", page(links(["/a", "/b"])))
        .route("/a", page(long("one")))
        .route("/b", page(long("two")));
    server
}

fn long(word: &str) -> String {
    format!(
        "<title>{word}</title><main><p>This page speaks of {word}, in words enough to be a text of its own.</main>"
    )
}

fn track(gleaner: &Gleaner) -> Finished {
    gleaner.run(&["track", "site", "--json", "--delay", "0", "--tries", "1"])
}

#[test]
fn case02_a_run_ends_as_it_ended_whatever_becomes_of_its_output() {
    for number in [1, 2] {
        for sink in [Sink::ClosedPipe, Sink::Full, Sink::Closed] {
            let story = format!("{sink:?} {number}");
            let (gleaner, server) = (Gleaner::new(), site());
            // What a full output could not take is said, where it can be said; a reader that went is no failure.
            let code = i32::from(number == 1 && sink == Sink::Full) * 3;
            let expect = |output: &Output| {
                assert_eq!(output.status.code(), Some(code), "{story}: {output:?}");
                let told = String::from_utf8_lossy(&output.stderr);
                if code == 3 {
                    assert!(told.contains("output cannot be written"), "{story}: {told}");
                    assert!(!told.contains("had to stop"), "{story}: {told}");
                }
            };
            let start = server.url("/");
            let crawl = arguments(&start, &["--name", "site"]);
            expect(&run_into(&gleaner, &crawl, (number, sink)));
            server.route("/a", page(long("three")));
            let again = ["track", "site", "--delay", "0", "--tries", "1"];
            expect(&run_into(&gleaner, &again, (number, sink)));
            let runs = gleaner.sqlite("SELECT kind, status FROM runs ORDER BY id");
            assert_eq!(runs, [["crawl", "finished"], ["track", "finished"]], "{story}");
            // And the next one looks at the site.
            server.route("/b", page(long("four")));
            let tracked = track(&gleaner).json();
            assert_eq!(
                (&tracked["run"], &tracked["updated"]),
                (&3.into(), &1.into()),
                "{story}"
            );
        }
    }
}

#[test]
fn case02_readers_end_quietly_or_say_that_the_output_is_full() {
    let (gleaner, server) = (Gleaner::new(), site());
    let start = server.url("/");
    crawl_well(&gleaner, &start, &["--name", "site"]);
    server.route("/a", page(long("three")));
    track(&gleaner).expect_code(&[0]);
    let a = server.url("/a");
    let copy = gleaner.data().with_file_name("copy");
    let copy = copy.display().to_string();
    let commands: [&[&str]; 12] = [
        &["ls"],
        &["runs"],
        &["report"],
        &["report", "--format", "html"],
        &["cat", &a],
        &["versions", &a],
        &["diff", &a],
        &["links", &start],
        &["explain", &a],
        &["verify"],
        &["completions", "bash"],
        &["mirror", "site", &copy],
    ];
    for command in commands {
        for json in [false, true] {
            let mut args = command.to_vec();
            args.extend(json.then_some("--json"));
            let closed = run_into(&gleaner, &args, (1, Sink::ClosedPipe));
            assert_eq!(closed.status.code(), Some(0), "{args:?}: {closed:?}");
            assert!(closed.stderr.is_empty(), "{args:?}: {closed:?}");
            let full = run_into(&gleaner, &args, (1, Sink::Full));
            let told = String::from_utf8_lossy(&full.stderr);
            assert_eq!(full.status.code(), Some(3), "{args:?}: {told}");
            assert!(told.contains("output cannot be written"), "{args:?}: {told}");
        }
    }
}

/// A run that was left with nothing to ask, by whatever hand, is ended; and then the site is looked at.
#[test]
fn case02_a_run_with_nothing_left_to_ask_is_followed_by_a_new_one() {
    let (gleaner, server) = (Gleaner::new(), site());
    crawl_well(&gleaner, &server.url("/"), &["--name", "site"]);
    track(&gleaner).expect_code(&[0]);
    for status in ["failed", "stopped", "running"] {
        let catalog = rusqlite::Connection::open(gleaner.data().join("gleaner.db")).expect("the catalog");
        let left = "UPDATE runs SET status = ?1 WHERE id = (SELECT max(id) FROM runs)";
        catalog.execute(left, [status]).expect("changed");
        catalog
            .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
            .expect("folded");
        drop(catalog);
        let _accepted = gleaner.run(&["verify", "--fix"]);
        server.forget();
        server.route("/a", page(long(&format!("what came after {status}"))));
        let before = gleaner.sqlite_number("SELECT max(id) FROM runs");
        let tracked = track(&gleaner);
        let summary = tracked.json();
        assert_eq!(summary["run"], before + 1, "{status}: {tracked}");
        assert_eq!(summary["updated"], 1, "{status}: {tracked}");
        assert!(server.hits("/a") > 0, "{status}: nobody looked");
        let open = gleaner.sqlite_number("SELECT count(*) FROM runs WHERE status <> 'finished'");
        assert_eq!(open, 0, "{status}");
    }
}

/// What still has something to ask is gone on with, and that is all.
#[test]
fn case02_a_run_that_has_something_to_ask_is_gone_on_with() {
    let (gleaner, server, gate) = (Gleaner::new(), HostileServer::start(), Gate::closed());
    server.route("/", page(links(["/held", "/later"])));
    let held = Script::new()
        .then(Action::Hold(gate.clone()))
        .send(page("held").to_bytes("GET"));
    server.route("/held", held).route("/later", page("later"));
    let start = server.url("/");
    let running = gleaner.spawn(&arguments(&start, &["--name", "site"]));
    assert!(server.wait_until(SOON, |server| server.hits("/held") == 1));
    running.kill9();
    gate.open();
    let summary = track(&gleaner).json();
    assert_eq!(
        (&summary["run"], &summary["status"]),
        (&1.into(), &"finished".into())
    );
}
