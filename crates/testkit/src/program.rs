//! How does a test run Gleaner as a person would? The real binary, a fresh data folder, what it printed and how it ended.
//!
//! [`Gleaner`] holds the data folder, so several commands on it tell one story: crawl, change the site, track. The binary is
//! `GLEANER_BIN`, else `gleaner` beside the running test's profile folder.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use tempfile::TempDir;

/// No command of a test runs longer; one that does is killed and the test fails with what was printed.
const DEADLINE: Duration = Duration::from_mins(5);

/// How often a running program is asked whether it has ended.
const POLL: Duration = Duration::from_millis(5);

/// The binary with a data folder of its own.
#[derive(Debug)]
pub struct Gleaner {
    binary: PathBuf,
    folder: Folder,
    env: Vec<(String, String)>,
    /// Where it puts keys that it makes for itself: not with the person who runs the tests.
    config: TempDir,
    /// Held to the rights of files, also where the test is root's.
    is_without_pass: bool,
}

#[derive(Debug)]
enum Folder {
    /// Removed at the end.
    Own(TempDir),
    /// The test's, as on a small disk.
    Given(PathBuf),
}

/// A program that has ended.
#[derive(Clone, Debug)]
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

/// A program that runs; it is killed when dropped.
pub struct Running {
    child: Child,
    started: Instant,
    stdout: Capture,
    stderr: Capture,
}

impl Default for Gleaner {
    fn default() -> Self {
        Gleaner::new()
    }
}

impl Gleaner {
    /// The binary on a fresh data folder; the test ends here when there is no binary.
    pub fn new() -> Gleaner {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Gleaner {
            binary: find_binary().expect("the gleaner binary"),
            folder: Folder::Own(folder),
            env: Vec::new(),
            config: tempfile::tempdir().expect("a temporary folder"),
            is_without_pass: false,
        }
    }

    /// The same on a folder of the test's choice, which is left as it is at the end.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Gleaner {
        Gleaner {
            binary: find_binary().expect("the gleaner binary"),
            folder: Folder::Given(folder.into()),
            env: Vec::new(),
            config: tempfile::tempdir().expect("a temporary folder"),
            is_without_pass: false,
        }
    }

    /// Sets an environment variable for the commands that follow.
    #[must_use]
    pub fn with_env(mut self, name: &str, value: &str) -> Gleaner {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Commands that follow read only what the rights of files let them.
    #[must_use]
    pub fn without_pass(mut self) -> Gleaner {
        self.is_without_pass = true;
        self
    }

    /// The folder given to `--data`. It need not exist before the first command.
    pub fn data(&self) -> PathBuf {
        match &self.folder {
            Folder::Own(folder) => folder.path().join("data"),
            Folder::Given(folder) => folder.clone(),
        }
    }

    /// The command with its arguments and `--data`, not yet started: for tools that wrap it.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = if self.is_without_pass {
            crate::rights::without_pass(&self.binary)
        } else {
            Command::new(&self.binary)
        };
        command.args(args).arg("--data").arg(self.data());
        command.env("XDG_CONFIG_HOME", self.config.path());
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, args: &[&str]) -> Finished {
        self.spawn(args).wait(DEADLINE)
    }

    /// Starts a command in the background.
    pub fn spawn(&self, args: &[&str]) -> Running {
        Running::start(self.command(args)).expect("the gleaner binary starts")
    }

    /// Rows of the catalog, all columns as text (NULL is empty); opened read-only.
    pub fn sqlite(&self, query: &str) -> Vec<Vec<String>> {
        let rows = || -> Result<_> { sqlite_rows(&find_catalog(&self.data())?, query) };
        rows().unwrap_or_else(|error| panic!("{query}: {error:#}"))
    }

    /// The one number a query gives.
    pub fn sqlite_number(&self, query: &str) -> i64 {
        let rows = self.sqlite(query);
        let number = rows
            .first()
            .and_then(|row| row.first())
            .and_then(|value| value.parse().ok());
        number.unwrap_or_else(|| panic!("{query}: not one number: {rows:?}"))
    }
}

impl Finished {
    /// The exit code; `None` when a signal ended it.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Every line of standard output that is JSON.
    pub fn json_lines(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// The last line of standard output that is JSON: the summary.
    pub fn json(&self) -> Value {
        self.json_lines()
            .pop()
            .unwrap_or_else(|| panic!("no JSON line was printed\n{self}"))
    }

    /// Ends the test unless the exit code is one of these.
    pub fn expect_code(&self, codes: &[i32]) -> &Finished {
        assert!(
            self.code().is_some_and(|code| codes.contains(&code)),
            "expected exit code {codes:?}\n{self}"
        );
        self
    }
}

impl std::fmt::Display for Finished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}\n--- stdout\n{}\n--- stderr\n{}",
            self.status, self.stdout, self.stderr
        )
    }
}

impl Running {
    /// Starts any command with its output captured.
    pub fn start(command: Command) -> Result<Running> {
        Running::start_on(command, Stdio::null())
    }

    /// The same, reading from `input`.
    pub fn start_on(mut command: Command, input: Stdio) -> Result<Running> {
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .with_context(|| format!("start {}", command.get_program().display()))?;
        let stdout = Capture::of(child.stdout.take().context("stdout is piped")?);
        let stderr = Capture::of(child.stderr.take().context("stderr is piped")?);
        Ok(Running {
            child,
            started: Instant::now(),
            stdout,
            stderr,
        })
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as a power cut would: no clean-up (`kill -9`).
    pub fn kill9(mut self) -> Finished {
        let _ = self.child.kill();
        self.wait(DEADLINE)
    }

    /// Asks it to stop, as Ctrl-C does; it still has to be waited for.
    pub fn interrupt(&self) {
        self.signal("INT");
    }

    /// Sends a signal by name, as `kill` knows it.
    pub fn signal(&self, name: &str) {
        // The shell's kill: signals from Rust would need unsafe or one more crate.
        let sent = Command::new("sh")
            .arg("-c")
            .arg(format!("kill -{name} {}", self.child.id()))
            .status();
        assert!(
            sent.is_ok_and(|status| status.success()),
            "signal {name} could not be sent"
        );
    }

    /// Whether it has ended already.
    pub fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Waits until a text has appeared on either output; false when `deadline` passes or it ends without.
    pub fn wait_for_output(&mut self, text: &str, deadline: Duration) -> bool {
        let end = Instant::now() + deadline;
        loop {
            let ended = self.has_ended();
            if ended {
                self.stdout.join();
                self.stderr.join();
            }
            if self.stdout.text().contains(text) || self.stderr.text().contains(text) {
                return true;
            }
            if ended || Instant::now() >= end {
                return false;
            }
            self.stdout.pause();
        }
    }

    /// Waits for its end; past the deadline it is killed and the test ends with what was printed.
    pub fn wait(mut self, deadline: Duration) -> Finished {
        let end = Instant::now() + deadline;
        let status = loop {
            match self.child.try_wait().expect("the program is ours to wait for") {
                Some(status) => break status,
                None if Instant::now() >= end => {
                    let _ = self.child.kill();
                    let status = self.child.wait().expect("the program is ours to wait for");
                    panic!("not ended after {deadline:?}\n{}", self.finish(status));
                }
                None => std::thread::sleep(POLL),
            }
        };
        self.finish(status)
    }

    fn finish(&mut self, status: ExitStatus) -> Finished {
        let took = self.started.elapsed();
        self.stdout.join();
        self.stderr.join();
        Finished {
            status,
            stdout: self.stdout.text(),
            stderr: self.stderr.text(),
            took,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.has_ended() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Reads a pipe on a thread, so that a program never waits for its reader.
struct Capture {
    shared: Arc<(Mutex<Vec<u8>>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Capture {
    fn of(mut pipe: impl Read + Send + 'static) -> Capture {
        let shared = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
        let inside = shared.clone();
        let thread = std::thread::spawn(move || {
            let mut piece = [0; 8192];
            while let Ok(length @ 1..) = pipe.read(&mut piece) {
                lock(&inside.0).extend_from_slice(&piece[..length]);
                inside.1.notify_all();
            }
        });
        Capture {
            shared,
            thread: Some(thread),
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&lock(&self.shared.0)).into_owned()
    }

    fn pause(&self) {
        drop(self.shared.1.wait_timeout(lock(&self.shared.0), POLL));
    }

    fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock(bytes: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `GLEANER_BIN`, else the profile folder's `gleaner`: test executables lie in its `deps`.
pub fn find_binary() -> Result<PathBuf> {
    if let Some(binary) = std::env::var_os("GLEANER_BIN") {
        return Ok(binary.into());
    }
    let test = std::env::current_exe()?;
    let places = test
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join("gleaner"));
    let found = places.into_iter().find(|place| place.is_file());
    found.context("no gleaner binary was built for this profile; build it or set GLEANER_BIN")
}

/// The SQLite file in a data folder, whatever its name: it is told by its first bytes.
fn find_catalog(folder: &Path) -> Result<PathBuf> {
    let mut found = Vec::new();
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("no data folder: {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        let mut magic = [0; 15];
        let read = std::fs::File::open(&path).and_then(|mut file| file.read_exact(&mut magic));
        if read.is_ok() && &magic == b"SQLite format 3" {
            found.push(path);
        }
    }
    ensure!(found.len() <= 1, "more than one SQLite file: {found:?}");
    let Some(path) = found.pop() else {
        bail!("no SQLite file: {}", folder.display())
    };
    Ok(path)
}

fn sqlite_rows(path: &Path, query: &str) -> Result<Vec<Vec<String>>> {
    let catalog = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    catalog.busy_timeout(Duration::from_secs(10))?;
    let mut statement = catalog.prepare(query)?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    let mut out = Vec::new();
    while let Some(row) = rows.next()? {
        let cell = |column| row.get_ref(column).map(show);
        out.push((0..columns).map(cell).collect::<Result<_, _>>()?);
    }
    Ok(out)
}

fn show(value: rusqlite::types::ValueRef) -> String {
    use rusqlite::types::ValueRef;
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => bytes
            .iter()
            .fold(String::new(), |hex, byte| format!("{hex}{byte:02x}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(20);

    fn shell(script: &str) -> Running {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        Running::start(command).unwrap()
    }

    #[test]
    fn output_exit_code_and_json() {
        let finished =
            shell("echo '{\"pages\":1}'; echo plain; echo '{\"pages\":2}'; echo told >&2; exit 3").wait(SOON);
        assert_eq!((finished.code(), finished.stderr.as_str()), (Some(3), "told\n"));
        assert_eq!(finished.json()["pages"], 2);
        assert_eq!(finished.json_lines().len(), 2);
        finished.expect_code(&[0, 3]);
    }

    #[test]
    fn interrupt_and_kill() {
        let mut running = shell("trap 'echo bye; exit 4' INT; echo ready; while :; do sleep 0.01; done");
        assert!(running.wait_for_output("ready", SOON));
        running.interrupt();
        let finished = running.wait(SOON);
        assert_eq!(
            (finished.code(), finished.stdout.as_str()),
            (Some(4), "ready\nbye\n")
        );
        let mut running = shell("echo ready; exec sleep 100");
        assert!(running.wait_for_output("ready", SOON));
        assert_eq!(running.kill9().code(), None);
    }

    #[test]
    fn the_catalog_is_found_by_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("lock"), "x").unwrap();
        let writer = Connection::open(folder.path().join("any.name")).unwrap();
        writer
            .execute_batch(
                "PRAGMA journal_mode=WAL; CREATE TABLE t(a, b); INSERT INTO t VALUES (1, NULL), ('x', x'0a')",
            )
            .unwrap();
        let rows = sqlite_rows(&find_catalog(folder.path()).unwrap(), "SELECT * FROM t").unwrap();
        assert_eq!(rows, [["1", ""], ["x", "0a"]]);
    }
}
