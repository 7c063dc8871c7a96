//! How sure is it that a rate lies above a bound? In: a Beta distribution's two counts and the bound. Out: a probability.

/// P(X > bound) for X ~ Beta(a, b), both positive, by Simpson's rule on the smooth part.
///
/// The density has a pole at 0 where a < 1, so the part near 0 is taken from the whole instead of being summed.
pub(super) fn upper_tail(a: f64, b: f64, bound: f64) -> f64 {
    // The substitution x = 1 − (1 − bound)·t^(1/b) would be exact at the other end; counts here give b ≥ 0.2 only when
    // nearly every pair differed, and then the tail is near 1 anyway, so plain sums over a safe interval are enough.
    let above = integral(a, b, bound, 1.0 - 1e-9);
    let below = below_bound(a, b, bound);
    (above / (above + below)).clamp(0.0, 1.0)
}

fn density(a: f64, b: f64, x: f64) -> f64 {
    x.powf(a - 1.0) * (1.0 - x).powf(b - 1.0)
}

fn integral(a: f64, b: f64, from: f64, to: f64) -> f64 {
    const STEPS: usize = 2_000;
    let step = (to - from) / STEPS as f64;
    let inner: f64 = (1..STEPS)
        .map(|n| density(a, b, from + step * n as f64) * if n % 2 == 1 { 4.0 } else { 2.0 })
        .sum();
    // Where b < 1 the density has a pole at 1: its last step is taken in closed form.
    let (last, to) = if b < 1.0 {
        (step.powf(b) / b, to - step)
    } else {
        (0.0, to)
    };
    (density(a, b, from) + inner + density(a, b, to)) * step / 3.0 + last
}

/// ∫₀^bound x^(a−1)(1−x)^(b−1) dx by its series in the bound, which converges fast for small bounds.
fn below_bound(a: f64, b: f64, bound: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 0.0;
    for n in 0..200 {
        let order = f64::from(n);
        sum += term / (a + order);
        term *= (order + 1.0 - b) / (order + 1.0) * bound;
        if term.abs() < 1e-15 {
            break;
        }
    }
    sum * bound.powf(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_agree_with_closed_forms() {
        // Beta(1, 1) is uniform; Beta(2, 1) has the distribution x²; Beta(1, 3) has 1 − (1 − x)³.
        let cases = [
            (1.0, 1.0, 0.1, 0.9),
            (2.0, 1.0, 0.1, 0.99),
            (1.0, 3.0, 0.1, 0.729),
            (1.0, 9.0, 0.1, 0.9f64.powi(9)),
        ];
        for (a, b, bound, expected) in cases {
            assert!((upper_tail(a, b, bound) - expected).abs() < 1e-3, "{a} {b}");
        }
    }
}
