//! Small random graphs against what follows from the definitions by plain means.

#![expect(clippy::needless_range_loop, reason = "tables are read by row and column")]

use crate::{Chance, random_graph};
use gleaner_graph::{
    BowtiePart, Dangling, Graph, HitsOptions, PageRankOptions, SelfLinks, Weighting, bow_tie, hits, pagerank,
    strong_components, weak_components,
};

/// The weights of all links as a table.
fn dense(graph: &Graph, weighting: Weighting, self_links: SelfLinks) -> Vec<Vec<f64>> {
    let weight = |weight: f64| if weighting == Weighting::Used { weight } else { 1.0 };
    let mut table = vec![vec![0.0; graph.nodes()]; graph.nodes()];
    for (from, to, link) in graph.all_links() {
        table[from as usize][to as usize] = weight(link);
    }
    if self_links == SelfLinks::Counted {
        for &(node, link) in graph.self_links() {
            table[node as usize][node as usize] = weight(link);
        }
    }
    table
}

/// Solves `A x = b` by elimination.
fn solved(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let size = b.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|&i, &j| a[i][column].abs().total_cmp(&a[j][column].abs()))
            .expect("a row");
        a.swap(column, pivot);
        b.swap(column, pivot);
        for row in 0..size {
            if row != column {
                let times = a[row][column] / a[column][column];
                for other in column..size {
                    let value = a[column][other];
                    a[row][other] -= times * value;
                }
                b[row] -= times * b[column];
            }
        }
    }
    (0..size).map(|row| b[row] / a[row][row]).collect()
}

#[test]
fn pagerank_solves_its_equations() {
    for seed in 0..200 {
        let graph = random_graph(seed);
        let nodes = graph.nodes();
        let mut chance = Chance(seed ^ 0xabcd);
        let options = PageRankOptions {
            damping: [0.85, 0.5, 0.9][seed as usize % 3],
            weighting: [Weighting::Ignored, Weighting::Used][chance.below(2) as usize],
            self_links: [SelfLinks::Counted, SelfLinks::Ignored][chance.below(2) as usize],
            personal: (0..chance.below(4))
                .map(|n| (chance.below(nodes as u64) as u32, 1.0 + n as f64))
                .collect(),
            dangling: [Dangling::LikeTeleport, Dangling::Uniform][chance.below(2) as usize],
            rounds_max: 400,
            ..PageRankOptions::default()
        };
        let table = dense(&graph, options.weighting, options.self_links);
        let uniform = vec![1.0 / nodes as f64; nodes];
        let mut teleport = uniform.clone();
        if !options.personal.is_empty() {
            teleport = vec![0.0; nodes];
            let total: f64 = options.personal.iter().map(|&(_, weight)| weight).sum();
            options
                .personal
                .iter()
                .for_each(|&(node, weight)| teleport[node as usize] += weight / total);
        }
        let from_dangling = match options.dangling {
            Dangling::LikeTeleport => &teleport,
            Dangling::Uniform => &uniform,
        };
        let mut a = vec![vec![0.0; nodes]; nodes];
        for from in 0..nodes {
            let out: f64 = table[from].iter().sum();
            for to in 0..nodes {
                let step = if out > 0.0 {
                    table[from][to] / out
                } else {
                    from_dangling[to]
                };
                a[to][from] = f64::from(u8::from(from == to)) - options.damping * step;
            }
        }
        let b = teleport
            .iter()
            .map(|share| (1.0 - options.damping) * share)
            .collect();
        let expected = solved(a, b);
        let ranks = pagerank(&graph, &options);
        for node in 0..nodes {
            let off = (ranks.scores[node] - expected[node]).abs();
            assert!(off < 1e-9, "seed {seed}, node {node}: {off}");
        }
    }
}

#[test]
fn hits_are_the_principal_vectors() {
    let mut checked = 0;
    for seed in 0..200 {
        let graph = random_graph(seed);
        let nodes = graph.nodes();
        let table = dense(&graph, Weighting::Used, SelfLinks::Counted);
        let options = HitsOptions {
            weighting: Weighting::Used,
            ..HitsOptions::default()
        };
        let found = hits(&graph, &options);
        // (AᵀA)^(2^k) by squaring tends to the projection on the greatest eigenvalue's space; rows of it, from equal hubs.
        let mut power = vec![vec![0.0; nodes]; nodes];
        for row in 0..nodes {
            for column in 0..nodes {
                power[row][column] = (0..nodes).map(|k| table[k][row] * table[k][column]).sum();
            }
        }
        let trace: f64 = (0..nodes).map(|node| power[node][node]).sum();
        if trace == 0.0 {
            assert!(found.authorities.iter().all(|&score| score == 0.0));
            continue;
        }
        let mut settled = false;
        for _ in 0..40 {
            let square: Vec<Vec<f64>> = (0..nodes)
                .map(|row| {
                    (0..nodes)
                        .map(|column| (0..nodes).map(|k| power[row][k] * power[k][column]).sum())
                        .collect()
                })
                .collect();
            let total: f64 = square.iter().flatten().sum();
            let next: Vec<Vec<f64>> = square
                .iter()
                .map(|row| row.iter().map(|v| v / total).collect())
                .collect();
            let pairs = next.iter().flatten().zip(power.iter().flatten());
            settled = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-15;
            power = next;
            if settled {
                break;
            }
        }
        assert!(settled, "seed {seed}");
        let begin: Vec<f64> = (0..nodes)
            .map(|to| (0..nodes).map(|from| table[from][to]).sum())
            .collect();
        let raw: Vec<f64> = power
            .iter()
            .map(|row| row.iter().zip(&begin).map(|(a, b)| a * b).sum())
            .collect();
        let total: f64 = raw.iter().sum();
        for node in 0..nodes {
            let off = (found.authorities[node] - raw[node] / total).abs();
            assert!(
                off < 1e-9,
                "seed {seed}, node {node}: {off} after {}",
                found.rounds
            );
        }
        checked += 1;
    }
    assert!(checked > 150);
}

/// Who reaches whom, each node itself included.
fn reach(table: &[Vec<bool>]) -> Vec<Vec<bool>> {
    let mut reach = table.to_vec();
    for node in 0..reach.len() {
        reach[node][node] = true;
    }
    for over in 0..reach.len() {
        for from in 0..reach.len() {
            if reach[from][over] {
                for to in 0..reach.len() {
                    reach[from][to] |= reach[over][to];
                }
            }
        }
    }
    reach
}

#[test]
fn components_and_bow_tie_are_as_defined() {
    for seed in 0..200 {
        let graph = random_graph(seed);
        let nodes = graph.nodes();
        let mut table = vec![vec![false; nodes]; nodes];
        let mut either = table.clone();
        for (from, to, _) in graph.all_links() {
            table[from as usize][to as usize] = true;
            either[from as usize][to as usize] = true;
            either[to as usize][from as usize] = true;
        }
        let (reach, joined) = (reach(&table), reach(&either));
        let (strong, weak) = (strong_components(&graph), weak_components(&graph));
        for a in 0..nodes {
            for b in 0..nodes {
                assert_eq!(
                    strong.of[a] == strong.of[b],
                    reach[a][b] && reach[b][a],
                    "seed {seed}"
                );
                assert_eq!(weak.of[a] == weak.of[b], joined[a][b], "seed {seed}");
            }
        }
        assert_eq!(strong.sizes.iter().sum::<u32>() as usize, nodes);
        let core = (0..nodes).find(|&node| strong.of[node] == 0).expect("a core");
        let is_in = |node: usize| reach[node][core] && !reach[core][node];
        let is_out = |node: usize| reach[core][node] && !reach[node][core];
        let tie = bow_tie(&graph, &strong);
        for node in 0..nodes {
            let from_in = (0..nodes).any(|other| is_in(other) && reach[other][node]);
            let to_out = (0..nodes).any(|other| is_out(other) && reach[node][other]);
            let expected = match (reach[node][core], reach[core][node]) {
                (true, true) => BowtiePart::Core,
                (true, false) => BowtiePart::In,
                (false, true) => BowtiePart::Out,
                _ if from_in && to_out => BowtiePart::Tube,
                _ if joined[node][core] => BowtiePart::Tendril,
                _ => BowtiePart::Rest,
            };
            assert_eq!(tie.of[node], expected, "seed {seed}, node {node}");
        }
    }
}
