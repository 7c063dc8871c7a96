//! How many links come in and go out.
//!
//! `in(i)` is the number of distinct nodes that link to i, `out(i)` of those it links to; weighted, the sums of the weights. Variants
//! differ in what they count: repeated links count once here and fully in the weighted degrees, and links of a node to itself
//! are left out of both ([`Graph::self_links`] has them). Reciprocity is the share of links whose target links back.
//!
//! Trap: a plot of degrees on log scales is nearly straight for many distributions. It shows no power law.

use crate::graph::{Graph, Node, Rows};

/// How many links come in and go out, by node. Links of a node to itself are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Degrees {
    pub incoming: Vec<u32>,
    pub outgoing: Vec<u32>,
    pub weight_in: Vec<f64>,
    pub weight_out: Vec<f64>,
}

pub fn degrees(graph: &Graph) -> Degrees {
    Degrees {
        incoming: counts(&graph.backward),
        outgoing: counts(&graph.forward),
        weight_in: weights(&graph.backward),
        weight_out: weights(&graph.forward),
    }
}

fn counts(rows: &Rows) -> Vec<u32> {
    rows.starts
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) as u32)
        .collect()
}

pub(crate) fn weights(rows: &Rows) -> Vec<f64> {
    let nodes = 0..rows.nodes() as Node;
    match &rows.weights {
        Some(weights) => nodes.map(|node| weights.range(rows.range(node)).sum()).collect(),
        None => nodes.map(|node| rows.degree(node) as f64).collect(),
    }
}

/// How many nodes have each degree, ascending by degree: what a degree distribution is drawn from.
pub fn degree_counts(degrees: &[u32]) -> Vec<(u32, u64)> {
    let mut sorted = degrees.to_vec();
    sorted.sort_unstable();
    sorted
        .chunk_by(|one, other| one == other)
        .map(|same| (same[0], same.len() as u64))
        .collect()
}

/// The share of links whose target links back; 0 for a graph without links.
pub fn reciprocity(graph: &Graph) -> f64 {
    if graph.links() == 0 {
        return 0.0;
    }
    let nodes = 0..graph.nodes() as Node;
    let mutual: usize = nodes
        .map(|node| common(graph.forward.of(node), graph.backward.of(node)))
        .sum();
    mutual as f64 / graph.links() as f64
}

/// How many numbers two ascending lists share.
fn common(one: &[Node], other: &[Node]) -> usize {
    let (mut a, mut b, mut found) = (0, 0, 0);
    while a < one.len() && b < other.len() {
        let order = one[a].cmp(&other[b]);
        a += usize::from(order.is_le());
        b += usize::from(order.is_ge());
        found += usize::from(order.is_eq());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphBuilder;

    #[test]
    fn degrees_count_each_neighbour_once_and_weights_fully() {
        let mut builder = GraphBuilder::new(4);
        for (from, to) in [(0, 1), (0, 1), (1, 0), (0, 2), (2, 2)] {
            builder.link(from, to);
        }
        let graph = builder.finish();
        let found = degrees(&graph);
        assert_eq!(found.outgoing, [2, 1, 0, 0]);
        assert_eq!(found.incoming, [1, 1, 1, 0]);
        assert_eq!(found.weight_out, [3.0, 1.0, 0.0, 0.0]);
        assert_eq!(found.weight_in, [1.0, 2.0, 1.0, 0.0]);
        assert_eq!(degree_counts(&found.incoming), [(0, 1), (1, 3)]);
        assert!((reciprocity(&graph) - 2.0 / 3.0).abs() < 1e-15);
        assert!(reciprocity(&GraphBuilder::new(1).finish()).abs() < 1e-15);
    }
}
