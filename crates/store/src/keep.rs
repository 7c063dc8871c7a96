//! What is given to `Work::keep`, and what it gives back: plain values, made where pages are judged.

use crate::StoreError;
use crate::leases::{Fence, FencedHost};
use crate::outlinks::{Outlink, Outlinks};
use crate::warc::Packed;
use crate::work::Purpose;
use gleaner_model::{DocumentId, HostId, Leg, Reason, ResourceId, State, Timestamp, Url, UrlKey, VersionId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One URL that was taken up and is now done with, or to be tried again.
pub struct Keep {
    pub host: HostId,
    /// Of the lease under which its row was loaded.
    pub fence: Fence,
    pub resource: ResourceId,
    pub priority: i64,
    pub depth: u32,
    pub at: Timestamp,
    pub status: Option<u16>,
    pub wire_bytes: u64,
    /// The records of the exchange, if there was one.
    pub packed: Option<Packed>,
    pub outcome: Outcome,
    /// What the run found about the document; `None` for what is no document (a redirect, a dead link).
    pub state: Option<State>,
    pub reason: Option<Reason>,
    pub detail: Option<String>,
    /// Links of the page, decided on.
    pub outlinks: Outlinks,
    /// The links stored from the last version are still right: nothing to write.
    pub links_unchanged: bool,
    pub cuts: Vec<Cut>,
    /// Whether the host's validators told the truth, where that was seen.
    pub validators: Option<Validators>,
    /// The steps that it was looked at for; others may have come to want it meanwhile.
    pub legs: Vec<Leg>,
    pub away: Away,
}

/// Whether a document came as itself.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub enum Away {
    /// It did, or nothing is known of it, or nothing came.
    #[default]
    No,
    /// Something else came in its place; the digests of that, where it was content.
    Instead(Option<Vec<u8>>),
    /// It is back.
    Back,
}

impl Keep {
    /// Nothing came of a URL, for a reason of ours.
    pub fn nothing(
        (FencedHost { host, fence }, resource, priority): (FencedHost, ResourceId, i64),
        depth: u32,
        purpose: Purpose,
        reason: Reason,
        at: Timestamp,
    ) -> Keep {
        Keep {
            host,
            fence,
            resource,
            priority,
            depth,
            at,
            status: None,
            wire_bytes: 0,
            packed: None,
            outcome: Outcome::Nothing,
            state: (purpose == Purpose::Page).then_some(State::Err),
            reason: Some(reason),
            detail: None,
            outlinks: Outlinks::default(),
            links_unchanged: true,
            cuts: Vec::new(),
            validators: None,
            legs: Vec::new(),
            away: Away::No,
        }
    }

    pub fn fenced_host(&self) -> FencedHost {
        FencedHost {
            host: self.host,
            fence: self.fence,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validators {
    Right,
    Wrong,
}

pub enum Outcome {
    /// There is a document; the page's facts.
    Document(Page),
    /// The server says that the document is as it was; nothing came.
    Unchanged(DocumentId),
    /// No document came of it.
    Nothing,
    /// Stays in the frontier, to be asked again.
    Again { tries: u32, due_at: Timestamp },
    /// Entries of a folder whose listing goes on: they are kept, and the folder stays in the frontier until the last ones come.
    Piece(Share),
}

/// Which entries of a folder these are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    First,
    Next,
}

/// The facts of a page that was kept.
pub struct Page {
    pub document: Option<DocumentId>,
    pub media_type: String,
    pub charset: Option<String>,
    pub title: String,
    pub size: u64,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// The URL as asked for, where that is not the resource's: a site that wants the ids of the running session.
    pub asked: Option<String>,
    /// What the comparison with an older version found; none if there was none to make.
    pub compared: Option<Box<Compared>>,
}

/// How new bytes stand to the version they were compared with.
#[derive(Debug, Default)]
pub struct Compared {
    pub base: Option<VersionId>,
    /// The same under the project's equality, though the bytes differ.
    pub is_same: bool,
    /// JSON: what differed and did not count.
    pub ignored: Option<String>,
    /// Digests at all levels, of the new version and of the one compared with, where they were made.
    pub ladder: Option<Vec<u8>>,
    pub base_ladder: Option<Vec<u8>>,
}

impl Page {
    pub(crate) fn shown_title(&self) -> Option<&str> {
        Some(self.title.as_str()).filter(|title| !title.is_empty())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enqueue {
    pub priority: i64,
    /// Comes before the priority: higher is sooner. 0 where nobody gives scores.
    pub score: u16,
    pub depth: u32,
    pub purpose: Purpose,
    pub hops: u32,
    pub chain: Vec<String>,
    /// Ask again though this run took it up already: a redirect that sets a cookie and leads back (HC062).
    pub again: bool,
    /// How a listing speaks of it; none for what was found otherwise.
    pub listed: Option<Listed>,
    /// The steps that lead there; none in a project without steps.
    pub legs: Vec<Leg>,
    /// The form to send, as JSON.
    pub request: Option<String>,
}

impl Enqueue {
    /// A page to ask for, found in no special way.
    pub fn page(priority: i64, depth: u32) -> Enqueue {
        Enqueue {
            priority,
            score: 0,
            depth,
            purpose: Purpose::Page,
            hops: 0,
            chain: Vec::new(),
            again: false,
            listed: None,
            legs: Vec::new(),
            request: None,
        }
    }

    /// The same for a sitemap.
    pub fn sitemap(hops: u32) -> Enqueue {
        Enqueue {
            purpose: Purpose::Sitemap,
            hops,
            ..Enqueue::page(0, 0)
        }
    }
}

/// An entry of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    /// Its metadata as one word; a document that was kept under the same one is as it was. `None`: that cannot be told.
    pub stamp: Option<String>,
    /// Of so many documents that are as they were one is fetched all the same; none of them at 0.
    pub sample: u32,
}

/// Something left out, for the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub reason: Reason,
    pub shape: String,
    pub count: u64,
    pub example: String,
}

/// What a batch brought for the scheduler.
#[derive(Debug, Default, Clone)]
pub struct Kept {
    /// Hosts that got new rows in the frontier, with how many.
    pub queued: BTreeMap<HostId, u64>,
    /// Pages whose payload was stored already.
    pub copies: BTreeSet<ResourceId>,
    /// Documents that a listing shows to be as they were.
    pub unchanged: u64,
    /// Leases that were lost: nothing of their pages was kept.
    pub lost: BTreeSet<FencedHost>,
}

/// A URL that a batch would take up and that its run has not met, with what the store knows of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub url: Url,
    pub key: UrlKey,
    /// The page that it was found on.
    pub from: ResourceId,
    /// None: no run met it before this one.
    pub resource: Option<ResourceId>,
    /// No link leads there, only a string of the page.
    pub is_guess: bool,
    /// What the project's last run had of it, where that was no document.
    pub last: Option<LastAnswer>,
}

impl Found {
    /// `outlink` stands on the page `from` and is queued as `entry`.
    pub(crate) fn of(
        outlink: &Outlink<'_>,
        entry: &Enqueue,
        from: ResourceId,
        resource: Option<ResourceId>,
        last: Option<LastAnswer>,
    ) -> Found {
        Found {
            url: Url::parse(outlink.url)
                .expect("canonical text is a URL: canonicalising twice changes nothing"),
            key: outlink.key,
            from,
            resource,
            is_guess: entry.purpose == Purpose::Guess,
            last,
        }
    }
}

/// URLs of a batch that are not to be asked for, and why.
pub type Refused = HashMap<UrlKey, Reason>;

/// What an address that is no document was when it was asked last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastAnswer {
    /// It led elsewhere. `is_there`: to a document that the project has, or out of its scope.
    Redirect { is_there: bool },
    /// Its type is not one the project takes, or it is no page and asks not to be kept.
    Unwanted,
}

/// A resource and the key that follows from the rules of its site.
pub type Rekeyed = (ResourceId, UrlKey);

/// What goes with a batch.
#[derive(Debug, Clone, Default)]
pub struct KeepWith {
    /// How long the run has worked, its earlier parts included.
    pub active_ms: u64,
    /// The cookie jar, sealed, where it changed.
    pub cookies: Option<Vec<u8>>,
    pub refused: Refused,
}

/// A batch that was not kept: nothing of it happened.
pub struct NotKept {
    pub batch: Vec<Keep>,
    pub error: StoreError,
}
