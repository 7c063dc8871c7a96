//! How does `ProFTPD` serve? MLSD with `unique`, links as `OS.unix=symlink`, and TLS that wants its sessions resumed on data
//! connections.

use std::process::Command;

use anyhow::Result;

use super::ftp::{FtpSecurity, Stage, unpacked};

/// The files that were retrieved, in their order.
pub(super) fn transfers(stage: &Stage) -> Vec<String> {
    let site = stage.site().display().to_string();
    let lines = stage.lines("log");
    lines
        .iter()
        .filter_map(|line| line.strip_prefix("226 RETR "))
        .map(|path| path.strip_prefix(&site).unwrap_or(path).to_owned())
        .collect()
}

/// The program with its settings.
pub(super) fn command(stage: &Stage) -> Result<Command> {
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
    Ok(command)
}
