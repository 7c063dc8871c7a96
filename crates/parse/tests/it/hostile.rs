//! Documents that mean harm, or are merely enormous: bounded work, bounded results, never a panic.

use crate::{codes, html, read, shown};
use gleaner_model::defaults::{ANCHOR_CHARS_MAX, LINKS_PER_PAGE_MAX, TITLE_CHARS_MAX};
use gleaner_parse::{Kind, Note};

#[test]
fn hc036_urls_beyond_the_limit_are_noted() {
    let long = format!("<a href='/{}'><a href=ok>", "x".repeat(100 * 1024));
    let parsed = html(&long);
    assert_eq!(shown(&parsed), ["anchor /dir/ok"]);
    assert_eq!(codes(&parsed), ["url-too-long"]);
    let query: String = (0..10_000).map(|i| format!("p{i}={i}&amp;")).collect();
    let parsed = html(&format!("<a href='/x?{query}'>"));
    assert!(parsed.links.is_empty());
    assert_eq!(codes(&parsed), ["url-too-long"]);
    // Each byte may grow threefold.
    let parsed = html(&format!("<a href='/{}'>", "\u{fc}".repeat(4000)));
    assert_eq!(codes(&parsed), ["url-too-long"]);
}

#[test]
fn hc079_invalid_bytes_and_nuls_do_no_harm() {
    let parsed = read(
        b"<title>a\xC0\xAF\0b</title><a href='/\xED\xA0\x80\0x'>\xFF\0y</a>",
        &[("content-type", "text/html; charset=utf-8")],
    );
    assert!(parsed.title.starts_with('a') && parsed.title.ends_with('b') && !parsed.title.contains('\0'));
    assert!(!parsed.links[0].anchor.contains('\0'));
    assert!(parsed.links[0].url.as_str().is_ascii());
}

#[test]
fn hc080_titles_of_marks_are_bounded() {
    let parsed = html(&format!("<title>{}</title>", "\u{301}".repeat(1_000_000)));
    assert_eq!(parsed.title.chars().count(), TITLE_CHARS_MAX);
    let parsed = html(&format!("<a href=x>{}</a>", "\u{202e}x".repeat(1_000_000)));
    assert_eq!(parsed.links[0].anchor.chars().count(), ANCHOR_CHARS_MAX);
}

#[test]
fn hc081_a_million_nested_elements() {
    for name in [
        "div",
        "svg",
        "g",
        "math",
        "foreignObject",
        "b",
        "table",
        "template",
    ] {
        let deep = format!("<svg>{}<a href=x>in</a>", format!("<{name}>").repeat(1_000_000));
        let parsed = html(&deep);
        assert!(parsed.links.len() <= 1, "{name}");
        let closed = format!(
            "{}{}<a href=x>",
            format!("<{name}>").repeat(500_000),
            format!("</{name}>").repeat(500_000)
        );
        assert_eq!(shown(&html(&closed)), ["anchor /dir/x"], "{name}");
    }
    let deep = format!("{}<a href=x>", "<div>".repeat(1_000_000));
    assert_eq!(shown(&html(&deep)), ["anchor /dir/x"]);
}

#[test]
fn hc082_a_hundred_mebibytes_without_a_tag_or_in_one_attribute() {
    let plain = vec![b'x'; 100 * 1024 * 1024];
    let parsed = read(&plain, &[("content-type", "text/html")]);
    assert!(parsed.links.is_empty());
    assert_eq!(codes(&parsed), ["bytes-cut"]);
    let mut attribute = b"<a href=ok></a><a href='".to_vec();
    attribute.resize(15 * 1024 * 1024, b'x');
    attribute.extend_from_slice(b"'></a>");
    let parsed = read(&attribute, &[("content-type", "text/html")]);
    assert_eq!(shown(&parsed), ["anchor /dir/ok"]);
    assert_eq!(codes(&parsed), ["url-too-long"]);
    for hard in [
        "<",
        "<a ",
        "&",
        "&amp",
        "<!--",
        "--",
        "-->",
        "<a href=",
        "'",
        "<svg>",
        "</",
        "]]>",
        "url(",
        "\\",
        "<a b",
        "<style>@import '",
        "<script><!--<script>",
        "<a srcset=a,",
        "/",
        "<x/y",
        "=\0",
        "&#",
        "<iframe srcdoc='",
    ] {
        let body = hard.repeat(8 * 1024 * 1024 / hard.len());
        let _ = html(&body);
        let _ = read(body.as_bytes(), &[("content-type", "application/xhtml+xml")]);
        let _ = read(body.as_bytes(), &[("content-type", "text/css")]);
    }
}

#[test]
fn hc083_a_million_links_and_one_a_million_times() {
    let many: String = (0..1_000_000).map(|i| format!("<a href={i}>")).collect();
    let parsed = html(&many);
    assert_eq!(parsed.links.len(), LINKS_PER_PAGE_MAX);
    assert_eq!(
        parsed.notes,
        [Note::LinksCut {
            dropped: (1_000_000 - LINKS_PER_PAGE_MAX) as u64
        }]
    );
    let parsed = html(&"<a href=x>".repeat(1_000_000));
    assert_eq!(parsed.links.len(), 1);
    assert_eq!(parsed.links[0].count, 1_000_000);
    let style = format!("<style>{}</style>", "a{b:url(x)}".repeat(1_000_000));
    assert_eq!(html(&style).links[0].count, 1_000_000);
}

#[test]
fn hc085_markup_in_titles_and_words_is_kept_as_it_is() {
    let parsed = html(
        "<title><script>alert('x')</script> \"&lt;b>\"</title><a href=x>&lt;img src=no onerror=1&gt;\u{7}</a>",
    );
    assert_eq!(parsed.title, "<script>alert('x')</script> \"<b>\"");
    assert_eq!(parsed.links[0].anchor, "<img src=no onerror=1>\u{7}");
    assert_eq!(parsed.links.len(), 1);
}

#[test]
fn a_tag_with_a_million_attributes_is_cut() {
    let tag = format!("<a {} href=late><a href=x>", "b ".repeat(1_000_000));
    let parsed = html(&tag);
    assert_eq!(shown(&parsed), ["anchor /dir/x"]);
    assert_eq!(codes(&parsed), ["attributes-cut"]);
}

#[test]
fn frames_inside_frames_end() {
    let mut body = "<a href=deep>".to_owned();
    for _ in 0..6 {
        body = format!(
            "<a href=at{}><iframe srcdoc='{}'></iframe>",
            body.len(),
            body.replace('&', "&amp;").replace('\'', "&#39;")
        );
    }
    let parsed = html(&body);
    assert!(!parsed.links.is_empty() && parsed.links.len() < 7);
}

#[test]
fn nothing_is_nothing() {
    let parsed = read(b"", &[("content-type", "text/html")]);
    assert_eq!(parsed.kind, Kind::Empty);
    assert!(parsed.links.is_empty() && parsed.notes.is_empty());
}
