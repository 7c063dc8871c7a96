//! A synthetic web site with known truth: which pages exist, what changed, and what a crawler asked for.
//!
//! [`SynthSite::start`] serves a site from a thread of its own, on free loopback ports, until it is dropped:
//!
//! ```
//! use gleaner_testkit::{SynthOptions, SynthSite};
//!
//! let site = SynthSite::start(SynthOptions::pages(50));
//! assert_eq!(site.urls().len(), 50);
//! ```

#![expect(
    clippy::many_single_char_names,
    reason = "the formulas of pages and dates read best with the letters they are usually written in"
)]

mod admin;
pub mod args;
mod counters;
mod dates;
mod handle;
mod options;
mod pages;
pub(crate) mod request;
mod server;
mod site;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use handle::get;
pub use handle::{Stats, SynthSite, Truth};
pub use options::{SentValidators, SynthOptions};
pub use server::{Ready, serve_until};
pub(crate) use text::mix;
