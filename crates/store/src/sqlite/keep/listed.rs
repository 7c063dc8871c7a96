//! What a listing says of a document, and the rows about those that it no longer names (B2).
//!
//! An entry whose metadata is that of the version we have is as it was, and nobody asks for it. Documents of such servers
//! are not asked for one by one: when all folders were listed, whoever runs them judges what was not met there.

use super::batch::Batch;
use crate::StoreError;
use crate::keep::Listed;
use crate::settling::{FolderVisit, UnlistedDocument};
use crate::sqlite::catalog::Catalog;
use crate::sqlite::numbers::next_number;
use crate::sqlite::writer::RunWriter;
use gleaner_model::{DocumentId, Reason, ResourceId, State, Timestamp, Url};
use rusqlite::OptionalExtension;

impl Batch<'_> {
    /// The document under an entry of a folder, if the entry's metadata is that of the version we have and nobody wants to
    /// see for themselves.
    pub(super) fn as_it_was(
        &mut self,
        resource: ResourceId,
        listed: &Listed,
    ) -> Result<Option<DocumentId>, StoreError> {
        let Some(stamp) = &listed.stamp else {
            return Ok(None);
        };
        let mut rows = self.sql.kept_stamp.query((resource.0, self.project.0))?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let document: i64 = row.get(0)?;
        let is_kept = row.get_ref(1)?.as_str_or_null().ok().flatten() == Some(stamp);
        let is_sampled = listed.sample != 0 && (document + self.run.0) % i64::from(listed.sample) == 0;
        Ok((is_kept && !is_sampled).then_some(DocumentId(document)))
    }

    /// An entry that is as it was is done with. False if this run met it before.
    pub(super) fn keep_listed(
        &mut self,
        resource: ResourceId,
        document: DocumentId,
        depth: u32,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let visit = (self.run.0, resource.0, depth, now.0);
        if self.sql.visit_listed.execute(visit)? == 0 {
            return Ok(false);
        }
        let nothing: Option<&str> = None;
        self.sql.insert_change.execute((
            self.run.0,
            resource.0,
            Some(document.0),
            None::<i64>,
            State::Sam.as_str(),
            nothing,
            nothing,
        ))?;
        self.kept.unchanged += 1;
        Ok(true)
    }
}

impl Catalog {
    /// The address of the folder that a project begins with, where it leads to one.
    pub(crate) fn folder_at(&self, root: &Url) -> Result<Option<String>, StoreError> {
        let Some(given) = self.resources_of(std::slice::from_ref(root))?.pop() else {
            return Ok(None);
        };
        let folder = self.end_of_redirects(given)?.unwrap_or(given);
        let mut statement = (self.db).prepare_cached("SELECT url FROM resources WHERE id = ?1")?;
        let url: Option<String> = statement.query_row([folder.0], |row| row.get(0)).optional()?;
        Ok(url.filter(|url| url.ends_with('/')))
    }
}

impl RunWriter<'_> {
    /// `schemes`: what is listed.
    pub(crate) fn unlisted(&self, schemes: &[&str]) -> Result<Vec<UnlistedDocument>, StoreError> {
        let mut statement = self.catalog.db.prepare(
            "SELECT d.id, r.id, r.url FROM documents d JOIN resources r ON r.id = d.resource
             JOIN hosts h ON h.id = r.host
             WHERE d.project = ?1 AND d.gone_run IS NULL AND h.scheme IN (SELECT value FROM json_each(?3))
               AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.run = ?2 AND c.resource = d.resource)
             ORDER BY d.id",
        )?;
        let schemes = serde_json::to_string(schemes).unwrap_or_default();
        let rows = statement.query_map((self.project.0, self.run.0, schemes), |row| {
            Ok(UnlistedDocument {
                document: DocumentId(row.get(0)?),
                resource: ResourceId(row.get(1)?),
                url: row.get(2)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// None if this run did not come there.
    pub(crate) fn folder_visit(&self, url: &Url) -> Result<Option<FolderVisit>, StoreError> {
        let mut statement = self.catalog.db.prepare_cached(
            "SELECT v.at IS NOT NULL, v.reason, v.detail FROM visits v JOIN resources r ON r.id = v.resource
             WHERE v.run = ?1 AND r.key = ?2",
        )?;
        let visit = statement.query_row((self.run.0, &url.key().0), |row| {
            let reason: Option<String> = row.get(1)?;
            Ok(FolderVisit {
                was_asked: row.get(0)?,
                reason: reason.map(|code| Reason::parse(&code).unwrap_or(Reason::CutShort)),
                detail: row.get(2)?,
            })
        });
        Ok(visit.optional()?)
    }

    /// Whether this run found a file in a folder or in those inside it, wanted or not.
    pub(crate) fn names_files(&self, folder: &str) -> Result<bool, StoreError> {
        let within = (self.run.0, folder, folder.len() as i64);
        // What was taken, which is quick; then what was only named. What a settling that was killed has said does not count.
        for query in [
            "SELECT EXISTS (SELECT 1 FROM changes c JOIN resources r ON r.id = c.resource
             WHERE c.run = ?1 AND c.state IN ('NEW', 'UPD', 'SAM') AND substr(r.url, 1, length(?2)) = ?2 AND length(r.url) > ?3)",
            "SELECT EXISTS (SELECT 1 FROM visits v JOIN resources f ON f.id = v.resource
             JOIN page_links p ON p.source = f.id, json_each(p.list) entry JOIN resources r ON r.id = entry.value ->> 0
             WHERE v.run = ?1 AND substr(f.url, 1, length(?2)) = ?2 AND length(f.url) >= ?3 AND substr(r.url, -1) <> '/')",
        ] {
            if self.catalog.db.query_row(query, within, |row| row.get(0))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Writes down what became of documents that no listing named.
    pub(crate) fn keep_unlisted(
        &mut self,
        judged: &[(UnlistedDocument, State, Reason)],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        for piece in judged.chunks(4000) {
            let transaction = self.catalog.db.unchecked_transaction()?;
            {
                let mut visit = transaction.prepare_cached(
                    "INSERT INTO visits(run, resource, depth, at, reason) VALUES (?1, ?2, 0, ?3, ?4)
                     ON CONFLICT DO UPDATE SET at = excluded.at, reason = excluded.reason",
                )?;
                let mut change = transaction.prepare_cached(concat!(
                    "INSERT INTO changes(id, run, resource, document, state, reason) VALUES (",
                    next_number!("changes"),
                    ", ?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
                ))?;
                let mut gone =
                    transaction.prepare_cached("UPDATE documents SET gone_run = ?2 WHERE id = ?1")?;
                for (missing, state, reason) in piece {
                    let (document, resource) = (missing.document.0, missing.resource.0);
                    visit.execute((self.run.0, resource, now.0, reason.code()))?;
                    change.execute((self.run.0, resource, document, state.as_str(), reason.code()))?;
                    if *state == State::Mis {
                        gone.execute((document, self.run.0))?;
                    }
                }
            }
            transaction.commit()?;
        }
        Ok(())
    }
}
