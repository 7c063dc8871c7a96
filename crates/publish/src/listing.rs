//! Rows as JSON objects, one a line: the words that programs rely on.

use crate::time::iso;
use gleaner_model::{GivenUrl, Reason, State};
use gleaner_store::Digest;
use gleaner_store::ledger::{Absence, ChangeRow, DocumentRow, LinkRow, PrunedVersion, VersionRow};
use gleaner_store::runs::{Counts, RunRow};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The object a crawl ends with, and one line of `gleaner runs`.
pub fn run(row: &RunRow, counts: &Counts) -> Value {
    json!({
        "project": row.project_name,
        "run": row.id,
        "status": row.status.as_str(),
        "fetched": counts.fetched,
        "new": counts.new,
        "updated": counts.updated,
        "same": counts.same,
        "missing": counts.missing,
        "errors": counts.errors,
        "out": counts.out,
        "kind": row.kind.as_str(),
        "before": counts.before,
        "dead_links": counts.dead_links,
        "redirects": counts.redirects,
        "queued": counts.queued,
        "bytes": row.wire_bytes,
        "seconds": (row.active_ms as f64) / 1000.0,
        "started_at": iso(row.started_at),
        "ended_at": row.ended_at.map(iso),
        "note": row.note,
    })
}

pub fn change(row: &ChangeRow) -> Value {
    json!({
        "state": row.state.as_str(),
        "id": row.document,
        "url": row.url,
        "type": row.media_type,
        "size": row.size,
        "reason": row.reason.map(Reason::code),
        "detail": row.detail,
        "orphan": row.is_orphan,
        "moved_from": row.moved_from,
        "version": row.version,
    })
}

/// `same_as` is the number, within the document, of the version that this one repeats.
pub fn version(row: &VersionRow, same_as: Option<usize>) -> Value {
    let ignored: Option<Value> = row
        .ignored
        .as_deref()
        .and_then(|text| serde_json::from_str(text).ok());
    json!({
        "number": row.number,
        "id": row.id,
        "fetched_at": iso(row.fetched_at),
        "run": row.run,
        "state": row.state.map(State::as_str),
        "same_as": same_as,
        "ignored": ignored.unwrap_or_else(|| json!([])),
        "type": row.media_type,
        "size": row.size,
        "title": row.title,
        "sha256": hex(&row.digest),
        "url": row.url,
        "lost": row.is_lost,
        "pruned": false,
    })
}

/// A version that retention dropped: it has no number and no content any more.
pub fn pruned_version(row: &PrunedVersion) -> Value {
    json!({
        "number": null,
        "run": row.run,
        "run_started_at": iso(row.at),
        "state": row.state.as_str(),
        "pruned": true,
    })
}

pub fn hex(digest: &Digest) -> String {
    digest.0.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

pub fn document(row: &DocumentRow) -> Value {
    let (gone_run, out_run) = match row.absence {
        None => (None, None),
        Some(Absence::Gone(run)) => (Some(run), None),
        Some(Absence::Out(run)) => (None, Some(run)),
    };
    json!({
        "id": row.id,
        "url": row.url,
        "type": row.media_type,
        "size": row.size,
        "fetched_at": iso(row.fetched_at),
        "charset": row.charset,
        "title": row.title,
        "project": row.project,
        "gone_run": gone_run,
        "out_run": out_run,
    })
}

pub fn link(row: &LinkRow) -> Value {
    json!({
        "url": row.url,
        "kind": row.kind.as_str(),
        "count": row.count,
        "anchor": row.anchor,
        "nofollow": row.nofollow,
        "original": row.original.as_deref().map(|text| GivenUrl::from(text).to_string()),
        "status": row.status,
    })
}
