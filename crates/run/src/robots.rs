//! A host's robots.txt: asked for before its first page, redirects followed, remembered for a day (A7).

use gleaner_frontier::RobotsState;
use gleaner_model::{Reason, Timestamp, Url, defaults};
use gleaner_store::catalog::queue::StoredRobots;
use gleaner_units::{Answer, Ask, Exchange, Unclear, UnitError, Units};
use std::io::Read as _;
use std::net::IpAddr;
use std::time::Duration;

/// What asking for robots.txt gave.
pub struct Asked {
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
pub async fn ask(units: &Units, any: &Url, now: Timestamp) -> Result<Asked, UnitError> {
    let mut asked = Asked {
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
        // One byte more than is read, so that a longer file is cut and not refused.
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
            Answer::Unclear(Unclear { reason, detail, .. }) => {
                asked.failure = match detail.as_str() {
                    "" => reason.to_string(),
                    detail => format!("{reason}: {detail}"),
                };
                asked.stored.reason = Some(reason.code().to_owned());
                asked.state = RobotsState::of_failure(reason);
                return Ok(asked);
            }
        }
    }
    asked.stored.reason = Some(Reason::TooManyRedirects.code().to_owned());
    asked.state = RobotsState::of_failure(Reason::TooManyRedirects);
    Ok(asked)
}

fn answered(mut asked: Asked, exchange: &Exchange) -> Asked {
    asked.stored.status = Some(exchange.status);
    if (200..300).contains(&exchange.status) {
        asked.stored.body = decoded(exchange);
    }
    asked.state = RobotsState::of_answer(exchange.status, &asked.stored.body, defaults::AGENT_TOKEN);
    if let RobotsState::Unreachable { reason } = &asked.state {
        asked.failure = format!(
            "{reason}: robots.txt was answered with status {}",
            exchange.status
        );
    }
    asked
}

/// The beginning of the file, content encodings off. What cannot be unpacked is read as it came.
fn decoded(exchange: &Exchange) -> Vec<u8> {
    let headers: Vec<(String, String)> = exchange
        .headers
        .iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let mut body = Vec::new();
    if let (Ok(encodings), Ok(reader)) = (gleaner_parse::encodings(&headers), exchange.body.reader()) {
        let limits = gleaner_parse::DecodeLimits::default();
        let _what_came_is_used = gleaner_parse::decode(
            reader,
            exchange.body.len(),
            &encodings,
            &limits,
            &mut body,
            defaults::ROBOTS_BYTES_MAX,
        );
    }
    if body.is_empty()
        && let Ok(reader) = exchange.body.reader()
    {
        let _what_came_is_used = reader
            .take(defaults::ROBOTS_BYTES_MAX as u64)
            .read_to_end(&mut body);
    }
    body
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
    let state = match (stored.status, stored.reason.as_deref().and_then(Reason::parse)) {
        (Some(status), _) => RobotsState::of_answer(status, &stored.body, defaults::AGENT_TOKEN),
        (None, Some(reason)) => RobotsState::of_failure(reason),
        (None, None) => return None,
    };
    // A failure is worth asking again.
    (!matches!(state, RobotsState::Unreachable { .. })).then_some((state, good_for))
}
