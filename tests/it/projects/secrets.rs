//! `gleaner secret`: what projects call secret:NAME, sealed (A4, I3).

use super::commands::Desk;
use super::forum::{Forum, PASSWORD, assert_all, told};

#[test]
fn i3_a_secret_is_set_used_and_never_shown() {
    let Some(forum) = Forum::start(1_000_000, "form") else {
        return gleaner_fixtures::skip("no PHP");
    };
    let desk = Desk::new();
    let home = desk.path().join("home").display().to_string();
    let env = [("XDG_CONFIG_HOME", home.as_str())];
    let set = desk.answer(&["secret", "set", "forum"], &env, &format!("{}\n", PASSWORD.1));
    set.expect_code(&[0]);
    assert!(
        set.stdout.contains("secret:forum") && !set.to_string().contains(PASSWORD.1),
        "{set}"
    );
    let key = desk.path().join("home/gleaner/secrets.key");
    assert!(key.is_file() && set.stderr.contains("secrets.key"), "{set}");
    let listed = desk.run_with(&["secret", "list"], &env);
    assert_eq!(listed.stdout, "forum\n");
    let stored = std::fs::read_to_string(desk.gleaner.data().join("secrets.json")).unwrap();
    assert!(!stored.contains(PASSWORD.1), "{stored}");

    desk.write(
        "forum.toml",
        &forum.project().replace("env:FORUM_PASSWORD", "secret:forum"),
    );
    let ran = desk.run_with(&["project", "run", "forum.toml", "--json"], &env);
    assert_all(&told(&desk.gleaner, &forum, &ran), "NEW");

    // Without its key a secret is nobody's.
    let kept = std::fs::read(&key).unwrap();
    std::fs::remove_file(&key).unwrap();
    let refused = desk.run_with(&["track", "--json"], &env);
    refused.expect_code(&[3]);
    assert!(
        refused.stderr.contains("the key to the secrets is missing"),
        "{refused}"
    );
    std::fs::write(&key, "00".repeat(32)).unwrap();
    let refused = desk.run_with(&["track", "--json"], &env);
    assert!(
        refused.stderr.contains("cannot be opened with this key"),
        "{refused}"
    );
    std::fs::write(&key, kept).unwrap();
    let again = desk.run_with(&["track", "--json"], &env);
    assert_all(&told(&desk.gleaner, &forum, &again), "SAM");

    desk.run_with(&["secret", "remove", "forum"], &env)
        .expect_code(&[0]);
    let refused = desk.run_with(&["track"], &env);
    assert!(refused.stderr.contains("gleaner secret set forum"), "{refused}");
}

#[test]
fn i3_a_passphrase_does_as_well_and_mistakes_are_told() {
    let desk = Desk::new();
    let right = [("GLEANER_PASSPHRASE", "correct horse")];
    desk.answer(&["secret", "set", "a"], &right, "one")
        .expect_code(&[0]);
    let wrong = desk.answer(
        &["secret", "set", "b"],
        &[("GLEANER_PASSPHRASE", "wrong horse")],
        "two",
    );
    wrong.expect_code(&[3]);
    assert!(
        wrong.stderr.contains("cannot be opened with this passphrase"),
        "{wrong}"
    );
    let empty = desk.answer(&["secret", "set", "c"], &right, "\n");
    empty.expect_code(&[3]);
    assert!(empty.stderr.contains("nothing was stored"), "{empty}");
    desk.badly(&["secret", "remove", "nothing"], 3, &["no secret of that name"]);
    desk.badly(&["secret", "set", "two words"], 2, &["letters"]);
}
