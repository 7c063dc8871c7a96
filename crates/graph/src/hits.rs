//! HITS: good hubs link to good authorities (Kleinberg 1999).
//!
//! ```text
//! a = Wᵀ h,  h = W a     so  a is the principal eigenvector of WᵀW, and h that of WWᵀ
//! ```
//!
//! `W` has a 1 (or the weight) for each link. Both vectors are scaled to the sum 1.
//!
//! Variants. Plain: as above. With guards (Bharat and Henzinger 1998, one weight for both directions): links inside a host count
//! nothing, and where k pages of a host link to the same page each counts 1/k, so that no host votes twice.
//!
//! Traps: the textbook's rounds come nearer by the ratio of the two greatest eigenvalues, which can be 0.999. Here each round looks for
//! the best vector in the plane of the last vector, its residual and the last step (LOBPCG, Knyazev 2001), at the same
//! cost and with far fewer rounds. Where the greatest eigenvalue is not simple, as with two equal separate graphs, the answer is the one that
//! the textbook's rounds from equal scores come to. Dense corners win everything: HITS is for the pages about a topic, not for a whole crawl.

use crate::graph::{Graph, Node, Rows, SelfLinks, Weighting};
use crate::hits::ritz::Search;
use crate::weights::Weights;
use rayon::prelude::*;

mod ritz;

#[derive(Debug, Clone, PartialEq)]
pub struct HitsOptions {
    pub weighting: Weighting,
    pub self_links: SelfLinks,
    /// The guards: the host of each node. Links inside a host count nothing, and the k links from one host to a page count 1/k each.
    pub hosts: Option<Vec<Node>>,
    /// Done when a plain round would change the authorities by less than this altogether (L1).
    pub tolerance: f64,
    pub rounds_max: u32,
}

impl Default for HitsOptions {
    fn default() -> Self {
        HitsOptions {
            weighting: Weighting::Ignored,
            self_links: SelfLinks::Counted,
            hosts: None,
            tolerance: 1e-12,
            rounds_max: 1_000,
        }
    }
}

/// Both scores by node; each sums to 1, or is 0 throughout where no link counts.
#[derive(Debug, Clone, PartialEq)]
pub struct HubsAndAuthorities {
    pub hubs: Vec<f64>,
    pub authorities: Vec<f64>,
    pub rounds: u32,
    /// How much a plain round would still change the authorities (L1).
    pub change: f64,
}

pub fn hits(graph: &Graph, options: &HitsOptions) -> HubsAndAuthorities {
    let nodes = graph.nodes();
    let links = Links::of(graph, options);
    let ones = vec![1.0; nodes];
    let begin = links.backward(&ones);
    if begin.iter().all(|&score| score == 0.0) {
        return HubsAndAuthorities {
            hubs: vec![0.0; nodes],
            authorities: vec![0.0; nodes],
            rounds: 0,
            change: 0.0,
        };
    }
    let round = |scores: &[f64]| links.backward(&links.forward(scores));
    let mut search = Search::begin(begin, &round);
    while search.rounds < options.rounds_max && search.change() >= options.tolerance {
        if !search.step(&round) {
            break;
        }
    }
    // A last plain round: what must be 0 or above is so again.
    let clean: Vec<f64> = search.vector.iter().map(|score| score.max(0.0)).collect();
    let authorities = scaled(round(&clean));
    HubsAndAuthorities {
        hubs: scaled(links.forward(&authorities)),
        rounds: search.rounds + 1,
        change: search.change(),
        authorities,
    }
}

fn scaled(mut scores: Vec<f64>) -> Vec<f64> {
    let total: f64 = scores.iter().sum();
    if total > 0.0 {
        for score in &mut scores {
            *score /= total;
        }
    }
    scores
}

/// The links that count, in both directions.
struct Links<'a> {
    rows: Rowpair<'a>,
    used: bool,
    own: Vec<(Node, f64)>,
}

enum Rowpair<'a> {
    Given(&'a Rows, &'a Rows),
    Guarded(Box<(Rows, Rows)>),
}

impl<'a> Links<'a> {
    fn of(graph: &'a Graph, options: &HitsOptions) -> Links<'a> {
        let used = options.weighting == Weighting::Used;
        if let Some(hosts) = &options.hosts {
            let backward = guarded(&graph.backward, hosts, used);
            let forward = backward.transposed();
            return Links {
                rows: Rowpair::Guarded(Box::new((forward, backward))),
                used: true,
                own: Vec::new(),
            };
        }
        let own = graph
            .self_links
            .iter()
            .filter(|_| options.self_links == SelfLinks::Counted);
        Links {
            rows: Rowpair::Given(&graph.forward, &graph.backward),
            used,
            own: own
                .map(|&(node, weight)| (node, if used { weight } else { 1.0 }))
                .collect(),
        }
    }

    fn forward(&self, scores: &[f64]) -> Vec<f64> {
        match &self.rows {
            Rowpair::Given(forward, _) => self.gathered(forward, scores),
            Rowpair::Guarded(rows) => self.gathered(&rows.0, scores),
        }
    }

    fn backward(&self, scores: &[f64]) -> Vec<f64> {
        match &self.rows {
            Rowpair::Given(_, backward) => self.gathered(backward, scores),
            Rowpair::Guarded(rows) => self.gathered(&rows.1, scores),
        }
    }

    /// For each node the sum of the scores at the other ends of its links. Every sum has one order, whoever makes it.
    fn gathered(&self, rows: &Rows, scores: &[f64]) -> Vec<f64> {
        let weights = rows.weights.as_ref().filter(|_| self.used);
        let sum = |node: usize| -> f64 {
            let range = rows.range(node as Node);
            let ends = rows.ends[range.clone()].iter();
            match weights {
                None => ends.map(|&end| scores[end as usize]).sum(),
                Some(weights) => {
                    let pairs = ends.zip(weights.range(range));
                    pairs.map(|(&end, weight)| scores[end as usize] * weight).sum()
                }
            }
        };
        let mut sums: Vec<f64> = (0..rows.nodes())
            .into_par_iter()
            .with_min_len(1024)
            .map(sum)
            .collect();
        for &(node, weight) in &self.own {
            sums[node as usize] += scores[node as usize] * weight;
        }
        sums
    }
}

/// Who links to a node, with the weights of the guards. Links that count nothing are left out.
fn guarded(backward: &Rows, hosts: &[Node], used: bool) -> Rows {
    let host_count = hosts.iter().max().map_or(0, |&most| most as usize + 1);
    let mut of_host = vec![0u32; host_count];
    let mut rows = Rows {
        starts: vec![0],
        ends: Vec::new(),
        weights: None,
    };
    let mut weights = Vec::new();
    for node in 0..backward.nodes() as Node {
        let foreign = |source: Node| hosts[source as usize] != hosts[node as usize];
        let sources = backward.of(node);
        for &source in sources {
            of_host[hosts[source as usize] as usize] += 1;
        }
        for (source, weight) in backward.weighted(node).filter(|&(source, _)| foreign(source)) {
            let alike = f64::from(of_host[hosts[source as usize] as usize]);
            rows.ends.push(source);
            weights.push(if used { weight / alike } else { 1.0 / alike });
        }
        for &source in sources {
            of_host[hosts[source as usize] as usize] = 0;
        }
        rows.starts.push(rows.ends.len());
    }
    rows.weights = Weights::of(weights);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphBuilder;

    #[test]
    fn a_host_that_votes_many_times_counts_once_behind_the_guards() {
        let mut builder = GraphBuilder::new(12);
        // Ten pages of one host praise page 10; two pages of two hosts praise page 11.
        for page in 0..8 {
            builder.link(page, 10);
        }
        builder.link(8, 11);
        builder.link(9, 11);
        let graph = builder.finish();
        let plain = hits(&graph, &HitsOptions::default());
        assert!(plain.authorities[10] > 0.99);
        let hosts = Some(vec![0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
        let options = HitsOptions {
            hosts,
            ..HitsOptions::default()
        };
        let guarded = hits(&graph, &options);
        assert!(guarded.authorities[11] > 0.99, "{:?}", guarded.authorities);
    }

    #[test]
    fn no_link_that_counts_gives_no_scores() {
        let none = hits(&GraphBuilder::new(3).finish(), &HitsOptions::default());
        assert_eq!(none.hubs, [0.0; 3]);
        assert!(
            hits(&GraphBuilder::new(0).finish(), &HitsOptions::default())
                .hubs
                .is_empty()
        );
    }
}
