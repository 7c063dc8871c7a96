//! The certificate that proves who we are to a server that asks for one (A4).

use crate::UnitError;
use gleaner_model::Url;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::fmt;
use std::sync::Arc;

/// A certificate with its chain and its key, for some origins only: others would learn who we are (HC064).
#[derive(Clone)]
pub struct Identity {
    certificates: Vec<CertificateDer<'static>>,
    key: Arc<PrivateKeyDer<'static>>,
    origins: Vec<String>,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity(for {:?}, [hidden])", self.origins)
    }
}

impl Identity {
    /// From the text of PEM files; `origins` as [`Url::origin`] writes them.
    pub fn read(certificate: &[u8], key: &[u8], origins: Vec<String>) -> Result<Identity, UnitError> {
        let wrong = |why: String| UnitError::ClientCertificate { why };
        let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(certificate)
            .collect::<Result<_, _>>()
            .map_err(|error| wrong(error.to_string()))?;
        if certificates.is_empty() {
            return Err(wrong("the file holds no certificate (PEM)".to_owned()));
        }
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|_| wrong("the file holds no key (PEM, without a passphrase)".to_owned()))?;
        let provider = rustls::crypto::ring::default_provider();
        let signing = provider.key_provider.load_private_key(key.clone_key());
        let signing = signing.map_err(|error| wrong(error.to_string()))?;
        rustls::sign::CertifiedKey::new(certificates.clone(), signing)
            .keys_match()
            .map_err(|_| wrong("the key is not the one of the certificate".to_owned()))?;
        Ok(Identity {
            certificates,
            key: Arc::new(key),
            origins,
        })
    }

    pub(super) fn is_for(&self, url: &Url) -> bool {
        self.origins.iter().any(|origin| origin == url.origin())
    }

    pub(super) fn certificates(&self) -> Vec<CertificateDer<'static>> {
        self.certificates.clone()
    }

    pub(super) fn key(&self) -> PrivateKeyDer<'static> {
        self.key.clone_key()
    }
}
