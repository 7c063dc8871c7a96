//! How does vsftpd serve? No MLSD, so that listings are `LIST`; hidden files are not listed; a folder that may not be read
//! is "listed" empty with the code of a success.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use super::ftp::{FtpSecurity, Stage};

const PROGRAM: &str = "/usr/sbin/vsftpd";

/// A running server; it stops when dropped.
#[derive(Debug)]
pub struct VsftpdServer {
    stage: Stage,
}

impl VsftpdServer {
    /// Serves an empty folder to everybody, which `write` fills first.
    pub fn start(security: FtpSecurity, write: impl FnOnce(&Path)) -> Result<VsftpdServer> {
        ensure!(
            Path::new(PROGRAM).exists(),
            "vsftpd is not installed (tools/ftp-servers.sh)"
        );
        let mut server = VsftpdServer {
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
        let lines = self.stage.lines("log");
        let downloads = lines.iter().filter(|line| line.contains(" OK DOWNLOAD: "));
        downloads
            .filter_map(|line| line.split('"').nth(3))
            .map(str::to_owned)
            .collect()
    }

    /// Ends every session and starts again at the same address.
    pub fn restart(&mut self) -> Result<()> {
        let stage = &mut self.stage;
        let empty = stage.path("empty");
        std::fs::create_dir_all(&empty)?;
        let certificate = stage.certificate();
        let tls = match stage.security {
            FtpSecurity::Plain => String::new(),
            FtpSecurity::Explicit | FtpSecurity::Implicit => format!(
                "ssl_enable=YES\nallow_anon_ssl=YES\nforce_anon_logins_ssl=YES\nforce_anon_data_ssl=YES\n\
                 rsa_cert_file={0}\nrsa_private_key_file={0}\nssl_ciphers=HIGH\n{1}",
                certificate.display(),
                if stage.security == FtpSecurity::Implicit {
                    "implicit_ssl=YES\n"
                } else {
                    ""
                }
            ),
        };
        let settings = format!(
            "listen=YES\nlisten_address={}\nlisten_port={}\nbackground=NO\nanonymous_enable=YES\n\
             anon_root={}\nlocal_enable=NO\nseccomp_sandbox=NO\nsecure_chroot_dir={}\nftp_username=ftp\n\
             xferlog_enable=YES\nxferlog_std_format=NO\nvsftpd_log_file={}\n{tls}",
            stage.address.ip(),
            stage.address.port(),
            stage.site().display(),
            empty.display(),
            stage.path("log").display(),
        );
        let file = stage.path("settings");
        std::fs::write(&file, settings)?;
        let mut command = Command::new(PROGRAM);
        command.arg(file);
        stage.run(command)
    }
}
