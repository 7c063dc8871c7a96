use super::*;
use crate::Question;
use std::collections::HashSet;

fn add(writer: &mut Writer, version: i64, title: &str, text: &[&str]) {
    let passages = text.iter().map(|text| IndexPassage {
        text,
        is_heading: false,
        is_main: true,
    });
    let entry = IndexEntry {
        version,
        project: version % 2,
        host: "www.a.test",
        url: "http://www.a.test/some/page.html",
        media_type: "text/html",
        title,
        passages: passages.collect(),
    };
    writer.add(&entry).expect("added");
}

const ENGLISH: &str = "The committee has decided that all connections to the harbour are open on Sundays, and nobody was asked.";
const GERMAN: &str = "Die Kommission hat beschlossen, dass die Häuser am Hafen auch sonntags geöffnet sind und niemand gefragt wurde.";
const FRENCH: &str = "La commission a décidé que la généralité des cafés du port serait désormais ouverte le dimanche pour tous.";
const JAPANESE: &str =
    "委員会は、東京都の図書館を日曜日にも開館することを決定しました。これは試験的な措置です。";

fn filled() -> (tempfile::TempDir, Index) {
    let folder = tempfile::tempdir().expect("a folder");
    let index = Index::open(folder.path()).expect("an index");
    let mut writer = index.writer().expect("the writer");
    add(&mut writer, 1, "Harbour news", &[ENGLISH, "running late"]);
    add(&mut writer, 2, "Hafen", &[GERMAN]);
    add(&mut writer, 3, "Port", &[FRENCH]);
    add(&mut writer, 4, "図書館", &[JAPANESE]);
    add(
        &mut writer,
        5,
        "Other",
        &["A committee of the harbour met, and it was a long day for everybody who was there."],
    );
    let commit = Commit {
        position: 5,
        changes: "1.5".to_owned(),
        source: "x".to_owned(),
    };
    writer.commit(&commit).expect("committed");
    writer.finish().expect("finished");
    index.reload().expect("reloaded");
    assert_eq!(index.commit().expect("a commit"), Some(commit));
    (folder, index)
}

fn found(index: &Index, question: &str) -> Vec<i64> {
    let question = Question::parse(question).expect("a question");
    let hits = index.top::<SearchError>(&question, 10, None, |_| Ok(true));
    hits.expect("an answer")
        .into_iter()
        .map(|hit| hit.version)
        .collect()
}

#[test]
fn words_are_found_in_their_languages() {
    let (_folder, index) = filled();
    for (question, wanted) in [
        ("connection", vec![1]),
        ("CONNECTED", vec![1]),
        ("haus", vec![2]),
        ("häuser", vec![2]),
        ("generalite", vec![3]),
        ("café", vec![3]),
        ("cafe", vec![3]),
        ("東京", vec![4]),
        ("図書館", vec![4]),
        ("京", vec![4]),
        ("大阪", vec![]),
        ("harbour", vec![1, 5]),
        ("harbour -news", vec![5]),
        ("haus OR harbour", vec![2, 1, 5]),
        ("harbour (haus OR news)", vec![1]),
        ("\"committee of the harbour\"", vec![5]),
        ("\"harbour committee\"", vec![]),
        ("\"asked running\"", vec![]),
        ("\"committee harbour\"~3", vec![5]),
        ("title:harbour", vec![1]),
        ("connecti*", vec![1]),
        ("title:har*", vec![1]),
        ("harbor~", vec![1, 5]),
        ("url:page", vec![5, 4, 3, 2, 1]),
        ("host:a.test harbour", vec![1, 5]),
        ("host:b.test harbour", vec![]),
        ("lang:de haus", vec![2]),
        ("lang:en haus", vec![]),
        ("type:text harbour", vec![1, 5]),
    ] {
        let mut found = found(&index, question);
        let mut wanted = wanted;
        if question.contains("OR") {
            found.sort_unstable();
            wanted.sort_unstable();
        }
        assert_eq!(found, wanted, "{question}");
    }
}

#[test]
fn only_what_is_wanted_and_page_by_page() {
    let (_folder, index) = filled();
    let question = Question::parse("url:page").expect("a question");
    let page = |after| {
        let hits = index.top::<SearchError>(&question, 2, after, |version| Ok(version != 3));
        let hits = hits.expect("an answer");
        (
            hits.iter().map(|hit| hit.version).collect::<Vec<_>>(),
            hits.last().map(|hit| hit.place),
        )
    };
    let (first, after) = page(None);
    let (second, after) = page(after.map(|place| place.to_string().parse().expect("as it was shown")));
    let (third, _) = page(after);
    assert_eq!([first, second, third].concat(), [5, 4, 2, 1]);
    let odd = question.clone().of_projects(&[1]);
    assert_eq!(index.all(&odd).expect("an answer").len(), 3);
}

#[test]
fn what_was_taken_out_is_gone_and_scores_are_as_if_it_had_never_been() {
    let (_folder, index) = filled();
    let mut writer = index.writer().expect("the writer");
    assert!(matches!(index.writer(), Err(SearchError::InUse { .. })));
    writer.remove(HashSet::from([1, 2])).expect("removed");
    writer.commit(&Commit::default()).expect("committed");
    writer.tidy().expect("tidied");
    writer.finish().expect("finished");
    index.reload().expect("reloaded");
    assert_eq!(found(&index, "harbour"), [5]);
    assert_eq!(index.count(), 3);
    let mut left = index.versions().expect("versions");
    left.sort_unstable();
    assert_eq!(left, [3, 4, 5]);
}

#[test]
fn what_was_not_committed_is_not_there() {
    let (folder, index) = filled();
    let mut writer = index.writer().expect("the writer");
    add(&mut writer, 9, "Late", &["harbour"]);
    drop(writer);
    let again = Index::open(folder.path()).expect("the index");
    assert_eq!(again.count(), 5);
    assert_eq!(
        again.commit().expect("a commit").map(|commit| commit.position),
        Some(5)
    );
    drop(index);
}
