//! What have all FTP servers in common? A folder that is served to everybody, an address, and a certificate made for it.
//!
//! The servers are installed by `tools/ftp-servers.sh`: vsftpd as a package, the others unpacked, because the packages
//! conflict. They give up the rights of root and so must be started by it.

use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use rcgen::{CertificateParams, KeyPair};
use tempfile::TempDir;

use super::process::{Process, accepts, greets, own_address};

/// How an FTP server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FtpSecurity {
    Plain,
    /// In the clear until `AUTH TLS`.
    Explicit,
    /// TLS from the first byte.
    Implicit,
}

/// A server's folder, address and process.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) security: FtpSecurity,
    pub(super) address: SocketAddr,
    pub(super) folder: TempDir,
    process: Option<Process>,
    root: Vec<u8>,
}

impl Stage {
    /// Makes an empty folder to serve, which `write` fills, and a certificate.
    pub(super) fn new(security: FtpSecurity, write: impl FnOnce(&Path)) -> Result<Stage> {
        let folder = tempfile::tempdir()?;
        let address = own_address()?;
        // The servers' users are nobody of consequence, and temporary folders are for their owner only.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
        let key = KeyPair::generate()?;
        let certificate = CertificateParams::new([address.ip().to_string()])?.self_signed(&key)?;
        let pem = format!("{}{}", certificate.pem(), key.serialize_pem());
        std::fs::write(folder.path().join("certificate.pem"), pem)?;
        let stage = Stage {
            security,
            address,
            folder,
            process: None,
            root: certificate.der().to_vec(),
        };
        std::fs::create_dir(stage.site())?;
        write(&stage.site());
        Ok(stage)
    }

    pub(super) fn site(&self) -> PathBuf {
        self.path("site")
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The file that holds certificate and key.
    pub(super) fn certificate(&self) -> PathBuf {
        self.path("certificate.pem")
    }

    /// Trusted as a root, it makes the server known.
    pub(super) fn root_certificate(&self) -> Vec<u8> {
        self.root.clone()
    }

    pub(super) fn url(&self, path: &str) -> String {
        let scheme = match self.security {
            FtpSecurity::Implicit => "ftps",
            FtpSecurity::Plain | FtpSecurity::Explicit => "ftp",
        };
        format!("{scheme}://{}{path}", self.address)
    }

    pub(super) fn run(&mut self, command: Command) -> Result<()> {
        drop(self.process.take());
        let address = self.address;
        let is_greeted = self.security != FtpSecurity::Implicit;
        let is_ready = || {
            if is_greeted {
                greets(address)
            } else {
                accepts(address)
            }
        };
        self.process = Some(Process::start_until(command, &self.path("output"), is_ready)?);
        Ok(())
    }

    /// The lines of a log, empty as long as there is none.
    pub(super) fn lines(&self, log: &str) -> Vec<String> {
        let text = std::fs::read(self.path(log)).unwrap_or_default();
        String::from_utf8_lossy(&text)
            .lines()
            .map(str::to_owned)
            .collect()
    }
}

/// A server's program, where `tools/ftp-servers.sh` puts it.
pub(super) fn unpacked(path: &str) -> Result<PathBuf> {
    let cache = match std::env::var_os("GLEANER_CACHE") {
        Some(cache) => PathBuf::from(cache),
        None => PathBuf::from(std::env::var_os("HOME").context("no HOME")?).join(".cache/gleaner"),
    };
    let program = cache.join("servers/ftp/unpacked").join(path);
    ensure!(
        program.exists(),
        "not installed (tools/ftp-servers.sh): {}",
        program.display()
    );
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::super::{ProftpdServer, PureftpdServer, VsftpdServer};
    use super::*;
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpStream;

    fn write(site: &Path) {
        std::fs::write(site.join("a b.txt"), "hello").unwrap();
    }

    /// Fetches `/a b.txt` by hand.
    fn retrieve(address: SocketAddr) {
        let control = TcpStream::connect(address).unwrap();
        let mut replies = BufReader::new(control.try_clone().unwrap());
        let mut say = |command: &str, code: &str| {
            if !command.is_empty() {
                (&control).write_all(format!("{command}\r\n").as_bytes()).unwrap();
            }
            loop {
                let mut line = String::new();
                replies.read_line(&mut line).unwrap();
                if line.as_bytes().get(3) == Some(&b' ') && line.as_bytes()[0].is_ascii_digit() {
                    assert!(line.starts_with(code), "{command}: {line}");
                    return line;
                }
            }
        };
        say("", "220");
        // Pure-FTPd asks guests for no password.
        if say("USER anonymous", "").starts_with("331") {
            say("PASS x@", "230");
        }
        let line = say("EPSV", "229");
        let port: u16 = line.split('|').nth(3).unwrap().parse().unwrap();
        let data = TcpStream::connect((address.ip(), port)).unwrap();
        say("RETR /a b.txt", "150");
        let mut bytes = String::new();
        BufReader::new(data).read_line(&mut bytes).unwrap();
        assert_eq!(bytes, "hello");
        say("", "226");
        say("QUIT", "221");
    }

    #[test]
    fn every_server_counts_what_was_retrieved() {
        match VsftpdServer::start(FtpSecurity::Plain, write) {
            Ok(server) => {
                retrieve(server.address());
                assert_eq!(server.transfers(), ["/a b.txt"]);
            }
            Err(why) => println!("skipped: {why:#}"),
        }
        match ProftpdServer::start(FtpSecurity::Plain, write) {
            Ok(server) => {
                retrieve(server.address());
                assert_eq!(server.transfers(), ["/a b.txt"]);
            }
            Err(why) => println!("skipped: {why:#}"),
        }
        match PureftpdServer::start(FtpSecurity::Plain, write) {
            Ok(server) => {
                retrieve(server.address());
                assert_eq!(server.transfers(), ["/a b.txt"]);
            }
            Err(why) => println!("skipped: {why:#}"),
        }
    }
}
