//! How does Apache ask who we are? A folder behind Basic, one behind Digest, and a whole server behind client certificates.
//! And how does it show folders without a page: as lists that can be sorted.

use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use rcgen::{BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};
use tempfile::TempDir;

use super::process::{Process, accepts, own_address};

const PROGRAM: &str = "/usr/sbin/apache2";
const MODULES: &str = "/usr/lib/apache2/modules";

/// A running server; it stops when dropped. Folders `/basic/` and `/digest/` want the user `reader` with the password
/// `sesame`; the second address wants a certificate.
#[derive(Debug)]
pub struct ApacheServer {
    _process: Process,
    address: SocketAddr,
    secure: SocketAddr,
    folder: TempDir,
}

impl ApacheServer {
    /// Serves an empty folder, which `write` fills first: what is in it belongs to the test.
    pub fn start(write: impl FnOnce(&Path)) -> Result<ApacheServer> {
        ensure!(
            Path::new(PROGRAM).exists(),
            "Apache is not installed (apache2-bin)"
        );
        let folder = tempfile::tempdir()?;
        let place = folder.path();
        std::fs::set_permissions(place, std::fs::Permissions::from_mode(0o755))?;
        let (address, secure) = (own_address()?, own_address()?);
        let site = place.join("site");
        std::fs::create_dir(&site)?;
        write(&site);
        // Of "sesame": its SHA-1, and the MD5 of "reader:here:sesame".
        std::fs::write(place.join("basic"), "reader:{SHA}CEo1Ae3vaEXy8eQZjsOiuBz1xrw=\n")?;
        std::fs::write(
            place.join("digest"),
            "reader:here:9ca1a5f6922d8ea95526cca5a5d96e04\n",
        )?;
        certificates(place, secure)?;
        let settings = place.join("settings");
        std::fs::write(&settings, text(place, address, secure))?;
        let mut command = Command::new(PROGRAM);
        // One process, so that the one that is killed is the server.
        command.arg("-X").arg("-f").arg(&settings);
        let ready = || accepts(address) && accepts(secure);
        let process = Process::start_until(command, &place.join("output"), ready)?;
        Ok(ApacheServer {
            _process: process,
            address,
            secure,
            folder,
        })
    }

    /// A URL; `path` begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The same where a certificate is wanted.
    pub fn secure_url(&self, path: &str) -> String {
        format!("https://{}{path}", self.secure)
    }

    /// A file made for it: `authority.pem` to trust, `client.pem` with `client.key` that it trusts, `stranger.pem` with
    /// `stranger.key` that it does not.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Status and path of everything that was asked for, in its order.
    pub fn log(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.file("log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }
}

fn text(place: &Path, address: SocketAddr, secure: SocketAddr) -> String {
    let names = [
        "mpm_prefork",
        "authn_core",
        "authn_file",
        "authz_core",
        "authz_user",
        "auth_basic",
        "auth_digest",
        "mime",
        "dir",
        "autoindex",
        "ssl",
    ];
    let module = |name: &&str| format!("LoadModule {name}_module {MODULES}/mod_{name}.so\n");
    let modules: Vec<String> = names.iter().map(module).collect();
    let modules = modules.concat();
    let place = place.display();
    format!(
        "{modules}ServerName localhost\nServerRoot {place}\nDefaultRuntimeDir {place}\nPidFile {place}/pid\nErrorLog {place}/errors\n         User nobody\nGroup nogroup\nListen {address}\nListen {secure}\nMutex sem\n         LogFormat \"%>s %U%q\" told\nCustomLog {place}/log told\n         TypesConfig /dev/null\nAddType text/html .html\nDirectoryIndex index.html\nDocumentRoot {place}/site\n         <Directory {place}/site>\nOptions +Indexes\nIndexOptions FancyIndexing\nRequire all granted\n</Directory>\n         <Location /basic/>\nAuthType Basic\nAuthName here\nAuthUserFile {place}/basic\nRequire valid-user\n</Location>\n         <Location /digest/>\nAuthType Digest\nAuthName here\nAuthDigestProvider file\nAuthUserFile {place}/digest\n         Require valid-user\n</Location>\n         <VirtualHost {secure}>\nSSLEngine on\nSSLCertificateFile {place}/server.pem\nSSLCertificateKeyFile {place}/server.key\n         SSLCACertificateFile {place}/authority.pem\nSSLVerifyClient require\nSSLVerifyDepth 2\n</VirtualHost>\n"
    )
}

/// An authority that signs the server and one client, and a client that nobody knows.
fn certificates(place: &Path, secure: SocketAddr) -> Result<()> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
        .distinguished_name
        .push(DnType::CommonName, "authority of the test");
    let key = KeyPair::generate()?;
    std::fs::write(place.join("authority.pem"), params.self_signed(&key)?.pem())?;
    let issuer = Issuer::new(params, key);
    let named = |name: &str, purpose| -> Result<(CertificateParams, KeyPair)> {
        let mut params = CertificateParams::new(vec![secure.ip().to_string()])?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.extended_key_usages = vec![purpose];
        Ok((params, KeyPair::generate()?))
    };
    for (name, purpose) in [
        ("server", ExtendedKeyUsagePurpose::ServerAuth),
        ("client", ExtendedKeyUsagePurpose::ClientAuth),
    ] {
        let (params, key) = named(name, purpose)?;
        std::fs::write(
            place.join(format!("{name}.pem")),
            params.signed_by(&key, &issuer)?.pem(),
        )?;
        std::fs::write(place.join(format!("{name}.key")), key.serialize_pem())?;
    }
    let (params, key) = named("stranger", ExtendedKeyUsagePurpose::ClientAuth)?;
    std::fs::write(place.join("stranger.pem"), params.self_signed(&key)?.pem())?;
    std::fs::write(place.join("stranger.key"), key.serialize_pem())?;
    Ok(())
}
