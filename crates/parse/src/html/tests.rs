//! The scanner against the standard's own tests and against a full parser on real pages.

mod judge;
mod pages;
mod tokenizer;
mod trees;
