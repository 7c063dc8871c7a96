//! What was an address that is no document when the project's last run asked for it?

use crate::StoreError;
use crate::keep::LastAnswer;
use crate::tracking::targets;
use gleaner_model::{LinkKind, ProjectId, Reason, ResourceId, RunId};
use rusqlite::{Connection, OptionalExtension};

/// The run before this one, of the same project.
const LAST_RUN: &str = "(SELECT max(id) FROM runs WHERE project = ?2 AND id < ?3)";

/// Reason, status, links and detail of a visit.
type Row = (Option<String>, Option<u16>, Option<String>, Option<String>);

/// Looks at the run before one.
pub(super) struct Before<'a> {
    pub(super) db: &'a Connection,
    pub(super) project: ProjectId,
    pub(super) run: RunId,
}

impl Before<'_> {
    /// None where the last run had nothing to do with it, or found it dead.
    pub(super) fn last_answer(&self, resource: ResourceId) -> Result<Option<LastAnswer>, StoreError> {
        let mut statement = self.db.prepare_cached(&format!(
            "SELECT v.reason, r.status, p.list, v.detail FROM visits v JOIN resources r ON r.id = v.resource
             LEFT JOIN page_links p ON p.source = v.resource WHERE v.resource = ?1 AND v.run = {LAST_RUN}"
        ))?;
        let row: Option<Row> = statement
            .query_row((resource.0, self.project.0, self.run.0), |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()?;
        let Some((reason, status, list, detail)) = row else {
            return Ok(None);
        };
        let is_redirect = status.is_some_and(|status| (300..400).contains(&status) && status != 304);
        match reason.as_deref().map(Reason::parse) {
            None | Some(Some(Reason::AsBefore)) if is_redirect => {
                let is_there = self.is_there(list.as_deref().unwrap_or(""))?;
                Ok(Some(LastAnswer::Redirect { is_there }))
            }
            Some(Some(Reason::UnwantedType | Reason::AsBefore)) => Ok(Some(LastAnswer::Unwanted)),
            // It does not want to be kept and is no page: an answer of an API, say. A page may lead to others.
            Some(Some(Reason::NoIndex)) if detail.is_some() => Ok(Some(LastAnswer::Unwanted)),
            _ => Ok(None),
        }
    }

    /// Whether a redirect leads to a document of the project, or to where no run goes.
    fn is_there(&self, list: &str) -> Result<bool, StoreError> {
        let redirect = LinkKind::Redirect as u8;
        let Some((target, _)) = targets(list).find(|(_, kind)| *kind == redirect) else {
            return Ok(false);
        };
        let mut statement = self.db.prepare_cached(&format!(
            "SELECT EXISTS (SELECT 1 FROM documents WHERE resource = ?1 AND project = ?2 AND gone_run IS NULL)
                 OR NOT EXISTS (SELECT 1 FROM visits WHERE resource = ?1 AND run = {LAST_RUN})"
        ))?;
        Ok(statement.query_row((target, self.project.0, self.run.0), |row| row.get(0))?)
    }
}
