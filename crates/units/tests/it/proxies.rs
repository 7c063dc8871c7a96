//! Fetching through a proxy (HC029).

use crate::script::{Server, body_of, settings, unclear};
use crate::tls::{Authority, acceptor, trusting};
use gleaner_model::{Reason, Url};
use gleaner_units::http::ProxySettings;
use gleaner_units::{Ask, Http, Unit};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn proxy_at(address: SocketAddr) -> ProxySettings {
    ProxySettings::parse(&format!("http://ann:verysecret@{address}")).unwrap()
}

#[tokio::test]
async fn plain_requests_go_in_absolute_form_with_the_proxys_own_credentials() {
    let proxy = Server::says(OK).await;
    let mut settings = settings();
    settings.proxy = Some(proxy_at(proxy.address));
    let http = Http::new(settings).unwrap();
    let answer = http
        .fetch(&Ask::of(Url::parse("http://far.test/page?x").unwrap()))
        .await
        .unwrap();
    let archived = String::from_utf8(answer.exchange().unwrap().request_head.clone()).unwrap();
    assert!(!archived.contains("Proxy-Authorization"), "{archived}");
    assert_eq!(body_of(answer), "ok");
    let sent = &proxy.requests()[0];
    assert!(
        sent.starts_with("GET http://far.test/page?x HTTP/1.1\r\nHost: far.test\r\n"),
        "{sent}"
    );
    assert!(
        sent.contains("Proxy-Authorization: Basic YW5uOnZlcnlzZWNyZXQ=\r\n"),
        "{sent}"
    );
}

#[tokio::test]
async fn hc029_the_guard_looks_at_proxies_too() {
    let proxy = Server::says(OK).await;
    let mut guarded = settings();
    guarded.net.allow_private = false;
    guarded.proxy = Some(proxy_at(proxy.address));
    let http = Http::new(guarded.clone()).unwrap();
    for url in ["http://far.test/", "https://far.test/"] {
        let answer = unclear(http.fetch(&Ask::of(Url::parse(url).unwrap())).await.unwrap());
        assert_eq!(answer.reason, Reason::PrivateAddress);
    }
    // The proxy is allowed, but what it is asked to reach is not.
    guarded.net.private_hosts_allowed = ["127.0.0.1".to_owned()].into();
    let http = Http::new(guarded).unwrap();
    for url in [
        "http://10.0.0.1/",
        "http://localhost/",
        "https://[::1]/",
        "http://2852039166/",
    ] {
        let answer = unclear(http.fetch(&Ask::of(Url::parse(url).unwrap())).await.unwrap());
        assert_eq!(answer.reason, Reason::PrivateAddress, "{url}");
    }
    assert_eq!(proxy.connections(), 0);
}

#[tokio::test]
async fn secure_requests_go_through_a_tunnel_that_never_shows_the_credentials_to_the_server() {
    let authority = Authority::new();
    let acceptor = acceptor(authority.identity(&["far.test"], |_| ()), &[]);
    let (seen, mut inside) = tokio::sync::mpsc::unbounded_channel();
    let proxy = Server::start(move |mut visit| {
        let (acceptor, seen) = (acceptor.clone(), seen.clone());
        async move {
            visit.request().await;
            visit.send("HTTP/1.1 200 Connection established\r\n\r\n").await;
            let mut stream = acceptor.accept(visit.stream).await.unwrap();
            let mut request = vec![0; 4096];
            let length = stream.read(&mut request).await.unwrap();
            request.truncate(length);
            seen.send(String::from_utf8(request).unwrap()).unwrap();
            stream.write_all(OK.as_bytes()).await.unwrap();
            stream.flush().await.unwrap();
            let _ = stream.read(&mut [0; 1]).await;
        }
    })
    .await;
    let mut settings = trusting(&authority, "far.test");
    settings.proxy = Some(proxy_at(proxy.address));
    let http = Http::new(settings).unwrap();
    let answer = http
        .fetch(&Ask::of(Url::parse("https://far.test/page").unwrap()))
        .await
        .unwrap();
    assert_eq!(body_of(answer), "ok");
    let connect = &proxy.requests()[0];
    assert!(
        connect.starts_with("CONNECT far.test:443 HTTP/1.1\r\nHost: far.test:443\r\n"),
        "{connect}"
    );
    assert!(connect.contains("Proxy-Authorization: Basic "), "{connect}");
    let request = inside.recv().await.unwrap();
    assert!(
        request.starts_with("GET /page HTTP/1.1\r\nHost: far.test\r\n"),
        "{request}"
    );
    assert!(!request.contains("Proxy-"), "{request}");
}

#[tokio::test]
async fn a_proxy_that_refuses_is_told_apart_from_the_site() {
    let proxy = Server::says("HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n").await;
    let silent = Server::says_once("").await;
    for address in [proxy.address, silent.address] {
        let mut settings = settings();
        settings.proxy = Some(proxy_at(address));
        let http = Http::new(settings).unwrap();
        let answer = unclear(
            http.fetch(&Ask::of(Url::parse("https://far.test/").unwrap()))
                .await
                .unwrap(),
        );
        assert_eq!(answer.reason, Reason::ProxyFailed);
        assert!(!answer.detail.contains("verysecret"));
    }
    let mut settings = settings();
    settings.proxy = Some(proxy_at(proxy.address));
    let http = Http::new(settings).unwrap();
    let answer = unclear(
        http.fetch(&Ask::of(Url::parse("http://far.test/").unwrap()))
            .await
            .unwrap(),
    );
    assert_eq!(answer.reason, Reason::ProxyFailed);
}
