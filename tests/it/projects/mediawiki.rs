//! `MediaWiki`, read by `examples/mediawiki.toml` (A2, A4): a wiki for members only, a search with several pages of results,
//! what those pages link to, and nothing else. The truth is what the wiki's own API lists.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up ends")]

use super::example::{Example, addresses, all, canonical};
use super::visitor::Visitor;
use gleaner_parse::forms::Which;
use gleaner_testkit::servers::MediaWiki;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// More than two pages of results.
const SIGHTINGS: usize = 43;
const PLACES: usize = 12;

/// Titles that are spelled otherwise in addresses; one that looks like a namespace and is none.
const ODD_PLACES: [&str; 4] = ["Über Straße", "What? & why", "C++ (100%)", "Inlet: north"];

fn pages() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    for number in 1..=SIGHTINGS {
        let odd = ODD_PLACES.map(|title| format!("[[{title}]]")).join(", ");
        let place = match number {
            SIGHTINGS => "Far island".to_owned(),
            _ => format!("Place {}", 1 + number % PLACES),
        };
        let text = format!(
            "A heron stood at [[{place}]] when observation number {number} was written down, and it waited for fish in \
             the shallow water for longer than the observer could stay.\n\n== Circumstances ==\n\
             There was wind on day {number}, and the water was low. Nobody has described [[Missing page {number}]] yet.\n\
             {more}\n\n== Elsewhere ==\n[[Special:Random|Any page]], [[Special:RecentChanges|what is new]], \
             [[User:Admin|the writer]], [[Talk:Place 1|what others say]], \
             [{{wiki}}/index.php?title=Place_1&action=history a history], \
             [{{wiki}}/index.php?title=Place_1&oldid=2 an old version], \
             [{{wiki}}/index.php?title=Place_1&printable=yes for the printer].\n\n[[Category:Birds]]\n",
            more = if number == 1 { odd } else { String::new() },
        );
        pages.push((format!("Sighting {number}"), text));
    }
    let places = (1..=PLACES).map(|number| format!("Place {number}"));
    let places = places
        .chain(ODD_PLACES.map(str::to_owned))
        .chain(["Far island".to_owned()]);
    for title in places {
        let text = format!(
            "{title} lies in [[Region of reeds]], a day on foot from the next town, and floods reach it every spring.\n"
        );
        pages.push((title, text));
    }
    let text = "Reeds grow everywhere in this region, which borders on [[Region of stones]].\n";
    pages.push(("Region of reeds".to_owned(), text.to_owned()));
    let text = "Nothing grows in this region.\n";
    pages.push(("Region of stones".to_owned(), text.to_owned()));
    // Those that are linked to come first: a page rendered in the second before its target was made may be shown from the
    // wiki's cache for ever, with a link to the form for a new page.
    pages.reverse();
    pages
}

/// A member who writes.
struct Member(Visitor);

impl Member {
    fn of(wiki: &MediaWiki) -> Member {
        let mut visitor = Visitor::new(wiki.address());
        let login = visitor.get("/index.php?title=Special:UserLogin");
        let fields = [("wpName", MediaWiki::USER), ("wpPassword", MediaWiki::PASSWORD)];
        let page = visitor.send(&login, &Which::Password, &fields, "wploginattempt");
        assert!(page.body.contains("pt-logout"), "not logged in: {page:?}");
        Member(visitor)
    }

    /// Through the form, as people do it; a page that is not there is made.
    fn edit(&mut self, title: &str, text: &str) {
        let form = self.0.get(&format!(
            "/index.php?title={}&action=edit",
            title.replace(' ', "_")
        ));
        let page = self.0.send(
            &form,
            &Which::Id("editform".to_owned()),
            &[("wpTextbox1", text)],
            "wpSave",
        );
        assert!(!page.body.contains("id=\"editform\""), "not saved: {page:?}");
    }

    fn delete(&mut self, title: &str) {
        let form = self.0.get(&format!(
            "/index.php?title={}&action=delete",
            title.replace(' ', "_")
        ));
        let page = self
            .0
            .send(&form, &Which::Id("deleteconfirm".to_owned()), &[], "wpConfirmB");
        assert!(page.body.contains("has been deleted"), "not deleted: {page:?}");
    }

    fn ask(&mut self, query: &str) -> Value {
        let page = self.0.get(&format!(
            "/api.php?format=json&formatversion=2&action=query&{query}"
        ));
        serde_json::from_str::<Value>(&page.body).unwrap()["query"].clone()
    }

    /// The addresses of all pages, by title.
    fn all_pages(&mut self) -> BTreeMap<String, String> {
        let found = self.ask("generator=allpages&gaplimit=500&prop=info&inprop=url");
        let pages = found["pages"].as_array().unwrap();
        let page = |page: &Value| {
            let text = |key: &str| page[key].as_str().unwrap().to_owned();
            (text("title"), canonical(&text("fullurl")))
        };
        pages.iter().map(page).collect()
    }

    /// What the search finds, and what those pages link to: the addresses of those that exist.
    fn expected(&mut self) -> BTreeSet<String> {
        let addresses = self.all_pages();
        let found = self.ask("list=search&srsearch=heron&srwhat=text&srlimit=500");
        let titles = titles(&found["search"]);
        let mut expected = titles.clone();
        for some in titles.iter().collect::<Vec<_>>().chunks(50) {
            let names: Vec<String> = some.iter().map(|title| title.replace(' ', "_")).collect();
            let found = self.ask(&format!(
                "prop=links&plnamespace=0&pllimit=500&titles={}",
                names.join("|")
            ));
            for page in found["pages"].as_array().unwrap() {
                expected.extend(self::titles(&page["links"]));
            }
        }
        expected
            .iter()
            .filter_map(|title| addresses.get(title))
            .cloned()
            .collect()
    }
}

fn titles(list: &Value) -> BTreeSet<String> {
    let list = list.as_array().into_iter().flatten();
    list.map(|one| one["title"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a2_mediawiki_is_collected_and_tracked_exactly_as_the_example_says() {
    let wiki = match MediaWiki::start(&pages()) {
        Ok(wiki) => wiki,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let mut member = Member::of(&wiki);
    let page = |title: &str| canonical(&wiki.url(&format!("/index.php/{}", title.replace(' ', "_"))));
    let expected = member.expected();
    assert_eq!(expected.len(), SIGHTINGS + PLACES + ODD_PLACES.len() + 1);
    assert!(member.all_pages().len() > expected.len(), "others are left out");

    let example = Example::of("mediawiki", wiki.address())
        .assert_wrong_password_is_told(|| wiki.asked(), |target| target.contains("Special:UserLogin"))
        .with_password(MediaWiki::PASSWORD);
    assert_eq!(example.predicted(), expected, "what a trial says");
    let before = wiki.asked().len();
    example.assert_told(&example.track(), &all(&expected, "NEW"));
    assert_eq!(example.listed(), expected);
    nothing_else_was_asked(&wiki, before, &expected);
    // Other tokens, other times of rendering, a page that was looked at in between.
    member.0.get("/index.php/Sighting_5");
    let before = wiki.asked().len();
    example.assert_told(&example.track(), &all(&expected, "SAM"));
    nothing_else_was_asked(&wiki, before, &expected);

    let text = "A heron was seen here again, but this time it was gone before anybody could say where it had come from. [[Place 1]]";
    member.edit("Sighting 7", text);
    member.edit(
        "Sighting 100",
        "Somebody writes for the first time about a heron, far away from [[Place 3]], and at length.",
    );
    member.delete("Sighting 9");
    // Not asked for: neither found nor linked.
    member.edit(
        "Region of stones",
        "Something grows in this region after all, as somebody found out today.",
    );
    let mut truth = all(&expected, "SAM");
    for (title, state) in [
        ("Sighting 7", "UPD"),
        ("Sighting 100", "NEW"),
        ("Sighting 9", "MIS"),
    ] {
        truth.insert(page(title), state.to_owned());
    }
    example.assert_told(&example.track(), &truth);
    let expected = member.expected();
    assert!(!expected.contains(&page("Sighting 9")) && expected.contains(&page("Sighting 100")));
    example.assert_told(&example.track(), &all(&expected, "SAM"));

    // Two links away: a page that changes, and one that goes. The link to it leads to the form for a new page then.
    member.edit(
        "Place 2",
        "This place is under water since yesterday, and whoever wants to go there needs a boat now.",
    );
    member.delete("Far island");
    let mut truth = all(&expected, "SAM");
    let last = format!("Sighting {SIGHTINGS}");
    for (title, state) in [("Place 2", "UPD"), ("Far island", "MIS"), (last.as_str(), "UPD")] {
        truth.insert(page(title), state.to_owned());
    }
    example.assert_told(&example.track(), &truth);
    example.gleaner.run(&["verify"]).expect_code(&[0]);
}

/// The login and where it leads, the search and its results, each page once.
fn nothing_else_was_asked(wiki: &MediaWiki, before: usize, expected: &BTreeSet<String>) {
    let asked = wiki.asked().split_off(before);
    // `/index.php` and the feed: a first run looks for session ids in addresses, and may test a link for them.
    let is_way = |target: &str| {
        target.contains("Special:UserLogin")
            || target.contains("Special:RecentChanges&feed=atom")
            || target == "/index.php"
            || target == "/index.php/Main_Page"
            || target == "/index.php?title=Special:Search"
            || target.contains("search=heron")
    };
    let (way, rest): (Vec<_>, Vec<_>) = asked.into_iter().partition(|asked| is_way(&asked.target));
    let results = way.iter().filter(|asked| asked.target.contains("search=heron"));
    assert_eq!(results.count(), 3, "pages of results: {way:#?}");
    assert_eq!(&addresses(&rest, wiki.address()), expected);
}
