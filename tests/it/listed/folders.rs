//! Folders of this machine (HC109, HC110).

use super::tree::Tree;
use super::{Server, decoded, run, tell_the_story};
use gleaner_testkit::Gleaner;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

struct Local(PathBuf);

impl Server for Local {
    fn url(&self) -> String {
        format!("file://{}/", self.0.display())
    }

    fn transfers(&mut self) -> Option<BTreeSet<String>> {
        None
    }
}

fn served() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a folder").join("tree");
    std::fs::create_dir(&root).expect("a folder");
    (folder, root)
}

#[test]
fn b2_a_folder_is_tracked_by_its_metadata() {
    let (_folder, root) = served();
    let tree = Tree::write(&root);
    tell_the_story(&mut Local(root), &tree);
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, text).expect("a file");
}

#[test]
fn hc109_links_and_loops_are_not_followed_and_what_is_outside_stays_there() {
    let (folder, root) = served();
    write(&root, "a/one.txt", "one\n");
    write(folder.path(), "secret.txt", "not for you\n");
    std::os::unix::fs::symlink("..", root.join("a/loop")).expect("a link");
    std::os::unix::fs::symlink("../../secret.txt", root.join("a/secret.txt")).expect("a link");
    std::os::unix::fs::symlink("/etc", root.join("etc")).expect("a link");
    let gleaner = Gleaner::new();
    let mut server = Local(root.clone());
    let told = run(&gleaner, &server, &["crawl", &server.url(), "--name", "tree"]);
    assert_eq!(told.states.keys().collect::<Vec<_>>(), ["a/one.txt"]);
    // A file that becomes a link is gone, and what it leads to is not read.
    std::fs::remove_file(root.join("a/one.txt")).expect("a file");
    std::os::unix::fs::symlink("/etc/passwd", root.join("a/one.txt")).expect("a link");
    let told = run(&gleaner, &server, &["track", "tree"]);
    assert_eq!(told.states["a/one.txt"], "MIS");
    assert!(server.transfers().is_none());
}

#[test]
fn b1_a_folder_with_another_name_is_moved_with_all_that_is_in_it() {
    let (_folder, root) = served();
    let files = [
        ("short.txt", "hi\n"),
        ("LICENSE", "Do as you like.\n"),
        ("part/LICENSE", "Do as you like.\n"),
        ("part/empty.txt", ""),
    ];
    for (path, text) in files {
        write(&root, &format!("old/{path}"), text);
    }
    let gleaner = Gleaner::new();
    let server = Local(root.clone());
    run(&gleaner, &server, &["crawl", &server.url(), "--name", "tree"]);
    std::fs::rename(root.join("old"), root.join("new")).expect("a folder to rename");
    let told = run(&gleaner, &server, &["track", "tree"]);
    let expected: BTreeMap<String, String> = files
        .map(|(path, _)| (format!("new/{path}"), format!("old/{path}")))
        .into();
    assert_eq!(told.moved, expected);
    assert_eq!((told.states.len(), told.count("SAM")), (files.len(), files.len()));
    gleaner.run(&["verify"]).expect_code(&[0]);
}

#[test]
fn hc109_a_root_that_is_missing_is_an_error_and_nothing_is_gone() {
    let (_folder, root) = served();
    write(&root, "a/one.txt", "one\n");
    write(&root, "two.txt", "two\n");
    let gleaner = Gleaner::new();
    let server = Local(root.clone());
    run(&gleaner, &server, &["crawl", &server.url(), "--name", "tree"]);
    std::fs::rename(&root, root.with_extension("away")).expect("a folder to move");
    let told = run(&gleaner, &server, &["track", "tree"]);
    for path in ["a/one.txt", "two.txt"] {
        assert_eq!(told.states[path], "ERR", "{path}");
    }
    std::fs::rename(root.with_extension("away"), &root).expect("a folder to move");
    let told = run(&gleaner, &server, &["track", "tree"]);
    for path in ["a/one.txt", "two.txt"] {
        assert_eq!(told.states[path], "SAM", "{path}");
    }
}

#[test]
fn hc110_names_are_data_and_come_back() {
    let (_folder, root) = served();
    let names: [&[u8]; 9] = [
        b"line\nbreak.txt",
        b"gr\xfcn.txt",
        "grün.txt".as_bytes(),
        "gru\u{308}n.txt".as_bytes(),
        b"Case.txt",
        b"case.txt",
        b"100%41.txt",
        b"?query#part.txt",
        b"...txt",
    ];
    for name in names {
        std::fs::write(root.join(OsStr::from_bytes(name)), name).expect("a file");
    }
    let long = "x".repeat(251) + ".txt";
    std::fs::write(root.join(&long), long.as_bytes()).expect("a file");
    let gleaner = Gleaner::new();
    let server = Local(root);
    let told = run(&gleaner, &server, &["crawl", &server.url(), "--name", "names"]);
    assert_eq!(told.states.values().filter(|state| *state == "NEW").count(), 10);
    let listed = gleaner.run(&["ls", "--json"]).json_lines();
    let mut bodies = BTreeSet::new();
    for line in &listed {
        let url = line["url"].as_str().expect("a URL");
        let name = url.strip_prefix(&server.url()).expect("below the root");
        let name = decoded(name);
        let shown = gleaner.run(&["cat", url]);
        shown.expect_code(&[0]);
        assert_eq!(shown.stdout, String::from_utf8_lossy(&name), "{url}");
        bodies.insert(name);
    }
    assert_eq!(bodies.len(), 10);
}

#[test]
fn b2_metadata_can_lie_and_content_can_be_verified() {
    let (_folder, root) = served();
    for number in 0..5 {
        write(&root, &format!("{number}.txt"), &format!("{number} as it was\n"));
    }
    let gleaner = Gleaner::new();
    let server = Local(root.clone());
    run(&gleaner, &server, &["crawl", &server.url(), "--name", "tree"]);
    // Written in the same moment as it was listed: the time alone would not show another write, so it is read again.
    let told = run(&gleaner, &server, &["track", "tree", "--verify-content"]);
    assert_eq!(
        (
            told.fetched,
            told.states.values().filter(|state| *state == "SAM").count()
        ),
        (5, 5)
    );
    // Touched, not changed.
    let file = std::fs::File::options()
        .append(true)
        .open(root.join("3.txt"))
        .expect("a file");
    file.set_modified(std::time::SystemTime::UNIX_EPOCH)
        .expect("a time");
    let told = run(&gleaner, &server, &["track", "tree"]);
    assert_eq!(told.states["3.txt"], "SAM");
}

/// More entries than are taken at once: a piece and the end of the listing are as good as one.
#[test]
fn case23_a_folder_that_is_listed_in_pieces_is_tracked_exactly() {
    let (_folder, root) = served();
    let files = 9000;
    let name = |number: usize| format!("file-{number}.txt");
    for number in 0..files {
        write(&root, &name(number), &format!("file {number}\n"));
    }
    let gleaner = Gleaner::new().without_pass();
    let server = Local(root.clone());
    let told = run(&gleaner, &server, &["crawl", &server.url(), "--name", "long"]);
    assert_eq!((told.count("NEW"), told.states.len()), (files, files));
    let entries = "SELECT count(DISTINCT target) FROM links";
    assert_eq!(gleaner.sqlite_number(entries), files as i64);

    std::fs::remove_file(root.join(name(7))).expect("a file");
    std::fs::remove_file(root.join(name(8500))).expect("a file");
    write(&root, &name(4096), "another text, and a longer one\n");
    write(&root, &name(files), "a new one\n");
    let told = run(&gleaner, &server, &["track", "long"]);
    let states = ["SAM", "UPD", "NEW", "MIS", "ERR"].map(|state| told.count(state));
    assert_eq!(states, [files - 3, 1, 1, 2, 0]);
    assert_eq!(told.states[&name(8500)], "MIS");
    assert_eq!(told.states[&name(4096)], "UPD");
    assert_eq!(
        gleaner.sqlite_number(entries),
        files as i64 + 1,
        "with those of before"
    );
}
