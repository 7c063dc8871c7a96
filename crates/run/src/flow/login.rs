//! Are we logged in? Nothing is fetched before the login, and nothing while it is done again.

use super::Flow;
use crate::error::RunError;
use crate::login::Entered;
use crate::news::News;
use crate::stages::fetch::Fetched;
use crate::thinker::{asked_again, refusal};
use gleaner_model::{Reason, ResourceId, State};
use gleaner_store::keep::Keep;
use std::collections::HashSet;
use std::sync::Arc;
use tracing::{Instrument, debug, info, info_span};

/// Pages in a row that show us out right after a login: then the checks are wrong, or the account is.
const FRUITLESS_MAX: u32 = 5;

/// How the login stands.
#[derive(Default)]
pub(crate) struct Entry {
    state: LoginState,
    /// Pages that showed us out since they were last seen from inside.
    outside: HashSet<ResourceId>,
    fruitless: u32,
    /// Whether the last login was seen to work.
    is_seen: bool,
    /// Whether the next one is to be looked at: the first, and one after another that led nowhere.
    must_be_seen: bool,
}

impl Entry {
    pub(crate) fn new() -> Entry {
        Entry {
            must_be_seen: true,
            ..Entry::default()
        }
    }
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum LoginState {
    #[default]
    LoggedOut,
    LoggingIn,
    LoggedIn,
}

impl Flow {
    /// Whether pages may be fetched. If not, what is in the way is taken away: the login begins when nothing is in flight.
    pub(super) fn is_inside(&mut self) -> bool {
        if self.fetcher.login.is_none() || self.entry.state == LoginState::LoggedIn {
            return true;
        }
        if self.entry.state == LoginState::LoggedOut && self.going.count() == 0 {
            self.entry.state = LoginState::LoggingIn;
            debug!("the login begins");
            let (fetcher, news) = (Arc::clone(&self.fetcher), self.news_in.clone());
            let is_hasty = !self.entry.must_be_seen;
            let work = async move {
                let entered = match &fetcher.login {
                    Some(login) => login.enter(&fetcher, is_hasty).await,
                    None => Ok(Entered::Seen),
                };
                let _the_run_may_be_over = news.send(News::Entered(entered)).await;
            };
            self.tasks.spawn(work.instrument(info_span!("login")));
        }
        false
    }

    pub(super) fn is_logging_in(&self) -> bool {
        self.entry.state == LoginState::LoggingIn
    }

    /// The login that is under way is not waited for any more.
    pub(super) fn give_up_logging_in(&mut self) {
        if self.is_logging_in() {
            self.entry.state = LoginState::LoggedOut;
        }
    }

    pub(super) fn entered(&mut self, entered: Result<Entered, String>) -> Result<(), RunError> {
        self.entry.state = LoginState::LoggedIn;
        let entered = entered.map_err(|why| RunError::Login { why })?;
        self.entry.is_seen = entered == Entered::Seen;
        self.entry.must_be_seen = false;
        self.progress.metrics.logins.add(1);
        info!(is_seen = self.entry.is_seen, "logged in");
        Ok(())
    }

    /// A page showed us out. It is asked for again after the login; one that shows the same again is what it is.
    pub(super) fn shown_out(&mut self, fetched: Fetched, why: &str) -> Result<(), RunError> {
        let page = fetched.page;
        let now = self.clock.wall();
        let is_again = !self.entry.outside.insert(page.resource);
        info!(url = %page.url, why, is_again, "the page shows that the session has ended");
        // Out again after a login that nobody looked at: that one may not have worked.
        self.entry.must_be_seen |= is_again && !self.entry.is_seen;
        let keep = if is_again && self.entry.is_seen {
            self.entry.fruitless += 1;
            if self.entry.fruitless >= FRUITLESS_MAX {
                let why = format!("page after page {why}, though the login worked: {}", page.url);
                return Err(RunError::Login { why });
            }
            Keep {
                state: Some(State::Err),
                reason: Some(Reason::LoginWall),
                detail: Some(format!("the page {why}")),
                ..refusal(&page, now)
            }
        } else {
            self.entry.state = LoginState::LoggedOut;
            asked_again(refusal(&page, now), page.tries, now)
        };
        self.keep(&page, keep);
        Ok(())
    }

    /// A page was seen from inside.
    pub(super) fn seen_inside(&mut self, resource: ResourceId) {
        self.entry.fruitless = 0;
        self.entry.outside.remove(&resource);
    }
}
