//! What a run knows of a host beside its rows. Whoever works on the host next begins with it.

use crate::Timestamp;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// Saved when a worker gives a host back. What a run knows of the host for good has rows of its own: its robots.txt, until when
/// it is to be left alone after the run, what was learned about its site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostState {
    /// It gave an answer in this run.
    pub has_served: bool,
    /// Fetches without an answer, in a row.
    pub failures: u32,
    /// How many pages may still be looked at for volatile parts of its URLs. None: nobody looked yet; 0: that is done.
    pub survey_tries_left: Option<u8>,
    /// Why its robots.txt could not be read, where it could not.
    pub robots_failure: Option<String>,
    /// The lists that its pages waited for are read.
    pub are_lists_read: bool,
    /// Documents that it gave in this run.
    pub documents: u64,
    /// Where it was reached last: hosts of one address share a pace.
    pub address: Option<IpAddr>,
    pub pace: HostPaceState,
}

/// What its answers taught about when it may be asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostPaceState {
    /// How long it usually takes to answer, once it has.
    pub usual_ms: Option<u64>,
    /// What is added to the delay since it last failed or asked for patience.
    pub backoff_ms: u64,
    /// It is not to be asked before this moment.
    pub not_before: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_of_another_version_of_the_program_is_read_as_far_as_it_is_known() {
        let known = r#"{"failures":2,"moon":"full","pace":{"backoff_ms":500}}"#;
        let state: HostState = serde_json::from_str(known).unwrap();
        let expected = HostState {
            failures: 2,
            pace: HostPaceState {
                backoff_ms: 500,
                ..HostPaceState::default()
            },
            ..HostState::default()
        };
        assert_eq!(state, expected);
    }
}
