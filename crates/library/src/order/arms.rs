//! What addresses of one kind gave: counts that forget, and draws from what is believed of them.

use super::remembered::Remembered;

const ARMS_MAX: usize = 50_000;
/// After so many fetches a fetch counts half.
const HALF_LIFE: f32 = 500.0;

/// A kind of address: what it gave, and how often it was asked.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct OrderArm {
    pub(super) good: f32,
    pub(super) all: f32,
    /// The number of the fetch that was counted last.
    pub(super) at: u64,
}

impl OrderArm {
    /// As it counts now.
    pub(super) fn now(self, at: u64) -> OrderArm {
        let kept = 0.5f32.powf((at - self.at.min(at)) as f32 / HALF_LIFE);
        OrderArm {
            good: self.good * kept,
            all: self.all * kept,
            at,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Arms {
    arms: Remembered<OrderArm>,
}

impl Default for Arms {
    fn default() -> Arms {
        Arms {
            arms: Remembered::new(ARMS_MAX),
        }
    }
}

impl Arms {
    pub(super) fn of(&self, key: u64, at: u64) -> OrderArm {
        self.arms.get(key).map_or(OrderArm::default(), |arm| arm.now(at))
    }

    pub(super) fn fetched(&mut self, key: u64, worth: f32, at: u64) {
        let mut arm = self.of(key, at);
        arm.good += worth;
        arm.all += 1.0;
        match self.arms.meet(key) {
            Some(old) => *old = arm,
            None => self.arms.put(key, arm),
        }
    }

    /// A fetch that was counted was worth more than was known then.
    pub(super) fn raised(&mut self, key: u64, more: f32) {
        if let Some(arm) = self.arms.meet(key) {
            arm.good = (arm.good + more).min(arm.all).max(0.0);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.arms.len()
    }

    pub(super) fn all(&self) -> Vec<(u64, &OrderArm)> {
        self.arms.all()
    }

    pub(super) fn put(&mut self, key: u64, arm: OrderArm) {
        self.arms.put(key, arm);
    }
}

/// How much better a rate is than usual: the difference of the logarithms of the odds. So many fetches of usual worth are believed
/// beforehand.
pub(super) fn better(arm: OrderArm, usual: f32, beforehand: f32) -> f32 {
    let rate = (arm.good + beforehand * usual) / (arm.all + beforehand);
    odds(rate) - odds(usual)
}

/// The same for a rate that is drawn from what may be believed of it; `normal` is a number of the normal distribution.
pub(super) fn better_drawn(arm: OrderArm, usual: f32, beforehand: f32, normal: f32) -> f32 {
    let all = arm.all + beforehand;
    let rate = (arm.good + beforehand * usual) / all;
    // On the scale of odds a Beta distribution is nearly normal, with this spread.
    let spread = (1.0 / (all * rate * (1.0 - rate)).max(0.2)).sqrt();
    odds(rate) + normal * spread - odds(usual)
}

pub(super) fn odds(likely: f32) -> f32 {
    let likely = likely.clamp(1e-4, 1.0 - 1e-4);
    (likely / (1.0 - likely)).ln()
}

/// A number of the normal distribution from a random one (the sum of twelve evenly distributed parts, less six).
pub(super) fn normal(chance: u64) -> f32 {
    let mut state = chance;
    let mut sum = 0.0;
    for _ in 0..3 {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        for part in 0..4 {
            sum += ((mixed >> (16 * part)) & 0xffff) as f32 / 65_536.0;
        }
    }
    sum - 6.0
}
