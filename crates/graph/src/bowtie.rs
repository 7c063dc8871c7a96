//! The bow-tie of Broder et al. (2000): how the parts of a web lie around its core.
//!
//! With C the largest strong component, F what C reaches and B what reaches C:
//!
//! ```text
//!          In = B \ C        Core = C        Out = F \ C
//!             └── tube: reached from In, reaches Out ──┘
//! tendril: the rest of what is joined with C without regard to direction
//! rest:    all else
//! ```
//!
//! Variants differ in the tendrils: some count only nodes that are reached from In or reach Out, others all that hang on
//! somehow, as here.
//!
//! Traps: the proportions are those of the crawl as much as of the web, because a crawl begins somewhere and ends early (Meusel et al. 2014).
//! A graph without links has a core of one node.

use crate::components::Components;
use crate::graph::{Direction, Graph, Node};
use crate::path::for_each_end;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BowtiePart {
    /// The largest strongly connected component.
    Core,
    /// Reaches the core and is not reached from it.
    In,
    /// Is reached from the core and does not reach it.
    Out,
    /// Lies on a way from In to Out that does not touch the core.
    Tube,
    /// Hangs on In or Out.
    Tendril,
    /// Not joined with the core in any direction.
    Rest,
}

impl BowtiePart {
    pub const ALL: [BowtiePart; 6] = [
        BowtiePart::Core,
        BowtiePart::In,
        BowtiePart::Out,
        BowtiePart::Tube,
        BowtiePart::Tendril,
        BowtiePart::Rest,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            BowtiePart::Core => "core",
            BowtiePart::In => "in",
            BowtiePart::Out => "out",
            BowtiePart::Tube => "tube",
            BowtiePart::Tendril => "tendril",
            BowtiePart::Rest => "rest",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BowTie {
    pub of: Vec<BowtiePart>,
    /// Nodes in each part, in the order of [`BowtiePart::ALL`].
    pub counts: [u32; 6],
}

/// `strong` is what [`crate::strong_components`] says of the same graph.
pub fn bow_tie(graph: &Graph, strong: &Components) -> BowTie {
    let nodes = 0..graph.nodes() as Node;
    let chosen = |choose: &dyn Fn(usize) -> bool| -> Vec<Node> {
        nodes.clone().filter(|&node| choose(node as usize)).collect()
    };
    let core = chosen(&|node| strong.of[node] == 0);
    let from_core = reached(graph, &core, Direction::Forward);
    let to_core = reached(graph, &core, Direction::Backward);
    let with_core = reached(graph, &core, Direction::Both);
    let into = chosen(&|node| to_core[node] && strong.of[node] != 0);
    let out = chosen(&|node| from_core[node] && strong.of[node] != 0);
    let from_in = reached(graph, &into, Direction::Forward);
    let to_out = reached(graph, &out, Direction::Backward);
    let part = |node: usize| match () {
        () if strong.of[node] == 0 => BowtiePart::Core,
        () if to_core[node] => BowtiePart::In,
        () if from_core[node] => BowtiePart::Out,
        () if from_in[node] && to_out[node] => BowtiePart::Tube,
        () if with_core[node] => BowtiePart::Tendril,
        () => BowtiePart::Rest,
    };
    let of: Vec<BowtiePart> = (0..graph.nodes()).map(part).collect();
    let count = |part: BowtiePart| of.iter().filter(|&&of| of == part).count() as u32;
    BowTie {
        counts: BowtiePart::ALL.map(count),
        of,
    }
}

/// Which nodes a walk from `from` comes to.
fn reached(graph: &Graph, from: &[Node], direction: Direction) -> Vec<bool> {
    let mut reached = vec![false; graph.nodes()];
    let mut waiting = from.to_vec();
    for &node in from {
        reached[node as usize] = true;
    }
    while let Some(node) = waiting.pop() {
        for_each_end(graph, node, direction, |end| {
            if !reached[end as usize] {
                reached[end as usize] = true;
                waiting.push(end);
            }
        });
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::BowtiePart::{Core, In, Out, Rest, Tendril, Tube};
    use super::*;
    use crate::{GraphBuilder, strong_components};

    #[test]
    fn every_part_is_found() {
        let mut builder = GraphBuilder::new(10);
        // Core 0, 1, 2; in 3; out 4; tube 5; tendrils 6 (from in), 7 (to out), 8 (on a tendril); rest 9.
        for (from, to) in [
            (0, 1),
            (1, 2),
            (2, 0),
            (3, 0),
            (1, 4),
            (3, 5),
            (5, 4),
            (3, 6),
            (7, 4),
            (8, 6),
        ] {
            builder.link(from, to);
        }
        let graph = builder.finish();
        let tie = bow_tie(&graph, &strong_components(&graph));
        assert_eq!(
            tie.of,
            [Core, Core, Core, In, Out, Tube, Tendril, Tendril, Tendril, Rest]
        );
        assert_eq!(tie.counts, [3, 1, 1, 1, 3, 1]);
    }
}
