//! Chains, ladders and learning on small contents.

use super::*;
use gleaner_model::{Block, BlockKind, Content};
use proptest::prelude::*;
use std::sync::Arc;

fn block(path: &str, text: &str) -> Block {
    Block {
        path: path.to_owned(),
        kind: BlockKind::Paragraph,
        text: text.to_owned(),
        is_main: true,
        is_frame: false,
        links: Vec::new(),
        images: Vec::new(),
    }
}

/// A page of prose with these blocks at its end.
fn page(more: &[(&str, &str)]) -> Content {
    let prose = (1..9).map(|n| {
        block(
            &format!("article/p[{n}]"),
            &format!("{n} is a paragraph of the story, as long as any."),
        )
    });
    let more = more.iter().map(|(path, text)| block(path, text));
    Content {
        title: "A story".to_owned(),
        blocks: prose.chain(more).collect(),
        normal_digest: [0; 16],
    }
}

fn side(content: &Content, bytes: u8) -> Side {
    Side::new(content.clone(), [bytes; 32])
}

fn judge(chain: &str, before: &Content, now: &Content) -> Verdict {
    Chain::parse(chain)
        .unwrap()
        .judge(&side(before, 1), &side(now, 2))
}

#[test]
fn each_level_sees_what_it_should() {
    let base = page(&[]);
    let mut menu = base.clone();
    menu.blocks.push(Block {
        is_main: false,
        is_frame: true,
        ..block("nav/p", "New menu")
    });
    let mut other_markup = base.clone();
    other_markup.normal_digest = [1; 16];
    let mut word = base.clone();
    word.blocks[2].text = word.blocks[2].text.replace("story", "novel");
    let mut target = base.clone();
    target.blocks[2].links.push("http://a.test/".to_owned());
    let mut title = base.clone();
    title.title.push('!');
    //                 exact  normalised visible main
    let cases = [
        (&menu, [false, true, false, true]),
        (&other_markup, [false, false, true, true]),
        (&word, [false, true, false, false]),
        (&target, [false, true, true, false]),
        (&title, [false, true, false, false]),
    ];
    for (at, (now, expected)) in cases.iter().enumerate() {
        let found =
            ["exact", "normalised", "visible", "main"].map(|chain| judge(chain, &base, now).is_same());
        assert_eq!(&found, expected, "case {at}");
    }
}

#[test]
fn a_page_without_main_text_is_judged_by_all_it_shows() {
    let mut base = page(&[]);
    for block in &mut base.blocks {
        block.is_main = false;
        block.kind = BlockKind::Other;
    }
    let mut now = base.clone();
    now.blocks[0].text.push('!');
    assert!(!judge("main", &base, &now).is_same());
}

#[test]
fn a_moving_border_of_the_main_text_is_no_change() {
    let base = page(&[]);
    let mut now = base.clone();
    now.blocks[3].is_main = false;
    now.blocks[7].is_main = false;
    assert!(judge("main", &base, &now).is_same());
}

#[test]
fn ignore_takes_its_pattern_out_and_says_so() {
    let (base, now) = (page(&[("p", "Seen 5 times")]), page(&[("p", "Seen 6 times")]));
    let verdict = judge(r#"main,ignore:regex="Seen \d+ times""#, &base, &now);
    assert!(verdict.is_same());
    assert_eq!(verdict.ignored[0].path, "p");
    let other = page(&[("p", "Seen 6 persons")]);
    assert!(!judge(r#"main,ignore:regex="Seen \d+ times""#, &base, &other).is_same());
}

#[test]
fn hc086_patterns_that_match_all_or_nothing_are_not_silent() {
    for bad in [".*", "(a|b)?", "(", r"\w{1000}{1000}"] {
        let chain = Chain::parse(&format!("main,ignore:regex=\"{bad}\""));
        assert!(matches!(chain, Err(ChainError::BadValue { .. })), "{bad}");
    }
    let (base, now) = (page(&[]), page(&[("p", "New")]));
    let verdict = judge("main,ignore:regex=zzz", &base, &now);
    assert_eq!(verdict.remarks.len(), 1);
    let empty = Content::default();
    let chain = Chain::parse("region:select=#price").unwrap();
    let with = |content: &Content, region: &Content| side(content, 1).with_region(region.clone());
    assert!(!chain.judge(&with(&base, &empty), &with(&now, &empty)).is_same());
    assert!(!chain.judge(&with(&base, &base), &with(&now, &empty)).is_same());
    assert!(chain.judge(&with(&base, &base), &with(&now, &base)).is_same());
}

#[test]
fn chains_are_read_and_written_and_refused_with_a_reason() {
    let good = [
        "main,learned",
        "exact",
        "near:threshold=0.8",
        r#"main,learned:trigger="sold out, gone",ignore:regex="a\\\"b,c";select=.ad"#,
        "region:select=#price;exclude=.old",
    ];
    for text in good {
        let chain = Chain::parse(text).unwrap();
        assert_eq!(
            Chain::parse(&chain.to_string()).unwrap().to_string(),
            chain.to_string()
        );
    }
    assert_eq!(Chain::default().to_string(), Chain::DEFAULT);
    let bad = [
        ("", "a chain needs an equality that decides"),
        ("learned", "a chain needs an equality that decides"),
        ("mian", "no equality of this name"),
        ("main,", ""),
        (",main", "equality without a name"),
        ("main:x=1", "equality main has no option (it knows none)"),
        ("near:threshold=2", "an option out of range"),
        ("near:threshold", "needs options as key=value"),
        ("region", "needs the option: select"),
        ("main,ignore:regex=\"x", "has a quote that is not closed"),
    ];
    for (text, expected) in bad {
        match Chain::parse(text) {
            Ok(_) => assert!(expected.is_empty(), "{text} was taken"),
            Err(error) => assert!(error.to_string().contains(expected), "{text}: {error}"),
        }
    }
}

#[test]
fn near_tolerates_a_little() {
    let text = |odd: usize| {
        let word = |at: usize| "o".repeat(at % 17 + usize::from(at == odd) * 40) + ["a", "b", "c"][at / 67];
        (0..200).map(word).collect::<Vec<_>>().join(" ")
    };
    let (base, now) = (page(&[("p", &text(999))]), page(&[("p", &text(50))]));
    assert!(judge("near:threshold=0.8", &base, &now).is_same());
    assert!(!judge("main", &base, &now).is_same());
    assert!(!judge("near", &base, &page(&[("p", "Wholly other")])).is_same());
}

fn taught(pairs: &[(Content, Content)]) -> Arc<LearnedTemplate> {
    let mut learned = Learned::default();
    let template = template_of(&pairs[0].0, "/s/*");
    for (first, second) in pairs {
        learned.observe_pair(&template, first, second);
    }
    let stored = serde_json::to_string(&learned).unwrap();
    let learned: Learned = serde_json::from_str(&stored).unwrap();
    Arc::new(learned.known(&template).cloned().unwrap_or_default())
}

fn judge_taught(chain: &str, known: &Arc<LearnedTemplate>, before: &Content, now: &Content) -> Verdict {
    Chain::parse(chain)
        .unwrap()
        .judge(&side(before, 1), &side(now, 2).with_known(Arc::clone(known)))
}

#[test]
fn hc088_noise_is_learned_and_a_true_change_inside_it_is_found() {
    let at = |seconds: u32, readers: u32| {
        page(&[(
            "div.clock",
            &format!("It is 12:33:{seconds:02} and {readers} persons read with you"),
        )])
    };
    let known = taught(&[(at(1, 40), at(5, 41)), (at(5, 41), at(9, 44))]);
    let verdict = judge_taught("main,learned", &known, &at(9, 44), &at(48, 61));
    assert!(verdict.is_same());
    assert!(
        verdict.ignored[0].why.contains("volatile clock"),
        "{:?}",
        verdict.ignored
    );
    let news = page(&[("div.clock", "It is 12:33:50 and 61 persons wait for you")]);
    assert!(!judge_taught("main,learned", &known, &at(9, 44), &news).is_same());
    // Learned or not, the story itself is watched.
    let mut edited = at(50, 62);
    edited.blocks[1].text = edited.blocks[1].text.replace("story", "novel");
    assert!(!judge_taught("main,learned", &known, &at(9, 44), &edited).is_same());
    // One difference makes a suspect, which still counts.
    let suspect = taught(&[(at(1, 40), at(5, 41))]);
    assert!(!judge_taught("main,learned", &suspect, &at(9, 44), &at(48, 61)).is_same());
}

#[test]
fn a_trigger_word_inside_noise_still_alarms() {
    let ad = |text: &str| page(&[("div.promo", text)]);
    let known = taught(&[
        (ad("Buy a red car"), ad("Fly to the sun")),
        (ad("Fly to the sun"), ad("Eat more fruit")),
    ]);
    assert!(
        judge_taught(
            "main,learned",
            &known,
            &ad("Eat more fruit"),
            &ad("Tickets sold out")
        )
        .is_same()
    );
    let verdict = judge_taught(
        "main,learned:trigger=Sold out",
        &known,
        &ad("Eat more fruit"),
        &ad("Tickets sold out"),
    );
    assert!(!verdict.is_same());
}

#[test]
fn headings_and_large_blocks_are_never_learned_away() {
    let long = |word: &str| page(&[("div.big", &format!("{word} ").repeat(200))]);
    let known = taught(&[(long("a"), long("b")), (long("b"), long("c"))]);
    assert!(!judge_taught("main,learned", &known, &long("c"), &long("d")).is_same());
    let headed = |text: &str| {
        let mut page = page(&[("h2", text)]);
        page.blocks.last_mut().unwrap().kind = BlockKind::Heading;
        page
    };
    let known = taught(&[(headed("One"), headed("Two")), (headed("Two"), headed("Three"))]);
    assert!(!judge_taught("main,learned", &known, &headed("Three"), &headed("Four")).is_same());
}

#[test]
fn a_rotating_list_is_learned_as_a_list() {
    let list = |order: [usize; 4]| {
        let texts = [
            "One story",
            "Another tale",
            "Third thing",
            "Fourth piece",
            "Fifth part",
            "Sixth verse",
        ];
        let items: Vec<(String, &str)> = order
            .iter()
            .enumerate()
            .map(|(at, &n)| (format!("ul.related/li[{}]", at + 1), texts[n]))
            .collect();
        page(
            &items
                .iter()
                .map(|(path, text)| (path.as_str(), *text))
                .collect::<Vec<_>>(),
        )
    };
    let known = taught(&[
        (list([0, 1, 2, 3]), list([4, 2, 0, 5])),
        (list([4, 2, 0, 5]), list([1, 0, 3, 2])),
    ]);
    assert!(judge_taught("main,learned", &known, &list([1, 0, 3, 2]), &list([5, 3, 4, 1])).is_same());
}

#[test]
fn parameters_of_links_are_learned_and_other_targets_are_not() {
    let linked = |id: &str, place: &str| {
        let mut page = page(&[]);
        for block in &mut page.blocks {
            block.links.push(format!("http://a.test/{place}?zx={id}"));
        }
        page
    };
    let known = taught(&[
        (linked("a", "x"), linked("b", "x")),
        (linked("b", "x"), linked("c", "x")),
    ]);
    assert!(judge_taught("main,learned", &known, &linked("c", "x"), &linked("d", "x")).is_same());
    assert!(!judge_taught("main,learned", &known, &linked("c", "x"), &linked("d", "y")).is_same());
}

#[test]
fn numbers_of_link_texts_are_masked_after_two_moves_in_three_visits() {
    let anchor = |count: u32| {
        let mut page = page(&[("div.meta", &format!("Comments ({count})"))]);
        page.blocks
            .last_mut()
            .unwrap()
            .links
            .push("http://a.test/c".to_owned());
        page
    };
    let mut learned = Learned::default();
    let template = template_of(&anchor(1), "/s/*");
    let known = |learned: &Learned| Arc::new(learned.known(&template).cloned().unwrap_or_default());
    learned.observe_visit(&template, &anchor(1), &anchor(4));
    assert!(!judge_taught("main,learned", &known(&learned), &anchor(4), &anchor(9)).is_same());
    learned.observe_visit(&template, &anchor(4), &anchor(9));
    assert!(judge_taught("main,learned", &known(&learned), &anchor(9), &anchor(12)).is_same());
    for _ in 0..3 {
        learned.observe_visit(&template, &anchor(12), &anchor(12));
    }
    assert!(!judge_taught("main,learned", &known(&learned), &anchor(12), &anchor(13)).is_same());
}

#[test]
fn pages_of_one_mould_learn_together() {
    let (one, mut other) = (page(&[("div.clock", "x")]), page(&[("div.clock", "y")]));
    other.blocks.remove(3);
    assert!(template_of(&one, "/s/*").is_same(&template_of(&other, "/s/*")));
    assert!(!template_of(&one, "/s/*").is_same(&template_of(&one, "/t/*")));
}

proptest! {
    #[test]
    fn a_ladder_is_stored_whole(texts in prop::collection::vec("[a-z0-9 ]{0,30}", 0..20), title in "[a-z]{0,9}") {
        let blocks = texts.iter().map(|text| block("p", text)).collect();
        let ladder = Ladder::of(&Content { title, blocks, normal_digest: [3; 16] }, [7; 32]);
        let stored = ladder.encode();
        prop_assert_eq!(Ladder::decode(&stored), Ok(ladder));
        for cut in [0, 1, 40, 500] {
            prop_assert!(Ladder::decode(&stored[..cut]).is_err());
        }
    }

    #[test]
    fn any_page_is_the_same_as_itself(texts in prop::collection::vec("[a-c ]{0,6}", 0..20)) {
        let blocks = texts.iter().map(|text| block("p", text)).collect();
        let content = Content { title: String::new(), blocks, normal_digest: [3; 16] };
        for chain in ["main,learned", "visible", "normalised", "near"] {
            prop_assert!(judge(chain, &content, &content).is_same());
        }
    }

    #[test]
    fn chains_never_panic(text in "[a-z:;=,\"\\\\. ]{0,40}") {
        let _ = Chain::parse(&text);
    }
}
