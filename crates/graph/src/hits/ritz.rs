//! The principal eigenvector of a symmetric matrix M ≥ 0, known only by what it makes of a vector.
//!
//! LOBPCG with one vector: of all vectors in the space of x, its residual r = Mx - θx and the last step p, take the one with the
//! greatest Rayleigh quotient (xᵀMx)/(xᵀx). One product with M a round: those of x and p follow from the parts they are made of.
//!
//! Trap: what follows from parts drifts away by rounding, so Mx is made anew from time to time, and always before the search ends.

/// Rounds after which Mx is made anew.
const RENEW: u32 = 16;

/// A vector of length 1 together with what M makes of it.
struct Known {
    vector: Vec<f64>,
    image: Vec<f64>,
}

pub(super) struct Search {
    pub(super) vector: Vec<f64>,
    image: Vec<f64>,
    step: Option<Known>,
    pub(super) rounds: u32,
    since_renewal: u32,
}

impl Search {
    /// `begin` must not be 0 throughout.
    pub(super) fn begin(begin: Vec<f64>, round: &impl Fn(&[f64]) -> Vec<f64>) -> Search {
        let length = dot(&begin, &begin).sqrt();
        let vector: Vec<f64> = begin.into_iter().map(|value| value / length).collect();
        Search {
            image: round(&vector),
            vector,
            step: None,
            rounds: 1,
            since_renewal: 0,
        }
    }

    fn quotient(&self) -> f64 {
        dot(&self.vector, &self.image)
    }

    /// How much a plain round would change the vector, both scaled to the sum 1 (L1).
    pub(super) fn change(&self) -> f64 {
        let quotient = self.quotient();
        let total: f64 = self.vector.iter().sum();
        let pairs = self.vector.iter().zip(&self.image);
        let differences = pairs.map(|(value, image)| (image / quotient - value).abs());
        differences.sum::<f64>() / total.abs()
    }

    /// One round; false when there is nothing left to improve.
    pub(super) fn step(&mut self, round: &impl Fn(&[f64]) -> Vec<f64>) -> bool {
        let quotient = self.quotient();
        let pairs = self.vector.iter().zip(&self.image);
        let mut residual: Vec<f64> = pairs.map(|(value, image)| image - quotient * value).collect();
        if !unit(&mut residual, &mut [], &[&self.vector]) {
            return false;
        }
        let residual_image = round(&residual);
        self.rounds += 1;
        let mut basis = vec![Known {
            vector: residual,
            image: residual_image,
        }];
        if let Some(mut last) = self.step.take() {
            let same_side = along(&last.vector, &self.vector);
            subtract(&mut last.vector, &self.vector, same_side);
            subtract(&mut last.image, &self.image, same_side);
            let same_side = along(&last.vector, &basis[0].vector);
            subtract(&mut last.vector, &basis[0].vector, same_side);
            subtract(&mut last.image, &basis[0].image, same_side);
            let Known { vector, image } = &mut last;
            if unit(vector, image, &[]) {
                basis.push(last);
            }
        }
        self.take_best(&basis);
        self.since_renewal += 1;
        if self.since_renewal >= RENEW || self.change() < 1e-12 {
            self.since_renewal = 0;
            self.image = round(&self.vector);
            self.rounds += 1;
        }
        true
    }

    /// Goes to the best vector of the space.
    fn take_best(&mut self, basis: &[Known]) {
        let size = basis.len() + 1;
        let mut small = [[0.0; 3]; 3];
        let vector = |at: usize| {
            if at == 0 {
                &self.vector
            } else {
                &basis[at - 1].vector
            }
        };
        let image = |at: usize| {
            if at == 0 {
                &self.image
            } else {
                &basis[at - 1].image
            }
        };
        let below = (0..size).flat_map(|row| (0..=row).map(move |column| (row, column)));
        for (row, column) in below {
            let cell = dot(vector(row), image(column));
            let both = if row == column {
                cell
            } else {
                f64::midpoint(cell, dot(vector(column), image(row)))
            };
            (small[row][column], small[column][row]) = (both, both);
        }
        let mut best = principal(small, size);
        if best[0] < 0.0 {
            for part in &mut best {
                *part = -*part;
            }
        }
        let nodes = self.vector.len();
        let mut step = Known {
            vector: vec![0.0; nodes],
            image: vec![0.0; nodes],
        };
        for (known, part) in basis.iter().zip(&best[1..]) {
            subtract(&mut step.vector, &known.vector, -part);
            subtract(&mut step.image, &known.image, -part);
        }
        for at in 0..nodes {
            self.vector[at] = best[0] * self.vector[at] + step.vector[at];
            self.image[at] = best[0] * self.image[at] + step.image[at];
        }
        let length = dot(&self.vector, &self.vector).sqrt();
        self.vector.iter_mut().for_each(|value| *value /= length);
        self.image.iter_mut().for_each(|value| *value /= length);
        self.step = Some(step);
    }
}

/// Takes the given unit vectors out of a vector and scales it and its image to length 1; false when nothing is left.
fn unit(vector: &mut [f64], image: &mut [f64], without: &[&[f64]]) -> bool {
    for other in without {
        let same_side = along(vector, other);
        subtract(vector, other, same_side);
    }
    let length = dot(vector, vector).sqrt();
    if !(length.is_finite() && length > 1e-300) {
        return false;
    }
    for value in vector.iter_mut() {
        *value /= length;
    }
    for value in image.iter_mut() {
        *value /= length;
    }
    // What is left of a nearly parallel vector is rounding: once more makes it truly upright.
    for other in without {
        let same_side = along(vector, other);
        subtract(vector, other, same_side);
    }
    true
}

fn along(vector: &[f64], unit: &[f64]) -> f64 {
    dot(vector, unit)
}

fn subtract(from: &mut [f64], vector: &[f64], times: f64) {
    for (value, other) in from.iter_mut().zip(vector) {
        *value -= times * other;
    }
}

/// Sums of products that are made side by side: an addition need not wait for the one before.
const LANES: usize = 8;

/// In pieces, so that long sums stay exact; always in the same order.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    let pieces = one.chunks(1024).zip(other.chunks(1024));
    pieces
        .map(|(one, other)| {
            let mut lanes = [0.0; LANES];
            let (ones, others) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
            let rest = ones.remainder().iter().zip(others.remainder());
            let rest: f64 = rest.map(|(a, b)| a * b).sum();
            for (one, other) in ones.zip(others) {
                for (lane, (a, b)) in lanes.iter_mut().zip(one.iter().zip(other)) {
                    *lane += a * b;
                }
            }
            lanes.iter().sum::<f64>() + rest
        })
        .sum()
}

/// The eigenvector of the greatest eigenvalue of a small symmetric matrix, by Jacobi's rotations.
fn principal(mut matrix: [[f64; 3]; 3], size: usize) -> [f64; 3] {
    let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..30 {
        for p in 0..size {
            for q in p + 1..size {
                if matrix[p][q] == 0.0 {
                    continue;
                }
                let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
                let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let cosine = 1.0 / tangent.hypot(1.0);
                let sine = tangent * cosine;
                for row in &mut matrix {
                    (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
                }
                let (upper, lower) = (matrix[p], matrix[q]);
                matrix[p] = std::array::from_fn(|column| cosine * upper[column] - sine * lower[column]);
                matrix[q] = std::array::from_fn(|column| sine * upper[column] + cosine * lower[column]);
                for row in &mut vectors {
                    (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
                }
            }
        }
    }
    let best = (0..size)
        .max_by(|&a, &b| matrix[a][a].total_cmp(&matrix[b][b]))
        .unwrap_or(0);
    [vectors[0][best], vectors[1][best], vectors[2][best]]
}
