//! What one run has to tell the next about the pace of hosts: until when they are to be left alone (HC055).

use super::Catalog;
use crate::StoreError;
use gleaner_model::{HostId, Timestamp};

impl Catalog {
    /// Notes for later runs, whoever's they are, until when these hosts are not to be asked.
    pub fn hold_hosts(&self, held: &[(HostId, Timestamp)]) -> Result<(), StoreError> {
        if held.is_empty() {
            return Ok(());
        }
        let transaction = self.db.unchecked_transaction()?;
        for (host, until) in held {
            transaction.execute(
                "UPDATE hosts SET held_until = ?2 WHERE id = ?1",
                (host.0, until.0),
            )?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Names of hosts that are not to be asked yet, and until when.
    pub fn hosts_held(&self, now: Timestamp) -> Result<Vec<(String, Timestamp)>, StoreError> {
        let mut statement = self
            .db
            .prepare("SELECT name, held_until FROM hosts WHERE held_until > ?1 ORDER BY id")?;
        let rows = statement.query_map([now.0], |row| Ok((row.get(0)?, Timestamp(row.get(1)?))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
