//! What is it worth to look at a document now? The index of Olston and Pandey (WWW 2008): the best that can be done with a
//! budget is to look at what is worth at least a price, the same for all, and no solver has to know all documents.
//!
//! With λ changes a day, weight w, and τ days since the last look:
//! *mirror* (as little as possible of the copy is out of date) V = (w/λ)(1 − (1 + λτ)e^(−λτ));
//! *watch* (as little delay as possible until a change is told) V = wλτ²/2, which gives looks in proportion to √(wλ) and never
//! gives a fast page up.

use serde::{Deserialize, Serialize};

/// What looks are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aim {
    /// The copy is what the site is.
    #[default]
    Mirror,
    /// Changes are told soon.
    Watch,
}

/// The worth of a look so many days after the last, in days of being up to date times the weight.
pub fn worth(aim: Aim, rate: f64, weight: f64, days: f64) -> f64 {
    let expected = rate * days;
    match aim {
        Aim::Mirror => weight / rate * gain(expected),
        Aim::Watch => weight * expected * days / 2.0,
    }
}

/// After how many days a look is worth its price; `None` where it never is, as with what changes faster than one can look.
pub fn wait(aim: Aim, rate: f64, weight: f64, price: f64) -> Option<f64> {
    if weight <= 0.0 || rate <= 0.0 {
        return None;
    }
    match aim {
        Aim::Watch => Some((2.0 * price.max(0.0) / (weight * rate)).sqrt()),
        Aim::Mirror => {
            let wanted = price.max(0.0) * rate / weight;
            (wanted < 1.0).then(|| gain_reaches(wanted) / rate)
        }
    }
}

/// 1 − (1 + x)e^(−x), without loss of digits where x is small.
fn gain(expected: f64) -> f64 {
    -(-expected).exp_m1() - expected * (-expected).exp()
}

/// The x with `gain(x) = wanted`, by Newton from √(2·wanted), where the curve begins.
fn gain_reaches(wanted: f64) -> f64 {
    if wanted <= 0.0 {
        return 0.0;
    }
    let mut x = (2.0 * wanted).sqrt();
    for _ in 0..50 {
        let step = (gain(x) - wanted) / (x * (-x).exp());
        // Far out the curve is flat: one step never more than doubles or halves.
        let next = (x - step).clamp(x / 2.0, x * 2.0 + 1.0);
        if (next - x).abs() <= 1e-10 * x {
            return next;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn b10_after_the_wait_a_look_is_worth_its_price(
            rate in 1e-4f64..20.0, weight in 0.01f64..100.0, price in 1e-4f64..1000.0, is_watch: bool
        ) {
            let aim = if is_watch { Aim::Watch } else { Aim::Mirror };
            match wait(aim, rate, weight, price) {
                Some(days) => {
                    let found = worth(aim, rate, weight, days);
                    prop_assert!((found / price - 1.0).abs() < 1e-4, "{found} {price}");
                }
                None => prop_assert!(worth(aim, rate, weight, 1e9) <= price * 1.000_001),
            }
        }

        #[test]
        fn b10_waiting_makes_a_look_worth_more(rate in 1e-4f64..20.0, days in 0.0f64..400.0, more in 0.0f64..400.0) {
            for aim in [Aim::Mirror, Aim::Watch] {
                prop_assert!(worth(aim, rate, 1.0, days) <= worth(aim, rate, 1.0, days + more) + 1e-12);
            }
        }
    }
}
