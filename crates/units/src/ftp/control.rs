//! How is a server spoken to? One line out, one reply in, on a connection that is opened, secured and logged in here.
//!
//! Whatever is put into a command is one argument: bytes that would end the line are refused before anything is sent
//! (HC093). Where encryption was asked for, nothing is said before it is there, and no server can talk us out of it
//! (HC101).

use super::dates::{number, utc_of};
use super::reply::{Building, LINE_BYTES_MAX, Reply, bad_reply};
use super::settings::FtpTls;
use super::visit::{Came, Visit};
use crate::FileTime;
use crate::net::failure::Failure;
use crate::net::stream::{Silence, Stream};
use crate::net::tls::Offer;
use bytes::{Buf, BytesMut};
use gleaner_model::Reason;
use std::net::SocketAddr;

/// What the server can do, as it told or as it turned out.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one command that is known or not"
)]
pub(super) struct Abilities {
    pub(super) mlsd: bool,
    pub(super) epsv: bool,
    /// It names `MDTM` among what it has learned since RFC 3659, so it means UTC; older ones meant anything.
    pub(super) tells_utc: bool,
    size: bool,
    mdtm: bool,
}

/// A logged-in connection.
#[derive(Debug)]
pub(super) struct Control {
    stream: Stream,
    buffer: BytesMut,
    pub(super) peer: SocketAddr,
    pub(super) local: SocketAddr,
    pub(super) abilities: Abilities,
    /// A transfer was begun and not seen to its end: the next reply would not be that of the next command.
    pub(super) is_busy: bool,
    /// It has waited for another command and not answered since, so the server may have ended it meanwhile.
    pub(super) is_kept: bool,
}

/// What the server says of a file beside its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) size: Option<u64>,
    pub(super) modified: Option<FileTime>,
}

impl Facts {
    /// Enough to tell that the file is still the same one.
    pub(super) fn are_known(&self) -> bool {
        self.size.is_some() && self.modified.is_some()
    }
}

impl Control {
    pub(super) async fn open(visit: &mut Visit<'_>) -> Result<Control, Failure> {
        let end = visit.patience.end();
        let tcp = visit.net.connector.open(visit.url, end).await?;
        let of_io = |error| Failure::of_io(&error);
        let mut control = Control {
            peer: tcp.peer_addr().map_err(of_io)?,
            local: tcp.local_addr().map_err(of_io)?,
            stream: Stream::Plain(tcp),
            buffer: BytesMut::new(),
            abilities: Abilities {
                mlsd: false,
                epsv: true,
                tells_utc: false,
                size: true,
                mdtm: true,
            },
            is_busy: false,
            is_kept: false,
        };
        let is_implicit = visit.url.scheme() == "ftps";
        if is_implicit {
            control = control.secured(visit).await?;
        }
        control.greet(visit).await?;
        if !is_implicit && visit.settings.tls == FtpTls::Explicit {
            let reply = control.ask(visit, "AUTH", b"TLS").await?;
            if reply.code != 234 {
                return Err(no_encryption(&reply));
            }
            control = control.secured(visit).await?;
        }
        if control.is_secure() {
            // The size of buffers that no cipher has used since; PROT is not heard without it (RFC 4217 §9).
            control.ask(visit, "PBSZ", b"0").await?;
            let reply = control.ask(visit, "PROT", b"P").await?;
            if !reply.is_good() {
                return Err(no_encryption(&reply));
            }
        }
        control.log_in(visit).await?;
        control.learn_abilities(visit).await?;
        let reply = control.ask(visit, "TYPE", b"I").await?;
        if !reply.is_good() {
            return Err(reply.failure());
        }
        Ok(control)
    }

    pub(super) fn is_secure(&self) -> bool {
        matches!(self.stream, Stream::Tls(_))
    }

    /// The certificate that the server showed.
    pub(super) fn certificate(&self) -> Option<Vec<u8>> {
        certificate_of(&self.stream)
    }

    async fn secured(self, visit: &mut Visit<'_>) -> Result<Control, Failure> {
        let Stream::Plain(tcp) = self.stream else {
            return Ok(self);
        };
        if !self.buffer.is_empty() {
            // Said in the clear by anybody, it would pass for said under encryption.
            return Err(bad_reply("more came before the encryption than was asked for"));
        }
        let end = visit.patience.end();
        let tls = visit
            .net
            .connector
            .secure(tcp, visit.url, Offer::Nothing, end)
            .await?;
        Ok(Control {
            stream: Stream::Tls(Box::new(tls)),
            ..self
        })
    }

    async fn greet(&mut self, visit: &mut Visit<'_>) -> Result<(), Failure> {
        visit.asked();
        let mut reply = self.reply(visit).await?;
        if reply.code == 120 {
            reply = self.reply(visit).await?;
        }
        if reply.is_good() {
            Ok(())
        } else {
            Err(refused_login(&reply, ""))
        }
    }

    async fn log_in(&mut self, visit: &mut Visit<'_>) -> Result<(), Failure> {
        let login = visit.net.settings.logins.of(visit.url).cloned();
        let (user, password) = match &login {
            Some(login) => (login.user.as_str(), login.password.as_deref().unwrap_or("")),
            None => ("anonymous", "gleaner@"),
        };
        let mut reply = self.ask(visit, "USER", user.as_bytes()).await?;
        if reply.code == 331 {
            reply = self.ask(visit, "PASS", password.as_bytes()).await?;
        }
        if reply.is_good() {
            Ok(())
        } else {
            Err(refused_login(&reply, password))
        }
    }

    async fn learn_abilities(&mut self, visit: &mut Visit<'_>) -> Result<(), Failure> {
        let reply = self.ask(visit, "FEAT", b"").await?;
        if reply.code != 211 {
            return Ok(());
        }
        let has = |name: &str| {
            reply.text.lines().any(|line| {
                let word = line.trim().split([' ', ';']).next().unwrap_or("");
                word.eq_ignore_ascii_case(name)
            })
        };
        // RFC 3659 §7.8: who names MLST has MLSD too.
        self.abilities.mlsd = has("MLST") || has("MLSD");
        self.abilities.tells_utc = has("MDTM");
        if has("UTF8") {
            self.ask(visit, "OPTS", b"UTF8 ON").await?;
        }
        Ok(())
    }

    /// Sends one command and reads its reply. That the server ends the connection is a failure.
    pub(super) async fn ask(
        &mut self,
        visit: &mut Visit<'_>,
        verb: &str,
        argument: &[u8],
    ) -> Result<Reply, Failure> {
        if argument.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
            return Err(Failure::new(
                Reason::AccessDenied,
                "a line break cannot be part of a command",
            ));
        }
        let mut line = verb.as_bytes().to_vec();
        if !argument.is_empty() {
            line.push(b' ');
            line.extend_from_slice(argument);
        }
        line.extend_from_slice(b"\r\n");
        visit.asked();
        visit.send(&mut self.stream, &line).await?;
        self.reply(visit).await
    }

    pub(super) async fn reply(&mut self, visit: &mut Visit<'_>) -> Result<Reply, Failure> {
        let mut building = Building::default();
        loop {
            let end = self.line(visit).await?;
            let line = self.buffer[..end].trim_ascii_end();
            let taken = building.take(line)?;
            self.buffer.advance(end);
            if let Some(reply) = taken {
                if reply.code == 421 {
                    return Err(reply.failure());
                }
                self.is_kept = false;
                return Ok(reply);
            }
        }
    }

    /// The length of the next line in the buffer, its end included.
    async fn line(&mut self, visit: &mut Visit<'_>) -> Result<usize, Failure> {
        let mut scanned = 0;
        loop {
            if let Some(found) = memchr::memchr(b'\n', &self.buffer[scanned..]) {
                return Ok(scanned + found + 1);
            }
            scanned = self.buffer.len();
            if scanned > LINE_BYTES_MAX {
                return Err(bad_reply(format!("a line of more than {LINE_BYTES_MAX} bytes")));
            }
            if visit.read(&mut self.stream, &mut self.buffer).await? != Came::Bytes {
                return Err(Failure::from(Reason::Closed));
            }
        }
    }

    /// Whether another command may follow; to be asked right before it is sent.
    pub(super) fn silence(&mut self) -> Silence {
        if self.buffer.is_empty() {
            self.stream.silence()
        } else {
            Silence::Broken
        }
    }

    /// Size and time of a file, as far as the server tells.
    pub(super) async fn facts(&mut self, visit: &mut Visit<'_>, path: &[u8]) -> Result<Facts, Failure> {
        let mut facts = Facts {
            size: None,
            modified: None,
        };
        if self.abilities.size {
            let reply = self.ask(visit, "SIZE", path).await?;
            self.abilities.size = !reply.is_unknown_command();
            facts.size = value_of(&reply).and_then(number);
        }
        facts.modified = self.modified(visit, path).await?;
        Ok(facts)
    }

    /// The time of a file in UTC, if the server tells it.
    pub(super) async fn modified(
        &mut self,
        visit: &mut Visit<'_>,
        path: &[u8],
    ) -> Result<Option<FileTime>, Failure> {
        if !self.abilities.mdtm {
            return Ok(None);
        }
        let reply = self.ask(visit, "MDTM", path).await?;
        self.abilities.mdtm = !reply.is_unknown_command();
        Ok(value_of(&reply).and_then(utc_of))
    }

    /// Makes a folder the present one. By its whole path, and name by name for servers that write paths in their own way.
    pub(super) async fn enter(&mut self, visit: &mut Visit<'_>, names: &[Vec<u8>]) -> Result<Reply, Failure> {
        let reply = self.ask(visit, "CWD", &super::path::written(names)).await?;
        if reply.is_good() || names.len() < 2 {
            return Ok(reply);
        }
        if !self.ask(visit, "CWD", b"/").await?.is_good() {
            return Ok(reply);
        }
        for name in names {
            let step = self.ask(visit, "CWD", name).await?;
            if !step.is_good() {
                return Ok(reply);
            }
        }
        Ok(Reply { code: 250, ..reply })
    }
}

pub(super) fn certificate_of(stream: &Stream) -> Option<Vec<u8>> {
    let Stream::Tls(tls) = stream else {
        return None;
    };
    let shown = tls.get_ref().1.peer_certificates()?;
    shown.first().map(|certificate| certificate.to_vec())
}

/// The value that `213` carries.
fn value_of(reply: &Reply) -> Option<&[u8]> {
    (reply.code == 213).then(|| reply.text.trim().as_bytes())
}

fn no_encryption(reply: &Reply) -> Failure {
    Failure::new(Reason::NoEncryption, reply.shown())
}

/// A greeting or a login that is not good. Many servers say with 530 that they are full.
fn refused_login(reply: &Reply, password: &str) -> Failure {
    let is_full = reply.says(&["too many", "maximum", "limit", "full", "busy", "try again later"]);
    let reason = match reply.code {
        530 if is_full => Reason::ServerBusy,
        332 | 430 | 530 | 532 => Reason::LoginRefused,
        400..=499 => Reason::ServerBusy,
        500..=599 if is_full => Reason::ServerBusy,
        500..=599 => Reason::LoginRefused,
        _ => Reason::BadReply,
    };
    let mut detail = reply.shown();
    if !password.is_empty() {
        // Some repeat what they were given.
        detail = detail.replace(password, "[hidden]");
    }
    Failure::new(reason, detail)
}
