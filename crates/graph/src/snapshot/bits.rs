//! Numbers as bits: the ζ codes of Boldi and Vigna (2005), made for the gaps of web graphs.
//!
//! With the parameter k, a number n ≥ 1 lies in `[2^(hk), 2^((h+1)k))` for one h. The code is h in unary (h zeros and a one), then
//! `n - 2^(hk)` in as few bits as that interval needs: one bit less for those at its beginning (minimal binary). k = 1 is Elias' γ. Numbers
//! from 0 are coded as n + 1.
//!
//! Trap: at the end of damaged bytes there are no more bits. Reading beyond gives nothing, never zeros for ever.

/// The parameters that are tried.
const PARAMETERS: std::ops::RangeInclusive<u32> = 1..=8;
/// No number coded here is longer.
const BITS_MAX: u32 = 40;

pub(super) fn checked_parameter(parameter: u8) -> Option<u32> {
    let parameter = u32::from(parameter);
    PARAMETERS.contains(&parameter).then_some(parameter)
}

/// The parameters follow from a sample: every so many rows or numbers are looked at, all where there are few.
pub(super) fn sample_step(count: usize) -> usize {
    if count > 50_000 { 8 } else { 1 }
}

/// How many bits some numbers take, by parameter.
#[derive(Clone, Default)]
pub(super) struct Totals([u64; 8]);

impl Totals {
    pub(super) fn add(&mut self, number: u64) {
        for (total, parameter) in self.0.iter_mut().zip(PARAMETERS) {
            *total += u64::from(Code::of(number, parameter).length());
        }
    }

    /// The parameter with which they take the fewest.
    pub(super) fn best(&self) -> u32 {
        let best = PARAMETERS.zip(self.0).min_by_key(|&(_, total)| total);
        best.map_or(1, |(parameter, _)| parameter)
    }
}

/// A code: zeros and a one, then `length` bits of `value`.
struct Code {
    zeros: u32,
    value: u64,
    value_bits: u32,
}

impl Code {
    fn of(number: u64, parameter: u32) -> Code {
        let number = number + 1;
        debug_assert!(number < 1 << BITS_MAX);
        let zeros = number.ilog2() / parameter;
        let base = 1u64 << (zeros * parameter);
        let offset = number - base;
        // The interval has `base * (2^k - 1)` numbers; the first `base` of them get the shorter code.
        let bits = (zeros + 1) * parameter;
        if offset < base {
            Code {
                zeros,
                value: offset,
                value_bits: bits - 1,
            }
        } else {
            Code {
                zeros,
                value: offset + base,
                value_bits: bits,
            }
        }
    }

    fn length(&self) -> u32 {
        self.zeros + 1 + self.value_bits
    }
}

#[derive(Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that are not yet a byte, the lowest `count` of them.
    waiting: u128,
    count: u32,
}

impl BitWriter {
    pub(super) fn push(&mut self, number: u64, parameter: u32) {
        let code = Code::of(number, parameter);
        self.bits(1, code.zeros + 1);
        self.bits(code.value, code.value_bits);
    }

    fn bits(&mut self, value: u64, count: u32) {
        self.waiting = (self.waiting << count) | u128::from(value);
        self.count += count;
        while self.count >= 8 {
            self.count -= 8;
            self.bytes.push((self.waiting >> self.count) as u8);
        }
    }

    pub(super) fn bit(&mut self, bit: bool) {
        self.bits(u64::from(bit), 1);
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        let missing = (8 - self.count % 8) % 8;
        self.bits(0, missing);
        self.bytes
    }
}

pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The next bits, from the highest down; `count` of them are real.
    next: u64,
    count: u32,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        BitReader {
            bytes,
            at: 0,
            next: 0,
            count: 0,
        }
    }

    fn fill(&mut self) {
        if let Some(eight) = self.bytes.get(self.at..self.at + 8) {
            // All eight are taken; those that have no room yet are read again later.
            let word = u64::from_be_bytes(std::array::from_fn(|i| eight[i]));
            self.next |= word >> self.count;
            let whole = (63 - self.count) / 8;
            self.at += whole as usize;
            self.count += whole * 8;
            return;
        }
        while self.count <= 56 && self.at < self.bytes.len() {
            self.next |= u64::from(self.bytes[self.at]) << (56 - self.count);
            self.at += 1;
            self.count += 8;
        }
    }

    fn skip(&mut self, bits: u32) {
        self.next <<= bits;
        self.count -= bits;
    }

    /// So many bits, at most 48.
    fn bits(&mut self, bits: u32) -> Option<u64> {
        if bits == 0 {
            return Some(0);
        }
        if self.count < bits {
            self.fill();
            if self.count < bits {
                return None;
            }
        }
        let value = self.next >> (64 - bits);
        self.skip(bits);
        Some(value)
    }

    pub(super) fn bit(&mut self) -> Option<bool> {
        Some(self.bits(1)? == 1)
    }

    /// The next number.
    pub(super) fn read(&mut self, parameter: u32) -> Option<u64> {
        if self.count < 48 {
            self.fill();
        }
        let zeros = self.next.leading_zeros();
        if zeros >= self.count || zeros * parameter >= BITS_MAX {
            return None;
        }
        self.skip(zeros + 1);
        let base = 1u64 << (zeros * parameter);
        let short = (zeros + 1) * parameter - 1;
        let value = self.bits(short)?;
        let number = if value < base {
            base + value
        } else {
            (value << 1) + self.bits(1)?
        };
        (number < 1 << BITS_MAX).then(|| number - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers in proptest::collection::vec((0u32..32).prop_flat_map(|bits| 0..=(1u64 << bits)), 0..200)) {
            for parameter in PARAMETERS {
                let mut writer = BitWriter::default();
                for &number in &numbers {
                    writer.push(number, parameter);
                }
                let length: u64 = numbers.iter().map(|&number| u64::from(Code::of(number, parameter).length())).sum();
                let bytes = writer.finish();
                prop_assert_eq!(bytes.len() as u64, length.div_ceil(8));
                let mut reader = BitReader::new(&bytes);
                for &number in &numbers {
                    prop_assert_eq!(reader.read(parameter), Some(number));
                }
            }
        }

        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..100), parameter in PARAMETERS) {
            let mut reader = BitReader::new(&bytes);
            let read = std::iter::from_fn(|| reader.read(parameter)).count();
            prop_assert!(read <= bytes.len() * 8);
        }
    }
}
