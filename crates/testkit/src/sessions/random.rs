//! Repeatable choices: one number in, the same sequence out.

#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A sequence of its own for every combination of numbers.
    pub fn of(parts: &[u64]) -> Random {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for part in parts {
            random.0 ^= *part;
            random.0 = random.draw().wrapping_add(*part);
        }
        random
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `from..=to`.
    pub fn within(&mut self, from: usize, to: usize) -> usize {
        from + (self.draw() % (to - from + 1) as u64) as usize
    }

    /// True in so many of a hundred.
    pub fn percent(&mut self, of_hundred: usize) -> bool {
        self.within(0, 99) < of_hundred
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.within(0, from.len() - 1)]
    }

    pub fn text(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| *self.pick(&letters)).collect()
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.within(0, at));
        }
    }
}
