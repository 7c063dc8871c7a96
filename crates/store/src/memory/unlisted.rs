//! Folders, and documents that no listing named.

use super::rows::{HeldChange, Rows};
use crate::runs::RunRef;
use crate::settling::{FolderVisit, UnlistedDocument};
use crate::tracking::targets;
use gleaner_model::{Reason, ResourceId, State, Timestamp, Url};

impl Rows {
    pub(super) fn unlisted(&self, of: RunRef, schemes: &[&str]) -> Vec<UnlistedDocument> {
        let documents = self.documents_there(of.project).filter(|(_, document)| {
            let host = &self.hosts[&self.resources[&document.resource].host];
            schemes.contains(&host.scheme.as_str())
                && !self.changes.contains_key(&(of.run, document.resource))
        });
        documents
            .map(|(id, document)| UnlistedDocument {
                document: id,
                resource: document.resource,
                url: self.resources[&document.resource].url.as_str().to_owned(),
            })
            .collect()
    }

    pub(super) fn folder_visit(&self, of: RunRef, folder: &Url) -> Option<FolderVisit> {
        let resource = *self.resource_of.get(&folder.key())?;
        let visit = self.visits.get(&(of.run, resource))?;
        Some(FolderVisit {
            was_asked: visit.at.is_some(),
            reason: visit.reason,
            detail: visit.detail.clone(),
        })
    }

    pub(super) fn folder_at(&self, root: &Url) -> Option<String> {
        let given = *self.resource_of.get(&root.key())?;
        let folder = self.end_of_redirects(given).unwrap_or(given);
        let url = self.resources[&folder].url.as_str();
        url.ends_with('/').then(|| url.to_owned())
    }

    pub(super) fn names_files(&self, of: RunRef, folder: &str) -> bool {
        let url = |resource: ResourceId| self.resources.get(&resource).map_or("", |row| row.url.as_str());
        let mut taken = self
            .changes_of(of.run)
            .filter(|(_, change)| matches!(change.state, State::New | State::Upd | State::Sam));
        if taken.any(|(file, _)| url(file) != folder && url(file).starts_with(folder)) {
            return true;
        }
        let mut folders = self
            .visits_of(of.run)
            .filter(|(within, _)| url(*within).starts_with(folder));
        folders.any(|(within, _)| {
            let mut named = targets(self.list_of(within)).map(|(target, _)| url(ResourceId(target)));
            named.any(|file| !file.is_empty() && !file.ends_with('/'))
        })
    }

    pub(super) fn keep_unlisted(
        &mut self,
        of: RunRef,
        missing: &UnlistedDocument,
        state: State,
        reason: Reason,
        now: Timestamp,
    ) {
        let place = (of.run, missing.resource);
        let visit = self.visits.entry(place).or_default();
        (visit.at, visit.reason) = (Some(now), Some(reason));
        let change = HeldChange::new(Some(missing.document), state, Some(reason));
        self.add_change(of.run, missing.resource, change);
        if state == State::Mis
            && let Some(document) = self.documents.get_mut(&missing.document)
        {
            document.gone_run = Some(of.run);
        }
    }
}
