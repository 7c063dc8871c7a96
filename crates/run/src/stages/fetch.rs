//! Ask the unit: [`Queued`] in, [`Fetched`] out. The type filter stops unwanted bodies before they are read (A6).

use super::pieces::{Hold, Pieces};
use crate::forms::{is_answer, read_kept};
use crate::fresh::Comparing;
use crate::login::PreparedLogin;
use crate::processor::Processor;
use crate::rulebook::Rulebook;
use crate::shared_pace::FurtherStarts;
use crate::site_memory::SiteMemory;
use crate::slashes;
use crate::wall;
use crate::way::Way;
use gleaner_frontier::{RobotsState, TypeVerdict, Wanted};
use gleaner_model::{Reason, Url};
use gleaner_parse::{group_at, packed_group, sniff};
use gleaner_store::work::Queued;
use gleaner_units::listing::stamped_bytes;
use gleaner_units::{
    Answer, Ask, BoundHeader, FilterVerdict, HeadFilter, Headers, Pulse, Refusal, TakePiece, Unclear,
    UnitError, Units,
};
use std::sync::Arc;
use tracing::{Span, debug};

/// A page that was asked for, with what came.
pub struct Fetched {
    pub page: Queued,
    pub answer: Result<Answer, UnitError>,
    /// What was asked for, where that is not the page's own URL.
    pub asked: Option<Url>,
    /// How the answer shows that the session has ended, where it does.
    pub out: Option<String>,
    /// Of a piece of a listing.
    pub hold: Option<Hold>,
    /// What is logged about the page is told with this.
    pub span: Span,
}

/// The unit and what every ask of the run shares.
pub struct Fetcher {
    pub units: Units,
    pub login: Option<PreparedLogin>,
    /// What the project's own sites are told with every question.
    pub headers: Arc<[BoundHeader]>,
    pub body_bytes_max: u64,
    pub rules: Arc<Rulebook>,
    pub sites: Arc<SiteMemory>,
    pub comparing: Arc<Comparing>,
    pub processor: Processor,
    /// Held by the page that asks a host about its slashes.
    pub slashes: tokio::sync::Mutex<()>,
    pub pieces: Arc<Pieces>,
}

impl Fetcher {
    /// What is read of an answer from `url`.
    pub(crate) fn filter(&self, url: &Url) -> Arc<dyn HeadFilter> {
        let path = packed_group(url.path()).map(|_| url.path().to_owned());
        let wanted = self.rules.wanted_at(url);
        Arc::new(TypeFilter { wanted, path })
    }
}

/// Redirects to the same document under another id that are followed at once.
const SAME_DOCUMENT_HOPS: u32 = 3;

/// `luck` is a random number, `further` when other requests to this host may start: for what may have to be asked first.
pub(crate) async fn fetch(
    mut page: Queued,
    fetcher: &Arc<Fetcher>,
    pulse: &Arc<Pulse>,
    robots: Option<&RobotsState>,
    luck: u64,
    further: &FurtherStarts,
) -> Fetched {
    if let Some(near) = fetcher.comparing.probes.take(&page.url) {
        debug!(near = %near, "the host is asked what it says where nothing can be");
        let found = wall::probe(&near, fetcher, luck, further).await;
        fetcher.comparing.probes.put(&near, found);
    }
    let sealed = || fetcher.rules.way.as_ref()?.sealed(&page.url);
    let kept = page.request.as_deref().and_then(read_kept).or_else(sealed);
    if kept.is_none() && is_answer(&page.url) {
        let why = Unclear::plain(Reason::NotReached, "no step filled its form in this run");
        return Fetched {
            page,
            answer: Ok(Answer::Unclear(why)),
            asked: None,
            out: None,
            hold: None,
            span: Span::current(),
        };
    }
    let (form, posted) = match kept {
        Some((action, posted)) => (Some(action), Some(posted)),
        None => (fetcher.sites.identities.request_form(&page.url), None),
    };
    let mut ask = Ask::of(form.as_ref().unwrap_or(&page.url).clone());
    ask.posted = posted;
    ask.pulse = Some(Arc::clone(pulse));
    ask.listed_bytes = page.stamp.as_deref().and_then(stamped_bytes);
    ask.headers = Arc::clone(&fetcher.headers);
    ask.body_bytes_max = fetcher.body_bytes_max;
    let pieces = fetcher
        .units
        .lists(&page.url)
        .then(|| fetcher.pieces.of_folder(&page));
    ask.pieces = pieces.clone().map(|pieces| pieces as Arc<dyn TakePiece>);
    // "Not modified" would not do where others are to be found, nor where it is not to be kept any more.
    let wants_whole = |way: &Way| way.leads_on(&page.legs) || !way.keeps(&page.legs);
    if let (true, Some(known)) = (
        fetcher.rules.way.as_ref().is_some_and(wants_whole),
        &mut page.known,
    ) {
        known.asks_whole = true;
    }
    if page.purpose.is_page() {
        ask.filter = Some(fetcher.filter(&page.url));
        if let Some(known) = page.known.as_ref().filter(|known| known.may_be_unchanged()) {
            ask.etag.clone_from(&known.etag);
            ask.last_modified.clone_from(&known.last_modified);
        }
    }
    let mut answer = fetcher.units.fetch(&ask).await;
    if let (Some(pieces), Ok(Answer::Folder(listing))) = (pieces, &mut answer) {
        pieces.end(listing).await;
    }
    let mut asked = form;
    for _ in 0..SAME_DOCUMENT_HOPS {
        let Some(target) = same_document(&page, &ask, &answer, fetcher, robots) else {
            break;
        };
        debug!(to = %target, "the same document under another id is asked for");
        fetcher.sites.identities.note_live(&page.url, [&target]);
        further.next().await;
        ask.url = target.clone();
        asked = Some(target);
        answer = fetcher.units.fetch(&ask).await;
    }
    let mut fetched = Fetched {
        page,
        answer,
        asked,
        out: None,
        hold: None,
        span: Span::current(),
    };
    // Looked at before the next page is asked for: an ended session costs one request, not one for each page on its way.
    if fetcher.login.is_some() {
        let of_run = Arc::clone(fetcher);
        let look = move || {
            fetched.out = of_run.login.as_ref().and_then(|login| login.is_out(&fetched));
            fetched
        };
        fetched = fetcher.processor.run(look).await;
    }
    match fetched.out {
        None => slashes::look(fetched, fetcher, luck, further).await,
        Some(_) => fetched,
    }
}

/// Where a redirect leads that gives the page another id and nothing else: the document is there, and has not moved.
fn same_document(
    page: &Queued,
    ask: &Ask,
    answer: &Result<Answer, UnitError>,
    fetcher: &Fetcher,
    robots: Option<&RobotsState>,
) -> Option<Url> {
    let Ok(Answer::Moved(_, redirect)) = answer else {
        return None;
    };
    let target = redirect.target.as_ref().ok()?;
    let is_allowed = robots.is_none_or(|robots| robots.refuses(target).is_none());
    let is_same = ask.posted.is_none()
        && page.purpose.is_page()
        && target.origin() == ask.url.origin()
        && *target != ask.url
        && fetcher.sites.identities.is_one_document(&page.url, target);
    (is_same && is_allowed).then(|| target.clone())
}

/// Refuses by the announced type where it is clear, and by the first bytes where it is not.
pub struct TypeFilter {
    pub wanted: Wanted,
    /// Where the address promises a document in gzip.
    pub path: Option<String>,
}

impl TypeFilter {
    fn decide(&self, media_type: &str) -> FilterVerdict {
        let path = self.path.as_deref().unwrap_or_default();
        match self.wanted.decide(group_at(media_type, path)) {
            TypeVerdict::Take | TypeVerdict::PassThrough => FilterVerdict::Go,
            TypeVerdict::Refuse => FilterVerdict::Stop(Refusal {
                reason: Reason::UnwantedType,
                detail: media_type.to_owned(),
            }),
        }
    }
}

impl HeadFilter for TypeFilter {
    fn head(&self, _status: u16, headers: &Headers) -> FilterVerdict {
        match headers.media_type().as_deref() {
            // What servers say when they do not know: the bytes decide.
            None
            | Some(
                "" | "application/octet-stream" | "text/plain" | "application/unknown" | "unknown/unknown",
            ) => FilterVerdict::Go,
            Some(media_type) => self.decide(media_type),
        }
    }

    fn opening(&self, _status: u16, headers: &Headers, opening: &[u8]) -> FilterVerdict {
        if headers
            .get("content-encoding")
            .is_some_and(|e| !e.eq_ignore_ascii_case("identity"))
        {
            return FilterVerdict::Go; // Unpacked and looked at later.
        }
        if opening.is_empty() {
            return FilterVerdict::Go; // Nothing has no type; whether a page became empty is for the judge (HC018).
        }
        let nosniff = headers
            .get("x-content-type-options")
            .is_some_and(|o| o.eq_ignore_ascii_case("nosniff"));
        self.decide(&sniff(headers.get("content-type"), nosniff, opening).media_type)
    }
}
