//! Answers that are whole: what each means, and what is kept of it.

use crate::script::{Server, body_of, fetch, here, http, settings, unclear};
use gleaner_model::Reason;
use gleaner_units::http::HTTP11;
use gleaner_units::{
    Answer, Ask, BoundHeader, FilterVerdict, HeadFilter, Headers, Http, Refusal, Unit, Units,
};
use std::sync::Arc;

#[tokio::test]
async fn a_page_is_kept_as_it_was_sent() {
    let head =
        "HTTP/1.1 200 Fine by me\r\nServer: odd Server\r\nCONTENT-length: 5\r\nX-Folded: a\r\n b\r\n\r\n";
    let server = Server::says_once(format!("{head}\x1f\x00abc")).await;
    let answer = fetch(&http(), server.url("/path?query=1&b")).await;
    let exchange = here(answer);
    assert_eq!(String::from_utf8_lossy(&exchange.response_head), head);
    assert_eq!(exchange.body.as_slice(), Some(b"\x1f\x00abc".as_slice()));
    assert_eq!(exchange.status, 200);
    assert_eq!(exchange.headers.get("x-folded"), Some("a b"));
    assert_eq!(exchange.protocol, HTTP11);
    assert_eq!(exchange.address, Some(server.address.ip()));
    assert_eq!(exchange.wire_bytes, head.len() as u64 + 5);
    assert!(exchange.elapsed >= exchange.first_byte && !exchange.truncated && !exchange.cookies_set);
    let sent = server.requests().remove(0);
    assert_eq!(String::from_utf8_lossy(&exchange.request_head), sent);
    let expected_start = format!("GET /path?query=1&b HTTP/1.1\r\nHost: {}\r\n", server.address);
    assert!(sent.starts_with(&expected_start), "{sent}");
    for field in [
        "User-Agent: gleaner-test\r\n",
        "Accept-Encoding: gzip, deflate, br, zstd\r\n",
    ] {
        assert!(sent.contains(field), "{sent}");
    }
}

#[tokio::test]
async fn hc075_encodings_are_passed_on_as_sent_and_undone_elsewhere() {
    let server = Server::says_once(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\nContent-Encoding: br, gzip, gzip\r\n\
         Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    )
    .await;
    let exchange = here(fetch(&http(), server.url("/")).await);
    let encodings: Vec<&str> = exchange.headers.all("content-encoding").collect();
    assert_eq!(encodings, ["gzip, gzip", "br, gzip, gzip"]);
    let head = String::from_utf8(exchange.response_head.clone()).unwrap();
    assert!(
        head.contains("\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\n"),
        "{head}"
    );
    assert!(!head.contains("\r\nTransfer-Encoding"), "{head}");
    assert_eq!(exchange.body.as_slice(), Some(b"abc".as_slice()));
}

#[tokio::test]
async fn b1_each_status_has_its_meaning() {
    for (status, reason) in [
        (400, Reason::HttpClient),
        (401, Reason::HttpUnauthorized),
        (403, Reason::HttpForbidden),
        (418, Reason::HttpClient),
        (429, Reason::HttpTooMany),
        (500, Reason::HttpServer),
        (502, Reason::HttpServer),
        (503, Reason::HttpUnavailable),
        (206, Reason::Truncated),
        (300, Reason::BadRedirect),
        (301, Reason::BadRedirect),
        (305, Reason::BadRedirect),
    ] {
        let server = Server::says(format!("HTTP/1.1 {status} X\r\nContent-Length: 4\r\n\r\nwhat")).await;
        let answer = unclear(fetch(&http(), server.url("/")).await);
        assert_eq!(answer.reason, reason, "{status}");
        assert_eq!(
            answer.exchange.unwrap().body.as_slice(),
            Some(b"what".as_slice()),
            "kept for the archive"
        );
    }
    for status in [404, 410] {
        let server = Server::says(format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n")).await;
        assert!(
            matches!(fetch(&http(), server.url("/")).await, Answer::Gone(_)),
            "{status}"
        );
    }
    let server = Server::says("HTTP/1.1 204 Nothing\r\nContent-Length: 10\r\n\r\n").await;
    assert!(here(fetch(&http(), server.url("/")).await).body.is_empty());
}

#[tokio::test]
async fn b3_a_304_to_a_condition_costs_no_body() {
    let server = Server::says("HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n").await;
    let http = http();
    let date = "Tue, 01 Sep 2026 10:00:00 GMT";
    for (etag, last_modified) in [
        (Some("\"a\""), Some(date)),
        (Some("W/\"b\""), None),
        (None, Some(date)),
    ] {
        let ask = Ask {
            etag: etag.map(str::to_owned),
            last_modified: last_modified.map(str::to_owned),
            ..Ask::of(server.url("/"))
        };
        assert!(matches!(http.fetch(&ask).await.unwrap(), Answer::Unchanged(_)));
        let sent = server.requests().pop().unwrap();
        assert_eq!(sent.contains("If-None-Match: "), etag.is_some(), "{sent}");
        assert_eq!(
            sent.contains(&format!("If-Modified-Since: {date}\r\n")),
            last_modified.is_some(),
            "{sent}"
        );
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn hc014_a_304_that_nobody_asked_for() {
    let server = Server::says("HTTP/1.1 304 Not Modified\r\n\r\n").await;
    let answer = unclear(fetch(&http(), server.url("/")).await);
    assert_eq!(answer.reason, Reason::Unexpected304);
    let requests = server.requests();
    assert_eq!(requests.len(), 2, "one plain retry");
    assert!(
        requests[1].contains("Cache-Control: no-cache\r\n"),
        "{}",
        requests[1]
    );

    let healed = Server::start(|mut visit| async move {
        visit.request().await;
        visit.send("HTTP/1.1 304 Not Modified\r\n\r\n").await;
        visit.request().await;
        visit.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
    })
    .await;
    assert_eq!(body_of(fetch(&http(), healed.url("/")).await), "ok");
}

#[tokio::test]
async fn hc016_retry_after_is_passed_on_as_sent() {
    for text in ["315360000", "-1", "Sun, 06 Nov 1994 08:49:37 GMT", "soon"] {
        for status in [429, 503] {
            let server = Server::says(format!(
                "HTTP/1.1 {status} Slow down\r\nRetry-After: {text}\r\nContent-Length: 0\r\n\r\n"
            ))
            .await;
            let answer = unclear(fetch(&http(), server.url("/")).await);
            assert_eq!(answer.retry_after.as_deref(), Some(text));
        }
    }
}

#[tokio::test]
async fn hc062_redirects_are_answers_and_never_followed() {
    let cases = [
        ("/next", Some("/next")),
        ("next?x=1#part", Some("/a/next?x=1")),
        ("", Some("/a/b")),
        ("//other.test/x", Some("http://other.test/x")),
        ("https://other.test", Some("https://other.test/")),
        ("/caf\u{e9}", Some("/caf%C3%A9")),
        ("http://[bad", None),
    ];
    for status in [301, 302, 303, 307, 308] {
        for (location, expected) in cases {
            let server = Server::says(format!(
                "HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 2\r\n\r\nok"
            ))
            .await;
            let from = server.url("/a/b");
            match fetch(&http(), from.clone()).await {
                Answer::Moved(exchange, redirect) => {
                    assert_eq!((redirect.status, exchange.status), (status, status));
                    assert_eq!(redirect.location, location);
                    let target = redirect.target.ok().map(|url| url.to_string());
                    let expected = expected.map(|text| from.join(text).unwrap().to_string());
                    assert_eq!(target, expected, "{location}");
                }
                other => panic!("{other:?}"),
            }
            assert_eq!(server.requests().len(), 1);
        }
    }
}

#[tokio::test]
async fn hc063_redirects_to_other_schemes_are_told_and_not_followed() {
    for location in [
        "ftp://other.test/x",
        "file:///etc/passwd",
        "data:text/html,x",
        "javascript:alert(1)",
    ] {
        let server = Server::says(format!(
            "HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
        ))
        .await;
        let units = Units::default().with(Arc::new(http()));
        match units.fetch(&Ask::of(server.url("/"))).await.unwrap() {
            Answer::Moved(_, redirect) => {
                assert_eq!(redirect.location, location);
                if let Ok(target) = redirect.target {
                    assert!(
                        units.fetch(&Ask::of(target)).await.is_err(),
                        "no unit for {location}"
                    );
                }
            }
            other => panic!("{other:?}"),
        }
    }
}

fn unwanted(media_type: &str) -> FilterVerdict {
    FilterVerdict::Stop(Refusal {
        reason: Reason::UnwantedType,
        detail: media_type.to_owned(),
    })
}

/// Takes HTML by its announced type, and then only what does not begin like a video.
struct HtmlOnly;

impl HeadFilter for HtmlOnly {
    fn head(&self, _: u16, headers: &Headers) -> FilterVerdict {
        match headers.media_type().as_deref() {
            Some("text/html") => FilterVerdict::Go,
            other => unwanted(other.unwrap_or_default()),
        }
    }

    fn opening(&self, _: u16, _: &Headers, opening: &[u8]) -> FilterVerdict {
        assert!(opening.len() <= 1024);
        if opening.starts_with(b"\0\0\0\x18ftyp") {
            unwanted("video/mp4")
        } else {
            FilterVerdict::Go
        }
    }
}

#[tokio::test]
async fn hc030_unwanted_types_are_cut_before_or_soon_after_the_body_begins() {
    let server = Server::start(|mut visit| async move {
        while let Some(request) = visit.request().await {
            let path = request.split(' ').nth(1).unwrap().to_owned();
            match path.as_str() {
                "/announced" => {
                    visit.send("HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 2147483648\r\n\r\n").await;
                    visit.until_left().await;
                }
                "/pretended" => {
                    visit.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2147483648\r\n\r\n").await;
                    visit.send(b"\0\0\0\x18ftyp").await;
                    while visit.send(vec![0; 10_000]).await {}
                }
                "/short" => {
                    visit.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 8\r\n\r\n\0\0\0\x18ftyp").await;
                }
                "/missing" => {
                    visit.send("HTTP/1.1 404 No\r\nContent-Type: image/png\r\nContent-Length: 2\r\n\r\nno").await;
                }
                _ => {
                    visit.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>").await;
                }
            }
        }
    })
    .await;
    let http = http();
    let ask = |path: &str| Ask {
        body_bytes_max: u64::MAX,
        filter: Some(Arc::new(HtmlOnly)),
        ..Ask::of(server.url(path))
    };
    for path in ["/announced", "/pretended", "/short"] {
        match http.fetch(&ask(path)).await.unwrap() {
            Answer::Refused(exchange, refusal) => {
                assert_eq!(
                    (refusal.reason, refusal.detail.as_str()),
                    (Reason::UnwantedType, "video/mp4"),
                    "{path}"
                );
                assert!(exchange.body.is_empty() && exchange.truncated);
                assert!(
                    exchange.wire_bytes < 1024 * 1024,
                    "{path}: {}",
                    exchange.wire_bytes
                );
            }
            other => panic!("{path}: {other:?}"),
        }
    }
    assert!(
        matches!(http.fetch(&ask("/missing")).await.unwrap(), Answer::Gone(_)),
        "a 404 is not filtered"
    );
    assert_eq!(body_of(http.fetch(&ask("/wanted")).await.unwrap()), "<html>");
}

#[tokio::test]
async fn hc031_offered_file_names_are_data_only() {
    let folder = tempfile::tempdir().unwrap();
    let names = [
        "../../etc/passwd",
        "/etc/passwd",
        "CON",
        "a\tb",
        &"n".repeat(5000),
    ];
    for name in names {
        let server = Server::says(format!(
            "HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=\"{name}\"\r\nContent-Length: 2\r\n\r\nok"
        ))
        .await;
        let mut settings = settings();
        settings.net.spool_folder = folder.path().to_owned();
        let exchange = here(fetch(&Http::new(settings).unwrap(), server.url("/")).await);
        assert!(
            exchange
                .headers
                .get("content-disposition")
                .unwrap()
                .contains(name)
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[tokio::test]
async fn a4_cookies_last_for_the_run_and_stay_out_of_the_archive() {
    let server = Server::start(|mut visit| async move {
        while let Some(request) = visit.request().await {
            let set = if request.contains("Cookie: ") {
                ""
            } else {
                "Set-Cookie: sid=verysecret; Path=/\r\n"
            };
            visit
                .send(format!("HTTP/1.1 200 OK\r\n{set}Content-Length: 2\r\n\r\nok"))
                .await;
        }
    })
    .await;
    let http = http();
    assert!(here(fetch(&http, server.url("/login")).await).cookies_set);
    let exchange = here(fetch(&http, server.url("/page")).await);
    assert!(!exchange.cookies_set);
    assert!(server.requests()[1].contains("Cookie: sid=verysecret\r\n"));
    let archived = String::from_utf8(exchange.request_head.clone()).unwrap();
    assert!(
        archived.contains("Cookie: [hidden]\r\n") && !archived.contains("verysecret"),
        "{archived}"
    );

    let resumed = crate::script::http();
    resumed.import_cookies(&http.export_cookies()).unwrap();
    fetch(&resumed, server.url("/page")).await;
    assert!(server.requests()[2].contains("Cookie: sid=verysecret\r\n"));
    assert!(resumed.import_cookies(b"not a jar").is_err());

    let mut without = settings();
    without.accept_cookies = false;
    let without = Http::new(without).unwrap();
    for _ in 0..2 {
        assert!(!here(fetch(&without, server.url("/")).await).cookies_set);
    }
    assert!(!server.requests()[4].contains("Cookie:"));
}

#[tokio::test]
async fn hc069_ten_thousand_cookies_in_one_answer() {
    let flood = "Set-Cookie: a=b\r\n".repeat(10_000);
    let answer = format!("HTTP/1.1 200 OK\r\n{flood}Content-Length: 2\r\n\r\nok");
    assert_eq!(crate::script::reason_for(answer).await, Reason::HeadersTooLarge);
    let many: Vec<String> = (0..400)
        .map(|n| format!("Set-Cookie: c{n}={}\r\n", "x".repeat(500)))
        .collect();
    let many = many.concat();
    let server = Server::says(format!("HTTP/1.1 200 OK\r\n{many}Content-Length: 2\r\n\r\nok")).await;
    let http = http();
    for _ in 0..3 {
        fetch(&http, server.url("/")).await;
    }
    let last = server.requests().pop().unwrap();
    assert!(last.len() < 10_000, "{}", last.len());
}

#[tokio::test]
async fn hc064_what_the_user_set_for_one_origin_goes_to_no_other() {
    let (first, second) = (
        Server::says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await,
        Server::says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await,
    );
    let headers: Arc<[BoundHeader]> = Arc::from([BoundHeader {
        origin: first.url("/").origin().to_owned(),
        name: "Authorization".into(),
        value: "Basic verysecret".into(),
    }]);
    let http = http();
    for server in [&first, &second] {
        let ask = Ask {
            headers: Arc::clone(&headers),
            ..Ask::of(server.url("/"))
        };
        let exchange = here(http.fetch(&ask).await.unwrap());
        assert!(!String::from_utf8_lossy(&exchange.request_head).contains("verysecret"));
    }
    assert!(first.requests()[0].contains("Authorization: Basic verysecret\r\n"));
    assert!(!second.requests()[0].contains("verysecret"));
}
