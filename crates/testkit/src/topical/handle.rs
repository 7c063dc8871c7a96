//! How does a test hold a topical web? Start it, ask it for the truth, drop it.

use std::path::Path;
use std::sync::mpsc;
use std::thread::JoinHandle;

use serde::Deserialize;
use tokio::sync::oneshot;

use super::search::SearchMode;
use super::server::{TopicOptions, TopicReady, serve_topics_until};
use super::spec::TopicSpec;
use crate::synth::get;

/// A running web; it stops when dropped.
#[derive(Debug)]
pub struct TopicWeb {
    ready: TopicReady,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What is told of a web at its start.
#[derive(Debug, Clone, Deserialize)]
pub struct TopicInfo {
    pub topic: String,
    /// Words by which the topic is known.
    pub words: Vec<String>,
    pub sites: usize,
    pub pages: usize,
    /// Works that the library wants, copies counted once.
    pub good_works: usize,
    pub budget: u64,
    /// Addresses of good documents.
    pub examples: Vec<String>,
    /// Home pages that a librarian may know.
    pub known_sites: Vec<String>,
    pub search: String,
    pub opensearch: String,
    pub search_html: String,
}

/// What is true of one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicTruth {
    pub url: String,
    pub kind: String,
    pub topic: String,
    pub is_relevant: bool,
    pub is_document: bool,
    pub genre: String,
    /// `yes`, `no`, or `either` where nobody can say.
    pub accept: String,
    /// Copies and other formats have the same number.
    pub work: Option<u32>,
}

/// What is true of one site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicSite {
    pub url: String,
    pub kind: String,
    pub topic: String,
    /// `good`, `trial`, `bad` or `none`.
    pub class: String,
    pub pages: usize,
    pub good_works: usize,
}

/// One request that was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicFetch {
    pub site: u16,
    pub status: u16,
    pub truth: TopicTruth,
}

impl TopicWeb {
    /// Serves the web until the value is dropped; returns once it listens.
    ///
    /// # Panics
    /// Where it cannot be made or served.
    pub fn start(options: TopicOptions) -> TopicWeb {
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let failed = tell.clone();
            let served = serve_topics_until(options, stopped, |ready| {
                let _ = tell.send(Ok(ready.clone()));
            });
            if let Err(error) = served {
                let _ = failed.send(Err(error));
            }
        });
        let ready = told
            .recv()
            .expect("the web's thread tells or fails")
            .expect("the topical web starts");
        TopicWeb {
            ready,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// A web of the corpora on free ports.
    pub fn of(corpora: &Path, spec: TopicSpec, seed: u64) -> TopicWeb {
        TopicWeb::start(TopicOptions {
            spec,
            seed,
            topic: None,
            corpora: corpora.to_owned(),
            port: 0,
            admin_port: 0,
            search_port: 0,
            suffix: String::new(),
        })
    }

    /// Asks the control port for `path` (with its query) and returns the answer's body.
    pub fn admin(&self, path: &str) -> String {
        get(self.ready.admin, path).unwrap_or_else(|error| panic!("control port, {path}: {error}"))
    }

    /// Where the control port listens, for programs that speak to it themselves.
    pub fn admin_url(&self) -> String {
        format!("http://{}", self.ready.admin)
    }

    pub fn info(&self) -> TopicInfo {
        serde_json::from_str(&self.admin("/info")).expect("what is told of a web is JSON")
    }

    pub fn sites(&self) -> Vec<TopicSite> {
        self.admin("/sites").lines().map(read_site).collect()
    }

    /// What is true of every address, traps left out.
    pub fn truth(&self) -> Vec<TopicTruth> {
        self.admin("/truth")
            .lines()
            .map(|line| read_truth(&mut line.split('\t')))
            .collect()
    }

    /// What was asked for, in its order.
    pub fn log(&self) -> Vec<TopicFetch> {
        self.admin("/log").lines().map(read_fetch).collect()
    }

    pub fn reset(&self) {
        self.admin("/reset");
    }

    /// Documents appear, change and go.
    pub fn set_epoch(&self, epoch: u8) {
        self.admin(&format!("/set?epoch={epoch}"));
    }

    pub fn set_search(&self, mode: SearchMode) {
        let name = format!("{mode:?}").to_lowercase();
        self.admin(&format!("/set?search={name}"));
    }
}

impl Drop for TopicWeb {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read_truth<'a>(fields: &mut impl Iterator<Item = &'a str>) -> TopicTruth {
    let mut next = || fields.next().unwrap_or_default().to_owned();
    TopicTruth {
        url: next(),
        kind: next(),
        topic: next(),
        is_relevant: next() == "1",
        is_document: next() == "1",
        genre: next(),
        accept: next(),
        work: next().parse().ok(),
    }
}

fn read_fetch(line: &str) -> TopicFetch {
    let mut fields = line.split('\t');
    fields.next();
    let site = fields
        .next()
        .and_then(|site| site.parse().ok())
        .expect("a row of the log has a site");
    let url = fields.next().unwrap_or_default();
    let status = fields
        .next()
        .and_then(|status| status.parse().ok())
        .expect("a row of the log has a status");
    TopicFetch {
        site,
        status,
        truth: read_truth(&mut std::iter::once(url).chain(fields)),
    }
}

fn read_site(line: &str) -> TopicSite {
    let mut fields = line.split('\t');
    let mut next = || fields.next().unwrap_or_default().to_owned();
    TopicSite {
        url: next(),
        kind: next(),
        topic: next(),
        class: next(),
        pages: next().parse().unwrap_or(0),
        good_works: next().parse().unwrap_or(0),
    }
}
