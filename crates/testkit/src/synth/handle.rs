//! How does a test hold a synthetic site? Start it, ask it for the truth, drop it.
//!
//! The site runs on its own thread; the test speaks to it through the control port, as the benchmark does, so both see the
//! same site. A site that cannot start is the end of the test: these functions panic and say why.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread::JoinHandle;

use serde::Deserialize;
use tokio::sync::oneshot;

use super::options::SynthOptions;
use super::server::{Ready, serve_until};

/// A running synthetic site; it stops when dropped.
#[derive(Debug)]
pub struct SynthSite {
    ready: Ready,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What was asked of the site since the start or the last reset.
#[derive(Clone, Debug, Deserialize)]
pub struct Stats {
    pub requests: u64,
    pub pages_200: u64,
    pub distinct_pages: u64,
    pub duplicate_pages: u64,
    pub hubs_200: u64,
    pub not_modified: u64,
    pub redirects: u64,
    pub not_found: u64,
    pub robots: u64,
    pub sitemaps: u64,
    /// Requests for what robots.txt forbids: must stay 0.
    pub private_hits: u64,
    pub session_requests: u64,
    pub session_distinct: u64,
    pub assets: u64,
    pub head: u64,
    pub bytes_out: u64,
    pub connections: u64,
    pub max_open: u64,
    pub max_inflight: u64,
    pub max_host_inflight: u64,
    pub hosts_seen: u64,
    pub span_s: f64,
    pub epoch: u64,
    pub pages: u64,
    pub hosts: u64,
}

/// What happened to one URL between two epochs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    /// `NEW`, `UPD`, `SAM` or `MIS`.
    pub state: String,
    /// `minor`, `major`, `noisy`, `hub` or empty.
    pub detail: String,
    /// The page's topic; none for hubs.
    pub topic: Option<u32>,
    pub url: String,
}

impl SynthSite {
    /// Serves `options` until the value is dropped; returns once it listens.
    pub fn start(options: SynthOptions) -> SynthSite {
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let failed = tell.clone();
            let served = serve_until(options, stopped, |ready| {
                let _ = tell.send(Ok(ready.clone()));
            });
            if let Err(error) = served {
                let _ = failed.send(Err(error));
            }
        });
        let ready = told
            .recv()
            .expect("the site's thread tells or fails")
            .expect("the synthetic site starts");
        SynthSite {
            ready,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// The root of the first host.
    pub fn seed_url(&self) -> &str {
        &self.ready.seed_url
    }

    /// Where the control port listens, for programs that speak to it themselves.
    pub fn admin_url(&self) -> String {
        format!("http://{}", self.ready.admin)
    }

    /// Asks the control port for `path` (with its query) and returns the answer's body.
    pub fn admin(&self, path: &str) -> String {
        get(self.ready.admin, path).unwrap_or_else(|error| panic!("control port, {path}: {error}"))
    }

    /// The counters.
    pub fn stats(&self) -> Stats {
        serde_json::from_str(&self.admin("/stats")).expect("counters are JSON")
    }

    /// Sets the counters to zero.
    pub fn reset(&self) {
        self.admin("/reset");
    }

    /// Moves the site to an epoch: pages change, appear and vanish.
    pub fn set_epoch(&self, epoch: u64) {
        self.admin(&format!("/set?epoch={epoch}"));
    }

    /// Waits this long before each answer from now on.
    pub fn set_latency_ms(&self, latency_ms: u64) {
        self.admin(&format!("/set?latency_ms={latency_ms}"));
    }

    /// What happened to every URL between two epochs.
    pub fn truth(&self, from: u64, to: u64) -> Vec<Truth> {
        let rows = self.admin(&format!("/truth?from={from}&to={to}"));
        rows.lines().map(read_truth).collect()
    }

    /// All page URLs that exist at the current epoch.
    pub fn urls(&self) -> Vec<String> {
        self.admin("/urls").lines().map(str::to_owned).collect()
    }

    /// The main text of a page, without menu and footer.
    pub fn text(&self, page: u64) -> String {
        self.admin(&format!("/text?id={page}"))
    }
}

impl Drop for SynthSite {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read_truth(row: &str) -> Truth {
    let mut fields = row.split('\t');
    let mut next = || fields.next().expect("truth rows have four fields");
    let (state, detail, topic, url) = (next(), next(), next(), next());
    Truth {
        state: state.into(),
        detail: detail.into(),
        topic: topic.parse().ok(),
        url: url.into(),
    }
}

/// The control port closes after each answer, so the body is the rest of the stream.
pub(crate) fn get(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: admin\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    if !head.starts_with("HTTP/1.1 200") {
        return Err(std::io::Error::other(head.to_owned()));
    }
    Ok(body.to_owned())
}
