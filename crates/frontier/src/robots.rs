//! Does robots.txt let us? (A7, RFC 9309)
//!
//! In: the bytes of a robots.txt and our product token. Out: a decision per URL with the line that made it, the
//! crawl-delay and the sitemaps. Fetching the file, its redirects and its cache are the run's part; /robots.txt itself
//! is fetched without asking here (RFC 9309 2.2.2 allows it implicitly).
//!
//! Where the RFC is silent, Google's published parser is followed, because sites are written against it: frequent
//! typing mistakes, a missing colon, `Allow: …/index.html` allowing the folder. Only lines of groups that name us
//! (or of `*`, if none does) are kept. Of all rules that match, the one with the most octets wins, and Allow wins a tie.
//!
//! Two readings of percent-encoding exist. [`Robots::decide`] compares normal forms, as the RFC asks
//! (`%62` is `b`); [`Robots::decide_text`] compares the octets of a URL as written, as Google's matcher does.

mod lines;
mod pattern;
mod state;

#[cfg(test)]
mod tests;

pub use state::RobotsState;

use crate::prefixes::Prefixes;
use gleaner_model::{Url, defaults};
use lines::Record;
use pattern::{Glob, Spelling};
use std::time::Duration;

/// The rules of one robots.txt that concern us.
#[derive(Debug, Clone, Default)]
pub struct Robots {
    lines: Vec<Line>,
    /// Rules without `*` and `$`, in normal form.
    plain: Prefixes<u32>,
    /// The others, most octets first and Allow before Disallow: the first that matches wins.
    globs: Vec<(Glob, u32)>,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
}

#[derive(Debug, Clone)]
struct Line {
    allow: bool,
    number: u32,
    value: Box<[u8]>,
}

/// What robots.txt says about one URL, and where it says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsDecision {
    pub allowed: bool,
    /// The line that decided, as `Disallow: /private/`; none if no rule matches.
    pub rule: Option<String>,
    /// Its number in the file, from 1.
    pub line: Option<u32>,
}

impl Robots {
    /// Reads a robots.txt for the crawler whose product token is `agent`. Never fails: what makes no sense is skipped.
    pub fn parse(bytes: &[u8], agent: &str) -> Robots {
        let text = lines::decode(lines::within_limit(bytes));
        let mut ours = Group::default();
        let mut anyone = Group::default();
        let mut sitemaps = Vec::new();
        let (mut in_ours, mut in_anyone, mut rules_seen, mut named) = (false, false, false, false);
        for (number, record) in lines::records(&text) {
            match record {
                Record::UserAgent(value) => {
                    if rules_seen {
                        (in_ours, in_anyone, rules_seen) = (false, false, false);
                    }
                    if value.first() == Some(&b'*') && value.get(1).is_none_or(u8::is_ascii_whitespace) {
                        in_anyone = true;
                    } else if product_token(value).eq_ignore_ascii_case(agent.as_bytes()) {
                        in_ours = true;
                        named = true;
                    }
                }
                Record::Allow(value) | Record::Disallow(value) => {
                    // A rule before any group, or in a group for others, does not end a list of agents of ours.
                    if !in_ours && !in_anyone {
                        continue;
                    }
                    rules_seen = true;
                    let group = if in_ours { &mut ours } else { &mut anyone };
                    if !value.is_empty() {
                        let allow = matches!(record, Record::Allow(_));
                        group.lines.push(Line {
                            allow,
                            number,
                            value: value.into(),
                        });
                    }
                }
                Record::CrawlDelay(value) => {
                    if in_ours {
                        ours.delay(value);
                    } else if in_anyone {
                        anyone.delay(value);
                    }
                }
                Record::Sitemap(value) => {
                    if sitemaps.len() < defaults::SITEMAPS_PER_HOST_MAX as usize && !value.is_empty() {
                        sitemaps.push(String::from_utf8_lossy(value).into_owned());
                    }
                }
            }
        }
        Robots::compile(if named { ours } else { anyone }, sitemaps)
    }

    fn compile(group: Group, sitemaps: Vec<String>) -> Robots {
        let mut plain: Vec<(Box<[u8]>, u32)> = Vec::new();
        let mut globs: Vec<(Glob, u32)> = Vec::new();
        for (index, line) in (0u32..).zip(&group.lines) {
            let forms = pattern::forms(&line.value, line.allow, Spelling::Normal);
            for glob in forms.into_iter().flatten() {
                match glob.into_plain() {
                    Ok(prefix) => plain.push((prefix, index)),
                    Err(glob) => globs.push((glob, index)),
                }
            }
        }
        let lines = &group.lines;
        let allows = |index: u32| lines[index as usize].allow;
        let plain = Prefixes::new(plain, |kept, other| {
            if !allows(*kept) && allows(other) {
                *kept = other;
            }
        });
        globs.sort_by_key(|(glob, index)| (std::cmp::Reverse(glob.octets()), !allows(*index)));
        Robots {
            plain,
            globs,
            crawl_delay: group.crawl_delay,
            sitemaps,
            lines: group.lines,
        }
    }

    /// Whether our canonical `url` may be fetched; no allocation for the usual URL.
    pub fn allows(&self, url: &Url) -> bool {
        self.lines.is_empty()
            || self
                .deciding(url.request_target().as_bytes())
                .is_none_or(|i| self.lines[i].allow)
    }

    /// As [`Robots::allows`], with the line that decided.
    pub fn decide(&self, url: &Url) -> RobotsDecision {
        self.decision(self.deciding(url.request_target().as_bytes()))
    }

    /// Decides over a URL as somebody wrote it, octet for octet. Slower; for files and URLs that are not ours.
    pub fn decide_text(&self, url: &str) -> RobotsDecision {
        let target = pattern::target_of(url);
        let mut best: Option<(usize, bool, usize)> = None;
        for (index, line) in self.lines.iter().enumerate() {
            let forms = pattern::forms(&line.value, line.allow, Spelling::Verbatim);
            for glob in forms.into_iter().flatten() {
                let better =
                    best.is_none_or(|(octets, allow, _)| (glob.octets(), line.allow) > (octets, allow));
                if better && glob.matches(target.as_bytes()) {
                    best = Some((glob.octets(), line.allow, index));
                }
            }
        }
        self.decision(best.map(|(_, _, index)| index))
    }

    /// The index of the line that decides over a path and query.
    fn deciding(&self, target: &[u8]) -> Option<usize> {
        let target = pattern::normal(target);
        let plain = self
            .plain
            .of(&target)
            .next()
            .map(|(octets, &index)| (octets, index as usize));
        for (glob, index) in &self.globs {
            let index = *index as usize;
            if let Some((octets, plain_index)) = plain {
                let wins = glob.octets() > octets
                    || glob.octets() == octets && self.lines[index].allow && !self.lines[plain_index].allow;
                if glob.octets() < octets {
                    break;
                }
                if !wins {
                    continue;
                }
            }
            if glob.matches(&target) {
                return Some(index);
            }
        }
        plain.map(|(_, index)| index)
    }

    fn decision(&self, index: Option<usize>) -> RobotsDecision {
        let Some(line) = index.map(|i| &self.lines[i]) else {
            return RobotsDecision {
                allowed: true,
                rule: None,
                line: None,
            };
        };
        let name = if line.allow { "Allow" } else { "Disallow" };
        let rule = format!("{name}: {}", String::from_utf8_lossy(&line.value));
        RobotsDecision {
            allowed: line.allow,
            rule: Some(rule),
            line: Some(line.number),
        }
    }

    /// The longest wait our groups ask for, at most [`defaults::CRAWL_DELAY_MAX`].
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// As written, in order: possibly relative, possibly on other hosts.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// How many rules concern us.
    pub fn rules_count(&self) -> usize {
        self.lines.len()
    }
}

/// Lines gathered from all groups with the same agent.
#[derive(Default)]
struct Group {
    lines: Vec<Line>,
    crawl_delay: Option<Duration>,
}

impl Group {
    /// Zero, negative and wordy delays say nothing. Of several the longest counts: it offends nobody.
    fn delay(&mut self, value: &[u8]) {
        let seconds = std::str::from_utf8(value)
            .ok()
            .and_then(|v| v.parse::<f64>().ok());
        let Some(seconds) = seconds.filter(|s| s.is_finite() && *s > 0.0) else {
            return;
        };
        let delay = Duration::from_secs_f64(seconds.min(defaults::CRAWL_DELAY_MAX.as_secs_f64()));
        self.crawl_delay = self.crawl_delay.max(Some(delay));
    }
}

/// `foobot` of `foobot/1.0 (…)`: RFC 9309 2.2.1 lets a token hold letters, `_` and `-` only.
fn product_token(value: &[u8]) -> &[u8] {
    let end = value
        .iter()
        .position(|b| !(b.is_ascii_alphabetic() || matches!(b, b'_' | b'-')));
    &value[..end.unwrap_or(value.len())]
}
