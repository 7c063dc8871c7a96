//! What can be wrong with what a person wrote. Everything else in this room is an answer, not an error.

/// One rule that cannot be used. `position` counts from 1, as people do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error(
        "there are {count} rules, and the limit is {limit}; join some into one pattern with '|' or a shorter prefix"
    )]
    TooMany { count: usize, limit: usize },
    #[error("rule {position} is {length} bytes long, the limit is {limit}; split it into several rules")]
    TooLong {
        position: usize,
        length: usize,
        limit: usize,
    },
    #[error(
        "rule {position} grows past {limit_bytes} bytes when compiled; lower its repetition counts: {pattern}"
    )]
    TooLarge {
        position: usize,
        limit_bytes: usize,
        pattern: String,
    },
    #[error("rule {position} is empty and would match every URL; write '.*' if you mean that")]
    Empty { position: usize },
    #[error("rule {position} is not a valid {kind} ({why}); correct it: {pattern}")]
    Malformed {
        position: usize,
        kind: &'static str,
        why: String,
        pattern: String,
    },
    #[error("the rules together grow past {limit_bytes} bytes when compiled; use fewer or simpler ones")]
    AllTooLarge { limit_bytes: usize },
}

impl RuleError {
    /// The rule in question, from 1; 0 where it is all of them.
    pub fn position(&self) -> usize {
        match self {
            RuleError::TooMany { .. } | RuleError::AllTooLarge { .. } => 0,
            RuleError::TooLong { position, .. }
            | RuleError::TooLarge { position, .. }
            | RuleError::Empty { position }
            | RuleError::Malformed { position, .. } => *position,
        }
    }
}
