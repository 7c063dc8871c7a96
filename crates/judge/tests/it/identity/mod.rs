//! Identity against the hard set and the corpus of session ids.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may stop anywhere")]
#![expect(clippy::print_stdout, reason = "scores are for the person who runs the tests")]

mod corpus;
mod hard_set;
mod rivals;
