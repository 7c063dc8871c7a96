//! How does an open connection become one that reads news? Greeting, capabilities, encryption, reader mode, login.
//!
//! ```text
//! connect ─► (TLS) ─► greeting ─► CAPABILITIES ─► STARTTLS ─► MODE READER ─► AUTHINFO
//!             └ of nntps                          └ if we log in and it is offered
//! ```
//!
//! A login goes to its own origin only and is encrypted wherever the server offers that; a handshake that fails is the end
//! and never a reason to send a password in the clear. Where encryption is not offered, or somebody on the way took the
//! offer out, the login is not sent unless the user says so; to this machine itself it is, because nobody is on the way.
//! Whatever was learned before the handshake is asked for again after it (RFC 4642 §2.2.2).

use super::reply::Reply;
use super::settings::{NntpSettings, PlainLogin};
use super::wire::{Connection, Line, Overviews, Wire};
use crate::net::failure::Failure;
use crate::net::patience::Patience;
use crate::net::stream::Stream;
use crate::net::tls::Offer;
use crate::net::{Net, ServerLogin};
use gleaner_model::{Reason, Url};
use std::net::IpAddr;

const CAPABILITY_BYTES_MAX: usize = 8 * 1024;
const CAPABILITIES_BYTES_MAX: usize = 64 * 1024;

/// What the server says it can do.
#[derive(Debug, Default, Clone, Copy)]
struct Capabilities {
    reads: bool,
    encrypts: bool,
    has_over: bool,
}

/// Opens a connection to the server of `url` that is ready for reading.
pub(super) async fn open(
    net: &Net,
    settings: &NntpSettings,
    url: &Url,
    patience: &mut Patience,
) -> Result<Connection, Failure> {
    let tcp = net.connector.open(url, patience.end()).await?;
    let address = tcp.peer_addr().map_err(|error| Failure::of_io(&error))?.ip();
    let mut connection = Connection::new(Stream::Plain(tcp), address);
    if url.scheme() == "nntps" {
        connection = secured(connection, net, url, patience).await?;
    }
    patience.request_sent(&net.settings.timeouts);
    let greeting = Wire::on(&mut connection, patience, net).reply().await?;
    if !matches!(greeting.code, 200 | 201) {
        return Err(greeting.refusal());
    }
    let login = net.settings.logins.of(url);
    let mut known = capabilities(&mut Wire::on(&mut connection, patience, net)).await?;
    let mut is_reader_asked = false;
    // Twice, because a server may offer encryption only once it is a reader, and must be asked anew after that.
    for _ in 0..2 {
        if login.is_some() && known.encrypts && matches!(connection.stream, Stream::Plain(_)) {
            connection = encrypt(connection, net, url, patience).await?;
            known = capabilities(&mut Wire::on(&mut connection, patience, net)).await?;
            is_reader_asked = false;
        }
        if !known.reads && !is_reader_asked {
            let mut wire = Wire::on(&mut connection, patience, net);
            let reply = wire.ask(&[b"MODE", b"READER"]).await?;
            // A server that does not know the command has one mode only.
            if !matches!(reply.code, 200 | 201) && !reply.is_unknown_command() {
                return Err(reply.refusal());
            }
            known = capabilities(&mut wire).await?;
            is_reader_asked = true;
        }
    }
    if let Some(login) = login {
        let is_encrypted = matches!(connection.stream, Stream::Tls(_));
        if !is_encrypted && !may_go_in_the_clear(connection.address, settings.plain_login) {
            return Err(Failure::new(
                Reason::NoEncryption,
                "the server offers no encryption, so the login was not sent; --option nntp.plain_login=yes sends it in the \
                 clear",
            ));
        }
        let mut wire = Wire::on(&mut connection, patience, net);
        log_in(&mut wire, login).await?;
        known = capabilities(&mut wire).await?;
    }
    if known.has_over {
        connection.overviews = Overviews::Over;
    }
    Ok(connection)
}

async fn capabilities(wire: &mut Wire<'_>) -> Result<Capabilities, Failure> {
    let mut known = Capabilities::default();
    match wire.ask_for_block(&[b"CAPABILITIES"], 101).await? {
        Ok(()) => {}
        Err(refused) if refused.code == 400 => return Err(refused.refusal()),
        // Servers from before 2006, and those that tell nothing before a login.
        Err(_) => return Ok(known),
    }
    let mut bytes = 0;
    loop {
        let line = match wire.line(CAPABILITY_BYTES_MAX).await? {
            Line::End => return Ok(known),
            Line::Text(line) => line,
            Line::TooLong => return Err(Failure::new(Reason::BadReply, "a capability without end")),
        };
        bytes += line.len() + 2;
        if bytes > CAPABILITIES_BYTES_MAX {
            return Err(Failure::new(Reason::BadReply, "capabilities without end"));
        }
        let label = line.split(u8::is_ascii_whitespace).next().unwrap_or(&[]);
        known.reads |= label.eq_ignore_ascii_case(b"READER");
        known.encrypts |= label.eq_ignore_ascii_case(b"STARTTLS");
        known.has_over |= label.eq_ignore_ascii_case(b"OVER");
    }
}

async fn encrypt(
    mut connection: Connection,
    net: &Net,
    url: &Url,
    patience: &mut Patience,
) -> Result<Connection, Failure> {
    let reply = Wire::on(&mut connection, patience, net)
        .ask(&[b"STARTTLS"])
        .await?;
    if reply.code != 382 {
        return Err(Failure::new(Reason::NoEncryption, reply.shown()));
    }
    secured(connection, net, url, patience).await
}

/// The handshake, on a connection on which nothing is left unread.
async fn secured(
    connection: Connection,
    net: &Net,
    url: &Url,
    patience: &mut Patience,
) -> Result<Connection, Failure> {
    // What came in the clear after the reply would be taken for an answer that was encrypted (CVE-2011-0411).
    if !connection.is_settled() {
        return Err(Failure::new(
            Reason::BadReply,
            "more was sent before the encryption began",
        ));
    }
    let Connection {
        stream: Stream::Plain(tcp),
        address,
        ..
    } = connection
    else {
        return Err(Failure::new(Reason::BadReply, "encryption inside encryption"));
    };
    let tls = net
        .connector
        .secure(tcp, url, Offer::Nothing, patience.end())
        .await?;
    Ok(Connection::new(Stream::Tls(Box::new(tls)), address))
}

/// Whether a login may be sent as it is to a server at `address`.
fn may_go_in_the_clear(address: IpAddr, plain_login: PlainLogin) -> bool {
    plain_login == PlainLogin::Allowed || address.to_canonical().is_loopback()
}

/// RFC 4643 §2.3.
async fn log_in(wire: &mut Wire<'_>, login: &ServerLogin) -> Result<(), Failure> {
    let password = login.password.as_deref().unwrap_or("");
    if [login.user.as_str(), password]
        .iter()
        .any(|word| word.bytes().any(|byte| byte.is_ascii_control()))
    {
        return Err(Failure::new(
            Reason::LoginRefused,
            "a name or password with control bytes is not sent",
        ));
    }
    let mut reply = wire.ask(&[b"AUTHINFO", b"USER", login.user.as_bytes()]).await?;
    if reply.code == 381 {
        reply = wire.ask(&[b"AUTHINFO", b"PASS", password.as_bytes()]).await?;
    }
    match reply.code {
        281 => Ok(()),
        400 | 403 => Err(reply.refusal()),
        _ => Err(refused_login(&reply)),
    }
}

/// Only the code: a server may repeat what it was sent.
fn refused_login(reply: &Reply) -> Failure {
    Failure::new(Reason::LoginRefused, format!("reply {}", reply.code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_in_the_clear_stays_on_this_machine() {
        for (address, is_here) in [
            ("127.0.0.1", true),
            ("127.4.5.6", true),
            ("::1", true),
            ("::ffff:127.0.0.1", true),
            ("10.0.0.1", false),
            ("192.168.1.1", false),
            ("fe80::1", false),
            ("::ffff:10.0.0.1", false),
            ("0.0.0.0", false),
        ] {
            let address: IpAddr = address.parse().unwrap();
            let sent = |plain_login| may_go_in_the_clear(address, plain_login);
            assert_eq!(sent(PlainLogin::Never), is_here, "{address}");
            assert!(sent(PlainLogin::Allowed));
        }
    }
}
