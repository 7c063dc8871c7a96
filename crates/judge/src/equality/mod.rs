//! Are two versions of a document the same? (B6)
//!
//! In: two [`Side`]s, each a version's content and digests. Out: a [`Verdict`] with its reason, because a person will
//! ask, and with everything that differed but was overlooked, because a person must be able to look.
//!
//! The one idea: a project's [`Chain`] is made of small equalities of two roles. Some *decide* (exact bytes, normalised,
//! visible text, main text, region, near-duplicate): the first that finds nothing different says "same". Some *excuse*
//! (learned, ignore): they are asked about every difference a decider found, and a difference that is excused is
//! reported as ignored instead of counted.
//!
//! A new equality is one file in `kinds/` and its name in the list there.

mod age;
mod chain;
mod clock;
mod edition;
mod feed;
mod kinds;
mod ladder;
pub mod learn;
pub(crate) mod link;
mod options;
mod side;
mod since;
mod sketch;
mod stamp;
#[cfg(test)]
mod tests;
mod title;
mod verdict;
mod wording;

pub use chain::{Chain, ChainError};
pub use ladder::{Ladder, LadderError, LinksDigest, visible_digest};
pub use learn::{Learned, LearnedTemplate, Noise, Template, template_of};
pub use options::EqualityOptions;
pub use side::Side;
pub use sketch::{MINHASHES, SHINGLE_WORDS, Sketch, shingles};
pub use verdict::{Difference, EqualityOutcome, Ground, Ignored, Verdict};

/// What an equality does in a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It finds the differences.
    Decides,
    /// It says which of the differences do not count.
    Excuses,
}

/// One rule that decides whether two versions are the same.
pub trait Equality: std::fmt::Debug + Send + Sync {
    fn name(&self) -> &'static str;

    /// Its verdict when nobody else is asked.
    fn same(&self, before: &Side, now: &Side) -> Verdict;

    fn role(&self) -> Role {
        Role::Decides
    }

    /// Why a difference that another equality found does not count; `None` if it does.
    fn excuses(&self, _ground: &Ground<'_>, _difference: &Difference) -> Option<String> {
        None
    }

    /// What the person who configured it should know about this page, such as a pattern that matched nothing.
    fn remark(&self, _ground: &Ground<'_>) -> Option<String> {
        None
    }
}
