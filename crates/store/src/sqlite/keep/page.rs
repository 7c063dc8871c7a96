//! One page's rows: its visit, its document and version, the change, and the links in it.

use super::batch::Batch;
use super::bodies::Placed;
use crate::StoreError;
use crate::keep::{Away, Keep, Outcome, Page, Share, Validators};
use gleaner_model::{DocumentId, Reason, State, VersionId};
use rusqlite::OptionalExtension;

impl Batch<'_> {
    pub(super) fn keep(
        &mut self,
        keep: &Keep,
        placed: Option<&Placed>,
        body: Option<i64>,
    ) -> Result<(), StoreError> {
        let row = (self.run.0, keep.host.0, keep.priority, keep.resource.0);
        if let Outcome::Piece(share) = keep.outcome {
            if share == Share::First {
                self.open_lists.begin(keep.resource);
            }
            self.wire_bytes += keep.wire_bytes;
            self.keep_links(keep)?;
            self.note_cuts(&keep.cuts);
            return Ok(());
        }
        if let Outcome::Again { tries, due_at } = keep.outcome {
            self.wire_bytes += keep.wire_bytes;
            let retry = &mut self.sql.retry;
            retry.execute((row.0, row.1, row.2, row.3, tries, due_at.0))?;
            return self.wait_no_more(keep.resource);
        }
        if !keep.legs.is_empty() {
            self.requeue_for_steps(keep)?;
        }
        if self.sql.delete_frontier.execute(row)? == 0 {
            // Kept before: a second answer for the same row changes nothing.
            return Ok(());
        }
        self.wire_bytes += keep.wire_bytes;
        self.sql.visit.execute((
            self.run.0,
            keep.resource.0,
            keep.at.0,
            keep.status,
            keep.reason.map(Reason::code),
            &keep.detail,
            keep.wire_bytes as i64,
        ))?;
        let (mut document, mut version) = (None, None);
        let mut page = None;
        match &keep.outcome {
            Outcome::Document(facts) => {
                if let Some(told) = self.told_to_a_step(keep)? {
                    document = Some(told);
                } else {
                    let (of, new) = self.document(keep, facts, placed, body)?;
                    (document, version) = (Some(of), new);
                }
                page = Some(facts);
            }
            Outcome::Unchanged(id) => document = Some(*id),
            Outcome::Nothing | Outcome::Again { .. } | Outcome::Piece(_) if keep.state.is_some() => {
                document = self.find_document(keep)?;
            }
            Outcome::Nothing | Outcome::Again { .. } | Outcome::Piece(_) => {}
        }
        if let (Some(State::Mis), Some(id)) = (keep.state, document) {
            self.sql.gone.execute((id.0, Some(self.run.0)))?;
        }
        if let Some(id) = document {
            self.note_away(id, &keep.away)?;
        }
        if let Some(told) = keep.validators {
            let (right, wrong) = match told {
                Validators::Right => (1, 0),
                Validators::Wrong => (0, 1),
            };
            self.sql.trust.execute((keep.host.0, right, wrong))?;
        }
        self.sql.processed.execute((
            keep.resource.0,
            keep.at.0,
            self.worker,
            keep.status,
            page.map(|page| &page.media_type),
            page.and_then(|page| page.charset.as_ref()),
            page.and_then(Page::shown_title),
        ))?;
        if let Some(state) = keep.state {
            self.sql.insert_change.execute((
                self.run.0,
                keep.resource.0,
                document.map(|d| d.0),
                version.map(|v| v.0),
                state.as_str(),
                keep.reason.map(Reason::code),
                &keep.detail,
            ))?;
        }
        self.keep_links(keep)?;
        self.note_cuts(&keep.cuts);
        Ok(())
    }

    /// The document, and its new version if it has one.
    fn document(
        &mut self,
        keep: &Keep,
        page: &Page,
        placed: Option<&Placed>,
        body: Option<i64>,
    ) -> Result<(DocumentId, Option<VersionId>), StoreError> {
        let (Some(placed), Some(body)) = (placed, body) else {
            let id = match page.document {
                Some(id) => id.0,
                None => self.insert_document(keep, false)?.0,
            };
            return Ok((DocumentId(id), None));
        };
        let compared = page.compared.as_deref();
        if let (Some(State::Sam), Some(id), None) = (keep.state, page.document, compared) {
            // The same bytes as before: if their record was lost, this one takes its place.
            let move_record = &mut self.sql.move_record;
            move_record.execute((id.0, placed.archive, placed.offset as i64))?;
            // The next question is asked with what the server says today.
            let set = &mut self.sql.set_validators;
            set.execute((id.0, &page.etag, &page.last_modified))?;
            return Ok((id, None));
        }
        // A new document is written with the id that its version is about to get: there is one writer.
        let (id, is_new) = match page.document {
            Some(id) => (id.0, false),
            None => self.insert_document(keep, true)?,
        };
        let version = self.sql.insert_version.insert((
            id,
            self.run.0,
            keep.at.0,
            keep.status,
            &page.media_type,
            &page.charset,
            page.shown_title(),
            page.size as i64,
            &page.etag,
            &page.last_modified,
            body,
            placed.archive,
            placed.offset as i64,
            compared
                .filter(|c| c.is_same)
                .and_then(|c| c.base)
                .map(|base| base.0),
            compared.and_then(|c| c.ignored.as_ref()),
            &page.asked,
        ))?;
        if !is_new {
            self.sql.newest.execute((id, version))?;
        }
        if let Some(compared) = compared {
            let made = [
                (Some(VersionId(version)), &compared.ladder),
                (compared.base, &compared.base_ladder),
            ];
            for (of, ladder) in made {
                if let (Some(of), Some(ladder)) = (of, ladder) {
                    self.sql.insert_ladder.execute((of.0, ladder))?;
                }
            }
        }
        Ok((DocumentId(id), Some(VersionId(version))))
    }

    /// What came in place of a document is remembered until it comes as itself.
    fn note_away(&self, document: DocumentId, away: &Away) -> Result<(), StoreError> {
        let (run, shown) = match away {
            Away::No => return Ok(()),
            Away::Instead(shown) => (Some(self.run.0), shown.as_ref()),
            Away::Back => (None, None),
        };
        self.transaction
            .prepare_cached("UPDATE documents SET instead_run = ?2, instead = ?3 WHERE id = ?1")?
            .execute((document.0, run, shown))?;
        Ok(())
    }

    /// The document at an address, and whether it is new: there is one for each address and project, and whoever found none
    /// may have looked before it was made.
    fn insert_document(&mut self, keep: &Keep, has_version: bool) -> Result<(i64, bool), StoreError> {
        let row = (self.project.0, keep.resource.0, keep.depth, has_version);
        if self.sql.insert_document.execute(row)? == 1 {
            return Ok((self.transaction.last_insert_rowid(), true));
        }
        let mut find = self
            .transaction
            .prepare_cached("SELECT id FROM documents WHERE resource = ?1 AND project = ?2")?;
        let found = find.query_row((keep.resource.0, self.project.0), |row| row.get(0))?;
        Ok((found, false))
    }

    fn find_document(&self, keep: &Keep) -> Result<Option<DocumentId>, StoreError> {
        Ok(self
            .transaction
            .prepare_cached(
                "SELECT id FROM documents WHERE resource = ?1 AND project = ?2 AND gone_run IS NULL",
            )?
            .query_row((keep.resource.0, self.project.0), |row| {
                row.get(0).map(DocumentId)
            })
            .optional()?)
    }
}
