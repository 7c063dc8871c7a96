//! A folder that an older Gleaner made (`tests/sites/upgrade`), tracked by this one: a new way of reading pages must not look
//! like a changed web.
//!
//! The folder knows its pages by a name without a port, so they are served to it as a proxy would.

use super::{Story, Told};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, Request, Response, dynamic, page, status};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the folder found its pages.
const SITE: &str = "http://valley.example/";
const PAGES: usize = 51;

/// By path, without the slash at its beginning.
type Pages = BTreeMap<String, String>;

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("sites")
        .join("upgrade")
}

fn pages() -> Pages {
    let root = fixture().join("pages");
    let mut found = Pages::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of the site") {
            let path = entry.expect("a page").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&root).expect("below the root");
            let name = name.to_str().expect("a plain name").to_owned();
            found.insert(name, std::fs::read_to_string(&path).expect("a page"));
        }
    }
    assert_eq!(found.len(), PAGES);
    found
}

/// The old folder as a project of which every page is known.
fn unpacked() -> Story {
    let mut story = Story::of(Gleaner::new());
    let data = story.gleaner.data();
    std::fs::create_dir_all(&data).expect("room");
    let unpacking = Command::new("tar")
        .arg("-xzf")
        .arg(fixture().join("folder.tar.gz"))
        .arg("-C")
        .arg(&data)
        .status();
    assert!(unpacking.expect("tar is there").success());
    let report = story.gleaner.run(&["report", "--format", "json"]);
    let ids = report.json_lines();
    story
        .known
        .extend(ids.iter().map(|line| line["id"].as_i64().expect("a document")));
    assert_eq!(story.documents(), PAGES, "{report}");
    story
}

fn track(story: &mut Story, pages: Pages) -> Told {
    let server = HostileServer::start();
    let answer = move |request: &Request| -> Response {
        let path = request.target.strip_prefix(SITE);
        let found = path.and_then(|path| pages.get(path));
        found.map_or_else(|| status(404), page)
    };
    server.route("*", dynamic(answer));
    let proxy = format!("http://{}", server.address());
    let told = story.track(&["--proxy", &proxy, "--allow-private"]);
    assert!(
        server.requests().len() >= PAGES,
        "every page is asked for, without validators"
    );
    told
}

/// The same pages, made again: each byte that says when and by what is another.
fn rebuilt(pages: &Pages) -> Pages {
    let again = |text: &String| {
        let made = text
            .replace(
                "built 2024-03-01T10:00:00Z by maker 4.1",
                "built 2025-07-19T16:20:05Z by maker 4.2",
            )
            .replace("Last updated on 1 March 2024", "Last updated on 19 July 2025");
        assert_ne!(&made, text, "every page has a stamp");
        made
    };
    pages
        .iter()
        .map(|(path, text)| (path.clone(), again(text)))
        .collect()
}

fn expect_changes(told: &Told, changed: &[&str]) {
    let changed: Vec<String> = changed.iter().map(|path| format!("{SITE}{path}")).collect();
    assert_eq!(
        told.urls("UPD").into_iter().collect::<Vec<_>>(),
        changed,
        "{told}"
    );
    for state in ["NEW", "MIS", "ERR", "OUT"] {
        assert_eq!(told.count(state), 0, "{state}\n{told}");
    }
}

#[test]
fn an_old_folder_of_an_unchanged_site_stays_as_it_is() {
    let mut story = unpacked();
    expect_changes(&track(&mut story, pages()), &[]);
}

/// Other bytes, so that every page is read by the extractor of today, the old version too.
#[test]
fn an_old_folder_of_a_rebuilt_site_stays_as_it_is() {
    let mut story = unpacked();
    let rebuilt = rebuilt(&pages());
    expect_changes(&track(&mut story, rebuilt.clone()), &[]);
    expect_changes(&track(&mut story, rebuilt), &[]);
}

#[test]
fn an_edit_is_seen_beside_an_old_folder() {
    for path in ["news/3.html", "forum/4.html", "shop/5.html", "docs/6.html"] {
        let mut story = unpacked();
        let mut pages = rebuilt(&pages());
        let text = pages.get_mut(path).expect("a page");
        let (before, after) = text.rsplit_once("The ").expect("a sentence of the page");
        *text = format!("{before}Nobody expected that the {after}");
        expect_changes(&track(&mut story, pages), &[path]);
    }
}
