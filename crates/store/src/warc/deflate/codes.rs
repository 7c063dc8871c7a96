//! Huffman's codes for one block (RFC 1951 3.2.7): counted, made, and written in front of it.

use super::bits::BitWriter;
use super::{MATCH_MAX, Sequence};
use std::sync::LazyLock;

/// Code lengths: four letters then always fit into one write of the bit buffer.
pub(super) const CODE_BITS_MAX: u32 = 12;
pub(super) const END_OF_BLOCK: usize = 256;
pub(super) const SYMBOLS: usize = 286;
const DISTANCES: usize = 30;
/// The order in which the lengths of the code for code lengths are written (RFC 1951 3.2.7).
const CODE_LENGTH_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// A code: its bits (first to be written lowest) and how many.
#[derive(Clone, Copy, Default)]
pub(super) struct Code(u32);

impl Code {
    pub(super) fn bits(self) -> u64 {
        u64::from(self.0 & 0xffff)
    }

    pub(super) fn count(self) -> u32 {
        self.0 >> 16
    }
}

/// The code of a length with its extra bits.
#[derive(Clone, Copy)]
pub(super) struct LengthCode {
    bits: u32,
    count: u32,
}

const LENGTH_EXTRA: [u8; 29] = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
];

/// Symbol, number of extra bits and these for each length 0..=258.
static RANGES: [(u16, u8, u16); MATCH_MAX + 1] = ranges();

const fn ranges() -> [(u16, u8, u16); MATCH_MAX + 1] {
    let mut ranges = [(0, 0, 0); MATCH_MAX + 1];
    let (mut length, mut index) = (3, 0);
    while index < LENGTH_EXTRA.len() {
        let mut offset = 0u16;
        while offset < 1 << LENGTH_EXTRA[index] {
            // 258 has a code of its own, though the one before could spell it.
            if length <= MATCH_MAX && (length < MATCH_MAX || index == LENGTH_EXTRA.len() - 1) {
                ranges[length] = (257 + index as u16, LENGTH_EXTRA[index], offset);
                length += 1;
            }
            offset += 1;
        }
        index += 1;
    }
    ranges
}

/// Symbol, number of extra bits and these: there are two symbols for each power of two.
fn distance_symbol(distance_less_one: u16) -> (usize, u32, u64) {
    let distance = u32::from(distance_less_one);
    if distance < 4 {
        return (distance as usize, 0, 0);
    }
    let extra_count = distance.ilog2() - 1;
    let symbol = 2 * extra_count + (distance >> extra_count);
    let extra = distance & ((1 << extra_count) - 1);
    (symbol as usize, extra_count, u64::from(extra))
}

/// The codes of one block.
pub(super) struct Codes {
    pub(super) symbols: [Code; SYMBOLS + 2],
    distances: [Code; DISTANCES],
    is_fixed: bool,
}

pub(super) static FIXED: LazyLock<Codes> = LazyLock::new(|| {
    let mut lengths = [8u8; SYMBOLS + 2];
    lengths[144..256].fill(9);
    lengths[256..280].fill(7);
    Codes {
        symbols: canonical(&lengths),
        distances: canonical(&[5; DISTANCES]),
        is_fixed: true,
    }
});

/// How often a block needs each symbol.
pub(super) struct Counts {
    symbols: [u32; SYMBOLS + 2],
    distances: [u32; DISTANCES],
}

impl Counts {
    pub(super) fn of(piece: &[u8], sequences: &[Sequence]) -> Counts {
        let mut letters = [[0u32; 256]; 4];
        let mut symbols = [0u32; SYMBOLS + 2];
        let mut distances = [0u32; DISTANCES];
        let mut rest = piece;
        for sequence in sequences {
            let (run, after) = rest.split_at(sequence.letters as usize);
            // Four counters, so that equal letters in a row do not wait for one another.
            let mut fours = run.chunks_exact(4);
            for four in &mut fours {
                for (counter, &letter) in letters.iter_mut().zip(four) {
                    counter[usize::from(letter)] += 1;
                }
            }
            for &letter in fours.remainder() {
                letters[0][usize::from(letter)] += 1;
            }
            if sequence.length > 0 {
                symbols[usize::from(RANGES[usize::from(sequence.length)].0)] += 1;
                distances[distance_symbol(sequence.distance).0] += 1;
            }
            rest = &after[usize::from(sequence.length)..];
        }
        for (letter, count) in symbols[..256].iter_mut().enumerate() {
            *count = letters.iter().map(|counter| counter[letter]).sum();
        }
        symbols[END_OF_BLOCK] = 1;
        Counts { symbols, distances }
    }

    /// The same with every symbol counted at least a little, so that other pieces can be written with its codes.
    pub(super) fn for_all(&self) -> Counts {
        let mut symbols = self.symbols.map(|count| count * 8 + 1);
        symbols[SYMBOLS..].fill(0); // They stand for nothing.
        Counts {
            symbols,
            distances: self.distances.map(|count| count * 8 + 1),
        }
    }

    pub(super) fn codes(&self) -> Codes {
        Codes {
            symbols: canonical(&code_lengths::<{ SYMBOLS + 2 }>(&self.symbols, CODE_BITS_MAX)),
            distances: canonical(&code_lengths::<DISTANCES>(&self.distances, CODE_BITS_MAX)),
            is_fixed: false,
        }
    }
}

impl Codes {
    /// The codes of all lengths, their extra bits included.
    pub(super) fn lengths(&self) -> [LengthCode; MATCH_MAX + 1] {
        std::array::from_fn(|length| self.length(length))
    }

    pub(super) fn length(&self, length: usize) -> LengthCode {
        let (symbol, extra_count, extra) = RANGES[length];
        let code = self.symbols[usize::from(symbol)];
        LengthCode {
            bits: code.bits() as u32 | u32::from(extra) << code.count(),
            count: code.count() + u32::from(extra_count),
        }
    }

    #[inline]
    pub(super) fn put_match(
        &self,
        bits: &mut BitWriter,
        out: &mut [u8],
        length: LengthCode,
        distance_less_one: u16,
    ) {
        let (symbol, extra_count, extra) = distance_symbol(distance_less_one);
        let distance = self.distances[symbol];
        // At most 12 + 5 + 12 + 13 bits: one write.
        bits.put(
            out,
            u64::from(length.bits) | (distance.bits() | extra << distance.count()) << length.count,
            length.count + distance.count() + extra_count,
        );
    }

    /// Block type, and for codes of its own the code lengths, themselves coded (RFC 1951 3.2.7).
    pub(super) fn write_header(&self, bits: &mut BitWriter, out: &mut [u8]) {
        if self.is_fixed {
            return bits.put(out, 1, 2);
        }
        bits.put(out, 2, 2);
        let used = |codes: &[Code], least: usize| {
            codes
                .iter()
                .rposition(|code| code.count() > 0)
                .map_or(least, |last| (last + 1).max(least))
        };
        let symbols = used(&self.symbols[..SYMBOLS], 257);
        let distances = used(&self.distances, 1);
        let lengths: Vec<u8> = self.symbols[..symbols]
            .iter()
            .chain(&self.distances[..distances])
            .map(|code| code.count() as u8)
            .collect();
        let mut runs: Vec<(u8, u8)> = Vec::with_capacity(lengths.len());
        let mut counts = [0u32; 19];
        for run in lengths.chunk_by(|a, b| a == b) {
            let (value, mut left) = (run[0], run.len());
            if value > 0 {
                runs.push((value, 0));
                left -= 1;
            }
            while left > 0 {
                let (symbol, take, least) = match (value, left) {
                    (0, 11..) => (18, left.min(138), 11),
                    (0, 3..) => (17, left.min(10), 3),
                    (1.., 3..) => (16, left.min(6), 3),
                    _ => (value, 1, 1),
                };
                runs.push((symbol, (take - least) as u8));
                left -= take;
            }
        }
        for (symbol, _) in &runs {
            counts[usize::from(*symbol)] += 1;
        }
        let codes: [Code; 19] = canonical(&code_lengths::<19>(&counts, 7));
        let shown = CODE_LENGTH_ORDER
            .iter()
            .rposition(|&symbol| codes[symbol].count() > 0)
            .map_or(4, |last| (last + 1).max(4));
        bits.put(
            out,
            (symbols - 257) as u64 | ((distances - 1) as u64) << 5 | ((shown - 4) as u64) << 10,
            14,
        );
        for &symbol in &CODE_LENGTH_ORDER[..shown] {
            bits.put(out, u64::from(codes[symbol].count()), 3);
        }
        for (symbol, extra) in runs {
            let code = codes[usize::from(symbol)];
            let extra_count = match symbol {
                16 => 2,
                17 => 3,
                18 => 7,
                _ => 0,
            };
            bits.put(
                out,
                code.bits() | u64::from(extra) << code.count(),
                code.count() + extra_count,
            );
        }
    }
}

/// Huffman's lengths for these counts, none longer than `max`.
pub(super) fn code_lengths<const N: usize>(counts: &[u32; N], max: u32) -> [u8; N] {
    let mut lengths = [0u8; N];
    let mut order: Vec<(u32, u16)> = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(s, count)| (*count, s as u16))
        .collect();
    if order.len() < 2 {
        // A lone code still needs a bit, and an inflater wants to see one that is complete or alone.
        for (_, symbol) in &order {
            lengths[usize::from(*symbol)] = 1;
        }
        return lengths;
    }
    order.sort_unstable();
    // Two queues: leaves in order, and inner nodes, which come out in order by themselves.
    let leaves = order.len();
    let mut weights: Vec<u64> = order.iter().map(|(count, _)| u64::from(*count)).collect();
    let mut parents = vec![0usize; 2 * leaves - 1];
    let (mut leaf, mut inner) = (0, leaves);
    for node in leaves..2 * leaves - 1 {
        let mut weight = 0;
        for _ in 0..2 {
            let takes_leaf = leaf < leaves && (inner >= node || weights[leaf] <= weights[inner]);
            let child = if takes_leaf { &mut leaf } else { &mut inner };
            parents[*child] = node;
            weight += weights[*child];
            *child += 1;
        }
        weights.push(weight);
    }
    let mut depths = vec![0u32; 2 * leaves - 1];
    let mut per_length = [0u32; 64];
    for node in (0..2 * leaves - 2).rev() {
        depths[node] = depths[parents[node]] + 1;
        if node < leaves {
            per_length[depths[node].min(max) as usize] += 1;
        }
    }
    // Codes that were too long were cut to `max`; make room for them by lengthening shorter ones (Kraft's sum).
    let mut sum: u64 = (1..=max)
        .map(|length| u64::from(per_length[length as usize]) << (max - length))
        .sum();
    while sum > 1 << max {
        let length = (1..max)
            .rev()
            .find(|&l| per_length[l as usize] > 0)
            .expect("there are more codes than fit otherwise");
        per_length[length as usize] -= 1;
        per_length[length as usize + 1] += 1;
        sum -= 1 << (max - length - 1);
    }
    // Too much room again is no good either: inflaters refuse codes that leave some unused.
    while sum < 1 << max {
        per_length[max as usize] -= 1;
        per_length[max as usize - 1] += 1;
        sum += 1;
    }
    // The rarest get the longest.
    let mut symbols = order.iter();
    for length in (1..=max).rev() {
        for _ in 0..per_length[length as usize] {
            let (_, symbol) = symbols.next().expect("there is a length for every symbol");
            lengths[usize::from(*symbol)] = length as u8;
        }
    }
    lengths
}

/// Canonical codes for these lengths, bits turned round for writing.
fn canonical<const N: usize>(lengths: &[u8; N]) -> [Code; N] {
    let mut next = [0u32; 17];
    let mut counts = [0u32; 17];
    for &length in lengths {
        counts[usize::from(length)] += 1;
    }
    counts[0] = 0;
    for length in 1..17 {
        next[length] = (next[length - 1] + counts[length - 1]) << 1;
    }
    lengths.map(|length| {
        if length == 0 {
            return Code::default();
        }
        let code = next[usize::from(length)];
        next[usize::from(length)] += 1;
        let turned = code.reverse_bits() >> (32 - u32::from(length));
        Code(turned | u32::from(length) << 16)
    })
}
