//! What somebody who keeps a site wants to know: what is broken, what nobody links to, which redirects lead to redirects.
//!
//! Which nodes are broken, where the walk began and where a node redirects comes from outside; here it meets the links. How deep
//! pages lie is [`crate::steps_from`] with the starts of the crawl.
//!
//! Traps: a page that is only linked from itself is an orphan. A chain of redirects can run into a ring that does not
//! hold its beginning.

use crate::graph::{Graph, Node};

#[derive(Debug, Clone, PartialEq)]
pub struct BrokenTarget {
    pub target: Node,
    /// Who links to it, ascending.
    pub sources: Vec<Node>,
    pub weight: f64,
}

/// Targets that are broken and linked to, the most linked first; `broken[node]` says which are.
pub fn broken_targets(graph: &Graph, broken: &[bool]) -> Vec<BrokenTarget> {
    let nodes = (0..graph.nodes() as Node).filter(|&node| broken[node as usize]);
    let mut found: Vec<BrokenTarget> = nodes
        .filter(|&node| graph.backward.degree(node) > 0)
        .map(|target| BrokenTarget {
            target,
            sources: graph.backward.of(target).to_vec(),
            weight: graph.backward.weighted(target).map(|(_, weight)| weight).sum(),
        })
        .collect();
    found.sort_by_key(|broken| (std::cmp::Reverse(broken.sources.len()), broken.target));
    found
}

/// Nodes to which no other node links, except those in `starts`; ascending.
pub fn orphans(graph: &Graph, starts: &[Node]) -> Vec<Node> {
    let mut is_start = vec![false; graph.nodes()];
    for &node in starts {
        is_start[node as usize] = true;
    }
    (0..graph.nodes() as Node)
        .filter(|&node| graph.backward.degree(node) == 0 && !is_start[node as usize])
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainEnd {
    /// It ends at a node that leads nowhere else.
    Arrives,
    /// It comes back to a node of its own.
    Loop,
}

/// Redirects one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectChain {
    /// From the first to the last; of a loop, the node it comes back to stands again at the end.
    pub nodes: Vec<Node>,
    pub end: ChainEnd,
}

/// Chains of at least `hops_min` redirects, the longest first; `leads_to[node]` is where a node redirects. Each begins at a node
/// to which no other redirects; a ring that no chain runs into begins at its lowest node.
pub fn redirect_chains(leads_to: &[Option<Node>], hops_min: usize) -> Vec<RedirectChain> {
    let mut is_target = vec![false; leads_to.len()];
    for target in leads_to.iter().flatten() {
        is_target[*target as usize] = true;
    }
    let mut visited = vec![false; leads_to.len()];
    let mut chains = Vec::new();
    let firsts = (0..leads_to.len()).filter(|&node| !is_target[node]);
    for first in firsts {
        if leads_to[first].is_some() {
            chains.push(chain_from(first as Node, leads_to, &mut visited));
        }
    }
    for first in 0..leads_to.len() {
        if leads_to[first].is_some() && !visited[first] {
            chains.push(chain_from(first as Node, leads_to, &mut visited));
        }
    }
    chains.retain(|chain| chain.nodes.len() > hops_min.max(1));
    sorted(chains)
}

fn sorted(mut chains: Vec<RedirectChain>) -> Vec<RedirectChain> {
    chains.sort_by(|one, other| {
        let by_length = other.nodes.len().cmp(&one.nodes.len());
        by_length.then_with(|| one.nodes.cmp(&other.nodes))
    });
    chains
}

fn chain_from(first: Node, leads_to: &[Option<Node>], visited: &mut [bool]) -> RedirectChain {
    let mut nodes = vec![first];
    let mut own = std::collections::HashSet::<Node, foldhash::fast::FixedState>::default();
    own.insert(first);
    visited[first as usize] = true;
    let mut at = first;
    while let Some(next) = leads_to[at as usize] {
        nodes.push(next);
        visited[next as usize] = true;
        if !own.insert(next) {
            return RedirectChain {
                nodes,
                end: ChainEnd::Loop,
            };
        }
        at = next;
    }
    RedirectChain {
        nodes,
        end: ChainEnd::Arrives,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphBuilder;

    #[test]
    fn broken_targets_come_with_who_links_to_them() {
        let mut builder = GraphBuilder::new(5);
        for (from, to) in [(0, 3), (0, 3), (1, 3), (1, 4), (2, 2)] {
            builder.link(from, to);
        }
        let graph = builder.finish();
        let found = broken_targets(&graph, &[false, true, false, true, true]);
        let seen: Vec<_> = found
            .iter()
            .map(|b| (b.target, b.sources.clone(), b.weight))
            .collect();
        assert_eq!(seen, [(3, vec![0, 1], 3.0), (4, vec![1], 1.0)]);
        assert_eq!(orphans(&graph, &[0]), [1, 2]);
    }

    #[test]
    fn chains_end_or_run_in_circles() {
        //               0        1        2     3        4        5        6     7
        let leads_to = [Some(1), Some(2), None, Some(4), Some(5), Some(4), None, Some(7)];
        let chains = redirect_chains(&leads_to, 2);
        assert_eq!(
            chains,
            [
                RedirectChain {
                    nodes: vec![3, 4, 5, 4],
                    end: ChainEnd::Loop
                },
                RedirectChain {
                    nodes: vec![0, 1, 2],
                    end: ChainEnd::Arrives
                },
            ]
        );
        let ring = [Some(1), Some(0)];
        assert_eq!(
            redirect_chains(&ring, 1),
            [RedirectChain {
                nodes: vec![0, 1, 0],
                end: ChainEnd::Loop
            }]
        );
        assert_eq!(redirect_chains(&leads_to, 1).len(), 3);
    }
}
