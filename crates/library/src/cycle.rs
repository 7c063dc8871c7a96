//! Which known sites are visited in the next cycle, as S1 chooses them (G2, G8; S1 3.3.4, its tables 19 to 21).
//!
//! Half of the places are for new sites. Known sites that have waited long enough compete for the rest: ranked by ADR, then by
//! SSRC; the best quarter is good and goes, of the next quarter (medium) the better half goes, and the best of the poor half
//! fill what is left. Where there are fewer new sites, known ones get their places.

use crate::levels::{Mode, VisitLevel};
use serde::{Deserialize, Serialize};

/// A known site as the choice sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownSite<Id> {
    pub id: Id,
    pub level: VisitLevel,
    /// Milliseconds since 1970.
    pub ended_ms: i64,
    /// ADR, 0 to 1.
    pub accepted_rate: f64,
    pub links_from_outside: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    Good,
    Medium,
    Poor,
}

/// A site that competed: its rank from 1, its class, and whether it got a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranked<Id> {
    pub id: Id,
    pub rank: usize,
    pub class: Class,
    pub is_chosen: bool,
}

/// Places of known sites in a cycle with so many places, where so many new sites wait.
pub fn places_for_known(places: usize, new_waiting: usize) -> usize {
    places - new_waiting.min(places / 2)
}

/// All that have waited long enough, best first, with what became of them.
pub fn choose<Id: Clone + Ord>(
    known: &[KnownSite<Id>],
    mode: Mode,
    now_ms: i64,
    places: usize,
) -> Vec<Ranked<Id>> {
    let waited = |site: &&KnownSite<Id>| {
        site.level
            .has_waited(mode, (now_ms - site.ended_ms) as f64 / 86_400_000.0)
    };
    let mut ready: Vec<&KnownSite<Id>> = known.iter().filter(waited).collect();
    ready.sort_by(|a, b| {
        let by_rate = b.accepted_rate.total_cmp(&a.accepted_rate);
        by_rate
            .then(b.links_from_outside.cmp(&a.links_from_outside))
            .then(a.id.cmp(&b.id))
    });
    let all = ready.len();
    // 27 sites: 7 are good (a quarter is 6.75) and ranks 8 to 14 medium, as S1 counts.
    let good = (all + 2) / 4;
    let half = all.div_ceil(2).max(good);
    let good_chosen = good.min(places);
    let medium_chosen = (half - good).div_ceil(2).min(places - good_chosen);
    let mut left = places - good_chosen - medium_chosen;
    let mut ranked: Vec<Ranked<Id>> = Vec::with_capacity(all);
    for (at, site) in ready.into_iter().enumerate() {
        let class = if at < good {
            Class::Good
        } else if at < half {
            Class::Medium
        } else {
            Class::Poor
        };
        let is_chosen = match class {
            Class::Good => at < good_chosen,
            Class::Medium => at < good + medium_chosen,
            Class::Poor => left > 0,
        };
        if class == Class::Poor {
            left = left.saturating_sub(1);
        }
        ranked.push(Ranked {
            id: site.id.clone(),
            rank: at + 1,
            class,
            is_chosen,
        });
    }
    // Places that the poor did not fill are given to those of the middle that were passed over: none is left empty.
    for site in &mut ranked {
        if left > 0 && !site.is_chosen {
            site.is_chosen = true;
            left -= 1;
        }
    }
    ranked
}

/// S1's mean completion time, the share of time of each site in the next cycle: whole minutes.
pub fn mean_completion_minutes(minutes: u64, sites: u64) -> Option<u64> {
    minutes.checked_div(sites)
}

#[cfg(test)]
mod tests;
