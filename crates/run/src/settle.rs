//! The last stage of a run: what can only be said when everything was asked. Then the report is sealed.
//!
//! ```text
//! what no listing named ──► moved ──► hosts that are away ──► orphans ──► sentences about the whole ──► sealed
//! ```
//! A document that moved is one document at a new address, not one gone and one new (B1). The server says so by a
//! redirect, or the content says so: what vanished here and appeared there with the same words is the same thing. Many
//! pages that changed into one and the same text did not change: something stood before them, or their host is away.

use crate::error::RunError;
use crate::fresh::Comparing;
use crate::run_store::RunStore;
use gleaner_history::side::SeenVersion;
use gleaner_judge::identity::{is_identity_broken, only_ones};
use gleaner_model::{Project, Reason, State, Timestamp, Url, VersionId, measure};
use gleaner_store::Ledger;
use gleaner_store::settling::{Candidate, Move};
use gleaner_store::wait;
use renamed::renamed;
use tracing::{debug, info};

mod hosts;
mod listed;
mod renamed;

/// A page of the web this short says too little to recognise a document by.
const TELLING_BYTES: u64 = 64;
/// Share of common words that makes a page at a new address the same document.
const LIKENESS: f64 = 0.6;
/// Pages compared by their text; beyond it only equal bytes count.
const COMPARED_MAX: usize = 500;

pub(crate) fn settle(
    run: &RunStore,
    project: &Project,
    comparing: &Comparing,
    listed_schemes: &[&'static str],
    now: Timestamp,
) -> Result<(), RunError> {
    let mut notes = listed::settle(run, project, listed_schemes, now)?;
    let reader = run.store.reader()?;
    let by_redirect = by_redirect(run, comparing, &*reader)?;
    let by_content = by_content(run, comparing, &*reader)?;
    let seeds: Vec<Url> = project
        .seeds
        .iter()
        .filter_map(|seed| Url::parse(seed).ok())
        .collect();
    let seeds = wait(run.store.resources_of(seeds))?;
    debug!(by_redirect, by_content, "what moved is settled");
    let about_hosts = hosts::settle(run, comparing, &*reader, &seeds, project.believes_empty)?;
    wait(run.store.mark_orphans(run.of, seeds, project.steps.len()))?;
    whole(run, by_redirect + by_content, &mut notes)?;
    notes.extend(about_hosts);
    for note in &notes {
        info!(note, "noted about the whole");
    }
    wait(run.store.weigh_lists(run.of))?;
    wait(run.store.seal(run.of, notes, now))?;
    Ok(())
}

/// Documents whose address leads elsewhere now.
fn by_redirect(run: &RunStore, comparing: &Comparing, reader: &dyn Ledger) -> Result<usize, RunError> {
    let mut count = 0;
    for old in wait(run.store.candidates(run.of, State::Err, Some(Reason::Moved)))? {
        let Some(end) = wait(run.store.end_of_redirects(old.resource))? else {
            continue;
        };
        let Some((new, state)) = wait(run.store.found_at(run.of, end))? else {
            continue;
        };
        if new.document == old.document {
            continue;
        }
        match (state, likeness(comparing, reader, &old, &new)) {
            (State::New, Likeness::Same) => {
                let same_as = Some(old.version);
                moved(run, &old, &new, State::Sam, same_as)?;
                count += 1;
            }
            (State::New, Likeness::Near) => {
                moved(run, &old, &new, State::Upd, None)?;
                count += 1;
            }
            (State::Sam | State::Upd, Likeness::Same) => wait(run.store.keep_same_elsewhere(
                run.of,
                old.document,
                format!("leads to {}, which says the same", new.url),
            ))?,
            // It leads to something else: what became of the document cannot be told.
            _ => {}
        }
    }
    Ok(count)
}

/// Documents that vanished, and came back elsewhere in the same run.
fn by_content(run: &RunStore, comparing: &Comparing, reader: &dyn Ledger) -> Result<usize, RunError> {
    let gone = wait(run.store.candidates(run.of, State::Mis, None))?;
    if gone.is_empty() {
        return Ok(0);
    }
    let new = wait(run.store.candidates(run.of, State::New, None))?;
    let mut is_taken = vec![false; new.len()];
    let mut count = 0;
    let mut left = Vec::new();
    let mut is_found = vec![false; gone.len()];
    for (before, now) in renamed(&gone, &new) {
        (is_found[before], is_taken[now]) = (true, true);
        let old = &gone[before];
        moved(run, old, &new[now], State::Sam, Some(old.version))?;
        count += 1;
    }
    // The same bytes, and only one of each side has them.
    let old_bytes = only_ones(gone.iter().map(|one| one.digest));
    let new_bytes = only_ones(new.iter().map(|one| one.digest));
    for (old, _) in gone.iter().zip(&is_found).filter(|(_, is_found)| !**is_found) {
        let is_telling = old.size >= TELLING_BYTES && old_bytes[&old.digest].is_some();
        match new_bytes.get(&old.digest).copied().flatten() {
            Some(at) if is_telling && !is_taken[at] => {
                is_taken[at] = true;
                let same_as = Some(old.version);
                moved(run, old, &new[at], State::Sam, same_as)?;
                count += 1;
            }
            _ => left.push(old),
        }
    }
    // The same title, and nearly the same words.
    let free: Vec<usize> = (0..new.len()).filter(|at| !is_taken[*at]).collect();
    let old_titles = only_ones(left.iter().map(|one| one.title.clone()));
    let new_titles = only_ones(free.iter().map(|at| new[*at].title.clone()));
    for old in left.iter().take(COMPARED_MAX) {
        if old.title.is_none() || old_titles[&old.title].is_none() {
            continue;
        }
        let Some(at) = new_titles.get(&old.title).copied().flatten() else {
            continue;
        };
        let found = &new[free[at]];
        let (state, same_as) = match likeness(comparing, reader, old, found) {
            Likeness::Same => (State::Sam, Some(old.version)),
            Likeness::Near => (State::Upd, None),
            Likeness::Other => continue,
        };
        moved(run, old, found, state, same_as)?;
        count += 1;
    }
    Ok(count)
}

fn moved(
    run: &RunStore,
    old: &Candidate,
    new: &Candidate,
    state: State,
    same_as: Option<VersionId>,
) -> Result<(), RunError> {
    wait(run.store.keep_move(
        run.of,
        Move {
            old: old.clone(),
            new: new.clone(),
            state,
            same_as,
            detail: format!("was {}", old.url),
        },
    ))?;
    Ok(())
}

enum Likeness {
    Same,
    /// The same document, edited.
    Near,
    Other,
}

fn likeness(comparing: &Comparing, reader: &dyn Ledger, old: &Candidate, new: &Candidate) -> Likeness {
    if old.digest == new.digest {
        return Likeness::Same;
    }
    let sight = |one: &Candidate| comparing.stored(reader, one.version, &one.url);
    let (Some(before), Some(now)) = (sight(old), sight(new)) else {
        return Likeness::Other;
    };
    if comparing.is_same(&before, &now) {
        return Likeness::Same;
    }
    let text = |sight: &SeenVersion| {
        let main: Vec<&str> = sight.content().main().map(|block| block.text.as_str()).collect();
        main.join("\n")
    };
    if crate::wall::share_of_words(&text(&before), &text(&now)) >= LIKENESS {
        Likeness::Near
    } else {
        Likeness::Other
    }
}

/// Sentences about the run as a whole.
fn whole(run: &RunStore, moved: usize, notes: &mut Vec<String>) -> Result<(), RunError> {
    let counts = wait(run.store.counts(run.of.run))?;
    let before = counts.before as usize;
    if moved >= 3 && moved * 5 >= before {
        notes.push(format!(
            "{moved} of {} moved to new addresses; they keep their numbers, and each is listed with its old address",
            measure::count(before as u64, "document")
        ));
    }
    let unmatched = counts.missing.min(counts.new) as usize;
    if unmatched >= 5 && is_identity_broken(unmatched, before, 0.0) {
        notes.push(format!(
            "{unmatched} documents vanished and as many appeared: the site seems to have new addresses, but its \
             content does not prove it; its URLs are learned again in the next run"
        ));
        wait(run.store.doubt_rules(run.of))?;
    }
    Ok(())
}
