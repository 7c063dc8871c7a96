//! What the lists of a run said of pages, against what the run found.

use super::rows::Rows;
use crate::runs::RunRef;
use gleaner_model::{HostId, Modified, Reason, ResourceId, RunId, State, Timestamp};
use std::collections::BTreeMap;

/// How many changes the lists of a host announced, and how many they denied.
#[derive(Default)]
struct Told {
    announced: i64,
    unannounced: i64,
}

impl Rows {
    pub(super) fn weigh_lists(&mut self, of: RunRef) {
        for (host, told) in self.told_by_lists(of) {
            let announced = self.list_trusts.entry(host).or_default();
            *announced = match told.unannounced {
                0 => *announced + told.announced,
                _ => 0,
            };
        }
        let runs = &self.runs;
        let is_of = |run: RunId| runs.get(&run).is_some_and(|run| run.project == of.project);
        self.list_dates.retain(|(run, _), _| !is_of(*run));
        self.list_waits.retain(|(run, ..)| !is_of(*run));
    }

    /// The server answered in that run that the document is as it was; the beginning of time if it did not.
    pub(super) fn seen_as_it_was(&self, run: Option<RunId>, resource: ResourceId) -> Timestamp {
        let answered = run.and_then(|run| {
            let change = self.changes.get(&(run, resource))?;
            let visit = self.visits.get(&(run, resource))?;
            let is_answer = visit.status.is_some_and(|status| status < 300 || status == 304);
            visit.at.filter(|_| change.state == State::Sam && is_answer)
        });
        answered.unwrap_or(Timestamp(0))
    }

    fn told_by_lists(&self, of: RunRef) -> BTreeMap<HostId, Told> {
        let before = self.run_before(of.project, of.run);
        let mut told: BTreeMap<HostId, Told> = BTreeMap::new();
        for (resource, change) in self.changes_of(of.run) {
            let is_gone = change.state == State::Mis;
            let is_found = (is_gone || change.state == State::Upd) && change.reason != Some(Reason::Moved);
            let document = change
                .document
                .and_then(|id| Some((id, self.documents.get(&id)?)));
            let (true, Some((id, document))) = (is_found, document) else {
                continue;
            };
            let Some(listed) = self.listed_at(of.run, resource) else {
                continue;
            };
            let older = self.versions.iter().filter(|(number, version)| {
                version.document == id && change.version.is_none_or(|new| **number < new)
            });
            let looked = older
                .map(|(_, version)| version.fetched_at)
                .chain(document.looked_at)
                .fold(self.seen_as_it_was(before, resource), Timestamp::max);
            let told = told.entry(self.resources[&resource].host).or_default();
            if listed.is_before(looked) {
                told.unannounced += 1;
            } else if listed.is_after(looked) && !is_gone {
                told.announced += 1;
            }
        }
        told
    }

    /// When a page changed last, as the lists of a run say.
    fn listed_at(&self, run: RunId, resource: ResourceId) -> Option<Modified> {
        let lists = self.list_dates.iter().filter(|((of, _), _)| *of == run);
        let dates = lists.flat_map(|(_, dates)| dates);
        dates
            .filter(|(of, _)| *of == resource)
            .map(|(_, modified)| *modified)
            .reduce(Modified::or_later)
    }
}
