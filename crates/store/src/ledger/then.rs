//! A project as it was at the end of a run: which documents it had, in which versions, and which addresses led to them.
//!
//! The store says which versions there were and what each run found; what was then follows from both, for every store alike.

use super::{LinkLedger, StructureLedger};
use crate::{Digest, StoreError};
use gleaner_model::{
    DocumentId, LinkKind, ProjectId, ResourceId, RunId, State, Timestamp, Url, UrlKey, VersionId,
};
use std::collections::{HashMap, HashSet};
use std::ops::Deref;

/// A document with the last of its versions up to a run, as it is called now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldingRow {
    pub document: DocumentId,
    pub version: VersionId,
    /// The run that kept the version.
    pub run: RunId,
    pub key: UrlKey,
    pub url: String,
    pub host: String,
    pub media_type: String,
    pub charset: Option<String>,
    pub title: Option<String>,
    /// Decoded bytes.
    pub size: u64,
    /// Of the version.
    pub fetched_at: Timestamp,
    /// Of the oldest version that is kept.
    pub first_fetched_at: Timestamp,
    /// Of the body as sent.
    pub digest: Digest,
    /// Its bytes are lost.
    pub is_lost: bool,
}

/// A document that a run found at another address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// None: it was dropped since.
    pub document: Option<DocumentId>,
    pub from: ResourceId,
    pub to: ResourceId,
}

/// A document as it stood at the end of a run: all that its row says, with its address then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    row: HoldingRow,
    /// What the last run that looked at the document said.
    pub state: State,
    /// The run that found it gone, or that no longer took it; none: it was there.
    pub gone_run: Option<RunId>,
}

impl Deref for Holding {
    type Target = HoldingRow;

    fn deref(&self) -> &HoldingRow {
        &self.row
    }
}

/// A document as it was then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentThen {
    pub document: DocumentId,
    pub version: VersionId,
    /// Of its address, or of its identity where parts of that are volatile.
    pub key: UrlKey,
    pub url: String,
    pub media_type: String,
    /// Its bytes are gone.
    pub is_lost: bool,
}

/// What runs said about a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastTold {
    pub state: State,
    /// The first of the runs since which it is not there.
    pub gone_run: Option<RunId>,
}

impl LastTold {
    /// What is known after one more run.
    fn then(before: Option<LastTold>, state: State, run: RunId) -> LastTold {
        let was_gone = before.and_then(|told| told.gone_run);
        let gone_run = match state {
            // An error says nothing about what is there.
            State::Err => was_gone,
            State::Mis | State::Out => was_gone.or(Some(run)),
            State::New | State::Upd | State::Sam => None,
        };
        LastTold { state, gone_run }
    }
}

const PAGE: usize = super::PAGE;

pub trait ThenLedger: StructureLedger + LinkLedger {
    /// Documents of a project that had a version by then, the oldest first, behind one; none at the end.
    fn holding_rows(
        &self,
        project: ProjectId,
        run: RunId,
        after: Option<DocumentId>,
        limit: usize,
    ) -> Result<Vec<HoldingRow>, StoreError>;

    /// What a run found to have moved.
    fn moves(&self, run: RunId) -> Result<Vec<Moved>, StoreError>;

    /// The runs of a project up to one, the oldest first.
    fn runs_up_to(&self, project: ProjectId, run: RunId) -> Result<Vec<RunId>, StoreError> {
        let runs = self.runs()?.into_iter();
        let own = runs.filter(|row| row.project == project && row.id <= run);
        Ok(own.map(|row| row.id).collect())
    }

    /// What the runs up to one said about each document of a project.
    fn told(&self, project: ProjectId, run: RunId) -> Result<HashMap<DocumentId, LastTold>, StoreError> {
        let mut all: HashMap<DocumentId, LastTold> = HashMap::new();
        for run in self.runs_up_to(project, run)? {
            let mut after = None;
            loop {
                let page = self.judgements(run, after, PAGE)?;
                let Some(last) = page.last() else { break };
                after = Some(last.resource);
                for found in &page {
                    if let Some(document) = found.document {
                        let told = LastTold::then(all.get(&document).copied(), found.state, run);
                        all.insert(document, told);
                    }
                }
            }
        }
        Ok(all)
    }

    /// Documents that have another address since, with the one they had then.
    fn moved_later(
        &self,
        project: ProjectId,
        run: RunId,
    ) -> Result<HashMap<DocumentId, ResourceId>, StoreError> {
        let mut moved = HashMap::new();
        for row in self.runs()? {
            if row.project == project && row.id > run {
                for one in self.moves(row.id)? {
                    if let Some(document) = one.document {
                        moved.entry(document).or_insert(one.from);
                    }
                }
            }
        }
        Ok(moved)
    }

    /// What the project held at the end of `run`, the oldest document first, also what was gone by then.
    fn holdings(&self, project: ProjectId, run: RunId) -> Result<Vec<Holding>, StoreError> {
        let mut told = self.told(project, run)?;
        let moved_later = self.moved_later(project, run)?;
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = self.holding_rows(project, run, after, PAGE)?;
            let Some(last) = page.last() else { break };
            after = Some(last.document);
            for mut row in page {
                let told = told.remove(&row.document);
                if let Some(&then) = moved_later.get(&row.document)
                    && let Some(place) = self.place(then)?
                {
                    row.key = place.key;
                    if let Ok(parsed) = Url::parse(&place.url) {
                        parsed.host().clone_into(&mut row.host);
                    }
                    row.url = place.url;
                }
                found.push(Holding {
                    row,
                    gone_run: told.and_then(|told| told.gone_run),
                    // A version is kept together with its change.
                    state: told.map_or(State::New, |told| told.state),
                });
            }
        }
        Ok(found)
    }

    /// What the project had at the end of `run`, the oldest document first: neither what that run or one before it found to be
    /// gone, nor what the settings no longer took.
    fn documents_then(&self, project: ProjectId, run: RunId) -> Result<Vec<DocumentThen>, StoreError> {
        let told = self.told(project, run)?;
        let moved_later = self.moved_later(project, run)?;
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = self.holding_rows(project, run, after, PAGE)?;
            let Some(last) = page.last() else { break };
            after = Some(last.document);
            for row in page {
                if told
                    .get(&row.document)
                    .is_some_and(|told| told.gone_run.is_some())
                {
                    continue;
                }
                let (mut key, mut url) = (row.key, row.url);
                if let Some(&then) = moved_later.get(&row.document)
                    && let Some(place) = self.place(then)?
                {
                    (key, url) = (place.key, place.url);
                }
                found.push(DocumentThen {
                    document: row.document,
                    version: row.version,
                    key,
                    url,
                    media_type: row.media_type,
                    is_lost: row.is_lost,
                });
            }
        }
        Ok(found)
    }

    /// Documents that were there at the end of `run` in a version which retention has dropped since, with their addresses.
    fn pruned_then(&self, project: ProjectId, run: RunId) -> Result<HashMap<DocumentId, String>, StoreError> {
        let told = self.told(project, run)?;
        // What a run reported stays when its version goes. The last such report up to that run tells which version was meant.
        let mut dropped: HashMap<DocumentId, ResourceId> = HashMap::new();
        for run in self.runs_up_to(project, run)? {
            let mut after = None;
            loop {
                let page = self.judgements(run, after, PAGE)?;
                let Some(last) = page.last() else { break };
                after = Some(last.resource);
                for found in page {
                    let is_report =
                        matches!(found.state, State::New | State::Upd) && found.moved_from.is_none();
                    let Some(document) = found.document.filter(|_| is_report) else {
                        continue;
                    };
                    let is_there = told.get(&document).is_none_or(|told| told.gone_run.is_none());
                    if found.version.is_none() && is_there {
                        dropped.insert(document, found.resource);
                    } else {
                        dropped.remove(&document);
                    }
                }
            }
        }
        let mut pruned = HashMap::new();
        for (document, resource) in dropped {
            if let Some(place) = self.place(resource)? {
                pruned.insert(document, place.url);
            }
        }
        Ok(pruned)
    }

    /// Addresses that led to others then: by a redirect, or because the document had moved.
    fn detours_then(&self, project: ProjectId, run: RunId) -> Result<HashMap<UrlKey, UrlKey>, StoreError> {
        let mut detours = HashMap::new();
        let mut redirecting: HashSet<ResourceId> = HashSet::new();
        let runs = self.runs_up_to(project, run)?;
        for &run in &runs {
            for one in self.moves(run)? {
                if let (Some(from), Some(to)) = (self.place(one.from)?, self.place(one.to)?) {
                    detours.insert(from.key, to.key);
                }
            }
        }
        for run in runs {
            let mut after = None;
            loop {
                let page = self.sightings(run, after, PAGE)?;
                let Some(last) = page.last() else { break };
                after = Some(last.resource);
                let redirects = page.iter().filter(|seen| seen.is_redirect());
                redirecting.extend(redirects.map(|seen| seen.resource));
            }
        }
        for resource in redirecting {
            let lists = self.links_of(resource, Some(run))?;
            let target = lists
                .iter()
                .flat_map(|(_, links)| links)
                .find(|link| link.kind == LinkKind::Redirect);
            let Some(target) = target else { continue };
            if let (Some(from), Some(to)) = (self.place(resource)?, self.place(target.target)?) {
                detours.insert(from.key, to.key);
            }
        }
        Ok(detours)
    }
}
