//! What do the pages of a project show that nobody collected? Pictures, styles, scripts, films: without them a copy of a page is
//! not what the page was.

use gleaner_model::{LinkKind, ProjectId, Reason, ResourceId, RunId};
use gleaner_store::ledger::{Absence, DocumentFilter, OneState, RunVisit};
use gleaner_store::{Ledger, StoreError};
use std::collections::{BTreeMap, HashSet};

/// A part of some page that is not among the documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requisite {
    pub url: String,
    /// The place that names it.
    pub kind: LinkKind,
}

/// Redirects that are followed from a part to what it is.
const HOPS_MAX: usize = 5;

/// The parts of a project's pages that it does not have, in the order in which they were found. Not those that were asked
/// for and are not to be had: dead links, servers that refuse.
pub fn missing_requisites(ledger: &dyn Ledger, project: ProjectId) -> Result<Vec<Requisite>, StoreError> {
    let _one_state = OneState::of(ledger)?;
    let filter = DocumentFilter {
        project: Some(ledger.project(project)?.name),
        ..DocumentFilter::default()
    };
    let mut pages = Vec::new();
    for row in ledger.all_documents(&filter) {
        let row = row?;
        if !matches!(row.absence, Some(Absence::Gone(_))) {
            pages.push(row.resource);
        }
    }
    let kept: HashSet<ResourceId> = pages.iter().copied().collect();
    let mut wanted: BTreeMap<ResourceId, LinkKind> = BTreeMap::new();
    for page in pages {
        for (_, links) in ledger.links_of(page, None)?.iter() {
            for link in links.filter(|link| is_part(link.kind) && !kept.contains(&link.target)) {
                wanted.entry(link.target).or_insert(link.kind);
            }
        }
    }
    let runs = ledger.runs()?.into_iter().rev();
    let runs: Vec<RunId> = runs
        .filter(|run| run.project == project)
        .map(|run| run.id)
        .collect();
    let mut missing = Vec::new();
    for (resource, kind) in wanted {
        if may_be_had(ledger, resource, &runs, &kept)?
            && let Some(place) = ledger.place(resource)?
            && place.url.starts_with("http")
        {
            missing.push(Requisite { url: place.url, kind });
        }
    }
    Ok(missing)
}

/// Whether nobody asked for it yet, or only our own settings kept it out. `runs`: of the project, the newest first.
fn may_be_had(
    ledger: &dyn Ledger,
    resource: ResourceId,
    runs: &[RunId],
    kept: &HashSet<ResourceId>,
) -> Result<bool, StoreError> {
    let mut at = resource;
    for _ in 0..HOPS_MAX {
        let Some(visit) = last_answer(ledger, at, runs)? else {
            return Ok(true);
        };
        let is_redirect = visit
            .status
            .is_some_and(|status| (300..400).contains(&status) && status != 304);
        let lists = ledger.links_of(at, None)?;
        let next = lists
            .iter()
            .flat_map(|(_, links)| links)
            .find(|link| is_redirect && link.kind == LinkKind::Redirect);
        match next {
            Some(link) if kept.contains(&link.target) => return Ok(false),
            Some(link) => at = link.target,
            None => {
                return Ok(matches!(
                    visit.reason,
                    Some(Reason::UnwantedType | Reason::OutOfScope | Reason::AsBefore)
                ));
            }
        }
    }
    Ok(false)
}

/// What came of it when one of these runs was last done with it.
fn last_answer(
    ledger: &dyn Ledger,
    resource: ResourceId,
    runs: &[RunId],
) -> Result<Option<RunVisit>, StoreError> {
    for &run in runs {
        if let Some(visit) = ledger.visit(run, resource)?.filter(|visit| visit.at.is_some()) {
            return Ok(Some(visit));
        }
    }
    Ok(None)
}

/// A browser fetches it by itself to show the page.
fn is_part(kind: LinkKind) -> bool {
    matches!(
        kind,
        LinkKind::Image | LinkKind::Media | LinkKind::Script | LinkKind::Style
    )
}
