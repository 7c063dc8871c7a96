//! The forms of a diff, and the law that a diff applied gives the new version.

use super::*;
use crate::equality::{Chain, Ignored, Side};
use proptest::prelude::*;

fn page(title: &str, texts: &[(&str, BlockKind, &str)]) -> Content {
    let blocks = texts
        .iter()
        .map(|(path, kind, text)| Block {
            path: (*path).to_owned(),
            kind: *kind,
            text: (*text).to_owned(),
            is_main: true,
            is_frame: false,
            links: Vec::new(),
            images: Vec::new(),
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
            is_frame: false,
            links: Vec::new(),
            images: Vec::new(),
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
    let many = Diff::between(&blocks("a"), &blocks("b"));
    for form in [many.unified(), many.words(), many.side_by_side(80), many.html()] {
        assert!(form.contains("58000 more changed blocks, too many to show") && form.len() < 2 << 20);
    }
    let json = many.json();
    assert_eq!(
        (json["hunks"].as_array().map(Vec::len), json["left"].as_u64()),
        (Some(20_000), Some(40_000))
    );
    assert!(diff.html().len() < 200_000 && diff.side_by_side(80).len() < 400_000);
}

#[test]
fn b6_what_the_equality_overlooks_is_folded_with_the_reason() {
    let content = |price: &str, menu: &str, title: &str| {
        let mut page = page(
            title,
            &[
                ("main/p", BlockKind::Paragraph, "The lamp costs much."),
                ("main/p[2]", BlockKind::Paragraph, price),
                ("nav/ul/li", BlockKind::Item, menu),
            ],
        );
        page.blocks[2].is_main = false;
        page.blocks[2].is_frame = true;
        page
    };
    let judged = |chain: &str, before: &Content, now: &Content| {
        let chain = Chain::parse(chain).expect("a chain");
        let side = |content: &Content, digest: u8| Side::new(content.clone(), [digest; 32]);
        Diff::judged(&chain, &side(before, 0), &side(now, 1), None)
    };
    let (before, now) = (
        content("It costs 7.", "Home", "Shop"),
        content("It costs 8.", "Start", "Shop"),
    );
    let whys =
        |diff: &Diff| -> Vec<Option<String>> { diff.hunks.iter().map(|hunk| hunk.ignored.clone()).collect() };

    let (diff, verdict) = judged("main", &before, &now);
    assert!(!verdict.is_same());
    assert_eq!(whys(&diff), [None, Some("outside the main text".to_owned())]);
    assert_eq!(
        diff.sentence(),
        "1 paragraph changed, title same; 1 block ignored."
    );

    let (diff, verdict) = judged("main,ignore:regex=[0-9]", &before, &now);
    assert!(verdict.is_same());
    assert_eq!(
        whys(&diff),
        [
            Some("matches the ignore pattern".to_owned()),
            Some("outside the main text".to_owned())
        ]
    );
    assert_eq!(diff.sentence(), "no text changed, title same; 2 blocks ignored.");

    // Digests know no places: everything is shown. And all of it counts where all of it is looked at.
    assert_eq!(whys(&judged("exact", &before, &now).0), [None, None]);
    assert_eq!(whys(&judged("visible", &before, &now).0), [None, None]);

    let renamed = content("It costs 7.", "Home", "Shop 2");
    let (mut diff, _) = judged("main,ignore:regex=[0-9]", &before, &renamed);
    assert_eq!(diff.title_ignored.as_deref(), Some("matches the ignore pattern"));
    assert_eq!(diff.sentence(), "no text changed, title ignored.");
    assert!(
        diff.unified()
            .contains("~ ignored (matches the ignore pattern): title")
    );
    diff.unfold();
    assert_eq!(diff.sentence(), "no text changed, title changed.");
}

#[test]
fn what_a_selector_left_out_is_shown_as_ignored() {
    let paragraphs = |texts: &[(&str, &str)]| -> Content {
        let blocks: Vec<_> = texts
            .iter()
            .map(|(path, text)| (*path, BlockKind::Paragraph, *text))
            .collect();
        page("", &blocks)
    };
    let whole = |ad: &str| paragraphs(&[("p", "The same."), ("div.ad", ad)]);
    let seen = || Side::new(paragraphs(&[("p", "The same.")]), [0; 32]);
    let chain = Chain::parse("main,ignore:select=.ad").expect("a chain");
    let (old, new) = (whole("Buy this."), whole("Buy that."));
    let (diff, verdict) = Diff::judged(&chain, &seen(), &seen(), Some((&old, &new)));
    assert!(verdict.is_same());
    assert_eq!(
        diff.hunks[0].ignored.as_deref(),
        Some("left out by the ignore selector")
    );
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
