//! HTML: one forward pass over the bytes, from tags to links (A8).
//!
//! [`scan`] cuts bytes into tags and text, [`foreign`] knows when we are in SVG or `MathML`, [`places`] knows which
//! attributes hold addresses. The same three read XHTML, SVG and other XML with links, by XML's rules.

mod attributes;
mod early;
mod entities;
mod foreign;
mod inner;
mod names;
mod places;
mod read;
mod refresh;
mod scan;
mod sink;
mod srcset;
mod value;

pub(crate) use early::{late_meta, root};
pub(crate) use inner::read_inner;
pub(crate) use read::{Page, read};
pub(crate) use refresh::refresh;
pub(crate) use scan::Syntax;

#[cfg(test)]
mod tests;
