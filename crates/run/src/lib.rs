//! One execution of a project: a page flows one way, and this room joins the stages.
//!
//! ```text
//!                 tokio                        CPU threads                  one thread
//!  reserve ── Reserved ──► fetch ── Fetched ──► read ── Read ──► judge ──► keep
//!  hosts, pace,            units                decode, parse    state,     archive + one transaction
//!  robots, limits                                                follows       │
//!     ▲                                                                        │ Kept: which hosts have more
//!     └────────────────────────── rows of the frontier ◄───────────────────────┘
//! ```
//! The only loop closes in the store: links become frontier rows in the transaction that keeps their page. What is in
//! memory is a copy of rows, so a kill loses nothing, and "is the run finished?" is a question to the store.
//!
//! Back-pressure is one number: the loop in `flow.rs` takes up no page while too many are on their way, so every channel
//! between the stages is bounded by it.

mod channels;
pub mod crawl;
mod credentials;
mod disk;
pub mod error;
mod flow;
pub mod forms;
pub mod fresh;
mod handoff;
pub mod identity;
pub mod lists;
mod login;
pub mod metrics;
mod news;
mod outbox;
mod processor;
pub mod progress;
pub mod rebuild;
mod requests;
pub mod robots;
mod room;
mod run_store;
mod settle;
mod shared_pace;
mod slashes;
pub mod stages;
mod survey;
mod thinker;
mod track;
mod volatile;
pub mod wall;
pub mod way;
mod witness;

pub use crawl::{CrawlEnd, Surroundings, crawl};
pub use error::RunError;
pub use metrics::{Measured, Metrics};
pub use processor::Processor;
pub use progress::{Progress, Told};
pub use shared_pace::Paces;
pub use witness::{RuleAt, Sight, Witness};
