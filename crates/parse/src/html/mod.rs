//! HTML: one forward pass over the bytes, from tags to links (A8).
//!
//! [`scan`] cuts bytes into tags and text, [`foreign`] knows when we are in SVG or `MathML`, [`places`] knows which
//! attributes hold addresses. The same three read XHTML, SVG and other XML with links, by XML's rules.

mod attributes;
mod by_place;
mod early;
pub(crate) mod entities;
mod foreign;
mod hints;
mod inner;
mod metas;
mod names;
mod objects;
mod places;
mod read;
mod refresh;
pub(crate) mod scan;
mod sink;
mod srcset;
mod value;

pub(crate) use by_place::{Placed, places};
pub(crate) use early::{head_start, late_meta, root};
pub(crate) use inner::{read_hidden, read_inner};
pub(crate) use metas::report_addresses;
pub(crate) use objects::under;
pub(crate) use read::{Page, read};
pub(crate) use refresh::refresh;
pub(crate) use scan::Syntax;
pub(crate) use sink::Form;
pub(crate) use srcset::srcset;
pub(crate) use value::decode_attribute;

#[cfg(test)]
mod tests;
