//! The rows of a run's last stage: documents that moved, pages that were none, orphans, sentences about the whole.
//!
//! Each change here is one transaction that takes away its own precondition, so settling may be killed and done again.

use super::Keeper;
use crate::StoreError;
use gleaner_model::{DocumentId, Reason, ResourceId, State, Timestamp, VersionId, defaults};
use rusqlite::{OptionalExtension, params};

/// A document that is not where it was, or one that is new where none was.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub document: DocumentId,
    pub resource: ResourceId,
    pub url: String,
    /// The version that speaks for it.
    pub version: VersionId,
    pub digest: [u8; 32],
    pub size: u64,
    pub title: Option<String>,
}

/// A version that a run reported as changed.
#[derive(Debug, Clone)]
pub struct Changed {
    pub document: DocumentId,
    pub version: VersionId,
    pub ladder: Vec<u8>,
    pub base_ladder: Option<Vec<u8>>,
}

/// How a document that moved is reported.
#[derive(Debug)]
pub struct Move<'a> {
    pub old: &'a Candidate,
    pub new: &'a Candidate,
    pub state: State,
    /// The version that the new one repeats, where it does.
    pub same_as: Option<VersionId>,
}

impl Keeper {
    /// Documents of this run in one state, with the version that speaks for them.
    pub fn candidates(&self, state: State, reason: Option<Reason>) -> Result<Vec<Candidate>, StoreError> {
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

    /// Where a resource leads to by redirects, at the end of the chain.
    pub fn end_of_redirects(&self, from: ResourceId) -> Result<Option<ResourceId>, StoreError> {
        let mut at = from;
        for _ in 0..=defaults::REDIRECTS_MAX {
            match self.catalog.redirect_from(at)? {
                Some(next) if next != from => at = next,
                _ => break,
            }
        }
        Ok((at != from).then_some(at))
    }

    /// The document at a resource, as this run found it.
    pub fn found_at(&self, resource: ResourceId) -> Result<Option<(Candidate, State)>, StoreError> {
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
    pub fn keep_move(&mut self, moved: &Move<'_>) -> Result<(), StoreError> {
        let Move {
            old,
            new,
            state,
            same_as,
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
                format!("was {}", old.url),
                old.resource.0
            ],
        )?;
        transaction.commit()?;
        Ok(())
    }

    /// A document whose address leads to another one that says the same: it is there, under two addresses.
    pub fn keep_same_elsewhere(&mut self, old: &Candidate, url: &str) -> Result<(), StoreError> {
        self.catalog.db.execute(
            "UPDATE changes SET state = 'SAM', detail = ?3 WHERE run = ?1 AND document = ?2",
            params![
                self.run.0,
                old.document.0,
                format!("leads to {url}, which says the same")
            ],
        )?;
        Ok(())
    }

    /// The versions that this run reported as changed, with their digests.
    pub fn changed(&self) -> Result<Vec<Changed>, StoreError> {
        let mut statement = self.catalog.db.prepare(
            "SELECT c.document, c.version, l.ladder,
                    (SELECT b.ladder FROM ladders b JOIN versions v ON v.id = b.version
                     WHERE v.document = c.document AND v.id < c.version ORDER BY v.id DESC LIMIT 1)
             FROM changes c JOIN ladders l ON l.version = c.version
             WHERE c.run = ?1 AND c.state = 'UPD'",
        )?;
        let rows = statement.query_map([self.run.0], |row| {
            Ok(Changed {
                document: DocumentId(row.get(0)?),
                version: VersionId(row.get(1)?),
                ladder: row.get(2)?,
                base_ladder: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Takes back versions that were none: what came was not the documents' content.
    pub fn take_back(
        &mut self,
        versions: &[(DocumentId, VersionId)],
        reason: Reason,
        detail: &str,
    ) -> Result<(), StoreError> {
        let transaction = self.catalog.db.unchecked_transaction()?;
        for (document, version) in versions {
            transaction.execute(
                "UPDATE changes SET state = 'ERR', reason = ?3, detail = ?4, version = NULL
                 WHERE run = ?1 AND document = ?2",
                params![self.run.0, document.0, reason.code(), detail],
            )?;
            transaction.execute("DELETE FROM ladders WHERE version = ?1", [version.0])?;
            transaction.execute("DELETE FROM versions WHERE id = ?1", [version.0])?;
            transaction.execute(
                "UPDATE documents SET version = (SELECT max(id) FROM versions WHERE document = ?1) WHERE id = ?1",
                [document.0],
            )?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Home pages that changed while other pages of their host showed nothing but the home page.
    pub fn walled_homes(&self, pages_min: usize) -> Result<Vec<(DocumentId, VersionId)>, StoreError> {
        let mut statement = self.catalog.db.prepare(
            "SELECT c.document, c.version FROM changes c JOIN resources r ON r.id = c.resource
             JOIN hosts h ON h.id = r.host
             WHERE c.run = ?1 AND c.state = 'UPD' AND c.version IS NOT NULL
               AND r.url IN (h.scheme || '://' || h.name || '/', h.scheme || '://' || h.name || ':' || h.port || '/')
               AND (SELECT count(*) FROM changes o JOIN resources p ON p.id = o.resource
                    WHERE o.run = ?1 AND p.host = r.host AND o.state = 'ERR' AND o.reason = ?2) >= ?3",
        )?;
        let reason = Reason::SameForAll.code();
        let rows = statement.query_map((self.run.0, reason, pages_min as i64), |row| {
            Ok((DocumentId(row.get(0)?), VersionId(row.get(1)?)))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The resources of these URLs, where there are some.
    pub fn resources_of(&self, urls: &[gleaner_model::Url]) -> Result<Vec<ResourceId>, StoreError> {
        let mut statement = self
            .catalog
            .db
            .prepare_cached("SELECT id FROM resources WHERE key = ?1")?;
        let mut found = Vec::new();
        for url in urls {
            let id: Option<i64> = statement.query_row([&url.key().0], |row| row.get(0)).optional()?;
            found.extend(id.map(ResourceId));
        }
        Ok(found)
    }

    /// For each host where most documents failed for one reason: name, reason, how many, and how many it has.
    pub fn failing_hosts(&self) -> Result<Vec<(String, String, u64, u64)>, StoreError> {
        let mut statement = self.catalog.db.prepare(
            "WITH asked AS (
                 SELECT r.host, c.state, c.reason FROM changes c JOIN resources r ON r.id = c.resource
                 WHERE c.run = ?1 AND c.document IS NOT NULL)
             SELECT h.scheme || '://' || h.name, f.reason, f.n, t.n FROM
                 (SELECT host, reason, count(*) n FROM asked WHERE state = 'ERR' GROUP BY host, reason) f
                 JOIN (SELECT host, count(*) n FROM asked GROUP BY host) t ON t.host = f.host
                 JOIN hosts h ON h.id = f.host
             WHERE f.n >= 3 AND f.n * 10 >= t.n * 8 AND f.reason IS NOT NULL ORDER BY h.id",
        )?;
        let rows = statement.query_map([self.run.0], |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get::<_, i64>(2)? as u64,
                row.get::<_, i64>(3)? as u64,
            ))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The run's states are final.
    pub fn seal(&mut self, notes: &[String], now: Timestamp) -> Result<(), StoreError> {
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
    pub fn doubt_rules(&mut self) -> Result<(), StoreError> {
        self.catalog.db.execute(
            "UPDATE site_rules SET probed_at = NULL WHERE project = ?1 AND NOT is_pinned",
            [self.project.0],
        )?;
        Ok(())
    }
}
