//! Links inside documents that are no pages: PDF, office documents, books (A8). They join those of pages: scope, rules and
//! the graph know no difference.

use super::fetch::Fetched;
use gleaner_model::defaults::{ANCHOR_CHARS_MAX, LINKS_PER_PAGE_MAX};
use gleaner_model::project::TypeGroup;
use gleaner_model::{Link, LinkKind, Reason, Url};
use gleaner_parse::{Note, Parsed, group_at, packed_group};
use gleaner_readers::{Given, Pool, Reading, Unread};
use gleaner_store::Digest;
use gleaner_store::work::Queued;
use gleaner_units::Answer;
use std::collections::HashSet;

/// How documents begin that are announced as something else.
const OPENINGS: [&[u8]; 5] = [b"%PDF-", b"PK\x03\x04", b"\xD0\xCF\x11\xE0", b"{\\rtf", b"%!PS"];

const GZIP: &[u8] = b"\x1f\x8b";

/// Whether it is read by a process apart. Pages are told by one look at their type and their first bytes.
pub(crate) fn is_foreign(fetched: &Fetched) -> bool {
    let Ok(Answer::Here(exchange)) = &fetched.answer else {
        return false;
    };
    if !fetched.page.url.is_web() || !fetched.page.purpose.is_page() {
        return false;
    }
    let announced = exchange.headers.get("content-type").unwrap_or("");
    let opening = exchange.body.as_slice().unwrap_or(&[]);
    is_document(fetched.page.url.path(), announced, opening)
}

/// The same by what is known of an answer: the path of its address, the type that was announced, its body or the beginning of it.
pub(crate) fn is_document(path: &str, announced: &str, body: &[u8]) -> bool {
    if group_at(announced, path) == TypeGroup::Documents || announced.starts_with("text/markdown") {
        return true;
    }
    let is_packed = body.starts_with(GZIP) && packed_group(path).is_some();
    is_packed || OPENINGS.iter().any(|mark| body.starts_with(mark))
}

/// Its bytes are those of the version that is there: so are its links.
pub(super) fn is_known(page: &Queued, body: &[u8]) -> bool {
    let known = page
        .known
        .as_ref()
        .filter(|known| !known.is_gone && !known.was_away);
    known.is_some_and(|known| known.size == body.len() as u64 && known.digest == Digest::of(body))
}

/// Adds a document's links, and its title where it has none yet; why there are none where it could not be read. Gives what was read;
/// none where nobody could read at all.
pub(crate) fn add_links(
    pool: &Pool,
    base: &Url,
    body: &[u8],
    parsed: &mut Parsed,
) -> Option<Result<Reading, Unread>> {
    let given = Given {
        media_type: &parsed.media_type,
        name: base.path(),
    };
    let reading = match pool.read(body, &given) {
        Ok(Ok(reading)) => reading,
        // That a document has no text, or is of an unknown kind, is no failure.
        Ok(Err(unread)) => {
            let reason = unread.reason();
            if !matches!(reason, Reason::DocumentNoText | Reason::DocumentUnknown) {
                parsed.notes.push(Note::Unread { reason });
            }
            return Some(Err(unread));
        }
        Err(error) => {
            tracing::warn!(url = %base, "{error}");
            let reason = Reason::DocumentCrashed;
            parsed.notes.push(Note::Unread { reason });
            return None;
        }
    };
    if parsed.title.is_empty() {
        parsed.title = reading.metadata.title.chars().take(300).collect();
    }
    let mut seen: HashSet<Url> = parsed.links.iter().map(|link| link.url.clone()).collect();
    for target in reading.links() {
        if parsed.links.len() >= LINKS_PER_PAGE_MAX {
            parsed.notes.push(Note::LinksCut { dropped: 1 });
            break;
        }
        let Ok(url) = base.join(&target.address) else {
            continue;
        };
        if seen.insert(url.clone()) {
            parsed.links.push(Link {
                url,
                kind: LinkKind::Anchor,
                anchor: target.text.chars().take(ANCHOR_CHARS_MAX).collect(),
                count: 1,
                nofollow: false,
            });
        }
    }
    Some(Ok(reading))
}
