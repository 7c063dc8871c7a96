//! A site that is written down: what it has, how long its answers take, which of them fail.

mod editions;
mod story;

use self::story::Story;
use async_trait::async_trait;
use gleaner_model::chance::SplitMix;
use gleaner_model::{Chance, Reason, Timestamp, Url};
use gleaner_units::{Answer, Ask, Body, Exchange, Headers, Redirect, Unclear, Unit, UnitError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

const HOSTS: u64 = 3;
const PAGES_MAX: u64 = 40;
/// Failures in a row are few, so that no host counts as down.
const FAILS_ONE_OF: u64 = 12;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    Page(Story),
    Redirect {
        to: String,
    },
    Missing,
    /// It is asked for in vain.
    Broken,
}

/// What a run must find.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Expected {
    pub(super) pages: u64,
    pub(super) redirects: u64,
    pub(super) missing: u64,
}

#[derive(Debug, Default, Clone)]
pub(super) struct Asked {
    /// Answers for pages that were given whole.
    pub(super) answers: u64,
    /// Of each host: in which part of the run and when it was asked, and for what.
    starts: BTreeMap<String, Vec<(u64, Duration, String)>>,
    part: u64,
    failed: BTreeSet<String>,
    failed_last: BTreeSet<String>,
}

pub(super) struct ScriptedSite {
    entries: BTreeMap<String, Entry>,
    seed: String,
    /// Folders that robots.txt forbids, by the host.
    forbidden: BTreeMap<String, &'static str>,
    /// Hosts that nobody can reach.
    away: BTreeSet<String>,
    dice: SplitMix,
    fails: bool,
    slowest_ms: u64,
    asked: Mutex<Asked>,
}

// Words, not numbers: what looks as if it could go on for ever is for other tests.
const WORDS: [&str; 8] = ["ash", "beech", "cedar", "elm", "fir", "larch", "oak", "yew"];

fn address(host: u64, page: u64) -> String {
    let (one, two) = (WORDS[(page % 8) as usize], WORDS[(page / 8 % 8) as usize]);
    match page {
        0 => format!("http://h{host}.test/"),
        _ => format!("http://h{host}.test/{two}/{one}"),
    }
}

fn forbidden_folders(hosts: u64, dice: &SplitMix) -> BTreeMap<String, &'static str> {
    let forbidden = (0..hosts).filter_map(|host| {
        let folder = WORDS.get((dice.next() % 12) as usize)?;
        Some((format!("h{host}.test"), *folder))
    });
    forbidden.collect()
}

impl ScriptedSite {
    pub(super) fn new(seed: u64) -> ScriptedSite {
        let dice = SplitMix::seeded(seed);
        let below = |limit: u64| dice.next() % limit;
        let hosts = 1 + below(HOSTS);
        let pages = 1 + below(PAGES_MAX);
        let any = |limit: u64| address(below(hosts), below(limit));
        let mut entries = BTreeMap::new();
        for host in 0..hosts {
            for page in 0..pages {
                let entry = match below(10) {
                    0 if page > 0 => Entry::Missing,
                    // Back towards the home page, so that none leads in a circle.
                    1 if page > 0 => Entry::Redirect {
                        to: address(host, below(page)),
                    },
                    _ => Entry::Page(Story {
                        number: host * PAGES_MAX + page,
                        revision: 0,
                        links: (0..below(7)).map(|_| any(pages + 3)).collect(),
                    }),
                };
                entries.insert(address(host, page), entry);
            }
        }
        let forbidden = forbidden_folders(hosts, &dice);
        let (fails, slowest_ms) = (below(2) == 0, 1 + below(3000));
        ScriptedSite {
            entries,
            seed: address(0, 0),
            forbidden,
            away: BTreeSet::new(),
            dice,
            fails,
            slowest_ms,
            asked: Mutex::default(),
        }
    }

    pub(super) fn seed(&self) -> Url {
        Url::parse(&self.seed).expect("a URL")
    }

    /// All that can be reached from the seed.
    pub(super) fn expected(&self) -> Expected {
        let (mut expected, mut seen) = (Expected::default(), BTreeSet::new());
        let mut waiting = vec![self.seed.clone()];
        while let Some(url) = waiting.pop() {
            if self.is_forbidden(&url) || !seen.insert(url.clone()) {
                continue;
            }
            match self.entries.get(&url) {
                Some(Entry::Page(story)) => {
                    expected.pages += 1;
                    waiting.extend(story.links.iter().cloned());
                }
                Some(Entry::Redirect { to }) => {
                    expected.redirects += 1;
                    waiting.push(to.clone());
                }
                Some(Entry::Missing) | None => expected.missing += 1,
                Some(Entry::Broken) => {}
            }
        }
        expected
    }

    fn is_forbidden(&self, url: &str) -> bool {
        let mut parts = url.split('/').skip(2);
        let (host, folder) = (parts.next(), parts.next());
        host.and_then(|host| self.forbidden.get(host)).copied() == folder
    }

    /// Requests for what robots.txt forbids.
    pub(super) fn forbidden_requests(&self) -> Vec<String> {
        let asked = self.lock();
        let all = asked.starts.values().flatten().map(|(_, _, url)| url);
        all.filter(|url| self.is_forbidden(url)).cloned().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn asked(&self) -> Asked {
        self.lock().clone()
    }

    /// Another process goes on; it does not know when the one before asked last.
    pub(super) fn next_part(&self) {
        self.lock().part += 1;
    }

    /// Requests that came sooner after the one before than `delay`.
    pub(super) fn too_early(&self, delay: Duration) -> Vec<String> {
        let asked = self.lock();
        let mut early = Vec::new();
        for (host, starts) in &asked.starts {
            for pair in starts.windows(2) {
                let [(part, before, _), (now_part, now, what)] = pair else {
                    continue;
                };
                let gap = now.saturating_sub(*before);
                if part == now_part && gap + Duration::from_millis(1) < delay {
                    early.push(format!("{host}: {what} after {gap:?}"));
                }
            }
        }
        early
    }

    /// Whether this answer does not come. Each address fails once at most, and no host twice in a row.
    fn is_failing(&self, url: &str, host: &str) -> bool {
        if !self.fails || !self.dice.next().is_multiple_of(FAILS_ONE_OF) {
            self.lock().failed_last.remove(host);
            return false;
        }
        let mut asked = self.lock();
        let is_failing = asked.failed_last.insert(host.to_owned()) && asked.failed.insert(url.to_owned());
        if !is_failing {
            asked.failed_last.remove(host);
        }
        is_failing
    }
}

fn answer(status: u16, media_type: &str, body: String, started: Timestamp) -> Exchange {
    let mut headers = Headers::default();
    headers.push("content-type", media_type.as_bytes());
    let head = format!("HTTP/1.1 {status} X\r\ncontent-type: {media_type}\r\n\r\n");
    Exchange {
        request_head: b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        response_head: head.into_bytes(),
        status,
        headers,
        wire_bytes: body.len() as u64,
        body: Body::Memory(body.into_bytes().into()),
        protocol: "http/1.1",
        ..Exchange::empty(started)
    }
}

#[async_trait]
impl Unit for ScriptedSite {
    fn schemes(&self) -> &'static [&'static str] {
        &["http"]
    }

    async fn fetch(&self, ask: &Ask) -> Result<Answer, UnitError> {
        let (url, host) = (ask.url.as_str(), ask.url.host());
        let started = Instant::now();
        {
            let mut asked = self.lock();
            let start = (asked.part, virtual_time(), url.to_owned());
            asked.starts.entry(host.to_owned()).or_default().push(start);
        }
        let takes = self.dice.next() % self.slowest_ms;
        tokio::time::sleep(Duration::from_millis(takes)).await;
        let at = Timestamp(1_700_000_000_000);
        let took = |mut exchange: Exchange| {
            exchange.first_byte = started.elapsed();
            exchange.elapsed = started.elapsed();
            exchange
        };
        if self.away.contains(host) {
            return Ok(Answer::Unclear(Unclear::plain(Reason::ConnectRefused, "")));
        }
        if ask.url.path() == "/robots.txt" {
            return Ok(match self.forbidden.get(host) {
                Some(folder) => {
                    let rules = format!("User-agent: *\nDisallow: /{folder}/\n");
                    Answer::Here(took(answer(200, "text/plain", rules, at)))
                }
                None => Answer::Gone(took(answer(404, "text/plain", String::new(), at))),
            });
        }
        if self.is_failing(url, host) || self.entries.get(url) == Some(&Entry::Broken) {
            return Ok(Answer::Unclear(Unclear::plain(Reason::Reset, "")));
        }
        self.lock().answers += 1;
        Ok(match self.entries.get(url) {
            Some(Entry::Page(story)) => Answer::Here(took(answer(200, "text/html", story.html(), at))),
            Some(Entry::Redirect { to }) => {
                let redirect = Redirect {
                    status: 301,
                    location: to.clone(),
                    target: Url::parse(to),
                };
                Answer::Moved(took(answer(301, "text/html", String::new(), at)), redirect)
            }
            Some(Entry::Missing | Entry::Broken) | None => {
                Answer::Gone(took(answer(404, "text/html", "<p>no".to_owned(), at)))
            }
        })
    }
}

/// Since the process began, by the clock of the runtime.
fn virtual_time() -> Duration {
    super::worker::since_start()
}
