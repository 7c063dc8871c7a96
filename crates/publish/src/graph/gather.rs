//! From the catalog to a graph with facts: who links to whom, as it stood at the end of a run.
//!
//! Nodes are the documents of the projects and whatever they link to, also what was never asked for. Resources are numbered by
//! the catalog, so arrays over their numbers take the place of maps; a link is twelve bytes until the graph is built.

use super::facts::{Facts, NodeFacts};
use gleaner_graph::{Graph, GraphBuilder, Names};
use gleaner_model::{LinkKind, Reason, ResourceId, State, Timestamp, VersionId};
use gleaner_store::ledger::{Extent, Judgement, ListPlace, OneState, Sighting};
use gleaner_store::{Ledger, StoreError};
use std::collections::{HashMap, HashSet};

/// Rows and lists of links that are read in one go.
const ROWS: usize = 4096;
const LISTS: usize = 1024;

/// Which links count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkChoice {
    pub kinds: Vec<LinkKind>,
    /// Links that say rel=nofollow count too.
    pub with_nofollow: bool,
}

impl Default for LinkChoice {
    /// All but the entries of sitemaps, which are lists for machines, and what no reader of a page is shown.
    fn default() -> Self {
        LinkChoice {
            kinds: LinkKind::ALL
                .into_iter()
                .filter(|kind| *kind != LinkKind::Sitemap && !kind.is_guess())
                .collect(),
            with_nofollow: true,
        }
    }
}

/// A graph of pages with what is known of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Gathered {
    pub(super) graph: Graph,
    pub(super) names: Names,
    pub(super) facts: Facts,
}

/// What is known of a resource while rows come in.
#[derive(Clone, Default)]
struct Known {
    is_source: bool,
    is_node: bool,
    kept: bool,
    state: Option<State>,
    status: Option<u16>,
    reason: Option<Reason>,
    depth: Option<u32>,
    last_seen: Option<Timestamp>,
}

pub(super) fn gather(
    reader: &dyn Ledger,
    extent: &Extent,
    choice: &LinkChoice,
) -> Result<Gathered, StoreError> {
    let _one_state = OneState::of(reader)?;
    let mut known = vec![Known::default(); reader.last_resource()?.0 as usize + 1];
    look_at_visits(reader, extent, &mut known)?;
    let (links, redirects) = links_of(reader, extent, choice, &mut known)?;
    name_and_build(reader, extent, &known, &links, &redirects)
}

fn look_at_visits(reader: &dyn Ledger, extent: &Extent, known: &mut [Known]) -> Result<(), StoreError> {
    // The oldest run first: the last one has the last word.
    for run in reader.runs_in(extent)? {
        let mut after = None;
        loop {
            let page = reader.sightings(run, after, ROWS)?;
            let Some(last) = page.last() else { break };
            after = Some(last.resource);
            for seen in &page {
                note_sighting(seen, known);
            }
        }
        let mut after = None;
        loop {
            let page = reader.judgements(run, after, ROWS)?;
            let Some(last) = page.last() else { break };
            after = Some(last.resource);
            for told in &page {
                note_judgement(told, known);
            }
        }
    }
    Ok(())
}

fn note_sighting(seen: &Sighting, known: &mut [Known]) {
    let Some(one) = known.get_mut(seen.resource.0 as usize) else {
        return;
    };
    one.is_source = true;
    one.depth = Some(seen.depth);
    if let Some(at) = seen.at {
        (one.status, one.reason) = (seen.status, seen.reason);
        if seen.status.is_none_or(|status| status < 400) && !seen.reason.is_some_and(is_failure) {
            one.last_seen = Some(at);
        }
    }
}

fn note_judgement(told: &Judgement, known: &mut [Known]) {
    let Some(one) = known.get_mut(told.resource.0 as usize) else {
        return;
    };
    one.state = Some(told.state);
    one.is_node = true;
    if told.document.is_some() && told.state != State::Err {
        one.kept = !matches!(told.state, State::Mis | State::Out);
    }
}

/// Source, target, count.
type Links = Vec<(u32, u32, u32)>;

fn links_of(
    reader: &dyn Ledger,
    extent: &Extent,
    choice: &LinkChoice,
    known: &mut [Known],
) -> Result<(Links, HashMap<u32, u32>), StoreError> {
    let mut is_chosen = [false; 256];
    for kind in &choice.kinds {
        is_chosen[usize::from(*kind as u8)] = true;
    }
    let mut links = Vec::new();
    let mut redirects = HashMap::new();
    let mut next = Some(ListPlace::default());
    while let Some(place) = next {
        let lists = reader.link_lists(extent.run, place, LISTS)?;
        for (source, list) in lists.iter() {
            // Pages that belong to the projects.
            if !known.get(source.0 as usize).is_some_and(|one| one.is_source) {
                continue;
            }
            for link in list {
                let (from, to) = (source.0 as u32, link.target.0 as u32);
                if !is_chosen[usize::from(link.kind as u8)] || (link.nofollow && !choice.with_nofollow) {
                    continue;
                }
                let Some(target) = known.get_mut(to as usize) else {
                    continue; // No such resource: the list is damaged, and `gleaner verify` says so.
                };
                target.is_node = true;
                known[from as usize].is_node = true;
                if link.kind == LinkKind::Redirect {
                    redirects.insert(from, to);
                }
                links.push((from, to, link.count.max(1)));
            }
        }
        next = lists.next;
    }
    Ok((links, redirects))
}

fn name_and_build(
    reader: &dyn Ledger,
    extent: &Extent,
    known: &[Known],
    links: &Links,
    redirects: &HashMap<u32, u32>,
) -> Result<Gathered, StoreError> {
    let mut urls: Vec<String> = Vec::new();
    let mut resources: Vec<u32> = Vec::new();
    let mut discovered: Vec<Timestamp> = Vec::new();
    let mut looks = Looks::default();
    let mut after = ResourceId(0);
    loop {
        let page = reader.addresses(after, ROWS)?;
        let Some(last) = page.last() else { break };
        after = last.id;
        let nodes = page
            .into_iter()
            .filter(|row| known.get(row.id.0 as usize).is_some_and(|one| one.is_node));
        for row in nodes {
            urls.push(row.url);
            resources.push(row.id.0 as u32);
            discovered.push(row.discovered_at);
            if extent.run.is_none() {
                looks.note(row.id.0 as u32, row.title, &row.media_type);
            }
        }
    }
    if extent.run.is_some() {
        let mut after = VersionId(0);
        loop {
            let page = reader.looks(extent, after, ROWS)?;
            let Some(last) = page.last() else { break };
            after = last.version;
            for look in page {
                looks.note(look.resource.0 as u32, look.title, &look.media_type);
            }
        }
    }
    let (names, node_of_row) = Names::sorted(&urls);
    drop(urls);
    let mut node_of = vec![u32::MAX; known.len()];
    let mut row_of_node = vec![0usize; names.len()];
    for (row, &resource) in resources.iter().enumerate() {
        node_of[resource as usize] = node_of_row[row];
        row_of_node[node_of_row[row] as usize] = row;
    }
    let mut builder = GraphBuilder::with_capacity(names.len(), links.len());
    for &(from, to, count) in links {
        let (from, to) = (node_of[from as usize], node_of[to as usize]);
        if from != u32::MAX && to != u32::MAX {
            builder.weighted_link(from, to, f64::from(count));
        }
    }
    let mut facts = Facts::with_capacity(names.len());
    for row in row_of_node {
        let resource = resources[row];
        let one = &known[resource as usize];
        let (title, media_type) = looks.of(resource);
        facts.push(&NodeFacts {
            resource,
            status: one.status,
            reason: one.reason,
            state: one.state,
            kept: u32::from(one.kept),
            depth: one.depth,
            first_seen: Some(discovered[row]),
            last_seen: one.last_seen,
            leads_to: redirects
                .get(&resource)
                .map(|to| node_of[*to as usize])
                .filter(|to| *to != u32::MAX),
            media_type,
            title,
        });
    }
    Ok(Gathered {
        graph: builder.finish(),
        names,
        facts,
    })
}

/// Titles and types by resource; types are few, so each is kept once.
#[derive(Default)]
struct Looks {
    types: HashSet<std::rc::Rc<str>>,
    of: HashMap<u32, (Box<str>, std::rc::Rc<str>)>,
}

impl Looks {
    fn note(&mut self, resource: u32, title: String, media_type: &str) {
        let kept = self.types.get(media_type).cloned();
        let kept = kept.unwrap_or_else(|| {
            let new: std::rc::Rc<str> = media_type.into();
            self.types.insert(std::rc::Rc::clone(&new));
            new
        });
        if !title.is_empty() || !media_type.is_empty() {
            self.of.insert(resource, (title.into(), kept));
        }
    }

    fn of(&self, resource: u32) -> (String, String) {
        let found = self.of.get(&resource);
        found.map_or_else(Default::default, |(title, media_type)| {
            (title.to_string(), media_type.to_string())
        })
    }
}

/// Nothing came, or not what was asked for.
fn is_failure(reason: Reason) -> bool {
    !matches!(
        reason,
        Reason::Moved | Reason::NotAsked | Reason::NotKept | Reason::NoIndex
    )
}
