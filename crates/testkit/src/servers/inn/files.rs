//! The files of a news server: settings, who may read, a certificate, an empty history, the groups.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use rcgen::{CertificateParams, KeyPair};

use super::{InnDoor, InnServer};

/// Of the password of [`InnServer::LOGIN`], as crypt(3) makes it.
const HASH: &str =
    "$6$gleaner$Ry6wKfqWPZsZivBQB8h/zdzfJ.QWs44.anaV.wGVqqV5tum6uN8y5ILcE2s/6ZPuYhjSIR07/.dD3dX5iERUv.";

/// Writes them, and gives the server's certificate.
pub(super) fn lay_out(folder: &Path, address: SocketAddr, door: InnDoor, groups: &[&str]) -> Result<Vec<u8>> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    let inside = |name: &str| -> PathBuf { folder.join(name) };
    for name in [
        "etc",
        "db",
        "log",
        "run",
        "tmp",
        "spool",
        "spool/articles",
        "spool/overview",
        "spool/incoming",
        "spool/incoming/tmp",
        "spool/incoming/bad",
        "spool/outgoing",
        "spool/archive",
    ] {
        fs::create_dir(inside(name))?;
    }
    let copied = Command::new("cp")
        .args(["-r", "/etc/news/.", "etc"])
        .current_dir(folder)
        .status()?;
    ensure!(copied.success(), "INN's settings cannot be copied");

    let mut settings: Vec<String> = [
        "mta: /bin/true",
        "organization: test",
        "ovmethod: tradindexed",
        "hismethod: hisv6",
        "pathhost: news.example.test",
        "domain: example.test",
        "pathnews: /usr/lib/news",
        "enableoverview: true",
        "doinnwatch: false",
        // Articles may be as old as the test wants them.
        "artcutoff: 0",
        "groupbaseexpiry: true",
    ]
    .map(str::to_owned)
    .into();
    settings.push(format!("port: {}", address.port()));
    settings.push(format!("bindaddress: {}", address.ip()));
    let paths = [
        ("etc", "etc"),
        ("db", "db"),
        ("log", "log"),
        ("run", "run"),
        ("tmp", "tmp"),
        ("spool", "spool"),
        ("articles", "spool/articles"),
        ("overview", "spool/overview"),
        ("incoming", "spool/incoming"),
        ("outgoing", "spool/outgoing"),
        ("archive", "spool/archive"),
    ];
    settings.extend(paths.map(|(name, path)| format!("path{name}: {}", inside(path).display())));
    let (certificate, key) = (inside("etc/certificate.pem"), inside("etc/key.pem"));
    let root = write_certificate(address, &certificate, &key)?;
    if door == InnDoor::SecureLogin {
        settings.push(format!("tlscertfile: {}", certificate.display()));
        settings.push(format!("tlskeyfile: {}", key.display()));
    }
    settings.push(String::new());
    fs::write(inside("etc/inn.conf"), settings.join("\n"))?;
    fs::write(
        inside("etc/storage.conf"),
        "method tradspool {\n  newsgroups: *\n  class: 0\n}\n",
    )?;
    // Ten days, counted from the date of an article.
    fs::write(inside("etc/expire.ctl"), "/remember/:1\n*:A:0:10:10\n")?;
    let passwords = inside("etc/passwords");
    fs::write(&passwords, format!("{}:{HASH}\n", InnServer::LOGIN.0))?;
    let (proof, users) = match door {
        InnDoor::Open => ("default: \"<reader>\"".to_owned(), "<reader>"),
        InnDoor::Login | InnDoor::SecureLogin => {
            (format!("auth: \"ckpasswd -f {}\"", passwords.display()), "*")
        }
    };
    fs::write(
        inside("etc/readers.conf"),
        format!(
            "auth \"all\" {{\n  hosts: \"*\"\n  {proof}\n}}\n\
             access \"all\" {{\n  users: \"{users}\"\n  newsgroups: \"*\"\n  access: RPA\n}}\n"
        ),
    )?;

    let internal =
        ["control", "control.cancel", "junk"].map(|name| format!("{name} 0000000000 0000000001 n\n"));
    let own = groups
        .iter()
        .map(|name| format!("{name} 0000000000 0000000001 y\n"));
    let active: String = internal.into_iter().chain(own).collect();
    fs::write(inside("db/active"), active)?;
    for name in ["active.times", "newsgroups", "history"] {
        fs::write(inside("db").join(name), "")?;
    }
    // The empty index of an empty history is what the package made.
    for name in ["history.dir", "history.hash", "history.index"] {
        fs::copy(Path::new("/var/lib/news").join(name), inside("db").join(name))
            .context("INN was not set up (see tools/inn.sh)")?;
    }
    Ok(root)
}

/// A certificate of the server's own address, made for this server.
fn write_certificate(address: SocketAddr, certificate: &Path, key: &Path) -> Result<Vec<u8>> {
    let pair = KeyPair::generate()?;
    let made = CertificateParams::new([address.ip().to_string()])?.self_signed(&pair)?;
    fs::write(certificate, made.pem())?;
    fs::write(key, pair.serialize_pem())?;
    // INN takes no key that others may read.
    fs::set_permissions(key, fs::Permissions::from_mode(0o600))?;
    Ok(made.der().to_vec())
}
