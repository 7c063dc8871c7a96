//! What do these bytes say? (A6, A8, E1, E3)
//!
//! In: the final URL of a page, its response headers and its decoded body. Out: what kind of document it is, in
//! which charset, its title, what it asks of robots, and every link it holds with the words around it. Fetching,
//! scope, robots.txt and storing belong to other rooms.
//!
//! The one idea: a page is read once, front to back, as bytes. There is no tree and no recursion, so neither depth
//! nor size of a page can hurt; every list has a limit and every cut is a [`Note`]. [`parse`] never fails: the
//! worst page is still a page, about which little is known. Only [`content`], asked for when versions are compared, and
//! [`forms`] and [`select_links`], asked for where a project names them, build a tree, with the same limits.
//!
//! [`rewrite`] goes the other way, by the same scanners: it exchanges the addresses of a document for those of a copy.
//!
//! ```text
//!  wire bytes ──decode──► body ──sniff──► kind ──► html/  css  sitemap  feed  mail/ ──► collect ──► Parsed
//!                                          └─ charset (BOM, header, meta, detected)      (links resolved once)
//! ```

#![cfg_attr(
    test,
    allow(
        clippy::type_complexity,
        clippy::items_after_statements,
        clippy::format_push_string,
        clippy::case_sensitive_file_extension_comparisons,
        reason = "tests are tables of cases and walk through folders of files"
    )
)]

mod charset;
mod collect;
pub mod content;
mod css;
mod decode;
pub mod documents;
mod dublin_core;
mod feed;
pub mod forms;
mod headers;
mod html;
mod json_feed;
mod kind;
mod mail;
mod markup;
mod page;
mod parsed;
pub mod rewrite;
mod robots;
mod script;
mod select;
mod sitemap;
mod stops;
mod text;
mod xml;

pub use charset::{Charset, CharsetSource, decode_text, to_text};
pub use decode::{DecodeLimits, Decoded, Encoding, decode, encodings};
pub use kind::{Kind, Sniffed, group_at, group_of, group_of_extension, packed_group, sniff};
pub use page::{Streamed, parse, parse_sitemap};
pub use parsed::{Input, Note, Original, Parsed, SitemapEntry};
pub use robots::RobotsMeta;
pub use select::{Selector, contains_text, matches, select_links};
