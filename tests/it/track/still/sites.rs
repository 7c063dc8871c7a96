//! Sites of our own, left alone between two tracks: each kind that testkit can make.

use super::super::Story;
use gleaner_testkit::away::{PATHS, Site, SiteRequest};
use gleaner_testkit::hostile::{HostileServer, dynamic, page};
use gleaner_testkit::link_places::LinkPlaces;
use gleaner_testkit::lists::{self, Shape};
use gleaner_testkit::manual::{self, Build, PAGES, Theme};
use gleaner_testkit::synth::SentValidators;
use gleaner_testkit::{SynthOptions, SynthSite};

fn synthetic(options: SynthOptions, flags: &[&str]) {
    let site = SynthSite::start(options);
    let mut story = Story::new();
    let mut all = vec!["--per-host", "8"];
    all.extend(flags);
    let told = story.crawl(site.seed_url(), &all);
    assert!(told.count("NEW") > 50, "{told}");
    story.expect_still();
}

fn options() -> SynthOptions {
    SynthOptions {
        validators: SentValidators::Mix,
        ..SynthOptions::pages(200)
    }
}

#[test]
fn case27_synthetic_sites_with_noise_stay_as_they_are() {
    synthetic(
        SynthOptions {
            noise_pct: 30.0,
            seed: 41,
            ..options()
        },
        &[],
    );
}

#[test]
fn case27_synthetic_sites_with_sessions_stay_as_they_are() {
    synthetic(
        SynthOptions {
            session_pages: 20,
            seed: 42,
            ..options()
        },
        &[],
    );
}

#[test]
fn case27_synthetic_sites_with_redirects_and_dead_links_stay_as_they_are() {
    synthetic(
        SynthOptions {
            redirect_pct: 15.0,
            missing_pct: 10.0,
            private_pct: 5.0,
            validators: SentValidators::None,
            gzip: true,
            seed: 43,
            ..options()
        },
        &[],
    );
}

#[test]
fn case27_synthetic_sites_on_several_hosts_with_assets_stay_as_they_are() {
    synthetic(
        SynthOptions {
            hosts: 4,
            assets: true,
            seed: 44,
            ..options()
        },
        &["--scope", "web", "--allow-private", "--types", "all"],
    );
}

#[test]
fn case27_manuals_stay_as_they_are() {
    for theme in [Theme::Sphinx, Theme::Javadoc, Theme::Docusaurus, Theme::Jekyll] {
        let server = HostileServer::start();
        let build = Build::default();
        for number in 0..PAGES {
            server.route(&manual::path(number), page(manual::page(theme, &build, number)));
        }
        let mut story = Story::new();
        let told = story.crawl(&server.url("/"), &[]);
        assert_eq!(told.count("NEW"), PAGES, "{told}");
        story.expect_still();
    }
}

#[test]
fn case27_links_in_all_places_stay_as_they_are() {
    for seed in 1..=3 {
        let places = LinkPlaces::start(seed);
        let mut story = Story::new();
        let told = story.crawl(&places.server().url("/"), &["--types", "all"]);
        assert!(told.count("NEW") > 50, "{told}");
        story.expect_still();
    }
}

#[test]
fn case27_pages_that_are_lists_stay_as_they_are() {
    const EACH: usize = 5;
    let server = HostileServer::start();
    let pages = EACH * Shape::ALL.len();
    let links: Vec<String> = (0..pages)
        .map(|at| format!("<li><a href=\"/list-{at}\">List {at}</a></li>"))
        .collect();
    server.route(
        "/",
        page(format!("<title>Start</title><ul>{}</ul>", links.concat())),
    );
    for at in 0..pages {
        let html = lists::page(Shape::ALL[at % Shape::ALL.len()], &lists::entries(at, 12));
        server.route(&format!("/list-{at}"), page(html));
    }
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    assert_eq!(told.count("NEW"), pages + 1, "{told}");
    story.expect_still();
}

#[test]
fn case27_sites_in_all_frames_stay_as_they_are() {
    for number in 0..8 {
        let server = HostileServer::start();
        server.route(
            "/*",
            dynamic(move |request| Site(number).healthy(&SiteRequest::of(request, Site(number), 0))),
        );
        let mut story = Story::new();
        let told = story.crawl(&server.url("/"), &[]);
        assert_eq!(told.count("NEW"), PATHS.len(), "{told}");
        story.expect_still();
    }
}
