//! Rows as JSON objects, one a line: the words that programs rely on.

use crate::time::iso;
use gleaner_store::catalog::runs::{Counts, RunRow};
use gleaner_store::read::{ChangeRow, DocumentRow, LinkRow};
use serde_json::{Value, json};

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
        "state": row.state,
        "id": row.document,
        "url": row.url,
        "type": row.media_type,
        "size": row.size,
        "reason": row.reason,
        "detail": row.detail,
    })
}

pub fn document(row: &DocumentRow) -> Value {
    json!({
        "id": row.id,
        "url": row.url,
        "type": row.media_type,
        "size": row.size,
        "fetched_at": iso(row.fetched_at),
        "charset": row.charset,
        "title": row.title,
        "project": row.project,
    })
}

pub fn link(row: &LinkRow) -> Value {
    json!({
        "url": row.url,
        "kind": row.kind,
        "count": row.count,
        "anchor": row.anchor,
        "nofollow": row.nofollow,
        "original": row.original,
        "status": row.status,
    })
}
