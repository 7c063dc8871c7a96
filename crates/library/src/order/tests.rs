use super::*;
use crate::topic::{Keywords, TopicExamples, TopicJudge, TopicReader};
use gleaner_frontier::{Guide, LinkScore, LinkSeen, PageSeen, PlaceTurn, RowSeen};
use gleaner_model::{LinkKind, Url};

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// A page with links, worth so much; gives the scores.
fn page(order: &mut LinkOrder, at: &Url, worth: f32, links: &[(Url, &str)]) -> Vec<LinkScore> {
    let seen: Vec<LinkSeen<'_>> = links
        .iter()
        .map(|(url, anchor)| LinkSeen {
            url,
            kind: LinkKind::Anchor,
            anchor,
        })
        .collect();
    let page = PageSeen {
        url: at,
        depth: 0,
        title: "",
        content: None,
        worth: None,
        links: &seen,
    };
    order.fetched(at, worth, 0.0);
    order.links(&page, worth, &vec![-3.0; links.len()])
}

fn site(number: u32) -> Vec<(Url, &'static str)> {
    let good = url(&format!("http://a.test/papers/{number}.html"));
    let bad = url(&format!("http://a.test/jobs/{number}.html"));
    vec![(good, "a paper"), (bad, "a job")]
}

fn taught() -> LinkOrder {
    let mut order = LinkOrder::default();
    for number in 0..60 {
        let links = site(number);
        page(
            &mut order,
            &url(&format!("http://a.test/list/{number}")),
            0.0,
            &links,
        );
        order.fetched(&links[0].0, 1.0, -3.0);
        order.fetched(&links[1].0, 0.0, -3.0);
    }
    order
}

#[test]
fn a11_links_are_learned_by_what_they_gave() {
    let mut order = taught();
    let scores = page(&mut order, &url("http://a.test/list/99"), 0.0, &site(99));
    assert!(scores[0].likely() > 0.5 && scores[1].likely() < 0.1, "{scores:?}");
    // On a site that was never seen the anchors tell.
    let there = [
        (url("http://b.test/x/1.html"), "a paper"),
        (url("http://b.test/x/2.html"), "a job"),
    ];
    let scores = page(&mut order, &url("http://b.test/"), 0.0, &there);
    assert!(scores[0] > scores[1], "{scores:?}");
}

#[test]
fn a11_the_same_calls_give_the_same_scores_and_bytes() {
    let (mut one, mut other) = (taught(), taught());
    let links = site(77);
    let at = url("http://a.test/list/77");
    assert_eq!(
        page(&mut one, &at, 0.0, &links),
        page(&mut other, &at, 0.0, &links)
    );
    assert_eq!(one.save(), other.save());
    let rows: Vec<OrderRow<'_>> = links
        .iter()
        .map(|(url, _)| OrderRow {
            url,
            score: LinkScore::LEAST,
        })
        .collect();
    for chance in 0..50 {
        assert_eq!(one.choose(&rows, chance), other.choose(&rows, chance));
    }
    assert_eq!(one.choose(&[], 7), None);
}

#[test]
fn a11_what_leads_to_good_pages_is_credited_along_the_chain() {
    let walk = |worth: f32| {
        let mut order = LinkOrder::default();
        for number in 0..40 {
            let at = |name: &str| url(&format!("http://a.test/{name}/{number}"));
            page(
                &mut order,
                &at("start"),
                0.0,
                &[(at("hub"), "hub"), (at("dull"), "dull")],
            );
            page(&mut order, &at("hub"), 0.0, &[(at("between"), "between")]);
            page(&mut order, &at("dull"), 0.0, &[]);
            page(&mut order, &at("between"), 0.0, &[(at("goal"), "goal")]);
            order.fetched(&at("goal"), worth, -3.0);
        }
        let links = [
            (url("http://a.test/hub/99"), "hub"),
            (url("http://a.test/dull/99"), "dull"),
        ];
        page(&mut order, &url("http://a.test/start/99"), 0.0, &links)
    };
    let scores = walk(1.0);
    assert!(scores[0].odds() > scores[1].odds() + 0.5, "{scores:?}");
    let scores = walk(0.0);
    assert!((scores[0].odds() - scores[1].odds()).abs() < 0.5, "{scores:?}");
}

#[test]
fn a11_what_becomes_known_later_teaches_too() {
    let mut order = LinkOrder::default();
    for number in 0..60 {
        let links = site(number);
        page(
            &mut order,
            &url(&format!("http://a.test/list/{number}")),
            0.0,
            &links,
        );
        order.fetched(&links[0].0, 0.0, -3.0);
        order.fetched(&links[1].0, 0.0, -3.0);
        order.judged(&links[0].0, 1.0);
        order.judged(&url("http://nowhere.test/"), 1.0);
    }
    let scores = page(&mut order, &url("http://a.test/list/99"), 0.0, &site(99));
    assert!(scores[0].odds() > scores[1].odds() + 1.0, "{scores:?}");
}

#[test]
fn a11_what_was_learned_is_kept_and_damage_is_seen() {
    let mut order = taught();
    let bytes = order.save();
    let mut again = LinkOrder::read(&bytes).unwrap();
    assert_eq!(again.save(), bytes);
    let there = [
        (url("http://b.test/x/1.html"), "a paper"),
        (url("http://b.test/x/2.html"), "a job"),
    ];
    let at = url("http://b.test/");
    let (before, after) = (
        page(&mut order, &at, 0.0, &there),
        page(&mut again, &at, 0.0, &there),
    );
    for (one, other) in before.iter().zip(&after) {
        assert!((one.odds() - other.odds()).abs() < 0.7, "{one:?} {other:?}");
    }
    for end in [0, 7, 11, 40, bytes.len() - 1] {
        assert_eq!(
            LinkOrder::read(&bytes[..end]).unwrap_err(),
            SavedOrderError::Damaged
        );
    }
    let mut later = bytes.clone();
    later[8] = 9;
    assert_eq!(LinkOrder::read(&later).unwrap_err(), SavedOrderError::Version(9));
    let mut wrong = bytes;
    wrong.push(0);
    assert_eq!(LinkOrder::read(&wrong).unwrap_err(), SavedOrderError::Damaged);
}

#[test]
fn h3_memory_is_bounded_whatever_the_crawl() {
    let mut order = LinkOrder::default();
    for number in 0..4_000u32 {
        let links: Vec<(Url, &str)> = (0..40)
            .map(|at| (url(&format!("http://h{number}.test/{at}")), "x"))
            .collect();
        page(&mut order, &url(&format!("http://h{number}.test/")), 0.0, &links);
    }
    let (rows, arms) = order.remembered();
    assert!(rows <= 120_000 && arms <= 100_000, "{rows} {arms}");
    assert!(order.bytes() < 100_000_000, "{}", order.bytes());
}

#[test]
fn a11_rows_are_scored_anew_when_their_host_taught_enough() {
    let mut order = LinkOrder::default();
    assert!(!order.is_due("a.test"));
    let due: Vec<u32> = (1..=100)
        .filter(|number| {
            order.fetched(&url(&format!("http://a.test/{number}")), 0.0, 0.0);
            order.is_due("a.test")
        })
        .collect();
    assert_eq!(due[..3], [5, 10, 15]);
    assert!((8..=14).contains(&due.len()), "{due:?}");
}

fn guide() -> TopicGuide {
    let keywords = Keywords::new(["paper"]);
    let judge = TopicJudge::new(&keywords, &TopicExamples::default());
    TopicGuide::new(TopicReader::new(keywords), judge, LinkOrder::default())
}

#[test]
fn g11_a_site_that_gives_nothing_is_left() {
    let guide = guide();
    let at = |number: u32| url(&format!("http://a.test/x{number}.html"));
    let left = (0..1_000).find(|number| {
        guide.nothing(&at(*number));
        matches!(guide.place(&at(1_000), 1 << 60), PlaceTurn::Left(_))
    });
    assert!(left.is_some_and(|pages| pages <= 500), "{left:?}");
    assert_eq!(guide.place(&url("http://b.test/"), 1 << 60), PlaceTurn::Open);
    // A document that was judged late opens it again.
    guide.judged(&at(1), 1.0);
    assert_eq!(guide.place(&at(1_000), 1 << 60), PlaceTurn::Open);
}

#[test]
fn g10_a_barren_folder_is_paused_beside_one_that_pays() {
    let guide = guide();
    for number in 0..800 {
        guide.nothing(&url(&format!("http://a.test/jobs/{number}.html")));
        let paper = url(&format!("http://a.test/papers/{number}.html"));
        guide.page(&PageSeen {
            url: &paper,
            depth: 1,
            title: "",
            content: None,
            worth: Some(1.0),
            links: &[],
        });
    }
    assert!(matches!(
        guide.place(&url("http://a.test/jobs/x.html"), u64::MAX),
        PlaceTurn::Paused(_)
    ));
    assert_eq!(guide.place(&url("http://a.test/jobs/x.html"), 0), PlaceTurn::Open);
    assert_eq!(
        guide.place(&url("http://a.test/papers/x.html"), u64::MAX),
        PlaceTurn::Open
    );
}

#[test]
fn s1s_order_is_breadth_first_with_its_lists() {
    let knowledge = SeedKnowledge {
        stop_list: ["handouts".to_owned()].into(),
        avoided: [("http://a.test".to_owned(), "/People/".to_owned())].into(),
        level_max: Some(3),
    };
    let guide = SeedGuide::new(knowledge);
    let (near, far) = (url("http://a.test/1"), url("http://a.test/2"));
    let links = [LinkSeen {
        url: &near,
        kind: LinkKind::Anchor,
        anchor: "",
    }];
    let scored = |depth| {
        let page = PageSeen {
            url: &far,
            depth,
            title: "",
            content: None,
            worth: None,
            links: &links,
        };
        guide.page(&page).scores[0]
    };
    assert!(scored(0) > scored(1));
    let rows = [(&far, scored(1)), (&near, scored(0)), (&far, scored(0))];
    let rows: Vec<RowSeen<'_>> = rows
        .iter()
        .map(|(url, score)| RowSeen {
            url,
            depth: 1,
            score: *score,
        })
        .collect();
    assert_eq!(guide.choose(&rows, 3), Some(1));
    let is_open = |text: &str| guide.place(&url(text), 0) == PlaceTurn::Open;
    assert!(is_open("http://a.test/papers/x.html") && is_open("http://b.test/People/x.html"));
    assert!(!is_open("http://a.test/People/x/y.html") && !is_open("http://b.test/x/handouts/1.pdf"));
    assert!(!is_open("http://a.test/1/2/3/4.html"));
}

#[test]
fn no_site_takes_more_than_its_share_of_a_batch() {
    let mut share = BatchShare::new(10);
    assert_eq!((0..10).filter(|_| share.takes("a.test")).count(), 3);
    assert!(share.takes("b.test"));
    assert!(BatchShare::new(1).takes("a.test"));
}
