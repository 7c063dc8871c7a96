//! The weights of links in as little room as they need.
//!
//! Most links stand on their page once and most others a few times, so a weight is a byte: the number itself, or 0 for one that
//! stands apart with its place (above 255, or no whole number). Where more than one in sixteen would stand apart, all are kept in
//! full. Which of the two it is follows from the weights alone, so that equal weights are equal values.

use std::ops::Range;

/// One in so many may stand apart.
const APART_SHARE: usize = 16;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Weights {
    /// A byte each; 0 for those that stand apart, which are in the order of their places.
    Counts {
        small: Vec<u8>,
        apart: Vec<(usize, f64)>,
    },
    Full(Vec<f64>),
}

impl Weights {
    #[inline]
    pub(crate) fn at(&self, place: usize) -> f64 {
        match self {
            Weights::Counts { small, apart } => match small[place] {
                0 => standing_apart(apart, place),
                count => f64::from(count),
            },
            Weights::Full(weights) => weights[place],
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        self.range(0..self.len())
    }

    pub(crate) fn range(&self, range: Range<usize>) -> impl Iterator<Item = f64> + '_ {
        range.map(|place| self.at(place))
    }

    fn len(&self) -> usize {
        match self {
            Weights::Counts { small, .. } => small.len(),
            Weights::Full(weights) => weights.len(),
        }
    }

    /// The weights of these in any order: nothing for weights that are all 1.
    pub(crate) fn of(weights: impl IntoIterator<Item = f64>) -> Option<Weights> {
        let mut list = WeightList::default();
        for weight in weights {
            list.push(weight);
        }
        list.finish()
    }
}

#[cold]
fn standing_apart(apart: &[(usize, f64)], place: usize) -> f64 {
    let found = apart.binary_search_by_key(&place, |&(place, _)| place);
    found.map_or(1.0, |at| apart[at].1)
}

/// The byte of a weight; 0 for one that must stand apart.
fn byte_of(weight: f64) -> u8 {
    let byte = weight as u8;
    if byte > 0 && is_same(f64::from(byte), weight) {
        byte
    } else {
        0
    }
}

#[expect(clippy::float_cmp, reason = "only the very same number may be kept as a byte")]
fn is_same(one: f64, other: f64) -> bool {
    one == other
}

pub(crate) fn is_one(weight: f64) -> bool {
    is_same(weight, 1.0)
}

/// Weights that come one after the other. Takes no room while all of them are 1.
#[derive(Debug, Default)]
pub(crate) struct WeightList {
    len: usize,
    /// Empty while all are 1, and when they are kept in full.
    small: Vec<u8>,
    apart: Vec<(usize, f64)>,
    full: Vec<f64>,
}

impl WeightList {
    pub(crate) fn push(&mut self, weight: f64) {
        let place = self.len;
        self.len += 1;
        if !self.full.is_empty() {
            self.full.push(weight);
            return;
        }
        let byte = byte_of(weight);
        if self.small.is_empty() {
            if byte == 1 {
                return;
            }
            self.small = vec![1; place];
        }
        self.small.push(byte);
        if byte == 0 {
            self.apart.push((place, weight));
            // Not yet the last word: a list may begin with its few odd weights.
            if self.apart.len() > 1024 + self.len / APART_SHARE {
                self.full = self.counts().iter().collect();
            }
        }
    }

    fn counts(&mut self) -> Weights {
        Weights::Counts {
            small: std::mem::take(&mut self.small),
            apart: std::mem::take(&mut self.apart),
        }
    }

    /// Nothing when all weights are 1.
    pub(crate) fn finish(mut self) -> Option<Weights> {
        if self.small.is_empty() && self.full.is_empty() {
            return None;
        }
        let apart = if self.full.is_empty() {
            self.apart.len()
        } else {
            self.full.iter().filter(|&&weight| byte_of(weight) == 0).count()
        };
        let is_full = apart * APART_SHARE > self.len;
        let found = match (is_full, self.full.is_empty()) {
            (true, true) => Weights::Full(self.counts().iter().collect()),
            (true, false) => Weights::Full(self.full),
            (false, true) => {
                self.small.shrink_to_fit();
                self.counts()
            }
            (false, false) => Weights::Counts {
                small: self.full.iter().map(|&weight| byte_of(weight)).collect(),
                apart: (0..)
                    .zip(&self.full)
                    .filter(|&(_, &weight)| byte_of(weight) == 0)
                    .map(|(place, &weight)| (place, weight))
                    .collect(),
            },
        };
        Some(found)
    }
}

/// Weights that come in another order than they will stand in.
pub(crate) struct PlacedWeights(Weights);

impl PlacedWeights {
    /// Room for so many, in the form of those that will come.
    pub(crate) fn like(given: &Weights, len: usize) -> PlacedWeights {
        PlacedWeights(match given {
            Weights::Counts { .. } => Weights::Counts {
                small: vec![1; len],
                apart: Vec::new(),
            },
            Weights::Full(_) => Weights::Full(vec![1.0; len]),
        })
    }

    #[inline]
    pub(crate) fn put(&mut self, place: usize, weight: f64) {
        match &mut self.0 {
            Weights::Counts { small, apart } => {
                small[place] = byte_of(weight);
                if small[place] == 0 {
                    apart.push((place, weight));
                }
            }
            Weights::Full(weights) => weights[place] = weight,
        }
    }

    pub(crate) fn finish(mut self) -> Weights {
        if let Weights::Counts { apart, .. } = &mut self.0 {
            apart.sort_unstable_by_key(|&(place, _)| place);
        }
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn weight() -> impl Strategy<Value = f64> {
        prop_oneof![
            20 => Just(1.0),
            5 => (1u32..300).prop_map(f64::from),
            1 => 0.001f64..1e12,
        ]
    }

    proptest! {
        #[test]
        fn weights_come_back_whatever_their_form(weights in proptest::collection::vec(weight(), 0..3000), shift in 0usize..3000) {
            let kept = Weights::of(weights.iter().copied());
            let Some(kept) = kept else {
                prop_assert!(weights.iter().all(|&weight| is_one(weight)));
                return Ok(());
            };
            prop_assert_eq!(&kept.iter().collect::<Vec<_>>(), &weights);
            // In another order and back.
            let place = |at: usize| (at + shift) % weights.len();
            let mut moved = PlacedWeights::like(&kept, weights.len());
            for (at, &weight) in weights.iter().enumerate() {
                moved.put(place(at), weight);
            }
            let moved = moved.finish();
            for (at, &weight) in weights.iter().enumerate() {
                prop_assert_eq!(moved.at(place(at)).to_bits(), weight.to_bits());
            }
            let mut back = PlacedWeights::like(&moved, weights.len());
            for at in 0..weights.len() {
                back.put(at, moved.at(place(at)));
            }
            prop_assert_eq!(back.finish(), kept);
        }
    }

    #[test]
    fn small_counts_take_a_byte_and_others_stand_apart() {
        let mut weights = vec![1.0; 1_000];
        (weights[3], weights[700], weights[999]) = (2.0, 70_000.0, 0.5);
        let kept = Weights::of(weights.clone()).expect("weights");
        assert!(matches!(&kept, Weights::Counts { apart, .. } if apart.len() == 2));
        assert_eq!(kept.iter().collect::<Vec<_>>(), weights);
        // Half of them odd: in full. The same with the odd ones first.
        for order in [0, 1] {
            let halves = (0..5_000).map(|at| if (at < 2_500) == (order == 0) { 0.25 } else { 1.0 });
            assert!(matches!(Weights::of(halves), Some(Weights::Full(_))));
        }
        // Odd ones at the beginning alone do not decide it.
        let begins_odd = (0..100_000).map(|at| if at < 3_000 { 0.25 } else { 1.0 });
        assert!(matches!(Weights::of(begins_odd), Some(Weights::Counts { .. })));
        assert_eq!(Weights::of([1.0; 7]), None);
        assert_eq!(Weights::of([]), None);
    }
}
