//! May this URL be fetched, when, and in which order? (A3, A5, A6, A7, A10, A11, A12)
//!
//! Values in, verdicts out: no clock, no network, no randomness. Time comes in as a value, so a day of crawling is
//! tested in a second. The room answers in four parts, and keeps them apart because they fail for different reasons:
//!
//! - *may it?* [`scope`], [`rules`], [`types`], [`names`], [`limits`], put together in [`taking`], and [`robots`];
//! - *should it?* [`traps`]: places that make URLs without end; [`guesses`]: addresses that no link promises;
//! - *when?* [`pace`] per host and per address, with [`retry_after`] for what servers ask, and [`fetch_slots`] for all;
//!   [`revisit`] for what gave nothing;
//! - *in which order?* [`order`], breadth first; [`guide`], where something is looked for.
//!
//! [`explain`] puts the same answers side by side for one URL, for people.

pub mod error;
pub mod explain;
pub mod fetch_slots;
pub mod guesses;
pub mod guide;
pub mod limits;
pub mod names;
pub mod order;
pub mod pace;
mod prefixes;
pub mod retry_after;
pub mod revisit;
pub mod robots;
pub mod rules;
pub mod scope;
pub mod taking;
pub mod traps;
pub mod types;

pub use error::RuleError;
pub use explain::{ExplainQuestion, SeenBefore, StepOf, StepVerdict, Trace, TraceStep, explain};
pub use fetch_slots::{FetchSlot, FetchSlots, Manner, Silence, Watch};
pub use guesses::{Guess, GuessTurn, Guesses};
pub use guide::{Guide, LinkScore, LinkSeen, PageGuided, PageSeen, PlaceTurn, RowSeen};
pub use limits::{Limits, Spent};
pub use names::{FileNameError, FileNames};
pub use order::Priority;
pub use pace::{FetchOutcome, OutcomeKind, PaceBook, PaceSettings, Readiness, StartClaim};
pub use retry_after::retry_after;
pub use robots::{Robots, RobotsDecision, RobotsState};
pub use rules::Rules;
pub use scope::{Scope, ScopeVerdict};
pub use taking::{Bond, Holder, RuledBy, Ruling, Taking};
pub use traps::{TrapCut, Traps};
pub use types::{TypeVerdict, Wanted};
