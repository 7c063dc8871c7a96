//! Libraries as they stand.

use super::{Ledger, PAGE, Pages};
use crate::StoreError;
use crate::libraries::{LibraryCycle, LibraryDocument, LibraryRow, LibrarySite, LibraryVerdict};
use gleaner_model::{DocumentId, LibraryId};

pub trait LibraryLedger {
    /// The oldest first.
    fn libraries(&self) -> Result<Vec<LibraryRow>, StoreError>;

    /// Sites behind one, by the alphabet; none at the end.
    fn library_sites(
        &self,
        library: LibraryId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<LibrarySite>, StoreError>;

    /// Documents behind one with their last verdicts, in the order of their numbers; none at the end.
    fn library_documents(
        &self,
        library: LibraryId,
        verdict: Option<LibraryVerdict>,
        after: Option<DocumentId>,
        limit: usize,
    ) -> Result<Vec<LibraryDocument>, StoreError>;

    /// All verdicts about a document, the oldest first.
    fn library_verdicts(
        &self,
        library: LibraryId,
        document: DocumentId,
    ) -> Result<Vec<LibraryDocument>, StoreError>;

    /// The oldest first.
    fn library_cycles(&self, library: LibraryId) -> Result<Vec<LibraryCycle>, StoreError>;

    fn library_memory(&self, library: LibraryId, name: &str) -> Result<Option<Vec<u8>>, StoreError>;

    fn find_library(&self, name: &str) -> Result<Option<LibraryRow>, StoreError> {
        let all = self.libraries()?;
        Ok(all.into_iter().find(|row| row.settings.name() == name))
    }
}

impl dyn Ledger + '_ {
    pub fn all_library_sites(&self, library: LibraryId) -> Pages<'_, LibrarySite> {
        Pages::new(move |last: Option<&LibrarySite>| {
            self.library_sites(library, last.map(|row| row.site.as_str()), PAGE)
        })
    }

    pub fn all_library_documents(
        &self,
        library: LibraryId,
        verdict: Option<LibraryVerdict>,
    ) -> Pages<'_, LibraryDocument> {
        Pages::new(move |last: Option<&LibraryDocument>| {
            self.library_documents(library, verdict, last.map(|row| row.document), PAGE)
        })
    }
}
