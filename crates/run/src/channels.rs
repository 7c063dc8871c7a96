//! The channels of a run, and how much may wait in each.
//!
//! ```text
//!                    FETCHED                 JUDGED              NEWS
//!  fetches, folders ─────────► reading ───────────────► keep ─────────► scheduler
//!                              threads ──► documents      ▲                │
//!                                   ASIDE                 └──── JUDGED ────┤ refused pages
//!                                        NEWS ◄── requests ◄── REQUESTS ───┘ rows, lists, robots.txt
//! ```
//! The scheduler never waits for a full channel ([`outbox`]), and everybody else waits only for somebody nearer to it: so no
//! two wait for each other. How many pages are on their way at all is bounded before they are fetched ([`Unkept`]); these
//! sizes are what of them may stand in one place.
//!
//! [`outbox`]: crate::outbox
//! [`Unkept`]: crate::stages::keep::gathered::Unkept

/// Pages that came and are not read yet.
pub(crate) const FETCHED: usize = 256;
/// Documents that are no pages, and wait for a thread that reads such.
pub(crate) const ASIDE: usize = 512;
/// Pages that were judged, or need no judging, and that the keep stage has not taken in.
pub(crate) const JUDGED: usize = 256;
/// Questions to the store that are not begun.
pub(crate) const REQUESTS: usize = 256;
/// What the scheduler was told and has not taken in.
pub(crate) const NEWS: usize = 256;
