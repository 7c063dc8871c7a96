//! How does a file come whole? Its size and time before, its bytes, its size and time after (HC097, HC098, HC100).
//!
//! ```text
//!            ┌──────────────── Again (changed, other length, other bytes) ───────────────┐
//!            ▼                                                                           │
//! connect ─► SIZE, MDTM ─► RETR ─► 226 ─► SIZE, MDTM as before, length as told ─► Here   │
//!                ▲           │                           └───────────────────────────────┘
//!                └── broken ─┘  REST with an overlap, if size and time are as before
//! ```
//!
//! Two halves of two files are never joined: what is resumed has the same size and time, and repeats the last bytes.

use super::Ftp;
use super::control::{Control, Facts};
use super::data::{self, Begun};
use super::intake::{DONE, Intake, OVERLAP_BYTES, too_large};
use super::reply::Reply;
use super::visit::{Came, Visit};
use super::{folder, path};
use crate::net::failure::Failure;
use crate::unit::{Answer, Ask, Exchange, Redirect, Refusal, Unclear};
use crate::{Body, Headers};
use bytes::BytesMut;
use gleaner_model::date::http_date;
use gleaner_model::{Reason, Url};

/// Transfers that may break before we give up.
const BREAKS_MAX: u32 = 5;

/// What went wrong so far.
#[derive(Default)]
struct Tries {
    breaks: u32,
    is_changed: bool,
    is_mismatched: bool,
}

impl Tries {
    /// Counts a break; gives the failure back if it is one too many, or not one that passes by asking again at once.
    fn broke(&mut self, failure: Failure) -> Result<(), Failure> {
        if !super::is_break(&failure) || self.breaks >= BREAKS_MAX {
            return Err(failure);
        }
        self.breaks += 1;
        Ok(())
    }
}

/// How one try from the first byte on ended.
enum Tried {
    Whole(Got),
    Refused(Control, Reply),
    Again,
}

struct Got {
    control: Control,
    headers: Headers,
    body: Result<Body, Refusal>,
}

/// How one transfer ended.
enum Poured {
    Whole,
    Stopped(Refusal),
    Refused(Reply),
    /// Not the bytes that follow those we have.
    OtherBytes,
}

pub(super) async fn fetch(ftp: &Ftp, ask: &Ask) -> Result<Answer, Failure> {
    let mut visit = Visit::new(ftp, ask);
    if ask.url.path().ends_with('/') {
        return Err(Failure::new(
            Reason::AccessDenied,
            "a folder is listed, not fetched",
        ));
    }
    let names = path::names(&ask.url).ok_or_else(super::unaskable)?;
    let mut tries = Tries::default();
    loop {
        match try_whole(ftp, ask, &mut visit, &names, &mut tries).await? {
            Tried::Again => {}
            Tried::Refused(control, reply) => return refused(ftp, visit, control, &names, reply).await,
            Tried::Whole(got) => {
                let truncated = got.body.is_err();
                let (body, refusal) = match got.body {
                    Ok(body) => (body, None),
                    Err(refusal) => (Body::empty(), Some(refusal)),
                };
                let mut exchange = exchange(&visit, &got.control, DONE);
                exchange.headers = got.headers;
                exchange.body = body;
                exchange.truncated = truncated;
                ftp.pool.give_back(ask.url.origin(), got.control);
                return Ok(match refusal {
                    None => Answer::Here(exchange),
                    Some(refusal) => Answer::Refused(exchange, refusal),
                });
            }
        }
    }
}

async fn try_whole(
    ftp: &Ftp,
    ask: &Ask,
    visit: &mut Visit<'_>,
    names: &[Vec<u8>],
    tries: &mut Tries,
) -> Result<Tried, Failure> {
    let path = &path::written(names);
    let mut control = if tries.breaks == 0 {
        ftp.control(visit).await?
    } else {
        Control::open(visit).await?
    };
    let facts = match control.facts(visit, path).await {
        Ok(facts) => facts,
        Err(_) if control.is_kept => {
            tries.breaks += 1;
            return Ok(Tried::Again);
        }
        Err(failure) => return tries.broke(failure).map(|()| Tried::Again),
    };
    if facts.size.is_some_and(|size| size > ask.body_bytes_max) {
        ftp.pool.give_back(ask.url.origin(), control);
        return Err(too_large(ask.body_bytes_max));
    }
    let headers = headers_of(&facts);
    let whole = |control, headers, body| {
        Tried::Whole(Got {
            control,
            headers,
            body,
        })
    };
    let mut intake = match Intake::new(ask, &headers, &visit.net.spool_folder, facts.size) {
        Ok(intake) => intake,
        Err(refusal) => return Ok(whole(control, headers.clone(), Err(refusal))),
    };
    loop {
        let failure = match pour(&mut control, visit, path, &mut intake, &facts).await {
            Ok(Poured::Whole) => break,
            Ok(Poured::Stopped(refusal)) => return Ok(whole(control, headers.clone(), Err(refusal))),
            Ok(Poured::Refused(reply)) if intake.len() == 0 => return Ok(Tried::Refused(control, reply)),
            Ok(Poured::Refused(_) | Poured::OtherBytes) => {
                tries.broke(Failure::new(
                    Reason::Truncated,
                    "the transfer broke and cannot be resumed",
                ))?;
                return Ok(Tried::Again);
            }
            Err(failure) => failure,
        };
        // Everything came and only the last word is missing: a look at the file will do.
        let is_all_there = facts.size == Some(intake.len()) && facts.are_known();
        if !(is_all_there && is_silence(&failure)) {
            tries.broke(failure)?;
        }
        control = Control::open(visit).await?;
        if control.facts(visit, path).await? != facts || !facts.are_known() {
            return Ok(Tried::Again);
        }
        if is_all_there {
            break;
        }
        if intake.len() <= OVERLAP_BYTES as u64 {
            return Ok(Tried::Again);
        }
    }
    let after = match control.facts(visit, path).await {
        Ok(after) => after,
        Err(failure) => {
            tries.broke(failure)?;
            control = Control::open(visit).await?;
            control.facts(visit, path).await?
        }
    };
    if after != facts {
        if tries.is_changed {
            return Err(Failure::new(
                Reason::ChangedWhileRead,
                "size or time changed during two transfers",
            ));
        }
        tries.is_changed = true;
        return Ok(Tried::Again);
    }
    let told = match facts.size {
        Some(size) => Some(size),
        // The last word is that all was sent; without a length only the listing can tell whether it was.
        None if ask.listed_bytes == Some(intake.len()) => ask.listed_bytes,
        None => ftp.sizes.of(&mut control, visit, names, intake.len()).await?,
    };
    if let Some(size) = told.filter(|size| *size != intake.len()) {
        if tries.is_mismatched {
            let detail = format!("the server says {size} bytes and sends {}", intake.len());
            return Err(Failure::new(Reason::SizeMismatch, detail));
        }
        tries.is_mismatched = true;
        return Ok(Tried::Again);
    }
    let body = intake.finish()?;
    Ok(whole(control, headers.clone(), body))
}

fn is_silence(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Theirs {
            reason: Reason::SilenceTimeout | Reason::FirstByteTimeout,
            ..
        }
    )
}

/// Reads the file from where the intake ends, the overlap first.
async fn pour(
    control: &mut Control,
    visit: &mut Visit<'_>,
    path: &[u8],
    intake: &mut Intake<'_>,
    facts: &Facts,
) -> Result<Poured, Failure> {
    let mut repeated = if intake.len() == 0 {
        Vec::new()
    } else {
        intake.tail().to_vec()
    };
    let from = intake.len() - repeated.len() as u64;
    let mut data = match data::begin(control, visit, "RETR", path, from).await? {
        Begun::Data(data) => data,
        Begun::Refused(reply) if reply.code / 100 == 4 => return Err(reply.failure()),
        Begun::Refused(reply) => return Ok(Poured::Refused(reply)),
    };
    let mut buffer = BytesMut::new();
    let came = loop {
        let came = data.read(visit, &mut buffer).await?;
        if came != Came::Bytes {
            break came;
        }
        if !repeated.is_empty() {
            let both = repeated.len().min(buffer.len());
            if repeated[..both] != buffer[..both] {
                return Ok(Poured::OtherBytes);
            }
            repeated.drain(..both);
            let _compared = buffer.split_to(both);
        }
        if let Some(refusal) = intake.push(&buffer)? {
            return Ok(Poured::Stopped(refusal));
        }
        buffer.clear();
    };
    let reply = data.finish(control, visit).await?;
    if !reply.is_good() {
        return Err(Failure::new(Reason::Truncated, reply.shown()));
    }
    let is_proved = came == Came::End || facts.size == Some(intake.len());
    if !is_proved || !repeated.is_empty() {
        return Err(Failure::new(
            Reason::Truncated,
            format!("{} bytes came", intake.len()),
        ));
    }
    Ok(Poured::Whole)
}

/// The server will not send it. Is it a folder, is it gone, or may we not have it?
async fn refused(
    ftp: &Ftp,
    mut visit: Visit<'_>,
    mut control: Control,
    names: &[Vec<u8>],
    reply: Reply,
) -> Result<Answer, Failure> {
    let is_about_the_file = matches!(reply.code, 501 | 550..=559);
    if !is_about_the_file {
        return Err(reply.failure());
    }
    let url = visit.url;
    if control.enter(&mut visit, names).await?.is_good() {
        let location = format!("{}{}/", url.origin(), url.path());
        let redirect = Redirect {
            status: 0,
            target: Url::parse(&location),
            location,
        };
        let exchange = exchange(&visit, &control, reply.code);
        ftp.pool.give_back(url.origin(), control);
        return Ok(Answer::Moved(exchange, redirect));
    }
    let is_gone = folder::is_gone(&mut control, &mut visit, names).await?;
    let exchange = exchange(&visit, &control, reply.code);
    ftp.pool.give_back(url.origin(), control);
    if is_gone {
        return Ok(Answer::Gone(exchange));
    }
    Ok(Answer::Unclear(Unclear {
        reason: Reason::AccessDenied,
        detail: reply.shown(),
        retry_after: None,
        exchange: Some(exchange),
    }))
}

fn headers_of(facts: &Facts) -> Headers {
    let mut headers = Headers::default();
    if let Some(size) = facts.size {
        headers.push("content-length", size.to_string().as_bytes());
    }
    if let Some(modified) = facts.modified {
        headers.push("last-modified", http_date(modified.at).as_bytes());
    }
    headers
}

/// What is kept of an answer: no heads, because FTP has none.
fn exchange(visit: &Visit<'_>, control: &Control, status: u16) -> Exchange {
    let elapsed = visit.patience.started().elapsed();
    Exchange {
        request_head: Vec::new(),
        response_head: Vec::new(),
        status,
        headers: Headers::default(),
        body: Body::empty(),
        protocol: if control.is_secure() { "ftps" } else { "ftp" },
        address: Some(control.peer.ip()),
        started: visit.started,
        first_byte: visit.first_byte.unwrap_or(elapsed),
        elapsed,
        wire_bytes: visit.received,
        cookies_set: false,
        truncated: false,
    }
}
