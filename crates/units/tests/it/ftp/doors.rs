//! Servers behind firewalls: a port that was opened for one command cannot be reached, that of the other can.

use super::server::{Server, Visit, bytes, fetch, ftp, net, reason};
use gleaner_model::Reason;
use gleaner_units::{Ftp, FtpSettings, NetSettings};
use std::time::Duration;
use tokio::net::TcpListener;

/// A port at which nobody listens.
async fn shut() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().port()
}

/// Opens a door and names another host beside it, as servers behind address translation do.
async fn pasv(visit: &mut Visit) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let [high, low] = listener.local_addr().unwrap().port().to_be_bytes();
    visit.door = Some(listener);
    visit.say(&format!("227 Passive (127,0,0,2,{high},{low})")).await;
}

async fn server(has_pasv: bool) -> Server {
    let server = Server::start(move |mut visit| async move {
        visit.say("220 hello").await;
        while let Some(command) = visit.command().await {
            match command.verb.as_str() {
                "EPSV" => visit.say(&format!("229 Extended (|||{}|)", shut().await)).await,
                "PASV" if has_pasv => pasv(&mut visit).await,
                _ => visit.usual(&command).await,
            }
        }
    })
    .await;
    server.put("/a", b"through the other door");
    server.put("/b", b"and again");
    server
}

#[tokio::test]
async fn a_port_of_epsv_that_is_shut_is_no_reason_to_give_up() {
    let server = server(true).await;
    let ftp = ftp();
    assert_eq!(
        bytes(fetch(&ftp, server.url("/a")).await),
        b"through the other door"
    );
    assert_eq!(server.count("USER"), 1, "on the same session");
    assert_eq!(bytes(fetch(&ftp, server.url("/b")).await), b"and again");
    ftp.close_idle();
    assert_eq!(bytes(fetch(&ftp, server.url("/b")).await), b"and again");
    assert_eq!(server.count("USER"), 2);
    assert_eq!(server.count("EPSV"), 1, "it is not tried again in this run");
    assert_eq!(server.count("PASV"), 3);
}

#[tokio::test]
async fn a_port_of_epsv_that_keeps_silent_is_left_too() {
    // A queue of one that is full: who knocks after that is not answered, as behind a firewall.
    let full = tokio::net::TcpSocket::new_v4().unwrap();
    full.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let full = full.listen(0).unwrap();
    let place = full.local_addr().unwrap();
    let mut waiting = Vec::new();
    for _ in 0..4 {
        let knock = tokio::net::TcpStream::connect(place);
        match tokio::time::timeout(Duration::from_millis(100), knock).await {
            Ok(knocked) => waiting.push(knocked),
            Err(_silence) => break,
        }
    }
    let port = place.port();
    let server = Server::start(move |mut visit| async move {
        visit.say("220 hello").await;
        while let Some(command) = visit.command().await {
            match command.verb.as_str() {
                "EPSV" => visit.say(&format!("229 Extended (|||{port}|)")).await,
                "PASV" => pasv(&mut visit).await,
                _ => visit.usual(&command).await,
            }
        }
    })
    .await;
    server.put("/a", b"after a while");
    let short = |settings: &mut NetSettings| settings.timeouts.connect = Duration::from_millis(300);
    let ftp = Ftp::on(net(short), FtpSettings::default());
    assert_eq!(bytes(fetch(&ftp, server.url("/a")).await), b"after a while");
}

#[tokio::test]
async fn where_pasv_is_refused_the_first_failure_is_told() {
    let server = server(false).await;
    let ftp = ftp();
    for _ in 0..2 {
        assert_eq!(
            reason(fetch(&ftp, server.url("/a")).await),
            Reason::ConnectRefused
        );
    }
    assert_eq!(server.count("EPSV"), 2, "it may be open the next time");
    // And where EPSV does what it should, nobody asks for the other.
    let decent = Server::start(|mut visit| async move {
        visit.say("220 hello").await;
        while let Some(command) = visit.command().await {
            visit.usual(&command).await;
        }
    })
    .await;
    decent.put("/a", b"as ever");
    assert_eq!(bytes(fetch(&ftp, decent.url("/a")).await), b"as ever");
    assert_eq!(decent.count("PASV"), 0);
}
