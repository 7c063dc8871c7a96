//! Names, addresses, and the guard in front of them.

use crate::script::{SHORT, Server, body_of, fetch, http, settings, unclear, with_timeouts};
use async_trait::async_trait;
use gleaner_model::{Reason, Url};
use gleaner_units::net::Resolve;
use gleaner_units::{Answer, Ask, Http, HttpSettings, Unit};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::net::UdpSocket;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A name server that answers every question with the same code (and with no address), or not at all.
async fn name_server(code: Option<u8>) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut message = [0u8; 1500];
        loop {
            let (length, from) = socket.recv_from(&mut message).await.unwrap();
            let Some(code) = code else { continue };
            // The question comes back as an answer: response bit, recursion available, code, no records.
            let mut answer = message[..length].to_vec();
            answer[2] |= 0x80;
            answer[3] = 0x80 | code;
            // Additional records of the question (EDNS) are left out.
            let question_end = 12 + answer[12..].iter().position(|byte| *byte == 0).unwrap() + 5;
            answer.truncate(question_end);
            answer[6..12].fill(0);
            socket.send_to(&answer, from).await.unwrap();
        }
    });
    address
}

#[tokio::test]
async fn hc024_three_ways_a_name_can_fail() {
    for (code, reason) in [
        (Some(3), Reason::DnsNotFound),
        (Some(2), Reason::DnsFailed),
        (None, Reason::DnsTimeout),
    ] {
        let mut settings = settings();
        settings.net.dns_server = Some(name_server(code).await);
        if code.is_none() {
            settings.net.timeouts.resolve = SHORT;
        }
        let http = Http::new(settings).unwrap();
        let url = Url::parse("http://some.example.com/").unwrap();
        let answer = unclear(fetch(&http, url.clone()).await);
        assert_eq!(answer.reason, reason, "{code:?}");
        assert_eq!(http.locate(&url).await.unwrap_err().reason, reason);
    }
}

fn named(overrides: &[(&str, &[&str])]) -> HttpSettings {
    let addresses = |list: &[&str]| list.iter().map(|text| text.parse().unwrap()).collect();
    let mut settings = settings();
    settings.net.resolve_overrides = overrides
        .iter()
        .map(|(host, to)| ((*host).to_owned(), addresses(to)))
        .collect();
    settings
}

fn url_of(host: &str, server: &Server) -> Url {
    Url::parse(&format!("http://{host}:{}/", server.address.port())).unwrap()
}

#[tokio::test]
async fn hc025_the_first_address_is_dead_the_second_alive() {
    let server = Server::says(OK).await;
    for dead in [
        &["127.0.0.2", "127.0.0.1"][..],
        &["::1", "127.0.0.1"],
        &["127.0.0.2", "::1", "127.0.0.3", "127.0.0.1"],
    ] {
        let http = Http::new(named(&[("two.test", dead)])).unwrap();
        let answer = fetch(&http, url_of("two.test", &server)).await;
        assert_eq!(
            answer.exchange().unwrap().address,
            Some(IpAddr::from([127, 0, 0, 1])),
            "{dead:?}"
        );
        assert_eq!(body_of(answer), "ok");
    }
    let http = Http::new(named(&[("dead.test", &["127.0.0.2", "127.0.0.3"])])).unwrap();
    let answer = unclear(fetch(&http, url_of("dead.test", &server)).await);
    assert_eq!(answer.reason, Reason::ConnectRefused);
}

#[tokio::test]
async fn hc026_names_of_private_addresses_are_refused_before_connecting() {
    let server = Server::says(OK).await;
    let mut settings = named(&[
        ("inside.test", &["127.0.0.1"]),
        ("mapped.test", &["::ffff:127.0.0.1"]),
        ("metadata.test", &["169.254.169.254"]),
        ("several.test", &["10.0.0.1", "127.0.0.1", "::1"]),
    ]);
    settings.net.allow_private = false;
    let http = Http::new(settings).unwrap();
    for host in [
        "inside.test",
        "mapped.test",
        "metadata.test",
        "several.test",
        "localhost",
        "x.localhost",
    ] {
        let answer = unclear(fetch(&http, url_of(host, &server)).await);
        assert_eq!(answer.reason, Reason::PrivateAddress, "{host}");
        assert!(
            !answer.detail.contains("127.") && !answer.detail.contains("169."),
            "{}",
            answer.detail
        );
        assert_eq!(
            http.locate(&url_of(host, &server)).await.unwrap_err().reason,
            Reason::PrivateAddress
        );
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn hc028_private_targets_however_they_are_spelled() {
    let server = Server::says(OK).await;
    let mut settings = settings();
    settings.net.allow_private = false;
    let http = Http::new(settings).unwrap();
    for host in [
        "127.0.0.1",
        "2130706433",
        "0177.0.0.1",
        "0x7f.0.0.1",
        "0x7f000001",
        "127.1",
        "0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:0:0:1]",
        "127.0.0.1.",
        "LOCALHOST",
        "localhost.",
        "%6cocalhost",
        "１２７.0.0.1",
        "user@127.0.0.1",
    ] {
        let answer = fetch(&http, url_of(host, &server)).await;
        assert_eq!(unclear(answer).reason, Reason::PrivateAddress, "{host}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn i4_a_private_seed_is_allowed_for_itself_only() {
    let server = Server::says(OK).await;
    let mut settings = named(&[("seed.test", &["127.0.0.1"]), ("other.test", &["127.0.0.1"])]);
    settings.net.allow_private = false;
    settings.net.private_hosts_allowed = ["Seed.test.".to_owned(), "[::1]".to_owned()].into();
    let http = Http::new(settings).unwrap();
    assert_eq!(body_of(fetch(&http, url_of("seed.test", &server)).await), "ok");
    for host in ["other.test", "127.0.0.1", "www.seed.test.localhost"] {
        assert_eq!(
            unclear(fetch(&http, url_of(host, &server)).await).reason,
            Reason::PrivateAddress,
            "{host}"
        );
    }
    // ::1 is allowed by name, so it is tried: nobody listens there.
    assert_ne!(
        unclear(fetch(&http, url_of("[::1]", &server)).await).reason,
        Reason::PrivateAddress
    );
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn hc067_a_redirect_to_a_private_address_is_refused_at_that_hop() {
    let inside = Server::says(OK).await;
    let target = inside.url("/admin");
    for status in [301, 302, 307] {
        let outside = Server::says(format!(
            "HTTP/1.1 {status} Moved\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n"
        ))
        .await;
        let mut settings = named(&[("public.test", &["127.0.0.1"])]);
        settings.net.allow_private = false;
        settings.net.private_hosts_allowed = ["public.test".to_owned()].into();
        let http = Http::new(settings).unwrap();
        match fetch(&http, url_of("public.test", &outside)).await {
            Answer::Moved(_, redirect) => {
                let next = unclear(fetch(&http, redirect.target.unwrap()).await);
                assert_eq!(next.reason, Reason::PrivateAddress);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(inside.connections(), 0);
}

/// Counts questions, and answers with loopback.
struct Counting(AtomicUsize);

#[async_trait]
impl Resolve for Counting {
    async fn resolve(&self, _: &str) -> Result<Vec<IpAddr>, Reason> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(vec![IpAddr::from([127, 0, 0, 1])])
    }
}

#[tokio::test]
async fn a_name_asked_for_lately_is_remembered() {
    let server = Server::says(OK).await;
    let resolver = Arc::new(Counting(AtomicUsize::new(0)));
    let http = Http::with_resolver(settings(), Arc::<Counting>::clone(&resolver)).unwrap();
    for _ in 0..3 {
        let url = url_of("name.test", &server);
        assert_eq!(http.locate(&url).await.unwrap(), IpAddr::from([127, 0, 0, 1]));
        assert_eq!(body_of(http.fetch(&Ask::of(url)).await.unwrap()), "ok");
    }
    assert_eq!(resolver.0.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn localhost_needs_no_name_server() {
    let server = Server::says(OK).await;
    let mut settings = settings();
    settings.net.dns_server = Some(name_server(Some(3)).await);
    assert_eq!(
        body_of(fetch(&Http::new(settings).unwrap(), url_of("localhost", &server)).await),
        "ok"
    );
    assert_eq!(body_of(fetch(&http(), url_of("LocalHost.", &server)).await), "ok");
}

#[tokio::test]
async fn a_connection_that_never_opens() {
    // The system queues two or three connections for this listener and then drops the attempts.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut queued = Vec::new();
    for _ in 0..16 {
        let connect = tokio::net::TcpStream::connect(address);
        match tokio::time::timeout(SHORT, connect).await {
            Ok(stream) => queued.push(stream.unwrap()),
            Err(_) => break,
        }
    }
    let http = with_timeouts(|timeouts| timeouts.connect = SHORT);
    let url = Url::parse(&format!("http://{address}/")).unwrap();
    assert_eq!(unclear(fetch(&http, url).await).reason, Reason::ConnectTimeout);
}
