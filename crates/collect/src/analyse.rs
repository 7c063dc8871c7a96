//! What did a cycle bring, and what follows from it? (G7 to G11)
//!
//! Everything is counted from the rows of the cycle's run and from the verdicts, so that an analysis that is repeated comes to the
//! same. Statistics, levels, next visits and new sites are kept together with the end of the cycle: nothing is counted twice.

mod links;
mod next;
mod trials;

use crate::choose::{ChosenSite, levels_of, next_by_level};
use crate::guide::LeftSite;
use crate::report::{CycleForecast, CycleReport, SiteReport, iso, per_100};
use crate::sites::{SiteFacts, VisitNote, all_sites, facts_json, facts_of};
use crate::teach::{memory, memory_json};
use crate::{CollectError, Collecting};
use gleaner_library::accept::document_type;
use gleaner_library::cycle::mean_completion_minutes;
use gleaner_library::directories::Directories;
use gleaner_library::levels::SiteVisit;
use gleaner_library::new_sites::NewSites;
use gleaner_library::statistics::{Download, Tally, level_of};
use gleaner_library::stop::{StopRule, Yield};
use gleaner_model::library::{LibrarySettings, RevisitMode};
use gleaner_model::{Reason, ResourceId, Timestamp, Url};
use gleaner_store::Ledger;
use gleaner_store::ledger::Sighting;
use gleaner_store::libraries::{
    LibraryCycle, LibraryDocument, LibrarySite, LibrarySiteState, LibraryVerdict,
};
use std::collections::BTreeMap;

const FOLDERS: &str = "folders";
const NEW_SITES: &str = "new-sites";

pub(crate) use next::in_words;

/// When a site pays no longer, as the library's file says.
pub fn stop_rule(settings: &LibrarySettings) -> StopRule {
    StopRule {
        yield_min: settings.stop.yield_min / 100.0,
        doubt: settings.stop.doubt,
        fetches_min: settings.stop.pages_min,
        ..StopRule::default()
    }
}

/// What was learned of folders.
pub fn folders_of(ledger: &dyn Ledger, of: &Collecting<'_>) -> Result<Directories, CollectError> {
    Ok(memory(ledger, of.library, FOLDERS, "folders")?.unwrap_or_default())
}

/// A request of the run, in the order in which they were made.
struct VisitedAddress {
    resource: ResourceId,
    at: Timestamp,
    url: Url,
    status: Option<u16>,
    reason: Option<Reason>,
}

/// The sites and memories after a cycle, with its report.
pub struct Analysed {
    pub sites: Vec<LibrarySite>,
    pub memories: Vec<(String, Vec<u8>)>,
    pub report: CycleReport,
}

/// Makes the change that ends the cycle. `left` are the sites that the run left, as far as that is known.
pub fn analyse(
    of: &Collecting<'_>,
    cycle: &LibraryCycle,
    chosen: &[ChosenSite],
    left: &BTreeMap<String, LeftSite>,
) -> Result<Analysed, CollectError> {
    let ledger = of.store.reader()?;
    let ledger = &*ledger;
    let now = of.clock.wall();
    let mut sites = all_sites(ledger, of.library)?;
    let mut folders = folders_of(ledger, of)?;
    let mut learned: NewSites = memory(ledger, of.library, NEW_SITES, "new sites")?.unwrap_or_default();
    let rule = stop_rule(&of.settings);
    let judged = verdicts_of(ledger, of, cycle.number)?;
    let visits = visits_of(ledger, cycle)?;
    let graph = links::count(ledger, of)?;
    let mut report = CycleReport {
        cycle: cycle.number,
        run: cycle.run.map(|run| run.0),
        status: "finished".to_owned(),
        order: of.settings.order.as_str().to_owned(),
        ..CycleReport::default()
    };
    let mut told = Vec::new();
    for chosen in chosen {
        let Some(mut site) = sites.remove(&chosen.site) else {
            continue;
        };
        let mut facts = facts_of(&site)?;
        let no_visits = Vec::new();
        let visits = visits.get(&chosen.site).unwrap_or(&no_visits);
        let counted = count_site(visits, &judged, &mut folders, &chosen.site, &rule);
        let SiteCount {
            mut tally,
            yields,
            after_last,
            uncertain,
        } = counted;
        graph.describe(&chosen.site, &mut tally);
        let before = facts.all.clone();
        facts.all.merge(&tally);
        (facts.all.linking_domains, facts.all.links_from_outside) =
            (tally.linking_domains, tally.links_from_outside);
        facts.yields = yields;
        facts.after_last_accepted = after_last;
        facts.visits.push(VisitNote {
            cycle: cycle.number,
            at_ms: now.0,
            accepted_new: tally.downloaded.accepted,
            fetches: tally.fetches,
        });
        let share = share_of(&of.settings, &site);
        let gone = left.get(&chosen.site);
        let was_cut_off = gone.map_or(tally.fetches >= share, |left| left.is_cut_off);
        // A whole share that brought nothing new is no reason to go on at once.
        facts.is_cut_off = was_cut_off && tally.downloaded.accepted > 0;
        facts.left = gone.map(|left| left.why.clone()).unwrap_or_default();
        facts.last = tally.clone();
        let is_first = site.visits == 0;
        site.visits += 1;
        site.last_visit = Some(now);
        let visit = SiteVisit {
            downloaded: facts.all.downloaded.all,
            accepted: facts.all.downloaded.accepted,
            accepted_new: facts.all.downloaded.accepted - before.downloaded.accepted,
        };
        facts.standing.visited(levels_of(of.settings.revisit), visit);
        site.level = facts.standing.level.number();
        decide(
            of,
            &mut site,
            &mut facts,
            &tally,
            gone,
            is_first,
            now,
            &mut learned,
        );
        report.fetches += tally.fetches;
        report.pages += tally.pages;
        report.downloaded += tally.downloaded.all;
        report.accepted += tally.downloaded.accepted;
        report.rejected += tally.downloaded.rejected;
        report.uncertain += uncertain;
        report.ms += tally.time_ms;
        told.push(SiteReport {
            site: site.site.clone(),
            state: site.state.as_str().to_owned(),
            why: site.why.clone(),
            fetches: tally.fetches,
            pages: tally.pages,
            downloaded: tally.downloaded.all,
            accepted: tally.downloaded.accepted,
            rejected: tally.downloaded.rejected,
            uncertain,
            after_last_accepted: after_last,
            left: facts.left.clone(),
            next_visit: site.next_visit.map(iso),
        });
        site.facts = facts_json(&facts)?;
        sites.insert(site.site.clone(), site);
    }
    report.new_sites = if of.settings.finds_sites {
        trials::find(of, &mut sites, &graph, &learned)?
    } else {
        Vec::new()
    };
    report.per_100 = per_100(report.accepted, report.fetches);
    if let Some(run) = cycle.run {
        report.ms = ledger.run(run)?.active_ms;
    }
    report.forecast = forecast(of, &sites, report.ms, told.len(), now)?;
    report.sites = told;
    Ok(Analysed {
        sites: sites.into_values().collect(),
        memories: vec![
            (FOLDERS.to_owned(), memory_json(&folders, "folders")?),
            (NEW_SITES.to_owned(), memory_json(&learned, "new sites")?),
        ],
        report,
    })
}

/// Requests that a site may have in a cycle.
pub fn share_of(settings: &LibrarySettings, site: &LibrarySite) -> u64 {
    match site.state {
        LibrarySiteState::Trial if site.visits == 0 => settings.cycle.trial_pages,
        _ => settings.budget.pages_per_site,
    }
}

/// What a visit makes of a site's state, and when the next one is.
#[expect(
    clippy::too_many_arguments,
    reason = "what a visit showed, and what it changes"
)]
fn decide(
    of: &Collecting<'_>,
    site: &mut LibrarySite,
    facts: &mut SiteFacts,
    tally: &Tally,
    left: Option<&LeftSite>,
    is_first: bool,
    now: Timestamp,
    learned: &mut NewSites,
) {
    let accepted = facts.all.downloaded.accepted;
    let was_trial = site.state == LibrarySiteState::Trial;
    if is_first && let Some(evidence) = &facts.evidence {
        learned.learn(evidence, accepted > 0, false);
    }
    if !site.is_by_hand {
        let gave = format!("{accepted} accepted of {} documents", facts.all.downloaded.all);
        (site.state, site.why) = if was_trial && accepted == 0 {
            facts.is_cut_off = false;
            let why = format!("its trial gave nothing in {} requests", tally.fetches);
            (LibrarySiteState::Rejected, why)
        } else if let Some(left) = left.filter(|left| !left.is_cut_off) {
            (LibrarySiteState::Stopped, format!("{gave}; {}", left.why))
        } else if accepted == 0 && !facts.is_cut_off {
            (
                LibrarySiteState::Stopped,
                format!("it gave nothing in {} requests", tally.fetches),
            )
        } else {
            (LibrarySiteState::Active, gave)
        };
        if was_trial && accepted > 0 {
            // What a trial showed is not all of it.
            facts.is_cut_off = true;
        }
    }
    site.next_visit = match (site.state, of.settings.revisit) {
        (LibrarySiteState::Rejected, _) => None,
        _ if facts.is_cut_off => Some(now),
        (_, RevisitMode::Index) => Some(next::next_by_index(facts, now)),
        (_, revisit) => next_by_level(&facts.standing, levels_of(revisit), now),
    };
}

fn verdicts_of(
    ledger: &dyn Ledger,
    of: &Collecting<'_>,
    cycle: u32,
) -> Result<BTreeMap<String, LibraryDocument>, CollectError> {
    let mut found = BTreeMap::new();
    for document in ledger.all_library_documents(of.library, None) {
        let document = document?;
        if document.cycle == cycle {
            found.insert(document.url.clone(), document);
        }
    }
    Ok(found)
}

/// By site, in the order of time.
fn visits_of(
    ledger: &dyn Ledger,
    cycle: &LibraryCycle,
) -> Result<BTreeMap<String, Vec<VisitedAddress>>, CollectError> {
    let mut found: BTreeMap<String, Vec<VisitedAddress>> = BTreeMap::new();
    let Some(run) = cycle.run else {
        return Ok(found);
    };
    let mut after = None;
    loop {
        let page = ledger.sightings(run, after, 4096)?;
        let Some(last) = page.last() else { break };
        after = Some(last.resource);
        for sighting in page {
            let Some(at) = sighting.at.filter(|_| was_asked(&sighting)) else {
                continue;
            };
            let Some(place) = ledger.place(sighting.resource)? else {
                continue;
            };
            let Ok(url) = Url::parse(&place.url) else { continue };
            found
                .entry(url.origin().to_owned())
                .or_default()
                .push(VisitedAddress {
                    resource: sighting.resource,
                    at,
                    url,
                    status: sighting.status,
                    reason: sighting.reason,
                });
        }
    }
    for visits in found.values_mut() {
        visits.sort_by_key(|visit| (visit.at, visit.resource));
    }
    Ok(found)
}

/// Whether a request was made: what our own rules and limits kept us from costs none.
pub(crate) fn was_asked(sighting: &Sighting) -> bool {
    use gleaner_model::Remedy;
    sighting.status.is_some()
        || sighting
            .reason
            .is_some_and(|reason| reason.remedy() == Remedy::Wait)
}

struct SiteCount {
    tally: Tally,
    yields: Yield,
    after_last: u64,
    uncertain: u64,
}

fn count_site(
    visits: &[VisitedAddress],
    judged: &BTreeMap<String, LibraryDocument>,
    folders: &mut Directories,
    site: &str,
    rule: &StopRule,
) -> SiteCount {
    let mut count = SiteCount {
        tally: Tally::default(),
        yields: Yield::default(),
        after_last: 0,
        uncertain: 0,
    };
    for visit in visits {
        let document = judged.get(visit.url.as_str());
        let is_accepted = document.is_some_and(|one| one.verdict == LibraryVerdict::Accepted);
        count.tally.fetches += 1;
        count.yields.fetched(rule, is_accepted);
        folders.fetched(site, visit.url.path(), is_accepted);
        count.after_last = if is_accepted { 0 } else { count.after_last + 1 };
        match document {
            Some(document) => {
                let is_uncertain = document.verdict == LibraryVerdict::Uncertain;
                count.uncertain += u64::from(is_uncertain);
                count.tally.download(&Download {
                    kind: document_type(&document.media_type, visit.url.path()).unwrap_or("other"),
                    bytes: document.size,
                    level: level_of(visit.url.path()),
                    is_accepted: (!is_uncertain).then_some(is_accepted),
                });
            }
            None if visit.status.is_some_and(|status| (200..400).contains(&status)) => {
                count.tally.pages += 1;
            }
            None => {}
        }
        let is_failure = visit.status.is_none_or(|status| status >= 400);
        if let Some(reason) = visit.reason.filter(|_| is_failure) {
            count.tally.error(reason.code());
        }
    }
    if let (Some(first), Some(last)) = (visits.first(), visits.last()) {
        count.tally.time_ms = (last.at.0 - first.at.0).max(0) as u64;
    }
    count
}

fn forecast(
    of: &Collecting<'_>,
    sites: &BTreeMap<String, LibrarySite>,
    ms: u64,
    visited: usize,
    now: Timestamp,
) -> Result<CycleForecast, CollectError> {
    let wait = of.settings.cycle.wait_seconds as i64 * 1000;
    let earliest = Timestamp(now.0 + wait);
    let next = sites.values().filter_map(|site| match (site.state, site.visits) {
        (LibrarySiteState::Rejected, _) => None,
        (_, 0) => Some(earliest),
        _ => site.next_visit.map(|next| next.max(earliest)),
    });
    let next = next.min();
    let then = next.unwrap_or(now);
    let chosen = crate::choose::choose_sites(&of.settings, sites, then)?;
    let minutes = mean_completion_minutes(ms / 60_000, visited as u64);
    Ok(CycleForecast {
        next_cycle: next.map(iso),
        sites: chosen.len(),
        minutes_per_site: minutes.unwrap_or(0),
    })
}
