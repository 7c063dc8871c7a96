use super::*;

#[test]
fn a_page_of_very_many_blocks_is_learned_from_in_no_time() {
    let rows = |word: &str| -> Vec<String> { (0..40_000).map(|row| format!("{word} {row}")).collect() };
    let many = |rows: &[String]| {
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        page(
            1,
            &rows,
            "The same words that stand at the end of the page, enough of them to be read as a text of its own.",
        )
    };
    let (before, now) = (many(&rows("old")), many(&rows("new")));
    let mut alike = Alike::default();
    alike.observe(1, &before, &now);
    assert!(alike.open.is_empty(), "rows of a list are no frame");
    let frame = |text: &str| Block {
        text: text.to_owned(),
        is_frame: true,
        ..now.blocks[0].clone()
    };
    let (log_in, sign_in) = (frame("Log in"), frame("Sign in"));
    let (mut before, mut now) = (before, now);
    before.blocks.push(log_in);
    now.blocks.push(sign_in);
    alike.observe(1, &before, &now);
    assert!(
        !alike.open.is_empty(),
        "what says that it is frame is learned beside them"
    );
}

#[test]
fn a_page_of_very_many_blocks_has_a_frame_too() {
    let rows: Vec<Block> = (0..3_000)
        .map(|row| Block {
            text: format!("Row {row} of a long table"),
            ..page(1, &["Row"], "").blocks[0].clone()
        })
        .map(|block| Block {
            is_main: true,
            ..block
        })
        .collect();
    let long = |number, header: &[&str]| {
        let mut page = page(number, header, "");
        page.blocks.extend(rows.iter().cloned());
        page
    };
    let mut alike = Alike::default();
    let pair = |number| (long(number, &["Site"]), long(number, &["Site", "Sign in"]));
    for number in 0..3 {
        let (before, now) = pair(number);
        alike.observe(number as u64, &before, &now);
    }
    let (before, now) = pair(9);
    assert!(is_known(&alike, &before, &now).0);
}

fn page(number: usize, header: &[&str], words: &str) -> Content {
    let block = |kind: BlockKind, text: &str, is_main: bool| Block {
        path: format!("body/{}", if kind == BlockKind::Heading { "h1" } else { "p" }),
        kind,
        text: text.to_owned(),
        is_main,
        is_frame: false,
        links: Vec::new(),
        images: Vec::new(),
    };
    let mut blocks: Vec<Block> = header
        .iter()
        .map(|text| block(BlockKind::Paragraph, text, false))
        .collect();
    blocks.push(block(BlockKind::Heading, &format!("Story {number}"), true));
    let story = format!("This is the story of the number {number}, told at some length. {words}");
    blocks.push(block(BlockKind::Paragraph, &story, true));
    Content {
        title: format!("Story {number} | Site {}", header.len()),
        blocks,
        ..Content::default()
    }
}

fn is_known(alike: &Alike, before: &Content, now: &Content) -> (bool, bool) {
    let shared = alike.shared();
    let found = changes(&before.blocks, &now.blocks);
    let versions = Versions::new(before, now);
    (
        found
            .iter()
            .all(|change| shared.is_of_the_site(&versions, change)),
        shared.is_title_of_the_site(before, now),
    )
}

#[test]
fn case21_what_comes_on_every_page_is_the_frame() {
    let mut alike = Alike::default();
    let pair = |number| {
        (
            page(number, &["Site"], ""),
            page(number, &["Site", "Sign in"], ""),
        )
    };
    for number in 0..3 {
        let (before, now) = pair(number);
        alike.observe(number as u64, &before, &now);
    }
    let (before, now) = pair(9);
    assert_eq!(is_known(&alike, &before, &now), (true, true));
    let other = page(9, &["Site", "Closed for ever"], "");
    assert!(!is_known(&alike, &before, &other).0);
}

#[test]
fn case21_what_comes_on_few_pages_or_in_the_text_is_a_change() {
    let mut few = Alike::default();
    let pair = |number| {
        (
            page(number, &["Site"], ""),
            page(number, &["Site", "Sold out"], ""),
        )
    };
    for _ in 0..10 {
        few.note_still();
    }
    let mut in_text = Alike::default();
    let edited = |number| (page(number, &["Site"], ""), page(number, &["Site"], "Sold out."));
    let mut copies = Alike::default();
    for number in 0..4 {
        let (before, now) = pair(number);
        few.observe(number as u64, &before, &now);
        let (before, now) = edited(number);
        in_text.observe(number as u64, &before, &now);
        let (before, now) = pair(7);
        copies.observe(number as u64, &before, &now);
    }
    let (before, now) = pair(1);
    assert_eq!(is_known(&few, &before, &now), (false, false));
    assert_eq!(is_known(&copies, &before, &now), (false, false));
    let (before, now) = edited(1);
    assert!(!is_known(&in_text, &before, &now).0);
}
