//! What is kept of a text so that others can be compared with it: its words and shingles as hashes, its title, its authors.

use super::bytes::{self, SignatureError};
use crate::record::BibliographicRecord;
use gleaner_judge::equality::{MINHASHES, SHINGLE_WORDS, Sketch, shingles};
use gleaner_parse::documents::Reading;
use gleaner_words::{folded, language_of, words};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Words of a text that are looked at.
const WORDS_MAX: usize = 100_000;
/// Shingles that are kept; of a longer text those with the smallest hashes, by halves, so that two texts stay comparable.
const SHINGLES_MAX: usize = 4096;
const SENTENCES_MAX: usize = 1024;
/// Shorter ones are headings, cells and code.
const SENTENCE_WORDS_MIN: usize = 4;
/// The keys of a text: bands of minhashes, and its rarest shingles.
const BANDS: usize = 16;
const BAND_ROWS: usize = 4;
const RARE_KEYS: usize = 24;
/// Lines at least so often in a text are its headers and footers.
const REPEATED_LINES: usize = 4;
const REPEATED_LINE_CHARS_MAX: usize = 100;
const TITLE_WORDS_MAX: usize = 24;
const AUTHORS_MAX: usize = 12;
const LANGUAGES_MAX: usize = 4;
const LANGUAGE_LINES_MIN: usize = 2;

/// A text and what is known of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct WorkText<'a> {
    pub text: &'a str,
    /// Empty where nobody says one.
    pub title: &'a str,
    pub authors: &'a [String],
    /// As the document says; its words are asked all the same.
    pub language: Option<&'a str>,
}

/// What is kept of a text. Equal for equal texts of equal title and authors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSignature {
    /// Of all words in their order.
    pub words_hash: u64,
    /// The same with everything that holds a digit as one word.
    pub masked_hash: u64,
    pub words: u32,
    /// Words that hold a digit.
    pub numbers: u32,
    pub simhash: u64,
    /// The lower half of each minhash.
    pub(super) minhashes: Box<[u16; MINHASHES]>,
    /// Of the shingles those are kept whose hash begins with so many zeros.
    pub(super) shingle_zeros: u8,
    /// In ascending order, without that beginning.
    pub(super) shingles: Vec<u32>,
    pub(super) sentence_zeros: u8,
    pub(super) sentences: Vec<u32>,
    /// Keys of the rarest shingles.
    pub(super) rare: Vec<u32>,
    /// The languages of its prose with their shares in per cent, the first the largest. A translation may keep the original beside it.
    pub(super) languages: Vec<([u8; 3], u8)>,
    /// Words of other scripts than Latin, in per cent.
    pub(super) foreign_words: u8,
    /// Hashes of the words of the title in their order.
    pub(super) title: Vec<u32>,
    /// Hashes of the family names in ascending order.
    pub(super) authors: Vec<u32>,
}

impl TextSignature {
    /// Of a document as its reader saw it, with what its record says.
    pub fn of_reading(reading: &Reading, record: &BibliographicRecord) -> TextSignature {
        let mut text = String::new();
        for piece in &reading.pieces {
            text.push_str(&piece.text);
            text.push('\n');
        }
        TextSignature::of(&WorkText {
            text: &text,
            title: record.title.as_deref().unwrap_or_default(),
            authors: &record.authors,
            language: None,
        })
    }

    pub fn of(given: &WorkText<'_>) -> TextSignature {
        let text = cleaned(given.text);
        let cut = Cut::of(&text);
        let sketch = Sketch::of_words(&cut.words);
        let mut minhashes = Box::new([0; MINHASHES]);
        for (short, long) in minhashes.iter_mut().zip(sketch.minhashes.iter()) {
            *short = *long as u16;
        }
        let (shingle_zeros, kept) = sampled(shingles(&cut.words), SHINGLES_MAX);
        let (sentence_zeros, sentences) = sampled(cut.sentences.iter().copied(), SENTENCES_MAX);
        TextSignature {
            words_hash: hash_of(&cut.words),
            masked_hash: hash_of(&cut.masked),
            words: cut.words.len() as u32,
            numbers: cut.numbers,
            simhash: sketch.simhash,
            minhashes,
            shingle_zeros,
            shingles: kept,
            sentence_zeros,
            sentences,
            rare: cut.rare(),
            languages: languages_of(&prose_of(&text), given.language),
            foreign_words: (u64::from(cut.foreign) * 100 / cut.words.len().max(1) as u64) as u8,
            title: title_words(given.title),
            authors: families(given.authors),
        }
    }

    /// What to look a text up by; texts that share none are not compared.
    pub fn keys(&self) -> Vec<u64> {
        let mut keys = vec![
            xxh3_64_with_seed(&self.words_hash.to_le_bytes(), 1),
            xxh3_64_with_seed(&self.masked_hash.to_le_bytes(), 2),
        ];
        if self.words as usize >= SHINGLE_WORDS {
            for (band, rows) in self.minhashes.chunks_exact(BAND_ROWS).take(BANDS).enumerate() {
                let bytes: Vec<u8> = rows.iter().flat_map(|row| row.to_le_bytes()).collect();
                keys.push(xxh3_64_with_seed(&bytes, 16 + band as u64));
            }
            keys.extend(
                self.rare
                    .iter()
                    .map(|rare| xxh3_64_with_seed(&rare.to_le_bytes(), 3)),
            );
        }
        if !self.title.is_empty() {
            let bytes: Vec<u8> = self.title.iter().flat_map(|word| word.to_le_bytes()).collect();
            keys.push(xxh3_64_with_seed(&bytes, 4));
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// For the store; a form that another version of this program does not take for its own.
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes::write(self)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<TextSignature, SignatureError> {
        bytes::read(bytes)
    }

    /// Names the text: documents with the same fingerprint are one text.
    pub fn fingerprint(&self) -> u128 {
        let mut title: Vec<u8> = self.title.iter().flat_map(|word| word.to_le_bytes()).collect();
        title.extend(self.authors.iter().flat_map(|author| author.to_le_bytes()));
        u128::from(self.words_hash) << 64 | u128::from(xxh3_64(&title))
    }

    /// An estimate of the share of shingles that both texts have, from the minhashes alone.
    pub fn estimate(&self, other: &TextSignature) -> f64 {
        let equal = self.minhashes.iter().zip(other.minhashes.iter());
        equal.filter(|(one, other)| one == other).count() as f64 / MINHASHES as f64
    }
}

/// Hashes of the words of a title in their order.
pub fn title_words(title: &str) -> Vec<u32> {
    let mut hashes = Vec::new();
    words(title, |word| {
        if hashes.len() < TITLE_WORDS_MAX {
            hashes.push(word_hash(word.text) as u32);
        }
    });
    hashes
}

fn families(authors: &[String]) -> Vec<u32> {
    let mut hashes: Vec<u32> = authors
        .iter()
        .take(AUTHORS_MAX)
        .filter_map(|author| {
            // `Rossi, Maria` and `Maria Rossi`.
            let family = author.split(',').next().unwrap_or_default();
            let last = family.split_whitespace().last()?;
            Some(word_hash(last.trim_matches(|c: char| !c.is_alphanumeric())) as u32)
        })
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

fn word_hash(word: &str) -> u64 {
    if word.is_ascii() && !word.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return xxh3_64(word.as_bytes());
    }
    xxh3_64(folded(&word.to_lowercase()).as_bytes())
}

fn hash_of(words: &[u64]) -> u64 {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// Headers and footers off, words parted at the ends of lines joined.
fn cleaned(text: &str) -> String {
    let shape = |line: &str| -> Option<u64> {
        let line = line.trim();
        if line.len() > REPEATED_LINE_CHARS_MAX || !line.chars().any(char::is_alphabetic) {
            return None;
        }
        let masked: String = line
            .chars()
            .map(|c| if c.is_numeric() { '0' } else { c })
            .collect();
        Some(xxh3_64(masked.as_bytes()))
    };
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for shape in text.lines().filter_map(shape) {
        *counts.entry(shape).or_default() += 1;
    }
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let is_repeated = shape(line).is_some_and(|shape| counts[&shape] >= REPEATED_LINES);
        if is_repeated {
            continue;
        }
        let begins_small = line.trim_start().starts_with(char::is_lowercase);
        if begins_small && ends_parted(&out) {
            out.truncate(out.trim_end().len());
            out.pop();
            out.push_str(line.trim_start());
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    out
}

/// `exam-` at the end of what was written.
fn ends_parted(out: &str) -> bool {
    let end = out.trim_end_matches([' ', '\r', '\n']);
    let mut last = end.chars().rev();
    last.next() == Some('-') && last.next().is_some_and(char::is_lowercase)
}

/// A text as words.
#[derive(Default)]
struct Cut {
    words: Vec<u64>,
    masked: Vec<u64>,
    lengths: Vec<u8>,
    numbers: u32,
    sentences: Vec<u64>,
    foreign: u32,
}

const MASK: u64 = 1;
const PROSE_LINES: usize = 24;

impl Cut {
    fn of(text: &str) -> Cut {
        let mut cut = Cut::default();
        for sentence in text.split_inclusive(['.', '!', '?', '。', '！', '？']) {
            let from = cut.words.len();
            words(sentence, |word| cut.add(word.text));
            if cut.words.len() - from >= SENTENCE_WORDS_MIN {
                cut.sentences.push(hash_of(&cut.words[from..]));
            }
            if cut.words.len() >= WORDS_MAX {
                break;
            }
        }
        cut
    }

    fn add(&mut self, word: &str) {
        let hash = word_hash(word);
        self.words.push(hash);
        self.lengths.push(word.len().min(20) as u8);
        let is_number = word.bytes().any(|byte| byte.is_ascii_digit());
        self.numbers += u32::from(is_number);
        // Behind the letters of Latin and their accents.
        self.foreign += u32::from(word.starts_with(|c: char| c.is_alphabetic() && c > '\u{24f}'));
        self.masked.push(if is_number { MASK } else { hash });
    }

    /// Shingles that few other texts have: chosen by their hash, and more readily where their words are long.
    fn rare(&self) -> Vec<u32> {
        let mut best: Vec<(u64, u32)> = shingles(&self.words)
            .enumerate()
            .map(|(at, hash)| {
                let end = (at + SHINGLE_WORDS).min(self.lengths.len());
                let letters: u64 = self.lengths[at..end]
                    .iter()
                    .map(|length| u64::from(*length))
                    .sum();
                ((hash >> 20) / (letters * letters).max(1), hash as u32)
            })
            .collect();
        best.sort_unstable();
        best.dedup();
        best.truncate(RARE_KEYS);
        best.into_iter().map(|(_, hash)| hash).collect()
    }
}

/// Lines that read like sentences, from all over the text: code and tables say nothing of its language.
fn prose_of(text: &str) -> Vec<&str> {
    let is_prose = |line: &&str| {
        let letters = line.chars().filter(|c| c.is_alphabetic() || *c == ' ').count();
        let all = line.chars().count();
        all >= 30 && letters * 100 >= all * 85
    };
    let lines: Vec<&str> = text.lines().map(str::trim).filter(is_prose).collect();
    let step = lines.len().div_ceil(PROSE_LINES).max(1);
    lines.into_iter().step_by(step).collect()
}

fn languages_of(prose: &[&str], declared: Option<&str>) -> Vec<([u8; 3], u8)> {
    let mut counts: BTreeMap<[u8; 3], usize> = BTreeMap::new();
    for line in prose {
        let code = language_of(line, declared);
        if !matches!(code, "" | "und") {
            let mut short = [b' '; 3];
            for (place, byte) in short.iter_mut().zip(code.bytes()) {
                *place = byte;
            }
            *counts.entry(short).or_default() += 1;
        }
    }
    let all: usize = counts.values().sum();
    // One line alone may be a name or a quotation.
    if all < LANGUAGE_LINES_MIN {
        return Vec::new();
    }
    let mut found: Vec<([u8; 3], u8)> = counts
        .into_iter()
        .map(|(code, count)| (code, (count * 100 / all) as u8))
        .collect();
    found.sort_by_key(|(code, share)| (Reverse(*share), *code));
    found.truncate(LANGUAGES_MAX);
    found
}

/// Hashes in ascending order; where they are more than `most`, only those that begin with enough zeros.
fn sampled(hashes: impl Iterator<Item = u64>, most: usize) -> (u8, Vec<u32>) {
    let mut kept: Vec<u32> = hashes.map(|hash| (hash >> 32) as u32).collect();
    kept.sort_unstable();
    kept.dedup();
    let mut zeros = 0;
    while kept.len() > most && zeros < 30 {
        zeros += 1;
        kept.retain(|hash| hash >> (32 - zeros) == 0);
    }
    (zeros as u8, kept)
}
