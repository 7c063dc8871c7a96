//! A documentation site is built anew: UPD are the pages whose words changed, and no others (B6).

use super::Story;
use gleaner_testkit::hostile::{HostileServer, page};
use gleaner_testkit::manual::{self, Build, PAGES, Theme};

fn publish(server: &HostileServer, theme: Theme, build: &Build) {
    for number in 0..build.pages {
        server.route(&manual::path(number), page(manual::page(theme, build, number)));
    }
}

fn edited(server: &HostileServer) -> Vec<String> {
    let edited = (0..PAGES).filter(|number| manual::is_edited(*number));
    edited.map(|number| server.url(&manual::path(number))).collect()
}

/// Builds the site again and again, each time with more that differs, and at last with edits in some pages.
fn rebuilt(theme: Theme) {
    let server = HostileServer::start();
    let first = Build::default();
    publish(&server, theme, &first);
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    assert_eq!(told.count("NEW"), PAGES, "{told}");
    let dated = Build {
        date: "Nov 17, 2026",
        year: "2026",
        ..first
    };
    let released = Build {
        version: "3.3rc1",
        ..dated.clone()
    };
    let retooled = Build {
        tool: "8.0.1",
        is_cut_otherwise: true,
        ..released.clone()
    };
    let framed = Build {
        entries: 1,
        has_login: true,
        ..retooled.clone()
    };
    let written = Build {
        version: "3.3",
        date: "Dec 02, 2026",
        edits: 1,
        ..framed.clone()
    };
    let written_again = Build {
        edits: 2,
        ..written.clone()
    };
    for (what, build) in [
        ("another date", &dated),
        ("another version", &released),
        ("another tool", &retooled),
        ("another menu and a box to sign in", &framed),
        ("edits", &written),
        ("more edits", &written_again),
    ] {
        publish(&server, theme, build);
        let told = story.track(&[]);
        let expected = if build.edits > 0 {
            edited(&server)
        } else {
            Vec::new()
        };
        let mut updated: Vec<&str> = told.urls("UPD").into_iter().collect();
        updated.sort_unstable();
        let mut expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        expected.sort_unstable();
        assert_eq!(updated, expected, "{theme:?}: {what}\n{told}");
        assert_eq!(
            told.count("SAM"),
            PAGES - expected.len(),
            "{theme:?}: {what}\n{told}"
        );
    }
}

/// A release in a new year: the version in every title, the year in every copyright and the date, all at once.
fn released_in_a_new_year(theme: Theme, pages: usize) {
    let server = HostileServer::start();
    let first = Build {
        pages,
        ..Build::default()
    };
    publish(&server, theme, &first);
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    assert_eq!(told.count("NEW"), pages, "{told}");
    let released = Build {
        version: "3.3",
        date: "Nov 17, 2026",
        year: "2026",
        ..first
    };
    let next = Build {
        version: "3.4",
        date: "Jan 03, 2027",
        year: "2027",
        edits: 1,
        ..released.clone()
    };
    for build in [&released, &next] {
        publish(&server, theme, build);
        let told = story.track(&[]);
        let edited = (0..pages).filter(|number| build.edits > 0 && manual::is_edited(*number));
        let mut expected: Vec<String> = edited.map(|number| server.url(&manual::path(number))).collect();
        let mut updated: Vec<&str> = told.urls("UPD").into_iter().collect();
        updated.sort_unstable();
        expected.sort_unstable();
        assert_eq!(
            updated, expected,
            "{theme:?}, {pages} pages, {}\n{told}",
            build.version
        );
        assert_eq!(
            told.count("SAM"),
            pages - expected.len(),
            "{theme:?}, {pages} pages\n{told}"
        );
    }
}

#[test]
fn case18_a_release_in_a_new_year_is_no_change_of_any_page() {
    for theme in [Theme::Sphinx, Theme::Javadoc, Theme::Docusaurus, Theme::Jekyll] {
        for pages in [2, 5, PAGES] {
            released_in_a_new_year(theme, pages);
        }
    }
}

#[test]
fn case18_a_release_of_one_work_among_many_is_no_change_of_any_page() {
    let server = HostileServer::start();
    let (first, released) = (
        Build::default(),
        Build {
            version: "3.3",
            year: "2026",
            ..Build::default()
        },
    );
    publish(&server, Theme::Javadoc, &first);
    // Most of the site is another work, which nobody built anew.
    let others: Vec<String> = (0..60).map(|number| format!("/other/{number}.html")).collect();
    let menu: Vec<String> = others
        .iter()
        .map(|path| format!("<li><a href=\"{path}\">{path}</a></li>"))
        .collect();
    let start = manual::page(Theme::Javadoc, &first, 0);
    let with_others = |html: &str| html.replacen("</ul>", &format!("{}</ul>", menu.concat()), 1);
    server.route("/", page(with_others(&start)));
    for (number, path) in others.iter().enumerate() {
        server.route(path, page(super::document(number as u64, &["/"])));
    }
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    assert_eq!(told.count("NEW"), PAGES + others.len(), "{told}");
    publish(&server, Theme::Javadoc, &released);
    server.route(
        "/",
        page(with_others(&manual::page(Theme::Javadoc, &released, 0))),
    );
    let told = story.track(&[]);
    assert_eq!(told.count("UPD"), 0, "{told}");
    assert_eq!(told.count("SAM"), PAGES + others.len(), "{told}");
}

#[test]
fn case18_a_manual_of_sphinx_is_built_anew() {
    rebuilt(Theme::Sphinx);
}

#[test]
fn case29_a_reference_of_javadoc_is_built_anew() {
    rebuilt(Theme::Javadoc);
}

#[test]
fn case21_a_manual_of_docusaurus_is_built_anew() {
    rebuilt(Theme::Docusaurus);
}

#[test]
fn case18_a_site_of_jekyll_is_built_anew() {
    rebuilt(Theme::Jekyll);
}
