//! What does a capture say? In: an address, a head and a body, and what our own metadata adds. Out: a [`Keep`], as the run that
//! made the capture gave it to the store.

use crate::stages::documents::{add_links, is_document};
use gleaner_history::side::headers;
use gleaner_model::defaults::PARSE_BYTES_MAX;
use gleaner_model::{HostId, Link, LinkKind, Reason, ResourceId, State, Timestamp, Url, defaults};
use gleaner_parse::{DecodeLimits, Input, Kind, Parsed, decode, encodings, parse, parse_sitemap};
use gleaner_readers::Pool;
use gleaner_store::Digest;
use gleaner_store::Outlinks;
use gleaner_store::keep::{Away, Compared, Enqueue, Keep, Outcome, Page};
use gleaner_store::leases::Fence;
use gleaner_store::sqlite::Earlier;
use gleaner_store::work::Purpose;
use std::collections::BTreeMap;

/// A capture with all that is known of it.
pub(super) struct Told<'a> {
    /// The resource's, which is not always what was asked for.
    pub(super) url: &'a Url,
    /// What was asked for, where that differs.
    pub(super) asked: Option<String>,
    pub(super) at: Timestamp,
    pub(super) head: &'a [u8],
    /// As sent: with its content encodings.
    pub(super) body: &'a [u8],
    pub(super) digest: Digest,
    /// Our own metadata; empty in files of others.
    pub(super) facts: &'a BTreeMap<String, String>,
    pub(super) earlier: Option<Earlier>,
}

impl Told<'_> {
    fn fact(&self, name: &str) -> Option<&str> {
        self.facts.get(name).map(String::as_str)
    }

    /// Whether our own run says what came of it.
    fn is_ours(&self) -> bool {
        self.facts.contains_key("run")
    }

    fn depth(&self) -> u32 {
        self.fact("depth").and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    fn purpose(&self) -> Purpose {
        match self.fact("purpose") {
            Some("sitemap") => Purpose::Sitemap,
            _ => Purpose::Page,
        }
    }

    /// How the run took it up.
    pub(super) fn entry(&self) -> Enqueue {
        Enqueue {
            purpose: self.purpose(),
            ..Enqueue::page(0, self.depth())
        }
    }

    /// None: it is a file and was not asked for over HTTP.
    pub(super) fn status(&self) -> Option<u16> {
        let line = self.head.split(|byte| *byte == b'\n').next()?;
        let text = std::str::from_utf8(line).ok()?;
        text.split_ascii_whitespace().nth(1)?.parse().ok()
    }
}

/// What the run kept of it. `at` names the rows that it took up.
pub(super) fn keep_of(
    told: &Told<'_>,
    (resource, host): (ResourceId, HostId),
    readers: Option<&Pool>,
) -> Keep {
    let status = told.status();
    let state = told.fact("state").and_then(State::parse);
    let is_there = told.earlier.is_some_and(|earlier| !earlier.is_gone);
    let mut keep = Keep {
        host,
        fence: Fence::default(),
        resource,
        priority: 0,
        depth: told.depth(),
        at: told.at,
        status,
        wire_bytes: told.body.len() as u64,
        packed: None,
        outcome: Outcome::Nothing,
        state: None,
        reason: told.fact("reason").map(Reason::stored),
        detail: None,
        outlinks: Outlinks::default(),
        links_unchanged: false,
        cuts: Vec::new(),
        validators: None,
        legs: Vec::new(),
        away: Away::No,
    };
    let is_content = match (told.head.is_empty(), status) {
        (true, _) => true,
        (false, Some(status)) => (200..300).contains(&status) && status != 206,
        (false, None) => false,
    };
    if is_content {
        content(told, state, readers, &mut keep);
        return keep;
    }
    keep.state = if told.is_ours() {
        state
    } else {
        match status {
            Some(404 | 410) => is_there.then_some(State::Mis),
            Some(300..=399) => None,
            _ => Some(State::Err),
        }
    };
    match status {
        Some(status @ 300..=399) if status != 304 => {
            if let Some(link) = redirect(told) {
                keep.outlinks.push(&link, None, None);
            }
        }
        Some(status) if keep.reason.is_none() => keep.reason = Some(Reason::of_status(status)),
        _ => {}
    }
    keep.links_unchanged = keep.outlinks.is_empty() && keep.state == Some(State::Err);
    keep
}

fn redirect(told: &Told<'_>) -> Option<Link> {
    let headers = headers(told.head);
    let location = &headers.iter().find(|(name, _)| name == "location")?.1;
    let asked = told.asked.as_deref().and_then(|asked| Url::parse(asked).ok());
    let url = asked.as_ref().unwrap_or(told.url).join(location).ok()?;
    Some(Link {
        url,
        kind: LinkKind::Redirect,
        anchor: String::new(),
        count: 1,
        nofollow: false,
    })
}

fn content(told: &Told<'_>, state: Option<State>, readers: Option<&Pool>, keep: &mut Keep) {
    // Our own run says whether it took it for a document; a page that says "not found" it did not.
    let is_document = !told.is_ours() || matches!(state, Some(State::New | State::Upd | State::Sam));
    let Some((parsed, size)) = read(told, readers) else {
        keep.state = if told.is_ours() { state } else { Some(State::Err) };
        keep.reason = keep.reason.or(Some(Reason::Lost));
        return;
    };
    let is_list = told.purpose() == Purpose::Sitemap
        || !told.is_ours() && matches!(parsed.kind, Kind::Sitemap | Kind::SitemapIndex);
    if is_list {
        for entry in &parsed.entries {
            let link = Link {
                url: entry.url.clone(),
                kind: LinkKind::Sitemap,
                anchor: String::new(),
                count: 1,
                nofollow: false,
            };
            keep.outlinks.push(&link, None, None);
        }
        return;
    }
    if !is_document {
        keep.state = state;
        keep.links_unchanged = keep.state == Some(State::Err);
        return;
    }
    let alive = told.earlier.filter(|earlier| !earlier.is_gone);
    let is_known =
        alive.is_some_and(|earlier| earlier.digest == told.digest || earlier.base_digest == told.digest);
    // Records may be missing: what was changed or the same is new to us where there is nothing before it.
    let state = match (alive, state) {
        (None, _) => State::New,
        (Some(_), Some(state @ (State::Upd | State::Sam))) => state,
        (Some(_), _) if is_known => State::Sam,
        (Some(_), _) => State::Upd,
    };
    let compared = alive.filter(|_| !is_known).map(|earlier| {
        Box::new(Compared {
            base: Some(earlier.base),
            is_same: state == State::Sam,
            ..Compared::default()
        })
    });
    keep.state = Some(state);
    keep.links_unchanged = state == State::Sam && compared.is_none();
    let headers = headers(told.head);
    let field = |name: &str| {
        let found = headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    };
    keep.outlinks.reserve(parsed.links.len());
    let mut originals = parsed.originals.iter().peekable();
    for (index, link) in parsed.links.iter().enumerate() {
        let original = originals.next_if(|original| original.link as usize == index);
        keep.outlinks
            .push(link, original.map(|original| &*original.text), None);
    }
    keep.outcome = Outcome::Document(Page {
        document: told.earlier.map(|earlier| earlier.document),
        media_type: parsed.media_type,
        charset: parsed.charset.map(|charset| charset.name.to_string()),
        title: parsed.title,
        size,
        etag: field("etag"),
        last_modified: field("last-modified"),
        asked: told.asked.clone(),
        compared,
    });
}

/// The content with its encodings off, and its size then; none where it cannot be unpacked.
fn read(told: &Told<'_>, readers: Option<&Pool>) -> Option<(Parsed, u64)> {
    let headers = headers(told.head);
    let encodings = encodings(&headers).ok()?;
    let asked = told.asked.as_deref().and_then(|asked| Url::parse(asked).ok());
    let input = Input {
        url: asked.as_ref().unwrap_or(told.url),
        headers: &headers,
        body: &[],
        agent: defaults::AGENT_TOKEN,
        is_sitemap: told.purpose() == Purpose::Sitemap,
    };
    if input.is_sitemap {
        let streamed = parse_sitemap(&input, told.body, told.body.len() as u64, &encodings);
        return Some((streamed.parsed, streamed.decoded_bytes));
    }
    let mut unpacked = Vec::new();
    let (body, size) = if encodings.is_empty() {
        (told.body, told.body.len() as u64)
    } else {
        let limits = DecodeLimits {
            decoded_bytes_max: u64::MAX,
            ..DecodeLimits::default()
        };
        let length = told.body.len() as u64;
        let decoded = decode(
            told.body,
            length,
            &encodings,
            &limits,
            &mut unpacked,
            PARSE_BYTES_MAX,
        )
        .ok()?;
        (unpacked.as_slice(), decoded.decoded_bytes)
    };
    let body = &body[..body.len().min(PARSE_BYTES_MAX)];
    let mut parsed = parse(&Input { body, ..input });
    if let Some(pool) = readers.filter(|_| told.url.is_web() && size == body.len() as u64) {
        let base = asked.as_ref().unwrap_or(told.url);
        let announced = headers.iter().find(|(name, _)| name == "content-type");
        let announced = announced.map_or("", |(_, value)| value.as_str());
        if is_document(base.path(), announced, body) {
            add_links(pool, base, body, &mut parsed);
        }
    }
    Some((parsed, size))
}
