use super::*;
use crate::{content, parse};
use gleaner_model::{BlockKind, Content, Url};

fn url() -> Url {
    Url::parse("nntp://news.test/a.b/7").unwrap()
}

fn announced() -> Vec<(String, String)> {
    vec![("content-type".to_owned(), "message/rfc822".to_owned())]
}

fn parsed(body: impl AsRef<[u8]>) -> Parsed {
    parse(&Input {
        url: &url(),
        headers: &announced(),
        body: body.as_ref(),
        agent: "gleaner",
        is_sitemap: false,
    })
}

fn shown(body: impl AsRef<[u8]>) -> Content {
    content::read(&url(), &announced(), body.as_ref()).unwrap()
}

fn texts(content: &Content) -> Vec<&str> {
    content.blocks.iter().map(|block| block.text.as_str()).collect()
}

const MIXED: &str = "From: =?iso-8859-1?Q?J=F6rg?= <j@a.test>\r\n\
    Subject: =?utf-8?B?R3LDvMOf?=\r\n =?utf-8?Q?e_aus?= Ulm\r\n\
    Date: Sat, 30 Sep 2023 12:34:56 +0200\r\nReferences: <1@a.test> <2@a.test>\r\nIn-Reply-To: <2@a.test>\r\n\
    Content-Type: multipart/mixed; boundary=\"out er\"\r\n\r\npreamble\r\n--out er\r\n\
    Content-Type: multipart/alternative; boundary=in\r\n\r\n--in\r\n\
    Content-Type: text/plain; charset=iso-8859-15\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
    Preis: 5 =A4,=20=\r\nsofort\r\n\r\n-- \r\nJ.\r\n--in\r\n\
    Content-Type: text/html\r\n\r\n<p>Preis <a href=\"https://b.test/x\">hier</a><img src=cid:1>\r\n--in--\r\n\
    --out er\r\nContent-Type: application/zip; name=a.zip\r\n\
    Content-Disposition: attachment; filename=\"b;\\\"c.zip\"\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n\
    --out er\r\n\r\nlast\r\n--out er--\r\nepilogue\r\n";

#[test]
fn a_letter_has_title_charset_and_links() {
    let parsed = parsed(MIXED);
    assert_eq!(parsed.kind, Kind::Text);
    assert_eq!(parsed.media_type, "message/rfc822");
    assert!(!parsed.declared_mismatch);
    assert_eq!(parsed.title, "Grüße aus Ulm");
    assert_eq!(parsed.charset.unwrap().name, "ISO-8859-15");
    let links: Vec<&str> = parsed.links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(links, ["https://b.test/x"]);
    assert_eq!(
        parsed.other_schemes,
        [("cid".to_owned(), 1), ("news".to_owned(), 2)],
        "what is named in two fields is answered once"
    );
    assert_eq!(parsed.notes, []);
}

#[test]
fn a8_what_a_letter_answers_is_a_link_where_its_address_is_known() {
    let mut headers = announced();
    let known = "</a.b/2>; rel=\"reference\"; title=\"2@a.test\"";
    headers.push(("link".to_owned(), known.to_owned()));
    let parsed = parse(&Input {
        url: &url(),
        headers: &headers,
        body: b"References: <1@a.test>\r\n\t<2@a.test><3@a.test> <not one>\r\nIn-Reply-To: mail of <2@a.test>\r\n\r\nyes\r\n",
        agent: "gleaner",
        is_sitemap: false,
    });
    let links: Vec<(&str, u32, &str)> = (parsed.links.iter())
        .map(|link| (link.url.as_str(), link.count, link.anchor.as_str()))
        .collect();
    assert_eq!(links, [("nntp://news.test/a.b/2", 1, "2@a.test")]);
    assert_eq!(parsed.other_schemes, [("news".to_owned(), 2)]);
}

#[test]
fn a_letter_reads_as_its_fields_and_texts() {
    let content = shown(MIXED);
    assert_eq!(content.title, "Grüße aus Ulm");
    assert_eq!(
        texts(&content),
        [
            "From: Jörg <j@a.test>\nSubject: Grüße aus Ulm\nDate: Sat, 30 Sep 2023 12:34:56 +0200",
            "Preis: 5 €, sofort",
            "-- J.",
            "b;\"c.zip (application/zip)",
            "last"
        ]
    );
    assert_eq!(content.blocks[0].kind, BlockKind::Code);
    let mut paths: Vec<&str> = content.blocks.iter().map(|block| block.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), content.blocks.len(), "every block has its own path");
    assert_ne!(
        content.normal_digest,
        shown(MIXED.replace("last", "first")).normal_digest
    );

    let html = shown(
        "Subject: x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<h1>Ü</h1><p><a href=/y>z</a></p>",
    );
    assert_eq!(texts(&html)[1..], ["Ü", "z"]);
    assert_eq!(html.blocks[2].links, ["nntp://news.test/y"]);
}

#[test]
fn only_an_announced_letter_is_one() {
    let plain = vec![("content-type".to_owned(), "text/plain".to_owned())];
    let content = content::read(&url(), &plain, MIXED.as_bytes()).unwrap();
    assert!(texts(&content).iter().any(|text| text.contains("=?utf-8?B?")));
    // What a letter speaks of does not make it that.
    let about = parsed("Subject: %PDF-1.4 and <!doctype html>\r\n\r\n<html>\r\n");
    assert_eq!(about.title, "%PDF-1.4 and <!doctype html>");
}

#[test]
fn fields_are_decoded_as_far_as_they_make_sense() {
    let cases: [(&[u8], &str); 12] = [
        (b"plain", "plain"),
        (b"=?utf-8?q?a_b?= =?utf-8?q?c?= d", "a bc d"),
        (b"=?utf-8?B?w?= =?utf-8?B?7w=?=", "\u{fffd}"),
        (b"=?utf-8?Q?=C3?= =?utf-8?Q?=BC?=", "ü"),
        (b"=?us-ascii*en?q?x?=", "x"),
        (b"=?nonsense?q?x?=", "=?nonsense?q?x?="),
        (b"=?utf-8?x?y?=", "=?utf-8?x?y?="),
        (b"=?utf-8?q?unended", "=?utf-8?q?unended"),
        (b"=?=?=?", "=?=?=?"),
        (b"caf\xe9", "café"),
        ("café".as_bytes(), "café"),
        (b"=?koi8-r?B?8NLJ18XU?=", "Привет"),
    ];
    for (value, want) in cases {
        let got = encoded::words(value);
        // Half a character may become one sign or two.
        let same = got == want || want == "\u{fffd}" && got.chars().all(|c| c == '\u{fffd}');
        assert!(same, "{value:?}: {got}");
    }
    assert_eq!(encoded::base64(b"aGVs\r\nbG8=!"), b"hello");
    assert_eq!(encoded::quoted_printable(b"a=3D=zz=\r\nb=\nc="), b"a==zzbc=");
}

#[test]
fn hc108_ten_thousand_levels_and_parts_are_cut() {
    let mut letters = String::from("Subject: deep\r\n");
    let mut multiparts = String::from("Subject: deep\r\n");
    let mut parts = String::from("Subject: deep\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n");
    for n in 0..10_000 {
        letters.push_str("Content-Type: message/rfc822\r\n\r\n");
        multiparts.push_str(&format!(
            "Content-Type: multipart/mixed; boundary=b{n}\r\n\r\n--b{n}\r\n"
        ));
        parts.push_str("--b\r\n\r\ntext\r\n");
    }
    for (name, bomb) in [
        ("letters", &letters),
        ("multiparts", &multiparts),
        ("parts", &parts),
    ] {
        let parsed = parsed(bomb);
        assert_eq!(parsed.title, "deep", "{name}");
        assert_eq!(parsed.notes.len(), 1, "{name}: {:?}", parsed.notes);
        assert!(shown(bomb).blocks.len() <= 1001, "{name}");
    }
}

#[test]
fn hc108_a_broken_letter_is_still_a_letter() {
    let zeros = [b"Subject: a\0b\r\n\r\nx\0y\rz\r\n".to_vec(), vec![0; 2000]].concat();
    assert_eq!(parsed(&zeros).title, "ab");
    let bodies: [&[u8]; 10] = [
        b"\r\n",
        b"no field at all",
        b"Subject",
        b" folded from nothing",
        b"Content-Type: multipart/mixed\r\n\r\n--\r\n",
        b"Content-Type: multipart/mixed; boundary=\"\r\n\r\n--\r\n",
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n--b\r\n--b--\r\n--b\r\n",
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\nno part",
        b"Content-Type: text/plain; charset=utf-16\r\n\r\n\xff\xfe",
        b"Content-Type: message/rfc822",
    ];
    for body in bodies {
        parsed(body);
        shown(body);
    }
}
