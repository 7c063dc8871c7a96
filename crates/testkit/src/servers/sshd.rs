//! How does OpenSSH serve files? Its own `sshd` with its own keys, read-only, for the user who runs the test.
//!
//! Addresses name files from the root of the file system, as SFTP does, so the served folder is part of every URL. Each
//! opened file is a line in a log, by which tests prove that a file was not asked for.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write as _};
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
    /// Of the user [`PASSWORD_USER`], if there is one.
    password: Option<String>,
}

/// Who logs in by a password. Nobody of that name is on the machine: the server alone sees this user.
const PASSWORD_USER: &str = "gleaner-ann";
/// Nobody's number, and the group without rights.
const PASSWORD_USER_IDS: &str = "64999:65534";

impl SshServer {
    /// Serves an empty folder, which `write` fills first: what is in it belongs to the test.
    pub fn start(write: impl FnOnce(&Path)) -> Result<SshServer> {
        SshServer::start_for(false, write)
    }

    /// The same, with a user who may also log in by a password. Needs root.
    pub fn start_with_password(write: impl FnOnce(&Path)) -> Result<SshServer> {
        SshServer::start_for(true, write)
    }

    fn start_for(has_password: bool, write: impl FnOnce(&Path)) -> Result<SshServer> {
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
            password: None,
        };
        std::fs::create_dir(server.site())?;
        write(&server.site());
        server.make_key("login", &["-t", "ed25519"])?;
        server.make_key("host", &["-t", "ed25519"])?;
        server.write_subsystem()?;
        if has_password {
            server.write_user()?;
        }
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

    /// The user who logs in by a password, and that password.
    pub fn login_by_password(&self) -> Option<(&str, &str)> {
        Some((PASSWORD_USER, self.password.as_deref()?))
    }

    /// Passwords that were sent since the server was last started, right and wrong ones.
    pub fn passwords_heard(&self) -> usize {
        let log = std::fs::read_to_string(self.folder.path().join("sshd_log")).unwrap_or_default();
        log.matches(" password for ").count()
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
            "ListenAddress {}\nPidFile none\nUsePAM no\nStrictModes no\nLogLevel INFO\nPasswordAuthentication no\n\
             PermitRootLogin prohibit-password\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/login.pub\n\
             MaxStartups 100\nSubsystem sftp {folder}/subsystem\n",
            self.address
        );
        let _ = write!(settings, "{}", self.settings);
        if self.password.is_some() {
            let _ = write!(
                settings,
                "Match User {PASSWORD_USER}\nPasswordAuthentication yes\n"
            );
        }
        let file = self.folder.path().join("sshd_config");
        std::fs::write(&file, settings)?;
        let log = self.folder.path().join("sshd_log");
        let output = File::create(&log)?;
        let child = self
            .command()
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

    /// The server; with a user of its own it sees files of users that nobody else sees, in a space of mounts of its own.
    fn command(&self) -> Command {
        if self.password.is_none() {
            return Command::new(SSHD);
        }
        let mut command = Command::new("unshare");
        // Each replaces the one before, so that the process that is killed is the server.
        command.args([
            "--mount",
            "sh",
            "-c",
            "mount --bind \"$0/passwd\" /etc/passwd && mount --bind \"$0/shadow\" /etc/shadow && exec \"$@\"",
        ]);
        command.arg(self.folder.path()).arg(SSHD);
        command
    }

    /// Adds a user to copies of the files of users. The password is made up anew each time: it opens this machine.
    fn write_user(&mut self) -> Result<()> {
        ensure!(self.user == "root", "a user of its own needs root");
        let mut bytes = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        let password = format!("{:032x}", u128::from_be_bytes(bytes));
        let mut openssl = Command::new("openssl")
            .args(["passwd", "-6", "-stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("openssl is not installed")?;
        if let Some(mut stdin) = openssl.stdin.take() {
            stdin.write_all(format!("{password}\n").as_bytes())?;
        }
        let made = openssl.wait_with_output()?;
        ensure!(made.status.success(), "openssl makes no hash of a password");
        let hash = String::from_utf8(made.stdout)?;
        let home = self.site().display().to_string();
        let user = format!("{PASSWORD_USER}:x:{PASSWORD_USER_IDS}::{home}:/bin/sh\n");
        let shadow = format!("{PASSWORD_USER}:{}:19000:0:99999:7:::\n", hash.trim());
        for (file, line, mode) in [("passwd", user, 0o644), ("shadow", shadow, 0o600)] {
            let text = std::fs::read_to_string(Path::new("/etc").join(file))?;
            let copy = self.folder.path().join(file);
            std::fs::write(&copy, "")?;
            std::fs::set_permissions(&copy, PermissionsExt::from_mode(mode))?;
            std::fs::write(&copy, format!("{}\n{line}", text.trim_end()))?;
        }
        // The log is written with the rights of who logged in.
        File::create(self.transfer_log())?;
        std::fs::set_permissions(self.transfer_log(), PermissionsExt::from_mode(0o666))?;
        self.password = Some(password);
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
            "#!/bin/sh\nexec {} {SFTP_SERVER} -R -e -l INFO 2>>'{}'\n",
            crate::rights::words_without_pass().join(" "),
            self.transfer_log().display()
        );
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o755)
            .open(self.folder.path().join("subsystem"))?;
        file.write_all(script.as_bytes())?;
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
