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
    Ok(first.map(|(url, reason)| {
        let meaning = reason.meaning().trim_end_matches('.');
        let more = if others > 0 {
            format!(" (and {others} more)")
        } else {
            String::new()
        };
        format!("nothing was collected: {reason}: {meaning}: {url}{more}")
    }))
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
