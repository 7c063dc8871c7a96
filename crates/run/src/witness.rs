//! What somebody who watches a run gets to see beside its results: forms as they are filled in, where a login led, what was
//! decided about each link. For trials; a run that nobody watches pays nothing for it.

use gleaner_model::{Leg, Reason, Url};
use std::sync::Arc;

/// Something that happened on the way. Secrets are hidden in it already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sight {
    Form {
        /// Its number; none is the login.
        step: Option<u32>,
        /// The page with the form.
        page: Url,
        method: &'static str,
        action: Url,
        /// The address under which the answer is known.
        answer: Url,
        fields: Vec<(String, String)>,
    },
    /// The page after the login, as text.
    Entered { page: Url, text: String },
    /// A page was read.
    Page { url: Url, legs: Vec<Leg>, is_kept: bool },
    /// The server says that there is no such page.
    Gone { url: Url, status: Option<u16> },
    /// A link of a page was looked at.
    Link {
        page: Url,
        url: Url,
        /// Why it is not followed; none if it is, or if nothing asked for it.
        refused: Option<Reason>,
        is_followed: bool,
        rule: Option<RuleAt>,
    },
}

/// The rule that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleAt {
    /// The step whose rule it is; none: the project's.
    pub step: Option<u32>,
    /// Its place among the rules there, from 0.
    pub index: usize,
}

pub type Witness = dyn Fn(Sight) + Send + Sync;

/// Tells the witness, if there is one.
pub(crate) fn tell(witness: Option<&Arc<Witness>>, sight: impl FnOnce() -> Sight) {
    if let Some(witness) = witness {
        witness(sight());
    }
}
