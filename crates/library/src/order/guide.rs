//! The guide of a library's runs: the topic's judge, the learner, folders and stops behind one lock.

use super::learner::{LinkOrder, OrderRow};
use crate::directories::{Directories, FolderState};
use crate::stop::{StopRule, Yield};
use crate::topic::{TopicJudge, TopicReader};
use gleaner_frontier::{Guide, LinkScore, PageGuided, PageSeen, PlaceTurn, RowSeen};
use gleaner_model::Url;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A page that the library's filter accepts has at least this worth.
const ACCEPTED: f32 = 0.5;

/// Guides a run towards a topic.
#[derive(Debug)]
pub struct TopicGuide {
    reader: TopicReader,
    judge: TopicJudge,
    rule: StopRule,
    /// Pages that speak of the topic are what is sought; otherwise only what the library's filter accepted.
    seeks_pages: bool,
    learned: Mutex<Learned>,
}

#[derive(Debug, Default)]
struct Learned {
    order: LinkOrder,
    directories: Directories,
    /// By site.
    yields: BTreeMap<String, Yield>,
}

impl TopicGuide {
    pub fn new(reader: TopicReader, judge: TopicJudge, order: LinkOrder) -> TopicGuide {
        TopicGuide {
            reader,
            judge,
            rule: StopRule::default(),
            seeks_pages: false,
            learned: Mutex::new(Learned {
                order,
                ..Learned::default()
            }),
        }
    }

    /// Pages on the topic count as found, as accepted documents do.
    #[must_use]
    pub fn seeking_pages(mut self) -> TopicGuide {
        self.seeks_pages = true;
        self
    }

    /// What was learned of folders before, and when sites are left.
    #[must_use]
    pub fn with_folders(mut self, directories: Directories, rule: StopRule) -> TopicGuide {
        self.rule = rule;
        self.lock().directories = directories;
        self
    }

    /// What was learned of folders, for the next run.
    pub fn directories(&self) -> Directories {
        self.lock().directories.clone()
    }

    /// What a site gave until now.
    pub fn yield_of(&self, site: &str) -> Option<Yield> {
        self.lock().yields.get(site).copied()
    }

    fn lock(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn promise(&self, url: &Url, anchor: &str) -> f32 {
        self.judge.promise(&self.reader.link(url, anchor))
    }

    fn count(&self, learned: &mut Learned, url: &Url, is_accepted: bool) {
        learned.directories.fetched(url.origin(), url.path(), is_accepted);
        let site = learned.yields.entry(url.origin().to_owned()).or_default();
        site.fetched(&self.rule, is_accepted);
    }
}

impl Guide for TopicGuide {
    fn page(&self, page: &PageSeen<'_>) -> PageGuided {
        let by_topic = page
            .content
            .map(|content| self.judge.score(&self.reader.read(page.url, page.title, content)));
        let worth = page.worth.or(by_topic).unwrap_or(0.0).clamp(0.0, 1.0);
        // Where only the topic's judge speaks, a page that may or may not be on it teaches little.
        let taught = page.worth.map_or(worth * worth, |_| worth);
        let promises: Vec<f32> = page
            .links
            .iter()
            .map(|link| self.promise(link.url, link.anchor))
            .collect();
        let promise = self.promise(page.url, "");
        let mut learned = self.lock();
        let is_accepted = worth >= ACCEPTED && (self.seeks_pages || page.worth.is_some());
        self.count(&mut learned, page.url, is_accepted);
        learned.order.fetched(page.url, taught, promise);
        let scores = learned.order.links(page, worth, &promises);
        PageGuided { worth, scores }
    }

    fn nothing(&self, url: &Url) {
        let promise = self.promise(url, "");
        let mut learned = self.lock();
        self.count(&mut learned, url, false);
        learned.order.fetched(url, 0.0, promise);
    }

    fn judged(&self, url: &Url, worth: f32) {
        let mut learned = self.lock();
        learned.order.judged(url, worth.clamp(0.0, 1.0));
        if worth >= ACCEPTED {
            learned.directories.accepted(url.origin(), url.path());
            learned
                .yields
                .entry(url.origin().to_owned())
                .or_default()
                .accepted();
        }
    }

    fn is_due(&self, host: &str) -> bool {
        self.lock().order.is_due(host)
    }

    fn rescore(&self, rows: &[RowSeen<'_>]) -> Vec<LinkScore> {
        self.lock().order.rescore(&order_rows(rows))
    }

    fn choose(&self, rows: &[RowSeen<'_>], chance: u64) -> Option<usize> {
        self.lock().order.choose(&order_rows(rows), chance)
    }

    fn place(&self, url: &Url, chance: u64) -> PlaceTurn {
        let learned = self.lock();
        let site = learned
            .yields
            .get(url.origin())
            .map(|site| site.judge(&self.rule));
        if let Some(verdict) = site.filter(crate::stop::StopVerdict::is_stop) {
            return PlaceTurn::Left(verdict.to_string());
        }
        let draw = (chance >> 11) as f64 / (1u64 << 53) as f64;
        let folder = learned
            .directories
            .judge(url.origin(), url.path(), &self.rule, draw);
        match folder {
            Some(verdict) if verdict.state == FolderState::Paused => PlaceTurn::Paused(verdict.to_string()),
            _ => PlaceTurn::Open,
        }
    }

    fn save(&self) -> Vec<u8> {
        self.lock().order.save()
    }
}

fn order_rows<'a>(rows: &[RowSeen<'a>]) -> Vec<OrderRow<'a>> {
    rows.iter()
        .map(|row| OrderRow {
            url: row.url,
            score: row.score,
        })
        .collect()
}
