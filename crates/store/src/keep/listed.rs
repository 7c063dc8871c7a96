//! What a listing says of a document, and what becomes of those that it no longer names (B2).
//!
//! An entry whose metadata is that of the version we have is as it was, and nobody asks for it. Documents of such servers
//! are not asked for one by one: when all folders were listed, what was not met there is gone, or could not be looked for.

use super::batch::Batch;
use super::{Enqueue, Keeper, Listed};
use crate::StoreError;
use gleaner_model::{DocumentId, Reason, ResourceId, State, Timestamp, Url};
use rusqlite::OptionalExtension;
use std::collections::HashMap;

impl Batch<'_> {
    /// Takes up an entry of a folder; the visit is there already.
    pub(super) fn take_listed(
        &mut self,
        url: &Url,
        resource: ResourceId,
        entry: &Enqueue,
        listed: &Listed,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if let Some(stamp) = &listed.stamp
            && let Some(document) = self.kept_under(resource, stamp)?
            && (listed.sample == 0 || (document.0 + self.run.0) % i64::from(listed.sample) != 0)
        {
            let nothing: Option<&str> = None;
            let visit = (self.run.0, resource.0, now.0, None::<u16>, nothing, nothing, 0);
            self.sql.visit.execute(visit)?;
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
            return Ok(());
        }
        let host = self.host(url)?;
        self.insert_row(host, resource, entry)
    }

    fn kept_under(&mut self, resource: ResourceId, stamp: &str) -> Result<Option<DocumentId>, StoreError> {
        let kept = &mut self.sql.kept_stamp;
        let found: Option<(i64, Option<String>)> = kept
            .query_row((resource.0, self.project.0), |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        Ok(found
            .filter(|(_, kept)| kept.as_deref() == Some(stamp))
            .map(|(document, _)| DocumentId(document)))
    }
}

/// What is known of a folder after a run.
#[derive(Debug, Clone, Copy)]
enum Fate {
    /// Listed whole: what it did not name is gone.
    Told,
    /// It could not be listed, or not whole.
    Untold(Reason),
}

impl Keeper {
    /// Says what became of the documents of listed servers that no listing of this run named. `schemes`: what is listed.
    pub fn settle_listed(&mut self, schemes: &[&str], now: Timestamp) -> Result<(), StoreError> {
        let mut fates: HashMap<String, Fate> = HashMap::new();
        let mut told: Vec<(i64, i64, Fate)> = Vec::new();
        {
            let mut statement = self.catalog.db.prepare(
                "SELECT d.id, r.id, r.url FROM documents d JOIN resources r ON r.id = d.resource
                 JOIN hosts h ON h.id = r.host
                 WHERE d.project = ?1 AND d.gone_run IS NULL AND h.scheme IN (SELECT value FROM json_each(?3))
                   AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.run = ?2 AND c.resource = d.resource)",
            )?;
            let schemes = serde_json::to_string(schemes).unwrap_or_default();
            let mut rows = statement.query((self.project.0, self.run.0, schemes))?;
            while let Some(row) = rows.next()? {
                let url: String = row.get(2)?;
                told.push((row.get(0)?, row.get(1)?, self.fate_above(&url, &mut fates)?));
            }
        }
        for piece in told.chunks(4000) {
            let transaction = self.catalog.db.unchecked_transaction()?;
            {
                let mut visit = transaction.prepare_cached(
                    "INSERT INTO visits(run, resource, depth, at, reason) VALUES (?1, ?2, 0, ?3, ?4)
                     ON CONFLICT DO UPDATE SET at = excluded.at, reason = excluded.reason",
                )?;
                let mut change = transaction.prepare_cached(
                    "INSERT INTO changes(run, resource, document, state, reason) VALUES (?1, ?2, ?3, ?4, ?5)
                     ON CONFLICT DO NOTHING",
                )?;
                let mut gone =
                    transaction.prepare_cached("UPDATE documents SET gone_run = ?2 WHERE id = ?1")?;
                for (document, resource, fate) in piece {
                    let (state, reason) = match fate {
                        Fate::Told => (State::Mis, Reason::NotListed),
                        Fate::Untold(reason) => (State::Err, *reason),
                    };
                    visit.execute((self.run.0, resource, now.0, reason.code()))?;
                    change.execute((self.run.0, resource, document, state.as_str(), reason.code()))?;
                    if state == State::Mis {
                        gone.execute((document, self.run.0))?;
                    }
                }
            }
            transaction.commit()?;
        }
        Ok(())
    }

    /// What the folder that holds `url` says: its own listing, or that of the nearest folder above it that was listed.
    fn fate_above(&self, url: &str, fates: &mut HashMap<String, Fate>) -> Result<Fate, StoreError> {
        let mut rest = url.trim_end_matches('/');
        let fate = loop {
            let Some(end) = rest.rfind('/').filter(|end| !rest[..*end].ends_with('/')) else {
                break Fate::Untold(Reason::CutShort); // Nobody looked.
            };
            let folder = &rest[..=end];
            if let Some(fate) = fates.get(folder) {
                break *fate;
            }
            if let Some(fate) = self.fate_of(folder)? {
                break fate;
            }
            rest = &rest[..end];
        };
        if let Some(end) = url.trim_end_matches('/').rfind('/') {
            fates.insert(url[..=end].to_owned(), fate);
        }
        Ok(fate)
    }

    /// How the folder's own visit ended; none if this run did not come there.
    fn fate_of(&self, folder: &str) -> Result<Option<Fate>, StoreError> {
        let Ok(url) = Url::parse(folder) else {
            return Ok(None);
        };
        let mut statement = self.catalog.db.prepare_cached(
            "SELECT v.at IS NOT NULL, v.reason FROM visits v JOIN resources r ON r.id = v.resource
             WHERE v.run = ?1 AND r.key = ?2",
        )?;
        let row: Option<(bool, Option<String>)> = statement
            .query_row((self.run.0, &url.key().0), |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        Ok(
            row.map(|(was_asked, reason)| match reason.as_deref().map(Reason::parse) {
                None if was_asked => Fate::Told,
                Some(Some(reason)) => Fate::Untold(reason),
                None | Some(None) => Fate::Untold(Reason::CutShort),
            }),
        )
    }
}
