//! What the stages told, taken in.

use super::Scheduler;
use super::login::OutsidePage;
use crate::error::RunError;
use crate::lists::ListsRead;
use crate::login::Entered;
use crate::news::{End, EndedFetch, News};
use crate::progress::Progress;
use crate::reading::{asked_again, refusal};
use crate::requests::Request;
use crate::robots;
use crate::stages::fetch::Fetched;
use crate::stages::keep::commit::LearnedRules;
use crate::stages::keep::{Judged, ToKeep};
use gleaner_frontier::RobotsState;
use gleaner_model::{HostId, Reason, State, Url};
use gleaner_store::keep::{Cut, Enqueue, Keep};
use gleaner_store::work::{AWAITED, Loaded, Purpose, Unreadable};
use gleaner_units::Answer;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use tracing::{debug, info, trace, warn};

impl Scheduler {
    pub(super) fn take(&mut self, news: News) -> Result<(), RunError> {
        let (now, wall) = (self.clock.monotonic(), self.clock.wall());
        match news {
            News::Loaded { host, loaded, robots } => {
                self.line.unanswered -= 1;
                let robots =
                    robots.and_then(|stored| robots::remembered(&stored, self.seeds.started_at, wall));
                let Loaded {
                    rows,
                    unreadable,
                    is_all,
                    ..
                } = loaded;
                self.end_unreadable(host, &unreadable);
                trace!(parent: &self.reserve.span(host), rows = rows.len(), is_all, "rows were loaded");
                self.reserve.loaded(host, rows, is_all, robots, wall, now);
            }
            News::Leased { given, until } => {
                self.line.unanswered -= 1;
                self.leased(&given, until);
                Progress::set(&self.progress.hosts, self.reserve.hosts_count());
            }
            News::Renewed { leases, lost, until } => {
                self.line.unanswered -= 1;
                self.renewed(&leases, &lost, until);
            }
            News::Released => self.line.unanswered -= 1,
            News::Finished(is_finished) => {
                self.line.unanswered -= 1;
                self.leasing.told_whether_finished(is_finished);
            }
            News::Kept {
                queued,
                done,
                unchanged,
            } => {
                self.budget.pages += unchanged;
                Progress::add(&self.progress.kept, unchanged);
                for page in &done {
                    self.backlog.kept(page.resource);
                    self.reserve.kept(page);
                    match page.end {
                        End::Document => self.budget.pages += 1,
                        End::Other | End::Again | End::Late => {}
                    }
                }
                let gone = done.iter().filter(|page| page.end.is_done()).count() as u64;
                self.queued(queued);
                let before = Progress::read(&self.progress.queued);
                Progress::set(&self.progress.queued, before.saturating_sub(gone));
            }
            News::Lists { host, read } => {
                self.line.unanswered -= 1;
                match read {
                    ListsRead::Open(list) => self.reserve.list_open(host, list),
                    ListsRead::Done(count) => {
                        debug!(parent: &self.reserve.span(host), unchanged = count, "the lists of the host are read");
                        self.budget.pages += count;
                        Progress::add(&self.progress.kept, count);
                        let before = Progress::read(&self.progress.queued);
                        Progress::set(&self.progress.queued, before.saturating_sub(count));
                        self.reserve.lists_read(host, count);
                    }
                }
            }
            News::RobotsKept { queued } => {
                self.line.unanswered -= 1;
                self.queued(queued);
            }
            News::GaveUp { host, count, reason } => {
                self.line.unanswered -= 1;
                if let Some(host) = host {
                    self.reserve.gave_up(host);
                }
                debug!(
                    reason = reason.code(),
                    pages = count,
                    "what was queued is given up"
                );
                self.reserve.ask_for_lists_again();
                if matches!(reason, Reason::LimitPages | Reason::SiteLeft) && count > 0 {
                    self.cuts.push(Cut {
                        reason,
                        shape: String::new(),
                        count,
                        example: String::new(),
                    });
                }
                let before = Progress::read(&self.progress.queued);
                Progress::set(&self.progress.queued, before.saturating_sub(count));
            }
            News::Answered { turn, out } => {
                if let Some(out) = out {
                    self.shown_out(out.fetched, &out.why)?;
                }
                self.note_turn(turn);
            }
            News::Surveyed {
                turn,
                mut fetched,
                rules,
                is_looked_at,
            } => {
                let host = turn.host;
                self.note_turn(turn);
                if let Some(why) = fetched.out.take() {
                    self.shown_out(*fetched, &why)?;
                    self.reserve.surveyed(host, false);
                } else if let Some(rules) = rules {
                    let rules = Box::new(self.sites.identities.with(*rules));
                    let learned = LearnedRules { host, rules, fetched };
                    self.line.to_keep.push(ToKeep::Rules(learned));
                } else {
                    let is_page = matches!(&fetched.answer, Ok(Answer::Here(_) | Answer::Unchanged(_)));
                    if is_looked_at {
                        self.sites.identities.surveyed(&fetched.page.url);
                    }
                    self.line.read(*fetched);
                    self.reserve.surveyed(host, is_page);
                }
            }
            News::RulesKept { host, rules, fetched } => {
                let site = rules.site.clone();
                self.sites.identities.learned(&site, *rules);
                self.sites.identities.surveyed(&fetched.page.url);
                self.think_or_ask_again(*fetched);
                self.reserve.surveyed(host, true);
            }
            News::Robots {
                ticket,
                host,
                asked,
                outcome,
            } => {
                let kept_waiting = self.going.ended(ticket);
                self.robots_asked -= 1;
                self.progress.metrics.robots.add(1);
                self.log_robots(host, &asked);
                let awaits_lists = self.reserve.awaits_lists(host);
                let sitemaps = if self.seeds.reads_sitemaps {
                    self.sitemaps_of(&asked, if awaits_lists { AWAITED } else { 0 })
                } else {
                    Vec::new()
                };
                // First what it says: a host whose robots.txt failed must not be made ready by the free connection.
                self.reserve
                    .robots_answered(host, asked.state, asked.failure, now);
                self.reserve
                    .answered(host, asked.address, now, outcome, kept_waiting);
                let stored = asked.stored;
                self.line.request(Request::Robots {
                    host,
                    stored,
                    sitemaps,
                    awaits_lists,
                });
            }
            News::Entered(entered) => self.entered(entered)?,
            News::NoRoom { bytes } => self.wait_for_room(bytes),
            News::Room(has_room) => {
                self.room.looked(has_room, now);
                if has_room {
                    info!("there is space again; continuing");
                    self.progress.say("there is space again; continuing".to_owned());
                }
            }
            News::Failed(error) => return Err(error),
        }
        Ok(())
    }

    /// A page that only leads to itself under an id, as we know now, is asked for once more: it is there.
    fn think_or_ask_again(&mut self, fetched: Fetched) {
        let identities = &self.sites.identities;
        let is_itself = match &fetched.answer {
            Ok(Answer::Moved(_, redirect)) => (redirect.target.as_ref())
                .is_ok_and(|target| identities.is_one_document(&fetched.page.url, target)),
            _ => false,
        };
        if !is_itself {
            return self.line.read(fetched);
        }
        let (page, now) = (fetched.page, self.clock.wall());
        let keep = asked_again(refusal(&page, now), page.tries, now);
        self.line.keep(page.url, keep);
    }

    /// Hosts that got new rows, with how many.
    fn queued(&mut self, queued: BTreeMap<HostId, u64>) {
        let mut added = 0;
        for (host, count) in queued {
            added += count;
            self.reserve.has_rows(host);
        }
        Progress::add(&self.progress.queued, added);
    }

    /// What cannot be asked for is done, and said to be: nothing else would ever take it from the frontier.
    fn end_unreadable(&mut self, host: HostId, rows: &[Unreadable]) {
        let Some(lease) = self.reserve.fenced(host).filter(|_| !rows.is_empty()) else {
            return;
        };
        let now = self.clock.wall();
        for row in rows {
            if !self.reserve.hold_row(host, row.resource) {
                continue;
            }
            self.backlog.take();
            let place = (lease, row.resource, row.priority);
            let reason = Reason::AddressUnreadable;
            let judged = Judged {
                keep: Keep::nothing(place, row.depth, row.purpose, reason, now),
                url: None,
                seen: None,
                hold: None,
            };
            self.line.keep_judged(judged);
        }
        warn!(rows = rows.len(), "addresses in the frontier cannot be read");
    }

    fn wait_for_room(&mut self, bytes: u64) {
        if !self.room.was_missing(bytes, self.clock.monotonic()) {
            return;
        }
        if !self.progress.is_waiting_for_disk.load(Ordering::Relaxed) {
            self.progress.say(format!(
                "disk full while a large document came in; nothing was lost, free some space: {}; waiting for space",
                self.room.folder().display()
            ));
        }
        warn!(bytes, "no room for a large document; waiting for space");
    }

    fn entered(&mut self, entered: Result<Entered, String>) -> Result<(), RunError> {
        let entered = entered.map_err(|why| RunError::Login { why })?;
        self.login.entered(entered);
        self.progress.metrics.logins.add(1);
        info!(is_seen = entered == Entered::Seen, "logged in");
        Ok(())
    }

    /// A page showed us out. It is asked for again after the login; one that shows the same again is what it is.
    fn shown_out(&mut self, fetched: Fetched, why: &str) -> Result<(), RunError> {
        let (page, now) = (fetched.page, self.clock.wall());
        let outcome = self.login.shown_out(page.resource);
        let is_again = outcome != OutsidePage::AskAgain;
        info!(url = %page.url, why, is_again, "the page shows that the session has ended");
        let keep = match outcome {
            OutsidePage::AskAgain => asked_again(refusal(&page, now), page.tries, now),
            OutsidePage::IsSo => Keep {
                state: Some(State::Err),
                reason: Some(Reason::LoginWall),
                detail: Some(format!("the page {why}")),
                ..refusal(&page, now)
            },
            OutsidePage::Fruitless => {
                let why = format!(
                    "one page after another {why}, though the login worked: {}",
                    page.url
                );
                return Err(RunError::Login { why });
            }
        };
        self.line.keep(page.url, keep);
        Ok(())
    }

    /// A connection is free again.
    fn note_turn(&mut self, turn: EndedFetch) {
        let kept_waiting = self.going.ended(turn.ticket);
        Progress::add(&self.progress.fetched, 1);
        Progress::add(&self.progress.bytes, turn.bytes);
        self.budget.bytes += turn.bytes;
        let metrics = &self.progress.metrics;
        metrics.answers.add(1);
        metrics.bytes.add(turn.bytes);
        if let Some((first_byte, elapsed)) = turn.took {
            metrics.first_byte.record_time(first_byte);
            metrics.fetch.record_time(elapsed);
        }
        let now = self.clock.monotonic();
        self.reserve
            .answered(turn.host, turn.address, now, turn.outcome, kept_waiting);
        self.note_failure(turn.host, turn.failure);
        self.backlog.came(turn.unchanged);
        if let Some(page) = turn.inside {
            self.login.seen_inside(page);
        }
    }

    fn log_robots(&self, host: HostId, asked: &robots::RobotsAnswer) {
        let span = self.reserve.span(host);
        let _under_its_host = span.enter();
        let status = asked.stored.status;
        match &asked.state {
            RobotsState::Unreachable { reason } => {
                info!(
                    status,
                    reason = reason.code(),
                    failure = asked.failure,
                    "robots.txt cannot be read"
                );
            }
            RobotsState::AllowAll { .. } => debug!(status, "there is no robots.txt"),
            RobotsState::Rules(rules) => {
                let (delay, sitemaps) = (rules.crawl_delay(), rules.sitemaps().len());
                let delay_ms = delay.map(|delay| delay.as_millis() as u64);
                debug!(status, delay_ms, sitemaps, "robots.txt was read");
            }
        }
    }

    /// The sitemaps that robots.txt names, as frontier rows.
    fn sitemaps_of(&mut self, asked: &robots::RobotsAnswer, priority: i64) -> Vec<(Url, Enqueue)> {
        let named = asked
            .state
            .robots()
            .map(gleaner_frontier::Robots::sitemaps)
            .unwrap_or_default();
        let mut taken = Vec::new();
        for url in named.iter().filter_map(|text| Url::parse(text).ok()) {
            if let Some(reason) = self.sites.sitemaps.refuses(&url, &asked.site) {
                self.cuts.push(Cut {
                    reason,
                    shape: String::new(),
                    count: 1,
                    example: url.to_string(),
                });
                continue;
            }
            let entry = Enqueue {
                priority,
                ..Enqueue::sitemap(0)
            };
            taken.push((url, entry));
        }
        if taken.is_empty() {
            taken.extend(self.usual_sitemap(&asked.site, priority));
        }
        taken
    }

    /// Where sitemaps lie that robots.txt does not name. Steps find their way without.
    fn usual_sitemap(&self, site: &Url, priority: i64) -> Option<(Url, Enqueue)> {
        let url = site.join("/sitemap.xml").ok().filter(Url::is_web)?;
        let is_ours = self.rules.way.is_none() && self.rules.scope.contains(site);
        let entry = Enqueue {
            priority,
            purpose: Purpose::GuessedSitemap,
            ..Enqueue::sitemap(0)
        };
        is_ours.then_some((url, entry))
    }
}
