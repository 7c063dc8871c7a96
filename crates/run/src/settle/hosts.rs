//! Hosts that are away: what their documents seem to have become is not believed in this run.
//!
//! In: what the run found about each document. Out: changes taken back, documents not called gone, copies of one page that
//! are no new documents, and one sentence for each such host. What follows from what is for [`gleaner_judge::wall`] to say.

use super::COMPARED_MAX;
use crate::error::RunError;
use crate::fresh::Comparing;
use gleaner_judge::equality::Ladder;
use gleaner_judge::wall::{self, Copies, Fate, Seen, Weighed, copies, is_worth_a_look, stays};
use gleaner_model::{Reason, ResourceId, State, Url};
use gleaner_store::Reader;
use gleaner_store::keep::{Candidate, HostFates, Keeper, Standing, TakenBack};
use std::collections::{HashMap, HashSet};

/// So many documents that lead to one new page make it a page that stands before them.
const LEADS_MIN: usize = 3;
/// Fewer failures are told one by one.
const FAILED_MIN: usize = 3;

/// `seeds`: home pages of hosts whose root is no document.
pub(super) fn weigh(
    keeper: &mut Keeper,
    comparing: &Comparing,
    reader: &Reader,
    seeds: &[ResourceId],
) -> Result<Vec<String>, RunError> {
    let mut notes = Vec::new();
    for fates in keeper.fates_by_host()? {
        let told = match fates.scheme.as_str() {
            "http" | "https" => weigh_one(keeper, comparing, reader, &fates, seeds)?,
            // A file is what its server says it is.
            _ => None,
        };
        match told {
            Some(told) => notes.push(format!("{}: {told}", fates.origin())),
            None => notes.extend(failures(&fates)),
        }
    }
    Ok(notes)
}

/// A host where most documents failed for one reason is one sentence.
fn failures(fates: &HostFates) -> Option<String> {
    let (reason, failed) = fates.reasons.iter().max_by_key(|(_, count)| *count)?;
    let is_most = *failed >= FAILED_MIN && failed * 10 >= fates.all * 8;
    is_most.then(|| {
        let (scheme, name, all) = (&fates.scheme, &fates.name, fates.all);
        let meaning = reason.meaning();
        format!("{scheme}://{name}: {failed} of {all} documents could not be judged, {reason}: {meaning}")
    })
}

/// What is said of the host, if something is not believed.
fn weigh_one(
    keeper: &mut Keeper,
    comparing: &Comparing,
    reader: &Reader,
    fates: &HostFates,
    seeds: &[ResourceId],
) -> Result<Option<String>, RunError> {
    let homes = homes_of(keeper, fates, seeds)?;
    let is_home_well = !homes.is_empty() && is_well(keeper, &homes)?;
    let HostFates {
        mut same,
        changed,
        failed,
        gone,
        ..
    } = *fates;
    if !is_worth_a_look(same, changed, failed, gone, is_home_well) {
        return Ok(None);
    }
    let standings = keeper.standings(fates.host)?;
    let mut seen: Vec<Seen> = standings
        .iter()
        .map(|standing| seen_of(standing, &homes))
        .collect();
    // A home page that is as it was is one of those that count.
    if is_home_well && same > 0 && !seen.iter().any(|one| one.is_home) {
        same -= 1;
        seen.push(Seen {
            is_home: true,
            fate: Fate::Same,
        });
    }
    let weighed = wall::weigh(&seen, same);
    let copies = if weighed.is_away {
        drop_copies(keeper, comparing, reader, &fates.origin(), &standings)?
    } else {
        HashSet::new()
    };
    let mut dropped = copies.len();
    let mut no_pages = apply(keeper, &standings, &weighed)?;
    no_pages.extend(copies);
    dropped += drop_found_on(keeper, no_pages)?;
    Ok(sentence(&weighed, seen.len() + same, dropped))
}

/// The document at the root of the host; where there is none, those that the project begins with.
fn homes_of(
    keeper: &Keeper,
    fates: &HostFates,
    seeds: &[ResourceId],
) -> Result<HashSet<ResourceId>, RunError> {
    let origin = fates.origin();
    let root = Url::parse(&format!("{origin}/")).ok();
    let root = keeper.resources_of(root.as_slice())?;
    for resource in root {
        if keeper.found_at(resource)?.is_some() {
            return Ok(HashSet::from([resource]));
        }
    }
    let mut homes = HashSet::new();
    for seed in seeds {
        let end = keeper.end_of_redirects(*seed)?.unwrap_or(*seed);
        for resource in [*seed, end] {
            if let Some((found, _)) = keeper.found_at(resource)?
                && Url::parse(&found.url).is_ok_and(|url| url.origin() == origin)
            {
                homes.insert(resource);
            }
        }
    }
    Ok(homes)
}

fn is_well(keeper: &Keeper, homes: &HashSet<ResourceId>) -> Result<bool, RunError> {
    for home in homes {
        let state = keeper.found_at(*home)?.map(|(_, state)| state);
        if !matches!(state, Some(State::Sam | State::Out)) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn seen_of(standing: &Standing, homes: &HashSet<ResourceId>) -> Seen {
    let read = |stored: &Option<Vec<u8>>| Ladder::decode(stored.as_deref()?).ok();
    let fate = match (standing.state, read(&standing.ladder)) {
        (State::Mis, _) => Fate::Gone {
            is_said: standing.reason != Some(Reason::Soft404),
            again: was_withheld(standing),
        },
        (State::Upd, Some(now)) => Fate::Changed {
            before: read(&standing.base_ladder),
            stays: read(&standing.shown_last).is_some_and(|last| stays(&last, &now)),
            now,
        },
        (State::Upd, None) => Fate::Same,
        _ => Fate::Failed {
            is_wall: standing.reason.is_some_and(is_wall),
            shown: read(&standing.shown),
        },
    };
    Seen {
        is_home: homes.contains(&standing.resource),
        fate,
    }
}

/// Whether the run before was told the same and did not believe it.
fn was_withheld(standing: &Standing) -> bool {
    let as_withheld = match standing.reason {
        Some(Reason::Soft404) => Some(Reason::SameForAll),
        other => other,
    };
    standing.last == Some((State::Err, as_withheld))
}

fn is_wall(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::LoginWall | Reason::Blocked | Reason::ErrorPage | Reason::SameForAll | Reason::BecameEmpty
    )
}

/// Returns the pages whose changes were taken back.
fn apply(
    keeper: &mut Keeper,
    standings: &[Standing],
    weighed: &Weighed,
) -> Result<HashSet<ResourceId>, RunError> {
    let taken: Vec<TakenBack> = (weighed.taken_back.iter())
        .filter_map(|at| {
            let standing = standings.get(*at)?;
            Some(TakenBack {
                document: standing.document,
                resource: standing.resource,
                version: standing.version?,
            })
        })
        .collect();
    let detail = format!(
        "{} pages became shorter or one text at once; believed when the next run sees the same",
        taken.len()
    );
    keeper.take_back(&taken, Reason::SameForAll, &detail)?;
    let withheld: Vec<_> = (weighed.withheld.iter())
        .filter_map(|at| standings.get(*at))
        .map(|standing| (standing.document, standing.resource))
        .collect();
    let detail =
        "not called gone: the home page is not there either; believed when the next run is told the same";
    keeper.withhold(&withheld, detail)?;
    Ok(taken.iter().map(|taken| taken.resource).collect())
}

/// What was found only on pages that were not themselves is no document, and what was found there neither.
fn drop_found_on(keeper: &mut Keeper, mut sources: HashSet<ResourceId>) -> Result<usize, RunError> {
    let mut count = 0;
    while !sources.is_empty() {
        let mut found = Vec::new();
        for one in keeper.candidates(State::New, None)? {
            let source = keeper.first_found_on(one.resource)?;
            if source.is_some_and(|source| sources.contains(&source)) {
                found.push(one);
            }
        }
        count += found.len();
        keeper.drop_new(&found.iter().collect::<Vec<_>>())?;
        sources = found.iter().map(|one| one.resource).collect();
    }
    Ok(count)
}

fn sentence(weighed: &Weighed, count: usize, dropped: usize) -> Option<String> {
    let (gone, changed) = (weighed.withheld.len(), weighed.taken_back.len());
    let mut parts = Vec::new();
    if gone > 0 {
        parts.push(format!("{gone} of {count} documents would be gone"));
    }
    if changed > 0 {
        parts.push(format!(
            "{changed} of {count} documents would be shorter or one and the same text"
        ));
    }
    if dropped > 0 {
        parts.push(format!(
            "new addresses that belong to what stands there now: {dropped}"
        ));
    }
    let what = parts.join(", ");
    (!parts.is_empty()).then(|| {
        format!("{what}; the site seems to be away, so none of it counts before the next run sees the same")
    })
}

/// New pages of a host that is away, and pages that its documents lead to: those that show one page are no documents.
fn drop_copies(
    keeper: &mut Keeper,
    comparing: &Comparing,
    reader: &Reader,
    origin: &str,
    standings: &[Standing],
) -> Result<HashSet<ResourceId>, RunError> {
    let mut leads: HashMap<ResourceId, usize> = HashMap::new();
    for standing in standings.iter().filter(|one| one.reason == Some(Reason::Moved)) {
        if let Some(end) = keeper.end_of_redirects(standing.resource)? {
            *leads.entry(end).or_default() += 1;
        }
    }
    let new: Vec<Candidate> = (keeper.candidates(State::New, None)?.into_iter())
        .filter(|one| {
            let is_here = Url::parse(&one.url).is_ok_and(|url| url.origin() == origin);
            is_here || leads.contains_key(&one.resource)
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
    let walls: Vec<Ladder> = (standings.iter())
        .filter_map(|one| one.shown.as_ref().or(one.ladder.as_ref()))
        .filter_map(|stored| Ladder::decode(stored).ok())
        .collect();
    let is_copy = copies(&Copies {
        new: &ladders,
        walls: &walls,
    });
    let mut dropped = Vec::new();
    for (one, is_copy) in new.iter().zip(is_copy) {
        let is_led_to = leads.get(&one.resource).is_some_and(|count| *count >= LEADS_MIN);
        if is_copy || is_led_to && !keeper.was_a_copy(one.resource)? {
            dropped.push(one);
        }
    }
    keeper.drop_new(&dropped)?;
    Ok(dropped.iter().map(|one| one.resource).collect())
}
