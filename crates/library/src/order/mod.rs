//! Which of the waiting addresses first? (A11, G9 to G11)
//!
//! In: pages that came with their links, what each was worth, chance as a number. Out: a score for each link, and which of the rows
//! at hand is next. `frontier::guide` says when a run asks.
//!
//! ```text
//!  link ─┬─ features: words of address, anchor, surroundings, headings; region; relation to its page ─ weights ─┐
//!        ├─ promise: what the topic's judge says of anchor and address ─────────────────────────────────────────┼─ odds
//!        └─ rates: its page's other links, those beside it, its arm (site and shape of address) ─ arms ─────────┘
//! ```
//! The target of a fetch is what it was worth (0 to 1), or half of the best page found through it, or a quarter of the best two
//! links away: a page that leads there is worth reading too (tunnelling). Weights learn by each fetch, arms count what they gave and
//! forget slowly. All memory is bounded: rows and arms live in two generations, and what was not met for long is forgotten.

mod arms;
mod features;
mod guide;
mod learner;
mod remembered;
mod saved;
mod seed;
mod share;
mod surroundings;
mod weights;

pub use guide::TopicGuide;
pub use learner::{LinkOrder, OrderRow};
pub use saved::SavedOrderError;
pub use seed::{SeedGuide, SeedKnowledge};
pub use share::BatchShare;

#[cfg(test)]
mod tests;
