//! A small FTP server that keeps the rules, so that each test breaks only the one it is about.

use crate::script::{SHORT, settings};
use gleaner_model::{Reason, Url};
use gleaner_units::net::Net;
use gleaner_units::{Answer, Ask, Ftp, FtpSettings, ListingEnd, ListingEntry, NetSettings, Unit};
use std::collections::BTreeMap;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::LocalSet;
use tokio_rustls::TlsAcceptor;

pub(super) trait Pipe: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Pipe for T {}

#[derive(Clone)]
pub(super) struct File {
    pub(super) bytes: Vec<u8>,
    pub(super) modified: &'static str,
}

pub(super) type Files = Arc<Mutex<BTreeMap<String, File>>>;

pub(super) struct Server {
    pub(super) address: SocketAddr,
    pub(super) files: Files,
    log: Arc<Mutex<Vec<String>>>,
    /// The server ends when this is dropped.
    _until: oneshot::Sender<()>,
}

/// One control connection as the server sees it.
pub(super) struct Visit {
    /// Counted from 0.
    pub(super) number: usize,
    pub(super) control: Option<Box<dyn Pipe>>,
    pub(super) files: Files,
    pub(super) door: Option<TcpListener>,
    pub(super) rest: usize,
    /// For scripts that count.
    pub(super) turns: usize,
    /// The second acceptor is that of data connections.
    pub(super) tls: Option<(TlsAcceptor, TlsAcceptor)>,
    log: Arc<Mutex<Vec<String>>>,
}

pub(super) struct Command {
    pub(super) verb: String,
    pub(super) argument: String,
}

impl Server {
    pub(super) async fn start<F, Play>(script: F) -> Server
    where
        F: Fn(Visit) -> Play + Send + 'static,
        Play: Future<Output = ()> + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let listener = listener.into_std().unwrap();
        let (files, log) = (Files::default(), Arc::<Mutex<Vec<String>>>::default());
        let (until, ended) = oneshot::channel();
        let server = Server {
            address,
            files: Arc::clone(&files),
            log: Arc::clone(&log),
            _until: until,
        };
        // A thread of its own, so that scripts need not be able to change theirs.
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            let visits = LocalSet::new();
            let greeting = async move {
                let listener = TcpListener::from_std(listener).unwrap();
                for number in 0.. {
                    let (stream, _) = listener.accept().await.unwrap();
                    tokio::task::spawn_local(script(Visit {
                        number,
                        control: Some(Box::new(stream)),
                        files: Arc::clone(&files),
                        door: None,
                        rest: 0,
                        turns: 0,
                        tls: None,
                        log: Arc::clone(&log),
                    }));
                }
            };
            visits.spawn_local(greeting);
            let _dropped = visits.block_on(&runtime, ended);
        });
        server
    }

    /// Answers one command in its own way, and all others as it should.
    pub(super) async fn with<F>(verb: &'static str, answer: F) -> Server
    where
        F: AsyncFn(&mut Visit, &Command) + Send + Clone + 'static,
    {
        Server::start(move |mut visit| {
            let answer = answer.clone();
            async move {
                visit.say("220 hello").await;
                while let Some(command) = visit.command().await {
                    if command.verb == verb {
                        answer(&mut visit, &command).await;
                    } else {
                        visit.usual(&command).await;
                    }
                }
            }
        })
        .await
    }

    pub(super) fn put(&self, path: &str, bytes: &[u8]) {
        let file = File {
            bytes: bytes.to_vec(),
            modified: "20200102030405",
        };
        self.files.lock().unwrap().insert(path.to_owned(), file);
    }

    pub(super) fn url(&self, path: &str) -> Url {
        Url::parse(&format!("ftp://{}{path}", self.address)).unwrap()
    }

    /// Every command that came, in its order.
    pub(super) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    pub(super) fn count(&self, verb: &str) -> usize {
        self.log().iter().filter(|line| line.starts_with(verb)).count()
    }
}

impl Visit {
    pub(super) async fn say(&mut self, line: &str) {
        self.send(format!("{line}\r\n").as_bytes()).await;
    }

    pub(super) async fn send(&mut self, bytes: &[u8]) -> bool {
        match &mut self.control {
            Some(control) => control.write_all(bytes).await.is_ok() && control.flush().await.is_ok(),
            None => false,
        }
    }

    pub(super) fn hang_up(&mut self) {
        self.control = None;
    }

    pub(super) async fn command(&mut self) -> Option<Command> {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            line.push(self.control.as_mut()?.read_u8().await.ok()?);
        }
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        self.log.lock().unwrap().push(line.clone());
        let (verb, argument) = line.split_once(' ').unwrap_or((&line, ""));
        Some(Command {
            verb: verb.to_owned(),
            argument: argument.to_owned(),
        })
    }

    pub(super) fn file(&self, path: &str) -> Option<File> {
        self.files.lock().unwrap().get(path).cloned()
    }

    /// What a decent server would say.
    pub(super) async fn usual(&mut self, command: &Command) {
        let file = self.file(&command.argument);
        match (command.verb.as_str(), file) {
            ("USER", _) => self.say("331 and the password?").await,
            ("PASS", _) => self.say("230-welcome\r\n230 in").await,
            ("FEAT", _) => {
                self.say("211-these\r\n SIZE\r\n MDTM\r\n REST STREAM\r\n211 end")
                    .await;
            }
            ("TYPE" | "NOOP" | "PBSZ" | "PROT", _) => self.say("200 fine").await,
            ("SIZE", Some(file)) => self.say(&format!("213 {}", file.bytes.len())).await,
            ("MDTM", Some(file)) => self.say(&format!("213 {}", file.modified)).await,
            ("CWD", _) => {
                let folder = format!("{}/", command.argument.trim_end_matches('/'));
                let is_there = self
                    .files
                    .lock()
                    .unwrap()
                    .keys()
                    .any(|path| path.starts_with(&folder));
                self.say(if is_there {
                    "250 there"
                } else {
                    "550 no such folder"
                })
                .await;
            }
            ("EPSV", _) => {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let port = listener.local_addr().unwrap().port();
                self.door = Some(listener);
                self.say(&format!("229 Extended (|||{port}|)")).await;
            }
            ("REST", _) => {
                self.rest = command.argument.parse().unwrap();
                self.say("350 from there").await;
            }
            ("RETR", Some(file)) => {
                let from = std::mem::take(&mut self.rest);
                self.give(&file.bytes[from.min(file.bytes.len())..]).await;
            }
            ("SIZE" | "MDTM" | "RETR", None) => self.say("550 will not").await,
            _ => self.say("500 what?").await,
        }
    }

    /// A whole transfer: announced, sent, closed, confirmed.
    pub(super) async fn give(&mut self, bytes: &[u8]) {
        self.say("150 here it comes").await;
        if let Some(mut data) = self.data().await {
            let _gone = data.write_all(bytes).await;
            let _gone = data.shutdown().await;
        }
        self.say("226 that was it").await;
    }

    /// The data connection.
    pub(super) async fn data(&mut self) -> Option<Box<dyn Pipe>> {
        let tcp = self.plain_data().await;
        match &self.tls {
            None => Some(Box::new(tcp)),
            Some((_, acceptor)) => Some(Box::new(acceptor.clone().accept(tcp).await.ok()?)),
        }
    }

    pub(super) async fn plain_data(&mut self) -> TcpStream {
        self.door.take().unwrap().accept().await.unwrap().0
    }
}

pub(super) fn net(change: impl FnOnce(&mut NetSettings)) -> Arc<Net> {
    let mut settings = settings().net;
    change(&mut settings);
    Arc::new(Net::new(settings).unwrap())
}

pub(super) fn ftp() -> Ftp {
    Ftp::on(net(|_| ()), FtpSettings::default())
}

/// With patience for tests that wait for its end.
pub(super) fn hasty() -> Ftp {
    let short = |settings: &mut NetSettings| {
        settings.timeouts.first_byte = SHORT;
        settings.timeouts.silence = SHORT;
    };
    Ftp::on(net(short), FtpSettings::default())
}

pub(super) async fn fetch(ftp: &Ftp, url: Url) -> Answer {
    ftp.fetch(&Ask::of(url)).await.unwrap()
}

pub(super) fn reason(answer: Answer) -> Reason {
    crate::script::unclear(answer).reason
}

pub(super) fn bytes(answer: Answer) -> Vec<u8> {
    let mut bytes = Vec::new();
    let exchange = crate::script::here(answer);
    std::io::Read::read_to_end(&mut exchange.body.reader().unwrap(), &mut bytes).unwrap();
    bytes
}

pub(super) async fn list(ftp: &Ftp, url: Url) -> (ListingEnd, Vec<ListingEntry>) {
    let mut entries = Vec::new();
    let listed = ftp
        .list(&Ask::of(url), &mut |entry| {
            entries.push(entry);
            true
        })
        .await
        .unwrap();
    (listed, entries)
}
