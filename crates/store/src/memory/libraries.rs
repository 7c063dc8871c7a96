//! [`Libraries`] in memory.

use super::MemoryStore;
use super::rows::HeldLibrary;
use crate::StoreError;
use crate::error::no_library;
use crate::libraries::{Libraries, LibraryChange, LibraryRow};
use async_trait::async_trait;
use gleaner_model::library::LibrarySettings;
use gleaner_model::{LibraryId, ProjectId, Timestamp};
use std::collections::BTreeMap;

#[async_trait]
impl Libraries for MemoryStore {
    async fn library(
        &self,
        settings: LibrarySettings,
        project: ProjectId,
        now: Timestamp,
    ) -> Result<LibraryId, StoreError> {
        let mut rows = self.rows();
        let known = rows
            .libraries
            .values_mut()
            .find(|held| held.row.settings.name() == settings.name());
        if let Some(held) = known {
            held.row.settings = settings;
            held.row.project = project;
            return Ok(held.row.id);
        }
        let id = LibraryId(rows.libraries.len() as i64 + 1);
        let held = HeldLibrary {
            row: LibraryRow {
                id,
                project,
                settings,
                made_at: now,
            },
            sites: BTreeMap::new(),
            verdicts: BTreeMap::new(),
            cycles: BTreeMap::new(),
            memories: BTreeMap::new(),
        };
        rows.libraries.insert(id, held);
        Ok(id)
    }

    async fn keep_library(&self, library: LibraryId, change: LibraryChange) -> Result<(), StoreError> {
        let mut rows = self.rows();
        let held = rows
            .libraries
            .get_mut(&library)
            .ok_or_else(|| no_library(library))?;
        for site in change.sites {
            held.sites.insert(site.site.clone(), site);
        }
        for judged in change.documents {
            held.verdicts.entry(judged.document).or_default().push(judged);
        }
        if let Some(cycle) = change.cycle {
            held.cycles.insert(cycle.number, cycle);
        }
        for (name, memory) in change.memories {
            if memory.is_empty() {
                held.memories.remove(&name);
            } else {
                held.memories.insert(name, memory);
            }
        }
        if let Some((follower, to)) = change.position {
            let at = rows.followers.entry(follower).or_default();
            *at = to.max(*at);
        }
        Ok(())
    }
}
