use super::*;

fn mistakes(text: &str) -> Vec<String> {
    let mistakes = read_bytes(text.as_bytes()).expect_err("it has mistakes");
    let told = mistakes.iter();
    told.map(|one| format!("{}:{} {}; {}", one.line, one.column, one.what, one.help))
        .collect()
}

#[test]
fn g1_a_small_file_is_enough() {
    let file = read_bytes(b"name = \"crawling\"\nsites = [\"https://a.test\"]\n").unwrap();
    let wanted = LibrarySettings {
        sites: vec!["https://a.test/".to_owned()],
        ..LibrarySettings::new("crawling")
    };
    assert_eq!(file.settings, wanted);
}

#[test]
fn g1_everything_that_can_be_said_is_read() {
    let text = r#"
name = "crawling"
topic = ["focused crawler", "web"]
examples = ["good.pdf", "https://a.test/b.pdf"]
sites = ["https://a.test/", "seeds.txt"]
order = "s1"
find_sites = false
[accept]
genres = ["paper"]
languages = ["en"]
types = ["pdf", ".ps"]
min_size = "8K"
max_size = "1M"
score = 0.7
[budget]
pages = 100
time = "2h"
[cycle]
places = 4
new = 0.25
wait = "1m"
[stop]
yield = 1
[manners]
delay = "0ms"
[[service]]
name = "searx"
url = "https://searx.test/"
"#;
    let library = read_bytes(text.as_bytes()).unwrap().settings;
    assert_eq!(library.order, VisitOrder::S1);
    assert_eq!(library.revisit, RevisitMode::LevelsAsPrinted);
    assert_eq!(library.accept.filter, DocumentFilterKind::S1);
    assert_eq!(library.stop.rule, StopRuleKind::S1);
    assert_eq!(library.accept.types, ["pdf", "ps"]);
    assert_eq!(
        (library.accept.min_bytes, library.accept.max_bytes),
        (8192, 1 << 20)
    );
    assert_eq!((library.budget.pages, library.budget.seconds), (100, Some(7200)));
    assert_eq!((library.cycle.places, library.cycle.wait_seconds), (4, 60));
    assert_eq!((library.project.delay_ms, library.services.len()), (0, 1));
    assert!(!library.finds_sites);
}

#[test]
fn g1_every_mistake_is_told_at_its_place() {
    let text = "name = \"a b\"\nseeds = [\"x\"]\norder = \"best\"\n[accept]\nscore = 2\ntype = [\"pdf\"]\ntypes = [\"pfd\"]\n[budjet]\npages = 0\n[cycle]\npages = 3\n";
    let told = mistakes(text);
    let wanted = [
        "1:8 a name cannot contain a space",
        "2:1 unknown key `seeds`; did you mean `sites`?",
        "3:9 `order` cannot be \"best\"",
        "5:9 `score` cannot be 2; write a number from 0 to 1",
        "6:1 unknown key `type` in [accept]; did you mean `types`?",
        "7:10 `types` cannot be \"pfd\"; did you mean \"pdf\"?",
        "8:2 unknown key `budjet`; did you mean [budget]?",
        "11:1 unknown key `pages` in [cycle]",
    ];
    for (told, wanted) in told.iter().zip(wanted) {
        assert!(told.starts_with(wanted), "{told}");
    }
    assert_eq!(told.len(), wanted.len(), "{told:#?}");
    assert!(
        mistakes("")
            .iter()
            .any(|told| told.contains("nothing says where to begin"))
    );
}
