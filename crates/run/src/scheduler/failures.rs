//! Is a host down? One that fails again and again is: its other pages would only wait for the same (B1: one cause, one line).

use gleaner_model::{HostId, HostState, Reason};
use std::collections::HashMap;

/// Failures in a row after which a host counts as down: one that never served in this run, and one that did.
const DOWN_FROM_THE_START: u32 = 3;
const DOWN_IN_THE_MIDDLE: u32 = 8;

/// How the hosts of a run have done.
#[derive(Debug, Default)]
pub(crate) struct HostFailures(HashMap<HostId, Standing>);

#[derive(Debug, Default)]
struct Standing {
    has_served: bool,
    in_a_row: u32,
}

/// One more failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HostFailed {
    pub(crate) in_a_row: u32,
    pub(crate) is_down: bool,
}

impl HostFailures {
    /// What the holder before knew of a host.
    pub(crate) fn begin_with(&mut self, host: HostId, state: &HostState) {
        let standing = Standing {
            has_served: state.has_served,
            in_a_row: state.failures,
        };
        self.0.insert(host, standing);
    }

    /// The same for the next holder.
    pub(crate) fn write_to(&self, host: HostId, state: &mut HostState) {
        if let Some(standing) = self.0.get(&host) {
            (state.has_served, state.failures) = (standing.has_served, standing.in_a_row);
        }
    }

    pub(crate) fn served(&mut self, host: HostId) {
        let standing = self.0.entry(host).or_default();
        (standing.has_served, standing.in_a_row) = (true, 0);
    }

    pub(crate) fn failed(&mut self, host: HostId, reason: Reason) -> HostFailed {
        let standing = self.0.entry(host).or_default();
        standing.in_a_row += 1;
        let patience = match (standing.has_served, reason) {
            (true, _) => DOWN_IN_THE_MIDDLE,
            // These come with pauses of their own.
            (false, Reason::HttpTooMany | Reason::HttpUnavailable) => DOWN_FROM_THE_START - 1,
            (false, _) => DOWN_FROM_THE_START,
        };
        let in_a_row = standing.in_a_row;
        let is_down = in_a_row >= patience;
        if is_down {
            standing.in_a_row = 0;
        }
        HostFailed { in_a_row, is_down }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b1_a_host_that_served_is_given_more_patience() {
        let (new, old) = (HostId(1), HostId(2));
        let mut failures = HostFailures::default();
        failures.served(old);
        let until_down = |failures: &mut HostFailures, host, reason| {
            (1..20).find(|_| failures.failed(host, reason).is_down)
        };
        assert_eq!(until_down(&mut failures, new, Reason::ConnectTimeout), Some(3));
        assert_eq!(until_down(&mut failures, new, Reason::HttpUnavailable), Some(2));
        failures.failed(old, Reason::Reset);
        failures.served(old);
        assert_eq!(until_down(&mut failures, old, Reason::Reset), Some(8), "in a row");
    }

    #[test]
    fn who_is_given_a_host_goes_on_counting() {
        let (host, mut failures) = (HostId(1), HostFailures::default());
        failures.failed(host, Reason::Reset);
        failures.failed(host, Reason::Reset);
        let mut state = HostState::default();
        failures.write_to(host, &mut state);
        let mut others = HostFailures::default();
        others.begin_with(host, &state);
        assert!(others.failed(host, Reason::Reset).is_down);
    }
}
