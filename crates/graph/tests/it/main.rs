//! The room as its callers see it: published graphs, dense references, damaged bytes, planted mirrors.

mod damaged;
mod mirrors;
mod random;
mod references;
mod threads;

use gleaner_graph::{Graph, GraphBuilder};

/// Numbers that look like chance and are the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * u128::from(bound)) >> 64) as u64
    }
}

/// A graph of up to 50 nodes with repeated links, links of nodes to themselves and weights.
fn random_graph(seed: u64) -> Graph {
    let mut chance = Chance(seed);
    let nodes = 1 + chance.below(50);
    let links = chance.below(nodes * 6 + 1);
    let mut builder = GraphBuilder::new(nodes as usize);
    for _ in 0..links {
        let (from, to) = (chance.below(nodes) as u32, chance.below(nodes) as u32);
        match seed % 3 {
            0 => builder.link(from, to),
            1 => builder.weighted_link(from, to, 1.0 + chance.below(5) as f64),
            _ => builder.weighted_link(from, to, 0.1 + chance.below(1000) as f64 / 300.0),
        }
    }
    builder.finish()
}
