//! Which pages, hosts or domains matter most?

use super::super::GraphError;
use super::super::table::{Table, TableCell, weight_cell};
use super::super::view::{View, one, weighted};
use gleaner_graph::{
    HitsOptions, Level, Node, PageRankOptions, SelfLinks, citations, core_numbers, degrees, group_by_level,
    hits, pagerank,
};
use std::cmp::Ordering;

/// What makes a node matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankBy {
    PageRank,
    Hubs,
    Authorities,
    In,
    Out,
    /// How many other domains link to it.
    Citations,
    /// The greatest k whose k-core has it.
    Core,
    /// How far it lies from where the crawl began.
    Depth,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RankOptions {
    pub by: RankBy,
    /// A link counts as often as it stands on its page.
    pub is_weighted: bool,
    pub damping: f64,
    /// The walk begins anew at these; everywhere alike when empty.
    pub from: Vec<Node>,
    /// HITS with the guards: links inside a host count nothing, and those of one host to one page together count once.
    pub is_guarded: bool,
    /// Links of a page to itself count too.
    pub with_self_links: bool,
}

impl Default for RankOptions {
    fn default() -> Self {
        RankOptions {
            by: RankBy::PageRank,
            is_weighted: false,
            damping: 0.85,
            from: Vec::new(),
            is_guarded: false,
            with_self_links: true,
        }
    }
}

/// The score of every node. A page that was not collected has no depth: -1.
pub(crate) fn scores(view: &View, options: &RankOptions) -> Vec<f64> {
    scored(view, options).0
}

/// The scores, and what must be said about them.
fn scored(view: &View, options: &RankOptions) -> (Vec<f64>, Option<String>) {
    let (weighting, self_links) = (
        weighted(options.is_weighted),
        if options.with_self_links {
            SelfLinks::Counted
        } else {
            SelfLinks::Ignored
        },
    );
    let mut note = None;
    let found = match options.by {
        RankBy::PageRank => {
            let asked = PageRankOptions {
                damping: options.damping,
                weighting,
                self_links,
                personal: options.from.iter().map(|node| (*node, 1.0)).collect(),
                ..PageRankOptions::default()
            };
            let ranks = pagerank(&view.graph, &asked);
            note = (ranks.change >= asked.tolerance).then(|| unsettled(ranks.rounds, ranks.change));
            ranks.scores
        }
        RankBy::Hubs | RankBy::Authorities => {
            let asked = HitsOptions {
                weighting,
                self_links,
                hosts: options.is_guarded.then(|| view.hosts().0),
                ..HitsOptions::default()
            };
            let found = hits(&view.graph, &asked);
            note = (found.change >= asked.tolerance).then(|| unsettled(found.rounds, found.change));
            if options.by == RankBy::Hubs {
                found.hubs
            } else {
                found.authorities
            }
        }
        RankBy::In | RankBy::Out => {
            let found = degrees(&view.graph);
            let (counts, weights) = if options.by == RankBy::In {
                (found.incoming, found.weight_in)
            } else {
                (found.outgoing, found.weight_out)
            };
            if options.is_weighted {
                weights
            } else {
                counts.into_iter().map(f64::from).collect()
            }
        }
        RankBy::Citations => cited(view).domains.into_iter().map(f64::from).collect(),
        RankBy::Core => core_numbers(&view.graph).into_iter().map(f64::from).collect(),
        RankBy::Depth => {
            let depth = |node: Node| {
                let facts = view.facts.as_ref().filter(|facts| facts.is_kept(node));
                facts.and_then(|facts| facts.depth(node)).map_or(-1.0, f64::from)
            };
            (0..view.nodes() as Node).map(depth).collect()
        }
    };
    (found, note)
}

fn unsettled(rounds: u32, change: f64) -> String {
    format!(
        "the scores have not settled: after {rounds} rounds the last one still changed them by {change:.1e}"
    )
}

fn cited(view: &View) -> gleaner_graph::Citations {
    let domains = group_by_level(&view.graph, &view.names, Level::Domain);
    citations(&view.graph, &domains.group_of)
}

/// The best `top` nodes, equal ones in the order of the nodes; all for 0.
pub(crate) fn best(scores: &[f64], top: usize) -> Vec<Node> {
    let mut order: Vec<Node> = (0..scores.len() as Node).collect();
    let better = |a: &Node, b: &Node| {
        let (one, other) = (scores[*a as usize], scores[*b as usize]);
        other.partial_cmp(&one).unwrap_or(Ordering::Equal).then(a.cmp(b))
    };
    let top = if top == 0 {
        order.len()
    } else {
        top.min(order.len())
    };
    if top < order.len() && top > 0 {
        order.select_nth_unstable_by(top - 1, better);
        order.truncate(top);
    }
    order.sort_unstable_by(better);
    order
}

/// The best nodes: address and score, for people also what it is, and what must be said about the scores.
pub fn rank(
    view: &View,
    options: &RankOptions,
    top: usize,
    for_people: bool,
) -> Result<(Table, Option<String>), GraphError> {
    if options.by == RankBy::Depth && view.facts.is_none() {
        return Err(GraphError::NeedsCatalog);
    }
    let (scores, note) = scored(view, options);
    let mut best = best(&scores, top);
    best.retain(|node| scores[*node as usize] >= 0.0);
    let has_titles = for_people && view.facts.is_some() && view.members.is_none();
    let raw = (options.by == RankBy::Citations).then(|| cited(view));
    let is_count = !matches!(options.by, RankBy::PageRank | RankBy::Hubs | RankBy::Authorities);
    let score_name = match options.by {
        _ if !for_people => "score",
        RankBy::Citations => "domains",
        RankBy::Core => "core",
        RankBy::Depth => "depth",
        RankBy::In | RankBy::Out => "links",
        _ => "score",
    };
    let mut columns = if for_people {
        vec!["place", score_name]
    } else {
        vec!["url", score_name]
    };
    if raw.is_some() {
        columns.extend(["links", "foreign_links"]);
    }
    if for_people {
        columns.push(if view.level == Level::Page {
            "url"
        } else {
            one(view.level)
        });
    }
    if has_titles {
        columns.push("title");
    }
    let mut table = Table::new(&columns);
    for (place, node) in best.into_iter().enumerate() {
        let score = scores[node as usize];
        let score = if is_count && for_people {
            weight_cell(score)
        } else {
            TableCell::Score(score)
        };
        let mut row = if for_people {
            vec![(place as u64 + 1).into(), score]
        } else {
            vec![view.names.get(node).into(), score]
        };
        if let Some(raw) = &raw {
            row.push(u64::from(raw.links[node as usize]).into());
            row.push(u64::from(raw.foreign_links[node as usize]).into());
        }
        if for_people {
            row.push(view.names.get(node).into());
        }
        if has_titles {
            row.push(view.title(node).into());
        }
        table.push(row);
    }
    Ok((table, note))
}
