//! How does `ProFTPD` serve? MLSD with `unique`, links as `OS.unix=symlink`, and TLS that wants its sessions resumed on data
//! connections.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
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

/// The member of [`FtpServer::MEMBER`](super::FtpServer::MEMBER), whose folder others do not see.
fn users(stage: &Stage) -> Result<PathBuf> {
    // Of "heron-in-the-reeds", by crypt(3).
    const SEALED: &str =
        "$6$gleaner1$suBjKw5sQnosgP6Cmi4qYzP7t4ELHV5lZgbblhrQKwmBaDtUaNq7/g6/HuVAsfCXetK1EOz0rrbuQ37QRYeGk1";
    let (file, home) = (stage.path("users"), stage.members_site());
    std::fs::write(
        &file,
        format!("ann:{SEALED}:65534:65534::{}:/bin/false\n", home.display()),
    )?;
    // The server refuses a list that others can read.
    std::fs::set_permissions(&file, Permissions::from_mode(0o600))?;
    Ok(file)
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
         AuthOrder mod_auth_file.c mod_auth_unix.c\nAuthUserFile {users}\nDefaultRoot ~\n\
         <Anonymous {site}>\nUseFtpUsers off\nUser nobody\nGroup nogroup\nUserAlias anonymous nobody\n\
         RequireValidShell off\n</Anonymous>\n",
        modules = modules.display(),
        ip = stage.address.ip(),
        port = stage.address.port(),
        pid = stage.path("pid").display(),
        board = stage.path("board").display(),
        system = stage.path("system").display(),
        log = stage.path("log").display(),
        users = users(stage)?.display(),
        site = stage.site().display(),
    );
    let file = stage.path("settings");
    std::fs::write(&file, settings)?;
    let mut command = Command::new(unpacked("usr/sbin/proftpd")?);
    command.args(["-n", "-q", "-c"]).arg(file);
    Ok(command)
}
