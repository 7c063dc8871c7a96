//! What a batch tells the trap rules, and what they decide about the URLs that it would take up. Their lock is held for one
//! question at a time, and never while the store is waited for.

use super::Judged;
use crate::site_memory::SiteMemory;
use crate::track::rests;
use gleaner_frontier::revisit::Turns;
use gleaner_frontier::traps::{Gave, PageTraits, Source};
use gleaner_model::{Reason, ResourceId, RunId, State, Timestamp, Url};
use gleaner_store::keep::{Found, Keep, Kept, Outcome, Refused};
use std::collections::HashMap;
use std::sync::Arc;
use tracing::trace;

pub(super) type Pages = HashMap<ResourceId, Came>;

/// A page of a batch, for the trap rules.
pub(super) struct Came {
    pub(super) url: Url,
    seen: Option<Box<PageTraits>>,
    gave: Gave,
}

impl Came {
    fn source(&self) -> Option<Source<'_>> {
        Some(Source {
            url: &self.url,
            seen: self.seen.as_deref()?,
            gave: self.gave,
        })
    }
}

/// A batch taken apart: for the store, and for the trap rules.
pub(super) fn taken_apart(batch: Vec<Judged>) -> (Vec<Keep>, Pages) {
    let mut pages = Pages::with_capacity(batch.len());
    let keeps = batch.into_iter().map(|Judged { keep, url, seen, .. }| {
        if let Some(url) = url {
            let gave = Gave::Something;
            pages.insert(keep.resource, Came { url, seen, gave });
        }
        keep
    });
    let keeps = keeps.collect();
    (keeps, pages)
}

/// The trap rules as batches meet them.
pub(crate) struct BatchTraps {
    pub(crate) sites: Arc<SiteMemory>,
    pub(crate) run: RunId,
    /// What the project has was told to the trap rules by an earlier run.
    pub(crate) is_track: bool,
    /// How rarely what gave no document before is asked for; none: each time.
    pub(crate) turns: Option<Turns>,
}

impl BatchTraps {
    /// What the pages gave, before their links are asked about. A page that the project has is no news for the rules:
    /// whatever it says today, its address was not made today.
    pub(super) fn tell_pages(&self, keeps: &[Keep], pages: &mut Pages) {
        for keep in keeps {
            let is_news = !self.is_track || keep.state == Some(State::New);
            if let (Outcome::Document(_), true) = (&keep.outcome, is_news)
                && let Some(Came { url, seen, gave }) = pages.get_mut(&keep.resource)
                && let Some(seen) = seen
            {
                *gave = self.sites.traps.lock().fetched_page(url, seen);
            }
        }
    }

    /// Which of the URLs that the batch would take up are not asked for. The rules count what they are asked, so each URL is
    /// decided once, before anything is written.
    pub(super) fn refused(&self, met: &[Found], pages: &Pages, now: Timestamp) -> Refused {
        let refused = met.iter().filter_map(|found| {
            let reason = self.refuses(found, pages, now)?;
            Some((found.key, reason))
        });
        refused.collect()
    }

    fn refuses(&self, found: &Found, pages: &Pages, now: Timestamp) -> Option<Reason> {
        if let (Some(turns), Some(last), Some(resource)) = (self.turns, found.last, found.resource)
            && rests(resource, last, self.run, turns)
        {
            return Some(Reason::AsBefore);
        }
        let seen_as = self.sites.identities.without_ids(&found.url);
        let url = seen_as.as_ref().unwrap_or(&found.url);
        let from = pages.get(&found.from).and_then(Came::source);
        let mut traps = self.sites.traps.lock();
        let admitted = if self.is_track && found.resource.is_some() {
            traps.admit_again(url, from, now)
        } else {
            traps.admit(url, from, now)
        };
        if let Err(reason) = admitted {
            trace!(%url, reason = reason.code(), "a trap is cut");
        }
        if found.is_guess && admitted.is_ok() {
            traps.guesses.queued(url);
        }
        admitted.err()
    }

    /// What came of guesses. What was here already under another address was not worth a question.
    pub(super) fn tell_guesses(&self, keeps: &[Keep], pages: &Pages, kept: &Kept) {
        let mut traps = self.sites.traps.lock();
        for keep in keeps {
            let Some(Came { url, .. }) = pages.get(&keep.resource) else {
                continue;
            };
            let is_right = match (&keep.outcome, keep.status) {
                (Outcome::Again { .. } | Outcome::Piece(_), _) => continue,
                (Outcome::Document(_) | Outcome::Unchanged(_), _) => {
                    Some(!kept.copies.contains(&keep.resource))
                }
                (Outcome::Nothing, None | Some(300..400)) => None,
                (Outcome::Nothing, Some(_)) => Some(false),
            };
            let is_list = match keep.status {
                Some(200..300) => Some(keep.reason.is_none()),
                Some(400..500) => Some(false),
                _ => None,
            };
            traps.guesses.lists.came(url, is_list);
            let was_guess = traps.guesses.came(url, is_right);
            if !was_guess && matches!(keep.outcome, Outcome::Document(_)) {
                traps.guesses.page_came(url);
            }
        }
    }
}
