//! What was learned about a site's URLs, and what follows from it for the resources that are there already.

use crate::StoreError;
use crate::keep::Rekeyed;
use crate::sqlite::catalog::Catalog;
use crate::sqlite::writer::Writer;
use gleaner_model::{ProjectId, ResourceId, Timestamp};
use rusqlite::{OptionalExtension, Params, Transaction};

/// Addresses read in one go.
const PIECE: usize = 10_000;

impl Catalog {
    /// Addresses of a domain behind this one, in the order of discovery; none at the end.
    pub(crate) fn addresses_of_domain(
        &self,
        domain: &str,
        after: Option<ResourceId>,
    ) -> Result<Vec<(ResourceId, String)>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT r.id, r.url FROM resources r JOIN hosts h ON h.id = r.host
             WHERE (h.name = ?1 OR substr(h.name, -length(?1) - 1) = '.' || ?1) AND r.id > ?2 ORDER BY r.id LIMIT ?3",
        )?;
        let after = after.map_or(0, |id| id.0);
        let rows = statement.query_map((domain, after, PIECE as i64), |row| {
            Ok((ResourceId(row.get(0)?), row.get(1)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Writer {
    /// Stores the rules of a site together with the keys that follow from them. Where two resources turn out to be one, the
    /// first keeps the key and the other stays as it is.
    pub(crate) fn keep_rules(
        &mut self,
        project: ProjectId,
        site: &str,
        rules: &str,
        now: Timestamp,
        keys: &[Rekeyed],
    ) -> Result<(), StoreError> {
        self.change_rules(
            "INSERT INTO site_rules(project, site, rules, probed_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET rules = excluded.rules, probed_at = excluded.probed_at WHERE NOT is_pinned",
            (project.0, site, rules, now.0),
            keys,
        )
    }

    /// The rules of a site as a person wants them.
    pub(crate) fn set_rules(
        &mut self,
        project: ProjectId,
        site: &str,
        rules: &str,
        is_pinned: bool,
        keys: &[Rekeyed],
    ) -> Result<(), StoreError> {
        self.change_rules(
            "INSERT INTO site_rules(project, site, rules, is_pinned) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET rules = excluded.rules, is_pinned = excluded.is_pinned",
            (project.0, site, rules, is_pinned),
            keys,
        )
    }

    /// Rules and keys change together or not at all.
    fn change_rules(
        &mut self,
        statement: &str,
        values: impl Params,
        keys: &[Rekeyed],
    ) -> Result<(), StoreError> {
        let transaction = self.catalog.db.unchecked_transaction()?;
        transaction.execute(statement, values)?;
        rekey(&transaction, keys)?;
        transaction.commit()?;
        self.forget_rows();
        Ok(())
    }
}

fn rekey(transaction: &Transaction<'_>, keys: &[Rekeyed]) -> Result<(), StoreError> {
    let mut holder = transaction.prepare("SELECT id FROM resources WHERE key = ?1")?;
    // The address stays as it was found: records in the archive name it.
    let mut change = transaction.prepare("UPDATE resources SET key = ?2 WHERE id = ?1")?;
    for (id, key) in keys {
        let held: Option<i64> = holder.query_row([&key.0], |row| row.get(0)).optional()?;
        if held.is_none_or(|held| held == id.0) {
            change.execute((id.0, &key.0))?;
        }
    }
    Ok(())
}
