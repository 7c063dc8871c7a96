//! How do I harvest a repository of a library? OAI-PMH 2.0 over HTTP (A1, B2).
//!
//! ```text
//! list  ─► ListRecords, page by page (resumption tokens) ─► entries; records are held
//! fetch ─► a held record, or GetRecord                   ─► one record as XML
//! ```
//!
//! `oais://host/oai2/` is the repository whose base address is `https://host/oai2`, `oais://host/oai2/IDENTIFIER` one of its records;
//! `oai:` is the same in the clear. Connections, logins, TLS and the guard against private addresses are those of the HTTP unit.
//!
//! Whether a record changed is told by its bytes: dates of repositories stand still when a record changes, and move when
//! none does. A record that the server calls deleted is not listed, and gone when it is asked for.

mod held;
mod page;

use crate::listing::{EntryKind, ListingEnd, ListingEntry, Meta, TakeEntry, Turns, child, segments};
use crate::net::failure::{self, Failure};
use crate::registry::{Around, Plug};
use crate::unit::{Answer, Ask, BoundHeader, Exchange, FilterVerdict, Unit};
use crate::{Body, Headers, Http, UnitError};
use async_trait::async_trait;
use gleaner_model::{Clock, Reason, Url};
use held::Held;
use page::{Page, Record};
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

/// The name of what is spoken, as in the `WARC-Protocol` field.
pub const OAI_PMH: &str = "oai-pmh";

/// Bytes of one answer: a page of a list is rarely larger than 1 MB.
const ANSWER_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Records of one repository.
const ENTRIES_MAX: usize = 1_000_000;
/// Pages in a row that bring nothing new.
const EMPTY_PAGES_MAX: usize = 10;
/// How often a page is asked for while the server is busy, and how long it is waited for at most.
const TRIES: usize = 4;
const WAIT_MAX: Duration = Duration::from_mins(5);
const REDIRECTS_MAX: usize = 3;

/// The OAI-PMH unit: one per run.
pub struct Oai {
    http: Arc<Http>,
    clock: Arc<dyn Clock>,
    settings: OaiSettings,
    held: Held,
}

#[derive(Debug, Clone)]
pub struct OaiSettings {
    /// The form of metadata that is asked for.
    pub prefix: String,
    /// Only records of this set.
    pub set: Option<String>,
    /// Between two pages of a list.
    pub delay: Duration,
}

impl Default for OaiSettings {
    fn default() -> OaiSettings {
        OaiSettings {
            prefix: "oai_dc".to_owned(),
            set: None,
            delay: Duration::from_secs(1),
        }
    }
}

impl Oai {
    pub fn on(http: Arc<Http>, clock: Arc<dyn Clock>, settings: OaiSettings) -> Oai {
        Oai {
            http,
            clock,
            settings,
            held: Held::default(),
        }
    }

    /// What the repository says to a question, with the exchange it came in.
    async fn ask(&self, outer: &Ask, mut url: Url) -> Result<(Page, Exchange), Failure> {
        let mut redirects = 0;
        let mut tries = 1;
        loop {
            let answer = self.http.fetch(&question(outer, &url)).await;
            match answer.map_err(Failure::Ours)? {
                Answer::Here(exchange) => {
                    let page = page_of(&exchange)?;
                    return Ok((page, exchange));
                }
                Answer::Moved(_, redirect) if redirects < REDIRECTS_MAX => {
                    redirects += 1;
                    url = elsewhere(&url, redirect.target.ok())?;
                }
                Answer::Moved(..) => {
                    return Err(Failure::new(
                        Reason::TooManyRedirects,
                        "the repository redirects without end",
                    ));
                }
                Answer::Gone(exchange) => {
                    // The address of the whole repository, not of a record: a wrong address takes nothing back.
                    let detail = format!("the repository's address answers {}", exchange.status);
                    return Err(Failure::new(Reason::HttpNotFound, detail));
                }
                Answer::Unclear(unclear) => {
                    let is_busy = matches!(unclear.reason, Reason::HttpUnavailable | Reason::HttpTooMany);
                    // Repositories ask for seconds; a date is as good as nothing here.
                    let asked = unclear
                        .retry_after
                        .as_deref()
                        .and_then(|text| text.trim().parse().ok());
                    let wait = asked.map_or(Duration::from_secs(10 << tries), Duration::from_secs);
                    if !is_busy || tries >= TRIES || wait > WAIT_MAX {
                        return Err(Failure::new(unclear.reason, unclear.detail));
                    }
                    tries += 1;
                    tokio::time::sleep(wait).await;
                }
                Answer::Unchanged(_) | Answer::Refused(..) | Answer::Folder(_) => {
                    return Err(Failure::new(Reason::BadReply, "an answer that fits no question"));
                }
            }
        }
    }

    async fn try_list(&self, ask: &Ask, take: &mut TakeEntry<'_>) -> Result<ListingEnd, Failure> {
        if !is_base(&ask.url) {
            return Ok(ListingEnd::File);
        }
        let mut query = vec![
            ("verb", "ListRecords".to_owned()),
            ("metadataPrefix", self.settings.prefix.clone()),
        ];
        query.extend(self.settings.set.clone().map(|set| ("set", set)));
        self.held.begin(ask.url.as_str());
        let mut list = List::default();
        loop {
            let url = address(&ask.url, &query)?;
            let page = match self.ask(ask, url).await {
                Ok((page, _)) => page,
                // Who begins to tell and then fails has not told all.
                Err(Failure::Theirs { reason, detail }) if list.pages > 0 => {
                    return Ok(part(format!("{}: {detail}", reason.code())));
                }
                Err(failure) => return Err(failure),
            };
            if let Some((code, text)) = &page.error {
                return match code.as_str() {
                    "noRecordsMatch" => Ok(list.end()),
                    _ if list.pages > 0 => Ok(part(format!("{code}: {text}"))),
                    _ => Err(Failure::new(
                        Reason::BadReply,
                        format!("{code}: {text}").trim_end_matches([' ', ':']).to_owned(),
                    )),
                };
            }
            let token = page.token.clone();
            if let Some(why) = list.add(&self.held, &ask.url, page, take).await {
                return Ok(part(why));
            }
            let Some(token) = token else {
                return Ok(list.end());
            };
            if list.last_token.as_ref() == Some(&token) {
                return Ok(part("the same page again and again".to_owned()));
            }
            query = vec![
                ("verb", "ListRecords".to_owned()),
                ("resumptionToken", token.clone()),
            ];
            list.last_token = Some(token);
            tokio::time::sleep(self.settings.delay).await;
        }
    }

    async fn try_fetch(&self, ask: &Ask) -> Result<Answer, Failure> {
        let Some((base, identifier)) = record_of(&ask.url) else {
            return Err(Failure::new(
                Reason::NoSuchFile,
                "the address names no record: it ends with the identifier",
            ));
        };
        if let Some(record) = self.held.take(base.as_str(), &identifier) {
            return Ok(answer_of(ask, record, Exchange::empty(self.clock.wall())));
        }
        let query = [
            ("verb", "GetRecord".to_owned()),
            ("metadataPrefix", self.settings.prefix.clone()),
            ("identifier", identifier.clone()),
        ];
        let (page, exchange) = self.ask(ask, address(&base, &query)?).await?;
        let found = page
            .records
            .into_iter()
            .find(|record| record.identifier == identifier);
        match (found, page.error) {
            (Some(record), _) => Ok(answer_of(ask, record, exchange)),
            (None, Some((code, _))) if code == "idDoesNotExist" => Ok(Answer::Gone(said(exchange))),
            (None, Some((code, text))) => Err(Failure::new(
                Reason::BadReply,
                format!("{code}: {text}").trim_end_matches([' ', ':']).to_owned(),
            )),
            (None, None) => Err(Failure::new(
                Reason::BadReply,
                "the answer does not hold the record",
            )),
        }
    }
}

/// A record as a document.
fn answer_of(ask: &Ask, record: Record, exchange: Exchange) -> Answer {
    let mut exchange = said(exchange);
    if record.is_deleted {
        return Answer::Gone(exchange);
    }
    exchange.status = 200;
    exchange.headers.push("content-type", b"text/xml");
    if let Some(filter) = &ask.filter {
        for verdict in [
            filter.head(200, &exchange.headers),
            filter.opening(200, &exchange.headers, &record.xml[..record.xml.len().min(1024)]),
        ] {
            if let FilterVerdict::Stop(refusal) = verdict {
                exchange.truncated = true;
                return Answer::Refused(exchange, refusal);
            }
        }
    }
    exchange.body = Body::Memory(record.xml.into());
    Answer::Here(exchange)
}

/// The exchange of an answer, for one of its records: the answer's own head is none of the record's.
fn said(mut exchange: Exchange) -> Exchange {
    exchange.request_head.clear();
    exchange.response_head.clear();
    exchange.headers = Headers::default();
    exchange.body = Body::empty();
    exchange.protocol = OAI_PMH;
    exchange
}

/// A list that is being read.
#[derive(Default)]
struct List {
    pages: usize,
    records: usize,
    /// Pages in a row without a record.
    empty: usize,
    /// Records that cannot be named.
    left_out: usize,
    said: Option<u64>,
    last_token: Option<String>,
    turns: Turns,
}

impl List {
    /// Takes the records of a page; why no more is wanted, if so.
    async fn add(&mut self, held: &Held, base: &Url, page: Page, take: &mut TakeEntry<'_>) -> Option<String> {
        self.pages += 1;
        self.left_out += page.unreadable;
        self.said = page.list_size.or(self.said);
        self.empty = if page.records.is_empty() {
            self.empty + 1
        } else {
            0
        };
        if self.empty > EMPTY_PAGES_MAX {
            return Some(format!("{EMPTY_PAGES_MAX} pages in a row without a record"));
        }
        for record in page.records {
            self.turns.after(1).await;
            self.records += 1;
            if self.records > ENTRIES_MAX {
                return Some(format!("more than {ENTRIES_MAX} records"));
            }
            if record.is_deleted {
                continue;
            }
            let Some(url) = child(base, record.identifier.as_bytes(), false) else {
                self.left_out += 1;
                continue;
            };
            let meta = Meta {
                size: Some(record.xml.len() as u64),
                modified: None,
                id: Some(digest(&record.xml)),
            };
            held.hold(base.as_str(), record);
            let kind = EntryKind::File;
            if !take(ListingEntry { url, kind, meta }) {
                return Some("no more entries were wanted".to_owned());
            }
        }
        None
    }

    fn end(self) -> ListingEnd {
        match self.said {
            Some(said) if (self.records as u64) < said => {
                let detail = format!("the server speaks of {said} records and listed {}", self.records);
                ListingEnd::Part { detail }
            }
            _ if self.left_out > 0 => ListingEnd::Part {
                detail: format!("{} records have no identifier", self.left_out),
            },
            _ => ListingEnd::Whole,
        }
    }
}

fn part(detail: String) -> ListingEnd {
    ListingEnd::Part { detail }
}

fn digest(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    data_encoding::HEXLOWER.encode(&digest.as_ref()[..16])
}

/// Whether the address is that of a repository. One of a record may end with a slash, too, if its identifier does: that is escaped.
fn is_base(url: &Url) -> bool {
    url.path().ends_with('/')
}

/// The repository and the identifier of a record.
fn record_of(url: &Url) -> Option<(Url, String)> {
    let name = segments(url).pop().filter(|name| !name.is_empty())?;
    let end = url.path().rfind('/')? + 1;
    let base = Url::parse(&format!("{}{}", url.origin(), &url.path()[..end])).ok()?;
    Some((base, String::from_utf8(name).ok()?))
}

/// A question to the repository at `base`, as an address for HTTP.
fn address(base: &Url, query: &[(&str, String)]) -> Result<Url, Failure> {
    let origin = match base.scheme() {
        "oai" => base.origin().replacen("oai:", "http:", 1),
        _ => base.origin().replacen("oais:", "https:", 1),
    };
    let path = match base.path().trim_end_matches('/') {
        "" => "/",
        path => path,
    };
    let mut pairs = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in query {
        pairs.append_pair(name, value);
    }
    let text = format!("{origin}{path}?{}", pairs.finish());
    Url::parse(&text).map_err(|_| Failure::new(Reason::BadReply, format!("not an address: {text}")))
}

/// Where a repository sends us: the same question there, with TLS where it was asked with TLS.
fn elsewhere(from: &Url, to: Option<Url>) -> Result<Url, Failure> {
    let to = to.ok_or_else(|| Failure::new(Reason::BadRedirect, "the redirect has no usable target"))?;
    let is_spoken = to.scheme() == "https" || to.scheme() == "http" && from.scheme() == "http";
    if !is_spoken {
        return Err(Failure::new(
            Reason::RedirectScheme,
            "the repository redirects to another protocol",
        ));
    }
    let query = from.as_str().split_once('?').map_or("", |(_, query)| query);
    if to.as_str().contains('?') {
        return Ok(to);
    }
    let text = format!("{}?{query}", to.as_str());
    Url::parse(&text).map_err(|_| Failure::new(Reason::BadRedirect, "the redirect has no usable target"))
}

/// What is asked over HTTP: in full, and uncompressed, because here is nobody who unpacks.
fn question(outer: &Ask, url: &Url) -> Ask {
    let plain = BoundHeader {
        origin: url.origin().to_owned(),
        name: "Accept-Encoding".to_owned(),
        value: "identity".to_owned(),
    };
    let headers: Vec<BoundHeader> = outer.headers.iter().cloned().chain([plain]).collect();
    Ask {
        body_bytes_max: ANSWER_BYTES_MAX,
        headers: Arc::from(headers),
        visitor: outer.visitor,
        pulse: outer.pulse.clone(),
        ..Ask::of(url.clone())
    }
}

fn page_of(exchange: &Exchange) -> Result<Page, Failure> {
    let mut bytes = Vec::new();
    let read = exchange
        .body
        .reader()
        .and_then(|reader| reader.take(ANSWER_BYTES_MAX).read_to_end(&mut bytes));
    if let Err(error) = read {
        return Err(Failure::of_io(&error));
    }
    page::read(&bytes).map_err(|not| Failure::new(Reason::BadReply, not.0))
}

#[async_trait]
impl Unit for Oai {
    fn schemes(&self) -> &'static [&'static str] {
        &["oai", "oais"]
    }

    async fn fetch(&self, ask: &Ask) -> Result<Answer, UnitError> {
        failure::answered(self.try_fetch(ask).await)
    }

    fn lists(&self) -> bool {
        true
    }

    async fn list(&self, ask: &Ask, take: &mut TakeEntry<'_>) -> Result<ListingEnd, UnitError> {
        failure::listed(self.try_list(ask, take).await)
    }
}

impl Plug for Oai {
    const SCHEMES: &'static [(&'static str, u16)] = &[("oai", 80), ("oais", 443)];

    /// `oai.prefix=marcxml`, `oai.set=theses`, `oai.delay=0`.
    fn plug(around: &Around) -> Result<Arc<dyn Unit>, UnitError> {
        let mut settings = OaiSettings::default();
        if let Some(prefix) = around.options.get("oai.prefix") {
            prefix.clone_into(&mut settings.prefix);
        }
        settings.set = around.options.get("oai.set").map(str::to_owned);
        let delay = around
            .options
            .get("oai.delay")
            .and_then(|delay| delay.parse().ok());
        if let Some(seconds) = delay {
            settings.delay = Duration::from_secs(seconds);
        }
        let clock = Arc::clone(&around.net.settings.clock);
        Ok(Arc::new(Oai::on(Arc::clone(&around.http), clock, settings)))
    }
}
