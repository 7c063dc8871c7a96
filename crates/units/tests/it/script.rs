//! Servers that play a script, on a free loopback port.

use gleaner_model::{Reason, Url};
use gleaner_units::net::{NetSettings, Timeouts};
use gleaner_units::{Answer, Ask, Exchange, Http, HttpSettings, Unclear, Unit};
use std::future::Future;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Long enough never to be passed on a busy machine.
const AMPLE: Duration = Duration::from_mins(1);
/// Short enough to wait for.
pub(crate) const SHORT: Duration = Duration::from_millis(300);

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

/// One connection as the server sees it.
pub(crate) struct Visit {
    /// Counted from 0.
    pub(crate) number: usize,
    pub(crate) stream: TcpStream,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Visit {
    /// The next request head; `None` when the client has gone.
    pub(crate) async fn request(&mut self) -> Option<String> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.stream.read_u8().await.ok()?);
        }
        let head = String::from_utf8(head).unwrap();
        self.requests.lock().unwrap().push(head.clone());
        Some(head)
    }

    /// Sends, and says whether the client still takes it.
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).await.is_ok()
    }

    /// Waits until the client goes.
    pub(crate) async fn until_left(&mut self) {
        let mut rest = [0; 1024];
        while matches!(self.stream.read(&mut rest).await, Ok(1..)) {}
    }
}

impl Server {
    pub(crate) async fn start<F, Play>(script: F) -> Server
    where
        F: Fn(Visit) -> Play + Send + Sync + 'static,
        Play: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (count, log) = (Arc::clone(&connections), Arc::clone(&requests));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let number = count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(script(Visit {
                    number,
                    stream,
                    requests: Arc::clone(&log),
                }));
            }
        });
        Server {
            address,
            connections,
            requests,
        }
    }

    /// Answers every request on every connection with `answer`, and keeps the connections open.
    pub(crate) async fn says(answer: impl Into<Vec<u8>>) -> Server {
        let answer: Arc<[u8]> = answer.into().into();
        Server::start(move |mut visit| {
            let answer = Arc::clone(&answer);
            async move { while visit.request().await.is_some() && visit.send(&answer).await {} }
        })
        .await
    }

    /// Answers one request with `answer` and closes.
    pub(crate) async fn says_once(answer: impl Into<Vec<u8>>) -> Server {
        let answer: Arc<[u8]> = answer.into().into();
        Server::start(move |mut visit| {
            let answer = Arc::clone(&answer);
            async move {
                visit.request().await;
                visit.send(&answer).await;
            }
        })
        .await
    }

    pub(crate) fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://{}{path}", self.address)).unwrap()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// Settings for loopback, with limits that only the test at hand shortens.
pub(crate) fn settings() -> HttpSettings {
    HttpSettings {
        user_agent: "gleaner-test".into(),
        net: NetSettings {
            allow_private: true,
            timeouts: Timeouts {
                resolve: AMPLE,
                connect: AMPLE,
                tls: AMPLE,
                first_byte: AMPLE,
                silence: AMPLE,
                fetch: AMPLE,
                rate_window: AMPLE,
                keep_alive: AMPLE,
                ..Timeouts::default()
            },
            ..NetSettings::default()
        },
        ..HttpSettings::default()
    }
}

pub(crate) fn with_timeouts(change: impl FnOnce(&mut Timeouts)) -> Http {
    let mut settings = settings();
    change(&mut settings.net.timeouts);
    Http::new(settings).unwrap()
}

pub(crate) fn http() -> Http {
    Http::new(settings()).unwrap()
}

pub(crate) async fn fetch(http: &Http, url: Url) -> Answer {
    http.fetch(&Ask::of(url)).await.unwrap()
}

pub(crate) fn here(answer: Answer) -> Exchange {
    match answer {
        Answer::Here(exchange) => exchange,
        other => panic!("expected a document: {other:?}"),
    }
}

pub(crate) fn unclear(answer: Answer) -> Unclear {
    match answer {
        Answer::Unclear(unclear) => unclear,
        other => panic!("expected no clear answer: {other:?}"),
    }
}

pub(crate) fn body_of(answer: Answer) -> String {
    String::from_utf8(here(answer).body.as_slice().expect("small").to_vec()).unwrap()
}

/// Asks a server that says `answer` once and closes, with ample time.
pub(crate) async fn reason_for(answer: impl Into<Vec<u8>>) -> Reason {
    let server = Server::says_once(answer).await;
    unclear(fetch(&http(), server.url("/")).await).reason
}
