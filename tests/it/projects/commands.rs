//! `gleaner project`: from a new file to a collected site, and what becomes of projects afterwards.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up ends")]

use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, Script, page};
use gleaner_testkit::program::{Finished, Running};
use std::path::Path;
use std::time::Duration;

/// A folder of its own, in which the commands are given.
pub(super) struct Desk {
    pub(super) gleaner: Gleaner,
    folder: tempfile::TempDir,
}

impl Desk {
    pub(super) fn new() -> Desk {
        Desk {
            gleaner: Gleaner::new(),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Finished {
        self.run_with(arguments, &[])
    }

    pub(super) fn run_with(&self, arguments: &[&str], env: &[(&str, &str)]) -> Finished {
        let mut command = self.gleaner.command(arguments);
        command.current_dir(self.path()).envs(env.iter().copied());
        command.stdin(std::process::Stdio::null());
        Running::start(command).unwrap().wait(Duration::from_mins(1))
    }

    /// The same for somebody who types these lines.
    pub(super) fn answer(&self, arguments: &[&str], env: &[(&str, &str)], lines: &str) -> Finished {
        self.write("typed", lines);
        let mut command = self.gleaner.command(arguments);
        command.current_dir(self.path()).envs(env.iter().copied());
        let typed = std::fs::File::open(self.path().join("typed")).unwrap();
        Running::start_on(command, typed.into())
            .unwrap()
            .wait(Duration::from_mins(1))
    }

    pub(super) fn well(&self, arguments: &[&str]) -> Finished {
        let finished = self.run(arguments);
        finished.expect_code(&[0]);
        finished
    }

    /// Fails in one sentence that has these words.
    pub(super) fn badly(&self, arguments: &[&str], code: i32, words: &[&str]) {
        let finished = self.run(arguments);
        finished.expect_code(&[code]);
        assert!(finished.stdout.is_empty(), "{finished}");
        for word in words {
            assert!(finished.stderr.contains(word), "{word:?} is missing: {finished}");
        }
        let with_json: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        let finished = self.run(&with_json);
        finished.expect_code(&[code]);
        assert!(finished.json()["error"].is_string(), "{finished}");
    }

    fn names(&self) -> Vec<String> {
        let listed = self.well(&["project", "list", "--json"]).json_lines();
        let name = |line: &serde_json::Value| line["project"].as_str().unwrap().to_owned();
        listed.iter().map(name).collect()
    }
}

pub(super) const BOARD: &str = "name = \"board\"\nsources = [\"https://board.example/\"]\n";

#[test]
fn from_a_new_file_to_a_collected_site() {
    let server = HostileServer::start();
    server.route("/", page("<a href=/a>a</a> <a href=/print/a>print</a>"));
    server
        .route("/a", page("<p>a"))
        .route("/print/a", page("<p>a, printed"));
    let desk = Desk::new();

    let made = desk.well(&["project", "new", "board", &server.url("/")]);
    assert!(made.stdout.contains("gleaner project try board.toml"), "{made}");
    desk.badly(
        &["project", "new", "board", "https://b.example/"],
        3,
        &["already", "--file"],
    );
    desk.well(&["project", "check", "board.toml"]);

    // Somebody fills it in.
    let text = desk.read("board.toml")
        + "\n[manners]\ndelay = \"0\"\nprivate = true\n\n[[rule]]\ndeny = \"*/print/*\"\nnote = \"the same again\"\n";
    desk.write("board.toml", &text);
    let checked = desk.well(&["project", "check", "board.toml"]);
    assert!(
        checked.stdout.contains("no mistakes; 1 source, 1 rule"),
        "{checked}"
    );
    let stored = desk.well(&["project", "import", "board.toml"]);
    assert!(stored.stdout.contains("gleaner track board"), "{stored}");
    assert_eq!(desk.names(), ["board"]);
    let list = desk.well(&["project", "list"]);
    assert!(
        list.stdout.contains("board") && list.stdout.contains("never ran"),
        "{list}"
    );

    let first = desk.well(&["track", "board", "--json"]).json();
    assert_eq!(
        (&first["project"], &first["new"]),
        (&"board".into(), &2.into()),
        "{first}"
    );
    let again = desk.well(&["track", "board", "--json"]).json();
    assert_eq!((&again["same"], &again["new"]), (&2.into(), &0.into()), "{again}");
    desk.well(&["verify"]);
    let line = &desk.well(&["project", "list", "--json"]).json_lines()[0];
    assert_eq!(
        (&line["runs"], &line["documents"]),
        (&2.into(), &2.into()),
        "{line}"
    );
    assert_eq!(line["last_run"]["status"], "finished");

    // Rules that come later: what they no longer take is OUT.
    desk.write("board.toml", &(text + "\n[[rule]]\ndeny = \"*/a\"\n"));
    desk.badly(&["project", "import", "board.toml"], 3, &["--replace"]);
    desk.well(&["project", "import", "board.toml", "--replace"]);
    let later = desk.well(&["track", "board", "--json"]).json();
    assert_eq!((&later["same"], &later["out"]), (&1.into(), &1.into()), "{later}");
}

#[test]
fn what_is_shown_and_exported_reads_back() {
    let desk = Desk::new();
    let all = "name = \"all\"\nsources = [\"https://board.example/\", \"./docs\"]\nscope = \"domain\"\nschedule = \"every 6h\"\n\
        cookies_file = \"cookies.txt\"\n[limits]\nbytes = \"2GB\"\n[headers]\nX-Token = \"env:TOKEN\"\n\
        [[rule]]\nallow = 'regex:/t/\\d+'\n[[step]]\nname = \"s\"\nurl = \"https://board.example/s\"\nform = \"fitting\"\n\
        fields = { q = \"x\", doc = \"upload:a.pdf\" }\n[[step]]\nname = \"t\"\nlinks = \"a.t\"\n";
    desk.write("all.toml", all);
    std::fs::create_dir(desk.path().join("docs")).unwrap();
    let stored = desk.well(&["project", "import", "all.toml"]);
    for warning in ["this variable is not set now: TOKEN", "cookies.txt", "a.pdf"] {
        assert!(stored.stderr.contains(warning), "{warning}: {stored}");
    }

    let shown = desk.well(&["project", "show", "all"]).stdout;
    let here = desk.path().canonicalize().unwrap();
    let cookies = format!("cookies_file = \"{}\"", desk.path().join("cookies.txt").display());
    let docs = format!("file://{}/docs/", here.display());
    for whole in [cookies.as_str(), &docs, "upload:/"] {
        assert!(shown.contains(whole), "{whole}: {shown}");
    }
    assert_eq!(
        shown.matches("[[step]]").count(),
        2,
        "a page with its form is one step: {shown}"
    );
    assert_eq!(desk.well(&["project", "export", "all"]).stdout, shown);
    desk.well(&["project", "export", "all", "again.toml"]);
    desk.badly(&["project", "export", "all", "again.toml"], 3, &["--replace"]);
    desk.well(&["project", "export", "all", "again.toml", "--replace"]);
    assert_eq!(desk.read("again.toml"), shown);
    assert_eq!(desk.well(&["project", "show", "again.toml"]).stdout, shown);
    desk.well(&["project", "check", "all"]);

    let json = |name: &str| desk.well(&["project", "show", name, "--json"]).json();
    let before = json("all");
    assert_eq!(before["steps"].as_array().unwrap().len(), 3);
    desk.well(&["project", "import", "again.toml", "--replace"]);
    assert_eq!(json("all"), before);
    assert!(desk.well(&["project", "export", "all", "--json"]).json()["toml"].is_string());
}

#[test]
fn projects_are_renamed_copied_and_removed() {
    let server = HostileServer::start();
    server.route("/", page("<p>one page"));
    let desk = Desk::new();
    desk.well(&["crawl", &server.url("/"), "--name", "used", "--delay", "0"]);
    desk.well(&["project", "copy", "used", "copy"]);
    assert_eq!(desk.names(), ["used", "copy"]);
    assert_eq!(
        desk.well(&["project", "show", "copy", "--json"]).json()["delay_ms"],
        0
    );
    desk.badly(
        &["project", "copy", "used", "copy"],
        3,
        &["already a project of that name", "copy"],
    );
    desk.badly(
        &["project", "rename", "used", "copy"],
        3,
        &["already a project of that name", "copy"],
    );
    desk.badly(
        &["project", "rename", "none", "x"],
        3,
        &["no such project", "used, copy"],
    );
    desk.badly(
        &["project", "rename", "used", "a/b"],
        2,
        &["a name cannot contain `/`"],
    );

    desk.well(&["project", "rename", "used", "kept"]);
    assert_eq!(desk.names(), ["kept", "copy"]);
    assert_eq!(desk.well(&["ls", "--project", "kept"]).stdout.lines().count(), 1);
    assert!(desk.well(&["runs"]).stdout.contains("kept"));
    desk.well(&["track", "kept"]);

    desk.badly(
        &["project", "remove", "copy"],
        2,
        &["--yes", "only its settings are removed"],
    );
    assert_eq!(desk.names(), ["kept", "copy"], "nothing goes without a yes");
    let removed = desk
        .well(&["project", "remove", "copy", "--yes", "--json"])
        .json();
    assert_eq!(removed["removed"], "whole");
    desk.badly(&["project", "show", "copy"], 3, &["no such project"]);
    desk.well(&["project", "copy", "kept", "copy"]);

    // What has a history keeps it.
    let removed = desk.well(&["project", "remove", "kept", "--yes"]);
    assert!(
        removed.stdout.contains("history stays (2 runs, 1 document)"),
        "{removed}"
    );
    assert_eq!(desk.names(), ["copy"]);
    let all = desk.well(&["project", "list", "--all"]);
    assert!(
        all.stdout.contains("kept") && all.stdout.contains("removed"),
        "{all}"
    );
    assert_eq!(desk.well(&["runs"]).stdout.lines().count(), 2);
    assert_eq!(desk.well(&["ls"]).stdout.lines().count(), 1);
    desk.well(&["verify"]);
    desk.badly(&["project", "remove", "kept", "--yes"], 3, &["removed already"]);
    // Its name is still its own, and using it brings it back.
    desk.badly(
        &["project", "copy", "copy", "kept"],
        3,
        &["already a project of that name"],
    );
    desk.well(&["crawl", &server.url("/"), "--name", "kept", "--delay", "0"]);
    assert_eq!(desk.names(), ["kept", "copy"]);
}

#[test]
fn nothing_is_removed_while_a_run_is_going() {
    let server = HostileServer::start();
    server.route("/", page("<a href=/slow>slow</a>"));
    server.route("/slow", Script::new().wait_close());
    let desk = Desk::new();
    desk.write("other.toml", BOARD);
    let start = server.url("/");
    let running = desk
        .gleaner
        .spawn(&["crawl", &start, "--name", "busy", "--delay", "0"]);
    assert!(server.wait_until(Duration::from_secs(30), |server| server.hits("/slow") == 1));
    desk.badly(
        &["project", "remove", "busy", "--yes"],
        3,
        &["seems to be running", "busy"],
    );
    desk.badly(
        &["project", "rename", "busy", "idle"],
        3,
        &["is using the folder"],
    );
    desk.badly(&["project", "import", "other.toml"], 3, &["is using the folder"]);
    assert!(
        desk.well(&["project", "list"]).stdout.contains("running"),
        "reading goes on"
    );
    drop(running);
    desk.well(&["project", "rename", "busy", "idle"]);
}

#[test]
fn broken_and_missing_files_are_refused() {
    let desk = Desk::new();
    desk.badly(
        &["project", "check", "none.toml"],
        3,
        &["cannot be read", "none.toml"],
    );
    desk.badly(&["project", "list"], 3, &["no Gleaner data"]);
    desk.badly(&["project", "show", "board"], 3, &["no Gleaner data"]);
    desk.write(
        "board.toml",
        "name = \"board\"\nsources = [\"board.example\"]\nscope = \"hots\"\n",
    );
    desk.badly(
        &["project", "import", "board.toml"],
        3,
        &[
            "board.toml:2:12",
            "https://board.example",
            "2 mistakes; nothing was stored",
        ],
    );
    assert!(
        !desk.gleaner.data().exists(),
        "no folder is made for a file that is refused"
    );
    let answer = desk.run(&["project", "import", "board.toml", "--json"]).json();
    assert_eq!(answer["mistakes"][1]["line"], 3, "{answer}");

    desk.write("board.toml", BOARD);
    desk.well(&["project", "import", "board.toml"]);
    desk.write("other.toml", &BOARD.replace("board\"", "other\""));
    desk.badly(
        &["project", "show", "other"],
        3,
        &["to use the file, write other.toml"],
    );
    std::fs::write(desk.path().join("latin.toml"), b"name = \"caf\xe9\"\n").unwrap();
    let latin = desk.run(&["project", "check", "latin.toml"]);
    latin.expect_code(&[1]);
    assert!(
        latin.stdout.contains("latin.toml:1:12: this is not UTF-8"),
        "{latin}"
    );
    std::fs::write(
        desk.path().join("bom.toml"),
        format!("\u{feff}{BOARD}").replace('\n', "\r\n"),
    )
    .unwrap();
    desk.well(&["project", "check", "bom.toml"]);
}

/// What the documentation shows is right as it stands.
#[test]
fn the_examples_of_the_documentation_have_no_mistakes() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/projects.md");
    let text = std::fs::read_to_string(page).unwrap();
    let desk = Desk::new();
    let examples: Vec<&str> = text
        .split("```toml\n")
        .skip(1)
        .filter_map(|part| part.split("```").next())
        .collect();
    assert!(examples.len() >= 4, "{}", examples.len());
    for example in examples {
        desk.write("example.toml", example);
        let checked = desk.run(&["project", "check", "example.toml"]);
        assert_eq!(checked.code(), Some(0), "{checked}");
    }
}

/// Projects that a crawl made by itself, whatever their names, can be shown and taken elsewhere.
#[test]
fn what_a_crawl_made_can_be_exported() {
    let desk = Desk::new();
    let folder = desk.path().join("My Docs");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("a.txt"), "a").unwrap();
    desk.well(&["crawl", "./My Docs", "--max-pages", "9", "--deny", "/x$"]);
    // No name is made or taken that an export would refuse.
    assert_eq!(desk.names(), ["My-Docs"]);
    desk.badly(
        &["crawl", "./My Docs", "--name", "My Docs"],
        2,
        &["a space", "My-Docs"],
    );
    desk.well(&["project", "export", "My-Docs", "my-docs.toml"]);
    desk.well(&["project", "rename", "My-Docs", "docs"]);
    desk.well(&["project", "export", "docs", "docs.toml"]);
    desk.well(&["project", "check", "docs.toml"]);
    let before = desk.well(&["project", "show", "docs", "--json"]).json();
    desk.well(&["project", "import", "docs.toml", "--replace"]);
    assert_eq!(desk.well(&["project", "show", "docs", "--json"]).json(), before);
    let tracked = desk.well(&["track", "docs", "--json"]).json();
    assert_eq!(tracked["same"], 1, "{tracked}");
}
