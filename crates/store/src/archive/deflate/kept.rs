//! Codes that go on serving while pages are alike.
//!
//! Pages of one site use their letters alike, so most of them are written with the codes of an earlier one: no counting, no
//! making of codes, and a table for two letters at a time. A sample of each piece tells whether they still fit.

use super::Sequence;
use super::bits::BitWriter;
use super::codes::{Codes, Counts, END_OF_BLOCK};

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
            codes,
            header,
            pairs,
            home_cost: f32::MAX,
        };
        kept.home_cost = kept.cost(piece);
        (kept.home_cost <= COST_MAX).then_some(kept)
    }

    /// Would a piece be about as well off with these codes as the one they were made for?
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
        bits: &mut BitWriter,
        out: &mut [u8],
    ) {
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
                bits.put(out, a | b << a_count, a_count + b_count);
                let (c, c_count) = pair(word >> 32);
                let (d, d_count) = pair(word >> 48);
                bits.put(out, c | d << c_count, c_count + d_count);
            }
            for &letter in some {
                let code = self.codes.symbols[usize::from(letter)];
                bits.put(out, code.bits(), code.count());
            }
            if sequence.length > 0 {
                self.codes.put_match(bits, out, *sequence);
            }
            rest = &after[usize::from(sequence.length)..];
        }
        let end = self.codes.symbols[END_OF_BLOCK];
        bits.put(out, end.bits(), end.count());
    }
}
