//! How often a document is linked to, so that a footer does not count for much (G7).
//!
//! Three counts a node: pages that link to it; those of other registrable domains; distinct other domains. The raw number of
//! links, repeated ones included, is the weighted degree.
//!
//! Trap: one site's footer is thousands of links and one opinion. Only the number of domains measures esteem, and mirrors of one site
//! still count each.

use crate::graph::{Graph, Node};

/// How often each node is linked to, in several ways of counting.
#[derive(Debug, Clone, PartialEq)]
pub struct Citations {
    /// Pages that link to it.
    pub links: Vec<u32>,
    /// Those of them from other domains.
    pub foreign_links: Vec<u32>,
    /// Distinct other domains that link to it.
    pub domains: Vec<u32>,
}

/// `domain_of[node]` is the number of the node's registrable domain.
pub fn citations(graph: &Graph, domain_of: &[Node]) -> Citations {
    let nodes = graph.nodes();
    let mut found = Citations {
        links: Vec::with_capacity(nodes),
        foreign_links: Vec::with_capacity(nodes),
        domains: Vec::with_capacity(nodes),
    };
    // Sources of a domain need not stand together, so each domain remembers for whom it was counted last.
    let domains = domain_of.iter().max().map_or(0, |&most| most as usize + 1);
    let mut counted_for = vec![Node::MAX; domains];
    for node in 0..nodes as Node {
        let sources = graph.backward.of(node);
        let (mut foreign, mut distinct) = (0, 0);
        for &source in sources {
            let domain = domain_of[source as usize];
            if domain == domain_of[node as usize] {
                continue;
            }
            foreign += 1;
            if counted_for[domain as usize] != node {
                counted_for[domain as usize] = node;
                distinct += 1;
            }
        }
        found.links.push(sources.len() as u32);
        found.foreign_links.push(foreign);
        found.domains.push(distinct);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphBuilder;

    #[test]
    fn a_footer_counts_once_by_domain() {
        let mut builder = GraphBuilder::new(6);
        for source in 1..5 {
            builder.link(source, 0);
        }
        builder.link(5, 0);
        let found = citations(&builder.finish(), &[0, 1, 1, 1, 2, 0]);
        assert_eq!(
            (found.links[0], found.foreign_links[0], found.domains[0]),
            (5, 4, 2)
        );
        assert_eq!((found.links[1], found.domains[1]), (0, 0));
    }
}
