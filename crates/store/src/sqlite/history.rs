//! Versions judged anew: what they repeat, what was ignored, and the states of the changes that carry them (B6).

use super::Catalog;
use crate::StoreError;
use gleaner_model::{DocumentId, VersionId};
use rusqlite::{OptionalExtension, Transaction};

/// An equality's word on one version.
#[derive(Debug, Clone)]
pub struct Rejudged {
    pub version: VersionId,
    /// The version it repeats; none: it says something of its own.
    pub same_as: Option<VersionId>,
    /// JSON: what differed and did not count.
    pub ignored: Option<String>,
    /// Digests at all levels of comparison.
    pub ladder: Vec<u8>,
}

impl Catalog {
    /// Writes what was judged about a document's versions, in one transaction. Doing it twice changes nothing.
    pub fn rejudge(&self, document: DocumentId, judged: &[Rejudged]) -> Result<(), StoreError> {
        let transaction = self.db.unchecked_transaction()?;
        for one in judged {
            transaction
                .prepare_cached(
                    "UPDATE versions SET same_as = ?3, ignored = ?4 WHERE id = ?1 AND document = ?2",
                )?
                .execute((
                    one.version.0,
                    document.0,
                    one.same_as.map(|version| version.0),
                    &one.ignored,
                ))?;
            transaction
                .prepare_cached(
                    "INSERT INTO ladders(version, ladder) VALUES (?1, ?2)
                     ON CONFLICT DO UPDATE SET ladder = excluded.ladder",
                )?
                .execute((one.version.0, &one.ladder))?;
            let state = if one.same_as.is_some() { "SAM" } else { "UPD" };
            if let Some(change) = change_of(&transaction, one.version)? {
                transaction
                    .prepare_cached(
                        "UPDATE changes SET state = ?2 WHERE id = ?1 AND state IN ('UPD', 'SAM') AND state <> ?2",
                    )?
                    .execute((change, state))?;
            }
        }
        transaction.commit()?;
        self.checkpoint_if_due()
    }
}

/// The change by which a version's own run reported it. It stands under the document's address, unless the document has
/// moved since: then all changes of that run are looked through.
fn change_of(transaction: &Transaction<'_>, version: VersionId) -> Result<Option<i64>, StoreError> {
    let ask = |sql: &str| {
        transaction
            .prepare_cached(sql)?
            .query_row([version.0], |row| row.get(0))
            .optional()
    };
    let here = ask("SELECT c.id FROM versions v JOIN documents d ON d.id = v.document
         JOIN changes c ON c.run = v.run AND c.resource = d.resource AND c.version = v.id WHERE v.id = ?1")?;
    if here.is_some() {
        return Ok(here);
    }
    Ok(ask(
        "SELECT c.id FROM versions v JOIN changes c ON c.run = v.run AND c.version = v.id WHERE v.id = ?1",
    )?)
}
