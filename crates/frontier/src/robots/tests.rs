use super::*;
use gleaner_model::Reason;
use std::path::PathBuf;

fn corpus() -> Option<PathBuf> {
    gleaner_fixtures::corpus("robots")
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn robots(text: &str) -> Robots {
    Robots::parse(text.as_bytes(), "gleaner")
}

/// The path of a decision is enough in most cases.
fn allows(robots: &Robots, target: &str) -> bool {
    robots.allows(&url(&format!("http://a.test{target}")))
}

/// `{latin1: s}` is bytes, one per character.
fn bytes_of(value: &serde_json::Value) -> Vec<u8> {
    match value {
        serde_json::Value::String(text) => text.as_bytes().to_vec(),
        other => other["latin1"]
            .as_str()
            .unwrap()
            .chars()
            .map(|c| u8::try_from(u32::from(c)).unwrap())
            .collect(),
    }
}

#[test]
fn every_decision_of_the_published_tests_is_right() {
    let Some(folder) = corpus() else { return };
    let text = std::fs::read_to_string(folder.join("spec-test.json")).unwrap();
    let cases: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let (mut right, mut canonical, mut canonical_right) = (0, 0, 0);
    for case in &cases {
        let (agent, address) = (case["useragent"].as_str().unwrap(), case["url"].as_str().unwrap());
        let robots = Robots::parse(&bytes_of(&case["robotstxt"]), agent);
        let wanted = case["allowed"].as_bool().unwrap();
        let found = robots.decide_text(address);
        right += usize::from(found.allowed == wanted);
        if found.allowed != wanted {
            println!("wrong: {} {agent} {address}: {found:?}", case["file"]);
        }
        // Canonical URLs: an empty one does not exist; and where a URL is written in two ways (`ツ` and its encoding,
        // `baz` and `%62%61%7A`), Google tells them apart while RFC 9309 2.2.2 wants them equal, and so do we.
        let Ok(parsed) = Url::parse(address) else { continue };
        let is_google_only = case["file"] == "correctness/non-ascii-paths.textproto" && !wanted;
        if !is_google_only {
            canonical += 1;
            let found = robots.decide(&parsed);
            assert_eq!(found.allowed, robots.allows(&parsed));
            canonical_right += usize::from(found.allowed == wanted);
            if found.allowed != wanted {
                println!(
                    "wrong for the canonical URL: {} {agent} {parsed}: {found:?}",
                    case["file"]
                );
            }
        }
    }
    println!("robots, octets as written: {right}/{} passed", cases.len());
    println!("robots, canonical URLs: {canonical_right}/{canonical} passed");
    assert_eq!((right, canonical_right), (cases.len(), canonical));
}

#[test]
fn real_and_odd_files_are_read_sensibly() {
    let Some(folder) = corpus() else { return };
    let read = |name: &str, agent: &str| {
        Robots::parse(
            &std::fs::read(folder.join("crawler-commons-files").join(name)).unwrap(),
            agent,
        )
    };
    let seconds = |s| Some(Duration::from_secs(s));

    assert_eq!(
        read("astore.amazon.com-robots.txt", "any").crawl_delay(),
        seconds(5)
    );
    assert_eq!(read("dos-line-endings.txt", "any").crawl_delay(), seconds(1));

    let merged = "crawl-delay-group-merging.txt";
    assert_eq!(read(merged, "mybot").crawl_delay(), seconds(10));
    assert_eq!(
        read(merged, "yourbot").crawl_delay(),
        None,
        "named after the delay"
    );
    assert_eq!(read(merged, "otherbot").crawl_delay(), seconds(30));
    for bot in ["mybot", "yourbot"] {
        assert!(
            !allows(&read(merged, bot), "/private/x"),
            "a delay does not end a group: {bot}"
        );
    }
    assert!(!allows(&read(merged, "yourbot"), "/login/"));
    assert!(allows(&read(merged, "mybot"), "/login/"));
    assert!(allows(&read(merged, "otherbot"), "/private/x"));

    let extended = read("extension-robots.txt", "mybot");
    assert!(!allows(&extended, "/private/") && allows(&extended, "/secret/"));
    assert_eq!(extended.sitemaps(), ["/sitemap.xml"]);
    let merged = "extensions-group-merging.txt";
    assert!(!allows(&read(merged, "mybot"), "/private/") && allows(&read(merged, "mybot"), "/x"));
    assert!(!allows(&read(merged, "other"), "/x") && allows(&read(merged, "other"), "/llms.txt"));

    let broken = read("malformed-path.txt", "any");
    assert_eq!(broken.rules_count(), 2);
    assert!(!allows(&broken, "/wiki/Wikipedia_talk:Mediation_Committee/x"));
    assert!(allows(&broken, "/wiki/Wikipedia_talk"));

    let testy = read("precedence-of-rules.txt", "testy");
    assert!(!allows(&testy, "/foo/baz") && allows(&testy, "/foo/bar") && !allows(&testy, "/foo"));
    let wget = read("precedence-of-rules.txt", "wget");
    assert!(allows(&wget, "/foo") && allows(&wget, "/index.html") && !allows(&wget, "/other"));

    assert_eq!(
        read("relative-sitemap-robots.txt", "any").sitemaps(),
        ["/sitemap.xml"]
    );
    let sitemaps = read("sitemap-robots.txt", "any");
    let wanted = [
        "http://domain.com/sitemap.xml",
        "http://domain.com/dir/MixedCased-sitemap.xml",
    ];
    assert_eq!(sitemaps.sitemaps(), wanted, "a line that forgot its key is none");

    for name in ["robots-with-utf16le-bom.txt", "robots-with-utf16be-bom.txt"] {
        let robots = read(name, "any");
        assert!(
            !allows(&robots, "/login.aspx") && !allows(&robots, "/a/output/print"),
            "{name}"
        );
        assert_eq!(
            robots.sitemaps(),
            ["http://www.newsweek.com/sitemap_index.xml"],
            "{name}"
        );
    }
}

#[test]
fn a7_equal_urls_are_treated_equally_however_they_are_written() {
    // RFC 9309 2.2.2 and 2.2.3.
    let equal = [
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
        (
            "/foo/bar?baz=https://foo.bar",
            "/foo/bar?baz=https%3A%2F%2Ffoo.bar",
        ),
        (
            "/foo/bar?baz=https%3a%2f%2ffoo.bar",
            "/foo/bar?baz=https://foo.bar",
        ),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%e3%83%84", "/foo/bar/ツ"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/foo/bar/baz", "/foo/bar/%62%61%7A"),
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"),
        ("/path/foo-%24", "/path/foo-$"),
        ("/two words", "/two%20words"),
        ("/a{b}", "/a%7Bb%7D"),
    ];
    for (rule, target) in equal {
        let found = robots(&format!("User-agent: *\nDisallow: {rule}\n"))
            .decide(&url(&format!("http://a.test{target}")));
        assert!(!found.allowed, "{rule} and {target}");
        assert_eq!(found.rule, Some(format!("Disallow: {rule}")));
    }
    for (rule, target) in [
        ("/a%2Fb", "/a/b"),
        ("/a/b", "/a%2Fb"),
        ("/a%3Fb", "/a?b"),
        ("/x-%2A", "/x-y"),
    ] {
        assert!(
            allows(&robots(&format!("User-agent: *\nDisallow: {rule}\n")), target),
            "{rule} is not {target}"
        );
    }
}

#[test]
fn a7_a_decision_names_its_line() {
    let robots = robots(
        "# ours\r\nUser-agent: gleaner\r\n\r\nDisallow: /private/ # secret\r\nAllow: /private/pub*\r\n",
    );
    let found = robots.decide(&url("http://a.test/private/x"));
    assert_eq!(
        found,
        RobotsDecision {
            allowed: false,
            rule: Some("Disallow: /private/".into()),
            line: Some(4)
        }
    );
    let found = robots.decide(&url("http://a.test/private/public"));
    assert_eq!(
        found,
        RobotsDecision {
            allowed: true,
            rule: Some("Allow: /private/pub*".into()),
            line: Some(5)
        }
    );
    let found = robots.decide(&url("http://a.test/"));
    assert_eq!(
        found,
        RobotsDecision {
            allowed: true,
            rule: None,
            line: None
        }
    );
}

#[test]
fn hc045_what_could_not_be_read_forbids_everything() {
    let page = url("http://a.test/");
    for status in [429, 500, 502, 503, 504, 599, 600, 100] {
        let state = RobotsState::of_answer(status, b"", "gleaner");
        assert_eq!(state.refuses(&page), Some(Reason::RobotsUnreachable), "{status}");
    }
    for reason in [
        Reason::FirstByteTimeout,
        Reason::TlsExpired,
        Reason::DnsFailed,
        Reason::Reset,
        Reason::Truncated,
    ] {
        assert_eq!(
            RobotsState::of_failure(reason).refuses(&page),
            Some(Reason::RobotsUnreachable),
            "{reason}"
        );
    }
}

#[test]
fn hc046_without_a_file_everything_is_allowed() {
    for status in [400, 401, 403, 404, 410, 451] {
        let state = RobotsState::of_answer(status, b"User-agent: *\nDisallow: /\n", "gleaner");
        assert_eq!(state.refuses(&url("http://a.test/x")), None, "{status}");
        assert!(
            matches!(state, RobotsState::AllowAll { status: s } if s == status),
            "shown in status"
        );
    }
}

#[test]
fn hc047_redirects_that_lead_nowhere_count_as_no_file() {
    for reason in [Reason::TooManyRedirects, Reason::RedirectLoop] {
        assert_eq!(
            RobotsState::of_failure(reason).refuses(&url("http://a.test/")),
            None
        );
    }
    assert_eq!(
        RobotsState::of_answer(302, b"", "gleaner").refuses(&url("http://a.test/")),
        None
    );
    let private = RobotsState::of_failure(Reason::PrivateAddress);
    assert_eq!(
        private.refuses(&url("http://a.test/")),
        Some(Reason::RobotsUnreachable)
    );
}

#[test]
fn hc048_of_a_huge_file_the_first_part_counts() {
    let mut text = b"User-agent: *\n".to_vec();
    let filler = |text: &mut Vec<u8>, until: usize| {
        while text.len() < until {
            text.extend_from_slice(b"Disallow: /filler/with/a/long/path\n");
        }
    };
    filler(&mut text, 400 * 1024);
    text.extend_from_slice(b"Disallow: /early/\n");
    filler(&mut text, 600 * 1024);
    text.extend_from_slice(b"Disallow: /late/\n");
    filler(&mut text, 50 * 1024 * 1024);
    let robots = Robots::parse(&text, "gleaner");
    assert!(!allows(&robots, "/early/x") && allows(&robots, "/late/x"));
    assert!(robots.rules_count() < defaults::ROBOTS_BYTES_MAX / 30);

    // The limit falls into a rule: half a rule is none.
    let mut text = b"User-agent: *\nDisallow: /early/\n".to_vec();
    text.resize(defaults::ROBOTS_BYTES_MAX - 11, b'\n');
    text.extend_from_slice(b"Disallow: /late/\n");
    let robots = Robots::parse(&text, "gleaner");
    assert!(!allows(&robots, "/early/") && allows(&robots, "/x") && allows(&robots, "/late/"));
}

#[test]
fn hc049_odd_bytes_are_read_as_far_as_they_make_sense() {
    let mut long = b"User-agent: *\nDisallow: /".to_vec();
    long.resize(400 * 1024, b'a');
    long.extend_from_slice(b"\nDisallow: /after\n");
    let robots = Robots::parse(&long, "gleaner");
    assert!(!allows(&robots, "/after"), "the line after a long one counts");
    let mut endless = b"User-agent: *\nDisallow: /x\nDisallow: /".to_vec();
    endless.resize(10 * 1024 * 1024, b'a');
    assert!(!allows(&Robots::parse(&endless, "gleaner"), "/x"));

    for text in [
        &b"User-agent: *\rDisallow: /private\r"[..],
        b"\xEF\xBB\xBFUser-agent: *\nDisallow: /private\n",
        b"User-agent: *\r\nDisallow: /private\r\n",
        b"User-agent: *\n\rDisallow: /private",
        b"\0User-agent: *\n\0\0Disallow: /pri\0vate\0\n",
        b"\xFF\xFEU\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0*\0\n\0D\0i\0s\0a\0l\0l\0o\0w\0:\0/\0p\0r\0i\0v\0a\0t\0e\0",
        b"U\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0*\0\n\0D\0i\0s\0a\0l\0l\0o\0w\0:\0/\0p\0r\0i\0v\0a\0t\0e\0",
        b"  User-agent :\t*  \n\t Disallow   :  /private   # why\n",
    ] {
        let robots = Robots::parse(text, "gleaner");
        assert!(!allows(&robots, "/private") && allows(&robots, "/"), "{}", String::from_utf8_lossy(text));
    }
    // A path in Latin-1 is matched by its octets.
    let robots = Robots::parse(b"User-agent: *\nDisallow: /caf\xE9\n", "gleaner");
    assert!(!allows(&robots, "/caf%E9/menu") && allows(&robots, "/caf%C3%A9"));
}

#[test]
fn hc050_stars_ends_ties_and_empty_rules() {
    let cases = [
        ("Disallow:", "/x", true),
        ("Disallow: ", "/", true),
        ("Disallow: /a$b", "/a$b/c", false),
        ("Disallow: /a$b", "/a", true),
        ("Disallow: /x\nAllow: /x", "/x", true),
        ("Allow: /x\nDisallow: /x", "/x/y", true),
        ("Disallow: /*.gif$\nAllow: /a", "/a.gif", false),
        ("Disallow: /*.gif$", "/a.gif?x", true),
        ("Disallow: *", "/x", false),
        ("Disallow: *$", "/x", false),
        ("Disallow: $", "/x", true),
        ("Disallow: /$", "/", false),
        ("Disallow: /$", "/x", true),
        ("Disallow: /a*b*c$", "/axbxcxc", false),
        ("Disallow: /a*b*c$", "/axcxb", true),
        ("Disallow: /a*bc*bc$", "/abc", true),
        ("Disallow: /a**b", "/ab", false),
        ("Disallow: private", "/private", true),
        ("Disallow: */private", "/x/private", false),
        ("Disallow: /p*\nAllow: /p$", "/p", true),
        ("Disallow: /page\nAllow: /*.htm", "/page.htm", true),
    ];
    for (rules, target, wanted) in cases {
        assert_eq!(
            allows(&robots(&format!("User-agent: *\n{rules}\n")), target),
            wanted,
            "{rules} {target}"
        );
    }

    let stars = robots(&format!("User-agent: *\nDisallow: /{}b\n", "*a".repeat(1000)));
    assert!(
        allows(&stars, &format!("/{}", "a".repeat(8000))),
        "does not end in b"
    );
    assert!(!allows(&stars, &format!("/{}b", "a".repeat(8000))));
}

#[test]
fn hc051_our_groups_are_merged_and_no_others() {
    let text = "User-agent: GLEANER/2.0 (test)\nDisallow: /one\n\nUser-agent: gleanerbot\nDisallow: /bot\n\n\
                User-agent: glean\nDisallow: /glean\n\nUser-agent: other\nUser-agent: Gleaner\nDisallow: /two\n\n\
                User-agent: *\nDisallow: /\n";
    let robots = robots(text);
    for (target, wanted) in [
        ("/one", false),
        ("/two", false),
        ("/bot", true),
        ("/glean", true),
        ("/", true),
    ] {
        assert_eq!(allows(&robots, target), wanted, "{target}");
    }
    // Ours but without a rule: nothing is forbidden, the group for all does not count.
    assert!(allows(
        &self::robots(
            "User-agent: gleaner\nUser-agent:\n\nUser-agent: gleaner\nDisallow:\nUser-agent: *\nDisallow: /"
        ),
        "/x"
    ));
    // "*" with words behind it is still everyone.
    assert!(!allows(&self::robots("User-agent: * baz\nDisallow: /"), "/x"));
    // Rules before any group belong to nobody.
    assert!(allows(
        &self::robots("Disallow: /\nUser-agent: *\nAllow: /y"),
        "/x"
    ));
    for typo in [
        "dissallow",
        "dissalow",
        "disalow",
        "diasllow",
        "disallaw",
        "DISALLOW",
    ] {
        assert!(
            !allows(&self::robots(&format!("useragent: *\n{typo}: /x")), "/x"),
            "{typo}"
        );
    }
    assert!(!allows(&self::robots("user agent: gleaner\ndisallow /x"), "/x"));
}

#[test]
fn hc052_crawl_delays_are_clamped() {
    let cases = [
        ("0", None),
        ("0.001", Some(0.001)),
        ("10", Some(10.0)),
        ("86400", Some(300.0)),
        ("1e300", Some(300.0)),
        ("-5", None),
        ("fast", None),
        ("NaN", None),
        ("inf", None),
        ("", None),
        ("5 # seconds", Some(5.0)),
    ];
    for (value, seconds) in cases {
        let delay = robots(&format!("User-agent: *\nCrawl-delay: {value}\n")).crawl_delay();
        assert_eq!(delay, seconds.map(Duration::from_secs_f64), "{value}");
    }
}

#[test]
fn hc053_a_stricter_file_counts_as_soon_as_it_is_read() {
    let page = url("http://a.test/a");
    let before = RobotsState::of_answer(200, b"User-agent: *\nDisallow: /b\n", "gleaner");
    let after = RobotsState::of_answer(200, b"User-agent: *\nDisallow: /\n", "gleaner");
    assert_eq!(
        (before.refuses(&page), after.refuses(&page)),
        (None, Some(Reason::RobotsDenied))
    );
}

mod properties {
    use super::*;
    use proptest::prelude::*;
    use std::fmt::Write as _;

    /// The definition, slowly: all placings of the stars.
    fn matches_slowly(pattern: &[u8], target: &[u8]) -> bool {
        let mut reached = vec![false; target.len() + 1];
        reached[0] = true;
        for (index, byte) in pattern.iter().enumerate() {
            if *byte == b'$' && index + 1 == pattern.len() {
                return reached[target.len()];
            }
            if *byte == b'*' {
                let first = reached.iter().position(|r| *r);
                reached
                    .iter_mut()
                    .enumerate()
                    .for_each(|(i, r)| *r = first.is_some_and(|f| i >= f));
            } else {
                for i in (0..target.len()).rev() {
                    reached[i + 1] = reached[i] && target[i] == *byte;
                }
                reached[0] = false;
            }
        }
        reached.contains(&true)
    }

    proptest! {
        #[test]
        fn any_bytes_are_safe(bytes in prop::collection::vec(any::<u8>(), 0..400), path in "\\PC{0,40}") {
            let robots = Robots::parse(&bytes, "gleaner");
            let _ = robots.decide_text(&path);
            if let Ok(url) = Url::parse(&format!("http://a.test/{path}")) {
                prop_assert_eq!(robots.decide(&url).allowed, robots.allows(&url));
            }
        }

        #[test]
        fn decisions_follow_the_definition(
            rules in prop::collection::vec((any::<bool>(), "/[ab*$]{0,6}"), 0..12),
            target in "/[ab]{0,8}",
        ) {
            let mut text = String::from("User-agent: *\n");
            let mut best: Option<(usize, bool)> = None;
            for (allow, pattern) in &rules {
                let name = if *allow { "Allow" } else { "Disallow" };
                let _ = writeln!(text, "{name}: {pattern}");
                if matches_slowly(pattern.as_bytes(), target.as_bytes()) {
                    best = best.max(Some((pattern.len(), *allow)));
                }
            }
            let wanted = best.is_none_or(|(_, allow)| allow);
            let robots = Robots::parse(text.as_bytes(), "gleaner");
            prop_assert_eq!(allows(&robots, &target), wanted, "{} {}", text, target);
            prop_assert_eq!(robots.decide_text(&target).allowed, wanted);
        }
    }
}
