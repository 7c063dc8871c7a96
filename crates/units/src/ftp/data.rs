//! Where do the bytes of a file or listing come from? From a second connection, to the very address that the control
//! connection goes to, whatever the server says (HC091), and encrypted by the same certificate if that one is (HC101).

use super::control::{Control, certificate_of};
use super::reply::{Reply, bad_reply, epsv_port, pasv_port};
use super::visit::{Came, Visit};
use crate::net::failure::Failure;
use crate::net::stream::Stream;
use crate::net::tls::Offer;
use bytes::BytesMut;
use gleaner_model::Reason;
use std::net::IpAddr;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

/// A transfer as far as the server agreed to it.
pub(super) enum Begun {
    Data(Data),
    Refused(Reply),
}

/// The data of one transfer.
pub(super) struct Data {
    stream: Stream,
    /// The last word of the server, where it came before the data.
    early: Option<Reply>,
}

/// The way that data will take.
enum Door {
    Open(TcpStream),
    Awaited(TcpListener),
}

/// Asks for data: `verb` with its argument, from byte `from` on.
pub(super) async fn begin(
    control: &mut Control,
    visit: &mut Visit<'_>,
    verb: &str,
    argument: &[u8],
    from: u64,
) -> Result<Begun, Failure> {
    let door = if visit.settings.active {
        listen(control, visit).await?
    } else {
        connect(control, visit).await?
    };
    if from > 0 {
        let reply = control.ask(visit, "REST", from.to_string().as_bytes()).await?;
        if reply.code != 350 {
            return Ok(Begun::Refused(reply));
        }
    }
    control.is_busy = true;
    let reply = control.ask(visit, verb, argument).await?;
    if !reply.is_begun() && !reply.is_good() {
        control.is_busy = false;
        return Ok(Begun::Refused(reply));
    }
    let early = reply.is_good().then_some(reply);
    let tcp = match door {
        Door::Open(tcp) => tcp,
        Door::Awaited(listener) => accept(&listener, control.peer.ip(), visit).await?,
    };
    let stream = if control.is_secure() {
        secure(tcp, control, visit).await?
    } else {
        Stream::Plain(tcp)
    };
    visit.asked();
    Ok(Begun::Data(Data { stream, early }))
}

/// Opens the way by which the server is connected to. Some firewalls know `PASV` only and let nobody through to a port
/// that was opened for `EPSV`: the older command is then worth a try on the same session.
async fn connect(control: &mut Control, visit: &mut Visit<'_>) -> Result<Door, Failure> {
    let origin = visit.url.origin();
    let mut unreached = None;
    if control.abilities.epsv && !visit.lessons.of(origin).is_epsv_shut {
        let reply = control.ask(visit, "EPSV", b"").await?;
        if reply.code == 229 {
            let port = epsv_port(&reply).ok_or_else(|| bad_reply(reply.shown()))?;
            match reach(control, visit, port).await {
                Err(failure) if is_out_of_reach(&failure) => unreached = Some(failure),
                reached => return reached,
            }
        } else {
            control.abilities.epsv = false;
        }
    }
    let reply = control.ask(visit, "PASV", b"").await?;
    if reply.code != 227 {
        // What went wrong first is the reason; that there is no other way is not.
        return Err(unreached.unwrap_or_else(|| reply.failure()));
    }
    let port = pasv_port(&reply).ok_or_else(|| bad_reply(reply.shown()))?;
    let door = reach(control, visit, port).await?;
    if unreached.is_some() {
        visit.lessons.note(origin, |lesson| lesson.is_epsv_shut = true);
    }
    Ok(door)
}

/// Only the port is the server's to choose (HC091).
async fn reach(control: &Control, visit: &Visit<'_>, port: u16) -> Result<Door, Failure> {
    let end = visit.patience.end();
    let connector = &visit.net.connector;
    let tcp = connector.connect(&[control.peer.ip()], port, end).await?;
    Ok(Door::Open(tcp))
}

fn is_out_of_reach(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Theirs {
            reason: Reason::ConnectTimeout | Reason::ConnectRefused | Reason::Unreachable,
            ..
        }
    )
}

async fn listen(control: &mut Control, visit: &mut Visit<'_>) -> Result<Door, Failure> {
    let of_io = |error| Failure::of_io(&error);
    let listener = TcpListener::bind((control.local.ip(), 0)).await.map_err(of_io)?;
    let here = listener.local_addr().map_err(of_io)?;
    let reply = match here.ip() {
        IpAddr::V4(ip) => {
            let [a, b, c, d] = ip.octets();
            let [high, low] = here.port().to_be_bytes();
            control
                .ask(visit, "PORT", format!("{a},{b},{c},{d},{high},{low}").as_bytes())
                .await?
        }
        IpAddr::V6(ip) => {
            let place = format!("|2|{ip}|{}|", here.port());
            control.ask(visit, "EPRT", place.as_bytes()).await?
        }
    };
    if reply.is_good() {
        Ok(Door::Awaited(listener))
    } else {
        Err(reply.failure())
    }
}

/// Takes the server's connection, and nobody else's.
async fn accept(listener: &TcpListener, server: IpAddr, visit: &mut Visit<'_>) -> Result<TcpStream, Failure> {
    visit.asked();
    loop {
        let accepted = visit.patience.watch(listener.accept()).await?;
        let (tcp, from) = accepted.map_err(|error| Failure::of_io(&error))?;
        if from.ip() == server {
            return Ok(tcp);
        }
    }
}

async fn secure(tcp: TcpStream, control: &Control, visit: &mut Visit<'_>) -> Result<Stream, Failure> {
    let end = visit.patience.end();
    let shaken = visit
        .net
        .connector
        .secure(tcp, visit.url, Offer::Nothing, end)
        .await;
    let tls = shaken.map_err(|failure| match failure {
        // What is no TLS is most likely the data itself, in the clear.
        Failure::Theirs {
            reason: Reason::TlsProtocol,
            detail,
        } if detail.contains("corrupt message") => {
            Failure::new(Reason::NoEncryption, "the data connection is not encrypted")
        }
        other => other,
    })?;
    let stream = Stream::Tls(Box::new(tls));
    if certificate_of(&stream) != control.certificate() {
        return Err(Failure::new(
            Reason::TlsBadCertificate,
            "the data connection shows another certificate than the control connection",
        ));
    }
    Ok(stream)
}

impl Data {
    /// Reads more into `buffer`.
    pub(super) async fn read(
        &mut self,
        visit: &mut Visit<'_>,
        buffer: &mut BytesMut,
    ) -> Result<Came, Failure> {
        let came = visit.read(&mut self.stream, buffer).await?;
        if came == Came::Bytes && visit.first_byte.is_none() {
            visit.first_byte = Some(visit.patience.started().elapsed());
        }
        Ok(came)
    }

    /// Closes the connection and reads what the server says of the transfer.
    pub(super) async fn finish(self, control: &mut Control, visit: &mut Visit<'_>) -> Result<Reply, Failure> {
        let Data { mut stream, early } = self;
        // A goodbye that the server no longer takes changes nothing.
        let _best_effort = visit.patience.watch(stream.shutdown()).await?;
        drop(stream);
        let reply = match early {
            Some(reply) => reply,
            None => control.reply(visit).await?,
        };
        control.is_busy = false;
        Ok(reply)
    }
}
