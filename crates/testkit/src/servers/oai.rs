//! How does a repository of a library answer? pyoai's server of OAI-PMH 2.0, with records that tests write.

use super::process::{Process, own_address};
use crate::python::python_with;
use anyhow::{Context, Result};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

const PROGRAM: &str = include_str!("oai.py");

/// A running repository; it stops when dropped.
#[derive(Debug)]
pub struct OaiServer {
    _process: Process,
    address: SocketAddr,
    folder: TempDir,
}

impl OaiServer {
    /// Gives `batch` records in one answer; none where pyoai is not installed, and the test is skipped.
    pub fn start(records: &str, batch: usize) -> Option<Result<OaiServer>> {
        let python = python_with("oaipmh")?;
        Some(OaiServer::start_by(python, records, batch))
    }

    fn start_by(python: PathBuf, records: &str, batch: usize) -> Result<OaiServer> {
        let folder = TempDir::new().context("a folder")?;
        let address = own_address()?;
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("records"), records)?;
        std::fs::write(at("asked"), "")?;
        let mut command = Command::new(python);
        command.args([
            "-c",
            PROGRAM,
            &address.ip().to_string(),
            &address.port().to_string(),
        ]);
        command.arg(at("records")).arg(at("asked")).arg(batch.to_string());
        let process = Process::start(command, &at("log"), address, "/oai?verb=Identify")?;
        let server = OaiServer {
            _process: process,
            address,
            folder,
        };
        server.questions();
        Ok(server)
    }

    /// The repository as a folder of records.
    pub fn url(&self) -> String {
        format!("oai://{}/oai/", self.address)
    }

    /// From now on these are its records: one object a line, with `identifier`, `date`, `deleted`, `sets` and `metadata`.
    pub fn write(&self, records: &str) {
        let path = self.folder.path();
        std::fs::write(path.join("new"), records).expect("the records can be written");
        std::fs::rename(path.join("new"), path.join("records")).expect("the records can be exchanged");
    }

    /// The questions since the last call.
    pub fn questions(&self) -> Vec<String> {
        let file = self.folder.path().join("asked");
        let asked = std::fs::read_to_string(&file).unwrap_or_default();
        std::fs::write(&file, "").expect("the log can be emptied");
        asked.lines().map(str::to_owned).collect()
    }
}
