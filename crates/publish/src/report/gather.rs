//! Which changes are one story? What all URLs of a host share is one line with its cause and their number, not a line for
//! each of them: a host that was down, a robots.txt that could not be read, a login that failed.

use gleaner_model::{Reason, State, Url};
use gleaner_store::ledger::ChangeRow;
use std::collections::BTreeMap;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// From this many on, errors of one host with one cause are one story.
const GATHERED_MIN: u32 = 20;

/// State, reason, origin and detail.
pub(super) type Cause = (State, Reason, String, Option<String>);

/// A first look at all changes, then the second at each: was it told already?
#[derive(Default)]
pub(super) struct Gathered {
    /// How many errors share a cause, by the cause's hash: a run may have as many causes as URLs.
    counts: HashMap<u64, u32>,
    stories: BTreeMap<Cause, u64>,
}

impl Gathered {
    /// The first look.
    pub(super) fn count(&mut self, row: &ChangeRow) {
        if row.state == State::Err
            && let Some(cause) = cause_of(row)
        {
            let count = self.counts.entry(hash(&cause)).or_default();
            *count = count.saturating_add(1);
        }
    }

    /// The second look: takes a change that is part of a story.
    pub(super) fn take(&mut self, row: &ChangeRow) -> bool {
        let Some(cause) = cause_of(row) else { return false };
        let is_of_host = matches!(
            cause.1,
            Reason::RobotsUnreachable | Reason::HostPaused | Reason::DnsNotFound
        );
        let is_many =
            || row.state == State::Err && self.counts.get(&hash(&cause)).is_some_and(|n| *n >= GATHERED_MIN);
        if !is_of_host && !is_many() {
            return false;
        }
        *self.stories.entry(cause).or_default() += 1;
        true
    }

    /// The stories, each with the number of its URLs.
    pub(super) fn stories(&self) -> impl Iterator<Item = (&Cause, u64)> {
        self.stories.iter().map(|(cause, count)| (cause, *count))
    }
}

fn cause_of(row: &ChangeRow) -> Option<Cause> {
    let url = Url::parse(&row.url).ok()?;
    Some((
        row.state,
        row.reason?,
        url.origin().to_owned(),
        row.detail.clone(),
    ))
}

fn hash(cause: &Cause) -> u64 {
    let mut hasher = DefaultHasher::new();
    cause.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_model::DocumentId;
    use gleaner_store::ledger::ChangeId;

    fn row(state: &str, url: &str, reason: Option<&str>) -> ChangeRow {
        ChangeRow {
            change: ChangeId(1),
            state: State::parse(state).expect("a state"),
            document: Some(DocumentId(1)),
            url: url.to_owned(),
            media_type: None,
            title: None,
            size: None,
            reason: reason.and_then(Reason::parse),
            detail: None,
            version: None,
            is_orphan: false,
            moved_from: None,
        }
    }

    #[test]
    fn twenty_of_one_host_are_one_story() {
        let mut rows: Vec<ChangeRow> = (0..20)
            .map(|n| row("ERR", &format!("http://a.test/{n}"), Some("http-503")))
            .collect();
        rows.extend((0..19).map(|n| row("ERR", &format!("http://b.test/{n}"), Some("http-503"))));
        rows.extend((0..30).map(|n| row("MIS", &format!("http://a.test/m{n}"), Some("http-404"))));
        rows.push(row("ERR", "http://c.test/", Some("robots-unreachable")));
        rows.push(row("NEW", "http://c.test/x", None));
        let mut gathered = Gathered::default();
        for row in &rows {
            gathered.count(row);
        }
        let left = rows.iter().filter(|row| !gathered.take(row)).count();
        assert_eq!(left, 19 + 30 + 1);
        let told: Vec<(String, u64)> = gathered
            .stories()
            .map(|(cause, count)| (cause.2.clone(), count))
            .collect();
        assert_eq!(
            told,
            [("http://a.test".to_owned(), 20), ("http://c.test".to_owned(), 1)]
        );
    }
}
