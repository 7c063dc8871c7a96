//! Does the hostile server do what it is told? Each action and builder, seen from a plain client.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;

use super::*;

const SOON: Duration = Duration::from_secs(20);

fn connect(server: &HostileServer) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    stream
}

fn ask(stream: &mut TcpStream, path: &str) {
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
}

fn ask_and_read(server: &HostileServer, path: &str) -> String {
    let mut stream = connect(server);
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn routes_answer_and_heal_and_are_counted() {
    let server = HostileServer::start();
    server
        .route("/", page("one"))
        .route("/moved", redirect("/"))
        .route("/q?a=1", page("query"));
    server.route(
        "/trap/*",
        dynamic(|request| page(format!("trap {}", request.target))),
    );
    assert!(ask_and_read(&server, "/").ends_with("\r\n\r\none"));
    assert!(ask_and_read(&server, "/moved").contains("302 Found\r\nLocation: /\r\n"));
    assert!(ask_and_read(&server, "/q?a=1").ends_with("query"));
    assert!(ask_and_read(&server, "/q?a=2").starts_with("HTTP/1.1 404"));
    assert!(ask_and_read(&server, "/robots.txt").starts_with("HTTP/1.1 404"));
    assert!(ask_and_read(&server, "/trap/1/2").ends_with("trap /trap/1/2"));
    server.route("/", page("two").chunked().with_header("ETag", "\"2\""));
    assert!(ask_and_read(&server, "/").ends_with("3\r\ntwo\r\n0\r\n\r\n"));
    assert_eq!(
        (server.hits("/"), server.hits("/q"), server.connections()),
        (2, 2, 7)
    );
    assert_eq!(server.requests_to("/")[0].header("HOST"), Some("x"));
}

#[test]
fn sequences_and_kept_alive_connections() {
    let server = HostileServer::start();
    server.route("/", sequence([status(503), page("well again")]));
    let mut stream = connect(&server);
    let mut bytes = [0; 15];
    ask(&mut stream, "/");
    stream.read_exact(&mut bytes).unwrap();
    assert_eq!(&bytes, b"HTTP/1.1 503 Se");
    for _ in 0..2 {
        assert!(ask_and_read(&server, "/").ends_with("well again"));
    }
    ask(&mut stream, "/again");
    assert!(server.wait_until(SOON, |server| server.hits("/again") == 1));
    assert_eq!(server.requests_to("/again")[0].connection, 1);
}

#[test]
fn resets_drips_and_greetings() {
    let server = HostileServer::start();
    server.route("/reset", Script::new().send("HTTP/1.1 200 OK\r\n").reset());
    server.route(
        "/drip",
        Script::new().drip("slow", Duration::from_millis(1)).close(),
    );
    let mut stream = connect(&server);
    ask(&mut stream, "/reset");
    let mut answer = Vec::new();
    let error = stream.read_to_end(&mut answer).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert_eq!(ask_and_read(&server, "/drip"), "slow");
    server.greet(Some(Script::new().send("SSH-2.0-x\r\n").close()));
    let mut banner = String::new();
    connect(&server).read_to_string(&mut banner).unwrap();
    assert_eq!(banner, "SSH-2.0-x\r\n");
}

#[test]
fn endless_answers_end_with_the_client_and_gates_hold() {
    let server = HostileServer::start();
    let gate = Gate::closed();
    server.route("/endless", Script::new().send_forever("x"));
    server.route(
        "/held",
        Script::new()
            .then(Action::Hold(gate.clone()))
            .send("through")
            .close(),
    );
    let mut endless = connect(&server);
    ask(&mut endless, "/endless");
    let mut some = vec![0; 100_000];
    endless.read_exact(&mut some).unwrap();
    drop(endless);
    assert!(server.wait_until(SOON, |server| server.open() == 0));
    assert!(server.bytes_sent() >= 100_000);

    let mut held = connect(&server);
    ask(&mut held, "/held");
    assert!(server.wait_until(SOON, |server| server.hits("/held") == 1));
    gate.open();
    let mut answer = String::new();
    held.read_to_string(&mut answer).unwrap();
    assert_eq!(answer, "through");
}

#[test]
fn several_hosts_share_one_port() {
    let server = HostileServer::start_on(&["127.0.0.1".parse().unwrap(), "127.0.0.2".parse().unwrap()]);
    server.route("/", page("here"));
    let mut stream = TcpStream::connect(server.addresses()[1]).unwrap();
    ask(&mut stream, "/");
    assert!(server.wait_until(SOON, |server| server.hits("/") == 1));
    assert_eq!(server.requests()[0].local, server.addresses()[1]);
    assert_eq!(server.addresses()[0].port(), server.addresses()[1].port());
}

#[test]
fn each_flaw_is_seen_by_a_client_that_trusts_the_authority() {
    use rustls::CertificateError as E;
    let cases = [
        (Flaw::None, None),
        (Flaw::Expired, Some("Expired")),
        (Flaw::NotYetValid, Some("NotValidYet")),
        (Flaw::WrongHost, Some("NotValidForName")),
        (Flaw::SelfSigned, Some("UnknownIssuer")),
        (Flaw::UnknownIssuer, Some("UnknownIssuer")),
    ];
    for (flaw, expected) in cases {
        let tls = Tls::new(flaw);
        let server = HostileServer::start_tls(&tls);
        server.route("/", page("secret"));
        let answer = ask_over_tls(&server, &tls);
        let found = match &answer {
            Ok(text) => {
                assert!(text.ends_with("secret"), "{flaw:?}");
                None
            }
            Err(rustls::Error::InvalidCertificate(error)) => Some(match error {
                E::Expired | E::ExpiredContext { .. } => "Expired",
                E::NotValidYet | E::NotValidYetContext { .. } => "NotValidYet",
                E::NotValidForName | E::NotValidForNameContext { .. } => "NotValidForName",
                E::UnknownIssuer => "UnknownIssuer",
                _ => panic!("{flaw:?}: {error:?}"),
            }),
            Err(error) => panic!("{flaw:?}: {error:?}"),
        };
        assert_eq!(found, expected, "{flaw:?}");
    }
}

fn ask_over_tls(server: &HostileServer, tls: &Tls) -> Result<String, rustls::Error> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(tls.certificate.authority.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let mut client = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let mut socket = connect(server);
    let mut stream = rustls::Stream::new(&mut client, &mut socket);
    let told = |error: std::io::Error| *error.into_inner().unwrap().downcast::<rustls::Error>().unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .map_err(told)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map_err(told)?;
    Ok(answer)
}

#[test]
fn a_server_beside_and_a_deaf_port_have_the_same_port() {
    let server = HostileServer::start();
    server.route("/", page("here"));
    let beside = server.start_beside("127.0.0.2".parse().unwrap(), None);
    beside.route("/", page("there"));
    assert_eq!(server.address().port(), beside.address().port());
    assert!(ask_and_read(&beside, "/").ends_with("there"));
    assert!(ask_and_read(&server, "/").ends_with("here"));
    let address = (
        "127.0.0.3".parse::<std::net::IpAddr>().unwrap(),
        server.address().port(),
    )
        .into();
    let _deaf = DeafPort::at(address);
    let error = TcpStream::connect_timeout(&address, Duration::from_millis(200)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
}
