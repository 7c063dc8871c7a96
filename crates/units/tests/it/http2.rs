//! HTTP/2, where it works and where it does not.

use crate::script::{SHORT, unclear};
use crate::tls::{Authority, acceptor, trusting};
use bytes::Bytes;
use gleaner_model::{Reason, Url};
use gleaner_units::http::{HTTP2, HTTP11};
use gleaner_units::{Answer, Ask, Http, HttpSettings, Unit};
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::server::TlsStream;

type Tls = TlsStream<TcpStream>;

struct Server {
    address: SocketAddr,
    http2_connections: Arc<AtomicUsize>,
    http11_connections: Arc<AtomicUsize>,
    settings: HttpSettings,
}

/// Speaks HTTP/2 by `script`, and a plain `ok` to those who ask for HTTP/1.1 if `http11`.
async fn server<F, Play>(http11: bool, script: F) -> Server
where
    F: Fn(Tls) -> Play + Send + Sync + 'static,
    Play: Future<Output = ()> + Send + 'static,
{
    let authority = Authority::new();
    let acceptor = acceptor(authority.identity(&["two.test"], |_| ()), &["h2", "http/1.1"]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (twos, ones) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
    let (two_count, one_count) = (Arc::clone(&twos), Arc::clone(&ones));
    let script = Arc::new(script);
    tokio::spawn(async move {
        loop {
            let (tcp, _) = listener.accept().await.unwrap();
            let (acceptor, script) = (acceptor.clone(), Arc::clone(&script));
            let (twos, ones) = (Arc::clone(&twos), Arc::clone(&ones));
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(tcp).await else {
                    return;
                };
                if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                    twos.fetch_add(1, Ordering::SeqCst);
                    script(stream).await;
                } else {
                    ones.fetch_add(1, Ordering::SeqCst);
                    let mut request = [0; 4096];
                    while http11 && matches!(stream.read(&mut request).await, Ok(1..)) {
                        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain";
                        if stream.write_all(answer).await.is_err() || stream.flush().await.is_err() {
                            return;
                        }
                    }
                }
            });
        }
    });
    let settings = trusting(&authority, "two.test");
    Server {
        address,
        http2_connections: two_count,
        http11_connections: one_count,
        settings,
    }
}

impl Server {
    fn url(&self, path: &str) -> Url {
        Url::parse(&format!("https://two.test:{}{path}", self.address.port())).unwrap()
    }

    fn counts(&self) -> (usize, usize) {
        (
            self.http2_connections.load(Ordering::SeqCst),
            self.http11_connections.load(Ordering::SeqCst),
        )
    }
}

/// A well-behaved server: answers with the path asked for.
async fn polite(stream: Tls) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        tokio::spawn(async move {
            let path = request.uri().path_and_query().unwrap().to_string();
            let large = path == "/large";
            let status = if path == "/gone" { 410 } else { 200 };
            let response = http::Response::builder()
                .status(status)
                .header("content-type", "text/html")
                .header("set-cookie", "a=1; Secure")
                .header("set-cookie", "b=2")
                .header(
                    "x-cookie-sent",
                    request.headers().get("cookie").map_or("no", |_| "yes"),
                )
                .body(())
                .unwrap();
            let mut send = respond.send_response(response, false).unwrap();
            let mut rest = if large {
                Bytes::from(vec![b'x'; 5_000_000])
            } else {
                Bytes::from(path)
            };
            while !rest.is_empty() {
                send.reserve_capacity(rest.len());
                let Some(Ok(room)) = std::future::poll_fn(|cx| send.poll_capacity(cx)).await else {
                    return;
                };
                let piece = rest.split_to(room.min(rest.len()));
                if send.send_data(piece, rest.is_empty()).is_err() {
                    return;
                }
            }
        });
    }
}

#[tokio::test]
async fn asks_share_one_connection_and_the_archive_gets_a_plain_head() {
    let server = server(false, polite).await;
    let http = Arc::new(Http::new(server.settings.clone()).unwrap());
    let Answer::Here(exchange) = http.fetch(&Ask::of(server.url("/first?x=1"))).await.unwrap() else {
        panic!()
    };
    assert_eq!(exchange.protocol, HTTP2);
    assert_eq!(exchange.body.as_slice(), Some(b"/first?x=1".as_slice()));
    assert!(exchange.cookies_set);
    let head = String::from_utf8(exchange.response_head.clone()).unwrap();
    assert!(
        head.starts_with("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n"),
        "{head}"
    );
    assert!(head.ends_with("\r\n\r\n"), "{head}");
    assert_eq!(exchange.headers.all("set-cookie").count(), 2);

    let mut asks = tokio::task::JoinSet::new();
    for number in 0..50 {
        let http = Arc::clone(&http);
        let url = server.url(&format!("/page/{number}"));
        asks.spawn(async move {
            let path = url.path().to_owned();
            match http.fetch(&Ask::of(url)).await.unwrap() {
                Answer::Here(exchange) => {
                    assert_eq!(exchange.body.as_slice(), Some(path.as_bytes()));
                    assert_eq!(exchange.headers.get("x-cookie-sent"), Some("yes"));
                }
                other => panic!("{other:?}"),
            }
        });
    }
    while let Some(done) = asks.join_next().await {
        done.unwrap();
    }
    assert!(matches!(
        http.fetch(&Ask::of(server.url("/gone"))).await.unwrap(),
        Answer::Gone(_)
    ));
    assert_eq!(server.counts(), (1, 0));
}

#[tokio::test]
async fn large_bodies_flow_and_limits_hold() {
    let server = server(false, polite).await;
    let http = Http::new(server.settings.clone()).unwrap();
    let Answer::Here(exchange) = http.fetch(&Ask::of(server.url("/large"))).await.unwrap() else {
        panic!()
    };
    assert_eq!(exchange.body.len(), 5_000_000);
    let ask = Ask {
        body_bytes_max: 1_000_000,
        ..Ask::of(server.url("/large"))
    };
    assert_eq!(
        unclear(http.fetch(&ask).await.unwrap()).reason,
        Reason::BodyTooLarge
    );
    // The connection outlives a stream that was given up.
    assert!(matches!(
        http.fetch(&Ask::of(server.url("/after"))).await.unwrap(),
        Answer::Here(_)
    ));
    assert_eq!(server.counts(), (1, 0));
}

async fn goes_away(stream: Tls) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    connection.abrupt_shutdown(h2::Reason::NO_ERROR);
    while let Some(Ok(_)) = connection.accept().await {}
}

async fn resets_every_stream(stream: Tls) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    while let Some(Ok((_, mut respond))) = connection.accept().await {
        respond.send_reset(h2::Reason::INTERNAL_ERROR);
    }
}

async fn resets_in_the_body(stream: Tls) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    while let Some(Ok((_, mut respond))) = connection.accept().await {
        let mut send = respond.send_response(http::Response::new(()), false).unwrap();
        send.send_data(Bytes::from_static(b"half"), false).unwrap();
        send.send_reset(h2::Reason::INTERNAL_ERROR);
    }
}

async fn allows_no_streams(stream: Tls) {
    let mut connection = h2::server::Builder::new()
        .max_concurrent_streams(0)
        .handshake::<_, Bytes>(stream)
        .await
        .unwrap();
    while let Some(Ok(_)) = connection.accept().await {}
}

async fn never_answers(stream: Tls) {
    let mut connection = h2::server::handshake::<Tls>(stream).await.unwrap();
    let mut kept = Vec::new();
    while let Some(Ok(stream)) = connection.accept().await {
        kept.push(stream);
    }
}

async fn talks_nonsense(mut stream: Tls) {
    let _ = stream
        .write_all(b"HTTP/1.1 200 OK\r\n\r\nthis is no frame at all")
        .await;
    let mut rest = [0; 1024];
    while matches!(stream.read(&mut rest).await, Ok(1..)) {}
}

async fn closes(_: Tls) {}

/// An answer whose header block goes on in CONTINUATION frames for ever (HC021).
async fn continues_for_ever(mut stream: Tls) {
    let mut request = [0; 4096];
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    let _ = stream.read(&mut request).await;
    // HEADERS on stream 1 without END_HEADERS: `:status: 200`, then CONTINUATION after CONTINUATION.
    let headers = [0, 0, 1, 1, 0, 0, 0, 0, 1, 0x88];
    let mut field = vec![0, 0, 0, 9, 0, 0, 0, 0, 1, 0, 1, b'a', 0x7f, 0xe9, 0x06];
    field.extend_from_slice(&[b'x'; 1000]);
    let length = field.len() - 9;
    field[1] = (length >> 8) as u8;
    field[2] = length as u8;
    if stream.write_all(&settings).await.is_err() || stream.write_all(&headers).await.is_err() {
        return;
    }
    while stream.write_all(&field).await.is_ok() && stream.flush().await.is_ok() {}
}

/// One large entry in the table of the compressor, referred to again and again (HC021).
async fn multiplies_headers(mut stream: Tls) {
    let mut request = [0; 4096];
    let _ = stream.read(&mut request).await;
    let mut block = vec![0x88, 0x40, 1, b'a', 0x7f, 0xa1, 0x1e];
    block.extend_from_slice(&[b'x'; 4000]);
    block.extend_from_slice(&[0xbe; 12_000]);
    let mut frames = vec![0, 0, 0, 4, 0, 0, 0, 0, 0];
    frames.extend_from_slice(&[0, (block.len() >> 8) as u8, block.len() as u8, 1, 4, 0, 0, 0, 1]);
    frames.extend_from_slice(&block);
    let _ = stream.write_all(&frames).await;
    let _ = stream.flush().await;
    while matches!(stream.read(&mut request).await, Ok(1..)) {}
}

/// `first_byte` is shortened only for those that never send one.
async fn falls_back<F, Play>(name: &str, first_byte: Option<Duration>, script: F)
where
    F: Fn(Tls) -> Play + Send + Sync + Copy + 'static,
    Play: Future<Output = ()> + Send + 'static,
{
    let with_plain = server(true, script).await;
    let mut settings = with_plain.settings.clone();
    settings.net.timeouts.first_byte = first_byte.unwrap_or(settings.net.timeouts.first_byte);
    let http = Http::new(settings).unwrap();
    match http.fetch(&Ask::of(with_plain.url("/"))).await.unwrap() {
        Answer::Here(exchange) => {
            assert_eq!(exchange.protocol, HTTP11, "{name}");
            assert_eq!(exchange.body.as_slice(), Some(b"plain".as_slice()), "{name}");
        }
        other => panic!("{name}: {other:?}"),
    }
    let (tries, _) = with_plain.counts();
    assert!(tries <= 2, "{name}: {tries} connections");
    // From then on the origin is asked by HTTP/1.1 at once.
    assert!(matches!(
        http.fetch(&Ask::of(with_plain.url("/b"))).await.unwrap(),
        Answer::Here(_)
    ));
    assert_eq!(with_plain.counts(), (tries, 1), "{name}");

    let without = server(false, script).await;
    let mut settings = without.settings.clone();
    settings.net.timeouts.first_byte = first_byte.unwrap_or(settings.net.timeouts.first_byte);
    let http = Http::new(settings).unwrap();
    let answer = unclear(http.fetch(&Ask::of(without.url("/"))).await.unwrap());
    assert_eq!(answer.reason, Reason::Http2Failed, "{name}: {}", answer.detail);
    assert!(
        answer.detail.contains("HTTP/2: ") && answer.detail.contains("HTTP/1.1: "),
        "{}",
        answer.detail
    );
}

#[tokio::test]
async fn hc020_http2_that_breaks_falls_back_to_http11() {
    falls_back("goes away", None, goes_away).await;
    falls_back("resets every stream", None, resets_every_stream).await;
    falls_back("resets in the body", None, resets_in_the_body).await;
    falls_back(
        "allows no streams",
        Some(Duration::from_secs(1)),
        allows_no_streams,
    )
    .await;
    falls_back("never answers", Some(Duration::from_secs(1)), never_answers).await;
    falls_back("talks nonsense", None, talks_nonsense).await;
    falls_back("closes", None, closes).await;
}

#[tokio::test]
async fn hc021_header_blocks_without_end() {
    falls_back("continues for ever", None, continues_for_ever).await;
    falls_back("multiplies headers", None, multiplies_headers).await;
}

#[tokio::test]
async fn hc020_a_body_that_never_comes_ends_in_silence() {
    let server = server(true, |stream| async {
        let mut connection = h2::server::handshake::<Tls>(stream).await.unwrap();
        let mut kept = Vec::new();
        while let Some(Ok((_, mut respond))) = connection.accept().await {
            kept.push(respond.send_response(http::Response::new(()), false).unwrap());
        }
    })
    .await;
    let mut settings = server.settings.clone();
    settings.net.timeouts.silence = SHORT;
    let http = Http::new(settings).unwrap();
    let answer = unclear(http.fetch(&Ask::of(server.url("/"))).await.unwrap());
    assert_eq!(answer.reason, Reason::SilenceTimeout);
}

#[tokio::test]
async fn http2_can_be_switched_off() {
    let server = server(true, polite).await;
    let http = Http::new(HttpSettings {
        accept_http2: false,
        ..server.settings.clone()
    })
    .unwrap();
    let answer = http.fetch(&Ask::of(server.url("/"))).await.unwrap();
    assert_eq!(answer.exchange().unwrap().protocol, HTTP11);
    assert_eq!(server.counts(), (0, 1));
}
