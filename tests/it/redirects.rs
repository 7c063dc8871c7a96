//! Redirects and cookies: where they lead, what goes along, and where they end (HC062–HC069, HC073).
//!
//! HC064 and HC066 speak of credentials, headers and forms that a project sets; there is no way to set them yet, so what
//! is tested is that nothing is sent of itself.

use crate::crawled::{
    asked, changes, crawl, crawl_well, documents, expect_hidden, expect_sound, links, reason_of, visits,
};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{Flaw, HostileServer, Request, Tls, dynamic, page, redirect, status};

fn chain(server: &HostileServer, name: &str, hops: usize) {
    for hop in 0..hops {
        server.route(&format!("/{name}{hop}"), redirect(&format!("/{name}{}", hop + 1)));
    }
    server.route(&format!("/{name}{hops}"), page(format!("end of {name}")));
}

#[test]
fn hc062_loops_and_chains_end_with_a_reason() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route(
        "/",
        page(links([
            "/self", "/a", "/ping", "/ten0", "/eleven0", "/refresh", "/ok",
        ])),
    );
    server.route("/self", redirect("/self"));
    server
        .route("/a", redirect("/b"))
        .route("/b", redirect("/c"))
        .route("/c", redirect("/a"));
    let bounce =
        |to: &'static str| dynamic(move |_: &Request| redirect(to).with_header("Set-Cookie", "n=1; Path=/"));
    server
        .route("/ping", bounce("/pong"))
        .route("/pong", bounce("/ping"));
    chain(&server, "ten", 10);
    chain(&server, "eleven", 11);
    server.route(
        "/refresh",
        page("<meta http-equiv=refresh content=\"0; url=/refresh\">fresh"),
    );
    server.route("/ok", page("ok"));
    let finished = crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(reason_of(&gleaner, &server.url("/self")), "redirect-loop");
    assert_eq!(reason_of(&gleaner, &server.url("/c")), "redirect-loop");
    let looped = visits(&gleaner)[&server.url("/c")].detail.clone();
    assert!(
        looped.contains(&server.url("/a")) && looped.contains(&server.url("/b")),
        "the chain is kept: {looped}"
    );
    let ends = [
        reason_of(&gleaner, &server.url("/ping")),
        reason_of(&gleaner, &server.url("/pong")),
    ];
    assert!(
        ends.iter()
            .any(|reason| reason == "too-many-redirects" || reason == "redirect-loop"),
        "{ends:?}"
    );
    assert!(server.hits("/ping") + server.hits("/pong") <= 12);
    assert_eq!(server.hits("/ten10"), 1);
    assert_eq!((server.hits("/eleven10"), server.hits("/eleven11")), (1, 0));
    assert_eq!(
        reason_of(&gleaner, &server.url("/eleven10")),
        "too-many-redirects"
    );
    assert_eq!(server.hits("/refresh"), 1);
    let kept = documents(&gleaner);
    for path in ["/", "/ten10", "/refresh", "/ok"] {
        assert!(kept.contains(&server.url(path)), "{path}: {kept:?}");
    }
    assert_eq!(kept.len(), 4, "{kept:?}");
    assert_eq!(finished.json()["missing"], 0);
    expect_sound(&gleaner);
}

#[test]
fn hc062_a_cookie_wall_is_passed() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let wall = |request: &Request| match request.header("cookie") {
        Some(cookie) if cookie.contains("seen=1") => page("behind the wall"),
        _ => redirect(&request.target).with_header("Set-Cookie", "seen=1; Path=/"),
    };
    server.route("/", dynamic(wall));
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(gleaner.run(&["cat", &server.url("/")]).stdout, "behind the wall");
    assert_eq!(server.hits("/"), 2);
    expect_sound(&gleaner);
}

#[test]
fn hc063_redirects_to_other_schemes_are_not_followed() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let targets = [
        "file:///etc/passwd",
        "ftp://127.0.0.1/x",
        "data:text/html,hi",
        "javascript:alert(1)",
        "mailto:a@b.test",
    ];
    server.route("/", page(links((0..targets.len()).map(|n| format!("/{n}")))));
    for (n, target) in targets.iter().enumerate() {
        server.route(&format!("/{n}"), redirect(target));
    }
    crawl_well(&gleaner, &server.url("/"), &["--scope", "web"]);
    let visits = visits(&gleaner);
    for (n, target) in targets.iter().enumerate() {
        let visit = &visits[&server.url(&format!("/{n}"))];
        assert_eq!(visit.status, "302", "{target}");
        assert!(
            !visit.reason.is_empty() || !visit.detail.is_empty(),
            "{target}: {visit:?}"
        );
        assert!(!visits.contains_key(*target), "{target}");
    }
    let out = gleaner.run(&["links", &server.url("/0"), "--json"]);
    assert_eq!(out.json()["url"], "file:///etc/passwd", "{out}");
    assert_eq!(documents(&gleaner).len(), 1);
    expect_sound(&gleaner);
}

#[test]
fn hc064_cookies_stay_with_their_origin() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let secret = "topsecret4711";
    let start = page(links(["/private/x", "/away", "/public"]))
        .with_header("Set-Cookie", &format!("site={secret}; Path=/"))
        .with_header("Set-Cookie", "deep=inner; Path=/private");
    server.route("/", start);
    server
        .route("/away", redirect(&server.url_as("b.test", "/landed")))
        .route("/landed", page("landed"));
    server
        .route("/private/x", page("x"))
        .route("/public", page("public"));
    let more = [
        "--scope",
        "web",
        "--resolve",
        "a.test=127.0.0.1",
        "--resolve",
        "b.test=127.0.0.1",
        "--allow-private",
    ];
    let finished = crawl_well(&gleaner, &server.url_as("a.test", "/"), &more);
    let cookie = |path: &str| {
        server.requests_to(path)[0]
            .header("cookie")
            .unwrap_or("")
            .to_owned()
    };
    assert!(
        cookie("/public").contains(secret) && !cookie("/public").contains("deep"),
        "{}",
        cookie("/public")
    );
    assert!(
        cookie("/private/x").contains("deep=inner"),
        "{}",
        cookie("/private/x")
    );
    assert_eq!(cookie("/landed"), "");
    expect_hidden(&gleaner, &finished, secret);
    // The archive shows that a cookie was sent and not which.
    let mut requests = String::new();
    for entry in std::fs::read_dir(gleaner.data().join("archive")).expect("the archive") {
        let file = std::fs::File::open(entry.expect("an entry").path()).expect("a file");
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(file), &mut text).expect("gzip");
        requests.push_str(&String::from_utf8_lossy(&text));
    }
    let sent = requests
        .lines()
        .filter(|line| line.to_ascii_lowercase().starts_with("cookie:"));
    assert!(
        sent.clone().count() > 0 && sent.clone().all(|line| !line.contains(secret)),
        "{:?}",
        sent.collect::<Vec<_>>()
    );
    expect_sound(&gleaner);
}

#[test]
fn hc065_secure_cookies_do_not_go_down_to_http() {
    let tls = Tls::new(Flaw::None);
    let folder = tempfile::tempdir().expect("a folder");
    let authority = folder.path().join("authority.pem");
    std::fs::write(&authority, &tls.certificate.authority_pem).expect("a file");
    let (gleaner, safe, plain) = (
        Gleaner::new(),
        HostileServer::start_tls(&tls),
        HostileServer::start(),
    );
    plain.route("/landed", page("landed"));
    let down = redirect(&plain.url("/landed"))
        .with_header("Set-Cookie", "safe=1; Secure; Path=/")
        .with_header("Set-Cookie", "open=1; Path=/");
    safe.route("/", down);
    crawl_well(
        &gleaner,
        &safe.url("/"),
        &["--ca-file", authority.to_str().expect("text")],
    );
    let cookie = plain.requests_to("/landed")[0]
        .header("cookie")
        .unwrap_or("")
        .to_owned();
    assert!(!cookie.contains("safe"), "{cookie}");
    let visit = visits(&gleaner)[&safe.url("/")].clone();
    assert!(
        visit.detail.contains("https to http"),
        "the downgrade is shown: {visit:?}"
    );
    expect_sound(&gleaner);
}

#[test]
fn hc066_hc073_forms_are_never_submitted_and_logout_can_be_denied() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route(
        "/",
        page(
            "<form action=/delete method=post><input name=id value=1><button formaction=/wipe>x</button></form>
             <form action=/search><input name=q></form><a href=/logout>out</a><a href=/page>page</a>",
        ),
    );
    server.route("/page", page("page")).route("/logout", page("bye"));
    crawl_well(&gleaner, &server.url("/"), &["--deny", "/logout"]);
    // A form that asks is asked for without its fields; what sends is never sent.
    assert_eq!(asked(&server), ["/", "/page", "/search"]);
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.method == "GET" && request.body.is_empty())
    );
    let out = gleaner.run(&["links", &server.url("/"), "--json"]);
    let forms = out
        .json_lines()
        .iter()
        .filter(|link| link["kind"] == "form" || link["kind"] == "get-form")
        .count();
    assert_eq!(forms, 3, "recorded as links: {out}");
    assert_eq!(
        gleaner.sqlite("SELECT count FROM cuts WHERE reason = 'rule-denied'"),
        [["1"]]
    );
    expect_sound(&gleaner);
}

#[test]
fn hc067_every_hop_passes_the_guard() {
    let inside = HostileServer::start_on(&["127.0.0.2".parse().expect("an address")]);
    inside.route("/*", page("metadata"));
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let target = inside.url("/latest/meta-data");
    let port = inside.address().port();
    let ways = [
        ("/301", redirect(&target).with_status(301)),
        ("/302", redirect(&format!("http://0x7f000002:{port}/hex"))),
        (
            "/307",
            redirect(&format!("http://2130706434:{port}/decimal")).with_status(307),
        ),
        (
            "/308",
            redirect(&format!("http://[::ffff:127.0.0.2]:{port}/mapped")).with_status(308),
        ),
        (
            "/meta",
            page(format!(
                "<meta http-equiv=refresh content=\"0; url={}\">",
                inside.url("/meta")
            )),
        ),
        (
            "/header",
            page("header").with_header("Refresh", &format!("0; url={}", inside.url("/header"))),
        ),
        ("/link", page(links([inside.url("/link")]))),
        (
            "/name",
            redirect(&format!("http://intern.example.com:{port}/name")),
        ),
    ];
    server.route("/", page(links(ways.iter().map(|(path, _)| path))));
    for (path, reply) in &ways {
        server.route(path, reply.clone());
    }
    let more = ["--scope", "web", "--resolve", "intern.example.com=127.0.0.2"];
    let finished = crawl_well(&gleaner, &server.url("/"), &more);
    assert_eq!(inside.connections(), 0, "connected to a private address");
    assert_eq!(finished.json()["missing"], 0);
    let changes = changes(&gleaner);
    let refused: Vec<_> = changes
        .iter()
        .filter(|(url, _)| url.contains(&format!(":{port}")))
        .collect();
    assert!(refused.len() >= 6, "{changes:#?}");
    for (url, (state, reason)) in refused {
        assert_eq!(state, "ERR", "{url}");
        assert!(
            reason == "private-address" || reason == "robots-unreachable",
            "{url}: {reason}"
        );
    }
    let why = gleaner.sqlite(&format!(
        "SELECT DISTINCT robots_reason FROM hosts WHERE port = {port}"
    ));
    assert_eq!(why, [["private-address"]]);
    expect_sound(&gleaner);
}

#[test]
fn hc068_cookies_for_others_are_refused() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let hosts = ["a.shop.co.uk", "b.shop.co.uk", "other.co.uk", "else.test"];
    let mut start = page(links(hosts.iter().map(|host| server.url_as(host, "/see"))));
    for cookie in [
        "suffix=1; Domain=co.uk",
        "top=1; Domain=uk",
        "foreign=1; Domain=other.co.uk",
        "unrelated=1; Domain=else.test",
        "below=1; Domain=x.a.shop.co.uk",
        "parent=1; Domain=shop.co.uk",
        "own=1",
    ] {
        start = start.with_header("Set-Cookie", cookie);
    }
    server.route("/", start).route("/see", page("see"));
    let resolve: Vec<String> = hosts.iter().map(|host| format!("{host}=127.0.0.1")).collect();
    let mut more = vec!["--scope", "web", "--allow-private"];
    more.extend(resolve.iter().flat_map(|pair| ["--resolve", pair.as_str()]));
    crawl_well(&gleaner, &server.url_as(hosts[0], "/"), &more);
    let seen = |host: &str| {
        let requests = server.requests_to("/see");
        let request = requests
            .iter()
            .find(|r| r.header("host").is_some_and(|h| h.starts_with(host)))
            .expect(host);
        let mut cookies: Vec<String> = request
            .header("cookie")
            .unwrap_or("")
            .split("; ")
            .filter(|c| !c.is_empty())
            .map(str::to_owned)
            .collect();
        cookies.sort();
        cookies
    };
    assert_eq!(seen("a.shop.co.uk"), ["own=1", "parent=1"]);
    assert_eq!(seen("b.shop.co.uk"), ["parent=1"]);
    assert_eq!(seen("other.co.uk"), [""; 0]);
    assert_eq!(seen("else.test"), [""; 0]);

    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route(
        "/",
        page(links(["/see"]))
            .with_header("Set-Cookie", "ip=1; Domain=0.0.1")
            .with_header("Set-Cookie", "all=1; Domain=.1"),
    );
    server.route("/see", page("see"));
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(server.requests_to("/see")[0].header("cookie"), None);
}

#[test]
fn hc069_floods_of_cookies_leave_requests_small() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let mut many = page("many");
    for n in 0..400 {
        many = many.with_header("Set-Cookie", &format!("c{n}={}", "v".repeat(100)));
    }
    let mut flood = page("flood");
    for n in 0..10_000 {
        flood = flood.with_header("Set-Cookie", &format!("f{n}=1"));
    }
    let large = page("large").with_header("Set-Cookie", &format!("l={}", "x".repeat(200 * 1024)));
    let huge = page("huge").with_header("Set-Cookie", &format!("h={}", "x".repeat(1024 * 1024)));
    let odd = page("odd")
        .with_header("Set-Cookie", "ctl=a\u{1}b\u{7f}c")
        .with_header("Set-Cookie", "fine=1");
    server.route(
        "/",
        page(links(["/many", "/flood", "/large", "/huge", "/odd", "/last"])),
    );
    server
        .route("/many", many)
        .route("/flood", flood)
        .route("/large", large)
        .route("/huge", huge)
        .route("/odd", odd);
    server
        .route("/last", page(links(["/after"])))
        .route("/after", page("after"));
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(reason_of(&gleaner, &server.url("/flood")), "headers-too-large");
    assert_eq!(reason_of(&gleaner, &server.url("/huge")), "headers-too-large");
    let after = &server.requests_to("/after")[0];
    let size: usize = after
        .headers
        .iter()
        .map(|(name, value)| name.len() + value.len() + 4)
        .sum();
    assert!(size < 10 * 1024, "{size} bytes of request");
    let cookie = after.header("cookie").unwrap_or("");
    assert!(
        cookie.split("; ").count() <= 51 && !cookie.contains("l=x") && !cookie.contains("h=x"),
        "{cookie}"
    );
    assert!(
        cookie.bytes().all(|byte| byte >= b' ' && byte != 0x7f),
        "{cookie:?}"
    );
    expect_sound(&gleaner);
}

#[test]
fn a_page_that_moved_is_not_missing() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server
        .route("/", page(links(["/old"])))
        .route("/old", page("content"));
    crawl_well(&gleaner, &server.url("/"), &[]);
    server
        .route("/old", redirect("/new").with_status(301))
        .route("/new", page("content"));
    crawl_well(&gleaner, &server.url("/"), &[]);
    let changes = changes(&gleaner);
    assert!(!changes.contains_key(&server.url("/old")), "{changes:?}");
    let moved = ("SAM".to_owned(), "moved".to_owned());
    assert_eq!(
        changes[&server.url("/new")],
        moved,
        "one document at a new address"
    );
    expect_sound(&gleaner);
}

#[test]
fn a_redirect_without_a_target() {
    for location in [None, Some(""), Some("http://"), Some("http://[::1"), Some("//")] {
        let (gleaner, server) = (Gleaner::new(), HostileServer::start());
        let reply = location.map_or(status(302), redirect);
        server.route("/", reply);
        crawl(&gleaner, &server.url("/"), &[]).expect_code(&[1]);
        let reason = reason_of(&gleaner, &server.url("/"));
        assert!(
            matches!(reason.as_str(), "bad-redirect" | "redirect-loop"),
            "{location:?}: {reason}"
        );
        expect_sound(&gleaner);
    }
}

#[test]
fn hc073_no_form_is_submitted_and_rules_keep_away_from_logout() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let forms = "<form action=/delete method=post><input name=id value=1><button formaction=/purge>x</button></form>\
         <form action=/search><input name=q></form><a href=/logout>out</a><a href=/in>in</a>";
    server.route("/", page(forms)).route("/in", page("in"));
    for path in ["/delete", "/purge", "/search", "/logout"] {
        server.route(path, page("done"));
    }
    crawl_well(&gleaner, &server.url("/"), &["--deny", "/logout$"]);
    for path in ["/delete", "/purge", "/logout"] {
        assert_eq!(server.hits(path), 0, "{path}");
    }
    // A form that only asks is a link to its own address, without its fields.
    let searched: Vec<String> = (server.requests().into_iter())
        .filter(|request| request.path() == "/search")
        .map(|request| request.target)
        .collect();
    assert_eq!(searched, ["/search"]);
    assert_eq!(server.hits("/in"), 1);
    expect_sound(&gleaner);
}
