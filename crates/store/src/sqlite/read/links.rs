//! Who links to whom, from the pages' lists.

use super::{SqliteLedger, reason};
use crate::StoreError;
use crate::ledger::{LinkLedger, LinkList, LinkLists, ResourcePlace, RunVisit};
use gleaner_model::steps::legs_of;
use gleaner_model::{ResourceId, RunId, Timestamp, UrlKey};
use rusqlite::OptionalExtension;

impl LinkLedger for SqliteLedger {
    fn place(&self, resource: ResourceId) -> Result<Option<ResourcePlace>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT key, url, status FROM resources WHERE id = ?1")?;
        let found = statement.query_row([resource.0], |row| {
            Ok(ResourcePlace {
                key: UrlKey(row.get(0)?),
                url: row.get(1)?,
                status: row.get(2)?,
            })
        });
        Ok(found.optional()?)
    }

    fn visit(&self, run: RunId, resource: ResourceId) -> Result<Option<RunVisit>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT depth, at, status, reason, legs FROM visits WHERE run = ?1 AND resource = ?2",
        )?;
        let found = statement.query_row((run.0, resource.0), |row| {
            Ok(RunVisit {
                depth: row.get(0)?,
                at: row.get::<_, Option<i64>>(1)?.map(Timestamp),
                status: row.get(2)?,
                reason: reason(row.get_ref(3)?.as_str_or_null()?),
                legs: row.get_ref(4)?.as_str_or_null()?.map_or_else(Vec::new, legs_of),
            })
        });
        Ok(found.optional()?)
    }

    fn links_of(&self, page: ResourceId, run: Option<RunId>) -> Result<LinkLists, StoreError> {
        let run = run.map_or(i64::MAX, |run| run.0);
        let mut lists = LinkLists::default();
        for sql in [
            "SELECT list FROM page_links WHERE source = ?1 AND first_run <= ?2",
            "SELECT list FROM past_links WHERE source = ?1 AND first_run <= ?2 AND gone_run > ?2
             ORDER BY first_run DESC LIMIT 1",
        ] {
            let mut statement = self.db.prepare_cached(sql)?;
            let mut rows = statement.query((page.0, run))?;
            if let Some(row) = rows.next()? {
                lists.push(page, row.get_ref(0)?.as_str().unwrap_or_default());
                break;
            }
        }
        Ok(lists)
    }

    /// Found by its spelling in every list, which saves the crawl an index as large as the lists.
    fn pages_that_name(&self, target: ResourceId) -> Result<Vec<ResourceId>, StoreError> {
        let spelling = format!("[{},", target.0);
        let finder = memchr::memmem::Finder::new(spelling.as_bytes());
        let mut statement = self
            .db
            .prepare("SELECT source, list FROM page_links ORDER BY source")?;
        let mut rows = statement.query([])?;
        let mut pages = Vec::new();
        while let Some(row) = rows.next()? {
            let list = row.get_ref(1)?.as_str().unwrap_or_default();
            // The spelling may stand in the words of a link.
            if finder.find(list.as_bytes()).is_some() && LinkList::new(list).any(|link| link.target == target)
            {
                pages.push(ResourceId(row.get(0)?));
            }
        }
        Ok(pages)
    }
}
