//! The bytes of requests, and that they say what was put in.

use super::{one, plain, read_as, sent, shown};
use crate::forms::{Button, EncodeError, FieldValue, File, encode, fill};
use proptest::prelude::*;

fn line(value: &str) -> String {
    shown(&sent(
        "<form method=post><textarea name=a></textarea>",
        &[FieldValue::text("a", value)],
    ))
}

#[test]
fn fields_are_urlencoded_as_whatwg_says() {
    let cases = [
        ("a b", "a=a+b"),
        ("a+b", "a=a%2Bb"),
        ("*-._", "a=*-._"),
        ("~!'()", "a=%7E%21%27%28%29"),
        ("&=;%#", "a=%26%3D%3B%25%23"),
        ("ü€😀", "a=%C3%BC%E2%82%AC%F0%9F%98%80"),
        ("a\nb", "a=a%0D%0Ab"),
        ("a\r\nb", "a=a%0D%0Ab"),
        ("a\rb\n\rc", "a=a%0D%0Ab%0D%0A%0D%0Ac"),
        ("\0", "a=%00"),
        ("AZaz09", "a=AZaz09"),
    ];
    for (value, want) in cases {
        assert_eq!(line(value), want, "{value:?}");
    }
    assert_eq!(
        plain("<form method=post><input name='n ä&#10;' value=x>"),
        "n+%C3%A4%0D%0A=x"
    );
}

#[test]
fn a_get_replaces_the_query() {
    let request = sent(
        "<form action='/find?lang=de&x=1#f'><input name=q value='a b'></form>",
        &[],
    );
    assert_eq!(request.url.as_str(), "http://site.test/find?q=a+b");
    assert_eq!(
        (request.method, request.content_type, request.body.len()),
        ("GET", None, 0)
    );
    // Without fields the query is empty, not the old one.
    let request = sent("<form action='/find?lang=de'></form>", &[]);
    assert_eq!(request.url.query().unwrap_or(""), "");
    // A POST keeps it.
    let request = sent(
        "<form method=post action='/find?lang=de'><input name=q></form>",
        &[],
    );
    assert_eq!(request.url.as_str(), "http://site.test/find?lang=de");
    assert_eq!(
        request.content_type.as_deref(),
        Some("application/x-www-form-urlencoded")
    );
    // Multipart has no say in a GET.
    assert_eq!(
        plain("<form enctype=multipart/form-data><input name=q value=1>"),
        "q=1"
    );
}

#[test]
fn a_query_that_is_too_long_is_an_error() {
    let form = one("<form><input name=q>");
    let values = [FieldValue::text("q", &"x".repeat(10_000))];
    let error = encode(&fill(&form, &values, &Button::First).unwrap()).unwrap_err();
    assert!(matches!(error, EncodeError::Address { .. }));
    assert!(!error.to_string().contains("xxx"));
}

#[test]
fn fields_are_written_in_the_charset_of_the_page_or_form() {
    let of = |html: &str, charset: &str| {
        let forms = read_as(html.as_bytes(), &format!("text/html; charset={charset}"));
        let values = [FieldValue::text("a", "ä€日")];
        shown(&encode(&fill(&forms[0], &values, &Button::First).unwrap()).unwrap())
    };
    let html = "<form><input name=a><input type=hidden name=_CHARSET_ value=x>";
    assert_eq!(of(html, "utf-8"), "a=%C3%A4%E2%82%AC%E6%97%A5&_CHARSET_=UTF-8");
    assert_eq!(
        of(html, "iso-8859-1"),
        "a=%E4%80%26%2326085%3B&_CHARSET_=windows-1252"
    );
    assert_eq!(
        of("<form><input name=a>", "shift_jis"),
        "a=%26%23228%3B%26%238364%3B%93%FA"
    );
    // Nothing is written in UTF-16.
    assert_eq!(
        of("<form accept-charset=utf-16><input name=a>", "iso-8859-1"),
        "a=%C3%A4%E2%82%AC%E6%97%A5"
    );
    assert_eq!(
        of("<form accept-charset='foo utf-8'><input name=a>", "iso-8859-1"),
        "a=%C3%A4%E2%82%AC%E6%97%A5"
    );
    assert_eq!(
        of("<form><input name=a>", "iso-2022-jp"),
        "a=%26%23228%3B%26%238364%3B%1B%24BF%7C%1B%28B"
    );
    // A field of that name that is seen is a field like any other.
    assert_eq!(plain("<form><input name=_charset_ value=x>"), "_charset_=x");
}

#[test]
fn multipart_is_written_as_browsers_write_it() {
    let html = "<form method=post enctype=multipart/form-data><input name='a&quot;b&#10;c' value='1'>\
        <textarea name=t>x\ny</textarea><input type=file name=f><input type=file name=g></form>";
    let file = File {
        name: "a\"ü\n.txt".to_owned(),
        media_type: "text/plain".to_owned(),
        bytes: b"\0\n\xFF".to_vec(),
    };
    let request = sent(html, &[FieldValue::file("f", file)]);
    let content_type = request.content_type.unwrap();
    let boundary = content_type
        .strip_prefix("multipart/form-data; boundary=")
        .unwrap();
    assert!(
        boundary.starts_with("----gleaner") && boundary.len() == 43,
        "{boundary}"
    );
    let mut want = Vec::new();
    for (head, body) in [
        ("name=\"a%22b%0D%0Ac\"\r\n\r\n", &b"1"[..]),
        ("name=\"t\"\r\n\r\n", b"x\r\ny"),
        (
            "name=\"f\"; filename=\"a%22ü%0A.txt\"\r\nContent-Type: text/plain\r\n\r\n",
            b"\0\n\xFF",
        ),
        (
            "name=\"g\"; filename=\"\"\r\nContent-Type: application/octet-stream\r\n\r\n",
            b"",
        ),
    ] {
        want.extend_from_slice(format!("--{boundary}\r\nContent-Disposition: form-data; {head}").as_bytes());
        want.extend_from_slice(body);
        want.extend_from_slice(b"\r\n");
    }
    want.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    assert_eq!(request.body, want, "{}", String::from_utf8_lossy(&request.body));
}

#[test]
fn a_boundary_is_the_same_for_the_same_data_only() {
    let html = "<form method=post enctype=multipart/form-data><input name=a></form>";
    let of = |text: &str| sent(html, &[FieldValue::text("a", text)]);
    assert_eq!(of("1"), of("1"));
    assert_ne!(of("1").content_type, of("2").content_type);
    let nothing = sent("<form method=post enctype=multipart/form-data></form>", &[]);
    let text = String::from_utf8(nothing.body).unwrap();
    assert!(
        text.starts_with("------gleaner") && text.ends_with("--\r\n"),
        "{text}"
    );
}

#[test]
fn a_media_type_makes_no_headers() {
    let file = File {
        name: "a".to_owned(),
        media_type: "text/plain\r\nX: y".to_owned(),
        bytes: Vec::new(),
    };
    let html = "<form method=post enctype=multipart/form-data><input type=file name=f></form>";
    let body = shown(&sent(html, &[FieldValue::file("f", file)]));
    assert!(
        body.contains("application/octet-stream") && !body.contains("X: y"),
        "{body}"
    );
}

#[test]
fn plain_text_is_lines() {
    let html =
        "<form method=post enctype=text/plain><input name=a value='1 = 2'><input name=b value=ü></form>";
    assert_eq!(plain(html), "a=1 = 2\r\nb=ü\r\n");
}

proptest! {
    #[test]
    fn what_is_encoded_is_read_back(pairs in prop::collection::vec((any::<String>(), any::<String>()), 0..8), is_post in any::<bool>()) {
        let html = if is_post { "<form method=post>" } else { "<form>" };
        let values: Vec<FieldValue> = pairs.iter().map(|(name, text)| FieldValue::extra(name, text)).collect();
        let request = sent(html, &values);
        let text = shown(&request);
        let back: Vec<(String, String)> = url::form_urlencoded::parse(text.as_bytes()).into_owned().collect();
        let crlf = |text: &String| text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n");
        let want: Vec<(String, String)> = pairs.iter().map(|(name, text)| (crlf(name), crlf(text))).collect();
        prop_assert_eq!(back, want);
    }

    #[test]
    fn multipart_falls_apart_at_its_boundary_only(texts in prop::collection::vec("[-a-z\r\n]{0,20}", 1..5)) {
        let html = "<form method=post enctype=multipart/form-data>";
        let values: Vec<FieldValue> = texts.iter().map(|text| FieldValue::extra("n", text)).collect();
        let request = sent(html, &values);
        let content_type = request.content_type.clone().unwrap();
        let boundary = content_type.rsplit('=').next().unwrap().to_owned();
        let body = shown(&request);
        prop_assert_eq!(body.split(&format!("--{boundary}")).count(), texts.len() + 2);
    }
}
