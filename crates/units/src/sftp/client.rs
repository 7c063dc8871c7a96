//! One connection that speaks SFTP: requests out, replies in, each to its own request.
//!
//! Several requests may be under way; a reply to one that was never made ends the connection (HC103).

use super::packet::{self, Attributes, Reply, Request, Status, VERSION, bad};
use super::ssh::Ssh;
use crate::net::bandwidth::Bandwidth;
use crate::net::failure::Failure;
use crate::net::patience::Patience;
use bytes::{Bytes, BytesMut};
use std::net::IpAddr;

pub(super) struct Client {
    ssh: Ssh,
    buffer: BytesMut,
    last_id: u32,
    /// Requests that are not answered yet.
    waiting: Vec<u32>,
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
            last_id: 0,
            waiting: Vec::new(),
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

    /// Good for another ask: open, and nothing is under way.
    pub(super) fn is_free(&self) -> bool {
        !self.ssh.is_closed() && self.waiting.is_empty() && self.early.is_empty() && self.buffer.is_empty()
    }

    fn next_id(&mut self) -> u32 {
        self.last_id = self.last_id.wrapping_add(1);
        self.waiting.push(self.last_id);
        self.last_id
    }
}

impl Wire<'_> {
    /// Agrees on the version.
    pub(super) async fn greet(&mut self) -> Result<(), Failure> {
        self.send(packet::init()).await?;
        let version = packet::version(self.packet().await?)?;
        if version < VERSION {
            return Err(bad(format!("the server speaks SFTP version {version} only")));
        }
        Ok(())
    }

    /// Sends a request about a path or a handle, whose reply is waited for later.
    pub(super) async fn begin(&mut self, request: Request, what: &[u8]) -> Result<u32, Failure> {
        let id = self.client.next_id();
        self.send(packet::about(request, id, what)).await?;
        Ok(id)
    }

    pub(super) async fn begin_read(
        &mut self,
        handle: &[u8],
        offset: u64,
        bytes: u32,
    ) -> Result<u32, Failure> {
        let id = self.client.next_id();
        self.send(packet::read(id, handle, offset, bytes)).await?;
        Ok(id)
    }

    /// What the path is, links followed.
    pub(super) async fn stat(&mut self, path: &[u8]) -> Result<Result<Attributes, Status>, Failure> {
        let id = self.begin(Request::Stat, path).await?;
        attributes(self.wait(id).await?)
    }

    pub(super) async fn open(&mut self, path: &[u8]) -> Result<Result<Bytes, Status>, Failure> {
        let id = self.client.next_id();
        self.send(packet::open(id, path)).await?;
        handle(self.wait(id).await?)
    }

    pub(super) async fn open_folder(&mut self, path: &[u8]) -> Result<Result<Bytes, Status>, Failure> {
        let id = self.begin(Request::OpenFolder, path).await?;
        handle(self.wait(id).await?)
    }

    /// Closes a handle; how that goes is of no interest, that it is answered is.
    pub(super) async fn close(&mut self, handle: &[u8]) -> Result<(), Failure> {
        let id = self.begin(Request::Close, handle).await?;
        self.wait(id).await.map(drop)
    }

    /// What the open file is by now.
    pub(super) async fn fstat(&mut self, handle: &[u8]) -> Result<Result<Attributes, Status>, Failure> {
        let id = self.begin(Request::Fstat, handle).await?;
        attributes(self.wait(id).await?)
    }

    /// Waits for the reply to a request; replies to others are kept for them.
    pub(super) async fn wait(&mut self, id: u32) -> Result<Reply, Failure> {
        let early = &mut self.client.early;
        if let Some(at) = early.iter().position(|(early_id, _)| *early_id == id) {
            return Ok(early.swap_remove(at).1);
        }
        loop {
            let (found, reply) = Reply::read(self.packet().await?)?;
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

    async fn send(&mut self, bytes: Bytes) -> Result<(), Failure> {
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

fn attributes(reply: Reply) -> Result<Result<Attributes, Status>, Failure> {
    match reply {
        Reply::Attributes(attributes) => Ok(Ok(attributes)),
        Reply::Status(status) => refusal(status),
        other => Err(other.misplaced()),
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
