//! The small shop that PHP and Tomcat serve: its texts, its pages, and which of them a change should show.
//!
//! The programs lie in `tests/sites`; the texts are written here, so that the truth is the test's own. A page is named by
//! its address without the session: whatever a report shows is brought to that form by [`plain`].

use super::prose;
use super::{Story, Told};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const ARTICLES: u64 = 12;
const ITEMS: u64 = 10;

/// Two papers whose addresses differ in a real identifier only, and one in a parameter of the same look (HC044).
const PAPERS: [&str; 3] = [
    "5f2b8c1e9a7d4f60b3c8e1d2a4956f70",
    "5f2b8c1e9a7d4f60b3c8e1d2a4956f71",
    "c0ffee00c0ffee00c0ffee00c0ffee00",
];
const REPRINTS: [&str; 2] = [
    "9d4e1f0a6b7c8d9e0f1a2b3c4d5e6f70",
    "e3b0c44298fc1c149afbf4c8996fb924",
];

/// The shop's files and what is expected of them.
pub(crate) struct Shop {
    /// The folder with the texts.
    data: PathBuf,
    /// `php` or `jsp`.
    extension: &'static str,
    /// The shop's root, with a slash at its end.
    root: String,
}

impl Shop {
    /// Copies the programs into `site` and writes all texts.
    pub(crate) fn write(site: &Path, extension: &'static str) {
        let programs = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("sites")
            .join(extension);
        for entry in std::fs::read_dir(programs).expect("the shop's programs") {
            let entry = entry.expect("an entry");
            std::fs::copy(entry.path(), site.join(entry.file_name())).expect("a copy");
        }
        let data = data_folder(site, extension);
        let (folder, include) = match extension {
            "php" => ("papers", "<?php require '../reprint.inc';"),
            _ => ("reprints", "<%@ include file=\"../reprint.jspf\" %>"),
        };
        std::fs::create_dir_all(&data).expect("a folder");
        std::fs::create_dir(site.join(folder)).expect("a folder");
        for name in REPRINTS {
            std::fs::write(site.join(folder).join(format!("{name}.{extension}")), include).expect("room");
        }
        let shop = Shop {
            data,
            extension,
            root: String::new(),
        };
        for n in 1..=ARTICLES {
            shop.set(&format!("article-{n}"), n);
        }
        for n in 1..=ITEMS {
            shop.set(&format!("item-{n}"), 100 + n);
        }
        for (at, key) in PAPERS.iter().enumerate() {
            shop.set(&format!("paper-{key}"), 200 + at as u64);
        }
        for (at, key) in REPRINTS.iter().enumerate() {
            shop.set(&format!("reprint-{key}"), 300 + at as u64);
        }
        for (at, key) in ["home", "about", "search", "contact"].iter().enumerate() {
            shop.set(&format!("page-{key}"), 400 + at as u64);
        }
    }

    pub(crate) fn at(site: &Path, extension: &'static str, root: String) -> Shop {
        Shop {
            data: data_folder(site, extension),
            extension,
            root,
        }
    }

    /// Writes or replaces a text.
    pub(crate) fn set(&self, name: &str, number: u64) {
        let mut text = prose::title(number) + "\n";
        text += &prose::paragraphs(number, 4).join("\n");
        std::fs::write(self.data.join(format!("{name}.txt")), text).expect("room for a text");
    }

    /// Replaces one word of a text, and nothing else.
    pub(crate) fn edit(&self, name: &str) {
        let path = self.data.join(format!("{name}.txt"));
        let text = std::fs::read_to_string(&path).expect("the text is there");
        let edited = text.replacen("The ", "Seldom ", 1);
        assert_ne!(edited, text, "there is something to edit");
        std::fs::write(path, edited).expect("room for a text");
    }

    /// Takes a text away: its page is 404 from now on.
    pub(crate) fn remove(&self, name: &str) {
        std::fs::remove_file(self.data.join(format!("{name}.txt"))).expect("the text was there");
    }

    /// The address of a page without any session.
    pub(crate) fn page(&self, name: &str) -> String {
        let Shop { extension, root, .. } = self;
        match name.split_once(' ') {
            None if name == "help" => format!("{root}help.html"),
            None => format!("{root}{name}.{extension}"),
            Some((program, query)) => format!("{root}{program}.{extension}?{query}"),
        }
    }

    /// The addresses of all pages as first written.
    pub(crate) fn pages(&self) -> BTreeSet<String> {
        let mut names: Vec<String> = ["about", "search", "contact", "help"].map(str::to_owned).to_vec();
        names.extend((1..=ARTICLES).map(|n| format!("article n={n}")));
        names.extend((1..=ITEMS).map(|n| format!("item id={n}&view=full")));
        names.extend((1..=3).map(|n| format!("list kind=article&page={n}")));
        names.extend((1..=2).map(|n| format!("list kind=item&page={n}")));
        names.extend(PAPERS.iter().map(|key| format!("paper ref={key}")));
        let mut pages: BTreeSet<String> = names.iter().map(|name| self.page(name)).collect();
        pages.insert(self.root.clone());
        let folder = if self.extension == "php" {
            "papers"
        } else {
            "reprints"
        };
        for key in REPRINTS {
            pages.insert(format!("{}{folder}/{key}.{}", self.root, self.extension));
        }
        pages
    }
}

fn data_folder(site: &Path, extension: &str) -> PathBuf {
    // Tomcat serves nothing from there; PHP has no such rule, and nothing links to it.
    site.join(if extension == "php" {
        "data"
    } else {
        "WEB-INF/data"
    })
}

/// An address without its session, whether that is shown, masked or gone.
pub(crate) fn plain(url: &str) -> String {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let path = path
        .split_once(";jsessionid")
        .map_or(path.to_owned(), |(before, _)| before.to_owned());
    let parameters: Vec<&str> = query
        .split('&')
        .filter(|parameter| !parameter.is_empty() && !parameter.starts_with("PHPSESSID"))
        .collect();
    if parameters.is_empty() {
        path
    } else {
        format!("{path}?{}", parameters.join("&"))
    }
}

/// What differs between the expected states and those told, by page: empty when all is right. Pages not named are SAM.
fn differences(told: &Told, shop: &Shop, expected: &[(&str, String)]) -> Vec<String> {
    let mut wanted: BTreeMap<String, &str> = shop.pages().into_iter().map(|page| (page, "SAM")).collect();
    for (state, page) in expected {
        wanted.insert(page.clone(), state);
    }
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for change in &told.changes {
        found
            .entry(plain(&change.url))
            .or_default()
            .push(change.state.as_str());
    }
    let mut wrong = Vec::new();
    let all: BTreeSet<&String> = wanted.keys().chain(found.keys()).collect();
    for page in all {
        let (want, have) = (wanted.get(page), found.get(page));
        let is_right = match (want, have) {
            (Some(want), Some(have)) => have.as_slice() == [*want],
            // Gone already, and told so before.
            (Some(&"-"), None) => true,
            _ => false,
        };
        if !is_right {
            let want = want.copied().unwrap_or("nothing");
            wrong.push(format!(
                "{page}: expected {want}, told {:?}",
                have.cloned().unwrap_or_default()
            ));
        }
    }
    wrong
}

/// Crawl, restart, track, change, restart, track, track: each time exactly what happened is told. Problems are gathered, so
/// that one of them does not hide the next.
pub(crate) fn tell_the_story(
    shop: &Shop,
    flags: &[&str],
    track_flags: &[&str],
    mut restart: impl FnMut(),
) -> Vec<String> {
    let mut story = Story::new();
    let mut problems = Vec::new();
    let mut note = |what: &str, told: &Told, expected: &[(&str, String)]| {
        for wrong in differences(told, shop, expected) {
            problems.push(format!("{what}: {wrong}"));
        }
    };
    let crawled = story.crawl(&shop.root, flags);
    let all_new: Vec<(&str, String)> = shop.pages().into_iter().map(|page| ("NEW", page)).collect();
    note("crawl", &crawled, &all_new);

    restart();
    note("track of the untouched site", &story.track(track_flags), &[]);
    note(
        "track once more, in the same sessions",
        &story.track(track_flags),
        &[],
    );

    shop.edit("article-3");
    shop.edit("page-about");
    shop.set("item-4", 904);
    shop.remove("article-11");
    shop.set("article-13", 913);
    shop.remove("paper-5f2b8c1e9a7d4f60b3c8e1d2a4956f71");
    restart();
    let changed = [
        ("UPD", shop.page("article n=3")),
        ("UPD", shop.page("about")),
        ("UPD", shop.page("item id=4&view=full")),
        ("MIS", shop.page("article n=11")),
        ("NEW", shop.page("article n=13")),
        // It lists what was taken away and what came.
        ("UPD", shop.page("list kind=article&page=3")),
        ("MIS", shop.page("paper ref=5f2b8c1e9a7d4f60b3c8e1d2a4956f71")),
        ("UPD", shop.root.clone()),
    ];
    note("track after changes", &story.track(track_flags), &changed);

    restart();
    let settled: Vec<(&str, String)> = changed
        .iter()
        .map(|(state, page)| (if *state == "MIS" { "-" } else { "SAM" }, page.clone()))
        .collect();
    note(
        "track when all is quiet again",
        &story.track(track_flags),
        &settled,
    );
    problems
}
