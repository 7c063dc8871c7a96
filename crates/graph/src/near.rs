//! What lies around a node, and how strong the bonds are.
//!
//! Breadth first for so many hops. The bond of two nodes is the sum of the weights of the links between them, both ways.
//!
//! Trap: two hops from a page with a menu is the whole site. The number of nodes is therefore bounded, nearest and strongest first, and
//! what was left out is counted.

use crate::graph::{Direction, Graph, Node};
use crate::path::{for_each_end, steps_from};

/// A node of a neighbourhood.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    pub node: Node,
    pub hops: u32,
    /// The strongest bond with a node that is one hop nearer: the sum of the weights both ways. 0 for the centre.
    pub bond: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Neighbourhood {
    /// The centre first; then by hops, the strongest bonds first.
    pub nodes: Vec<Near>,
    /// All links between these nodes, as `(from, to, weight)`.
    pub links: Vec<(Node, Node, f64)>,
    /// Nodes within so many hops that were left out for their number.
    pub left_out: usize,
}

/// What lies around a node, at most `nodes_max` nodes: the nearest, and of equally near ones those with the strongest bonds.
pub fn neighbourhood(
    graph: &Graph,
    centre: Node,
    hops_max: u32,
    direction: Direction,
    nodes_max: usize,
) -> Neighbourhood {
    let steps = steps_from(graph, &[centre], direction);
    let near = |node: Node| steps[node as usize].filter(|&hops| hops <= hops_max);
    let mut nodes: Vec<Near> = (0..graph.nodes() as Node)
        .filter_map(|node| {
            let hops = near(node)?;
            let bond = strongest_bond(graph, node, |end| {
                near(end).is_some_and(|before| before + 1 == hops)
            });
            Some(Near { node, hops, bond })
        })
        .collect();
    nodes.sort_by(|one, other| {
        let by_hops = one.hops.cmp(&other.hops);
        by_hops
            .then(other.bond.total_cmp(&one.bond))
            .then(one.node.cmp(&other.node))
    });
    let left_out = nodes.len().saturating_sub(nodes_max.max(1));
    nodes.truncate(nodes_max.max(1));

    let mut is_kept = vec![false; graph.nodes()];
    let mut kept: Vec<Node> = nodes.iter().map(|near| near.node).collect();
    kept.sort_unstable();
    for &node in &kept {
        is_kept[node as usize] = true;
    }
    let links = kept.iter().flat_map(|&from| {
        let ends = graph.forward.weighted(from);
        let is_kept = &is_kept;
        ends.filter(move |&(to, _)| is_kept[to as usize])
            .map(move |(to, weight)| (from, to, weight))
    });
    Neighbourhood {
        links: links.collect(),
        nodes,
        left_out,
    }
}

fn strongest_bond(graph: &Graph, node: Node, is_nearer: impl Fn(Node) -> bool) -> f64 {
    let mut strongest: f64 = 0.0;
    for_each_end(graph, node, Direction::Both, |end| {
        if is_nearer(end) {
            let there = graph.link(node, end).unwrap_or(0.0);
            let back = graph.link(end, node).unwrap_or(0.0);
            strongest = strongest.max(there + back);
        }
    });
    strongest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphBuilder;

    #[test]
    fn the_nearest_and_strongest_come_first() {
        let mut builder = GraphBuilder::new(6);
        for (from, to, weight) in [
            (0, 1, 1.0),
            (0, 2, 3.0),
            (2, 0, 4.0),
            (1, 3, 1.0),
            (3, 4, 1.0),
            (5, 0, 2.0),
        ] {
            builder.weighted_link(from, to, weight);
        }
        let graph = builder.finish();
        let near = |hops, most| neighbourhood(&graph, 0, hops, Direction::Both, most);
        let seen = |found: &Neighbourhood| -> Vec<(Node, u32, f64)> {
            found
                .nodes
                .iter()
                .map(|near| (near.node, near.hops, near.bond))
                .collect()
        };
        let found = near(2, 10);
        assert_eq!(
            seen(&found),
            [(0, 0, 0.0), (2, 1, 7.0), (5, 1, 2.0), (1, 1, 1.0), (3, 2, 1.0)]
        );
        assert_eq!(found.left_out, 0);
        let found = near(2, 3);
        assert_eq!(seen(&found), [(0, 0, 0.0), (2, 1, 7.0), (5, 1, 2.0)]);
        assert_eq!(found.left_out, 2);
        assert_eq!(found.links, [(0, 2, 3.0), (2, 0, 4.0), (5, 0, 2.0)]);
    }
}
