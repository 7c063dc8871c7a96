//! A folder in which a new user works: a site that changes, projects that collected it, and the files that examples name.
//!
//! Addresses of examples (`https://example.com/`) stand for the site on the loopback; what is typed goes through a shell.

use crate::documents::made;
use gleaner_testkit::hostile::{HostileServer, Response, dynamic, page, status, text};
use gleaner_testkit::program::{Finished, Running, find_binary};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// No example takes longer.
const DEADLINE: Duration = Duration::from_mins(3);
/// Pages of the site besides its first one: examples speak of document 17.
const PAGES: usize = 24;

pub(crate) struct World {
    folder: TempDir,
    pub(crate) server: HostileServer,
    edition: Arc<AtomicUsize>,
}

impl World {
    /// The site and the files; nothing is collected yet.
    pub(crate) fn new() -> World {
        let edition = Arc::new(AtomicUsize::new(1));
        let server = site(&edition);
        let world = World {
            folder: tempfile::tempdir().expect("a folder"),
            server,
            edition,
        };
        world.write_files();
        world
    }

    /// Runs 1 to 4 of `manual`, one of `site`, one of a project that nobody named, 7 that was killed, one of `shop`.
    pub(crate) fn collected() -> World {
        let world = World::new();
        let say = |line: &str| {
            let finished = world.run_in(world.folder.path(), line);
            finished.expect_code(&[0]);
        };
        say("gleaner crawl https://example.com/ --name manual");
        for _ in 0..3 {
            world.edition.fetch_add(1, Ordering::Relaxed);
            say("gleaner track manual");
        }
        say("gleaner crawl https://example.com/ --name site");
        say("gleaner crawl https://example.com/");
        world.kill_run_seven();
        say("gleaner crawl https://example.com/ --name shop");
        // A document that is known by its address has two versions, too.
        world.edition.fetch_add(1, Ordering::Relaxed);
        say("gleaner track shop");
        say("echo hush | gleaner secret set token");
        world
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A run that somebody killed in the middle.
    fn kill_run_seven(&self) {
        let mut command = self.shell(
            self.folder.path(),
            "exec gleaner crawl https://example.com/slow/ --name slow --per-host 1",
        );
        command.stdin(Stdio::null());
        let mut running = Running::start(command).expect("a shell");
        let has_begun = || {
            self.server
                .requests()
                .iter()
                .any(|request| request.path() == "/slow/")
        };
        while !has_begun() && !running.has_ended() {
            std::thread::yield_now();
        }
        running.kill9();
    }

    /// A line of an example, in a copy of the folder: what one does, the next does not see.
    pub(crate) fn run(&self, line: &str) -> Finished {
        let copy = self.copy();
        self.run_in(copy.path(), line)
    }

    pub(crate) fn copy(&self) -> TempDir {
        let copy = tempfile::tempdir().expect("a folder");
        let done = Command::new("cp")
            .arg("-a")
            .arg(format!("{}/.", self.folder.path().display()))
            .arg(copy.path())
            .status();
        assert!(done.is_ok_and(|done| done.success()), "the folder is copied");
        copy
    }

    pub(crate) fn run_in(&self, folder: &Path, line: &str) -> Finished {
        let mut command = self.shell(folder, line);
        command.stdin(Stdio::null());
        Running::start(command).expect("a shell").wait(DEADLINE)
    }

    fn shell(&self, folder: &Path, line: &str) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-e", "-c", &self.here(line)])
            .current_dir(folder)
            .env("PATH", self.search_path())
            .env("XDG_CONFIG_HOME", folder.join("config"))
            .env("HOME", folder)
            .env("EDITOR", "true")
            .env("LC_ALL", "C.UTF-8")
            .env_remove("GLEANER_DATA")
            .env_remove("VISUAL");
        command
    }

    fn search_path(&self) -> String {
        let usual = std::env::var("PATH").unwrap_or_default();
        format!("{}:{usual}", self.folder.path().join("bin").display())
    }

    /// The same line with the addresses of this world.
    pub(crate) fn here(&self, line: &str) -> String {
        let base = self.server.url("");
        let base = base.trim_end_matches('/');
        let host = base.trim_start_matches("http://");
        let mut line = line.to_owned();
        for (theirs, ours) in [
            ("cargo run --release -- ", "gleaner "),
            ("https://example.com", base),
            ("https://a.example", base),
            ("https://a.test", base),
            ("https://b.test", base),
            ("http://example.com", base),
            ("host:example.org", "host:127.0.0.1"),
            ("example.com", host),
        ] {
            line = line.replace(theirs, ours);
        }
        line
    }

    /// What was said, with the addresses of examples again.
    pub(crate) fn there(&self, folder: &Path, said: &str) -> String {
        let base = self.server.url("");
        let base = base.trim_end_matches('/').to_owned();
        let host = base.trim_start_matches("http://").to_owned();
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let mut said = said.to_owned();
        for (ours, theirs) in [
            (real.display().to_string(), "FOLDER"),
            (folder.display().to_string(), "FOLDER"),
            (base, "https://example.com"),
            (host, "example.com"),
        ] {
            said = said.replace(&ours, theirs);
        }
        said
    }

    fn write_files(&self) {
        let at = |name: &str| self.folder.path().join(name);
        let write = |name: &str, bytes: &[u8]| std::fs::write(at(name), bytes).expect("a file");
        std::fs::create_dir(at("bin")).expect("a folder");
        wrap(&find_binary().expect("the gleaner binary"), &at("bin/gleaner"));
        let base = self.server.url("/");
        write(
            "urls.txt",
            format!("# mine\n{base}\n{base}about.html\n").as_bytes(),
        );
        write("terms.txt", b"harbour\nopening hours\n");
        write("password.txt", b"hush\n");
        write(
            "paper.pdf",
            &made::pdf("The harbour is open", "https://example.com/"),
        );
        write("report.docx", &made::docx("https://example.com/"));
        write("book.epub", &epub());
        let (monday, tuesday) = (
            "a81f3c9e5d7b2046a81f3c9e5d7b2046",
            "0c5e7d91b3f246880c5e7d91b3f24688",
        );
        let list = |sid: &str| -> String {
            (1..40).fold(String::new(), |mut list, page| {
                let _never_fails = writeln!(list, "https://example.com/{page}.html?sid={sid}");
                list
            })
        };
        write("monday.txt", list(monday).as_bytes());
        write("tuesday.txt", list(tuesday).as_bytes());
        write("links.txt", list(monday).as_bytes());
        write(
            "links.tsv",
            b"https://a.test/\thttps://b.test/\nhttps://b.test/\thttps://a.test/\n",
        );
        let board = format!(
            "name = \"board\"\nsources = [\"{base}\"]\n[limits]\npages = 5\n[manners]\ndelay = \"0\"\n"
        );
        write("board.toml", board.as_bytes());
        let library = format!(
            "name = \"crawling\"\ntopic = [\"harbour\"]\nsites = [\"{base}\"]\n[manners]\ndelay = \"0\"\n"
        );
        write("crawling.toml", library.as_bytes());
    }
}

/// The binary as people call it, without the pauses that a site of others would get.
fn wrap(binary: &Path, at: &PathBuf) {
    let script = format!(
        "#!/bin/sh\n\
         [ -z \"$RAW\" ] || exec {0} \"$@\"\n\
         case \"$1 $2\" in\n\
         *--help*|*-h\\ *) exec {0} \"$@\" ;;\n\
         'crawl '|crawl\\ -h) exec {0} \"$@\" ;;\n\
         crawl\\ *|track*|mirror\\ *|'project run'|'project try')\n\
           case \"$*\" in *--delay*|*--help*) exec {0} \"$@\" ;; esac\n\
           exec {0} \"$@\" --delay 0 ;;\n\
         esac\n\
         exec {0} \"$@\"\n",
        binary.display()
    );
    std::fs::write(at, script).expect("a script");
    let made = Command::new("chmod").arg("+x").arg(at).status();
    assert!(made.is_ok_and(|made| made.success()), "a script that runs");
}

fn site(edition: &Arc<AtomicUsize>) -> HostileServer {
    let server = HostileServer::start();
    server.route("/robots.txt", text("User-agent: *\nDisallow: /private/"));
    let now = Arc::clone(edition);
    server.route(
        "/",
        dynamic(move |_| {
            let mut html = format!(
                "<title>The harbour</title><h1>The harbour</h1><p>Edition {} of the harbour guide.</p><a href=/about.html>about</a>",
                now.load(Ordering::Relaxed)
            );
            for number in 1..=PAGES {
                let _never_fails = write!(html, "<a href=/docs/{number}.html>quay {number}</a> ");
            }
            html.push_str("<a href=/docs/>docs</a> <a href=/paper.pdf>paper</a> <a href=/report.pdf>report</a>");
            page(html)
        }),
    );
    server.route(
        "/about.html",
        page("<title>About</title><p>The harbour museum is about ships. <a href=/>home</a> <a href=/dead>x</a></p>"),
    );
    for number in 1..=PAGES {
        let now = Arc::clone(edition);
        server.route(
            &format!("/docs/{number}.html"),
            dynamic(move |_| {
                let edition = now.load(Ordering::Relaxed);
                let entry = if edition < 3 { "There is free entry on Sundays." } else { "" };
                page(format!(
                    "<title>Quay {number} of the harbour</title><h1>Quay {number}</h1>\
                     <p>The opening hours of quay {number} are from {edition} to {} o'clock. {entry}</p>\
                     <p>It was opened to the public with a price of {number}.{edition}0 and {number} views.</p>\
                     <a href=/>home</a> <a href=/about.html>about</a>",
                    edition + 8
                ))
            }),
        );
    }
    let quays = "<title>All quays</title><p>The quays of the harbour.</p><a href=/docs/1.html>one</a>";
    server.route("/docs/", page(quays));
    for path in ["/paper.pdf", "/report.pdf"] {
        let paper = made::pdf(&format!("The harbour in {path}"), "https://example.com/");
        server.route(path, of_type("application/pdf", paper));
    }
    server.route("/picture.png", of_type("image/png", b"\x89PNG\r\n\x1a\n"));
    server.route(
        "/closed",
        status(401).with_header("www-authenticate", "Basic realm=\"x\""),
    );
    let many = (0..500).fold(String::new(), |mut html, number| {
        let _never_fails = write!(html, "<a href=/slow/{number}>x</a>");
        html
    });
    server.route("/slow/", page(many));
    server
}

pub(crate) fn of_type(media_type: &str, body: impl AsRef<[u8]>) -> Response {
    status(200)
        .with_header("Content-Type", media_type)
        .with_body(body)
}

fn epub() -> Vec<u8> {
    let container = r#"<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>"#;
    let package = r#"<package><metadata><title>A book</title></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>"#;
    let chapter = "<html><body><h1>One</h1><p>The harbour in a book.</p></body></html>";
    made::zip(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container.as_bytes()),
        ("book.opf", package.as_bytes()),
        ("a.xhtml", chapter.as_bytes()),
    ])
}
