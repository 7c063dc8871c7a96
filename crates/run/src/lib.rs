//! One execution of a project: a page flows one way, through stages that are joined by bounded channels.
//!
//! [`crawl()`](crawl) shows the whole line; [`channels`] the channels and their sizes. The only loop closes in the store: links
//! become frontier rows in the transaction that keeps their page. What is in memory is a copy of rows, so a kill loses nothing,
//! and only the store knows whether the run is finished.

mod assemble;
mod begin;
mod channels;
pub mod crawl;
mod credentials;
mod disk;
mod end;
pub mod error;
pub mod forms;
pub mod fresh;
mod guidance;
mod handoff;
pub mod identity;
pub mod lists;
mod login;
pub mod metrics;
mod news;
mod outbox;
mod processor;
pub mod progress;
mod reading;
pub mod rebuild;
mod requests;
pub mod robots;
mod room;
pub mod rulebook;
mod run_store;
mod scheduler;
pub mod scope;
mod settle;
mod shared_pace;
#[cfg(test)]
mod simulation;
pub mod site_memory;
mod slashes;
pub mod stages;
mod survey;
mod track;
mod volatile;
pub mod wall;
pub mod way;
mod witness;

pub use crawl::{CrawlEnd, Surroundings, crawl};
pub use error::RunError;
pub use guidance::Guidance;
pub use metrics::{Measured, Metrics};
pub use processor::Processor;
pub use progress::{Progress, Told};
pub use shared_pace::Paces;
pub use witness::{RuleAt, Sight, Witness};
