//! Two graphs of the same web at two times (J3): what came, what went, what moved.
//!
//! Nodes are the same when their names are. Links of nodes to themselves are left out. As both graphs are in the order of their names,
//! one walk over both finds everything, without a map.
//!
//! Trap: a page that a run did not reach is not gone. Which runs can be compared is the caller's to know.

use crate::graph::{Graph, Node};
use crate::names::Names;

/// A link by the names of its ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ends {
    pub from: String,
    pub to: String,
}

/// What differs between two graphs; all lists in the order of their names.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphComparison {
    /// Nodes of the graph after.
    pub nodes_came: Vec<Node>,
    /// Nodes of the graph before.
    pub nodes_went: Vec<Node>,
    /// Nodes in both, as `(before, after)`.
    pub nodes_stayed: Vec<(Node, Node)>,
    pub links_gained: Vec<Ends>,
    pub links_lost: Vec<Ends>,
    pub links_kept: u64,
}

pub fn compare(before: (&Graph, &Names), after: (&Graph, &Names)) -> GraphComparison {
    let (old, new) = Names::matched(before.1, after.1);
    let gone = |other: &[Option<Node>]| -> Vec<Node> {
        let nodes = (0..).zip(other).filter(|(_, other)| other.is_none());
        nodes.map(|(node, _)| node).collect()
    };
    let stayed = (0..)
        .zip(&old)
        .filter_map(|(node, other)| Some((node, (*other)?)));
    let lost = links_without_match(before.0, after.0, &old);
    let gained = links_without_match(after.0, before.0, &new);
    GraphComparison {
        nodes_stayed: stayed.collect(),
        nodes_came: gone(&new),
        nodes_went: gone(&old),
        links_kept: (before.0.links() - lost.len()) as u64,
        links_lost: named(&lost, before.1),
        links_gained: named(&gained, after.1),
    }
}

/// Links of `one` that `other` has not; `node_in_other` keeps the order of nodes.
fn links_without_match(one: &Graph, other: &Graph, node_in_other: &[Option<Node>]) -> Vec<(Node, Node)> {
    let mut alone = Vec::new();
    for from in 0..one.nodes() as Node {
        let there = node_in_other[from as usize].map_or(&[][..], |node| other.forward.of(node));
        let mut at = 0;
        for &to in one.forward.of(from) {
            let Some(wanted) = node_in_other[to as usize] else {
                alone.push((from, to));
                continue;
            };
            while there.get(at).is_some_and(|&end| end < wanted) {
                at += 1;
            }
            if there.get(at) != Some(&wanted) {
                alone.push((from, to));
            }
        }
    }
    alone
}

fn named(links: &[(Node, Node)], names: &Names) -> Vec<Ends> {
    let ends = links.iter().map(|&(from, to)| Ends {
        from: names.get(from),
        to: names.get(to),
    });
    ends.collect()
}

/// A node that moved among the ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankChange {
    pub before: Node,
    pub after: Node,
    /// 1 is the best; among the nodes that are in both.
    pub place_before: u32,
    pub place_after: u32,
    pub score_before: f64,
    pub score_after: f64,
}

/// All nodes of `stayed` with their places, those that moved furthest first.
pub fn moves(stayed: &[(Node, Node)], before: &[f64], after: &[f64]) -> Vec<RankChange> {
    let scores_before: Vec<f64> = stayed.iter().map(|&(node, _)| before[node as usize]).collect();
    let scores_after: Vec<f64> = stayed.iter().map(|&(_, node)| after[node as usize]).collect();
    let (places_before, places_after) = (places(&scores_before), places(&scores_after));
    let mut moves: Vec<RankChange> = (0..stayed.len())
        .map(|at| RankChange {
            before: stayed[at].0,
            after: stayed[at].1,
            place_before: places_before[at],
            place_after: places_after[at],
            score_before: scores_before[at],
            score_after: scores_after[at],
        })
        .collect();
    moves.sort_by_key(|moved| {
        let far = moved.place_before.abs_diff(moved.place_after);
        (std::cmp::Reverse(far), moved.place_after, moved.after)
    });
    moves
}

/// The place of each score, the highest first. Equal scores share the better place, so that chance moves nobody.
fn places(scores: &[f64]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&one, &other| scores[other].total_cmp(&scores[one]).then(one.cmp(&other)));
    let mut places = vec![0; scores.len()];
    let mut place = 0;
    for (at, &node) in order.iter().enumerate() {
        if at == 0 || scores[order[at - 1]].total_cmp(&scores[node]).is_ne() {
            place = at as u32 + 1;
        }
        places[node] = place;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_edges;

    #[test]
    fn what_came_and_went_is_found_by_name() {
        let before = parse_edges(b"a\tb\na\tc\nb\tc\nx\ta", 0);
        let after = parse_edges(b"a\tb\na\taa\nb\tc\nc\ta", 0);
        let found = compare((&before.graph, &before.names), (&after.graph, &after.names));
        let ends = |list: &[Ends]| -> Vec<String> {
            list.iter()
                .map(|ends| format!("{} {}", ends.from, ends.to))
                .collect()
        };
        assert_eq!(ends(&found.links_gained), ["a aa", "c a"]);
        assert_eq!(ends(&found.links_lost), ["a c", "x a"]);
        assert_eq!(found.links_kept, 2);
        let names = |nodes: &[Node], names: &Names| -> Vec<String> {
            nodes.iter().map(|&node| names.get(node)).collect()
        };
        assert_eq!(names(&found.nodes_came, &after.names), ["aa"]);
        assert_eq!(names(&found.nodes_went, &before.names), ["x"]);
        assert_eq!(found.nodes_stayed.len(), 3);
        for &(old, new) in &found.nodes_stayed {
            assert_eq!(before.names.get(old), after.names.get(new));
        }
    }

    #[test]
    fn moves_are_counted_among_those_in_both() {
        let stayed = [(0, 1), (1, 2), (2, 3)];
        let found = moves(&stayed, &[0.5, 0.3, 0.2], &[0.4, 0.1, 0.2, 0.3]);
        let places: Vec<_> = found
            .iter()
            .map(|m| (m.before, m.place_before, m.place_after))
            .collect();
        assert_eq!(places, [(2, 3, 1), (0, 1, 3), (1, 2, 2)]);
        assert!(
            moves(&[(0, 0), (1, 1)], &[0.5, 0.5], &[0.5, 0.5])
                .iter()
                .all(|m| m.place_before == m.place_after)
        );
    }
}
