//! What the pages show: styles and pictures, also from another host. A copy with them looks like the site itself, to the pixel.

use super::browser::{address_of, files_in};
use super::{QUICK, mirror, mirror_well, words};
use crate::crawled::{crawl_well, expect_sound};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, Response, page, redirect, status};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A picture of one colour: BMP needs no compression.
fn picture(width: u32, height: u32, colour: [u8; 3]) -> Vec<u8> {
    let row = (width * 3).next_multiple_of(4);
    let size = 54 + row * height;
    let mut bytes = b"BM".to_vec();
    for number in [
        size,
        0,
        54,
        40,
        width,
        height,
        1 | 24 << 16,
        0,
        0,
        2835,
        2835,
        0,
        0,
    ] {
        bytes.extend(number.to_le_bytes());
    }
    let mut line: Vec<u8> = colour.repeat(width as usize);
    line.resize(row as usize, 0);
    bytes.extend(line.repeat(height as usize));
    bytes
}

fn of_type(media_type: &str, body: impl AsRef<[u8]>) -> Response {
    status(200)
        .with_header("Content-Type", media_type)
        .with_body(body)
}

fn image(colour: [u8; 3]) -> Response {
    of_type("image/bmp", picture(120, 80, colour))
}

/// A site whose start redirects and whose styles and pictures come from another host.
fn sites() -> (HostileServer, HostileServer) {
    let (site, parts) = (HostileServer::start(), HostileServer::start());
    let elsewhere = |path: &str| parts.url_as("localhost", path);
    site.route("/", redirect("/en/index.html"));
    site.route(
        "/en/index.html",
        page(format!(
            "<?xml version=\"1.0\"?><!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"xhtml1-strict.dtd\">\
             <html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>Town</title>\
             <link rel=\"stylesheet\" href=\"{}\" /></head><body><h1>Town library</h1>\
             <p><img src=\"own.bmp\" alt=\"own\" /> <img src=\"{}\" alt=\"theirs\" /></p>\
             <p><a href=\"two.html\">more</a> <a href=\"{}\">somewhere else</a></p><div class=\"box\">boxed</div></body></html>",
            elsewhere("/css/s.css?v=2"),
            elsewhere("/pictures/17"),
            elsewhere("/page.html"),
        )),
    );
    site.route(
        "/en/two.html",
        page("<title>Two</title><p>The second page.</p><a href='index.html'>back</a>"),
    );
    site.route("/en/own.bmp", image([10, 20, 200]));
    parts.route(
        "/css/s.css",
        of_type(
            "text/css",
            "@import 'more.css'; body { background: #ffe9c9; font: 24px monospace } h1 { color: #036 }",
        ),
    );
    parts.route(
        "/css/more.css",
        of_type(
            "text/css",
            ".box { background: url(../pictures/bg.bmp); height: 90px; width: 300px; color: #fff }",
        ),
    );
    parts.route("/pictures/17", image([30, 180, 40]));
    parts.route("/pictures/bg.bmp", image([120, 30, 160]));
    parts.route(
        "/page.html",
        page("<title>Theirs</title><p>Not a part of any page.</p>"),
    );
    (site, parts)
}

/// What Chromium draws of an address; the reason where there is no Chromium.
fn screenshot(address: &str, folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let program = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok())
        .ok_or("Chromium is not installed")?;
    let file: PathBuf = folder.join(format!("{name}.png"));
    let mut browser = Command::new(program)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .args([
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--window-size=800,600",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join(format!("profile-{name}")).display()
        ))
        .arg(format!("--screenshot={}", file.display()))
        .arg(address)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let deadline = Instant::now() + Duration::from_secs(90);
    loop {
        let ended = browser.try_wait().map_err(|error| error.to_string())?;
        if ended.is_some() {
            break;
        }
        if Instant::now() > deadline {
            let _it_may_just_have_ended = browser.kill();
            let _reaped = browser.wait();
            panic!("Chromium drew nothing within 90 seconds: {address}");
        }
        std::thread::yield_now();
        std::thread::park_timeout(Duration::from_millis(50));
    }
    std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))
}

#[test]
fn a_copy_with_parts_from_another_host_looks_like_the_site() {
    let (gleaner, (site, parts)) = (Gleaner::new(), sites());
    crawl_well(&gleaner, &site.url("/"), &["--name", "town"]);
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy");

    // Without them: said, counted, and how to get them.
    let bare = mirror(&gleaner, "town", &copy, &["--types", "all"]);
    bare.expect_code(&[0]);
    let told = &bare.stderr;
    assert!(
        told.contains("1 style sheet and 2 images that the pages show were not collected"),
        "{told}"
    );
    assert!(told.contains("--fetch-missing"), "{told}");
    assert!(
        told.contains("--types is ignored: town was collected before"),
        "{told}"
    );
    let own = site.url("/en/own.bmp");
    assert_eq!(told.matches(&own).count(), 1, "named once: {told}");
    assert_eq!(words(&bare.json()["not_collected"]).len(), 3);
    assert_eq!(parts.requests().len(), 0, "a copy asks nobody");

    let whole = mirror_well(
        &gleaner,
        "town",
        &copy,
        &[&QUICK[..], &["--fetch-missing", "--allow-private"]].concat(),
    );
    assert_eq!(words(&whole["not_collected"]), Vec::<String>::new(), "{whole}");
    assert_eq!(parts.hits("/page.html"), 0, "a page of another host is no part");
    assert!(
        files_in(&copy)
            .iter()
            .any(|name| name.ends_with("/en/index.html")),
        "it stays .html"
    );
    expect_sound(&gleaner);
    // A track keeps them.
    let tracked = gleaner.run(&["track", "town", "--json", "--delay", "0", "--allow-private"]);
    assert_eq!(
        (&tracked.json()["out"], &tracked.json()["missing"]),
        (&0.into(), &0.into()),
        "{tracked}"
    );

    // From the front door on both sides: the site's start redirects.
    let original = match screenshot(&site.url("/"), folder.path(), "original") {
        Ok(original) => original,
        Err(why) => {
            gleaner_fixtures::skip(why);
            return;
        }
    };
    let shown = screenshot(&address_of(&copy.join("index.html")), folder.path(), "copy").expect("drawn");
    keep_for_people(&original, &shown);
    assert!(
        original == shown,
        "the copy looks different: {} and {} bytes",
        original.len(),
        shown.len()
    );
    // Chromium writes the same bytes for the same pixels; something else must make others.
    let other = screenshot(&site.url("/en/two.html"), folder.path(), "other").expect("drawn");
    assert!(original != other);
}

/// Where somebody wants to look at what was compared.
fn keep_for_people(original: &[u8], shown: &[u8]) {
    if let Some(folder) = std::env::var_os("GLEANER_SHOTS") {
        let folder = PathBuf::from(folder);
        for (name, bytes) in [("original.png", original), ("copy.png", shown)] {
            let mut file = std::fs::File::create(folder.join(name)).expect("a file");
            file.write_all(bytes).expect("written");
        }
    }
}

#[test]
fn a_copy_of_something_new_has_its_parts_at_once() {
    let (gleaner, (site, _parts)) = (Gleaner::new(), sites());
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy");
    let done = mirror_well(
        &gleaner,
        &site.url("/"),
        &copy,
        &[&QUICK[..], &["--allow-private"]].concat(),
    );
    assert_eq!(words(&done["not_collected"]), Vec::<String>::new(), "{done}");
    let door = std::fs::read_to_string(copy.join("index.html")).expect("the door");
    assert!(
        door.contains("/en/index.html\""),
        "the start redirects, and the door leads on: {door}"
    );
}

#[test]
fn what_retention_dropped_is_named() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let say = |text: &str| {
        let words =
            "many words that make this a paragraph which everybody takes for the main text of the page";
        page(format!(
            "<title>Home</title><main><p>{text} {words}</p><a href='/still'>still</a></main>"
        ))
    };
    server.route(
        "/still",
        page("<title>Still</title><p>It never changes, whatever happens around it.</p>"),
    );
    for text in ["first", "second", "third"] {
        server.route("/", say(text));
        crawl_well(&gleaner, &server.url("/"), &["--name", "p"]);
    }
    gleaner
        .run(&["prune", "p", "--keep", "1", "--all"])
        .expect_code(&[0]);
    let folder = tempfile::tempdir().expect("a folder");
    let done = mirror(&gleaner, "p", &folder.path().join("copy"), &["--run", "2"]);
    done.expect_code(&[0]);
    assert_eq!(words(&done.json()["pruned"]), [server.url("/")], "{done}");
    assert!(done.stderr.contains("removed by `gleaner prune`"), "{done}");
    let versions = gleaner.run(&["versions", &server.url("/")]);
    assert_eq!(versions.stdout.matches("pruned").count(), 2, "{versions}");
    let newest = mirror_well(&gleaner, "p", &folder.path().join("newest"), &[]);
    assert_eq!(words(&newest["pruned"]), Vec::<String>::new());
}
