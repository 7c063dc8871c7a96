//! Pages and what they say about themselves.

use super::*;

fn of(html: &str) -> PageMetadata {
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
fn things_are_not_taken_for_their_site() {
    // The site is called Reed, and sells a Reed Pro; its maker has a name too.
    let found =
        of(r#"<title>Reed Pro</title><meta property="og:site_name" content="Reed"><h1>Reed Pro</h1>"#);
    assert_eq!(found.title.as_deref(), Some("Reed Pro"));
    let made = of(
        r#"<title>Marsh D75 knife 1549 Daily Reed</title><h1>Marsh D75 knife</h1>
        <script type="application/ld+json">{"@type":"Product","name":"Marsh D75 knife","brand":{"@type":"Brand","name":"Marsh"}}</script>"#,
    );
    assert_eq!(made.title.as_deref(), Some("Marsh D75 knife"));
    // A film on a page, and the software that a page is about, have names of their own.
    let film = of(
        r#"<title>Software that counts reeds | Daily Reed</title><h1>Count faster</h1>
        <script type="application/ld+json">[{"@type":"VideoObject","name":"cut_7_FINAL"},
        {"@type":"SoftwareApplication","name":"Story"}]</script>"#,
    );
    assert_eq!(film.title.as_deref(), Some("Software that counts reeds"));
}

#[test]
fn pages_that_are_no_articles_are_called_by_their_title() {
    for (html, wanted) in [
        (
            "<title>Reed cutting services | Tools and more for reeds</title><h1>We cut what you need</h1>",
            "Reed cutting services",
        ),
        // One word of a phrase, and a piece from its midst, say less.
        (
            "<title>Reviews of our reed courses — Daily Reed</title><h1>Reviews</h1>",
            "Reviews of our reed courses",
        ),
        (
            "<title>New reed software that helps | Daily Reed</title><h1>Reed software</h1>",
            "New reed software that helps",
        ),
        (
            "<title>Reeds: large reeds for ponds</title><h1>Reeds</h1>",
            "Reeds",
        ),
        (
            "<title>Notices - Reeds are cut</title><h1>Notices</h1><h1>Reeds are cut</h1>",
            "Reeds are cut",
        ),
        // How many there are is no part of a name, a year is one.
        ("<title>Best reeds (77,141 reeds)</title>", "Best reeds"),
        ("<title>Best reeds (2024)</title>", "Best reeds (2024)"),
        // A word that says nothing gives way to the site's name.
        ("<title>README | dailyreed</title><h1>README</h1>", "dailyreed"),
    ] {
        assert_eq!(of(html).title.as_deref(), Some(wanted), "{html}");
    }
    let article = of(
        "<title>Reed cutting in ten steps</title><h1>How reeds are cut</h1>\
        <meta property=\"article:published_time\" content=\"2024-05-17\">",
    );
    assert_eq!(article.title.as_deref(), Some("How reeds are cut"));
}

#[test]
fn the_first_page_may_be_called_by_the_sites_name() {
    let url = Url::parse("http://www.dailyreed.test/").expect("an address");
    let found = of_html(
        "<title>Daily Reed - All that grows at the water</title><h1>Daily Reed homepage</h1>",
        &url,
    );
    assert_eq!(found.title.as_deref(), Some("Daily Reed homepage"));
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
    assert_eq!(of(""), PageMetadata::default());
}

#[test]
fn pictures_media_links_tables_and_meta_elements_are_listed() {
    let found = of(
        r#"<base href="/deep/"><meta name="Viewport" content="width=device-width"><h1>Reeds</h1>
        <p><a href="one">First</a> <a href="javascript:no()">No</a> <a href="two"><img src="/p.png" alt="A reed"></a></p>
        <video title="Reeds in wind"><source src="/v.mp4"></video><iframe src="https://films.test/1" title="A film"></iframe>
        <table><tr><th>Name</th><th>Height</th></tr><tr><td>Reed</td><td>3 m</td></tr></table>"#,
    );
    assert_eq!(found.meta[0].name, "viewport");
    assert_eq!(found.images[0].src, "http://www.dailyreed.test/p.png");
    assert_eq!(found.images[0].alt, "A reed");
    let links: Vec<(&str, &str)> = found
        .links
        .iter()
        .map(|link| (link.href.as_str(), link.anchor.as_str()))
        .collect();
    assert_eq!(
        links,
        [
            ("http://www.dailyreed.test/deep/one", "First"),
            ("http://www.dailyreed.test/deep/two", "A reed")
        ]
    );
    let media: Vec<(&str, &str, &str)> = found
        .media
        .iter()
        .map(|medium| (medium.kind.as_str(), medium.src.as_str(), medium.title.as_str()))
        .collect();
    assert_eq!(
        media,
        [
            ("video", "http://www.dailyreed.test/v.mp4", "Reeds in wind"),
            ("iframe", "https://films.test/1", "A film")
        ]
    );
    assert_eq!(found.tables, [[["Name", "Height"], ["Reed", "3 m"]]]);
    let json = serde_json::to_string(&found).expect("JSON");
    assert_eq!(
        serde_json::from_str::<PageMetadata>(&json).expect("as it was"),
        found
    );
}

#[test]
fn authors_of_comments_forms_and_other_articles_are_not_those_of_the_page() {
    let found = of(
        r#"<h1>Reeds grow here</h1><p>Ein Artikel von <b>Ann Lee</b> | 17.05.2024</p><p>Reeds grow.</p>
        <div class="comments"><span class="author">Bo Chan</span></div><form><label class="author">Name</label></form>
        <aside><a rel="author">Cy Dunn</a></aside>"#,
    );
    assert_eq!(found.authors, ["Ann Lee"]);
    assert_eq!(found.published.as_deref(), Some("2024-05-17"));
}

#[test]
fn a_person_comes_before_a_desk() {
    let found = of(
        r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"Reeds","author":{"@type":"Organization",
        "name":"Daily Reed"}}</script><h1>Reeds</h1><p class="byline">By Ann Lee</p>"#,
    );
    assert_eq!(found.authors, ["Ann Lee"]);
    let alone = of(
        r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"Reeds","author":{"@type":"Organization",
        "name":"Daily Reed"}}</script><h1>Reeds</h1>"#,
    );
    assert_eq!(alone.authors, ["Daily Reed"]);
}

#[test]
fn the_address_tells_which_name_is_the_pages() {
    let url = Url::parse("http://forum.test/t/iron_pan_and_metal/").expect("an address");
    let found = of_html(
        "<title>Forum - The heart of it all</title><h1>Iron Pan and Metal</h1>",
        &url,
    );
    assert_eq!(found.title.as_deref(), Some("Iron Pan and Metal"));
}

#[test]
fn what_sites_ask_of_robots_and_of_those_who_train_is_kept_as_found() {
    let url = Url::parse("http://site.test/").expect("an address");
    let headers = [
        ("content-type".to_owned(), "text/html".to_owned()),
        ("x-robots-tag".to_owned(), "noai, noimageai".to_owned()),
        ("tdm-reservation".to_owned(), "1".to_owned()),
    ];
    let html = br#"<meta name=robots content="noindex"><meta name=GPTBot content=nofollow><link rel=license href="/terms">
        <link rel=help href="/ai.txt"><p>Reeds."#;
    let found = read(&url, &headers, html).expect("HTML");
    let said: Vec<(&str, &str)> = found
        .directives
        .iter()
        .map(|one| (one.source.as_str(), one.content.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            ("meta robots", "noindex"),
            ("meta gptbot", "nofollow"),
            ("link help", "/ai.txt"),
            ("header x-robots-tag", "noai, noimageai"),
            ("header tdm-reservation", "1")
        ]
    );
    assert_eq!(found.licence.as_deref(), Some("http://site.test/terms"));
}

#[test]
fn calls_to_the_reader_are_no_title() {
    for (address, html, wanted) in [
        (
            "/book-keeping",
            "<title>Book keeping - Start for free</title><h1>Keep your books tidy</h1>",
            "Book keeping",
        ),
        (
            "/reeds",
            "<title>Shop Reeds | Dry, cut and green</title><h1>All Reeds</h1>",
            "All Reeds",
        ),
        (
            "/fittings",
            "<title>Shop fittings</title><h1>All Reeds</h1>",
            "Shop fittings",
        ),
        // What a thing is for is no part of its name; what it is like may be.
        (
            "/reeds",
            "<title>Reeds for ponds & roofs</title><h1>Reeds</h1>",
            "Reeds",
        ),
        (
            "/reeds/ponds",
            "<title>Reeds for ponds & roofs</title><h1>Reeds</h1>",
            "Reeds for ponds & roofs",
        ),
        (
            "/reeds",
            "<title>Reeds cut in spring</title><h1>Reeds</h1>",
            "Reeds cut in spring",
        ),
        (
            "/reed/latest/reed/roof/index.html",
            "<meta name=generator content=rustdoc><title>reed::roof - Rust</title><h1>Module roof</h1>",
            "reed::roof",
        ),
    ] {
        let url = Url::parse(&format!("http://www.dailyreed.test{address}")).expect("an address");
        assert_eq!(of_html(html, &url).title.as_deref(), Some(wanted), "{html}");
    }
}

#[test]
fn the_address_decides_between_heading_and_title() {
    for (path, html, wanted) in [
        // What stands before the site's name is a part of the site, and a link leads there.
        (
            "view?id=7",
            "<title>Why do reeds grow? / Water birds / Daily Reed</title><h1>Daily Reed</h1><a href=/birds>Water birds</a>",
            "Why do reeds grow?",
        ),
        (
            "view?id=7",
            "<title>Why do reeds grow? / Water birds / Daily Reed</title><h1>Daily Reed</h1>",
            "Why do reeds grow? / Water birds",
        ),
        // The heading is a part of the title, and the address says it.
        (
            "reed-cutting-tools",
            "<title>Reed cutting software | Reed cutting tools | Try it - Daily Reed</title><h1>Reed cutting tools</h1>",
            "Reed cutting tools",
        ),
        // The heading says more, and so does the address.
        (
            "book/Reed-Cutting-Tools-in-a-Nutshell",
            "<title>Daily Reed - Tools in a Nutshell</title><h1>3.1 Reed Cutting - Tools in a Nutshell</h1>",
            "Reed Cutting - Tools in a Nutshell",
        ),
        // Accents are no difference between a title and its address.
        (
            "nörd-zero",
            "<title>Nörd Zero | Sandals</title><h1>Our shop</h1>",
            "Nörd Zero",
        ),
    ] {
        let url = Url::parse(&format!("http://www.dailyreed.test/{path}")).expect("an address");
        assert_eq!(of_html(html, &url).title.as_deref(), Some(wanted), "{html}");
    }
}

#[test]
fn hostile_linked_data_is_bounded() {
    let script = |json: &str| {
        of(&format!(
            "<title>Reeds grow</title><script type=\"application/ld+json\">{json}</script>"
        ))
    };
    // Ten megabytes are data, not a description.
    let large = format!(r#"{{"@type":"Article","headline":"{}"}}"#, "x".repeat(10 << 20));
    assert_eq!(script(&large).title.as_deref(), Some("Reeds grow"));
    // Deeper than a reader of JSON may go.
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    assert_eq!(script(&deep).title.as_deref(), Some("Reeds grow"));
    // A thing that is its own author.
    let cyclic = script(
        r##"{"@graph":[{"@type":"Article","@id":"#a","headline":"Reeds grow","author":{"@id":"#b"}},
        {"@id":"#b","author":{"@id":"#a"}}]}"##,
    );
    assert!(cyclic.authors.is_empty());
    // Half characters, unknown escapes, line breaks, a comma too many.
    let broken = script(
        "{\"@type\":\"Article\",\"author\":\"Ann\\ud800 L\\'ee\n\",\"datePublished\":\"2024-05-17\",}",
    );
    assert_eq!(broken.authors, ["Ann\u{FFFD} L'ee"]);
    assert_eq!(broken.published.as_deref(), Some("2024-05-17"));
    let whole = script("{\"@type\":\"Article\",\"headline\":\"\\ud83d\\ude00 Reeds\",}");
    assert!(whole.title.is_some());
    let many: Vec<String> = (0..10_000).map(|at| format!("\"Ann Lee{at}\"")).collect();
    let many = script(&format!(r#"{{"@type":"Article","author":[{}]}}"#, many.join(",")));
    assert_eq!(many.authors.len(), AUTHORS_MAX);
    for year in ["0000-01-01", "9999-12-31", "2024-13-45", "-2024-01-01T00:00:00Z"] {
        let found = script(&format!(r#"{{"@type":"Article","datePublished":"{year}"}}"#));
        assert!(
            found.published.is_none() || year.starts_with('-'),
            "{year}: {:?}",
            found.published
        );
    }
}

#[test]
fn hostile_pages_have_bounded_lists() {
    let links = "<a href=x>y</a>".repeat(30_000);
    let tables = "<table><tr><td>a<td>b</table>".repeat(500);
    let nested = "<table><tr><td>".repeat(2000);
    let found = of(&format!("<title>- | - | -</title>{links}{tables}{nested}"));
    assert!(found.links.len() <= 20_000 && found.tables.len() <= 200);
    let bars = format!("<title>{}</title>", "a | ".repeat(50_000));
    assert!(of(&bars).title.is_some());
}
