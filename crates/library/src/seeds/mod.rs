//! Where may good documents be? Search services and what they answer (G1; S1 3.1.1).
//!
//! In: words of a topic, answers of services as bytes, and what became of the sites they named. Out: the addresses to ask, sites in
//! the order of their promise with the query and the rank they came from, and the queries that come next. Nothing is asked here.
//!
//! [`service`] speaks to one service, [`hits`] puts the answers of many together, [`queries`] grows the questions.

pub mod hits;
pub mod queries;
pub mod service;

pub use hits::{Answered, FoundSite, SeedBook, SeedSource};
pub use queries::{NextQueries, QueryEnd, QueryWords};
pub use service::{SeedHit, SeedService, ServiceFault};

#[cfg(test)]
mod tests;
