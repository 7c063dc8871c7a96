use super::*;
use crate::seeds::hits::site_of;
use crate::seeds::queries::goes_on;
use gleaner_model::Url;
use gleaner_parse::{Input, Selector};

fn url(text: &str) -> Url {
    Url::parse(text).expect("an address")
}

fn read(service: &SeedService, at: &str, media_type: &str, body: &str) -> Result<Vec<SeedHit>, ServiceFault> {
    let headers = vec![("content-type".to_owned(), media_type.to_owned())];
    let at = url(at);
    let input = Input {
        url: &at,
        headers: &headers,
        body: body.as_bytes(),
        agent: "gleaner",
        is_sitemap: false,
    };
    service.read(&input, 0)
}

fn searxng() -> SeedService {
    SeedService::SearXng {
        base: url("https://find.test/"),
    }
}

#[test]
fn g1_a_searxng_is_asked_and_read() {
    let service = searxng();
    let address = service.address("web crawling & more", 2, 10).expect("an address");
    assert_eq!(
        address.as_str(),
        "https://find.test/search?q=web+crawling+%26+more&format=json&pageno=2"
    );
    let body = r#"{"query": "x", "number_of_results": 3, "results": [
        {"url": "https://a.test/paper.pdf", "title": "A", "content": "about", "engine": "one", "score": 1.5},
        {"url": null, "title": "none"}, {"title": "no address"}, {"url": "mailto:x@a.test"},
        {"url": "https://b.test/?gclid=7", "title": "paid"}, {"url": "https://find.test/about"}],
        "answers": [], "suggestions": ["y"]}"#;
    let hits = read(&service, address.as_str(), "application/json", body).expect("hits");
    let told: Vec<(&str, u32, bool)> = hits
        .iter()
        .map(|hit| (hit.url.host(), hit.rank, hit.is_sponsored))
        .collect();
    assert_eq!(told, [("a.test", 1, false), ("b.test", 2, true)]);
    assert_eq!(
        read(&service, address.as_str(), "text/html", "\n<html>login</html>"),
        Err(ServiceFault::PageInsteadOfJson)
    );
    for bad in [
        "",
        "[]",
        "{\"results\": 7}",
        "{\"error\": \"x\"}",
        "{\"results\": [{\"url\":",
    ] {
        let told = read(&service, address.as_str(), "application/json", bad);
        assert!(matches!(told, Err(ServiceFault::BadJson(_))), "{bad}: {told:?}");
    }
}

#[test]
fn g1_an_opensearch_template_is_filled_and_its_feed_read() {
    let service = SeedService::Feed {
        template:
            "https://find.test/s?q={searchTerms}&p={startPage?}&i={startIndex?}&l={language?}&n={count}"
                .to_owned(),
    };
    let address = service.address("größe", 3, 20).expect("an address");
    assert_eq!(
        address.as_str(),
        "https://find.test/s?q=gr%C3%B6%C3%9Fe&p=3&i=41&l=&n=20"
    );
    let body = r#"<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>found</title>
        <entry><title>One</title><link href="https://a.test/1"/></entry>
        <entry><title>Two</title><link href="https://b.test/~ann/2"/></entry></feed>"#;
    let hits = read(&service, address.as_str(), "application/atom+xml", body).expect("hits");
    assert_eq!(
        hits.iter()
            .map(|hit| (hit.title.as_str(), hit.url.as_str()))
            .collect::<Vec<_>>(),
        [("One", "https://a.test/1"), ("Two", "https://b.test/~ann/2")]
    );
    for bad in ["<html><body>down</body></html>", "no feed"] {
        assert_eq!(
            read(&service, address.as_str(), "text/html", bad),
            Err(ServiceFault::NoFeed)
        );
    }
}

#[test]
fn g1_results_of_a_page_are_found_by_selector_through_its_own_redirects() {
    let service = SeedService::Page {
        template: "https://find.test/?q={query}&page={page}".to_owned(),
        results: Selector::check(".result a").expect("a selector"),
        sponsored: Some(Selector::check(".ad a").expect("a selector")),
    };
    let body = r#"<html><body><a href="/settings">settings</a>
        <div class="result ad"><a href="https://shop.test/">buy</a></div>
        <div class="result"><a href="/go?to=https%3A%2F%2Fa.test%2Fx&n=1">A</a> <a href="/cached?id=7">cached</a></div>
        <div class="result"><a href="https://b.test/y">B</a></div></body></html>"#;
    let hits = read(&service, "https://find.test/?q=x&page=1", "text/html", body).expect("hits");
    let told: Vec<(&str, bool)> = hits
        .iter()
        .map(|hit| (hit.url.as_str(), hit.is_sponsored))
        .collect();
    assert_eq!(
        told,
        [
            ("https://shop.test/", true),
            ("https://a.test/x", false),
            ("https://b.test/y", false)
        ]
    );
    assert_eq!(
        read(&service, "https://find.test/", "application/json", "{}"),
        Err(ServiceFault::NoPage)
    );
}

fn hit(text: &str, rank: u32) -> SeedHit {
    SeedHit {
        url: url(text),
        title: String::new(),
        text: String::new(),
        rank,
        is_sponsored: text.contains("shop"),
    }
}

#[test]
fn g1_hits_of_a_site_count_together_and_each_answer_is_accounted_for() {
    let mut book = SeedBook::default();
    let first = [
        hit("https://www.a.test/1", 1),
        hit("https://shop.test/", 2),
        hit("https://a.test/2", 3),
        hit("https://u.test/~ann/x", 4),
        hit("https://u.test/~bob/y", 5),
        hit("https://known.test/", 6),
    ];
    let answered = book.add("one", "q", &first, |url| url.host() == "known.test");
    assert_eq!(
        answered,
        Answered {
            found: 6,
            common: 0,
            new: 3,
            sponsored: 1,
            dropped: 2
        }
    );
    let second = [hit("https://u.test/~bob/z", 1), hit("https://c.test/", 2)];
    let answered = book.add("two", "q", &second, |_| false);
    assert_eq!((answered.common, answered.new), (1, 1));
    let sites = book.sites();
    let names: Vec<&str> = sites.iter().map(|site| site.site.as_str()).collect();
    assert_eq!(names, ["u.test/~bob", "a.test", "c.test", "u.test/~ann"]);
    assert_eq!(sites[0].url, "https://u.test/~bob/z");
    assert_eq!(sites[0].sources.len(), 2);
    // The same question again changes nothing.
    let before = book.clone();
    book.add("two", "q", &second, |_| false);
    assert_eq!(book, before);
    assert_eq!(site_of(&url("http://127.0.0.1:8080/x")), "127.0.0.1");
}

#[test]
fn g1_queries_grow_from_what_was_accepted_and_end_when_they_do_not_pay() {
    let topic = ["web crawler".to_owned(), "link analysis".to_owned()];
    let mut words = QueryWords::default();
    let mut next = NextQueries::default();
    assert_eq!(
        next.next(&topic, &words, 10),
        ["web crawler", "link analysis", "web crawler link analysis"]
    );
    for _ in 0..5 {
        words.learn(["frontier", "politeness", "page", "recrawl"], true);
        words.learn(["page", "price", "shop"], false);
    }
    words.learn(["hapax", "page"], true);
    let telling: Vec<&str> = words.telling().into_iter().map(|(word, _)| word).collect();
    assert_eq!(telling, ["frontier", "politeness", "recrawl", "page"]);
    for query in next.next(&topic, &words, 3) {
        next.note(&query, 1);
    }
    assert_eq!(next.next(&topic, &words, 1), ["frontier politeness"]);
    next.note("Politeness  frontier", 0);
    assert_eq!(next.next(&topic, &words, 1), ["frontier recrawl"]);
    next.note("frontier recrawl", 0);
    next.note("politeness recrawl", 0);
    assert!(!next.pays());
    assert!(next.next(&topic, &words, 10).is_empty());
}

#[test]
fn g1_a_query_is_asked_page_by_page_while_it_gives() {
    assert_eq!(goes_on(1, 10, 0, 0), Ok(()));
    assert_eq!(goes_on(1, 10, 10, 3), Ok(()));
    assert_eq!(goes_on(2, 10, 10, 2), Err(QueryEnd::TooFewGood));
    // The same page for ever.
    assert_eq!(goes_on(2, 0, 0, 0), Err(QueryEnd::NothingNew));
    assert_eq!(goes_on(10, 10, 0, 0), Err(QueryEnd::PagesMax));
}
