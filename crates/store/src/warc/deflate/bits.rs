//! A stream of bits.

/// What one write takes at most: beside these, up to seven bits wait for their byte to be full.
pub(super) const PUT_BITS_MAX: u32 = 56;

/// Writes bits, lowest first, into memory that was made long enough before.
#[derive(Default)]
pub(super) struct BitWriter {
    buffer: u64,
    count: u32,
    at: usize,
}

impl BitWriter {
    /// Makes room; what is there is written over.
    pub(super) fn reserve(&self, out: &mut Vec<u8>, bytes: usize) {
        let needed = self.at + bytes + 16;
        if out.len() < needed {
            out.resize(needed, 0);
        }
    }

    /// At most [`PUT_BITS_MAX`] at once.
    pub(super) fn put(&mut self, out: &mut [u8], bits: u64, count: u32) {
        self.buffer |= bits << self.count;
        self.count += count;
        out[self.at..self.at + 8].copy_from_slice(&self.buffer.to_le_bytes());
        let bytes = self.count / 8;
        self.at += bytes as usize;
        self.buffer >>= bytes * 8;
        self.count %= 8;
    }

    /// How long the stream is, the last byte filled up.
    pub(super) fn bytes(&self) -> usize {
        self.at + usize::from(self.count > 0)
    }

    /// What was written so far, in runs that can be written again at any bit.
    pub(super) fn into_runs(self, written: &[u8]) -> Vec<(u32, u8)> {
        let mut runs: Vec<(u32, u8)> = written[..self.at]
            .iter()
            .map(|byte| (u32::from(*byte), 8))
            .collect();
        runs.push((self.buffer as u32, self.count as u8));
        runs
    }
}
