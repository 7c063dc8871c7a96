//! What a cycle tells: line by line while it works, and as it is kept.

use gleaner_store::libraries::{LibraryCycle, LibraryDocument};
use serde::{Deserialize, Serialize};

/// A site with what a cycle did there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SiteReport {
    pub site: String,
    pub state: String,
    pub why: String,
    pub fetches: u64,
    pub pages: u64,
    pub downloaded: u64,
    pub accepted: u64,
    pub rejected: u64,
    pub uncertain: u64,
    pub after_last_accepted: u64,
    /// Why it was left before it was read whole; empty: it was not.
    pub left: String,
    /// RFC 3339; none: never.
    pub next_visit: Option<String>,
}

/// A site that the links of this cycle brought.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NewSiteReport {
    pub site: String,
    pub state: String,
    pub probability: f64,
    pub why: Vec<String>,
}

/// What the next cycle will be, as far as can be said now.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CycleForecast {
    /// When the next site is due; none: none will be.
    pub next_cycle: Option<String>,
    pub sites: usize,
    /// S1's mean completion time.
    pub minutes_per_site: u64,
}

/// A cycle as it is kept and told.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CycleReport {
    pub cycle: u32,
    pub run: Option<i64>,
    pub status: String,
    pub order: String,
    pub fetches: u64,
    pub pages: u64,
    pub downloaded: u64,
    pub accepted: u64,
    pub rejected: u64,
    pub uncertain: u64,
    /// Accepted documents for 100 fetches.
    pub per_100: f64,
    pub ms: u64,
    pub sites: Vec<SiteReport>,
    pub new_sites: Vec<NewSiteReport>,
    pub forecast: CycleForecast,
}

impl CycleReport {
    /// As far as a cycle's row says.
    pub fn of(cycle: &LibraryCycle) -> CycleReport {
        serde_json::from_str(&cycle.report).unwrap_or_default()
    }
}

/// Accepted documents for 100 fetches, to two places.
pub fn per_100(accepted: u64, fetches: u64) -> f64 {
    if fetches == 0 {
        return 0.0;
    }
    (accepted as f64 * 10_000.0 / fetches as f64).round() / 100.0
}

/// What is told while a library is worked on.
#[derive(Debug, Clone, PartialEq)]
pub enum CycleEvent {
    Chosen {
        cycle: u32,
        run: i64,
        sites: Vec<SiteReport>,
    },
    Judged(Box<LibraryDocument>),
    Ended(Box<CycleReport>),
    /// Nothing is due before this time (milliseconds since 1970), or ever.
    Idle {
        until_ms: Option<i64>,
    },
    Note(String),
}

/// `2026-11-16T03:04:05Z`.
pub fn iso(at: gleaner_model::Timestamp) -> String {
    let seconds = at.0.div_euclid(1000);
    let (year, month, day) = gleaner_model::date::civil_from_days(seconds.div_euclid(86_400));
    let of_day = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}
