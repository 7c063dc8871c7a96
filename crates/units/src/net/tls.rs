//! Is this really the host? TLS by rustls with ring, the system's roots, and a reason for every refusal (HC022).
//!
//! The verifier is the platform's; ours wraps it only to note, when it refuses, which names the certificate
//! carries. There is no way to switch the check off.

use super::connect::host_of;
use super::failure::Failure;
use super::identity::Identity;
use crate::UnitError;
use gleaner_model::{Reason, Url};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, OtherError, RootCertStore, SignatureScheme,
};
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Names of a certificate shown at most.
const NAMES_SHOWN: usize = 10;

/// Which protocols are offered in the handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offer {
    Http2AndHttp11,
    Http11,
    /// For what has no name in ALPN: some servers hang up on an offer that they do not know.
    Nothing,
}

pub(crate) struct Tls {
    extra_roots: Vec<CertificateDer<'static>>,
    identity: Option<Identity>,
    /// Made at the first https URL: reading the system's roots takes milliseconds that a plain crawl need not pay.
    made: Mutex<Option<Made>>,
    /// The same for the origins that are shown our certificate.
    made_with_identity: Mutex<Option<Made>>,
}

#[derive(Clone)]
struct Made {
    http2: Arc<ClientConfig>,
    http11: Arc<ClientConfig>,
    unnamed: Arc<ClientConfig>,
}

impl Tls {
    pub(crate) fn new(extra_roots: &[Vec<u8>], identity: Option<Identity>) -> Result<Tls, UnitError> {
        let mut store = RootCertStore::empty();
        let mut certificates = Vec::new();
        for (index, bytes) in extra_roots.iter().enumerate() {
            let refuse = |cause| UnitError::RootCertificate {
                number: index + 1,
                cause,
            };
            for certificate in certificates_in(bytes).map_err(refuse)? {
                store.add(certificate.clone()).map_err(refuse)?;
                certificates.push(certificate);
            }
        }
        Ok(Tls {
            extra_roots: certificates,
            identity,
            made: Mutex::new(None),
            made_with_identity: Mutex::new(None),
        })
    }

    fn config(&self, url: &Url, offer: Offer) -> Result<Arc<ClientConfig>, UnitError> {
        let identity = self.identity.as_ref().filter(|identity| identity.is_for(url));
        let made = match identity {
            Some(_) => &self.made_with_identity,
            None => &self.made,
        };
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.is_none() {
            *made = Some(self.make(identity).map_err(UnitError::NoRoots)?);
        }
        let made = made.as_ref().expect("made just above");
        Ok(Arc::clone(match offer {
            Offer::Http2AndHttp11 => &made.http2,
            Offer::Http11 => &made.http11,
            Offer::Nothing => &made.unnamed,
        }))
    }

    fn make(&self, identity: Option<&Identity>) -> Result<Made, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let inner = rustls_platform_verifier::Verifier::new_with_extra_roots(
            self.extra_roots.iter().cloned(),
            Arc::clone(&provider),
        )?;
        let verifier = Arc::new(NamingVerifier { inner });
        let with = |protocols: &[&[u8]]| -> Result<Arc<ClientConfig>, rustls::Error> {
            let half = ClientConfig::builder_with_provider(Arc::clone(&provider))
                .with_safe_default_protocol_versions()?
                .dangerous()
                .with_custom_certificate_verifier(Arc::<NamingVerifier>::clone(&verifier));
            let mut config = match identity {
                Some(identity) => half.with_client_auth_cert(identity.certificates(), identity.key())?,
                None => half.with_no_client_auth(),
            };
            config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
            Ok(Arc::new(config))
        };
        Ok(Made {
            http2: with(&[b"h2", b"http/1.1"])?,
            http11: with(&[b"http/1.1"])?,
            unnamed: with(&[])?,
        })
    }

    /// Shakes hands with the host of `url` on an open connection. The caller holds the time limit.
    pub(crate) async fn handshake(
        &self,
        tcp: TcpStream,
        url: &Url,
        offer: Offer,
    ) -> Result<TlsStream<TcpStream>, Failure> {
        let name = match host_of(url)? {
            url::Host::Ipv4(v4) => ServerName::IpAddress(v4.into()),
            url::Host::Ipv6(v6) => ServerName::IpAddress(v6.into()),
            // A final dot belongs to DNS, not to certificates (RFC 6066 §3).
            url::Host::Domain(name) => {
                ServerName::try_from(name.trim_end_matches('.').to_owned()).map_err(|_| {
                    Failure::new(
                        Reason::TlsWrongHost,
                        "the host is not a name a certificate can carry",
                    )
                })?
            }
        };
        let connector = TlsConnector::from(self.config(url, offer)?);
        connector
            .connect(name, tcp)
            .await
            .map_err(|error| failure_of(&error))
    }
}

/// One DER certificate, or all those of a PEM file.
fn certificates_in(bytes: &[u8]) -> Result<Vec<CertificateDer<'static>>, rustls::Error> {
    let is_pem = bytes.windows(11).any(|window| window == b"-----BEGIN ");
    if !is_pem {
        return Ok(vec![CertificateDer::from(bytes.to_vec())]);
    }
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(bytes).collect();
    match read {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        Ok(_) => Err(rustls::Error::General("the PEM text holds no certificate".into())),
        Err(error) => Err(rustls::Error::General(error.to_string())),
    }
}

fn failure_of(error: &io::Error) -> Failure {
    let Some(cause) = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>())
    else {
        // The peer went away during the handshake.
        return Failure::of_io(error);
    };
    let rustls::Error::InvalidCertificate(refusal) = cause else {
        return Failure::new(Reason::TlsProtocol, cause.to_string());
    };
    let (refusal, names) = match refusal {
        CertificateError::Other(OtherError(other)) => match other.downcast_ref::<NamedRefusal>() {
            Some(named) => (&named.refusal, named.names.as_slice()),
            None => (refusal, &[][..]),
        },
        _ => (refusal, &[][..]),
    };
    let reason = reason_of(refusal);
    let shown: Vec<&str> = names.iter().take(NAMES_SHOWN).map(String::as_str).collect();
    let more = if names.len() > NAMES_SHOWN { ", …" } else { "" };
    let detail = match shown.as_slice() {
        [] => refusal.to_string(),
        shown => format!("{refusal}; the certificate is for: {}{more}", shown.join(", ")),
    };
    Failure::new(reason, detail)
}

fn reason_of(refusal: &CertificateError) -> Reason {
    match refusal {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => Reason::TlsExpired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => Reason::TlsNotYetValid,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            Reason::TlsWrongHost
        }
        CertificateError::UnknownIssuer => Reason::TlsUnknownIssuer,
        // Most self-signed certificates are marked as authorities, and the verifier stumbles over that first.
        CertificateError::Other(OtherError(other)) if format!("{other:?}").contains("CaUsedAsEndEntity") => {
            Reason::TlsUnknownIssuer
        }
        _ => Reason::TlsBadCertificate,
    }
}

/// The platform's verdict, with the certificate's names beside a refusal.
#[derive(Debug)]
struct NamingVerifier {
    inner: rustls_platform_verifier::Verifier,
}

#[derive(Debug)]
struct NamedRefusal {
    refusal: CertificateError,
    names: Vec<String>,
}

impl fmt::Display for NamedRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.refusal.fmt(f)
    }
}

impl std::error::Error for NamedRefusal {}

impl ServerCertVerifier for NamingVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verdict =
            self.inner
                .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        verdict.map_err(|error| match error {
            rustls::Error::InvalidCertificate(refusal) => {
                let named = NamedRefusal {
                    refusal,
                    names: names_of(end_entity),
                };
                rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(named))))
            }
            other => other,
        })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

/// The names in a certificate: asked for by way of a name that it cannot have, because the refusal lists them.
fn names_of(certificate: &CertificateDer<'_>) -> Vec<String> {
    let Ok(parsed) = rustls::server::ParsedCertificate::try_from(certificate) else {
        return Vec::new();
    };
    let Ok(impossible) = ServerName::try_from("name.invalid") else {
        return Vec::new();
    };
    match rustls::client::verify_server_name(&parsed, &impossible) {
        Err(rustls::Error::InvalidCertificate(CertificateError::NotValidForNameContext {
            presented,
            ..
        })) => presented.iter().map(|name| plain_name(name)).collect(),
        _ => Vec::new(),
    }
}

/// The refusal writes names as `DnsName("a.test")`; people want `a.test`.
fn plain_name(name: &str) -> String {
    name.split('"').nth(1).unwrap_or(name).to_owned()
}
