//! Every place of a page that holds an address, and what stands in scripts and comments (A8, issue 15 rows 10 and 11).

use crate::crawled::{asked, changes, crawl, crawl_well, cuts, documents, links, visits};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, Request, dynamic, page, status, text};
use gleaner_testkit::link_places::{LinkPlaces, SCRIPTED, STATIC};

/// Requests that were answered by 404.
fn in_vain(gleaner: &Gleaner) -> usize {
    visits(gleaner)
        .values()
        .filter(|visit| visit.status == "404")
        .count()
}

#[test]
fn case10_case11_addresses_are_found_in_all_places() {
    assert!(STATIC.len() >= 80 && SCRIPTED.len() >= 40);
    for seed in [1, 2, 3] {
        let (gleaner, site) = (Gleaner::new(), LinkPlaces::start(seed));
        crawl_well(&gleaner, &site.server().url("/"), &["--types", "all"]);
        let [(missed, statics), (unread, scripted)] = site.missed();
        println!(
            "seed {seed}: {} of {statics} static places, {} of {scripted} in scripts, {} in vain of {}; missed {missed:?} {unread:?}",
            statics - missed.len(),
            scripted - unread.len(),
            in_vain(&gleaner),
            site.server().requests().len(),
        );
        assert_eq!(missed, [""; 0], "seed {seed}");
        assert!(unread.len() * 10 <= scripted, "seed {seed}: {unread:?}");
        let allowed = site.server().requests().len() / 50;
        assert!(in_vain(&gleaner) <= allowed.max(3), "seed {seed}");
    }
}

#[test]
fn case11_what_leads_nowhere_is_neither_broken_nor_an_error_and_is_given_up() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let pages: Vec<String> = (0..60).map(|n| format!("/p/{n}")).collect();
    server.route("/", page(links(&pages)));
    server.route(
        "/p/*",
        dynamic(|request: &Request| {
            let n = request.path().trim_start_matches("/p/").to_owned();
            page(format!(
                "<title>Page {n}</title><p>The text of page {n} is its own: {}.</p>\
                 <script>var a = '/api/item/{n}', b = '/more/{n}.html'; x('/broken/{n}')</script><!-- <a href='/old/{n}'>x</a> -->",
                n.repeat(9)
            ))
        }),
    );
    server.route(
        "/more/*",
        dynamic(|request: &Request| page(format!("<title>More</title><p>More of {}</p>", request.target))),
    );
    server.route("/broken/*", status(500));
    let finished = crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(finished.json()["errors"], 0);
    let all = asked(&server);
    let count = |start: &str| all.iter().filter(|path| path.starts_with(start)).count();
    assert_eq!(count("/more/"), 60, "what is there is found");
    let vain = count("/api/") + count("/old/") + count("/broken/");
    // Three shapes lead nowhere, and each is given up when three of it did (docs/crawl.md).
    assert!(vain <= 3 * 3, "{vain} in vain: {all:?}");
    assert!(
        cuts(&gleaner)
            .get("script-link")
            .is_some_and(|count| *count > 100),
        "{:?}",
        cuts(&gleaner)
    );
    assert!(changes(&gleaner).values().all(|(state, _)| state == "NEW"));
    let report = gleaner.run(&["report", "--format", "json"]);
    report.expect_code(&[0]);
    let broken = gleaner.run(&["graph", "broken", "--json"]);
    broken.expect_code(&[0]);
    assert!(!broken.stdout.contains("/api/item/"), "{}", broken.stdout);
    // What was learnt is known in the next run: each host is asked in vain once more, and no document is lost.
    server.forget();
    let documents_before = documents(&gleaner);
    crawl_well(&gleaner, &server.url("/"), &[]);
    let all = asked(&server);
    let vain = all.iter().filter(|path| {
        ["/api/", "/old/", "/broken/"]
            .iter()
            .any(|start| path.starts_with(start))
    });
    assert!(vain.count() <= 2, "{all:?}");
    assert_eq!(documents(&gleaner), documents_before);
}

#[test]
fn case11_a_link_outranks_a_guess_and_the_switch_is_obeyed() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let guesses: Vec<String> = (0..12).map(|n| format!("'/gone/{n}'")).collect();
    server.route(
        "/",
        page(format!(
            "<script>var all = [{}]</script><a href='/late'>late</a>",
            guesses.join(",")
        )),
    );
    // The link comes when the shape has long been given up.
    server.route("/late", page("<a href='/gone/11'>linked</a>"));
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(server.hits("/gone/11"), 1, "{:?}", asked(&server));
    let broken = gleaner.run(&["graph", "broken", "--json"]);
    assert!(broken.stdout.contains("/gone/11"), "{}", broken.stdout);
    server.forget();
    let gleaner = Gleaner::new();
    crawl_well(&gleaner, &server.url("/"), &["--no-script-links"]);
    assert_eq!(asked(&server), ["/", "/gone/11", "/late"]);
}

#[test]
fn case10_forms_that_ask_are_asked_bare_and_forms_that_send_are_not() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route(
        "/",
        page(
            "<form action='/search'><input name=q value=x></form><form method=post action='/delete'><input name=id>\
             <button formaction='/archive'>a</button><button formmethod=get formaction='/show'>b</button></form>",
        ),
    );
    server.route(
        "/search",
        page("<title>Search</title><p>Search the collection by words of your own.</p>"),
    );
    server.route(
        "/show",
        page("<title>Show</title><p>What is shown without a choice.</p>"),
    );
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(asked(&server), ["/", "/search", "/show"]);
    let stored = gleaner.sqlite(
        "SELECT k.name FROM links l JOIN link_kinds k ON k.id = l.kind JOIN resources r ON r.id = l.target
         WHERE r.url LIKE '%/delete' OR r.url LIKE '%/archive'",
    );
    assert_eq!(stored, [["form"], ["form"]]);
}

#[test]
fn case10_a_sitemap_that_nobody_names_is_found_and_a_missing_one_is_no_broken_link() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route("/", page("<p>start</p>"));
    let finished = crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(
        (server.hits("/sitemap.xml"), &finished.json()["errors"]),
        (1, &0.into())
    );
    let report = gleaner.run(&["report", "--format", "text"]);
    assert!(
        report.stdout.contains("0 URLs that lead nowhere"),
        "{}",
        report.stdout
    );
    // A host that had none is not asked each time.
    server.forget();
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(server.hits("/sitemap.xml"), 0);
    let map = format!("<urlset><url><loc>{}</loc></url></urlset>", server.url("/listed"));
    let xml = status(200)
        .with_header("Content-Type", "application/xml")
        .with_body(map);
    server
        .route("/sitemap.xml", xml)
        .route("/listed", page("<p>listed only</p>"));
    let other = Gleaner::new();
    crawl_well(&other, &server.url("/"), &[]);
    assert_eq!(server.hits("/listed"), 1);
    // What robots.txt names counts, and nothing else is tried.
    let named = HostileServer::start();
    let list = format!("Sitemap: {}", named.url("/other.xml"));
    named
        .route("/robots.txt", text(list))
        .route("/", page("<p>start</p>"));
    crawl(&Gleaner::new(), &named.url("/"), &[]);
    assert_eq!((named.hits("/other.xml"), named.hits("/sitemap.xml")), (1, 0));
}

/// A run over many hosts of which hardly any has a sitemap still finds what only the sitemap of a large one names, and asks no
/// host twice.
#[test]
fn case10_what_only_the_sitemap_of_a_large_host_names_is_found_in_a_run_over_many() {
    let small: Vec<HostileServer> = (0..24).map(|_| HostileServer::start()).collect();
    for server in &small {
        server.route("/", page("<p>one page</p>"));
    }
    let large = HostileServer::start();
    let links: Vec<String> = (0..60).map(|n| format!("<a href='/page-{n}'>{n}</a>")).collect();
    large.route("/", page(links.concat()));
    for n in 0..60 {
        large.route(&format!("/page-{n}"), page(format!("<p>page {n}</p>")));
    }
    let map = format!("<urlset><url><loc>{}</loc></url></urlset>", large.url("/listed"));
    let xml = status(200)
        .with_header("Content-Type", "application/xml")
        .with_body(map);
    large
        .route("/sitemap.xml", xml)
        .route("/listed", page("<p>listed only</p>"));
    let others: Vec<String> = small[1..]
        .iter()
        .chain([&large])
        .map(|server| server.url("/"))
        .collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    crawl_well(&Gleaner::new(), &small[0].url("/"), &others);
    assert_eq!((large.hits("/listed"), large.hits("/sitemap.xml")), (1, 1));
    let asked: Vec<usize> = small.iter().map(|server| server.hits("/sitemap.xml")).collect();
    assert!(asked.iter().all(|hits| *hits <= 1), "{asked:?}");
    assert!(asked.iter().sum::<usize>() < small.len(), "{asked:?}");
}
