//! A logistic regression on hashed features that learns by each example, with steps that shrink where they were large (`AdaGrad`,
//! Duchi et al. 2011).

/// Features have so many different numbers.
pub(super) const FEATURES: usize = 1 << 18;
/// Numbers that are known of a link besides its features, in this order.
pub(super) const NUMBERS: usize = 8;
const STEP: f32 = 0.1;

/// What the numbers are, and what they count before anything was learned.
pub(super) const BEFORE: [f32; NUMBERS] = [
    1.0, // what anchor and address promise
    0.5, // the other links of its pages
    0.3, // those in the same part of its page
    0.3, // its arm: site and shape of the address
    0.3, // its wide arm: site and first folder
    0.6, // those that stand so to pages of such worth
    0.2, // how many pages link there
    0.2, // how near it is to a seed
];
/// The numbers stand for much evidence, and move slowly.
const SURE_BEFORE: f32 = 5.0;

#[derive(Debug, Clone)]
pub(super) struct Weights {
    pub(super) features: Vec<f32>,
    /// Sums of squared slopes.
    pub(super) steps: Vec<f32>,
    pub(super) numbers: [f32; NUMBERS],
    pub(super) number_steps: [f32; NUMBERS],
    pub(super) bias: f32,
    pub(super) bias_steps: f32,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights {
            features: vec![0.0; FEATURES],
            steps: vec![1.0; FEATURES],
            numbers: BEFORE,
            number_steps: [SURE_BEFORE; NUMBERS],
            bias: 0.0,
            bias_steps: 1.0,
        }
    }
}

impl Weights {
    pub(super) fn odds(&self, features: &[u32], numbers: &[f32; NUMBERS]) -> f32 {
        let words: f32 = features.iter().map(|at| self.features[*at as usize]).sum();
        let numbers: f32 = numbers
            .iter()
            .zip(self.numbers)
            .map(|(number, weight)| number * weight)
            .sum();
        self.bias + words + numbers
    }

    /// One step towards `target`, 0 to 1; `weight` is how much the example counts.
    pub(super) fn learn(&mut self, features: &[u32], numbers: &[f32; NUMBERS], target: f32, weight: f32) {
        let likely = crate::topic::logistic(self.odds(features, numbers));
        let slope = (likely - target) * weight;
        for at in features {
            let (value, sum) = (&mut self.features[*at as usize], &mut self.steps[*at as usize]);
            *sum += slope * slope;
            *value -= STEP * slope / sum.sqrt();
        }
        self.bias_steps += slope * slope;
        self.bias -= STEP * slope / self.bias_steps.sqrt();
        let all = self.numbers.iter_mut().zip(&mut self.number_steps).zip(numbers);
        for ((value, sum), number) in all {
            let slope = slope * number;
            *sum += slope * slope;
            // Evidence may prove worthless; it never speaks against what it stands for.
            *value = (*value - STEP * slope / sum.sqrt()).max(0.0);
        }
    }
}
