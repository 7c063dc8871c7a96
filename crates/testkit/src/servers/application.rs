//! How does a PHP application run? PHP's own server on the application's folder, and its log as the list of what was asked.
//!
//! One process and no workers: they would outlive a killed server. Applications need extensions, so the machine's php.ini
//! is read, and only what tests depend on is set here.

use std::ffi::OsStr;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::process::{Process, own_address};

/// A folder and an address for an application; once started it stops when dropped.
#[derive(Debug)]
pub(super) struct Application {
    process: Option<Process>,
    address: SocketAddr,
    folder: TempDir,
    env: Vec<(String, PathBuf)>,
}

/// What somebody asked the application for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationRequest {
    pub method: String,
    /// Path and query.
    pub target: String,
    pub status: u16,
}

impl Application {
    /// Nothing runs yet. `package` is the folder of the application, `extensions` are what PHP needs for it.
    pub(super) fn new(name: &str, package: &Path, extensions: &[&str]) -> Result<Application> {
        let modules = Command::new("php").arg("-m").output();
        let modules = modules.context("PHP is not installed (php-cli)")?.stdout;
        let modules = String::from_utf8_lossy(&modules).to_lowercase();
        for extension in extensions {
            ensure!(
                modules.lines().any(|line| line == *extension),
                "PHP has no {extension} here, which {name} needs"
            );
        }
        ensure!(
            package.is_dir(),
            "{name} is not installed: no {}",
            package.display()
        );
        Ok(Application {
            process: None,
            address: own_address()?,
            folder: tempfile::tempdir()?,
            env: Vec::new(),
        })
    }

    /// Sets an environment variable for everything of it that runs.
    pub(super) fn set(&mut self, name: &str, value: PathBuf) {
        self.env.push((name.to_owned(), value));
    }

    /// Its own folder: settings, data, the log.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Runs a script of the application to its end.
    pub(super) fn script<S: AsRef<OsStr>>(&self, script: &Path, arguments: &[S]) -> Result<()> {
        let mut command = self.php();
        let output = command.arg(script).args(arguments).output()?;
        ensure!(
            output.status.success(),
            "{} failed: {}{}",
            script.display(),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(())
    }

    /// Serves `root` from now on; it runs when `ready` is answered well.
    pub(super) fn serve(&mut self, root: &Path, ready: &str) -> Result<()> {
        self.serve_by(root, None, ready)
    }

    /// The same with a script that is asked about every address first.
    pub(super) fn serve_by(&mut self, root: &Path, router: Option<&Path>, ready: &str) -> Result<()> {
        let mut command = self.php();
        command
            .args(["-S", &self.address.to_string(), "-t"])
            .arg(root)
            .args(router);
        self.process = Some(Process::start(command, &self.log(), self.address, ready)?);
        Ok(())
    }

    /// All requests since the start, those of the test itself too.
    pub(super) fn asked(&self) -> Vec<ApplicationRequest> {
        let log = std::fs::read(self.log()).unwrap_or_default();
        String::from_utf8_lossy(&log).lines().filter_map(asked).collect()
    }

    fn php(&self) -> Command {
        let mut command = Command::new("php");
        // Messages on pages would be content.
        for setting in ["display_errors=0", "date.timezone=UTC", "opcache.enable=1"] {
            command.args(["-d", setting]);
        }
        let sessions = format!("session.save_path={}", self.folder().display());
        command.args(["-d", &sessions]);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    fn log(&self) -> PathBuf {
        self.folder().join("log")
    }
}

/// With what links lead to: Debian links to other packages.
pub(super) fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let output = Command::new("cp").arg("-rLT").args([from, to]).output()?;
    ensure!(
        to.exists(),
        "{} could not be copied: {}",
        from.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

/// `[Tue Nov 17 00:11:18 2026] 127.0.0.1:40404 [200]: GET /index.php?title=X`
fn asked(line: &str) -> Option<ApplicationRequest> {
    let (before, what) = line.split_once("]: ")?;
    let status = before.rsplit_once('[')?.1.parse().ok()?;
    let (method, target) = what.split_once(' ')?;
    // What PHP has to say about a request stands behind it.
    let target = target.split(" - ").next().unwrap_or(target);
    target.starts_with('/').then(|| ApplicationRequest {
        method: method.to_owned(),
        target: target.to_owned(),
        status,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_log_are_read() {
        let line =
            "[Tue Nov 17 00:11:18 2026] 127.0.0.1:40404 [404]: GET /x?a=[1]: b - No such file or directory";
        let read = asked(line).unwrap();
        assert_eq!(
            (read.method.as_str(), read.target.as_str(), read.status),
            ("GET", "/x?a=[1]: b", 404)
        );
        assert_eq!(asked("[Tue Nov 17 00:11:18 2026] 127.0.0.1:40404 Accepted"), None);
    }
}
