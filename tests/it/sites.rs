//! What a site says on many of its pages, and what its texts are without it (F1).

use crate::crawled::crawl_well;
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, Response, page};
use serde_json::Value;

/// A paragraph that every page has, and that a reader of one page takes for a part of its text.
const SOCIETY: &str = "We are a society of friends of water birds, founded long ago, and we are glad about every new member \
                       who wants to help us with the work in the field.";
const BIRDS: usize = 40;

fn bird(number: usize, seen: &str) -> Response {
    let own = format!(
        "Heron number {number} stands in the reeds by the water, waits for fish, and {seen} seen there since dawn. "
    )
    .repeat(4);
    let next = number + 1;
    page(format!(
        "<title>Heron {number}</title><div><p>{own}</p><p>{own}</p></div><div><p>{SOCIETY}</p></div>\
         <p><a href=/birds/{next}>Next</a></p>"
    ))
}

/// The texts of each bird, joined, by the bird's number.
fn birds(gleaner: &Gleaner) -> Vec<(usize, String)> {
    let finished = gleaner.run(&["chunks", "birds"]);
    finished.expect_code(&[0]);
    let mut birds: Vec<(usize, String)> = Vec::new();
    for line in finished.json_lines() {
        let (Some(url), Some(text)) = (line["url"].as_str(), line["text"].as_str()) else {
            continue;
        };
        if let Some(number) = url
            .rsplit_once("/birds/")
            .and_then(|(_, number)| number.parse().ok())
        {
            birds.push((number, format!("{} {text}", line["id"])));
        }
    }
    birds.sort();
    birds
}

#[test]
fn f1_what_a_site_says_everywhere_is_left_out_and_texts_stay() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    // One leads to the next, so they come in order.
    for number in 1..=BIRDS {
        server.route(&format!("/birds/{number}"), bird(number, "was"));
    }
    crawl_well(&gleaner, &server.url("/birds/1"), &["--name", "birds"]);

    let before = birds(&gleaner);
    let with: Vec<usize> = before
        .iter()
        .filter(|(_, text)| text.contains(SOCIETY))
        .map(|(number, _)| *number)
        .collect();
    assert_eq!(
        with,
        (1..=20).collect::<Vec<usize>>(),
        "twenty pages tell what the site says everywhere"
    );
    assert!((1..=BIRDS).all(|number| {
        before
            .iter()
            .any(|(bird, text)| *bird == number && text.contains("waits for fish"))
    }));

    // Made anew, all texts are what they were.
    std::fs::remove_dir_all(gleaner.data().join("derived")).expect("derived goes");
    assert_eq!(birds(&gleaner), before);

    // More pages and an edited one change no text but theirs.
    for number in BIRDS + 1..=BIRDS + 10 {
        server.route(&format!("/birds/{number}"), bird(number, "was"));
    }
    server.route("/birds/7", bird(7, "has been"));
    gleaner.run(&["track", "birds"]).expect_code(&[0]);
    let after = birds(&gleaner);
    let of = |birds: &[(usize, String)], number: usize| -> Vec<String> {
        birds
            .iter()
            .filter(|(bird, _)| *bird == number)
            .map(|(_, text)| text.clone())
            .collect()
    };
    for number in (1..=BIRDS).filter(|number| *number != 7) {
        assert_eq!(of(&after, number), of(&before, number), "bird {number}");
    }
    assert!(
        of(&after, 7).iter().any(|text| text.contains(SOCIETY)),
        "what holds for a page holds for its versions"
    );
    assert!(of(&after, 7).iter().any(|text| text.contains("has been seen")));
    assert_eq!(
        after
            .iter()
            .filter(|(number, text)| *number > 20 && text.contains(SOCIETY))
            .count(),
        0
    );
    assert_eq!(
        Value::from(of(&after, BIRDS + 3).len()),
        Value::from(of(&after, 30).len())
    );
}
