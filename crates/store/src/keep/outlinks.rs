//! The links of a page with the frontier's decision about each, on their way to the store.
//!
//! They are made on one thread and dropped on another, forty to a page, so they share two pieces of memory instead of
//! owning two each; and each is written as the catalog wants it where it is made.

use super::Enqueue;
use gleaner_model::{Link, UrlKey};
use std::io::Write;

#[derive(Default)]
pub struct Outlinks {
    rows: Vec<Row>,
    /// Their URLs, one after the other.
    urls: String,
    /// What follows the target in the list of links, one after the other.
    tails: Vec<u8>,
}

struct Row {
    key: UrlKey,
    url_end: u32,
    tail_end: u32,
    queue: Option<Enqueue>,
}

/// One of them.
pub(super) struct Outlink<'a> {
    pub(super) key: UrlKey,
    pub(super) url: &'a str,
    pub(super) tail: &'a [u8],
    pub(super) queue: Option<&'a Enqueue>,
}

impl Outlinks {
    pub fn reserve(&mut self, count: usize) {
        self.rows.reserve(count);
        self.urls.reserve(count * 48);
        self.tails.reserve(count * 24);
    }

    /// `original` is how the page spells it, where its author's mistake was repaired.
    pub fn push(&mut self, link: &Link, original: Option<&str>, queue: Option<Enqueue>) {
        self.push_as(link, link.url.key(), original, queue);
    }

    /// The same for a URL whose identity is not its text.
    pub fn push_as(&mut self, link: &Link, key: UrlKey, original: Option<&str>, queue: Option<Enqueue>) {
        self.urls.push_str(link.url.as_str());
        write_tail(&mut self.tails, link, original);
        self.rows.push(Row {
            key,
            url_end: self.urls.len() as u32,
            tail_end: self.tails.len() as u32,
            queue,
        });
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Outlink<'_>> {
        let (mut url_start, mut tail_start) = (0, 0);
        self.rows.iter().map(move |row| {
            let (url_end, tail_end) = (row.url_end as usize, row.tail_end as usize);
            let outlink = Outlink {
                key: row.key,
                url: &self.urls[url_start..url_end],
                tail: &self.tails[tail_start..tail_end],
                queue: row.queue.as_ref(),
            };
            (url_start, tail_start) = (url_end, tail_end);
            outlink
        })
    }
}

/// `, kind, anchor, count, nofollow, original]`, the usual values at the end left out.
fn write_tail(list: &mut Vec<u8>, link: &Link, original: Option<&str>) {
    let never = "a vector takes all that is written to it";
    write!(list, ",{}", link.kind as u8).expect(never);
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
