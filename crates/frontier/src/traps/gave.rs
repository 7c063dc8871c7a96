//! What a page gave, and from where a link came.

use super::PageTraits;
use super::seen::LEADS_MAX;
use gleaner_model::Url;

/// What a page gave that was fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gave {
    Something,
    /// A copy, or nothing that its kind did not say before.
    Nothing(EmptyPage),
}

/// A page that gave nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmptyPage {
    /// So did the page that led to it: what it leads to of its own shape, it makes.
    pub(super) is_made: bool,
    pub(super) fine: u64,
    pub(super) coarse: u64,
    /// Shapes of the finer dates that it leads to.
    pub(super) leads: [u64; LEADS_MAX],
}

/// The page that a link was found on.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub url: &'a Url,
    pub seen: &'a PageTraits,
    pub gave: Gave,
}
