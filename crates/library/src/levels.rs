//! S1's five levels: how long a site waits until it may be visited again (G8, S1 3.2 and 3.3.5, its table 15).
//!
//! As printed a site begins at level 1, rises when its accepted-document rate rises and falls when it falls; at level 5 it is
//! never visited again. That rate falls with every document that is rejected, so a site that keeps all its good documents is
//! demoted (its table 23), levels walk at random, and the last one takes in what comes by. Repaired, the measure is what a visit
//! brought anew, two visits in a row have to agree, and the last level is a year.

use serde::{Deserialize, Serialize};

/// The version of the stored form of [`SiteStanding`].
pub const VERSION: u32 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    AsPrinted,
    Repaired,
}

/// 1 to 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct VisitLevel(u8);

impl VisitLevel {
    pub const FIRST: VisitLevel = VisitLevel(1);
    pub const LAST: VisitLevel = VisitLevel(5);

    pub fn number(self) -> u8 {
        self.0
    }

    /// Days that have to pass after the end of the last visit; `None` is never.
    pub fn wait_days(self, mode: Mode) -> Option<f64> {
        match (self.0, mode) {
            (1, _) => Some(15.0),
            (2, _) => Some(30.0),
            (3, _) => Some(60.0),
            (4, _) => Some(180.0),
            (_, Mode::Repaired) => Some(365.0),
            (_, Mode::AsPrinted) => None,
        }
    }

    /// Whether a site that was left so many days ago competes for a place.
    pub fn has_waited(self, mode: Mode, days: f64) -> bool {
        self.wait_days(mode).is_some_and(|wait| days > wait)
    }

    fn up(self) -> VisitLevel {
        VisitLevel(self.0.saturating_sub(1).max(1))
    }

    fn down(self) -> VisitLevel {
        VisitLevel((self.0 + 1).min(5))
    }
}

/// Where a site stands, and what led there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SiteStanding {
    pub level: VisitLevel,
    /// The measure at the last visit: the accepted-document rate, or new accepted documents a visit.
    pub measure: Option<f64>,
    /// Visits in a row that spoke for going up (above 0) or down (below 0).
    agreed: i8,
}

impl Default for SiteStanding {
    fn default() -> SiteStanding {
        SiteStanding {
            level: VisitLevel::FIRST,
            measure: None,
            agreed: 0,
        }
    }
}

/// What one visit brought.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SiteVisit {
    /// Documents of the site, all that were ever downloaded, and how many of them were accepted.
    pub downloaded: u64,
    pub accepted: u64,
    /// Accepted documents that were not there before this visit.
    pub accepted_new: u64,
}

/// What a visit did to a site's level, and why.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LevelMove {
    pub from: VisitLevel,
    pub to: VisitLevel,
    /// The measure before, none at the first visit, and now.
    pub before: Option<f64>,
    pub now: f64,
}

impl SiteStanding {
    pub fn visited(&mut self, mode: Mode, visit: SiteVisit) -> LevelMove {
        let (before, from) = (self.measure, self.level);
        let now = match mode {
            Mode::AsPrinted => visit.accepted as f64 / (visit.downloaded as f64).max(1.0),
            Mode::Repaired => visit.accepted_new as f64,
        };
        match mode {
            Mode::AsPrinted => {
                if let Some(before) = before {
                    if now > before {
                        self.level = from.up();
                    } else if now < before {
                        self.level = from.down();
                    }
                }
                self.measure = Some(now);
            }
            Mode::Repaired => {
                let usual = before.unwrap_or(0.0);
                let vote = if now > 0.0 && now >= usual {
                    1
                } else if now < usual || now == 0.0 {
                    -1
                } else {
                    0
                };
                self.agreed = if self.agreed.signum() == vote {
                    self.agreed + vote
                } else {
                    vote
                };
                if self.agreed.abs() >= 2 {
                    self.level = if vote > 0 { from.up() } else { from.down() };
                    self.agreed = 0;
                }
                self.measure = Some(before.map_or(now, |before| f64::midpoint(before, now)));
            }
        }
        LevelMove {
            from,
            to: self.level,
            before,
            now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(downloaded: u64, accepted: u64, accepted_new: u64) -> SiteVisit {
        SiteVisit {
            downloaded,
            accepted,
            accepted_new,
        }
    }

    /// Table 22: 10 of 1000, then 60 of 1100. It prints 5 % and 950 rejected, which do not add up; 60 of 1100 are 5.45 %.
    #[test]
    fn g8_table_22_more_accepted_goes_up() {
        let mut site = SiteStanding {
            level: VisitLevel(2),
            ..SiteStanding::default()
        };
        site.measure = Some(0.01);
        let moved = site.visited(Mode::AsPrinted, visit(1100, 60, 50));
        assert_eq!(site.level, VisitLevel(1));
        assert_eq!((moved.now * 100.0) as u64, 5);
        assert_eq!(
            site.visited(Mode::AsPrinted, visit(1200, 100, 40)).to,
            VisitLevel(1),
            "there is nothing above the first"
        );
    }

    /// Table 23: 20 of 100, then 20 of 105: as printed a site is demoted whose good documents all remain.
    #[test]
    fn g8_table_23_is_demoted_as_printed_and_stays_repaired_at_first() {
        let mut printed = SiteStanding::default();
        assert_eq!(
            printed.visited(Mode::AsPrinted, visit(100, 20, 20)).to,
            VisitLevel::FIRST
        );
        let moved = printed.visited(Mode::AsPrinted, visit(105, 20, 0));
        assert_eq!((moved.to, (moved.now * 100.0).round()), (VisitLevel(2), 19.0));
        let mut repaired = SiteStanding::default();
        repaired.visited(Mode::Repaired, visit(100, 20, 20));
        assert_eq!(
            repaired.visited(Mode::Repaired, visit(105, 20, 0)).to,
            VisitLevel::FIRST
        );
        assert_eq!(
            repaired.visited(Mode::Repaired, visit(105, 20, 0)).to,
            VisitLevel(2),
            "two visits agree"
        );
    }

    #[test]
    fn g8_table_15_levels_and_their_waits() {
        let waits = |mode| {
            (1..=5)
                .map(|at| VisitLevel(at).wait_days(mode))
                .collect::<Vec<_>>()
        };
        let printed = [Some(15.0), Some(30.0), Some(60.0), Some(180.0), None];
        assert_eq!(waits(Mode::AsPrinted), printed);
        assert_eq!(waits(Mode::Repaired)[4], Some(365.0));
        assert!(!VisitLevel::LAST.has_waited(Mode::AsPrinted, 1e9));
    }
}
