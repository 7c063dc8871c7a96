//! Getting through to the server: HTTP/2, TLS, names and addresses (HC020–HC025).

use std::io::Write;
use std::time::Duration;

use super::stage::Stage;
use gleaner_testkit::dns::{DnsAnswer, DnsServer};
use gleaner_testkit::hostile::{Action, Certificate, Flaw, HostileServer, Script, Tls, page};

/// A server with a certificate for `name`, and the authority's file for `--ca-file`.
fn secure_stage(flaw: Flaw, name: &str, alpn: &[&str]) -> (Stage, tempfile::NamedTempFile) {
    let certificate = Certificate::new(flaw, &[name]);
    let mut authority = tempfile::NamedTempFile::new().expect("a temporary file");
    authority
        .write_all(certificate.authority_pem.as_bytes())
        .expect("room for a certificate");
    let alpn = alpn.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    let stage = Stage::with_server(HostileServer::start_tls(&Tls { certificate, alpn }));
    (stage, authority)
}

fn path_of(file: &tempfile::NamedTempFile) -> &str {
    file.path().to_str().expect("a plain path")
}

// Frames of HTTP/2 (RFC 9113 §6).
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;

fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a small frame").to_be_bytes();
    [&length[1..], &[kind, flags, 0, 0, 0, stream], payload].concat()
}

/// The server's side of the greeting, then a moment for the client to ask.
fn http2() -> Script {
    Script::new()
        .send(frame(SETTINGS, 0, 0, &[]))
        .then(Action::Wait(Duration::from_millis(100)))
}

fn falls_back(name: &str, script: Script) {
    let (stage, authority) = secure_stage(Flaw::None, "two.test", &["h2", "http/1.1"]);
    stage.server.greet_http2(Some(script));
    stage.server.route("/", page("over HTTP/1.1"));
    let url = stage.url("two", "/");
    let flags = ["--ca-file", path_of(&authority), "--read-timeout", "0.7"];
    let crawl = stage.crawl(std::slice::from_ref(&url), &flags);
    assert_eq!(crawl.told(&url), ("NEW", ""), "{name}: {}", crawl.detail(&url));
    assert_eq!(stage.cat(&url), "over HTTP/1.1", "{name}");
    assert!(
        stage.server.connections() <= 5,
        "{name}: {} connections",
        stage.server.connections()
    );
    assert!(
        stage.server.bytes_sent() < 16 << 20,
        "{name}: {} bytes",
        stage.server.bytes_sent()
    );
}

#[test]
fn hc020_http2_that_breaks_falls_back_to_http11() {
    let no_streams = frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 0]);
    let scripts = [
        (
            "goes away",
            http2().send(frame(GOAWAY, 0, 0, &[0; 8])).wait_close(),
        ),
        (
            "resets the stream",
            http2().send(frame(RST_STREAM, 0, 1, &[0, 0, 0, 2])).wait_close(),
        ),
        ("allows no streams", Script::new().send(no_streams).wait_close()),
        ("never answers", http2().wait_close()),
        (
            "answers what was not asked",
            http2().send(frame(DATA, 0, 7, b"hello")).wait_close(),
        ),
        (
            "talks nonsense",
            Script::new().send("nonsense, and more of it").wait_close(),
        ),
        ("closes", Script::new().close()),
    ];
    for (name, script) in scripts {
        falls_back(name, script);
    }
}

#[test]
fn hc020_when_http11_fails_too_it_is_an_error() {
    let (stage, authority) = secure_stage(Flaw::None, "two.test", &["h2", "http/1.1"]);
    let url = stage.url("two", "/");
    stage.server.route("/", page("first words"));
    let flags = ["--ca-file", path_of(&authority), "--ignore-robots"];
    assert_eq!(
        stage
            .crawl(
                std::slice::from_ref(&url),
                &[&flags[..], &["--no-http2"]].concat()
            )
            .told(&url),
        ("NEW", "")
    );
    stage
        .server
        .greet_http2(Some(Script::new().close()))
        .route("/", Script::new().reset());
    assert_eq!(
        stage.crawl(std::slice::from_ref(&url), &flags).told(&url),
        ("ERR", "http2-failed")
    );
    assert_eq!(stage.cat(&url), "first words");
    stage.server.route("/", page("healed words"));
    assert_eq!(
        stage.crawl(std::slice::from_ref(&url), &flags).told(&url),
        ("UPD", "")
    );
}

#[test]
fn hc021_header_blocks_without_end() {
    let field = [&[0x40, 1, b'x', 100][..], &[b'y'; 100]].concat();
    let opening = frame(HEADERS, 0, 1, &[0x88]);
    falls_back(
        "continues for ever",
        http2()
            .send(opening)
            .send_forever(frame(CONTINUATION, 0, 1, &field)),
    );
    // One field of 4,000 bytes goes into the table; every byte after it stands for all of it (HPACK bomb).
    let large = [
        &[0x40, 1, b'x', 0x7f, 0xa1, 0x1e][..],
        &[b'y'; 4000],
        &[0xbe; 12_000],
    ]
    .concat();
    falls_back(
        "multiplies",
        http2().send(frame(HEADERS, 4, 1, &large)).wait_close(),
    );
}

#[test]
fn hc022_each_bad_certificate_has_its_reason() {
    let flaws = [
        (Flaw::Expired, "tls-expired"),
        (Flaw::NotYetValid, "tls-not-yet-valid"),
        (Flaw::SelfSigned, "tls-unknown-issuer"),
        (Flaw::UnknownIssuer, "tls-unknown-issuer"),
        (Flaw::WrongHost, "tls-wrong-host"),
    ];
    for (flaw, reason) in flaws {
        let (stage, authority) = secure_stage(flaw, "named.test", &["http/1.1"]);
        stage.server.route("/", page("not to be seen"));
        let url = stage.url("named", "/");
        let trusting = ["--ca-file", path_of(&authority)];
        let crawl = stage.crawl(
            std::slice::from_ref(&url),
            &[&trusting[..], &["--ignore-robots"]].concat(),
        );
        assert_eq!(crawl.told(&url), ("ERR", reason), "{flaw:?}");
        let name = if flaw == Flaw::WrongHost {
            "elsewhere.test"
        } else {
            "named.test"
        };
        assert!(
            crawl.detail(&url).contains(name),
            "{flaw:?}: {}",
            crawl.detail(&url)
        );

        let crawl = stage.crawl(std::slice::from_ref(&url), &trusting);
        assert_eq!(crawl.told(&url), ("ERR", "robots-unreachable"), "{flaw:?}");
        assert!(
            stage.robots_cause(&url).contains(reason),
            "{flaw:?}: {}",
            stage.robots_cause(&url)
        );
        assert_eq!(
            stage.server.requests().len(),
            0,
            "nothing was asked without the check"
        );
    }
    let (stage, authority) = secure_stage(Flaw::None, "named.test", &["http/1.1"]);
    stage.server.route("/", page("seen"));
    let url = stage.url("named", "/");
    let crawl = stage.crawl(std::slice::from_ref(&url), &["--ca-file", path_of(&authority)]);
    assert_eq!(crawl.told(&url), ("NEW", ""), "a good certificate is taken");
}

#[test]
fn hc023_tls_that_stalls_or_is_none() {
    let alert = [0x15, 3, 1, 0, 2, 2, 70]; // fatal: protocol_version
    let cases = [
        ("stalls", Script::new().wait_close(), "timeout-tls"),
        (
            "plain HTTP",
            Script::new()
                .send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                .wait_close(),
            "tls-protocol",
        ),
        (
            "old versions only",
            Script::new().send(alert).wait_close(),
            "tls-protocol",
        ),
        ("closes", Script::new().close(), "closed"),
    ];
    for (name, greeting, reason) in cases {
        let stage = Stage::new();
        stage.server.greet(Some(greeting));
        let url = stage.url("tls", "/").replace("http:", "https:");
        let crawl = stage.crawl(
            std::slice::from_ref(&url),
            &["--ignore-robots", "--connect-timeout", "0.5"],
        );
        assert_eq!(
            crawl.told(&url),
            ("ERR", reason),
            "{name}: {}",
            crawl.detail(&url)
        );
        assert_eq!(
            stage.server.requests().len(),
            0,
            "{name}: never a fallback to plain HTTP"
        );
    }
}

#[test]
fn hc024_three_ways_a_name_can_fail() {
    let stage = Stage::new();
    let dns = DnsServer::start();
    let address = dns.address().to_string();
    let names = ["missing", "failing", "silent"];
    let urls = names.map(|name| stage.server.url_as(&format!("{name}.home.arpa"), "/"));
    for name in names {
        dns.set(
            &format!("{name}.home.arpa"),
            [DnsAnswer::addresses(&["127.0.0.1"])],
        );
    }
    stage.server.route("/", page("first words"));
    let flags = [
        "--dns-server",
        address.as_str(),
        "--connect-timeout",
        "1",
        "--ignore-robots",
    ];
    let healthy = stage.crawl(&urls, &flags);
    for url in &urls {
        assert_eq!(healthy.told(url), ("NEW", ""));
    }
    dns.set("missing.home.arpa", [DnsAnswer::NxDomain]);
    dns.set("failing.home.arpa", [DnsAnswer::ServFail]);
    dns.set("silent.home.arpa", [DnsAnswer::Silence]);
    let broken = stage.crawl(&urls, &flags);
    for (url, reason) in urls.iter().zip(["dns-not-found", "dns-failed", "dns-timeout"]) {
        assert_eq!(broken.told(url), ("ERR", reason));
        assert_eq!(stage.cat(url), "first words");
    }
    assert_eq!(broken.count("missing"), 0);

    // Where robots.txt is asked for first, the same failure is its failure, and `explain` still tells which. A host that does
    // not exist is called that.
    let polite = stage.crawl(&urls, &flags[..4]);
    assert_eq!(polite.told(&urls[0]), ("ERR", "dns-not-found"));
    for (url, reason) in urls
        .iter()
        .zip(["dns-not-found", "dns-failed", "dns-timeout"])
        .skip(1)
    {
        assert_eq!(polite.told(url), ("ERR", "robots-unreachable"));
        assert!(
            stage.robots_cause(url).contains(reason),
            "{}",
            stage.robots_cause(url)
        );
    }
}

#[test]
fn hc025_the_first_address_is_dead_the_second_alive() {
    let stage = Stage::new();
    stage.server.route("/", page("alive"));
    let resolve = [
        "--resolve=v4.test=127.0.0.9,127.0.0.1",
        "--resolve=v6.test=::1,127.0.0.1",
        "--resolve=many.test=127.0.0.9,::1,127.0.0.8,127.0.0.1",
        "--resolve=dead.test=127.0.0.9,::1",
    ];
    let urls = ["v4", "v6", "many", "dead"].map(|name| stage.url(name, "/"));
    let flags = [&resolve[..], &["--connect-timeout", "3", "--ignore-robots"]].concat();
    let crawl = stage.crawl(&urls, &flags);
    for url in &urls[..3] {
        assert_eq!(crawl.told(url), ("NEW", ""), "{url}");
    }
    assert_eq!(crawl.told(&urls[3]), ("ERR", "connect-refused"));
}
