//! Why is a document or a site where it is? (every decision with its evidence)

use crate::CollectError;
use crate::analyse;
use crate::sites::{SiteFacts, all_sites, facts_of};
use gleaner_library::new_sites::Evidence;
use gleaner_model::library::{LibrarySettings, RevisitMode};
use gleaner_model::{LibraryId, Timestamp, Url};
use gleaner_store::Ledger;
use gleaner_store::libraries::{LibraryDocument, LibrarySite};

/// What is known of an address.
#[derive(Debug, Clone, PartialEq)]
pub struct AddressExplained {
    /// The verdicts about the document there, the oldest first.
    pub verdicts: Vec<LibraryDocument>,
    pub site: Option<LibrarySite>,
    pub facts: Option<SiteFacts>,
    /// One sentence each.
    pub said: Vec<String>,
}

pub fn explain_address(
    ledger: &dyn Ledger,
    library: LibraryId,
    settings: &LibrarySettings,
    url: &Url,
    now: Timestamp,
) -> Result<AddressExplained, CollectError> {
    let mut said = Vec::new();
    let verdicts = match ledger.resource_of(url)? {
        Some(resource) => match ledger.document_at(resource)? {
            Some(document) => ledger.library_verdicts(library, document)?,
            None => Vec::new(),
        },
        None => Vec::new(),
    };
    if let Some(last) = verdicts.last() {
        let by = if last.is_by_person {
            "by a person"
        } else {
            "by the filter"
        };
        said.push(format!(
            "{} {by}: {} (score {:.2}, topic {:.2}); {}",
            last.verdict.as_str(),
            last.genre.as_deref().unwrap_or("of no kind"),
            last.score,
            last.topic,
            last.reasons.join("; ")
        ));
        if verdicts.len() > 1 {
            let before: Vec<String> = verdicts[..verdicts.len() - 1]
                .iter()
                .map(|one| format!("{} in cycle {}", one.verdict.as_str(), one.cycle))
                .collect();
            said.push(format!("before: {}", before.join(", ")));
        }
    }
    let name = url.origin();
    let site = all_sites(ledger, library)?.remove(name);
    let facts = site.as_ref().map(facts_of).transpose()?;
    if let (Some(site), Some(facts)) = (&site, &facts) {
        said.extend(of_site(site, facts, settings, now));
    }
    if said.is_empty() {
        said.push("the library has not met it".to_owned());
    }
    Ok(AddressExplained {
        verdicts,
        site,
        facts,
        said,
    })
}

fn of_site(site: &LibrarySite, facts: &SiteFacts, settings: &LibrarySettings, now: Timestamp) -> Vec<String> {
    let mut said = Vec::new();
    let hand = if site.is_by_hand {
        ", decided by a person"
    } else {
        ""
    };
    said.push(format!("the site is {}{hand}: {}", site.state.as_str(), site.why));
    if !facts.how_found.is_empty() {
        said.push(format!("how it was found: {}", facts.how_found));
    }
    if let (Some(probability), Some(evidence)) = (facts.probability, &facts.evidence) {
        said.push(format!(
            "before it was read it was thought good with {:.0} %: {}",
            probability * 100.0,
            evidence_in_words(evidence)
        ));
    }
    if site.visits > 0 {
        let all = &facts.all;
        said.push(format!(
            "{} visits, {} requests, {} documents: {} accepted, {} rejected; {} requests behind the last accepted one",
            site.visits,
            all.fetches,
            all.downloaded.all,
            all.downloaded.accepted,
            all.downloaded.rejected,
            facts.after_last_accepted
        ));
    }
    if !facts.left.is_empty() {
        said.push(format!("it was left because: {}", facts.left));
    }
    if let Some(last) = site.last_visit {
        let ago = (now.0 - last.0).max(0) / 86_400_000;
        let next = match site.next_visit {
            None => "it is not visited again".to_owned(),
            Some(next) if next <= now => "it is due now".to_owned(),
            Some(next) => format!("next on {}", &crate::report::iso(next)[..10]),
        };
        said.push(match settings.revisit {
            RevisitMode::Index => format!("{}, last seen {ago} days ago, {next}", analyse::in_words(facts)),
            _ => format!("level {} of 5, last seen {ago} days ago, {next}", site.level),
        });
    }
    said
}

fn evidence_in_words(evidence: &Evidence) -> String {
    let mut parts = vec![format!(
        "{} linking domains with accepted documents",
        evidence.accepted_linking
    )];
    if !evidence.keywords.is_empty() {
        parts.push(format!("topic words {}", evidence.keywords.join(", ")));
    }
    parts.push(format!(
        "{} links, {} of them to documents",
        evidence.links, evidence.links_to_documents
    ));
    parts.join(", ")
}
