//! Read the bytes: `Fetched` in, `Read` out. Content encodings off, then kind, charset and links.

use super::documents;
use super::fetch::Fetched;
use super::follow::LinkRules;
use crate::forms::{is_answer, kept};
use crate::way::{Onward, Way};
use gleaner_frontier::Traps;
use gleaner_frontier::traps::PageTraits;
use gleaner_model::{Link, Reason, Url, defaults};
use gleaner_parse::{
    DecodeLimits, Encoding, Input, Note, Parsed, Streamed, decode, encodings, parse, parse_sitemap,
    select_links,
};
use gleaner_readers::{MetDocument, Pool};
use gleaner_store::work::{Known, Queued};
use gleaner_units::{Answer, Body, Exchange, Listing, Redirect, Refusal, UnitError};

/// What an answer means, once its bytes were read.
pub enum Meaning {
    /// A whole body, and what it says. `size` is decoded bytes.
    Content {
        parsed: Box<Parsed>,
        size: u64,
        is_compressed: bool,
        /// What the trap rules want to know of it.
        seen: Box<PageTraits>,
        /// Where the project's steps go on from it.
        goings: Vec<Going>,
        /// What the document is worth, where somebody asks.
        worth: Option<f32>,
    },
    /// As it was: the server says so, and we asked.
    Unchanged,
    Moved(Redirect),
    Gone,
    /// The type is not wanted; the body was not read.
    Refused(Refusal),
    /// Could not tell.
    Unclear {
        reason: Reason,
        detail: String,
    },
    /// A folder, and what lies in it.
    Folder(Listing),
}

/// Where a step goes on from a page.
pub struct Going {
    pub step: u32,
    pub url: Url,
    /// The form that is sent, as the frontier keeps it.
    pub request: Option<String>,
    /// It is one of the page's links; otherwise a form leads there.
    pub is_link: bool,
}

pub struct Read {
    pub page: Queued,
    pub exchange: Option<Exchange>,
    pub meaning: Meaning,
    /// What was asked for, where that is not the page's own URL.
    pub asked: Option<Url>,
}

impl Read {
    /// What the trap rules want to know of the content; taken out.
    pub fn take_seen(&mut self) -> Option<Box<PageTraits>> {
        match &mut self.meaning {
            Meaning::Content { seen, .. } => Some(std::mem::take(seen)),
            _ => None,
        }
    }
}

/// `readers` are for documents that are no pages; without them such a document has no links.
pub fn read(
    fetched: Fetched,
    by: LinkRules<'_>,
    body_bytes_max: u64,
    readers: Option<&Pool>,
) -> Result<Read, UnitError> {
    let (page, asked) = (fetched.page, fetched.asked);
    let (exchange, meaning) = match fetched.answer? {
        Answer::Here(exchange) => {
            // Links that are given relative to the page carry on the id that it was asked with.
            let base = asked.as_ref().filter(|_| !is_answer(&page.url));
            let base = base.unwrap_or(&page.url);
            let meaning = content(&page, base, &exchange, by, body_bytes_max, readers);
            (Some(exchange), meaning)
        }
        Answer::Unchanged(exchange) if page.known.as_ref().is_some_and(Known::may_be_unchanged) => {
            (Some(exchange), Meaning::Unchanged)
        }
        Answer::Unchanged(exchange) => {
            let detail = "not modified, although the request was not conditional".to_owned();
            (
                Some(exchange),
                Meaning::Unclear {
                    reason: Reason::Unexpected304,
                    detail,
                },
            )
        }
        Answer::Moved(exchange, redirect) => (Some(exchange), Meaning::Moved(redirect)),
        Answer::Gone(exchange) => (Some(exchange), Meaning::Gone),
        Answer::Refused(exchange, refusal) => (Some(exchange), Meaning::Refused(refusal)),
        Answer::Folder(listing) => (None, Meaning::Folder(listing)),
        Answer::Unclear(unclear) => (
            unclear.exchange,
            Meaning::Unclear {
                reason: unclear.reason,
                detail: unclear.detail,
            },
        ),
    };
    Ok(Read {
        page,
        exchange,
        meaning,
        asked,
    })
}

fn content(
    page: &Queued,
    base: &Url,
    exchange: &Exchange,
    by: LinkRules<'_>,
    body_bytes_max: u64,
    readers: Option<&Pool>,
) -> Meaning {
    let headers: Vec<(String, String)> = exchange
        .headers
        .iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let unclear = |reason: Reason, detail: &str| Meaning::Unclear {
        reason,
        detail: detail.to_owned(),
    };
    let encodings = match encodings(&headers) {
        Ok(encodings) => encodings,
        Err(reason) => return unclear(reason, exchange.headers.get("content-encoding").unwrap_or("")),
    };
    let input = Input {
        url: base,
        headers: &headers,
        body: &[],
        agent: if by.rules.obey_robots {
            defaults::AGENT_TOKEN
        } else {
            ""
        },
        is_sitemap: !page.purpose.is_page(),
    };
    if !page.purpose.is_page() {
        return sitemap(&input, &exchange.body, &encodings);
    }
    let bytes_max = defaults::PARSE_BYTES_MAX;
    let mut unpacked = Vec::new();
    let mut cut = None;
    let (body, size): (&[u8], u64) = match (&exchange.body, encodings.is_empty()) {
        (Body::Memory(bytes), true) => (bytes, bytes.len() as u64),
        // As it came: nothing has to be read to its end to know that it is whole.
        (body, true) => match body.opening(bytes_max) {
            Ok(opening) => {
                unpacked = opening;
                (&unpacked, body.len())
            }
            Err(e) => return unclear(Reason::Lost, &e.to_string()),
        },
        (body, false) => {
            let reader = match body.reader() {
                Ok(reader) => reader,
                Err(e) => return unclear(Reason::Lost, &e.to_string()),
            };
            let mut limits = DecodeLimits::default();
            // Whoever takes larger bodies as they come takes them unpacked too.
            limits.decoded_bytes_max = limits.decoded_bytes_max.max(body_bytes_max);
            match decode(reader, body.len(), &encodings, &limits, &mut unpacked, bytes_max) {
                Ok(decoded) => {
                    cut = decoded.cut.then_some(Note::BytesCut {
                        read: unpacked.len() as u64,
                    });
                    (&unpacked, decoded.decoded_bytes)
                }
                Err(reason) => {
                    return unclear(reason, exchange.headers.get("content-encoding").unwrap_or(""));
                }
            }
        }
    };
    let body = &body[..body.len().min(bytes_max)];
    if size > body.len() as u64 && cut.is_none() {
        cut = Some(Note::BytesCut {
            read: body.len() as u64,
        });
    }
    let goings = match &by.rules.way {
        Some(way) => goings(way, page, &Input { body, ..input }),
        None => Vec::new(),
    };
    let mut parsed = parse(&Input { body, ..input });
    let is_new = cut.is_none() && !documents::is_known(page, body);
    let read = readers
        .filter(|_| is_new)
        .and_then(|pool| documents::add_links(pool, base, body, &mut parsed));
    let worth = by.guidance.filter(|_| is_new).and_then(|guidance| {
        guidance.appraiser.appraise(&MetDocument {
            url: &page.url,
            media_type: &parsed.media_type,
            body,
            reading: read.as_ref().map(Result::as_ref),
        })
    });
    parsed.notes.extend(cut);
    let is_compressed =
        !encodings.is_empty() || !parsed.kind.is_textual() && parsed.media_type != "application/octet-stream";
    let (url, seen) = seen(base, body, &parsed.links, by);
    // A page that is known stays one: it is looked at for the sake of others.
    let is_view = Traps::may_be_view(&seen) && by.sites.traps.lock().is_view(&url, &seen);
    if is_view && page.known.is_none() && by.rules.way.is_none() {
        return Meaning::Refused(Refusal {
            reason: Reason::View,
            detail: String::new(),
        });
    }
    Meaning::Content {
        parsed: Box::new(parsed),
        size,
        is_compressed,
        seen: Box::new(seen),
        goings,
        worth,
    }
}

/// What the trap rules want to know: addresses as they are without ids.
fn seen(url: &Url, body: &[u8], links: &[Link], by: LinkRules<'_>) -> (Url, PageTraits) {
    let identities = &by.sites.identities;
    if !identities.has_rules(url) {
        return (url.clone(), PageTraits::of(url, body, links));
    }
    let plain = |url: &Url| identities.without_ids(url).unwrap_or_else(|| url.clone());
    let links: Vec<Link> = links
        .iter()
        .map(|link| Link {
            url: plain(&link.url),
            ..link.clone()
        })
        .collect();
    let url = plain(url);
    let seen = PageTraits::of(&url, body, &links);
    (url, seen)
}

/// Where the project's steps go on from a page.
fn goings(way: &Way, page: &Queued, input: &Input<'_>) -> Vec<Going> {
    let mut goings = Vec::new();
    for (step, onward) in way.onward(&page.legs) {
        match onward {
            Onward::Links(selector) => {
                let links = select_links(input, selector);
                way.note(step, Ok(links.len() as u64));
                goings.extend(links.into_iter().map(|link| Going {
                    step,
                    url: link.url,
                    request: None,
                    is_link: true,
                }));
            }
            Onward::Form(filler) => match filler.send(input) {
                Ok(sent) if sent.request.is_secret && sent.request.method == "GET" => {
                    let why = "its form would put a secret into an address, where everybody could read it";
                    way.note(step, Err(format!("{why} ({})", page.url)));
                }
                Ok(sent) => {
                    way.filled(step, input.url, &sent);
                    goings.push(Going {
                        step,
                        request: kept(&sent.request),
                        url: sent.url,
                        is_link: false,
                    });
                }
                Err(why) => way.note(step, Err(format!("{why} ({})", page.url))),
            },
        }
    }
    goings
}

/// Sitemaps may be larger than anything else, so they are read as a stream.
fn sitemap(input: &Input<'_>, body: &Body, encodings: &[Encoding]) -> Meaning {
    let reader = match body.reader() {
        Ok(reader) => reader,
        Err(e) => {
            return Meaning::Unclear {
                reason: Reason::Lost,
                detail: e.to_string(),
            };
        }
    };
    let Streamed {
        parsed,
        decoded_bytes,
    } = parse_sitemap(input, reader, body.len(), encodings);
    let is_compressed = !encodings.is_empty() || !parsed.kind.is_textual();
    Meaning::Content {
        parsed: Box::new(parsed),
        size: decoded_bytes,
        is_compressed,
        seen: Box::default(),
        goings: Vec::new(),
        worth: None,
    }
}
