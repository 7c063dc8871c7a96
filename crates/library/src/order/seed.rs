//! S1's own order, for comparison: breadth first, with its rules about folders and its stop, as printed; repaired where they cannot run.
//!
//! As printed a link of a site's first crawl enters if it was not crawled and robots.txt allows it. In later crawls it must not lie in
//! a folder that gave nothing, or in one whose name is on the list of names, nor deeper than a level. Repaired: its loop compared
//! with `pid` and never ended, and addresses that were seen were not left out. Links to documents wait for the end in S1; here
//! they have their turn with the pages, because one budget counts both.

use crate::stop::SeedStop;
use gleaner_frontier::{Guide, LinkScore, PageGuided, PageSeen, PlaceTurn, RowSeen};
use gleaner_model::Url;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What S1 learned from a crawl.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SeedKnowledge {
    /// Names of folders on all sites ([`crate::directories::seed_stop_list`]).
    pub stop_list: BTreeSet<String>,
    /// Folders of roots below which nothing was found: host, and path with the slash at its end.
    pub avoided: BTreeSet<(String, String)>,
    /// Segments of a path.
    pub level_max: Option<usize>,
}

/// S1's order.
#[derive(Debug, Default)]
pub struct SeedGuide {
    knowledge: SeedKnowledge,
    sites: Mutex<BTreeMap<String, SeedSite>>,
}

#[derive(Debug, Default)]
struct SeedSite {
    pages: u64,
    downloaded: u64,
    stop: SeedStop,
    is_over: bool,
}

impl SeedGuide {
    pub fn new(knowledge: SeedKnowledge) -> SeedGuide {
        SeedGuide {
            knowledge,
            ..SeedGuide::default()
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, SeedSite>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fetched(&self, url: &Url) {
        let mut sites = self.lock();
        let site = sites.entry(url.origin().to_owned()).or_default();
        if is_file(url) {
            site.downloaded += 1;
            return;
        }
        site.pages += 1;
        let (pages, downloaded) = (site.pages, site.downloaded);
        site.is_over |= site.stop.is_over(pages, downloaded);
    }

    fn refuses(&self, url: &Url) -> Option<String> {
        let segments: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
        if self.knowledge.level_max.is_some_and(|most| segments.len() > most) {
            return Some("deeper than the level that was set".to_owned());
        }
        let folders = &segments[..segments
            .len()
            .saturating_sub(usize::from(!url.path().ends_with('/')))];
        if let Some(name) = folders
            .last()
            .filter(|name| self.knowledge.stop_list.contains(**name))
        {
            return Some(format!(
                "documents of folders with this name were all rejected: {name}"
            ));
        }
        let root = folders.first().map(|first| format!("/{first}/"))?;
        let is_avoided = self
            .knowledge
            .avoided
            .contains(&(url.origin().to_owned(), root.clone()));
        is_avoided.then(|| format!("no document was found below this folder: {root}"))
    }
}

/// A link to a file, by its ending (S1's list).
fn is_file(url: &Url) -> bool {
    let name = url.path().rsplit('/').next().unwrap_or("").to_ascii_lowercase();
    let name = name
        .strip_suffix(".gz")
        .or(name.strip_suffix(".z"))
        .unwrap_or(&name);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(
        ending,
        "txt" | "doc" | "pdf" | "ps" | "tex" | "rtf" | "ppt" | "xml"
    )
}

impl Guide for SeedGuide {
    fn page(&self, page: &PageSeen<'_>) -> PageGuided {
        self.fetched(page.url);
        // Nearer ones first, and among them those found first.
        let depth = u16::try_from(page.depth + 1).unwrap_or(u16::MAX);
        PageGuided {
            worth: 0.0,
            scores: vec![LinkScore(u16::MAX - depth); page.links.len()],
        }
    }

    fn nothing(&self, url: &Url) {
        self.fetched(url);
    }

    fn judged(&self, _: &Url, _: f32) {}

    fn is_due(&self, _: &str) -> bool {
        false
    }

    fn rescore(&self, rows: &[RowSeen<'_>]) -> Vec<LinkScore> {
        rows.iter().map(|row| row.score).collect()
    }

    fn choose(&self, rows: &[RowSeen<'_>], _: u64) -> Option<usize> {
        let best = rows.iter().map(|row| row.score).max()?;
        rows.iter().position(|row| row.score == best)
    }

    fn place(&self, url: &Url, _: u64) -> PlaceTurn {
        if self.lock().get(url.origin()).is_some_and(|site| site.is_over) {
            return PlaceTurn::Left(
                "after 11,000 pages fewer than one in a hundred was a document".to_owned(),
            );
        }
        self.refuses(url).map_or(PlaceTurn::Open, PlaceTurn::Paused)
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }
}
