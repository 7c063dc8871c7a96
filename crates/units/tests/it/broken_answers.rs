//! Answers that are late, endless, cut, or no answers at all.

use crate::script::{SHORT, Server, body_of, fetch, here, http, reason_for, unclear, with_timeouts};
use gleaner_model::Reason;
use gleaner_units::{Answer, Ask, Body, Unit};
use std::time::Duration;

#[tokio::test]
async fn hc001_accepted_and_then_nothing() {
    let server = Server::start(|mut visit| async move { visit.until_left().await }).await;
    let http = with_timeouts(|timeouts| timeouts.first_byte = SHORT);
    let answer = unclear(fetch(&http, server.url("/")).await);
    assert_eq!(answer.reason, Reason::FirstByteTimeout);
    assert!(answer.exchange.is_none());
    assert_eq!(
        server.connections(),
        1,
        "a silent server is not asked again at once"
    );
}

#[tokio::test]
async fn hc002_a_status_line_that_drips() {
    let server = Server::start(|mut visit| async move {
        visit.request().await;
        for byte in b"HTTP/1.1 200 OK\r\n".iter().cycle() {
            if !visit.send([*byte]).await {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let http = with_timeouts(|timeouts| timeouts.rate_window = SHORT);
    assert_eq!(
        unclear(fetch(&http, server.url("/")).await).reason,
        Reason::TooSlow
    );
    let http = with_timeouts(|timeouts| timeouts.fetch = SHORT);
    assert_eq!(
        unclear(fetch(&http, server.url("/")).await).reason,
        Reason::FetchTimeout
    );
}

#[tokio::test]
async fn hc003_a_body_that_drips() {
    let server = Server::start(|mut visit| async move {
        visit.request().await;
        visit.send("HTTP/1.1 200 OK\r\n\r\n").await;
        while visit.send("x").await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let http = with_timeouts(|timeouts| timeouts.rate_window = SHORT);
    let answer = unclear(fetch(&http, server.url("/")).await);
    assert_eq!(answer.reason, Reason::TooSlow);
    assert!(answer.exchange.is_none(), "a part is not a version");
}

#[tokio::test]
async fn a_body_that_falls_silent() {
    let server = Server::start(|mut visit| async move {
        visit.request().await;
        visit
            .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
            .await;
        visit.until_left().await;
    })
    .await;
    let http = with_timeouts(|timeouts| timeouts.silence = SHORT);
    assert_eq!(
        unclear(fetch(&http, server.url("/")).await).reason,
        Reason::SilenceTimeout
    );
}

#[tokio::test]
async fn hc004_endless_header_fields() {
    let server = Server::start(|mut visit| async move {
        visit.request().await;
        visit.send("HTTP/1.1 200 OK\r\n").await;
        while visit.send("X-Field: and another\r\n".repeat(100)).await {}
    })
    .await;
    assert_eq!(
        unclear(fetch(&http(), server.url("/")).await).reason,
        Reason::HeadersTooLarge
    );

    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(513));
    assert_eq!(reason_for(many).await, Reason::HeadersTooLarge);
    let enough = format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(512));
    let server = Server::says_once(enough).await;
    assert_eq!(here(fetch(&http(), server.url("/")).await).headers.len(), 512);
}

#[tokio::test]
async fn hc005_a_header_line_without_end() {
    let server = Server::start(|mut visit| async move {
        visit.request().await;
        visit.send("HTTP/1.1 200 OK\r\nX-Long: ").await;
        while visit.send("x".repeat(10_000)).await {}
    })
    .await;
    assert_eq!(
        unclear(fetch(&http(), server.url("/")).await).reason,
        Reason::HeadersTooLarge
    );
}

#[tokio::test]
async fn hc006_an_endless_body_stops_at_its_limit() {
    let server = Server::start(|mut visit| async move {
        let request = visit.request().await.unwrap();
        if request.starts_with("GET /chunked") {
            visit
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                .await;
            while visit.send(format!("2710\r\n{}\r\n", "x".repeat(10_000))).await {}
        } else if request.starts_with("GET /close") {
            visit.send("HTTP/1.1 200 OK\r\n\r\n").await;
            while visit.send("x".repeat(10_000)).await {}
        } else {
            visit
                .send("HTTP/1.1 200 OK\r\nContent-Length: 9999999999999\r\n\r\n")
                .await;
            visit.until_left().await;
        }
    })
    .await;
    let http = http();
    for path in ["/chunked", "/close", "/length"] {
        let ask = Ask {
            body_bytes_max: 3_000_000,
            ..Ask::of(server.url(path))
        };
        let answer = unclear(http.fetch(&ask).await.unwrap());
        assert_eq!(answer.reason, Reason::BodyTooLarge, "{path}");
    }
    assert_eq!(server.connections(), 3, "none of these connections is used again");
}

#[tokio::test]
async fn a_body_of_exactly_the_limit_is_taken() {
    for head in ["Content-Length: 5000\r\n", ""] {
        let server = Server::says_once(format!("HTTP/1.1 200 OK\r\n{head}\r\n{}", "x".repeat(5000))).await;
        for (limit, taken) in [(5000, true), (4999, false)] {
            let ask = Ask {
                body_bytes_max: limit,
                ..Ask::of(server.url("/"))
            };
            let answer = http().fetch(&ask).await.unwrap();
            assert_eq!(matches!(answer, Answer::Here(_)), taken, "{head:?} {limit}");
        }
    }
}

#[tokio::test]
async fn hc007_chunk_sizes_that_make_no_sense() {
    for size in ["-1", "10000000000000000", "zz", "0x5", ""] {
        let server = Server::says(format!(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{size}\r\nhello\r\n0\r\n\r\n"
        ))
        .await;
        let http = http();
        for connections in 1..=2 {
            let answer = unclear(fetch(&http, server.url("/")).await);
            assert_eq!(answer.reason, Reason::BadFraming, "{size}");
            assert_eq!(server.connections(), connections, "not used again after {size}");
        }
    }
    let longer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n";
    assert_eq!(reason_for(longer).await, Reason::BadFraming);
    let wordy = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;{}\r\n",
        "x".repeat(5000)
    );
    assert_eq!(reason_for(wordy).await, Reason::BadFraming);
    let idle = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        format!("1;{}\r\nx\r\n", "y".repeat(4000)).repeat(2000)
    );
    assert_eq!(
        reason_for(idle).await,
        Reason::BadFraming,
        "framing without end around hardly any body"
    );
}

#[tokio::test]
async fn hc008_less_than_announced() {
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/ht",
    ] {
        assert_eq!(reason_for(answer).await, Reason::Truncated, "{answer:?}");
    }
}

#[tokio::test]
async fn hc077_a_compressed_body_cut_on_the_wire_is_truncated() {
    let answer =
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 400\r\n\r\n\x1f\x8b\x08\0\0\0";
    assert_eq!(reason_for(answer.as_slice()).await, Reason::Truncated);
}

#[tokio::test]
async fn hc009_more_than_announced_is_not_credited_to_the_next_page() {
    let smuggled = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
    let server = Server::says(format!(
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood{smuggled}"
    ))
    .await;
    let http = http();
    for connections in 1..=3 {
        assert_eq!(body_of(fetch(&http, server.url("/")).await), "good");
        assert_eq!(server.connections(), connections);
    }
}

/// The smuggled answer comes by itself, after the declared body and before the next request: in the same instant, or
/// once the runtime had time to look at the connection.
#[tokio::test]
async fn hc009_an_answer_that_comes_before_its_request_is_nobodys() {
    let smuggled = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
    for body in [
        "Content-Length: 4\r\n\r\ngood",
        "Transfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\n",
    ] {
        for rests in [false, true] {
            let (said, mut hears) = tokio::sync::mpsc::unbounded_channel();
            let (take, taken) = tokio::sync::watch::channel(0);
            let server = Server::start(move |mut visit| {
                let (said, mut taken) = (said.clone(), taken.clone());
                async move {
                    while visit.request().await.is_some() {
                        visit.send(format!("HTTP/1.1 200 OK\r\n{body}")).await;
                        // Not in one piece: the client has its page first.
                        let turn = visit.number + 1;
                        taken.wait_for(|count| *count >= turn).await.unwrap();
                        visit.send(smuggled).await;
                        said.send(()).unwrap();
                    }
                }
            })
            .await;
            let http = http();
            for turn in 1..=4 {
                assert_eq!(
                    body_of(fetch(&http, server.url("/")).await),
                    "good",
                    "{body:?} {turn}"
                );
                assert_eq!(
                    server.connections(),
                    turn,
                    "one that speaks out of turn is not used again"
                );
                take.send(turn).unwrap();
                // On loopback what was sent is there.
                hears.recv().await.unwrap();
                if rests {
                    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                }
            }
        }
    }
}

/// Caught once, an origin gets no second request on any connection: the next time its answer might come too late to be
/// told from the right one.
#[tokio::test]
async fn hc009_who_was_caught_once_gets_a_connection_for_each_request() {
    let (said, mut hears) = tokio::sync::mpsc::unbounded_channel();
    let server = Server::start(move |mut visit| {
        let said = said.clone();
        async move {
            while visit.request().await.is_some() {
                visit
                    .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood")
                    .await;
                if visit.number == 0 {
                    visit
                        .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
                        .await;
                    said.send(()).unwrap();
                }
            }
        }
    })
    .await;
    let http = http();
    for connections in 1..=4 {
        assert_eq!(body_of(fetch(&http, server.url("/")).await), "good");
        if connections == 1 {
            hears.recv().await.unwrap();
        }
        assert_eq!(server.connections(), connections);
    }
}

#[tokio::test]
async fn hc010_length_and_chunks_together() {
    let both =
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    let server = Server::says(both).await;
    let http = http();
    for connections in 1..=2 {
        assert_eq!(body_of(fetch(&http, server.url("/")).await), "hello");
        assert_eq!(
            server.connections(),
            connections,
            "such a connection is not used again"
        );
    }
    let two = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nhello";
    assert_eq!(reason_for(two).await, Reason::BadFraming);
}

#[tokio::test]
async fn hc011_reset_in_the_middle() {
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Ty",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
    ] {
        let server = Server::start(move |mut visit| async move {
            visit.request().await;
            visit.send(answer).await;
            visit.stream.set_zero_linger().unwrap();
        })
        .await;
        let answer = unclear(fetch(&http(), server.url("/")).await);
        assert_eq!(answer.reason, Reason::Reset);
        assert_eq!(server.connections(), 1, "when to try again is not decided here");
    }
}

#[tokio::test]
async fn hc012_what_answers_is_not_http() {
    for answer in [
        b"SSH-2.0-OpenSSH_9.6\r\n".as_slice(),
        b"<html>HTTP/0.9 was simple</html>",
        b"\x00\x01\x02\x03\x04\x05",
        b"ICY 200 OK\r\n\r\n",
        b"HTTP/3.7 200 OK\r\n\r\n",
        b"HTTP/",
    ] {
        let reason = reason_for(answer).await;
        let cut = answer == b"HTTP/";
        assert_eq!(
            reason,
            if cut { Reason::Truncated } else { Reason::NotHttp },
            "{answer:?}"
        );
    }
    assert_eq!(reason_for("").await, Reason::Closed);
}

#[tokio::test]
async fn hc013_status_codes_without_meaning() {
    for status in ["099", "000", "600", "700", "999", "101"] {
        let answer = format!("HTTP/1.1 {status} Odd\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(reason_for(answer).await, Reason::BadStatus, "{status}");
    }
    assert_eq!(reason_for("HTTP/1.1 2x0 OK\r\n\r\n").await, Reason::BadStatus);
    for line in [
        "HTTP/1.1 200",
        "HTTP/1.1 200 ",
        "HTTP/1.0 200 OK",
        "HTTP/1.1 299 Own class",
    ] {
        let server = Server::says_once(format!("{line}\r\nContent-Length: 2\r\n\r\nok")).await;
        assert_eq!(body_of(fetch(&http(), server.url("/")).await), "ok", "{line}");
    }
    assert_eq!(reason_for("HTTP/1.1 499 Own\r\n\r\n").await, Reason::HttpClient);
    assert_eq!(reason_for("HTTP/1.1 599 Own\r\n\r\n").await, Reason::HttpServer);
}

#[tokio::test]
async fn interim_answers_are_passed_over_but_not_for_ever() {
    let interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    let server = Server::says_once(format!(
        "{}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        interim.repeat(3)
    ))
    .await;
    let exchange = here(fetch(&http(), server.url("/")).await);
    assert_eq!(
        exchange.response_head,
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
    );
    assert_eq!(reason_for(interim.repeat(100)).await, Reason::BadFraming);
}

#[tokio::test]
async fn an_error_page_that_is_cut_still_says_what_it_says() {
    let server = Server::says_once("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\nnot fou").await;
    match fetch(&http(), server.url("/")).await {
        Answer::Gone(exchange) => {
            assert!(exchange.truncated);
            assert_eq!(exchange.body.as_slice(), Some(b"not fou".as_slice()));
        }
        other => panic!("{other:?}"),
    }
    let server = Server::says_once(format!("HTTP/1.1 503 Busy\r\n\r\n{}", "x".repeat(5_000_000))).await;
    let answer = unclear(fetch(&http(), server.url("/")).await);
    assert_eq!(answer.reason, Reason::HttpUnavailable);
    let exchange = answer.exchange.unwrap();
    assert!(
        exchange.truncated && exchange.body.len() <= 1024 * 1024,
        "{}",
        exchange.body.len()
    );
}

#[tokio::test]
async fn a_large_body_is_spooled_and_nothing_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let piece: Vec<u8> = (0..=250).collect();
    let whole = piece.repeat(20_000);
    let mut chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for chunk in whole.chunks(70_000) {
        chunked.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        chunked.extend_from_slice(chunk);
        chunked.extend_from_slice(b"\r\n");
    }
    chunked.extend_from_slice(b"0\r\nTrailer: ignored\r\n\r\n");
    let length = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", whole.len());
    let plain = [length.as_bytes(), &whole].concat();
    let until_close = [b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &whole].concat();
    for answer in [chunked, plain, until_close] {
        let server = Server::says_once(answer).await;
        let mut settings = crate::script::settings();
        settings.net.spool_folder = folder.path().to_owned();
        let http = gleaner_units::Http::new(settings).unwrap();
        let exchange = here(fetch(&http, server.url("/")).await);
        assert!(matches!(exchange.body, Body::Spool(_)));
        assert_eq!(exchange.body.len(), whole.len() as u64);
        let mut read = Vec::new();
        std::io::Read::read_to_end(&mut exchange.body.reader().unwrap(), &mut read).unwrap();
        assert!(read == whole, "the bytes differ");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
