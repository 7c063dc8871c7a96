//! How does vsftpd serve? No MLSD, so that listings are `LIST`; hidden files are not listed; a folder that may not be read
//! is "listed" empty with the code of a success.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::ftp::{FtpSecurity, Stage};

const PROGRAM: &str = "/usr/sbin/vsftpd";

/// The files that were retrieved, in their order.
pub(super) fn transfers(stage: &Stage) -> Vec<String> {
    let lines = stage.lines("log");
    let downloads = lines.iter().filter(|line| line.contains(" OK DOWNLOAD: "));
    downloads
        .filter_map(|line| line.split('"').nth(3))
        .map(str::to_owned)
        .collect()
}

/// The program with its settings.
pub(super) fn command(stage: &Stage) -> Result<Command> {
    ensure!(
        Path::new(PROGRAM).exists(),
        "vsftpd is not installed (tools/ftp-servers.sh)"
    );
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
    Ok(command)
}
