//! Why a region could not be cut out.

/// A selector that cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SelectorError {
    #[error(
        "not a CSS selector, at character {column}: {problem}; write it as for a style sheet, such as `main .price`: {selector}"
    )]
    Syntax {
        selector: String,
        /// Counted from 1.
        column: u32,
        problem: &'static str,
    },
    #[error(
        "selector is longer than {SELECTOR_BYTES_MAX} bytes; split it or name an element nearer to the text: {selector}"
    )]
    TooLong { selector: String },
    #[error(
        "more than {SELECTORS_MAX} selectors; join them by commas or name an element around them: {count}"
    )]
    TooMany { count: usize },
}

/// No selector that a person writes is longer.
pub(super) const SELECTOR_BYTES_MAX: usize = 2000;
/// Each is tried on every element.
pub(super) const SELECTORS_MAX: usize = 100;
