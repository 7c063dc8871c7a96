//! Has the run had enough? (A12)
//!
//! In: the limits of a project and what was used so far. Out: nothing, or the limit that was reached. A limit of
//! `n` pages means `n` pages: the check comes before a fetch and asks whether one more is allowed.

use gleaner_model::{Project, Reason};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    pub pages: Option<u64>,
    pub pages_per_host: Option<u64>,
    pub bytes: Option<u64>,
    pub time: Option<Duration>,
    pub depth: Option<u32>,
}

/// What a run has used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    pub pages: u64,
    pub bytes: u64,
    pub time: Duration,
}

impl Limits {
    pub fn of(project: &Project) -> Limits {
        Limits {
            pages: project.pages_max,
            pages_per_host: project.pages_per_host_max,
            bytes: project.bytes_max,
            time: project.seconds_max.map(Duration::from_secs),
            depth: project.depth_max,
        }
    }

    /// Whether the run as a whole may fetch one more.
    pub fn reached(&self, spent: &Spent) -> Option<Reason> {
        if self.pages.is_some_and(|max| spent.pages >= max) {
            return Some(Reason::LimitPages);
        }
        if self.bytes.is_some_and(|max| spent.bytes >= max) {
            return Some(Reason::LimitBytes);
        }
        self.time
            .is_some_and(|max| spent.time >= max)
            .then_some(Reason::LimitTime)
    }

    /// Whether a host of which `pages` were fetched may give one more.
    pub fn reached_by_host(&self, pages: u64) -> Option<Reason> {
        self.pages_per_host
            .is_some_and(|max| pages >= max)
            .then_some(Reason::LimitPages)
    }

    /// Depth 0 is a seed.
    pub fn too_deep(&self, depth: u32) -> Option<Reason> {
        self.depth
            .is_some_and(|max| depth > max)
            .then_some(Reason::TooDeep)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a12_each_limit_stops_at_its_number() {
        let limits = Limits {
            pages: Some(10),
            pages_per_host: Some(5),
            bytes: Some(1000),
            time: Some(Duration::from_mins(1)),
            depth: Some(2),
        };
        let spent = Spent {
            pages: 9,
            bytes: 999,
            time: Duration::from_secs(59),
        };
        assert_eq!(limits.reached(&spent), None);
        assert_eq!(
            limits.reached(&Spent { pages: 10, ..spent }),
            Some(Reason::LimitPages)
        );
        assert_eq!(
            limits.reached(&Spent { bytes: 1000, ..spent }),
            Some(Reason::LimitBytes)
        );
        assert_eq!(
            limits.reached(&Spent {
                time: Duration::from_mins(1),
                ..spent
            }),
            Some(Reason::LimitTime)
        );
        assert_eq!(
            (limits.reached_by_host(4), limits.reached_by_host(5)),
            (None, Some(Reason::LimitPages))
        );
        assert_eq!(
            (limits.too_deep(2), limits.too_deep(3)),
            (None, Some(Reason::TooDeep))
        );
        let most = Spent {
            pages: u64::MAX,
            bytes: u64::MAX,
            time: Duration::MAX,
        };
        assert_eq!(Limits::default().reached(&most), None);
    }
}
