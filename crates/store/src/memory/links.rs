//! The links of a page, as the list that is stored.

use super::keep::Batch;
use super::rows::{LinkList, PastList};
use crate::keep::{Keep, Outcome};
use crate::outlinks::push_number;
use gleaner_model::Url;

impl Batch<'_> {
    /// Makes rows of the targets, queues those that are to be asked for, and writes the list.
    pub(super) fn keep_links(&mut self, keep: &Keep) {
        let place = (self.of.run, keep.resource);
        let open = self.rows.of_process.open_lists.remove(&place);
        let is_open = open.is_some();
        let mut list = open.unwrap_or_default();
        self.add_links(keep, &mut list);
        if matches!(keep.outcome, Outcome::Piece(_)) {
            if is_open {
                self.rows.of_process.open_lists.insert(place, list);
            }
        } else if !keep.links_unchanged {
            self.write_list(keep, list);
        }
    }

    fn add_links(&mut self, keep: &Keep, list: &mut Vec<u8>) {
        let mut dates = Vec::new();
        for outlink in keep.outlinks.iter() {
            let url = Url::parse(outlink.url)
                .expect("canonical text is a URL: canonicalising twice changes nothing");
            let resource = self.resource(&url, outlink.key, Some(keep.resource), keep.at);
            let is_new = outlink.queue.is_some_and(|entry| {
                self.enqueue(&url, outlink.key, resource, Some(keep.resource), entry, keep.at)
            });
            // What is new is asked for in any case.
            if let (Some(modified), Some(_), false) = (outlink.modified, outlink.queue, is_new) {
                dates.push((resource, modified));
            }
            list.extend_from_slice(if list.is_empty() { b"[[" } else { b",[" });
            push_number(list, resource.0.unsigned_abs());
            list.extend_from_slice(outlink.tail);
        }
        if !dates.is_empty() && self.notes_dates() {
            self.rows.list_dates.insert((self.of.run, keep.resource), dates);
        }
    }

    fn write_list(&mut self, keep: &Keep, mut list: Vec<u8>) {
        if !list.is_empty() {
            list.push(b']');
        }
        let list = String::from_utf8(list).expect("a list is made of numbers and JSON strings");
        let (page, run) = (keep.resource, self.of.run);
        let new = (!list.is_empty()).then_some(LinkList { first_run: run, list });
        let stored = self.rows.page_links.get(&page);
        if let (Some(stored), Some(new)) = (stored, &new)
            && stored.list == new.list
        {
            return;
        }
        // A list that is no longer right ends with this run.
        if let Some(LinkList { first_run, list }) = self.rows.page_links.remove(&page)
            && first_run != run
        {
            let past = PastList { gone_run: run, list };
            self.rows.past_links.insert((page, first_run), past);
        }
        if let Some(new) = new {
            self.rows.page_links.insert(page, new);
        }
    }
}
