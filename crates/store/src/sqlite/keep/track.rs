//! How does a track begin? With everything the project had: its documents, and the other addresses that its pages name.
//!
//! Documents are asked for by themselves and not only where a page still links to them, so that nothing is called gone
//! that nobody asked for (B1). What our own settings no longer take is OUT here and now, without a request. Addresses that
//! never were documents (redirects, dead links, failures) come from the pages' stored lists: an unchanged page is not
//! read again, so nobody else would follow its links.
//!
//! The store gives what it has piece by piece, whoever runs decides, and the store writes that down: each piece is a
//! transaction, and `visits` remembers what is done, so a kill in between costs nothing.

use super::batch::Batch;
use super::before::Before;
use crate::StoreError;
use crate::keep::Enqueue;
use crate::sqlite::catalog::Catalog;
use crate::sqlite::seen::Known;
use crate::sqlite::writer::RunWriter;
use crate::tracking::{Beginning, KnownDocument, KnownLink, LinkPage, Naming, Others, targets};
use crate::work::Purpose;
use gleaner_model::{
    DocumentId, Leg, LinkKind, Project, ProjectId, Reason, ResourceId, RunId, State, Timestamp, Url, UrlKey,
};
use rusqlite::OptionalExtension;

/// Rows read or written in one go.
const PIECE: usize = 4000;

/// How far from a seed the documents of a track are; smaller than what they lead to, so that they come first.
const PRIORITY: i64 = 0;

impl Catalog {
    /// Documents of the project behind this one, in the order of their numbers; none at the end.
    pub(crate) fn known_documents(
        &self,
        project: ProjectId,
        after: Option<DocumentId>,
    ) -> Result<Vec<KnownDocument>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT d.id, d.resource, r.url, d.depth, r.key FROM documents d JOIN resources r ON r.id = d.resource
             WHERE d.project = ?1 AND d.gone_run IS NULL AND d.id > ?2 ORDER BY d.id LIMIT ?3",
        )?;
        let mut after = after.map_or(0, |id| id.0);
        loop {
            let mut rows = statement.query((project.0, after, PIECE as i64))?;
            let (mut found, mut count) = (Vec::new(), 0);
            while let Some(row) = rows.next()? {
                (after, count) = (row.get(0)?, count + 1);
                // Canonical text is a URL; a catalog edited by hand must not stop the run.
                if let Ok(url) = Url::parse(row.get_ref(2)?.as_str().unwrap_or("")) {
                    found.push(KnownDocument {
                        document: DocumentId(after),
                        resource: ResourceId(row.get(1)?),
                        url,
                        depth: row.get(3)?,
                        key: UrlKey(row.get(4)?),
                    });
                }
            }
            // A piece in which nothing can be read is not the end.
            if !found.is_empty() || count < PIECE {
                return Ok(found);
            }
        }
    }

    /// How many documents the project has.
    pub(crate) fn documents_count(&self, project: ProjectId) -> Result<u64, StoreError> {
        let count: i64 = self.db.query_row(
            "SELECT count(*) FROM documents WHERE project = ?1 AND gone_run IS NULL",
            [project.0],
            |row| row.get(0),
        )?;
        Ok(count as u64)
    }

    /// The links of these pages, as far as they are documents.
    pub(crate) fn link_pages(
        &self,
        project: ProjectId,
        sources: &[ResourceId],
    ) -> Result<Vec<LinkPage>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT p.source, p.list, d.depth FROM page_links p JOIN documents d ON d.resource = p.source
             WHERE d.project = ?1 AND d.gone_run IS NULL AND p.source = ?2",
        )?;
        let mut pages = Vec::with_capacity(sources.len());
        for source in sources {
            let row = statement.query_row((project.0, source.0), link_page);
            pages.extend(row.optional()?);
        }
        Ok(pages)
    }

    /// The links of documents behind this page, in the order of discovery; none at the end.
    pub(crate) fn link_pages_after(
        &self,
        project: ProjectId,
        after: Option<ResourceId>,
    ) -> Result<Vec<LinkPage>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT p.source, p.list, d.depth FROM page_links p JOIN documents d ON d.resource = p.source
             WHERE d.project = ?1 AND d.gone_run IS NULL AND p.source > ?2 ORDER BY p.source LIMIT ?3",
        )?;
        let after = after.map_or(0, |id| id.0);
        let rows = statement.query_map((project.0, after, PIECE as i64), link_page)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl RunWriter<'_> {
    /// Queues documents, or says of them what the settings say. `legs`: where the steps of the project come in. Harmless to
    /// repeat.
    pub(crate) fn begin_documents(
        &mut self,
        documents: &[(KnownDocument, Beginning)],
        legs: &[Leg],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.in_one_go(|batch| {
            for (row, beginning) in documents {
                match beginning {
                    Beginning::Ask => batch.take_document(row)?,
                    Beginning::AskForSteps => batch.take_for_steps(row, legs, now)?,
                    Beginning::List => {}
                    Beginning::Out(reason) => batch.leave_document(row, *reason, now)?,
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// What is known of the targets of links.
    pub(crate) fn known_links(&self, wanted: &[(ResourceId, Naming)]) -> Result<Vec<KnownLink>, StoreError> {
        let db = &self.catalog.db;
        let mut url_of = db.prepare_cached("SELECT url FROM resources WHERE id = ?1")?;
        let before = Before {
            db,
            project: self.project,
            run: self.run,
        };
        let mut links = Vec::with_capacity(wanted.len());
        for &(resource, (depth, kind)) in wanted {
            let url: Option<String> = url_of.query_row([resource.0], |row| row.get(0)).optional()?;
            if let Some(url) = url.and_then(|text| Url::parse(&text).ok()) {
                links.push(KnownLink {
                    resource,
                    url,
                    kind,
                    depth,
                    last: before.last_answer(resource)?,
                });
            }
        }
        Ok(links)
    }

    /// Queues the targets of links. Harmless to repeat.
    pub(crate) fn begin_links(&mut self, links: &[KnownLink]) -> Result<(), StoreError> {
        self.in_one_go(|batch| {
            for link in links {
                let mut entry = Enqueue::page(i64::from(link.depth) * 2, link.depth);
                if link.kind.is_guess() {
                    entry.purpose = Purpose::Guess;
                }
                batch.take(link.resource, &link.url, &entry)?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Leaves the targets of links for a later run, because they gave no document before. Harmless to repeat.
    pub(crate) fn rest_links(&mut self, links: &[KnownLink], now: Timestamp) -> Result<(), StoreError> {
        self.in_one_go(|batch| {
            for link in links {
                let row = (batch.run.0, link.resource.0, link.depth);
                // What this run took up otherwise has an answer of its own, or will have one.
                if batch.sql.take_up.execute(row)? == 1 {
                    batch.leave_out(link.resource, Reason::AsBefore, now)?;
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// What the run before this one took up and did not keep as a document.
    pub(crate) fn others_of_last_run(&self) -> Result<Others, StoreError> {
        // Seeds and sitemaps are asked for without a link.
        let mut statement = self.catalog.db.prepare(
            "SELECT v.resource, r.source, (SELECT list FROM page_links p WHERE p.source = v.resource), v.reason
             FROM visits v JOIN resources r ON r.id = v.resource
             WHERE r.source IS NOT NULL AND v.run = (SELECT max(id) FROM runs WHERE project = ?1 AND id < ?2)
               AND NOT EXISTS (SELECT 1 FROM documents d
                               WHERE d.resource = v.resource AND d.project = ?1 AND d.gone_run IS NULL)
             ORDER BY v.resource",
        )?;
        let mut rows = statement.query((self.project.0, self.run.0))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let list = row.get_ref(2)?.as_str_or_null().unwrap_or(None);
            let reason = row.get_ref(3)?.as_str_or_null().unwrap_or(None);
            // What the trap rules closed stays closed; the page that names it may be read again and ask them.
            let is_trap = reason.and_then(Reason::parse).is_some_and(Reason::is_trap);
            if !is_trap && !list.is_some_and(is_sitemap) {
                found.push((ResourceId(row.get(0)?), ResourceId(row.get(1)?)));
            }
        }
        Ok(Others { found })
    }

    /// The settings of the project's run before this one.
    pub(crate) fn last_settings(&self) -> Result<Option<Project>, StoreError> {
        let last: Option<i64> = self.catalog.db.query_row(
            "SELECT max(id) FROM runs WHERE project = ?1 AND id < ?2",
            (self.project.0, self.run.0),
            |row| row.get(0),
        )?;
        last.map(|run| {
            self.catalog
                .run_settings(RunId(run))
                .map(|(_, settings)| settings)
        })
        .transpose()
    }
}

impl Batch<'_> {
    fn take_for_steps(
        &mut self,
        row: &KnownDocument,
        legs: &[Leg],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let known = Known {
            resource: row.resource,
            is_taken: false,
        };
        let entry = Enqueue {
            legs: legs.to_vec(),
            ..Enqueue::page(PRIORITY, row.depth)
        };
        self.enqueue_for_steps(&row.url, row.key, known, &entry, now)?;
        Ok(())
    }

    fn take_document(&mut self, row: &KnownDocument) -> Result<(), StoreError> {
        // Sitemaps and menus name it again and again: no need to ask then.
        let known = Known {
            resource: row.resource,
            is_taken: true,
        };
        self.seen.put(row.key, known);
        self.take(row.resource, &row.url, &Enqueue::page(PRIORITY, row.depth))
    }

    fn leave_document(
        &mut self,
        row: &KnownDocument,
        reason: Reason,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let taken = (self.run.0, row.resource.0, row.depth);
        if self.sql.take_up.execute(taken)? == 0 {
            return Ok(());
        }
        let nothing: Option<&str> = None;
        let visit = (
            self.run.0,
            row.resource.0,
            now.0,
            None::<u16>,
            reason.code(),
            nothing,
            0,
        );
        self.sql.visit.execute(visit)?;
        self.sql.insert_change.execute((
            self.run.0,
            row.resource.0,
            Some(row.document.0),
            None::<i64>,
            State::Out.as_str(),
            Some(reason.code()),
            nothing,
        ))?;
        Ok(())
    }

    fn take(&mut self, resource: ResourceId, url: &Url, entry: &Enqueue) -> Result<(), StoreError> {
        if self.sql.take_up.execute((self.run.0, resource.0, entry.depth))? != 1 {
            return Ok(());
        }
        let host = self.host(url)?;
        self.insert_row(host, resource, entry)
    }
}

/// Whether a stored list is that of a sitemap.
pub(super) fn is_sitemap(list: &str) -> bool {
    let mut kinds = targets(list).map(|(_, kind)| kind == LinkKind::Sitemap as u8);
    kinds.next() == Some(true) && kinds.all(|is_entry| is_entry)
}

fn link_page(row: &rusqlite::Row<'_>) -> rusqlite::Result<LinkPage> {
    Ok(LinkPage {
        source: ResourceId(row.get(0)?),
        list: row.get(1)?,
        depth: row.get(2)?,
    })
}

#[cfg(test)]
mod tests {
    use super::targets;

    #[test]
    fn targets_are_read_out_of_a_list_whatever_its_anchors_say() {
        let list = r#"[[7,0],[8,2,"a]],[9,\"[1,2","x"],[10,0,"",3,1,"[ü]"],[11,4]]"#;
        let found: Vec<_> = targets(list).collect();
        assert_eq!(found, [(7, 0), (8, 2), (10, 0), (11, 4)]);
        assert_eq!(targets("").count(), 0);
        assert_eq!(targets("[]").count(), 0);
    }
}
