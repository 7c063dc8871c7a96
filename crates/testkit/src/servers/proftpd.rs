//! How does `ProFTPD` serve? MLSD with `unique`, links as `OS.unix=symlink`, and TLS that wants its sessions resumed on data
//! connections.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::ftp::{FtpSecurity, Stage, unpacked};

/// A running server; it stops when dropped.
#[derive(Debug)]
pub struct ProftpdServer {
    stage: Stage,
}

impl ProftpdServer {
    /// Serves an empty folder to everybody, which `write` fills first.
    pub fn start(security: FtpSecurity, write: impl FnOnce(&Path)) -> Result<ProftpdServer> {
        unpacked("usr/sbin/proftpd")?;
        let mut server = ProftpdServer {
            stage: Stage::new(security, write)?,
        };
        server.restart()?;
        Ok(server)
    }

    /// The folder that is served.
    pub fn site(&self) -> PathBuf {
        self.stage.site()
    }

    /// A URL; `path` begins with a slash.
    pub fn url(&self, path: &str) -> String {
        self.stage.url(path)
    }

    pub fn address(&self) -> SocketAddr {
        self.stage.address
    }

    /// The server's certificate (DER): trusted as a root, it makes the server known.
    pub fn root_certificate(&self) -> Vec<u8> {
        self.stage.root_certificate()
    }

    /// The files that were retrieved, in their order.
    pub fn transfers(&self) -> Vec<String> {
        let site = self.stage.site().display().to_string();
        let lines = self.stage.lines("log");
        lines
            .iter()
            .filter_map(|line| line.strip_prefix("226 RETR "))
            .map(|path| path.strip_prefix(&site).unwrap_or(path).to_owned())
            .collect()
    }

    /// Ends every session and starts again at the same address.
    pub fn restart(&mut self) -> Result<()> {
        let stage = &mut self.stage;
        let modules = unpacked("usr/lib/proftpd")?;
        let certificate = stage.certificate();
        let tls = match stage.security {
            FtpSecurity::Plain => String::new(),
            FtpSecurity::Explicit | FtpSecurity::Implicit => format!(
                "LoadModule mod_tls.c\nTLSEngine on\nTLSRequired on\nTLSLog {2}\n\
                 TLSECCertificateFile {0}\nTLSECCertificateKeyFile {0}\n{1}",
                certificate.display(),
                if stage.security == FtpSecurity::Implicit {
                    "TLSOptions UseImplicitSSL\n"
                } else {
                    ""
                },
                stage.path("tls").display(),
            ),
        };
        let settings = format!(
            "ModulePath {modules}\n{tls}ServerType standalone\nServerName test\nDefaultAddress {ip}\nPort {port}\n\
             SocketBindTight on\nUseIPv6 off\nUser nobody\nGroup nogroup\nPidFile {pid}\nScoreboardFile {board}\n\
             SystemLog {system}\nWtmpLog off\nUseReverseDNS off\nRequireValidShell off\nTransferLog none\n\
             LogFormat get \"%s %m %f\"\nExtendedLog {log} READ get\nTimesGMT on\nAllowRetrieveRestart on\n\
             <Anonymous {site}>\nUseFtpUsers off\nUser nobody\nGroup nogroup\nUserAlias anonymous nobody\n\
             RequireValidShell off\n</Anonymous>\n",
            modules = modules.display(),
            ip = stage.address.ip(),
            port = stage.address.port(),
            pid = stage.path("pid").display(),
            board = stage.path("board").display(),
            system = stage.path("system").display(),
            log = stage.path("log").display(),
            site = stage.site().display(),
        );
        let file = stage.path("settings");
        std::fs::write(&file, settings)?;
        let mut command = Command::new(unpacked("usr/sbin/proftpd")?);
        command.args(["-n", "-q", "-c"]).arg(file);
        stage.run(command)
    }
}
