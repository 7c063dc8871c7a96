//! Which folders of a site never yield? (G10; S1 4.5, its tables 16, 17 and 24)
//!
//! A folder's yield is believed as that of its name elsewhere until it has fetches of its own. It is *paused*, never banned,
//! when even the most that its yield may be does not pay; a paused folder gets a few draws, and all paused folders of a site
//! open again when the site's structure changed. A person may open or pause any by hand, and that stands.
//!
//! S1 bans a name on all sites when all documents of such folders were rejected (`papers` with 46 of 105 stays, `handouts` with
//! 42 of 42 and 41 of 41 goes), and a folder of the root for ever when no document was found below it.

use crate::stop::{StopRule, beta_below};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the stored form of [`Directories`].
pub const VERSION: u32 = 1;

/// Fetches in the folder itself before it may be paused.
const FETCHES_MIN: f64 = 30.0;
/// Of the draws of a paused folder, this share is let through.
const DRAWS: f64 = 0.02;
/// What is known of a name elsewhere weighs no more fetches than these.
const NAME_WEIGHS_MOST: f64 = 20.0;
const CERTAINTY: f64 = 0.95;

/// Fetches and accepted documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderCount {
    pub fetches: u64,
    pub accepted: u64,
}

/// What is known about folders and their names, on all sites of a library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directories {
    pub version: u32,
    /// By site and path, each with the slash at its end.
    folders: BTreeMap<String, BTreeMap<String, Folder>>,
    names: BTreeMap<String, FolderCount>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Folder {
    count: FolderCount,
    /// Counted before the site's structure changed: no longer a reason to pause.
    before: FolderCount,
    by_hand: Option<ByHand>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ByHand {
    Open,
    Paused,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FolderState {
    Open,
    Paused,
    /// Paused, and this address is one of the few that are tried nevertheless.
    Drawn,
}

/// Whether addresses in a folder are asked for, with what that rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FolderVerdict {
    pub state: FolderState,
    /// The folder that decides: the address's own or one that encloses it.
    pub folder: String,
    pub count: FolderCount,
    /// The same name on all other sites.
    pub elsewhere: FolderCount,
    /// The most that the yield may be, with 95 %.
    pub yield_most: f64,
    pub is_by_hand: bool,
}

impl std::fmt::Display for FolderVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let FolderCount { fetches, accepted } = self.count;
        if self.is_by_hand {
            return write!(f, "paused by hand: {}", self.folder);
        }
        write!(f, "{accepted} documents of {fetches} fetches in {}", self.folder)
    }
}

impl Default for Directories {
    fn default() -> Directories {
        Directories {
            version: VERSION,
            folders: BTreeMap::new(),
            names: BTreeMap::new(),
        }
    }
}

/// The folders of a path, outermost first, each with the slash at its end; the root is not among them.
fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').skip(1).map(move |(at, _)| &path[..=at])
}

fn name_of(folder: &str) -> &str {
    folder
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default()
}

impl Directories {
    /// A fetch at this path brought an accepted document, or did not.
    pub fn fetched(&mut self, site: &str, path: &str, is_accepted: bool) {
        let add = |count: &mut FolderCount| {
            count.fetches += 1;
            count.accepted += u64::from(is_accepted);
        };
        let folders = self.folders.entry(site.to_owned()).or_default();
        for folder in folders_of(path) {
            add(&mut folders.entry(folder.to_owned()).or_default().count);
            add(self.names.entry(name_of(folder).to_owned()).or_default());
        }
    }

    /// The document of a fetch that was counted as barren was judged later, and accepted.
    pub fn accepted(&mut self, site: &str, path: &str) {
        let folders = self.folders.entry(site.to_owned()).or_default();
        for folder in folders_of(path) {
            let add = |count: &mut FolderCount| count.accepted = (count.accepted + 1).min(count.fetches);
            add(&mut folders.entry(folder.to_owned()).or_default().count);
            add(self.names.entry(name_of(folder).to_owned()).or_default());
        }
    }

    /// The site is built anew: what was counted before no longer pauses anything.
    pub fn restructured(&mut self, site: &str) {
        for folder in self.folders.entry(site.to_owned()).or_default().values_mut() {
            folder.before.fetches += folder.count.fetches;
            folder.before.accepted += folder.count.accepted;
            folder.count = FolderCount::default();
        }
    }

    /// A person decides; `None` takes the decision back.
    pub fn set(&mut self, site: &str, folder: &str, by_hand: Option<ByHand>) {
        let folders = self.folders.entry(site.to_owned()).or_default();
        folders.entry(folder.to_owned()).or_default().by_hand = by_hand;
    }

    /// May this path be asked for? `draw` is chance, 0 to 1. The innermost decision by hand stands above all counts.
    pub fn judge(&self, site: &str, path: &str, rule: &StopRule, draw: f64) -> Option<FolderVerdict> {
        let folders = self.folders.get(site)?;
        let known: Vec<(&str, &Folder)> = folders_of(path)
            .filter_map(|name| folders.get_key_value(name))
            .map(|(name, folder)| (name.as_str(), folder))
            .collect();
        let decided = known
            .iter()
            .rev()
            .find_map(|(name, folder)| folder.by_hand.map(|by_hand| (*name, *folder, by_hand)));
        if let Some((name, folder, by_hand)) = decided {
            let state = match by_hand {
                ByHand::Open => FolderState::Open,
                ByHand::Paused => FolderState::Paused,
            };
            return Some(self.verdict(name, folder, state, true));
        }
        // The innermost with enough fetches of its own knows best: a good folder may lie in a poor one.
        let (name, folder) = known
            .iter()
            .rev()
            .find(|(_, folder)| folder.count.fetches as f64 >= FETCHES_MIN)
            .or(known.last())?;
        let verdict = self.verdict(name, folder, FolderState::Open, false);
        let is_poor = folder.count.fetches as f64 >= FETCHES_MIN && verdict.yield_most < rule.yield_min;
        let state = match (is_poor, draw < DRAWS) {
            (false, _) => FolderState::Open,
            (true, true) => FolderState::Drawn,
            (true, false) => FolderState::Paused,
        };
        Some(FolderVerdict { state, ..verdict })
    }

    fn verdict(&self, name: &str, folder: &Folder, state: FolderState, is_by_hand: bool) -> FolderVerdict {
        let all = self.names.get(name_of(name)).copied().unwrap_or_default();
        let own = (
            folder.count.fetches + folder.before.fetches,
            folder.count.accepted + folder.before.accepted,
        );
        let elsewhere = FolderCount {
            fetches: all.fetches.saturating_sub(own.0),
            accepted: all.accepted.saturating_sub(own.1),
        };
        FolderVerdict {
            state,
            folder: name.to_owned(),
            count: folder.count,
            elsewhere,
            yield_most: yield_most(folder.count, elsewhere),
            is_by_hand,
        }
    }
}

/// The most that the yield of a folder may be: its own counts, and those of the name elsewhere as a prior.
fn yield_most(own: FolderCount, elsewhere: FolderCount) -> f64 {
    let weight = (NAME_WEIGHS_MOST / (elsewhere.fetches as f64).max(1.0)).min(1.0);
    let alpha = 0.5 + own.accepted as f64 + weight * elsewhere.accepted as f64;
    let barren = |count: FolderCount| count.fetches.saturating_sub(count.accepted) as f64;
    let beta = 0.5 + barren(own) + weight * barren(elsewhere);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if beta_below(alpha, beta, middle) < CERTAINTY {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The learned depth: the level below which so great a share of accepted documents lies, and above which nothing is likely.
/// Levels count as in [`crate::statistics::level_of`]; a feature for scores, not a limit.
pub fn depth_that_holds(accepted_by_level: &BTreeMap<u32, u64>, share: f64) -> Option<u32> {
    let all: u64 = accepted_by_level.values().sum();
    let mut held = 0;
    accepted_by_level.iter().find_map(|(level, count)| {
        held += count;
        (all > 0 && held as f64 >= share * all as f64).then_some(*level)
    })
}

/// S1's list: names of folders whose documents were all rejected, with how many. Rows are (name, rejected, downloaded) for each
/// page that documents were downloaded from.
pub fn seed_stop_list<'a>(rows: impl IntoIterator<Item = (&'a str, u64, u64)>) -> BTreeMap<&'a str, u64> {
    let mut names: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (name, rejected, downloaded) in rows {
        let sum = names.entry(name).or_default();
        sum.0 += rejected;
        sum.1 += downloaded;
    }
    let rejected = names
        .into_iter()
        .filter(|(_, (rejected, downloaded))| *downloaded > 0 && rejected == downloaded);
    rejected.map(|(name, (rejected, _))| (name, rejected)).collect()
}

#[cfg(test)]
mod tests;
