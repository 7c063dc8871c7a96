//! Charsets that contradict each other, bytes that are no text, and characters that deceive (HC078–HC080).

use std::io::Read;

use crate::http::stage::Stage;
use gleaner_testkit::hostile::{Response, page, status};

fn html(content_type: &str, body: impl AsRef<[u8]>) -> Response {
    status(200)
        .with_header("Content-Type", content_type)
        .with_body(body)
}

fn utf16le(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The document's bytes exactly as `cat` gives them.
fn bytes(stage: &Stage, url: &str) -> Vec<u8> {
    stage
        .gleaner
        .command(&["cat", url])
        .output()
        .expect("the program runs")
        .stdout
}

#[test]
fn hc078_the_standard_order_with_a_fallback() {
    let stage = Stage::new();
    let long_name = "x".repeat(10_240);
    let mut utf16 = vec![0xff, 0xfe];
    utf16.extend(utf16le("<title>Größe</title>"));
    let mut utf32: Vec<u8> = vec![0xff, 0xfe, 0, 0];
    utf32.extend(
        "<title>x</title>"
            .chars()
            .flat_map(|c| u32::from(c).to_le_bytes()),
    );
    let latin = b"<title>Gr\xf6\xdfe</title>".to_vec();
    let meta = |charset: &str, title: &[u8]| {
        [
            format!("<meta charset='{charset}'><title>").as_bytes(),
            title,
            b"</title>",
        ]
        .concat()
    };
    // What header, meta and bytes say; then the charset chosen and the title read with it (`None`: rubbish is fine).
    let cases = [
        (
            "header-over-meta",
            "text/html; charset=iso-8859-1",
            meta("utf-8", b"Gr\xf6\xdfe"),
            "windows-1252",
            Some("Größe"),
        ),
        (
            "bom-over-header",
            "text/html; charset=iso-8859-1",
            [b"\xef\xbb\xbf".to_vec(), meta("koi8-r", "Größe".as_bytes())].concat(),
            "UTF-8",
            Some("Größe"),
        ),
        (
            "bom-utf16",
            "text/html; charset=utf-8",
            utf16,
            "UTF-16LE",
            Some("Größe"),
        ),
        (
            "meta",
            "text/html",
            meta("windows-1251", b"\xcc\xe8\xf0"),
            "windows-1251",
            Some("Мир"),
        ),
        (
            "unknown-header",
            "text/html; charset=klingon",
            meta("windows-1252", b"Gr\xf6\xdfe"),
            "windows-1252",
            Some("Größe"),
        ),
        (
            "10-kib-name",
            &format!("text/html; charset={long_name}"),
            meta("utf-8", "Größe".as_bytes()),
            "UTF-8",
            Some("Größe"),
        ),
        (
            "utf-7",
            "text/html; charset=utf-7",
            b"<title>+AGE-</title>".to_vec(),
            "",
            Some("+AGE-"),
        ),
        ("utf-32", "text/html; charset=utf-32", utf32, "", None),
        ("nothing-said", "text/html", latin, "windows-1252", Some("Größe")),
        (
            "meta-utf16-lies",
            "text/html",
            meta("utf-16", "Größe".as_bytes()),
            "UTF-8",
            Some("Größe"),
        ),
    ];
    for (name, content_type, body, ..) in &cases {
        stage.server.route(&format!("/{name}"), html(content_type, body));
    }
    let urls: Vec<String> = cases
        .iter()
        .map(|(name, ..)| stage.url("charsets", &format!("/{name}")))
        .collect();
    let crawl = stage.crawl(&urls, &[]);
    for ((name, _, body, charset, title), url) in cases.iter().zip(&urls) {
        assert_eq!(crawl.told(url).0, "NEW", "{name}: never refused for its charset");
        assert_eq!(&bytes(&stage, url), body, "{name}: bytes as received");
        let listed = stage.listed(url);
        if !charset.is_empty() {
            assert_eq!(listed["charset"], *charset, "{name}");
        }
        if let Some(title) = title {
            assert_eq!(listed["title"], *title, "{name}");
        }
    }
    let archive = archived(&stage);
    for from in ["bom", "header", "meta", "detected"] {
        assert!(
            archive.contains(&format!("charsetFrom: {from}\r\n")),
            "who said so is recorded: {from}"
        );
    }
}

/// Everything in the archive, unpacked; bytes that are no text are of no interest here.
fn archived(stage: &Stage) -> String {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(stage.gleaner.data().join("archive")).expect("an archive") {
        let file = std::fs::File::open(entry.expect("an entry").path()).expect("a file of the archive");
        flate2::read::MultiGzDecoder::new(file)
            .read_to_end(&mut out)
            .expect("sound gzip members");
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn hc079_bytes_that_are_no_text() {
    let stage = Stage::new();
    let lone = [
        vec![0xff, 0xfe],
        utf16le("<title>a"),
        vec![0x00, 0xd8],
        utf16le("b</title><a href=/next>x</a>"),
    ]
    .concat();
    let cases: [(&str, Vec<u8>); 5] = [
        (
            "invalid",
            b"<title>a\xff\xfe\xc0b</title><a href=/next\xff>x\xff</a>".to_vec(),
        ),
        (
            "overlong",
            b"<title>a\xc0\xafb \xe0\x80\xaf</title><a href='/\xc0\xae'>x</a>".to_vec(),
        ),
        ("surrogates", b"<title>a\xed\xa0\x80b</title>".to_vec()),
        ("nuls", b"<title>a\0b</title><a href='/n\0ul'>x\0y</a>".to_vec()),
        ("lone-utf16", lone),
    ];
    for (name, body) in &cases {
        let response = if *name == "lone-utf16" {
            html("text/html", body)
        } else {
            page(body)
        };
        stage.server.route(&format!("/{name}"), response);
    }
    let urls: Vec<String> = cases
        .iter()
        .map(|(name, _)| stage.url("bytes", &format!("/{name}")))
        .collect();
    for state in ["NEW", "SAM"] {
        let crawl = stage.crawl(&urls, &["--depth", "0"]);
        for ((name, body), url) in cases.iter().zip(&urls) {
            assert_eq!(crawl.told(url).0, state, "{name}");
            assert_eq!(&bytes(&stage, url), body, "{name}: raw bytes are kept exactly");
            let listed = stage.listed(url);
            let title = listed["title"].as_str().unwrap_or_default();
            assert!(title.starts_with('a') && title.contains('b'), "{name}: {title:?}");
            stage.links(url);
        }
    }
}

#[test]
fn hc080_characters_that_deceive() {
    let stage = Stage::new();
    let marks = format!("<title>a{}</title>words", "\u{301}".repeat(1_000_000));
    stage.server.route("/marks", page(&marks));
    let title = "safe\u{202e}gnp.exe\u{200b} line\u{2028}ERR  http://fake.test/  [http-404]\u{1b}[31m red";
    stage.server.route(
        "/tricks",
        page(format!(
            "<title>{title}</title><a href='/a\u{202e}\u{200d}b'>{title}\r\nERR  fake</a>"
        )),
    );
    stage.server.route("/*", page("linked"));
    let urls = ["/marks", "/tricks"].map(|path| stage.url("tricks", path));
    let crawl = stage.crawl(&urls, &["--depth", "1"]);
    for url in &urls {
        assert_eq!(crawl.told(url).0, "NEW");
    }
    assert_eq!(stage.cat(&urls[0]), marks, "stored as it is");
    let listed = stage.listed(&urls[0])["title"]
        .as_str()
        .unwrap_or_default()
        .chars()
        .count();
    assert!((1..=300).contains(&listed), "a title of {listed} characters");
    assert!(
        stage.listed(&urls[1])["title"]
            .as_str()
            .unwrap_or_default()
            .contains("gnp.exe")
    );

    for output in [
        stage.run(&["report"]),
        stage.run(&["ls"]),
        stage.run(&["links", &urls[1]]),
    ] {
        let tricky = |c: char| c != '\n' && c.is_control() || "\u{202e}\u{200b}\u{200d}\u{2028}".contains(c);
        assert!(
            !output.stdout.contains(tricky),
            "tricks are printed\n{:?}",
            output.stdout
        );
        let faked = |line: &str| line.starts_with("ERR  ");
        assert!(!output.stdout.lines().any(faked), "a line is faked\n{output}");
    }
}
