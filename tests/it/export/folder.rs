//! Folders: texts with metadata, trees of text and Markdown; brought up to date, killed, refused.

use super::{change, contents, export, export_well, numbers, shown, site};
use gleaner_testkit::crash;
use gleaner_testkit::disk::SmallDisk;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

const COUNTS: [&str; 3] = ["written", "unchanged", "removed"];

fn text_of(files: &BTreeMap<String, Vec<u8>>, name: &str) -> String {
    let bytes = files
        .get(name)
        .unwrap_or_else(|| panic!("{name}: {:?}", files.keys()));
    String::from_utf8(bytes.clone()).expect("UTF-8")
}

/// The files whose name holds this.
fn named(files: &BTreeMap<String, Vec<u8>>, part: &str) -> Vec<String> {
    files.keys().filter(|name| name.contains(part)).cloned().collect()
}

#[test]
fn f2_f3_texts_have_metadata_files_of_the_same_name_and_are_listed() {
    let (gleaner, server) = site();
    let folder = tempfile::tempdir().expect("a folder");
    let done = export_well(&gleaner, folder.path(), &["s3"]);
    assert_eq!(done["documents"], 8, "{done}");
    assert_eq!(done["without_text"][0]["url"], server.url("/silent"), "{done}");
    let files = contents(folder.path());

    let addresses = text_of(&files, "addresses.txt");
    let mut listed: Vec<&str> = addresses.lines().collect();
    listed.sort_unstable();
    assert_eq!(listed, named(&files, "text/"), "one path a line");
    assert_eq!(listed.len(), 7);
    let base = listed
        .iter()
        .find(|path| path.contains("rich"))
        .expect("the page");
    let base = base.trim_start_matches("text/").trim_end_matches(".txt");
    assert!(base.starts_with("127.0.0.1_"), "{base}");
    assert_eq!(
        text_of(&files, &format!("text/{base}.txt")),
        shown(&gleaner, &server.url("/rich"), "main")
    );

    let stars = text_of(&files, &format!("metadata/{base}.txt"));
    let lines: Vec<&str> = stars.lines().collect();
    assert_eq!(lines[..2], [server.url("/rich").as_str(), "Solar power"]);
    let sections: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.strip_prefix("*****"))
        .collect();
    assert_eq!(
        sections,
        [
            "META INFORMATION",
            "IMPORTANT KEYWORDS",
            "IMAGE INFORMATION",
            "MULTIMEDIA INFORMATION",
            "LINKS INFORMATION",
            "TABLE INFORMATION",
            "SUMMARY"
        ],
        "{stars}"
    );
    let section = |name: &str| -> Vec<&str> {
        let after = lines
            .iter()
            .skip_while(|line| **line != format!("*****{name}"))
            .skip(1);
        after
            .take_while(|line| !line.starts_with("*****"))
            .copied()
            .collect()
    };
    assert!(
        section("META INFORMATION").contains(&"author: Ann Lee"),
        "{stars}"
    );
    let keywords = section("IMPORTANT KEYWORDS");
    assert_eq!(keywords[..2], ["sun", "roof"], "the page's own come first");
    assert!(
        keywords
            .iter()
            .any(|word| word.eq_ignore_ascii_case("solar panel")),
        "{keywords:?}"
    );
    assert_eq!(
        section("IMAGE INFORMATION"),
        [format!("{}\tA panel", server.url("/panel.png"))]
    );
    assert_eq!(
        section("MULTIMEDIA INFORMATION"),
        [format!("video\t{}\tFilm", server.url("/film.mp4"))]
    );
    let link = format!("{}\tOn the plain page", server.url("/plain"));
    assert!(section("LINKS INFORMATION").contains(&link.as_str()), "{stars}");
    assert_eq!(section("TABLE INFORMATION"), ["Month\tPower", "May\t12"]);
    let summary = section("SUMMARY");
    assert_eq!(summary.len(), 3, "{stars}");
    assert!(summary[0].starts_with("The solar panel on the roof"), "{stars}");

    let json: Value = serde_json::from_str(&text_of(&files, &format!("metadata/{base}.json"))).expect("JSON");
    assert_eq!(
        (&json["url"], &json["title"]),
        (&server.url("/rich").into(), &"Solar power".into())
    );
    assert_eq!(json["text_file"], format!("text/{base}.txt"));
    assert_eq!(json["keywords"], Value::from(keywords));
    assert_eq!(json["tables"][0][1][1], "12");

    // A document without text says why, and is not listed.
    let silent = named(&files, "silent");
    assert_eq!(silent.len(), 2, "{silent:?}");
    let json: Value = serde_json::from_str(&text_of(&files, &silent[0])).expect("JSON");
    assert_eq!(
        (&json["text_file"], &json["reason"]),
        (&Value::Null, &"document-no-text".into())
    );
    for name in files.keys() {
        assert!(
            !name.contains(['?', '*', ':', '"', '<', '>', '|', '\\']),
            "{name}"
        );
    }
}

#[test]
fn s3_own_names_and_whole_paths() {
    let (gleaner, server) = site();
    let folder = tempfile::tempdir().expect("a folder");
    export_well(&gleaner, folder.path(), &["s3"]);
    // The same folder under other names: the old ones go.
    export_well(
        &gleaner,
        folder.path(),
        &["s3", "--s3-names", "--absolute", "--text", "paragraphs"],
    );
    let files = contents(folder.path());
    assert!(!files.contains_key("addresses.txt"));
    let addresses = text_of(&files, "Address_File.txt");
    for line in addresses.lines() {
        assert!(
            Path::new(line).is_absolute() && Path::new(line).is_file(),
            "{line}"
        );
    }
    let id = gleaner.sqlite_number(&format!(
        "SELECT d.id FROM documents d JOIN resources r ON r.id = d.resource WHERE r.url = '{}'",
        server.url("/rich")
    ));
    let paragraphs = shown(&gleaner, &server.url("/rich"), "paragraphs");
    assert_eq!(text_of(&files, &format!("text/Data_{id}.txt")), paragraphs);
    assert!(text_of(&files, &format!("metadata/Data_{id}.txt")).starts_with(&server.url("/rich")));
    assert_eq!(
        named(&files, "/").len(),
        named(&files, "/Data_").len(),
        "{:?}",
        files.keys()
    );
}

/// Inode and time of change of every file.
fn marks(folder: &Path, files: &BTreeMap<String, Vec<u8>>) -> BTreeMap<String, (u64, SystemTime)> {
    use std::os::unix::fs::MetadataExt;
    let mark = |name: &String| {
        let found = std::fs::metadata(folder.join(name)).expect("a file");
        (name.clone(), (found.ino(), found.modified().expect("a time")))
    };
    files.keys().map(mark).collect()
}

#[test]
fn an_update_touches_only_what_changed() {
    let (gleaner, server) = site();
    let folder = tempfile::tempdir().expect("a folder");
    let (all, out) = (folder.path().join("all"), folder.path().join("out"));
    export_well(&gleaner, &out, &["s3"]);
    let (before, marks_before) = (contents(&out), marks(&out, &contents(&out)));
    let again = export_well(&gleaner, &out, &["s3"]);
    assert_eq!(numbers(&again, COUNTS), [0, before.len() as u64, 0], "{again}");
    assert_eq!(marks(&out, &before), marks_before);

    change(&gleaner, &server);
    let done = export_well(&gleaner, &out, &["s3"]);
    // A text and two metadata files; the list of addresses; three files of what is gone.
    assert_eq!(numbers(&done, COUNTS), [4, before.len() as u64 - 7, 3], "{done}");
    let after = contents(&out);
    assert!(named(&after, "goes").is_empty());
    let marks_after = marks(&out, &after);
    for (name, mark) in &marks_after {
        let is_touched = name == "addresses.txt" || name.contains("changes");
        assert_eq!(marks_before.get(name) != Some(mark), is_touched, "{name}");
    }
    export_well(&gleaner, &all, &["s3"]);
    assert_eq!(after, contents(&all), "as a fresh one");

    // What somebody removed or cut off is made good; what lies beside stays.
    std::fs::remove_file(out.join(&named(&after, "text/")[0])).expect("removed");
    std::fs::write(out.join(&named(&after, "metadata/")[1]), "short").expect("written");
    std::fs::write(out.join("notes.md"), "mine").expect("written");
    let mended = export_well(&gleaner, &out, &["s3"]);
    assert_eq!(numbers(&mended, COUNTS)[0], 2, "{mended}");
    let mut mended = contents(&out);
    assert_eq!(mended.remove("notes.md").as_deref(), Some(&b"mine"[..]));
    assert_eq!(mended, after);

    // As of the first run, and what is gone marked.
    export_well(&gleaner, &out, &["s3", "--as-of", "1"]);
    let mut first = contents(&out);
    first.remove("notes.md");
    assert_eq!(first, before);
    let marked = export_well(&gleaner, &out, &["s3", "--gone", "mark"]);
    assert_eq!(marked["gone"], 1, "{marked}");
    let files = contents(&out);
    let gone = text_of(&files, "gone.txt");
    assert!(
        gone.contains("goes.txt") && !text_of(&files, "addresses.txt").contains("goes"),
        "{gone}"
    );
    let stars = text_of(&files, &gone.trim_end().replace("text/", "metadata/"));
    assert!(stars.contains("gleaner-gone: run 2"), "{stars}");
}

#[test]
fn trees_say_what_cat_says() {
    let (gleaner, server) = site();
    let folder = tempfile::tempdir().expect("a folder");
    let host = server.url("").replace("http://", "").replace(':', "_");
    let host = host.trim_end_matches('/');
    let texts = folder.path().join("texts");
    let done = export_well(&gleaner, &texts, &["text", "--text", "all"]);
    assert_eq!(done["documents"], 8);
    let files = contents(&texts);
    assert_eq!(files.len(), 7, "{:?}", files.keys());
    for (name, path) in [
        ("rich.html.txt", "/rich"),
        ("index.html.txt", "/"),
        ("odd_name.html.txt", "/odd%3Fname"),
    ] {
        assert_eq!(
            text_of(&files, &format!("{host}/{name}")),
            shown(&gleaner, &server.url(path), "text"),
            "{name}"
        );
    }
    let markdown = folder.path().join("markdown");
    export_well(&gleaner, &markdown, &["markdown", "--text", "all"]);
    let files = contents(&markdown);
    let rich = text_of(&files, &format!("{host}/rich.html.md"));
    assert_eq!(rich, shown(&gleaner, &server.url("/rich"), "markdown-all"));
    assert!(rich.contains("| May | 12 |"), "{rich}");
}

#[test]
fn folders_of_others_and_other_exports_are_refused() {
    let (gleaner, _server) = site();
    let folder = tempfile::tempdir().expect("a folder");
    let mine = folder.path().join("addresses.txt");
    std::fs::write(&mine, "years of work").expect("written");
    let refused = export(&gleaner, folder.path(), &["s3"]);
    refused.expect_code(&[3]);
    assert!(
        refused.stderr.contains("no export wrote") && refused.stderr.contains("--force"),
        "{refused}"
    );
    assert_eq!(contents(folder.path()).len(), 1);
    let refused = export(&gleaner, &mine, &["text"]);
    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("a folder is needed"), "{refused}");

    std::fs::write(folder.path().join("other.txt"), "mine").expect("written");
    export_well(&gleaner, folder.path(), &["s3", "--force"]);
    let files = contents(folder.path());
    assert!(text_of(&files, "addresses.txt").contains("text/"));
    assert_eq!(text_of(&files, "other.txt"), "mine");

    let refused = export(&gleaner, folder.path(), &["markdown"]);
    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("an export of site as s3"), "{refused}");
    export_well(&gleaner, folder.path(), &["markdown", "--force"]);
    let files = contents(folder.path());
    assert!(
        named(&files, "metadata/").is_empty() && named(&files, ".md").len() == 7,
        "{:?}",
        files.keys()
    );
}

#[test]
fn an_export_that_was_killed_is_made_good() {
    if let Err(why) = crash::available() {
        return gleaner_fixtures::skip(format!("{why:#}"));
    }
    let (gleaner, server) = site();
    change(&gleaner, &server);
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let whole = at("whole");
    export_well(&gleaner, Path::new(&whole), &["s3"]);
    let wanted = contents(Path::new(&whole));
    let trial = at("trial");
    export_well(&gleaner, Path::new(&trial), &["s3", "--run", "1"]);
    let command = |to: &str| gleaner.command(&["export", "site", to, "--as", "s3"]);
    let points = crash::points(&command(&trial), &["write", "rename", "unlink", "mkdir"]).expect("counted");
    assert!(points.len() > 8, "{points:?}");
    let mut killed = 0;
    for (nth, point) in crash::sample(&points, 14, 7).iter().enumerate() {
        let out = at(&format!("out {nth}"));
        // Every second one into a new folder.
        if nth % 2 == 0 {
            export_well(&gleaner, Path::new(&out), &["s3", "--run", "1"]);
        } else {
            std::fs::create_dir(&out).expect("a folder");
        }
        let before = contents(Path::new(&out));
        let ended = crash::kill_at(&command(&out), point).expect("traced");
        killed += usize::from(ended.was_killed());
        // Every file is what it was or what it will be, never a part.
        for (name, content) in contents(Path::new(&out)) {
            let is_whole = [&before, &wanted]
                .iter()
                .any(|files| files.get(&name) == Some(&content));
            assert!(is_whole, "{point:?}: {name}");
        }
        export_well(&gleaner, Path::new(&out), &["s3"]);
        assert_eq!(contents(Path::new(&out)), wanted, "{point:?}");
    }
    assert!(killed > 6, "{killed} of the points were met");
}

#[test]
fn a_full_disk_is_told_and_made_good_later() {
    let (gleaner, _server) = site();
    let disk = match SmallDisk::new(48 * 1024, 1000) {
        Ok(disk) => disk,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let out = disk.path().join("out");
    let refused = export(&gleaner, &out, &["s3"]);
    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("check free space"), "{refused}");
    disk.resize(16 * 1024 * 1024, 1000).expect("more room");
    export_well(&gleaner, &out, &["s3"]);
    let folder = tempfile::tempdir().expect("a folder");
    export_well(&gleaner, folder.path(), &["s3"]);
    assert_eq!(contents(&out), contents(folder.path()));
}
