//! `gleaner project edit` with editors that do what people do: change, break, give up.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up ends")]

use super::commands::{BOARD, Desk};

/// A desk with the project in its catalog.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("board.toml", BOARD);
    desk.well(&["project", "import", "board.toml"]);
    desk
}

fn drafts(desk: &Desk) -> Vec<String> {
    let names = |folder: &std::path::Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name.contains("draft") || name.contains(".new"))
            .collect()
    };
    [names(desk.path()), names(&desk.gleaner.data())].concat()
}

#[test]
fn what_is_right_is_kept() {
    let desk = desk();
    let add = [("EDITOR", "sh -c 'echo scope = \\\"domain\\\" >> \"$1\"' x")];
    let changed = desk.run_with(&["project", "edit", "board"], &add);
    changed.expect_code(&[0]);
    assert_eq!(changed.stdout, "board: changed\n");
    assert_eq!(
        desk.well(&["project", "show", "board", "--json"]).json()["scope"],
        "domain"
    );
    let same = desk.run_with(
        &["project", "edit", "board", "--json"],
        &[("VISUAL", "true"), ("EDITOR", "false")],
    );
    same.expect_code(&[0]);
    assert_eq!(same.json()["changed"], false);
    // A file keeps its comments.
    desk.write("board.toml", &format!("# mine\n{BOARD}"));
    desk.run_with(&["project", "edit", "board.toml"], &add)
        .expect_code(&[0]);
    assert_eq!(
        desk.read("board.toml"),
        format!("# mine\n{BOARD}scope = \"domain\"\n")
    );
    assert_eq!(drafts(&desk), Vec::<String>::new());
}

#[test]
fn what_is_wrong_is_shown_and_nothing_is_lost() {
    let desk = desk();
    let before = desk.well(&["project", "show", "board"]).stdout;
    let broken = desk.run_with(
        &["project", "edit", "board"],
        &[("EDITOR", "sh -c 'echo scope = \\\"domian\\\" >> \"$1\"' x")],
    );
    broken.expect_code(&[3]);
    for word in [
        "did you mean \"domain\"?",
        "draft-board.toml:4:9",
        "board was not changed",
    ] {
        assert!(broken.stderr.contains(word), "{word}: {broken}");
    }
    assert_eq!(desk.well(&["project", "show", "board"]).stdout, before);
    assert_eq!(drafts(&desk), ["draft-board.toml"]);
    // The next time goes on with it.
    let mended = desk.run_with(
        &["project", "edit", "board"],
        &[("EDITOR", "sed -i s/domian/domain/")],
    );
    mended.expect_code(&[0]);
    assert!(mended.stderr.contains("continuing with the draft"), "{mended}");
    assert!(
        desk.well(&["project", "show", "board"])
            .stdout
            .contains("scope = \"domain\"")
    );
    assert_eq!(drafts(&desk), Vec::<String>::new());

    desk.write("mine.toml", BOARD);
    desk.run_with(
        &["project", "edit", "mine.toml"],
        &[("EDITOR", "sh -c 'echo nonsense > \"$1\"' x")],
    )
    .expect_code(&[3]);
    assert_eq!(desk.read("mine.toml"), BOARD);
    assert_eq!(desk.read("mine.toml.draft.toml"), "nonsense\n");
}

#[test]
fn an_editor_that_fails_changes_nothing() {
    let desk = desk();
    let failed = desk.run_with(&["project", "edit", "board"], &[("EDITOR", "false")]);
    failed.expect_code(&[3]);
    assert!(failed.stderr.contains("the editor failed"), "{failed}");
    let missing = desk.run_with(&["project", "edit", "board"], &[("EDITOR", "no-such-editor")]);
    missing.expect_code(&[3]);
    assert_eq!(drafts(&desk), Vec::<String>::new());
}

#[test]
fn a_name_is_not_changed_by_the_way() {
    let desk = desk();
    let renamed = desk.run_with(
        &["project", "edit", "board"],
        &[("EDITOR", "sed -i s/board\\\"$/forum\\\"/")],
    );
    renamed.expect_code(&[3]);
    assert!(
        renamed.stderr.contains("gleaner project rename board forum"),
        "{renamed}"
    );
}

#[test]
fn what_others_changed_meanwhile_is_not_overwritten() {
    let desk = desk();
    desk.write("newer.toml", &format!("{BOARD}scope = \"web\"\n"));
    let binary = gleaner_testkit::program::find_binary().unwrap();
    let meanwhile = format!(
        "sh -c '{} project import newer.toml --replace --data {} > /dev/null; echo scope = \\\"list\\\" >> \"$1\"' x",
        binary.display(),
        desk.gleaner.data().display()
    );
    let late = desk.run_with(&["project", "edit", "board"], &[("EDITOR", &meanwhile)]);
    late.expect_code(&[3]);
    assert!(
        late.stderr.contains("by somebody else in the meantime") && late.stderr.contains("draft was kept"),
        "{late}"
    );
    assert_eq!(
        desk.well(&["project", "show", "board", "--json"]).json()["scope"],
        "web"
    );
    assert_eq!(drafts(&desk), ["draft-board.toml"]);
}
