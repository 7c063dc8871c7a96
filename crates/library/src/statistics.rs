//! What did a site bring, and what did it cost? (G7; S1 3.4 and 4.4, its tables 10, 11 and 26, figures 25 and 27)
//!
//! Counts are kept, rates are made from them when they are asked for, so that tallies of folders, sites and runs can be added.
//! S1's names stay: DDR is documents downloaded for pages visited, ADR and RDR the share of downloads that were accepted and
//! rejected, SSRC how often other domains point at the site. Its integer percentages are `percent` (cut off, its table 10) and
//! `percent_rounded` (its table 11).

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the stored form of [`Tally`].
pub const VERSION: u32 = 1;

/// What happened at a site, in a folder, at a level of folders.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    pub pages: u64,
    pub downloaded: DocumentCounts,
    /// Requests of any kind, also in vain.
    pub fetches: u64,
    pub time_ms: u64,
    /// Distinct domains that link here, and their links; S1's SSRC is the second.
    pub linking_domains: u64,
    pub links_from_outside: u64,
    /// Links that lead away from the site, and all.
    pub links_out: u64,
    pub links: u64,
    pub by_type: BTreeMap<String, DocumentCounts>,
    pub by_size: BTreeMap<SizeBand, DocumentCounts>,
    /// By the word of the reason.
    pub errors: BTreeMap<String, u64>,
    /// By how many folders lie above a document; a document in the root has level 1.
    pub by_level: BTreeMap<u32, DocumentCounts>,
}

/// Documents by what the filter said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentCounts {
    pub all: u64,
    pub accepted: u64,
    pub rejected: u64,
}

/// Sizes that are told apart; the first is what S1 does not download.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SizeBand {
    Below8Kb,
    Below50Kb,
    Below200Kb,
    Below1Mb,
    Larger,
}

impl SizeBand {
    pub fn of(bytes: u64) -> SizeBand {
        match bytes {
            0..8_192 => SizeBand::Below8Kb,
            8_192..51_200 => SizeBand::Below50Kb,
            51_200..204_800 => SizeBand::Below200Kb,
            204_800..1_048_576 => SizeBand::Below1Mb,
            _ => SizeBand::Larger,
        }
    }
}

/// What the filter said about a document; `None` where it has not been asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download<'a> {
    pub kind: &'a str,
    pub bytes: u64,
    pub level: u32,
    pub is_accepted: Option<bool>,
}

impl DocumentCounts {
    fn add(&mut self, is_accepted: Option<bool>) {
        self.all += 1;
        self.accepted += u64::from(is_accepted == Some(true));
        self.rejected += u64::from(is_accepted == Some(false));
    }

    fn merge(&mut self, other: DocumentCounts) {
        self.all += other.all;
        self.accepted += other.accepted;
        self.rejected += other.rejected;
    }

    /// ADR: of what was downloaded, the share that was accepted.
    pub fn accepted_rate(&self) -> PartOf {
        PartOf(self.accepted, self.all)
    }

    /// RDR. Not 1 − ADR, as S1 has it, while some are not judged yet.
    pub fn rejected_rate(&self) -> PartOf {
        PartOf(self.rejected, self.all)
    }
}

/// A part of a whole; no number where there is no whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartOf(pub u64, pub u64);

impl PartOf {
    pub fn value(self) -> Option<f64> {
        (self.1 > 0).then(|| self.0 as f64 / self.1 as f64)
    }

    /// Whole percents as in S1's table 10: what is behind the point is cut off.
    pub fn percent(self) -> u64 {
        (self.0 * 100).checked_div(self.1).unwrap_or(0)
    }

    /// Whole percents as in S1's table 11.
    pub fn percent_rounded(self) -> u64 {
        (self.0 * 200 + self.1).checked_div(self.1 * 2).unwrap_or(0)
    }
}

impl Tally {
    pub fn download(&mut self, download: &Download<'_>) {
        self.downloaded.add(download.is_accepted);
        self.by_type
            .entry(download.kind.to_owned())
            .or_default()
            .add(download.is_accepted);
        self.by_size
            .entry(SizeBand::of(download.bytes))
            .or_default()
            .add(download.is_accepted);
        self.by_level
            .entry(download.level)
            .or_default()
            .add(download.is_accepted);
    }

    pub fn error(&mut self, reason: &str) {
        *self.errors.entry(reason.to_owned()).or_default() += 1;
    }

    /// Adds what happened elsewhere, or later. Domains that link to both are counted twice: sums of sites are not a library's.
    pub fn merge(&mut self, other: &Tally) {
        self.pages += other.pages;
        self.downloaded.merge(other.downloaded);
        self.fetches += other.fetches;
        self.time_ms += other.time_ms;
        self.linking_domains += other.linking_domains;
        self.links_from_outside += other.links_from_outside;
        self.links_out += other.links_out;
        self.links += other.links;
        for (kind, judged) in &other.by_type {
            self.by_type.entry(kind.clone()).or_default().merge(*judged);
        }
        for (band, judged) in &other.by_size {
            self.by_size.entry(*band).or_default().merge(*judged);
        }
        for (level, judged) in &other.by_level {
            self.by_level.entry(*level).or_default().merge(*judged);
        }
        for (reason, count) in &other.errors {
            *self.errors.entry(reason.clone()).or_default() += count;
        }
    }

    /// DDR, also called harvest rate by S1.
    pub fn download_rate(&self) -> PartOf {
        PartOf(self.downloaded.all, self.pages)
    }

    /// Accepted documents for requests of any kind.
    pub fn harvest(&self) -> PartOf {
        PartOf(self.downloaded.accepted, self.fetches)
    }

    pub fn foreign_links(&self) -> PartOf {
        PartOf(self.links_out, self.links)
    }

    /// Requests and milliseconds that one accepted document cost; `None` while there is none.
    pub fn cost_per_accepted(&self) -> Option<(f64, f64)> {
        let accepted = self.downloaded.accepted as f64;
        (accepted > 0.0).then(|| (self.fetches as f64 / accepted, self.time_ms as f64 / accepted))
    }

    pub fn errors_in_all(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Whole minutes, as S1 gives them.
    pub fn minutes(&self) -> u64 {
        self.time_ms / 60_000
    }
}

/// How many folders lie above the last part of a path, counting the root: `/air/papers/x.ps` has 3, as in S1 3.2.
pub fn level_of(path: &str) -> u32 {
    path.bytes().filter(|byte| *byte == b'/').count() as u32
}

#[cfg(test)]
mod tests;
