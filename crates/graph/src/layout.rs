//! Places for a drawing.
//!
//! Like `ForceAtlas2` (Jacomy et al. 2014): all nodes push each other away, links pull their ends together, a weak force pulls
//! each to where it began. The move of node i in a round, with the strengths `s = ln(1 + weight)` over their mean and the masses `m(i) = 1 + Σ s(i, j)`:
//!
//! ```text
//! η / m(i) · ( Σ_j s(i, j) (x_j - x_i)  +  r m(i) Σ_j m(j) (x_i - x_j) / |x_i - x_j|²  +  g m(i) (b_i - x_i) )
//! ```
//!
//! Distant groups of nodes push as one (Barnes and Hut 1986, `quadtree`).
//!
//! The same picture each time: where a node begins follows from its name, and is then smoothed over its neighbours, which is a linear
//! map. So few new nodes change the beginning a little, and the forces, which cool down evenly, find the same picture again.
//! Places of an earlier drawing can be given: those nodes stay, and new ones are put beside their neighbours.
//!
//! Trap: forces alone turn and mirror the picture with every change of the graph. Nothing in the forces says which side is up; only the beginning does.

mod quadtree;
mod spacing;

use crate::graph::{Graph, Node, Rows};
use quadtree::Quadtree;
use rayon::prelude::*;
use spacing::{beside_neighbours, push_apart};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How far apart nodes lie: the root of the mean square distance from the middle is this times the root of their number.
const SPACING: f64 = 40.0;
/// How strongly a node is pulled to where it began (`g`): weak beside one link, but enough to decide what the other forces leave open.
const GRAVITY: f64 = 0.15;
/// How wide the beginning is, in the units of the forces.
const BEGIN_RADIUS: f64 = 1.5;
/// How much of its neighbours' places a node takes over when the beginning is smoothed.
const SMOOTHING: f64 = 0.85;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Point {
    pub(crate) fn plus(self, other: Point, times: f64) -> Point {
        Point {
            x: self.x + times * other.x,
            y: self.y + times * other.y,
        }
    }

    pub(crate) fn length(self) -> f64 {
        self.x.hypot(self.y)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct LayoutOptions {
    pub rounds: u32,
    /// Radii by node, so that circles do not cover each other; none when empty.
    pub radii: Vec<f64>,
}

impl Default for LayoutOptions {
    fn default() -> Self {
        LayoutOptions {
            rounds: 300,
            radii: Vec::new(),
        }
    }
}

/// Places for all nodes, about (0, 0). `names[node]` decides where a node begins; `before[node]`, where given, is its place in an
/// earlier drawing, where it stays. `before` may be empty; when it knows fewer than half of the nodes it is not looked at.
pub fn layout<S: AsRef<str>>(
    graph: &Graph,
    names: &[S],
    before: &[Option<Point>],
    options: &LayoutOptions,
) -> Vec<Point> {
    let bonds = Bonds::of(graph);
    let begin: Vec<Point> = names.iter().map(|name| place_of_name(name.as_ref())).collect();
    let known = before.iter().flatten().count();
    if known > 0 && known * 2 >= graph.nodes() {
        let mut places = beside_neighbours(&bonds, before, &begin, SPACING);
        let moves: Vec<bool> = before.iter().map(Option::is_none).collect();
        push_apart(&mut places, &options.radii, &moves);
        return places;
    }
    let begin = smoothed(&bonds, &begin);
    let mut places = begin.clone();
    for round in 0..options.rounds {
        let warmth = 1.0 - f64::from(round) / f64::from(options.rounds);
        places = moved(&bonds, &places, &begin, warmth);
    }
    scale(&mut places, SPACING * (graph.nodes() as f64).sqrt());
    push_apart(&mut places, &options.radii, &vec![true; graph.nodes()]);
    places
}

/// Bonds without direction, with strengths.
pub(crate) struct Bonds {
    rows: Rows,
    strengths: Vec<f64>,
    masses: Vec<f64>,
}

impl Bonds {
    fn of(graph: &Graph) -> Bonds {
        let rows = graph.without_direction();
        let mut strengths: Vec<f64> = match &rows.weights {
            Some(weights) => weights.iter().map(f64::ln_1p).collect(),
            None => vec![1.0; rows.ends.len()],
        };
        let mean = strengths.iter().sum::<f64>() / strengths.len().max(1) as f64;
        for strength in &mut strengths {
            *strength /= mean;
        }
        let mass = |node: usize| 1.0 + strengths[rows.range(node as Node)].iter().sum::<f64>();
        let masses = (0..rows.nodes()).map(mass).collect();
        Bonds {
            rows,
            strengths,
            masses,
        }
    }

    pub(crate) fn of_node(&self, node: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.rows.range(node as Node);
        let ends = self.rows.ends[range.clone()].iter().map(|&end| end as usize);
        ends.zip(self.strengths[range].iter().copied())
    }
}

/// A place in the unit disc.
fn place_of_name(name: &str) -> Point {
    let share = |seed: u64| (xxh3_64_with_seed(name.as_bytes(), seed) >> 11) as f64 / (1u64 << 53) as f64;
    let (radius, angle) = (share(1).sqrt(), share(2) * std::f64::consts::TAU);
    Point {
        x: radius * angle.cos(),
        y: radius * angle.sin(),
    }
}

/// `p = (1 - α) begin + α · mean of the neighbours' p`, by rounds, scaled to one size.
fn smoothed(bonds: &Bonds, begin: &[Point]) -> Vec<Point> {
    let mut places = begin.to_vec();
    for _ in 0..40 {
        places = (0..places.len())
            .map(|node| {
                let mut sum = Point::default();
                for (end, strength) in bonds.of_node(node) {
                    sum = sum.plus(places[end], strength);
                }
                let strength = bonds.masses[node] - 1.0;
                if strength <= 0.0 {
                    return begin[node];
                }
                let own = Point::default().plus(begin[node], 1.0 - SMOOTHING);
                own.plus(sum, SMOOTHING / strength)
            })
            .collect();
    }
    scale(&mut places, BEGIN_RADIUS);
    places
}

/// One round. Warmth falls from 1 to 0 and bounds how far a node moves.
fn moved(bonds: &Bonds, places: &[Point], begin: &[Point], warmth: f64) -> Vec<Point> {
    let total: f64 = bonds.masses.iter().sum();
    let repulsion = 1.0 / total;
    let tree = Quadtree::of(places, &bonds.masses);
    (0..places.len())
        .into_par_iter()
        .with_min_len(64)
        .map(|node| {
            let here = places[node];
            let mut pull = Point::default();
            for (end, strength) in bonds.of_node(node) {
                pull = pull.plus(places[end].plus(here, -1.0), strength);
            }
            let push = tree.push(here);
            let step = Point::default()
                .plus(pull, 0.5 / bonds.masses[node])
                .plus(push, 0.5 * repulsion)
                .plus(begin[node].plus(here, -1.0), 0.5 * GRAVITY);
            let bound = 0.2 * warmth;
            let length = step.length();
            here.plus(step, if length > bound { bound / length } else { 1.0 })
        })
        .collect()
}

/// Moves the middle to (0, 0) and makes the root of the mean square distance from it `wanted`.
fn scale(places: &mut [Point], wanted: f64) {
    let count = places.len().max(1) as f64;
    let sum = places
        .iter()
        .fold(Point::default(), |sum, place| sum.plus(*place, 1.0));
    let middle = Point::default().plus(sum, 1.0 / count);
    for place in places.iter_mut() {
        *place = place.plus(middle, -1.0);
    }
    let square: f64 = places.iter().map(|place| place.length().powi(2)).sum::<f64>() / count;
    if square > 0.0 {
        let times = wanted / square.sqrt();
        for place in places.iter_mut() {
            *place = Point::default().plus(*place, times);
        }
    }
}

#[cfg(test)]
mod tests;
