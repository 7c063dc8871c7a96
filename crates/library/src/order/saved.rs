//! What was learned about links, as bytes: weights that moved, arms, totals. What waits is not kept; its rows are in the frontier.

use super::arms::OrderArm;
use super::learner::LinkOrder;
use super::weights::{FEATURES, NUMBERS};

const VERSION: u32 = 1;
const MARK: &[u8; 8] = b"gl-order";
/// Arms that are kept: those with the most fetches.
const ARMS_KEPT: usize = 20_000;

/// Why bytes are not what was learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SavedOrderError {
    #[error("what was learned about links is of another version: {0}")]
    Version(u32),
    #[error("what was learned about links is damaged")]
    Damaged,
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], SavedOrderError> {
        let (first, rest) = self.0.split_first_chunk::<N>().ok_or(SavedOrderError::Damaged)?;
        self.0 = rest;
        Ok(*first)
    }

    fn number(&mut self) -> Result<u32, SavedOrderError> {
        self.take().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Result<u64, SavedOrderError> {
        self.take().map(u64::from_le_bytes)
    }

    fn value(&mut self) -> Result<f32, SavedOrderError> {
        let value = f32::from_le_bytes(self.take()?);
        if value.is_finite() {
            Ok(value)
        } else {
            Err(SavedOrderError::Damaged)
        }
    }
}

impl LinkOrder {
    pub fn save(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(MARK);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&self.fetched.to_le_bytes());
        let weights = &self.weights;
        let numbers = weights.numbers.iter().chain(&weights.number_steps);
        let few = [weights.bias, weights.bias_steps, self.total.good, self.total.all];
        for value in numbers.chain(&few) {
            out.extend_from_slice(&value.to_le_bytes());
        }
        let moved: Vec<usize> = (0..FEATURES).filter(|at| weights.steps[*at] > 1.0).collect();
        out.extend_from_slice(&(moved.len() as u32).to_le_bytes());
        for at in moved {
            out.extend_from_slice(&(at as u32).to_le_bytes());
            out.extend_from_slice(&weights.features[at].to_le_bytes());
            out.extend_from_slice(&weights.steps[at].to_le_bytes());
        }
        let mut arms = self.arms.all();
        arms.sort_by(|one, other| other.1.all.total_cmp(&one.1.all).then(one.0.cmp(&other.0)));
        arms.truncate(ARMS_KEPT);
        out.extend_from_slice(&(arms.len() as u32).to_le_bytes());
        for (key, arm) in arms {
            out.extend_from_slice(&key.to_le_bytes());
            out.extend_from_slice(&arm.good.to_le_bytes());
            out.extend_from_slice(&arm.all.to_le_bytes());
            out.extend_from_slice(&arm.at.to_le_bytes());
        }
        out
    }

    pub fn read(bytes: &[u8]) -> Result<LinkOrder, SavedOrderError> {
        let mut bytes = Bytes(bytes);
        if &bytes.take::<8>()? != MARK {
            return Err(SavedOrderError::Damaged);
        }
        let version = bytes.number()?;
        if version != VERSION {
            return Err(SavedOrderError::Version(version));
        }
        let mut order = LinkOrder::default();
        order.fetched = bytes.long()?;
        for at in 0..NUMBERS {
            order.weights.numbers[at] = bytes.value()?;
        }
        for at in 0..NUMBERS {
            order.weights.number_steps[at] = bytes.value()?;
        }
        order.weights.bias = bytes.value()?;
        order.weights.bias_steps = bytes.value()?;
        order.total = OrderArm {
            good: bytes.value()?,
            all: bytes.value()?,
            at: order.fetched,
        };
        for _ in 0..bytes.number()? {
            let at = bytes.number()? as usize;
            let (weight, steps) = (bytes.value()?, bytes.value()?);
            if at >= FEATURES || steps < 1.0 {
                return Err(SavedOrderError::Damaged);
            }
            order.weights.features[at] = weight;
            order.weights.steps[at] = steps;
        }
        for _ in 0..bytes.number()? {
            let key = bytes.long()?;
            let arm = OrderArm {
                good: bytes.value()?,
                all: bytes.value()?,
                at: bytes.long()?,
            };
            order.arms.put(key, arm);
        }
        if bytes.0.is_empty() {
            Ok(order)
        } else {
            Err(SavedOrderError::Damaged)
        }
    }
}
