//! The words of every unit: what is asked, what is answered.
//!
//! An answer is not an error (404, 304, a timeout and a wrong certificate are all answers with reasons); `Err`
//! means that we could not do our own job.

use crate::listing::{ListingEnd, ListingEntry, TakeEntry};
use crate::{Body, Headers, UnitError};
use async_trait::async_trait;
use gleaner_model::{GivenUrl, Reason, Timestamp, Url, UrlError, defaults};
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Speaks one protocol. What the server said is an [`Answer`], also when it said no.
#[async_trait]
pub trait Unit: Send + Sync {
    fn schemes(&self) -> &'static [&'static str];

    /// Fetches `ask.url`, reading no more than the ask and the settings allow. One hop: redirects are answers.
    async fn fetch(&self, ask: &Ask) -> Result<Answer, UnitError>;

    /// Whether addresses that end with a slash are folders whose entries can be listed with their metadata (B2). What lies
    /// in them is then known by listing alone, and only what changed is fetched.
    fn lists(&self) -> bool {
        false
    }

    /// Gives the entries of the folder `ask.url`, one by one.
    async fn list(&self, _ask: &Ask, _take: &mut TakeEntry<'_>) -> Result<ListingEnd, UnitError> {
        Ok(ListingEnd::File)
    }
}

/// One question to a server.
#[derive(Clone)]
pub struct Ask {
    pub url: Url,
    /// What we have: the server may then say that nothing changed (B3).
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// Bytes of body as sent; a longer body is `body-too-large`.
    pub body_bytes_max: u64,
    /// Extra header fields. Each goes to its own origin and to no other (HC064), so the caller may
    /// pass one list for every URL of a run.
    pub headers: Arc<[BoundHeader]>,
    /// Looks at a success before its body is read (A6).
    pub filter: Option<Arc<dyn HeadFilter>>,
    pub visitor: Visitor,
    /// What is sent along: the fields of a form. Such a question is asked once and never repeated by itself.
    pub posted: Option<Arc<Posted>>,
    /// Where it is noted what comes, for whoever watches.
    pub pulse: Option<Arc<Pulse>>,
    /// How long it is, as the listing of its folder said.
    pub listed_bytes: Option<u64>,
    /// Where a long listing goes while the rest of it comes; without it, it is held whole.
    pub pieces: Option<Arc<dyn TakePiece>>,
}

/// Bytes received so far, by all questions that share it.
#[derive(Debug, Default)]
pub struct Pulse(AtomicU64);

impl Pulse {
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// The body of a question.
#[derive(Clone, PartialEq, Eq)]
pub struct Posted {
    pub media_type: String,
    pub bytes: Vec<u8>,
    /// The same with secrets hidden, for the archive.
    pub shown: Vec<u8>,
}

impl fmt::Debug for Posted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Posted({}, {} bytes)", self.media_type, self.bytes.len())
    }
}

/// In whose name a question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Visitor {
    /// The run's, with its cookies.
    #[default]
    Run,
    /// Somebody who was never here: no cookie is sent and none is taken.
    Stranger,
}

impl Ask {
    /// An unconditional ask with the default limits.
    pub fn of(url: Url) -> Ask {
        Ask {
            url,
            etag: None,
            last_modified: None,
            body_bytes_max: defaults::BODY_BYTES_MAX,
            headers: Arc::from([]),
            filter: None,
            visitor: Visitor::Run,
            posted: None,
            pulse: None,
            listed_bytes: None,
            pieces: None,
        }
    }

    pub fn is_conditional(&self) -> bool {
        self.etag.is_some() || self.last_modified.is_some()
    }
}

/// A header field set by the user for one origin (`https://host:port`, as [`Url::origin`] writes it).
#[derive(Clone, PartialEq, Eq)]
pub struct BoundHeader {
    pub origin: String,
    pub name: String,
    pub value: String,
}

impl fmt::Debug for BoundHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BoundHeader({} for {}: [hidden])", self.name, self.origin)
    }
}

/// Decides from the head, then from the opening of the body, whether the rest is worth reading (A6, HC030).
/// It is asked about successes (2xx) only.
pub trait HeadFilter: Send + Sync {
    fn head(&self, status: u16, headers: &Headers) -> FilterVerdict;

    /// `opening` holds the first bytes of the body, still content-encoded: 1 KiB, or all of a shorter body.
    fn opening(&self, status: u16, headers: &Headers, opening: &[u8]) -> FilterVerdict;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilterVerdict {
    Go,
    /// Read no further.
    Stop(Refusal),
}

/// Why a filter wants no more of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub reason: Reason,
    /// The facts behind the reason, for people: which type it was.
    pub detail: String,
}

/// What the server said.
#[derive(Debug)]
pub enum Answer {
    /// A success with its body.
    Here(Exchange),
    /// 304 to a conditional ask.
    Unchanged(Exchange),
    Moved(Exchange, Redirect),
    /// The server said so: 404, 410.
    Gone(Exchange),
    /// The filter stopped it; the body was not read.
    Refused(Exchange, Refusal),
    /// Timeout, 5xx, other 4xx, too large, broken. Never taken for gone.
    Unclear(Unclear),
    /// A folder, listed.
    Folder(Listing),
}

/// A folder's entries or a piece of them, and how the listing ended.
#[derive(Debug)]
pub struct Listing {
    pub entries: Vec<ListingEntry>,
    pub piece: ListingPiece,
    /// Whether all entries are here; if not, why.
    pub cut: Option<String>,
    /// The first number that the server still keeps, where older ones go by their age.
    pub oldest: Option<u64>,
    /// When the listing began.
    pub started: Timestamp,
}

/// Which part of a folder's listing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListingPiece {
    /// All that came.
    Only,
    First,
    Next,
    /// The end of one that was handed on in pieces: only here it is known how it ended.
    Last,
    /// Whoever took the pieces wanted no more, before the end came.
    BrokenOff,
}

/// Takes a long listing piece by piece. While a piece is taken, no more is read: whatever the size of the folder, little of
/// it is in memory.
#[async_trait]
pub trait TakePiece: Send + Sync {
    /// False if no more is wanted.
    async fn take(&self, piece: Listing) -> bool;
}

impl Answer {
    pub fn exchange(&self) -> Option<&Exchange> {
        match self {
            Answer::Here(exchange)
            | Answer::Unchanged(exchange)
            | Answer::Moved(exchange, _)
            | Answer::Gone(exchange)
            | Answer::Refused(exchange, _) => Some(exchange),
            Answer::Unclear(unclear) => unclear.exchange.as_ref(),
            Answer::Folder(_) => None,
        }
    }
}

#[derive(Clone, PartialEq, Eq)]
pub struct Redirect {
    pub status: u16,
    /// The `Location` field as sent.
    pub location: String,
    /// Where that leads from the URL asked for. Any scheme: the caller decides what is followed (HC063).
    pub target: Result<Url, UrlError>,
}

/// A server may lead to an address with a password in it.
impl fmt::Debug for Redirect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Redirect({}, {})",
            self.status,
            GivenUrl::from(self.location.as_str())
        )
    }
}

/// Could not tell.
#[derive(Debug)]
pub struct Unclear {
    pub reason: Reason,
    /// The facts behind the reason, for people: no secrets, no full stop.
    pub detail: String,
    /// The `Retry-After` field as sent.
    pub retry_after: Option<String>,
    /// What was received, where the server did answer in full (429, 5xx, …).
    pub exchange: Option<Exchange>,
}

/// One request and its response, as the archive keeps them.
pub struct Exchange {
    /// As sent, but with the values of credentials and cookies hidden: archives get shared (I3).
    pub request_head: Vec<u8>,
    /// As received, from the status line to the empty line; see docs/decisions/0003 for the one change made.
    pub response_head: Vec<u8>,
    pub status: u16,
    pub headers: Headers,
    /// Transfer coding removed, content encoding untouched.
    pub body: Body,
    /// What was spoken, as the `WARC-Protocol` field names it.
    pub protocol: &'static str,
    /// The address connected to (of the proxy, where there is one).
    pub address: Option<IpAddr>,
    pub started: Timestamp,
    /// From the start, waiting for a connection included, to the first byte of the answer.
    pub first_byte: Duration,
    pub elapsed: Duration,
    /// Bytes received for this answer: head, framing and body; TLS not counted.
    pub wire_bytes: u64,
    /// The answer set at least one cookie that the jar took.
    pub cookies_set: bool,
    /// The body is not whole (an error page over its limit, or a body that the filter stopped).
    pub truncated: bool,
}

impl Exchange {
    /// Of an answer that needed no bytes, or whose bytes are no message of a protocol: a file.
    pub fn empty(started: Timestamp) -> Exchange {
        Exchange {
            request_head: Vec::new(),
            response_head: Vec::new(),
            status: 0,
            headers: Headers::default(),
            body: Body::empty(),
            protocol: "",
            address: None,
            started,
            first_byte: Duration::ZERO,
            elapsed: Duration::ZERO,
            wire_bytes: 0,
            cookies_set: false,
            truncated: false,
        }
    }
}

impl Unclear {
    /// Without an answer to show.
    pub fn plain(reason: Reason, detail: impl Into<String>) -> Unclear {
        Unclear {
            reason,
            detail: detail.into(),
            retry_after: None,
            exchange: None,
        }
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("status", &self.status)
            .field("protocol", &self.protocol)
            .field("address", &self.address)
            .field("headers", &self.headers)
            .field("body_bytes", &self.body.len())
            .field("truncated", &self.truncated)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ServerLogin;

    #[test]
    fn i3_what_holds_a_secret_does_not_show_it() {
        const SECRET: &str = "verysecret";
        let location = format!("http://eve:{SECRET}@a.test/x");
        let redirect = Redirect {
            status: 302,
            target: Url::parse(&location),
            location,
        };
        let header = BoundHeader {
            origin: "http://a.test".to_owned(),
            name: "X-Key".to_owned(),
            value: SECRET.to_owned(),
        };
        let posted = Posted {
            media_type: "text/plain".to_owned(),
            bytes: SECRET.into(),
            shown: b"[hidden]".to_vec(),
        };
        let login = ServerLogin {
            user: "eve".to_owned(),
            password: Some(SECRET.to_owned()),
            key_file: None,
        };
        let mut exchange = Exchange::empty(Timestamp(0));
        exchange.headers.push("Set-Cookie", SECRET.as_bytes());
        let shown = format!(
            "{header:?} {posted:?} {login:?} {:?}",
            Answer::Moved(exchange, redirect)
        );
        assert!(!shown.contains(SECRET), "{shown}");
        assert!(shown.contains("a.test/x"), "{shown}");
    }
}
