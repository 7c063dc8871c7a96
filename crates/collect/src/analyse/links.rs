//! Who links to which site, as the links of all pages tell that hold now.

use crate::{CollectError, Collecting};
use gleaner_library::statistics::Tally;
use gleaner_model::url::registrable_domain;
use gleaner_model::{ResourceId, Url};
use gleaner_store::Ledger;
use gleaner_store::ledger::ListPlace;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Anchor texts that are kept of each site.
const ANCHORS: usize = 40;
const PAGE: usize = 4096;

/// Links of a site and to it.
#[derive(Debug, Clone, Default)]
pub(super) struct SiteLinks {
    pub(super) links: u64,
    pub(super) links_out: u64,
    pub(super) from_outside: u64,
    /// Sites of the library that link to it, each with how often.
    pub(super) from: BTreeMap<u32, u64>,
    pub(super) anchors: BTreeSet<String>,
    pub(super) domains: BTreeSet<String>,
    /// One of its addresses that was linked to.
    pub(super) example: String,
    /// Links to it whose target is a document by its name.
    pub(super) to_documents: u64,
}

/// All sites that occur in the links.
#[derive(Debug, Default)]
pub(super) struct SiteGraph {
    pub(super) names: Vec<String>,
    pub(super) sites: HashMap<u32, SiteLinks>,
    numbers: HashMap<String, u32>,
}

impl SiteGraph {
    fn number(&mut self, site: &str) -> u32 {
        if let Some(number) = self.numbers.get(site) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(site.to_owned());
        self.numbers.insert(site.to_owned(), number);
        number
    }

    pub(super) fn describe(&self, site: &str, tally: &mut Tally) {
        let links = self.numbers.get(site).and_then(|number| self.sites.get(number));
        let Some(links) = links else { return };
        tally.links = links.links;
        tally.links_out = links.links_out;
        tally.links_from_outside = links.from_outside;
        tally.linking_domains = links.domains.len() as u64;
    }
}

/// Walks through the lists of links that hold now.
pub(super) fn count(ledger: &dyn Ledger, of: &Collecting<'_>) -> Result<SiteGraph, CollectError> {
    let mut graph = SiteGraph::default();
    // By resource: the number of its site, and whether its name is that of a document.
    let mut places: Vec<(u32, bool)> = vec![(u32::MAX, false); ledger.last_resource()?.0 as usize + 1];
    let mut examples: HashMap<u32, String> = HashMap::new();
    let mut after = ResourceId(0);
    loop {
        let rows = ledger.addresses(after, PAGE)?;
        let Some(last) = rows.last() else { break };
        after = last.id;
        for row in rows {
            let Ok(url) = Url::parse(&row.url) else { continue };
            if !url.is_web() {
                continue;
            }
            let number = graph.number(url.origin());
            let is_document = gleaner_library::accept::document_type("", url.path()).is_some();
            if let Some(place) = places.get_mut(row.id.0 as usize) {
                *place = (number, is_document);
            }
            let example = examples.entry(number).or_insert_with(|| row.url.clone());
            if row.url.len() < example.len() {
                example.clone_from(&row.url);
            }
        }
        if of.is_stopped() {
            break;
        }
    }
    let mut from = Some(ListPlace::default());
    while let Some(place) = from {
        let lists = ledger.link_lists(None, place, PAGE)?;
        from = lists.next;
        for (page, links) in lists.iter() {
            let Some(&(source, _)) = places.get(page.0 as usize).filter(|(site, _)| *site != u32::MAX) else {
                continue;
            };
            let domain = domain_of(&graph.names[source as usize]);
            for link in links.filter(|link| link.kind.is_followed()) {
                let target = places.get(link.target.0 as usize).copied();
                let Some((target, is_document)) = target.filter(|(site, _)| *site != u32::MAX) else {
                    continue;
                };
                let own = graph.sites.entry(source).or_default();
                own.links += 1;
                if target == source {
                    continue;
                }
                own.links_out += 1;
                let other = graph.sites.entry(target).or_default();
                other.from_outside += 1;
                *other.from.entry(source).or_default() += 1;
                other.to_documents += u64::from(is_document);
                other.domains.insert(domain.clone());
                if other.anchors.len() < ANCHORS {
                    let anchor = link.anchor();
                    if !anchor.is_empty() {
                        other.anchors.insert(anchor);
                    }
                }
            }
        }
    }
    for (number, links) in &mut graph.sites {
        links.example = examples.get(number).cloned().unwrap_or_default();
    }
    Ok(graph)
}

pub(super) fn domain_of(site: &str) -> String {
    let host = Url::parse(site).map_or_else(|_| site.to_owned(), |url| url.host().to_owned());
    registrable_domain(&host).unwrap_or(&host).to_owned()
}
