//! Which URLs mean the same document? (B4, B5, A9)
//!
//! In: the links of a page as two sessions saw them. Out: rules that say which parts of a site's URLs are volatile, and
//! with them the identity of any URL of the site. Nothing is told: neither name nor place nor length of an id. The one
//! idea: a session id is what differs between two sessions on the same link and stays the same inside one; everything
//! else (entropy, famous names) is rumour.
//!
//! ```text
//! slots ► names ► shared ► align ► observe ► verdict (named, unnamed) ► safety ► learn ► rules ► mask, key, request form
//! ```
//!
//! Who wants rules runs a [`Learning`] and makes the requests it asks for. [`clean`] takes proven ids out of page bodies,
//! [`pair`] gives unmatched documents a second chance, [`find_sid`] serves people who have only lists of URLs, and
//! [`without_known_names`] is what can be said about a URL when nobody may be asked.

mod align;
mod clean;
mod decode;
mod discover;
mod find_sid;
mod identify;
mod known;
mod learn;
mod named;
mod names;
mod observe;
mod pairing;
mod rule;
mod rules;
mod safety;
mod shape;
mod shared;
mod slots;
mod split;
mod suspect;
mod unnamed;
mod verdict;

pub use align::{ADDRESS, ProbeLink};
pub use clean::{clean, values_on};
pub use find_sid::{FindSid, SidCandidate, find_sid, rules_from_lists};
pub use identify::identify;
pub use known::without_known_names;
pub use learn::{Learning, ProbeAnswer, ProbeRequest, ProbeSession, REQUESTS_MAX, RequestPurpose};
pub use pairing::{Paired, Unmatched, is_identity_broken, only_ones, pair, suggests_reprobe};
pub use rule::{Beside, RuleKind, RuleOrigin, UrlRule};
pub use rules::{Cookies, Explained, LiveValues, MASK, UrlRules};
pub use shape::{Alphabet, ValueShape};
pub use slots::{Position, Slot, UrlPiece, UrlStep};
pub use split::split;
pub use suspect::{is_suspicious, is_suspicious_redirect, looks_like_session};

#[cfg(test)]
mod tests;
