//! How do the folders look that were listed? A tree without end shows the same folder again and again.

use gleaner_frontier::traps::Lineage;
use gleaner_model::{Reason, ResourceId};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Looks of folders that are remembered, those met once as long as there is room.
const LOOKS_MAX: usize = 100_000;

/// How often folders of each look were met.
#[derive(Default)]
pub struct FolderLooks {
    counts: Mutex<HashMap<u64, u64>>,
    /// Of folders whose listing is on its way in pieces.
    begun: Mutex<HashMap<ResourceId, Likeness>>,
}

/// How a folder looks beside those above it, and why the folders in it are left out, if they are.
#[derive(Debug, Clone, Copy, Default)]
pub struct Likeness {
    pub lineage: Option<Lineage>,
    pub endless: Option<Reason>,
}

impl FolderLooks {
    pub fn begin(&self, folder: ResourceId, likeness: Likeness) {
        self.lock_begun().insert(folder, likeness);
    }

    pub fn begun(&self, folder: ResourceId) -> Option<Likeness> {
        self.lock_begun().get(&folder).copied()
    }

    pub fn end(&self, folder: ResourceId) -> Option<Likeness> {
        self.lock_begun().remove(&folder)
    }

    fn lock_begun(&self) -> MutexGuard<'_, HashMap<ResourceId, Likeness>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one, and says how many there are.
    pub fn met(&self, look: u64) -> u64 {
        let mut looks = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if looks.len() >= LOOKS_MAX {
            looks.retain(|_, count| *count > 1);
            if looks.len() >= LOOKS_MAX {
                looks.clear();
            }
        }
        let count = looks.entry(look).or_default();
        *count += 1;
        *count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_met_once_makes_room_first() {
        let looks = FolderLooks::default();
        assert_eq!((looks.met(0), looks.met(0)), (1, 2));
        for look in 1..=LOOKS_MAX as u64 {
            looks.met(look);
        }
        assert_eq!(looks.met(0), 3, "it was met before");
    }
}
