//! What a site says on many of its pages, and what its texts are without it (F1).

use crate::crawled::{crawl_well, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, Response, page};

/// A paragraph that every page has, and that a reader of one page takes for a part of its text.
const SOCIETY: &str = "We are a society of friends of water birds, founded long ago, and we are glad about every new member \
                       who wants to help us with the work in the field.";
const BIRDS: usize = 40;

fn bird(number: usize, seen: &str) -> Response {
    let own = format!(
        "Heron number {number} stands in the reeds by the water, waits for fish, and {seen} seen there since dawn. "
    )
    .repeat(4);
    page(format!(
        "<title>Heron {number}</title><div><p>{own}</p><p>{own}</p></div><div><p>{SOCIETY}</p></div>"
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

/// The page that leads to all birds.
fn start(birds: usize) -> Response {
    page(links((1..=birds).map(|number| format!("/birds/{number}"))) + "<title>Birds</title>")
}

#[test]
fn f1_what_a_site_says_everywhere_is_left_out_and_texts_stay() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route("/", start(BIRDS));
    for number in 1..=BIRDS {
        server.route(&format!("/birds/{number}"), bird(number, "was"));
    }
    crawl_well(&gleaner, &server.url("/"), &["--name", "birds"]);

    let before = birds(&gleaner);
    let says = |birds: &[(usize, String)]| -> Vec<usize> {
        let saying = birds.iter().filter(|(_, text)| text.contains(SOCIETY));
        saying.map(|(number, _)| *number).collect()
    };
    // The page that leads to them is the first of the twenty.
    let with = says(&before);
    assert_eq!(
        with.len(),
        19,
        "twenty pages tell what the site says everywhere: {with:?}"
    );
    let own = before.iter().filter(|(_, text)| text.contains("waits for fish"));
    assert_eq!(own.count(), BIRDS);

    // Made anew, all texts are what they were.
    std::fs::remove_dir_all(gleaner.data().join("derived")).expect("derived goes");
    assert_eq!(birds(&gleaner), before);

    // More pages and an edited one change no text but theirs.
    let edited = with[7];
    server.route("/", start(BIRDS + 10));
    for number in BIRDS + 1..=BIRDS + 10 {
        server.route(&format!("/birds/{number}"), bird(number, "was"));
    }
    server.route(&format!("/birds/{edited}"), bird(edited, "has been"));
    let track = ["track", "birds", "--delay", "0", "--tries", "1"];
    gleaner.run(&track).expect_code(&[0]);
    let after = birds(&gleaner);
    assert_eq!(
        says(&after),
        with,
        "what holds for a page holds for its versions, and what is new comes too late"
    );
    let others = |birds: &[(usize, String)]| -> Vec<(usize, String)> {
        let others = birds
            .iter()
            .filter(|(number, _)| *number != edited && *number <= BIRDS);
        others.cloned().collect()
    };
    assert_eq!(others(&after), others(&before));
    assert_eq!(after.len(), before.len() + 10);
    assert!(
        after
            .iter()
            .any(|(number, text)| *number == edited && text.contains("has been seen"))
    );
}
