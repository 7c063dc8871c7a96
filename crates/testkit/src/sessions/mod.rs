//! Web sites that carry sessions in their URLs, with the truth about every link.
//!
//! In: a style, a seed and a [`Mix`]. Out: a [`SessionSite`] that renders its base page for any session and fetch, knows
//! which logical page each link means, and says what a URL would show, to whom. Pure values, no server: the hard set of
//! thousands of sites is rendered in a second. One seed gives one site, always.

mod oracle;
mod pages;
mod random;
mod render;
mod site;
mod styles;

pub use random::Random;
pub use site::{Mix, Rendered, SessionSite, Shown};
pub use styles::{EXTRA_STYLES, IdStyle, STYLES};
