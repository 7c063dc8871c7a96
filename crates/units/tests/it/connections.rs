//! When is a connection used again, and when not?

use crate::script::{Server, body_of, fetch, http, reason_for, unclear, with_timeouts};
use gleaner_model::Reason;
use gleaner_units::Ask;
use gleaner_units::Unit;
use std::sync::Arc;
use std::time::Duration;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[tokio::test]
async fn a_healthy_connection_is_used_again() {
    let server = Server::says(OK).await;
    let http = http();
    for _ in 0..5 {
        assert_eq!(body_of(fetch(&http, server.url("/")).await), "ok");
    }
    assert_eq!(server.connections(), 1);
    http.close_idle();
    assert_eq!(body_of(fetch(&http, server.url("/")).await), "ok");
    assert_eq!(server.connections(), 2);

    let http = with_timeouts(|timeouts| timeouts.keep_alive = Duration::ZERO);
    for _ in 0..2 {
        fetch(&http, server.url("/")).await;
    }
    assert_eq!(
        server.connections(),
        4,
        "an idle connection past its time is not used"
    );
}

#[tokio::test]
async fn asks_at_the_same_time_do_not_mix() {
    let server = Server::start(|mut visit| async move {
        while let Some(request) = visit.request().await {
            let path = request.split(' ').nth(1).unwrap().to_owned();
            visit
                .send(format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{path}",
                    path.len()
                ))
                .await;
        }
    })
    .await;
    let http = Arc::new(http());
    let mut asks = tokio::task::JoinSet::new();
    for worker in 0..8 {
        let http = Arc::clone(&http);
        let urls: Vec<_> = (0..25)
            .map(|page| server.url(&format!("/{worker}/{page}")))
            .collect();
        asks.spawn(async move {
            for url in urls {
                let path = url.path().to_owned();
                assert_eq!(body_of(http.fetch(&Ask::of(url)).await.unwrap()), path);
            }
        });
    }
    while let Some(done) = asks.join_next().await {
        done.unwrap();
    }
    assert!(server.connections() <= 8, "{}", server.connections());
}

#[tokio::test]
async fn hc019_a_kept_connection_closed_as_the_request_is_sent() {
    // The first connection answers once and then closes on the next request, the others behave.
    let server = Server::start(|mut visit| async move {
        visit.request().await;
        visit.send(OK).await;
        if visit.number == 0 {
            visit.request().await;
            return;
        }
        while visit.request().await.is_some() {
            visit.send(OK).await;
        }
    })
    .await;
    let http = http();
    for connections in [1, 2, 2] {
        assert_eq!(body_of(fetch(&http, server.url("/")).await), "ok");
        assert_eq!(server.connections(), connections);
    }
}

#[tokio::test]
async fn hc019_a_fresh_connection_that_closes_is_not_asked_again() {
    let server = Server::start(|mut visit| async move {
        visit.request().await;
    })
    .await;
    let answer = unclear(fetch(&http(), server.url("/")).await);
    assert_eq!(answer.reason, Reason::Closed);
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn servers_that_say_close_mean_it() {
    for answer in [
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
    ] {
        let server = Server::says(answer).await;
        let http = http();
        for connections in 1..=2 {
            assert_eq!(body_of(fetch(&http, server.url("/")).await), "ok");
            assert_eq!(server.connections(), connections);
        }
    }
    let server =
        Server::says("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nok").await;
    let http = http();
    for _ in 0..2 {
        assert_eq!(body_of(fetch(&http, server.url("/")).await), "ok");
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_body_may_last_until_the_connection_closes() {
    let server = Server::says_once("HTTP/1.0 200 OK\nServer: old\n\nall of it").await;
    assert_eq!(body_of(fetch(&http(), server.url("/")).await), "all of it");
}

#[tokio::test]
async fn nobody_listens() {
    let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = server.local_addr().unwrap();
    drop(server);
    let url = gleaner_model::Url::parse(&format!("http://{address}/")).unwrap();
    assert_eq!(unclear(fetch(&http(), url).await).reason, Reason::ConnectRefused);
    assert_eq!(reason_for("").await, Reason::Closed);
}

#[tokio::test]
async fn the_bandwidth_cap_slows_but_does_not_fail() {
    let mut settings = crate::script::settings();
    settings.net.bandwidth_bytes_per_s = Some(200_000);
    // Our own waiting, some two seconds, must not be held against the server.
    settings.net.timeouts.silence = Duration::from_secs(1);
    settings.net.timeouts.fetch = Duration::from_secs(1);
    let http = gleaner_units::Http::new(settings).unwrap();
    let server = Server::says(format!(
        "HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n{}",
        "x".repeat(400_000)
    ))
    .await;
    let start = std::time::Instant::now();
    assert_eq!(body_of(fetch(&http, server.url("/")).await).len(), 400_000);
    assert!(start.elapsed() > Duration::from_secs(1), "{:?}", start.elapsed());
}
