//! The links of a page: one list per page, written whole (E1).
//!
//! A page has some forty links, and a row for each made them most of what a crawl wrote. A list is JSON, an array for each
//! link in the order of the page: `[target, kind, anchor, count, nofollow, original]`, where the usual values at its end (no
//! anchor, once, no `nofollow`, spelt rightly) are left out. The view `links` shows one row per link.

use super::Keep;
use super::batch::Batch;
use crate::StoreError;
use gleaner_model::Link;
use rusqlite::OptionalExtension;
use std::io::Write;

impl Batch<'_> {
    /// Makes rows of the targets, queues those that are to be asked for, and writes the list.
    pub(super) fn keep_links(&mut self, keep: &Keep) -> Result<(), StoreError> {
        let mut list = std::mem::take(&mut self.list);
        list.clear();
        for follow in &keep.follows {
            let known = self.resource(&follow.link.url, follow.key, Some(keep.resource), keep.at)?;
            if let Some(entry) = &follow.queue {
                self.enqueue(
                    &follow.link.url,
                    follow.key,
                    known,
                    Some(keep.resource),
                    entry,
                    keep.at,
                )?;
            }
            list.push(if list.is_empty() { b'[' } else { b',' });
            write(
                &mut list,
                known.resource.0,
                &follow.link,
                follow.original.as_deref(),
            );
        }
        if !list.is_empty() {
            list.push(b']');
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

fn write(list: &mut Vec<u8>, target: i64, link: &Link, original: Option<&str>) {
    let never = "a vector takes all that is written to it";
    write!(list, "[{target},{}", link.kind as u8).expect(never);
    let is_odd = link.nofollow || original.is_some();
    let (is_counted, is_named) = (link.count != 1 || is_odd, !link.anchor.is_empty());
    if is_named || is_counted {
        list.push(b',');
        serde_json::to_writer(&mut *list, &link.anchor).expect(never);
    }
    if is_counted {
        write!(list, ",{}", link.count).expect(never);
    }
    if is_odd {
        list.extend_from_slice(if link.nofollow { b",1" } else { b",0" });
    }
    if let Some(original) = original {
        list.push(b',');
        serde_json::to_writer(&mut *list, original).expect(never);
    }
    list.push(b']');
}
