//! What every store promises, as tests that are written once and run on each of them.

mod on_sqlite;
mod pages;
mod random;
