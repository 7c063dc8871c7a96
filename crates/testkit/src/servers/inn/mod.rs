//! How does a real news server answer? INN from its Debian package, with groups and articles of the test's own.
//!
//! `innd` takes the connections and hands readers over to `nnrpd`. It ends by `ctlinnd` and not by a signal, and is killed
//! only if it does not. Starting it needs root, because it runs as the user `news`; tools/inn.sh installs it.

mod files;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use super::process::{Process, accepts, own_address};

const PROGRAMS: &str = "/usr/lib/news/bin";
const PATIENCE: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(20);
const ANSWER_PATIENCE: Duration = Duration::from_secs(20);

/// Who may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InnDoor {
    /// Everybody.
    Open,
    /// Who logs in as [`InnServer::LOGIN`]. INN then offers encryption all the same, and fails when it is asked for.
    Login,
    /// The same, and encryption is offered: after `STARTTLS`, and from the first byte at another port.
    SecureLogin,
}

/// A running server; it stops when dropped.
#[derive(Debug)]
pub struct InnServer {
    child: Child,
    address: SocketAddr,
    door: InnDoor,
    /// Readers who speak TLS from the first byte are served by a process of their own.
    secure: Option<(Process, SocketAddr)>,
    root: Vec<u8>,
    folder: TempDir,
    user: User,
}

/// The user `news` in numbers.
#[derive(Debug, Clone, Copy)]
struct User {
    uid: u32,
    gid: u32,
}

impl InnServer {
    /// The name and the password that let in.
    pub const LOGIN: (&str, &str) = ("ann", "secret");

    /// A server with these groups, all empty, for everybody.
    pub fn start(groups: &[&str]) -> Result<InnServer> {
        InnServer::start_behind(InnDoor::Open, groups)
    }

    pub fn start_behind(door: InnDoor, groups: &[&str]) -> Result<InnServer> {
        let innd = Path::new(PROGRAMS).join("innd");
        ensure!(innd.exists(), "INN is not installed (inn2, see tools/inn.sh)");
        let user = User {
            uid: number_of("-u")?,
            gid: number_of("-g")?,
        };
        let folder = tempfile::tempdir()?;
        let address = own_address()?;
        let root = files::lay_out(folder.path(), address, door, groups)?;
        let owner = format!("{}:{}", user.uid, user.gid);
        let owned = Command::new("chown")
            .args(["-R", &owner])
            .arg(folder.path())
            .status()?;
        ensure!(owned.success(), "INN needs root, to run as the user news");
        let log = File::create(folder.path().join("log/innd"))?;
        let child = command("innd", folder.path(), user)
            .args([
                "-d",
                "-f",
                "-P",
                &address.port().to_string(),
                "-4",
                &address.ip().to_string(),
            ])
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .context("start innd")?;
        let mut server = InnServer {
            child,
            address,
            door,
            secure: None,
            root,
            folder,
            user,
        };
        server.wait()?;
        if door == InnDoor::SecureLogin {
            server.start_secure()?;
        }
        Ok(server)
    }

    /// A URL; `path` begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("nntp://{}{path}", self.address)
    }

    /// The same by TLS from the first byte.
    pub fn secure_url(&self, path: &str) -> Option<String> {
        let (_, address) = self.secure.as_ref()?;
        Some(format!("nntps://{address}{path}"))
    }

    /// The server's certificate (DER): trusted as a root, it makes the server known.
    pub fn root_certificate(&self) -> Vec<u8> {
        self.root.clone()
    }

    fn start_secure(&mut self) -> Result<()> {
        let address = own_address()?;
        let (ip, port) = (address.ip().to_string(), address.port().to_string());
        let mut nnrpd = command("nnrpd", self.folder.path(), self.user);
        nnrpd.args(["-D", "-f", "-S", "-4", &ip, "-p", &port]);
        let log = self.folder.path().join("log/nnrpd");
        let process = Process::start_until(nnrpd, &log, || accepts(address))?;
        self.secure = Some((process, address));
        Ok(())
    }

    /// Posts an article: header fields, an empty line and a body, lines parted by `\n`. A dot at the beginning of a line
    /// is the test's own; it is stuffed here.
    pub fn post(&self, article: &str) -> Result<()> {
        self.post_all([article])
    }

    /// The same for many articles, over one connection.
    pub fn post_all<'a>(&self, articles: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let mut reader = Reader::connect(self.address)?;
        reader.ask("MODE READER", "20")?;
        if self.door != InnDoor::Open {
            let (name, password) = InnServer::LOGIN;
            reader.ask(&format!("AUTHINFO USER {name}"), "381")?;
            reader.ask(&format!("AUTHINFO PASS {password}"), "281")?;
        }
        for article in articles {
            reader.ask("POST", "340")?;
            let mut text = String::new();
            for line in article.lines() {
                if line.starts_with('.') {
                    text.push('.');
                }
                text.push_str(line);
                text.push_str("\r\n");
            }
            reader.ask(&format!("{text}."), "240")?;
        }
        Ok(())
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes an article away, by its message id.
    pub fn cancel(&self, id: &str) -> Result<()> {
        let done = self.control(&["cancel", id])?;
        ensure!(done, "ctlinnd cancel {id}");
        Ok(())
    }

    /// Drops what is older than ten days by its date, as the server does by itself once a night. The low mark moves up.
    pub fn expire(&self) -> Result<()> {
        let marks = self.folder.path().join("tmp/lowmark");
        let output = command("expireover", self.folder.path(), self.user)
            .args(["-p", "-Z"])
            .arg(&marks)
            .stdin(Stdio::null())
            .output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "expireover: {said}");
        let done = self.control(&["lowmark", &marks.display().to_string()])?;
        ensure!(done, "ctlinnd lowmark");
        Ok(())
    }

    fn control(&self, words: &[&str]) -> Result<bool> {
        let status = command("ctlinnd", self.folder.path(), self.user)
            .args(["-s", "-t", "5"])
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        Ok(status.success())
    }

    /// Waits until readers are served.
    fn wait(&mut self) -> Result<()> {
        let end = Instant::now() + PATIENCE;
        loop {
            let log = || fs::read_to_string(self.folder.path().join("log/innd")).unwrap_or_default();
            if let Some(status) = self.child.try_wait()? {
                bail!("innd ended at once ({status}): {}", log());
            }
            let is_ready =
                Reader::connect(self.address).and_then(|mut reader| reader.ask("MODE READER", "20"));
            match is_ready {
                Ok(()) => return Ok(()),
                Err(why) if Instant::now() >= end => bail!("innd serves nobody: {why:#}: {}", log()),
                Err(_) => std::thread::sleep(POLL),
            }
        }
    }
}

impl Drop for InnServer {
    fn drop(&mut self) {
        if self.control(&["shutdown", "end of test"]).is_ok_and(|done| done) {
            let end = Instant::now() + PATIENCE;
            while Instant::now() < end {
                if !matches!(self.child.try_wait(), Ok(None)) {
                    return;
                }
                std::thread::sleep(POLL);
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One of INN's programs on the files of this server.
fn command(program: &str, folder: &Path, user: User) -> Command {
    let mut command = Command::new(Path::new(PROGRAMS).join(program));
    command
        .env("INNCONF", folder.join("etc/inn.conf"))
        .current_dir(folder)
        .uid(user.uid)
        .gid(user.gid);
    command
}

fn number_of(which: &str) -> Result<u32> {
    let output = Command::new("id").args([which, "news"]).output()?;
    let text = String::from_utf8(output.stdout)?;
    text.trim().parse().context("there is no user news")
}

/// A news reader, as far as tests need one to put articles there.
struct Reader {
    stream: BufReader<TcpStream>,
}

impl Reader {
    fn connect(address: SocketAddr) -> Result<Reader> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(ANSWER_PATIENCE))?;
        stream.set_nodelay(true)?;
        let mut reader = Reader {
            stream: BufReader::new(stream),
        };
        reader.expect("20")?;
        Ok(reader)
    }

    fn ask(&mut self, command: &str, code: &str) -> Result<()> {
        self.stream
            .get_mut()
            .write_all(format!("{command}\r\n").as_bytes())?;
        self.expect(code)
    }

    fn expect(&mut self, code: &str) -> Result<()> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        ensure!(line.starts_with(code), "the server said: {}", line.trim());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_article_is_posted_and_cancelled() {
        let server = match InnServer::start(&["local.test"]) {
            Ok(server) => server,
            Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
        };
        let article = "From: a@example.test\nNewsgroups: local.test\nSubject: one\nMessage-ID: <1@example.test>\n\ntext\n";
        server.post(article).unwrap();
        let mut reader = Reader::connect(server.address).unwrap();
        reader.ask("MODE READER", "20").unwrap();
        reader.ask("GROUP local.test", "211 1 1 1").unwrap();
        reader.ask("STAT 1", "223 1 <1@example.test>").unwrap();
        server.cancel("<1@example.test>").unwrap();
        reader.ask("STAT 1", "423").unwrap();
    }
}
