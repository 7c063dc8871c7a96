use super::*;
use gleaner_model::{Block, BlockKind, Content, Url};
use proptest::prelude::*;

fn page(title: &str, text: &str) -> Content {
    let block = |kind, text: &str| Block {
        path: "html>body".to_owned(),
        kind,
        text: text.to_owned(),
        is_main: true,
        is_frame: false,
        links: Vec::new(),
        images: Vec::new(),
    };
    Content {
        title: title.to_owned(),
        blocks: vec![
            block(BlockKind::Heading, title),
            block(BlockKind::Paragraph, text),
        ],
        ..Content::default()
    }
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

const GOOD: [&str; 4] = [
    "glacier ice melts",
    "ice sheet and glacier flow",
    "snow falls on the glacier",
    "moraine of a glacier",
];
const BAD: [&str; 4] = [
    "bread dough rises",
    "the oven and the bread",
    "flour water and salt",
    "a cake of sugar",
];

fn taught(reader: &TopicReader) -> TopicExamples {
    let mut examples = TopicExamples::default();
    for round in 0..6 {
        for (kind, texts) in [(ExampleKind::Good, GOOD), (ExampleKind::Bad, BAD)] {
            for (at, text) in texts.iter().enumerate() {
                let url = url(&format!("http://host{round}{at}.test/{kind:?}/{at}.html"));
                let content = page(text, &format!("{text} {round} {}", texts[(at + round) % 4]));
                examples.add(TopicExample::new(
                    &url,
                    kind,
                    false,
                    reader.read(&url, text, &content),
                ));
            }
        }
    }
    examples
}

#[test]
fn g3_without_examples_s1s_rule_judges() {
    let keywords = Keywords::new(["glacier", "ice sheet"]);
    let reader = TopicReader::new(keywords.clone());
    let judge = TopicJudge::new(&keywords, &TopicExamples::default());
    let says = |title: &str, text: &str| {
        let (url, content) = (url("http://a.test/x"), page(title, text));
        judge.verdict(
            &reader.read(&url, title, &content),
            &url,
            title,
            &content,
            &keywords,
        )
    };
    let both = says(
        "News",
        &format!("{} The glaciers and the ice sheets shrink.", "word ".repeat(500)),
    );
    assert!(
        both.is_on_topic && both.reasons[0].contains("glacier"),
        "{both:?}"
    );
    let one = says("News", &format!("{} One glacier.", "word ".repeat(500)));
    assert!(!one.is_on_topic, "{one:?}");
    let none = says("News", "Nothing of it, and an ice cream on a sheet.");
    assert!(
        none.score < 0.05 && none.reasons == ["it has none of the topic's words"],
        "{none:?}"
    );
    assert!(says("The glacier", "A glacier is a body of ice.").is_on_topic);
}

#[test]
fn g3_a_topic_is_learned_from_examples_with_reasons() {
    let keywords = Keywords::default();
    let reader = TopicReader::new(keywords.clone());
    let judge = TopicJudge::new(&keywords, &taught(&reader));
    for (text, is_good) in [
        ("how a glacier flows over ice", true),
        ("bread of flour and water", false),
    ] {
        let (url, content) = (url("http://new.test/1"), page(text, text));
        let verdict = judge.verdict(
            &reader.read(&url, text, &content),
            &url,
            text,
            &content,
            &keywords,
        );
        assert_eq!(verdict.is_on_topic, is_good, "{verdict:?}");
        assert_eq!(verdict.reasons.len(), 3, "{verdict:?}");
    }
    // The same examples tell which links are worth it.
    let promise = |anchor| judge.promise(&reader.link(&url("http://other.test/a/b.html"), anchor));
    assert!(promise("the glacier") > promise("about us") && promise("about us") > promise("bread and cake"));
}

#[test]
fn g5_an_overrule_teaches_and_the_last_word_counts() {
    let keywords = Keywords::default();
    let reader = TopicReader::new(keywords.clone());
    let mut examples = taught(&reader);
    let (address, text) = (url("http://odd.test/1"), "glacier bread with ice sugar");
    let seen = reader.read(&address, text, &page(text, text));
    let before = TopicJudge::new(&keywords, &examples).score(&seen);
    assert_eq!(
        examples.add(TopicExample::new(&address, ExampleKind::Bad, true, seen.clone())),
        None
    );
    assert!(TopicJudge::new(&keywords, &examples).score(&seen) < before);
    let again = examples.add(TopicExample::new(&address, ExampleKind::Good, true, seen.clone()));
    assert_eq!(again, Some(ExampleKind::Bad));
    assert!(TopicJudge::new(&keywords, &examples).score(&seen) > before);
    assert_eq!(examples.of(address.as_str()).unwrap().kind, ExampleKind::Good);
}

#[test]
fn contradicting_examples_and_empty_pages_judge_as_well() {
    let keywords = Keywords::new(["ice"]);
    let reader = TopicReader::new(keywords.clone());
    let mut examples = TopicExamples::default();
    for number in 0..20 {
        let url = url(&format!("http://h{number}.test/"));
        let kind = if number % 2 == 0 {
            ExampleKind::Good
        } else {
            ExampleKind::Bad
        };
        examples.add(TopicExample::new(
            &url,
            kind,
            true,
            reader.read(&url, "same", &page("same", "the same words")),
        ));
    }
    let judge = TopicJudge::new(&keywords, &examples);
    for text in ["", "the same words", "…", "氷河と氷"] {
        let (url, content) = (url("http://a.test/"), page("", text));
        let verdict = judge.verdict(&reader.read(&url, "", &content), &url, "", &content, &keywords);
        assert!(
            (0.0..=1.0).contains(&verdict.score) && !verdict.reasons.is_empty(),
            "{verdict:?}"
        );
    }
}

#[test]
fn pages_met_are_remembered_evenly_and_bounded() {
    let reader = TopicReader::default();
    let mut examples = TopicExamples::default();
    let seen = reader.read(&url("http://a.test/"), "x", &page("x", "y"));
    for number in 0..5_000u64 {
        let url = url(&format!("http://a.test/{number}"));
        examples.meet(
            TopicExample::new(&url, ExampleKind::Met, false, seen.clone()),
            number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3,
        );
    }
    assert_eq!(examples.count(ExampleKind::Met), 600);
    let late = examples.all().filter(|one| {
        one.address.len() > "http://a.test/2499".len() - 1 && one.address.as_str() > "http://a.test/2500"
    });
    assert!(late.count() > 150);
}

#[test]
fn keywords_come_from_files_and_meta() {
    let file = Keywords::of_file("glacier # ice\n\n# a note\nice sheet\n");
    assert_eq!(file.words(), ["glacier", "ice sheet"]);
    assert_eq!(
        Keywords::of_meta("ice, snow;  , firn ").words(),
        ["ice", "snow", "firn"]
    );
    let hits = file.hits("Glaciers", "an ice sheet, an ice cream, a sheet of ice");
    assert_eq!((hits.different.len(), hits.in_title.len(), hits.times), (2, 1, 2));
    assert!(hits.seed_rule());
}

proptest! {
    #[test]
    fn any_page_and_link_can_be_judged(title in ".{0,40}", text in ".{0,200}", path in "[ -~]{0,40}") {
        let keywords = Keywords::new([title.as_str(), "ice"]);
        let reader = TopicReader::new(keywords.clone());
        let judge = TopicJudge::new(&keywords, &TopicExamples::default());
        let url = Url::parse(&format!("http://a.test/{path}")).unwrap_or_else(|_| url("http://a.test/"));
        let content = page(&title, &text);
        let seen = reader.read(&url, &title, &content);
        prop_assert!((0.0..=1.0).contains(&judge.score(&seen)));
        prop_assert!(judge.promise(&reader.link(&url, &text)).is_finite());
    }
}
