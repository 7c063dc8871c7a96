//! The answers of many services to many queries as one list of sites (G1).
//!
//! Hits of one site count together, whatever page of it they name: a site is a registered domain, and below it what belongs to
//! one owner (`~name`). A site is worth the more, the more often and the higher it was found.

use super::service::SeedHit;
use gleaner_model::Url;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// As usual where ranked lists are put together: the first places differ little.
const RANK_FLOOR: f64 = 60.0;
/// Hits that a site remembers, the best first.
const SOURCES_MAX: usize = 20;

/// Where a site came from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SeedSource {
    pub rank: u32,
    pub service: String,
    pub query: String,
    pub url: String,
    pub title: String,
}

/// What one answer brought, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Answered {
    pub found: u64,
    /// Of sites that another answer named before.
    pub common: u64,
    /// Sites that nobody named before.
    pub new: u64,
    pub sponsored: u64,
    /// Named before by this very answer, or of hosts that are left out.
    pub dropped: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FoundSite {
    pub site: String,
    /// The page of it that was found highest.
    pub url: String,
    pub score: f64,
    pub sources: Vec<SeedSource>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Site {
    score: f64,
    sources: Vec<SeedSource>,
}

/// All that services found so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SeedBook {
    sites: BTreeMap<String, Site>,
}

impl SeedBook {
    /// Takes an answer. `leaves_out` names hosts that are never asked.
    pub fn add(
        &mut self,
        service: &str,
        query: &str,
        hits: &[SeedHit],
        leaves_out: impl Fn(&Url) -> bool,
    ) -> Answered {
        let mut answered = Answered::default();
        let mut met: Vec<String> = Vec::new();
        for hit in hits {
            answered.found += 1;
            if hit.is_sponsored {
                answered.sponsored += 1;
                continue;
            }
            let key = site_of(&hit.url);
            if leaves_out(&hit.url) || met.contains(&key) {
                answered.dropped += 1;
                continue;
            }
            met.push(key.clone());
            if self.sites.contains_key(&key) {
                answered.common += 1;
            } else {
                answered.new += 1;
            }
            let source = SeedSource {
                rank: hit.rank,
                service: service.to_owned(),
                query: query.to_owned(),
                url: hit.url.to_string(),
                title: hit.title.clone(),
            };
            self.sites.entry(key).or_default().take(source);
        }
        answered
    }

    /// The sites, the most promising first.
    pub fn sites(&self) -> Vec<FoundSite> {
        let mut sites: Vec<FoundSite> = self
            .sites
            .iter()
            .map(|(key, site)| FoundSite {
                site: key.clone(),
                url: site
                    .sources
                    .first()
                    .map(|source| source.url.clone())
                    .unwrap_or_default(),
                score: site.score,
                sources: site.sources.clone(),
            })
            .collect();
        sites.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.site.cmp(&b.site)));
        sites
    }
}

impl Site {
    fn take(&mut self, source: SeedSource) {
        // The same question asked again says nothing new.
        let is_known = self
            .sources
            .iter()
            .any(|known| known.service == source.service && known.query == source.query);
        if is_known {
            return;
        }
        self.score += 1.0 / (RANK_FLOOR + f64::from(source.rank));
        let at = self.sources.partition_point(|known| *known < source);
        self.sources.insert(at, source);
        self.sources.truncate(SOURCES_MAX);
    }
}

/// Which site a page belongs to: a registered domain, and the owner's part of it.
pub fn site_of(url: &Url) -> String {
    let domain = url.domain();
    let owner = url.path().split('/').find(|segment| segment.starts_with('~'));
    match owner {
        Some(owner) => format!("{domain}/{owner}"),
        None => domain.to_owned(),
    }
}
