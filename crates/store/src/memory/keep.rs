//! Pages that were asked for, with all that follows from them.

use super::queue::in_order;
use super::rows::{
    HeldBody, HeldChange, HeldDocument, HeldHost, HeldResource, HeldRow, HeldVersion, HeldVisit, Rows, next,
};
use crate::StoreError;
use crate::keep::{Away, Enqueue, Keep, KeepWith, Kept, Listed, Outcome, Page, Refused, Share, Validators};
use crate::runs::RunRef;
use crate::warc::{Digest, FirstSeen, Packer};
use crate::work::Purpose;
use gleaner_model::{DocumentId, HostId, Reason, ResourceId, State, Timestamp, Url, UrlKey, VersionId};
use std::path::Path;

/// The records of one page.
#[derive(Default)]
struct Appended {
    /// Its payload was stored before.
    is_copy: bool,
    /// Their place; none where there is no record.
    record: usize,
}

/// One call's worth of work.
pub(super) struct Batch<'a> {
    pub(super) rows: &'a mut Rows,
    pub(super) of: RunRef,
    pub(super) refused: &'a Refused,
    pub(super) kept: Kept,
    /// Of pages that changed something.
    wire_bytes: u64,
}

impl Rows {
    pub(super) fn keep(
        &mut self,
        of: RunRef,
        pages: &mut [Keep],
        with: &KeepWith,
    ) -> Result<Kept, StoreError> {
        in_order(pages);
        let appended = self.append(pages)?;
        self.touched += 1;
        let mut batch = Batch::new(self, of, &with.refused);
        for (keep, appended) in pages.iter().zip(appended) {
            if appended.is_copy {
                batch.kept.copies.insert(keep.resource);
            }
            batch.keep(keep, appended.record);
        }
        let (kept, wire_bytes) = (batch.kept, batch.wire_bytes);
        if let Some(run) = self.runs.get_mut(&of.run) {
            run.active_ms = run.active_ms.max(with.active_ms);
            run.wire_bytes += wire_bytes;
            if with.cookies.is_some() {
                run.cookies.clone_from(&with.cookies);
            }
        }
        Ok(kept)
    }

    /// Puts the records away, all or none, and says of each page whether its payload was stored before.
    fn append(&mut self, pages: &mut [Keep]) -> Result<Vec<Appended>, StoreError> {
        let (mut packer, before) = (Packer::default(), self.records.len());
        let (mut appended, mut new): (Vec<Appended>, Vec<Digest>) = (Vec::new(), Vec::new());
        for keep in pages {
            let Some(packed) = &mut keep.packed else {
                appended.push(Appended::default());
                continue;
            };
            let digest = packed.payload_digest;
            let first = self.bodies.get(&digest).map(|body| FirstSeen {
                url: self.resources[&body.resource].url.as_str().to_owned(),
                at: body.at,
            });
            let (mut record, number) = (Vec::new(), self.records.len() as u64 + 1);
            if let Err(cause) = packed.append(&mut record, number, first.as_ref(), &mut packer) {
                self.records.truncate(before);
                self.bodies.retain(|digest, _| !new.contains(digest));
                return Err(StoreError::writing(Path::new("memory"), cause));
            }
            let place = self.records.len();
            self.records.push(record);
            appended.push(Appended {
                is_copy: first.is_some(),
                record: place,
            });
            if first.is_none() {
                let body = HeldBody {
                    resource: keep.resource,
                    at: keep.at,
                    record: place,
                };
                self.bodies.insert(digest, body);
                new.push(digest);
            }
        }
        Ok(appended)
    }
}

impl<'a> Batch<'a> {
    pub(super) fn new(rows: &'a mut Rows, of: RunRef, refused: &'a Refused) -> Batch<'a> {
        Batch {
            rows,
            of,
            refused,
            kept: Kept::default(),
            wire_bytes: 0,
        }
    }

    pub(super) fn resource(
        &mut self,
        url: &Url,
        key: UrlKey,
        source: Option<ResourceId>,
        now: Timestamp,
    ) -> ResourceId {
        if let Some(known) = self.rows.resource_of.get(&key) {
            return *known;
        }
        let id = ResourceId(next(&self.rows.resources, |id| id.0));
        let host = self.host(url);
        let row = HeldResource {
            key,
            host,
            url: url.clone(),
            source,
            discovered_at: now,
            processed_at: None,
            status: None,
            media_type: None,
            charset: None,
            title: None,
        };
        self.rows.resources.insert(id, row);
        self.rows.resource_of.insert(key, id);
        id
    }

    pub(super) fn host(&mut self, url: &Url) -> HostId {
        let (scheme, name, port) = (url.scheme(), url.host(), url.port());
        let mut hosts = self.rows.hosts.iter();
        let is_it =
            |host: &HeldHost| (host.scheme.as_str(), host.name.as_str(), host.port) == (scheme, name, port);
        if let Some((id, _)) = hosts.find(|(_, host)| is_it(host)) {
            return *id;
        }
        let id = HostId(next(&self.rows.hosts, |id| id.0));
        let row = HeldHost {
            scheme: scheme.to_owned(),
            name: name.to_owned(),
            port,
            robots: None,
            held_until: None,
        };
        self.rows.hosts.insert(id, row);
        id
    }

    /// The run takes an address up; false if it did before.
    pub(super) fn take_up(&mut self, resource: ResourceId, depth: u32) -> bool {
        let place = (self.of.run, resource);
        let is_new = !self.rows.visits.contains_key(&place);
        self.rows.visits.entry(place).or_insert_with(|| HeldVisit {
            depth,
            ..HeldVisit::default()
        });
        is_new
    }

    /// A URL that no page led to. Gives it back, and whether it is queued now.
    pub(super) fn enqueue_outright(
        &mut self,
        url: &Url,
        entry: &Enqueue,
        now: Timestamp,
    ) -> (ResourceId, bool) {
        let key = url.key();
        let resource = self.resource(url, key, None, now);
        let is_queued = self.enqueue(url, key, resource, None, entry, now);
        (resource, is_queued)
    }

    /// Queues it unless this run met it before; whether it did.
    pub(super) fn enqueue(
        &mut self,
        url: &Url,
        key: UrlKey,
        resource: ResourceId,
        source: Option<ResourceId>,
        entry: &Enqueue,
        now: Timestamp,
    ) -> bool {
        if !entry.legs.is_empty() {
            return self.enqueue_for_steps(url, key, resource, entry, now);
        }
        let is_taken = self.rows.visits.contains_key(&(self.of.run, resource));
        if is_taken && !entry.again {
            return false;
        }
        if let Some(listed) = &entry.listed
            && let Some(document) = self.as_it_was(resource, listed)
        {
            return self.keep_listed(resource, document, entry.depth, now);
        }
        let is_new = self.take_up(resource, entry.depth);
        // Listings name what is there: nobody was asked about it.
        if is_new
            && entry.listed.is_none()
            && let Some(&reason) = self.refused.get(&key)
        {
            self.leave_out(resource, reason, now);
            return false;
        }
        let host = self.host(url);
        self.insert_row(host, resource, entry.priority, entry);
        if let (Purpose::Sitemap | Purpose::GuessedSitemap | Purpose::FoundSitemap, Some(from)) =
            (entry.purpose, source)
        {
            self.wait_for_next(resource, from);
        }
        true
    }

    /// The document under an entry of a folder, if the entry's metadata is that of the version we have and nobody wants to
    /// see for themselves.
    fn as_it_was(&self, resource: ResourceId, listed: &Listed) -> Option<DocumentId> {
        let stamp = listed.stamp.as_ref()?;
        let id = self.rows.document_there(resource, self.of.project)?;
        let version = self.rows.versions.get(&self.rows.documents[&id].version?)?;
        let is_sampled = listed.sample != 0 && (id.0 + self.of.run.0) % i64::from(listed.sample) == 0;
        (version.etag.as_ref() == Some(stamp) && !is_sampled).then_some(id)
    }

    /// An entry that is as it was is done with. False if this run met it before.
    fn keep_listed(
        &mut self,
        resource: ResourceId,
        document: DocumentId,
        depth: u32,
        now: Timestamp,
    ) -> bool {
        if !self.take_up(resource, depth) {
            return false;
        }
        self.visit(resource).at = Some(now);
        let change = HeldChange::new(Some(document), State::Sam, None);
        self.rows.add_change(self.of.run, resource, change);
        self.kept.unchanged += 1;
        true
    }

    /// It was taken up and is not asked for.
    pub(super) fn leave_out(&mut self, resource: ResourceId, reason: Reason, now: Timestamp) {
        let visit = self.visit(resource);
        (visit.at, visit.status, visit.reason, visit.detail) = (Some(now), None, Some(reason), None);
    }

    pub(super) fn visit(&mut self, resource: ResourceId) -> &mut HeldVisit {
        self.rows.visits.entry((self.of.run, resource)).or_default()
    }

    pub(super) fn insert_row(&mut self, host: HostId, resource: ResourceId, priority: i64, entry: &Enqueue) {
        let row = HeldRow {
            score: entry.score,
            depth: entry.depth,
            purpose: entry.purpose,
            hops: entry.hops,
            chain: entry.chain.clone(),
            tries: 0,
            due_at: Timestamp(0),
            stamp: entry.listed.as_ref().and_then(|listed| listed.stamp.clone()),
            legs: Vec::new(),
            request: None,
        };
        self.put_row(host, resource, priority, row);
    }

    /// A row that is there already stays as it is.
    pub(super) fn put_row(&mut self, host: HostId, resource: ResourceId, priority: i64, row: HeldRow) {
        let place = (self.of.run, host, priority, resource);
        if let std::collections::btree_map::Entry::Vacant(free) = self.rows.frontier.entry(place) {
            free.insert(row);
            *self.kept.queued.entry(host).or_default() += 1;
        }
    }

    fn keep(&mut self, keep: &Keep, record: usize) {
        let place = (self.of.run, keep.host, keep.priority, keep.resource);
        match keep.outcome {
            Outcome::Piece(share) => {
                if share == Share::First {
                    let open = (self.of.run, keep.resource);
                    self.rows.of_process.open_lists.insert(open, Vec::new());
                }
                self.wire_bytes += keep.wire_bytes;
                self.keep_links(keep);
                return self.note_cuts(keep);
            }
            Outcome::Again { tries, due_at } => {
                self.wire_bytes += keep.wire_bytes;
                if let Some(row) = self.rows.frontier.get_mut(&place) {
                    (row.tries, row.due_at) = (tries, due_at);
                }
                return self.wait_no_more(keep.resource);
            }
            Outcome::Document(_) | Outcome::Unchanged(_) | Outcome::Nothing => {}
        }
        if !keep.legs.is_empty() {
            self.requeue_for_steps(keep);
        }
        if self.rows.frontier.remove(&place).is_none() {
            // Kept before: a second answer for the same row changes nothing.
            return;
        }
        self.wire_bytes += keep.wire_bytes;
        let visit = self.visit(keep.resource);
        (visit.at, visit.status, visit.reason) = (Some(keep.at), keep.status, keep.reason);
        visit.detail.clone_from(&keep.detail);
        let (document, version) = match &keep.outcome {
            Outcome::Document(page) => match self.told_to_a_step(keep) {
                Some(told) => (Some(told), None),
                None => self.keep_document(keep, page, record),
            },
            Outcome::Unchanged(id) => (Some(*id), None),
            _ if keep.state.is_some() => (self.rows.document_there(keep.resource, self.of.project), None),
            _ => (None, None),
        };
        if let Some(document) = document.and_then(|id| self.rows.documents.get_mut(&id)) {
            if keep.state == Some(State::Mis) {
                document.gone_run = Some(self.of.run);
            }
            match &keep.away {
                Away::No => {}
                Away::Instead(shown) => {
                    (document.instead_run, document.instead) = (Some(self.of.run), shown.clone());
                }
                Away::Back => (document.instead_run, document.instead) = (None, None),
            }
        }
        if let Some(told) = keep.validators {
            let (right, wrong) = self.rows.trusts.entry(keep.host).or_default();
            match told {
                Validators::Right => *right += 1,
                Validators::Wrong => *wrong += 1,
            }
        }
        if let Some(resource) = self.rows.resources.get_mut(&keep.resource) {
            resource.status = keep.status;
            resource.processed_at = Some(keep.at);
            if let Outcome::Document(page) = &keep.outcome {
                resource.media_type = Some(page.media_type.clone());
                resource.charset = page.charset.clone().or(resource.charset.take());
                let title = page.shown_title().map(str::to_owned);
                resource.title = title.or(resource.title.take());
            }
        }
        if let Some(state) = keep.state {
            let change = HeldChange {
                version,
                detail: keep.detail.clone(),
                ..HeldChange::new(document, state, keep.reason)
            };
            self.rows.add_change(self.of.run, keep.resource, change);
        }
        self.keep_links(keep);
        self.note_cuts(keep);
    }

    fn note_cuts(&mut self, keep: &Keep) {
        for cut in &keep.cuts {
            self.rows.add_cut(self.of, cut.clone());
        }
    }

    /// The document, and its new version if it has one.
    fn keep_document(
        &mut self,
        keep: &Keep,
        page: &Page,
        record: usize,
    ) -> (Option<DocumentId>, Option<VersionId>) {
        let id = self.document(keep, page);
        let Some(packed) = &keep.packed else {
            return (Some(id), None);
        };
        let compared = page.compared.as_deref();
        if let (Some(State::Sam), Some(_), None) = (keep.state, page.document, compared) {
            // The same bytes as before. The next question is asked with what the server says today.
            let newest = self.rows.documents.get(&id).and_then(|document| document.version);
            if let Some(version) = newest.and_then(|newest| self.rows.versions.get_mut(&newest)) {
                version.etag.clone_from(&page.etag);
                version.last_modified.clone_from(&page.last_modified);
            }
            return (Some(id), None);
        }
        let version = self.rows.next_version();
        let row = HeldVersion {
            document: id,
            run: self.of.run,
            fetched_at: keep.at,
            media_type: page.media_type.clone(),
            charset: page.charset.clone(),
            title: page.shown_title().map(str::to_owned),
            size: page.size,
            etag: page.etag.clone(),
            last_modified: page.last_modified.clone(),
            digest: packed.payload_digest,
            same_as: compared.filter(|c| c.is_same).and_then(|c| c.base),
            ignored: compared.and_then(|c| c.ignored.clone()),
            asked: page.asked.clone(),
            record,
        };
        self.rows.versions.insert(version, row);
        if let Some(document) = self.rows.documents.get_mut(&id) {
            (document.version, document.gone_run) = (Some(version), None);
        }
        if let Some(compared) = compared {
            let made = [
                (Some(version), &compared.ladder),
                (compared.base, &compared.base_ladder),
            ];
            for (of, ladder) in made {
                if let (Some(of), Some(ladder)) = (of, ladder) {
                    self.rows.ladders.insert(of, ladder.clone());
                }
            }
        }
        (Some(id), Some(version))
    }

    /// The document that the page names, or the one at its address; there is one for each address and project.
    fn document(&mut self, keep: &Keep, page: &Page) -> DocumentId {
        let place = (keep.resource, self.of.project);
        let known = page
            .document
            .or_else(|| self.rows.document_at.get(&place).copied());
        if let Some(id) = known {
            return id;
        }
        let id = self.rows.next_document();
        let row = HeldDocument {
            project: self.of.project,
            resource: keep.resource,
            version: None,
            depth: keep.depth,
            gone_run: None,
            orphan_run: None,
            looked_at: None,
            instead_run: None,
            instead: None,
        };
        self.rows.documents.insert(id, row);
        self.rows.document_at.insert(place, id);
        id
    }
}
