//! The rows of a run's last stage: documents that moved, pages that were none, orphans, sentences about the whole.
//!
//! Each change here is one transaction that takes away its own precondition, so settling may be killed and done again.

use crate::StoreError;
use crate::settling::{Candidate, Move};
use crate::sqlite::catalog::Catalog;
use crate::sqlite::writer::RunWriter;
use gleaner_model::{DocumentId, Reason, ResourceId, State, Timestamp, VersionId, defaults};
use rusqlite::{OptionalExtension, params};

impl Catalog {
    /// Where a resource leads to by redirects, at the end of the chain.
    pub(crate) fn end_of_redirects(&self, from: ResourceId) -> Result<Option<ResourceId>, StoreError> {
        let mut at = from;
        for _ in 0..=defaults::REDIRECTS_MAX {
            match self.redirect_from(at)? {
                Some(next) if next != from => at = next,
                _ => break,
            }
        }
        Ok((at != from).then_some(at))
    }

    /// The resources of these URLs, where there are some.
    pub(crate) fn resources_of(&self, urls: &[gleaner_model::Url]) -> Result<Vec<ResourceId>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT id FROM resources WHERE key = ?1")?;
        let mut found = Vec::new();
        for url in urls {
            let id: Option<i64> = statement.query_row([&url.key().0], |row| row.get(0)).optional()?;
            found.extend(id.map(ResourceId));
        }
        Ok(found)
    }
}

impl RunWriter<'_> {
    /// Documents of this run in one state, with the version that speaks for them.
    pub(crate) fn candidates(
        &self,
        state: State,
        reason: Option<Reason>,
    ) -> Result<Vec<Candidate>, StoreError> {
        let mut statement = self.catalog.db.prepare(
            "SELECT d.id, c.resource, r.url, v.id, b.digest, v.size, v.title
             FROM changes c JOIN documents d ON d.id = c.document JOIN resources r ON r.id = c.resource
             JOIN versions v ON v.id = d.version JOIN bodies b ON b.id = v.body
             WHERE c.run = ?1 AND c.state = ?2 AND (?3 IS NULL OR c.reason = ?3) ORDER BY c.id",
        )?;
        let rows = statement.query_map((self.run.0, state.as_str(), reason.map(Reason::code)), |row| {
            Ok(Candidate {
                document: DocumentId(row.get(0)?),
                resource: ResourceId(row.get(1)?),
                url: row.get(2)?,
                version: VersionId(row.get(3)?),
                digest: row.get(4)?,
                size: row.get::<_, i64>(5)? as u64,
                title: row.get(6)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The document at a resource, as this run found it.
    pub(crate) fn found_at(&self, resource: ResourceId) -> Result<Option<(Candidate, State)>, StoreError> {
        let mut statement = self.catalog.db.prepare_cached(
            "SELECT d.id, r.url, v.id, b.digest, v.size, v.title, c.state
             FROM changes c JOIN documents d ON d.id = c.document JOIN resources r ON r.id = c.resource
             JOIN versions v ON v.id = d.version JOIN bodies b ON b.id = v.body
             WHERE c.run = ?1 AND c.resource = ?2",
        )?;
        Ok(statement
            .query_row((self.run.0, resource.0), |row| {
                let state: String = row.get(6)?;
                Ok((
                    Candidate {
                        document: DocumentId(row.get(0)?),
                        resource,
                        url: row.get(1)?,
                        version: VersionId(row.get(2)?),
                        digest: row.get(3)?,
                        size: row.get::<_, i64>(4)? as u64,
                        title: row.get(5)?,
                    },
                    State::parse(&state).unwrap_or(State::Err),
                ))
            })
            .optional()?)
    }

    /// One document instead of one gone and one new: it keeps its number and goes on at its new address.
    pub(crate) fn keep_move(&mut self, moved: &Move) -> Result<(), StoreError> {
        let Move {
            old,
            new,
            state,
            same_as,
            detail,
        } = moved;
        let transaction = self.catalog.db.unchecked_transaction()?;
        // The records of older versions name the address they were fetched from.
        transaction.execute(
            "UPDATE versions SET url = coalesce(url, ?2) WHERE document = ?1",
            (old.document.0, &old.url),
        )?;
        transaction.execute(
            "UPDATE versions SET document = ?2, same_as = ?3 WHERE document = ?1 AND id = ?4",
            params![
                new.document.0,
                old.document.0,
                same_as.map(|v| v.0),
                new.version.0
            ],
        )?;
        transaction.execute(
            "DELETE FROM changes WHERE run = ?1 AND document = ?2",
            (self.run.0, new.document.0),
        )?;
        // Other versions of the newcomer (it may have been gone for a while) go along.
        transaction.execute(
            "UPDATE versions SET document = ?2 WHERE document = ?1",
            (new.document.0, old.document.0),
        )?;
        transaction.execute(
            "UPDATE changes SET document = ?2 WHERE document = ?1",
            (new.document.0, old.document.0),
        )?;
        transaction.execute("DELETE FROM documents WHERE id = ?1", [new.document.0])?;
        transaction.execute(
            "UPDATE documents SET resource = ?2, version = ?3, gone_run = NULL WHERE id = ?1",
            (old.document.0, new.resource.0, new.version.0),
        )?;
        transaction.execute(
            "UPDATE changes SET resource = ?3, version = ?4, state = ?5, reason = ?6, detail = ?7, moved_from = ?8
             WHERE run = ?1 AND document = ?2",
            params![
                self.run.0,
                old.document.0,
                new.resource.0,
                new.version.0,
                state.as_str(),
                Reason::Moved.code(),
                detail,
                old.resource.0
            ],
        )?;
        transaction.commit()?;
        Ok(())
    }

    /// A document whose address leads to another one that says the same: it is there, under two addresses.
    pub(crate) fn keep_same_elsewhere(&self, old: DocumentId, detail: &str) -> Result<(), StoreError> {
        self.catalog.db.execute(
            "UPDATE changes SET state = 'SAM', detail = ?3 WHERE run = ?1 AND document = ?2",
            (self.run.0, old.0, detail),
        )?;
        Ok(())
    }

    /// The run's states are final.
    pub(crate) fn seal(&mut self, notes: &[String], now: Timestamp) -> Result<(), StoreError> {
        let transaction = self.catalog.db.unchecked_transaction()?;
        for note in notes {
            transaction.execute(
                "INSERT INTO notes(run, text) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                (self.run.0, note),
            )?;
        }
        transaction.execute(
            "UPDATE runs SET settled_at = ?2 WHERE id = ?1",
            (self.run.0, now.0),
        )?;
        transaction.commit()?;
        Ok(())
    }

    /// The next run learns the URLs of the project's sites anew.
    pub(crate) fn doubt_rules(&mut self) -> Result<(), StoreError> {
        self.catalog.db.execute(
            "UPDATE site_rules SET probed_at = NULL WHERE project = ?1 AND NOT is_pinned",
            [self.project.0],
        )?;
        Ok(())
    }
}
