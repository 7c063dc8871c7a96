//! How does Pure-FTPd serve? MLSD with links as `OS.unix=slink:target`, and greetings of many lines. It knows no TLS from
//! the first byte.
//!
//! It serves the home of the user `ftp` and nothing else, so each server sees its own folder mounted there, in a space of
//! mounts of its own.

use std::process::Command;

use anyhow::{Result, ensure};

use super::ftp::{FtpSecurity, Stage, unpacked};

/// Of the user `ftp`, as the package vsftpd makes it.
const HOME: &str = "/srv/ftp";

/// The files that were retrieved, in their order.
pub(super) fn transfers(stage: &Stage) -> Vec<String> {
    let lines = stage.lines("log");
    let downloads = lines.iter().filter_map(|line| line.split_once("\"GET "));
    downloads
        .filter_map(|(_, rest)| rest.split_once("\" "))
        .map(|(path, _)| path.strip_prefix(HOME).unwrap_or(path).replace("%20", " "))
        .collect()
}

/// The program with its settings.
pub(super) fn command(stage: &Stage) -> Result<Command> {
    ensure!(
        stage.security != FtpSecurity::Implicit,
        "Pure-FTPd knows no implicit TLS"
    );
    let mut command = Command::new("unshare");
    // Each replaces the one before, so that the process that is killed is the server.
    command.args([
        "--mount",
        "sh",
        "-c",
        "mount --bind \"$0\" \"$1\" && shift && exec \"$@\"",
    ]);
    command
        .arg(stage.site())
        .arg(HOME)
        .arg(unpacked("usr/sbin/pure-ftpd")?);
    let place = format!("{},{}", stage.address.ip(), stage.address.port());
    command.args(["-S", &place, "-e", "-M", "-H", "-u", "1", "-C", "64", "-g"]);
    command.arg(stage.path("pid"));
    command
        .arg("-O")
        .arg(format!("clf:{}", stage.path("log").display()));
    if stage.security == FtpSecurity::Explicit {
        command.args(["-Y", "2", "-2"]).arg(stage.certificate());
    }
    Ok(command)
}
