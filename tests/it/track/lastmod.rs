//! Sitemaps and feeds as listings of a web site: what they call unchanged is not asked for, where they are believed (B2).
//!
//! The site counts its changes and dates them. Time passes by [`Dated::age`]: everything that happened, on the site and in
//! the catalog, is moved into the past.

mod kills;

use super::{Story, Told, prose};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, Response, dynamic, page, status, text};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

const PAGES: usize = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// As `LIST_SAMPLE` in `model/src/defaults.rs`.
const SAMPLE: i64 = 20;
const EXACT: &str = "%Y-%m-%dT%H:%M:%SZ";
const DATE_ONLY: &str = "%Y-%m-%d";

/// A page as it is now.
#[derive(Clone)]
struct Leaf {
    changes: u64,
    /// What the sitemap says, in seconds since 1970.
    listed: i64,
    format: &'static str,
}

/// A site with a start page, [`PAGES`] pages and a sitemap of all of them, none of which has validators.
struct Dated {
    server: HostileServer,
    leaves: Arc<Mutex<Vec<Leaf>>>,
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    i64::try_from(since.expect("after 1970").as_secs()).expect("before the end of time")
}

fn path(page: usize) -> String {
    match page {
        0 => "/".to_owned(),
        page => format!("/p/{page}"),
    }
}

fn body(page: usize, changes: u64) -> String {
    let number = page as u64 + 1000 * changes;
    let (title, paragraphs) = (prose::title(number), prose::html(number, 4, ""));
    let link = |to: usize| format!("<li><a href=\"/p/{to}\">{to}</a></li>");
    let links = match page {
        0 => (1..=PAGES).map(link).collect::<Vec<_>>().concat(),
        _ => "<li><a href=\"/\">start</a></li>".to_owned(),
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\n<body>\n\
         <main><h1>{title}</h1>\n{paragraphs}</main><ul>{links}</ul></body></html>\n"
    )
}

/// The moment as text; SQLite knows how.
fn written(at: i64, format: &str) -> String {
    let db = rusqlite::Connection::open_in_memory().expect("memory");
    db.query_row("SELECT strftime(?1, ?2, 'unixepoch')", (format, at), |row| {
        row.get(0)
    })
    .expect("a date")
}

fn xml(body: String) -> Response {
    status(200)
        .with_header("Content-Type", "application/xml")
        .with_body(body)
}

impl Dated {
    /// All pages changed last a month ago.
    fn start() -> Dated {
        let leaf = Leaf {
            changes: 0,
            listed: now() - 30 * DAY,
            format: EXACT,
        };
        let leaves = Arc::new(Mutex::new(vec![leaf; PAGES + 1]));
        let server = HostileServer::start();
        let robots = format!("Sitemap: {}\n", server.url("/sitemap.xml"));
        server.route("/robots.txt", text(robots));
        for number in 0..=PAGES {
            let leaves = Arc::clone(&leaves);
            let serve = move |_: &_| page(body(number, leaves.lock().expect("no panic")[number].changes));
            server.route(&path(number), dynamic(serve));
        }
        let site = Dated { server, leaves };
        site.list();
        site
    }

    /// Serves the sitemap.
    fn list(&self) {
        let (leaves, base) = (Arc::clone(&self.leaves), self.server.url(""));
        let serve = move |_: &_| {
            let leaves = leaves.lock().expect("no panic");
            let entries: Vec<String> = (leaves.iter().enumerate())
                .map(|(number, leaf)| {
                    let date = written(leaf.listed, leaf.format);
                    format!(
                        "<url><loc>{base}{}</loc><lastmod>{date}</lastmod></url>\n",
                        path(number)
                    )
                })
                .collect();
            xml(format!("<urlset>{}</urlset>", entries.concat()))
        };
        self.server.route("/sitemap.xml", dynamic(serve));
    }

    /// Changes pages; their sitemap tells of it, an hour ago.
    fn announce(&self, pages: impl IntoIterator<Item = usize>) {
        for number in pages {
            self.change(number);
            self.leaves.lock().expect("no panic")[number].listed = now() - HOUR;
        }
    }

    /// Changes a page behind its sitemap's back.
    fn change(&self, number: usize) {
        self.leaves.lock().expect("no panic")[number].changes += 1;
    }

    /// So much time goes by, for the site and for what was found about it.
    fn age(&self, story: &Story, seconds: i64) {
        for leaf in self.leaves.lock().expect("no panic").iter_mut() {
            leaf.listed -= seconds;
        }
        age(&story.gleaner, seconds);
    }

    fn crawled(&self) -> Story {
        let mut story = Story::new();
        let told = story.crawl(&self.server.url("/"), &["--per-host", "8"]);
        assert_eq!(told.count("NEW"), PAGES + 1, "{told}");
        // The first track of a site also asks what its addresses are made of, by requests of its own.
        let told = story.track(&["--lastmod", "never"]);
        told.expect_all_same(PAGES + 1, "nothing happened");
        story
    }

    /// The track, and the numbers of the pages that the server was asked for.
    fn track(&self, story: &mut Story, flags: &[&str]) -> (Told, BTreeSet<usize>) {
        self.server.forget();
        let told = story.track(flags);
        (told, self.asked())
    }

    /// The start page aside: it is also asked for to know a wall when it stands before the others.
    fn asked(&self) -> BTreeSet<usize> {
        (1..=PAGES)
            .filter(|number| self.server.hits(&path(*number)) > 0)
            .collect()
    }

    fn id_of(&self, told: &Told, number: usize) -> i64 {
        told.of(&self.server.url(&path(number))).id.expect("a document")
    }

    /// The pages that are asked for though nothing speaks for it.
    fn sample(&self, told: &Told) -> BTreeSet<usize> {
        (1..=PAGES)
            .filter(|number| (self.id_of(told, *number) + told.run) % SAMPLE == 0)
            .collect()
    }

    /// These are UPD, all others SAM, and nothing else was found. SAM says why, where nobody asked.
    fn expect(&self, told: &Told, updated: &[usize], asked: &BTreeSet<usize>) {
        for number in 0..=PAGES {
            let change = told.of(&self.server.url(&path(number)));
            let (state, reason) = match (updated.contains(&number), asked.contains(&number)) {
                (true, _) => ("UPD", ""),
                (false, _) if number == 0 => ("SAM", change.reason.as_str()),
                (false, true) => ("SAM", ""),
                (false, false) => ("SAM", "not-asked"),
            };
            assert_eq!(
                (change.state.as_str(), change.reason.as_str()),
                (state, reason),
                "page {number}\n{told}"
            );
        }
        assert_eq!(told.changes.len(), PAGES + 1, "{told}");
    }

    /// What the host's lists have earned, and how often they lied.
    fn trust(story: &Story) -> (i64, i64) {
        let number = |column: &str| {
            story
                .gleaner
                .sqlite_number(&format!("SELECT {column} FROM list_trusts"))
        };
        (number("announced"), number("unannounced"))
    }
}

fn age(gleaner: &Gleaner, seconds: i64) {
    let db = rusqlite::Connection::open(gleaner.data().join("gleaner.db")).expect("a catalog");
    let ms = seconds * 1000;
    for column in ["versions.fetched_at", "documents.looked_at", "visits.at"] {
        let (table, column) = column.split_once('.').expect("a column");
        db.execute(&format!("UPDATE {table} SET {column} = {column} - ?1"), [ms])
            .expect("a number");
    }
    db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
        .expect("a checkpoint");
    // We are the damage that it would tell of.
    let _there_may_be_none = std::fs::remove_file(gleaner.data().join("gleaner.db-sums"));
}

fn all() -> BTreeSet<usize> {
    (1..=PAGES).collect()
}

#[test]
fn b2_trust_is_earned_used_and_lost() {
    let site = Dated::start();
    let mut story = site.crawled();
    site.age(&story, 2 * DAY);

    // Nine announced changes are not enough.
    let changed: Vec<usize> = (1..=9).collect();
    site.announce(changed.iter().copied());
    let (told, asked) = site.track(&mut story, &[]);
    assert_eq!(asked, all());
    site.expect(&told, &changed, &asked);
    assert_eq!(Dated::trust(&story), (9, 0));
    site.age(&story, 2 * DAY);
    site.announce([10]);
    let (told, asked) = site.track(&mut story, &[]);
    assert_eq!(asked, all());
    site.expect(&told, &[10], &asked);
    assert_eq!(Dated::trust(&story), (10, 0));

    // Now they are believed, but for the sample. Again and again: what nobody asked for was not looked at.
    for changed in [vec![3, 20, 41], Vec::new(), vec![59, 60]] {
        site.age(&story, 2 * DAY);
        site.announce(changed.iter().copied());
        let (told, asked) = site.track(&mut story, &[]);
        let expected: BTreeSet<usize> = site.sample(&told).into_iter().chain(changed.clone()).collect();
        assert_eq!(asked, expected, "{told}");
        site.expect(&told, &changed, &asked);
        assert_eq!(site.server.hits("/robots.txt"), 1);
        assert_eq!(site.server.hits("/sitemap.xml"), 1);
    }
    assert_eq!(Dated::trust(&story), (15, 0));
    let unasked = site.server.url("/p/58");
    let explained = story.gleaner.run(&["explain", &unasked]);
    assert!(explained.stdout.contains("not-asked"), "{explained}");
    let listed = story.gleaner.run(&["report", "--state", "SAM"]);
    assert!(listed.stdout.contains("not-asked"), "{listed}");

    // Two pages change behind the sitemap's back. One of them is in the sample of the next run, and that is the end of trust.
    let told = story.track(&[]);
    let in_sample = |number: &usize| (site.id_of(&told, *number) + told.run + 1) % SAMPLE == 0;
    let caught = (1..=PAGES).find(in_sample).expect("a sample");
    let hidden = (1..=PAGES).find(|number| !in_sample(number)).expect("the others");
    site.age(&story, 2 * DAY);
    site.change(caught);
    site.change(hidden);
    let (told, asked) = site.track(&mut story, &[]);
    assert_eq!(asked, site.sample(&told), "{told}");
    site.expect(&told, &[caught], &asked);
    assert_eq!(Dated::trust(&story), (0, 1));
    site.age(&story, 2 * DAY);
    let (told, asked) = site.track(&mut story, &[]);
    assert_eq!(asked, all());
    site.expect(&told, &[hidden], &asked);
    assert_eq!(Dated::trust(&story), (0, 2));

    // It can be earned anew.
    site.age(&story, 2 * DAY);
    let changed: Vec<usize> = (30..=39).collect();
    site.announce(changed.iter().copied());
    let (told, asked) = site.track(&mut story, &[]);
    site.expect(&told, &changed, &asked);
    assert_eq!(Dated::trust(&story), (10, 2));
    site.age(&story, 2 * DAY);
    let (told, asked) = site.track(&mut story, &[]);
    assert_eq!(asked, site.sample(&told), "{told}");
}

#[test]
fn b2_always_never_and_verify() {
    let site = Dated::start();
    let mut story = site.crawled();
    site.age(&story, 2 * DAY);
    site.announce([5, 6]);
    let (told, asked) = site.track(&mut story, &["--lastmod", "always"]);
    assert_eq!(asked, BTreeSet::from([5, 6]), "{told}");
    site.expect(&told, &[5, 6], &asked);

    site.age(&story, 2 * DAY);
    site.announce([7]);
    site.change(8);
    let (told, asked) = site.track(&mut story, &["--lastmod", "never"]);
    assert_eq!(asked, all());
    site.expect(&told, &[7, 8], &asked);
    assert_eq!(Dated::trust(&story), (2, 0), "who never believes does not learn");

    let (told, asked) = site.track(&mut story, &["--lastmod", "always", "--verify-content"]);
    assert_eq!(asked, all());
    site.expect(&told, &[], &asked);

    // What was found an hour ago is too near to a change of an hour ago, whatever the clocks say; two days on it is not.
    site.announce([9]);
    let (told, asked) = site.track(&mut story, &["--lastmod", "always"]);
    assert_eq!(asked, BTreeSet::new(), "the look was after that: {told}");
    site.age(&story, 2 * DAY);
    site.announce([9]);
    let (told, asked) = site.track(&mut story, &["--lastmod", "always"]);
    assert_eq!(asked, BTreeSet::from([9]));
    site.expect(&told, &[9], &asked);

    // A list that is late: the change lies before the last run, but that did not look at the page; the look was before it.
    site.age(&story, 2 * DAY);
    site.change(30);
    site.leaves.lock().expect("no panic")[30].listed = now() - 3 * DAY;
    let (told, asked) = site.track(&mut story, &["--lastmod", "always"]);
    assert_eq!(asked, BTreeSet::from([30]));
    site.expect(&told, &[30], &asked);
}

/// robots.txt may name a list on another host; it takes its time, and is waited for.
#[test]
fn b2_a_list_on_another_host_is_waited_for() {
    let site = Dated::start();
    let mut story = site.crawled();
    site.age(&story, 2 * DAY);
    let elsewhere = HostileServer::start_on(&[[127, 0, 0, 2].into()]);
    let robots = ["/sitemap.xml", "/gone.xml"].map(|path| format!("Sitemap: {}\n", site.server.url(path)));
    let robots = robots.concat() + &format!("Sitemap: {}\n", elsewhere.url("/list.xml"));
    site.server.route("/robots.txt", text(robots));
    let (recently, url) = (written(now() - HOUR, EXACT), site.server.url("/p/11"));
    let list = format!("<urlset><url><loc>{url}</loc><lastmod>{recently}</lastmod></url></urlset>");
    let slowly = move |_: &_| {
        std::thread::sleep(Duration::from_millis(700)); // The server is slow, not the test.
        xml(list.clone())
    };
    elsewhere.route("/list.xml", dynamic(slowly));
    site.change(11);
    let flags = ["--lastmod", "always", "--allow-private"];
    let (told, asked) = site.track(&mut story, &flags);
    assert_eq!(asked, BTreeSet::from([11]), "{told}");
    site.expect(&told, &[11], &asked);
    // And it is not waited for when nobody is there.
    let there = elsewhere.url("/list.xml");
    drop(elsewhere);
    site.age(&story, 2 * DAY);
    site.announce([12]);
    let (told, asked) = site.track(&mut story, &flags);
    assert_eq!(asked, BTreeSet::from([12]), "{there} cannot be read\n{told}");
    site.expect(&told, &[12], &asked);
}

#[test]
fn b2_a_sitemap_that_cannot_be_read_holds_nothing_up() {
    let site = Dated::start();
    let mut story = site.crawled();
    for broken in [status(500), status(404), text("<html><body>Sorry")] {
        site.age(&story, 2 * DAY);
        site.change(4);
        site.server.route("/sitemap.xml", broken);
        let (told, asked) = site.track(&mut story, &["--lastmod", "always"]);
        assert_eq!(asked, all());
        site.expect(&told, &[4], &asked);
    }
    // One that fails first is asked for again, and nobody waits for that.
    site.age(&story, 2 * DAY);
    let (told, asked) = site.track(&mut story, &["--lastmod", "always", "--tries", "2"]);
    assert_eq!(asked, all());
    site.expect(&told, &[], &asked);
    // None at all.
    site.server
        .route("/robots.txt", text("User-agent: *\nAllow: /\n"));
    let (told, asked) = site.track(&mut story, &["--lastmod", "always"]);
    assert_eq!(asked, all());
    site.expect(&told, &[], &asked);
}

#[test]
fn b2_a_date_without_a_time_is_its_whole_day() {
    let site = Dated::start();
    let mut story = site.crawled();
    site.age(&story, HOUR);
    for (number, leaf) in site.leaves.lock().expect("no panic").iter_mut().enumerate() {
        leaf.format = DATE_ONLY;
        // Half of the pages today, half of them three days ago; one has no date.
        leaf.listed = now() - if number % 2 == 0 { 0 } else { 3 * DAY };
    }
    site.leaves.lock().expect("no panic")[1].format = "last week";
    let (told, asked) = site.track(&mut story, &["--lastmod", "always"]);
    let expected: BTreeSet<usize> = (1..=PAGES)
        .filter(|number| number % 2 == 0 || *number == 1)
        .collect();
    assert_eq!(asked, expected, "{told}");
    site.expect(&told, &[], &asked);
}

/// Of an index, its sitemaps and a feed the latest date counts, wherever it stands.
#[test]
fn b2_all_lists_are_read_before_one_is_believed() {
    let site = Dated::start();
    let mut story = site.crawled();
    site.age(&story, 2 * DAY);
    let server = &site.server;
    let robots = format!(
        "Sitemap: {}\nSitemap: {}\nUser-agent: *\nDisallow: /p/13\n",
        server.url("/index.xml"),
        server.url("/feed.atom")
    );
    server.route("/robots.txt", text(robots));
    let index = ["/sitemap.xml", "/late.xml"]
        .map(|path| format!("<sitemap><loc>{}</loc></sitemap>", server.url(path)));
    server.route(
        "/index.xml",
        xml(format!("<sitemapindex>{}</sitemapindex>", index.concat())),
    );
    let recently = written(now() - HOUR, EXACT);
    let late = format!(
        "<url><loc>{}</loc><lastmod>{recently}</lastmod></url>",
        server.url("/p/11")
    );
    server.route("/late.xml", xml(format!("<urlset>{late}</urlset>")));
    let entry =
        format!("<entry><title>12</title><link href=\"/p/12\"/><updated>{recently}</updated></entry>");
    let feed = format!("<feed xmlns=\"http://www.w3.org/2005/Atom\">{entry}</feed>");
    server.route("/feed.atom", xml(feed));
    site.change(11);
    site.change(12);
    let (told, asked) = site.track(&mut story, &["--lastmod", "always"]);
    assert_eq!(asked, BTreeSet::from([11, 12]), "{told}");
    assert_eq!((told.count("UPD"), told.count("SAM")), (2, PAGES - 2), "{told}");
    let forbidden = told.of(&server.url("/p/13"));
    assert_ne!(forbidden.reason, "not-asked", "robots.txt says no: {forbidden:?}");
    assert_ne!(forbidden.state, "SAM", "{forbidden:?}");
    let orphans = told.changes.iter().filter(|change| change.is_orphan).count();
    assert_eq!(
        orphans, 0,
        "the links of pages that nobody asked for still count\n{told}"
    );
}

/// A page that failed when it was last asked for, or is gone, is not there by its sitemap's word.
#[test]
fn b2_a_failure_is_asked_for_again() {
    let site = Dated::start();
    let mut story = site.crawled();
    site.age(&story, 2 * DAY);
    let healthy = page(body(21, 0));
    site.server
        .route("/p/21", status(500))
        .route("/p/22", status(404));
    let (told, _) = site.track(&mut story, &["--lastmod", "never"]);
    assert_eq!((told.count("ERR"), told.count("MIS")), (1, 1), "{told}");
    site.age(&story, 2 * DAY);
    let (told, asked) = site.track(&mut story, &["--lastmod", "always"]);
    assert!(asked.contains(&21), "{told}");
    assert_eq!(told.state_of(&site.server.url("/p/21")), "ERR", "{told}");
    assert_eq!((told.count("SAM"), told.count("ERR")), (PAGES - 1, 1), "{told}");
    site.age(&story, 2 * DAY);
    site.server.route("/p/21", healthy);
    let (told, asked) = site.track(&mut story, &["--lastmod", "always"]);
    assert!(asked.contains(&21), "{told}");
    told.expect_all_same(PAGES, "healed");
}

/// Waits without end are what this could bring; a test must not.
const PATIENCE: Duration = Duration::from_mins(1);
