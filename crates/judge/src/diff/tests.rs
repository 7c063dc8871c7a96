//! The forms of a diff, and the law that a diff applied gives the new version.

use super::*;
use proptest::prelude::*;

fn page(title: &str, texts: &[(&str, BlockKind, &str)]) -> Content {
    let blocks = texts
        .iter()
        .map(|(path, kind, text)| Block {
            path: (*path).to_owned(),
            kind: *kind,
            text: (*text).to_owned(),
            is_main: true,
            links: Vec::new(),
        })
        .collect();
    Content {
        title: title.to_owned(),
        blocks,
        normal_digest: [0; 16],
    }
}

fn sample() -> Diff {
    use BlockKind::{Other, Paragraph, Row};
    let before = page(
        "Shop",
        &[
            ("p", Paragraph, "The lamp costs 19.99 in our shop."),
            ("p[2]", Paragraph, "We ship on <b> Mondays & Fridays."),
            ("tr", Row, "Lamp | 3"),
            ("div.clock", Other, "12:03"),
        ],
    );
    let after = page(
        "Shop",
        &[
            ("p", Paragraph, "The lamp costs 18.99 in our shop."),
            ("p[2]", Paragraph, "We ship on <b> Mondays & Sundays."),
            ("tr", Row, "Lamp | 3"),
            ("tr[2]", Row, "Table | 7"),
            ("div.clock", Other, "12:07"),
        ],
    );
    let ignored = Ignored {
        path: "div.clock".to_owned(),
        why: "volatile clock".to_owned(),
        before: Some("12:03".to_owned()),
        after: Some("12:07".to_owned()),
    };
    Diff::between(&before, &after).fold(&[ignored])
}

#[test]
fn the_first_line_is_a_sentence() {
    let expected = "2 paragraphs changed, 1 table row added, title same; 1 volatile block ignored.";
    let diff = sample();
    assert_eq!(diff.sentence(), expected);
    for text in [diff.unified(), diff.words(), diff.side_by_side(80)] {
        assert_eq!(text.lines().next(), Some(expected));
    }
    assert_eq!(diff.json()["sentence"], expected);
}

#[test]
fn every_form_tells_the_same() {
    let diff = sample();
    assert!(
        diff.unified()
            .contains("- The lamp costs 19.99 in our shop.\n+ The lamp costs 18.99 in our shop.\n")
    );
    assert!(diff.unified().contains("  19.99 → 18.99 (−1.00)"));
    assert!(diff.unified().contains("~ ignored (volatile clock): div.clock"));
    assert!(diff.words().contains("costs [-19.99-]{+18.99+} in"));
    assert!(diff.side_by_side(60).contains(" > Table | 7"));
    let json = diff.json();
    assert_eq!(json["hunks"][2]["kind"], "add");
    assert_eq!(json["hunks"][2]["path"], "tr[2]");
    assert_eq!(json["hunks"][3]["ignored"], "volatile clock");
    assert_eq!(json["hunks"][0]["deltas"][0], "19.99 → 18.99 (−1.00)");
}

#[test]
fn hc085_text_is_never_markup() {
    let html = sample().html();
    assert!(
        html.contains("&lt;b&gt; Mondays &amp; <del>Fridays</del><ins>Sundays</ins>"),
        "{html}"
    );
    assert!(!html.contains("<b>") && !html.contains("<script"));
}

#[test]
fn a_moved_block_is_one_move() {
    let texts = ["alpha", "beta", "gamma", "delta"];
    let in_order = |order: [usize; 4]| {
        let blocks: Vec<_> = order
            .iter()
            .map(|&at| ("p", BlockKind::Paragraph, texts[at]))
            .collect();
        page("", &blocks)
    };
    let diff = Diff::between(&in_order([0, 1, 2, 3]), &in_order([0, 2, 3, 1]));
    assert_eq!(diff.sentence(), "1 paragraph moved, title same.");
    assert_eq!(diff.kept, 3);
}

#[test]
fn hc087_huge_pages_are_bounded() {
    let blocks = |word: &str| -> Content {
        let blocks = (0..60_000).map(|n| Block {
            path: format!("p[{n}]"),
            kind: BlockKind::Paragraph,
            text: format!("{word} {n}"),
            is_main: true,
            links: Vec::new(),
        });
        Content {
            title: String::new(),
            blocks: blocks.collect(),
            normal_digest: [0; 16],
        }
    };
    assert_eq!(Diff::between(&blocks("a"), &blocks("b")).hunks.len(), 60_000);
    let line = |word: &str| page("", &[("p", BlockKind::Paragraph, &word.repeat(5 << 20))]);
    let diff = Diff::between(&line("a "), &line("b "));
    assert!(diff.unified().contains("too large to show"));
    assert!(diff.html().len() < 200_000 && diff.side_by_side(80).len() < 400_000);
}

proptest! {
    #[test]
    fn diff_then_patch_gives_the_new_blocks(before in prop::collection::vec("[a-d]{1,2}", 0..24), after in prop::collection::vec("[a-d]{1,2}", 0..24)) {
        let content = |texts: &[String]| {
            let blocks: Vec<_> = texts.iter().map(|text| ("p", BlockKind::Paragraph, text.as_str())).collect();
            page("", &blocks)
        };
        let diff = Diff::between(&content(&before), &content(&after));
        prop_assert_eq!(diff.apply(&before), after.clone());
        prop_assert_eq!(diff.is_empty(), before == after);
        let _ = (diff.unified(), diff.words(), diff.side_by_side(30), diff.html(), diff.json());
    }
}
