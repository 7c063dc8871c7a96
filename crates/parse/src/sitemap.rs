//! Sitemaps: XML, index, plain text; with the news, image, video and alternate extensions (A8, HC056–HC060).
//!
//! The name space is not asked for: files with a wrong one are common and mean the same. What came before an error is
//! used. Which file is read how often, and how deep indexes go, is the frontier's business.

use crate::collect::{Against, Collector};
use crate::xml::{Piece, Value, walk, walk_stream};
use crate::{Kind, Note, Parsed, SitemapEntry};
use gleaner_model::defaults::{SITEMAP_ENTRIES_MAX, URL_BYTES_MAX};
use gleaner_model::{LinkKind, Url, UrlError};
use std::borrow::Cow;
use std::io::BufRead;

/// A `lastmod` longer than this is none.
const LASTMOD_BYTES_MAX: usize = 64;

/// What a root element makes of a document; `None` where it is no sitemap.
pub(crate) fn kind_of_root(name: &str) -> Option<Kind> {
    match name {
        "urlset" => Some(Kind::Sitemap),
        "sitemapindex" => Some(Kind::SitemapIndex),
        _ => None,
    }
}

/// Entries as they come, with the limit and the counts of what was left out.
pub(crate) struct Entries<'u> {
    page: &'u Url,
    dropped: u64,
    broken: u64,
    too_long: u64,
}

impl<'u> Entries<'u> {
    pub(crate) fn new(page: &'u Url) -> Entries<'u> {
        Entries {
            page,
            dropped: 0,
            broken: 0,
            too_long: 0,
        }
    }

    pub(crate) fn add(
        &mut self,
        address: &str,
        lastmod: Option<String>,
        is_sitemap: bool,
        parsed: &mut Parsed,
    ) {
        if parsed.entries.len() >= SITEMAP_ENTRIES_MAX {
            self.dropped += 1;
            return;
        }
        match self.page.join(address.trim()) {
            Ok(url) if url.as_str().len() > URL_BYTES_MAX => self.too_long += 1,
            // An index that lists itself says nothing by it (HC056).
            Ok(url) if is_sitemap && url == *self.page => {}
            Ok(url) if matches!(url.scheme(), "http" | "https" | "ftp" | "file") => {
                parsed.entries.push(SitemapEntry {
                    url,
                    lastmod,
                    is_sitemap,
                });
            }
            Ok(_) | Err(UrlError::Malformed { .. } | UrlError::Scheme { .. }) => self.broken += 1,
            Err(UrlError::TooLong { .. }) => self.too_long += 1,
        }
    }

    pub(crate) fn finish(self, parsed: &mut Parsed) {
        if self.dropped > 0 {
            parsed.notes.push(Note::EntriesCut {
                dropped: self.dropped,
            });
        }
        if self.too_long > 0 {
            parsed.notes.push(Note::UrlTooLong { count: self.too_long });
        }
        if self.broken > 0 {
            parsed.notes.push(Note::BrokenUrls { count: self.broken });
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Location,
    Lastmod,
    /// An address of an extension.
    Extra(LinkKind),
}

/// Where the XML comes from.
pub(crate) enum Source<'s> {
    Text(&'s str),
    /// In UTF-8; never in memory as a whole.
    Stream(Box<dyn BufRead + 's>),
}

/// Reads an XML sitemap or index.
pub(crate) fn read(source: Source<'_>, page: &Url, links: &mut Collector<'_>, parsed: &mut Parsed) {
    let is_index = parsed.kind == Kind::SitemapIndex;
    let mut entries = Entries::new(page);
    let mut depth = 0usize;
    let mut root_prefix = String::new();
    // The depth of the open `<url>` or `<sitemap>`.
    let mut entry_depth = None;
    let mut is_sitemap = is_index;
    let (mut location, mut lastmod) = (None::<String>, None::<String>);
    let mut wanted: Option<(Wanted, usize)> = None;
    let mut value = Value::default();
    let each = |piece: Piece<'_>| match piece {
        Piece::Start(element) => {
            depth += 1;
            if depth == 1 {
                element.prefix.clone_into(&mut root_prefix);
            }
            let is_ours = element.prefix == root_prefix;
            if is_ours && entry_depth.is_none() && matches!(element.name, "url" | "sitemap") {
                entry_depth = Some(depth);
                is_sitemap = is_index || element.name == "sitemap";
                return;
            }
            let is_direct = entry_depth.map_or(depth == 2, |d| depth == d + 1);
            let what = match element.name {
                "loc" if is_ours && is_direct => Some(Wanted::Location),
                "lastmod" if is_ours && is_direct => Some(Wanted::Lastmod),
                "loc" | "thumbnail_loc" => Some(Wanted::Extra(LinkKind::Image)),
                "content_loc" | "content_segment_loc" => Some(Wanted::Extra(LinkKind::Media)),
                "player_loc" => Some(Wanted::Extra(LinkKind::Object)),
                "link" => {
                    if let Some(href) = element.attribute("href") {
                        links.add_text(Cow::Owned(href), LinkKind::Link, false, Against::Page);
                    }
                    None
                }
                _ => None,
            };
            if let Some(what) = what {
                wanted = Some((what, depth));
                value.take();
            }
        }
        Piece::Text(text) => {
            if let Some((what, _)) = wanted {
                let bytes_max = if what == Wanted::Lastmod {
                    LASTMOD_BYTES_MAX
                } else {
                    4 * URL_BYTES_MAX
                };
                value.push(text, bytes_max);
            }
        }
        Piece::End => {
            if let Some((what, at)) = wanted
                && at == depth
            {
                wanted = None;
                let text = value.take().trim().to_owned();
                match what {
                    _ if text.is_empty() => {}
                    Wanted::Location if entry_depth.is_none() => entries.add(&text, None, is_index, parsed),
                    Wanted::Location => location = location.take().or(Some(text)),
                    Wanted::Lastmod => lastmod = Some(text),
                    Wanted::Extra(kind) => _ = links.add_text(Cow::Owned(text), kind, false, Against::Page),
                }
            }
            if entry_depth == Some(depth) {
                entry_depth = None;
                let lastmod = lastmod.take();
                if let Some(location) = location.take() {
                    entries.add(&location, lastmod, is_sitemap, parsed);
                }
            }
            depth = depth.saturating_sub(1);
        }
    };
    let note = match source {
        Source::Text(text) => walk(text, each),
        Source::Stream(from) => walk_stream(from, each),
    };
    // An entry that the document broke off in still has its address.
    if let Some(location) = location {
        entries.add(&location, lastmod, is_sitemap, parsed);
    }
    parsed.notes.extend(note);
    entries.finish(parsed);
}

/// Reads a plain list of URLs, one a line, and says what it is: plain text where no line is one.
pub(crate) fn read_text(text: &str, page: &Url, parsed: &mut Parsed) -> Kind {
    let mut entries = Entries::new(page);
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let is_url = line.get(..8).is_some_and(|head| {
            let head = head.to_ascii_lowercase();
            head.starts_with("http://") || head.starts_with("https://")
        });
        if is_url {
            entries.add(line, None, false, parsed);
        } else {
            entries.broken += 1;
            if parsed.entries.is_empty() && entries.broken > 100 {
                return Kind::Text;
            }
        }
    }
    if parsed.entries.is_empty() {
        return Kind::Text;
    }
    entries.finish(parsed);
    Kind::Sitemap
}
