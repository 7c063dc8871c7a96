//! A directed graph as compressed sparse rows, in both directions.
//!
//! The links of node `i` are `ends[starts[i]..starts[i + 1]]`, in ascending order and each once. `forward` holds whom a node
//! links to, `backward` who links to it. Repeated links are one link with the sum of their weights. Links of a node to itself
//! stand apart: in a crawl nearly every page has them (its own entry in a menu), and they say nothing about others.
//!
//! Trap: an unweighted graph and one whose weights are all 1 are the same graph. Weights are therefore only kept when one of
//! them is not 1, so that equal graphs are equal values.

use crate::build::sum_up;
use crate::weights::{PlacedWeights, WeightList, Weights, is_one};

/// The number of a node.
pub type Node = u32;

/// Which way to walk a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From a page to those it links to.
    Forward,
    /// From a page to those that link to it.
    Backward,
    /// Either way.
    Both,
}

/// Whether an algorithm looks at the weights of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weighting {
    /// Every link counts once.
    #[default]
    Ignored,
    /// A link counts as much as its weight.
    Used,
}

/// Whether links of a node to itself take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SelfLinks {
    /// As in the textbooks.
    #[default]
    Counted,
    /// As if they were not there.
    Ignored,
}

/// The links of all nodes in one direction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rows {
    pub(crate) starts: Vec<usize>,
    pub(crate) ends: Vec<Node>,
    /// As many as `ends`, or absent when every weight is 1.
    pub(crate) weights: Option<Weights>,
}

impl Rows {
    /// The other ends of the links of a node, ascending.
    pub fn of(&self, node: Node) -> &[Node] {
        &self.ends[self.range(node)]
    }

    /// Links with their weights.
    pub fn weighted(&self, node: Node) -> impl Iterator<Item = (Node, f64)> + '_ {
        let places = self.range(node);
        self.of(node)
            .iter()
            .zip(places)
            .map(|(&end, at)| (end, self.weight_at(at)))
    }

    /// The weight of the link at a place in `ends`.
    #[inline]
    pub(crate) fn weight_at(&self, at: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights.at(at))
    }

    pub fn degree(&self, node: Node) -> usize {
        self.range(node).len()
    }

    pub(crate) fn range(&self, node: Node) -> std::ops::Range<usize> {
        self.starts[node as usize]..self.starts[node as usize + 1]
    }

    pub(crate) fn nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The same links from their other end.
    pub(crate) fn transposed(&self) -> Rows {
        let nodes = self.nodes();
        let mut starts = vec![0usize; nodes + 1];
        for &end in &self.ends {
            starts[end as usize + 1] += 1;
        }
        sum_up(&mut starts);
        let mut next = starts[..nodes].to_vec();
        let mut ends = vec![0; self.ends.len()];
        let given = self.weights.as_ref();
        let mut weights = given.map(|given| PlacedWeights::like(given, self.ends.len()));
        for node in 0..nodes as Node {
            for at in self.range(node) {
                let place = &mut next[self.ends[at] as usize];
                ends[*place] = node;
                if let (Some(weights), Some(given)) = (&mut weights, given) {
                    weights.put(*place, given.at(at));
                }
                *place += 1;
            }
        }
        Rows {
            starts,
            ends,
            weights: weights.map(PlacedWeights::finish),
        }
    }
}

/// Who links to whom.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    pub(crate) forward: Rows,
    pub(crate) backward: Rows,
    /// Nodes that link to themselves, ascending, with the weight of that link.
    pub(crate) self_links: Vec<(Node, f64)>,
}

impl Graph {
    pub(crate) fn from_rows(forward: Rows, self_links: Vec<(Node, f64)>) -> Graph {
        let backward = forward.transposed();
        Graph {
            forward,
            backward,
            self_links,
        }
    }

    pub fn nodes(&self) -> usize {
        self.forward.nodes()
    }

    /// Distinct links between different nodes.
    pub fn links(&self) -> usize {
        self.forward.ends.len()
    }

    /// Whom a node links to.
    pub fn forward(&self) -> &Rows {
        &self.forward
    }

    /// Who links to a node.
    pub fn backward(&self) -> &Rows {
        &self.backward
    }

    /// Nodes that link to themselves, ascending, with the weight of that link.
    pub fn self_links(&self) -> &[(Node, f64)] {
        &self.self_links
    }

    /// Whether any link weighs other than 1.
    pub fn is_weighted(&self) -> bool {
        self.forward.weights.is_some() || self.self_links.iter().any(|&(_, weight)| !is_one(weight))
    }

    /// The sum of all weights, links of nodes to themselves left out.
    pub fn weight(&self) -> f64 {
        match &self.forward.weights {
            Some(weights) => weights.iter().sum(),
            None => self.links() as f64,
        }
    }

    /// Whether `from` links to `to`; the weight of that link if so.
    pub fn link(&self, from: Node, to: Node) -> Option<f64> {
        if from == to {
            let at = self
                .self_links
                .binary_search_by_key(&from, |&(node, _)| node)
                .ok()?;
            return Some(self.self_links[at].1);
        }
        let at = self.forward.of(from).binary_search(&to).ok()?;
        Some(self.forward.weight_at(self.forward.range(from).start + at))
    }

    /// All links as `(from, to, weight)`, by source and then by target, links of nodes to themselves left out.
    pub fn all_links(&self) -> impl Iterator<Item = (Node, Node, f64)> + '_ {
        (0..self.nodes() as Node).flat_map(|from| {
            self.forward
                .weighted(from)
                .map(move |(to, weight)| (from, to, weight))
        })
    }

    /// The neighbours of every node, whichever way the link goes, ascending; a weight is the sum of both ways.
    pub(crate) fn without_direction(&self) -> Rows {
        let nodes = self.nodes();
        let mut rows = Rows {
            starts: Vec::with_capacity(nodes + 1),
            ends: Vec::new(),
            weights: None,
        };
        let mut weights = WeightList::default();
        rows.starts.push(0);
        for node in 0..nodes as Node {
            let mut out = self.forward.weighted(node).peekable();
            let mut back = self.backward.weighted(node).peekable();
            loop {
                let end = match (out.peek(), back.peek()) {
                    (None, None) => break,
                    (Some(&(end, _)), None) | (None, Some(&(end, _))) => end,
                    (Some(&(one, _)), Some(&(other, _))) => one.min(other),
                };
                let one = out
                    .next_if(|&(at, _)| at == end)
                    .map_or(0.0, |(_, weight)| weight);
                let other = back
                    .next_if(|&(at, _)| at == end)
                    .map_or(0.0, |(_, weight)| weight);
                rows.ends.push(end);
                weights.push(one + other);
            }
            rows.starts.push(rows.ends.len());
        }
        rows.weights = weights.finish();
        rows
    }
}
