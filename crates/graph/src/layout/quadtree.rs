//! Barnes and Hut: what is far away pushes as one.
//!
//! A square that holds several nodes is parted into four. A square whose side is below θ times its distance acts from its centre
//! of mass.

use super::Point;

const THETA: f64 = 0.7;
/// Nodes nearer to each other than the smallest square share it.
const DEPTH_MAX: u32 = 24;
/// Nearer nodes push no harder.
const DISTANCE_MIN: f64 = 1e-4;

struct Square {
    mass: f64,
    /// The sum of place times mass; divided at the end.
    centre: Point,
    side: f64,
    /// The first of its four parts, or 0 for none: 0 is the whole.
    parts: u32,
}

pub(super) struct Quadtree {
    squares: Vec<Square>,
}

impl Quadtree {
    pub(super) fn of(places: &[Point], masses: &[f64]) -> Quadtree {
        let bound = |pick: fn(&Point) -> f64| {
            let values = places.iter().map(pick);
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let (left, right) = bound(|place| place.x);
        let (low, high) = bound(|place| place.y);
        let side = (right - left).max(high - low).max(DISTANCE_MIN);
        let mut tree = Quadtree {
            squares: vec![empty(side)],
        };
        // Where each leaf's only node lies, to push it down when a second comes.
        let mut alone: Vec<Option<(Point, f64)>> = vec![None];
        for (place, &mass) in places.iter().zip(masses) {
            tree.insert(*place, mass, Point { x: left, y: low }, &mut alone);
        }
        for square in &mut tree.squares {
            if square.mass > 0.0 {
                square.centre = Point::default().plus(square.centre, 1.0 / square.mass);
            }
        }
        tree
    }

    fn insert(&mut self, place: Point, mass: f64, corner: Point, alone: &mut Vec<Option<(Point, f64)>>) {
        let (mut at, mut corner) = (0usize, corner);
        for depth in 0..=DEPTH_MAX {
            let square = &mut self.squares[at];
            let was_empty = square.mass == 0.0;
            square.mass += mass;
            square.centre = square.centre.plus(place, mass);
            if was_empty {
                alone[at] = Some((place, mass));
                return;
            }
            if depth == DEPTH_MAX {
                return;
            }
            let half = square.side / 2.0;
            if square.parts == 0 {
                self.squares[at].parts = self.squares.len() as u32;
                self.squares.extend((0..4).map(|_| empty(half)));
                alone.resize(self.squares.len(), None);
                if let Some((other, other_mass)) = alone[at].take() {
                    let part = self.squares[at].parts as usize + quarter(other, corner, half);
                    self.squares[part].mass = other_mass;
                    self.squares[part].centre = Point::default().plus(other, other_mass);
                    alone[part] = Some((other, other_mass));
                }
            }
            let quarter = quarter(place, corner, half);
            at = self.squares[at].parts as usize + quarter;
            corner = Point {
                x: corner.x + if quarter & 1 == 1 { half } else { 0.0 },
                y: corner.y + if quarter & 2 == 2 { half } else { 0.0 },
            };
        }
    }

    /// `Σ m (here - x) / |here - x|²` over all nodes; a node does not push itself, as its distance is 0.
    pub(super) fn push(&self, here: Point) -> Point {
        let mut sum = Point::default();
        let mut waiting = vec![0u32];
        while let Some(at) = waiting.pop() {
            let square = &self.squares[at as usize];
            if square.mass == 0.0 {
                continue;
            }
            let away = here.plus(square.centre, -1.0);
            let distance = away.length();
            if square.parts == 0 || square.side < THETA * distance {
                let distance = distance.max(DISTANCE_MIN);
                sum = sum.plus(away, square.mass / (distance * distance));
            } else {
                waiting.extend((0..4).rev().map(|part| square.parts + part));
            }
        }
        sum
    }
}

fn empty(side: f64) -> Square {
    Square {
        mass: 0.0,
        centre: Point::default(),
        side,
        parts: 0,
    }
}

fn quarter(place: Point, corner: Point, half: f64) -> usize {
    usize::from(place.x >= corner.x + half) | usize::from(place.y >= corner.y + half) << 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeded::Seeded;

    #[test]
    fn the_push_of_groups_is_nearly_that_of_their_nodes() {
        let mut chance = Seeded::new(5);
        let mut share = || chance.below(1 << 20) as f64 / f64::from(1 << 20);
        let places: Vec<Point> = (0..500)
            .map(|_| Point {
                x: share(),
                y: share(),
            })
            .collect();
        let masses: Vec<f64> = (0..500).map(|_| 1.0 + share()).collect();
        let tree = Quadtree::of(&places, &masses);
        for here in &places {
            let mut exact = Point::default();
            for (place, mass) in places.iter().zip(&masses) {
                let away = here.plus(*place, -1.0);
                let square = away.length().powi(2).max(DISTANCE_MIN * DISTANCE_MIN);
                exact = exact.plus(away, mass / square);
            }
            let error = tree.push(*here).plus(exact, -1.0).length();
            assert!(error < 0.1 * (exact.length() + 100.0), "{error} of {exact:?}");
        }
    }

    #[test]
    fn nodes_at_one_place_end_the_parting() {
        let places = vec![Point { x: 1.0, y: 1.0 }; 100];
        let tree = Quadtree::of(&places, &[1.0; 100]);
        assert!(tree.push(Point { x: 2.0, y: 1.0 }).x > 99.0);
    }
}
