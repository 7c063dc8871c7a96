//! Answers that are no content: statuses, broken connections, broken bodies, redirects that lead nowhere.

use super::site::{PATHS, WITH_VALIDATORS, html};
use super::{Case, HOST, cases};
use gleaner_testkit::hostile::{HostileServer, Script, page, redirect, status, text};
use std::io::Write;

/// Patience for servers that keep us waiting.
const SHORT: [&str; 4] = ["--read-timeout", "0.4", "--fetch-timeout", "2"];

/// A head that promises more than comes.
fn head(fields: &str) -> Script {
    Script::new().send(format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{fields}\r\n"
    ))
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(text.as_bytes()).expect("memory");
    packer.finish().expect("memory")
}

cases! {
    http_500: Case::all(status(500)).reasons(&["http-5xx"]);
    http_500_on_some: Case::some(status(500)).reasons(&["http-5xx"]);
    http_500_on_the_start_page: Case::of([0], status(500)).reasons(&["http-5xx"]);
    http_500_with_an_html_page: Case::all(page("<h1>Server error</h1><p>Please try again later.</p>").with_status(500));
    http_502: Case::all(status(502)).reasons(&["http-5xx"]);
    http_503: Case::all(status(503)).reasons(&["http-503"]).resting();
    http_503_with_retry_after: Case::all(status(503).with_header("Retry-After", "1")).reasons(&["http-503"]).resting();
    http_504: Case::all(status(504)).reasons(&["http-5xx"]);
    http_429: Case::all(status(429)).reasons(&["http-429"]).resting();
    http_429_with_retry_after: Case::all(status(429).with_header("Retry-After", "1")).reasons(&["http-429"]).resting();
    http_400: Case::all(status(400)).reasons(&["http-4xx"]);
    http_401: Case::all(status(401).with_header("WWW-Authenticate", "Basic realm=\"x\"")).reasons(&["http-401"]);
    http_403: Case::all(status(403)).reasons(&["http-403"]);
    http_407: Case::all(status(407)).reasons(&["http-4xx"]);
    http_418: Case::all(status(418)).reasons(&["http-4xx"]);
    http_451: Case::all(status(451)).reasons(&["http-4xx"]);
    http_204_no_content: Case::some(status(204));
    http_999: Case::all(status(999));
    first_byte_never_comes: Case::all(Script::new().wait_close()).flags(&SHORT).reasons(&["timeout-first-byte"]).resting();
    silence_in_the_body: Case::all(head("Content-Length: 90000\r\n").send("<p>The").wait_close()).flags(&SHORT).reasons(&["timeout-silence"]).resting();
    reset_before_the_answer: Case::all(Script::new().reset()).reasons(&["reset", "closed"]).resting();
    reset_in_the_head: Case::all(Script::new().send("HTTP/1.1 200 OK\r\nContent-").reset()).reasons(&["reset", "closed"]).resting();
    reset_in_the_body: Case::all(head("Content-Length: 90000\r\n").send("<p>The harbour").reset()).reasons(&["reset", "truncated"]).resting();
    closed_without_an_answer: Case::all(Script::new().close()).reasons(&["closed", "reset"]).resting();
    body_cut_off: Case::each(0..PATHS.len(), |at| {
        let whole = html(at, "utf-8");
        head(&format!("Content-Length: {}\r\n", whole.len())).send(&whole[..whole.len() / 2]).close()
    }).reasons(&["truncated"]);
    chunks_without_sense: Case::all(head("Transfer-Encoding: chunked\r\n").send("zz\r\nThe harbour\r\n").close());
    chunks_that_stop: Case::each(0..PATHS.len(), |at| {
        let whole = html(at, "utf-8");
        let half = &whole[..whole.len() / 2];
        head("Transfer-Encoding: chunked\r\n").send(format!("{:x}\r\n{half}\r\n", half.len())).close()
    });
    // The bytes are those of the page: who reads them as they are is right, who refuses them is not wrong.
    gzip_that_is_none: Case::each(0..PATHS.len(), |at| page(html(at, "utf-8")).with_header("Content-Encoding", "gzip"))
        .states(&["ERR", "SAM"]).reasons(&["corrupt-encoding"]);
    gzip_cut_off: Case::each(0..PATHS.len(), |at| {
        let packed = gzip(&html(at, "utf-8"));
        page(&packed[..packed.len() / 2]).with_header("Content-Encoding", "gzip")
    });
    not_http_at_all: Case::all(Script::new().send("SSH-2.0-OpenSSH_9.2\r\n").close()).reasons(&["not-http"]);
    garbage: Case::all(Script::new().send([0, 255, 17, 13, 10, 0, 200, 13, 10, 13, 10]).close());
    hc018_empty_body: Case::all(page("")).reasons(&["became-empty", "same-for-all"]);
    hc018_empty_body_on_some: Case::some(page("")).reasons(&["became-empty"]);
    hc018_white_space_only: Case::some(page(" \r\n\t\n  ")).reasons(&["became-empty"]);
    hc014_unexpected_304: Case::of(WITH_VALIDATORS..PATHS.len(), status(304)).reasons(&["unexpected-304"]);
    redirect_everything_to_the_start_page: Case::all_but_home(redirect("/"));
    redirect_for_ever_everything_to_the_start_page: Case::all_but_home(redirect("/").with_status(301));
    redirect_loop: Case::each(0..PATHS.len(), |at| redirect(PATHS[at])).reasons(&["redirect-loop", "too-many-redirects"]);
    redirect_round_and_round: Case::each(1..PATHS.len(), |at| redirect(PATHS[1 + at % (PATHS.len() - 1)]));
    redirect_to_another_host: Case::all(redirect("http://elsewhere.test/landing")).states(&["ERR", "OUT"]);
    redirect_to_a_private_address: Case::all(redirect("http://10.1.2.3/")).states(&["ERR", "OUT"]);
    redirect_to_another_scheme: Case::all(redirect("ftp://site.test/")).states(&["ERR", "OUT"]);
    redirect_without_a_target: Case::all(status(302)).reasons(&["bad-redirect"]);
    headers_without_end: Case::some(Script::new().send("HTTP/1.1 200 OK\r\n").send_forever("X-More: and more\r\n"));
}

/// The host asks for a day's rest: that is obeyed, and nothing can be told meanwhile, healed or not.
#[test]
fn http_503_for_a_day() {
    let server = HostileServer::start();
    let mut story = super::first_act(&server);
    for path in PATHS {
        server.route(path, status(503).with_header("Retry-After", "86400"));
    }
    let told = story.track(&[super::HERE]);
    super::expect_states(&told, &server, &[["ERR"].as_slice(); PATHS.len()]);
    super::heal(&server);
    let told = story.track(&[super::HERE]);
    super::expect_states(&told, &server, &[["ERR", "SAM"].as_slice(); PATHS.len()]);
}

#[test]
fn robots_500() {
    let case = Case::all(status(500)).reasons(&["robots-unreachable"]);
    case.play_with(|server| server.route("/robots.txt", status(500)));
}

#[test]
fn robots_500_while_the_pages_are_well() {
    let case = unbroken().reasons(&["robots-unreachable"]);
    case.play_with(|server| server.route("/robots.txt", status(500)));
}

#[test]
fn robots_never_answers() {
    let case = unbroken().flags(&SHORT).reasons(&["robots-unreachable"]);
    case.play_with(|server| server.route("/robots.txt", Script::new().wait_close()));
}

#[test]
fn robots_now_disallow_everything() {
    let case = unbroken().states(&["ERR", "OUT"]).reasons(&["robots-denied"]);
    case.play_with(|server| server.route("/robots.txt", text("User-agent: *\nDisallow: /\n")));
}

#[test]
fn robots_now_a_login_page() {
    // Not a robots.txt at all: no rules, so everything is allowed, and everything is as it was.
    Case::all(status(500))
        .states(&["SAM"])
        .of_the_healthy()
        .play_with(|server| server.route("/robots.txt", page("<form><input type=password></form>")));
}

/// All pages answer as they should; what is told of them comes from elsewhere.
fn unbroken() -> Case {
    Case::all(status(500)).of_the_healthy()
}

impl Case {
    /// The pages themselves stay as they are.
    fn of_the_healthy(mut self) -> Case {
        for (at, reply) in &mut self.broken {
            *reply = super::site::healthy(*at);
        }
        self
    }
}

/// A host name that the redirects above lead to is never asked for.
#[test]
fn redirects_out_of_scope_are_not_followed() {
    let server = HostileServer::start();
    let mut story = super::first_act(&server);
    for path in PATHS {
        server.route(path, redirect(&server.url_as("elsewhere.test", path)));
    }
    server.forget();
    story.track(&[super::HERE, "--resolve=elsewhere.test=127.0.0.1"]);
    let elsewhere = |host: &str| host.starts_with("elsewhere");
    let followed: Vec<_> = server
        .requests()
        .into_iter()
        .filter(|request| request.header("host").is_some_and(elsewhere))
        .collect();
    assert!(followed.is_empty(), "asked outside {HOST}: {followed:?}");
}
