//! The links of a page: one list per page, written whole (E1).
//!
//! A page has some forty links, and a row for each made them most of what a crawl wrote. A list is JSON, an array for each
//! link in the order of the page: `[target, kind, anchor, count, nofollow, original]`, where the usual values at its end (no
//! anchor, once, no `nofollow`, spelt rightly) are left out. The view `links` shows one row per link.

use super::batch::Batch;
use super::lists::push_date;
use crate::StoreError;
use crate::keep::{Enqueue, Keep, Outcome};
use crate::outlinks::push_number;
use crate::sqlite::seen::Known;
use gleaner_model::{ResourceId, Url};
use rusqlite::OptionalExtension;
use std::collections::HashMap;

/// The lists of folders whose entries come in pieces, as far as they came: a dozen bytes an entry.
#[derive(Default)]
pub(in crate::sqlite) struct OpenLists(HashMap<ResourceId, OpenList>);

#[derive(Default)]
struct OpenList {
    list: Vec<u8>,
    /// How much of it belongs to pieces that are safe.
    safe_bytes: usize,
    /// The last piece is in it.
    is_ended: bool,
}

impl OpenLists {
    /// Forgets what came of an earlier listing that was broken off.
    pub(super) fn begin(&mut self, folder: ResourceId) {
        self.0.insert(folder, OpenList::default());
    }

    /// After a transaction: what was added is safe, or was never there.
    pub(super) fn settle(&mut self, is_safe: bool) {
        self.0.retain(|_, open| !(is_safe && open.is_ended));
        for open in self.0.values_mut() {
            if is_safe {
                open.safe_bytes = open.list.len();
            } else {
                open.list.truncate(open.safe_bytes);
                open.is_ended = false;
            }
        }
    }

    /// A folder's list as far as it came, taken out; none where it came to its end in this very transaction.
    fn take(&mut self, folder: ResourceId) -> Option<Vec<u8>> {
        let open = self.0.get_mut(&folder).filter(|open| !open.is_ended)?;
        Some(std::mem::take(&mut open.list))
    }

    fn put_back(&mut self, folder: ResourceId, list: Vec<u8>, is_ended: bool) {
        if let Some(open) = self.0.get_mut(&folder) {
            (open.list, open.is_ended) = (list, is_ended);
        }
    }
}

impl Batch<'_> {
    /// Makes rows of the targets, queues those that are to be asked for, and writes the list.
    pub(super) fn keep_links(&mut self, keep: &Keep) -> Result<(), StoreError> {
        let open = self.open_lists.take(keep.resource);
        let (is_open, is_piece) = (open.is_some(), matches!(keep.outcome, Outcome::Piece(_)));
        let mut list = open.unwrap_or_else(|| std::mem::take(&mut self.list));
        if !is_open {
            list.clear();
        }
        let added = self.add_links(keep, &mut list);
        let done = match added {
            Ok(()) if is_piece || keep.links_unchanged => Ok(()),
            Ok(()) => self.end_list(keep, &mut list),
            Err(error) => Err(error),
        };
        if is_open {
            self.open_lists.put_back(keep.resource, list, !is_piece);
        } else {
            self.list = list;
        }
        done
    }

    fn add_links(&mut self, keep: &Keep, list: &mut Vec<u8>) -> Result<(), StoreError> {
        let mut dates = Vec::new();
        for outlink in keep.outlinks.iter() {
            let known = self.seen.get(&outlink.key);
            let is_done =
                |known: Known, entry: &Enqueue| known.is_taken && !entry.again && entry.legs.is_empty();
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
            push_number(list, resource.0.unsigned_abs());
            list.extend_from_slice(outlink.tail);
        }
        if !dates.is_empty() {
            self.note_dates(keep.resource, &dates)?;
        }
        Ok(())
    }

    fn end_list(&mut self, keep: &Keep, list: &mut Vec<u8>) -> Result<(), StoreError> {
        if list.is_empty() {
            return self.write_list(keep, list);
        }
        list.push(b']');
        let written = self.write_list(keep, list);
        list.pop();
        written
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
