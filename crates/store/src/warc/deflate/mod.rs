//! DEFLATE (RFC 1951), as fast as it can be made without giving up the repeats that HTML is full of.
//!
//! Level 1 of a good library was the dearest part of a crawl; this takes about half the time (docs/decisions/0006). The
//! idea is LZ4's search with Huffman's coding: one candidate per position from a small table, ever larger steps through
//! text that does not repeat, and then one dynamic block per piece. Readers need nothing special: any inflater will do.

use bits::BitWriter;
use codes::{Codes, Counts, FIXED};
use kept::Kept;

mod bits;
mod codes;
mod kept;

/// Entries of the match table: 32 KiB, so that it stays in the first-level cache.
const TABLE_BITS: u32 = 14;
const WINDOW: usize = 32 * 1024;
/// One Huffman block at most covers this much.
const PIECE_BYTES: usize = 128 * 1024;
/// Shorter matches cost more time than they save space; they are what a search spends its time on. What is loaded at once.
const MATCH_MIN: usize = 8;
const MATCH_MAX: usize = 258;
/// Bytes behind a position that the search may read at once.
const LOOK_AHEAD: usize = 16;
/// Below this a piece gets codes of its own: its sample would say little.
const KEPT_ABOVE: usize = 4096;
/// Pieces in a row that the kept codes did not fit, until those of the last take their place.
const MISFITS_MAX: u32 = 3;
/// Below this a block with the standard's fixed codes is smaller and cheaper than one with its own.
const FIXED_BELOW: usize = 700;

/// Checksum and length behind the stream.
const MEMBER_END_BYTES: usize = 8;

/// Some letters as they are, then a repeat (none at the end of a piece: `length` 0).
#[derive(Clone, Copy)]
struct Sequence {
    letters: u32,
    length: u16,
    distance: u16,
}

/// The encoder; it keeps its working memory between calls.
pub(super) struct Deflate {
    /// Position + `base` of the last occurrence of a hash, of which only the lowest bits are kept: half the memory, and
    /// what is there is compared anyway. So places of earlier calls, or too far back, do no harm.
    table: Vec<u16>,
    base: u32,
    sequences: Vec<Sequence>,
    /// Codes of an earlier piece, and how many pieces in a row they did not fit.
    kept: Option<Kept>,
    misfits: u32,
    bits: BitWriter,
    /// What is being written; only its true length goes out, so that nobody holds more than the stream.
    scratch: Vec<u8>,
}

impl Default for Deflate {
    fn default() -> Self {
        Deflate {
            table: vec![0; 1 << TABLE_BITS],
            base: 1,
            sequences: Vec::new(),
            kept: None,
            misfits: 0,
            bits: BitWriter::default(),
            scratch: Vec::new(),
        }
    }
}

impl Deflate {
    /// Appends `parts`, one after the other, to `out` as one finished DEFLATE stream. Repeats are found within a part.
    pub(super) fn append(&mut self, parts: &[&[u8]], out: &mut Vec<u8>) {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.bits = BitWriter::default();
        for (index, part) in parts.iter().enumerate() {
            self.part(part, index + 1 == parts.len(), &mut scratch);
        }
        // Exactly, and with room for what a member ends with: records wait in memory, and growing would double them.
        out.reserve_exact(self.bits.bytes() + MEMBER_END_BYTES);
        out.extend_from_slice(&scratch[..self.bits.bytes()]);
        self.scratch = scratch;
    }

    /// Appends a piece of a longer stream, which ends at a whole byte so that anything may follow, but is not the last.
    pub(super) fn append_piece(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.bits = BitWriter::default();
        self.part(piece, false, &mut scratch);
        // An empty stored block: its head fills up the byte.
        self.bits.reserve(&mut scratch, 8);
        self.bits.put(&mut scratch, 0, 3);
        out.extend_from_slice(&scratch[..self.bits.bytes()]);
        out.extend_from_slice(&[0, 0, 0xff, 0xff]);
        self.scratch = scratch;
    }

    fn part(&mut self, input: &[u8], is_last_part: bool, out: &mut Vec<u8>) {
        let mut at = 0;
        loop {
            let end = input.len().min(at + PIECE_BYTES);
            // A piece sees the window before it; positions count from there, so that they stay small.
            let from = at.saturating_sub(WINDOW);
            self.search(&input[from..end], at - from);
            let piece = &input[at..end];
            let is_last = is_last_part && end == input.len();
            self.bits.reserve(out, piece.len() * 2 + 1024);
            if piece.len() < FIXED_BELOW {
                self.write_block(piece, is_last, out, &FIXED);
            } else if !self.write_as_before(piece, is_last, out) {
                let counts = Counts::of(piece, &self.sequences);
                if self.misfits >= MISFITS_MAX {
                    self.kept = Kept::of(piece, &counts).or(self.kept.take());
                    self.misfits = 0;
                }
                self.write_block(piece, is_last, out, &counts.codes());
            }
            at = end;
            if at == input.len() {
                self.base = self.base.wrapping_add((end - from) as u32);
                break;
            }
            // The same byte keeps its number, though the next piece counts from further on.
            self.base = self.base.wrapping_add((at.saturating_sub(WINDOW) - from) as u32);
        }
    }

    /// Finds the repeats of `input[start..]`; they may reach back before `start`.
    fn search(&mut self, input: &[u8], start: usize) {
        self.sequences.clear();
        let end = input.len();
        let (mut at, mut letters_from, mut misses) = (start, start, 0usize);
        let limit = end.saturating_sub(LOOK_AHEAD);
        let base = self.base;
        let table: &mut [u16; 1 << TABLE_BITS] = self
            .table
            .as_mut_slice()
            .try_into()
            .expect("the table has this size from the start");
        while at < limit {
            let here = load(input, at);
            let now = base.wrapping_add(at as u32) as u16;
            let distance = usize::from(now.wrapping_sub(std::mem::replace(&mut table[hash(here)], now)));
            // One branch for all that can be wrong with a candidate: each by itself could not be foretold.
            let is_near = distance.wrapping_sub(1) < at.min(WINDOW);
            let candidate = at - if is_near { distance } else { 0 };
            if (load(input, candidate) ^ here) | u64::from(!is_near) != 0 {
                misses += 1;
                at += 1 + (misses >> 1);
                continue;
            }
            let length = MATCH_MIN + common(&input[candidate + 8..], &input[at + 8..end.min(at + MATCH_MAX)]);
            // Steps were taken past its true beginning, perhaps.
            let back = before(input, candidate, at)
                .min(at - letters_from)
                .min(MATCH_MAX - length);
            self.sequences.push(Sequence {
                letters: (at - back - letters_from) as u32,
                length: (back + length) as u16,
                distance: (distance - 1) as u16,
            });
            at += length;
            // What ends a repeat often begins the next.
            if at < limit {
                let tail = at - 4;
                table[hash(load(input, tail))] = base.wrapping_add(tail as u32) as u16;
            }
            letters_from = at;
            misses = 0;
        }
        self.sequences.push(Sequence {
            letters: (end - letters_from) as u32,
            length: 0,
            distance: 0,
        });
    }

    /// Writes a block with the codes kept from an earlier piece, if they fit.
    fn write_as_before(&mut self, piece: &[u8], is_last: bool, out: &mut [u8]) -> bool {
        if piece.len() < KEPT_ABOVE {
            return false;
        }
        match &self.kept {
            Some(kept) if kept.fits(piece) => {
                kept.write_block(piece, &self.sequences, is_last, &mut self.bits, out);
                self.misfits = 0;
                true
            }
            _ => {
                self.misfits += 1;
                false
            }
        }
    }

    fn write_block(&mut self, piece: &[u8], is_last: bool, out: &mut [u8], codes: &Codes) {
        let bits = &mut self.bits;
        bits.put(out, u64::from(is_last), 1);
        codes.write_header(bits, out);
        let mut rest = piece;
        for sequence in &self.sequences {
            let (letters, after) = rest.split_at(sequence.letters as usize);
            let mut fours = letters.chunks_exact(4);
            for four in &mut fours {
                let [a, b, c, d] =
                    [four[0], four[1], four[2], four[3]].map(|l| codes.symbols[usize::from(l)]);
                let ab = a.bits() | b.bits() << a.count();
                let cd = c.bits() | d.bits() << c.count();
                bits.put(
                    out,
                    ab | cd << (a.count() + b.count()),
                    a.count() + b.count() + c.count() + d.count(),
                );
            }
            for &letter in fours.remainder() {
                let code = codes.symbols[usize::from(letter)];
                bits.put(out, code.bits(), code.count());
            }
            if sequence.length > 0 {
                let length = codes.length(usize::from(sequence.length));
                codes.put_match(bits, out, length, sequence.distance);
            }
            rest = &after[usize::from(sequence.length)..];
        }
        let end = codes.symbols[codes::END_OF_BLOCK];
        bits.put(out, end.bits(), end.count());
    }
}

fn load(input: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(input[at..at + 8].try_into().expect("eight bytes were cut out"))
}

/// Of [`MATCH_MIN`] bytes.
fn hash(bytes: u64) -> usize {
    (bytes.wrapping_mul(0x9e37_79b1_85eb_ca87) >> (64 - TABLE_BITS)) as usize
}

/// How many bytes are the same in front of two places, the first of them further back; up to eight are looked at.
fn before(input: &[u8], first: usize, second: usize) -> usize {
    if first < 8 {
        return (0..first)
            .take_while(|n| input[first - n - 1] == input[second - n - 1])
            .count();
    }
    ((load(input, first - 8) ^ load(input, second - 8)).leading_zeros() / 8) as usize
}

/// How many bytes two slices share at their beginning.
fn common(a: &[u8], b: &[u8]) -> usize {
    let mut count = 0;
    for (x, y) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        let difference = load(x, 0) ^ load(y, 0);
        if difference != 0 {
            return count + (difference.trailing_zeros() / 8) as usize;
        }
        count += 8;
    }
    count
        + a[count..]
            .iter()
            .zip(&b[count..])
            .take_while(|(x, y)| x == y)
            .count()
}

#[cfg(test)]
mod tests {
    use super::codes::{CODE_BITS_MAX, SYMBOLS, code_lengths};
    use super::*;
    use std::io::Read;

    fn there_and_back(deflate: &mut Deflate, input: &[u8]) -> usize {
        let mut packed = b"before".to_vec();
        let (first, second) = input.split_at(input.len() / 3);
        deflate.append(&[first, second, b""], &mut packed);
        assert_eq!(&packed[..6], b"before");
        let mut unpacked = Vec::new();
        let mut reader = flate2::bufread::DeflateDecoder::new(&packed[6..]);
        reader.read_to_end(&mut unpacked).unwrap();
        assert_eq!(
            reader.total_in() as usize,
            packed.len() - 6,
            "nothing follows the stream"
        );
        assert_eq!(unpacked.len(), input.len());
        assert!(unpacked == input, "came back otherwise");
        packed.len() - 6
    }

    /// Bytes of several characters: noise, few letters, repeats near and far.
    fn sample(seed: u64, len: usize) -> Vec<u8> {
        use gleaner_model::Chance as _;
        let chance = gleaner_model::chance::SplitMix::seeded(seed);
        let mut out: Vec<u8> = Vec::new();
        while out.len() < len {
            let n = (chance.next() % 600) as usize + 1;
            match chance.next() % 5 {
                0 => out.extend((0..n).map(|_| chance.next() as u8)),
                1 => out.extend((0..n).map(|_| b'a' + (chance.next() % 7) as u8)),
                2 => out.extend(std::iter::repeat_n(chance.next() as u8, n)),
                3 => {
                    let back = (chance.next() as usize % 70_000).min(out.len());
                    let from = out.len() - back;
                    let again: Vec<u8> = out[from..].iter().copied().take(n).collect();
                    out.extend(again);
                }
                _ => out.extend_from_slice(b"<a href=\"/path/to/page.html\">words</a>"),
            }
        }
        out.truncate(len);
        out
    }

    #[test]
    fn every_length_and_character_comes_back() {
        let mut deflate = Deflate::default();
        for len in (0..700).chain([
            1_000,
            4_095,
            32_768,
            32_769,
            PIECE_BYTES - 1,
            PIECE_BYTES,
            PIECE_BYTES + 1,
            400_000,
        ]) {
            there_and_back(&mut deflate, &sample(len as u64, len));
        }
        for byte in [0u8, b'x', 255] {
            there_and_back(&mut deflate, &vec![byte; 300_000]);
        }
        let every: Vec<u8> = (0..=255).cycle().take(100_000).collect();
        there_and_back(&mut deflate, &every);
    }

    #[test]
    fn skewed_counts_stay_within_the_code_limit() {
        // Fibonacci counts make the deepest Huffman tree there is.
        let mut input = Vec::new();
        let (mut a, mut b) = (1usize, 1usize);
        for letter in 0..24u8 {
            input.extend(std::iter::repeat_n(letter.wrapping_mul(37), a));
            (a, b) = (b, a + b);
        }
        there_and_back(&mut Deflate::default(), &input);
        let counts: [u32; SYMBOLS + 2] = std::array::from_fn(|n| if n < 40 { 1 << n.min(30) } else { 0 });
        let lengths = code_lengths(&counts, CODE_BITS_MAX);
        let kraft: f64 = lengths
            .iter()
            .filter(|l| **l > 0)
            .map(|l| 0.5f64.powi(i32::from(*l)))
            .sum();
        assert!(kraft <= 1.0 && lengths.iter().all(|l| u32::from(*l) <= CODE_BITS_MAX));
    }

    #[test]
    fn markup_is_made_small() {
        let page: Vec<String> = (0..800)
            .map(|n| format!("<li class=\"entry\"><a href=\"/docs/{n}.html\">Entry {n}</a></li>"))
            .collect();
        let page = page.join("\n");
        let packed = there_and_back(&mut Deflate::default(), page.as_bytes());
        assert!(packed * 4 < page.len(), "{packed} of {}", page.len());
    }

    #[test]
    fn positions_wrap_round_without_harm() {
        let mut deflate = Deflate {
            base: u32::MAX - 100_000,
            ..Deflate::default()
        };
        for seed in 0..6 {
            there_and_back(&mut deflate, &sample(seed, 50_000));
        }
    }
}
