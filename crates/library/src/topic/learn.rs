//! Weights of words from examples: a straight line with a wide margin, and an honest scale for it.
//!
//! The line is a support vector machine with squared loss, found by coordinate descent in the dual (Hsieh et al. 2008). Its scale
//! is fitted to lines that have not seen the host of what they judge (Platt 1999, with the counts of Lin et al. 2007).

use super::seen::BUCKETS;

/// Parts of the examples, each judged by a line that was made from the others.
const PARTS: u64 = 5;
const ROUNDS_MAX: usize = 60;
/// The largest correction of a round that ends the search.
const STILL: f32 = 0.01;
/// Fewer examples of a kind than this fit no scale.
const SCALE_MIN: usize = 5;
const SLOPE_USUAL: f32 = 2.0;

/// An example as numbers.
pub(super) struct Lesson {
    pub(super) values: Vec<(u32, f32)>,
    pub(super) is_good: bool,
    pub(super) weight: f32,
    /// Examples of one host are alike: they are never on both sides.
    pub(super) group: u64,
}

/// Weights by word, on a scale of the logarithm of odds.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) weights: Vec<f32>,
    pub(super) offset: f32,
}

impl Line {
    pub(super) fn odds(&self, values: impl Iterator<Item = (u32, f32)>) -> f32 {
        let sum: f32 = values.map(|(at, value)| self.weights[at as usize] * value).sum();
        self.offset + sum
    }
}

/// A line from all lessons; `odds` of each lesson by a line that has not seen its group.
pub(super) fn line(lessons: &[Lesson], cost: f32) -> (Line, Vec<f32>) {
    let all: Vec<usize> = (0..lessons.len()).collect();
    let mut crossed = vec![0.0; lessons.len()];
    let part_of = |at: usize| lessons[at].group % PARTS;
    for part in 0..PARTS {
        let seen: Vec<usize> = all.iter().copied().filter(|at| part_of(*at) != part).collect();
        let rest: Vec<usize> = all.iter().copied().filter(|at| part_of(*at) == part).collect();
        if rest.is_empty() {
            continue;
        }
        let (weights, bias) = descend(lessons, &seen, cost);
        for at in rest {
            crossed[at] = bias + dot(&weights, &lessons[at].values);
        }
    }
    let (slope, offset) = scale(lessons, &crossed);
    let (mut weights, bias) = descend(lessons, &all, cost);
    for weight in &mut weights {
        *weight *= slope;
    }
    for odds in &mut crossed {
        *odds = *odds * slope + offset;
    }
    let offset = offset + slope * bias;
    (Line { weights, offset }, crossed)
}

fn dot(weights: &[f32], values: &[(u32, f32)]) -> f32 {
    values
        .iter()
        .map(|(at, value)| weights[*at as usize] * value)
        .sum()
}

/// The weights and the bias that part the chosen lessons.
fn descend(lessons: &[Lesson], chosen: &[usize], cost: f32) -> (Vec<f32>, f32) {
    let mut weights = vec![0.0f32; BUCKETS];
    let mut bias = 0.0f32;
    let mut shares = vec![0.0f32; chosen.len()];
    let good = chosen.iter().filter(|at| lessons[**at].is_good).count().max(1) as f32;
    let bad = (chosen.len() as f32 - good).max(1.0);
    // The rarer kind counts more, but not as if it were as common.
    let raised = [(good / bad).sqrt().max(1.0), (bad / good).sqrt().max(1.0)];
    let lengths: Vec<f32> = chosen
        .iter()
        .map(|at| {
            1.0 + lessons[*at]
                .values
                .iter()
                .map(|(_, value)| value * value)
                .sum::<f32>()
        })
        .collect();
    let mut order: Vec<usize> = (0..chosen.len()).collect();
    let mut state = 0x2545_f491_4f6c_dd1du64;
    for _ in 0..ROUNDS_MAX {
        shuffle(&mut order, &mut state);
        let mut most = 0.0f32;
        for at in &order {
            let lesson = &lessons[chosen[*at]];
            let side = if lesson.is_good { 1.0 } else { -1.0 };
            let soft = 0.5 / (cost * lesson.weight * raised[usize::from(lesson.is_good)]);
            let slope = side * (bias + dot(&weights, &lesson.values)) - 1.0 + soft * shares[*at];
            let new = (shares[*at] - slope / (lengths[*at] + soft)).max(0.0);
            let step = new - shares[*at];
            if step == 0.0 {
                continue;
            }
            most = most.max((step * (lengths[*at] + soft)).abs());
            shares[*at] = new;
            for (word, value) in &lesson.values {
                weights[*word as usize] += step * side * value;
            }
            bias += step * side;
        }
        if most < STILL {
            break;
        }
    }
    (weights, bias)
}

/// The same order on every machine.
fn shuffle(order: &mut [usize], state: &mut u64) {
    for end in (1..order.len()).rev() {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        order.swap(end, (*state % (end as u64 + 1)) as usize);
    }
}

/// Slope and offset by which sums become logarithms of odds.
fn scale(lessons: &[Lesson], sums: &[f32]) -> (f32, f32) {
    let good = lessons.iter().filter(|lesson| lesson.is_good).count();
    let bad = lessons.len() - good;
    if good < SCALE_MIN || bad < SCALE_MIN {
        return (SLOPE_USUAL, 0.0);
    }
    // Nobody is quite sure: the kinds aim at these.
    let aims = [
        1.0 / (bad as f64 + 2.0),
        (good as f64 + 1.0) / (good as f64 + 2.0),
    ];
    let (mut slope, mut offset) = (1.0f64, (good as f64 / bad as f64).ln());
    let loss = |slope: f64, offset: f64| -> f64 {
        let each = lessons.iter().zip(sums).map(|(lesson, sum)| {
            let odds = slope * f64::from(*sum) + offset;
            let aim = aims[usize::from(lesson.is_good)];
            // ln(1 + e^odds) − aim · odds, without overflow.
            odds.max(0.0) + (-odds.abs()).exp().ln_1p() - aim * odds
        });
        each.sum()
    };
    for _ in 0..60 {
        let (mut by_slope, mut by_offset) = (0.0, 0.0);
        let (mut bend_ss, mut bend_so, mut bend_oo) = (1e-9, 0.0, 1e-9);
        for (lesson, sum) in lessons.iter().zip(sums) {
            let sum = f64::from(*sum);
            let likely = 1.0 / (1.0 + (-(slope * sum + offset)).exp());
            let error = likely - aims[usize::from(lesson.is_good)];
            let bend = likely * (1.0 - likely);
            by_slope += error * sum;
            by_offset += error;
            bend_ss += bend * sum * sum;
            bend_so += bend * sum;
            bend_oo += bend;
        }
        let all = bend_ss * bend_oo - bend_so * bend_so;
        if all.abs() < 1e-12 {
            break;
        }
        let step_slope = (bend_oo * by_slope - bend_so * by_offset) / all;
        let step_offset = (bend_ss * by_offset - bend_so * by_slope) / all;
        let now = loss(slope, offset);
        let mut part = 1.0;
        while part > 1e-6 && loss(slope - part * step_slope, offset - part * step_offset) > now {
            part *= 0.5;
        }
        slope -= part * step_slope;
        offset -= part * step_offset;
        if (part * step_slope).abs() + (part * step_offset).abs() < 1e-6 {
            break;
        }
    }
    // Examples that speak against each other give no scale that runs backwards.
    ((slope as f32).clamp(0.1, 20.0), offset as f32)
}
