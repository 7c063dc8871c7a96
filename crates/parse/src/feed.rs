//! Feeds in XML: RSS 0.9–2.0, RSS 1.0 (RDF) and Atom, read as a stream (A8).
//!
//! Of each entry: its address under its title, its enclosures, and the links inside its HTML. A feed that was asked for
//! as a sitemap gives its entries as sitemap entries too, dated by their last change where they tell it.

use crate::collect::{Against, Collector};
use crate::html;
use crate::sitemap::Entries;
use crate::text;
use crate::xml::{Element, Piece, Value, walk};
use crate::{Input, Parsed};
use gleaner_model::LinkKind;
use gleaner_model::defaults::{ANCHOR_CHARS_MAX, TITLE_CHARS_MAX};
use std::borrow::Cow;

/// The HTML of one entry beyond this is not searched for links.
const CONTENT_BYTES_MAX: usize = 1024 * 1024;

/// Whether a root element is that of a feed.
pub(crate) fn is_root(name: &str) -> bool {
    matches!(name, "rss" | "feed" | "RDF")
}

#[derive(Default)]
struct Entry {
    title: String,
    link: Option<String>,
    guid: Option<String>,
    date: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Title,
    Link,
    Guid,
    Date,
    /// HTML as text.
    Content,
    Address(LinkKind),
}

/// Reads a feed.
pub(crate) fn read<'a>(text: &str, input: &Input<'a>, links: &mut Collector<'a>, parsed: &mut Parsed) {
    let mut entries = Entries::new(input.url);
    let mut depth = 0usize;
    let mut entry: Option<(Entry, usize)> = None;
    let mut wanted: Option<(Wanted, usize)> = None;
    let mut is_in_image = false;
    let mut value = Value::default();
    let note = walk(text, |piece| match piece {
        Piece::Start(element) => {
            depth += 1;
            if depth == 1
                && let Some(base) = element.attribute("base")
            {
                links.set_base(&base);
            }
            if matches!(element.name, "item" | "entry") && entry.is_none() {
                entry = Some((Entry::default(), depth));
                return;
            }
            if wanted.is_some() {
                // Markup inside a value (XHTML content): only its links matter.
                if let Some(href) = element.attribute("href") {
                    links.add_text(Cow::Owned(href), LinkKind::Anchor, false, Against::Base);
                }
                return;
            }
            is_in_image |= element.name == "image";
            let is_of_entry = entry.as_ref().is_some_and(|(_, at)| depth == at + 1);
            let what = start(
                element,
                entry.as_mut().map(|(entry, _)| entry),
                is_in_image,
                links,
            );
            // The `source` of an entry is another feed, with a date of its own.
            let what = what.filter(|what| *what != Wanted::Date || is_of_entry);
            if let Some(what) = what {
                wanted = Some((what, depth));
                value.take();
            }
        }
        Piece::Text(text) => {
            if wanted.is_some() {
                value.push(text, CONTENT_BYTES_MAX);
            }
        }
        Piece::End => {
            if let Some((what, at)) = wanted
                && at == depth
            {
                wanted = None;
                let text = value.take();
                let text = text.trim();
                match (what, entry.as_mut().map(|(entry, _)| entry)) {
                    _ if text.is_empty() => {}
                    (Wanted::Title, Some(entry)) => entry.title = text::fold(text, ANCHOR_CHARS_MAX),
                    (Wanted::Title, None) if parsed.title.is_empty() && !is_in_image => {
                        parsed.title = text::fold(text, TITLE_CHARS_MAX);
                    }
                    (Wanted::Link, Some(entry)) => entry.link = entry.link.take().or(Some(text.to_owned())),
                    (Wanted::Guid, Some(entry)) => entry.guid = Some(text.to_owned()),
                    (Wanted::Date, Some(entry)) => entry.date = Some(text.chars().take(64).collect()),
                    (Wanted::Link, None) => {
                        links.add_text(Cow::Owned(text.to_owned()), LinkKind::Link, false, Against::Base);
                    }
                    (Wanted::Address(kind), _) => {
                        links.add_text(Cow::Owned(text.to_owned()), kind, false, Against::Base);
                    }
                    (Wanted::Content, _) if memchr::memchr(b'<', text.as_bytes()).is_some() => {
                        html::read_inner(text, input.agent, links);
                    }
                    _ => {}
                }
            }
            if entry.as_ref().is_some_and(|(_, at)| *at == depth)
                && let Some((done, _)) = entry.take()
            {
                close(done, input.is_sitemap, links, &mut entries, parsed);
            }
            if depth <= 3 {
                is_in_image = false;
            }
            depth = depth.saturating_sub(1);
        }
    });
    if let Some((broken_off, _)) = entry {
        close(broken_off, input.is_sitemap, links, &mut entries, parsed);
    }
    parsed.notes.extend(note);
    entries.finish(parsed);
}

/// What the text of an element is wanted for; addresses in attributes are taken at once.
fn start(
    element: &Element<'_>,
    entry: Option<&mut Entry>,
    is_in_image: bool,
    links: &mut Collector<'_>,
) -> Option<Wanted> {
    let mut add = |address: Option<String>, kind| {
        if let Some(address) = address {
            links.add_text(Cow::Owned(address), kind, false, Against::Base);
        }
    };
    match element.name {
        "link" => {
            let Some(href) = element.attribute("href") else {
                return Some(if is_in_image {
                    Wanted::Address(LinkKind::Link)
                } else {
                    Wanted::Link
                });
            };
            let rel = element.attribute("rel").unwrap_or_else(|| "alternate".to_owned());
            match (rel.as_str(), entry) {
                ("alternate", Some(entry)) if entry.link.is_none() => entry.link = Some(href),
                ("alternate", Some(_)) => add(Some(href), LinkKind::Feed),
                ("enclosure", _) => add(Some(href), LinkKind::Media),
                _ => add(Some(href), LinkKind::Link),
            }
            None
        }
        "title" if element.prefix.is_empty() || element.prefix == "atom" => Some(Wanted::Title),
        // Said to be no address in so many words, or not said at all: the reader tells by its look.
        "guid" => Some(Wanted::Guid),
        // Atom's, and what Atom 0.3 called it. The other dates say when an entry came out, not when it changed.
        "updated" | "modified" => Some(Wanted::Date),
        "description" | "encoded" | "summary" => Some(Wanted::Content),
        "content" if element.attribute("url").is_some() => {
            add(element.attribute("url"), LinkKind::Media);
            None
        }
        "content" => {
            add(element.attribute("src"), LinkKind::Feed);
            Some(Wanted::Content)
        }
        "enclosure" => {
            add(element.attribute("url"), LinkKind::Media);
            None
        }
        "thumbnail" => {
            add(element.attribute("url"), LinkKind::Image);
            None
        }
        "source" => {
            add(element.attribute("url"), LinkKind::Feed);
            None
        }
        "docs" | "uri" => Some(Wanted::Address(LinkKind::Link)),
        "generator" => {
            add(element.attribute("uri"), LinkKind::Other);
            None
        }
        "player" => {
            add(element.attribute("url"), LinkKind::Object);
            None
        }
        "comments" if element.prefix.is_empty() => Some(Wanted::Address(LinkKind::Link)),
        "commentRss" => Some(Wanted::Address(LinkKind::Feed)),
        "url" if is_in_image => Some(Wanted::Address(LinkKind::Image)),
        "icon" | "logo" => Some(Wanted::Address(LinkKind::Image)),
        "image" => {
            add(
                element
                    .attribute("href")
                    .or_else(|| element.attribute("resource")),
                LinkKind::Image,
            );
            None
        }
        _ => None,
    }
}

fn close(
    entry: Entry,
    is_sitemap: bool,
    links: &mut Collector<'_>,
    entries: &mut Entries<'_>,
    parsed: &mut Parsed,
) {
    let is_address = |text: &String| text.starts_with("http://") || text.starts_with("https://");
    let Some(address) = entry.link.or(entry.guid.filter(is_address)) else {
        return;
    };
    if is_sitemap {
        entries.add(&address, entry.date, false, parsed);
    }
    if let Some(place) = links.add_text(Cow::Owned(address), LinkKind::Feed, false, Against::Base) {
        links.set_words_of(place, &entry.title);
    }
}
