//! The parts together: splitting, learning, masking, asking.

use gleaner_model::Url;
use proptest::prelude::*;

use super::*;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn links(urls: &[String]) -> Vec<ProbeLink> {
    let numbered = urls.iter().enumerate();
    numbered
        .map(|(number, text)| ProbeLink {
            url: url(text),
            place: "ul/li".to_owned(),
            anchor: format!("link {number}"),
        })
        .collect()
}

/// Runs the whole protocol; content tests are answered by `same`.
fn learn(pages: [Vec<String>; 3], same: &dyn Fn(&ProbeRequest) -> ProbeAnswer) -> UrlRules {
    let [first, second, again] = pages;
    let mut learning = Learning::new(&url("http://a.test/"), &links(&first), false);
    while let Some(request) = learning.next() {
        let answer = match (&request.purpose, request.session) {
            (RequestPurpose::Links, ProbeSession::B) => ProbeAnswer::Links(links(&second)),
            (RequestPurpose::Links, _) => ProbeAnswer::Links(links(&again)),
            (RequestPurpose::SameAs(_), _) => same(&request),
        };
        learning.answer(answer);
    }
    learning.finish()
}

fn pages(form: &str, first: &str, second: &str) -> [Vec<String>; 3] {
    let render = |id: &str| -> Vec<String> {
        (0..6)
            .map(|n| form.replace("{n}", &n.to_string()).replace("{id}", id))
            .collect()
    };
    [render(first), render(second), render(first)]
}

#[test]
fn pieces_have_slots_values_and_places() {
    let text = "http://x1.shop.test/a;v=1/b%20c;jsessionid=AB?q=1&r=%2Fgo%3Fsid%3D7%26n%3D2;z=3&flag";
    let pieces = split(text);
    let said: Vec<(String, &str, &str)> = pieces
        .iter()
        .map(|p| (p.slot().to_string(), p.value.as_str(), &text[p.span.clone()]))
        .collect();
    let expected = [
        ("host label 2 from the right", "x1", "x1"),
        ("host label 1 from the right", "shop", "shop"),
        ("host label 0 from the right", "test", "test"),
        ("path segment 1", "a", "a"),
        (";v=", "1", "1"),
        ("path segment 2", "b c", "b%20c"),
        (";jsessionid=", "AB", "AB"),
        ("?q=", "1", "1"),
        ("path segment 1 inside ?r=", "go", "go"),
        ("?sid= inside ?r=", "7", "7"),
        ("?n= inside ?r=", "2", "2"),
        ("?r=", "/go?sid=7&n=2", "%2Fgo%3Fsid%3D7%26n%3D2"),
        ("?z=", "3", "3"),
        ("?=", "flag", "flag"),
    ];
    let said: Vec<(&str, &str, &str)> = said
        .iter()
        .map(|(slot, value, raw)| (slot.as_str(), *value, *raw))
        .collect();
    assert_eq!(said, expected);
}

#[test]
fn ids_are_found_wherever_they_stand() {
    for (form, first, second, masked) in [
        (
            "http://a.test/p{n}?sid={id}",
            "0f3a99",
            "77bc01",
            "http://a.test/p3?sid={sid}",
        ),
        (
            "http://a.test/p{n};jsessionid={id}",
            "AAF1.n1",
            "BB02.n2",
            "http://a.test/p3;jsessionid={sid}",
        ),
        (
            "http://a.test/(S({id}))/p{n}",
            "k3j2h1",
            "z9x8c7",
            "http://a.test/(S({sid}))/p3",
        ),
        (
            "http://a.test/p{n}-s{id}.html",
            "k3j2h1",
            "z9x8c7",
            "http://a.test/p3-{sid}.html",
        ),
        (
            "http://s-{id}.a.test/p{n}",
            "0a1b2c3d",
            "99887766",
            "http://{sid}.a.test/p3",
        ),
        (
            "http://a.test/p{n}?to=%2Fx%3Fs%3D{id}",
            "0a1b2c3d",
            "99887766",
            "http://a.test/p3?to=%2Fx%3Fs%3D{sid}",
        ),
        (
            "http://a.test/p{n}?{id}",
            "0a1b2c3d",
            "99887766",
            "http://a.test/p3?{sid}",
        ),
        (
            "http://a.test/k/{id}/p{n}",
            "0a1b2c3d",
            "99887766",
            "http://a.test/k/{sid}/p3",
        ),
    ] {
        let pages = pages(form, first, second);
        let rules = learn(pages.clone(), &|_| ProbeAnswer::Refused);
        assert_eq!(rules.mask(&url(&pages[0][3])), masked, "{rules:#?}");
        assert_eq!(rules.mask(&url(&pages[1][3])), masked);
        assert!(rules.rules.iter().all(|rule| !rule.is_droppable));
        assert!(rules.requests <= REQUESTS_MAX);
    }
}

#[test]
fn case16_ids_in_names_are_found() {
    for (form, first, second, masked) in [
        (
            "http://a.test/p{n}?ASPSESSIONID{id}=KJHGFDSAQWERTYUIOPLKMNBV",
            "QQABCDEF",
            "QCAAXRTZ",
            "http://a.test/p3?ASPSESSIONID{sid}=KJHGFDSAQWERTYUIOPLKMNBV",
        ),
        (
            "http://a.test/p?x={n}&sid_{id}=1",
            "ab12cd",
            "a077fe",
            "http://a.test/p?x=3&sid_{sid}=1",
        ),
        (
            "http://a.test/p{n};{id}-s=1",
            "ab12cd44",
            "ff77fe00",
            "http://a.test/p3;{sid}-s=1",
        ),
        (
            "http://a.test/p?k_{id}={n}",
            "ab12cd",
            "0177fe",
            "http://a.test/p?k_{sid}=3",
        ),
    ] {
        let pages = pages(form, first, second);
        let rules = learn(pages.clone(), &|_| ProbeAnswer::Refused);
        assert_eq!(rules.mask(&url(&pages[0][3])), masked, "{rules:#?}");
        assert_eq!(rules.mask(&url(&pages[1][3])), masked);
        assert_eq!(rules.mask_text(masked), masked);
        let live = rules.live_values(&[url(&pages[1][0]), url(&pages[1][1])]);
        assert_eq!(
            rules.request_form(&url(&pages[0][3]), &live).as_str(),
            pages[1][3]
        );
    }
}

#[test]
fn case16_name_and_value_may_both_be_the_session() {
    let render = |id: &str, value: &str| -> Vec<String> {
        (0..6)
            .map(|n| format!("http://a.test/p?n={n}&ASPSESSIONID{id}={value}"))
            .collect()
    };
    let first = render("QQABCDEF", "KJHGFDSAQWERTYUIOPLKMNBV");
    let second = render("SSXRTZAB", "PLMOKNIJBUHVYGCTFXRDZESW");
    let rules = learn([first.clone(), second.clone(), first.clone()], &|_| {
        ProbeAnswer::Refused
    });
    let identity = |text: &str| rules.identity(&url(text));
    assert_eq!(identity(&first[3]), identity(&second[3]));
    assert_ne!(identity(&first[3]), identity(&second[4]));
    assert_eq!(identity(&first[3]), "http://a.test/p?n=3", "{rules:#?}");
    let said = values_on(&rules, &[url(&first[0])]);
    assert!(said.contains(&"ASPSESSIONIDQQABCDEF".to_owned()), "{said:?}");
}

#[test]
fn case16_the_mark_of_a_process_is_part_of_the_name() {
    let render = |process: &str, value: &str| -> Vec<String> {
        (0..6)
            .map(|n| format!("http://a.test/p?n={n}&ASPSESSIONID{process}={value}"))
            .collect()
    };
    let first = render("QQABCDEF", "KJHGFDSAQWERTYUIOPLKMNBV");
    let second = render("QQABCDEF", "PLMOKNIJBUHVYGCTFXRDZESW");
    let rules = learn([first.clone(), second, first], &|_| ProbeAnswer::Refused);
    let restarted = &render("SCXRTZAB", "ZZXXCCVVBBNNMMAASSDDFFGG")[3];
    assert_eq!(
        rules.identity(&url(restarted)),
        "http://a.test/p?n=3",
        "{rules:#?}"
    );
}

#[test]
fn case16_names_that_stand_still_are_names() {
    let render = |id: &str| -> Vec<String> {
        (0..4)
            .map(|n| format!("http://a.test/p?sid_{id}={n}&sid_story={n}&sid_ab99=2"))
            .collect()
    };
    let pages = [render("ab12cd"), render("77fe01"), render("ab12cd")];
    let rules = learn(pages.clone(), &|_| ProbeAnswer::Refused);
    let masked = rules.mask(&url(&pages[0][1]));
    assert!(masked.contains("sid_story=1&sid_ab99=2"), "{masked}");
}

#[test]
fn case14_two_addresses_of_one_page_prove_an_id() {
    let page = |id: &str| {
        let address = ProbeLink {
            url: url(&format!("http://a.test/{id}/start.html")),
            place: ADDRESS.to_owned(),
            anchor: String::new(),
        };
        let mut all = links(&["http://a.test/about.html".to_owned()]);
        all.push(address);
        all
    };
    let ids = [
        "0b5e7d2c-3c1f-4f6e-9a59-0d7f1a2b3c4d",
        "9c0d1e2f-77aa-4bbc-8ccd-112233445566",
    ];
    for is_one_page in [true, false] {
        let mut learning = Learning::new(&url("http://a.test/"), &page(ids[0]), false);
        while let Some(request) = learning.next() {
            let answer = match (&request.purpose, request.session) {
                (RequestPurpose::Links, ProbeSession::B) => {
                    if is_one_page {
                        learning.know_one_page();
                    }
                    ProbeAnswer::Links(page(ids[1]))
                }
                (RequestPurpose::Links, _) => ProbeAnswer::Links(page(ids[0])),
                _ => ProbeAnswer::Differs,
            };
            learning.answer(answer);
        }
        let rules = learning.finish();
        assert_eq!(rules.rules.len(), usize::from(is_one_page), "{rules:#?}");
    }
}

#[test]
fn case16_an_id_on_other_links_at_every_fetch_is_found() {
    let render = |id: &str, on: [bool; 6]| -> Vec<String> {
        let id_of = |is_on: bool| {
            if is_on {
                format!("?sid={id}")
            } else {
                String::new()
            }
        };
        (0..6)
            .map(|n| format!("http://a.test/p{n}.html{}", id_of(on[n])))
            .collect()
    };
    let first = render("0f3a99c1", [true, true, true, false, false, false]);
    let second = render("77bc01d2", [false, false, false, true, true, true]);
    let rules = learn([first.clone(), second.clone(), first.clone()], &|_| {
        ProbeAnswer::Refused
    });
    assert_eq!(
        rules.identity(&url(&first[1])),
        "http://a.test/p1.html",
        "{rules:#?}"
    );
    // The number of the story of the day is no id, though all links that have it share it.
    let story = |id: &str| -> Vec<String> {
        let mut urls: Vec<String> = (0..6).map(|n| format!("http://a.test/p{n}.html")).collect();
        urls.extend(["story", "story#comments"].map(|page| format!("http://a.test/{page}?n={id}")));
        urls
    };
    let rules = learn([story("17"), story("99"), story("17")], &|_| ProbeAnswer::Differs);
    assert!(rules.rules.is_empty(), "{rules:#?}");
}

/// Numbers of their own and shuffled parameters hide which link is which; the id on half of them is found all the same.
#[test]
fn case16_an_id_on_other_links_is_found_beside_random_numbers() {
    let render = |id: &str, fetch: usize| -> Vec<String> {
        (0..8)
            .map(|n| {
                let number = 1000 + (n * 7919 + fetch * 104_729) % 90_000;
                let sid = if (n + fetch).is_multiple_of(2) {
                    format!("&sid={id}")
                } else {
                    String::new()
                };
                match (n + fetch) % 3 {
                    0 => format!("http://a.test/p{n}.html?v=full&r={number}{sid}"),
                    _ => format!("http://a.test/p{n}.html?r={number}&v=full{sid}"),
                }
            })
            .collect()
    };
    let pages = [
        render("0f3a99c1", 0),
        render("77bc01d2", 1),
        render("0f3a99c1", 2),
    ];
    let rules = learn(pages.clone(), &|_| ProbeAnswer::Refused);
    for page in &pages {
        assert_eq!(
            rules.identity(&url(&page[3])),
            "http://a.test/p3.html?v=full",
            "{rules:#?}"
        );
    }
    // Three links to the story of the day, each with its own number, share the story's: that is no id.
    let story = |id: &str, fetch: usize| -> Vec<String> {
        let number = |n: usize| 1000 + (n * 7919 + fetch * 104_729) % 90_000;
        let mut urls: Vec<String> = (0..6)
            .map(|n| format!("http://a.test/p{n}.html?r={}", number(n)))
            .collect();
        urls.extend((6..9).map(|n| format!("http://a.test/story?n={id}&r={}", number(n))));
        urls
    };
    let rules = learn([story("17", 0), story("99", 1), story("17", 2)], &|_| {
        ProbeAnswer::Differs
    });
    let told = rules.identity(&url("http://a.test/story?n=17&r=5"));
    assert!(told.contains("n=17"), "{told} {rules:#?}");
}

/// A look in which hardly a link has the id is no proof that there is none.
#[test]
fn case16_what_comes_and_goes_is_looked_at_once_more() {
    let render = |id: &str, on: &[usize]| -> Vec<ProbeLink> {
        let sid = |n: &usize| {
            if on.contains(n) {
                format!("?sid={id}")
            } else {
                String::new()
            }
        };
        let urls = (0..8).map(|n| format!("http://a.test/p{n}.html{}", sid(&n)));
        links(&urls.collect::<Vec<_>>())
    };
    let looks = [
        render("77bc01d2", &[]),
        render("5a5a0b0b", &[1, 4, 5, 7]),
        render("0f3a99c1", &[0, 2, 3]),
    ];
    for first in [render("0f3a99c1", &[0, 2, 3]), render("0f3a99c1", &[])] {
        let mut learning = Learning::new(&url("http://a.test/"), &first, false);
        let mut asked = looks.iter().skip(usize::from(first == looks[0]));
        while let Some(request) = learning.next() {
            let look = asked.next().filter(|_| request.purpose == RequestPurpose::Links);
            learning.answer(look.map_or(ProbeAnswer::Failed, |look| ProbeAnswer::Links(look.clone())));
        }
        let rules = learning.finish();
        let told = rules.identity(&url("http://a.test/p6.html?sid=99aa88bb"));
        assert_eq!(told, "http://a.test/p6.html", "{rules:#?}");
    }
}

#[test]
fn case16_a_page_with_few_links_does_not_unteach_what_many_taught() {
    let form = "http://a.test/{id}/p{n}.html";
    let [mut known, weak] = [
        ("0a1b2c3d4e5f6071", "99aa88bb77cc66dd"),
        ("1f2e3d4c5b6a7980", "0123456789abcdef"),
    ]
    .map(|(first, second)| learn(pages(form, first, second), &|_| ProbeAnswer::Refused));
    known.know_led(
        &url("http://a.test/p1.html"),
        &url("http://a.test/0a1b2c3d4e5f6071/p1.html"),
    );
    let told = known.identity(&url("http://a.test/77aa66bb55cc44dd/p1.html"));
    assert_eq!(told, "http://a.test/p1.html", "the site leads there");
    for (support, is_on) in [(1, true), (99, true), (99, false)] {
        let mut rules = known.clone();
        rules.rules[0].is_on = is_on;
        for rule in &weak.rules {
            rules.learn(UrlRule {
                support,
                ..rule.clone()
            });
        }
        assert_eq!(rules.rules.len(), known.rules.len(), "{rules:#?}");
        assert!(
            rules.rules[0].may_lack && rules.rules[0].is_on == is_on,
            "{rules:#?}"
        );
    }
}

#[test]
fn case16_an_id_of_a_name_is_taken_out_of_the_text_too() {
    let render = |id: &str| -> Vec<String> {
        (0..6)
            .map(|n| format!("http://a.test/p{n}.html?sid_{id}=1"))
            .collect()
    };
    let pages = [render("ab12cd"), render("77fe01"), render("ab12cd")];
    let rules = learn(pages.clone(), &|_| ProbeAnswer::Refused);
    let values = values_on(&rules, [&url(&pages[0][1])]);
    let cleaned = clean(b"<p>Visit ab12cd, sid_ab12cd.</p>", &values);
    let text = String::from_utf8_lossy(&cleaned);
    assert!(!text.contains("ab12cd"), "{text}");
}

#[test]
fn case15_a_random_number_needs_no_session() {
    let render = |fetch: usize| -> Vec<String> {
        (0..6)
            .map(|n| {
                format!(
                    "http://a.test/p?id={n}&r={}",
                    1000 + (n * 7919 + fetch * 104_729) % 90_000
                )
            })
            .collect()
    };
    let mut learning = Learning::new(&url("http://a.test/"), &links(&render(1)), false);
    let mut sessions = Vec::new();
    while let Some(request) = learning.next() {
        sessions.push(request.session);
        let fetch = 1 + sessions.len();
        learning.answer(ProbeAnswer::Links(links(&render(fetch))));
    }
    assert_eq!(sessions, [ProbeSession::B, ProbeSession::None]);
    let rules = learning.finish();
    assert_eq!(
        rules.identity(&url(&render(9)[3])),
        "http://a.test/p?id=3",
        "{rules:#?}"
    );
}

#[test]
fn case15_a_random_part_of_the_path_needs_no_session() {
    let forms: [fn(usize, usize) -> String; 2] = [
        |drawn, n| format!("http://a.test/x{drawn:010x}/p{n}.html"),
        |drawn, n| format!("http://a.test/story-{n}-{drawn:010x}.html"),
    ];
    for form in forms {
        let render = |fetch: usize| -> Vec<String> {
            let drawn = |n: usize| (n * 7919 + fetch * 104_729 + 11).wrapping_mul(2_654_435_761) % (1 << 40);
            (0..6).map(|n| form(drawn(n), n)).collect()
        };
        let mut learning = Learning::new(&url("http://a.test/"), &links(&render(1)), false);
        let mut fetch = 1;
        while learning.next().is_some() {
            fetch += 1;
            learning.answer(ProbeAnswer::Links(links(&render(fetch))));
        }
        let rules = learning.finish();
        let identities = |fetch| -> Vec<String> {
            let urls = render(fetch);
            urls.iter().map(|text| rules.identity(&url(text))).collect()
        };
        assert_eq!(identities(8), identities(9), "{rules:#?}");
        assert_ne!(identities(8)[0], identities(8)[1], "{rules:#?}");
    }
}

/// Two links are too few to prove an id by themselves: the content test decides.
#[test]
fn case16_an_id_on_two_links_of_a_page_is_tested() {
    let render = |id: &str| -> Vec<String> {
        vec![
            format!("http://a.test/s;jsessionid={id}?name=a"),
            format!("http://a.test/s;jsessionid={id}?name=b&v=1"),
            "http://a.test/".to_owned(),
        ]
    };
    let ids = [
        "0C3B37921CAABA7B5BA2DDEF03CF42DE",
        "5F959EFA5244D9C09E3ED83EAF2B515F",
    ];
    for answer in [ProbeAnswer::Equal, ProbeAnswer::Differs] {
        let mut learning = Learning::new(&url("http://a.test/s"), &links(&render(ids[0])), false);
        while let Some(request) = learning.next() {
            learning.answer(match (request.purpose, request.session) {
                (RequestPurpose::SameAs(_), _) => answer.clone(),
                (RequestPurpose::Links, ProbeSession::A) => ProbeAnswer::Links(links(&render(ids[0]))),
                (RequestPurpose::Links, _) => ProbeAnswer::Links(links(&render(ids[1]))),
            });
        }
        let rules = learning.finish();
        let is_found = rules.identity(&url(&render(ids[0])[0])) == rules.identity(&url(&render(ids[1])[0]));
        assert_eq!(is_found, answer == ProbeAnswer::Equal, "{rules:#?}");
    }
}

#[test]
fn case15_a_second_look_that_shows_the_same_ends_the_learning() {
    let urls: Vec<String> = (0..6).map(|n| format!("http://a.test/p?id={n}")).collect();
    let mut learning = Learning::new(&url("http://a.test/"), &links(&urls), false);
    while learning.next().is_some() {
        learning.answer(ProbeAnswer::Links(links(&urls)));
    }
    assert_eq!(learning.finish().requests, 1);
}

#[test]
fn an_id_that_may_be_left_out_is_left_out() {
    for (form, expected) in [
        ("http://a.test/p{n}?sid={id}", "http://a.test/p3"),
        ("http://a.test/p{n}?sid={id}&x=1", "http://a.test/p3?x=1"),
        ("http://a.test/p{n}?x=1&sid={id}&y=2", "http://a.test/p3?x=1&y=2"),
        ("http://a.test/(S({id}))/p{n}", "http://a.test/p3"),
        ("http://a.test/p{n};sid={id}?x=1", "http://a.test/p3?x=1"),
    ] {
        let pages = pages(form, "0f3a99c1", "77bc01d2");
        let rules = learn(pages.clone(), &|_| ProbeAnswer::Equal);
        assert_eq!(
            rules
                .request_form(&url(&pages[0][3]), &LiveValues::default())
                .as_str(),
            expected
        );
        assert_eq!(rules.requests, 4);
    }
}

#[test]
fn an_id_that_is_needed_gets_its_live_value() {
    let pages = pages(
        "http://a.test/p{n}?to=%2Fx%3Fsid%3D{id}&sid={id}",
        "0f3a99c1",
        "77bc01d2",
    );
    let rules = learn(pages.clone(), &|_| ProbeAnswer::Refused);
    let live = rules.live_values(&[url(&pages[1][0]), url(&pages[1][1])]);
    let asked = rules.request_form(&url(&pages[0][3]), &live);
    assert_eq!(asked.as_str(), pages[1][3]);
}

#[test]
fn cookies_that_suffice_end_the_learning() {
    let [first, second, again] = pages("http://a.test/p{n}?sid={id}", "0f3a99c1", "77bc01d2");
    let plain: Vec<String> = (0..6).map(|n| format!("http://a.test/p{n}")).collect();
    for (with_cookies, expected, requests) in [(&plain, Cookies::Suffice, 3), (&first, Cookies::DoNotHelp, 4)]
    {
        let mut learning = Learning::new(&url("http://a.test/"), &links(&first), true);
        while let Some(request) = learning.next() {
            learning.answer(match (request.session, &request.purpose) {
                (ProbeSession::B, _) => ProbeAnswer::Links(links(&second)),
                (ProbeSession::Cookies, _) => ProbeAnswer::Links(links(with_cookies)),
                (_, RequestPurpose::Links) => ProbeAnswer::Links(links(&again)),
                _ => ProbeAnswer::Refused,
            });
        }
        let rules = learning.finish();
        assert_eq!((rules.cookies, rules.requests), (expected, requests));
        assert_eq!(rules.rules.len(), 1, "old links still carry ids");
    }
}

#[test]
fn a_server_that_does_not_answer_teaches_nothing() {
    let first = pages("http://a.test/p{n}?sid={id}", "0f3a99c1", "77bc01d2")[0].clone();
    let mut learning = Learning::new(&url("http://a.test/"), &links(&first), false);
    while learning.next().is_some() {
        learning.answer(ProbeAnswer::Failed);
    }
    let rules = learning.finish();
    assert!(rules.rules.is_empty());
    assert_eq!(rules.requests, 1);
}

#[test]
fn a_value_that_names_the_page_is_no_id() {
    // One link leads elsewhere on every visit; only the content test can tell.
    let render = |id: &str| {
        vec![
            format!("http://a.test/story?id={id}"),
            "http://a.test/about".to_owned(),
        ]
    };
    let pages = [render("17abc9"), render("99fed1"), render("17abc9")];
    let rules = learn(pages.clone(), &|_| ProbeAnswer::Differs);
    assert!(rules.rules.is_empty());
    let rules = learn(pages, &|_| ProbeAnswer::Equal);
    assert_eq!(rules.rules.len(), 1);
}

#[test]
fn people_may_add_switch_off_and_forget() {
    let mut rules = UrlRules::new("a.test");
    let slot = Slot::Query {
        name: "ref".to_owned(),
        nth: 0,
    };
    rules.add(UrlRule::from_user(slot.clone(), RuleKind::Volatile));
    let link = url("http://a.test/p?ref=home&x=1");
    assert_eq!(rules.mask(&link), "http://a.test/p?ref={sid}&x=1");
    assert_eq!(rules.explain(&link)[0].evidence, "added by hand");
    assert_eq!(rules.switch(&slot, false), 1);
    assert_eq!(rules.mask(&link), link.as_str());
    assert_eq!(rules.forget(&slot), 1);
    assert!(rules.rules.is_empty());
}

#[test]
fn rules_survive_being_stored() {
    let pages = pages("http://a.test/p{n}-s{id}.html?r=%2Fx%2F{id}", "k3j2h1", "z9x8c7");
    let rules = learn(pages, &|_| ProbeAnswer::Equal);
    let json = serde_json::to_string(&rules).unwrap();
    assert_eq!(serde_json::from_str::<UrlRules>(&json).unwrap(), rules, "{json}");
}

#[test]
fn keys_follow_identity() {
    let pages = pages("http://a.test/p{n}?sid={id}", "0f3a99c1", "77bc01d2");
    let rules = learn(pages.clone(), &|_| ProbeAnswer::Refused);
    assert_eq!(rules.key(&url(&pages[0][3])), rules.key(&url(&pages[1][3])));
    assert_ne!(rules.key(&url(&pages[0][3])), rules.key(&url(&pages[0][4])));
}

proptest! {
    #[test]
    fn masking_twice_is_masking_once(
        id in "[a-z0-9]{6,20}",
        other in "[a-z0-9]{6,20}",
        form in prop::sample::select(vec![
            "http://a.test/p{n}?sid={id}&x=1",
            "http://a.test/({id})/p{n}",
            "http://a.test/p{n}-{id}.html",
            "http://a.test/p{n}?to=%2Fq%3Fs%3D{id}",
        ]),
    ) {
        let rules = learn(pages(form, &id, &other), &|_| ProbeAnswer::Refused);
        for text in &pages(form, &id, &other)[0] {
            let once = rules.mask(&url(text));
            prop_assert_eq!(rules.mask_text(&once), once.clone());
        }
    }

    #[test]
    fn where_there_is_no_id_none_is_found(urls in prop::collection::vec("[a-z0-9/?=&;%.-]{0,40}", 1..30)) {
        let urls: Vec<String> = urls.iter().map(|rest| format!("http://a.test/{rest}")).collect();
        let urls: Vec<String> = urls.into_iter().filter(|text| Url::parse(text).is_ok()).collect();
        let rules = learn([urls.clone(), urls.clone(), urls.clone()], &|_| ProbeAnswer::Equal);
        prop_assert!(rules.rules.is_empty());
        for text in &urls {
            let link = url(text);
            prop_assert_eq!(rules.mask(&link), link.as_str());
        }
    }

    #[test]
    fn nothing_panics(text in "\\PC{0,60}", other in "\\PC{0,60}") {
        let pages: Vec<Vec<String>> = [&text, &other, &text]
            .iter()
            .map(|rest| (0..3).map(|n| format!("http://a.test/{n}/{rest}")).filter(|t| Url::parse(t).is_ok()).collect())
            .collect();
        let rules = learn([pages[0].clone(), pages[1].clone(), pages[2].clone()], &|_| ProbeAnswer::Equal);
        for text in pages.iter().flatten() {
            rules.mask(&url(text));
            rules.request_form(&url(text), &LiveValues::default());
            without_known_names(&url(text));
        }
    }
}
