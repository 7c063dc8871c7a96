//! How does PHP's built-in server put sessions into links? `session.use_trans_sid` with cookies off.
//!
//! Every relative link and every form of a page gets `PHPSESSID=`, 26 characters, new for each visitor without one. Strict
//! mode is on: after a restart old ids are refused and a new one is given, as on a server whose sessions have run out.
//! A path that does not exist is answered with the start page: PHP's own habit, and a trap for those who look for soft 404s.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::process::{Process, own_address};

/// A running server; it stops when dropped.
#[derive(Debug)]
pub struct PhpServer {
    process: Option<Process>,
    address: SocketAddr,
    folder: TempDir,
}

impl PhpServer {
    /// Serves an empty folder, which `write` fills first: what is in it belongs to the test.
    pub fn start(write: impl FnOnce(&Path)) -> Result<PhpServer> {
        let version = Command::new("php").arg("--version").output();
        let version = version.context("PHP is not installed (php-cli)")?;
        ensure!(version.status.success(), "PHP does not run here");
        let folder = tempfile::tempdir()?;
        let mut server = PhpServer {
            process: None,
            address: own_address()?,
            folder,
        };
        std::fs::create_dir(server.site())?;
        write(&server.site());
        server.restart()?;
        Ok(server)
    }

    /// The folder that is served.
    pub fn site(&self) -> PathBuf {
        self.folder.path().join("site")
    }

    /// A URL; `path` begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// How many sessions were begun since the last start.
    pub fn sessions(&self) -> usize {
        std::fs::read_dir(self.session_folder()).map_or(0, Iterator::count)
    }

    /// Stops the server, loses all sessions, and starts it again at the same address.
    pub fn restart(&mut self) -> Result<()> {
        drop(self.process.take());
        let sessions = self.session_folder();
        if sessions.exists() {
            std::fs::remove_dir_all(&sessions)?;
        }
        std::fs::create_dir(&sessions)?;
        let mut command = Command::new("php");
        // No php.ini: the machine's own settings would decide what is tested.
        command.arg("-n");
        let settings = [
            "session.use_trans_sid=1".to_owned(),
            "session.use_only_cookies=0".to_owned(),
            "session.use_cookies=0".to_owned(),
            "session.use_strict_mode=1".to_owned(),
            // As Debian's php.ini has it; without one ids are 32 hexadecimal digits.
            "session.sid_length=26".to_owned(),
            "session.sid_bits_per_character=5".to_owned(),
            "date.timezone=UTC".to_owned(),
            format!("session.save_path={}", sessions.display()),
        ];
        for setting in settings {
            command.args(["-d", &setting]);
        }
        command
            .args(["-S", &self.address.to_string(), "-t"])
            .arg(self.site());
        let log = self.folder.path().join("log");
        self.process = Some(Process::start(command, &log, self.address, "/")?);
        Ok(())
    }

    fn session_folder(&self) -> PathBuf {
        self.folder.path().join("sessions")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    fn get(server: &PhpServer, path: &str) -> String {
        let mut stream = std::net::TcpStream::connect(server.address).unwrap();
        // In one piece: PHP's server may hang up on a head that comes in bits.
        let head = format!("GET {path} HTTP/1.0\r\nHost: {}\r\n\r\n", server.address);
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn id_in(page: &str) -> &str {
        let (_, rest) = page.split_once("PHPSESSID=").unwrap();
        &rest[..26]
    }

    #[test]
    fn links_carry_an_id_that_a_restart_forgets() {
        let write = |site: &Path| {
            let source = "<?php session_start(); ?><a href=\"next.php\">next</a>";
            std::fs::write(site.join("index.php"), source).unwrap();
        };
        let mut server = match PhpServer::start(write) {
            Ok(server) => server,
            Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
        };
        let first = get(&server, "/");
        let id = id_in(&first).to_owned();
        assert_eq!(id_in(&get(&server, &format!("/?PHPSESSID={id}"))), id);
        assert_ne!(id_in(&get(&server, "/")), id);
        assert!(server.sessions() >= 2, "sessions lie in the test's own folder");
        server.restart().unwrap();
        assert_ne!(id_in(&get(&server, &format!("/?PHPSESSID={id}"))), id);
    }
}
