//! DEFLATE (RFC 1951), as fast as it can be made without giving up the repeats that HTML is full of.
//!
//! Level 1 of a good library was the dearest part of a crawl; this takes about half the time (docs/decisions/0006). The
//! idea is LZ4's search with Huffman's coding: one candidate per position from a small table, ever larger steps through
//! text that does not repeat, and then one dynamic block per piece. Readers need nothing special: any inflater will do.

use std::sync::LazyLock;

/// Entries of the match table: 32 KiB, so that it stays in the first-level cache.
const TABLE_BITS: u32 = 13;
const WINDOW: usize = 32 * 1024;
/// One Huffman block at most covers this much.
const PIECE_BYTES: usize = 128 * 1024;
/// Shorter matches cost more time than they save space; they are what a search spends its time on.
const MATCH_MIN: usize = 8;
const MATCH_MAX: usize = 258;
/// Bytes behind a position that the search may read at once.
const LOOK_AHEAD: usize = 16;
/// Below this a block with the standard's fixed codes is smaller and cheaper than one with its own.
const FIXED_BELOW: usize = 700;
/// Code lengths: four letters then always fit into one write of the bit buffer.
const CODE_BITS_MAX: u32 = 12;
const END_OF_BLOCK: usize = 256;
const SYMBOLS: usize = 286;
const DISTANCES: usize = 30;
/// The order in which the lengths of the code for code lengths are written (RFC 1951 3.2.7).
const CODE_LENGTH_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Some letters as they are, then a repeat (none at the end of a piece: `length` 0).
#[derive(Clone, Copy)]
struct Sequence {
    letters: u32,
    length: u16,
    distance: u16,
}

/// The encoder; it keeps its working memory between calls.
pub(super) struct Deflate {
    /// Position + `base` of the last occurrence of a hash. Positions of earlier calls lie below `base`.
    table: Vec<u32>,
    base: u32,
    sequences: Vec<Sequence>,
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
        out.extend_from_slice(&scratch[..self.bits.bytes()]);
        self.scratch = scratch;
    }

    fn part(&mut self, input: &[u8], is_last_part: bool, out: &mut Vec<u8>) {
        let mut at = 0;
        loop {
            let end = input.len().min(at + PIECE_BYTES);
            if self.base as usize + PIECE_BYTES + WINDOW >= u32::MAX as usize {
                self.table.fill(0);
                self.base = 1;
            }
            // A piece sees the window before it; positions count from there, so that they stay small.
            let from = at.saturating_sub(WINDOW);
            self.search(&input[from..end], at - from);
            let piece = &input[at..end];
            let is_last = is_last_part && end == input.len();
            if piece.len() < FIXED_BELOW {
                self.write_block(piece, is_last, out, &FIXED);
            } else {
                let codes = Codes::of(piece, &self.sequences);
                self.write_block(piece, is_last, out, &codes);
            }
            at = end;
            if at == input.len() {
                self.base += (end - from) as u32;
                break;
            }
            // The same byte keeps its number, though the next piece counts from further on.
            self.base += (at.saturating_sub(WINDOW) - from) as u32;
        }
    }

    /// Finds the repeats of `input[start..]`; they may reach back before `start`.
    fn search(&mut self, input: &[u8], start: usize) {
        self.sequences.clear();
        let end = input.len();
        let (mut at, mut letters_from, mut misses) = (start, start, 0usize);
        let limit = end.saturating_sub(LOOK_AHEAD);
        let table: &mut [u32; 1 << TABLE_BITS] = self
            .table
            .as_mut_slice()
            .try_into()
            .expect("the table has this size from the start");
        while at < limit {
            let here = load(input, at);
            let slot = &mut table[hash(here)];
            let candidate = *slot;
            let now = self.base + at as u32;
            *slot = now;
            let distance = (now - candidate) as usize;
            if distance <= WINDOW && distance <= at {
                let difference = load(input, at - distance) ^ here;
                if difference << (64 - 8 * MATCH_MIN) == 0 {
                    let mut length = if difference == 0 {
                        8 + common(
                            &input[at - distance + 8..],
                            &input[at + 8..end.min(at + MATCH_MAX)],
                        )
                    } else {
                        (difference.trailing_zeros() / 8) as usize
                    };
                    // Steps were taken past its true beginning, perhaps.
                    let mut from = at;
                    while from > letters_from
                        && from > distance
                        && length < MATCH_MAX
                        && input[from - 1] == input[from - distance - 1]
                    {
                        from -= 1;
                        length += 1;
                    }
                    let length = length.min(MATCH_MAX).min(end - from);
                    self.sequences.push(Sequence {
                        letters: (from - letters_from) as u32,
                        length: length as u16,
                        distance: (distance - 1) as u16,
                    });
                    at = from + length;
                    letters_from = at;
                    misses = 0;
                    continue;
                }
            }
            misses += 1;
            at += 1 + (misses >> 1);
        }
        self.sequences.push(Sequence {
            letters: (end - letters_from) as u32,
            length: 0,
            distance: 0,
        });
    }

    fn write_block(&mut self, piece: &[u8], is_last: bool, out: &mut Vec<u8>, codes: &Codes) {
        let bits = &mut self.bits;
        bits.reserve(out, piece.len() * 2 + 1024);
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
                codes.put_match(bits, out, *sequence);
            }
            rest = &after[usize::from(sequence.length)..];
        }
        let end = codes.symbols[END_OF_BLOCK];
        bits.put(out, end.bits(), end.count());
    }
}

fn load(input: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(input[at..at + 8].try_into().expect("eight bytes were cut out"))
}

/// Of the first [`MATCH_MIN`] bytes.
fn hash(bytes: u64) -> usize {
    ((bytes << (64 - 8 * MATCH_MIN)).wrapping_mul(0x9e37_79b1_85eb_ca87) >> (64 - TABLE_BITS)) as usize
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

/// A code: its bits (first to be written lowest) and how many.
#[derive(Clone, Copy, Default)]
struct Code(u32);

impl Code {
    fn bits(self) -> u64 {
        u64::from(self.0 & 0xffff)
    }

    fn count(self) -> u32 {
        self.0 >> 16
    }
}

/// Symbol and extra bits for each length 0..=258 and, in two halves, for each distance.
struct Ranges {
    lengths: [(u16, u8, u16); MATCH_MAX + 1],
    near: [u8; 256],
    far: [u8; 256],
}

const LENGTH_EXTRA: [u8; 29] = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
];
const DISTANCE_EXTRA: [u8; DISTANCES] = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];

static RANGES: LazyLock<Ranges> = LazyLock::new(|| {
    let mut ranges = Ranges {
        lengths: [(0, 0, 0); MATCH_MAX + 1],
        near: [0; 256],
        far: [0; 256],
    };
    let mut length = 3;
    for (index, &extra) in LENGTH_EXTRA.iter().enumerate() {
        for offset in 0..1u16 << extra {
            // 258 has a code of its own, though the one before could spell it.
            if length <= MATCH_MAX && (length < MATCH_MAX || index == LENGTH_EXTRA.len() - 1) {
                ranges.lengths[length] = (257 + index as u16, extra, offset);
                length += 1;
            }
        }
    }
    let mut distance = 0usize;
    for (symbol, &extra) in DISTANCE_EXTRA.iter().enumerate() {
        for _ in 0..1u32 << extra {
            if distance < 256 {
                ranges.near[distance] = symbol as u8;
            }
            if distance >= 256 {
                ranges.far[distance >> 7] = symbol as u8;
            }
            distance += 1;
        }
    }
    ranges
});

fn distance_symbol(ranges: &Ranges, distance_less_one: u16) -> usize {
    let distance = usize::from(distance_less_one);
    usize::from(if distance < 256 {
        ranges.near[distance]
    } else {
        ranges.far[distance >> 7]
    })
}

/// The first distance (less one) that a symbol stands for.
const fn distance_base(symbol: usize) -> u16 {
    if symbol < 4 {
        symbol as u16
    } else {
        (2 + (symbol as u16 & 1)) << (symbol / 2 - 1)
    }
}

/// The codes of one block.
struct Codes {
    symbols: [Code; SYMBOLS + 2],
    distances: [Code; DISTANCES],
    is_fixed: bool,
}

static FIXED: LazyLock<Codes> = LazyLock::new(|| {
    let mut lengths = [8u8; SYMBOLS + 2];
    lengths[144..256].fill(9);
    lengths[256..280].fill(7);
    Codes {
        symbols: canonical(&lengths),
        distances: canonical(&[5; DISTANCES]),
        is_fixed: true,
    }
});

impl Codes {
    /// Codes made for this piece.
    fn of(piece: &[u8], sequences: &[Sequence]) -> Codes {
        let ranges = &*RANGES;
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
                symbols[usize::from(ranges.lengths[usize::from(sequence.length)].0)] += 1;
                distances[distance_symbol(ranges, sequence.distance)] += 1;
            }
            rest = &after[usize::from(sequence.length)..];
        }
        for (letter, count) in symbols[..256].iter_mut().enumerate() {
            *count = letters.iter().map(|counter| counter[letter]).sum();
        }
        symbols[END_OF_BLOCK] = 1;
        Codes {
            symbols: canonical(&code_lengths::<{ SYMBOLS + 2 }>(&symbols, CODE_BITS_MAX)),
            distances: canonical(&code_lengths::<DISTANCES>(&distances, CODE_BITS_MAX)),
            is_fixed: false,
        }
    }

    fn put_match(&self, bits: &mut BitWriter, out: &mut [u8], sequence: Sequence) {
        let ranges = &*RANGES;
        let (symbol, extra_count, extra) = ranges.lengths[usize::from(sequence.length)];
        let length = self.symbols[usize::from(symbol)];
        bits.put(
            out,
            length.bits() | u64::from(extra) << length.count(),
            length.count() + u32::from(extra_count),
        );
        let symbol = distance_symbol(ranges, sequence.distance);
        let distance = self.distances[symbol];
        let extra = u64::from(sequence.distance - distance_base(symbol));
        let extra_count = u32::from(DISTANCE_EXTRA[symbol]);
        bits.put(
            out,
            distance.bits() | extra << distance.count(),
            distance.count() + extra_count,
        );
    }

    /// Block type, and for codes of its own the code lengths, themselves coded (RFC 1951 3.2.7).
    fn write_header(&self, bits: &mut BitWriter, out: &mut [u8]) {
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
fn code_lengths<const N: usize>(counts: &[u32; N], max: u32) -> [u8; N] {
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

/// Writes bits, lowest first, into memory that was made long enough before.
#[derive(Default)]
struct BitWriter {
    buffer: u64,
    count: u32,
    at: usize,
}

impl BitWriter {
    /// Makes room; what is there is written over.
    fn reserve(&self, out: &mut Vec<u8>, bytes: usize) {
        let needed = self.at + bytes + 16;
        if out.len() < needed {
            out.resize(needed, 0);
        }
    }

    /// At most 56 bits at once.
    fn put(&mut self, out: &mut [u8], bits: u64, count: u32) {
        self.buffer |= bits << self.count;
        self.count += count;
        out[self.at..self.at + 8].copy_from_slice(&self.buffer.to_le_bytes());
        let bytes = self.count / 8;
        self.at += bytes as usize;
        self.buffer >>= bytes * 8;
        self.count %= 8;
    }

    /// How long the stream is, the last byte filled up.
    fn bytes(&self) -> usize {
        self.at + usize::from(self.count > 0)
    }
}

#[cfg(test)]
mod tests {
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
