//! Libraries, as the maps have them.

use super::MemoryLedger;
use crate::StoreError;
use crate::ledger::LibraryLedger;
use crate::libraries::{LibraryCycle, LibraryDocument, LibraryRow, LibrarySite, LibraryVerdict};
use crate::memory::rows::HeldLibrary;
use gleaner_model::{DocumentId, LibraryId};

impl MemoryLedger {
    fn of_library<T: Default>(&self, library: LibraryId, look: impl FnOnce(&HeldLibrary) -> T) -> T {
        self.look(|rows| rows.libraries.get(&library).map(look).unwrap_or_default())
    }
}

impl LibraryLedger for MemoryLedger {
    fn libraries(&self) -> Result<Vec<LibraryRow>, StoreError> {
        self.look(|rows| Ok(rows.libraries.values().map(|held| held.row.clone()).collect()))
    }

    fn library_sites(
        &self,
        library: LibraryId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<LibrarySite>, StoreError> {
        Ok(self.of_library(library, |held| {
            let behind = held.sites.values();
            let behind = behind.filter(|site| after.is_none_or(|after| site.site.as_str() > after));
            behind.take(limit).cloned().collect()
        }))
    }

    fn library_documents(
        &self,
        library: LibraryId,
        verdict: Option<LibraryVerdict>,
        after: Option<DocumentId>,
        limit: usize,
    ) -> Result<Vec<LibraryDocument>, StoreError> {
        Ok(self.of_library(library, |held| {
            let last = held.verdicts.values().filter_map(|all| all.last());
            let behind = last.filter(|row| after.is_none_or(|after| row.document > after));
            let meant = behind.filter(|row| verdict.is_none_or(|verdict| row.verdict == verdict));
            meant.take(limit).cloned().collect()
        }))
    }

    fn library_verdicts(
        &self,
        library: LibraryId,
        document: DocumentId,
    ) -> Result<Vec<LibraryDocument>, StoreError> {
        Ok(self.of_library(library, |held| {
            held.verdicts.get(&document).cloned().unwrap_or_default()
        }))
    }

    fn library_cycles(&self, library: LibraryId) -> Result<Vec<LibraryCycle>, StoreError> {
        Ok(self.of_library(library, |held| held.cycles.values().cloned().collect()))
    }

    fn library_memory(&self, library: LibraryId, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.of_library(library, |held| held.memories.get(name).cloned()))
    }
}
