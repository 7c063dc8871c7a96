//! Whose turn is it? Pages that may be fetched now are begun; those that may not are done, and said to be.

use super::Scheduler;
use super::login::Gate;
use crate::news::News;
use crate::reading::{asked_again, refusal};
use crate::requests::Request;
use crate::site_memory::SiteMemory;
use crate::stages::reserve::NextStep;
use gleaner_frontier::GuessTurn;
use gleaner_judge::{Finding, judge as state_of};
use gleaner_model::{Instant, Leg, Link, LinkKind, Reason, Url};
use gleaner_store::keep::{Enqueue, Keep};
use gleaner_store::work::{Purpose, Queued};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;
use tracing::{Instrument, debug, info_span};

/// How long a guess waits at first for what others like it tell; each time twice as long.
const GUESS_WAIT: Duration = Duration::from_millis(20);
/// What is said of a guess that waits, and of a list that is not asked for: nothing that a report tells.
const QUIETLY: Reason = Reason::AsBefore;

impl Scheduler {
    /// Starts everything that may start; returns when to look again if nothing happens.
    pub(super) fn start_what_is_ready(&mut self) -> Option<Instant> {
        loop {
            if !self.is_inside() || self.is_full() {
                return None;
            }
            let (now, wall) = (self.clock.monotonic(), self.clock.wall());
            let sites = Arc::clone(&self.sites);
            let waited = Cell::new(None);
            let (guidance, chance) = (self.guidance.clone(), &self.chance);
            let mut refuses = |page: &Queued, documents| {
                let refused = refuses(&sites, page, documents, &waited);
                refused.or_else(|| guidance.as_ref()?.refuses(page, chance.next()))
            };
            match self.reserve.next(now, wall, &self.going.slots, &mut refuses) {
                NextStep::Fetch(page) if self.sites.identities.take_suspect(page.resource) => {
                    let robots = self.reserve.survey(page.host);
                    self.start_first(*page, robots, true);
                }
                NextStep::Fetch(page) => self.start_fetch(*page),
                NextStep::First { page, robots } => self.start_first(*page, robots, false),
                NextStep::Robots { host, any } => self.start_robots(host, any),
                NextStep::Load(load) => self.line.request(Request::Load(load)),
                NextStep::Lists { host, robots } => self.line.request(Request::Lists { host, robots }),
                NextStep::Refuse { page, reason } => {
                    match (waited.get(), self.sites.other_spelling(&page.url)) {
                        (Some(times), _) => {
                            self.backlog.take();
                            let due_at = wall.after(GUESS_WAIT * (1 << times));
                            let keep = asked_again(refusal(&page, wall), page.tries, due_at);
                            self.line.keep(page.url.clone(), keep);
                        }
                        (None, Some(target)) if reason == Reason::View => self.lead_to(&page, &target),
                        (None, _) if reason == Reason::FolderPaused => self.pass_over(&page, reason),
                        (None, _) if page.purpose == Purpose::GuessedSitemap && reason == QUIETLY => {
                            if let Some(page) = self.reserve.put_off(page) {
                                self.refuse(&page, reason);
                            }
                        }
                        (None, _) => self.refuse(&page, reason),
                    }
                }
                NextStep::GiveUp { host, reason, detail } => self.give_up(host, reason, detail),
                NextStep::Wait(until) => return until,
            }
        }
    }

    /// Whether no page may be taken up now.
    fn is_full(&mut self) -> bool {
        let now = self.clock.monotonic();
        let per_second = self.backlog.per_second(now);
        self.line.set_pace(|pace| pace.per_second = per_second);
        // Any of them may be a page but the folders whose listings go on: those may have no end.
        let long = self.line.fetcher.pieces.long();
        let may_be_pages = self.backlog.count().saturating_sub(long) as u64;
        !self.going.slots.has_any()
            || self.backlog.is_full(self.going.pages(), per_second)
            || self.budget.reached_with(may_be_pages, now).is_some()
    }

    /// Whether pages may be fetched; if nothing but the login is in the way, that begins.
    fn is_inside(&mut self) -> bool {
        let is_hasty = match self.login.gate(self.going.count()) {
            Gate::Open => return true,
            Gate::Shut => return false,
            Gate::Enter { is_hasty } => is_hasty,
        };
        debug!("the login begins");
        let (fetcher, news) = (Arc::clone(&self.line.fetcher), self.line.news.clone());
        let work = async move {
            let Some(login) = &fetcher.login else { return };
            let entered = login.enter(&fetcher, is_hasty).await;
            let _the_run_may_be_over = news.send(News::Entered(entered)).await;
        };
        self.line.tasks.spawn(work.instrument(info_span!("login")));
        false
    }

    /// A page that waits under another spelling of its address: that one is taken up in its place, and nothing is asked.
    fn lead_to(&mut self, page: &Queued, target: &Url) {
        self.backlog.take();
        let link = Link {
            url: target.clone(),
            kind: LinkKind::Redirect,
            anchor: String::new(),
            count: 1,
            nofollow: false,
        };
        let bond = self.rules.guess(target, Some(&page.url));
        let refused = (self.rules).refuses_in(target, LinkKind::Redirect, page.depth, None, bond);
        let mut keep = Keep {
            reason: None,
            state: None,
            ..refusal(page, self.clock.wall())
        };
        let entry = Enqueue {
            score: page.score,
            legs: page.legs.clone(),
            ..Enqueue::page(page.priority, page.depth)
        };
        keep.outlinks
            .push(&link, None, refused.is_none().then_some(entry));
        keep.links_unchanged = false;
        self.line.keep(page.url.clone(), keep);
    }

    /// A page that is not worth a fetch is done, and nothing is said of it.
    fn pass_over(&mut self, page: &Queued, reason: Reason) {
        self.backlog.take();
        self.progress.metrics.refused.add(1);
        let keep = Keep {
            reason: Some(reason),
            state: None,
            ..refusal(page, self.clock.wall())
        };
        self.line.keep(page.url.clone(), keep);
    }

    /// A page that may not be fetched is done: its outcome is the reason.
    fn refuse(&mut self, page: &Queued, reason: Reason) {
        self.backlog.take();
        self.progress.metrics.refused.add(1);
        debug!(url = %page.url, reason = reason.code(), "not asked for");
        let known = page.known.as_ref().filter(|known| !known.is_gone).map(|_| true);
        let state = match page.purpose {
            Purpose::Page | Purpose::Guess => state_of(&Finding::NotTaken(reason), known.as_ref()),
            Purpose::Sitemap | Purpose::GuessedSitemap | Purpose::FoundSitemap => None,
        };
        let keep = Keep {
            reason: Some(reason),
            state,
            ..refusal(page, self.clock.wall())
        };
        self.line.keep(page.url.clone(), keep);
    }
}

/// Why a page whose turn has come is not asked for after all. `documents`: what its host has given so far; `waited`: how often a guess
/// has waited.
fn refuses(sites: &SiteMemory, page: &Queued, documents: u64, waited: &Cell<Option<u8>>) -> Option<Reason> {
    if page.purpose == Purpose::GuessedSitemap && page.tries == 0 {
        return match sites.traps.lock().guesses.lists.turn(&page.url, documents) {
            GuessTurn::Ask => None,
            GuessTurn::Refuse => Some(QUIETLY),
            GuessTurn::Wait(times) => {
                waited.set(Some(times));
                Some(QUIETLY)
            }
        };
    }
    // A second try was let through once already, and so was a document. What a step names is no trap.
    let may_be_trap = page.purpose.is_page()
        && page.tries == 0
        && page.known.is_none()
        && page.url.is_web()
        && !page.legs.iter().any(Leg::is_named);
    if !may_be_trap {
        return None;
    }
    if sites.other_spelling(&page.url).is_some() {
        return Some(Reason::View);
    }
    let seen_as = sites.identities.without_ids(&page.url);
    let url = seen_as.as_ref().unwrap_or(&page.url);
    let mut traps = sites.traps.lock();
    let turn = match page.purpose {
        Purpose::Guess => traps.guesses.turn(url),
        _ => GuessTurn::Ask,
    };
    match turn {
        GuessTurn::Ask => traps.check(url).err(),
        GuessTurn::Refuse => {
            traps.cut_guess(url);
            Some(Reason::ScriptLink)
        }
        GuessTurn::Wait(times) => {
            waited.set(Some(times));
            Some(QUIETLY)
        }
    }
}
