//! The links of a page: one list per page, written whole (E1).
//!
//! A page has some forty links, and a row for each made them most of what a crawl wrote. A list is JSON, an array for each
//! link in the order of the page: `[target, kind, anchor, count, nofollow, original]`, where the usual values at its end (no
//! anchor, once, no `nofollow`, spelt rightly) are left out. The view `links` shows one row per link.

use super::batch::Batch;
use super::lists::push_date;
use super::outlinks::push_number;
use super::{Enqueue, Keep};
use crate::StoreError;
use crate::catalog::seen::Known;
use gleaner_model::Url;
use rusqlite::OptionalExtension;

impl Batch<'_> {
    /// Makes rows of the targets, queues those that are to be asked for, and writes the list.
    pub(super) fn keep_links(&mut self, keep: &Keep) -> Result<(), StoreError> {
        let mut list = std::mem::take(&mut self.list);
        list.clear();
        let mut dates = Vec::new();
        for outlink in keep.outlinks.iter() {
            let known = self.seen.get(&outlink.key);
            let is_done = |known: Known, entry: &Enqueue| known.is_taken && !entry.again;
            let mut is_new = false;
            let resource = match (known, outlink.queue) {
                // Nearly all links of a page: met before, and nothing to do about them.
                (Some(known), None) => known.resource,
                (Some(known), Some(entry)) if is_done(known, entry) => known.resource,
                (_, entry) => {
                    let url = Url::parse(outlink.url)
                        .expect("canonical text is a URL: canonicalising twice changes nothing");
                    let known = self.resource(&url, outlink.key, Some(keep.resource), keep.at)?;
                    if let Some(entry) = entry {
                        is_new =
                            self.enqueue(&url, outlink.key, known, Some(keep.resource), entry, keep.at)?;
                    }
                    known.resource
                }
            };
            // What is new is asked for in any case.
            if let (true, Some(modified), Some(_), false) =
                (self.notes_dates, outlink.modified, outlink.queue, is_new)
            {
                push_date(&mut dates, resource, modified);
            }
            list.extend_from_slice(if list.is_empty() { b"[[" } else { b",[" });
            push_number(&mut list, resource.0.unsigned_abs());
            list.extend_from_slice(outlink.tail);
        }
        if !list.is_empty() {
            list.push(b']');
        }
        if !dates.is_empty() {
            self.note_dates(keep.resource, &dates)?;
        }
        let done = if keep.links_unchanged {
            Ok(())
        } else {
            self.write_list(keep, &list)
        };
        self.list = list;
        done
    }

    fn write_list(&mut self, keep: &Keep, list: &[u8]) -> Result<(), StoreError> {
        let text = std::str::from_utf8(list).expect("a list is made of numbers and JSON strings");
        let (source, run) = (keep.resource.0, self.run.0);
        if !list.is_empty() && self.sql.insert_list.execute((source, run, text))? == 1 {
            return Ok(());
        }
        // A page seen before: a list that is no longer right ends with this run.
        let stored_list = &mut self.sql.stored_list;
        let stored: Option<(i64, String)> = stored_list
            .query_row([source], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((first_run, stored)) = stored else {
            return Ok(());
        };
        if stored == text {
            return Ok(());
        }
        if first_run != run {
            self.sql.end_list.execute((source, run))?;
        }
        self.sql.drop_list.execute([source])?;
        if !list.is_empty() {
            self.sql.insert_list.execute((source, run, text))?;
        }
        Ok(())
    }
}
