//! How large is the web, and what is it mixed of? Read from a JSON file; unknown keys are refused.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// What a site is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteKind {
    /// A research group: people, publications, teaching.
    Group,
    /// Thousands of documents with a page about each.
    Archive,
    /// Many departments, news, a library catalogue; at most a department or two are on the topic.
    University,
    /// Documentation, lists of questions, manuals.
    Manual,
    /// Documents near the home page, then thousands of pages of a mailing list.
    Tail,
    /// Threads; no documents.
    Forum,
    Shop,
    Blog,
    /// Pages of links to others.
    Hub,
    /// In another language.
    Foreign,
    /// An archive that gives each document ever-new names.
    Renaming,
    /// The pages of another site under another host.
    Mirror,
    /// Every address redirects to another site.
    Moved,
    /// Refuses connections, or answers 503.
    Dead,
}

/// So many sites of a kind on the topic and off it, with so many pages each.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteMix {
    pub kind: SiteKind,
    #[serde(default)]
    pub on: usize,
    #[serde(default)]
    pub off: usize,
    /// From the smallest to the largest site of the kind.
    pub pages: [usize; 2],
}

/// What `bench/topicweb.json` says.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicSpec {
    /// The webs that are made of it; the worst figure counts.
    pub seeds: Vec<u64>,
    pub mix: Vec<SiteMix>,
    /// Fetches that each mode of a library may spend.
    pub budget: u64,
    /// Good documents and good sites that a library is shown.
    pub examples: usize,
    pub known_sites: usize,
    /// Of a hundred documents, so many are copies of one at another site.
    pub copies_percent: usize,
    /// Of a hundred, so many are there in a second format.
    pub formats_percent: usize,
    /// Of a hundred documents of an on-topic site, so many are about something else.
    pub strayed_percent: usize,
    /// Of a hundred sites, so many have a trap, and so many are slow.
    pub traps_percent: usize,
    pub slow_percent: usize,
    pub slow_ms: u64,
    /// Of a hundred sites, so many are found by the search service.
    pub searched_percent: usize,
    /// Of a hundred documents, so many appear, change or go at each later epoch.
    pub new_percent: usize,
    pub changed_percent: usize,
    pub gone_percent: usize,
}

impl TopicSpec {
    pub fn read(path: &Path) -> Result<TopicSpec> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let spec: TopicSpec = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        ensure!(!spec.seeds.is_empty(), "no seeds: {}", path.display());
        ensure!(
            spec.mix.iter().any(|mix| mix.on > 0),
            "no site is on the topic: {}",
            path.display()
        );
        Ok(spec)
    }

    /// A web of a dozen sites and about a thousand pages, for tests.
    pub fn small() -> TopicSpec {
        let mix = |kind, on, off, least, most| SiteMix {
            kind,
            on,
            off,
            pages: [least, most],
        };
        TopicSpec {
            seeds: vec![1],
            mix: vec![
                mix(SiteKind::Group, 3, 2, 40, 90),
                mix(SiteKind::Manual, 1, 1, 20, 40),
                mix(SiteKind::Tail, 1, 0, 300, 300),
                mix(SiteKind::Hub, 1, 1, 6, 10),
                mix(SiteKind::Shop, 0, 2, 20, 40),
                mix(SiteKind::Blog, 0, 1, 20, 30),
                mix(SiteKind::Dead, 1, 0, 10, 10),
                mix(SiteKind::Mirror, 1, 0, 0, 0),
                mix(SiteKind::Moved, 1, 0, 0, 0),
            ],
            budget: 400,
            examples: 4,
            known_sites: 1,
            copies_percent: 10,
            formats_percent: 15,
            strayed_percent: 10,
            traps_percent: 0,
            slow_percent: 0,
            slow_ms: 0,
            searched_percent: 70,
            new_percent: 5,
            changed_percent: 5,
            gone_percent: 2,
        }
    }
}
