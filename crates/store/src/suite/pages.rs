//! What the tests of the suite are told in: addresses of a small web, and pages that were fetched there.

use crate::Outlinks;
use crate::keep::{Compared, Enqueue, Keep, KeepWith, Kept, Outcome, Page};
use crate::leases::Fence;
use crate::runs::{RunKind, RunRef, RunStatus};
use crate::store::Store;
use crate::warc::{Capture, Digest, Packed, Packer, Payload};
use crate::work::{Load, Queued};
use gleaner_model::{HostId, Link, LinkKind, Project, ProjectId, Reason, State, Timestamp, Url};
use std::collections::HashSet;

pub(super) const NOW: Timestamp = Timestamp(1_790_000_000_000);

/// So many milliseconds later.
pub(super) fn later(by: i64) -> Timestamp {
    Timestamp(NOW.0 + by)
}

/// An address; one that is only a path is that of `a.test`.
pub(super) fn url(text: &str) -> Url {
    let text = if text.starts_with('/') {
        format!("http://a.test{text}")
    } else {
        text.to_owned()
    };
    Url::parse(&text).unwrap()
}

pub(super) fn project(name: &str) -> Project {
    Project::new(name, vec![url("/")])
}

/// A project of that name and its first run.
pub(super) async fn begin(store: &dyn Store, name: &str) -> RunRef {
    let id = store.project(project(name), NOW).await.unwrap();
    start(store, id, name, RunKind::Crawl).await
}

async fn start(store: &dyn Store, id: ProjectId, name: &str, kind: RunKind) -> RunRef {
    let run = store.start_run(id, project(name), kind, NOW).await.unwrap();
    RunRef { project: id, run }
}

/// Ends a run and begins the next one of its project.
pub(super) async fn next_run(store: &dyn Store, of: RunRef, kind: RunKind) -> RunRef {
    let end = store.end_run(of.run, RunStatus::Finished, NOW, None);
    end.await.unwrap();
    let name = store.run_row(of.run).await.unwrap().project_name;
    start(store, of.project, &name, kind).await
}

/// Puts these addresses at the beginning of a run.
pub(super) async fn seed(store: &dyn Store, of: RunRef, urls: &[&str]) -> Kept {
    let starts = urls.iter().map(|text| (url(text), Enqueue::page(0, 0)));
    store.enqueue_starts(of, starts.collect(), NOW).await.unwrap()
}

pub(super) fn all_of(host: HostId) -> Load {
    Load {
        host,
        fence: Fence::default(),
        after: None,
        held: HashSet::new(),
        limit: 1000,
        priority_below: None,
        wants_robots: false,
        lists_only: false,
    }
}

/// All that waits, host by host.
pub(super) async fn waiting(store: &dyn Store, of: RunRef) -> Vec<Queued> {
    let mut rows = Vec::new();
    for host in store.hosts_waiting(of).await.unwrap() {
        let loaded = store.load(of, all_of(host), true).await.unwrap();
        assert!(loaded.is_all && loaded.unreadable.is_empty());
        rows.extend(loaded.rows);
    }
    rows
}

/// The addresses of all that waits.
pub(super) async fn waiting_urls(store: &dyn Store, of: RunRef) -> Vec<String> {
    let rows = waiting(store, of).await;
    rows.iter().map(|row| short(&row.url)).collect()
}

/// As the tests write it.
pub(super) fn short(url: &Url) -> String {
    let text = url.as_str();
    text.strip_prefix("http://a.test").unwrap_or(text).to_owned()
}

/// The row that waits for an address.
pub(super) async fn row(store: &dyn Store, of: RunRef, text: &str) -> Queued {
    let rows = waiting(store, of).await;
    let found = rows.into_iter().find(|row| row.url == url(text));
    found.unwrap_or_else(|| panic!("{text} does not wait"))
}

pub(super) fn packed(url: &Url, body: &str) -> Packed {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Url: {url}\r\n\r\n");
    let capture = Capture {
        url: url.as_str(),
        at: NOW,
        address: None,
        protocol: "http/1.1",
        request_head: b"GET / HTTP/1.1\r\n\r\n",
        response_head: head.as_bytes(),
        media_type: "",
        payload: Payload::Memory(body.as_bytes()),
        truncated: false,
        is_compressed: false,
        facts: &[],
    };
    Packer::default().pack(capture, &tempfile::tempfile).unwrap()
}

/// A row became a page with this content, which leads to these addresses.
pub(super) fn page(row: &Queued, body: &str, links: &[&str]) -> Keep {
    let entry = Enqueue::page(1, row.depth + 1);
    let links = links
        .iter()
        .map(|text| (*text, LinkKind::Anchor, Some(entry.clone())));
    let (state, is_compared) = match &row.known {
        None => (State::New, false),
        Some(known) if known.is_gone => (State::New, false),
        Some(known) if known.digest == Digest::of(body.as_bytes()) => (State::Sam, false),
        Some(_) => (State::Upd, true),
    };
    let compared = Compared {
        base: row.known.as_ref().map(|known| known.base),
        ladder: Some(format!("ladder of {body}").into_bytes()),
        ..Compared::default()
    };
    Keep {
        status: Some(200),
        wire_bytes: body.len() as u64,
        packed: Some(packed(&row.url, body)),
        outcome: Outcome::Document(Page {
            document: row.known.as_ref().map(|known| known.document),
            media_type: "text/html".to_owned(),
            charset: None,
            title: format!("about {body}"),
            size: body.len() as u64,
            etag: None,
            last_modified: None,
            asked: None,
            compared: is_compared.then(|| Box::new(compared)),
        }),
        state: Some(state),
        reason: None,
        outlinks: outlinks(links),
        links_unchanged: false,
        ..nothing(row)
    }
}

/// The facts of a page, to be changed.
pub(super) fn facts(keep: &mut Keep) -> &mut Page {
    match &mut keep.outcome {
        Outcome::Document(page) => page,
        _ => panic!("no document"),
    }
}

/// Nothing came of a row.
pub(super) fn nothing(row: &Queued) -> Keep {
    let place = (row.fenced_host(), row.resource, row.priority);
    Keep {
        legs: row.legs.clone(),
        ..Keep::nothing(place, row.depth, row.purpose, Reason::ConnectTimeout, NOW)
    }
}

/// The server answered with this status and no content; what that means for a document.
pub(super) fn answered(row: &Queued, status: u16, state: Option<State>) -> Keep {
    Keep {
        status: Some(status),
        state,
        reason: None,
        links_unchanged: false,
        ..nothing(row)
    }
}

/// A row leads elsewhere, where the run asks next.
pub(super) fn redirect(row: &Queued, to: &str) -> Keep {
    let mut entry = Enqueue::page(row.priority, row.depth);
    (entry.hops, entry.chain) = (row.hops + 1, vec![row.url.as_str().to_owned()]);
    Keep {
        outlinks: outlinks([(to, LinkKind::Redirect, Some(entry))]),
        ..answered(row, 301, None)
    }
}

pub(super) fn outlinks<'a>(
    links: impl IntoIterator<Item = (&'a str, LinkKind, Option<Enqueue>)>,
) -> Outlinks {
    let mut outlinks = Outlinks::default();
    for (to, kind, queue) in links {
        outlinks.push(&link(to, kind), None, queue);
    }
    outlinks
}

pub(super) fn link(to: &str, kind: LinkKind) -> Link {
    Link {
        url: url(to),
        kind,
        anchor: String::new(),
        count: 1,
        nofollow: false,
    }
}

pub(super) async fn keep(store: &dyn Store, of: RunRef, batch: Vec<Keep>) -> Kept {
    match store.keep(of, batch, KeepWith::default()).await {
        Ok((_, kept)) => kept,
        Err(not_kept) => panic!("{}", not_kept.error),
    }
}

/// Fetches everything that waits, each page with its own address as content and no links.
pub(super) async fn keep_all(store: &dyn Store, of: RunRef) {
    let rows = waiting(store, of).await;
    let batch = rows.iter().map(|row| page(row, &short(&row.url), &[]));
    keep(store, of, batch.collect()).await;
}
