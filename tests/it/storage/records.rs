//! What was kept can be read back, whatever its size.

use super::hands::archive_files;
use gleaner_testkit::Gleaner;
use std::collections::BTreeMap;

/// Bytes that cannot be packed smaller.
fn noise(state: &mut u64, bytes: usize) -> Vec<u8> {
    let mut next = || {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 56) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

#[test]
fn case01_files_of_all_sizes_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut state = 12;
    let mut files = BTreeMap::new();
    for size in 7_300..7_900 {
        let path = folder.path().join(format!("{size}.bin"));
        std::fs::write(&path, noise(&mut state, size)).unwrap();
        files.insert(size, path);
    }
    let gleaner = Gleaner::new();
    let source = folder.path().display().to_string();
    let crawl = [
        "crawl",
        source.as_str(),
        "--name",
        "files",
        "--types",
        "all",
        "--json",
    ];
    assert_eq!(gleaner.run(&crawl).json()["new"], 600);
    gleaner.run(&["verify"]).expect_code(&[0]);
    assert_eq!(archive_files(&gleaner).len(), 1);

    // A copy reads all of them; `cat` goes the same way, so some of them do.
    let copy = tempfile::tempdir().unwrap();
    let to = copy.path().join("copy").display().to_string();
    let mirrored = gleaner.run(&["mirror", "files", &to, "--json"]);
    mirrored.expect_code(&[0]);
    assert_eq!(mirrored.json()["failed"], serde_json::json!([]), "{mirrored}");
    for (size, path) in files.iter().step_by(40) {
        let url = format!("file://{}", path.display());
        let cat = gleaner.command(&["cat", &url]).output().unwrap();
        assert!(cat.stdout == std::fs::read(path).unwrap(), "{size}: {cat:?}");
    }

    // What is read again is compared: nothing is called changed that is not, and of what is the old bytes are there.
    let track = ["track", "files", "--verify-content", "all", "--json"];
    let count = |state: &str| gleaner.run(&track).json()[state].clone();
    assert_eq!(count("same"), 600);
    for path in files.values() {
        let mut bytes = std::fs::read(path).unwrap();
        bytes[0] ^= 1;
        std::fs::write(path, bytes).unwrap();
    }
    assert_eq!(count("updated"), 600);
    let untold = "SELECT count(*) FROM changes WHERE detail LIKE '%compared%'";
    assert_eq!(gleaner.sqlite_number(untold), 0);
    let reconsidered = gleaner.run(&["reconsider", "files", "--equality", "exact", "--json"]);
    let done = reconsidered.json();
    assert_eq!(
        (&done["versions"], &done["unreadable"]),
        (&1200.into(), &0.into()),
        "{reconsidered}"
    );
}
