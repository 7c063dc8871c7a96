//! What is still queued and will not be asked for in this run: ended, with the reason.

use crate::StoreError;
use crate::leases::FencedHost;
use crate::sqlite::numbers::next_number;
use crate::sqlite::writer::RunWriter;
use crate::work::{Ending, Purpose};
use gleaner_model::{State, Timestamp};

impl RunWriter<'_> {
    /// Ends what is still queued for `host` (or for all, if `None`) with one reason: the run could not ask. Nothing where
    /// somebody else has the host.
    pub(crate) fn give_up(
        &mut self,
        host: Option<FencedHost>,
        why: &Ending,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        if host.is_some_and(|host| !self.is_current(host)) {
            return Ok(0);
        }
        let Ending {
            reason,
            detail,
            state,
        } = why;
        let transaction = self.catalog.db.unchecked_transaction()?;
        let host = host.map(|of| of.host.0);
        // A document that was not asked for is ERR in any case; other URLs only where that was for want of an answer.
        transaction.execute(
            concat!(
                "INSERT INTO changes(id, run, resource, document, state, reason, detail)
                 SELECT ",
                next_number!("changes"),
                " + row_number() OVER (ORDER BY f.host, f.priority, f.resource) - 1,
                     f.run, f.resource, d.id, coalesce(?3, 'ERR'), ?4, ?6
                 FROM frontier f LEFT JOIN documents d
                     ON d.resource = f.resource AND d.project = ?5 AND d.gone_run IS NULL
                 WHERE f.run = ?1 AND (?2 IS NULL OR f.host = ?2) AND f.purpose IS NULL
                   AND (?3 IS NOT NULL OR d.id IS NOT NULL)
                   AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.run = f.run AND c.resource = f.resource)
                 ON CONFLICT DO NOTHING"
            ),
            (
                self.run.0,
                host,
                state.map(State::as_str),
                reason.code(),
                self.project.0,
                detail,
            ),
        )?;
        transaction.execute(
            "UPDATE visits SET at = ?3, reason = ?4, detail = ?5 WHERE run = ?1 AND at IS NULL AND resource IN
                 (SELECT resource FROM frontier WHERE run = ?1 AND (?2 IS NULL OR host = ?2))",
            (self.run.0, host, now.0, reason.code(), detail),
        )?;
        // A guessed address was promised by no link, so one that is not asked for is not counted as left out.
        let guesses: i64 = transaction.query_row(
            "SELECT count(*) FROM frontier WHERE run = ?1 AND (?2 IS NULL OR host = ?2) AND purpose IN (?3, ?4, ?5)",
            (
                self.run.0,
                host,
                Purpose::Guess.column(),
                Purpose::GuessedSitemap.column(),
                Purpose::FoundSitemap.column(),
            ),
            |row| row.get(0),
        )?;
        let count = transaction.execute(
            "DELETE FROM frontier WHERE run = ?1 AND (?2 IS NULL OR host = ?2)",
            (self.run.0, host),
        )?;
        transaction.commit()?;
        Ok((count as u64).saturating_sub(guesses as u64))
    }
}
