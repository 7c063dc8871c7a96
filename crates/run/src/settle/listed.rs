//! Documents of servers that list, which no listing of this run named: what is said of them is for [`gleaner_judge::listed`].

use crate::error::RunError;
use crate::run_store::RunStore;
use crate::way;
use gleaner_judge::listed::{FolderListing, is_empty_root, judge_unlisted, listing_above};
use gleaner_model::{Project, Reason, State, Timestamp, Url, measure};
use gleaner_store::StoreError;
use gleaner_store::wait;
use std::collections::HashMap;

/// `schemes`: what is listed. Returns a sentence for each folder that is not believed to be empty.
pub(super) fn settle(
    run: &RunStore,
    project: &Project,
    schemes: &[&'static str],
    now: Timestamp,
) -> Result<Vec<String>, RunError> {
    let unlisted = wait(run.store.unlisted(run.of, schemes.to_vec()))?;
    if unlisted.is_empty() {
        return Ok(Vec::new());
    }
    let roots = empty_roots(run, project, schemes)?;
    let mut counts = vec![0_usize; roots.len()];
    let mut listings: HashMap<String, Option<FolderListing>> = HashMap::new();
    let mut judged = Vec::with_capacity(unlisted.len());
    for missing in unlisted {
        let root = roots.iter().position(|root| missing.url.starts_with(root));
        let (state, reason) = if let Some(root) = root {
            counts[root] += 1;
            (State::Err, Reason::EmptyRoot)
        } else {
            let folder = listing_above(&missing.url, |folder| listing_of(run, folder, &mut listings))?;
            judge_unlisted(&missing.url, folder)
        };
        judged.push((missing, state, reason));
    }
    wait(run.store.keep_unlisted(run.of, judged, now))?;
    let told = roots.iter().zip(counts).filter(|(_, count)| *count > 0);
    Ok(told.map(|(root, count)| sentence(root, count)).collect())
}

fn sentence(root: &str, count: usize) -> String {
    format!(
        "{root}: it is empty now and had {}; its disk may not be mounted, so none of them is called gone; \
         if they are, say so with `gleaner track --believe-empty`",
        measure::count(count as u64, "document"),
    )
}

/// Folders that the project begins with and that are not believed to be empty.
fn empty_roots(run: &RunStore, project: &Project, schemes: &[&'static str]) -> Result<Vec<String>, RunError> {
    let mut empty = Vec::new();
    for root in way::homes(project)? {
        if !schemes.contains(&root.scheme()) {
            continue;
        }
        let Some(folder) = wait(run.store.folder_at(root))? else {
            continue;
        };
        let listing = visited(run, &folder)?;
        if is_empty_root(
            listing,
            wait(run.store.names_files(run.of, folder.clone()))?,
            project.believes_empty,
        ) {
            empty.push(folder);
        }
    }
    Ok(empty)
}

fn visited(run: &RunStore, folder: &str) -> Result<Option<FolderListing>, StoreError> {
    let Ok(url) = Url::parse(folder) else {
        return Ok(None);
    };
    let visit = wait(run.store.folder_visit(run.of, url))?;
    Ok(visit.map(|visit| FolderListing::of_visit(visit.was_asked, visit.reason, visit.detail.as_deref())))
}

/// The same, asked once for each folder.
fn listing_of(
    run: &RunStore,
    folder: &str,
    known: &mut HashMap<String, Option<FolderListing>>,
) -> Result<Option<FolderListing>, StoreError> {
    if let Some(listing) = known.get(folder) {
        return Ok(*listing);
    }
    let listing = visited(run, folder)?;
    known.insert(folder.to_owned(), listing);
    Ok(listing)
}
