//! How does a TCP connection become a channel that speaks SFTP? Key exchange, the server's key, login, channel.
//!
//! SSH itself is russh's. Ours is what may go over it: nothing is said of who we are before the server's key is accepted
//! (HC102), everything up to the channel fits into one span of time, and what the server may send meanwhile is counted
//! (HC106). Compression is not offered, so nothing can be blown up.

use super::known_hosts::{self, Standing};
use super::line::{Line, LineState};
use super::login;
use super::packet::shown;
use super::settings::{SftpSettings, UnknownKey};
use crate::net::Net;
use crate::net::connect::{host_of, plain};
use crate::net::failure::{Failure, words};
use bytes::Bytes;
use gleaner_model::{Reason, Url, defaults};
use russh::client::{self, DisconnectReason, Handle, Msg, Session};
use russh::keys::ssh_key::HashAlg;
use russh::keys::{PublicKey, PublicKeyOrCertificate};
use russh::{AlgorithmKind, ChannelMsg, ChannelReadHalf, ChannelWriteHalf, Disconnect, Preferred, SshId};
use std::borrow::Cow;
use std::net::{IpAddr, Shutdown};
use std::sync::Arc;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

/// What lies between the server and us at most; sixteen reads of 32 KiB fit twice.
const WINDOW_BYTES: u32 = 1024 * 1024;
/// What SSH adds to a packet of data at most; most replies of SFTP are shorter than that.
const PACKET_OVERHEAD_BYTES: usize = 64;
/// Lines of greeting before the login; more is a trick (HC106).
const BANNERS_MAX: u32 = 16;
/// Shorter RSA keys can be broken.
const RSA_BITS_MIN: u32 = 2048;

/// The keys of servers, one look at a time: two first connections to one host must not pin two keys.
pub(super) struct HostKeys {
    pub(super) settings: SftpSettings,
    lock: Mutex<()>,
}

/// An SSH connection with one channel for SFTP. Dropping it hangs up.
pub(super) struct Ssh {
    handle: Handle<Watcher>,
    read: ChannelReadHalf,
    write: ChannelWriteHalf<Msg>,
    line: Arc<LineState>,
    _hang_up: HangUp,
    pub(super) address: IpAddr,
}

/// Ends the connection whatever the task that reads it is waiting for.
struct HangUp(socket2::Socket);

impl Drop for HangUp {
    fn drop(&mut self) {
        // Already closed is as good.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

impl Ssh {
    /// Connects, within the limits for connections and handshakes together.
    pub(super) async fn open(
        net: &Net,
        keys: &Arc<HostKeys>,
        url: &Url,
        end: Instant,
    ) -> Result<Ssh, Failure> {
        let tcp = net.connector.open(url, end).await?;
        let timeouts = &net.settings.timeouts;
        let limit = end.min(Instant::now() + timeouts.connect + timeouts.tls);
        let address = tcp.peer_addr().map_err(|error| Failure::of_io(&error))?.ip();
        let socket = socket2::SockRef::from(&tcp).try_clone();
        let hang_up = HangUp(socket.map_err(|error| Failure::of_io(&error))?);
        let line = Arc::new(LineState::new());
        let watcher = Watcher {
            line: Arc::clone(&line),
            keys: Arc::clone(keys),
            name: known_hosts::name_of(&host_name(url)?, url.port()),
            banners: 0,
        };
        let config = Arc::new(config(&watcher).await?);
        let stream = Line::new(tcp, Arc::clone(&line));
        let shaken = timeout_at(limit, client::connect_stream(config, stream, watcher)).await;
        let mut handle = match shaken {
            Ok(Ok(handle)) => handle,
            Ok(Err(failure)) => return Err(noted_first(&line, failure)),
            Err(_) => {
                return Err(Failure::new(
                    Reason::TlsTimeout,
                    "the SSH key exchange did not end",
                ));
            }
        };
        let who = net.settings.logins.of(url);
        let ready = async {
            login::log_in(&mut handle, who, &line).await?;
            channel(&handle, &line).await
        };
        let (read, write) = timeout_at(limit, ready)
            .await
            .map_err(|_| Failure::new(Reason::FirstByteTimeout, "the SSH login did not end"))??;
        line.allow(WINDOW_BYTES as usize);
        Ok(Ssh {
            handle,
            read,
            write,
            line,
            _hang_up: hang_up,
            address,
        })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.handle.is_closed()
    }

    pub(super) async fn send(&self, bytes: Bytes) -> Result<(), Failure> {
        match self.write.data_bytes(bytes).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.line.failure()),
        }
    }

    /// The next bytes of the channel.
    pub(super) async fn receive(&mut self) -> Result<Bytes, Failure> {
        loop {
            match self.read.wait().await {
                Some(ChannelMsg::Data { data }) if !data.is_empty() => {
                    self.line.allow(data.len() + PACKET_OVERHEAD_BYTES);
                    return Ok(data);
                }
                Some(ChannelMsg::Eof | ChannelMsg::Close) | None => return Err(self.line.failure()),
                // Standard error, window, exit status and data without bytes: nothing that SFTP would need.
                Some(_) => {}
            }
        }
    }
}

fn host_name(url: &Url) -> Result<String, Failure> {
    Ok(match host_of(url)? {
        url::Host::Domain(domain) => plain(domain),
        url::Host::Ipv4(v4) => v4.to_string(),
        url::Host::Ipv6(v6) => v6.to_string(),
    })
}

async fn config(watcher: &Watcher) -> Result<client::Config, Failure> {
    let known = watcher.known().await?;
    Ok(client::Config {
        client_id: SshId::Standard(Cow::Owned(format!(
            "SSH-2.0-{}_{}",
            defaults::AGENT_TOKEN,
            env!("CARGO_PKG_VERSION")
        ))),
        window_size: WINDOW_BYTES,
        preferred: Preferred {
            key: Cow::Owned(known_hosts::key_types(&known)),
            ..Preferred::DEFAULT
        },
        ..client::Config::default()
    })
}

/// Opens the channel on which SFTP is spoken.
async fn channel(
    handle: &Handle<Watcher>,
    line: &LineState,
) -> Result<(ChannelReadHalf, ChannelWriteHalf<Msg>), Failure> {
    let channel = handle.channel_open_session().await.map_err(|error| match error {
        russh::Error::ChannelOpenFailure(why) => Failure::new(
            Reason::ServerBusy,
            format!("the server opens no channel: {why:?}"),
        ),
        other => noted_first(line, other.into()),
    })?;
    let (mut read, write) = channel.split();
    write
        .request_subsystem(true, "sftp")
        .await
        .map_err(|error| noted_first(line, error.into()))?;
    loop {
        match read.wait().await {
            Some(ChannelMsg::Success) => return Ok((read, write)),
            Some(ChannelMsg::Failure) => {
                return Err(Failure::new(Reason::AccessDenied, "the server offers no SFTP"));
            }
            Some(ChannelMsg::Eof | ChannelMsg::Close) | None => return Err(line.failure()),
            Some(_) => {}
        }
    }
}

/// What broke the connection says more than that it is broken.
fn noted_first(line: &LineState, failure: Failure) -> Failure {
    line.end(&failure);
    match failure {
        Failure::Theirs { .. } => line.failure(),
        ours @ Failure::Ours(_) => ours,
    }
}

impl From<russh::Error> for Failure {
    fn from(error: russh::Error) -> Failure {
        let text = shown(&error.to_string());
        match error {
            russh::Error::IO(error) => Failure::of_io(&error),
            russh::Error::NoCommonAlgo {
                kind: AlgorithmKind::Key,
                theirs,
                ..
            } => Failure::new(
                Reason::HostKeyUnknown,
                format!(
                    "the server has keys of weak or unknown types only: {}",
                    shown(&theirs.join(" "))
                ),
            ),
            russh::Error::Disconnect
            | russh::Error::HUP
            | russh::Error::SendError
            | russh::Error::RecvError
            | russh::Error::Join(_) => Failure::from(Reason::Closed),
            russh::Error::ConnectionTimeout
            | russh::Error::KeepaliveTimeout
            | russh::Error::InactivityTimeout
            | russh::Error::Elapsed(_) => Failure::from(Reason::SilenceTimeout),
            russh::Error::Version => {
                Failure::new(Reason::BadReply, "what answered does not speak SSH version 2")
            }
            russh::Error::NoCommonAlgo { .. }
            | russh::Error::Kex
            | russh::Error::KexInit
            | russh::Error::UnknownAlgo
            | russh::Error::WrongServerSig
            | russh::Error::Signature(_) => Failure::new(Reason::TlsProtocol, text),
            _ => Failure::new(Reason::BadReply, text),
        }
    }
}

/// Hears what SSH has to tell.
pub(super) struct Watcher {
    line: Arc<LineState>,
    keys: Arc<HostKeys>,
    /// The host as `known_hosts` names it.
    name: String,
    banners: u32,
}

impl Watcher {
    async fn known(&self) -> Result<Vec<known_hosts::KnownKey>, Failure> {
        let (file, name) = (self.keys.settings.known_hosts.clone(), self.name.clone());
        let read = tokio::task::spawn_blocking(move || known_hosts::read(&file, &name)).await;
        read.map_err(std::io::Error::other)
            .flatten()
            .map_err(|error| self.unusable("read", &error))
    }

    async fn pin(&self, key: &PublicKey) -> Result<(), Failure> {
        let (file, name) = (self.keys.settings.known_hosts.clone(), self.name.clone());
        let key = key.clone();
        let pinned = tokio::task::spawn_blocking(move || known_hosts::pin(&file, &name, &key)).await;
        pinned
            .map_err(std::io::Error::other)
            .flatten()
            .map_err(|error| self.unusable("written", &error))
    }

    fn unusable(&self, what: &str, error: &std::io::Error) -> Failure {
        let file = self.keys.settings.known_hosts.display();
        let detail = format!(
            "the file of known hosts cannot be {what} ({}): {file}",
            words(error)
        );
        Failure::new(Reason::HostKeyUnknown, detail)
    }

    async fn judge(&self, key: &PublicKey) -> Result<(), Failure> {
        let shown = fingerprint(key);
        if let Some(rsa) = key.key_data().rsa()
            && rsa.key_size() < RSA_BITS_MIN
        {
            return Err(Failure::new(
                Reason::HostKeyUnknown,
                format!(
                    "the server's key is weak: RSA of {} bits, {shown}",
                    rsa.key_size()
                ),
            ));
        }
        let _one_at_a_time = self.keys.lock.lock().await;
        match known_hosts::standing(&self.known().await?, key) {
            Standing::Known => Ok(()),
            Standing::Unknown if self.keys.settings.unknown == UnknownKey::Pin => self.pin(key).await,
            Standing::Unknown => Err(Failure::new(
                Reason::HostKeyUnknown,
                format!("the key of {} is {shown}", self.name),
            )),
            Standing::Revoked => Err(Failure::new(
                Reason::HostKeyChanged,
                format!("the key of {} is marked as revoked: {shown}", self.name),
            )),
            Standing::Changed(known) => {
                let known: Vec<String> = known.iter().map(fingerprint).collect();
                Err(Failure::new(
                    Reason::HostKeyChanged,
                    format!(
                        "the key of {} is {shown}, known is {}",
                        self.name,
                        known.join(" ")
                    ),
                ))
            }
        }
    }
}

fn fingerprint(key: &PublicKey) -> String {
    key.fingerprint(HashAlg::Sha256).to_string()
}

impl client::Handler for Watcher {
    type Error = Failure;

    async fn auth_banner(&mut self, _banner: &str, _session: &mut Session) -> Result<(), Failure> {
        self.banners += 1;
        if self.banners > BANNERS_MAX {
            return Err(Failure::new(
                Reason::BadReply,
                "the server's greeting does not end",
            ));
        }
        Ok(())
    }

    async fn check_server_key(&mut self, shown: &PublicKeyOrCertificate) -> Result<bool, Failure> {
        match shown {
            PublicKeyOrCertificate::PublicKey { key, .. } => self.judge(key).await.map(|()| true),
            // Not asked for, so not believed.
            PublicKeyOrCertificate::Certificate(_) => Ok(false),
        }
    }

    async fn disconnected(&mut self, reason: DisconnectReason<Failure>) -> Result<(), Failure> {
        let failure = match reason {
            DisconnectReason::ReceivedDisconnect(info) => {
                let reason = match info.reason_code {
                    Disconnect::TooManyConnections => Reason::ServerBusy,
                    _ => Reason::Closed,
                };
                Failure::new(reason, shown(&info.message))
            }
            DisconnectReason::Error(failure) => failure,
        };
        self.line.end(&failure);
        Err(failure)
    }
}

impl HostKeys {
    pub(super) fn new(settings: SftpSettings) -> HostKeys {
        HostKeys {
            settings,
            lock: Mutex::new(()),
        }
    }
}
