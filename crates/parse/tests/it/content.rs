//! Content from outside: blocks and their paths, regions, Markdown, other kinds, hostile pages, properties.

use gleaner_model::{BlockKind, Content, Url};
use gleaner_parse::content::{self, Part, SelectorError, Selectors};
use proptest::prelude::*;
use std::fmt::Write;
use std::fs;

fn base() -> Url {
    Url::parse("http://site.test/dir/page.html").unwrap()
}

fn of(html: &str) -> Content {
    content::of_html(html, &base())
}

/// `kind: text` of every block.
fn shown(content: &Content) -> Vec<String> {
    content
        .blocks
        .iter()
        .map(|block| format!("{}: {}", format!("{:?}", block.kind).to_lowercase(), block.text))
        .collect()
}

#[test]
fn text_is_cut_into_blocks_as_a_reader_sees_it() {
    for (html, expected) in [
        (
            "<h1>A</h1><p>b <i>c</i>d</p>",
            &["heading: A", "paragraph: b cd"][..],
        ),
        (
            "<ul><li>a<li><p>b</p><p>c</p></ul>",
            &["item: a", "item: b", "paragraph: c"],
        ),
        (
            "<table><tr><th>a<th>b<tr><td>1<td><p>2</p></table>",
            &["row: a | b", "row: 1 | 2"],
        ),
        ("<pre>a\n  b\n</pre>", &["code: a\n  b"]),
        ("<p>a<br>b<br><br>c</p>", &["paragraph: a b", "paragraph: c"]),
        (
            "<p>a\u{AD}b\u{200B}c  \u{A0} d e\u{301}</p>",
            &["paragraph: abc d \u{e9}"],
        ),
        (
            "<p>a<script>x</script><style>y</style><template>z</template></p>",
            &["paragraph: a"],
        ),
        (
            "<p hidden>a</p><p style='color:red; display : none'>b</p><p aria-hidden=true>c</p>",
            &["paragraph: c"],
        ),
        (
            "<p style='display:none !important'>a</p><p style='display:nonesuch'>b</p>",
            &["paragraph: b"],
        ),
        ("<noscript><p>a</p></noscript>", &["paragraph: a"]),
        ("<body><noscript><p>a</p></noscript><p>b</p>", &["paragraph: b"]),
        ("<a href=1>a</a><a href=2>b</a>", &["paragraph: a b"]),
        ("<input type=submit value=Go><input value=x>", &["other: Go"]),
        (
            "<dialog>a</dialog><details><summary>b</summary>c</details>",
            &["other: b", "other: c"],
        ),
        ("<svg><title>t</title><text>a</text></svg>", &["paragraph: a"]),
        ("", &[]),
    ] {
        assert_eq!(shown(&of(html)), expected, "{html}");
    }
}

#[test]
fn links_are_resolved_in_order_and_belong_to_their_block() {
    let content = of(
        "<base href=/x/><p><a href=b>1</a> <a href=#top>2</a> <a href='mailto:a@b.test'>3</a></p>\
                      <a href=c><div>4</div></a><p><a href=d><img></a></p><p>5</p>",
    );
    let links: Vec<_> = content.blocks.iter().map(|b| b.links.join(" ")).collect();
    assert_eq!(
        links,
        ["http://site.test/x/b mailto:a@b.test", "http://site.test/x/c", ""]
    );
}

#[test]
fn paths_stay_when_the_page_around_them_changes() {
    let page = |ad: &str, more: &str| {
        format!(
            "<div class=top>{ad}</div><div id=post-123 class='css-1x9f3a'><p>one</p><p>two</p>{more}</div><div class=end>three</div>"
        )
    };
    let path = |content: &Content, text: &str| {
        content
            .blocks
            .iter()
            .find(|b| b.text == text)
            .map(|b| b.path.clone())
            .unwrap()
    };
    let old = of(&page("", ""));
    let new =
        of(&page("<div class=ad-slot><p>buy</p><p>now</p></div>", "<ul><li>x</ul>").replace("123", "456"));
    assert_eq!(path(&old, "one"), "div#post/p");
    for text in ["one", "two", "three"] {
        assert_eq!(path(&old, text), path(&new, text));
    }
    let paths: std::collections::HashSet<_> = new.blocks.iter().map(|b| &b.path).collect();
    assert_eq!(paths.len(), new.blocks.len());
}

const ARTICLE: &str = "<article><h1>A title</h1>PARAGRAPHS</article>";

fn article(paragraphs: usize) -> String {
    let mut text = String::new();
    for n in 0..paragraphs {
        write!(text, "<p>Paragraph {n} says something that is long enough to be read, and it goes on for a while after that, as paragraphs do.</p>").unwrap();
    }
    ARTICLE.replace("PARAGRAPHS", &text)
}

#[test]
fn main_text_leaves_out_what_surrounds_it_and_stays_when_that_changes() {
    let page = |related: &str| {
        format!(
            "<header><a href=/>Home</a></header><nav><ul><li><a href=1>One</a><li><a href=2>Two</a></ul></nav>{}\
             <aside><h2>Related</h2>{related}</aside><footer>© 2026 Somebody</footer>",
            article(12)
        )
    };
    let old = of(&page("<a href=3>Three</a>"));
    // Whether the title is part of the text is a matter of taste; its twelve paragraphs are.
    assert_eq!(
        old.main()
            .filter(|block| block.kind == BlockKind::Paragraph)
            .count(),
        12
    );
    assert!(old.main().all(|b| b.path.contains("article")));
    let new = of(&page(
        &"<p><a href=4>Another thing to read</a> which is advertised in many words here</p>".repeat(9),
    ));
    assert_eq!(content::main_text(&old), content::main_text(&new));
}

#[test]
fn a_page_without_text_has_no_main_text() {
    for html in ["", "<nav><a href=a>b</a></nav>", "<p>Hi</p>", "<title>x</title>"] {
        assert_eq!(of(html).main().count(), 0, "{html}");
    }
}

/// Found on a wiki: with no main text, the trail of pages that one came by was a change.
#[test]
fn one_sentence_in_main_is_the_main_text() {
    let page = |trail: &str| {
        format!(
            "<header><h1><a href=/>Wiki</a></h1><div class=breadcrumbs>Trace: {trail}</div></header>\
             <main><p>Reeds grow here.</p></main><footer>Written by many</footer>"
        )
    };
    let one = of(&page("<a href=a>start</a> <a href=b>herons</a>"));
    assert_eq!(content::main_text(&one).trim(), "Reeds grow here.");
    let other = of(&page(
        "<a href=c>a place far away from here</a> <a href=d>stones</a>",
    ));
    assert_eq!(content::main_text(&one), content::main_text(&other));
}

#[test]
fn a_region_is_include_minus_exclude_under_the_same_paths() {
    let html = "<div id=a><p>one</p><p class=ad>two</p></div><div id=b><p>three</p></div>";
    let cut = |include: &[&str], exclude: &[&str]| {
        content::region(html, &base(), &Selectors::check(include, exclude).unwrap())
    };
    let part = cut(&["#a"], &[".ad"]);
    assert_eq!(shown(&part.content), ["paragraph: one"]);
    assert!(part.content.blocks[0].is_main);
    assert_eq!(part.content.blocks[0].path, of(html).blocks[0].path);
    assert_eq!(
        shown(&cut(&[], &["p.ad"]).content),
        ["paragraph: one", "paragraph: three"]
    );
    assert_eq!(shown(&cut(&["div"], &["*"]).content), [""; 0]);
    assert_eq!(cut(&["#gone"], &[]).matched_nothing, ["#gone"]);
}

#[test]
fn hc086_a_wrong_selector_is_one_clear_error() {
    let error = Selectors::check(&["p > "], &[]).unwrap_err();
    assert!(
        matches!(&error, SelectorError::Syntax { selector, .. } if selector == "p > "),
        "{error}"
    );
    let error = Selectors::check(&["div p[", "a"], &[]).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("not a CSS selector, at character 6:"),
        "{error}"
    );
    assert!(error.to_string().ends_with(": div p["), "{error}");
    for wrong in ["", "  ", "!", "p::nonesuch(", "a,,b"] {
        assert!(Selectors::check(&[wrong], &[]).is_err(), "{wrong}");
    }
    assert!(Selectors::check(&["é".repeat(5000)], &[]).is_err());
    assert!(Selectors::check(&vec!["p"; 101], &[]).is_err());
}

#[test]
fn markdown_keeps_structure_and_links() {
    let html = "<h2>T</h2><p>a <b>b</b> <a href=/c>d <i>e</i></a>, f*g</p><ol><li>one<ul><li>in</ul><li>two</ol>\
                <table><tr><th>x<th>y<tr><td>1<td>2</table><pre>let a;\n</pre><blockquote><p>q</p></blockquote>";
    assert_eq!(
        content::markdown(html, &base(), Part::Whole),
        "## T\n\na **b** [d *e*](http://site.test/c), f\\*g\n\n1. one\n  - in\n1. two\n\n\
         | x | y |\n| --- | --- |\n| 1 | 2 |\n\n```\nlet a;\n```\n\n> q\n"
    );
}

#[test]
fn other_kinds_of_text_are_blocks_too_and_binaries_are_none() {
    let read = |kind: &str, body: &[u8]| {
        content::read(&base(), &[("content-type".to_owned(), kind.to_owned())], body)
    };
    let text = read("text/plain", b"one\ntwo\n\nthree\n").unwrap();
    assert_eq!(shown(&text), ["paragraph: one two", "paragraph: three"]);
    assert!(text.blocks.iter().all(|b| b.is_main));
    let json = read("application/json", b"{\"a\":[1,2]}").unwrap();
    assert_eq!(shown(&json), ["item: 1", "item: 2"]);
    let feed = read("application/xml", b"<r><a>1</a></r>").unwrap();
    assert_eq!(shown(&feed), ["paragraph: 1"]);
    assert!(read("application/pdf", b"%PDF-1.7\n\x00\x01").is_none());
    assert!(read("image/png", b"\x89PNG\r\n\x1a\n\x00\x00").is_none());
    let latin = read("text/html; charset=iso-8859-1", b"<p>caf\xE9").unwrap();
    assert_eq!(shown(&latin), ["paragraph: caf\u{e9}"]);
}

#[test]
fn hc081_a_hundred_thousand_nested_elements() {
    for open in [
        "<div>",
        "<b>",
        "<span>",
        "<font size=N>",
        "<table><tr><td>",
        "<ul><li>",
        "<svg><g>",
        "<p><object>",
        "<span><div></span>",
        "<form><div></form>",
        "<div><table><td></div>",
        "<div><b x=N>",
    ] {
        let mut html = String::new();
        for n in 0..100_000 {
            html.push_str(&open.replace('N', &n.to_string()));
        }
        html.push_str("deep</x></div></b><p>end");
        let content = of(&html);
        assert!(content::text(&content).contains("deep"), "{open}");
        assert!(content.blocks.iter().all(|b| b.path.len() < 500), "{open}");
        content::markdown(&html, &base(), Part::Whole);
    }
}

#[test]
fn hostile_shapes_take_linear_time() {
    let many_attributes: String = (0..300_000).map(|n| format!(" a{n}=x")).collect();
    let content = of(&format!("<p{many_attributes}>one</p><p>two</p>"));
    assert_eq!(shown(&content), ["paragraph: one", "paragraph: two"]);
    // Unclosed formatting is opened again in each paragraph: 500 × 200,000 elements if nobody counts.
    let fonts: String = (0..600).map(|n| format!("<font color=c{n}>")).collect();
    assert!(!of(&(fonts + &"<p>x".repeat(200_000))).blocks.is_empty());
    assert!(!of(&"<a href=x>y".repeat(100_000)).blocks.is_empty());
    assert!(
        !of(&format!("<p>{}", "e\u{301}\u{302}".repeat(300_000)))
            .blocks
            .is_empty()
    );
    assert!(!of(&"<table><tr><td>x".repeat(50_000)).blocks.is_empty());
    of(&"<p ".repeat(100_000));
    of(&"<select><option>".repeat(50_000));
}

#[test]
fn standard_tests_never_panic() {
    let Some(folder) = gleaner_fixtures::corpus("html5lib-tests/tree-construction") else {
        return;
    };
    let files = fs::read_dir(folder).expect("a folder of tests");
    let mut count = 0;
    for file in files {
        let file = fs::read(file.unwrap().path()).unwrap_or_default();
        let file = String::from_utf8_lossy(&file);
        for case in file.split("#data\n").skip(1) {
            let html = case.split("\n#errors").next().unwrap_or("");
            let content = of(html);
            assert_eq!(content, of(html));
            content::markdown(html, &base(), Part::Main);
            count += 1;
        }
    }
    println!("html5lib tree construction read without panic: {count}/{count}");
    assert!(count > 100);
}

fn markup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zé<>&\"' ]{0,6}",
        Just("<p>".to_owned()),
        Just("</p>".to_owned()),
        Just("<div class=a1>".to_owned()),
        Just("</div>".to_owned()),
        Just("<table><tr><td>".to_owned()),
        Just("<a href=/x>".to_owned()),
        Just("</a>".to_owned()),
        Just("<li>".to_owned()),
        Just("<pre>\n".to_owned()),
        Just("<b>".to_owned()),
        Just("<script>".to_owned()),
        Just("</script>".to_owned()),
        Just("<svg><p>".to_owned()),
        Just("<template>".to_owned()),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn reading_twice_gives_the_same_and_paths_are_unique(html in markup()) {
        let content = of(&html);
        prop_assert_eq!(&content, &of(&html));
        let mut paths: Vec<_> = content.blocks.iter().map(|b| &b.path).collect();
        paths.sort();
        paths.dedup();
        prop_assert_eq!(paths.len(), content.blocks.len());
        for block in &content.blocks {
            prop_assert!(!block.text.is_empty());
            if block.kind != BlockKind::Code {
                prop_assert!(!block.text.contains('\n') && !block.text.contains("  "));
            }
        }
        content::markdown(&html, &base(), Part::Whole);
    }

    #[test]
    fn text_holds_no_markup(words in prop::collection::vec("[a-z]{1,8}", 1..30)) {
        let html: String = words.iter().enumerate().map(|(n, w)| match n % 4 {
            0 => format!("<p class=x>{w}</p><!-- c -->"),
            1 => format!("<ul><li><a href='/{w}'>{w}</a></ul>"),
            2 => format!("<div onclick='a()'><b>{w}</b></div><script>SCRIPT='<p>';</script>"),
            _ => format!("<table><tr><td>{w}</table>"),
        }).collect();
        let text = content::text(&of(&html));
        prop_assert!(!text.contains('<') && !text.contains("SCRIPT"));
        prop_assert_eq!(text.split_whitespace().collect::<Vec<_>>(), words);
    }

    #[test]
    fn one_edited_word_changes_one_block(paragraphs in 3usize..25, edited in 0usize..25, word in "[a-z]{1,12}") {
        let edited = edited % paragraphs;
        let html = format!("<nav><a href=/>x</a></nav>{}<footer>f</footer>", article(paragraphs));
        let changed = html.replacen(&format!("Paragraph {edited} says"), &format!("Paragraph {edited} {word}"), 1);
        let (old, new) = (of(&html), of(&changed));
        prop_assert_eq!(old.blocks.len(), new.blocks.len());
        let different = old.blocks.iter().zip(&new.blocks).filter(|(a, b)| a.text != b.text).count();
        prop_assert_eq!(different, usize::from(word != "says"));
        for (a, b) in old.blocks.iter().zip(&new.blocks) {
            prop_assert_eq!((&a.path, a.kind, a.is_main), (&b.path, b.kind, b.is_main));
        }
        prop_assert_eq!(old.normal_digest != new.normal_digest, word != "says");
    }
}

#[test]
fn a_text_that_stands_on_many_pages_is_not_what_a_page_is_about() {
    let page = |number: usize, repeats: &content::Repeats| {
        let own = format!("Heron number {number} stands in the reeds by the water, waits for fish, and has done so since dawn. ").repeat(4);
        let html = format!(
            "<div><p>{own}</p><p>{own}</p></div><div><p>We are a society of friends of water birds, founded long ago, and we \
             are glad about every new member who wants to help us with the work in the field.</p></div>"
        );
        content::of_html_among(&html, &base(), repeats)
    };
    let alone = content::Repeats::default();
    let pages: Vec<_> = (0..12).map(|number| page(number, &alone)).collect();
    let known = content::Repeats::of(&pages);
    assert_eq!(content::Repeats::from_hashes(known.hashes()), known);
    let is_main =
        |content: &gleaner_model::Content| content.main().any(|block| block.text.starts_with("We are"));
    assert!(
        !is_main(&page(20, &known)),
        "what the site says everywhere is left out"
    );
    assert!(
        page(20, &known)
            .main()
            .any(|block| block.text.starts_with("Heron"))
    );
    assert_eq!(
        content::Repeats::of(&pages[..9]),
        alone,
        "nine pages prove nothing"
    );
}

#[test]
fn what_scripts_would_show_is_read() {
    let text = "Reeds grow here, and herons stand between them. ".repeat(20);
    for html in [
        format!("<div style='visibility:hidden'><p>{text}</p></div><p>Loading</p>"),
        format!("<p>Loading</p><div hidden id='S:0'><p>{text}</p></div>"),
        format!("<p>Loading</p><noscript><p>{text}</p></noscript>"),
    ] {
        assert!(content::main_text(&of(&html)).contains("herons"), "{html}");
    }
    let small =
        of("<p>A page of its own, with words enough to be one.</p><div style='display:none'>gone</div>");
    assert!(!content::text(&small).contains("gone"));
}

#[test]
fn markdown_escapes_bars_keeps_formulas_and_drops_marks_of_headings() {
    let html = "<h2>T<a class=headerlink href=#t>\u{b6}</a></h2><table><tr><td>a|b<td>c</table>\
                <p>so <math><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></math> is</p>";
    assert_eq!(
        content::markdown(html, &base(), Part::Whole),
        "## T\n\n| a\\|b | c |\n| --- | --- |\n\nso $x^2$ is\n"
    );
}
