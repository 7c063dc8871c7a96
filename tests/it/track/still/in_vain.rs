//! How many of all requests are for addresses that no link promised, and bring nothing? On every kind of site that testkit
//! makes, and on real applications (A8, issue 15). The bar is for all of them: guesses, and `/sitemap.xml`, which a host is asked
//! for once whatever its size.

#![expect(clippy::print_stdout, reason = "scores are for the person who runs the tests")]

use super::super::Story;
use super::super::shop::Shop;
use super::prose;
use gleaner_fixtures::keep_scores;
use gleaner_testkit::away::{Site, SiteRequest};
use gleaner_testkit::giving::{GivingServer, GivingSite};
use gleaner_testkit::hostile::{HostileServer, dynamic, page};
use gleaner_testkit::link_places::LinkPlaces;
use gleaner_testkit::lists::{self, Shape};
use gleaner_testkit::manual::{self, Build, PAGES, Theme};
use gleaner_testkit::restless::RestlessPage;
use gleaner_testkit::servers::{DokuWiki, PhpServer, WordPress};
use gleaner_testkit::synth::SentValidators;
use gleaner_testkit::{Blog, Gleaner, SynthOptions, SynthSite};

/// Of a hundred requests.
const IN_VAIN_PERCENT: f64 = 2.0;

/// What the first run of a folder asked for.
struct Count {
    name: String,
    hosts: usize,
    requests: usize,
    /// Brought no document, and nothing but strings of scripts, comments and bare forms led there.
    guesses: Vec<String>,
    /// The same of `/sitemap.xml`, which is asked for once a host.
    sitemaps: usize,
    /// Guesses that brought a document.
    right: usize,
}

impl Count {
    fn of(name: &str, gleaner: &Gleaner) -> Count {
        let rows = gleaner.sqlite(
            "SELECT r.url, h.name, v.status BETWEEN 300 AND 399
                 OR EXISTS (SELECT 1 FROM documents d WHERE d.resource = r.id AND d.gone_run IS NULL),
                 EXISTS (SELECT 1 FROM links l JOIN link_kinds k ON k.id = l.kind
                         WHERE l.target = r.id AND k.name NOT IN ('in-script', 'get-form')),
                 EXISTS (SELECT 1 FROM links l WHERE l.target = r.id)
             FROM visits v JOIN resources r ON r.id = v.resource JOIN hosts h ON h.id = r.host
             WHERE v.run = 1 AND v.status IS NOT NULL",
        );
        let is_set = |cell: &str| cell == "1";
        let mut hosts: Vec<&str> = rows.iter().map(|row| row[1].as_str()).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let (guesses, sitemaps): (Vec<_>, Vec<_>) = rows
            .iter()
            .filter(|row| !is_set(&row[2]) && !is_set(&row[3]))
            .partition(|row| is_set(&row[4]));
        Count {
            name: name.to_owned(),
            hosts: hosts.len(),
            requests: rows.len(),
            guesses: guesses.iter().map(|row| row[0].clone()).collect(),
            sitemaps: sitemaps.len(),
            right: rows
                .iter()
                .filter(|row| is_set(&row[2]) && !is_set(&row[3]) && is_set(&row[4]))
                .count(),
        }
    }

    /// What docs/crawl.md allows: eight a host, one more for each hundred pages and each four that were right.
    fn allowed(&self) -> usize {
        8 * self.hosts + self.requests / 100 + self.right / 4
    }
}

fn crawled(name: &str, url: &str, flags: &[&str]) -> Count {
    let mut story = Story::new();
    story.crawl(url, flags);
    Count::of(name, &story.gleaner)
}

/// On each host no more than it is allowed; gives back how many of a hundred requests were in vain.
fn expect_few(name: &str, counts: &[Count]) -> f64 {
    let mut lines = vec![format!(
        "requests in vain for addresses that nobody promised, of all requests (bar {IN_VAIN_PERCENT} %): {name}"
    )];
    let (mut requests, mut vain, mut sitemaps) = (0, 0, 0);
    for count in counts {
        requests += count.requests;
        vain += count.guesses.len();
        sitemaps += count.sitemaps;
        lines.push(format!(
            "  {:<34} {:>3} hosts {:>5} requests {:>3} guesses and {:>3} sitemaps in vain, {:>3} guesses right",
            count.name,
            count.hosts,
            count.requests,
            count.guesses.len(),
            count.sitemaps,
            count.right
        ));
    }
    let percent = |count: usize| 100.0 * count as f64 / requests as f64;
    lines.push(format!(
        "  guesses {vain} of {requests}: {:.2} %; with {sitemaps} sitemaps {:.2} %",
        percent(vain),
        percent(vain + sitemaps)
    ));
    println!("{}", lines.join("\n"));
    keep_scores(name, &lines);
    for count in counts {
        let Count { name, guesses, .. } = count;
        assert!(guesses.len() <= count.allowed(), "{name}: {guesses:?}");
        assert!(count.sitemaps <= count.hosts, "{name}");
    }
    percent(vain + sitemaps)
}

fn synthetic(name: &str, options: SynthOptions, flags: &[&str]) -> Count {
    let site = SynthSite::start(options);
    crawled(name, site.seed_url(), flags)
}

fn of_pages(name: &str, pages: usize, html: impl Fn(usize) -> String) -> Count {
    let server = HostileServer::start();
    let list: Vec<String> = (0..pages)
        .map(|n| format!("<li><a href=\"/page-{n}\">Page {n}</a></li>"))
        .collect();
    server.route("/", page(format!("<title>All</title><ul>{}</ul>", list.concat())));
    for n in 0..pages {
        server.route(&format!("/page-{n}"), page(html(n)));
    }
    crawled(name, &server.url("/"), &["--per-host", "8"])
}

#[test]
fn case11_few_requests_are_in_vain_on_all_sites_of_our_own() {
    let site = SynthOptions::pages(200);
    let mut counts = vec![
        synthetic("synthetic site", site.clone(), &["--per-host", "8"]),
        synthetic(
            "synthetic site, noise and sessions",
            SynthOptions {
                noise_pct: 30.0,
                session_pages: 20,
                validators: SentValidators::Mix,
                ..site.clone()
            },
            &["--per-host", "8"],
        ),
        synthetic(
            "synthetic site, redirects, dead links",
            SynthOptions {
                redirect_pct: 15.0,
                missing_pct: 10.0,
                private_pct: 5.0,
                ..site.clone()
            },
            &["--per-host", "8"],
        ),
        synthetic(
            "synthetic site, four hosts, assets",
            SynthOptions {
                hosts: 4,
                assets: true,
                ..site
            },
            &["--scope", "web", "--allow-private", "--types", "all"],
        ),
    ];
    for seed in 1..=3 {
        let places = LinkPlaces::start(seed);
        let url = places.server().url("/");
        counts.push(crawled("places of links", &url, &["--types", "all"]));
    }
    for theme in [Theme::Sphinx, Theme::Javadoc, Theme::Docusaurus, Theme::Jekyll] {
        let server = HostileServer::start();
        let build = Build::default();
        for number in 0..PAGES {
            server.route(&manual::path(number), page(manual::page(theme, &build, number)));
        }
        counts.push(crawled("manual", &server.url("/"), &[]));
    }
    let blog = Blog::start(40, 4, |post| {
        let number = post as u64;
        (prose::title(number), prose::html(number, 4, ""))
    });
    counts.push(crawled(
        "blog",
        &blog.server().url("/"),
        &["--types", "html,text"],
    ));
    counts.push(of_pages("pages with restless parts", 60, |n| {
        RestlessPage::of(1, n as u64).html(1, None)
    }));
    counts.push(of_pages("pages that are lists", 60, |n| {
        lists::page(Shape::ALL[n % Shape::ALL.len()], &lists::entries(n, 12))
    }));
    let healthy = HostileServer::start();
    healthy.route(
        "/*",
        dynamic(|request| Site(1).healthy(&SiteRequest::of(request, Site(1), 0))),
    );
    counts.push(crawled("site that goes away", &healthy.url("/"), &[]));
    let giving = GivingServer::start(1, 0..40);
    let entries: Vec<String> = giving.sites().iter().map(GivingSite::entry).collect();
    let more: Vec<&str> = entries[1..].iter().map(String::as_str).collect();
    counts.push(crawled("sites that give ids", &entries[0], &more));
    let percent = expect_few("requests-in-vain", &counts);
    assert!(
        percent <= IN_VAIN_PERCENT,
        "{percent} % of the requests were in vain"
    );
}

#[test]
fn case11_few_requests_are_in_vain_on_real_applications() {
    let mut counts = Vec::new();
    match PhpServer::start(|site| Shop::write(site, "php")) {
        Ok(server) => counts.push(crawled("a shop in PHP", &server.url("/"), &[])),
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    }
    match WordPress::start(12) {
        Ok(blog) => {
            let patient = ["--per-host", "1", "--read-timeout", "60", "--concurrency", "4"];
            counts.push(crawled("WordPress", &blog.url("/"), &patient));
        }
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    }
    let page = |id: &str, text: &str| (id.to_owned(), format!("====== {id} ======\n\n{text}\n"));
    let pages = [
        page("start", "Welcome. Read about [[birds:heron]]."),
        page("birds:heron", "A heron stands in the water, as [[start]] says."),
    ];
    match DokuWiki::start(&pages) {
        Ok(wiki) => {
            let url = wiki.url("/doku.php?id=start");
            counts.push(crawled("DokuWiki", &url, &["--depth", "2", "--ignore-robots"]));
        }
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    }
    // They are so small that what each host is allowed is more than two in a hundred.
    expect_few("requests-in-vain-of-applications", &counts);
}
