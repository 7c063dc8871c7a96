//! Codes that go on serving while pages are alike.
//!
//! Pages of one site use their letters alike, so most of them are written with the codes of an earlier one: no counting, no
//! making of codes, and a table for two letters at a time. A sample of each piece tells whether they still fit.

use super::bits::{BitWriter, PUT_BITS_MAX};
use super::codes::{Codes, Counts, END_OF_BLOCK, LengthCode};
use super::{MATCH_MAX, Sequence};

/// One run of letters in so many is looked at.
const SAMPLE_EVERY: usize = 1024;
const SAMPLE_BYTES: usize = 64;
/// So that counts fit their numbers.
const SAMPLES_MAX: usize = 512;
/// How much longer than the shortest possible the letters may become: for a piece, beside what it was at home, and at all.
const WORSE_MAX: f32 = 1.02;
const COST_MAX: f32 = 1.09;

pub(super) struct Kept {
    codes: Codes,
    /// What stands in front of a block: the code lengths, in runs of at most 32 bits.
    header: Vec<(u32, u8)>,
    /// For two letters, the first lowest: their bits, and from bit 24 on how many.
    pairs: Box<[u32; 1 << 16]>,
    lengths: [LengthCode; MATCH_MAX + 1],
    /// Bits of the letters of the piece that they were made for, beside the fewest possible.
    home_cost: f32,
}

impl Kept {
    /// `None` where the piece is so uneven that its codes would serve no other.
    pub(super) fn of(piece: &[u8], counts: &Counts) -> Option<Kept> {
        let codes = counts.for_all().codes();
        let mut bytes = Vec::new();
        let mut bits = BitWriter::default();
        bits.reserve(&mut bytes, 1024);
        codes.write_header(&mut bits, &mut bytes);
        let header = bits.into_runs(&bytes);
        let mut pairs: Box<[u32; 1 << 16]> = vec![0; 1 << 16]
            .into_boxed_slice()
            .try_into()
            .expect("it was made this long");
        for (index, pair) in pairs.iter_mut().enumerate() {
            let (first, second) = (codes.symbols[index & 0xff], codes.symbols[index >> 8]);
            *pair = (first.bits() | second.bits() << first.count()) as u32
                | (first.count() + second.count()) << 24;
        }
        let mut kept = Kept {
            lengths: codes.lengths(),
            codes,
            header,
            pairs,
            home_cost: f32::MAX,
        };
        kept.home_cost = kept.cost(piece);
        (kept.home_cost <= COST_MAX).then_some(kept)
    }

    /// Would a piece be about as well off with these codes as the one they were made for?
    pub(super) fn fits(&self, piece: &[u8]) -> bool {
        self.cost(piece) <= COST_MAX.min(self.home_cost * WORSE_MAX)
    }

    /// Bits that a sample of the letters takes with these codes, beside the fewest that any codes could do with.
    fn cost(&self, piece: &[u8]) -> f32 {
        let mut counts = [0u16; 256];
        let mut letters = 0f32;
        for run in piece.chunks(SAMPLE_EVERY).take(SAMPLES_MAX) {
            let run = &run[..run.len().min(SAMPLE_BYTES)];
            letters += run.len() as f32;
            for &letter in run {
                counts[usize::from(letter)] += 1;
            }
        }
        let (mut bits, mut fewest) = (0f32, letters * letters.log2());
        for (&count, code) in counts
            .iter()
            .zip(&self.codes.symbols)
            .filter(|(count, _)| **count > 0)
        {
            let count = f32::from(count);
            bits += count * code.count() as f32;
            fewest -= count * count.log2();
        }
        bits / fewest.max(1.0)
    }

    pub(super) fn write_block(
        &self,
        piece: &[u8],
        sequences: &[Sequence],
        is_last: bool,
        writer: &mut BitWriter,
        out: &mut [u8],
    ) {
        // By value, so that it stays in registers: every letter waits for the one before it.
        let mut bits = std::mem::take(writer);
        bits.put(out, u64::from(is_last), 1);
        for &(run, count) in &self.header {
            bits.put(out, u64::from(run), u32::from(count));
        }
        let pair = |two: u64| {
            let code = self.pairs[usize::from(two as u16)];
            (u64::from(code & 0x00ff_ffff), code >> 24)
        };
        let mut rest = piece;
        for sequence in sequences {
            let (letters, after) = rest.split_at(sequence.letters as usize);
            let (eights, some) = letters.as_chunks::<8>();
            for eight in eights {
                let word = u64::from_le_bytes(*eight);
                let (a, a_count) = pair(word);
                let (b, b_count) = pair(word >> 16);
                let (c, c_count) = pair(word >> 32);
                let (d, d_count) = pair(word >> 48);
                let (ab, ab_count) = (a | b << a_count, a_count + b_count);
                let (cd, cd_count) = (c | d << c_count, c_count + d_count);
                // Nearly always, and then one write does for eight letters.
                if ab_count + cd_count <= PUT_BITS_MAX {
                    bits.put(out, ab | cd << ab_count, ab_count + cd_count);
                } else {
                    bits.put(out, ab, ab_count);
                    bits.put(out, cd, cd_count);
                }
            }
            // What is left over has any length, which no branch could foretell: letters that are not there have no bits.
            let mut word = first_eight(&rest[letters.len() - some.len()..]);
            let mut left = some.len();
            if left >= 4 {
                let (a, a_count) = pair(word);
                let (b, b_count) = pair(word >> 16);
                bits.put(out, a | b << a_count, a_count + b_count);
                word >>= 32;
                left -= 4;
            }
            let (two, two_count) = if left >= 2 { pair(word) } else { (0, 0) };
            let last = self.codes.symbols[usize::from((word >> (8 * (left & 2))) as u8)];
            let (one, one_count) = if left % 2 == 1 {
                (last.bits(), last.count())
            } else {
                (0, 0)
            };
            bits.put(out, two | one << two_count, two_count + one_count);
            if sequence.length > 0 {
                let length = self.lengths[usize::from(sequence.length)];
                self.codes.put_match(&mut bits, out, length, sequence.distance);
            }
            rest = &after[usize::from(sequence.length)..];
        }
        let end = self.codes.symbols[END_OF_BLOCK];
        bits.put(out, end.bits(), end.count());
        *writer = bits;
    }
}

/// Eight bytes as a number; those behind the end count as nothing.
fn first_eight(bytes: &[u8]) -> u64 {
    if let Some(eight) = bytes.first_chunk() {
        return u64::from_le_bytes(*eight);
    }
    bytes
        .iter()
        .rev()
        .fold(0, |word, byte| word << 8 | u64::from(*byte))
}
