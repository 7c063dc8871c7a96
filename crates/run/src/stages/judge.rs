//! Judge the page: `Read` in, `Keep` out: its state, its records for the archive, and which links go on.

use super::fetch::Fetched;
use super::follow::{Follows, LinkRules};
use super::read::{Meaning, Read};
use crate::fresh::Comparing;
use crate::reading::refusal;
use crate::witness::{Sight, tell};
use content::{ContentPage, content};
use gleaner_judge::{Finding, judge as state_of};
use gleaner_model::{Reason, RunId, State, Timestamp, Url, defaults};
use gleaner_store::Outlinks;
use gleaner_store::keep::{Away, Keep, Outcome};
use gleaner_store::warc::Packer;
use gleaner_store::work::Queued;
use gleaner_store::{Ledger, StoreError};
use gleaner_units::{Answer, ListingPiece};
use lists::folder;
use moved::moved;
use pack::pack_whole;
use std::fs::File;
use std::io;

mod content;
mod lists;
mod moved;
mod pack;

/// What the judging thread holds between pages.
pub struct Bench<'a> {
    pub by: LinkRules<'a>,
    /// For what the archive says of each capture.
    pub run: RunId,
    pub packer: Packer,
    pub spool: &'a (dyn Fn() -> io::Result<File> + Sync),
    pub tries_max: u32,
    pub comparing: &'a Comparing,
    /// Opened when the first page is compared.
    pub reader: Option<Box<dyn Ledger>>,
    /// What was asked for, where that is not the URL of the page on the bench.
    pub asked: Option<Url>,
}

/// Why a page could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// Its records could not be packed: of this page only.
    #[error(transparent)]
    Pack(#[from] io::Error),
    /// What we have could not be looked up: of every page.
    #[error(transparent)]
    Store(#[from] StoreError),
}

pub fn judge(read: Read, bench: &mut Bench<'_>, now: Timestamp) -> Result<Keep, JudgeError> {
    let Read {
        page,
        exchange,
        meaning,
        asked,
    } = read;
    bench.asked = asked;
    let mut follows = Follows::default();
    let status = exchange.as_ref().map(|e| e.status);
    let wire_bytes = exchange.as_ref().map_or(0, |e| e.wire_bytes);
    // A document that was gone is as good as none, but for its number.
    let known = page.known.as_ref().filter(|known| !known.is_gone).map(|_| true);
    let at = exchange.as_ref().map_or(now, |e| e.started);
    let mut keep = Keep {
        host: page.host,
        fence: page.fence,
        resource: page.resource,
        priority: page.priority,
        depth: page.depth,
        at,
        status,
        wire_bytes,
        packed: None,
        outcome: Outcome::Nothing,
        state: None,
        reason: None,
        detail: None,
        outlinks: Outlinks::default(),
        links_unchanged: false,
        cuts: Vec::new(),
        validators: None,
        legs: page.legs.clone(),
        away: Away::No,
    };
    // A guessed address was promised by no link: only a document found there is told.
    let is_guess = page.purpose.is_guess() && known.is_none() && bench.by.sites.is_guess(&page.url);
    let finding = match meaning {
        Meaning::Content {
            parsed,
            size,
            is_compressed,
            goings,
            worth,
            ..
        } => {
            let came = ContentPage {
                page: &page,
                exchange,
                parsed: *parsed,
                size,
                is_compressed,
                goings,
                worth,
            };
            content(&mut keep, came, bench, &mut follows)?
        }
        Meaning::Unchanged => {
            if let Some(known) = &page.known {
                keep.outcome = Outcome::Unchanged(known.document);
            }
            Finding::Content(true)
        }
        Meaning::Moved(redirect) => {
            keep.away = Away::Instead(None);
            moved(&mut keep, &page, exchange, &redirect, bench, &mut follows)?
        }
        Meaning::Folder(listing) if listing.piece == ListingPiece::BrokenOff => {
            keep.outcome = Outcome::Again {
                tries: page.tries,
                due_at: now,
            };
            Finding::NoDocument
        }
        Meaning::Folder(listing) => folder(&mut keep, &page, listing, bench, &mut follows),
        // Its folder named it in this run: one of the two is wrong, and the next listing tells which.
        Meaning::Gone if known.is_some() && page.depth > 0 && !page.url.is_web() => {
            keep.detail = Some("listed just now, and not there".to_owned());
            keep.packed = pack_whole(&page, exchange, bench)?;
            Finding::Unclear(Reason::NoSuchFile)
        }
        Meaning::Gone => {
            tell(bench.by.rules.witness.as_ref(), || Sight::Gone {
                url: page.url.clone(),
                status,
            });
            keep.reason = status.map(Reason::of_status);
            keep.packed = pack_whole(&page, exchange, bench)?;
            Finding::Gone
        }
        Meaning::Refused(refusal) => {
            keep.detail = Some(refusal.detail).filter(|d| !d.is_empty());
            Finding::NotTaken(refusal.reason)
        }
        Meaning::Unclear { reason, detail } => {
            keep.detail = Some(detail).filter(|d| !d.is_empty());
            if !will_try_again(reason, &page, bench.tries_max) || is_guess && status.is_some() {
                keep.packed = pack_whole(&page, exchange, bench)?;
            }
            Finding::Unclear(reason)
        }
    };
    if let (Some(guidance), Finding::Gone | Finding::NotTaken(_)) = (bench.by.guidance, &finding) {
        guidance.guide.nothing(&page.url);
    }
    if let Finding::Unclear(reason) | Finding::NotTaken(reason) = finding {
        keep.reason = Some(reason);
        if will_try_again(reason, &page, bench.tries_max) && !(is_guess && status.is_some()) {
            let wait = defaults::RETRY_WAITS[(page.tries as usize).min(defaults::RETRY_WAITS.len() - 1)];
            let due_at = Timestamp(now.0 + wait.as_millis() as i64);
            keep.outcome = Outcome::Again {
                tries: page.tries + 1,
                due_at,
            };
            return Ok(keep);
        }
    }
    if matches!(keep.outcome, Outcome::Again { .. }) {
        return Ok(keep); // To be looked at once more: nothing is said and nothing kept of this look.
    }
    if let Outcome::Piece(_) = keep.outcome {
        keep.cuts = follows.cuts();
        keep.outlinks = follows.outlinks;
        return Ok(keep); // What can be said of the folder is said with the last one.
    }
    if is_guess && matches!(finding, Finding::Gone | Finding::Unclear(_)) {
        keep.reason = Some(Reason::ScriptLink);
    } else if page.purpose.is_page() {
        keep.state = state_of(&finding, known.as_ref());
        if keep.state == Some(State::Err) && matches!(finding, Finding::Moved | Finding::NoDocument) {
            keep.reason = Some(Reason::Moved);
        }
    }
    let is_compared = matches!(&keep.outcome, Outcome::Document(page) if page.compared.is_some());
    // A change may yet be taken back, and what the last run saw is needed for that.
    if keep.state == Some(State::Sam) && page.known.as_ref().is_some_and(|known| known.was_away) {
        keep.away = Away::Back;
    }
    // What could not be looked at has the links that it had. A page that is back has them anew: a redirect stood in their place.
    keep.links_unchanged = match finding {
        Finding::Unclear(_) => follows.outlinks.is_empty(),
        _ => keep.state == Some(State::Sam) && !is_compared && keep.away != Away::Back,
    };
    keep.cuts.extend(follows.cuts());
    keep.outlinks = follows.outlinks;
    describe(&mut keep, &page, bench);
    Ok(keep)
}

/// Says in the archive itself what came of a capture, so that a catalog can be made from it again.
fn describe(keep: &mut Keep, page: &Queued, bench: &mut Bench<'_>) {
    let Some(packed) = &mut keep.packed else { return };
    packed.say("run", &bench.run.to_string());
    if !page.purpose.is_page() {
        packed.say("purpose", "sitemap");
    }
    if let Some(state) = keep.state {
        packed.say("state", state.as_str());
    }
    if let Some(reason) = keep.reason {
        packed.say("reason", reason.code());
    }
    if bench.asked.is_some() {
        packed.say("resource", page.url.as_str());
    }
    bench.packer.close(packed);
}

/// An unchanged page needs no reading and no thread for it: the server's word is all there is.
pub fn as_it_was(fetched: &Fetched) -> Option<Keep> {
    let (page, Ok(Answer::Unchanged(exchange))) = (&fetched.page, &fetched.answer) else {
        return None;
    };
    let known = page.known.as_ref().filter(|known| known.may_be_unchanged())?;
    Some(Keep {
        status: Some(exchange.status),
        wire_bytes: exchange.wire_bytes,
        outcome: Outcome::Unchanged(known.document),
        state: Some(State::Sam),
        reason: None,
        ..refusal(page, exchange.started)
    })
}

fn will_try_again(reason: Reason, page: &Queued, tries_max: u32) -> bool {
    reason.is_passing() && page.tries + 1 < tries_max
}
