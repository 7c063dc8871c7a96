//! The last stage of a run.

use super::MemoryStore;
use super::rows::{HeldChange, Rows};
use crate::StoreError;
use crate::runs::RunRef;
use crate::settling::{
    Candidate, FolderVisit, HostCounts, HostDocument, Move, Settling, SettlingTurn, TakenBack,
    UnlistedDocument,
};
use async_trait::async_trait;
use gleaner_model::{DocumentId, HostId, Reason, ResourceId, State, Timestamp, Url, defaults};
use std::collections::BTreeMap;

impl Rows {
    fn candidate(&self, resource: ResourceId, change: &HeldChange) -> Option<Candidate> {
        let document = change.document?;
        let version = self.documents.get(&document)?.version?;
        let row = self.versions.get(&version)?;
        Some(Candidate {
            document,
            resource,
            url: self.resources[&resource].url.as_str().to_owned(),
            version,
            digest: row.digest.0,
            size: row.size,
            title: row.title.clone(),
        })
    }

    pub(super) fn end_of_redirects(&self, from: ResourceId) -> Option<ResourceId> {
        let mut at = from;
        for _ in 0..=defaults::REDIRECTS_MAX {
            match self.redirect_from(at) {
                Some(next) if next != from => at = next,
                _ => break,
            }
        }
        (at != from).then_some(at)
    }

    fn keep_move(&mut self, of: RunRef, moved: Move) {
        let Move {
            old,
            new,
            state,
            same_as,
            detail,
        } = moved;
        for (id, version) in &mut self.versions {
            // The records of older versions name the address they were fetched from.
            if version.document == old.document && version.asked.is_none() {
                version.asked = Some(old.url.clone());
            }
            if version.document == new.document {
                version.document = old.document;
                if *id == new.version {
                    version.same_as = same_as;
                }
            }
        }
        // Of this run only what is said of the old one stays.
        self.changes
            .retain(|(run, _), change| *run != of.run || change.document != Some(new.document));
        for change in self.changes.values_mut() {
            if change.document == Some(new.document) {
                change.document = Some(old.document);
            }
        }
        if let Some(gone) = self.documents.remove(&new.document) {
            self.document_at.remove(&(gone.resource, gone.project));
        }
        if let Some(document) = self.documents.get_mut(&old.document) {
            self.document_at.remove(&(document.resource, document.project));
            document.resource = new.resource;
            (document.version, document.gone_run) = (Some(new.version), None);
            self.document_at
                .insert((document.resource, document.project), old.document);
        }
        let said: Vec<_> = self
            .changes
            .extract_if(.., |(run, _), change| {
                *run == of.run && change.document == Some(old.document)
            })
            .collect();
        for (_, change) in said {
            let change = HeldChange {
                version: Some(new.version),
                state,
                reason: Some(Reason::Moved),
                detail: Some(detail.clone()),
                moved_from: Some(old.resource),
                ..change
            };
            self.changes.insert((of.run, new.resource), change);
        }
    }

    fn counts_by_host(&self, of: RunRef) -> Vec<HostCounts> {
        let mut found: BTreeMap<HostId, HostCounts> = BTreeMap::new();
        let mut reasons: BTreeMap<(HostId, &str), (Reason, usize)> = BTreeMap::new();
        let changes = self
            .changes_of(of.run)
            .filter(|(_, change)| change.document.is_some());
        for (resource, change) in changes {
            let id = self.resources[&resource].host;
            let host = &self.hosts[&id];
            let counts = found.entry(id).or_insert_with(|| HostCounts {
                host: id,
                scheme: host.scheme.clone(),
                name: host.name.clone(),
                port: host.port,
                all: 0,
                same: 0,
                changed: 0,
                failed: 0,
                gone: 0,
                reasons: Vec::new(),
            });
            counts.all += 1;
            match change.state {
                State::Sam => counts.same += 1,
                State::Upd => counts.changed += 1,
                State::Mis => counts.gone += 1,
                State::Err => {
                    counts.failed += 1;
                    if let Some(reason) = change.reason {
                        reasons.entry((id, reason.code())).or_insert((reason, 0)).1 += 1;
                    }
                }
                State::New | State::Out => {}
            }
        }
        for ((host, _), told) in reasons {
            found.entry(host).and_modify(|counts| counts.reasons.push(told));
        }
        let is_changed = |counts: &HostCounts| counts.changed + counts.failed + counts.gone > 0;
        found.into_values().filter(is_changed).collect()
    }

    fn host_documents(&self, of: RunRef, host: HostId) -> Vec<HostDocument> {
        let last_run = self.run_before(of.project, of.run);
        let mut found = Vec::new();
        for (resource, change) in self.changes_in_order(of.run) {
            let is_changed = matches!(change.state, State::Upd | State::Err | State::Mis);
            let document = change
                .document
                .and_then(|id| Some((id, self.documents.get(&id)?)));
            let (true, Some((id, document))) = (is_changed, document) else {
                continue;
            };
            if self.resources[&resource].host != host {
                continue;
            }
            let version = change.version;
            let mut older = self.ladders.iter().rev().filter(|(of, _)| {
                Some(**of) < version && self.versions.get(of).is_some_and(|row| row.document == id)
            });
            let is_shown_in = |run| document.instead_run.is_some() && document.instead_run == run;
            let last = last_run.and_then(|run| self.changes.get(&(run, resource)));
            let last = last.filter(|change| change.document.is_some());
            found.push(HostDocument {
                document: id,
                resource,
                state: change.state,
                reason: change.reason,
                version,
                ladder: version.and_then(|version| self.ladders.get(&version).cloned()),
                base_ladder: older.next().map(|(_, ladder)| ladder.clone()),
                shown: document.instead.clone().filter(|_| is_shown_in(Some(of.run))),
                shown_last: document.instead.clone().filter(|_| is_shown_in(last_run)),
                last: last.map(|change| (change.state, change.reason)),
            });
        }
        found
    }

    fn take_back(&mut self, of: RunRef, taken: &TakenBack, detail: &str) {
        let shown = self.ladders.remove(&taken.version);
        if let Some(change) = self.change_of_document(of.run, taken.document) {
            (change.state, change.reason, change.version) = (State::Err, Some(taken.reason), None);
            change.detail = Some(detail.to_owned());
        }
        self.versions.remove(&taken.version);
        let newest = self.newest_version(taken.document);
        if let Some(document) = self.documents.get_mut(&taken.document) {
            (document.instead_run, document.instead) = (Some(of.run), shown);
            document.version = newest;
        }
        self.restore_links(taken.resource, of.run);
    }

    fn withhold(&mut self, of: RunRef, document: DocumentId, resource: ResourceId, detail: &str) {
        if let Some(change) = self.change_of_document(of.run, document) {
            change.state = State::Err;
            change.detail = Some(detail.to_owned());
            if change.reason == Some(Reason::Soft404) {
                change.reason = Some(Reason::SameForAll);
            }
        }
        if let Some(document) = self.documents.get_mut(&document) {
            document.gone_run = None;
        }
        self.restore_links(resource, of.run);
    }

    fn drop_new(&mut self, of: RunRef, one: &Candidate) {
        let id = one.document;
        self.changes.retain(|(run, _), change| {
            (*run, change.document, change.state) != (of.run, Some(id), State::New)
        });
        if let Some(visit) = self.visits.get_mut(&(of.run, one.resource)) {
            visit.reason = Some(Reason::SameForAll);
        }
        let dropped = self
            .versions
            .extract_if(.., |_, version| (version.document, version.run) == (id, of.run));
        for (version, _) in dropped {
            self.ladders.remove(&version);
        }
        // It may have been one before it was gone.
        let newest = self.newest_version(id);
        if newest.is_none() {
            if let Some(document) = self.documents.remove(&id) {
                self.document_at.remove(&(document.resource, document.project));
            }
        } else if let Some(document) = self.documents.get_mut(&id) {
            (document.version, document.gone_run) = (newest, Some(of.run));
        }
    }
}

#[async_trait]
impl Settling for MemoryStore {
    async fn candidates(
        &self,
        of: RunRef,
        state: State,
        reason: Option<Reason>,
    ) -> Result<Vec<Candidate>, StoreError> {
        let rows = self.rows();
        let changes = rows
            .changes_in_order(of.run)
            .into_iter()
            .filter(|(_, change)| change.state == state && (reason.is_none() || change.reason == reason));
        Ok(changes
            .filter_map(|(resource, change)| rows.candidate(resource, change))
            .collect())
    }

    async fn end_of_redirects(&self, from: ResourceId) -> Result<Option<ResourceId>, StoreError> {
        Ok(self.rows().end_of_redirects(from))
    }

    async fn found_at(
        &self,
        of: RunRef,
        resource: ResourceId,
    ) -> Result<Option<(Candidate, State)>, StoreError> {
        let rows = self.rows();
        let change = rows.changes.get(&(of.run, resource));
        Ok(change.and_then(|change| Some((rows.candidate(resource, change)?, change.state))))
    }

    async fn keep_move(&self, of: RunRef, moved: Move) -> Result<(), StoreError> {
        self.rows().keep_move(of, moved);
        Ok(())
    }

    async fn keep_same_elsewhere(
        &self,
        of: RunRef,
        old: DocumentId,
        detail: String,
    ) -> Result<(), StoreError> {
        if let Some(change) = self.rows().change_of_document(of.run, old) {
            (change.state, change.detail) = (State::Sam, Some(detail));
        }
        Ok(())
    }

    async fn resources_of(&self, urls: Vec<Url>) -> Result<Vec<ResourceId>, StoreError> {
        let rows = self.rows();
        let found = urls.iter().filter_map(|url| rows.resource_of.get(&url.key()));
        Ok(found.copied().collect())
    }

    async fn take_settling(
        &self,
        of: RunRef,
        worker: String,
        now: Timestamp,
    ) -> Result<SettlingTurn, StoreError> {
        let mut rows = self.rows();
        if rows.runs.get(&of.run).is_some_and(|run| run.is_sealed) {
            return Ok(SettlingTurn::Done);
        }
        let settling = &mut rows.of_process.settling;
        let other = settling.get(&of.run).filter(|(who, _)| *who != worker);
        if other.is_some_and(|(_, until)| *until > now) {
            return Ok(SettlingTurn::Anothers);
        }
        settling.insert(of.run, (worker, now.after(defaults::HOST_LEASE)));
        Ok(SettlingTurn::Ours)
    }

    async fn seal(&self, of: RunRef, notes: Vec<String>, _now: Timestamp) -> Result<(), StoreError> {
        let mut rows = self.rows();
        let notes = notes.into_iter().map(|note| (of.run, note));
        rows.notes.extend(notes);
        if let Some(run) = rows.runs.get_mut(&of.run) {
            run.is_sealed = true;
        }
        Ok(())
    }

    async fn doubt_rules(&self, of: RunRef) -> Result<(), StoreError> {
        for ((project, _), rules) in &mut self.rows().site_rules {
            if *project == of.project && !rules.is_pinned {
                (rules.probed_at, rules.is_settled) = (None, false);
            }
        }
        Ok(())
    }

    async fn mark_orphans(
        &self,
        of: RunRef,
        seeds: Vec<ResourceId>,
        steps: usize,
    ) -> Result<u64, StoreError> {
        Ok(self.rows().mark_orphans(of, &seeds, steps))
    }

    async fn counts_by_host(&self, of: RunRef) -> Result<Vec<HostCounts>, StoreError> {
        Ok(self.rows().counts_by_host(of))
    }

    async fn host_documents(&self, of: RunRef, host: HostId) -> Result<Vec<HostDocument>, StoreError> {
        Ok(self.rows().host_documents(of, host))
    }

    async fn take_back(
        &self,
        of: RunRef,
        versions: Vec<TakenBack>,
        detail: String,
    ) -> Result<(), StoreError> {
        let mut rows = self.rows();
        for taken in &versions {
            rows.take_back(of, taken, &detail);
        }
        Ok(())
    }

    async fn withhold(
        &self,
        of: RunRef,
        documents: Vec<(DocumentId, ResourceId)>,
        detail: String,
    ) -> Result<(), StoreError> {
        let mut rows = self.rows();
        for (document, resource) in documents {
            rows.withhold(of, document, resource, &detail);
        }
        Ok(())
    }

    async fn first_found_on(&self, resource: ResourceId) -> Result<Option<ResourceId>, StoreError> {
        let rows = self.rows();
        Ok(rows.resources.get(&resource).and_then(|row| row.source))
    }

    async fn drop_new(&self, of: RunRef, found: Vec<Candidate>) -> Result<(), StoreError> {
        let mut rows = self.rows();
        for one in &found {
            rows.drop_new(of, one);
        }
        Ok(())
    }

    async fn unlisted(
        &self,
        of: RunRef,
        schemes: Vec<&'static str>,
    ) -> Result<Vec<UnlistedDocument>, StoreError> {
        Ok(self.rows().unlisted(of, &schemes))
    }

    async fn folder_visit(&self, of: RunRef, folder: Url) -> Result<Option<FolderVisit>, StoreError> {
        Ok(self.rows().folder_visit(of, &folder))
    }

    async fn folder_at(&self, root: Url) -> Result<Option<String>, StoreError> {
        Ok(self.rows().folder_at(&root))
    }

    async fn names_files(&self, of: RunRef, folder: String) -> Result<bool, StoreError> {
        Ok(self.rows().names_files(of, &folder))
    }

    async fn keep_unlisted(
        &self,
        of: RunRef,
        judged: Vec<(UnlistedDocument, State, Reason)>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut rows = self.rows();
        for (missing, state, reason) in &judged {
            rows.keep_unlisted(of, missing, *state, *reason, now);
        }
        Ok(())
    }
}
