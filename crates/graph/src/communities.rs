//! Communities: groups of nodes that are bound more closely to each other than to the rest.
//!
//! Leiden (Traag, Waltman and van Eck 2019) for modularity:
//!
//! ```text
//! Q = Σ_c ( e(c) / m  -  γ · (K(c) / 2m)² )
//! ```
//!
//! `m` is the strength of all bonds, `e(c)` that of the bonds inside c, `K(c)` the sum of the strengths at its nodes, γ the resolution.
//! Three steps, repeated on ever smaller graphs: nodes move to the neighbouring community with the greatest gain; each community
//! is refined, from single nodes up, into parts that hang together; the parts become the nodes of the next graph.
//!
//! Variants: bonds have no direction and the strength ln(1 + weight), the weights of both ways added: a thousand links from a footer
//! are no thousand opinions. In the refinement a node takes the best part, where the paper draws among the good ones; the seed decides the order in which
//! nodes are looked at.
//!
//! Traps: Louvain, which lacks the refinement, makes communities that fall apart. Modularity cannot see communities much smaller
//! than √(2m). Other seeds give other communities of nearly the same Q: the borders are not facts.

mod moving;

use crate::components::Components;
use crate::graph::Graph;
use crate::seeded::Seeded;
use moving::{Bonds, improve, refine};

#[derive(Debug, Clone, PartialEq)]
pub struct CommunityOptions {
    /// Above 1 gives smaller communities, below 1 larger ones.
    pub resolution: f64,
    pub seed: u64,
    pub rounds_max: u32,
}

impl Default for CommunityOptions {
    fn default() -> Self {
        CommunityOptions {
            resolution: 1.0,
            seed: 0,
            rounds_max: 20,
        }
    }
}

/// Numbered by size, the largest first; equal ones by their first node.
#[derive(Debug, Clone, PartialEq)]
pub struct Communities {
    pub of: Vec<u32>,
    pub sizes: Vec<u32>,
    pub modularity: f64,
}

/// Leiden with modularity; links without direction, with strength ln(1 + weight).
pub fn communities(graph: &Graph, options: &CommunityOptions) -> Communities {
    let bonds = Bonds::of(graph);
    let mut chance = Seeded::new(options.seed);
    let mut of: Vec<u32> = (0..graph.nodes() as u32).collect();
    let mut quality = bonds.modularity(&of, options.resolution);
    for _ in 0..options.rounds_max {
        let next = one_pass(&bonds, of.clone(), options.resolution, &mut chance);
        let better = bonds.modularity(&next, options.resolution);
        // The sums are rounded: a gain that is none must not keep the rounds going.
        if better <= quality + 1e-12 {
            break;
        }
        of = next;
        quality = better;
    }
    let Components { of, sizes } = Components::numbered(of);
    Communities {
        of,
        sizes,
        modularity: quality,
    }
}

/// From the nodes up to the last graph that still changes.
fn one_pass(bonds: &Bonds, mut of: Vec<u32>, resolution: f64, chance: &mut Seeded) -> Vec<u32> {
    improve(bonds, &mut of, resolution, chance);
    // The node of the present graph in which each node of the first one lies, and the communities of the present graph.
    let mut place: Vec<u32> = (0..of.len() as u32).collect();
    let mut level = of;
    let mut smaller: Option<Bonds> = None;
    loop {
        let present = smaller.as_ref().unwrap_or(bonds);
        let parts = refine(present, &level, resolution, chance);
        let Components { of: part_of, sizes } = Components::numbered(parts);
        if sizes.len() == present.nodes() {
            break;
        }
        let next = present.joined(&part_of, sizes.len());
        let mut next_level = vec![0; sizes.len()];
        for (node, &part) in part_of.iter().enumerate() {
            next_level[part as usize] = level[node];
        }
        for node in &mut place {
            *node = part_of[*node as usize];
        }
        // Numbers of communities must lie below the number of nodes.
        level = Components::numbered(next_level).of;
        improve(&next, &mut level, resolution, chance);
        smaller = Some(next);
    }
    place.into_iter().map(|node| level[node as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphBuilder;
    use crate::graph::Node;

    fn rings_of_cliques(cliques: u32, size: u32) -> Graph {
        let mut builder = GraphBuilder::new(0);
        for clique in 0..cliques {
            let first = clique * size;
            for one in first..first + size {
                for other in first..first + size {
                    builder.link(one, other);
                }
            }
            builder.link(first, (first + size) % (cliques * size));
        }
        builder.finish()
    }

    #[test]
    fn cliques_in_a_ring_are_communities() {
        let graph = rings_of_cliques(8, 6);
        let found = communities(&graph, &CommunityOptions::default());
        assert_eq!(found.sizes, [6; 8]);
        for clique in 0..8 {
            let of = &found.of[clique * 6..clique * 6 + 6];
            assert!(of.iter().all(|&community| community == of[0]));
        }
        assert!(found.modularity > 0.8, "{}", found.modularity);
        assert_eq!(found, communities(&graph, &CommunityOptions::default()));
    }

    #[test]
    fn every_community_hangs_together() {
        let mut chance = Seeded::new(11);
        let mut builder = GraphBuilder::new(2_000);
        for _ in 0..5_000 {
            builder.link(chance.below(2_000) as Node, chance.below(2_000) as Node);
        }
        let graph = builder.finish();
        let found = communities(&graph, &CommunityOptions::default());
        // The components of the graph without its bonds between communities are the communities themselves.
        let mut inside = GraphBuilder::new(2_000);
        for (from, to, _) in graph.all_links() {
            if found.of[from as usize] == found.of[to as usize] {
                inside.link(from, to);
            }
        }
        let parts = crate::weak_components(&inside.finish());
        assert_eq!(parts.of, found.of);
    }

    #[test]
    fn nothing_and_single_nodes_are_no_trouble() {
        assert!(
            communities(&GraphBuilder::new(0).finish(), &CommunityOptions::default())
                .of
                .is_empty()
        );
        let alone = communities(&GraphBuilder::new(3).finish(), &CommunityOptions::default());
        assert_eq!(alone.sizes, [1, 1, 1]);
        assert!(alone.modularity.abs() < 1e-12);
    }
}
