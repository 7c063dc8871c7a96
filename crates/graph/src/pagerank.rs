//! `PageRank`: where a walk over links spends its time.
//!
//! ```text
//! x(i) = d · Σ_j→i  x(j) · w(j,i) / out(j)  +  (1 - d) · v(i)  +  d · D · u(i)
//! ```
//!
//! `d` is the damping, `out(j)` the sum of the weights of j's links, `v` where the walk begins anew, `D` the sum of the ranks of
//! nodes without links (dangling) and `u` where the walk goes on from those. Solved by rounds from `x = v` until a round changes x by
//! less than the tolerance (L1).
//!
//! Variants: weights ignored or used; `v` uniform, or personalised by a set of nodes; `u = v` or uniform; links of nodes to
//! themselves counted, as the textbooks and networkx do, or ignored.
//!
//! Traps: forgetting `D` loses rank in each round. The change shrinks by the factor d per round, so a damping of 0.99 needs more
//! than 200 rounds; [`Ranks::change`] says how far it came.
//!
//! Each node gathers from those that link to it (pull): no two threads write to one place, and a node's sum has one order. The
//! sums over all nodes are made piece by piece of fixed size. So threads change no bit.

use crate::graph::{Graph, Node, Rows, SelfLinks, Weighting};
use crate::weights::Weights;
use rayon::prelude::*;

/// Nodes whose sums are made together. Fixed, because it decides the order of additions.
const PIECE: usize = 4096;

/// Where the walk goes on from a page without links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dangling {
    /// Where it would begin anew: anywhere, or in the set of the personalised rank.
    #[default]
    LikeTeleport,
    /// Anywhere, also when the rank is personalised.
    Uniform,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PageRankOptions {
    /// The share of steps that follow a link.
    pub damping: f64,
    pub weighting: Weighting,
    pub self_links: SelfLinks,
    /// Where the walk begins anew, with weights; everywhere alike when empty.
    pub personal: Vec<(Node, f64)>,
    pub dangling: Dangling,
    /// The ranks are done when a round changes them by less than this altogether (L1).
    pub tolerance: f64,
    pub rounds_max: u32,
}

impl Default for PageRankOptions {
    fn default() -> Self {
        PageRankOptions {
            damping: 0.85,
            weighting: Weighting::Ignored,
            self_links: SelfLinks::Counted,
            personal: Vec::new(),
            dangling: Dangling::LikeTeleport,
            tolerance: 1e-12,
            rounds_max: 200,
        }
    }
}

/// Scores by node.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranks {
    /// They sum to 1.
    pub scores: Vec<f64>,
    pub rounds: u32,
    /// How much the last round changed them (L1).
    pub change: f64,
}

/// The sums of one piece.
#[derive(Clone, Copy, Default)]
struct Sums {
    change: f64,
    dangling: f64,
}

pub fn pagerank(graph: &Graph, options: &PageRankOptions) -> Ranks {
    let nodes = graph.nodes();
    if nodes == 0 {
        return Ranks {
            scores: Vec::new(),
            rounds: 0,
            change: 0.0,
        };
    }
    let links = Links::of(graph, options);
    let uniform = 1.0 / nodes as f64;
    let teleport = personal_vector(nodes, &options.personal);
    let mut scores: Vec<f64> = teleport.clone().unwrap_or_else(|| vec![uniform; nodes]);
    // What each node gives along a link of weight 1.
    let mut gives: Vec<f64> = (0..nodes).map(|node| scores[node] * links.shares[node]).collect();
    let mut gives_next = vec![0.0; nodes];
    let mut dangling: f64 = dangling_sum(&scores, &links.shares);
    let (mut rounds, mut change) = (0, f64::INFINITY);
    while rounds < options.rounds_max && change >= options.tolerance {
        let spread = options.damping * dangling;
        let (to_teleport, to_all) = match options.dangling {
            Dangling::LikeTeleport => (1.0 - options.damping + spread, 0.0),
            Dangling::Uniform => (1.0 - options.damping, spread * uniform),
        };
        // Others read what a node gives, never its score: the new score takes the place of the old one.
        let pieces = scores
            .par_chunks_mut(PIECE)
            .zip(gives_next.par_chunks_mut(PIECE))
            .enumerate();
        let sums: Vec<Sums> = pieces
            .map(|(piece, (scores, gives_next))| {
                let first = piece * PIECE;
                let here = first..first + scores.len();
                links.gather(first, &gives, gives_next);
                let begin = teleport.as_ref().map(|vector| &vector[here.clone()]);
                let mut sums = Sums::default();
                let nodes = scores.iter_mut().zip(gives_next).zip(&links.shares[here]);
                for (at, ((score, place), &share)) in nodes.enumerate() {
                    let begin = begin.map_or(uniform, |begin| begin[at]);
                    let new = options.damping * *place + to_teleport * begin + to_all;
                    sums.change += (new - *score).abs();
                    sums.dangling += if share == 0.0 { new } else { 0.0 };
                    *place = new * share;
                    *score = new;
                }
                sums
            })
            .collect();
        std::mem::swap(&mut gives, &mut gives_next);
        change = sums.iter().map(|sums| sums.change).sum();
        dangling = sums.iter().map(|sums| sums.dangling).sum();
        rounds += 1;
    }
    let total: f64 = scores.iter().sum();
    for score in &mut scores {
        *score /= total;
    }
    Ranks {
        scores,
        rounds,
        change: if rounds == 0 { 0.0 } else { change },
    }
}

fn dangling_sum(scores: &[f64], shares: &[f64]) -> f64 {
    let without_links = scores.iter().zip(shares).filter(|&(_, &share)| share == 0.0);
    without_links.map(|(score, _)| score).sum()
}

fn personal_vector(nodes: usize, personal: &[(Node, f64)]) -> Option<Vec<f64>> {
    let total: f64 = personal.iter().map(|&(_, weight)| weight).sum();
    if total <= 0.0 {
        return None;
    }
    let mut vector = vec![0.0; nodes];
    for &(node, weight) in personal {
        vector[node as usize] += weight / total;
    }
    Some(vector)
}

/// The links as the rounds want them.
struct Links<'a> {
    backward: &'a Rows,
    weights: Option<&'a Weights>,
    /// 1 / out(j), or 0 for a node without links.
    shares: Vec<f64>,
    /// The weight of a node's link to itself; empty when none takes part.
    own: Vec<f64>,
}

impl<'a> Links<'a> {
    fn of(graph: &'a Graph, options: &PageRankOptions) -> Links<'a> {
        let used = options.weighting == Weighting::Used;
        let mut out: Vec<f64> = if used {
            crate::degrees::weights(&graph.forward)
        } else {
            (0..graph.nodes() as Node)
                .map(|node| graph.forward.degree(node) as f64)
                .collect()
        };
        let mut own = Vec::new();
        if options.self_links == SelfLinks::Counted && !graph.self_links.is_empty() {
            own = vec![0.0; graph.nodes()];
            for &(node, weight) in &graph.self_links {
                own[node as usize] = if used { weight } else { 1.0 };
                out[node as usize] += own[node as usize];
            }
        }
        let share = |out: f64| if out > 0.0 { 1.0 / out } else { 0.0 };
        Links {
            backward: &graph.backward,
            weights: graph.backward.weights.as_ref().filter(|_| used),
            shares: out.into_iter().map(share).collect(),
            own,
        }
    }

    /// What each node from `first` on is given by all that link to it.
    fn gather(&self, first: usize, gives: &[f64], sums: &mut [f64]) {
        let starts = &self.backward.starts[first..=first + sums.len()];
        match self.weights {
            None => {
                // One slice after the other: the row's bounds are looked at once.
                let mut rest = &self.backward.ends[starts[0]..starts[sums.len()]];
                for (sum, bounds) in sums.iter_mut().zip(starts.windows(2)) {
                    let (row, others) = rest.split_at(bounds[1] - bounds[0]);
                    rest = others;
                    *sum = sum_of(row, gives);
                }
            }
            Some(weights) => {
                for (sum, bounds) in sums.iter_mut().zip(starts.windows(2)) {
                    let range = bounds[0]..bounds[1];
                    let sources = self.backward.ends[range.clone()].iter();
                    let pairs = sources.zip(weights.range(range));
                    *sum = pairs
                        .map(|(&source, weight)| gives[source as usize] * weight)
                        .sum();
                }
            }
        }
        if !self.own.is_empty() {
            for (node, sum) in (first..).zip(sums) {
                *sum += gives[node] * self.own[node];
            }
        }
    }
}

/// From this length on a row is added in lanes.
const LONG_ROW: usize = 32;

/// The sum over a row, always in the same order. Long rows are added in four lanes: an addition need not wait for the one
/// before. Most rows are short, and there a second loop costs more than the wait: each of its ends is guessed wrong by the
/// processor (measured: 9.6 ms a round instead of 14.1 for ten million links).
fn sum_of(row: &[Node], gives: &[f64]) -> f64 {
    let mut sum = 0.0;
    if row.len() < LONG_ROW {
        for &source in row {
            sum += gives[source as usize];
        }
        return sum;
    }
    let mut lanes = [0.0; 4];
    let fours = row.chunks_exact(4);
    for &source in fours.remainder() {
        sum += gives[source as usize];
    }
    for four in fours {
        for (lane, &source) in lanes.iter_mut().zip(four) {
            *lane += gives[source as usize];
        }
    }
    sum + ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))
}
