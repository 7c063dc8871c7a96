//! Pages and what they say about themselves.

use super::*;

fn of(html: &str) -> Metadata {
    of_html(
        html,
        &Url::parse("http://www.dailyreed.test/news/story").expect("an address"),
    )
}

#[test]
fn linked_data_comes_first() {
    let found = of(r##"<html lang="en_GB"><title>Reeds grow - Daily Reed</title>
        <meta property="og:site_name" content="Daily Reed"><meta name="author" content="Somebody Else">
        <script type="application/ld+json">{"@graph":[{"@type":"WebSite","name":"Daily Reed"},
        {"@type":"NewsArticle","headline":"Reeds grow","datePublished":"2024-05-17T10:00:00Z","dateModified":"2024-05-18",
        "author":[{"@type":"Person","name":"Ann Lee"},{"@id":"#bo"}],"license":"https://licence.test/by"},
        {"@type":"Person","@id":"#bo","name":"Bo Chan"}]}</script>
        <link rel="canonical" href="/story"><meta name="robots" content="noindex, noai"><h1>Reeds grow</h1>"##);
    assert_eq!(found.title.as_deref(), Some("Reeds grow"));
    assert_eq!(found.authors, ["Ann Lee", "Bo Chan"]);
    assert_eq!(found.published.as_deref(), Some("2024-05-17"));
    assert_eq!(found.modified.as_deref(), Some("2024-05-18"));
    assert_eq!(found.language.as_deref(), Some("en-GB"));
    assert_eq!(
        found.canonical.as_deref(),
        Some("http://www.dailyreed.test/story")
    );
    assert_eq!(found.licence.as_deref(), Some("https://licence.test/by"));
    assert_eq!(found.kind.as_deref(), Some("NewsArticle"));
    assert_eq!(found.directives.len(), 1);
    assert_eq!(found.directives[0].content, "noindex, noai");
}

#[test]
fn the_sites_name_is_no_part_of_the_title() {
    for (html, wanted) in [
        ("<title>Reeds grow | Daily Reed</title>", "Reeds grow"),
        ("<title>Daily Reed - Reeds grow</title>", "Reeds grow"),
        ("<title>Reeds grow – a history</title>", "Reeds grow – a history"),
        (
            "<title>Reeds grow - The Marsh Post</title><h1>Reeds grow</h1>",
            "Reeds grow",
        ),
        (
            "<title>Reeds grow - Daily Reed</title><h1>Daily Reed</h1>",
            "Reeds grow",
        ),
        ("<h1>Reeds grow</h1>", "Reeds grow"),
    ] {
        assert_eq!(of(html).title.as_deref(), Some(wanted), "{html}");
    }
}

#[test]
fn what_is_only_visible_is_found() {
    let found = of(
        "<h1>Reeds grow</h1><p class=byline>By Ann Lee and Bo Chan</p><p>17 May 2024</p><p>Reeds grow here.</p>",
    );
    assert_eq!(found.authors, ["Ann Lee", "Bo Chan"]);
    assert_eq!(found.published.as_deref(), Some("2024-05-17"));
    let marked = of(
        r#"<h1>Reeds</h1><span itemprop="author"><b itemprop="name">Ann Lee</b></span><time datetime="2024-05-17">x</time>"#,
    );
    assert_eq!(marked.authors, ["Ann Lee"]);
    assert_eq!(marked.published.as_deref(), Some("2024-05-17"));
}

#[test]
fn scholarly_and_broken_descriptions_are_read() {
    let found = of(
        r#"<meta name="citation_author" content="Lee, Ann"><meta name="citation_author" content="Chan, Bo">
        <meta name="citation_publication_date" content="2019/1/22"><script type="application/ld+json">{not json</script>"#,
    );
    assert_eq!(found.authors, ["Ann Lee", "Bo Chan"]);
    assert_eq!(found.published.as_deref(), Some("2019-01-22"));
    assert_eq!(of(""), Metadata::default());
}
