//! An SSH server that lets tests speak SFTP byte by byte.

use russh::keys::PrivateKey;
use russh::keys::ssh_key::private::Ed25519Keypair;
use russh::server::{self, Auth, ChannelOpenHandle, Msg, Response, Session};
use russh::{Channel, ChannelId, ChannelStream, Limits, MethodKind, MethodSet};
use std::borrow::Cow;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

pub(super) const OPEN: u8 = 3;
pub(super) const CLOSE: u8 = 4;
pub(super) const READ: u8 = 5;
pub(super) const FSTAT: u8 = 8;
pub(super) const OPENDIR: u8 = 11;
pub(super) const READDIR: u8 = 12;
pub(super) const STAT: u8 = 17;

pub(super) const EOF: u32 = 1;
pub(super) const NO_SUCH_FILE: u32 = 2;
pub(super) const PERMISSION_DENIED: u32 = 3;
pub(super) const FAILURE: u32 = 4;

pub(super) const A_FILE: u32 = 0o100_644;
pub(super) const A_FOLDER: u32 = 0o040_755;

/// Who is let in.
#[derive(Clone, Copy)]
pub(super) enum Door {
    Open,
    /// Whoever knows it, by the method `password`.
    Password(&'static str),
    /// Whoever answers so many questions with it.
    Questions(usize, &'static str),
    /// Nobody, whatever they try.
    Shut,
    /// Nobody, and nobody is told so.
    Mute,
}

type Play = dyn Fn(Talk) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync;

pub(super) struct FakeServer {
    pub(super) address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    door: Door,
    play: Box<Play>,
    seed: AtomicU8,
    connections: AtomicUsize,
    secrets: Mutex<Vec<String>>,
    limits: Limits,
}

impl FakeServer {
    pub(super) async fn start<F, P>(door: Door, play: F) -> FakeServer
    where
        F: Fn(Talk) -> P + Send + Sync + 'static,
        P: Future<Output = ()> + Send + 'static,
    {
        FakeServer::start_with(door, Limits::default(), play).await
    }

    pub(super) async fn start_with<F, P>(door: Door, limits: Limits, play: F) -> FakeServer
    where
        F: Fn(Talk) -> P + Send + Sync + 'static,
        P: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            door,
            play: Box::new(move |talk| Box::pin(play(talk))),
            seed: AtomicU8::new(1),
            connections: AtomicUsize::new(0),
            secrets: Mutex::default(),
            limits,
        });
        let server = FakeServer {
            address,
            shared: Arc::clone(&shared),
        };
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let number = shared.connections.fetch_add(1, Ordering::SeqCst);
                let guest = Guest {
                    number,
                    shared: Arc::clone(&shared),
                    channel: None,
                };
                let config = Arc::new(shared.config());
                tokio::spawn(async move {
                    if let Ok(session) = server::run_stream(config, stream, guest).await {
                        let _ = session.await;
                    }
                });
            }
        });
        server
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("sftp://{}{path}", self.address)
    }

    pub(super) fn origin(&self) -> String {
        self.url("")
    }

    pub(super) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Every password and answer that was sent here.
    pub(super) fn secrets(&self) -> Vec<String> {
        self.shared.secrets.lock().unwrap().clone()
    }

    /// From now on the server shows another key.
    pub(super) fn change_key(&self) {
        self.shared.seed.fetch_add(1, Ordering::SeqCst);
    }
}

impl Shared {
    fn config(&self) -> server::Config {
        let seed = [self.seed.load(Ordering::SeqCst); 32];
        server::Config {
            keys: vec![PrivateKey::from(Ed25519Keypair::from_seed(&seed))],
            auth_rejection_time: Duration::ZERO,
            auth_rejection_time_initial: Some(Duration::ZERO),
            limits: self.limits.clone(),
            max_auth_attempts: 1000,
            ..server::Config::default()
        }
    }

    fn note(&self, secret: &str) {
        self.secrets.lock().unwrap().push(secret.to_owned());
    }
}

/// One connection as the server sees it.
struct Guest {
    number: usize,
    shared: Arc<Shared>,
    channel: Option<Channel<Msg>>,
}

impl Guest {
    fn refuse(&self) -> Auth {
        let methods: &[MethodKind] = match self.shared.door {
            Door::Questions(..) => &[MethodKind::KeyboardInteractive],
            Door::Password(_) => &[MethodKind::Password],
            _ => &[
                MethodKind::PublicKey,
                MethodKind::Password,
                MethodKind::KeyboardInteractive,
            ],
        };
        Auth::Reject {
            proceed_with_methods: Some(MethodSet::from(methods)),
            partial_success: false,
        }
    }
}

impl server::Handler for Guest {
    type Error = russh::Error;

    async fn auth_none(&mut self, _user: &str) -> Result<Auth, russh::Error> {
        Ok(match self.shared.door {
            Door::Open => Auth::Accept,
            Door::Mute => std::future::pending().await,
            _ => self.refuse(),
        })
    }

    async fn auth_password(&mut self, _user: &str, password: &str) -> Result<Auth, russh::Error> {
        self.shared.note(password);
        Ok(match self.shared.door {
            Door::Password(right) if right == password => Auth::Accept,
            _ => self.refuse(),
        })
    }

    async fn auth_keyboard_interactive<'a>(
        &'a mut self,
        _user: &str,
        _submethods: &str,
        response: Option<Response<'a>>,
    ) -> Result<Auth, russh::Error> {
        let Door::Questions(count, right) = self.shared.door else {
            return Ok(self.refuse());
        };
        let Some(response) = response else {
            let question = (Cow::Borrowed("Password: "), false);
            return Ok(Auth::Partial {
                name: Cow::Borrowed(""),
                instructions: Cow::Borrowed(""),
                prompts: Cow::Owned(vec![question; count]),
            });
        };
        let answers: Vec<String> = response
            .map(|answer| String::from_utf8_lossy(&answer).into_owned())
            .collect();
        for answer in &answers {
            self.shared.note(answer);
        }
        Ok(if answers.iter().all(|answer| answer == right) {
            Auth::Accept
        } else {
            self.refuse()
        })
    }

    async fn channel_open_session(
        &mut self,
        channel: Channel<Msg>,
        reply: ChannelOpenHandle,
        _session: &mut Session,
    ) -> Result<(), russh::Error> {
        self.channel = Some(channel);
        reply.accept().await;
        Ok(())
    }

    async fn subsystem_request(
        &mut self,
        channel: ChannelId,
        name: &str,
        session: &mut Session,
    ) -> Result<(), russh::Error> {
        assert_eq!(name, "sftp");
        session.channel_success(channel)?;
        let stream = self.channel.take().unwrap().into_stream();
        let number = self.number;
        tokio::spawn((self.shared.play)(Talk { number, stream }));
        Ok(())
    }
}

/// One conversation in SFTP.
pub(super) struct Talk {
    /// Of the connection, counted from 0.
    pub(super) number: usize,
    stream: ChannelStream<Msg>,
}

pub(super) struct Request {
    pub(super) kind: u8,
    pub(super) id: u32,
    /// What follows the id.
    pub(super) rest: Vec<u8>,
}

impl Request {
    /// Offset and length of a `READ`.
    pub(super) fn range(&self) -> (u64, u32) {
        let (rest, length) = self.rest.split_last_chunk().unwrap();
        let (_, offset) = rest.split_last_chunk().unwrap();
        (u64::from_be_bytes(*offset), u32::from_be_bytes(*length))
    }
}

impl Talk {
    /// The next request; `None` when the client has gone. The greeting is answered by itself.
    pub(super) async fn request(&mut self) -> Option<Request> {
        loop {
            let length = self.stream.read_u32().await.ok()? as usize;
            let mut packet = vec![0; length];
            self.stream.read_exact(&mut packet).await.ok()?;
            let id = u32::from_be_bytes(packet[1..5].try_into().unwrap());
            if packet[0] == 1 {
                self.send(2, 3, &[]).await;
                continue;
            }
            return Some(Request {
                kind: packet[0],
                id,
                rest: packet.split_off(5),
            });
        }
    }

    /// Answers what is not a read as for one thing of this kind and size; false if it is to be answered by the test.
    pub(super) async fn usual(&mut self, request: &Request, mode: u32, size: u64) -> bool {
        match request.kind {
            STAT | FSTAT => self.attributes(request.id, mode, size, 1_000_000_000).await,
            OPEN | OPENDIR => self.handle(request.id).await,
            CLOSE => self.status(request.id, 0).await,
            _ => return false,
        }
        true
    }

    pub(super) async fn raw(&mut self, bytes: &[u8]) {
        let _gone_is_fine = self.stream.write_all(bytes).await;
    }

    pub(super) async fn send(&mut self, kind: u8, id: u32, rest: &[u8]) {
        let mut packet = ((rest.len() + 5) as u32).to_be_bytes().to_vec();
        packet.push(kind);
        packet.extend(id.to_be_bytes());
        packet.extend(rest);
        self.raw(&packet).await;
    }

    pub(super) async fn status(&mut self, id: u32, code: u32) {
        let rest = [&code.to_be_bytes()[..], &string(b"said so"), &string(b"en")].concat();
        self.send(101, id, &rest).await;
    }

    pub(super) async fn handle(&mut self, id: u32) {
        self.send(102, id, &string(b"h")).await;
    }

    pub(super) async fn data(&mut self, id: u32, bytes: &[u8]) {
        self.send(103, id, &string(bytes)).await;
    }

    pub(super) async fn attributes(&mut self, id: u32, mode: u32, size: u64, modified_s: u32) {
        self.send(105, id, &attributes(mode, size, modified_s)).await;
    }

    pub(super) async fn names(&mut self, id: u32, names: &[(&[u8], u32)]) {
        let mut rest = (names.len() as u32).to_be_bytes().to_vec();
        for (name, mode) in names {
            rest.extend(string(name));
            rest.extend(string(b""));
            rest.extend(attributes(*mode, 5, 1_000_000_000));
        }
        self.send(104, id, &rest).await;
    }
}

pub(super) fn string(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes(), bytes].concat()
}

fn attributes(mode: u32, size: u64, modified_s: u32) -> Vec<u8> {
    let mut bytes = (1u32 | 4 | 8).to_be_bytes().to_vec();
    bytes.extend(size.to_be_bytes());
    for number in [mode, modified_s, modified_s] {
        bytes.extend(number.to_be_bytes());
    }
    bytes
}
