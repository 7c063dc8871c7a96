//! The model against the corpora and against its own documentation. One binary, so that linking is paid once.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may stop anywhere")]
#![expect(
    clippy::print_stdout,
    reason = "passed and total are for the person who runs the tests"
)]

mod corpora;
mod docs;
mod domains;
mod hosts;
mod pairs;
mod whatwg;
