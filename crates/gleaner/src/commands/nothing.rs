//! Why did a crawl collect nothing? One sentence, from what became of the URLs it began with.

use gleaner_model::{Project, Reason, Url, defaults};
use gleaner_store::StoreError;
use gleaner_store::read::{Direction, Reader};

pub(crate) fn why(reader: &Reader, project: &Project) -> Result<Option<String>, StoreError> {
    let mut first = None;
    let mut others = 0;
    for seed in project.seeds.iter().filter_map(|seed| Url::parse(seed).ok()) {
        match (&first, end_of(reader, seed)?) {
            (None, Some(end)) => first = Some(end),
            (Some(_), Some(_)) => others += 1,
            (_, None) => {}
        }
    }
    let Some((url, reason)) = first else {
        return Ok(None);
    };
    let meaning = reason.meaning().trim_end_matches('.');
    let more = if others > 0 {
        format!(" (and {others} more)")
    } else {
        String::new()
    };
    let cause = robots_failure(reader, &url, reason)?;
    Ok(Some(format!(
        "nothing was collected: {reason}: {meaning}{cause}: {url}{more}"
    )))
}

/// Why robots.txt could not be read, if that is the reason.
fn robots_failure(reader: &Reader, url: &Url, reason: Reason) -> Result<String, StoreError> {
    let robots = match reason {
        Reason::RobotsUnreachable => reader.robots_of(url)?,
        _ => None,
    };
    Ok(
        robots.map_or_else(String::new, |robots| match (robots.status, robots.reason) {
            (Some(status), _) => format!(" (it was answered with status {status})"),
            (None, Some(reason)) => format!(" ({reason})"),
            (None, None) => String::new(),
        }),
    )
}

/// Where the redirects of a URL end, and why there is no document there.
fn end_of(reader: &Reader, mut url: Url) -> Result<Option<(Url, Reason)>, StoreError> {
    for _ in 0..=defaults::REDIRECTS_MAX {
        let Some(resource) = reader.resource_of(&url)? else {
            return Ok(None);
        };
        let Some(visit) = reader.last_visit(resource)? else {
            return Ok(Some((url, Reason::OutOfScope)));
        };
        if let Some(reason) = visit.reason.as_deref().and_then(Reason::parse) {
            return Ok(Some((url, reason)));
        }
        let links = reader.links(resource, Direction::Out)?;
        let target = links
            .iter()
            .find(|link| link.kind == "redirect")
            .and_then(|link| Url::parse(&link.url).ok());
        match target {
            Some(target) if target != url => url = target,
            _ => return Ok(None),
        }
    }
    Ok(None)
}
