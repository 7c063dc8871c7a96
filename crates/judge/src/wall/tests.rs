//! Pages and hosts, as they are and as they are not.

use super::likeness::is_alike;
use super::*;
use crate::equality::Ladder;
use gleaner_model::{Content, Reason, Url};
use gleaner_parse::content;

fn page(text: &str) -> Content {
    content::of_html(text, &url("http://a.test/x"))
}

fn url(text: &str) -> Url {
    Url::parse(text).expect("an address")
}

/// What is said of a page that was `before` and is `now`.
fn said(at: &str, before: &str, now: &str, probe: &Probe, stays: bool) -> Replacement {
    let (before_page, now_page) = (page(before), page(now));
    let given = ReplacedPage {
        url: &url(at),
        before: &before_page,
        now: &now_page,
        old_signs: Signs::of(before.as_bytes()),
        signs: Signs::of(now.as_bytes()),
        stays,
        is_confirmed: false,
    };
    judge_replaced(&given, Some(probe))
}

const STORY: &str =
    "<title>Rain</title><h1>Rain</h1><p>It rained all day in the hills, and the river rose again.</p>";

#[test]
fn hc017_an_echo_of_the_address_makes_no_other_page() {
    let oops = |path: &str| {
        let text = format!(
            "<title>Oops</title><h1>Oops</h1><p>There is no page called {path} on this server, sorry.</p>"
        );
        page(&text)
    };
    let (one, two) = (oops("/one.html"), oops("/gleaner-17.html"));
    assert!(is_alike(&one, &two));
    let story = page(STORY);
    assert!(!is_alike(&one, &story));
    assert!(is_replaced(&story, &one));
}

#[test]
fn hc017_a_program_is_asked_for_pages_that_it_does_not_have() {
    let nowhere = |near: &str| -> Vec<String> {
        let found = nowhere_near(&url(near), 17);
        found.iter().map(Url::to_string).collect()
    };
    let name = "gleaner-0000000000000011";
    let found = nowhere("http://a.test/x/");
    assert_eq!(found[0], format!("http://a.test/x/{name}"));
    assert!(found[1].starts_with("http://a.test/gleaner-") && found[1].ends_with(&format!("/{name}")));
    let found = nowhere("http://a.test/a/b.html");
    assert_eq!(found[0], format!("http://a.test/a/{name}.html"));
    assert!(found[1].starts_with("http://a.test/gleaner-") && found[1].ends_with(&format!("/{name}.html")));
    let (other, bare) =
        nowhere_of_query(&url("http://a.test/wiki.php?id=rain&lang=en"), 17).expect("a query");
    assert_eq!(
        other.as_str(),
        format!("http://a.test/wiki.php?id={name}&lang={name}")
    );
    assert_eq!(bare.as_str(), "http://a.test/wiki.php");
    assert!(nowhere_of_query(&url("http://a.test/wiki"), 17).is_none());
}

/// A wiki as found: most of a short page is what surrounds it, and a page that was deleted has other words than one
/// that never was.
#[test]
fn hc017_pages_are_told_apart_by_what_is_their_own() {
    let wiki = |text: &str| {
        page(&format!(
            "<ul><li>Logged in as somebody with a rather long name<li>Update the profile<li>Log out<li>Recent changes\
             <li>Media manager<li>Sitemap of the wiki</ul>{text}<p>Except where otherwise noted, the content of this \
             wiki may be shared by whoever shares alike and says who wrote it, and for whom, and when.</p>"
        ))
    };
    let before = wiki("<p>A heron stood at the water and waited for fish.</p>");
    let at = url("http://a.test/wiki.php?id=heron");
    let probe = Probe {
        near: Some(at.clone()),
        query: Some(wiki(
            "<h1>This topic does not exist yet</h1><p>You may create it.</p>",
        )),
        bare: Some(wiki("<p>Welcome to a wiki about birds.</p>")),
        home: Some(wiki("<p>Welcome to a wiki about birds.</p>")),
        ..Probe::default()
    };
    let edited = wiki("<p>Nobody has seen anything for days.</p>");
    assert!(is_alike(&edited, probe.home.as_ref().unwrap()), "mostly menus");
    assert!(!probe.is_home(&edited, &before) && !probe.is_nowhere(&at, &edited, &before));
    let deleted = wiki("<h1>This page does not exist anymore</h1><p>Old versions tell when and why.</p>");
    assert!(probe.is_nowhere(&at, &deleted, &before));
    assert!(probe.is_home(&wiki("<p>Welcome to a wiki about birds.</p>"), &before));
}

#[test]
fn case08_a_server_that_ignores_a_part_of_its_addresses_proves_nothing() {
    let article =
        "<title>Fiat 500 review</title><h1>Fiat 500 review</h1><p>A small car with a long history.</p>";
    let at = "http://a.test/p/1.html?ref=home";
    let ignores_query = || Probe {
        near: Some(url(at)),
        query: Some(page(article)),
        bare: Some(page(article)),
        home: Some(page(STORY)),
        ..Probe::default()
    };
    assert!(!ignores_query().is_nowhere_from_the_start(&url(at), &page(article)));
    assert_eq!(
        said(at, STORY, article, &ignores_query(), false),
        Replacement::Content
    );
    // `/item/5/anything` is item 5.
    let at = "http://a.test/item/5/fiat";
    let ignores_name = Probe {
        near: Some(url(at)),
        sibling: Some(page(article)),
        home: Some(page("<p>Home of cars</p>")),
        ..Probe::default()
    };
    assert_eq!(
        said(at, STORY, article, &ignores_name, false),
        Replacement::Content
    );
}

#[test]
fn case08_words_make_a_page_wait_one_run_and_no_longer() {
    let message = "<title>Database Error</title><h1>Error establishing a database connection</h1>";
    let at = "http://a.test/p/1.html";
    let wall = Replacement::Wall(Reason::ErrorPage);
    assert_eq!(said(at, STORY, message, &Probe::default(), false), wall);
    assert_eq!(
        said(at, STORY, message, &Probe::default(), true),
        Replacement::Content
    );
    let with_menu =
        "<ul><li><a href=/e>Errors</a></ul><title>Herons</title><h1>Herons</h1><p>They wait for fish.</p>";
    assert_eq!(
        said(at, STORY, with_menu, &Probe::default(), false),
        Replacement::Content
    );
    // Said of every address, home page and all, it is never believed.
    let everywhere = || Probe {
        near: Some(url(at)),
        sibling: Some(page(message)),
        stranger: Some(page(message)),
        home: Some(page(message)),
        ..Probe::default()
    };
    for stays in [false, true] {
        let for_all = Replacement::Wall(Reason::SameForAll);
        assert_eq!(said(at, STORY, message, &everywhere(), stays), for_all);
    }
}

#[test]
fn case08_a_login_box_beside_much_text_is_no_wall() {
    let words = "Swallows come back in spring and nest under the eaves. ".repeat(20);
    let article = format!("<form><input type=password></form><main><h1>Swallows</h1><p>{words}</p></main>");
    let at = "http://a.test/p/1.html";
    assert_eq!(
        said(at, STORY, &article, &Probe::default(), false),
        Replacement::Content
    );
    let login = "<title>Log in</title><h1>Log in</h1><form><input name=user><input type=password></form>";
    let wall = Replacement::Wall(Reason::LoginWall);
    assert_eq!(said(at, STORY, login, &Probe::default(), false), wall);
}

#[test]
fn an_edit_is_no_replacement() {
    let before = page("<p>The price is 10 euros. It rained all day in the hills.</p>");
    let after = page("<p>The price is 12 euros. It rained all day in the hills.</p>");
    assert!(!is_replaced(&before, &after));
}

fn ladder(title: &str, text: &str) -> Ladder {
    let html = format!("<title>{title}</title><main><h1>{title}</h1>{text}</main>");
    Ladder::of(&page(&html), [0; 32])
}

/// A text of its own for each number.
fn text(seed: u64, sentences: u64) -> String {
    // Letters: digits are one word to a sketch.
    let word = |n: u64| -> String {
        let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (0..8)
            .map(|at| char::from(b'a' + (mixed >> (8 * at) & 15) as u8))
            .collect()
    };
    let sentence = |n: u64| {
        let words: Vec<String> = (0..9).map(|k| word(n * 9 + k)).collect();
        format!("<p>{}.</p>", words.join(" "))
    };
    (0..sentences).map(sentence).collect()
}

fn changed(seed: u64, now: Ladder, stays: bool) -> PageOutcome {
    let before = Some(ladder(
        &format!("Page {}", WORD[seed as usize % 6]),
        &text(seed, 20),
    ));
    PageOutcome::Changed { before, now, stays }
}

const WORD: [&str; 6] = ["one", "two", "three", "four", "five", "six"];

fn seen(outcomes: Vec<PageOutcome>) -> Vec<HostPage> {
    let place = |(at, outcome)| HostPage {
        is_home: at == 0,
        outcome,
    };
    outcomes.into_iter().enumerate().map(place).collect()
}

#[test]
fn case09_three_pages_edited_to_one_text_are_edits() {
    let one = || ladder("Sold out", "<p>This article is sold out.</p>");
    let some: Vec<PageOutcome> = (1..4).map(|n| changed(n, one(), false)).collect();
    let mut outcomes = vec![PageOutcome::Same];
    outcomes.extend(some);
    assert_eq!(judge_host(&seen(outcomes.clone()), 20), HostVerdict::default());
    // Most of a host's pages: not in this run, but in the next.
    let verdict = judge_host(&seen(outcomes), 1);
    assert_eq!(
        (verdict.taken_back.as_slice(), verdict.is_away),
        ([1, 2, 3].as_slice(), false)
    );
    let mut outcomes = vec![PageOutcome::Same];
    outcomes.extend((1..4).map(|n| changed(n, one(), true)));
    assert_eq!(judge_host(&seen(outcomes), 1), HostVerdict::default());
    // The home page with them: never.
    for stays in [false, true] {
        let outcomes = (0..4).map(|n| changed(n, one(), stays)).collect();
        assert_eq!(
            judge_host(&seen(outcomes), 1).taken_back,
            [0, 1, 2, 3],
            "stays: {stays}"
        );
    }
}

fn gone(is_said: bool, again: bool) -> PageOutcome {
    PageOutcome::Gone { is_said, again }
}

fn wall() -> PageOutcome {
    PageOutcome::Failed {
        is_wall: true,
        shown: None,
    }
}

/// A home page, and others that all have one outcome.
fn beside(home: PageOutcome, other: &PageOutcome, count: usize) -> Vec<HostPage> {
    let mut outcomes = vec![home];
    outcomes.extend(vec![other.clone(); count]);
    seen(outcomes)
}

#[test]
fn case11_nothing_is_gone_while_the_home_page_and_most_others_are() {
    let failed = || PageOutcome::Failed {
        is_wall: false,
        shown: None,
    };
    let another = |stays| changed(0, ladder("It works", "<p>It works.</p>"), stays);
    for again in [false, true] {
        for is_said in [false, true] {
            for home in [gone(is_said, again), wall(), failed(), another(again)] {
                let is_changed = matches!(home, PageOutcome::Changed { .. });
                let verdict = judge_host(&beside(home, &gone(is_said, again), 4), 0);
                let count = verdict.withheld.len() + verdict.taken_back.len();
                assert!(
                    verdict.is_away && verdict.needs_confirmation && count >= 4,
                    "{verdict:?}"
                );
                assert_eq!(verdict.taken_back.len(), usize::from(is_changed));
            }
        }
    }
    // Two pages are enough, and three of five.
    assert_eq!(
        judge_host(&beside(gone(true, true), &gone(true, true), 1), 0).withheld,
        [0, 1]
    );
    let verdict = judge_host(&beside(gone(true, true), &gone(true, true), 3), 2);
    assert_eq!(verdict.withheld, [0, 1, 2, 3]);
    let mut walled = vec![wall(), gone(false, false), gone(true, false)];
    walled.extend(vec![wall(); 3]);
    let verdict = judge_host(&seen(walled), 0);
    assert_eq!(
        (verdict.withheld.as_slice(), verdict.is_away),
        ([1, 2].as_slice(), true)
    );
}

#[test]
fn case11_what_the_server_says_of_some_pages_counts_at_once() {
    // The home page is as ever, is gone alone, or failed alone.
    for home in [PageOutcome::Same, gone(true, false), wall()] {
        let verdict = judge_host(&beside(home, &gone(true, false), 3), 4);
        assert_eq!(verdict, HostVerdict::default());
    }
    // A start page that became shorter, or another, is a start page while the rest stands.
    for now in [ladder("Page one", &text(0, 7)), ladder("New", &text(70, 20))] {
        let verdict = judge_host(&beside(changed(0, now, false), &gone(true, false), 1), 9);
        assert_eq!(verdict, HostVerdict::default());
    }
    // A page alone, and two that the project names one by one.
    assert_eq!(
        judge_host(&seen(vec![gone(true, false)]), 0),
        HostVerdict::default()
    );
    let named = |count| {
        let page = HostPage {
            is_home: true,
            outcome: gone(true, false),
        };
        vec![page; count]
    };
    assert_eq!(judge_host(&named(2), 0), HostVerdict::default());
    assert!(judge_host(&named(3), 0).is_away);
    assert_eq!(judge_host(&named(9), 1), HostVerdict::default());
}

#[test]
fn case11_beside_a_home_page_that_is_well_the_server_is_believed_the_second_time() {
    for again in [false, true] {
        let verdict = judge_host(&beside(PageOutcome::Same, &gone(true, again), 6), 0);
        assert_eq!(verdict.withheld.len(), if again { 0 } else { 6 });
        assert!(verdict.is_all_but_home && !verdict.is_away && !verdict.needs_confirmation);
        // A guess about all of them waits for a person; about most of them for another run.
        let verdict = judge_host(&beside(PageOutcome::Same, &gone(false, again), 6), 0);
        assert_eq!((verdict.withheld.len(), verdict.needs_confirmation), (6, true));
        let verdict = judge_host(&beside(PageOutcome::Same, &gone(false, again), 6), 2);
        assert_eq!(verdict.withheld.len(), if again { 0 } else { 6 });
    }
}

#[test]
fn case11_a_host_without_a_home_page_is_judged_by_all_it_has() {
    let pages = |count| {
        let page = HostPage {
            is_home: false,
            outcome: gone(true, true),
        };
        vec![page; count]
    };
    assert!(judge_host(&pages(3), 0).is_away);
    assert_eq!(judge_host(&pages(3), 1), HostVerdict::default());
    assert_eq!(judge_host(&pages(2), 0), HostVerdict::default());
}

/// What else is there now is not the site's own.
#[test]
fn case11_pages_of_another_site_are_no_changes() {
    let other = |n| changed(n, ladder("Another site", &text(500 + n, 20)), true);
    let edited = changed(7, ladder("Page two", &(text(7, 19) + &text(600, 1))), false);
    let mut outcomes = vec![other(0), other(1), edited];
    outcomes.extend(vec![gone(true, true); 6]);
    let verdict = judge_host(&seen(outcomes), 0);
    assert_eq!(
        (verdict.taken_back.as_slice(), verdict.withheld.len()),
        ([0, 1].as_slice(), 6)
    );
}

#[test]
fn case10_case13_a_host_that_became_empty_waits_for_a_person() {
    let empty = |n: u64| PageOutcome::Changed {
        before: Some(ladder("Page", &text(n, 20))),
        now: Ladder::of(&Content::default(), [0; 32]),
        stays: true,
    };
    // Beside a home page that is well, too.
    for home in [PageOutcome::Same, empty(0)] {
        let mut outcomes = vec![home];
        outcomes.extend((1..6).map(empty));
        let verdict = judge_host(&seen(outcomes), 0);
        assert!(
            verdict.taken_back.len() >= 5 && verdict.needs_confirmation,
            "{verdict:?}"
        );
    }
    // Less than half of them: pages that are empty twice are empty.
    let mut outcomes = vec![PageOutcome::Same];
    outcomes.extend((1..4).map(empty));
    assert_eq!(judge_host(&seen(outcomes), 4), HostVerdict::default());
}

#[test]
fn case13_half_pages_and_one_text_with_filling_are_looked_at_twice() {
    let half = |n: u64| ladder(&format!("Page {}", WORD[n as usize % 6]), &text(n, 7));
    let outcomes = |stays| (0..6).map(|n| changed(n, half(n), stays)).collect();
    assert_eq!(judge_host(&seen(outcomes(false)), 0).taken_back.len(), 6);
    let verdict = judge_host(&seen(outcomes(true)), 0);
    assert_eq!(
        (verdict.taken_back.len(), verdict.needs_confirmation),
        (6, true),
        "the home page too: only a person can tell"
    );
    let beside_home = |stays| {
        let mut outcomes = vec![PageOutcome::Same];
        outcomes.extend((1..6).map(|n| changed(n, half(n), stays)));
        judge_host(&seen(outcomes), 0).taken_back.len()
    };
    assert_eq!(
        (beside_home(false), beside_home(true)),
        (5, 0),
        "shorter for good"
    );
    assert_eq!(
        judge_host(&seen(outcomes(false)), 7).taken_back.len(),
        0,
        "less than half of the host"
    );
    let filled = |n: u64| {
        ladder(
            "We will be right back",
            &format!("<p>A word from us.</p>{}", text(90 + n, 20)),
        )
    };
    let outcomes = (0..6).map(|n| changed(n, filled(n), false)).collect();
    assert_eq!(judge_host(&seen(outcomes), 0).taken_back.len(), 6);
    // All pages written anew, each in its own words.
    let anew = |n: u64| ladder(&format!("New {}", WORD[n as usize % 6]), &text(900 + n, 20));
    let outcomes = (0..6).map(|n| changed(n, anew(n), false)).collect();
    assert_eq!(judge_host(&seen(outcomes), 0), HostVerdict::default());
}

/// Pages cut in their middle, in every template.
#[test]
fn case13_half_pages_are_known_whatever_surrounds_them() {
    for template in 0..5 {
        let site = gleaner_testkit::away::Site(template);
        let of = |html: &str| Ladder::of(&page(html), [0; 32]);
        let outcome = |at| PageOutcome::Changed {
            before: Some(of(&site.html(at))),
            now: of(&site.half(at)),
            stays: false,
        };
        let outcomes: Vec<PageOutcome> = (0..6).map(outcome).collect();
        assert_eq!(
            judge_host(&seen(outcomes), 0).taken_back.len(),
            6,
            "template {template}"
        );
    }
}

#[test]
fn case12_one_page_at_many_addresses_is_no_new_document() {
    let consent = || ladder("Before you go on", "<p>We use cookies.</p>");
    let new = [consent(), ladder("Spring", &text(3, 9)), consent()];
    let found = duplicates(&new, &[]);
    assert_eq!(found, [true, false, true]);
    let walls = [consent()];
    let one = duplicates(&new[..2], &walls);
    assert_eq!(one, [true, false]);
}

/// What is not shown is not what a page says.
#[test]
fn case30_messages_that_nobody_sees_are_no_messages() {
    for hidden in [
        "<noscript><h1>Error: please activate scripts</h1></noscript>",
        "<div hidden><h2>Page not found</h2></div>",
        "<template><h1>404 Not Found</h1></template>",
        "<div style=\"display: none\"><h1>Service unavailable</h1></div>",
        "<script type=\"text/template\"><h1>Error 500</h1></script>",
        "<dialog><h1>Something went wrong</h1></dialog>",
    ] {
        let now = format!("<title>Search</title>{hidden}<p>Look for birds by name or by place.</p>");
        let found = said("http://a.test/search", STORY, &now, &Probe::default(), false);
        assert_eq!(found, Replacement::Content, "{hidden}");
    }
}
