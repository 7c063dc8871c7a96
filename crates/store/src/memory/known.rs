//! What earlier runs left behind about an address.

use super::rows::Rows;
use crate::keep::LastAnswer;
use crate::runs::RunRef;
use crate::tracking::targets;
use crate::work::Known;
use gleaner_model::{LinkKind, Reason, ResourceId};

impl Rows {
    pub(super) fn known(&self, of: RunRef, resource: ResourceId) -> Option<Known> {
        let id = *self.document_at.get(&(resource, of.project))?;
        let document = &self.documents[&id];
        let newest = document.version?;
        let version = self.versions.get(&newest)?;
        let base = version.same_as.unwrap_or(newest);
        let last = self.run_before(of.project, of.run);
        Some(Known {
            document: id,
            version: newest,
            digest: version.digest,
            size: version.size,
            etag: version.etag.clone(),
            last_modified: version.last_modified.clone(),
            base,
            base_digest: self.versions.get(&base).unwrap_or(version).digest,
            is_gone: document.gone_run.is_some(),
            asks_whole: document.instead_run.is_some(),
            was_away: document.instead_run.is_some(),
            instead: document.instead.clone().filter(|_| document.instead_run == last),
        })
    }
}

/// What an address that is no document was when the project's last run asked for it. None where that had nothing to do with
/// it, or found it dead.
pub(super) fn before(rows: &Rows, of: RunRef, resource: ResourceId) -> Option<LastAnswer> {
    let last = rows.run_before(of.project, of.run)?;
    let visit = rows.visits.get(&(last, resource))?;
    let status = rows.resources.get(&resource)?.status;
    let is_redirect = status.is_some_and(|status| (300..400).contains(&status) && status != 304);
    match visit.reason {
        None | Some(Reason::AsBefore) if is_redirect => {
            let redirect = LinkKind::Redirect as u8;
            let target = targets(rows.list_of(resource))
                .find(|(_, kind)| *kind == redirect)
                .map(|(target, _)| ResourceId(target));
            // To a document of the project, or to where no run goes.
            let is_there = target.is_some_and(|target| {
                rows.document_there(target, of.project).is_some()
                    || !rows.visits.contains_key(&(last, target))
            });
            Some(LastAnswer::Redirect { is_there })
        }
        Some(Reason::UnwantedType | Reason::AsBefore) => Some(LastAnswer::Unwanted),
        // It does not want to be kept and is no page: an answer of an API, say. A page may lead to others.
        Some(Reason::NoIndex) if visit.detail.is_some() => Some(LastAnswer::Unwanted),
        _ => None,
    }
}
