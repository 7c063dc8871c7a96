//! Is this the page, or something the site says instead of it? (HC017, HC018, HC070, HC071)
//!
//! In: what a page was and is, what its host says to addresses that cannot exist, and what became of the host's other
//! pages. Out: content, gone, or something that stands before the content.
//!
//! The one idea: words prove nothing. An article about errors uses the words of error pages. What proves is that the host
//! says the same where nothing can be, or to most of its addresses at once. Words in a heading with little below it only make
//! a page wait for one more run: what stays the same over two runs is believed.
//!
//! ```text
//!  one page:  signs, words ──► wait a run         probe ──► gone, or one page for all
//!  one host:  the home page and most others are lost ──► nothing of it is gone or changed until a person confirms it
//! ```

mod changed;
mod duplicates;
mod host;
mod likeness;
mod page;
mod probe;
mod signs;
mod word_lists;
mod words;

pub use duplicates::duplicates;
pub use host::{HostPage, HostVerdict, PageOutcome, judge_host, needs_judging};
pub use likeness::{is_replaced, share_of_words};
pub use page::{ReplacedPage, Replacement, judge_replaced, stays};
pub use probe::{Probe, nowhere_near, nowhere_of_query};
pub use signs::Signs;
pub use words::says_wrong;

#[cfg(test)]
mod tests;
