use super::training::{GENRES, GenreLine, GenreModel, GenreView, Mixture, Scale};
use super::{Genre, Judge, Overrules, Seen, Subject, model};
use gleaner_model::BlockKind;
use gleaner_parse::documents::{Format, Piece, Reading};

fn reading(texts: &[&str]) -> Reading {
    let piece = |text: &&str| Piece {
        kind: BlockKind::Paragraph,
        level: 0,
        page: 1,
        text: (*text).to_owned(),
        links: Vec::new(),
    };
    Reading {
        format: Format::Text,
        pieces: texts.iter().map(piece).collect(),
        ..Reading::default()
    }
}

fn seen(texts: &[&str], name: Option<&str>) -> Seen {
    Seen::of(&Subject {
        reading: &reading(texts),
        name,
        size_bytes: Some(20_000),
    })
}

/// Words of one topic, without anything that tells of a genre.
fn plain(word: &str) -> Seen {
    let text = format!("{word} stone river cloud {word} meadow pebble {word} willow heron marsh {word}");
    seen(&[&text], None)
}

const HOMEWORK: [&str; 5] = [
    "Math 821, Problem Set 7. Due date: Wednesday",
    "1. Show that every finite group of prime order is cyclic. (10 points)",
    "2. Find all subgroups of S4 and compute their orders. (15 points)",
    "3. Prove or disprove: every abelian group is cyclic. Justify your answer. (10 points)",
    "Submit your solutions before class. Show your work; no late homework is accepted.",
];

#[test]
fn what_is_plain_is_judged_rightly_and_told_in_words() {
    let nothing = Overrules::default();
    let judge = Judge::new(model(), &nothing);
    let verdict = judge.judge(&seen(&HOMEWORK, Some("hw7.pdf")), None);
    assert_eq!(
        (verdict.genre, verdict.accept),
        (Genre::AssignmentOrExam, false),
        "{verdict:?}"
    );
    assert!(verdict.score < 0.4 && !verdict.is_uncertain);
    assert_eq!(verdict.reasons.len(), 3);
    assert!(verdict.reasons.iter().all(|reason| !reason.is_empty()));
    let without_name = judge.judge(&seen(&HOMEWORK, None), None);
    assert!(!without_name.accept, "{without_name:?}");
}

#[test]
fn nothing_and_very_much_are_judged_too() {
    let nothing = Overrules::default();
    let judge = Judge::new(model(), &nothing);
    for texts in [vec![], vec![""], vec!["\u{fffd}\u{0}"], vec!["x"; 50_000]] {
        let verdict = judge.judge(&seen(&texts, Some("")), None);
        assert!(verdict.score.is_finite() && (0.0..=1.0).contains(&verdict.score));
    }
    let long = "long words and many of them, ".repeat(400_000);
    assert!(judge.judge(&seen(&[&long], None), None).score.is_finite());
}

#[test]
fn an_overrule_teaches_at_once_and_holds_for_what_says_the_same() {
    let none = Overrules::default();
    let before = Judge::new(model(), &none).judge(&plain("otter"), Some("a"));
    let mut overrules = Overrules::default();
    let told = plain("otter").overrule("a", None, !before.accept, "2026-11-19T04:00:00Z");
    assert!(overrules.add(told).is_empty());
    let judge = Judge::new(model(), &overrules);
    let itself = judge.judge(&plain("otter"), Some("a"));
    assert_eq!(
        (itself.accept, itself.reasons.as_slice()),
        (!before.accept, ["a person decided so".to_owned()].as_slice())
    );
    // Another document that says the same, and one that says nearly the same.
    assert_eq!(judge.judge(&plain("otter"), Some("b")).accept, !before.accept);
    let untaught = Judge::new(model(), &none).judge(&plain("beaver"), None).score;
    let taught = judge.judge(&plain("beaver"), None).score;
    assert!((taught > untaught) != before.accept, "{untaught} {taught}");
    // Others are judged as before.
    let homework = judge.judge(&seen(&HOMEWORK, Some("hw7.pdf")), None);
    assert_eq!(homework.genre, Genre::AssignmentOrExam);
}

#[test]
fn the_same_overrules_make_the_same_judge_also_after_they_were_kept() {
    let mut overrules = Overrules::default();
    for (number, word) in ["otter", "beaver", "heron", "newt"].into_iter().enumerate() {
        let genre = [Genre::Paper, Genre::Form][number % 2];
        overrules.add(plain(word).overrule(word, Some(genre), genre.is_accepted(), ""));
    }
    let kept = serde_json::to_string(&overrules).expect("JSON");
    let again: Overrules = serde_json::from_str(&kept).expect("as it was written");
    assert_eq!(again, overrules);
    let (one, other) = (Judge::new(model(), &overrules), Judge::new(model(), &again));
    for word in ["otter", "beaver", "toad"] {
        let (one, other) = (one.shares(&plain(word)), other.shares(&plain(word)));
        assert_eq!(one.map(f32::to_bits), other.map(f32::to_bits));
    }
}

#[test]
fn an_overrule_outlives_the_model_that_it_was_made_against() {
    let mut overrules = Overrules::default();
    overrules.add(plain("otter").overrule("a", Some(Genre::Thesis), true, ""));
    // A model of which nothing fits: other numbers, other words, and it takes everything for slides.
    let view = GenreView {
        mixture: Mixture {
            line: 1.0,
            slope: 1.0,
            ..Mixture::default()
        },
        lines: vec![
            GenreLine {
                begin: 0.0,
                weights: vec![0.0],
            };
            GENRES
        ],
        trees: vec![Vec::new(); GENRES],
    };
    let other = GenreModel {
        columns: vec![Scale {
            name: "other".to_owned(),
            mean: 0.0,
            spread: 1.0,
        }],
        named: view.clone(),
        nameless: view,
        ..GenreModel::default()
    };
    let judge = Judge::new(&other, &overrules);
    assert!(judge.check(&plain("otter")).is_err());
    let verdict = judge.judge(&plain("otter"), Some("b"));
    assert_eq!((verdict.genre, verdict.accept), (Genre::Thesis, true));
    assert_eq!(judge.judge(&plain("otter"), Some("a")).genre, Genre::Thesis);
}

#[test]
fn overrules_that_contradict_each_other_are_told_and_the_later_one_counts() {
    let mut overrules = Overrules::default();
    assert!(
        overrules
            .add(plain("otter").overrule("a", Some(Genre::Paper), true, ""))
            .is_empty()
    );
    let same = overrules.add(plain("otter").overrule("a", Some(Genre::Form), false, ""));
    assert!(same.len() == 1 && same[0].is_same_document, "{same:?}");
    let alike = overrules.add(plain("otter").overrule("b", None, true, ""));
    assert!(
        alike
            .iter()
            .any(|found| !found.is_same_document && found.later == "b"),
        "{alike:?}"
    );
    assert!(
        overrules
            .add(plain("otter").overrule("c", None, true, ""))
            .iter()
            .all(|found| found.earlier == "a")
    );
    assert_eq!(overrules.contradictions().len(), 3);
    assert_eq!(overrules.list().len(), 4);
    let judge = Judge::new(model(), &overrules);
    assert!(!judge.judge(&plain("otter"), Some("a")).accept);
    assert!(judge.judge(&plain("otter"), Some("b")).accept);
}
