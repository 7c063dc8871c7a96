//! The toy unit of docs/write-a-unit.md, as it stands there: it compiles, it is found by its scheme, it lists and fetches.

use async_trait::async_trait;
use gleaner_model::{Timestamp, Url};
use gleaner_units::listing::child;
use gleaner_units::registry::{Around, Plug, announce_one};
use gleaner_units::{
    Answer, Ask, Body, EntryKind, Exchange, ListingEnd, ListingEntry, Meta, TakeEntry, Unclear, Unit,
    UnitError, Units,
};
use std::sync::Arc;

// --- docs/write-a-unit.md
/// Three poems that live in this program: `poems://anybody/`.
struct Poems;

const POEMS: [(&str, &str); 3] = [
    ("rain", "Rain on the roof,\n"),
    ("snow", "snow on the field,\n"),
    ("sun", "sun on the wall.\n"),
];

#[async_trait]
impl Unit for Poems {
    fn schemes(&self) -> &'static [&'static str] {
        &["poems"]
    }

    fn lists(&self) -> bool {
        true
    }

    async fn list(&self, ask: &Ask, take: &mut TakeEntry<'_>) -> Result<ListingEnd, UnitError> {
        for (name, text) in POEMS {
            let Some(url) = child(&ask.url, name.as_bytes(), false) else {
                continue;
            };
            let meta = Meta {
                size: Some(text.len() as u64),
                modified: None,
                id: Some(format!("first edition of {name}")),
            };
            let kind = EntryKind::File;
            if !take(ListingEntry { url, kind, meta }) {
                return Ok(ListingEnd::Part {
                    detail: "more entries than the limit".to_owned(),
                });
            }
        }
        Ok(ListingEnd::Whole)
    }

    async fn fetch(&self, ask: &Ask) -> Result<Answer, UnitError> {
        let name = ask.url.path().trim_start_matches('/');
        let Some((_, text)) = POEMS.iter().find(|(known, _)| *known == name) else {
            let reason = gleaner_model::Reason::NoSuchFile;
            return Ok(Answer::Unclear(Unclear::plain(reason, "no such poem")));
        };
        let mut exchange = Exchange::empty(Timestamp::default());
        exchange.protocol = "poems";
        exchange.headers.push("content-type", b"text/plain");
        exchange.body = Body::Memory((*text).into());
        Ok(Answer::Here(exchange))
    }
}

impl Plug for Poems {
    const SCHEMES: &'static [(&'static str, u16)] = &[("poems", 0)];

    fn plug(_: &Around) -> Result<Arc<dyn Unit>, UnitError> {
        Ok(Arc::new(Poems))
    }
}
// --- end

#[tokio::test]
async fn a1_the_toy_unit_lists_and_fetches() {
    assert!(Url::parse("poems://anybody/").is_err(), "nobody speaks it yet");
    announce_one::<Poems>();
    let url = Url::parse("poems://anybody/").expect("announced");
    let units = Units::default().with(Arc::new(Poems));
    assert_eq!(units.listed_schemes(), ["poems"]);
    let Answer::Folder(listing) = units.fetch(&Ask::of(url)).await.expect("an answer") else {
        panic!("not a folder");
    };
    assert_eq!((listing.entries.len(), listing.cut), (3, None));
    let first = &listing.entries[0];
    assert_eq!(first.url.as_str(), "poems://anybody/rain");
    assert_eq!(
        first.meta.stamp(Timestamp::default()).as_deref(),
        Some("size=18;id=first edition of rain")
    );
    let answer = units.fetch(&Ask::of(first.url.clone())).await.expect("an answer");
    let Answer::Here(exchange) = answer else {
        panic!("no poem: {answer:?}");
    };
    assert_eq!(exchange.body.as_slice(), Some(POEMS[0].1.as_bytes()));
}

#[test]
fn a1_the_unit_in_the_docs_is_this_one() {
    let here = include_str!("toy.rs");
    let (_, rest) = here
        .split_once("// --- docs/write-a-unit.md\n")
        .expect("its beginning");
    let (code, _) = rest.split_once("// --- end\n").expect("its end");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/write-a-unit.md");
    let page = std::fs::read_to_string(path).expect("the page");
    assert!(
        page.contains(code),
        "docs/write-a-unit.md shows another unit than this test"
    );
}

/// A protocol is a folder, a `mod` line and a line of the registry; nothing else in the program names it.
#[test]
fn a1_a_unit_touches_its_folder_and_one_line() {
    let crates = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let units: Vec<String> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))
        .expect("the room")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        // Paths of this machine are arguments too, and cookies are saved with a run.
        .filter(|name| !name.contains('.') && !["net", "http", "folder"].contains(&name.as_str()))
        .collect();
    assert!(units.contains(&"nntp".to_owned()));
    for unit in units {
        let mut found = Vec::new();
        count(std::path::Path::new(crates), &unit, &mut found);
        let lines: Vec<&str> = found.iter().map(|(_, line)| line.trim()).collect();
        assert!(
            lines.iter().filter(|line| !line.starts_with("pub use")).count() <= 2,
            "{unit} is named outside of its folder: {found:#?}"
        );
    }
}

/// Lines of program code, outside of the unit's own folder and of tests, that name its module.
fn count(folder: &std::path::Path, unit: &str, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            let is_own = path.ends_with(format!("units/src/{unit}"));
            if !is_own && !matches!(name.as_str(), "tests" | "testkit" | "examples" | "target") {
                count(&path, unit, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            for line in text.lines() {
                let names_it = line == format!("pub mod {unit};")
                    || line.contains(&format!("crate::{unit}::"))
                    || line.contains(&format!("gleaner_units::{unit}::"));
                if names_it
                    && path
                        .components()
                        .any(|part| part.as_os_str() == "units" || part.as_os_str() == "gleaner")
                {
                    found.push((path.display().to_string(), line.to_owned()));
                }
            }
        }
    }
}
