//! How many URLs does a run leave out? Each counts once, however many pages link to it.
//!
//! A site may have any number of them, so they are counted by a sample that stays small: of all URLs those whose hash ends in
//! `level` zero bits are remembered, and each stands for 2^level. While there are few, that is an exact count.

use gleaner_model::{Reason, UrlKey};
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Hashes that are remembered; above, half of them go. The error is then about 1 in 250.
const REMEMBERED_MAX: usize = 1 << 16;

/// What was left out so far, for all threads of a run.
#[derive(Default)]
pub struct LeftOut(Mutex<Sample>);

#[derive(Default)]
struct Sample {
    seen: HashSet<u64>,
    level: u32,
}

impl LeftOut {
    /// How much this URL adds to the number of those left out for this reason: nothing if it was met before.
    pub fn adds(&self, reason: Reason, key: UrlKey) -> u64 {
        let mut sample = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sample.add(hash(reason, key))
    }
}

impl Sample {
    fn add(&mut self, hash: u64) -> u64 {
        let is_sampled = |hash: u64, level: u32| hash.trailing_zeros() >= level;
        if !is_sampled(hash, self.level) || !self.seen.insert(hash) {
            return 0;
        }
        let adds = 1 << self.level;
        while self.seen.len() > REMEMBERED_MAX {
            self.level += 1;
            let level = self.level;
            self.seen.retain(|hash| is_sampled(*hash, level));
        }
        adds
    }
}

/// Keys are digests, so their bits are as good as random.
fn hash(reason: Reason, key: UrlKey) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&key.0[..8]);
    u64::from_le_bytes(bytes) ^ (reason as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_model::Url;

    fn count(urls: u64) -> u64 {
        let left = LeftOut::default();
        let mut sum = 0;
        for number in (0..urls).chain(0..urls) {
            let url = Url::parse(&format!("http://a.test/{number}.png")).expect("a URL");
            sum += left.adds(Reason::UnwantedType, url.key());
        }
        sum
    }

    #[test]
    fn a_url_counts_once() {
        assert_eq!(count(0), 0);
        assert_eq!(count(5_000), 5_000);
    }

    #[test]
    fn very_many_are_counted_nearly() {
        let found = count(300_000) as f64;
        assert!((found / 300_000.0 - 1.0).abs() < 0.03, "{found}");
    }

    #[test]
    fn reasons_are_counted_apart() {
        let left = LeftOut::default();
        let key = Url::parse("http://a.test/x").expect("a URL").key();
        assert_eq!(left.adds(Reason::UnwantedType, key), 1);
        assert_eq!(left.adds(Reason::UrlTooLong, key), 1);
        assert_eq!(left.adds(Reason::UrlTooLong, key), 0);
    }
}
