//! Are we logged in? Nothing is fetched before the login, and nothing while it is done again.
//!
//! ```text
//!             nothing is in flight             it worked
//!  out, or not yet in ──────────► logging in ───────────► in
//!         ▲                                                │
//!         └───────────── a page shows that we are out ─────┘
//! ```

use crate::login::Entered;
use gleaner_model::ResourceId;
use std::collections::HashSet;

/// Pages in a row that show us out right after a login: then the checks are wrong, or the account is.
const FRUITLESS_MAX: u32 = 5;

#[derive(Debug, Default)]
pub(crate) struct LoginState {
    place: Place,
    /// Pages that showed us out since they were last seen from inside.
    outside: HashSet<ResourceId>,
    fruitless: u32,
    /// Whether the last login was seen to work.
    is_seen: bool,
    /// Whether the next one is to be looked at: the first, and one after another that led nowhere.
    must_be_seen: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Out,
    Entering,
    In,
}

/// Whether pages may be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    Open,
    Shut,
    /// It is to be opened now: log in. Hastily, where nobody needs to look at the page after the login.
    Enter {
        is_hasty: bool,
    },
}

/// What becomes of a page that shows us out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutsidePage {
    /// It is asked for again after the login.
    AskAgain,
    /// It shows the same to somebody who is in: it is what it is.
    IsSo,
    /// One too many of those.
    Fruitless,
}

impl LoginState {
    /// A project without a login is always in.
    pub(crate) fn new(has_login: bool) -> LoginState {
        LoginState {
            place: if has_login { Place::Out } else { Place::In },
            must_be_seen: true,
            ..LoginState::default()
        }
    }

    /// Whether pages may be fetched. If not, what is in the way is taken away: the login begins when nothing is in flight.
    pub(crate) fn gate(&mut self, in_flight: usize) -> Gate {
        match self.place {
            Place::In => Gate::Open,
            Place::Out if in_flight == 0 => {
                self.place = Place::Entering;
                Gate::Enter {
                    is_hasty: !self.must_be_seen,
                }
            }
            Place::Out | Place::Entering => Gate::Shut,
        }
    }

    pub(crate) fn is_entering(&self) -> bool {
        self.place == Place::Entering
    }

    /// The login that is under way is not waited for any more.
    pub(crate) fn break_off(&mut self) {
        if self.is_entering() {
            self.place = Place::Out;
        }
    }

    pub(crate) fn entered(&mut self, entered: Entered) {
        self.place = Place::In;
        self.is_seen = entered == Entered::Seen;
        self.must_be_seen = false;
    }

    pub(crate) fn shown_out(&mut self, page: ResourceId) -> OutsidePage {
        let is_again = !self.outside.insert(page);
        // Out again after a login that nobody looked at: that one may not have worked.
        self.must_be_seen |= is_again && !self.is_seen;
        if !(is_again && self.is_seen) {
            self.place = Place::Out;
            return OutsidePage::AskAgain;
        }
        self.fruitless += 1;
        if self.fruitless >= FRUITLESS_MAX {
            OutsidePage::Fruitless
        } else {
            OutsidePage::IsSo
        }
    }

    /// A page was seen from inside.
    pub(crate) fn seen_inside(&mut self, page: ResourceId) {
        self.fruitless = 0;
        self.outside.remove(&page);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTER: Gate = Gate::Enter { is_hasty: false };
    const HASTY: Gate = Gate::Enter { is_hasty: true };

    #[test]
    fn a4_without_a_login_the_gate_is_open() {
        assert_eq!(LoginState::new(false).gate(3), Gate::Open);
    }

    #[test]
    fn a4_the_login_comes_first_and_again_when_a_page_shows_us_out() {
        let mut login = LoginState::new(true);
        assert_eq!(login.gate(1), Gate::Shut, "something is in flight");
        assert_eq!(login.gate(0), ENTER);
        assert_eq!(login.gate(0), Gate::Shut, "once");
        login.entered(Entered::Seen);
        assert_eq!(login.gate(7), Gate::Open);
        assert_eq!(login.shown_out(ResourceId(1)), OutsidePage::AskAgain);
        assert_eq!(login.gate(0), HASTY, "the page itself shows whether it worked");
        login.entered(Entered::Believed);
        assert_eq!(login.shown_out(ResourceId(1)), OutsidePage::AskAgain);
        assert_eq!(login.gate(0), ENTER, "that one may not have worked");
    }

    #[test]
    fn a4_pages_that_show_us_out_though_we_are_in_are_what_they_are() {
        let mut login = LoginState::new(true);
        let mut outcomes = Vec::new();
        for page in 0..5 {
            login.gate(0);
            login.entered(Entered::Seen);
            login.shown_out(ResourceId(page));
            login.gate(0);
            login.entered(Entered::Seen);
            outcomes.push(login.shown_out(ResourceId(page)));
        }
        let fruitless = outcomes.pop();
        assert!(outcomes.iter().all(|outcome| *outcome == OutsidePage::IsSo));
        assert_eq!(fruitless, Some(OutsidePage::Fruitless));
        login.seen_inside(ResourceId(9));
        assert_eq!(login.shown_out(ResourceId(1)), OutsidePage::IsSo);
    }

    #[test]
    fn a_login_that_is_broken_off_begins_anew() {
        let mut login = LoginState::new(true);
        login.gate(0);
        assert!(login.is_entering());
        login.break_off();
        assert_eq!(login.gate(0), ENTER);
    }
}
