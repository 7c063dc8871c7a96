//! Does the site keep its word? Truth against bytes, gzip against plain, and the bytes as they were first served.

use sha2::{Digest, Sha256};

use super::dates::{http_date, parse_http_date};
use super::handle::SynthSite;
use super::options::SynthOptions;
use super::pages::Body;
use super::site::{Change, EPOCH0, Kind, Site};

fn options() -> SynthOptions {
    SynthOptions {
        pages: 2000,
        hosts: 3,
        port: 1,
        session_pages: 10,
        gzip: true,
        ..SynthOptions::default()
    }
}

fn body(s: &Site, id: u64, e: u64, gz: bool) -> Vec<u8> {
    let mut v = Vec::new();
    let mut b = Body::new(&mut v, gz);
    s.page(id, e, 0, &mut b);
    b.finish();
    v
}

#[test]
fn dates_round_trip() {
    for t in [0, 951_782_400, EPOCH0, EPOCH0 + 12_345_678] {
        assert_eq!(parse_http_date(&http_date(t)), Some(t));
    }
    assert_eq!(http_date(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
}

#[test]
fn urls_resolve_back() {
    let s = Site::new(options());
    for id in 0..2000 {
        let u = s.url(id);
        let rest = &u["http://".len()..];
        let (auth, path) = rest.split_at(rest.find('/').unwrap());
        let h = Site::host_index(auth);
        assert_eq!(h, s.host_of(id));
        assert_eq!(s.resolve(h, path, 0), Kind::Page(id));
    }
}

#[test]
fn gzip_equals_plain() {
    use std::io::Read;
    let s = Site::new(options());
    for id in [0, 5, 77, 1999] {
        let plain = body(&s, id, 3, false);
        let gz = body(&s, id, 3, true);
        let mut out = Vec::new();
        flate2::read::GzDecoder::new(&gz[..])
            .read_to_end(&mut out)
            .unwrap();
        assert_eq!(plain, out);
        assert!(gz.len() * 3 < plain.len() * 2);
    }
}

#[test]
fn truth_matches_bytes() {
    let s = Site::new(options());
    let (mut upd, mut mis, mut new) = (0, 0, 0);
    for id in 0..s.total_ids(2) {
        match s.change(id, 1, 2) {
            Change::Same => assert_eq!(body(&s, id, 1, false), body(&s, id, 2, false)),
            Change::UpdMajor | Change::UpdMinor => {
                upd += 1;
                assert_ne!(body(&s, id, 1, false), body(&s, id, 2, false));
            }
            Change::New => new += 1,
            Change::Missing => mis += 1,
            Change::Absent => {}
        }
    }
    assert_eq!(new, 40);
    assert!((150..260).contains(&upd), "{upd}");
    assert!((5..40).contains(&mis), "{mis}");
}

type Writer<'a> = &'a dyn Fn(&mut Body);

/// Plain and gzip hashes as the site's first version served them on port 8600. They may never change: figures of different
/// versions would no longer be comparable.
#[test]
fn bytes_are_those_first_served() {
    let site = Site::new(SynthOptions {
        port: 8600,
        hosts: 1,
        session_pages: 0,
        ..options()
    });
    let hash = |gzip: bool, write: &dyn Fn(&mut Body)| {
        let mut out = Vec::new();
        let mut body = Body::new(&mut out, gzip);
        write(&mut body);
        body.finish();
        let digest = Sha256::digest(&out);
        digest[..8]
            .iter()
            .fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
    };
    let cases: [(&str, Writer, &str, &str); 6] = [
        (
            "page 0",
            &|b| site.page(0, 0, 0, b),
            "5c0754ebb055195c",
            "30b93f660de747ce",
        ),
        (
            "page 7",
            &|b| site.page(7, 2, 0, b),
            "7a4fedbd385f40b1",
            "075ae3eaa87de4e2",
        ),
        (
            "page 1999",
            &|b| site.page(1999, 2, 0, b),
            "d22b2656eadd5fb2",
            "8aa2da70f5083661",
        ),
        (
            "robots.txt",
            &|b| site.robots(0, b),
            "8da87bb822bc2353",
            "f5321edda9802cbe",
        ),
        (
            "sitemap-0.xml",
            &|b| site.sitemap(0, 0, 2, b),
            "38dff065cc4f7808",
            "07b7f3b2c22dffa8",
        ),
        (
            "whatsnew-e2-0",
            &|b| site.hub(0, 2, 0, b),
            "51236751d424cc28",
            "3f93e590d4b18a51",
        ),
    ];
    for (name, write, plain, gzip) in cases {
        assert_eq!(hash(false, write), plain, "{name}, plain");
        assert_eq!(hash(true, write), gzip, "{name}, gzip");
    }
}

#[test]
fn a_started_site_tells_the_truth_and_counts() {
    let site = SynthSite::start(SynthOptions {
        hosts: 2,
        ..SynthOptions::pages(60)
    });
    assert_eq!(site.urls().len(), 60);
    let seed = site
        .seed_url()
        .strip_prefix("http://")
        .and_then(|s| s.strip_suffix('/'))
        .unwrap()
        .to_owned();
    let answer = super::handle::get(seed.parse().unwrap(), "/").unwrap();
    assert!(answer.contains("<h1>"));
    let stats = site.stats();
    assert_eq!(
        (stats.requests, stats.distinct_pages, stats.pages, stats.hosts),
        (1, 1, 60, 2)
    );
    site.reset();
    assert_eq!(site.stats().requests, 0);
    site.set_epoch(3);
    assert_eq!(site.stats().epoch, 3);
    let truth = site.truth(0, 3);
    assert!(truth.iter().any(|row| row.state == "NEW") && truth.iter().any(|row| row.state == "UPD"));
    assert_eq!(
        site.urls().len() as u64,
        60 + count(&truth, "NEW") - count(&truth, "MIS")
    );
    assert!(!site.text(5).is_empty());
}

fn count(truth: &[super::handle::Truth], state: &str) -> u64 {
    truth
        .iter()
        .filter(|row| row.state == state && row.detail != "hub")
        .count() as u64
}
