//! Judge the page: `Read` in, `Keep` out: its state, its records for the archive, and which links go on.

use super::fetch::Fetched;
use super::follow::{Deciding, Follows};
use super::read::{Going, Meaning, Read};
use crate::fresh::{Comparing, ComparisonResult, Fields, Fresh, fields_of};
use crate::identity::Suspicion;
use crate::thinker::refusal;
use crate::witness::{Sight, tell};
use gleaner_frontier::TypeVerdict;
use gleaner_judge::equality::{Ladder, visible_digest};
use gleaner_judge::wall::says_wrong;
use gleaner_judge::{Finding, judge as state_of};
use gleaner_model::{Content, Reason, State, Timestamp, Url, VersionId, defaults};
use gleaner_parse::{Kind, Note, Parsed, group_at};
use gleaner_store::Outlinks;
use gleaner_store::keep::{Away, Cut, Keep, Outcome, Page, Validators};
use gleaner_store::warc::{Digest, Packer};
use gleaner_store::work::{Known, Queued};
use gleaner_store::{Ledger, StoreError};
use gleaner_units::{Answer, Exchange, ListingPiece};
use lists::{folder, sitemap};
use moved::moved;
use pack::{pack, pack_whole};
use std::fs::File;
use std::io;

mod lists;
mod moved;
mod pack;

/// What the judging thread holds between pages.
pub struct Bench<'a> {
    pub deciding: &'a Deciding,
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
    let is_guess = page.purpose.is_guess() && known.is_none() && bench.deciding.is_guess(&page.url);
    let finding = match meaning {
        Meaning::Content {
            parsed,
            size,
            is_compressed,
            goings,
            ..
        } => content(
            &mut keep,
            &page,
            exchange,
            *parsed,
            size,
            is_compressed,
            goings,
            bench,
            &mut follows,
        )?,
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
            tell(bench.deciding.witness.as_ref(), || Sight::Gone {
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
    packed.say("run", &bench.deciding.run.to_string());
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

#[expect(
    clippy::too_many_arguments,
    reason = "one page with all that was found about it"
)]
fn content(
    keep: &mut Keep,
    page: &Queued,
    mut exchange: Option<Exchange>,
    parsed: Parsed,
    size: u64,
    is_compressed: bool,
    goings: Vec<Going>,
    bench: &mut Bench<'_>,
    follows: &mut Follows,
) -> Result<Finding<bool>, JudgeError> {
    if size == 0
        && !bench.comparing.believes_empty()
        && page
            .known
            .as_ref()
            .is_some_and(|known| is_newly_empty(&page.url, known))
    {
        let empty = Ladder::of(&Content::default(), Digest::of(b"").0);
        keep.away = Away::Instead(Some(empty.encode()));
        return Ok(Finding::Unclear(Reason::BecameEmpty));
    }
    let deciding = bench.deciding;
    follows.holder = deciding.holder(&page.url, &parsed.media_type);
    note_cuts(keep, page, &parsed, follows);
    if !page.purpose.is_page() {
        sitemap(page, &parsed, deciding, follows);
        keep.packed = pack(page, exchange.as_mut(), &parsed, is_compressed, bench)?;
        return Ok(Finding::NoDocument);
    }
    // A form is not sent again without need.
    let needs_proof = deciding.logs_in || page.request.is_some();
    let suspicion = (deciding.identities).suspicion(&page.url, page.resource, &parsed.links, needs_proof);
    if suspicion == Suspicion::Wait {
        keep.outcome = Outcome::Again {
            tries: page.tries,
            due_at: keep.at,
        };
        return Ok(Finding::Content(true));
    }
    // What lies on a server that lists is known from its folders; its pages' links are only links.
    let may_follow = page.url.is_web() && !(deciding.obey_robots && parsed.robots.nofollow);
    // An empty file has no type that could be unwanted; it is there, and its folder says so. So is a page that became empty.
    let verdict = match size {
        0 if !page.url.is_web() || page.known.is_some() => TypeVerdict::Take,
        _ => (deciding.wanted_at(&page.url)).decide(group_at(&parsed.media_type, page.url.path())),
    };
    let is_closed = deciding.obey_robots && parsed.robots.noindex;
    let mut facts = Page {
        document: page.known.as_ref().map(|known| known.document),
        media_type: parsed.media_type.clone(),
        charset: parsed.charset.as_ref().map(|charset| charset.name.to_string()),
        title: parsed.title.clone(),
        size,
        // What tells a version without its bytes: the server's tag, or the metadata of its folder's listing.
        etag: page.stamp.clone().or_else(|| {
            let tag = exchange.as_ref().and_then(|e| e.headers.get("etag"));
            tag.map(str::to_owned)
        }),
        last_modified: exchange
            .as_ref()
            .and_then(|e| e.headers.get("last-modified"))
            .map(str::to_owned),
        asked: bench.asked.as_ref().map(Url::to_string),
        compared: None,
    };
    // Only the way to others: not looked at, not kept.
    let is_passed = (deciding.way.as_ref()).is_some_and(|way| !way.keeps(&page.legs));
    tell(deciding.witness.as_ref(), || Sight::Page {
        url: page.url.clone(),
        legs: page.legs.clone(),
        is_kept: !is_passed,
    });
    let packed = match verdict {
        TypeVerdict::Take if !is_closed && !is_passed => {
            pack(page, exchange.as_mut(), &parsed, is_compressed, bench)?
        }
        _ => None,
    };
    let known = page.known.as_ref().filter(|known| !known.is_gone);
    let found = match (&packed, &exchange, known) {
        (Some(packed), Some(exchange), Some(known)) => {
            let digest = packed.payload_digest;
            let is_other = digest != known.digest && digest != known.base_digest;
            if is_other {
                Some(compare(page, known, exchange, digest, bench)?)
            } else {
                bench.comparing.note_still(&page.url);
                None
            }
        }
        (Some(_), Some(exchange), None)
            if page.url.is_web() && is_html(parsed.kind) && says_wrong(&parsed.title) =>
        {
            instead_of_new(page, exchange, bench)
        }
        _ => None,
    };
    let mut is_same = true;
    match found {
        None => {}
        Some(ComparisonResult::LookAgain) => {
            keep.outcome = Outcome::Again {
                tries: page.tries,
                due_at: look_again_at(keep.at),
            };
            return Ok(Finding::Content(true));
        }
        Some(ComparisonResult::Unclear(reason, detail, shown)) => {
            keep.detail = Some(detail).filter(|d| !d.is_empty());
            keep.away = Away::Instead(shown);
            return Ok(Finding::Unclear(reason));
        }
        Some(ComparisonResult::Gone(reason, detail)) => {
            (keep.reason, keep.detail) = (Some(reason), Some(detail));
            keep.packed = packed; // The evidence.
            follows.note(reason, 1, &page.url);
            return Ok(Finding::Gone);
        }
        Some(ComparisonResult::Same { compared, remarks }) => {
            if !remarks.is_empty() {
                keep.detail.get_or_insert(remarks);
            }
            facts.compared = Some(Box::new(compared));
        }
        Some(ComparisonResult::Different { compared, why }) => {
            is_same = false;
            keep.detail.get_or_insert(why);
            facts.compared = Some(Box::new(compared));
        }
    }
    keep.validators = known.and_then(|known| validators(known, &facts, is_same));
    follows
        .outlinks
        .reserve(parsed.links.len() + parsed.guesses.len());
    deciding
        .identities
        .note_live(&page.url, parsed.links.iter().map(|link| &link.url));
    for going in goings {
        follows.go(deciding, going);
    }
    let mut originals = parsed.originals.iter().peekable();
    let mut promises = parsed.promises.iter().peekable();
    for (index, link) in parsed.links.iter().enumerate() {
        let original = originals.next_if(|original| original.link as usize == index);
        let original = original.map(|original| &*original.text);
        let promised = promises.next_if(|(of, _)| *of as usize == index);
        let promised = promised.map(|(_, group)| *group);
        follows.add(deciding, link, original, page, may_follow, promised);
    }
    follows.add_guesses(deciding, &parsed, page, may_follow);
    if is_passed {
        return Ok(match known {
            Some(_) => Finding::NotTaken(Reason::NotKept),
            None => Finding::NoDocument,
        });
    }
    let Some(packed) = packed else {
        if is_closed {
            // What is no page leads nowhere, and the next run may leave it alone.
            keep.detail = (!is_html(parsed.kind)).then_some(parsed.media_type);
            return Ok(Finding::NotTaken(Reason::NoIndex));
        }
        keep.detail = Some(parsed.media_type);
        return Ok(Finding::NotTaken(Reason::UnwantedType));
    };
    keep.packed = Some(packed);
    keep.outcome = Outcome::Document(facts);
    Ok(Finding::Content(is_same))
}

/// Whether nothing came where there was something, for the first time: a page of the web that comes empty twice is empty,
/// and a file is when its server says so (HC018).
fn is_newly_empty(url: &Url, known: &Known) -> bool {
    let last = known
        .instead
        .as_deref()
        .and_then(|stored| Ladder::decode(stored).ok());
    let was_empty = last.is_some_and(|last| last.visible == visible_digest(&Content::default()));
    url.is_web() && known.size > 0 && !was_empty
}

/// A second look comes late enough for a clock to move on.
fn look_again_at(now: Timestamp) -> Timestamp {
    now.after(defaults::LOOK_AGAIN)
}

fn is_html(kind: Kind) -> bool {
    matches!(kind, Kind::Html | Kind::Xhtml)
}

/// Is a page with such a title one at all? (HC017)
fn instead_of_new(page: &Queued, exchange: &Exchange, bench: &Bench<'_>) -> Option<ComparisonResult> {
    let fields = fields_of(exchange);
    let fresh = Fresh {
        resource: page.resource,
        url: &page.url,
        asked: bench.asked.as_ref().unwrap_or(&page.url),
        fields: &fields,
        body: &exchange.body,
        digest: Digest([0; 32]),
        base: VersionId(0),
        instead: None,
    };
    bench.comparing.is_nowhere(&fresh)
}

fn compare(
    page: &Queued,
    known: &Known,
    exchange: &Exchange,
    digest: Digest,
    bench: &mut Bench<'_>,
) -> Result<ComparisonResult, StoreError> {
    let fields = fields_of(exchange);
    let asked = bench.asked.clone();
    let fresh = Fresh {
        resource: page.resource,
        url: &page.url,
        asked: asked.as_ref().unwrap_or(&page.url),
        fields: &fields,
        body: &exchange.body,
        digest,
        base: known.base,
        instead: known.instead.as_deref(),
    };
    let identities = &bench.deciding.identities;
    let clean = |url: &Url, fields: &Fields, bytes: Vec<u8>| identities.clean(url, fields, bytes);
    bench.comparing.compare(&fresh, &mut bench.reader, &clean)
}

/// Content came whole though its validators are the old ones: did they tell the truth? (HC015)
fn validators(known: &Known, now: &Page, is_same: bool) -> Option<Validators> {
    let says_unchanged = match (&known.etag, &now.etag) {
        (Some(before), Some(after)) => before == after,
        _ => known.last_modified.is_some() && known.last_modified == now.last_modified,
    };
    says_unchanged.then_some(if is_same {
        Validators::Right
    } else {
        Validators::Wrong
    })
}

fn note_cuts(keep: &mut Keep, page: &Queued, parsed: &Parsed, follows: &mut Follows) {
    let mut notes: Vec<&'static str> = Vec::new();
    for note in &parsed.notes {
        match note {
            Note::UrlTooLong { count } => follows.note(Reason::UrlTooLong, *count, &page.url),
            Note::BrokenUrls { .. } | Note::UnknownCharset { .. } => {}
            other => notes.push(other.code()),
        }
    }
    keep.cuts.extend(
        parsed
            .other_schemes
            .iter()
            .map(|(scheme, count)| scheme_cut(scheme, *count)),
    );
    if parsed.declared_mismatch {
        notes.push("type-mismatch");
    }
    if !notes.is_empty() {
        keep.detail = Some(notes.join(", "));
    }
}

/// Links that no unit fetches, counted by scheme (HC032). Only known schemes are told apart: pages can invent others.
fn scheme_cut(scheme: &str, count: u32) -> Cut {
    const NAMED: [&str; 9] = [
        "javascript",
        "mailto",
        "data",
        "tel",
        "about",
        "blob",
        "file",
        "sms",
        "whatsapp",
    ];
    let name = NAMED.iter().find(|name| **name == scheme).unwrap_or(&"other");
    Cut {
        reason: Reason::OutOfScope,
        shape: format!("{name}:"),
        count: u64::from(count),
        example: format!("{name}:…"),
    }
}
