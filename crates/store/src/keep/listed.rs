//! What a listing says of a document, and what becomes of those that it no longer names (B2).
//!
//! An entry whose metadata is that of the version we have is as it was, and nobody asks for it. Documents of such servers
//! are not asked for one by one: when all folders were listed, what was not met there is gone, or could not be looked for.

use super::batch::Batch;
use super::{Keeper, Listed};
use crate::StoreError;
use gleaner_model::{DocumentId, Reason, ResourceId, State, Timestamp, Url};
use rusqlite::OptionalExtension;
use std::collections::HashMap;

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

/// What is known of a folder after a run.
#[derive(Debug, Clone, Copy)]
enum Fate {
    /// Listed whole: what it did not name is gone.
    Told,
    /// Listed whole from this number on: what is missing below it went by its age (HC107).
    ToldFrom(u64),
    /// It could not be listed, or not whole.
    Untold(Reason),
}

impl Fate {
    /// What that makes of a document which the folder did not name.
    fn of_missing(self, url: &str) -> (State, Reason) {
        match self {
            Fate::ToldFrom(oldest) if number_of(url).is_some_and(|number| number < oldest) => {
                (State::Sam, Reason::Expired)
            }
            Fate::Told | Fate::ToldFrom(_) => (State::Mis, Reason::NotListed),
            Fate::Untold(reason) => (State::Err, reason),
        }
    }
}

/// The number that names a document in its folder.
fn number_of(url: &str) -> Option<u64> {
    let (_, name) = url.rsplit_once('/')?;
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| name.parse().ok()).flatten()
}

impl Keeper {
    /// Says what became of the documents of listed servers that no listing of this run named. `schemes`: what is listed.
    /// `roots`: folders that are not believed to be empty.
    pub fn settle_listed(
        &mut self,
        schemes: &[&str],
        roots: &[Url],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut fates: HashMap<String, Fate> = HashMap::new();
        let mut empty = Vec::new();
        for root in roots.iter().filter(|root| schemes.contains(&root.scheme())) {
            empty.extend(self.empty_root(root)?);
        }
        let mut told: Vec<(i64, i64, State, Reason)> = Vec::new();
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
                let (state, reason) = if empty.iter().any(|root| url.starts_with(root)) {
                    (State::Err, Reason::EmptyRoot)
                } else {
                    self.fate_above(&url, &mut fates)?.of_missing(&url)
                };
                told.push((row.get(0)?, row.get(1)?, state, reason));
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
                for (document, resource, state, reason) in piece {
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

    /// The address of a folder that was listed whole and named nothing. A disk that is not mounted looks like that.
    fn empty_root(&self, root: &Url) -> Result<Option<String>, StoreError> {
        let Some(given) = self.resources_of(std::slice::from_ref(root))?.pop() else {
            return Ok(None);
        };
        let folder = self.end_of_redirects(given)?.unwrap_or(given);
        let mut statement = self.catalog.db.prepare_cached(
            "SELECT url FROM resources r WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM page_links p WHERE p.source = r.id)",
        )?;
        let url: Option<String> = statement.query_row([folder.0], |row| row.get(0)).optional()?;
        let Some(url) = url.filter(|url| url.ends_with('/')) else {
            return Ok(None);
        };
        let is_told = matches!(self.fate_of(&url)?, Some(Fate::Told));
        Ok(is_told.then_some(url))
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
            "SELECT v.at IS NOT NULL, v.reason, v.detail FROM visits v JOIN resources r ON r.id = v.resource
             WHERE v.run = ?1 AND r.key = ?2",
        )?;
        let row: Option<(bool, Option<String>, Option<String>)> = statement
            .query_row((self.run.0, &url.key().0), |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        Ok(row.map(
            |(was_asked, reason, detail)| match reason.as_deref().map(Reason::parse) {
                None if was_asked => Fate::Told,
                Some(Some(Reason::Expired)) => match detail.and_then(|oldest| oldest.parse().ok()) {
                    Some(oldest) => Fate::ToldFrom(oldest),
                    None => Fate::Untold(Reason::ListingCut),
                },
                Some(Some(reason)) => Fate::Untold(reason),
                None | Some(None) => Fate::Untold(Reason::CutShort),
            },
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hc107_what_went_by_its_age_is_told_from_what_was_taken_back() {
        let expired = (State::Sam, Reason::Expired);
        let gone = (State::Mis, Reason::NotListed);
        let group = Fate::ToldFrom(900);
        for (name, expected) in [
            ("1", expired),
            ("899", expired),
            ("900", gone),
            ("18446744073709551616", gone),
            ("x", gone),
            ("", gone),
        ] {
            let url = format!("nntp://news.test/a.b/{name}");
            assert_eq!(group.of_missing(&url), expected, "{url}");
        }
        assert_eq!(Fate::Told.of_missing("nntp://news.test/a.b/1"), gone);
        let untold = Fate::Untold(Reason::ListingCut);
        let cut = (State::Err, Reason::ListingCut);
        assert_eq!(untold.of_missing("nntp://news.test/a.b/1"), cut);
    }
}
