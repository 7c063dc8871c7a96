//! Answers that are late, endless, cut, reset or no answers at all (HC001–HC014).

use std::time::Duration;

use super::stage::{Stage, WELL_PATHS, case, three_acts, weigh};
use gleaner_testkit::HostileServer;
use gleaner_testkit::hostile::{Action, Gate, Reply, Script, page, sequence, status, text};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";

fn head(fields: &str) -> Script {
    Script::new().send(format!("{OK}{fields}\r\n"))
}

#[test]
fn hc001_accepted_and_then_nothing() {
    let stage = Stage::new();
    let cases = vec![case("silent", Script::new(), "timeout-first-byte")];
    three_acts(&stage, cases, &["--read-timeout", "0.4"]);
}

#[test]
fn hc001_a_silent_host_is_left_alone_for_a_while() {
    let stage = Stage::new();
    stage
        .server
        .route("/1", Script::new())
        .route("/2", page("second"));
    let urls = [stage.url("silent", "/1"), stage.url("silent", "/2")];
    let crawl = stage.crawl(&urls, &["--read-timeout", "0.3", "--per-host", "1"]);
    assert_eq!(crawl.told(&urls[0]), ("ERR", "timeout-first-byte"));
    assert_eq!(crawl.told(&urls[1]), ("NEW", ""));
    let asked = |path| stage.server.requests_to(path)[0].at;
    // The first pause is two seconds, a fifth more or less.
    assert!(
        asked("/2") - asked("/1") > Duration::from_millis(1800),
        "the host was not given a pause"
    );
}

#[test]
fn hc001_others_go_on_while_a_host_is_silent() {
    let stage = Stage::new();
    let gate = Gate::closed();
    let late = page("late").to_bytes("GET");
    stage
        .server
        .route("/late", Script::new().then(Action::Hold(gate.clone())).send(late));
    let url = stage.url("late", "/late");
    let running = stage.start(std::slice::from_ref(&url), &[]);
    let all_asked = |well: &HostileServer| WELL_PATHS.iter().all(|path| well.hits(path) == 1);
    assert!(
        stage.well.wait_until(Duration::from_secs(15), all_asked),
        "the healthy host waits for the silent one"
    );
    gate.open();
    let (finished, peak_kib) = weigh(running);
    assert_eq!(stage.review(finished, peak_kib).told(&url), ("NEW", ""));
}

#[test]
fn hc001_a_host_silent_from_its_robots_txt_on_is_not_asked_for_pages() {
    let stage = Stage::new();
    stage.server.greet(Some(Script::new().wait_close()));
    let url = stage.url("mute", "/page");
    let crawl = stage.crawl(std::slice::from_ref(&url), &["--read-timeout", "0.3"]);
    assert_eq!(crawl.told(&url), ("ERR", "robots-unreachable"));
    assert_eq!(stage.server.hits("/page"), 0);
}

// The slowest acceptable rate (`too-slow`) has no flag and is measured over a minute; the room `units` proves it with
// short windows in its own hc002 and hc003. Here the limit on the whole fetch does the cutting.

#[test]
fn hc002_a_status_line_that_drips() {
    let stage = Stage::new();
    let line = format!("HTTP/1.1 200 {}", "O".repeat(10_000));
    let drip = Script::new().drip(line, Duration::from_millis(20));
    three_acts(
        &stage,
        vec![case("drips", drip, "timeout-fetch")],
        &["--fetch-timeout", "0.6"],
    );
}

#[test]
fn hc003_a_body_that_drips() {
    let stage = Stage::new();
    let every = Duration::from_millis(20);
    let cases = vec![
        case(
            "chunked",
            head("Transfer-Encoding: chunked\r\n").drip("1\r\nx\r\n".repeat(1000), every),
            "timeout-fetch",
        ),
        case(
            "until-close",
            head("").drip("x".repeat(10_000), every),
            "timeout-fetch",
        ),
        case(
            "falls-silent",
            head("Content-Length: 100\r\n").send("half"),
            "timeout-silence",
        ),
    ];
    three_acts(
        &stage,
        cases,
        &["--fetch-timeout", "1.2", "--read-timeout", "0.4"],
    );
}

#[test]
fn hc004_endless_header_fields() {
    let stage = Stage::new();
    let endless = Script::new().send(OK).send_forever("X-Field: and another\r\n");
    let many = Script::new()
        .send(OK)
        .send("A: b\r\n".repeat(600))
        .send("\r\nwords")
        .close();
    let cases = vec![
        case("endless", endless, "headers-too-large"),
        case("many", many, "headers-too-large"),
    ];
    three_acts(&stage, cases, &[]);
    assert!(
        stage.server.bytes_sent() < 16 << 20,
        "{} bytes were taken",
        stage.server.bytes_sent()
    );
}

#[test]
fn hc005_a_header_line_without_end() {
    let stage = Stage::new();
    let cases = vec![
        case(
            "field",
            Script::new().send(OK).send("X-Long: ").send_forever("x"),
            "headers-too-large",
        ),
        case(
            "status-line",
            Script::new().send("HTTP/1.1 200 ").send_forever("OK"),
            "headers-too-large",
        ),
    ];
    three_acts(&stage, cases, &[]);
    assert!(
        stage.server.bytes_sent() < 16 << 20,
        "{} bytes were taken",
        stage.server.bytes_sent()
    );
}

#[test]
fn hc006_an_endless_body_stops_at_its_limit() {
    let stage = Stage::new();
    let chunk = format!("1000\r\n{}\r\n", "x".repeat(4096));
    let cases = vec![
        case(
            "chunked",
            head("Transfer-Encoding: chunked\r\n").send_forever(chunk),
            "body-too-large",
        ),
        case("until-close", head("").send_forever("x"), "body-too-large"),
        case(
            "announced",
            head("Content-Length: 99999999999\r\n").send_forever("x"),
            "body-too-large",
        ),
    ];
    three_acts(&stage, cases, &["--max-body", "4M"]);
    assert!(
        stage.server.bytes_sent() < 48 << 20,
        "{} bytes were taken",
        stage.server.bytes_sent()
    );
}

#[test]
fn hc007_bad_chunk_sizes() {
    let stage = Stage::new();
    let bad =
        |size: &str| head("Transfer-Encoding: chunked\r\n").send(format!("{size}\r\nhello\r\n0\r\n\r\n"));
    let cases = vec![
        case("negative", bad("-1"), "bad-framing"),
        case("over-64-bits", bad("10000000000000005"), "bad-framing"),
        case("not-hexadecimal", bad("zz"), "bad-framing"),
        case("prefixed", bad("0x5"), "bad-framing"),
        case("empty", bad(""), "bad-framing"),
        case("too-small", bad("3"), "bad-framing"),
    ];
    three_acts(&stage, cases, &[]);
}

#[test]
fn hc007_a_connection_with_bad_chunks_is_not_used_again() {
    let stage = Stage::new();
    let bad = head("Transfer-Encoding: chunked\r\n").send("zz\r\nhello\r\n0\r\n\r\n");
    stage.server.route("/1", bad).route("/2", page("second"));
    let urls = [stage.url("bad", "/1"), stage.url("bad", "/2")];
    let crawl = stage.crawl(&urls, &["--per-host", "1"]);
    assert_eq!(crawl.told(&urls[0]), ("ERR", "bad-framing"));
    assert_eq!(crawl.told(&urls[1]), ("NEW", ""));
    let connection = |path| stage.server.requests_to(path)[0].connection;
    assert_ne!(connection("/1"), connection("/2"));
}

#[test]
fn hc008_less_than_announced() {
    let stage = Stage::new();
    let cases = vec![
        case(
            "length",
            head("Content-Length: 1000\r\n").send("half a page").close(),
            "truncated",
        ),
        case("nothing", head("Content-Length: 1000\r\n").close(), "truncated"),
        case(
            "chunk",
            head("Transfer-Encoding: chunked\r\n").send("64\r\nhalf").close(),
            "truncated",
        ),
        case(
            "last-chunk",
            head("Transfer-Encoding: chunked\r\n")
                .send("4\r\nhalf\r\n")
                .close(),
            "truncated",
        ),
    ];
    three_acts(&stage, cases, &[]);
}

#[test]
fn hc009_more_than_announced_is_not_credited_to_the_next_page() {
    let stage = Stage::new();
    // What comes when the connection is in use again no client can tell from an answer.
    let first = Script::new().send(
        [
            page("as declared").to_bytes("GET"),
            page("smuggled").to_bytes("GET"),
        ]
        .concat(),
    );
    stage.server.route("/1", first).route("/2", page("its own words"));
    let urls = [stage.url("more", "/1"), stage.url("more", "/2")];
    let crawl = stage.crawl(&urls, &["--per-host", "1"]);
    assert_eq!(
        (crawl.told(&urls[0]), crawl.told(&urls[1])),
        (("NEW", ""), ("NEW", ""))
    );
    assert_eq!(stage.cat(&urls[0]), "as declared");
    assert_eq!(stage.cat(&urls[1]), "its own words");
    let connection = |path| stage.server.requests_to(path)[0].connection;
    assert_ne!(connection("/1"), connection("/2"), "the connection is dropped");
}

/// The smuggled answer comes in a piece of its own once the page is there, while the connection waits: another host is
/// asked meanwhile and answers only after that, so that it is there before the next request, whatever the delay.
#[test]
fn hc009_an_answer_that_comes_before_its_request_is_nobodys() {
    for delay in ["0", "1", "50"] {
        // Which of two waiting hosts is asked first is nobody's promise: only one order shows something.
        let was_shown = (0..50).any(|_| smuggle_while_waiting(delay));
        assert!(was_shown, "{delay}: the other host was never asked in between");
    }
}

/// Whether the other host was asked while the connection waited.
fn smuggle_while_waiting(delay: &str) -> bool {
    let stage = Stage::new();
    let sent = Gate::closed();
    let first = Script::new()
        .send(page("as declared").to_bytes("GET"))
        .send(page("smuggled").to_bytes("GET"))
        .then(Action::Open(sent.clone()));
    let other = Script::new()
        .then(Action::Hold(sent))
        .send(page("another host").to_bytes("GET"));
    stage
        .server
        .route("/1", first)
        .route("/2", page("its own words"))
        .route("/3", page("its own words, too"))
        .route("/other", other);
    let urls = ["/1", "/2", "/3"].map(|path| stage.url("more", path));
    let mut seeds = vec![urls[0].clone(), stage.url("other", "/other")];
    seeds.extend_from_slice(&urls[1..]);
    let flags = [
        "--per-host",
        "1",
        "--concurrency",
        "1",
        "--delay",
        delay,
        "--ignore-robots",
    ];
    stage.crawl(&seeds, &flags);
    let order: Vec<String> = (stage.server.requests().iter())
        .map(|request| request.path().to_owned())
        .collect();
    let place = |path: &str| order.iter().position(|asked| asked == path);
    if !(place("/1") < place("/other") && place("/other") < place("/2")) {
        return false;
    }
    assert_eq!(stage.cat(&urls[0]), "as declared", "{delay}");
    assert_eq!(stage.cat(&urls[1]), "its own words", "{delay}");
    assert_eq!(stage.cat(&urls[2]), "its own words, too", "{delay}");
    let connection = |path| stage.server.requests_to(path)[0].connection;
    assert_ne!(connection("/1"), connection("/2"), "the connection is dropped");
    assert_ne!(
        connection("/2"),
        connection("/3"),
        "caught once, never trusted again"
    );
    true
}

#[test]
fn hc010_two_lengths() {
    let stage = Stage::new();
    let cases = vec![
        case(
            "differ",
            head("Content-Length: 5\r\nContent-Length: 6\r\n").send("hello!"),
            "bad-framing",
        ),
        case(
            "list",
            head("Content-Length: 5, 6\r\n").send("hello!"),
            "bad-framing",
        ),
        case(
            "negative",
            head("Content-Length: -5\r\n").send("hello"),
            "bad-framing",
        ),
        case(
            "words",
            head("Content-Length: five\r\n").send("hello"),
            "bad-framing",
        ),
    ];
    three_acts(&stage, cases, &[]);

    let both =
        head("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n").send("b\r\nwhole words\r\n0\r\n\r\n");
    stage.server.route("/1", both).route("/2", page("second"));
    let urls = [stage.url("both", "/1"), stage.url("both", "/2")];
    let crawl = stage.crawl(&urls, &["--per-host", "1"]);
    assert_eq!(
        (crawl.told(&urls[0]), crawl.told(&urls[1])),
        (("NEW", ""), ("NEW", ""))
    );
    assert_eq!(stage.cat(&urls[0]), "whole words");
    let connection = |path| stage.server.requests_to(path)[0].connection;
    assert_ne!(
        connection("/1"),
        connection("/2"),
        "the connection is not used again"
    );
}

#[test]
fn hc011_reset_in_the_middle() {
    let stage = Stage::new();
    let cases = vec![
        case("before", Script::new().reset(), "reset"),
        case("in-head", Script::new().send(OK).reset(), "reset"),
        case(
            "in-body",
            head("Content-Length: 100\r\n").send("half").reset(),
            "reset",
        ),
        case(
            "in-chunks",
            head("Transfer-Encoding: chunked\r\n")
                .send("4\r\nhalf\r\n")
                .reset(),
            "reset",
        ),
    ];
    three_acts(&stage, cases, &[]);
}

#[test]
fn hc011_a_reset_is_tried_again_as_often_as_configured() {
    let stage = Stage::new();
    stage.server.route("/always", Script::new().send(OK).reset());
    stage.server.route(
        "/once",
        sequence([
            Reply::from(Script::new().send(OK).reset()),
            page("then well").into(),
        ]),
    );
    let urls = [stage.url("always", "/always"), stage.url("once", "/once")];
    let crawl = stage.crawl(&urls, &["--tries", "2"]);
    assert_eq!(crawl.told(&urls[0]), ("ERR", "reset"));
    assert_eq!(crawl.told(&urls[1]), ("NEW", ""));
    assert_eq!((stage.server.hits("/always"), stage.server.hits("/once")), (2, 2));
}

#[test]
fn hc012_what_answers_is_not_http() {
    let stage = Stage::new();
    let garbage: Vec<u8> = (0..4000u32).map(|n| (n * 31 % 251) as u8).collect();
    let cases = vec![
        case("garbage", Script::new().send(garbage).close(), "not-http"),
        case("zeros", Script::new().send([0; 100]).close(), "not-http"),
        case(
            "ssh",
            Script::new().send("SSH-2.0-OpenSSH_9.7\r\n").wait_close(),
            "not-http",
        ),
        case(
            "http09",
            Script::new().send("<html>no status line</html>\r\n").close(),
            "not-http",
        ),
        case(
            "icy",
            Script::new().send("ICY 200 OK\r\n\r\nmusic").close(),
            "not-http",
        ),
    ];
    three_acts(&stage, cases, &[]);
}

#[test]
fn hc012_a_port_that_speaks_ssh() {
    let stage = Stage::new();
    stage
        .server
        .greet(Some(Script::new().send("SSH-2.0-OpenSSH_9.7\r\n").wait_close()));
    let url = stage.url("ssh", "/");
    let crawl = stage.crawl(std::slice::from_ref(&url), &["--ignore-robots"]);
    assert_eq!(crawl.told(&url), ("ERR", "not-http"));
}

#[test]
fn hc013_status_codes_without_meaning() {
    let stage = Stage::new();
    let says = |line: &str| Script::new().send(format!("HTTP/1.1 {line}\r\nContent-Length: 5\r\n\r\nhello"));
    let cases = vec![
        case("s099", says("099 Odd"), "bad-status"),
        case("s000", says("000 Nothing"), "bad-status"),
        case("s700", says("700 Odd"), "bad-status"),
        case("s999", says("999 Denied"), "bad-status"),
        case("s418", says("418 Teapot"), "http-4xx"),
        case("s599", says("599 Odd"), "http-5xx"),
    ];
    three_acts(&stage, cases, &[]);

    stage.server.route(
        "/",
        Script::new().send("HTTP/1.1 200\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"),
    );
    let url = stage.url("wordless", "/");
    assert_eq!(
        stage.crawl(std::slice::from_ref(&url), &[]).told(&url),
        ("NEW", "")
    );
    assert_eq!(stage.cat(&url), "hello");
}

#[test]
fn hc014_a_304_that_nobody_asked_for() {
    let stage = Stage::new();
    let not_modified = Script::new().send("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n");
    let broken = three_acts(&stage, vec![case("unasked", not_modified, "unexpected-304")], &[]);
    // `forget` was called before the broken act; the healed one adds one request.
    assert_eq!(
        stage.server.hits("/unasked"),
        4,
        "one plain try more, then the healed page, looked at twice because it changed"
    );
    assert_eq!(broken.count("same"), WELL_PATHS.len() as u64, "never SAM");
    assert!(
        stage
            .server
            .requests()
            .iter()
            .all(|request| request.header("if-none-match").is_none())
    );
}

#[test]
fn hc014_a_304_to_the_first_request_only() {
    let stage = Stage::new();
    stage
        .server
        .route("/", sequence([status(304), text("here after all")]));
    let url = stage.url("late", "/");
    assert_eq!(
        stage.crawl(std::slice::from_ref(&url), &[]).told(&url),
        ("NEW", "")
    );
    assert_eq!(stage.cat(&url), "here after all");
}
