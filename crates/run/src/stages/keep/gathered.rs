//! When are the pages that wait committed? When enough of them wait, or the first has waited long enough, or nothing else is
//! to be done: the links in them are then what the scheduler waits for.

use super::Judged;
use gleaner_store::Outcome;
use std::time::Duration;
use tokio::time::Instant;

/// How long the first page of a commit waits for others.
const BATCH_WAIT: Duration = Duration::from_millis(60);

/// Where pages come fast, as many may wait as come in this time: to fetch them again takes no longer.
const UNKEPT_WAIT: Duration = Duration::from_millis(50);
/// Larger batches do not make a commit cheaper for each page.
const UNKEPT_PAGES_MAX: usize = 256;
/// The same of answers that say "not modified".
const UNKEPT_UNCHANGED_MAX: usize = 1024;

/// How many pages may wait for their commit beyond those being fetched: what a kill costs is no more (A13). Few where few
/// are fetched at once, so that it stays in proportion; enough that nobody waits for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unkept {
    pub pages: usize,
    /// The same for those that the server calls unchanged: they are a few bytes each, and large commits cost less a page.
    pub unchanged: usize,
}

impl Unkept {
    /// `per_second`: how many pages come at present.
    pub fn of(concurrency: usize, per_second: usize) -> Unkept {
        let come = per_second.saturating_mul(UNKEPT_WAIT.as_millis() as usize) / 1000;
        Unkept {
            pages: (2 * concurrency).max(16).max(come.min(UNKEPT_PAGES_MAX)),
            unchanged: (16 * concurrency).max(128).max(come.min(UNKEPT_UNCHANGED_MAX)),
        }
    }

    /// A commit takes half of them at least: while it is made, as many again may come.
    fn is_commit(self, pages: usize, unchanged: usize) -> bool {
        pages >= self.pages / 2 || unchanged >= self.unchanged / 2
    }
}

/// What the scheduler says about when to commit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CommitPace {
    /// Nothing is left to fetch: commit what has gathered.
    pub is_wanted: bool,
    /// How many pages come in a second at present.
    pub per_second: usize,
}

/// Pages that wait for the next commit.
#[derive(Default)]
pub(crate) struct Gathered {
    pages: Vec<Judged>,
    /// Of them, those that are as they were.
    unchanged: usize,
    /// A server waits for one of them to be safe.
    is_awaited: bool,
    since: Option<Instant>,
}

impl Gathered {
    pub(crate) fn add(&mut self, page: Judged, now: Instant) {
        self.since.get_or_insert(now);
        self.unchanged += usize::from(matches!(page.keep.outcome, Outcome::Unchanged(_)));
        self.is_awaited |= page.hold.is_some();
        self.pages.push(page);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// When they are committed at the latest.
    pub(crate) fn due_at(&self) -> Option<Instant> {
        self.since.map(|since| since + BATCH_WAIT)
    }

    pub(crate) fn is_due(&self, pace: CommitPace, concurrency: usize, now: Instant) -> bool {
        let may_wait = Unkept::of(concurrency, pace.per_second);
        let is_enough = may_wait.is_commit(self.pages.len() - self.unchanged, self.unchanged);
        let is_urgent = is_enough || self.is_awaited || pace.is_wanted;
        !self.is_empty() && (is_urgent || self.due_at().is_some_and(|at| at <= now))
    }

    pub(crate) fn take(&mut self) -> Vec<Judged> {
        std::mem::take(self).pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_model::{HostId, Reason, ResourceId, Timestamp};
    use gleaner_store::Keep;
    use gleaner_store::leases::{Fence, FencedHost};
    use gleaner_store::work::Purpose;

    #[test]
    fn case24_more_may_wait_for_a_commit_only_where_they_come_within_an_instant() {
        let pages = |concurrency, per_second| Unkept::of(concurrency, per_second).pages;
        assert_eq!([pages(16, 0), pages(16, 640), pages(16, 1280)], [32, 32, 64]);
        assert_eq!([pages(1, 100), pages(4, 100), pages(64, 1000)], [16, 16, 128]);
        assert_eq!([pages(16, 4000), pages(16, 1_000_000)], [200, 256]);
        let unchanged = |per_second| Unkept::of(16, per_second).unchanged;
        assert_eq!(
            [unchanged(4000), unchanged(10_000), unchanged(1_000_000)],
            [256, 500, 1024]
        );
    }

    fn page(resource: i64) -> Judged {
        let (host, fence) = (HostId(1), Fence::default());
        let place = (FencedHost { host, fence }, ResourceId(resource), 0);
        let keep = Keep::nothing(place, 0, Purpose::Page, Reason::Reset, Timestamp(0));
        Judged {
            keep,
            url: None,
            seen: None,
            hold: None,
        }
    }

    #[test]
    fn a_commit_waits_for_company_but_not_for_long() {
        let now = Instant::now();
        let after = |milliseconds| now + Duration::from_millis(milliseconds);
        let pace = CommitPace::default();
        let mut gathered = Gathered::default();
        assert!(!gathered.is_due(pace, 1, after(1000)), "there is nothing");
        gathered.add(page(1), now);
        gathered.add(page(2), after(50));
        assert!(!gathered.is_due(pace, 1, after(59)));
        assert!(
            gathered.is_due(pace, 1, after(60)),
            "the first has waited long enough"
        );
        let wanted = CommitPace {
            is_wanted: true,
            ..pace
        };
        assert!(gathered.is_due(wanted, 1, now), "nothing else is to be done");
        (3..=8).for_each(|resource| gathered.add(page(resource), now));
        assert!(gathered.is_due(pace, 1, now), "half of what may wait");
        assert_eq!(gathered.take().len(), 8);
        assert!(gathered.is_empty() && gathered.due_at().is_none());
    }
}
