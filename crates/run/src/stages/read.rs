//! Read the bytes: `Fetched` in, `Read` out. Content encodings off, then kind, charset and links.

use super::fetch::Fetched;
use gleaner_frontier::traps;
use gleaner_model::{Reason, defaults};
use gleaner_parse::{DecodeLimits, Input, Note, Parsed, decode, encodings, parse};
use gleaner_store::catalog::queue::{Purpose, Queued};
use gleaner_units::{Answer, Body, Exchange, Redirect, Refusal, UnitError};

/// What an answer means, once its bytes were read.
pub enum Meaning {
    /// A whole body, and what it says. `size` is decoded bytes.
    Content {
        parsed: Box<Parsed>,
        size: u64,
        is_compressed: bool,
        signature: u64,
    },
    Moved(Redirect),
    Gone,
    /// The type is not wanted; the body was not read.
    Refused(Refusal),
    /// Could not tell.
    Unclear {
        reason: Reason,
        detail: String,
    },
}

pub struct Read {
    pub page: Queued,
    pub exchange: Option<Exchange>,
    pub meaning: Meaning,
}

impl Read {
    /// Stands for the content in the trap rules; 0 where there is none.
    pub fn signature(&self) -> u64 {
        match self.meaning {
            Meaning::Content { signature, .. } => signature,
            _ => 0,
        }
    }
}

pub fn read(fetched: Fetched, obey_robots: bool) -> Result<Read, UnitError> {
    let page = fetched.page;
    let (exchange, meaning) = match fetched.answer? {
        Answer::Here(exchange) => {
            let meaning = content(&page, &exchange, obey_robots);
            (Some(exchange), meaning)
        }
        Answer::Unchanged(exchange) => {
            let detail = "not modified, though nothing was asked conditionally".to_owned();
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
    })
}

fn content(page: &Queued, exchange: &Exchange, obey_robots: bool) -> Meaning {
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
    // Sitemaps have a larger limit of their own: the protocol's.
    let bytes_max = match page.purpose {
        Purpose::Sitemap => defaults::SITEMAP_BYTES_MAX as usize,
        Purpose::Page => defaults::PARSE_BYTES_MAX,
    };
    let mut unpacked = Vec::new();
    let mut cut = None;
    let (body, size): (&[u8], u64) = match (&exchange.body, encodings.is_empty()) {
        (Body::Memory(bytes), true) => (bytes, bytes.len() as u64),
        (body, _) => {
            let reader = match body.reader() {
                Ok(reader) => reader,
                Err(e) => return unclear(Reason::Lost, &e.to_string()),
            };
            let limits = DecodeLimits::default();
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
    let input = Input {
        url: &page.url,
        headers: &headers,
        body,
        agent: if obey_robots { defaults::AGENT_TOKEN } else { "" },
        is_sitemap: page.purpose == Purpose::Sitemap,
    };
    let mut parsed = parse(&input);
    parsed.notes.extend(cut);
    let is_compressed =
        !encodings.is_empty() || !parsed.kind.is_textual() && parsed.media_type != "application/octet-stream";
    Meaning::Content {
        parsed: Box::new(parsed),
        size,
        is_compressed,
        signature: traps::signature(body),
    }
}
