//! Pages that change in known ways: *noise* that nobody wants to hear of, and *edits* that everybody does (B6).
//!
//! In: the HTML of a real page, a seed, and for edits the text that matters on it. Out: the page as a later fetch would
//! bring it, and where the edit is. The one idea: what noise a page has and where it stands comes from one seed, what it
//! shows in a fetch from another, as on a real site.
//!
//! | file | what it makes |
//! |---|---|
//! | [`noise`] | advertisements, nonces, clocks, counters, rotating lists, session ids … |
//! | [`edits`] | a word, a number, a date, a sentence, a row, a paragraph, a heading, a link, an order |
//! | [`anywhere`] | a word, an item, a picture, wherever it stands |
//! | `places` | where in the source text things stand |
//! | `dice` | random numbers that repeat |

pub mod anywhere;
mod dice;
pub mod edits;
pub mod noise;
mod noise_kind;
mod places;

pub use anywhere::Anywhere;
pub use dice::Dice;
pub use edits::{Edit, EditKind};
pub use noise::{NoiseKind, PageNoise};
