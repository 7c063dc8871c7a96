//! Hosts that are away: what their documents seem to have become is not believed.
//!
//! In: what the run found about each document. Out: changes taken back, documents not called gone, copies of one page that
//! are no new documents, and one sentence for each such host. What follows from what is for [`gleaner_judge::wall`] to say.

use super::COMPARED_MAX;
use crate::error::RunError;
use crate::fresh::Comparing;
use crate::run_store::RunStore;
use gleaner_judge::equality::Ladder;
use gleaner_judge::wall::{HostPage, HostVerdict, PageOutcome, duplicates, judge_host, needs_judging, stays};
use gleaner_model::{Reason, ResourceId, State, Url, measure};
use gleaner_store::Ledger;
use gleaner_store::settling::{Candidate, HostCounts, HostDocument, TakenBack};
use gleaner_store::wait;
use std::collections::{HashMap, HashSet};

/// So many documents that lead to one new page make it a page that stands before them.
const LEADS_MIN: usize = 3;
/// What a person can do about a site that is away.
const ADVICE: &str = "; if the site really is like this now, say so with `gleaner track --believe-empty`";
/// Fewer failures are told one by one.
const FAILED_MIN: usize = 3;

/// `seeds`: home pages of hosts whose root is no document. `is_confirmed`: a person has said that things are as they seem.
pub(super) fn settle(
    run: &RunStore,
    comparing: &Comparing,
    reader: &dyn Ledger,
    seeds: &[ResourceId],
    is_confirmed: bool,
) -> Result<Vec<String>, RunError> {
    let mut notes = Vec::new();
    for counts in wait(run.store.counts_by_host(run.of))? {
        let told = match counts.scheme.as_str() {
            "http" | "https" if !is_confirmed => settle_one(run, comparing, reader, &counts, seeds)?,
            // A file is what its server says it is.
            _ => None,
        };
        match told {
            Some(told) => notes.push(format!("{}: {told}", counts.origin())),
            None => notes.extend(failures(&counts)),
        }
    }
    Ok(notes)
}

/// A host where most documents failed for one reason is one sentence.
fn failures(counts: &HostCounts) -> Option<String> {
    let (reason, failed) = counts.reasons.iter().max_by_key(|(_, count)| *count)?;
    let is_most = *failed >= FAILED_MIN && failed * 10 >= counts.all * 8;
    // Empty folders have a sentence of their own.
    (is_most && *reason != Reason::EmptyRoot).then(|| {
        let (origin, all, meaning) = (
            counts.origin(),
            counts.all,
            reason.meaning().trim_end_matches('.'),
        );
        let advice = match reason {
            Reason::SameForAll | Reason::BecameEmpty => ADVICE,
            _ => "",
        };
        {
            let all = measure::count(all as u64, "document");
            format!("{origin}: {failed} of {all} could not be judged, {reason}: {meaning}{advice}")
        }
    })
}

/// What is said of the host, if something is not believed.
fn settle_one(
    run: &RunStore,
    comparing: &Comparing,
    reader: &dyn Ledger,
    counts: &HostCounts,
    seeds: &[ResourceId],
) -> Result<Option<String>, RunError> {
    let homes = homes_of(run, counts, seeds)?;
    let is_home_same = !homes.is_empty() && are_same(run, &homes)?;
    let HostCounts {
        mut same,
        changed,
        failed,
        gone,
        ..
    } = *counts;
    if !needs_judging(same, changed, failed, gone, is_home_same) {
        return Ok(None);
    }
    let documents = wait(run.store.host_documents(run.of, counts.host))?;
    let mut pages: Vec<HostPage> = documents
        .iter()
        .map(|document| page_of(document, &homes))
        .collect();
    // A home page that is as it was is one of those that count.
    if is_home_same && same > 0 && !pages.iter().any(|one| one.is_home) {
        same -= 1;
        pages.push(HostPage {
            is_home: true,
            outcome: PageOutcome::Same,
        });
    }
    let verdict = judge_host(&pages, same);
    let copies = if verdict.is_away || verdict.is_all_but_home {
        // While the home page is well, one new page may well take the place of many.
        let gates = if verdict.is_away {
            gates(run, &documents, &homes)?
        } else {
            HashSet::new()
        };
        drop_copies(run, comparing, reader, &counts.origin(), &documents, &gates)?
    } else {
        HashSet::new()
    };
    let mut dropped = copies.len();
    let mut no_pages = apply(run, &documents, &verdict)?;
    no_pages.extend(copies);
    dropped += drop_found_on(run, no_pages)?;
    Ok(sentence(&verdict, failed, pages.len() + same, dropped))
}

/// The document at the root of the host; where there is none, those that the project begins with.
fn homes_of(
    run: &RunStore,
    counts: &HostCounts,
    seeds: &[ResourceId],
) -> Result<HashSet<ResourceId>, RunError> {
    let origin = counts.origin();
    let root = Url::parse(&format!("{origin}/")).ok();
    let root = wait(run.store.resources_of(root.into_iter().collect()))?;
    for resource in root {
        if wait(run.store.found_at(run.of, resource))?.is_some() {
            return Ok(HashSet::from([resource]));
        }
    }
    let mut homes = HashSet::new();
    for seed in seeds {
        let end = wait(run.store.end_of_redirects(*seed))?.unwrap_or(*seed);
        for resource in [*seed, end] {
            if let Some((found, _)) = wait(run.store.found_at(run.of, resource))?
                && Url::parse(&found.url).is_ok_and(|url| url.origin() == origin)
            {
                homes.insert(resource);
            }
        }
    }
    Ok(homes)
}

fn are_same(run: &RunStore, homes: &HashSet<ResourceId>) -> Result<bool, RunError> {
    for home in homes {
        let state = wait(run.store.found_at(run.of, *home))?.map(|(_, state)| state);
        if !matches!(state, Some(State::Sam | State::Out)) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn page_of(document: &HostDocument, homes: &HashSet<ResourceId>) -> HostPage {
    let read = |stored: &Option<Vec<u8>>| Ladder::decode(stored.as_deref()?).ok();
    let outcome = match (document.state, read(&document.ladder)) {
        (State::Mis, _) => PageOutcome::Gone {
            is_said: document.reason != Some(Reason::Soft404),
            again: was_withheld(document),
        },
        (State::Upd, Some(now)) => PageOutcome::Changed {
            before: read(&document.base_ladder),
            stays: read(&document.shown_last).is_some_and(|last| stays(&last, &now)),
            now,
        },
        (State::Upd, None) => PageOutcome::Same,
        _ => PageOutcome::Failed {
            is_wall: document.reason.is_some_and(is_wall),
            shown: read(&document.shown),
        },
    };
    HostPage {
        is_home: homes.contains(&document.resource),
        outcome,
    }
}

/// Whether the run before was told the same and did not believe it.
fn was_withheld(document: &HostDocument) -> bool {
    let is_said = |reason| matches!(reason, Reason::HttpNotFound | Reason::HttpGone);
    match (document.reason, document.last) {
        (Some(Reason::Soft404), Some((State::Err, last))) => last == Some(Reason::SameForAll),
        (Some(now), Some((State::Err, Some(last)))) => now == last || is_said(now) && is_said(last),
        _ => false,
    }
}

/// What stood before the document in the last run.
fn wall_before(document: &HostDocument) -> Option<Reason> {
    let (state, reason) = document.last?;
    reason.filter(|reason| state == State::Err && is_wall(*reason))
}

fn is_wall(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::LoginWall | Reason::Blocked | Reason::ErrorPage | Reason::SameForAll | Reason::BecameEmpty
    )
}

/// Returns the pages whose changes were taken back.
fn apply(
    run: &RunStore,
    documents: &[HostDocument],
    verdict: &HostVerdict,
) -> Result<HashSet<ResourceId>, RunError> {
    let taken: Vec<TakenBack> = (verdict.taken_back.iter())
        .filter_map(|at| {
            let document = documents.get(*at)?;
            Some(TakenBack {
                document: document.document,
                resource: document.resource,
                version: document.version?,
                reason: wall_before(document).unwrap_or(Reason::SameForAll),
            })
        })
        .collect();
    let until = if verdict.needs_confirmation {
        "believed when the home page is back, or with --believe-empty"
    } else {
        "believed when the next run sees the same"
    };
    let detail = format!(
        "{} became shorter or all the same at once; {until}",
        measure::count(taken.len() as u64, "page")
    );
    wait(run.store.take_back(run.of, taken.clone(), detail))?;
    let withheld: Vec<_> = (verdict.withheld.iter())
        .filter_map(|at| documents.get(*at))
        .map(|document| (document.document, document.resource))
        .collect();
    let what = if verdict.is_away {
        "the home page is not there either"
    } else {
        "all others are lost too"
    };
    let detail = format!("not called gone: {what}; {until}");
    wait(run.store.withhold(run.of, withheld, detail))?;
    Ok(taken.iter().map(|taken| taken.resource).collect())
}

/// What was found only on pages that were not themselves is no document, and what was found there neither.
fn drop_found_on(run: &RunStore, mut sources: HashSet<ResourceId>) -> Result<usize, RunError> {
    let mut count = 0;
    while !sources.is_empty() {
        let mut found = Vec::new();
        for one in wait(run.store.candidates(run.of, State::New, None))? {
            let source = wait(run.store.first_found_on(one.resource))?;
            if source.is_some_and(|source| sources.contains(&source)) {
                found.push(one);
            }
        }
        count += found.len();
        sources = found.iter().map(|one| one.resource).collect();
        wait(run.store.drop_new(run.of, found))?;
    }
    Ok(count)
}

/// `failed`: documents that could not be judged by themselves.
fn sentence(verdict: &HostVerdict, failed: usize, count: usize, dropped: usize) -> Option<String> {
    let (gone, changed) = (verdict.withheld.len(), verdict.taken_back.len());
    if gone + changed + dropped == 0 {
        return None;
    }
    let all = measure::count(count as u64, "document");
    let mut parts = Vec::new();
    if failed > 0 {
        parts.push(format!("{failed} of {all} could not be judged"));
    }
    if gone > 0 {
        parts.push(format!("{gone} of {all} would be gone"));
    }
    if changed > 0 {
        parts.push(format!(
            "{changed} of {all} would be shorter or one and the same text"
        ));
    }
    if dropped > 0 {
        parts.push(format!(
            "new addresses that belong to what is shown there now: {dropped}"
        ));
    }
    let what = parts.join(", ");
    let follows = match (verdict.is_away, verdict.needs_confirmation) {
        (true, _) => {
            "the home page is not what it was either, so the site seems to be away and nothing of this counts"
        }
        (false, true) => "the site seems to be broken, so nothing of this counts",
        (false, false) => {
            "the site seems to be broken, so nothing of this counts until the next run sees the same"
        }
    };
    let advice = if verdict.needs_confirmation { ADVICE } else { "" };
    Some(format!("{what}; {follows}{advice}"))
}

/// Pages that the home page or several documents of a host lead to: they stand before it.
fn gates(
    run: &RunStore,
    documents: &[HostDocument],
    homes: &HashSet<ResourceId>,
) -> Result<HashSet<ResourceId>, RunError> {
    let mut leads: HashMap<ResourceId, usize> = HashMap::new();
    for document in documents.iter().filter(|one| one.reason == Some(Reason::Moved)) {
        if let Some(end) = wait(run.store.end_of_redirects(document.resource))? {
            let is_home = homes.contains(&document.resource);
            *leads.entry(end).or_default() += if is_home { LEADS_MIN } else { 1 };
        }
    }
    leads.retain(|_, count| *count >= LEADS_MIN);
    Ok(leads.into_keys().collect())
}

/// New pages of a host that is away, and pages that its documents lead to: those that show one page, and those that stand
/// before all others (`gates`), are no documents.
fn drop_copies(
    run: &RunStore,
    comparing: &Comparing,
    reader: &dyn Ledger,
    origin: &str,
    documents: &[HostDocument],
    gates: &HashSet<ResourceId>,
) -> Result<HashSet<ResourceId>, RunError> {
    let mut led_to: HashSet<ResourceId> = gates.clone();
    for document in documents.iter().filter(|one| one.reason == Some(Reason::Moved)) {
        led_to.extend(wait(run.store.end_of_redirects(document.resource))?);
    }
    let new: Vec<Candidate> = (wait(run.store.candidates(run.of, State::New, None))?.into_iter())
        .filter(|one| {
            let is_here = Url::parse(&one.url).is_ok_and(|url| url.origin() == origin);
            is_here || led_to.contains(&one.resource)
        })
        .take(COMPARED_MAX)
        .collect();
    let ladder_of = |one: &Candidate| {
        let sight = comparing.stored(reader, one.version, &one.url)?;
        Some(sight.ladder().into_owned())
    };
    let (new, ladders): (Vec<Candidate>, Vec<Ladder>) = new
        .into_iter()
        .filter_map(|one| ladder_of(&one).map(|ladder| (one, ladder)))
        .unzip();
    let walls: Vec<Ladder> = (documents.iter())
        .filter_map(|one| one.shown.as_ref().or(one.ladder.as_ref()))
        .filter_map(|stored| Ladder::decode(stored).ok())
        .collect();
    let is_copy = duplicates(&ladders, &walls);
    let mut dropped = Vec::new();
    for (one, is_copy) in new.iter().zip(is_copy) {
        if is_copy || gates.contains(&one.resource) {
            dropped.push(one.clone());
        }
    }
    let resources = dropped.iter().map(|one| one.resource).collect();
    wait(run.store.drop_new(run.of, dropped))?;
    Ok(resources)
}
