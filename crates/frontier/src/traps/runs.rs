//! A page's text cut into runs, with what follows from its URL masked.

use gleaner_model::Url;
use gleaner_model::date::is_month_or_day;

/// Further text tells nothing that this much does not.
const TEXT_BYTES_MAX: usize = 256 * 1024;
const RUNS_MAX: usize = 128;
const RUNS_GATHERED_MAX: usize = 4096;
const OWN_WORDS_MAX: usize = 32;
const OWN_NUMBERS_MAX: usize = 8;
/// Days, months, weeks, hours and minutes: a calendar's own numbers.
const NUMBER_PLAIN_MAX: u64 = 60;
/// A pager shows its neighbours.
const NUMBER_NEAR: u64 = 10;

pub(super) fn mixed(hash: u64, more: u64) -> u64 {
    (hash.rotate_left(5) ^ more).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The same choice for the same runs, wherever they stand: the smallest hashes.
pub(super) fn smallest(mut hashes: Vec<u32>, count_max: usize) -> Box<[u32]> {
    hashes.sort_unstable();
    hashes.dedup();
    hashes.truncate(count_max);
    hashes.into_boxed_slice()
}

/// Cuts a page's text into runs.
pub(super) struct Runs {
    own_words: [u64; OWN_WORDS_MAX],
    own_words_count: usize,
    own_numbers: [u64; OWN_NUMBERS_MAX],
    own_numbers_count: usize,
    is_dated: bool,
    is_plain: bool,
    /// All numbers of a dated page that are not masked, in their order: measurements repeat, a day of them does not.
    measured: u64,
    found: Vec<u32>,
}

impl Runs {
    /// For text of which nothing is masked.
    pub(super) fn plain() -> Runs {
        Runs {
            own_words: [0; OWN_WORDS_MAX],
            own_words_count: 0,
            own_numbers: [0; OWN_NUMBERS_MAX],
            own_numbers_count: 0,
            is_dated: false,
            is_plain: true,
            measured: 0,
            found: Vec::new(),
        }
    }

    pub(super) fn new(url: &Url, is_dated: bool) -> Runs {
        let mut runs = Runs {
            is_dated,
            is_plain: false,
            ..Runs::plain()
        };
        for word in words(url.request_target().as_bytes()) {
            if let Some(number) = number(word) {
                if runs.own_numbers_count < OWN_NUMBERS_MAX {
                    runs.own_numbers[runs.own_numbers_count] = number;
                    runs.own_numbers_count += 1;
                }
            } else if runs.own_words_count < OWN_WORDS_MAX {
                runs.own_words[runs.own_words_count] = hash_of(word);
                runs.own_words_count += 1;
            }
        }
        runs
    }

    pub(super) fn read(mut self, body: &[u8]) -> Box<[u32]> {
        let mut rest = &body[..body.len().min(TEXT_BYTES_MAX)];
        while let Some(tag) = memchr::memchr(b'<', rest) {
            self.add(&rest[..tag]);
            rest = after_tag(&rest[tag..]);
            if self.found.len() >= RUNS_GATHERED_MAX {
                break;
            }
        }
        self.add(rest);
        // In front of all others, so that it is never left out.
        let measured = (self.measured != 0).then_some((self.measured >> 44) as u32);
        self.found.extend(measured);
        smallest(self.found, RUNS_MAX)
    }

    fn add(&mut self, text: &[u8]) {
        let mut hash = 0;
        let mut is_masked = false;
        for word in words(text) {
            if self.masks(word) {
                is_masked = hash != 0;
                continue;
            }
            // Masked words in a row are one, however many: months have more days or fewer.
            hash = mixed(hash, u64::from(is_masked) ^ hash_of(word));
            if self.is_dated && number(word).is_some() {
                self.measured = mixed(self.measured, hash_of(word));
            }
            is_masked = false;
        }
        if hash != 0 {
            self.found.push((hash >> 32) as u32);
        }
    }

    fn masks(&self, word: &[u8]) -> bool {
        if self.is_plain {
            return false;
        }
        if let Some(number) = number(word) {
            let is_near = |own: &u64| own.abs_diff(number) <= NUMBER_NEAR;
            return number <= NUMBER_PLAIN_MAX
                || self.own_numbers[..self.own_numbers_count].iter().any(is_near);
        }
        // Letters and digits mixed: `17th`, `W07`, ids.
        word.iter().any(u8::is_ascii_digit)
            || self.own_words[..self.own_words_count].contains(&hash_of(word))
            || self.is_dated && str::from_utf8(word).is_ok_and(is_month_or_day)
    }
}

/// Runs of letters and digits; all bytes beyond ASCII count as letters.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|b| b.is_ascii() && !b.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
}

fn number(word: &[u8]) -> Option<u64> {
    const DIGITS_MAX: usize = 18;
    if word.len() > DIGITS_MAX {
        return None;
    }
    word.iter().try_fold(0, |number: u64, b| {
        b.is_ascii_digit().then(|| number * 10 + u64::from(b - b'0'))
    })
}

/// FNV-1a over small letters; never 0.
fn hash_of(word: &[u8]) -> u64 {
    let hash = word.iter().fold(0xCBF2_9CE4_8422_2325, |hash: u64, b| {
        (hash ^ u64::from(b.to_ascii_lowercase())).wrapping_mul(0x0000_0100_0000_01B3)
    });
    hash | 1
}

/// What follows the tag (or comment, script, style sheet) that `text` begins with.
fn after_tag(text: &[u8]) -> &[u8] {
    let starts_with = |name: &[u8]| {
        text.get(1..=name.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(name))
    };
    let end = if starts_with(b"!--") {
        memchr::memmem::find(text, b"-->").map(|at| at + 3)
    } else if starts_with(b"script") {
        closing(text, b"</script")
    } else if starts_with(b"style") {
        closing(text, b"</style")
    } else {
        memchr::memchr(b'>', text).map(|at| at + 1)
    };
    end.map_or(&[], |end| &text[end..])
}

fn closing(text: &[u8], tag: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'<', text)
        .skip(1)
        .find(|&at| {
            text.get(at..at + tag.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(tag))
        })
        .map(|at| at + tag.len())
}
