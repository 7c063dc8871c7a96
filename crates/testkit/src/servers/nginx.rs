//! How does nginx show folders? An index page of each (`autoindex`), with validators for every file, and a log of what it
//! answered.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use tempfile::TempDir;

use super::process::{Process, accepts, own_address};
use crate::rights::without_pass;

const PROGRAM: &str = "/usr/sbin/nginx";

/// A running server; it stops when dropped.
#[derive(Debug)]
pub struct NginxServer {
    _process: Process,
    address: SocketAddr,
    folder: TempDir,
}

impl NginxServer {
    /// Serves an empty folder, which `write` fills first: what is in it belongs to the test.
    pub fn start(write: impl FnOnce(&Path)) -> Result<NginxServer> {
        ensure!(
            Path::new(PROGRAM).exists(),
            "nginx is not installed (nginx-light)"
        );
        let folder = tempfile::tempdir()?;
        let address = own_address()?;
        let site = folder.path().join("site");
        std::fs::create_dir(&site)?;
        write(&site);
        let place = folder.path().display();
        // One process, so that the one that is killed is the server.
        let settings = format!(
            "daemon off;\nmaster_process off;\npid {place}/pid;\nerror_log {place}/errors;\nevents {{}}\nhttp {{\n\
             log_format told '$status $body_bytes_sent $request_uri';\naccess_log {place}/log told;\n\
             client_body_temp_path {place}/1;\nproxy_temp_path {place}/2;\nfastcgi_temp_path {place}/3;\n\
             uwsgi_temp_path {place}/4;\nscgi_temp_path {place}/5;\nkeepalive_requests 100000;\n\
             server {{ listen {address}; root {place}/site; autoindex on; }}\n}}\n"
        );
        let file = folder.path().join("settings");
        std::fs::write(&file, settings)?;
        let mut command = without_pass(PROGRAM);
        command.arg("-e").arg(folder.path().join("errors"));
        command.arg("-c").arg(&file);
        let process = Process::start_until(command, &folder.path().join("output"), || accepts(address))?;
        Ok(NginxServer {
            _process: process,
            address,
            folder,
        })
    }

    /// The folder that is served.
    pub fn site(&self) -> PathBuf {
        self.folder.path().join("site")
    }

    /// A URL; `path` begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The addresses whose content was sent, in their order: neither folders nor answers without a body.
    pub fn transfers(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        let sent = log.lines().filter_map(|line| line.strip_prefix("200 "));
        sent.filter_map(|rest| rest.split_once(' '))
            .filter(|(bytes, path)| *bytes != "0" && !path.ends_with('/'))
            .map(|(_, path)| path.to_owned())
            .collect()
    }
}
