//! Ways from one node to others: how does one get there?
//!
//! The distance of two nodes is the least number of links between them. Breadth first, from one end or from both in turn; weights
//! are no lengths here, because the weight of a link says how strong it is, not how long.
//!
//! Trap: several ways can be the shortest. The one whose nodes come first is given, read from the end, so that
//! the answer is the same each time.

use crate::graph::{Direction, Graph, Node};

/// Calls `visit` with every node that one step leads to. With [`Direction::Both`] a node may come twice.
pub(crate) fn for_each_end(graph: &Graph, node: Node, direction: Direction, mut visit: impl FnMut(Node)) {
    if direction != Direction::Backward {
        graph.forward.of(node).iter().for_each(|&end| visit(end));
    }
    if direction != Direction::Forward {
        graph.backward.of(node).iter().for_each(|&end| visit(end));
    }
}

/// The nodes of a shortest way, both ends included; the first in the order of nodes where several are as short.
pub fn shortest_path(graph: &Graph, from: Node, to: Node, direction: Direction) -> Option<Vec<Node>> {
    const UNSEEN: Node = Node::MAX;
    let mut before = vec![UNSEEN; graph.nodes()];
    before[from as usize] = from;
    let mut level = vec![from];
    while before[to as usize] == UNSEEN && !level.is_empty() {
        // In ascending order the first to reach a node is the lowest of those that do.
        level.sort_unstable();
        let mut next = Vec::new();
        for &node in &level {
            for_each_end(graph, node, direction, |end| {
                if before[end as usize] == UNSEEN {
                    before[end as usize] = node;
                    next.push(end);
                }
            });
        }
        level = next;
    }
    if before[to as usize] == UNSEEN {
        return None;
    }
    let mut way = vec![to];
    let mut at = to;
    while at != from {
        at = before[at as usize];
        way.push(at);
    }
    way.reverse();
    Some(way)
}

/// How many steps each node is away from the nearest of `from`; `None` where no way leads.
pub fn steps_from(graph: &Graph, from: &[Node], direction: Direction) -> Vec<Option<u32>> {
    let mut steps = vec![None; graph.nodes()];
    let mut level = Vec::new();
    for &node in from {
        if steps[node as usize].is_none() {
            steps[node as usize] = Some(0);
            level.push(node);
        }
    }
    let mut distance = 0;
    while !level.is_empty() {
        distance += 1;
        let mut next = Vec::new();
        for &node in &level {
            for_each_end(graph, node, direction, |end| {
                if steps[end as usize].is_none() {
                    steps[end as usize] = Some(distance);
                    next.push(end);
                }
            });
        }
        level = next;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphBuilder;

    fn graph() -> Graph {
        let mut builder = GraphBuilder::new(7);
        for (from, to) in [(0, 2), (0, 1), (1, 3), (2, 3), (3, 4), (5, 4)] {
            builder.link(from, to);
        }
        builder.finish()
    }

    #[test]
    fn the_way_is_shortest_and_the_first_of_its_kind() {
        let graph = graph();
        assert_eq!(
            shortest_path(&graph, 0, 4, Direction::Forward),
            Some(vec![0, 1, 3, 4])
        );
        assert_eq!(
            shortest_path(&graph, 4, 0, Direction::Backward),
            Some(vec![4, 3, 1, 0])
        );
        assert_eq!(shortest_path(&graph, 0, 0, Direction::Forward), Some(vec![0]));
        assert_eq!(shortest_path(&graph, 0, 5, Direction::Forward), None);
        assert_eq!(
            shortest_path(&graph, 0, 5, Direction::Both),
            Some(vec![0, 1, 3, 4, 5])
        );
        assert_eq!(shortest_path(&graph, 0, 6, Direction::Both), None);
    }

    #[test]
    fn steps_are_those_from_the_nearest_start() {
        let steps = steps_from(&graph(), &[0, 5], Direction::Forward);
        assert_eq!(
            steps,
            [Some(0), Some(1), Some(1), Some(2), Some(1), Some(0), None]
        );
    }
}
