//! Room between the nodes of a drawing: new ones beside their neighbours, and no circle on another.

use super::{Bonds, Point};

/// Above so many nodes circles may cover each other: a picture of more shows no single circle anyway.
const NODES_MAX: usize = 3_000;
const ROUNDS: usize = 50;

/// Known nodes at their places; each new one at the middle of its neighbours that have a place, a little aside.
pub(super) fn beside_neighbours(
    bonds: &Bonds,
    before: &[Option<Point>],
    begin: &[Point],
    aside: f64,
) -> Vec<Point> {
    let mut places: Vec<Option<Point>> = before.to_vec();
    loop {
        let found: Vec<(usize, Point)> = (0..places.len())
            .filter(|&node| places[node].is_none())
            .filter_map(|node| {
                let mut sum = Point::default();
                let mut total = 0.0;
                for (end, strength) in bonds.of_node(node) {
                    if let Some(place) = places[end] {
                        sum = sum.plus(place, strength);
                        total += strength;
                    }
                }
                let middle = Point::default().plus(sum, 1.0 / total);
                (total > 0.0).then(|| (node, middle.plus(begin[node], aside)))
            })
            .collect();
        if found.is_empty() {
            break;
        }
        for (node, place) in found {
            places[node] = Some(place);
        }
    }
    // What hangs on nothing known lies at the edge.
    let known = || places.iter().flatten();
    let edge = known().map(|place| place.length()).fold(aside, f64::max);
    let at_edge = |node: usize| {
        let length = begin[node].length().max(1e-9);
        Point::default().plus(begin[node], edge / length)
    };
    (0..places.len())
        .map(|node| places[node].unwrap_or_else(|| at_edge(node)))
        .collect()
}

/// Moves circles that cover each other apart, those that may move. Some rounds, in the order of nodes.
pub(super) fn push_apart(places: &mut [Point], radii: &[f64], moves: &[bool]) {
    if radii.len() != places.len() || places.len() > NODES_MAX {
        return;
    }
    for _ in 0..ROUNDS {
        let mut any = false;
        for one in 0..places.len() {
            for other in one + 1..places.len() {
                if !moves[one] && !moves[other] {
                    continue;
                }
                let away = places[one].plus(places[other], -1.0);
                let missing = radii[one] + radii[other] - away.length();
                if missing <= 1e-9 {
                    continue;
                }
                any = true;
                let length = away.length();
                // Two at one place part along a line that depends on who they are.
                let angle = one as f64 + 2.4 * other as f64;
                let direction = if length > 1e-9 {
                    Point::default().plus(away, 1.0 / length)
                } else {
                    Point {
                        x: angle.cos(),
                        y: angle.sin(),
                    }
                };
                let (first, second) = match (moves[one], moves[other]) {
                    (true, true) => (0.5, 0.5),
                    (true, false) => (1.0, 0.0),
                    _ => (0.0, 1.0),
                };
                places[one] = places[one].plus(direction, first * missing);
                places[other] = places[other].plus(direction, -second * missing);
            }
        }
        if !any {
            break;
        }
    }
}
