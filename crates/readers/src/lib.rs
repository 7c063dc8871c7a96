//! Who reads what may hurt? PDF, office documents, books: by a process apart (G6, A8, HC111 to HC115).
//!
//! In: the bytes of a document and what is known of it. Out: a [`Reading`], or an [`Unread`] that says why not. The
//! formats themselves are read by `parse`; here are the library for PDF, the programs from outside, and the processes.
//!
//! ```text
//!  this process                    │  a child of the same program (`gleaner read-document`)
//!  Pool::read ── frame ── stdin ──►│ serve: limits on memory and time, then one document after the other
//!     │  deadline: the child and   │    └─ here::read: gzip off, format, its reader
//!     │  all it started are killed │          ├─ parse::documents   pdf   tools (ghostscript …)
//!     ◄─────── frame ── stdout ────│
//! ```
//! The one idea: what a document can break is a child, and a child is cheap. A crash, a hang or a bomb is the [`Unread`] of
//! that document. Children are reused, bounded in number, end when their input does, and are killed with their group.

mod appraise;
mod budget;
mod child;
mod error;
mod frame;
mod head;
mod here;
mod looks;
mod pdf;
mod pool;
pub mod tools;

pub use appraise::{Appraises, MetDocument};
pub use child::serve;
pub use error::ReadersError;
pub use gleaner_parse::documents::{Format, Given, Layout, Metadata, Piece, Reading, Target, Unread};
pub use pool::{Pool, ReaderLimits};
pub use tools::Tools;
