//! What was learned about a site's URLs, and what follows from it for the resources that are there already.

use super::Keeper;
use crate::StoreError;
use gleaner_model::{ProjectId, ResourceId, Timestamp, Url, UrlKey};
use rusqlite::{OptionalExtension, Params, Transaction};

/// The address to keep for a URL and its key; none where it is its own identity.
pub type Identify<'a> = dyn Fn(&Url) -> Option<(Url, UrlKey)> + 'a;

impl Keeper {
    /// Stores the rules of a site and gives the resources of its domain the keys that follow from them. Where two
    /// resources turn out to be one, the first keeps the key and the other stays as it is.
    pub fn keep_rules(
        &mut self,
        site: &str,
        domain: &str,
        rules: &str,
        now: Timestamp,
        identify: &Identify<'_>,
    ) -> Result<(), StoreError> {
        self.change_rules(
            "INSERT INTO site_rules(project, site, rules, probed_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET rules = excluded.rules, probed_at = excluded.probed_at WHERE NOT is_pinned",
            (self.project.0, site, rules, now.0),
            domain,
            identify,
        )
    }

    /// The rules of a site as a person wants them.
    pub fn set_rules(
        &mut self,
        site: &str,
        domain: &str,
        rules: &str,
        is_pinned: bool,
        identify: &Identify<'_>,
    ) -> Result<(), StoreError> {
        self.change_rules(
            "INSERT INTO site_rules(project, site, rules, is_pinned) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET rules = excluded.rules, is_pinned = excluded.is_pinned",
            (self.project.0, site, rules, is_pinned),
            domain,
            identify,
        )
    }

    /// Everything from now on is about this project.
    pub fn of_project(&mut self, project: ProjectId) {
        self.project = project;
    }

    /// Rules and keys change together or not at all.
    fn change_rules(
        &mut self,
        statement: &str,
        values: impl Params,
        domain: &str,
        identify: &Identify<'_>,
    ) -> Result<(), StoreError> {
        let transaction = self.catalog.db.unchecked_transaction()?;
        transaction.execute(statement, values)?;
        rekey(&transaction, domain, identify)?;
        transaction.commit()?;
        self.forget_rows();
        Ok(())
    }
}

/// Gives the resources of a domain the keys that follow from its rules.
fn rekey(transaction: &Transaction<'_>, domain: &str, identify: &Identify<'_>) -> Result<(), StoreError> {
    let mut all = transaction.prepare(
        "SELECT r.id, r.url FROM resources r JOIN hosts h ON h.id = r.host
         WHERE (h.name = ?1 OR h.name LIKE '%.' || ?1) ORDER BY r.id",
    )?;
    let mut holder = transaction.prepare("SELECT id FROM resources WHERE key = ?1")?;
    // The address stays as it was found: records in the archive name it.
    let mut change = transaction.prepare("UPDATE resources SET key = ?2 WHERE id = ?1")?;
    let mut rows = all.query([domain])?;
    let mut changes: Vec<(ResourceId, UrlKey)> = Vec::new();
    while let Some(row) = rows.next()? {
        let Ok(url) = Url::parse(row.get_ref(1)?.as_str().unwrap_or("")) else {
            continue;
        };
        if let Some((_, key)) = identify(&url) {
            changes.push((ResourceId(row.get(0)?), key));
        }
    }
    for (id, key) in changes {
        let held: Option<i64> = holder.query_row([&key.0], |row| row.get(0)).optional()?;
        if held.is_none_or(|held| held == id.0) {
            change.execute((id.0, &key.0))?;
        }
    }
    Ok(())
}
