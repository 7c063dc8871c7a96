//! Which pages, hosts or domains matter most?

use super::super::table::{Table, TableCell};
use super::super::view::{View, weighted};
use gleaner_graph::{HitsOptions, Node, PageRankOptions, SelfLinks, degrees, hits, pagerank};
use std::cmp::Ordering;

/// What makes a node matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankBy {
    PageRank,
    Hubs,
    Authorities,
    In,
    Out,
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

/// The score of every node.
pub(crate) fn scores(view: &View, options: &RankOptions) -> Vec<f64> {
    let (weighting, self_links) = (
        weighted(options.is_weighted),
        if options.with_self_links {
            SelfLinks::Counted
        } else {
            SelfLinks::Ignored
        },
    );
    match options.by {
        RankBy::PageRank => {
            let asked = PageRankOptions {
                damping: options.damping,
                weighting,
                self_links,
                personal: options.from.iter().map(|node| (*node, 1.0)).collect(),
                ..PageRankOptions::default()
            };
            pagerank(&view.graph, &asked).scores
        }
        RankBy::Hubs | RankBy::Authorities => {
            let asked = HitsOptions {
                weighting,
                self_links,
                hosts: options.is_guarded.then(|| view.hosts().0),
                ..HitsOptions::default()
            };
            let found = hits(&view.graph, &asked);
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
    }
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

/// The best nodes: address and score; for people also what it is.
pub fn rank(view: &View, options: &RankOptions, top: usize, for_people: bool) -> Table {
    let scores = scores(view, options);
    let best = best(&scores, top);
    let mut table = if for_people {
        Table::new(&["place", "score", "url", "title"])
    } else {
        Table::new(&["url", "score"])
    };
    for (place, node) in best.into_iter().enumerate() {
        let (name, score) = (view.names.get(node), TableCell::Score(scores[node as usize]));
        table.push(if for_people {
            vec![
                (place as u64 + 1).into(),
                score,
                name.into(),
                view.title(node).into(),
            ]
        } else {
            vec![name.into(), score]
        });
    }
    if for_people && view.facts.is_none() || view.members.is_some() {
        table = without_last(table, for_people);
    }
    table
}

/// Titles are of pages that somebody looked at.
fn without_last(mut table: Table, for_people: bool) -> Table {
    if for_people {
        table.columns.pop();
        for row in &mut table.rows {
            row.pop();
        }
    }
    table
}
