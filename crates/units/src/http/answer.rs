//! What does a reply mean? A status and its fields in, an [`Answer`] out; nothing is fetched or followed here.

use super::h1::Reply;
use crate::Headers;
use crate::net::patience::Patience;
use crate::unit::{Answer, Exchange, Redirect, Refusal, Unclear};
use gleaner_model::{Reason, Timestamp, Url};
use std::net::IpAddr;

/// A reply and how it was come by.
pub(super) struct Got {
    pub(super) reply: Reply,
    pub(super) protocol: &'static str,
    pub(super) address: IpAddr,
}

impl Got {
    /// The exchange for the record, and the filter's word if it stopped the body.
    pub(super) fn into_exchange(
        self,
        request_head: Vec<u8>,
        started: Timestamp,
        patience: &Patience,
        cookies_set: bool,
    ) -> (Exchange, Option<Refusal>) {
        let Got {
            reply,
            protocol,
            address,
        } = self;
        let exchange = Exchange {
            request_head,
            response_head: reply.head,
            status: reply.status,
            headers: reply.headers,
            body: reply.taken.body,
            protocol,
            address: Some(address),
            started,
            first_byte: patience.first_byte(),
            elapsed: patience.started().elapsed(),
            wire_bytes: reply.wire_bytes,
            cookies_set,
            truncated: reply.taken.truncated,
        };
        (exchange, reply.taken.stopped)
    }
}

/// `conditional` tells whether the request carried a condition, so that 304 is an answer to it.
pub(super) fn of(url: &Url, (exchange, stopped): (Exchange, Option<Refusal>), conditional: bool) -> Answer {
    if let Some(refusal) = stopped {
        return Answer::Refused(exchange, refusal);
    }
    match exchange.status {
        // We never ask for a part, so a part is not the document.
        206 => unclear(
            exchange,
            Reason::Truncated,
            "a part was sent though the whole was asked for",
        ),
        200..=299 => Answer::Here(exchange),
        304 if conditional => Answer::Unchanged(exchange),
        304 => unclear(exchange, Reason::Unexpected304, ""),
        301 | 302 | 303 | 307 | 308 => match redirect(url, exchange.status, &exchange.headers) {
            Some(redirect) => Answer::Moved(exchange, redirect),
            None => unclear(exchange, Reason::BadRedirect, "no Location field"),
        },
        300..=399 => unclear(
            exchange,
            Reason::BadRedirect,
            "a redirect that names no single target",
        ),
        404 | 410 => Answer::Gone(exchange),
        status => unclear(exchange, Reason::of_status(status), ""),
    }
}

fn redirect(url: &Url, status: u16, headers: &Headers) -> Option<Redirect> {
    let location = headers.get("location")?.to_owned();
    let target = url.join(&location);
    Some(Redirect {
        status,
        location,
        target,
    })
}

fn unclear(exchange: Exchange, reason: Reason, detail: &str) -> Answer {
    let detail = match detail {
        "" => format!("status {}", exchange.status),
        detail => detail.to_owned(),
    };
    let retry_after = exchange.headers.get("retry-after").map(str::to_owned);
    Answer::Unclear(Unclear {
        reason,
        detail,
        retry_after,
        exchange: Some(exchange),
    })
}
