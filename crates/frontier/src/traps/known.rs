//! Which runs did pages of this kind say already?
//!
//! A small filter per kind. It forgets everything when it is a quarter full: a kind that fills it has much to say, and
//! the one page too many that then seems fresh costs nothing.

const BITS: usize = 8192;
const BITS_SET_MAX: u32 = BITS as u32 / 4;

#[derive(Debug, Default)]
pub(super) struct Known {
    bits: Option<Box<[u64; BITS / 64]>>,
    set: u32,
}

impl Known {
    /// Learns these runs and says how many were new.
    pub(super) fn learn(&mut self, runs: &[u32]) -> usize {
        if runs.is_empty() {
            return 0;
        }
        if self.set >= BITS_SET_MAX {
            *self = Known::default();
        }
        let bits = self.bits.get_or_insert_with(|| Box::new([0; BITS / 64]));
        let mut new = 0;
        for run in runs {
            let bit = (run.wrapping_mul(0x9E37_79B1) >> 19) as usize % BITS;
            let word = &mut bits[bit / 64];
            new += usize::from(*word & (1 << (bit % 64)) == 0);
            *word |= 1 << (bit % 64);
        }
        self.set += new as u32;
        new
    }
}
