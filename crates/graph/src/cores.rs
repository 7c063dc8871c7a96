//! k-cores: how deep a node sits in the dense part of a graph.
//!
//! The k-core is what remains when nodes with fewer than k neighbours are taken away again and again. A node's core number is the
//! greatest k whose core still has it. By Batagelj and Zaversnik (2003): take the node with the fewest neighbours, note
//! that number, take the node away, repeat; with nodes in buckets by degree, linear in nodes and links.
//!
//! Variants: neighbours are counted whichever way the link goes, and two nodes that link to each other are one pair of neighbours.
//! Others (networkx, igraph) count such a pair twice in directed graphs.
//!
//! Trap: the numbers never fall in the order of removal, although a node's remaining degree does.

use crate::graph::{Graph, Node};

/// The greatest k for which each node is in the k-core. Links count without direction.
pub fn core_numbers(graph: &Graph) -> Vec<u32> {
    let rows = graph.without_direction();
    let nodes = graph.nodes();
    let mut degrees: Vec<u32> = (0..nodes as Node).map(|node| rows.degree(node) as u32).collect();
    let most = degrees.iter().copied().max().unwrap_or(0) as usize;
    // `order` holds nodes by degree; `starts[d]` is where those of degree d begin, `place[node]` where a node stands.
    let mut starts = vec![0usize; most + 2];
    for &degree in &degrees {
        starts[degree as usize + 1] += 1;
    }
    crate::build::sum_up(&mut starts);
    let mut next = starts.clone();
    let mut order = vec![0 as Node; nodes];
    let mut place = vec![0usize; nodes];
    for node in 0..nodes {
        let slot = &mut next[degrees[node] as usize];
        order[*slot] = node as Node;
        place[node] = *slot;
        *slot += 1;
    }
    for at in 0..nodes {
        let node = order[at];
        let own = degrees[node as usize];
        for &end in rows.of(node) {
            let end = end as usize;
            let degree = degrees[end];
            if degree <= own {
                continue;
            }
            // Swap with the first of its bucket, then move the bucket's start behind it.
            let first = starts[degree as usize].max(at + 1);
            let other = order[first];
            order.swap(first, place[end]);
            place[other as usize] = place[end];
            place[end] = first;
            starts[degree as usize] = first + 1;
            degrees[end] -= 1;
        }
    }
    degrees
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphBuilder;

    /// Takes nodes away until nothing changes, for each k anew.
    fn by_definition(graph: &Graph) -> Vec<u32> {
        let rows = graph.without_direction();
        let mut cores = vec![0; graph.nodes()];
        for k in 1..=graph.nodes() as u32 {
            let mut alive = vec![true; graph.nodes()];
            loop {
                let lonely: Vec<usize> = (0..graph.nodes())
                    .filter(|&node| alive[node])
                    .filter(|&node| {
                        let near = rows.of(node as Node).iter();
                        (near.filter(|&&end| alive[end as usize]).count() as u32) < k
                    })
                    .collect();
                if lonely.is_empty() {
                    break;
                }
                for node in lonely {
                    alive[node] = false;
                }
            }
            (0..graph.nodes())
                .filter(|&node| alive[node])
                .for_each(|node| cores[node] = k);
        }
        cores
    }

    #[test]
    fn core_numbers_are_as_defined() {
        for seed in 0..40u64 {
            let nodes = 3 + seed % 30;
            let mut builder = GraphBuilder::new(nodes as usize);
            let mut state = seed;
            for _ in 0..nodes * (1 + seed % 5) {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                builder.link(((state >> 33) % nodes) as Node, ((state >> 13) % nodes) as Node);
            }
            let graph = builder.finish();
            assert_eq!(core_numbers(&graph), by_definition(&graph), "seed {seed}");
        }
        assert!(core_numbers(&GraphBuilder::new(0).finish()).is_empty());
    }
}
