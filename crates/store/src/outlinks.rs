//! The links of a page with the frontier's decision about each, on their way to the store.
//!
//! They are made on one thread and dropped on another, forty to a page, so they share two pieces of memory instead of
//! owning two each; and each is written as the catalog wants it where it is made.

use crate::keep::Enqueue;
use gleaner_model::{Link, Modified, UrlKey};

#[derive(Default)]
pub struct Outlinks {
    rows: Vec<Row>,
    /// How they are queued. Most links of a page are queued alike, and those of a sitemap are many.
    queues: Vec<Enqueue>,
    /// Their URLs, one after the other.
    urls: String,
    /// What follows the target in the list of links, one after the other.
    tails: Vec<u8>,
    /// When they changed last, by their place: only lists tell.
    dates: Vec<(u32, Modified)>,
}

struct Row {
    key: UrlKey,
    url_end: u32,
    tail_end: u32,
    /// The place in `queues`, or [`NOT_QUEUED`].
    queue: u32,
}

const NOT_QUEUED: u32 = u32::MAX;

/// One of them.
pub(crate) struct Outlink<'a> {
    pub(crate) key: UrlKey,
    pub(crate) url: &'a str,
    pub(crate) tail: &'a [u8],
    pub(crate) queue: Option<&'a Enqueue>,
    pub(crate) modified: Option<Modified>,
}

impl Outlinks {
    pub fn reserve(&mut self, count: usize) {
        self.rows.reserve(count);
        self.urls.reserve(count * 48);
        self.tails.reserve(count * 24);
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// `original` is how the page spells it, where its author's mistake was repaired.
    pub fn push(&mut self, link: &Link, original: Option<&str>, queue: Option<Enqueue>) {
        self.push_as(link, link.url.key(), original, queue);
    }

    /// The same for a URL whose identity is not its text.
    pub fn push_as(&mut self, link: &Link, key: UrlKey, original: Option<&str>, queue: Option<Enqueue>) {
        self.urls.push_str(link.url.as_str());
        write_tail(&mut self.tails, link, original);
        let queue = queue.map_or(NOT_QUEUED, |queue| self.place_of(queue));
        self.rows.push(Row {
            key,
            url_end: self.urls.len() as u32,
            tail_end: self.tails.len() as u32,
            queue,
        });
    }

    /// When the last of them changed last, as the list that names it says.
    pub fn date_last(&mut self, modified: Modified) {
        let place = self.rows.len().saturating_sub(1);
        self.dates.push((place as u32, modified));
    }

    fn place_of(&mut self, queue: Enqueue) -> u32 {
        if self.queues.last() != Some(&queue) {
            self.queues.push(queue);
        }
        self.queues.len() as u32 - 1
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Outlink<'_>> {
        let (mut url_start, mut tail_start) = (0, 0);
        let mut dates = self.dates.iter().peekable();
        self.rows.iter().enumerate().map(move |(place, row)| {
            let (url_end, tail_end) = (row.url_end as usize, row.tail_end as usize);
            let outlink = Outlink {
                key: row.key,
                url: &self.urls[url_start..url_end],
                tail: &self.tails[tail_start..tail_end],
                queue: self.queues.get(row.queue as usize),
                modified: dates
                    .next_if(|(of, _)| *of as usize == place)
                    .map(|(_, modified)| *modified),
            };
            (url_start, tail_start) = (url_end, tail_end);
            outlink
        })
    }
}

/// `, kind, anchor, count, nofollow, original]`, the usual values at the end left out.
fn write_tail(list: &mut Vec<u8>, link: &Link, original: Option<&str>) {
    let never = "a vector takes all that is written to it";
    list.push(b',');
    push_number(list, link.kind as u64);
    let is_odd = link.nofollow || original.is_some();
    let (is_counted, is_named) = (link.count != 1 || is_odd, !link.anchor.is_empty());
    if is_named || is_counted {
        list.push(b',');
        serde_json::to_writer(&mut *list, &link.anchor).expect(never);
    }
    if is_counted {
        list.push(b',');
        push_number(list, u64::from(link.count));
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

/// In decimal. Formatting as such costs several times as much, and there are a hundred numbers to a page.
pub(crate) fn push_number(list: &mut Vec<u8>, number: u64) {
    let mut digits = [b'0'; 20];
    let (mut at, mut rest) = (digits.len(), number);
    loop {
        at -= 1;
        digits[at] += (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    list.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_model::{Leg, LinkKind, Url};

    #[test]
    fn case34_each_link_keeps_the_steps_and_the_form_that_lead_there() {
        let leg = |step, depth| vec![Leg { step, depth }];
        let form = |text: &str| Some(text.to_owned());
        let wanted = [
            (leg(0, 1), None),
            (leg(1, 1), None),
            (leg(1, 0), form("first")),
            (leg(1, 0), form("second")),
            (leg(2, 0), form("second")),
            (vec![Leg { step: 0, depth: 1 }, Leg { step: 1, depth: 2 }], None),
            (leg(0, 1), None),
        ];
        let mut outlinks = Outlinks::default();
        for (number, (legs, request)) in wanted.iter().enumerate() {
            let link = Link {
                url: Url::parse(&format!("http://a.test/{number}")).expect("a URL"),
                kind: LinkKind::Anchor,
                anchor: String::new(),
                count: 1,
                nofollow: false,
            };
            let entry = Enqueue {
                legs: legs.clone(),
                request: request.clone(),
                ..Enqueue::page(0, 0)
            };
            outlinks.push(&link, None, Some(entry));
        }
        let found: Vec<(Vec<Leg>, Option<String>)> = outlinks
            .iter()
            .map(|link| {
                link.queue
                    .map(|queue| (queue.legs.clone(), queue.request.clone()))
            })
            .map(|queued| queued.expect("all are queued"))
            .collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn numbers_are_written_as_formatting_would() {
        for number in [0, 1, 9, 10, 42, 99, 100, 1_234_567_890, u64::MAX] {
            let mut list = Vec::new();
            push_number(&mut list, number);
            assert_eq!(list, number.to_string().as_bytes());
        }
    }
}
