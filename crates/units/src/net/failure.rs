//! Why one attempt gave no answer: a reason, the facts, and whether anything of an answer had come.

use crate::listing::ListingEnd;
use crate::{Answer, Unclear, UnitError};
use gleaner_model::Reason;
use std::io;

/// Ends an attempt: either the server (or the way to it) failed, or we did.
#[derive(Debug)]
pub(crate) enum Failure {
    Theirs { reason: Reason, detail: String },
    Ours(UnitError),
}

/// What the system says, without its number for it.
pub(crate) fn words(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

impl Failure {
    pub(crate) fn new(reason: Reason, detail: impl Into<String>) -> Failure {
        Failure::Theirs {
            reason,
            detail: detail.into(),
        }
    }

    /// For an error of a connection that was already open.
    pub(crate) fn of_io(error: &io::Error) -> Failure {
        let reason = match error.kind() {
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionAborted => {
                Reason::Reset
            }
            io::ErrorKind::TimedOut => Reason::SilenceTimeout,
            io::ErrorKind::InvalidData => Reason::TlsProtocol,
            io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => Reason::Unreachable,
            _ => Reason::Closed,
        };
        Failure::new(reason, words(error))
    }

    /// The same failure, met on the way to the proxy.
    pub(crate) fn at_proxy(self) -> Failure {
        match self {
            Failure::Theirs { reason, detail } => Failure::new(
                Reason::ProxyFailed,
                format!("{} {detail}", reason.meaning()).trim_end(),
            ),
            ours @ Failure::Ours(_) => ours,
        }
    }

    pub(crate) fn into_unclear(self) -> Result<Unclear, UnitError> {
        match self {
            Failure::Theirs { reason, detail } => Ok(Unclear {
                reason,
                detail,
                retry_after: None,
                exchange: None,
            }),
            Failure::Ours(error) => Err(error),
        }
    }
}

/// An attempt as the answer that a unit gives: what failed on their side is an answer too.
pub(crate) fn answered(attempt: Result<Answer, Failure>) -> Result<Answer, UnitError> {
    attempt.or_else(|failure| Ok(Answer::Unclear(failure.into_unclear()?)))
}

/// The same for a listing.
pub(crate) fn listed(attempt: Result<ListingEnd, Failure>) -> Result<ListingEnd, UnitError> {
    attempt.or_else(|failure| Ok(ListingEnd::Unclear(Box::new(failure.into_unclear()?))))
}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Failure {
        Failure::new(reason, "")
    }
}

impl From<UnitError> for Failure {
    fn from(error: UnitError) -> Failure {
        Failure::Ours(error)
    }
}
