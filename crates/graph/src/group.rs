//! Graphs of groups: pages become hosts, hosts become registrable domains.
//!
//! The quotient of a graph: `weight(A, B)` is the sum of the weights of all links from a member of A to a member of B. What
//! stays inside a group, links of nodes to themselves included, is the group's link to itself.
//!
//! Trap: a quotient loses who linked, so ranks of a host graph are not sums of the ranks of pages.
//!
//! Memory: one number per group beside the new graph, never one per link of the old.

use crate::graph::{Graph, Node, Rows};
use crate::names::{Names, domain_of, host_of};
use crate::weights::WeightList;
use std::collections::HashMap;

/// What a node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Page,
    Host,
    Domain,
}

/// A graph whose nodes are groups of the nodes of another.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouped {
    /// A link weighs as much as all links between the two groups; links inside a group are the group's link to itself.
    pub graph: Graph,
    pub names: Names,
    /// The group of each node of the graph that was grouped.
    pub group_of: Vec<Node>,
    /// How many nodes each group has.
    pub members: Vec<u32>,
}

/// Joins nodes: `group_of[node]` is the node of the new graph, all below `groups`.
pub fn group_by(graph: &Graph, group_of: &[Node], groups: usize) -> Graph {
    let members = Members::of(group_of, groups);
    let mut own = vec![0.0; groups];
    for &(node, weight) in &graph.self_links {
        own[group_of[node as usize] as usize] += weight;
    }
    let mut rows = Rows {
        starts: Vec::with_capacity(groups + 1),
        ends: Vec::new(),
        weights: None,
    };
    rows.starts.push(0);
    let mut weights = WeightList::default();
    let mut sums = vec![0.0; groups];
    let mut touched = Vec::new();
    for group in 0..groups as Node {
        for &node in members.of_group(group) {
            for (end, weight) in graph.forward.weighted(node) {
                let to = group_of[end as usize];
                if to == group {
                    own[group as usize] += weight;
                } else {
                    if sums[to as usize] == 0.0 {
                        touched.push(to);
                    }
                    sums[to as usize] += weight;
                }
            }
        }
        touched.sort_unstable();
        for to in touched.drain(..) {
            rows.ends.push(to);
            weights.push(std::mem::take(&mut sums[to as usize]));
        }
        rows.starts.push(rows.ends.len());
    }
    rows.weights = weights.finish();
    let own = own.into_iter().enumerate().filter(|&(_, weight)| weight > 0.0);
    Graph::from_rows(rows, own.map(|(group, weight)| (group as Node, weight)).collect())
}

/// The nodes of each group, by a counting sort.
struct Members {
    starts: Vec<usize>,
    nodes: Vec<Node>,
}

impl Members {
    fn of(group_of: &[Node], groups: usize) -> Members {
        let mut starts = vec![0; groups + 1];
        for &group in group_of {
            starts[group as usize + 1] += 1;
        }
        crate::build::sum_up(&mut starts);
        let mut next = starts[..groups].to_vec();
        let mut nodes = vec![0; group_of.len()];
        for (node, &group) in group_of.iter().enumerate() {
            nodes[next[group as usize]] = node as Node;
            next[group as usize] += 1;
        }
        Members { starts, nodes }
    }

    fn of_group(&self, group: Node) -> &[Node] {
        &self.nodes[self.starts[group as usize]..self.starts[group as usize + 1]]
    }
}

/// The graph at a higher level. [`Level::Page`] gives the graph itself.
pub fn group_by_level(graph: &Graph, names: &Names, level: Level) -> Grouped {
    let (names, group_of) = match level {
        Level::Page => (names.clone(), (0..graph.nodes() as Node).collect()),
        Level::Host => groups_of(names, host_of),
        Level::Domain => groups_of(names, domain_of),
    };
    let mut members = vec![0; names.len()];
    for &group in &group_of {
        members[group as usize] += 1;
    }
    Grouped {
        graph: group_by(graph, &group_of, names.len()),
        names,
        group_of,
        members,
    }
}

fn groups_of(names: &Names, group: impl Fn(&str) -> &str) -> (Names, Vec<Node>) {
    let mut group_of: Vec<Node> = Vec::with_capacity(names.len());
    let mut found: Vec<String> = Vec::new();
    let mut known: HashMap<String, Node, foldhash::fast::FixedState> = HashMap::default();
    for name in names.iter() {
        let this = group(&name);
        // Neighbours mostly belong together, so the map is seldom asked.
        let last = group_of.last().copied();
        if let Some(last) = last.filter(|&last| found[last as usize] == this) {
            group_of.push(last);
            continue;
        }
        let number = *known.entry(this.to_owned()).or_insert_with(|| {
            found.push(this.to_owned());
            found.len() as Node - 1
        });
        group_of.push(number);
    }
    let (sorted, numbers) = Names::sorted(&found);
    for group in &mut group_of {
        *group = numbers[*group as usize];
    }
    (sorted, group_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphBuilder;

    #[test]
    fn pages_become_hosts_and_hosts_become_domains() {
        let pages = [
            "http://a.example.com/1",
            "http://a.example.com/2",
            "https://b.example.com/",
            "http://other.org/",
        ];
        let (names, node) = Names::sorted(&pages);
        let mut builder = GraphBuilder::new(names.len());
        for (from, to) in [(0, 1), (1, 0), (0, 2), (1, 2), (2, 3), (3, 3)] {
            builder.link(node[from], node[to]);
        }
        let graph = builder.finish();

        let hosts = group_by_level(&graph, &names, Level::Host);
        let host = |name| hosts.names.find(name).unwrap();
        let (a, b, other) = (host("a.example.com"), host("b.example.com"), host("other.org"));
        assert_eq!(hosts.graph.link(a, b), Some(2.0));
        assert_eq!(hosts.graph.link(b, other), Some(1.0));
        assert_eq!(hosts.graph.self_links(), [(a, 2.0), (other, 1.0)]);
        assert_eq!(hosts.members[a as usize], 2);

        let domains = group_by_level(&graph, &names, Level::Domain);
        assert_eq!(
            domains.names.iter().collect::<Vec<_>>(),
            ["example.com", "other.org"]
        );
        assert_eq!(domains.graph.self_links(), [(0, 4.0), (1, 1.0)]);
        assert_eq!(group_by_level(&graph, &names, Level::Page).graph, graph);
    }
}
