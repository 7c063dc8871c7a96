//! The steps of Leiden on one graph: moving nodes, refining communities, joining parts.
//!
//! The gain of putting node i into community c is `e(i, c) - γ · k(i) · K(c) / 2m`, with `e` the strength of the bonds between them.

use crate::graph::{Graph, Node, Rows};
use crate::seeded::Seeded;
use std::collections::VecDeque;

/// Bonds without direction. Each stands in both rows; a node's bond with itself stands apart.
pub(super) struct Bonds {
    rows: Rows,
    strengths: Vec<f64>,
    own: Vec<f64>,
    /// The sum of the strengths at each node, its own bond twice.
    at_node: Vec<f64>,
    /// 2m.
    twice: f64,
}

impl Bonds {
    pub(super) fn of(graph: &Graph) -> Bonds {
        let rows = graph.without_direction();
        let strengths = match &rows.weights {
            Some(weights) => weights.iter().map(f64::ln_1p).collect(),
            None => vec![std::f64::consts::LN_2; rows.ends.len()],
        };
        let own = vec![0.0; rows.nodes()];
        Bonds::with_sums(rows, strengths, own)
    }

    fn with_sums(rows: Rows, strengths: Vec<f64>, own: Vec<f64>) -> Bonds {
        let sum = |node: usize| strengths[rows.range(node as Node)].iter().sum::<f64>() + 2.0 * own[node];
        let at_node: Vec<f64> = (0..rows.nodes()).map(sum).collect();
        let twice = at_node.iter().sum();
        Bonds {
            rows,
            strengths,
            own,
            at_node,
            twice,
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.at_node.len()
    }

    fn of_node(&self, node: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.rows.range(node as Node);
        let ends = self.rows.ends[range.clone()].iter().map(|&end| end as usize);
        ends.zip(self.strengths[range].iter().copied())
    }

    pub(super) fn modularity(&self, of: &[u32], resolution: f64) -> f64 {
        if self.twice == 0.0 {
            return 0.0;
        }
        let mut sums = vec![0.0; self.nodes()];
        let mut inside = 0.0;
        for node in 0..self.nodes() {
            sums[of[node] as usize] += self.at_node[node];
            inside += 2.0 * self.own[node];
            let same = self.of_node(node).filter(|&(end, _)| of[end] == of[node]);
            inside += same.map(|(_, strength)| strength).sum::<f64>();
        }
        let squares: f64 = sums.iter().map(|sum| (sum / self.twice).powi(2)).sum();
        inside / self.twice - resolution * squares
    }

    /// The graph whose nodes are the parts.
    pub(super) fn joined(&self, part_of: &[u32], parts: usize) -> Bonds {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); parts];
        for (node, &part) in part_of.iter().enumerate() {
            members[part as usize].push(node);
        }
        let mut rows = Rows {
            starts: vec![0],
            ends: Vec::new(),
            weights: None,
        };
        let mut strengths = Vec::new();
        let mut own = vec![0.0; parts];
        let mut near = Nearby::new(parts);
        for (part, members) in members.iter().enumerate() {
            for &node in members {
                own[part] += self.own[node];
                for (end, strength) in self.of_node(node) {
                    let other = part_of[end] as usize;
                    if other == part {
                        // Both nodes of the bond come by.
                        own[part] += strength / 2.0;
                    } else {
                        near.add(other, strength);
                    }
                }
            }
            near.found.sort_unstable();
            for other in near.found.drain(..) {
                rows.ends.push(other as Node);
                strengths.push(std::mem::take(&mut near.sums[other]));
            }
            rows.starts.push(rows.ends.len());
        }
        Bonds::with_sums(rows, strengths, own)
    }
}

/// Strengths of bonds by community, for one node at a time.
struct Nearby {
    sums: Vec<f64>,
    found: Vec<usize>,
}

impl Nearby {
    fn new(bound: usize) -> Nearby {
        Nearby {
            sums: vec![0.0; bound],
            found: Vec::new(),
        }
    }

    fn add(&mut self, community: usize, strength: f64) {
        if self.sums[community] == 0.0 {
            self.found.push(community);
        }
        self.sums[community] += strength;
    }

    fn clear(&mut self) {
        for community in self.found.drain(..) {
            self.sums[community] = 0.0;
        }
    }
}

fn shuffled(count: usize, chance: &mut Seeded) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, chance.below(last as u64 + 1) as usize);
    }
    order
}

/// Moves nodes while it makes the communities better. Only nodes next to one that moved are looked at again.
pub(super) fn improve(bonds: &Bonds, of: &mut [u32], resolution: f64, chance: &mut Seeded) {
    let nodes = bonds.nodes();
    if bonds.twice == 0.0 {
        return;
    }
    let mut sums = vec![0.0; nodes];
    let mut sizes = vec![0u32; nodes];
    for node in 0..nodes {
        sums[of[node] as usize] += bonds.at_node[node];
        sizes[of[node] as usize] += 1;
    }
    let mut empty: Vec<usize> = (0..nodes)
        .rev()
        .filter(|&community| sizes[community] == 0)
        .collect();
    let mut queue: VecDeque<usize> = shuffled(nodes, chance).into();
    let mut waits = vec![true; nodes];
    let mut near = Nearby::new(nodes);
    while let Some(node) = queue.pop_front() {
        waits[node] = false;
        let own = of[node] as usize;
        let strength_here = bonds.at_node[node];
        for (end, strength) in bonds.of_node(node) {
            near.add(of[end] as usize, strength);
        }
        sums[own] -= strength_here;
        sizes[own] -= 1;
        let gain = |community: usize| {
            near.sums[community] - resolution * strength_here * sums[community] / bonds.twice
        };
        let (mut best, mut best_gain) = (own, gain(own));
        for &community in &near.found {
            let this = gain(community);
            // Equal gains keep the node where it is, else take the lower number: no chance in it.
            if this > best_gain + 1e-15 {
                (best, best_gain) = (community, this);
            }
        }
        if best_gain < -1e-15
            && sizes[own] > 0
            && let Some(community) = empty.pop()
        {
            best = community;
        }
        near.clear();
        sums[best] += strength_here;
        sizes[best] += 1;
        if best == own {
            continue;
        }
        if sizes[own] == 0 {
            empty.push(own);
            sums[own] = 0.0;
        }
        of[node] = best as u32;
        for (end, _) in bonds.of_node(node) {
            if of[end] as usize != best && !waits[end] {
                waits[end] = true;
                queue.push_back(end);
            }
        }
    }
}

/// Parts of the communities that hang together: single nodes join the best part of their own community, as long as node and part are
/// well bound to the community.
pub(super) fn refine(bonds: &Bonds, of: &[u32], resolution: f64, chance: &mut Seeded) -> Vec<u32> {
    let nodes = bonds.nodes();
    let mut part_of: Vec<u32> = (0..nodes as u32).collect();
    if bonds.twice == 0.0 {
        return part_of;
    }
    let mut community_sums = vec![0.0; nodes];
    // The strength of a part's bonds with the rest of its community.
    let mut outward = vec![0.0; nodes];
    for node in 0..nodes {
        community_sums[of[node] as usize] += bonds.at_node[node];
        let same = bonds.of_node(node).filter(|&(end, _)| of[end] == of[node]);
        outward[node] = same.map(|(_, strength)| strength).sum();
    }
    let mut sums = bonds.at_node.clone();
    let mut sizes = vec![1u32; nodes];
    let well_bound = |outward: f64, sum: f64, community: usize| {
        outward >= resolution * sum * (community_sums[community] - sum) / bonds.twice
    };
    let mut near = Nearby::new(nodes);
    for node in shuffled(nodes, chance) {
        let community = of[node] as usize;
        let own = part_of[node] as usize;
        if sizes[own] > 1 || !well_bound(outward[own], sums[own], community) {
            continue;
        }
        for (end, strength) in bonds.of_node(node) {
            if of[end] as usize == community {
                near.add(part_of[end] as usize, strength);
            }
        }
        let strength_here = bonds.at_node[node];
        let (mut best, mut best_gain) = (own, 0.0);
        for &part in &near.found {
            let gain = near.sums[part] - resolution * strength_here * sums[part] / bonds.twice;
            if gain > best_gain + 1e-15 && well_bound(outward[part], sums[part], community) {
                (best, best_gain) = (part, gain);
            }
        }
        if best != own {
            outward[best] += outward[own] - 2.0 * near.sums[best];
            sums[best] += strength_here;
            sizes[best] += 1;
            (sums[own], sizes[own], outward[own]) = (0.0, 0, 0.0);
            part_of[node] = best as u32;
        }
        near.clear();
    }
    part_of
}
