//! Which certificate does the server show? Good ones and each way of being bad, from an authority made for the test.

use std::sync::Arc;

use anyhow::Result;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose, date_time_ymd,
};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

/// What is wrong with a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Nothing: valid, for the right names, from the authority the test may trust.
    None,
    /// Its time is over.
    Expired,
    /// Its time has not come.
    NotYetValid,
    /// Made out to `elsewhere.test`.
    WrongHost,
    /// Signed by itself.
    SelfSigned,
    /// Signed by an authority nobody is told of.
    UnknownIssuer,
}

/// A server's certificate with its key, and the authority to trust.
#[derive(Debug)]
pub struct Certificate {
    chain: Vec<CertificateDer<'static>>,
    key: PrivatePkcs8KeyDer<'static>,
    /// The authority in PEM, for the client's trust store. For [`Flaw::SelfSigned`] and [`Flaw::UnknownIssuer`] it is not
    /// the one that signed.
    pub authority_pem: String,
    /// The same in DER.
    pub authority: CertificateDer<'static>,
}

/// How the server speaks TLS.
#[derive(Debug)]
pub struct Tls {
    pub certificate: Certificate,
    /// Protocols offered, best first; empty offers none. `h2` belongs to scripts that speak frames themselves.
    pub alpn: Vec<Vec<u8>>,
}

impl Tls {
    /// A certificate with `flaw` for `127.0.0.1` and `localhost`, HTTP/1.1 only.
    pub fn new(flaw: Flaw) -> Tls {
        Tls {
            certificate: Certificate::new(flaw, &["localhost", "127.0.0.1"]),
            alpn: vec![b"http/1.1".to_vec()],
        }
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        let config = self
            .certificate
            .config(&self.alpn)
            .expect("the test's own certificate is usable");
        TlsAcceptor::from(Arc::new(config))
    }
}

impl Certificate {
    /// Makes a certificate for `names` (host names or addresses), bad in the way `flaw` says.
    pub fn new(flaw: Flaw, names: &[&str]) -> Certificate {
        make(flaw, names).expect("certificates can be made")
    }

    fn config(&self, alpn: &[Vec<u8>]) -> Result<ServerConfig> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(self.chain.clone(), PrivateKeyDer::Pkcs8(self.key.clone_key()))?;
        config.alpn_protocols = alpn.to_vec();
        Ok(config)
    }
}

fn make(flaw: Flaw, names: &[&str]) -> Result<Certificate> {
    let trusted = authority("testkit authority")?;
    let (trusted_certificate, trusted_issuer) = &trusted;
    let names: Vec<String> = match flaw {
        Flaw::WrongHost => vec!["elsewhere.test".into()],
        _ => names.iter().map(|&name| name.into()).collect(),
    };
    let mut params = CertificateParams::new(names)?;
    params
        .distinguished_name
        .push(DnType::CommonName, "testkit server");
    match flaw {
        Flaw::Expired => {
            params.not_before = date_time_ymd(2001, 1, 1);
            params.not_after = date_time_ymd(2002, 1, 1);
        }
        Flaw::NotYetValid => {
            params.not_before = date_time_ymd(2998, 1, 1);
            params.not_after = date_time_ymd(2999, 1, 1);
        }
        _ => {}
    }
    let key = KeyPair::generate()?;
    let certificate = match flaw {
        Flaw::SelfSigned => params.self_signed(&key)?,
        Flaw::UnknownIssuer => params.signed_by(&key, &authority("unknown authority")?.1)?,
        _ => params.signed_by(&key, trusted_issuer)?,
    };
    Ok(Certificate {
        chain: vec![certificate.der().clone()],
        key: PrivatePkcs8KeyDer::from(key.serialize_der()),
        authority_pem: trusted_certificate.pem(),
        authority: trusted_certificate.der().clone(),
    })
}

fn authority(name: &str) -> Result<(rcgen::Certificate, Issuer<'static, KeyPair>)> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.distinguished_name.push(DnType::CommonName, name);
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?;
    Ok((certificate, Issuer::new(params, key)))
}
