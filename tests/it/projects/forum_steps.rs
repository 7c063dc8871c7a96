//! Steps on the forum: what they name is collected, exactly that, and its changes are told exactly.

use super::forum::{
    Forum, PASSWORD, assert_all, assert_no_login_page, expected, gleaner, told, told_of_run, track,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

#[test]
fn a2_steps_collect_what_they_name_and_changes_are_told_exactly() {
    let Some(forum) = Forum::start(1_000_000, "form") else {
        return gleaner_fixtures::skip("no PHP");
    };
    let gleaner = gleaner(&forum);
    assert_all(&told(&gleaner, &forum, &track(&gleaner)), "NEW");
    assert_eq!(forum.logins(), 1);
    // Another order of results, other tokens, other links for one visit: nothing changed.
    assert_all(&told(&gleaner, &forum, &track(&gleaner)), "SAM");

    forum.change(|topics| {
        topics["4"]["text"] = json!("Topic number four has something else to say about owls today, at some length.");
        topics["3"]["text"] = json!("Topic number three changed its mind, and tells so in quite a number of words.");
        topics.insert(
            "61".to_owned(),
            json!({"board": 2, "title": "Topic 61", "text": "Somebody writes for the first time about owls, on another board."}),
        );
        topics.remove("8");
        // Not about owls, not on the first board: nobody asked for it.
        topics["5"]["text"] = json!("Nobody will see this.");
    });
    let found = told(&gleaner, &forum, &track(&gleaner));
    let mut truth: BTreeMap<String, String> = (expected().into_iter())
        .map(|name| (name, "SAM".to_owned()))
        .collect();
    for (name, state) in [("4", "UPD"), ("3", "UPD"), ("61", "NEW"), ("8", "MIS")] {
        truth.insert(format!("topic.php?id={name}"), state.to_owned());
    }
    assert_eq!(found, truth);
    assert!(!forum.path("logouts.txt").exists(), "nobody logged out");
    assert_no_login_page(&gleaner);
    gleaner.run(&["verify"]).expect_code(&[0]);
}

#[test]
fn a4_a_session_that_ends_is_begun_again_and_costs_one_request() {
    let Some(calm) = Forum::start(1_000_000, "form") else {
        return gleaner_fixtures::skip("no PHP");
    };
    let undisturbed = gleaner(&calm);
    assert_all(&told(&undisturbed, &calm, &track(&undisturbed)), "NEW");
    for expired in ["form", "redirect"] {
        let forum = Forum::start(20, expired).unwrap();
        let gleaner = gleaner(&forum);
        assert_all(&told(&gleaner, &forum, &track(&gleaner)), "NEW");
        let expiries = forum.logins() - 1;
        assert!(expiries >= 1, "{expired}: the session ended on the way");
        assert!(
            // The page that was asked for in vain, and nothing else: not even the one that the login leads to.
            forum.requests() <= calm.requests() + expiries,
            "{expired}: {} requests, undisturbed {}, {expiries} expiries",
            forum.requests(),
            calm.requests()
        );
        assert_all(&told(&gleaner, &forum, &track(&gleaner)), "SAM");
        assert_no_login_page(&gleaner);
    }
}

/// Sessions end on the way, and so does the run, again and again.
#[test]
fn a2_kills_on_the_way_change_nothing() {
    let Some(forum) = Forum::start(20, "redirect") else {
        return gleaner_fixtures::skip("no PHP");
    };
    let gleaner = gleaner(&forum);
    let mut kills = 0;
    loop {
        let before = forum.requests();
        let mut running = gleaner.spawn(&["track", "forum", "--json"]);
        // A few pages further each time.
        while forum.requests() < before + 4 + kills && !running.has_ended() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if running.has_ended() {
            running.wait(Duration::from_mins(1)).expect_code(&[0]);
            break;
        }
        running.kill9();
        kills += 1;
        assert!(kills < 40, "it never ends");
        // Killed when all was done: the next track would be another run.
        if gleaner.sqlite_number("SELECT count(*) FROM runs WHERE status = 'finished'") > 0 {
            break;
        }
    }
    assert!(kills >= 3, "{kills} kills");
    assert_all(&told_of_run(&gleaner, &forum, "1"), "NEW");
    assert_eq!(gleaner.sqlite_number("SELECT count(*) FROM runs"), 1);
    assert_no_login_page(&gleaner);
    gleaner.run(&["verify"]).expect_code(&[0]);
    assert_all(&told(&gleaner, &forum, &track(&gleaner)), "SAM");
}

#[test]
fn a4_a_login_that_fails_is_told_as_that() {
    let Some(forum) = Forum::start(1_000_000, "form") else {
        return gleaner_fixtures::skip("no PHP");
    };
    let gleaner = gleaner(&forum);
    assert_all(&told(&gleaner, &forum, &track(&gleaner)), "NEW");
    let gleaner = gleaner.with_env(PASSWORD.0, "wrong");
    let finished = track(&gleaner);
    finished.expect_code(&[3]);
    assert!(finished.stderr.contains("the login failed"), "{finished}");
    assert!(finished.stderr.contains("form#login"), "it says why: {finished}");
    assert!(
        !finished.to_string().contains("wrong"),
        "no password is shown: {finished}"
    );
    assert_eq!(
        gleaner.sqlite_number("SELECT count(*) FROM changes WHERE run = 2"),
        0
    );
    let gleaner = gleaner.with_env(PASSWORD.0, PASSWORD.1);
    assert_all(&told(&gleaner, &forum, &track(&gleaner)), "SAM");
}
