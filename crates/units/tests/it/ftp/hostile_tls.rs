//! Encryption that is refused, forgotten, or somebody else's (HC101).

use super::server::{Server, Visit, bytes, list, net, reason};
use crate::tls::{Authority, acceptor};
use gleaner_model::{Reason, Url};
use gleaner_units::{Answer, Ask, Ftp, FtpSettings, FtpTls, ListingEnd, Unit};
use tokio::io::AsyncWriteExt;
use tokio_rustls::TlsAcceptor;

struct Stage {
    ftp: Ftp,
    acceptor: TlsAcceptor,
    other: TlsAcceptor,
}

/// A unit that trusts an authority, and two certificates of it for the same address.
fn stage() -> Stage {
    let authority = Authority::new();
    let trusting = net(|settings| settings.extra_root_certificates = vec![authority.root.clone()]);
    let identity = || acceptor(authority.identity(&["127.0.0.1"], |_| ()), &[]);
    Stage {
        ftp: Ftp::on(
            trusting,
            FtpSettings {
                tls: FtpTls::Explicit,
                active: false,
            },
        ),
        acceptor: identity(),
        other: identity(),
    }
}

async fn shake_hands(visit: &mut Visit) -> bool {
    let Some((acceptor, _)) = visit.tls.clone() else {
        return false;
    };
    let Some(control) = visit.control.take() else {
        return false;
    };
    match acceptor.accept(control).await {
        Ok(tls) => visit.control = Some(Box::new(tls)),
        Err(_) => return false,
    }
    true
}

/// Implicit or explicit by what the client does first: `starts_secure` decides.
async fn secure_server(tls: (TlsAcceptor, TlsAcceptor), starts_secure: bool, forgets_data: bool) -> Server {
    Server::start(move |mut visit| {
        let tls = tls.clone();
        async move {
            visit.tls = Some(tls);
            if starts_secure && !shake_hands(&mut visit).await {
                return;
            }
            visit.say("220 hello").await;
            while let Some(command) = visit.command().await {
                match command.verb.as_str() {
                    "AUTH" => {
                        visit.say("234 go on").await;
                        if !shake_hands(&mut visit).await {
                            return;
                        }
                    }
                    "RETR" if forgets_data => {
                        visit.say("150 in the clear").await;
                        let mut data = visit.plain_data().await;
                        let _gone = data.write_all(b"this is what you asked for").await;
                        visit.command().await;
                    }
                    _ => visit.usual(&command).await,
                }
            }
        }
    })
    .await
}

async fn fetch(ftp: &Ftp, url: Url) -> Answer {
    ftp.fetch(&Ask::of(url)).await.unwrap()
}

#[tokio::test]
async fn explicit_and_implicit_tls_carry_files() {
    for starts_secure in [false, true] {
        let stage = stage();
        let server = secure_server(
            (stage.acceptor.clone(), stage.acceptor.clone()),
            starts_secure,
            false,
        )
        .await;
        server.put("/a", &vec![b'x'; 100_000]);
        let scheme = if starts_secure { "ftps" } else { "ftp" };
        let url = Url::parse(&format!("{scheme}://{}/a", server.address)).unwrap();
        let answer = fetch(&stage.ftp, url).await;
        assert_eq!(
            answer.exchange().map(|exchange| exchange.protocol),
            Some("ftps"),
            "{answer:?}"
        );
        assert_eq!(bytes(answer).len(), 100_000);
        assert!(server.log().contains(&"PROT P".to_owned()));
    }
}

#[tokio::test]
async fn hc101_a_server_that_will_not_encrypt_is_told_nothing() {
    for refused in ["AUTH", "PROT"] {
        let stage = stage();
        let tls = (stage.acceptor.clone(), stage.acceptor.clone());
        let server = Server::start(move |mut visit| {
            let tls = tls.clone();
            async move {
                visit.tls = Some(tls);
                visit.say("220 hello").await;
                while let Some(command) = visit.command().await {
                    match command.verb.as_str() {
                        verb if verb == refused => visit.say("534 not with us").await,
                        "AUTH" => {
                            visit.say("234 go on").await;
                            shake_hands(&mut visit).await;
                        }
                        _ => visit.usual(&command).await,
                    }
                }
            }
        })
        .await;
        assert_eq!(
            reason(fetch(&stage.ftp, server.url("/a")).await),
            Reason::NoEncryption,
            "{refused}"
        );
        assert_eq!(server.count("USER"), 0, "no name is told before");
        let (listed, _) = list(&stage.ftp, server.url("/")).await;
        assert!(matches!(listed, ListingEnd::Unclear(unclear) if unclear.reason == Reason::NoEncryption));
    }
}

#[tokio::test]
async fn hc101_data_in_the_clear_is_not_taken() {
    let stage = stage();
    let server = secure_server((stage.acceptor.clone(), stage.acceptor.clone()), false, true).await;
    server.put("/a", b"this is what you asked for");
    assert_eq!(
        reason(fetch(&stage.ftp, server.url("/a")).await),
        Reason::NoEncryption
    );
}

#[tokio::test]
async fn hc101_data_under_another_certificate_is_not_taken() {
    let stage = stage();
    let server = secure_server((stage.acceptor.clone(), stage.other.clone()), false, false).await;
    server.put("/a", b"x");
    assert_eq!(
        reason(fetch(&stage.ftp, server.url("/a")).await),
        Reason::TlsBadCertificate
    );
}

#[tokio::test]
async fn hc101_what_is_said_before_the_encryption_does_not_count_after_it() {
    let stage = stage();
    let server = Server::with("AUTH", async |visit, _| {
        visit.say("234 go on\r\n200 fine\r\n200 fine\r\n230 in").await;
        visit.command().await;
    })
    .await;
    assert_eq!(
        reason(fetch(&stage.ftp, server.url("/a")).await),
        Reason::BadReply
    );
}

#[tokio::test]
async fn hc101_a_certificate_of_nobody_is_refused() {
    let Stage { acceptor, .. } = stage();
    let server = secure_server((acceptor.clone(), acceptor), true, false).await;
    let url = Url::parse(&format!("ftps://{}/a", server.address)).unwrap();
    let trusting_nobody = Ftp::on(net(|_| ()), FtpSettings::default());
    assert_eq!(
        reason(fetch(&trusting_nobody, url).await),
        Reason::TlsUnknownIssuer
    );
}

#[tokio::test]
async fn the_server_may_be_let_in_where_it_cannot_be_entered() {
    let active = FtpSettings {
        active: true,
        ..FtpSettings::default()
    };
    let server = Server::start(|mut visit| async move {
        visit.say("220 hello").await;
        let mut place = String::new();
        while let Some(command) = visit.command().await {
            match command.verb.as_str() {
                "PORT" => {
                    let fields: Vec<u16> = command
                        .argument
                        .split(',')
                        .map(|field| field.parse().unwrap())
                        .collect();
                    place = format!("127.0.0.1:{}", fields[4] * 256 + fields[5]);
                    visit.say("200 fine").await;
                }
                "RETR" => {
                    visit.say("150 now").await;
                    let mut data = tokio::net::TcpStream::connect(&place).await.unwrap();
                    data.write_all(b"brought").await.unwrap();
                    data.shutdown().await.unwrap();
                    visit.say("226 done").await;
                }
                _ => visit.usual(&command).await,
            }
        }
    })
    .await;
    server.put("/a", b"brought");
    let unit = Ftp::on(net(|_| ()), active);
    assert_eq!(bytes(fetch(&unit, server.url("/a")).await), b"brought");
}
