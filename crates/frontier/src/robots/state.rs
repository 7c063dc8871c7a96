//! What is known about a host's robots.txt once it was asked for (HC045, HC046, HC047).

use super::{Robots, RobotsDecision};
use gleaner_model::{Reason, Url};

/// The outcome of asking for robots.txt. Stored as its status and raw bytes; read back by [`RobotsState::of_answer`].
#[derive(Debug, Clone)]
pub enum RobotsState {
    Rules(Robots),
    /// There is none for us to read: 4xx, or redirects beyond the limit. RFC 9309 2.3.1.3 then allows everything.
    AllowAll {
        status: u16,
    },
    /// It may exist but could not be read: 5xx, timeout, TLS, DNS. RFC 9309 2.3.1.4 then disallows everything.
    /// The RFC's 30 days after which one may assume none are not used: a host that long away has no pages either.
    Unreachable {
        reason: Reason,
    },
}

impl RobotsState {
    /// From the last answer, redirects followed. `status` 3xx means that the hops were used up or led nowhere.
    pub fn of_answer(status: u16, body: &[u8], agent: &str) -> RobotsState {
        match status {
            // 304 is an answer to a conditional question: the caller passes the stored bytes.
            200..=299 | 304 => RobotsState::Rules(Robots::parse(body, agent)),
            // 429 says "not now", not "there is none".
            300..=499 if status != 429 => RobotsState::AllowAll { status },
            _ => RobotsState::Unreachable {
                reason: Reason::of_status(status),
            },
        }
    }

    /// From a failure without an answer.
    pub fn of_failure(reason: Reason) -> RobotsState {
        match reason {
            // A chain that is too long, loops or leads nowhere counts as "unavailable", which allows (RFC 9309 2.3.1.2).
            Reason::TooManyRedirects
            | Reason::RedirectLoop
            | Reason::BadRedirect
            | Reason::RedirectScheme => RobotsState::AllowAll { status: 300 },
            _ => RobotsState::Unreachable { reason },
        }
    }

    /// `None` if `url` may be fetched; else why not.
    pub fn refuses(&self, url: &Url) -> Option<Reason> {
        match self {
            RobotsState::Rules(robots) if !robots.allows(url) => Some(Reason::RobotsDenied),
            RobotsState::Rules(_) | RobotsState::AllowAll { .. } => None,
            RobotsState::Unreachable { reason } => Some(RobotsState::told(*reason)),
        }
    }

    /// What is said of pages of a host whose robots.txt could not be read: a host that does not exist has none.
    pub fn told(reason: Reason) -> Reason {
        match reason {
            Reason::DnsNotFound => Reason::DnsNotFound,
            _ => Reason::RobotsUnreachable,
        }
    }

    /// The line that decides over `url`, if there are lines.
    pub fn decide(&self, url: &Url) -> RobotsDecision {
        match self {
            RobotsState::Rules(robots) => robots.decide(url),
            RobotsState::AllowAll { .. } => RobotsDecision {
                allowed: true,
                rule: None,
                line: None,
            },
            RobotsState::Unreachable { .. } => RobotsDecision {
                allowed: false,
                rule: None,
                line: None,
            },
        }
    }

    pub fn robots(&self) -> Option<&Robots> {
        match self {
            RobotsState::Rules(robots) => Some(robots),
            _ => None,
        }
    }
}
