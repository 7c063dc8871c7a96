//! Random numbers that repeat: `SplitMix64` from a seed.

/// A source of choices.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        let mut dice = Dice(seed ^ 0x5851_f42d_4c95_7f2d);
        dice.roll();
        dice
    }

    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 {
            0
        } else {
            (self.roll() % bound as u64) as usize
        }
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.roll() % 100 < percent
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    pub fn hex(&mut self, length: usize) -> String {
        (0..length)
            .map(|_| char::from_digit((self.roll() % 16) as u32, 16).expect("below 16"))
            .collect()
    }

    /// A made-up word of so many letters that can be spoken.
    pub fn word(&mut self, letters: usize) -> String {
        (0..letters)
            .map(|at| {
                let of: &[u8] = if at % 2 == 0 { b"bdfgklmnprstv" } else { b"aeiou" };
                char::from(*self.pick(of))
            })
            .collect()
    }

    /// A sentence of made-up words.
    pub fn sentence(&mut self, words: usize) -> String {
        let mut made: Vec<String> = (0..words)
            .map(|_| {
                let letters = 3 + self.below(6);
                self.word(letters)
            })
            .collect();
        if let Some(first) = made.first_mut() {
            first[..1].make_ascii_uppercase();
        }
        made.join(" ") + "."
    }
}
