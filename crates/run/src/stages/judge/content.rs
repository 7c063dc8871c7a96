//! A page that came with content: is it new, the same or changed, and which of its links go on?

use super::super::follow::Follows;
use super::super::read::Going;
use super::lists::sitemap;
use super::pack::pack;
use super::{Bench, JudgeError};
use crate::fresh::{ComparisonResult, Fields, Fresh, decoded, fields_of};
use crate::identity::Suspicion;
use crate::witness::{Sight, tell};
use gleaner_frontier::TypeVerdict;
use gleaner_judge::Finding;
use gleaner_judge::equality::{Ladder, visible_digest};
use gleaner_judge::wall::says_wrong;
use gleaner_model::{Content, Reason, Timestamp, Url, VersionId, defaults};
use gleaner_parse::{Kind, Note, Parsed, group_at};
use gleaner_store::StoreError;
use gleaner_store::keep::{Away, Cut, Keep, Outcome, Page, Validators};
use gleaner_store::warc::Digest;
use gleaner_store::work::{Known, Queued};
use gleaner_units::Exchange;

/// A page with all that was found about it.
pub(super) struct ContentPage<'a> {
    pub(super) page: &'a Queued,
    pub(super) exchange: Option<Exchange>,
    pub(super) parsed: Parsed,
    /// Decoded bytes.
    pub(super) size: u64,
    pub(super) is_compressed: bool,
    /// Where the project's steps go on from it.
    pub(super) goings: Vec<Going>,
    /// What the document is worth, where somebody asks.
    pub(super) worth: Option<f32>,
}

pub(super) fn content(
    keep: &mut Keep,
    came: ContentPage<'_>,
    bench: &mut Bench<'_>,
    follows: &mut Follows,
) -> Result<Finding<bool>, JudgeError> {
    let ContentPage {
        page,
        mut exchange,
        parsed,
        size,
        is_compressed,
        goings,
        worth,
    } = came;
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
    let by = bench.by;
    follows.holder = by.rules.holder(&page.url, &parsed.media_type);
    note_cuts(keep, page, &parsed, follows);
    if !page.purpose.is_page() {
        sitemap(page, &parsed, by, follows);
        keep.packed = pack(page, exchange.as_mut(), &parsed, is_compressed, bench)?;
        return Ok(Finding::NoDocument);
    }
    // A form is not sent again without need.
    let needs_proof = by.rules.logs_in || page.request.is_some();
    let suspicion = (by.sites.identities).suspicion(&page.url, page.resource, &parsed.links, needs_proof);
    if suspicion == Suspicion::Wait {
        keep.outcome = Outcome::Again {
            tries: page.tries,
            due_at: keep.at,
        };
        return Ok(Finding::Content(true));
    }
    // What lies on a server that lists is known from its folders; its pages' links are only links.
    let may_follow = page.url.is_web() && !(by.rules.obey_robots && parsed.robots.nofollow);
    // An empty file has no type that could be unwanted; it is there, and its folder says so. So is a page that became empty.
    let verdict = match size {
        0 if !page.url.is_web() || page.known.is_some() => TypeVerdict::Take,
        _ => (by.rules.wanted_at(&page.url)).decide(group_at(&parsed.media_type, page.url.path())),
    };
    let is_closed = by.rules.obey_robots && parsed.robots.noindex;
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
    let is_passed = (by.rules.way.as_ref()).is_some_and(|way| !way.keeps(&page.legs));
    tell(by.rules.witness.as_ref(), || Sight::Page {
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
    by.sites
        .identities
        .note_live(&page.url, parsed.links.iter().map(|link| &link.url));
    for going in goings {
        follows.go(by, going);
    }
    if let Some(guidance) = by.guidance {
        let is_read = is_html(parsed.kind) && worth.is_none();
        let body = exchange.as_ref().filter(|_| is_read).and_then(|exchange| {
            let fields = fields_of(exchange);
            let body = decoded(&fields, &exchange.body)?;
            Some((fields, body))
        });
        let page_body = body
            .as_ref()
            .map(|(fields, body)| (fields.as_slice(), body.as_slice()));
        let is_ours = |url: &Url| by.rules.scope.contains(url);
        follows.scores = guidance.scores(page, &parsed, page_body, worth, is_ours);
    }
    let mut originals = parsed.originals.iter().peekable();
    let mut promises = parsed.promises.iter().peekable();
    for (index, link) in parsed.links.iter().enumerate() {
        let original = originals.next_if(|original| original.link as usize == index);
        let original = original.map(|original| &*original.text);
        let promised = promises.next_if(|(of, _)| *of as usize == index);
        let promised = promised.map(|(_, group)| *group);
        follows.add(by, link, original, page, may_follow, promised);
    }
    follows.add_guesses(by, &parsed, page, may_follow);
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
    let identities = &bench.by.sites.identities;
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
