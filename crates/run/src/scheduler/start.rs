//! Beginning a fetch: of a page, of a host's first page, of robots.txt.

use super::Scheduler;
use super::going::{Errand, Ticket};
use crate::identity::Identities;
use crate::news::{EndedFetch, News, ShownOut};
use crate::robots;
use crate::stages::fetch::{Fetched, fetch};
use crate::stages::judge::as_it_was;
use crate::stages::keep::{Judged, ToKeep};
use crate::survey::Survey;
use gleaner_frontier::{FetchOutcome, OutcomeKind, RobotsState, retry_after};
use gleaner_judge::site::site_of;
use gleaner_model::{HostId, Url};
use gleaner_store::work::Queued;
use gleaner_units::{Answer, Pulse};
use std::sync::Arc;
use tracing::{Instrument, Span, debug, debug_span};

impl Scheduler {
    fn begin(&mut self, host: HostId, errand: Errand) -> (Ticket, Arc<Pulse>) {
        let manner = self.reserve.manner(host);
        self.going.begin(host, errand, manner, self.clock.monotonic())
    }

    /// All that is logged about one look at a page, under its host.
    fn page_span(&self, page: &Queued) -> Span {
        let host = self.reserve.span(page.host);
        debug_span!(parent: &host, "page", url = %page.url, depth = page.depth, tries = page.tries)
    }

    pub(super) fn start_fetch(&mut self, page: Queued) {
        self.backlog.take();
        let (ticket, pulse) = self.begin(page.host, Errand::Page);
        let (fetcher, news) = (Arc::clone(&self.line.fetcher), self.line.news.clone());
        let (to_read, to_keep) = (self.line.to_read.clone(), self.line.to_keep.sender().clone());
        let (jitter, wall) = (self.chance.share(), self.clock.wall());
        let luck = self.chance.next();
        let further = self.reserve.further_starts(page.host, &self.clock);
        let robots = self.reserve.robots(page.host);
        let span = self.page_span(&page);
        let work = async move {
            let mut fetched = fetch(page, &fetcher, &pulse, robots.as_deref(), luck, &further).await;
            let turn = EndedFetch::of(ticket, &fetched, jitter, wall);
            turn.log(&fetched);
            if let Some(why) = fetched.out.take() {
                let out = Some(Box::new(ShownOut { fetched, why }));
                let _the_run_may_be_over = news.send(News::Answered { turn, out }).await;
                return;
            }
            // That it is kept must come after that it is here, and once it is said to be here it must not be lost, though this
            // task is broken off at any await: so its place is taken first and filled last.
            let answered = News::Answered { turn, out: None };
            if let Some(keep) = as_it_was(&fetched) {
                let url = fetched.page.url;
                fetcher.comparing.note_still(&url);
                let Ok(place) = to_keep.reserve().await else {
                    return;
                };
                let _the_run_may_be_over = news.send(answered).await;
                place.send(ToKeep::Page(Box::new(Judged::plain(keep, url))));
            } else if let Some(place) = to_read.place().await {
                let _the_run_may_be_over = news.send(answered).await;
                place.fill(fetched);
            }
        };
        self.line.tasks.spawn(work.instrument(span));
    }

    /// Fetches the first page of a host, and asks on where its links may carry what does not belong to them.
    pub(super) fn start_first(
        &mut self,
        mut page: Queued,
        robots: Option<Arc<RobotsState>>,
        is_suspect: bool,
    ) {
        let site = site_of(&page.url);
        let is_settled = !is_suspect && self.sites.identities.is_settled(&site);
        if let (true, false, Some(known)) = (self.seeds.is_track, is_settled, &mut page.known) {
            known.asks_whole = true; // "Not modified" has no links to learn from.
        }
        self.backlog.take();
        let (ticket, pulse) = self.begin(page.host, Errand::First);
        let spent = if is_suspect {
            0
        } else {
            self.sites.identities.spent(&site)
        };
        let had_nothing = is_settled && !self.sites.identities.has_rules(&page.url);
        let further = self.reserve.further_starts(page.host, &self.clock);
        let mut survey = Survey {
            fetcher: Arc::clone(&self.line.fetcher),
            pulse,
            robots,
            further: further.clone(),
            asks_always: self.seeds.is_track || is_suspect,
            is_led_elsewhere: false,
            requests: spent,
        };
        let led_to = self.led_to(&page.url);
        let entry = (self.seeds.urls.iter())
            .find(|seed| site_of(seed) == site)
            .filter(|_| self.sites.identities.wants_session(&page.url))
            .cloned();
        let news = self.line.news.clone();
        let (jitter, wall) = (self.chance.share(), self.clock.wall());
        let luck = self.chance.next();
        let span = self.page_span(&page);
        let work = async move {
            if let Some(entry) = entry {
                survey.begin_session(&entry).await;
                survey.requests = spent;
            }
            let (pulse, robots) = (Arc::clone(&survey.pulse), survey.robots.clone());
            let fetched = fetch(page, &survey.fetcher, &pulse, robots.as_deref(), luck, &further).await;
            let identities = &Arc::clone(&survey.fetcher).sites.identities;
            survey.is_led_elsewhere =
                led_to.is_some_and(|before| leads_elsewhere(&fetched, &before, identities));
            let (fetched, rules) = if is_settled && !survey.is_led_elsewhere || fetched.out.is_some() {
                (fetched, None)
            } else {
                survey.of(fetched).await
            };
            identities.spend(&site, survey.requests);
            let turn = EndedFetch::of(ticket, &fetched, jitter, wall);
            turn.log(&fetched);
            if let Some(rules) = &rules {
                let requests = survey.requests - spent;
                debug!(
                    site,
                    requests,
                    rules = rules.rules.len(),
                    "the addresses of the site were looked at"
                );
            }
            let surveyed = News::Surveyed {
                turn,
                fetched: Box::new(fetched),
                rules: rules.map(Box::new),
                is_looked_at: is_suspect || survey.requests > spent || had_nothing,
            };
            let _the_run_may_be_over = news.send(surveyed).await;
        };
        self.line.tasks.spawn(work.instrument(span));
    }

    /// Where a seed led in the runs before; none for what is no seed of a track.
    fn led_to(&self, url: &Url) -> Option<Arc<[Url]>> {
        (self.seeds.is_track && self.seeds.urls.contains(url)).then(|| Arc::clone(&self.seeds.led_to))
    }

    pub(super) fn start_robots(&mut self, host: HostId, any: Url) {
        self.robots_asked += 1;
        let (ticket, pulse) = self.begin(host, Errand::Robots);
        let (fetcher, news) = (Arc::clone(&self.line.fetcher), self.line.news.clone());
        let (jitter, wall) = (self.chance.share(), self.clock.wall());
        let span = self.reserve.span(host);
        let work = async move {
            let told = match robots::ask(&fetcher.units, &any, &pulse, wall).await {
                Ok(asked) => {
                    let kind = match (asked.stored.status, &asked.stored.reason) {
                        (Some(429 | 503), _) => OutcomeKind::Overloaded {
                            retry_after: asked
                                .retry_after
                                .as_deref()
                                .and_then(|text| retry_after(text, wall)),
                        },
                        (None, Some(_)) => OutcomeKind::Failed,
                        _ => OutcomeKind::Answered,
                    };
                    let outcome = FetchOutcome {
                        response_time: asked.elapsed,
                        kind,
                        jitter,
                    };
                    News::Robots {
                        ticket,
                        host,
                        asked: Box::new(asked),
                        outcome,
                    }
                }
                Err(error) => News::Failed(error.into()),
            };
            let _the_run_may_be_over = news.send(told).await;
        };
        self.line.tasks.spawn(work.instrument(span));
    }
}

/// Whether a redirect goes to another document than any that seeds led to before.
fn leads_elsewhere(fetched: &Fetched, before: &[Url], identities: &Identities) -> bool {
    let Ok(Answer::Moved(_, redirect)) = &fetched.answer else {
        return false;
    };
    let is_known = |target: &Url| {
        before
            .iter()
            .any(|known| identities.is_one_document(known, target))
    };
    redirect.target.as_ref().is_ok_and(|target| !is_known(target))
}
