//! A site on which every page holds one address, each in another place: in elements and headers of all kinds, and in scripts,
//! attributes and comments. What is found of it shows which places are read.
//!
//! A seed chooses how each address is spelt and named, and what stands around it, so that no reader can be made for the test.

mod places;
mod site;

pub use places::{LinkPlace, SCRIPTED, STATIC};
pub use site::{LinkPlaces, Spot};
