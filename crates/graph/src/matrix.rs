//! Which type of document links to which.
//!
//! `links[a, b]` is the number of distinct links from documents of type a to documents of type b; `weights` the sum of their weights.
//! Links of documents to themselves are left out.
//!
//! Trap: a document's type is known when it was fetched; targets that were not need a type of their own ("unknown").

use crate::graph::Graph;

/// Which type of document links to which.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeMatrix {
    pub types: usize,
    /// `links[from * types + to]`.
    pub links: Vec<u64>,
    pub weights: Vec<f64>,
}

impl TypeMatrix {
    pub fn links_between(&self, from: usize, to: usize) -> u64 {
        self.links[from * self.types + to]
    }
}

/// `type_of[node]` is below `types`.
pub fn type_matrix(graph: &Graph, type_of: &[u32], types: usize) -> TypeMatrix {
    let mut matrix = TypeMatrix {
        types,
        links: vec![0; types * types],
        weights: vec![0.0; types * types],
    };
    for (from, to, weight) in graph.all_links() {
        let cell = type_of[from as usize] as usize * types + type_of[to as usize] as usize;
        matrix.links[cell] += 1;
        matrix.weights[cell] += weight;
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphBuilder;

    #[test]
    fn links_are_counted_by_the_types_of_their_ends() {
        let mut builder = GraphBuilder::new(3);
        for (from, to) in [(0, 1), (0, 1), (0, 2), (1, 2), (2, 2)] {
            builder.link(from, to);
        }
        let matrix = type_matrix(&builder.finish(), &[0, 0, 1], 2);
        assert_eq!(matrix.links, [1, 2, 0, 0]);
        assert_eq!(matrix.weights, [2.0, 2.0, 0.0, 0.0]);
        assert_eq!(matrix.links_between(0, 1), 2);
    }
}
