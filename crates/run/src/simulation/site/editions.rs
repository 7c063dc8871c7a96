//! How the scripted site changes between two runs, and what a track may say of each page then.

use super::{Asked, Entry, ScriptedSite, Story, forbidden_folders};
use gleaner_model::chance::SplitMix;
use gleaner_model::{Chance, State};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// A host of which more is gone, or whose home page changed, may be taken for one that is away.
const GONE_ONE_OF: usize = 4;
/// One host in so many cannot be reached at all.
const AWAY_ONE_OF: u64 = 6;

fn host_of(url: &str) -> &str {
    url.split('/').nth(2).unwrap_or_default()
}

fn is_home(url: &str) -> bool {
    url.matches('/').count() == 3 && url.ends_with('/')
}

impl ScriptedSite {
    /// The site some days later. Some seeds change much, some little, some nothing.
    pub(in super::super) fn next_edition(&self) -> ScriptedSite {
        let dice = SplitMix::seeded(self.dice.next());
        let below = |limit: u64| dice.next() % limit;
        let changes_one_of = [0, 3, 10, 10][below(4) as usize];
        let breaks = below(4) == 0;
        let mut entries = self.entries.clone();
        let urls: Vec<String> = entries.keys().cloned().collect();
        let mut new_stories = 10_000 + below(1 << 40);
        for url in &urls {
            if changes_one_of == 0 || below(changes_one_of) != 0 {
                continue;
            }
            new_stories += 1;
            let changed = match (&self.entries[url], below(8)) {
                (Entry::Page(story), 0..=3) => Entry::Page(Story {
                    revision: story.revision + 1,
                    ..story.clone()
                }),
                (Entry::Page(_), 4) => Entry::Missing,
                (Entry::Page(_), 5) if breaks => Entry::Broken,
                (Entry::Page(_), 5 | 6) if !is_home(url) => Entry::Redirect {
                    to: format!("http://{}/", host_of(url)),
                },
                (Entry::Page(story), _) => {
                    self.renamed(&mut entries, story, &urls[below(urls.len() as u64) as usize])
                }
                _ => Entry::Page(Story {
                    number: new_stories,
                    revision: 0,
                    links: vec![urls[below(urls.len() as u64) as usize].clone()],
                }),
            };
            entries.insert(url.clone(), changed);
        }
        let hosts: BTreeSet<&str> = urls.iter().map(|url| host_of(url)).collect();
        let forbidden = match below(3) {
            0 => forbidden_folders(hosts.len() as u64, &dice),
            _ => self.forbidden.clone(),
        };
        let away = hosts.into_iter().filter(|_| below(AWAY_ONE_OF) == 0);
        ScriptedSite {
            away: away.map(str::to_owned).collect(),
            entries,
            seed: self.seed.clone(),
            forbidden,
            fails: below(2) == 0,
            slowest_ms: 1 + below(3000),
            asked: Mutex::new(Asked::default()),
            dice,
        }
    }

    /// The page lies at another address now, if nothing does there.
    fn renamed(&self, entries: &mut BTreeMap<String, Entry>, story: &Story, to: &str) -> Entry {
        if entries[to] == Entry::Missing && self.entries[to] == Entry::Missing {
            entries.insert(to.to_owned(), Entry::Page(story.clone()));
            Entry::Missing
        } else {
            Entry::Page(story.clone())
        }
    }

    fn story_at(&self, url: &str) -> Option<&Story> {
        match self.entries.get(url) {
            Some(Entry::Page(story)) if !self.is_forbidden(url) => Some(story),
            _ => None,
        }
    }

    /// Whether a document may be new at an address.
    pub(in super::super) fn has_page(&self, url: &str) -> bool {
        self.story_at(url).is_some() && !self.away.contains(host_of(url))
    }

    /// What a track may say of the document at an address that was last looked at in this edition. `others`: those in which any
    /// document of the site was.
    pub(in super::super) fn fates(
        &self,
        seen: &ScriptedSite,
        others: &[&ScriptedSite],
        url: &str,
    ) -> Vec<State> {
        let host = host_of(url);
        if self.away.contains(host) {
            return vec![State::Err];
        }
        let before = seen.story_at(url);
        let mut fates = match self.entries.get(url) {
            // Nobody may look.
            _ if self.is_forbidden(url) => vec![State::Err],
            Some(Entry::Page(now)) if before == Some(now) => vec![State::Sam],
            Some(Entry::Page(_)) => vec![State::Upd],
            Some(Entry::Missing) | None => vec![State::Mis],
            Some(Entry::Redirect { .. } | Entry::Broken) => vec![State::Err],
        };
        let is_elsewhere = |story: &Story| {
            let mut pages = self.entries.values();
            pages.any(|entry| matches!(entry, Entry::Page(other) if other.number == story.number))
        };
        if self.story_at(url).is_none() && before.is_some_and(is_elsewhere) {
            fates.extend([State::Sam, State::Upd]); // It moved.
        }
        if !self.is_calm(others, host) {
            fates.push(State::Err);
        }
        fates
    }

    /// Whether what a host's server says of its pages is believed at once.
    fn is_calm(&self, seen: &[&ScriptedSite], host: &str) -> bool {
        let of_host = || self.entries.iter().filter(|(url, _)| host_of(url) == host);
        let was_page = |url: &str| seen.iter().any(|site| site.story_at(url).is_some());
        let is_lost = |url: &str| was_page(url) && self.story_at(url).is_none();
        let home = format!("http://{host}/");
        let is_home_same = seen
            .iter()
            .all(|site| site.story_at(&home) == self.story_at(&home));
        let (lost, all) = (
            of_host().filter(|(url, _)| is_lost(url)).count(),
            of_host().filter(|(url, _)| was_page(url)).count(),
        );
        let breaks = of_host().any(|(_, entry)| *entry == Entry::Broken);
        is_home_same && self.story_at(&home).is_some() && !breaks && lost * GONE_ONE_OF <= all
    }
}
