//! Which sites that others link to are worth a trial? (G9)

use super::links::SiteGraph;
use crate::report::NewSiteReport;
use crate::sites::{SiteFacts, facts_json, facts_of, new_site};
use crate::{CollectError, Collecting};
use gleaner_library::new_sites::{Evidence, NewSites, SiteDecision, SiteVerdict, seed_rule};
use gleaner_library::topic::Keywords;
use gleaner_model::library::VisitOrder;
use gleaner_store::libraries::{LibrarySite, LibrarySiteState};
use std::collections::{BTreeMap, BTreeSet};

/// New sites of one cycle; those that are likeliest good.
const NEW_MOST: usize = 1000;

/// Sites that the library's sites link to and that it does not have yet are judged; what was turned down before is judged again,
/// unless a person said so.
pub(super) fn find(
    of: &Collecting<'_>,
    sites: &mut BTreeMap<String, LibrarySite>,
    graph: &SiteGraph,
    learned: &NewSites,
) -> Result<Vec<NewSiteReport>, CollectError> {
    let keywords = Keywords::new(of.settings.topic.iter().map(String::as_str));
    let mut yields: BTreeMap<&str, bool> = BTreeMap::new();
    for (name, site) in &*sites {
        yields.insert(name, facts_of(site)?.all.downloaded.accepted > 0);
    }
    let mut found = Vec::new();
    for (number, links) in &graph.sites {
        let name = graph.names[*number as usize].as_str();
        let known = sites.get(name);
        let may_be_judged = known.is_none_or(|site| {
            site.visits == 0 && !site.is_by_hand && site.state == LibrarySiteState::Rejected
        });
        if links.from_outside == 0 || !may_be_judged {
            continue;
        }
        // Sites that gave nothing vouch for nobody.
        let good: BTreeSet<String> = links
            .from
            .keys()
            .map(|source| graph.names[*source as usize].as_str())
            .filter(|source| yields.get(source).copied().unwrap_or(false))
            .map(super::links::domain_of)
            .collect();
        let anchors = links.anchors.iter().map(String::as_str).collect::<Vec<_>>();
        let hits = keywords.hits("", &anchors.join(" . "));
        let words: Vec<String> = hits
            .different
            .iter()
            .filter_map(|place| keywords.words().get(*place).cloned())
            .collect();
        let with_words = anchors
            .iter()
            .filter(|anchor| !keywords.hits("", anchor).different.is_empty())
            .count();
        let evidence = Evidence {
            topic: with_words as f64 / anchors.len().max(1) as f64,
            keywords: words,
            anchors: with_words as u64,
            accepted_linking: good.len() as u64,
            links: links.from_outside,
            links_to_documents: links.to_documents,
            breadth: 0.0,
            is_academic: is_academic(name),
        };
        found.push((name.to_owned(), links.example.clone(), evidence));
    }
    let mut judged: Vec<_> = found
        .into_iter()
        .map(|(name, start, evidence)| {
            let verdict = learned.judge(&evidence);
            (name, start, evidence, verdict)
        })
        .collect();
    judged.sort_by(|a, b| {
        b.3.probability
            .total_cmp(&a.3.probability)
            .then_with(|| a.0.cmp(&b.0))
    });
    let mut told = Vec::new();
    for (name, start, evidence, verdict) in judged.into_iter().take(NEW_MOST) {
        let state = state_of(of, &evidence, &verdict);
        let why = in_words(&evidence, &verdict);
        let facts = SiteFacts {
            how_found: why.join("; "),
            probability: Some(verdict.probability),
            evidence: Some(evidence),
            ..SiteFacts::default()
        };
        let home = format!("{name}/");
        let starts = if start.is_empty() || start == home {
            vec![home]
        } else {
            vec![home, start]
        };
        let mut site = new_site(&name, starts, state, "", &why.join("; "))?;
        site.facts = facts_json(&facts)?;
        if state != LibrarySiteState::Rejected {
            told.push(NewSiteReport {
                site: name.clone(),
                state: state.as_str().to_owned(),
                probability: (verdict.probability * 1000.0).round() / 1000.0,
                why,
            });
        }
        sites.insert(name, site);
    }
    Ok(told)
}

fn state_of(of: &Collecting<'_>, evidence: &Evidence, verdict: &SiteVerdict) -> LibrarySiteState {
    if of.settings.order == VisitOrder::S1 {
        let is_good = seed_rule(evidence.keywords.len() as u64, evidence.anchors);
        return if is_good {
            LibrarySiteState::Candidate
        } else {
            LibrarySiteState::Rejected
        };
    }
    match verdict.decision {
        SiteDecision::Accept => LibrarySiteState::Candidate,
        SiteDecision::Trial => LibrarySiteState::Trial,
        // A good site that links to it is worth a few requests: only its own pages tell.
        SiteDecision::Reject(_) if evidence.accepted_linking > 0 => LibrarySiteState::Trial,
        SiteDecision::Reject(_) => LibrarySiteState::Rejected,
    }
}

fn in_words(evidence: &Evidence, verdict: &SiteVerdict) -> Vec<String> {
    let mut why = Vec::new();
    match evidence.accepted_linking {
        0 => why.push("no site with accepted documents links to it".to_owned()),
        1 => why.push("a site with accepted documents links to it".to_owned()),
        count => why.push(format!("{count} sites with accepted documents link to it")),
    }
    if !evidence.keywords.is_empty() {
        why.push(format!("links to it say “{}”", evidence.keywords.join("”, “")));
    }
    if let SiteDecision::Reject(reason) = verdict.decision {
        use gleaner_library::new_sites::SiteReason;
        why.push(
            match reason {
                SiteReason::Broad => "the topic is a small part of it",
                SiteReason::Irrelevant => "nothing shows that it speaks of the topic",
                SiteReason::Ambiguous => "its words may mean something else",
            }
            .to_owned(),
        );
    }
    why
}

fn is_academic(site: &str) -> bool {
    let host = site.rsplit('/').next().unwrap_or(site);
    let host = host.split(':').next().unwrap_or(host);
    let labels: Vec<&str> = host.rsplit('.').take(2).collect();
    labels.iter().any(|label| matches!(*label, "edu" | "ac"))
}
