//! How does a real news server answer? INN from its Debian package, with groups and articles of the test's own.
//!
//! `innd` takes the connections and hands readers over to `nnrpd`. It ends by `ctlinnd` and not by a signal, and is killed
//! only if it does not. Starting it needs root, because it runs as the user `news`; tools/inn.sh installs it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use super::process::own_address;

const PROGRAMS: &str = "/usr/lib/news/bin";
const PATIENCE: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(20);
const ANSWER_PATIENCE: Duration = Duration::from_secs(20);

/// A running server; it stops when dropped.
#[derive(Debug)]
pub struct InnServer {
    child: Child,
    address: SocketAddr,
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
    /// A server with these groups, all empty.
    pub fn start(groups: &[&str]) -> Result<InnServer> {
        let innd = Path::new(PROGRAMS).join("innd");
        ensure!(innd.exists(), "INN is not installed (inn2, see tools/inn.sh)");
        let user = User {
            uid: number_of("-u")?,
            gid: number_of("-g")?,
        };
        let folder = tempfile::tempdir()?;
        let address = own_address()?;
        lay_out(folder.path(), address, groups)?;
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
            folder,
            user,
        };
        server.wait()?;
        Ok(server)
    }

    /// A URL; `path` begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("nntp://{}{path}", self.address)
    }

    /// Posts an article: header fields, an empty line and a body, lines parted by `\n`. A dot at the beginning of a line
    /// is the test's own; it is stuffed here.
    pub fn post(&self, article: &str) -> Result<()> {
        let mut reader = Reader::connect(self.address)?;
        reader.ask("MODE READER", "20")?;
        reader.ask("POST", "340")?;
        let mut text = String::new();
        for line in article.lines() {
            if line.starts_with('.') {
                text.push('.');
            }
            text.push_str(line);
            text.push_str("\r\n");
        }
        reader.ask(&format!("{text}."), "240")
    }

    /// Takes an article away, by its message id.
    pub fn cancel(&self, id: &str) -> Result<()> {
        let done = self.control(&["cancel", id])?;
        ensure!(done, "ctlinnd cancel {id}");
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
                Reader::connect(self.address).and_then(|mut reader| reader.ask("MODE READER", "200"));
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

/// The server's files: settings, an empty history, the groups.
fn lay_out(folder: &Path, address: SocketAddr, groups: &[&str]) -> Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    let inside = |name: &str| -> PathBuf { folder.join(name) };
    for name in [
        "etc",
        "db",
        "log",
        "run",
        "tmp",
        "spool",
        "spool/articles",
        "spool/overview",
        "spool/incoming",
        "spool/incoming/tmp",
        "spool/incoming/bad",
        "spool/outgoing",
        "spool/archive",
    ] {
        fs::create_dir(inside(name))?;
    }
    let copied = Command::new("cp")
        .args(["-r", "/etc/news/.", "etc"])
        .current_dir(folder)
        .status()?;
    ensure!(copied.success(), "INN's settings cannot be copied");

    let mut settings: Vec<String> = [
        "mta: /bin/true",
        "organization: test",
        "ovmethod: tradindexed",
        "hismethod: hisv6",
        "pathhost: news.example.test",
        "domain: example.test",
        "pathnews: /usr/lib/news",
        "enableoverview: true",
        "doinnwatch: false",
        // Articles may be as old as the test wants them.
        "artcutoff: 0",
    ]
    .map(str::to_owned)
    .into();
    settings.push(format!("port: {}", address.port()));
    settings.push(format!("bindaddress: {}", address.ip()));
    let paths = [
        ("etc", "etc"),
        ("db", "db"),
        ("log", "log"),
        ("run", "run"),
        ("tmp", "tmp"),
        ("spool", "spool"),
        ("articles", "spool/articles"),
        ("overview", "spool/overview"),
        ("incoming", "spool/incoming"),
        ("outgoing", "spool/outgoing"),
        ("archive", "spool/archive"),
    ];
    settings.extend(paths.map(|(name, path)| format!("path{name}: {}", inside(path).display())));
    settings.push(String::new());
    fs::write(inside("etc/inn.conf"), settings.join("\n"))?;
    fs::write(
        inside("etc/storage.conf"),
        "method tradspool {\n  newsgroups: *\n  class: 0\n}\n",
    )?;
    fs::write(
        inside("etc/readers.conf"),
        "auth \"all\" {\n  hosts: \"*\"\n  default: \"<reader>\"\n}\n\
         access \"all\" {\n  users: \"<reader>\"\n  newsgroups: \"*\"\n  access: RPA\n}\n",
    )?;

    let internal =
        ["control", "control.cancel", "junk"].map(|name| format!("{name} 0000000000 0000000001 n\n"));
    let own = groups
        .iter()
        .map(|name| format!("{name} 0000000000 0000000001 y\n"));
    let active: String = internal.into_iter().chain(own).collect();
    fs::write(inside("db/active"), active)?;
    for name in ["active.times", "newsgroups", "history"] {
        fs::write(inside("db").join(name), "")?;
    }
    // The empty index of an empty history is what the package made.
    for name in ["history.dir", "history.hash", "history.index"] {
        fs::copy(Path::new("/var/lib/news").join(name), inside("db").join(name))
            .context("INN was not set up (see tools/inn.sh)")?;
    }
    Ok(())
}

/// A news reader, as far as tests need one to put articles there.
struct Reader {
    stream: BufReader<TcpStream>,
}

impl Reader {
    fn connect(address: SocketAddr) -> Result<Reader> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(ANSWER_PATIENCE))?;
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
            Err(why) => return println!("skipped: {why:#}"),
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
