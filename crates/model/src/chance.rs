//! Randomness comes in through this door: jitter of back-off, probe paths.

use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

pub trait Chance: Send + Sync {
    /// Any 64 bits.
    fn next(&self) -> u64;

    /// A number in `0.0..1.0`.
    fn share(&self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// `SplitMix64`: enough for jitter, not for secrets. Seeded by the operating system, or by a test.
#[derive(Debug)]
pub struct SplitMix(AtomicU64);

impl SplitMix {
    pub fn seeded(seed: u64) -> Self {
        SplitMix(AtomicU64::new(seed))
    }

    /// Seeded from the randomness that the standard library takes for its hash maps.
    pub fn from_system() -> Self {
        SplitMix::seeded(
            std::collections::hash_map::RandomState::new()
                .build_hasher()
                .finish(),
        )
    }
}

impl Chance for SplitMix {
    fn next(&self) -> u64 {
        let mut z = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
