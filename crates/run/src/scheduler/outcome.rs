//! What a fetch says about its host.

use super::going::Ticket;
use crate::news::{EndedFetch, Failure};
use crate::stages::fetch::Fetched;
use gleaner_frontier::{FetchOutcome, OutcomeKind, retry_after};
use gleaner_model::{Reason, Timestamp};
use gleaner_units::{Answer, Unclear};
use std::net::IpAddr;
use std::time::Duration;
use tracing::{debug, warn};

impl EndedFetch {
    pub(super) fn of(ticket: Ticket, fetched: &Fetched, jitter: f64, wall: Timestamp) -> EndedFetch {
        let (address, outcome) = outcome_of(fetched, jitter, wall);
        let exchange = fetched.answer.as_ref().ok().and_then(Answer::exchange);
        EndedFetch {
            ticket,
            host: fetched.page.host,
            address,
            bytes: exchange.map_or(0, |exchange| exchange.wire_bytes),
            took: exchange.map(|exchange| (exchange.first_byte, exchange.elapsed)),
            failure: failure_of(fetched, &outcome),
            unchanged: match fetched.answer {
                Ok(Answer::Unchanged(_)) => Some(fetched.page.resource),
                _ => None,
            },
            inside: fetched.out.is_none().then_some(fetched.page.resource),
            outcome,
        }
    }

    /// The answer in one line.
    pub(super) fn log(&self, fetched: &Fetched) {
        let exchange = fetched.answer.as_ref().ok().and_then(Answer::exchange);
        let status = exchange.map(|exchange| exchange.status);
        let ms = self.took.map(|(_, elapsed)| elapsed.as_millis() as u64);
        match &fetched.answer {
            Ok(Answer::Unclear(Unclear { reason, detail, .. })) => {
                debug!(
                    status,
                    reason = reason.code(),
                    detail,
                    bytes = self.bytes,
                    ms,
                    "no clear answer"
                );
            }
            Ok(Answer::Folder(listing)) => debug!(entries = listing.entries.len(), "the folder was listed"),
            Ok(_) => debug!(status, bytes = self.bytes, ms, "answered"),
            Err(error) => warn!(%error, "we could not ask"),
        }
    }
}

/// The host gave no answer: a pause may help it. A broken answer is an answer, and what our own guard refused
/// was not asked (HC028).
fn is_no_answer(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::DnsTimeout
            | Reason::DnsFailed
            | Reason::ConnectTimeout
            | Reason::ConnectRefused
            | Reason::Unreachable
            | Reason::Reset
            | Reason::Closed
            | Reason::TlsTimeout
            | Reason::FirstByteTimeout
            | Reason::SilenceTimeout
            | Reason::FetchTimeout
            | Reason::TooSlow
            | Reason::ProxyFailed
            | Reason::Http2Failed
    )
}

/// What a fetch says about its host, where that is nothing good.
fn failure_of(fetched: &Fetched, outcome: &FetchOutcome) -> Option<Failure> {
    match (&outcome.kind, &fetched.answer) {
        (OutcomeKind::Failed | OutcomeKind::Overloaded { .. }, Ok(Answer::Unclear(unclear))) => {
            Some(Failure {
                reason: unclear.reason,
                detail: unclear.detail.clone(),
            })
        }
        _ => None,
    }
}

/// How the fetch went, as far as pace cares.
fn outcome_of(fetched: &Fetched, jitter: f64, wall: Timestamp) -> (Option<IpAddr>, FetchOutcome) {
    let Ok(answer) = &fetched.answer else {
        // Our own failure says nothing against the host.
        return (
            None,
            FetchOutcome {
                response_time: Duration::ZERO,
                kind: OutcomeKind::Answered,
                jitter,
            },
        );
    };
    let exchange = answer.exchange();
    let kind = match answer {
        Answer::Unclear(unclear) => match unclear.reason {
            Reason::HttpTooMany | Reason::HttpUnavailable => OutcomeKind::Overloaded {
                retry_after: unclear
                    .retry_after
                    .as_deref()
                    .and_then(|text| retry_after(text, wall)),
            },
            reason if is_no_answer(reason) && exchange.is_none() => OutcomeKind::Failed,
            _ => OutcomeKind::Answered,
        },
        _ => OutcomeKind::Answered,
    };
    let response_time = exchange.map_or(Duration::ZERO, |e| e.first_byte);
    (
        exchange.and_then(|e| e.address),
        FetchOutcome {
            response_time,
            kind,
            jitter,
        },
    )
}
