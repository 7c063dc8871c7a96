//! Which sites does the next cycle visit?
//!
//! Half of the places are for sites that were never visited, those first that are most likely good. The rest is for known ones
//! whose time has come; those whose share ended while they still paid come first.

use crate::error::CollectError;
use crate::sites::{SiteFacts, facts_of};
use gleaner_library::cycle::{KnownSite, choose};
use gleaner_library::levels::{Mode, SiteStanding};
use gleaner_model::Timestamp;
use gleaner_model::library::{LibrarySettings, RevisitMode};
use gleaner_store::libraries::{LibrarySite, LibrarySiteState};
use std::collections::BTreeMap;

/// A site that a cycle visits, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenSite {
    pub site: String,
    pub why: String,
}

/// S1's levels as a library's file asks for them.
pub fn levels_of(revisit: RevisitMode) -> Mode {
    match revisit {
        RevisitMode::LevelsAsPrinted => Mode::AsPrinted,
        RevisitMode::Index | RevisitMode::Levels => Mode::Repaired,
    }
}

/// The sites of the next cycle; none where nothing is due.
pub fn choose_sites(
    settings: &LibrarySettings,
    sites: &BTreeMap<String, LibrarySite>,
    now: Timestamp,
) -> Result<Vec<ChosenSite>, CollectError> {
    let mut new: Vec<(&LibrarySite, SiteFacts)> = Vec::new();
    let mut unfinished: Vec<(&LibrarySite, SiteFacts)> = Vec::new();
    let mut known: Vec<(&LibrarySite, SiteFacts)> = Vec::new();
    for site in sites.values() {
        let facts = facts_of(site)?;
        match (site.state, site.visits) {
            (LibrarySiteState::Rejected, _) => {}
            (_, 0) => new.push((site, facts)),
            (_, _) if facts.is_cut_off => unfinished.push((site, facts)),
            (_, _) => known.push((site, facts)),
        }
    }
    let likely = |facts: &SiteFacts| facts.probability.unwrap_or(1.0);
    new.sort_by(|(one, a), (other, b)| {
        let by_hope = likely(b).total_cmp(&likely(a));
        by_hope.then_with(|| one.site.cmp(&other.site))
    });
    let yields = |facts: &SiteFacts| facts.last.harvest().value().unwrap_or(0.0);
    unfinished.sort_by(|(one, a), (other, b)| {
        let by_yield = yields(b).total_cmp(&yields(a));
        by_yield.then_with(|| one.site.cmp(&other.site))
    });
    let due = due_sites(settings, &known, now);
    let places = settings.cycle.places;
    let for_new = (places as f64 * settings.cycle.new_share).round() as usize;
    let waiting = unfinished.len() + due.len();
    let new_places = new.len().min(for_new.max(places.saturating_sub(waiting)));
    let mut chosen: Vec<ChosenSite> = Vec::new();
    let add = |chosen: &mut Vec<ChosenSite>, site: &str, why: String| {
        if chosen.len() < places {
            chosen.push(ChosenSite {
                site: site.to_owned(),
                why,
            });
        }
    };
    for (site, facts) in new.iter().take(new_places) {
        let why = if facts.how_found.is_empty() {
            "it is new"
        } else {
            facts.how_found.as_str()
        };
        add(&mut chosen, &site.site, why.to_owned());
    }
    for (site, facts) in &unfinished {
        let rate = yields(facts) * 100.0;
        let why = format!("its share ended while it gave {rate:.1} accepted documents per 100 requests");
        add(&mut chosen, &site.site, why);
    }
    for (site, why) in due {
        add(&mut chosen, &site, why);
    }
    for (site, facts) in new.iter().skip(new_places) {
        add(&mut chosen, &site.site, facts.how_found.clone());
    }
    Ok(chosen)
}

/// Known sites whose time has come, the best first, with why.
fn due_sites(
    settings: &LibrarySettings,
    known: &[(&LibrarySite, SiteFacts)],
    now: Timestamp,
) -> Vec<(String, String)> {
    if settings.revisit == RevisitMode::Index {
        let mut due: Vec<&(&LibrarySite, SiteFacts)> = known
            .iter()
            .filter(|(site, _)| site.next_visit.is_some_and(|next| next <= now))
            .collect();
        due.sort_by_key(|(site, _)| (site.next_visit, site.site.clone()));
        let told = due.into_iter();
        return told
            .map(|(site, _)| (site.site.clone(), site.why.clone()))
            .collect();
    }
    let sites: Vec<KnownSite<String>> = known
        .iter()
        .map(|(site, facts)| KnownSite {
            id: site.site.clone(),
            level: facts.standing.level,
            ended_ms: site.last_visit.unwrap_or(Timestamp(0)).0,
            accepted_rate: facts.all.downloaded.accepted_rate().value().unwrap_or(0.0),
            links_from_outside: facts.all.links_from_outside,
        })
        .collect();
    let ranked = choose(&sites, levels_of(settings.revisit), now.0, settings.cycle.places);
    let chosen = ranked.into_iter().filter(|ranked| ranked.is_chosen);
    chosen
        .map(|ranked| {
            let why = format!("rank {} of those whose time has come", ranked.rank);
            (ranked.id, why)
        })
        .collect()
}

/// When a site that was visited now is due again, by its level; none: never.
pub fn next_by_level(standing: &SiteStanding, mode: Mode, now: Timestamp) -> Option<Timestamp> {
    let days = standing.level.wait_days(mode)?;
    Some(Timestamp(now.0 + (days * 86_400_000.0) as i64))
}
