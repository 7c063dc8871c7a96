//! From a list of links to a graph.
//!
//! A counting sort by source (two passes over the list: count, then place), a short sort inside each row, equal links merged with
//! their weights summed; the other direction is a counting sort by target over the finished rows, which leaves its rows sorted.
//! Linear in nodes and links.
//!
//! Memory: 8 bytes a link while links come in, 12 at the highest, 8 in the end, beside 16 a node. Where a link is repeated or has a
//! weight, one byte more for each of them and direction, eight where many weights are odd ([`crate::weights`]).
//!
//! Trap: weights are summed in the order in which the links came, because sums of floating-point numbers depend on it.

use crate::graph::{Graph, Node, Rows};
use crate::weights::{PlacedWeights, WeightList, Weights};

/// Gathers links, in any order.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    nodes: usize,
    has_self_links: bool,
    sources: Vec<Node>,
    targets: Vec<Node>,
    weights: WeightList,
}

impl GraphBuilder {
    /// For a graph of so many nodes, or more when links name more.
    pub fn new(nodes: usize) -> Self {
        GraphBuilder {
            nodes,
            ..Self::default()
        }
    }

    /// The same with room for so many links, where their number is known: a list that grows takes up to three times its room.
    pub fn with_capacity(nodes: usize, links: usize) -> Self {
        GraphBuilder {
            sources: Vec::with_capacity(links),
            targets: Vec::with_capacity(links),
            ..Self::new(nodes)
        }
    }

    /// A link of weight 1.
    pub fn link(&mut self, from: Node, to: Node) {
        self.push(from, to, 1.0);
    }

    fn push(&mut self, from: Node, to: Node, weight: f64) {
        self.nodes = self.nodes.max(from.max(to) as usize + 1);
        self.has_self_links |= from == to;
        self.weights.push(weight);
        self.sources.push(from);
        self.targets.push(to);
    }

    /// A link with a weight, which must be finite and above 0.
    pub fn weighted_link(&mut self, from: Node, to: Node, weight: f64) {
        assert!(
            weight.is_finite() && weight > 0.0,
            "the weight of a link must be above 0: {weight}"
        );
        self.push(from, to, weight);
    }

    /// Links gathered so far, repeated ones counted each time.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    pub fn finish(self) -> Graph {
        let list = LinkList {
            weights: self.weights.finish(),
            sources: self.sources,
            targets: self.targets,
        };
        let self_links = if self.has_self_links {
            list.self_links()
        } else {
            Vec::new()
        };
        Graph::from_rows(merged(list.placed(self.nodes)), self_links)
    }
}

/// All links in the order in which they came.
struct LinkList {
    sources: Vec<Node>,
    targets: Vec<Node>,
    weights: Option<Weights>,
}

impl LinkList {
    fn ends(&self) -> impl Iterator<Item = (Node, Node)> + '_ {
        self.sources
            .iter()
            .zip(&self.targets)
            .map(|(&from, &to)| (from, to))
    }

    /// Links of nodes to themselves, by node, merged.
    fn self_links(&self) -> Vec<(Node, f64)> {
        let weight = |at: usize| self.weights.as_ref().map_or(1.0, |weights| weights.at(at));
        let own = self.ends().enumerate().filter(|(_, (from, to))| from == to);
        let mut found: Vec<(Node, f64)> = own.map(|(at, (from, _))| (from, weight(at))).collect();
        found.sort_by_key(|&(node, _)| node);
        found.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        found
    }

    /// The counting sort by source. Rows are in the order in which their links came; equal links are still apart.
    fn placed(self, nodes: usize) -> Rows {
        let mut starts = vec![0usize; nodes + 1];
        for (from, to) in self.ends() {
            starts[from as usize + 1] += usize::from(from != to);
        }
        sum_up(&mut starts);
        let total = starts[nodes];
        let mut next = starts[..nodes].to_vec();
        let mut ends = vec![0; total];
        let given = self.weights.as_ref();
        let mut weights = given.map(|given| PlacedWeights::like(given, total));
        for (at, (from, to)) in self.ends().enumerate() {
            if from == to {
                continue;
            }
            let place = &mut next[from as usize];
            ends[*place] = to;
            if let (Some(weights), Some(given)) = (&mut weights, given) {
                weights.put(*place, given.at(at));
            }
            *place += 1;
        }
        Rows {
            starts,
            ends,
            weights: weights.map(PlacedWeights::finish),
        }
    }
}

/// Counts, each one place up, become starts.
pub(crate) fn sum_up(counts: &mut [usize]) {
    let mut sum = 0;
    for count in counts {
        sum += *count;
        *count = sum;
    }
}

/// Sorts each row and makes equal links one.
fn merged(mut rows: Rows) -> Rows {
    if rows.weights.is_some() {
        return merged_with_weights(rows);
    }
    let mut any_twice = false;
    for row in 0..rows.nodes() as Node {
        let range = rows.range(row);
        let row = &mut rows.ends[range];
        row.sort_unstable();
        any_twice |= row.windows(2).any(|pair| pair[0] == pair[1]);
    }
    if any_twice { counted(rows) } else { rows }
}

/// Merges equal links of sorted rows without weights: the weight becomes their number.
fn counted(mut rows: Rows) -> Rows {
    let mut weights = WeightList::default();
    let mut kept = 0;
    let mut start = 0;
    for row in 0..rows.nodes() {
        let end = rows.starts[row + 1];
        rows.starts[row] = kept;
        let mut at = start;
        while at < end {
            let link = rows.ends[at];
            let first = at;
            while at < end && rows.ends[at] == link {
                at += 1;
            }
            rows.ends[kept] = link;
            weights.push((at - first) as f64);
            kept += 1;
        }
        start = end;
    }
    finish_merge(&mut rows, kept, weights);
    rows
}

fn merged_with_weights(mut rows: Rows) -> Rows {
    let given = rows.weights.take();
    let weight = |at: usize| given.as_ref().map_or(1.0, |given| given.at(at));
    let mut weights = WeightList::default();
    let mut kept = 0;
    let mut start = 0;
    let mut row_links = Vec::new();
    for row in 0..rows.nodes() {
        let end = rows.starts[row + 1];
        rows.starts[row] = kept;
        row_links.clear();
        row_links.extend((start..end).map(|at| (rows.ends[at], weight(at))));
        row_links.sort_by_key(|&(link, _)| link);
        for same in row_links.chunk_by(|one, other| one.0 == other.0) {
            rows.ends[kept] = same[0].0;
            weights.push(same.iter().map(|&(_, weight)| weight).sum());
            kept += 1;
        }
        start = end;
    }
    finish_merge(&mut rows, kept, weights);
    rows
}

fn finish_merge(rows: &mut Rows, kept: usize, weights: WeightList) {
    let nodes = rows.nodes();
    rows.starts[nodes] = kept;
    rows.ends.truncate(kept);
    rows.ends.shrink_to_fit();
    rows.weights = weights.finish();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(nodes: usize, links: &[(Node, Node, f64)]) -> Graph {
        let mut builder = GraphBuilder::new(nodes);
        for &(from, to, weight) in links {
            builder.weighted_link(from, to, weight);
        }
        builder.finish()
    }

    #[test]
    fn repeated_links_are_one_with_the_sum_of_their_weights() {
        let graph = built(
            3,
            &[(0, 2, 1.0), (0, 1, 1.0), (0, 2, 1.0), (2, 0, 0.5), (2, 0, 2.0)],
        );
        let links: Vec<_> = graph.all_links().collect();
        assert_eq!(links, [(0, 1, 1.0), (0, 2, 2.0), (2, 0, 2.5)]);
        assert_eq!(graph.backward().weighted(2).collect::<Vec<_>>(), [(0, 2.0)]);
        assert_eq!(graph.backward().weighted(0).collect::<Vec<_>>(), [(2, 2.5)]);
    }

    #[test]
    fn counts_of_repeated_links_need_no_weights_to_be_given() {
        let mut builder = GraphBuilder::new(0);
        for (from, to) in [(1, 0), (1, 0), (0, 1), (1, 2)] {
            builder.link(from, to);
        }
        let graph = builder.finish();
        assert_eq!(graph.nodes(), 3);
        assert_eq!(graph.link(1, 0), Some(2.0));
        assert_eq!(graph.link(1, 2), Some(1.0));
        assert_eq!(graph.link(2, 1), None);
        assert!(graph.is_weighted());
    }

    #[test]
    fn links_of_a_node_to_itself_stand_apart() {
        let links = vec![(7, 7, 1.0); 50_000];
        let graph = built(8, &links);
        assert_eq!((graph.nodes(), graph.links()), (8, 0));
        assert_eq!(graph.self_links(), [(7, 50_000.0)]);
        assert_eq!(graph.link(7, 7), Some(50_000.0));
    }

    #[test]
    fn weights_of_one_are_no_weights() {
        let plain = built(3, &[(0, 1, 1.0), (1, 2, 1.0)]);
        let summed = built(3, &[(0, 1, 0.5), (0, 1, 0.5), (1, 2, 1.0)]);
        assert_eq!(plain, summed);
        assert!(!summed.is_weighted());
    }

    #[test]
    fn no_links_and_no_nodes_are_a_graph() {
        assert_eq!(GraphBuilder::new(0).finish().nodes(), 0);
        let one = GraphBuilder::new(1).finish();
        assert_eq!((one.nodes(), one.links()), (1, 0));
    }
}
