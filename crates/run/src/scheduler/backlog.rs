//! How many pages are on their way to a commit, and may there be more? Back-pressure is this one number: it bounds what a kill
//! costs (A13), and with it all that waits anywhere between the stages.

use super::coming::Coming;
use crate::stages::keep::gathered::Unkept;
use gleaner_model::{Instant, ResourceId};
use std::collections::HashSet;

pub(crate) struct Backlog {
    concurrency: usize,
    /// Pages taken from the frontier and not yet safe.
    unkept: usize,
    /// Of those, the ones that the server says have not changed.
    unchanged: HashSet<ResourceId>,
    coming: Coming,
}

impl Backlog {
    pub(crate) fn new(concurrency: usize) -> Backlog {
        Backlog {
            concurrency,
            unkept: 0,
            unchanged: HashSet::new(),
            coming: Coming::default(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.unkept == 0
    }

    pub(crate) fn count(&self) -> usize {
        self.unkept
    }

    /// One more was taken up.
    pub(crate) fn take(&mut self) {
        self.unkept += 1;
    }

    /// One came. `unchanged`: it is as it was, so nothing of it waits in memory.
    pub(crate) fn came(&mut self, unchanged: Option<ResourceId>) {
        self.coming.note();
        self.unchanged.extend(unchanged);
    }

    /// One is safe.
    pub(crate) fn kept(&mut self, resource: ResourceId) {
        self.unkept -= 1;
        self.unchanged.remove(&resource);
    }

    /// So many will never come.
    pub(crate) fn break_off(&mut self, pages: usize) {
        self.unkept -= pages;
    }

    pub(crate) fn per_second(&mut self, now: Instant) -> usize {
        self.coming.per_second(now)
    }

    /// Whether no page may be taken up. `fetching`: pages whose answers are waited for; those beyond the places have no part in
    /// what waits for its commit.
    pub(crate) fn is_full(&self, fetching: usize, per_second: usize) -> bool {
        let may_wait = Unkept::of(self.concurrency, per_second);
        let beside = fetching.saturating_sub(self.concurrency);
        self.unkept - self.unchanged.len() - beside >= self.concurrency + may_wait.pages
            || self.unchanged.len() >= may_wait.unchanged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case24_no_more_are_taken_up_than_a_kill_may_cost() {
        let mut backlog = Backlog::new(4);
        (0..20).for_each(|_| backlog.take());
        assert!(backlog.is_full(0, 0), "4 in flight and 16 that wait");
        assert!(!backlog.is_full(5, 0), "one of them is waited for aside");
        backlog.came(Some(ResourceId(1)));
        assert!(!backlog.is_full(0, 0), "nothing of that one is in memory");
        backlog.kept(ResourceId(1));
        assert!(!backlog.is_full(0, 0));
        backlog.break_off(19);
        assert!(backlog.is_empty());
    }

    #[test]
    fn case24_unchanged_pages_have_a_bound_of_their_own() {
        let mut backlog = Backlog::new(1);
        for resource in 0..128 {
            assert!(!backlog.is_full(0, 0));
            backlog.take();
            backlog.came(Some(ResourceId(resource)));
        }
        assert!(backlog.is_full(0, 0));
    }
}
