#![allow(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "the names are given here, as they are"
)]

use super::list::{Folder, INDEX, List};
use crate::FolderError;
use crate::files::atlas::{Atlas, Found, is_sound, still_fits};
use crate::files::folder::{Foreign, Put};
use crate::files::names::{PATH_BYTES_MAX, Wish, folded, possible, relative};
use gleaner_model::Url;
use proptest::prelude::*;
use std::collections::{BTreeSet, HashSet};
use std::path::{Component, Path};

fn wished(url: &str, of: &str) -> String {
    Wish::new(&Url::parse(url).unwrap(), of).path()
}

/// The paths of some URLs, given out in their order.
fn placed(documents: &[(&str, &str)]) -> Vec<String> {
    let mut atlas = Atlas::new(&|_| Found::Nothing);
    atlas.reserve(INDEX);
    documents
        .iter()
        .map(|(url, of)| atlas.place(&Wish::new(&Url::parse(url).unwrap(), of)))
        .collect()
}

#[test]
fn urls_become_readable_paths() {
    let html = "text/html";
    let cases = [
        ("http://a.test/", html, "a.test/index.html"),
        ("https://a.test:8443/", html, "a.test_8443/index.html"),
        ("http://a.test/docs/", html, "a.test/docs/index.html"),
        ("http://a.test/docs", html, "a.test/docs.html"),
        ("http://a.test/x.html", html, "a.test/x.html"),
        ("http://a.test/page.php?id=3", html, "a.test/page.php@id=3.html"),
        ("http://a.test/?q=a/b", html, "a.test/index@q=a_b.html"),
        ("http://a.test/s.css?v=2", "text/css", "a.test/s@v=2.css"),
        ("http://a.test/v1.2", html, "a.test/v1.2.html"),
        ("http://a.test/i.php?f=x", "image/png", "a.test/i.php@f=x.png"),
        ("http://a.test/Gr%C3%BC%C3%9Fe.html", html, "a.test/Grüße.html"),
        ("http://a.test/%FF.html", html, "a.test/%FF.html"),
        ("http://a.test/LICENSE", "text/plain", "a.test/LICENSE.txt"),
        ("http://a.test/x.tar.gz", "application/gzip", "a.test/x.tar.gz"),
        ("http://[::1]:80/x", html, "[__1]/x.html"),
        ("ftp://a.test/x.txt", "text/plain", "ftp_a.test/x.txt"),
        ("file:///home/x.html", html, "file/home/x.html"),
        // HC031: names that lead elsewhere, or nowhere.
        (
            "http://a.test/%2e%2e/%2e%2e/etc/passwd",
            "text/plain",
            "a.test/etc/passwd.txt",
        ),
        ("http://a.test/..%2f..%2fx", html, "a.test/.._.._x.html"),
        ("http://a.test/..%5c..%5cx", html, "a.test/.._.._x.html"),
        ("http://a.test//etc//x.html", html, "a.test/_/etc/_/x.html"),
        ("http://a.test/C:/x.html", html, "a.test/C_/x.html"),
        ("http://a.test/a%00b.html", html, "a.test/a_b.html"),
        (
            "http://a.test/con/aux.txt/nul.html",
            html,
            "a.test/_con/_aux.txt/_nul.html",
        ),
        (
            "http://a.test/com%C2%B9/COM1",
            "application/octet-stream",
            "a.test/_com¹/_COM1",
        ),
        (
            "http://a.test/dots.../space%20/x",
            html,
            "a.test/dots.._/space_/x.html",
        ),
        ("http://a.test/%E2%80%AEgpj.exe", html, "a.test/_gpj.exe.html"),
        (
            "http://a.test/.gleaner-mirror.json",
            "application/json",
            "a.test/_.gleaner-mirror.json",
        ),
    ];
    for (url, of, want) in cases {
        assert_eq!(wished(url, of), want, "{url}");
    }
}

#[test]
fn what_wants_the_same_name_gets_a_mark() {
    let html = "text/html";
    let paths = placed(&[
        ("http://a.test/Page.html", html),
        ("http://a.test/page.html", html),
        ("https://a.test/page.html", html),
        ("http://a.test/data", "application/octet-stream"),
        ("http://a.test/data/x.html", html),
        ("http://a.test/data/y.html", html),
        ("http://a.test/b/c.html", html),
        ("http://a.test/b", "application/octet-stream"),
        ("http://index.html/x", html),
    ]);
    assert_eq!(paths[0], "a.test/Page.html");
    assert!(
        paths[1].starts_with("a.test/page-") && paths[1].ends_with(".html"),
        "{}",
        paths[1]
    );
    assert_eq!(paths[3], "a.test/data");
    assert!(
        paths[4].starts_with("a.test/data-") && paths[4].ends_with("/x.html"),
        "{}",
        paths[4]
    );
    // Both lie in the same folder.
    assert_eq!(
        paths[4].rsplit_once('/').unwrap().0,
        paths[5].rsplit_once('/').unwrap().0
    );
    assert!(paths[7].starts_with("a.test/b-"), "{}", paths[7]);
    assert!(!paths[8].starts_with("index.html/"), "{}", paths[8]);
    let different: HashSet<String> = paths.iter().map(|path| folded(path)).collect();
    assert_eq!(different.len(), paths.len());
}

#[test]
fn long_urls_get_short_paths() {
    let long = format!("http://a.test/{}/{}.html", "ü%20".repeat(100), "x".repeat(400));
    let deep = format!("http://a.test/{}x.html", "folder/".repeat(80));
    let paths = placed(&[(&long, "text/html"), (&deep, "text/html")]);
    for path in &paths {
        assert!(path.len() <= PATH_BYTES_MAX && path.ends_with(".html"), "{path}");
        assert!(is_sound(path), "{path}");
    }
    assert!(paths[1].starts_with("a.test/_/x-"), "{}", paths[1]);
}

#[test]
fn relative_addresses_lead_from_file_to_file() {
    let cases = [
        ("a/x.html", "a/x.html", "x.html"),
        ("a/x.html", "a/b/y z.html", "b/y%20z.html"),
        ("a/b/c/x.html", "a/y.html", "../../y.html"),
        ("a/x.html", "b/ü?#%.html", "../b/%C3%BC%3F%23%25.html"),
        ("index.html", "a/x.html", "a/x.html"),
    ];
    for (from, to, want) in cases {
        assert_eq!(relative(from, to), want, "{from} {to}");
    }
}

fn url() -> impl Strategy<Value = String> {
    let segment = prop_oneof![
        "[a-cA-C]{0,2}",
        Just("%2e%2e".to_owned()),
        Just("..%2f".to_owned()),
        Just("CON".to_owned()),
        Just("a.html".to_owned()),
        Just("A.html".to_owned()),
        "\\PC{0,6}",
        "[x]{100,300}",
        "(%[0-9A-F]{2}){0,4}",
    ];
    let path = prop::collection::vec(segment, 0..6);
    let host = prop::sample::select(vec![
        "http://a.test",
        "http://a.test:81",
        "https://a.test",
        "ftp://a.test",
    ]);
    (host, path, prop::option::of("[a-c/.:%&=\\\\]{0,12}")).prop_map(|(host, path, query)| {
        let query = query.map_or_else(String::new, |query| format!("?{query}"));
        format!("{host}/{}{query}", path.join("/"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// Inside the folder, one for each, possible on Windows and elsewhere, also where case does not count.
    #[test]
    fn every_url_has_a_path_of_its_own(
        urls in prop::collection::btree_set(url(), 1..20),
        of in prop::sample::select(vec!["text/html", "text/plain", "image/png", "application/octet-stream"]),
    ) {
        let urls: BTreeSet<Url> = urls.iter().filter_map(|url| Url::parse(url).ok()).collect();
        let mut atlas = Atlas::new(&|_| Found::Nothing);
        let mut seen: Vec<String> = Vec::new();
        for url in &urls {
            let path = atlas.place(&Wish::new(url, of));
            prop_assert!(is_sound(&path), "{}", path);
            let parts: Vec<Component<'_>> = Path::new(&path).components().collect();
            prop_assert!(parts.iter().all(|part| matches!(part, Component::Normal(_))), "{}", path);
            prop_assert_eq!(parts.len(), path.split('/').count());
            for name in path.split('/') {
                prop_assert!(name.len() <= 255 && !name.ends_with(['.', ' ']));
                let has_refused = name.contains(['<', '>', ':', '"', '\\', '|', '?', '*', '\0', '\n']);
                prop_assert!(!has_refused, "{}", name);
            }
            seen.push(folded(&path));
        }
        let files: HashSet<&String> = seen.iter().collect();
        prop_assert_eq!(files.len(), urls.len());
        for path in &seen {
            for (at, _) in path.match_indices('/') {
                prop_assert!(!files.contains(&path[..at].to_owned()), "a file is a folder: {}", &path[..at]);
            }
        }
    }

    /// Who was given a path keeps it, whoever comes or goes.
    #[test]
    fn paths_stay(
        urls in prop::collection::btree_set(url(), 2..12),
        more in prop::collection::btree_set(url(), 0..6),
    ) {
        let parse = |urls: &BTreeSet<String>| -> BTreeSet<Url> { urls.iter().filter_map(|url| Url::parse(url).ok()).collect() };
        let (urls, more) = (parse(&urls), parse(&more));
        let mut atlas = Atlas::new(&|_| Found::Nothing);
        let given: Vec<(Url, String)> = urls.into_iter().map(|url| {
            let path = atlas.place(&Wish::new(&url, "text/html"));
            (url, path)
        }).collect();
        let mut later = Atlas::new(&|_| Found::Nothing);
        for (url, path) in given.iter().skip(1) {
            prop_assert!(still_fits(path, &Wish::new(url, "text/html")));
            prop_assert!(later.claim(path), "{}", path);
        }
        let kept: HashSet<String> = given.iter().skip(1).map(|(_, path)| folded(path)).collect();
        for url in more.iter().filter(|url| given.iter().all(|(known, _)| known != *url)) {
            let path = later.place(&Wish::new(url, "text/html"));
            prop_assert!(!kept.contains(&folded(&path)));
        }
    }

    #[test]
    fn a_possible_name_stays(name in "\\PC{0,40}") {
        let once = possible(&name);
        prop_assert_eq!(possible(&once), once);
    }
}

#[test]
fn paths_from_a_list_are_not_believed() {
    for path in [
        "../x.html",
        "/etc/passwd",
        "a/../../x",
        "a//x",
        "a/./x",
        "a/CON",
        "x.html",
        "a/b\\..\\x",
        "",
    ] {
        assert!(!is_sound(path), "{path}");
        assert!(!Atlas::new(&|_| Found::Nothing).claim(path), "{path}");
    }
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("mine.txt"), "x").unwrap();
    assert!(matches!(
        Folder::open(root.path(), Foreign::Refused),
        Err(FolderError::NotOurs { .. })
    ));
    let file = root.path().join("mine.txt");
    assert!(matches!(
        Folder::open(&file, Foreign::Refused),
        Err(FolderError::NotAFolder { .. })
    ));
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn links_in_the_folder_are_not_followed() {
    let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(outside.path().join("x.html"), "theirs").unwrap();
    let mut folder = Folder::open(root.path(), Foreign::Refused).unwrap();
    assert!(matches!(folder.put("a/x.html", b"ours"), Ok(Put::Written)));
    std::fs::remove_dir_all(root.path().join("a")).unwrap();
    std::os::unix::fs::symlink(outside.path(), root.path().join("a")).unwrap();
    let mut list = List::new("p", None, 1);
    list.files
        .insert("a/x.html".to_owned(), "http://a/x.html".to_owned());
    folder.note(&list).unwrap();
    drop(folder);
    let mut folder = Folder::open(root.path(), Foreign::Refused).unwrap();
    assert_eq!(folder.look("a"), Found::Foreign);
    assert!(folder.put("a/x.html", b"ours").is_err());
    assert!(!folder.remove("a/x.html").unwrap());
    let look = |path: &str| folder.look(path);
    let path = Atlas::new(&look).place(&Wish::new(&Url::parse("http://a/x.html").unwrap(), "text/html"));
    assert!(path.starts_with("a-"), "{path}");
    assert_eq!(std::fs::read(outside.path().join("x.html")).unwrap(), b"theirs");
}

#[test]
fn one_copy_at_a_time() {
    let root = tempfile::tempdir().unwrap();
    let _held = Folder::open(root.path(), Foreign::Refused).unwrap();
    assert!(matches!(
        Folder::open(root.path(), Foreign::Refused),
        Err(FolderError::InUse { .. })
    ));
}
