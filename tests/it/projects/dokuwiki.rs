//! `DokuWiki`, read by `examples/dokuwiki.toml` (A2, A4): private pages that answer 200 with a login form, deleted pages that
//! answer 200 too, results under other addresses than the pages have elsewhere. The truth is what the wiki's own API lists.

use super::example::{Example, addresses, all, canonical};
use super::visitor::Visitor;
use gleaner_parse::forms::Which;
use gleaner_testkit::servers::DokuWiki;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const SIGHTINGS: usize = 24;
/// These only members can read.
const SECRETS: usize = 6;
const PLACES: usize = 8;

fn pages() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    let sightings = (1..=SIGHTINGS).map(|number| format!("birds:sighting{number}"));
    let secrets = (1..=SECRETS).map(|number| format!("private:nest{number}"));
    for (number, id) in (1..).zip(sightings.chain(secrets)) {
        let place = match id.as_str() {
            "private:nest1" => "places:far_island".to_owned(),
            _ => format!("places:place{}", 1 + number % PLACES),
        };
        let text = format!(
            "====== Observation {number} ======\n\nA heron stood at [[{place}]] when observation number {number} was written \
             down, and it waited for fish in the shallow water for longer than the observer could stay.\n\n\
             ===== Circumstances =====\n\nThere was wind on day {number}, and the water was low. Nobody has described \
             [[places:missing{number}]] yet. {more}\n\n===== Elsewhere =====\n\n\
             [[{{wiki}}/doku.php?id=places:place1&do=revisions|A history]], [[places:place1?do=export_xhtml|for the printer]], \
             [[{{wiki}}/doku.php?id=places:place1&rev=1|an old version]].\n",
            more = if number == 1 {
                "See [[birds:sighting2]] and [[private:nest2]]."
            } else {
                ""
            },
        );
        pages.push((id, text));
    }
    let places = (1..=PLACES).map(|number| format!("places:place{number}"));
    for id in places.chain(["places:far_island".to_owned()]) {
        let text = format!(
            "====== A place ======\n\nThe place {id} lies in [[regions:reeds]], a day on foot from the next town, and floods \
             reach it every spring.\n"
        );
        pages.push((id, text));
    }
    for (id, text) in [
        (
            "regions:reeds",
            "Reeds grow everywhere in this region, which borders on [[regions:stones]].\n",
        ),
        ("regions:stones", "Nothing grows in this region.\n"),
        (
            "start",
            "====== Welcome ======\n\nThis wiki is about birds, and [[regions:reeds]] is where they live.\n",
        ),
    ] {
        pages.push((id.to_owned(), text.to_owned()));
    }
    pages
}

/// A member who writes.
struct Member(Visitor);

impl Member {
    fn of(wiki: &DokuWiki) -> Member {
        let mut visitor = Visitor::new(wiki.address());
        let login = visitor.get("/doku.php?id=start&do=login");
        let fields = [("u", DokuWiki::USER), ("p", DokuWiki::PASSWORD)];
        let page = visitor.send(&login, &Which::Password, &fields, "Log In");
        assert!(page.body.contains("do=logout"), "not logged in: {page:?}");
        Member(visitor)
    }

    /// Through the form, as people do it; a page that is not there is made, and one without text is deleted.
    fn edit(&mut self, id: &str, text: &str) {
        let form = self.0.get(&format!("/doku.php?id={id}&do=edit"));
        let page = self.0.send(
            &form,
            &Which::Id("dw__editform".to_owned()),
            &[("wikitext", text)],
            "do[save]",
        );
        assert!(!page.body.contains("id=\"dw__editform\""), "not saved: {page:?}");
        // What looks like an image at the foot of each page: the browser's request for it updates the index.
        let is_meant = text.contains("heron");
        let end = Instant::now() + Duration::from_secs(20);
        while self.found().contains(id) != is_meant {
            assert!(Instant::now() < end, "{id} is not indexed");
            self.0.get(&format!("/lib/exe/taskrunner.php?id={id}"));
        }
    }

    /// What the search finds.
    fn found(&mut self) -> BTreeSet<String> {
        self.ask("dokuwiki.search", Some("heron"), "id")
    }

    /// A call of the wiki's own API; the values of all members with this name in its answer.
    fn ask(&mut self, method: &str, argument: Option<&str>, member: &str) -> BTreeSet<String> {
        let call = format!(
            "<?xml version=\"1.0\"?><methodCall><methodName>{method}</methodName><params>{}</params></methodCall>",
            argument.map_or(String::new(), |text| format!(
                "<param><value><string>{text}</string></value></param>"
            ))
        );
        let answer = self.0.post("/lib/exe/xmlrpc.php", "text/xml", &call);
        assert!(!answer.body.contains("faultCode"), "{answer:?}");
        let name = format!("<name>{member}</name>");
        let value = |rest: &str| {
            rest.split_once("<string>")?
                .1
                .split_once("</string>")
                .map(|(text, _)| text.to_owned())
        };
        answer.body.split(&name).skip(1).filter_map(value).collect()
    }

    fn all_pages(&mut self) -> BTreeSet<String> {
        self.ask("wiki.getAllPages", None, "id")
    }

    /// What the search finds, and what those pages link to: the ids of those that exist.
    fn expected(&mut self) -> BTreeSet<String> {
        let exist = self.all_pages();
        let found = self.found();
        let mut expected = found.clone();
        for id in &found {
            expected.extend(self.ask("wiki.listLinks", Some(id), "page"));
        }
        expected.intersection(&exist).cloned().collect()
    }
}

#[test]
fn a2_dokuwiki_is_collected_and_tracked_exactly_as_the_example_says() {
    let wiki = match DokuWiki::start(&pages()) {
        Ok(wiki) => wiki,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let page = |id: &str| canonical(&wiki.url(&format!("/doku.php?id={id}")));
    let urls = |ids: &BTreeSet<String>| -> BTreeSet<String> { ids.iter().map(|id| page(id)).collect() };
    let private = Visitor::new(wiki.address()).get("/doku.php?id=private:nest1");
    assert!(
        private.status == 200 && private.body.contains("dw__login"),
        "{private:?}"
    );
    let mut member = Member::of(&wiki);
    let ids = member.expected();
    assert_eq!(ids.len(), SIGHTINGS + SECRETS + PLACES + 1);
    let expected = urls(&ids);
    assert!(member.all_pages().len() > expected.len(), "others are left out");

    let example = Example::of("dokuwiki", wiki.address())
        .assert_wrong_password_is_told(|| wiki.asked(), |target| target.starts_with("/doku.php?id=start"))
        .with_password(DokuWiki::PASSWORD);
    assert_eq!(example.predicted(), expected, "what a trial says");
    let before = wiki.asked().len();
    example.assert_told(&example.track(), &all(&expected, "NEW"));
    assert_eq!(example.listed(), expected);
    nothing_else_was_asked(&wiki, before, &expected);
    let before = wiki.asked().len();
    example.assert_told(&example.track(), &all(&expected, "SAM"));
    nothing_else_was_asked(&wiki, before, &expected);

    let text = "====== Observation ======\n\nA heron was seen here again, but this time it was gone before anybody could say \
        where it had come from. [[places:place1]]";
    member.edit("private:nest4", text);
    member.edit(
        "birds:sighting100",
        "====== The first ======\n\nSomebody writes for the first time about a heron, far from [[places:place3]].",
    );
    member.edit("birds:sighting9", "");
    // Not asked for: neither found nor linked.
    member.edit(
        "regions:stones",
        "Something grows in this region after all, as somebody found out today.",
    );
    let mut truth = all(&expected, "SAM");
    for (id, state) in [
        ("private:nest4", "UPD"),
        ("birds:sighting100", "NEW"),
        ("birds:sighting9", "MIS"),
    ] {
        truth.insert(page(id), state.to_owned());
    }
    example.assert_told(&example.track(), &truth);
    let expected = urls(&member.expected());
    assert!(!expected.contains(&page("birds:sighting9")) && expected.contains(&page("birds:sighting100")));
    example.assert_told(&example.track(), &all(&expected, "SAM"));

    // Two links away: a page that changes, and one that goes. Links to it keep their address.
    member.edit(
        "places:place2",
        "====== Gone under ======\n\nThis place is under water since yesterday, and whoever wants to go there needs a boat.",
    );
    member.edit("places:far_island", "");
    let mut truth = all(&expected, "SAM");
    for (id, state) in [("places:place2", "UPD"), ("places:far_island", "MIS")] {
        truth.insert(page(id), state.to_owned());
    }
    example.assert_told(&example.track(), &truth);

    // Whoever forgets the login gets a form with status 200 in place of each private page: neither changed nor gone. The
    // others look different to strangers.
    example.import(|text| {
        let (before, rest) = text.split_once("[login]").unwrap();
        let (_, after) = rest.split_once("[[rule]]").unwrap();
        format!("{before}[[rule]]{after}")
    });
    let told = example.told(&example.track());
    let private: Vec<_> = told.iter().filter(|(url, _)| url.contains("private:")).collect();
    assert_eq!(private.len(), SECRETS);
    assert!(private.iter().all(|(_, state)| *state == "ERR"), "{private:?}");
    assert!(!told.values().any(|state| state == "MIS"), "{told:?}");
    example.gleaner.run(&["verify"]).expect_code(&[0]);
}

/// The login and where it leads, the search, each page.
fn nothing_else_was_asked(wiki: &DokuWiki, before: usize, expected: &BTreeSet<String>) {
    let asked = wiki.asked().split_off(before);
    // The last is the start page once more: a first track looks for session ids in addresses.
    let is_way = |target: &str| {
        target.starts_with("/doku.php?id=start") || target.contains("do=search") || target == "/doku.php"
    };
    let (way, rest): (Vec<_>, Vec<_>) = asked.into_iter().partition(|asked| is_way(&asked.target));
    let results = way.iter().filter(|asked| asked.target.contains("do=search"));
    assert_eq!(results.count(), 1, "pages of results: {way:#?}");
    assert_eq!(&addresses(&rest, wiki.address()), expected);
}
