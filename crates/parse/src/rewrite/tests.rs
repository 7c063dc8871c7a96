use super::*;
use crate::{Input, parse};
use proptest::prelude::*;
use std::collections::BTreeSet;

const PAGE: &str = "http://a.test/dir/page.html";

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// A copy that has all of `a.test` under its own paths, but nothing below `/gone`.
fn find(url: &Url) -> Option<String> {
    let is_there = url.host() == "a.test" && !url.path().starts_with("/gone");
    is_there.then(|| format!("..{}", url.path()))
}

fn html(page: &str) -> String {
    as_type(page, "text/html; charset=utf-8")
}

fn as_type(body: &str, content_type: &str) -> String {
    let headers = vec![("content-type".to_owned(), content_type.to_owned())];
    let done = rewrite(&url(PAGE), &headers, body.as_bytes(), &find);
    done.body
        .map_or_else(|| body.to_owned(), |body| String::from_utf8(body).unwrap())
}

/// No document of ours has such an address, so the copy has not, and its own folder even less.
#[test]
fn case33_an_address_too_long_for_us_leads_to_the_origin() {
    let query = "x".repeat(gleaner_model::defaults::URL_BYTES_MAX);
    for (written, whole) in [
        (
            format!("b.html?{query}"),
            format!("http://a.test/dir/b.html?{query}"),
        ),
        (
            format!("/b.html?{query}"),
            format!("http://a.test/b.html?{query}"),
        ),
        (
            format!("?{query}"),
            format!("http://a.test/dir/page.html?{query}"),
        ),
    ] {
        assert_eq!(
            html(&format!("<a href=\"{written}\">")),
            format!("<a href=\"{whole}\">")
        );
    }
    let other = format!("<a href=\"mailto:{query}\"><a href=\"data:,{query}\">");
    assert_eq!(html(&other), other);
}

#[test]
fn every_place_is_rewritten_and_nothing_else() {
    let cases = [
        (r#"<a href="b.html">"#, r#"<a href="../dir/b.html">"#),
        ("<a href='/b.html#x y'>", "<a href='../b.html#x%20y'>"),
        ("<a href=/b.html>", "<a href=../b.html>"),
        ("<A\n HREF = \"/b\" >", "<A\n HREF = \"../b\" >"),
        (
            r##"<a href="#x"><a href=""><a href="mailto:x@y"><a href="javascript:f('a')">"##,
            r##"<a href="#x"><a href=""><a href="mailto:x@y"><a href="javascript:f('a')">"##,
        ),
        (
            r#"<a href="/gone/x?a=1&amp;b=2">"#,
            r#"<a href="http://a.test/gone/x?a=1&amp;b=2">"#,
        ),
        (r#"<a href="http://B.test/x">"#, r#"<a href="http://B.test/x">"#),
        (r#"<a href="//b.test/x">"#, r#"<a href="http://b.test/x">"#),
        (
            r#"<img src=/i.png srcset="/i.png 1x, /gone/b,c.png 2x" data-src=/l.png>"#,
            r#"<img src=../i.png srcset="../i.png 1x, http://a.test/gone/b,c.png 2x" data-src=../l.png>"#,
        ),
        (
            r#"<video poster=/p.png src=/v.mp4></video><object data="/o.svg"></object><form action=/f>"#,
            r#"<video poster=../p.png src=../v.mp4></video><object data="../o.svg"></object><form action=../f>"#,
        ),
        (
            r#"<object codebase="/o/" data="x.svg">"#,
            r#"<object codebase="" data="../o/x.svg">"#,
        ),
        (
            r#"<meta http-equiv=refresh content="3; url='/b'">"#,
            r#"<meta http-equiv=refresh content="3; url=&#39;../b&#39;">"#,
        ),
        (
            r#"<meta http-equiv=refresh content="3; url=/gone/x'y">"#,
            r#"<meta http-equiv=refresh content="3; url=http://a.test/gone/x&#39;y">"#,
        ),
        (
            r#"<p style="background:url(&quot;/i.png&quot;)">"#,
            r#"<p style="background:url(&quot;../i.png&quot;)">"#,
        ),
        (
            "<style>@import '/s.css'; a{b:url(/gone/(x).png)} c{d:url( /i.png )}</style>",
            "<style>@import '../s.css'; a{b:url(/gone/(x).png)} c{d:url( ../i.png )}</style>",
        ),
        (
            r##"<svg><image xlink:href="/i.png"/><use href="#y"/><style>a{b:url(/i.png?a&amp;b)}</style></svg>"##,
            r##"<svg><image xlink:href="../i.png"/><use href="#y"/><style>a{b:url(../i.png)}</style></svg>"##,
        ),
        (
            r#"<iframe srcdoc="<a href='/b'>&uuml;</a>"></iframe>"#,
            r#"<iframe srcdoc="&lt;a href=&#39;../b&#39;&gt;&#252;&lt;/a&gt;"></iframe>"#,
        ),
        (
            r#"<link rel="canonical" href="/b"><link rel=stylesheet href=/s.css>"#,
            r#"<link rel="canonical" href="http://a.test/b"><link rel=stylesheet href=../s.css>"#,
        ),
        (
            "<script>var a = '<a href=\"/b\">'</script>",
            "<script>var a = '<a href=\"/b\">'</script>",
        ),
        (
            "<!-- <a href='/b'> --><textarea><a href=/b></textarea>",
            "<!-- <a href='/b'> --><textarea><a href=/b></textarea>",
        ),
        (
            r#"<a ping="/p /gone/q" href=/b>"#,
            r#"<a ping="../p http://a.test/gone/q" href=../b>"#,
        ),
    ];
    for (page, want) in cases {
        assert_eq!(html(page), want, "{page}");
    }
}

#[test]
fn a_base_goes_and_everything_leads_where_it_led() {
    let page = r##"<base href="/other/" target=_blank><a href="x"><a href="#y"><a href=""><style>a{b:url(z.png)}</style>"##;
    let want = r#"<base href="" target=_blank><a href="../other/x"><a href="../other/#y"><a href="../other/"><style>a{b:url(../other/z.png)}</style>"#;
    assert_eq!(html(page), want);
    // Also for what stands before it.
    assert_eq!(
        html("<a href=x><base href=/o/>"),
        "<a href=../o/x><base href=\"\">"
    );
}

#[test]
fn what_binds_a_page_to_its_server_goes() {
    let page = r#"<script src=/s.js integrity="sha384-x" crossorigin="anonymous" defer></script><link rel=stylesheet integrity=x crossorigin href=/s.css><img crossorigin = use-credentials src=/i.png>"#;
    let want = r#"<script src=../s.js integrity=""  defer></script><link rel=stylesheet integrity="" href=../s.css><img  src=../i.png>"#;
    assert_eq!(html(page), want);
    let policy = r#"<meta http-equiv="Content-Security-Policy" content="default-src 'self'">"#;
    assert_eq!(
        html(policy),
        r#"<meta http-equiv="Content-Security-Policy" content="">"#
    );
}

#[test]
fn a_charset_of_the_header_is_told_by_the_page() {
    let headers = |of: &str| vec![("content-type".to_owned(), of.to_owned())];
    let rewritten = |of: &str, body: &[u8]| rewrite(&url(PAGE), &headers(of), body, &find).body;
    let page = b"<!doctype html><!-- x --><html><head lang=x><title>gr\xFCn</title>";
    let want =
        b"<!doctype html><!-- x --><html><head lang=x><meta charset=\"windows-1252\"><title>gr\xFCn</title>";
    assert_eq!(rewritten("text/html; charset=iso-8859-1", page).unwrap(), want);
    let page = b"<!doctype html><p>gr\xFCn";
    let want = b"<!doctype html><meta charset=\"windows-1252\"><p>gr\xFCn";
    assert_eq!(rewritten("text/html; charset=latin1", page).unwrap(), want);
    // Not into a comment that never ends.
    let page = b"<!doctype html><!-- <p>gr\xFCn>";
    let want = b"<!doctype html><meta charset=\"windows-1252\"><!-- <p>gr\xFCn>";
    assert_eq!(rewritten("text/html; charset=latin1", page).unwrap(), want);
    // The header outranks what the page says.
    let page = b"<meta charset=utf-8><p>gr\xFCn";
    let want = b"<meta charset=\"windows-1252\"><meta charset=utf-8><p>gr\xFCn";
    assert_eq!(rewritten("text/html; charset=latin1", page).unwrap(), want);
    for same in [&b"<meta charset=latin1><p>gr\xFCn"[..], b"<p>plain"] {
        assert_eq!(rewritten("text/html; charset=latin1", same), None);
    }
    assert_eq!(
        rewritten("text/css; charset=latin1", b"a{b:'gr\xFCn'}").unwrap(),
        b"@charset \"windows-1252\";\na{b:'gr\xFCn'}"
    );
    let wide: Vec<u8> = "<a href=/b>ü".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(
        rewritten("text/html; charset=utf-16le", &wide).unwrap(),
        "\u{feff}<a href=../b>ü".as_bytes()
    );
}

#[test]
fn style_sheets_and_drawings_are_rewritten_and_data_is_not() {
    assert_eq!(
        as_type(
            "@import \"/x.css\";a{b:url(../i.png);c:url(#d);e:url(\"\")}",
            "text/css"
        ),
        "@import \"../x.css\";a{b:url(../i.png);c:url(#d);e:url(\"\")}"
    );
    assert_eq!(
        as_type("a{b:url(/gone/x\\'\\).png)}", "text/css"),
        "a{b:url(http://a.test/gone/x\\'\\).png)}"
    );
    assert_eq!(
        as_type(
            "<svg xmlns='http://www.w3.org/2000/svg'><a href='/b'/></svg>",
            "image/svg+xml"
        ),
        "<svg xmlns='http://www.w3.org/2000/svg'><a href='../b'/></svg>"
    );
    for (data, of) in [
        ("<?xml version='1.0'?><x href='/b'/>", "application/xml"),
        ("{\"href\":\"/b\"}", "application/json"),
        ("<a href=/b>", "text/plain"),
    ] {
        assert_eq!(as_type(data, of), data);
    }
}

#[test]
fn legacy_charsets_stay_and_queries_are_theirs() {
    let headers = vec![("content-type".to_owned(), "text/html".to_owned())];
    let page = b"<meta charset=windows-1252><a href=\"/gone/?q=\xFC\">\xFC</a><a href='/\xFC'>";
    let asked = std::cell::RefCell::new(Vec::new());
    let done = rewrite(&url(PAGE), &headers, page, &|url| {
        asked.borrow_mut().push(url.to_string());
        find(url)
    });
    assert_eq!(
        *asked.borrow(),
        ["http://a.test/gone/?q=%FC", "http://a.test/%C3%BC"]
    );
    assert_eq!(
        done.body.unwrap(),
        b"<meta charset=windows-1252><a href=\"http://a.test/gone/?q=%FC\">\xFC</a><a href='../%C3%BC'>"
    );
    assert_eq!((done.inside, done.outside), (1, 1));
}

/// Addresses that a page leads to, as the crawler sees them.
fn links(body: &[u8]) -> BTreeSet<String> {
    let headers = vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())];
    let page = url(PAGE);
    let parsed = parse(&Input {
        url: &page,
        headers: &headers,
        body,
        agent: "",
        is_sitemap: false,
    });
    parsed.links.iter().map(|link| link.url.to_string()).collect()
}

fn piece() -> impl Strategy<Value = String> {
    let address = prop_oneof![
        "[a-c/?#&=;.,'() ü%]{0,8}",
        "https?://[a-c]\\.test/[a-c?'(),]{0,4}",
        Just("data:image/png;base64,xx".to_owned()),
    ];
    let place = prop::sample::select(vec![
        "<a href=\"@\">",
        "<a href='@'>",
        "<a href=@ >",
        "<img src=\"@\" srcset=\"@ 1x, @ 2x\">",
        "<img srcset='@, b.png 2x'>",
        "<p style=\"b:url('@')\">",
        "<p style='b:url(@)'>",
        "<style>@import \"@\";a{b:url(@)}</style>",
        "<meta http-equiv=refresh content=\"1;url=@\">",
        "<iframe srcdoc='<a href=\"@\">'></iframe>",
        "<form action=@><svg><use xlink:href='@'/></svg></form>",
        "<base href='@'>",
        "<script src=@ crossorigin></script>",
        "@",
        "<",
        "<!--",
        "-->",
        "</style>",
        "&amp;",
    ]);
    (place, address).prop_map(|(place, address)| {
        place
            .replacen("@import", "\u{1}", 1)
            .replace('@', &address)
            .replace('\u{1}', "@import")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Where nothing is in the copy, every address becomes whole: the page leads where it led, wherever it lies.
    #[test]
    fn a_page_leads_where_it_led(pieces in prop::collection::vec(piece(), 0..6)) {
        let page = pieces.concat();
        let headers = vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())];
        let done = rewrite(&url(PAGE), &headers, page.as_bytes(), &|_| None);
        let after = done.body.unwrap_or_else(|| page.clone().into_bytes());
        let (before, after_links) = (links(page.as_bytes()), links(&after));
        // The crawler passes over links without an address; with a base they lead to it, and that is now written down.
        let may_be_more = usize::from(page.contains("<base"));
        let is_right = before.is_subset(&after_links) && after_links.len() <= before.len() + may_be_more;
        prop_assert!(is_right, "{}\n{}\n{:?}\n{:?}", page, String::from_utf8_lossy(&after), before, after_links);
    }

    /// A second time changes nothing.
    #[test]
    fn whole_addresses_stay(pieces in prop::collection::vec(piece(), 0..6)) {
        let headers = vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())];
        let page = pieces.concat();
        let once = rewrite(&url(PAGE), &headers, page.as_bytes(), &|_| None);
        let once = once.body.unwrap_or_else(|| page.into_bytes());
        let twice = rewrite(&url(PAGE), &headers, &once, &|_| None);
        prop_assert_eq!(twice.body, None, "{}", String::from_utf8_lossy(&once));
    }

    #[test]
    fn any_bytes_are_rewritten(bytes in prop::collection::vec(any::<u8>(), 0..300), of in "text/(html|css)|image/svg\\+xml|application/xhtml\\+xml") {
        let headers = vec![("content-type".to_owned(), of)];
        rewrite(&url(PAGE), &headers, &bytes, &find);
    }
}
