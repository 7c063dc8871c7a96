//! Certificates good and bad, and ports that do not speak TLS.

use crate::script::{SHORT, Server, settings, unclear};
use gleaner_model::{Reason, Url};
use gleaner_units::http::HTTP11;
use gleaner_units::{Answer, Ask, Http, HttpSettings, Unit};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, KeyUsagePurpose, date_time_ymd};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// An authority made for one test.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub(crate) root: Vec<u8>,
}

pub(crate) struct Identity {
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: PrivateKeyDer<'static>,
}

impl Authority {
    pub(crate) fn new() -> Authority {
        Authority::named("a test authority")
    }

    fn named(name: &str) -> Authority {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        let root = params.self_signed(&key).unwrap().der().to_vec();
        Authority {
            issuer: Issuer::new(params, key),
            root,
        }
    }

    pub(crate) fn identity(&self, names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Identity {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Identity {
            chain: vec![certificate.der().clone()],
            key: PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        }
    }
}

pub(crate) fn acceptor(identity: Identity, protocols: &[&str]) -> tokio_rustls::TlsAcceptor {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(identity.chain, identity.key)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    tokio_rustls::TlsAcceptor::from(Arc::new(config))
}

/// Answers `ok` to every request, through TLS.
async fn secure_server(identity: Identity) -> SocketAddr {
    let acceptor = acceptor(identity, &[]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (tcp, _) = listener.accept().await.unwrap();
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(tcp).await else {
                    return;
                };
                let mut request = [0; 4096];
                while matches!(stream.read(&mut request).await, Ok(1..)) {
                    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
                    stream.write_all(answer).await.unwrap();
                    stream.flush().await.unwrap();
                }
            });
        }
    });
    address
}

pub(crate) fn trusting(authority: &Authority, host: &str) -> HttpSettings {
    let mut settings = settings();
    settings.net.extra_root_certificates = vec![authority.root.clone()];
    settings.net.resolve_overrides = vec![(host.to_owned(), vec!["127.0.0.1".parse().unwrap()])];
    settings
}

async fn ask(settings: HttpSettings, host: &str, server: SocketAddr) -> Answer {
    let url = Url::parse(&format!("https://{host}:{}/", server.port())).unwrap();
    Http::new(settings).unwrap().fetch(&Ask::of(url)).await.unwrap()
}

#[tokio::test]
async fn a_good_certificate_is_taken_and_the_connection_kept() {
    let authority = Authority::new();
    let server = secure_server(authority.identity(&["good.test", "127.0.0.1"], |_| ())).await;
    let http = Http::new(trusting(&authority, "good.test")).unwrap();
    for host in ["good.test", "good.test.", "127.0.0.1"] {
        for _ in 0..2 {
            let url = Url::parse(&format!("https://{host}:{}/", server.port())).unwrap();
            match http.fetch(&Ask::of(url)).await.unwrap() {
                Answer::Here(exchange) => {
                    assert_eq!(exchange.body.as_slice(), Some(b"ok".as_slice()));
                    assert_eq!(exchange.protocol, HTTP11);
                }
                // Whether a final dot is another host is the URL's affair; where it gets here it is the same name.
                other => panic!("{host}: {other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn hc022_each_bad_certificate_has_its_reason_and_its_names() {
    let authority = Authority::new();
    let stranger = Authority::named("a stranger");
    let self_signed = |is_ca: IsCa| {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["bad.test".to_owned()]).unwrap();
        params.is_ca = is_ca;
        let certificate = params.self_signed(&key).unwrap();
        Identity {
            chain: vec![certificate.der().clone()],
            key: PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        }
    };
    let cases = [
        (
            authority.identity(&["bad.test"], |params| {
                params.not_before = date_time_ymd(2001, 1, 1);
                params.not_after = date_time_ymd(2002, 1, 1);
            }),
            Reason::TlsExpired,
        ),
        (
            authority.identity(&["bad.test"], |params| {
                params.not_before = date_time_ymd(4000, 1, 1);
            }),
            Reason::TlsNotYetValid,
        ),
        (
            authority.identity(&["first.test", "second.test"], |_| ()),
            Reason::TlsWrongHost,
        ),
        (stranger.identity(&["bad.test"], |_| ()), Reason::TlsUnknownIssuer),
        (self_signed(IsCa::NoCa), Reason::TlsUnknownIssuer),
        (
            self_signed(IsCa::Ca(BasicConstraints::Unconstrained)),
            Reason::TlsUnknownIssuer,
        ),
        (
            authority.identity(&["bad.test"], |params| {
                params.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ClientAuth];
            }),
            Reason::TlsBadCertificate,
        ),
    ];
    for (identity, reason) in cases {
        let server = secure_server(identity).await;
        let answer = unclear(ask(trusting(&authority, "bad.test"), "bad.test", server).await);
        assert_eq!(answer.reason, reason, "{}", answer.detail);
        let name = if reason == Reason::TlsWrongHost {
            "second.test"
        } else {
            "bad.test"
        };
        assert!(answer.detail.contains(name), "{}", answer.detail);
    }
}

#[tokio::test]
async fn hc023_a_handshake_that_stalls_and_ports_without_tls() {
    let authority = Authority::new();
    let stalling = Server::start(|mut visit| async move { visit.until_left().await }).await;
    let mut settings = trusting(&authority, "bad.test");
    settings.net.timeouts.tls = SHORT;
    let answer = unclear(ask(settings, "bad.test", stalling.address).await);
    assert_eq!(answer.reason, Reason::TlsTimeout);

    // An alert record: fatal, protocol_version.
    let old_only = b"\x15\x03\x01\x00\x02\x02\x46".as_slice();
    for says in [b"HTTP/1.1 400 Bad Request\r\n\r\n".as_slice(), old_only] {
        let server = Server::start(move |mut visit| async move {
            visit.send(says).await;
            visit.until_left().await;
        })
        .await;
        let answer = unclear(ask(trusting(&authority, "bad.test"), "bad.test", server.address).await);
        assert_eq!(answer.reason, Reason::TlsProtocol, "{}", answer.detail);
        assert_eq!(server.connections(), 1);
    }
}

#[tokio::test]
async fn extra_roots_may_come_as_a_pem_file() {
    let authority = Authority::new();
    let server = secure_server(authority.identity(&["good.test"], |_| ())).await;
    let mut settings = trusting(&authority, "good.test");
    let base64 = data_encoding::BASE64_MIME.encode(&authority.root);
    let pem = format!("# a comment\n-----BEGIN CERTIFICATE-----\n{base64}-----END CERTIFICATE-----\n");
    settings.net.extra_root_certificates = vec![pem.into_bytes()];
    assert!(matches!(
        ask(settings.clone(), "good.test", server).await,
        Answer::Here(_)
    ));
    settings.net.extra_root_certificates = vec![b"-----BEGIN NOTHING-----".to_vec()];
    assert!(Http::new(settings).is_err());
}

#[tokio::test]
async fn a_root_that_is_no_certificate_is_said_at_once() {
    let mut settings = settings();
    settings.net.extra_root_certificates = vec![Authority::new().root, b"junk".to_vec()];
    let error = Http::new(settings).err().unwrap();
    assert!(error.to_string().contains("number 2"), "{error}");
}

/// Answers once a connection with these bytes and goes, with TLS's goodbye or without.
async fn says_and_goes(identity: Identity, answer: &'static str, says_goodbye: bool) -> SocketAddr {
    let acceptor = acceptor(identity, &[]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (tcp, _) = listener.accept().await.unwrap();
            let Ok(mut stream) = acceptor.accept(tcp).await else {
                continue;
            };
            let _asked = stream.read(&mut [0; 4096]).await;
            stream.write_all(answer.as_bytes()).await.unwrap();
            stream.flush().await.unwrap();
            if says_goodbye {
                stream.shutdown().await.unwrap();
            }
        }
    });
    address
}

#[tokio::test]
async fn case03_only_a_goodbye_ends_a_body_without_length() {
    let authority = Authority::new();
    // Head and body, and whether they are whole when TLS is cut behind them.
    let cases = [
        ("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf a page", false),
        (
            "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nhalf a page",
            false,
        ),
        ("HTTP/1.0 200 OK\r\n\r\n", false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhalf a page", true),
        ("HTTP/1.0 200 OK\r\nContent-Length: 11\r\n\r\nhalf a page", true),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nhalf a page\r\n0\r\n\r\n",
            true,
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nhalf a page\r\n",
            false,
        ),
    ];
    for (answer, is_whole) in cases {
        let identity = || authority.identity(&["a.test"], |_| ());
        let torn = says_and_goes(identity(), answer, false).await;
        match ask(trusting(&authority, "a.test"), "a.test", torn).await {
            Answer::Here(_) => assert!(is_whole, "{answer:?}"),
            other => {
                assert_eq!(unclear(other).reason, Reason::Truncated, "{answer:?}");
                assert!(!is_whole, "{answer:?}");
            }
        }
        if !answer.ends_with("page\r\n") {
            let closed = says_and_goes(identity(), answer, true).await;
            let came = ask(trusting(&authority, "a.test"), "a.test", closed).await;
            assert!(matches!(came, Answer::Here(_)), "{answer:?}: {came:?}");
        }
    }
    // An error page says what it says in its head.
    let gone = "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\nno such";
    let server = says_and_goes(authority.identity(&["a.test"], |_| ()), gone, false).await;
    let came = ask(trusting(&authority, "a.test"), "a.test", server).await;
    assert!(matches!(came, Answer::Gone(_)), "{came:?}");
}
