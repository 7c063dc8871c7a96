//! What have all FTP servers in common? A folder that is served to everybody, an address, a certificate made for it, and a
//! log of what was retrieved.
//!
//! The servers are installed by `tools/ftp-servers.sh`: vsftpd as a package, the others unpacked, because the packages
//! conflict. They give up the rights of root and so must be started by it.

use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use rcgen::{CertificateParams, KeyPair};
use tempfile::TempDir;

use super::process::{Process, accepts, greets, own_address};
use super::{proftpd, pureftpd, vsftpd};

/// The programs that serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FtpProgram {
    Vsftpd,
    Proftpd,
    Pureftpd,
}

impl FtpProgram {
    pub const ALL: [FtpProgram; 3] = [FtpProgram::Vsftpd, FtpProgram::Proftpd, FtpProgram::Pureftpd];
}

/// How an FTP server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FtpSecurity {
    Plain,
    /// In the clear until `AUTH TLS`.
    Explicit,
    /// TLS from the first byte.
    Implicit,
}

/// A running server; it stops when dropped.
#[derive(Debug)]
pub struct FtpServer {
    program: FtpProgram,
    stage: Stage,
    process: Option<Process>,
}

impl FtpServer {
    /// The name and the password of somebody who may see [`FtpServer::members_site`]; `ProFTPD` knows them.
    pub const MEMBER: (&str, &str) = ("ann", "heron-in-the-reeds");

    /// Serves an empty folder to everybody, which `write` fills first.
    pub fn start(program: FtpProgram, security: FtpSecurity, write: impl FnOnce(&Path)) -> Result<FtpServer> {
        let mut server = FtpServer {
            program,
            stage: Stage::new(security)?,
            process: None,
        };
        write(&server.site());
        server.restart()?;
        Ok(server)
    }

    /// The folder that is served.
    pub fn site(&self) -> PathBuf {
        self.stage.site()
    }

    /// The folder that is served to members only.
    pub fn members_site(&self) -> PathBuf {
        self.stage.members_site()
    }

    /// A URL; `path` begins with a slash.
    pub fn url(&self, path: &str) -> String {
        let scheme = match self.stage.security {
            FtpSecurity::Implicit => "ftps",
            FtpSecurity::Plain | FtpSecurity::Explicit => "ftp",
        };
        format!("{scheme}://{}{path}", self.stage.address)
    }

    pub fn address(&self) -> SocketAddr {
        self.stage.address
    }

    /// The server's certificate (DER): trusted as a root, it makes the server known.
    pub fn root_certificate(&self) -> Vec<u8> {
        self.stage.root.clone()
    }

    /// The same as a file (PEM).
    pub fn root_file(&self) -> PathBuf {
        self.stage.path("root.pem")
    }

    /// The files that were retrieved, in their order.
    pub fn transfers(&self) -> Vec<String> {
        match self.program {
            FtpProgram::Vsftpd => vsftpd::transfers(&self.stage),
            FtpProgram::Proftpd => proftpd::transfers(&self.stage),
            FtpProgram::Pureftpd => pureftpd::transfers(&self.stage),
        }
    }

    /// Ends every session and starts again at the same address.
    pub fn restart(&mut self) -> Result<()> {
        drop(self.process.take());
        let command = match self.program {
            FtpProgram::Vsftpd => vsftpd::command(&self.stage),
            FtpProgram::Proftpd => proftpd::command(&self.stage),
            FtpProgram::Pureftpd => pureftpd::command(&self.stage),
        }?;
        let address = self.stage.address;
        let is_greeted = self.stage.security != FtpSecurity::Implicit;
        let is_ready = || {
            if is_greeted {
                greets(address)
            } else {
                accepts(address)
            }
        };
        let output = self.stage.path("output");
        self.process = Some(Process::start_until(command, &output, is_ready)?);
        Ok(())
    }
}

/// What a server needs to begin: its folder, address and certificate.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) security: FtpSecurity,
    pub(super) address: SocketAddr,
    folder: TempDir,
    root: Vec<u8>,
}

impl Stage {
    /// Makes an empty folder to serve and a certificate.
    fn new(security: FtpSecurity) -> Result<Stage> {
        let folder = tempfile::tempdir()?;
        let address = own_address()?;
        // The servers' users are nobody of consequence, and temporary folders are for their owner only.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
        let key = KeyPair::generate()?;
        let certificate = CertificateParams::new([address.ip().to_string()])?.self_signed(&key)?;
        let pem = format!("{}{}", certificate.pem(), key.serialize_pem());
        std::fs::write(folder.path().join("certificate.pem"), pem)?;
        std::fs::write(folder.path().join("root.pem"), certificate.pem())?;
        let stage = Stage {
            security,
            address,
            folder,
            root: certificate.der().to_vec(),
        };
        std::fs::create_dir(stage.site())?;
        std::fs::create_dir(stage.members_site())?;
        Ok(stage)
    }

    pub(super) fn members_site(&self) -> PathBuf {
        self.path("members")
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
        for program in FtpProgram::ALL {
            match FtpServer::start(program, FtpSecurity::Plain, write) {
                Ok(server) => {
                    retrieve(server.address());
                    assert_eq!(server.transfers(), ["/a b.txt"], "{program:?}");
                }
                Err(why) => gleaner_fixtures::skip(format!("{why:#}")),
            }
        }
    }
}
