//! What a run found about a document (B1).

use std::fmt;

/// Upper case outside, as in reports; these names inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    New,
    Upd,
    Sam,
    /// Gone: the server said so. Never used for what could not be told.
    Mis,
    /// Could not tell: timeout, 5xx, refused, blocked, cut short.
    Err,
    /// Our own rules no longer take it.
    Out,
}

impl State {
    pub const ALL: [State; 6] = [
        State::New,
        State::Upd,
        State::Sam,
        State::Mis,
        State::Err,
        State::Out,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            State::New => "NEW",
            State::Upd => "UPD",
            State::Sam => "SAM",
            State::Mis => "MIS",
            State::Err => "ERR",
            State::Out => "OUT",
        }
    }

    pub fn parse(text: &str) -> Option<State> {
        State::ALL
            .into_iter()
            .find(|s| s.as_str().eq_ignore_ascii_case(text))
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
