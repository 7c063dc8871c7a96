//! A host's robots.txt: asked for before its first page, redirects followed, remembered for a day (A7).

use gleaner_frontier::RobotsState;
use gleaner_model::{Reason, Timestamp, Url, defaults};
use gleaner_store::work::StoredRobots;
use gleaner_units::{Answer, Ask, Exchange, Pulse, Unclear, UnitError, Units};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// What asking for robots.txt gave.
pub struct RobotsAnswer {
    /// Whose robots.txt it is, redirects or not.
    pub site: Url,
    pub state: RobotsState,
    /// Why it could not be read, for people; empty where it could.
    pub failure: String,
    pub stored: StoredRobots,
    pub address: Option<IpAddr>,
    pub elapsed: Duration,
    /// 503 or 429 with what the server asked for.
    pub retry_after: Option<String>,
}

/// Asks for the robots.txt of the host that `any` lives on.
pub async fn ask(
    units: &Units,
    any: &Url,
    pulse: &Arc<Pulse>,
    now: Timestamp,
) -> Result<RobotsAnswer, UnitError> {
    let mut asked = RobotsAnswer {
        site: any.clone(),
        state: RobotsState::AllowAll { status: 0 },
        failure: String::new(),
        stored: StoredRobots {
            status: None,
            reason: None,
            body: Vec::new(),
            at: now,
        },
        address: None,
        elapsed: Duration::ZERO,
        retry_after: None,
    };
    let Ok(mut url) = any.join("/robots.txt") else {
        return Ok(asked);
    };
    for _ in 0..=defaults::ROBOTS_REDIRECTS_MAX {
        let mut ask = Ask::of(url.clone());
        ask.pulse = Some(Arc::clone(pulse));
        // A file that is longer than what is read of it is cut, not refused.
        ask.body_bytes_max = defaults::BODY_BYTES_MAX;
        let answer = units.fetch(&ask).await?;
        if let Some(exchange) = answer.exchange()
            && asked.address.is_none()
        {
            asked.address = exchange.address;
            asked.elapsed = exchange.first_byte;
        }
        match answer {
            Answer::Moved(exchange, redirect) => match redirect.target {
                Ok(target) if target.is_web() => url = target,
                _ => {
                    asked.stored.status = Some(exchange.status);
                    asked.state = RobotsState::of_answer(exchange.status, &[], defaults::AGENT_TOKEN);
                    return Ok(asked);
                }
            },
            Answer::Folder(_) => return Ok(asked), // No web server.
            Answer::Here(exchange)
            | Answer::Unchanged(exchange)
            | Answer::Gone(exchange)
            | Answer::Refused(exchange, _) => {
                return Ok(answered(asked, &exchange));
            }
            Answer::Unclear(Unclear {
                exchange: Some(exchange),
                retry_after,
                ..
            }) => {
                asked.retry_after = retry_after;
                return Ok(answered(asked, &exchange));
            }
            Answer::Unclear(Unclear { reason, detail, .. }) => return Ok(failed(asked, reason, &detail)),
        }
    }
    asked.stored.reason = Some(Reason::TooManyRedirects.code().to_owned());
    asked.state = RobotsState::of_failure(Reason::TooManyRedirects);
    Ok(asked)
}

fn answered(mut asked: RobotsAnswer, exchange: &Exchange) -> RobotsAnswer {
    if (200..300).contains(&exchange.status) {
        match decoded(exchange) {
            Ok(body) => asked.stored.body = body,
            Err(reason) => return failed(asked, reason, "robots.txt could not be unpacked"),
        }
    }
    asked.stored.status = Some(exchange.status);
    asked.state = RobotsState::of_answer(exchange.status, &asked.stored.body, defaults::AGENT_TOKEN);
    if let RobotsState::Unreachable { reason } = &asked.state {
        asked.failure = format!(
            "{reason}: robots.txt was answered with status {}",
            exchange.status
        );
    }
    asked
}

/// It could not be read: what it says is not known.
fn failed(mut asked: RobotsAnswer, reason: Reason, detail: &str) -> RobotsAnswer {
    asked.failure = match detail {
        "" => reason.to_string(),
        detail => format!("{reason}: {detail}"),
    };
    asked.stored.reason = Some(reason.code().to_owned());
    asked.state = RobotsState::of_failure(reason);
    asked
}

/// The beginning of the file, content encodings off. Half a file may lack the line that forbids, so only what came whole
/// is read, or as much of it as is ever read.
fn decoded(exchange: &Exchange) -> Result<Vec<u8>, Reason> {
    let headers: Vec<(String, String)> = exchange
        .headers
        .iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let encodings = gleaner_parse::encodings(&headers)?;
    let reader = exchange.body.reader().map_err(|_| Reason::Truncated)?;
    let limits = gleaner_parse::DecodeLimits::default();
    let (mut body, most) = (Vec::new(), defaults::ROBOTS_BYTES_MAX);
    let decoded = gleaner_parse::decode(reader, exchange.body.len(), &encodings, &limits, &mut body, most);
    match decoded {
        Err(reason) if body.len() < most => Err(reason),
        Ok(_) | Err(_) => Ok(body),
    }
}

/// What this run stored, if it is young enough to be believed, and for how long it still is. A new run asks anew: its
/// sitemaps are then read again, and an owner who changed the file sees it obeyed.
pub fn remembered(
    stored: &StoredRobots,
    since: Timestamp,
    now: Timestamp,
) -> Option<(RobotsState, Duration)> {
    let age_ms = now.0.saturating_sub(stored.at.0);
    if stored.at < since || age_ms < 0 {
        return None;
    }
    let good_for = defaults::ROBOTS_CACHE.checked_sub(Duration::from_millis(age_ms as u64))?;
    let state = match (stored.status, stored.reason.as_deref().map(Reason::stored)) {
        (Some(status), _) => RobotsState::of_answer(status, &stored.body, defaults::AGENT_TOKEN),
        (None, Some(reason)) => RobotsState::of_failure(reason),
        (None, None) => return None,
    };
    // A failure is worth asking again.
    (!matches!(state, RobotsState::Unreachable { .. })).then_some((state, good_for))
}
