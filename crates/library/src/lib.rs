//! Which documents belong to a topic, which are good, and where are more of them? (G1 to G12)
//!
//! In: texts, links and visits as values. Out: decisions, each with its score and its reasons, and the state that the next
//! decision needs. Pure: nothing is read, written or asked here.

pub mod accept;
pub mod cycle;
pub mod directories;
pub mod exports;
pub mod genre;
pub mod levels;
pub mod new_sites;
pub mod order;
pub mod record;
pub mod seeds;
pub mod statistics;
pub mod stop;
pub mod topic;
pub mod works;
