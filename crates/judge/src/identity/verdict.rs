//! What do the counts of one slot say?
//!
//! In: how often the slot differed between two sessions, and how. Out: a verdict, by the table of the design. Names and
//! looks play no part: only what differs between sessions and stays inside one is a session id.

use super::rule::RuleKind;

/// Below this share of differing links a slot is constant, above its complement volatile.
const FEW: f64 = 0.2;
const MOST: f64 = 0.8;

/// Counts over the aligned links that have the slot in both sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tally {
    /// Links that have it.
    pub(super) links: usize,
    /// … and differ in it.
    pub(super) differing: usize,
    /// Differing links that show the commonest pair of values.
    pub(super) commonest: usize,
    /// Distinct values of the first session among the differing.
    pub(super) distinct: usize,
    /// Differing links seen once more inside the first session, and how many were the same there.
    pub(super) seen_again: usize,
    pub(super) same_again: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Constant,
    /// Proven by the counts alone.
    Proven(RuleKind),
    /// The counts are what a nonce would give, or a link that happens to lead elsewhere each time.
    NeedsContentTest(RuleKind),
    Undecided,
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

pub(super) fn judge(tally: &Tally) -> Verdict {
    let differing = share(tally.differing, tally.links);
    if differing <= FEW {
        return Verdict::Constant;
    }
    if differing < MOST {
        return Verdict::Undecided;
    }
    let is_one_value = share(tally.commonest, tally.differing) >= MOST;
    let is_new_on_each = share(tally.distinct, tally.differing) >= MOST;
    // Without a third probe one value for all links is still proof: a page cannot be told by what all pages share.
    let same = share(tally.same_again, tally.seen_again);
    let kind = if is_one_value && (tally.seen_again == 0 || same >= MOST) {
        RuleKind::Session
    } else if is_one_value && same <= FEW {
        RuleKind::Clock
    } else if is_new_on_each && tally.seen_again > 0 && same <= FEW {
        RuleKind::Nonce
    } else {
        RuleKind::Volatile
    };
    if tally.links < 2 {
        return Verdict::NeedsContentTest(kind);
    }
    match kind {
        RuleKind::Session | RuleKind::Clock => Verdict::Proven(kind),
        // Two links that lead to other stories on each visit look the same; three rarely do.
        RuleKind::Nonce if tally.differing >= 3 => Verdict::Proven(kind),
        RuleKind::Nonce | RuleKind::Volatile => Verdict::NeedsContentTest(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(counts: [usize; 6]) -> Tally {
        let [links, differing, commonest, distinct, seen_again, same_again] = counts;
        Tally {
            links,
            differing,
            commonest,
            distinct,
            seen_again,
            same_again,
        }
    }

    #[test]
    fn the_table_of_the_design() {
        for (counts, expected) in [
            ([20, 0, 0, 0, 0, 0], Verdict::Constant),
            ([20, 4, 1, 4, 4, 0], Verdict::Constant),
            ([20, 20, 20, 1, 20, 20], Verdict::Proven(RuleKind::Session)),
            ([20, 20, 20, 1, 0, 0], Verdict::Proven(RuleKind::Session)),
            ([20, 20, 20, 1, 20, 0], Verdict::Proven(RuleKind::Clock)),
            ([20, 20, 1, 20, 20, 0], Verdict::Proven(RuleKind::Nonce)),
            ([2, 2, 1, 2, 2, 0], Verdict::NeedsContentTest(RuleKind::Nonce)),
            (
                [20, 20, 1, 20, 20, 20],
                Verdict::NeedsContentTest(RuleKind::Volatile),
            ),
            ([20, 10, 10, 1, 10, 10], Verdict::Undecided),
            ([1, 1, 1, 1, 1, 1], Verdict::NeedsContentTest(RuleKind::Session)),
        ] {
            assert_eq!(judge(&tally(counts)), expected, "{counts:?}");
        }
    }
}
