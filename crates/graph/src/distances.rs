//! How far apart nodes are, from a sample of nodes.
//!
//! Breadth first from up to so many nodes, drawn without repetition; the number of pairs at each distance is a histogram from which the
//! mean and the effective diameter (nine of ten pairs are no further apart, Leskovec 2005) follow. 64 searches run at once: each node has
//! a word whose bit b says that search b has seen it (MS-BFS, Then et al. 2014).
//!
//! Trap: in a directed graph many pairs have no way at all, and a mean says nothing about those. They are counted apart. The
//! greatest distance of a sample is only a lower bound of the diameter.

use crate::graph::{Direction, Graph, Node};
use crate::path::for_each_end;
use crate::seeded::Seeded;

#[derive(Debug, Clone, PartialEq)]
pub struct DistanceOptions {
    /// From so many nodes; from all when there are no more.
    pub sources_max: usize,
    pub direction: Direction,
    pub seed: u64,
}

impl Default for DistanceOptions {
    fn default() -> Self {
        DistanceOptions {
            sources_max: 64,
            direction: Direction::Forward,
            seed: 0,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Distances {
    /// Nodes that the search began at.
    pub sources: usize,
    /// `pairs[d]` pairs are d steps apart; `pairs[0]` is 0.
    pub pairs: Vec<u64>,
    /// Pairs without a way.
    pub unreached: u64,
    /// Of the pairs with a way.
    pub mean: f64,
    /// Nine of ten pairs with a way are no further apart, interpolated between whole steps.
    pub effective_diameter: f64,
}

pub fn sample_distances(graph: &Graph, options: &DistanceOptions) -> Distances {
    let nodes = graph.nodes();
    let sources = drawn(nodes, options.sources_max, options.seed);
    let mut pairs = vec![0u64];
    for batch in sources.chunks(64) {
        search(graph, batch, options.direction, &mut pairs);
    }
    let with_way: u64 = pairs.iter().sum();
    let steps: f64 = pairs
        .iter()
        .enumerate()
        .map(|(d, &count)| d as f64 * count as f64)
        .sum();
    Distances {
        sources: sources.len(),
        unreached: sources.len() as u64 * nodes.saturating_sub(1) as u64 - with_way,
        mean: if with_way > 0 {
            steps / with_way as f64
        } else {
            0.0
        },
        effective_diameter: effective_diameter(&pairs, with_way),
        pairs,
    }
}

/// So many nodes, each at most once, in ascending order (Floyd's method).
fn drawn(nodes: usize, most: usize, seed: u64) -> Vec<Node> {
    if nodes <= most {
        return (0..nodes as Node).collect();
    }
    let mut chance = Seeded::new(seed);
    let mut chosen = std::collections::BTreeSet::new();
    for last in nodes - most..nodes {
        let node = chance.below(last as u64 + 1) as Node;
        if !chosen.insert(node) {
            chosen.insert(last as Node);
        }
    }
    chosen.into_iter().collect()
}

fn search(graph: &Graph, sources: &[Node], direction: Direction, pairs: &mut Vec<u64>) {
    let mut seen = vec![0u64; graph.nodes()];
    let mut fresh = vec![0u64; graph.nodes()];
    let mut level: Vec<Node> = sources.to_vec();
    let mut visits: Vec<u64> = Vec::new();
    for (bit, &source) in sources.iter().enumerate() {
        seen[source as usize] |= 1 << bit;
        visits.push(1 << bit);
    }
    let mut distance = 0;
    while !level.is_empty() {
        distance += 1;
        let mut next = Vec::new();
        for (&node, &bits) in level.iter().zip(&visits) {
            for_each_end(graph, node, direction, |end| {
                let new = bits & !seen[end as usize];
                if new != 0 {
                    if fresh[end as usize] == 0 {
                        next.push(end);
                    }
                    fresh[end as usize] |= new;
                }
            });
        }
        let mut count = 0;
        visits.clear();
        for &node in &next {
            let bits = std::mem::take(&mut fresh[node as usize]);
            seen[node as usize] |= bits;
            count += u64::from(bits.count_ones());
            visits.push(bits);
        }
        if count > 0 {
            if pairs.len() <= distance {
                pairs.resize(distance + 1, 0);
            }
            pairs[distance] += count;
        }
        level = next;
    }
}

fn effective_diameter(pairs: &[u64], with_way: u64) -> f64 {
    let wanted = 0.9 * with_way as f64;
    let mut before = 0.0;
    for (distance, &count) in pairs.iter().enumerate().skip(1) {
        let after = before + count as f64;
        if after >= wanted && count > 0 {
            return distance as f64 - 1.0 + (wanted - before) / count as f64;
        }
        before = after;
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GraphBuilder, steps_from};

    #[test]
    fn a_sample_of_all_nodes_gives_all_distances() {
        let mut builder = GraphBuilder::new(150);
        let mut chance = Seeded::new(3);
        for _ in 0..300 {
            builder.link(chance.below(150) as Node, chance.below(150) as Node);
        }
        let graph = builder.finish();
        let options = DistanceOptions {
            sources_max: 150,
            ..DistanceOptions::default()
        };
        let found = sample_distances(&graph, &options);
        let mut pairs = vec![0u64; found.pairs.len()];
        let mut unreached = 0;
        for from in 0..150 {
            for steps in steps_from(&graph, &[from], Direction::Forward) {
                match steps {
                    Some(0) => {}
                    Some(steps) => pairs[steps as usize] += 1,
                    None => unreached += 1,
                }
            }
        }
        assert_eq!((found.pairs, found.unreached), (pairs, unreached));
    }

    #[test]
    fn a_chain_has_its_known_distances() {
        let mut builder = GraphBuilder::new(4);
        (0..3).for_each(|node| builder.link(node, node + 1));
        let found = sample_distances(&builder.finish(), &DistanceOptions::default());
        assert_eq!(found.pairs, [0, 3, 2, 1]);
        assert_eq!(found.unreached, 6);
        assert!((found.mean - 10.0 / 6.0).abs() < 1e-12);
        assert!((found.effective_diameter - 2.4).abs() < 1e-12);
    }

    #[test]
    fn a_sample_has_no_node_twice() {
        let chosen = drawn(1000, 64, 1);
        assert_eq!(chosen.len(), 64);
        assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
