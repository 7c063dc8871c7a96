//! Components: which nodes hang together.
//!
//! Strong: two nodes are in one component when each reaches the other along links. Weak: when they are joined by links whose direction
//! is ignored. Both in time linear in nodes and links (weak: but for the inverse Ackermann function).
//!
//! Strong components by Pearce's variant of Tarjan's algorithm (2016), which needs one number per node beside the stacks: while a
//! node's component is open, the number is the least visit it reaches; when it is closed, the component's, counted down from
//! above, so that it is never less than that of an open one. Weak ones by union-find.
//!
//! Trap: the textbook form calls itself once per node on a path, and a chain of a million pages ends the stack. Here the calls are
//! an array.

use crate::graph::{Graph, Node};

/// Which component each node is in. Components are numbered by size, the largest first; equal ones by their first node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    pub of: Vec<u32>,
    pub sizes: Vec<u32>,
}

impl Components {
    /// Numbers that only say who is together become numbers by size.
    pub(crate) fn numbered(mut of: Vec<u32>) -> Components {
        let bound = of.iter().max().map_or(0, |&most| most as usize + 1);
        let mut sizes = vec![0u32; bound];
        let mut firsts = vec![u32::MAX; bound];
        for (node, &number) in of.iter().enumerate() {
            sizes[number as usize] += 1;
            firsts[number as usize] = firsts[number as usize].min(node as u32);
        }
        let mut order: Vec<u32> = (0..bound as u32)
            .filter(|&number| sizes[number as usize] > 0)
            .collect();
        order.sort_unstable_by_key(|&number| {
            (std::cmp::Reverse(sizes[number as usize]), firsts[number as usize])
        });
        let sorted = order.iter().map(|&number| sizes[number as usize]).collect();
        for (place, &number) in order.iter().enumerate() {
            firsts[number as usize] = place as u32;
        }
        for number in &mut of {
            *number = firsts[*number as usize];
        }
        Components { of, sizes: sorted }
    }

    pub fn count(&self) -> usize {
        self.sizes.len()
    }
}

/// Nodes that reach each other.
pub fn strong_components(graph: &Graph) -> Components {
    let nodes = graph.nodes();
    // 0 is not yet visited. Visits count up from 1, components down from `nodes`.
    let mut number = vec![0u32; nodes];
    let mut visit = 1u32;
    let mut component = nodes as u32;
    // Nodes on the way from the root, each with the next of its links.
    let mut way: Vec<(Node, usize)> = Vec::new();
    // Nodes whose component is still open although they are left.
    let mut open: Vec<Node> = Vec::new();
    // Whether a node still is the first of its component.
    let mut is_first = vec![true; nodes];
    let starts = &graph.forward.starts;
    let ends = &graph.forward.ends;
    for root in 0..nodes {
        if number[root] != 0 {
            continue;
        }
        number[root] = visit;
        visit += 1;
        way.push((root as Node, starts[root]));
        while let Some((node, at)) = way.last_mut() {
            let here = *node as usize;
            let last = starts[here + 1];
            let mut deeper = None;
            while *at < last {
                let end = ends[*at] as usize;
                *at += 1;
                if number[end] == 0 {
                    deeper = Some(end);
                    // It is looked at again when it is left, for what it reaches.
                    *at -= 1;
                    break;
                }
                if number[end] < number[here] {
                    number[here] = number[end];
                    is_first[here] = false;
                }
            }
            if let Some(end) = deeper {
                number[end] = visit;
                visit += 1;
                way.push((end as Node, starts[end]));
                continue;
            }
            way.pop();
            if !is_first[here] {
                open.push(here as Node);
                continue;
            }
            visit -= 1;
            while let Some(&top) = open.last() {
                if number[top as usize] < number[here] {
                    break;
                }
                open.pop();
                number[top as usize] = component;
                visit -= 1;
            }
            number[here] = component;
            component -= 1;
        }
    }
    Components::numbered(number)
}

/// Nodes that are joined when the direction of links is ignored.
pub fn weak_components(graph: &Graph) -> Components {
    let mut parents: Vec<Node> = (0..graph.nodes() as Node).collect();
    for node in 0..graph.nodes() as Node {
        for &end in graph.forward.of(node) {
            let (one, other) = (root_of(&mut parents, node), root_of(&mut parents, end));
            // The lower number stays: chains grow short, and the result does not depend on the order.
            parents[one.max(other) as usize] = one.min(other);
        }
    }
    for node in 0..graph.nodes() as Node {
        parents[node as usize] = root_of(&mut parents, node);
    }
    Components::numbered(parents)
}

fn root_of(parents: &mut [Node], mut node: Node) -> Node {
    while parents[node as usize] != node {
        let above = parents[parents[node as usize] as usize];
        parents[node as usize] = above;
        node = above;
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphBuilder;

    #[test]
    fn a_chain_of_a_million_pages_needs_no_deep_stack() {
        let mut builder = GraphBuilder::new(1_000_000);
        for node in 0..999_999 {
            builder.link(node, node + 1);
        }
        let chain = builder.finish();
        assert_eq!(strong_components(&chain).count(), 1_000_000);
        assert_eq!(weak_components(&chain).sizes, [1_000_000]);
    }

    #[test]
    fn a_ring_of_a_million_pages_is_one_component() {
        let mut builder = GraphBuilder::new(1_000_000);
        for node in 0..1_000_000 {
            builder.link(node, (node + 1) % 1_000_000);
        }
        assert_eq!(strong_components(&builder.finish()).sizes, [1_000_000]);
    }

    #[test]
    fn components_are_numbered_by_size_then_by_their_first_node() {
        let mut builder = GraphBuilder::new(7);
        for (from, to) in [(0, 1), (2, 3), (3, 4), (4, 2), (5, 6), (6, 5)] {
            builder.link(from, to);
        }
        let graph = builder.finish();
        let strong = strong_components(&graph);
        assert_eq!(strong.sizes, [3, 2, 1, 1]);
        assert_eq!(strong.of, [2, 3, 0, 0, 0, 1, 1]);
        assert_eq!(weak_components(&graph).of, [1, 1, 0, 0, 0, 2, 2]);
    }
}
