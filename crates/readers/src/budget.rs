//! How much processor time may a document take? The kernel ends the process that takes more. A reader that sees the end coming
//! stops before, and gives what it has.
//!
//! Processor time, not the time of day: a busy machine must not make a document unreadable.

use std::time::Duration;

/// What one document may take.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: Duration,
    /// What this process had taken before.
    begun: Duration,
}

impl Budget {
    /// From now on. Only the soft limit is set: the next document gets another.
    pub(crate) fn begin(limit: Duration) -> Budget {
        let begun = taken();
        #[cfg(unix)]
        {
            use rustix::process::{Resource, Rlimit, setrlimit};
            let _as_far_as_allowed = setrlimit(
                Resource::Cpu,
                Rlimit {
                    current: Some((begun + limit).as_secs() + 1),
                    maximum: None,
                },
            );
        }
        Budget { limit, begun }
    }

    pub(crate) fn is_nearly_spent(&self) -> bool {
        taken().saturating_sub(self.begun) >= self.limit * 3 / 4
    }

    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }
}

/// Processor time of this process.
#[cfg(unix)]
fn taken() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(
        now.tv_sec.try_into().unwrap_or(0),
        now.tv_nsec.try_into().unwrap_or(0),
    )
}

#[cfg(not(unix))]
fn taken() -> Duration {
    Duration::ZERO
}
