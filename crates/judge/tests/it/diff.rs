//! Real revisions of real pages: is every change found, and do the words agree with a line diff of the sources? (B7)

use gleaner_fixtures::corpus;
use gleaner_judge::diff::words::{Fate, compare_words, tokens};
use gleaner_judge::diff::{ChangeKind, Diff};
use gleaner_judge::equality::{Chain, Side};
use gleaner_model::{Content, Url};
use std::collections::HashMap;

fn content(html: &str) -> Content {
    let url = Url::parse("http://site.test/page.html").expect("an address");
    gleaner_parse::content::of_html(html, &url)
}

type Bag = HashMap<String, i64>;

fn add(bag: &mut Bag, text: &str) {
    for word in tokens(text)
        .into_iter()
        .filter(|token| token.starts_with(char::is_alphanumeric))
    {
        *bag.entry(word.to_lowercase()).or_default() += 1;
    }
}

/// Words that came and went by our diff.
fn by_diff(diff: &Diff) -> (Bag, Bag) {
    let (mut added, mut removed) = (Bag::new(), Bag::new());
    for hunk in &diff.hunks {
        let text = |part: &Option<gleaner_judge::diff::DiffPart>| {
            part.as_ref().map_or_else(String::new, |part| part.text.clone())
        };
        if matches!(hunk.kind, ChangeKind::Link | ChangeKind::Move) {
            continue;
        }
        for run in compare_words(&text(&hunk.before), &text(&hunk.after)) {
            match run.fate {
                Fate::Added => add(&mut added, &run.text),
                Fate::Removed => add(&mut removed, &run.text),
                Fate::Kept => {}
            }
        }
    }
    if let Some((before, after)) = &diff.title {
        add(&mut removed, before);
        add(&mut added, after);
    }
    (added, removed)
}

/// Words by which two visible texts differ, as bags: the truth that no diff may contradict.
fn by_count(before: &Content, after: &Content) -> (Bag, Bag) {
    let mut balance = Bag::new();
    let mut side = |content: &Content, sign: i64| {
        let mut bag = Bag::new();
        for block in &content.blocks {
            add(&mut bag, &block.text);
        }
        for (word, count) in bag {
            *balance.entry(word).or_default() += sign * count;
        }
    };
    side(before, -1);
    side(after, 1);
    let added = balance
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(word, count)| (word.clone(), *count))
        .collect();
    let removed = balance
        .iter()
        .filter(|(_, count)| **count < 0)
        .map(|(word, count)| (word.clone(), -count))
        .collect();
    (added, removed)
}

/// Words of the lines that a line diff of the sources, tags taken out, calls added or removed.
fn by_lines(before: &str, after: &str) -> (Bag, Bag) {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let lines = |text: &str| -> Vec<String> { text.lines().map(|line| line.trim().to_owned()).collect() };
    let hash = |line: &String| {
        let mut hasher = DefaultHasher::new();
        line.hash(&mut hasher);
        hasher.finish()
    };
    let (old, new) = (lines(before), lines(after));
    let hashes = |lines: &[String]| -> Vec<u64> { lines.iter().map(hash).collect() };
    let matched = gleaner_judge::diff::align::align(&hashes(&old), &hashes(&new));
    let (mut old_kept, mut new_kept) = (vec![false; old.len()], vec![false; new.len()]);
    for (r, c) in matched {
        old_kept[r] = true;
        new_kept[c] = true;
    }
    let gather = |lines: &[String], kept: &[bool]| {
        let mut bag = Bag::new();
        let text: Vec<&str> = lines
            .iter()
            .zip(kept)
            .filter(|(_, kept)| !**kept)
            .map(|(line, _)| line.as_str())
            .collect();
        for block in &content(&text.join("\n")).blocks {
            add(&mut bag, &block.text);
        }
        bag
    };
    (gather(&new, &new_kept), gather(&old, &old_kept))
}

fn shared(one: &Bag, other: &Bag) -> i64 {
    one.iter()
        .map(|(word, count)| (*count).min(other.get(word).copied().unwrap_or(0)))
        .sum()
}

fn size(bag: &Bag) -> i64 {
    bag.values().sum()
}

#[test]
fn b7_page_history_is_told_right() {
    let Some(folder) = corpus("page-history") else {
        return;
    };
    let index = std::fs::read_to_string(folder.join("index.json")).expect("an index");
    let index: serde_json::Value = serde_json::from_str(&index).expect("JSON");
    let chain = Chain::parse("visible").expect("a chain");
    let default = Chain::default();
    let (mut right, mut all, mut same_text, mut default_changed) = (0, 0, 0, 0);
    let (mut ours, mut counted, mut both, mut line_total, mut within) = (0, 0, 0, 0, 0);
    for page in index.as_array().expect("pages") {
        let dir = folder.join(page["dir"].as_str().expect("a folder"));
        let revisions: Vec<String> = page["revisions"]
            .as_array()
            .expect("revisions")
            .iter()
            .map(|one| {
                String::from_utf8_lossy(&crate::unpacked(&dir.join(one["file"].as_str().expect("a file"))))
                    .into_owned()
            })
            .collect();
        for two in revisions.windows(2) {
            let (before, now) = (
                Side::new(content(&two[0]), [0; 32]),
                Side::new(content(&two[1]), [1; 32]),
            );
            let diff = Diff::between(before.content(), now.content());
            let (count_added, count_removed) = by_count(before.content(), now.content());
            let text = |content: &Content| {
                content
                    .blocks
                    .iter()
                    .map(|block| block.text.clone())
                    .collect::<Vec<_>>()
            };
            let changed = text(before.content()) != text(now.content())
                || before.content().title != now.content().title;
            all += 1;
            same_text += usize::from(!changed);
            right += usize::from(chain.judge(&before, &now).is_same() != changed);
            default_changed += usize::from(!default.judge(&before, &now).is_same());
            assert_eq!(
                diff.apply(&text(before.content())),
                text(now.content()),
                "diff then patch"
            );
            let (added, removed) = by_diff(&diff);
            ours += size(&added) + size(&removed);
            counted += size(&count_added) + size(&count_removed);
            both += shared(&added, &count_added) + shared(&removed, &count_removed);
            let (line_added, line_removed) = by_lines(&two[0], &two[1]);
            line_total += size(&line_added) + size(&line_removed);
            within += shared(&added, &line_added) + shared(&removed, &line_removed);
        }
    }
    eprintln!("changed/unchanged right           {right}/{all} ({same_text} without any change of text)");
    eprintln!("default equality says UPD         {default_changed}/{all}");
    let share = |part: i64, whole: i64| 100.0 * part as f64 / whole.max(1) as f64;
    eprintln!(
        "words of the diff inside the line diff   precision {:.1} %  recall {:.1} %",
        share(within, ours),
        share(within, line_total)
    );
    eprintln!(
        "words by count found in the diff         {:.1} % ({} words shown for {} that must be)",
        share(both, counted),
        ours,
        counted
    );
    assert_eq!(right, all);
    assert!(share(both, counted) >= 99.0);
    assert!(share(within, ours) >= 90.0);
}
