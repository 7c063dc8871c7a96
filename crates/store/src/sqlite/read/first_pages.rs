//! Which pages of each host came first? They never change, so what is learned from them stays.

use super::Reader;
use crate::StoreError;
use gleaner_model::{DocumentId, VersionId};
use std::collections::{HashMap, HashSet};

/// The first pages of each host, as far as documents had come.
#[derive(Debug, Default)]
pub struct FirstPages {
    by_host: HashMap<i64, Vec<(DocumentId, VersionId)>>,
    resources: HashSet<i64>,
    /// The last document that was looked at.
    seen: i64,
}

impl FirstPages {
    /// The first pages of a host, each with its first version, in the order in which they came.
    pub fn of(&self, host: i64) -> &[(DocumentId, VersionId)] {
        self.by_host.get(&host).map_or(&[], Vec::as_slice)
    }

    /// Whether documents up to this one were looked at.
    pub fn reach(&self, document: DocumentId) -> bool {
        self.seen >= document.0
    }
}

impl Reader {
    /// The host of a document; none where there is no such document.
    pub fn host_of(&self, document: DocumentId) -> Result<Option<i64>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT r.host FROM documents d JOIN resources r ON r.id = d.resource WHERE d.id = ?1",
        )?;
        let mut rows = statement.query([document.0])?;
        Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
    }

    /// Looks at the documents that have come since: the first `most` pages of every host. A page that two projects have is
    /// one; what was no HTML when it came is none.
    pub fn extend_first_pages(&self, most: usize, found: &mut FirstPages) -> Result<(), StoreError> {
        let mut of_document = self.db.prepare_cached(
            "SELECT id, type IN ('text/html', 'application/xhtml+xml') FROM versions WHERE document = ?1 ORDER BY id LIMIT 1",
        )?;
        let mut behind = self.db.prepare_cached(
            "SELECT d.id, d.resource, r.host FROM documents d JOIN resources r ON r.id = d.resource WHERE d.id > ?1 ORDER BY d.id",
        )?;
        let mut rows = behind.query([found.seen])?;
        while let Some(row) = rows.next()? {
            let (document, resource, host): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            found.seen = document;
            let pages = found.by_host.entry(host).or_default();
            if pages.len() >= most || found.resources.contains(&resource) {
                continue;
            }
            let mut versions = of_document.query([document])?;
            let Some(version) = versions.next()? else { continue };
            if version.get(1)? {
                pages.push((DocumentId(document), VersionId(version.get(0)?)));
                found.resources.insert(resource);
            }
        }
        Ok(())
    }
}
