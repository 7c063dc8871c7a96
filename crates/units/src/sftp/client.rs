//! One connection that speaks SFTP: requests out, replies in, each to its own request.
//!
//! Several requests may be under way; a reply to one that was never made ends the connection (HC103). Requests gather until
//! somebody waits for a reply and go out together: one packet of SSH costs both sides far more than one request of SFTP.

use super::packet::{self, Attributes, Reply, Request, Status, VERSION, bad};
use super::ssh::Ssh;
use crate::net::bandwidth::Bandwidth;
use crate::net::failure::Failure;
use crate::net::patience::Patience;
use bytes::{Bytes, BytesMut};
use std::net::IpAddr;

/// A server that leaves more requests than this unanswered is not asked again on the same connection.
const FORGOTTEN_MAX: usize = 32;

pub(super) struct Client {
    ssh: Ssh,
    buffer: BytesMut,
    /// Requests that have not gone out yet.
    outgoing: BytesMut,
    last_id: u32,
    /// Requests that are not answered yet.
    waiting: Vec<u32>,
    /// Requests whose answers are of no interest, and are not there yet.
    forgotten: Vec<u32>,
    /// Replies that came before they were wanted. Never more than requests were made.
    early: Vec<(u32, Reply)>,
    received: u64,
}

/// One connection in use by one ask.
pub(super) struct Wire<'a> {
    pub(super) client: &'a mut Client,
    pub(super) patience: &'a mut Patience,
    pub(super) bandwidth: Option<&'a Bandwidth>,
}

impl Client {
    pub(super) fn new(ssh: Ssh) -> Client {
        Client {
            ssh,
            buffer: BytesMut::new(),
            outgoing: BytesMut::new(),
            last_id: 0,
            waiting: Vec::new(),
            forgotten: Vec::new(),
            early: Vec::new(),
            received: 0,
        }
    }

    /// The server's address.
    pub(super) fn address(&self) -> IpAddr {
        self.ssh.address
    }

    /// Bytes of SFTP received since the beginning.
    pub(super) fn received(&self) -> u64 {
        self.received
    }

    /// Good for another ask: open, and nothing is under way that anybody waits for.
    pub(super) fn is_free(&self) -> bool {
        // What has come already may belong to a request that was forgotten.
        let is_quiet = self.buffer.is_empty() || !self.forgotten.is_empty();
        !self.ssh.is_closed()
            && self.waiting.is_empty()
            && self.early.is_empty()
            && is_quiet
            && self.forgotten.len() <= FORGOTTEN_MAX
    }

    /// Puts a request, made for the id that it is given, with those that go out next.
    fn ask(&mut self, request: impl FnOnce(u32) -> Bytes) -> u32 {
        self.last_id = self.last_id.wrapping_add(1);
        self.waiting.push(self.last_id);
        self.outgoing.extend_from_slice(&request(self.last_id));
        self.last_id
    }
}

impl Wire<'_> {
    /// Agrees on the version.
    pub(super) async fn greet(&mut self) -> Result<(), Failure> {
        self.client.outgoing.extend_from_slice(&packet::init());
        self.flush().await?;
        let version = packet::version(self.packet().await?)?;
        if version < VERSION {
            return Err(bad(format!("the server speaks SFTP version {version} only")));
        }
        Ok(())
    }

    /// Makes a request about a path or a handle, whose reply is waited for later.
    pub(super) fn begin(&mut self, request: Request, what: &[u8]) -> u32 {
        self.client.ask(|id| packet::about(request, id, what))
    }

    pub(super) fn begin_read(&mut self, handle: &[u8], offset: u64, bytes: u32) -> u32 {
        self.client.ask(|id| packet::read(id, handle, offset, bytes))
    }

    /// Nobody will wait for the reply to this request.
    pub(super) fn forget(&mut self, id: u32) {
        let client = &mut *self.client;
        client.early.retain(|(early, _)| *early != id);
        if let Some(at) = client.waiting.iter().position(|waiting| *waiting == id) {
            client.waiting.swap_remove(at);
            client.forgotten.push(id);
        }
    }

    /// What the path is, links followed.
    pub(super) async fn stat(&mut self, path: &[u8]) -> Result<Result<Attributes, Status>, Failure> {
        let id = self.begin(Request::Stat, path);
        self.attributes(id).await
    }

    pub(super) async fn open(&mut self, path: &[u8]) -> Result<Result<Bytes, Status>, Failure> {
        let id = self.client.ask(|id| packet::open(id, path));
        handle(self.wait(id).await?)
    }

    pub(super) async fn open_folder(&mut self, path: &[u8]) -> Result<Result<Bytes, Status>, Failure> {
        let id = self.begin(Request::OpenFolder, path);
        handle(self.wait(id).await?)
    }

    /// Closes a handle, with the next request that goes out or with the connection. How that goes is of no interest.
    pub(super) fn close(&mut self, handle: &[u8]) {
        let id = self.begin(Request::Close, handle);
        self.forget(id);
    }

    /// The reply to a request for attributes.
    pub(super) async fn attributes(&mut self, id: u32) -> Result<Result<Attributes, Status>, Failure> {
        match self.wait(id).await? {
            Reply::Attributes(attributes) => Ok(Ok(attributes)),
            Reply::Status(status) => refusal(status),
            other => Err(other.misplaced()),
        }
    }

    /// Waits for the reply to a request; replies to others are kept for them.
    pub(super) async fn wait(&mut self, id: u32) -> Result<Reply, Failure> {
        let early = &mut self.client.early;
        if let Some(at) = early.iter().position(|(early_id, _)| *early_id == id) {
            return Ok(early.swap_remove(at).1);
        }
        self.flush().await?;
        loop {
            let (found, reply) = Reply::read(self.packet().await?)?;
            let forgotten = &mut self.client.forgotten;
            if let Some(at) = forgotten.iter().position(|forgotten_id| *forgotten_id == found) {
                forgotten.swap_remove(at);
                continue;
            }
            let waiting = &mut self.client.waiting;
            let Some(at) = waiting.iter().position(|waiting_id| *waiting_id == found) else {
                return Err(bad("a reply came to a request that was never made"));
            };
            waiting.swap_remove(at);
            if found == id {
                return Ok(reply);
            }
            self.client.early.push((found, reply));
        }
    }

    async fn flush(&mut self) -> Result<(), Failure> {
        if self.client.outgoing.is_empty() {
            return Ok(());
        }
        let bytes = self.client.outgoing.split().freeze();
        let sent = self.patience.watch(self.client.ssh.send(bytes)).await;
        sent.map_err(Failure::from)?
    }

    async fn packet(&mut self) -> Result<Bytes, Failure> {
        loop {
            if let Some(packet) = packet::split(&mut self.client.buffer)? {
                return Ok(packet);
            }
            let came = self.patience.watch(self.client.ssh.receive()).await;
            let came = came.map_err(Failure::from)??;
            self.client.received += came.len() as u64;
            self.patience.progress(came.len());
            self.client.buffer.extend_from_slice(&came);
            if let Some(bandwidth) = self.bandwidth {
                let wait = bandwidth.take(came.len());
                if !wait.is_zero() {
                    tokio::time::sleep(wait).await;
                    self.patience.excuse(wait);
                }
            }
        }
    }
}

fn handle(reply: Reply) -> Result<Result<Bytes, Status>, Failure> {
    match reply {
        // The protocol's own limit: a handle is sent back with every request.
        Reply::Handle(handle) if handle.len() > 256 => Err(bad("a handle is longer than 256 bytes")),
        Reply::Handle(handle) => Ok(Ok(handle)),
        Reply::Status(status) => refusal(status),
        other => Err(other.misplaced()),
    }
}

/// "All is well" is no answer to a question.
fn refusal<T>(status: Status) -> Result<Result<T, Status>, Failure> {
    match status.code {
        Status::OK | Status::EOF => Err(status.failure()),
        _ => Ok(Err(status)),
    }
}
