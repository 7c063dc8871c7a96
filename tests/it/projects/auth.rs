//! Who we are, without a form (A4): Basic and Digest, client certificates, cookies of a browser; against Apache.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up ends")]

use super::commands::Desk;
use gleaner_testkit::hostile::{HostileServer, dynamic, page, status};
use gleaner_testkit::servers::ApacheServer;
use std::io::Read;
use std::path::Path;

fn site(site: &Path) {
    for folder in ["basic", "digest", "open"] {
        std::fs::create_dir(site.join(folder)).unwrap();
        let link = |number: u32| format!("<a href={number}.html>page {number}</a> ");
        let links = (1..=5).map(link).collect::<Vec<_>>().concat();
        std::fs::write(
            site.join(folder).join("index.html"),
            format!("<title>{folder}</title>{links}"),
        )
        .unwrap();
        for number in 1..=5 {
            let text = format!("<title>{folder} {number}</title><p>Page {number} of {folder}.");
            std::fs::write(site.join(folder).join(format!("{number}.html")), text).unwrap();
        }
    }
}

fn apache() -> Option<ApacheServer> {
    match ApacheServer::start(site) {
        Ok(server) => Some(server),
        Err(error) if error.to_string().contains("not installed") => {
            gleaner_fixtures::skip(error);
            None
        }
        Err(error) => panic!("{error:#}"),
    }
}

fn project(name: &str, url: &str, more: &str) -> String {
    format!(
        "name = \"{name}\"\nsources = [\"{url}\"]\nscope = \"subtree\"\nsitemaps = \"off\"\n[limits]\ntries = 1\n\
         [manners]\ndelay = \"0\"\nprivate = true\nrobots = false\n{more}"
    )
}

/// Everything in the archive, unpacked.
fn archived(desk: &Desk) -> String {
    let files = std::fs::read_dir(desk.gleaner.data().join("archive")).unwrap();
    let mut all = Vec::new();
    for file in files.flatten() {
        let file = std::fs::File::open(file.path()).unwrap();
        flate2::read::MultiGzDecoder::new(file)
            .read_to_end(&mut all)
            .unwrap();
    }
    String::from_utf8_lossy(&all).into_owned()
}

const RIGHT: &str = "[auth]\nuser = \"reader\"\npassword = \"env:P\"\n";

#[test]
fn a4_basic_and_digest_as_the_server_asks() {
    let Some(server) = apache() else { return };
    for folder in ["basic", "digest"] {
        let desk = Desk::new();
        desk.write(
            "p.toml",
            &project("p", &server.url(&format!("/{folder}/")), RIGHT),
        );
        let before = server.log().len();
        let ran = desk.run_with(&["project", "run", "p.toml", "--json"], &[("P", "sesame")]);
        ran.expect_code(&[0]);
        assert_eq!(ran.json()["new"], 6, "{folder}: {ran}");
        let log = server.log().split_off(before);
        let refused = log.iter().filter(|line| line.starts_with("401 ")).count();
        assert_eq!((refused, log.len()), (1, 7), "{folder} asks once: {log:?}");
        let again = desk.run_with(&["track", "--json"], &[("P", "sesame")]);
        assert_eq!(again.json()["same"], 6, "{folder}: {again}");
        // Neither the password nor what is made of it lies in the archive.
        let secrets = ["sesame", "cmVhZGVyOnNlc2FtZQ", "response="];
        let archived = archived(&desk);
        assert!(archived.contains("Authorization: [hidden]"), "{folder}");
        assert!(
            secrets.iter().all(|secret| !archived.contains(secret)),
            "{folder}"
        );

        // A wrong one is tried once, and not for every page.
        let before = server.log().len();
        let wrong = desk.run_with(&["track", "--json"], &[("P", "barley")]);
        assert_eq!(wrong.json()["missing"], 0, "refused is not gone: {wrong}");
        assert!(wrong.json()["errors"].as_u64().unwrap() >= 1, "{wrong}");
        let log = server.log().split_off(before);
        assert!(log.len() <= 7, "{folder}: {log:?}");
        assert!(!wrong.to_string().contains("barley"), "{wrong}");
    }
}

#[test]
fn a4_basic_and_digest_from_the_command_line() {
    let Some(server) = apache() else { return };
    let desk = Desk::new();
    let url = server.url("/digest/");
    let words = [
        "crawl", &url, "--scope", "subtree", "--delay", "0", "--user", "reader", "--json",
    ];
    let ran = desk.run_with(&words, &[("GLEANER_PASSWORD", "sesame")]);
    assert_eq!(ran.json()["new"], 6, "{ran}");
}

#[test]
fn hc064_a_password_goes_to_the_projects_own_sites_only() {
    let Some(server) = apache() else { return };
    let stranger = HostileServer::start();
    let asks = |request: &gleaner_testkit::hostile::Request| {
        assert!(request.header("authorization").is_none(), "{request:?}");
        status(401).with_header("WWW-Authenticate", "Basic realm=\"give\"")
    };
    stranger.route("/", dynamic(asks));
    let desk = Desk::new();
    let text = project("p", &server.url("/open/"), RIGHT).replace("subtree", "web");
    desk.write("p.toml", &text);
    std::fs::write(
        server.file("site/open/index.html"),
        format!("<a href=\"{}\">elsewhere</a>", stranger.url("/")),
    )
    .unwrap();
    let ran = desk.run_with(&["project", "run", "p.toml", "--json"], &[("P", "sesame")]);
    ran.expect_code(&[0]);
    assert_eq!(stranger.requests_to("/").len(), 1, "{ran}");
}

#[test]
fn a4_a_client_certificate_is_shown_to_those_who_ask() {
    let Some(server) = apache() else { return };
    let authority = server.file("authority.pem").display().to_string();
    let with = |certificate: &str| {
        let file = |end: &str| server.file(&format!("{certificate}.{end}")).display().to_string();
        format!(
            "[auth]\ncertificate = \"{}\"\nkey = \"{}\"\n",
            file("pem"),
            file("key")
        )
    };
    let desk = Desk::new();
    let url = server.secure_url("/open/");
    for (name, auth, new) in [
        ("known", with("client"), 6),
        ("unknown", with("stranger"), 0),
        ("nobody", String::new(), 0),
    ] {
        desk.write("p.toml", &project(name, &url, &auth));
        let ran = desk.run(&["project", "run", "p.toml", "--ca-file", &authority, "--json"]);
        assert_eq!(ran.json()["new"], new, "{name}: {ran}");
        if new == 0 {
            let run = ran.json()["run"].to_string();
            let report = desk.run(&["report", &run, "--format", "json"]);
            assert!(report.stdout.contains("tls-"), "{name}: {report}");
        }
    }
    // A key that is another's is told before anything is asked.
    let mixed = with("client").replace("client.key", "stranger.key");
    desk.write("p.toml", &project("mixed", &url, &mixed));
    desk.badly(
        &["project", "run", "p.toml", "--ca-file", &authority],
        3,
        &["the key is not the one of the certificate"],
    );
}

#[test]
fn a4_cookies_of_a_browser_open_the_door() {
    let server = HostileServer::start();
    let inside = |request: &gleaner_testkit::hostile::Request| {
        let cookie = request.header("cookie").unwrap_or_default();
        if cookie.contains("sid=abc") {
            page("<title>Inside</title><p>Members read this.")
        } else {
            status(403)
        }
    };
    server.route("/", dynamic(inside));
    let desk = Desk::new();
    let host = server.address().ip();
    desk.write(
        "cookies.txt",
        &format!("# Netscape HTTP Cookie File\n{host}\tFALSE\t/\tFALSE\t0\tsid\tabc\n"),
    );
    let text = project("p", &server.url("/"), "");
    desk.write("p.toml", &format!("cookies_file = \"cookies.txt\"\n{text}"));
    let ran = desk.run(&["project", "run", "p.toml", "--json"]);
    assert_eq!(ran.json()["new"], 1, "{ran}");
    desk.write("cookies.txt", "this is no such file\n");
    desk.badly(&["project", "run", "p.toml"], 3, &["cookies.txt", "line 1"]);
}
