//! Private addresses, however one gets to them (HC026–HC029).

use super::stage::{Stage, WELL_PATHS};
use gleaner_testkit::HostileServer;
use gleaner_testkit::dns::{DnsAnswer, DnsServer};
use gleaner_testkit::hostile::page;

/// Public by its range and given to nobody, so that no test ever reaches a stranger.
const NOBODY: &str = "3000::1";

#[test]
fn hc026_a_public_name_with_a_private_address() {
    let stage = Stage::new();
    stage.server.route("/", page("inside"));
    let addresses = [
        ("loopback", "127.0.0.1"),
        ("private", "10.0.0.1"),
        ("link-local", "169.254.1.1"),
        ("metadata", "169.254.169.254"),
        ("mapped", "::ffff:127.0.0.1"),
        ("v6", "::1"),
    ];
    let resolve: Vec<String> = addresses
        .iter()
        .map(|(name, address)| format!("--resolve={name}.example.com={address}"))
        .collect();
    let urls: Vec<String> = addresses
        .iter()
        .map(|(name, _)| stage.server.url_as(&format!("{name}.example.com"), "/"))
        .collect();
    let flags: Vec<&str> = resolve.iter().map(String::as_str).collect();
    for manners in [&["--ignore-robots"][..], &[]] {
        let crawl = stage.crawl(&urls, &[&flags, manners].concat());
        for (url, (_, address)) in urls.iter().zip(addresses) {
            let (state, reason) = crawl.told(url);
            let cause = match reason {
                "robots-unreachable" => stage.robots_cause(url),
                _ => format!("{reason} {}", crawl.detail(url)),
            };
            assert!(
                state == "ERR" && cause.contains("private-address"),
                "{url}: {state} {cause}"
            );
            assert!(
                !cause.contains(address),
                "which address it was is not told: {cause}"
            );
        }
    }
    assert_eq!(stage.server.connections(), 0, "refused before connecting");

    let allowed = stage.crawl(&urls[..1], &[&flags[..], &["--allow-private"]].concat());
    assert_eq!(allowed.told(&urls[0]), ("NEW", ""));
}

#[test]
fn hc027_the_address_checked_is_the_address_connected_to() {
    let stage = Stage::new();
    stage.server.route("/", page("inside"));
    let dns = DnsServer::start();
    let address = dns.address().to_string();
    dns.set(
        "rebinds.example.com",
        [
            DnsAnswer::addresses(&[NOBODY]),
            DnsAnswer::addresses(&["127.0.0.1", "::1"]),
        ],
    );
    dns.set(
        "mixed.example.com",
        [DnsAnswer::addresses(&[NOBODY, "127.0.0.1", "::1", "10.0.0.1"])],
    );
    dns.set(
        "turned.example.com",
        [
            DnsAnswer::addresses(&["127.0.0.1"]),
            DnsAnswer::addresses(&[NOBODY]),
        ],
    );
    let urls =
        ["rebinds", "mixed", "turned"].map(|name| stage.server.url_as(&format!("{name}.example.com"), "/"));
    let flags = [
        "--dns-server",
        address.as_str(),
        "--connect-timeout",
        "0.5",
        "--tries",
        "2",
    ];
    for manners in [&["--ignore-robots"][..], &[]] {
        let crawl = stage.crawl(&urls, &[&flags, manners].concat());
        for url in &urls {
            assert_eq!(crawl.told(url).0, "ERR", "{url}");
        }
    }
    assert_eq!(
        stage.server.connections(),
        0,
        "zero connects to the private address"
    );
}

#[test]
fn hc028_private_targets_however_they_are_spelled() {
    let stage = Stage::new();
    let inside = HostileServer::start_on(&["127.0.0.3".parse().expect("an address")]);
    inside.route("/*", page("inside"));
    let port = inside.address().port();
    let spellings = [
        "127.0.0.3",
        "2130706435",
        "0177.0.0.3",
        "0x7f.0.0.3",
        "0x7f000003",
        "127.3",
        "127.0.0.3.",
        "[::ffff:127.0.0.3]",
        "[::ffff:7f00:3]",
        "１２７.0.0.3",
        "user@127.0.0.3",
        "[::1]",
        "LOCALHOST",
        "localhost.",
        "%6cocalhost",
        "0",
    ];
    let links: Vec<String> = spellings
        .iter()
        .enumerate()
        .map(|(number, host)| format!("<a href='http://{host}:{port}/{number}'>x</a>"))
        .collect();
    stage.server.route("/", page(links.concat()));
    let url = stage.url("outside", "/");
    let crawl = stage.crawl(std::slice::from_ref(&url), &["--scope", "web", "--ignore-robots"]);
    assert_eq!(crawl.told(&url), ("NEW", ""));
    assert_eq!(
        crawl.count("errors"),
        spellings.len() as u64,
        "each is told\n{}",
        crawl.finished
    );
    for change in stage
        .run(&["report", "--format", "json", "--state", "ERR"])
        .json_lines()
    {
        assert_eq!(change["reason"], "private-address", "{change}");
    }
    assert_eq!(inside.connections(), 0);
}

#[test]
fn hc029_the_guard_looks_at_proxies_too() {
    let mut stage = Stage::new();
    stage.server.route("*", page("through the proxy"));
    let proxy = format!("http://ann:verysecret@{}", stage.server.address());
    stage.gleaner = stage.gleaner.with_env("GLEANER_PROXY", &proxy);
    let url = "http://far.example.com/page".to_owned();
    // The healthy host lies behind the proxy too, so nothing can be collected: exit code 1.
    let refused = stage
        .start(std::slice::from_ref(&url), &["--ignore-robots"])
        .wait(std::time::Duration::from_secs(30));
    refused.expect_code(&[1]);
    assert_eq!(stage.server.connections(), 0, "the proxy is at a private address");
    let report = stage.run(&["report", "--format", "json"]);
    for change in report.json_lines() {
        assert_eq!(
            (&change["state"], &change["reason"]),
            (&"ERR".into(), &"private-address".into()),
            "{change}"
        );
    }
    assert_eq!(report.json_lines().len(), 1 + WELL_PATHS.len());

    let allowed = stage
        .start(
            std::slice::from_ref(&url),
            &["--ignore-robots", "--allow-private"],
        )
        .wait(std::time::Duration::from_secs(30));
    allowed.expect_code(&[0]);
    assert_eq!(stage.cat(&url), "through the proxy");
    let asked = stage.server.requests_to(&url);
    assert_eq!(asked.len(), 1, "{:?}", stage.server.requests());
    assert!(
        asked[0].header("proxy-authorization").is_some(),
        "the credentials go to their proxy"
    );
    assert!(
        WELL_PATHS.iter().all(|path| stage.well.hits(path) == 0),
        "nothing goes past the proxy"
    );
    let head = stage.run(&["cat", "--headers", &url]);
    for output in [
        refused,
        allowed,
        report,
        head,
        stage.run(&["report"]),
        stage.run(&["ls"]),
        stage.run(&["runs"]),
    ] {
        assert!(!format!("{output}").contains("verysecret"), "{output}");
        assert!(!format!("{output}").contains("YW5uOnZlcnlzZWNyZXQ"), "{output}");
    }
    stage.run(&["verify"]).expect_code(&[0]);
}
