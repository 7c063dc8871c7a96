//! How does OpenSSH serve files? Its own `sshd` with its own keys, read-only, for the user who runs the test.
//!
//! Addresses name files from the root of the file system, as SFTP does, so the served folder is part of every URL. Each
//! opened file is a line in a log, by which tests prove that a file was not asked for.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use super::process::own_address;

const SSHD: &str = "/usr/sbin/sshd";
const SFTP_SERVER: &str = "/usr/lib/openssh/sftp-server";

const PATIENCE: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(20);

/// A running server; it stops when dropped.
#[derive(Debug)]
pub struct SshServer {
    process: Option<Child>,
    address: SocketAddr,
    folder: TempDir,
    user: String,
    settings: String,
}

impl SshServer {
    /// Serves an empty folder, which `write` fills first: what is in it belongs to the test.
    pub fn start(write: impl FnOnce(&Path)) -> Result<SshServer> {
        for program in [SSHD, SFTP_SERVER] {
            ensure!(
                Path::new(program).exists(),
                "OpenSSH's server is not installed (openssh-server): {program}"
            );
        }
        let user = Command::new("id").arg("-un").output()?;
        let user = String::from_utf8(user.stdout)?.trim().to_owned();
        if user == "root" {
            // Where sshd shuts away the part of itself that speaks to strangers.
            std::fs::create_dir_all("/run/sshd")?;
        }
        let folder = tempfile::tempdir()?;
        // A temporary folder's own rights would be the only thing that an unreadable one in it could prove.
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755))?;
        let mut server = SshServer {
            process: None,
            address: own_address()?,
            folder,
            user,
            settings: String::new(),
        };
        std::fs::create_dir(server.site())?;
        write(&server.site());
        server.make_key("login", &["-t", "ed25519"])?;
        server.make_key("host", &["-t", "ed25519"])?;
        server.write_subsystem()?;
        server.restart()?;
        Ok(server)
    }

    /// The folder that is served.
    pub fn site(&self) -> PathBuf {
        self.folder.path().join("site")
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The user to log in as, and the key that lets in.
    pub fn user(&self) -> &str {
        &self.user
    }

    pub fn key_file(&self) -> PathBuf {
        self.folder.path().join("login")
    }

    /// The server's own key, as a line of `known_hosts` has it.
    pub fn host_key(&self) -> Result<String> {
        let text = std::fs::read_to_string(self.folder.path().join("host.pub"))?;
        Ok(text.split(' ').take(2).collect::<Vec<_>>().join(" "))
    }

    /// A URL; `path` begins with a slash and counts from the served folder.
    pub fn url(&self, path: &str) -> String {
        self.url_at(self.address, path)
    }

    /// The same by way of another address, for those who stand in between.
    pub fn url_at(&self, address: SocketAddr, path: &str) -> String {
        format!("sftp://{address}{}{path}", self.site().display())
    }

    /// The files that were opened so far, counted from the served folder; folders are not among them.
    pub fn opened(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.transfer_log()).unwrap_or_default();
        let site = format!("{}/", self.site().display());
        let opened = log.lines().filter_map(|line| line.strip_prefix("open \""));
        opened
            .filter_map(|rest| rest.split_once("\" flags "))
            .map(|(path, _)| path.strip_prefix(&site).unwrap_or(path).to_owned())
            .collect()
    }

    /// Stops the server and starts it again at the same address.
    pub fn restart(&mut self) -> Result<()> {
        self.stop();
        let folder = self.folder.path().display();
        let mut settings = format!(
            "ListenAddress {}\nPidFile none\nUsePAM no\nStrictModes no\nLogLevel ERROR\nPasswordAuthentication no\n\
             PermitRootLogin prohibit-password\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/login.pub\n\
             MaxStartups 100\nSubsystem sftp {folder}/subsystem\n",
            self.address
        );
        let _ = write!(settings, "{}", self.settings);
        let file = self.folder.path().join("sshd_config");
        std::fs::write(&file, settings)?;
        let log = self.folder.path().join("sshd_log");
        let output = File::create(&log)?;
        let child = Command::new(SSHD)
            .args(["-D", "-e", "-f"])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()
            .context("start sshd")?;
        let child = self.process.insert(child);
        let end = Instant::now() + PATIENCE;
        while !greets(self.address) {
            if let Some(status) = child.try_wait()? {
                bail!(
                    "sshd ended at once ({status}): {}",
                    std::fs::read_to_string(&log)?
                );
            }
            ensure!(
                Instant::now() < end,
                "sshd does not answer: {}",
                std::fs::read_to_string(&log)?
            );
            std::thread::sleep(POLL);
        }
        Ok(())
    }

    /// The server gets another key of its own, made by `ssh-keygen` with these arguments, and these lines of settings.
    pub fn change_key(&mut self, arguments: &[&str], settings: &str) -> Result<()> {
        self.stop();
        settings.clone_into(&mut self.settings);
        self.make_key("host", arguments)?;
        self.restart()
    }

    /// Ends the server. Sessions that are under way go on.
    pub fn stop(&mut self) {
        if let Some(mut child) = self.process.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    fn make_key(&self, name: &str, arguments: &[&str]) -> Result<()> {
        let file = self.folder.path().join(name);
        for old in [file.clone(), file.with_extension("pub")] {
            if old.exists() {
                std::fs::remove_file(old)?;
            }
        }
        let made = Command::new("ssh-keygen")
            .args(["-q", "-N", "", "-C", "test", "-f"])
            .arg(&file)
            .args(arguments)
            .output()
            .context("ssh-keygen is not installed (openssh-client)")?;
        ensure!(
            made.status.success(),
            "ssh-keygen: {}",
            String::from_utf8_lossy(&made.stderr)
        );
        Ok(())
    }

    /// OpenSSH's server logs to its standard error, which would otherwise go to the client.
    fn write_subsystem(&self) -> Result<()> {
        let script = format!(
            "#!/bin/sh\nexec {SFTP_SERVER} -R -e -l INFO 2>>'{}'\n",
            self.transfer_log().display()
        );
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o755)
            .open(self.folder.path().join("subsystem"))?;
        std::io::Write::write_all(&mut file, script.as_bytes())?;
        Ok(())
    }

    fn transfer_log(&self) -> PathBuf {
        self.folder.path().join("transfers")
    }
}

impl Drop for SshServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn greets(address: SocketAddr) -> bool {
    let hear = || -> std::io::Result<[u8; 4]> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut greeting = [0; 4];
        stream.read_exact(&mut greeting)?;
        Ok(greeting)
    };
    hear().is_ok_and(|greeting| greeting == *b"SSH-")
}
