//! Which URL first? (A11)
//!
//! Breadth-first: fewer links away from a seed comes first, and within a depth the order of discovery. The number is
//! the queue's sort key, ascending; the store adds its own sequence behind it.

use crate::Guess;
use gleaner_model::LinkKind;

/// Guesses lie behind this.
const GUESSES: u32 = 1 << 30;

/// Smaller is sooner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(pub u32);

impl Priority {
    pub const SEED: Priority = Priority(0);

    /// Addresses that only a sitemap or a feed names have no depth of their own; they follow the links of their depth,
    /// so that a site's own pages show its structure first.
    pub fn breadth_first(depth: u32, kind: LinkKind) -> Priority {
        let listed = matches!(kind, LinkKind::Sitemap | LinkKind::Feed);
        Priority(depth.saturating_mul(2).saturating_add(u32::from(listed)))
    }

    /// What no link promises comes behind all links, except for the few that tell about the others.
    pub fn of_guess(depth: u32, guess: Guess) -> Priority {
        let nearness = depth.saturating_mul(2).saturating_add(1);
        match guess {
            Guess::Probe => Priority(nearness),
            _ => Priority(GUESSES.saturating_add(nearness)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a11_nearer_pages_come_first() {
        let at = |depth, kind| Priority::breadth_first(depth, kind);
        assert!(Priority::SEED <= at(0, LinkKind::Anchor));
        assert!(at(1, LinkKind::Anchor) < at(2, LinkKind::Anchor));
        assert!(at(1, LinkKind::Anchor) < at(1, LinkKind::Sitemap));
        assert!(at(1, LinkKind::Sitemap) < at(2, LinkKind::Anchor));
        assert!(at(u32::MAX, LinkKind::Anchor) >= at(7, LinkKind::Anchor));
    }
}
