//! What a track begins with.

use super::MemoryStore;
use super::keep::Batch;
use super::known::before;
use super::rows::{HeldChange, Rows, is_sitemap};
use crate::StoreError;
use crate::keep::{Enqueue, Refused};
use crate::runs::RunRef;
use crate::tracking::{Beginning, KnownDocument, KnownLink, LinkPage, Naming, Others, Tracking};
use crate::work::Purpose;
use async_trait::async_trait;
use gleaner_model::{DocumentId, Leg, Project, ProjectId, Reason, ResourceId, State, Timestamp, Url};

/// Rows given in one go.
const PIECE: usize = 4000;

impl Rows {
    fn link_page(&self, project: ProjectId, source: ResourceId) -> Option<LinkPage> {
        let document = self.document_there(source, project)?;
        let links = self.page_links.get(&source)?;
        Some(LinkPage {
            source,
            depth: self.documents[&document].depth,
            list: links.list.clone(),
        })
    }
}

impl Batch<'_> {
    fn take(&mut self, resource: ResourceId, url: &Url, entry: &Enqueue) {
        if self.take_up(resource, entry.depth) {
            let host = self.host(url);
            self.insert_row(host, resource, entry.priority, entry);
        }
    }

    fn leave_document(&mut self, row: &KnownDocument, reason: Reason, now: Timestamp) {
        if self.take_up(row.resource, row.depth) {
            self.leave_out(row.resource, reason, now);
            let change = HeldChange::new(Some(row.document), State::Out, Some(reason));
            self.rows.add_change(self.of.run, row.resource, change);
        }
    }
}

#[async_trait]
impl Tracking for MemoryStore {
    async fn known_documents(
        &self,
        project: ProjectId,
        after: Option<DocumentId>,
    ) -> Result<Vec<KnownDocument>, StoreError> {
        let rows = self.rows();
        let documents = rows.documents_there(project).filter(|(id, _)| Some(*id) > after);
        let found = documents.map(|(id, document)| {
            let resource = &rows.resources[&document.resource];
            KnownDocument {
                document: id,
                url: resource.url.clone(),
                depth: document.depth,
                resource: document.resource,
                key: resource.key,
            }
        });
        Ok(found.take(PIECE).collect())
    }

    async fn begin_documents(
        &self,
        of: RunRef,
        documents: Vec<(KnownDocument, Beginning)>,
        legs: Vec<Leg>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut rows = self.rows();
        let none = Refused::new();
        let mut batch = Batch::new(&mut rows, of, &none);
        for (row, beginning) in &documents {
            let entry = Enqueue::page(0, row.depth);
            match beginning {
                Beginning::Ask => batch.take(row.resource, &row.url, &entry),
                Beginning::AskForSteps => {
                    let legs = legs.clone();
                    let entry = Enqueue { legs, ..entry };
                    batch.enqueue_for_steps(&row.url, row.key, row.resource, &entry, now);
                }
                Beginning::List => {}
                Beginning::Out(reason) => batch.leave_document(row, *reason, now),
            }
        }
        Ok(())
    }

    async fn documents_count(&self, project: ProjectId) -> Result<u64, StoreError> {
        Ok(self.rows().documents_there(project).count() as u64)
    }

    async fn has_documents(&self, project: ProjectId) -> Result<bool, StoreError> {
        let rows = self.rows();
        Ok(rows
            .documents
            .values()
            .any(|document| document.project == project))
    }

    async fn link_pages(
        &self,
        project: ProjectId,
        sources: Vec<ResourceId>,
    ) -> Result<Vec<LinkPage>, StoreError> {
        let rows = self.rows();
        let pages = sources
            .into_iter()
            .filter_map(|source| rows.link_page(project, source));
        Ok(pages.collect())
    }

    async fn link_pages_after(
        &self,
        project: ProjectId,
        after: Option<ResourceId>,
    ) -> Result<Vec<LinkPage>, StoreError> {
        let rows = self.rows();
        let sources = rows.page_links.keys().filter(|source| Some(**source) > after);
        let pages = sources.filter_map(|source| rows.link_page(project, *source));
        Ok(pages.take(PIECE).collect())
    }

    async fn known_links(
        &self,
        of: RunRef,
        wanted: Vec<(ResourceId, Naming)>,
    ) -> Result<Vec<KnownLink>, StoreError> {
        let rows = self.rows();
        let links = wanted.into_iter().filter_map(|(resource, (depth, kind))| {
            Some(KnownLink {
                resource,
                url: rows.resources.get(&resource)?.url.clone(),
                kind,
                depth,
                last: before(&rows, of, resource),
            })
        });
        Ok(links.collect())
    }

    async fn begin_links(&self, of: RunRef, links: Vec<KnownLink>) -> Result<(), StoreError> {
        let mut rows = self.rows();
        let none = Refused::new();
        let mut batch = Batch::new(&mut rows, of, &none);
        for link in &links {
            let mut entry = Enqueue::page(i64::from(link.depth) * 2, link.depth);
            if link.kind.is_guess() {
                entry.purpose = Purpose::Guess;
            }
            batch.take(link.resource, &link.url, &entry);
        }
        Ok(())
    }

    async fn rest_links(&self, of: RunRef, links: Vec<KnownLink>, now: Timestamp) -> Result<(), StoreError> {
        let mut rows = self.rows();
        let none = Refused::new();
        let mut batch = Batch::new(&mut rows, of, &none);
        for link in &links {
            if batch.take_up(link.resource, link.depth) {
                batch.leave_out(link.resource, Reason::AsBefore, now);
            }
        }
        Ok(())
    }

    async fn others_of_last_run(&self, of: RunRef) -> Result<Others, StoreError> {
        let rows = self.rows();
        let Some(last) = rows.run_before(of.project, of.run) else {
            return Ok(Others { found: Vec::new() });
        };
        let mut found = Vec::new();
        for (resource, visit) in rows.visits_of(last) {
            // Seeds and sitemaps are asked for without a link.
            let Some(source) = rows.resources[&resource].source else {
                continue;
            };
            // What the trap rules closed stays closed; the page that names it may be read again and ask them.
            let is_trap = visit.reason.is_some_and(Reason::is_trap);
            let is_document = rows.document_there(resource, of.project).is_some();
            if !is_trap && !is_document && !is_sitemap(rows.list_of(resource)) {
                found.push((resource, source));
            }
        }
        Ok(Others { found })
    }

    async fn last_settings(&self, of: RunRef) -> Result<Option<Project>, StoreError> {
        let rows = self.rows();
        let last = rows.run_before(of.project, of.run);
        Ok(last.map(|run| rows.runs[&run].settings.clone()))
    }
}
