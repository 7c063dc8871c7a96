//! From a finding to a state. The one rule that matters: what could not be told is ERR, never MIS and never UPD.

use gleaner_model::{Reason, State};

/// What a fetch found, as far as states care. `D` is whatever tells two contents apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding<D> {
    /// Content came, whole.
    Content(D),
    /// The server said that it is gone.
    Gone,
    /// It could not be told.
    Unclear(Reason),
    /// The server leads elsewhere.
    Moved,
    /// What came was never meant to be a document: a list of others.
    NoDocument,
    /// Our own rules, or the page's own wish, say that it is not to be kept.
    NotTaken(Reason),
}

/// `known` is the content of the document's last version, if it ever was one.
pub fn judge<D: PartialEq>(finding: &Finding<D>, known: Option<&D>) -> Option<State> {
    match (finding, known) {
        (Finding::Content(_), None) => Some(State::New),
        (Finding::Content(now), Some(before)) if now == before => Some(State::Sam),
        (Finding::Content(_), Some(_)) => Some(State::Upd),
        (Finding::Gone, Some(_)) => Some(State::Mis),
        // robots.txt closing a page we know does not tell what became of it; neither does an address that now leads
        // elsewhere: whether the content went along is for tracking to say.
        (Finding::Unclear(_), _)
        | (Finding::NotTaken(Reason::RobotsDenied) | Finding::Moved | Finding::NoDocument, Some(_)) => {
            Some(State::Err)
        }
        (Finding::NotTaken(_), Some(_)) => Some(State::Out),
        // Never a document: a dead link, say, is a fact about the page that holds it.
        (Finding::Gone | Finding::NotTaken(_) | Finding::Moved | Finding::NoDocument, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b1_states_are_honest() {
        let known = Some(&7);
        let cases = [
            (Finding::Content(7), None, Some(State::New)),
            (Finding::Content(7), known, Some(State::Sam)),
            (Finding::Content(8), known, Some(State::Upd)),
            (Finding::Gone, known, Some(State::Mis)),
            (Finding::Gone, None, None),
            (Finding::NotTaken(Reason::UnwantedType), known, Some(State::Out)),
            (Finding::NotTaken(Reason::UnwantedType), None, None),
            (Finding::NotTaken(Reason::NotKept), known, Some(State::Out)),
            (Finding::Moved, known, Some(State::Err)),
            (Finding::NoDocument, None, None),
        ];
        for (finding, known, state) in cases {
            assert_eq!(judge(&finding, known), state, "{finding:?}, known: {known:?}");
        }
    }

    #[test]
    fn b1_what_could_not_be_told_is_never_gone_nor_changed() {
        for &reason in Reason::ALL {
            for known in [None, Some(&7)] {
                assert_eq!(judge(&Finding::Unclear(reason), known), Some(State::Err));
            }
        }
    }
}
