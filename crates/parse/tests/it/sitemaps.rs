//! Sitemaps and feeds: the corpus by independent counts, and the hostile ones.

use crate::{codes, read_as, shown};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use gleaner_model::Url;
use gleaner_model::defaults::SITEMAP_ENTRIES_MAX;

use gleaner_parse::{Encoding, Input, Kind, Parsed, parse_sitemap};
use std::io::{Read, Write};

fn sitemap(body: &[u8]) -> Parsed {
    read_as(body, &[("content-type", "text/xml")], true)
}

fn urls(parsed: &Parsed) -> Vec<&str> {
    parsed.entries.iter().map(|e| e.url.as_str()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

#[test]
fn the_corpus_gives_what_an_independent_count_gives() {
    let Some(folder) = gleaner_fixtures::corpus("sitemaps") else {
        return;
    };
    let cases = [
        ("sitemaps/sitemap.ns.xml", Kind::Sitemap),
        ("sitemaps/sitemap.badns.xml", Kind::Sitemap),
        ("sitemaps/sitemap.txt", Kind::Sitemap),
        ("sitemaps/sitemap.txt.gz", Kind::Sitemap),
        ("sitemaps/atom.xml", Kind::Feed),
        ("rss/feed.rss", Kind::Feed),
        (
            "sitemaps/extension/hebdenbridgetimes-articles-sitemap.xml",
            Kind::Sitemap,
        ),
        ("sitemaps/extension/pagemaps-sitemap.xml", Kind::Sitemap),
        ("sitemaps/extension/shinpaideshou-news-sitemap.xml", Kind::Sitemap),
        ("sitemaps/extension/sitemap-links.xml", Kind::Sitemap),
        ("sitemaps/extension/sitemap-videos-tvshow.xml", Kind::Sitemap),
    ];
    let (mut passed, mut total) = (0, 0);
    for (name, kind) in cases {
        let body = std::fs::read(folder.join(name)).unwrap();
        let parsed = read_as(&body, &[], true);
        let mut text = String::from_utf8_lossy(&body).into_owned();
        if name.ends_with(".gz") {
            text.clear();
            GzDecoder::new(&body[..]).read_to_string(&mut text).unwrap();
        }
        // A count that knows nothing of XML: lines, entries, closing tags (one file has a prefix on all of them).
        let counted = match name {
            "sitemaps/sitemap.txt" | "sitemaps/sitemap.txt.gz" => text.lines().count(),
            "sitemaps/atom.xml" => text.matches("<entry>").count(),
            "rss/feed.rss" => text.matches("<item>").count(),
            _ => text.matches("</loc>").count() + text.matches("</sit:loc>").count(),
        };
        total += 1;
        if parsed.kind == kind && parsed.entries.len() == counted && counted > 0 {
            passed += 1;
        } else {
            println!(
                "{name}: {:?} {} of {counted} {:?}",
                parsed.kind,
                parsed.entries.len(),
                parsed.notes
            );
        }
    }
    println!("sitemap files: {passed}/{total}");
    assert_eq!(passed, total);
}

#[test]
fn extensions_give_links() {
    let parsed = sitemap(
        b"<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='i' xmlns:video='v' xmlns:xhtml='h'>\
          <url><loc> http://site.test/a?x=1&amp;y=2 </loc><lastmod>2024-01-01</lastmod>\
          <image:image><image:loc>http://site.test/i.png</image:loc></image:image>\
          <video:video><video:content_loc><![CDATA[http://site.test/v.mp4]]></video:content_loc></video:video>\
          <xhtml:link rel='alternate' hreflang='de' href='http://site.test/de'/></url></urlset>",
    );
    assert_eq!(urls(&parsed), ["http://site.test/a?x=1&y=2"]);
    assert_eq!(parsed.entries[0].lastmod.as_deref(), Some("2024-01-01"));
    assert_eq!(shown(&parsed), ["image /i.png", "media /v.mp4", "link /de"]);
}

#[test]
fn feeds_give_their_entries_with_titles() {
    let parsed = read_as(
        b"<rss version='2.0'><channel><title>News</title><link>http://site.test/</link>\
          <image><url>/logo.png</url><title>no</title><link>http://site.test/i</link></image>\
          <item><title>One &amp; only</title><link>http://site.test/1</link><description>&lt;a href='/in'&gt;in&lt;/a&gt;</description>\
          <enclosure url='/pod.mp3'/></item><item><guid>http://site.test/2</guid></item></channel></rss>",
        &[("content-type", "text/html")],
        false,
    );
    assert_eq!((parsed.kind, parsed.title.as_str()), (Kind::Feed, "News"));
    assert_eq!(
        shown(&parsed),
        [
            "link /",
            "image /logo.png",
            "link /i",
            "anchor /in",
            "media /pod.mp3",
            "feed /1",
            "feed /2"
        ]
    );
    assert_eq!(parsed.links[5].anchor, "One & only");
    assert!(parsed.entries.is_empty());
}

#[test]
fn b2_entries_of_a_feed_are_dated_by_their_last_change_only() {
    let dates = |feed: &[u8]| -> Vec<Option<String>> {
        let parsed = read_as(feed, &[("content-type", "application/xml")], true);
        parsed.entries.into_iter().map(|entry| entry.lastmod).collect()
    };
    let atom = dates(
        b"<feed xmlns='http://www.w3.org/2005/Atom'><updated>2026-01-09T00:00:00Z</updated>\
          <entry><link href='/1'/><updated>2026-01-02T03:04:05Z</updated><published>2025-01-01T00:00:00Z</published>\
          <source><updated>2020-01-01T00:00:00Z</updated></source></entry>\
          <entry><link href='/2'/><published>2025-01-01T00:00:00Z</published></entry></feed>",
    );
    assert_eq!(atom, [Some("2026-01-02T03:04:05Z".to_owned()), None]);
    let rss = dates(
        b"<rss xmlns:dc='http://purl.org/dc/elements/1.1/'><channel><item><link>/1</link>\
          <pubDate>Wed, 01 May 2024 10:30:07 GMT</pubDate><dc:date>2024-05-01</dc:date></item></channel></rss>",
    );
    assert_eq!(rss, [None]);
}

#[test]
fn json_feeds_give_their_addresses() {
    let parsed = read_as(
        br#"{"version": "https://jsonfeed.org/version/1.1", "title": "J \u0026 F", "home_page_url": "http:\/\/site.test\/",
            "items": [{"id": "1", "url": "/one", "content_html": "<p><a href=\"/in\">x</a>", "tags": ["url"]},
            {"url": "/two", "image": "/i.png", "open": "#,
        &[("content-type", "application/feed+json")],
        false,
    );
    assert_eq!((parsed.kind, parsed.title.as_str()), (Kind::Feed, "J & F"));
    assert_eq!(
        shown(&parsed),
        ["link /", "feed /one", "anchor /in", "feed /two", "image /i.png"]
    );
}

#[test]
fn hc056_an_index_that_lists_itself_gives_only_the_others() {
    let parsed = sitemap(
        b"<sitemapindex><sitemap><loc>http://site.test/dir/page.html</loc></sitemap><sitemap><loc>http://site.test/b.xml</loc></sitemap></sitemapindex>",
    );
    assert_eq!(parsed.kind, Kind::SitemapIndex);
    assert_eq!(urls(&parsed), ["http://site.test/b.xml"]);
    assert!(parsed.entries[0].is_sitemap);
}

#[test]
fn hc057_too_many_entries_and_bombs_are_cut() {
    let many: String = (0..100_000)
        .map(|i| format!("<sitemap><loc>http://site.test/{i}</loc></sitemap>"))
        .collect();
    let parsed = sitemap(format!("<sitemapindex>{many}</sitemapindex>").as_bytes());
    assert_eq!(parsed.entries.len(), SITEMAP_ENTRIES_MAX);
    assert_eq!(codes(&parsed), ["entries-cut"]);
    let mut bomb = b"<urlset><url><loc>http://site.test/1</loc></url>".to_vec();
    bomb.resize(200 * 1024 * 1024, b' ');
    let packed = gzip(&bomb);
    assert!(packed.len() < bomb.len() / 900);
    let parsed = sitemap(&packed);
    assert_eq!(urls(&parsed), ["http://site.test/1"]);
    assert_eq!(
        codes(&parsed),
        ["xml-too-complex"],
        "not even the spaces are unpacked"
    );
    // Where the pieces are small it is the expansion that ends it.
    let mut bomb = b"<urlset><url><loc>http://site.test/1</loc></url>".to_vec();
    bomb.extend(b"<x></x>".repeat(40 * 1024 * 1024 / 7));
    let parsed = sitemap(&gzip(&bomb));
    assert_eq!(urls(&parsed), ["http://site.test/1"]);
    assert_eq!(codes(&parsed), ["decoded-too-large"]);
}

/// A sitemap of 100,000 entries that exists nowhere as a whole.
struct Made {
    next: u32,
    text: Vec<u8>,
    taken: usize,
}

impl Read for Made {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        if self.taken == self.text.len() {
            if self.next == 100_000 {
                return Ok(0);
            }
            let head = if self.next == 0 { "<urlset>" } else { "" };
            let pad = "x".repeat(400);
            let entry = format!("{head}<url><loc>/{}</loc><note>{pad}</note></url>\n", self.next);
            (self.text, self.taken) = (entry.into_bytes(), 0);
            self.next += 1;
        }
        let rest = &self.text[self.taken..];
        let count = rest.len().min(buf.len());
        buf[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(count)
    }
}

#[test]
fn hc057_a_stream_gives_what_the_whole_gives() {
    let page = Url::parse("http://site.test/dir/page.html").unwrap();
    let input = Input {
        url: &page,
        headers: &[],
        body: &[],
        agent: "gleaner",
        is_sitemap: true,
    };
    let made = Made {
        next: 0,
        text: Vec::new(),
        taken: 0,
    };
    let streamed = parse_sitemap(&input, made, 50_000_000, &[]);
    assert_eq!(streamed.parsed.entries.len(), SITEMAP_ENTRIES_MAX);
    assert_eq!(codes(&streamed.parsed), ["partial", "entries-cut"], "no end tag");
    assert!(streamed.decoded_bytes > 40_000_000, "{}", streamed.decoded_bytes);

    let bodies: [&[u8]; 7] = [
        b"<urlset><url><loc>http://a.test/1</loc><lastmod>2024</lastmod></url></urlset>",
        b"\xef\xbb\xbf<?xml version='1.0' encoding='utf-8'?><sitemapindex><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>",
        b"<?xml version='1.0' encoding='iso-8859-1'?><urlset><url><loc>/\xe4</loc></url></urlset>",
        b"http://a.test/1\nhttp://a.test/2\n",
        b"<html><body><a href=x>",
        b"<urlset><url><loc>http://a.test/1</loc></url><url></loc></urlset>",
        b"",
    ];
    for body in bodies {
        let whole = read_as(body, &[], true);
        let packed = gzip(body);
        for (raw, encodings) in [(body, &[][..]), (&packed, &[Encoding::Gzip]), (&packed, &[])] {
            let streamed = parse_sitemap(&input, raw, raw.len() as u64, encodings).parsed;
            let shown = String::from_utf8_lossy(body);
            assert_eq!(
                (streamed.kind, urls(&streamed), codes(&streamed)),
                (whole.kind, urls(&whole), codes(&whole)),
                "{shown}"
            );
        }
    }
}

#[test]
fn hc058_no_entity_is_expanded() {
    let laughs = (0..10)
        .map(|i| format!("<!ENTITY e{} '{}'>", i + 1, format!("&e{i};").repeat(10)))
        .collect::<String>();
    let body = format!(
        "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e0 'ha'>{laughs}<!ENTITY file SYSTEM 'file:///etc/passwd'>\
         <!ENTITY net SYSTEM 'http://127.0.0.1/'>]><urlset><url><loc>http://site.test/&e10;&file;&net;</loc></url>\
         <url><loc>http://site.test/&lt;&#65;</loc></url></urlset>"
    );
    let parsed = sitemap(body.as_bytes());
    assert_eq!(
        urls(&parsed),
        ["http://site.test/&e10;&file;&net;", "http://site.test/%3CA"]
    );
}

#[test]
fn hc059_huge_tags_and_deep_nesting_end_the_reading() {
    let first = "<urlset><url><loc>http://site.test/1</loc></url>";
    let attributes = format!(
        "{first}<url {}>",
        (0..1_000_000).map(|i| format!("a{i}='' ")).collect::<String>()
    );
    let spaces = format!(
        "{first}<url {}>",
        (0..1_000_000)
            .map(|i| format!("xmlns:a{i}='x' "))
            .collect::<String>()
    );
    let nesting = format!("{first}{}", "<url>".repeat(1_000_000));
    for body in [attributes, spaces, nesting] {
        let parsed = sitemap(body.as_bytes());
        assert_eq!(urls(&parsed), ["http://site.test/1"]);
        assert_eq!(codes(&parsed), ["xml-too-complex"]);
    }
}

#[test]
fn hc060_broken_sitemaps_give_what_came_before() {
    let cases: [(&[u8], &[&str], &str); 7] = [
        (b"<urlset><url><loc>http://a.test/1</loc></url><url></loc></urlset>", &["http://a.test/1"], "partial"),
        (b"<urlset><url><loc>http://a.test/1</loc></url><url><loc>http://a.t", &["http://a.test/1"], "partial"),
        (b"<urlset><url><loc>http://a.test/1</loc></url>", &["http://a.test/1"], "partial"),
        (b"<html><body><a href=x>", &[], "not-a-sitemap"),
        (b"no urls here", &[], "not-a-sitemap"),
        (b"<?xml version='1.0' encoding='utf-16'?><urlset><url><loc>http://a.test/\xc3\xbc</loc></url></urlset>", &["http://a.test/%C3%BC"], ""),
        (b"\xef\xbb\xbf\n<?xml version='1.0'?><urlset><url><loc>http://a.test/1</loc></url></urlset>", &["http://a.test/1"], ""),
    ];
    for (body, want, code) in cases {
        let parsed = sitemap(body);
        let shown = String::from_utf8_lossy(body);
        assert_eq!(urls(&parsed), want, "{shown}");
        assert_eq!(codes(&parsed).first().copied().unwrap_or(""), code, "{shown}");
    }
    let parsed = read_as(
        b"http://a.test/1\r\nhttp://a.test/2\n\n",
        &[("content-type", "text/plain")],
        true,
    );
    assert_eq!(
        (parsed.kind, urls(&parsed)),
        (Kind::Sitemap, vec!["http://a.test/1", "http://a.test/2"])
    );
    let packed = gzip(b"<urlset><url><loc>http://a.test/1</loc></url></urlset>");
    assert_eq!(urls(&sitemap(&packed)), ["http://a.test/1"]);
    assert!(!codes(&sitemap(&packed[..packed.len() - 4])).is_empty());
    assert_eq!(urls(&sitemap(&packed[..packed.len() - 4])), ["http://a.test/1"]);
}
