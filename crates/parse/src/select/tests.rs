use super::*;

fn with<T>(html: &str, ask: impl FnOnce(&Input<'_>) -> T) -> T {
    let url = Url::parse("http://site.test/dir/page.html").unwrap();
    ask(&Input {
        url: &url,
        headers: &[("content-type".to_owned(), "text/html; charset=utf-8".to_owned())],
        body: html.as_bytes(),
        agent: "gleaner",
        is_sitemap: false,
    })
}

fn links(html: &str, css: &str) -> Vec<String> {
    let selector = Selector::check(css).unwrap();
    let links = with(html, |input| select_links(input, &selector));
    links
        .iter()
        .map(|link| {
            format!(
                "{} {}",
                &link.url.as_str()["http://site.test".len()..],
                link.anchor
            )
        })
        .collect()
}

#[test]
fn links_are_those_inside_or_on_what_matches() {
    let html = "<a href=/0>out</a><ul class=list><li><a href=1>One</a><li><a href=/2 class=x>Two <b>too</b></a>\
        <li><a href=./1>again</a><li><a href='#top'>jump</a><li><a name=n>none</a><li><a href=javascript:x()>js</a></ul>\
        <map class=list><area href=/3 alt=Three></map><div class=list><div class=list><a href=/4><img alt=Four></a></div></div>\
        <link href=/5 class=list><a href=/2 class=y>later</a>";
    let cases: [(&str, &[&str]); 6] = [
        (".list", &["/dir/1 One", "/2 Two too", "/3 Three", "/4 Four"]),
        ("a.x", &["/2 Two too"]),
        ("a.x, a.y", &["/2 Two too"]),
        ("li:first-child a", &["/dir/1 One"]),
        ("map area", &["/3 Three"]),
        (".nothing", &[]),
    ];
    for (css, want) in cases {
        assert_eq!(links(html, css), want, "{css}");
    }
}

#[test]
fn links_follow_the_base_and_the_charset() {
    assert_eq!(links("<base href=/b/><p><a href=x>w</a>", "p"), ["/b/x w"]);
    let url = Url::parse("http://site.test/").unwrap();
    let input = Input {
        url: &url,
        headers: &[(
            "content-type".to_owned(),
            "text/html; charset=iso-8859-1".to_owned(),
        )],
        body: b"<a href='?q=\xE4'>w</a>",
        agent: "gleaner",
        is_sitemap: false,
    };
    let found = select_links(&input, &Selector::check("a").unwrap());
    assert_eq!(found[0].url.as_str(), "http://site.test/?q=%E4");
}

#[test]
fn a_bad_selector_says_where() {
    let cases = [("div[", 1), ("a > > b", 2), ("", 1), ("p:nope", 2), ("..", 1)];
    for (css, least) in cases {
        match Selector::check(css).unwrap_err() {
            SelectorError::Syntax { column, .. } => assert!(column >= least, "{css}: {column}"),
            error => panic!("{error}"),
        }
    }
    let error = Selector::check("main p:nope").unwrap_err().to_string();
    assert!(error.contains("at character 7"), "{error}");
}

#[test]
fn a_page_says_whether_somebody_is_logged_in() {
    let html = "<p class=user>Logged in as <b>Ann</b>\n  Example</p><form><input type=submit value='Log out'></form>\
        <p hidden>secret words</p><script>var t = 'in a script';</script><p>Wrong pass<i>word</i></p><p>next</p>\
        <table><tr><td>one</td><td>two</td></tr></table>";
    let seen = [
        ("Logged in as Ann Example", true),
        ("  as \n Ann ", true),
        ("Log out", true),
        ("Wrong password", true),
        ("password next", true),
        ("passwordnext", false),
        ("one two", true),
        ("logged in", false),
        ("secret words", false),
        ("in a script", false),
        ("", false),
        (" ", false),
    ];
    for (text, want) in seen {
        assert_eq!(with(html, |input| contains_text(input, text)), want, "{text:?}");
    }
    for (css, want) in [
        ("p.user", true),
        ("form input[type=password]", false),
        ("b:contains('Ann')", true),
    ] {
        let selector = Selector::check(css).unwrap();
        assert_eq!(with(html, |input| matches(input, &selector)), want, "{css}");
    }
}

#[test]
fn other_documents_have_words_but_no_places() {
    let url = Url::parse("http://site.test/a.txt").unwrap();
    let headers = [("content-type".to_owned(), "text/plain".to_owned())];
    let input = Input {
        url: &url,
        headers: &headers,
        body: b"two\n  words <a href=x>",
        agent: "gleaner",
        is_sitemap: false,
    };
    assert!(contains_text(&input, "two words"));
    assert!(!matches(&input, &Selector::check("a").unwrap()));
    assert!(select_links(&input, &Selector::check("a").unwrap()).is_empty());
}
