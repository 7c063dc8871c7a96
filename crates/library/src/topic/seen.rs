//! What is seen of a page: its words by the place where they stand, as numbers of a hash.

use super::keywords::{KeywordHits, Keywords};
use gleaner_model::{BlockKind, Content, Url};
use gleaner_words::{folded, words};
use serde::{Deserialize, Serialize};

/// Words have so many different numbers.
pub(super) const BUCKETS: usize = 1 << 18;
/// Words of a page that are looked at.
const WORDS_MAX: usize = 3_000;
const TITLE_WORDS_MAX: usize = 16;
const ADDRESS_WORDS_MAX: usize = 24;
/// A main text of fewer words is taken for none, and all the page says is looked at.
const MAIN_WORDS_MIN: usize = 40;

/// Where a word stands. Part of what is hashed, and so of what is kept: the numbers never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Place {
    Title = 1,
    TitlePair = 2,
    Heading = 3,
    Text = 4,
    TextPair = 5,
    /// In the path of the address.
    Address = 6,
    /// How the address is built: its depth, its last name with letters and digits masked.
    AddressForm = 7,
    /// How the title is built: names, capitals, numbers.
    TitleForm = 8,
}

/// A page, ready to be judged or learned from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TopicPage {
    /// Words of the page with how often they occur, in the order of their numbers.
    pub(super) inside: Vec<(u32, u16)>,
    /// What can be seen before it is fetched.
    pub(super) outside: Vec<u32>,
    pub(super) hits: KeywordHits,
}

/// Reads pages for one topic.
#[derive(Debug, Clone, Default)]
pub struct TopicReader {
    keywords: Keywords,
}

impl TopicReader {
    pub fn new(keywords: Keywords) -> TopicReader {
        TopicReader { keywords }
    }

    pub fn read(&self, url: &Url, title: &str, content: &Content) -> TopicPage {
        let mut numbers = Vec::with_capacity(1024);
        let mut outside = Vec::with_capacity(48);
        let mut counter = self.keywords.counter();
        each(url, title, content, &mut |seen| {
            match seen.place {
                Place::Title | Place::Text => counter.word(seen.word, seen.place == Place::Title),
                _ => {}
            }
            if seen.place.is_outside() {
                outside.push(seen.number);
            }
            numbers.push(seen.number);
        });
        TopicPage {
            inside: counted(numbers),
            outside: different(outside),
            hits: counter.hits(),
        }
    }

    /// Which of the topic's words the page has.
    pub fn hits<'a>(&self, page: &'a TopicPage) -> &'a KeywordHits {
        &page.hits
    }

    /// What a link shows of its page: the anchor in the place of the title, and the address.
    pub fn link(&self, url: &Url, anchor: &str) -> Vec<u32> {
        let mut outside = Vec::with_capacity(48);
        let mut take = |seen: SeenWord<'_>| outside.push(seen.number);
        each_of_title(anchor, &mut take);
        each_of_address(url, &mut take);
        different(outside)
    }
}

fn counted(mut numbers: Vec<u32>) -> Vec<(u32, u16)> {
    numbers.sort_unstable();
    let mut counts: Vec<(u32, u16)> = Vec::with_capacity(numbers.len());
    for number in numbers {
        match counts.last_mut() {
            Some((last, count)) if *last == number => *count = count.saturating_add(1),
            _ => counts.push((number, 1)),
        }
    }
    counts
}

fn different(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

impl Place {
    fn is_outside(self) -> bool {
        !matches!(self, Place::Heading | Place::Text | Place::TextPair)
    }
}

/// A word in its place, the word before it where both are meant.
pub(super) struct SeenWord<'a> {
    pub(super) place: Place,
    pub(super) before: Option<&'a str>,
    pub(super) word: &'a str,
    pub(super) number: u32,
}

/// All words of a page.
pub(super) fn each(url: &Url, title: &str, content: &Content, take: &mut impl FnMut(SeenWord<'_>)) {
    each_of_title(title, take);
    each_of_address(url, take);
    let mut left = WORDS_MAX;
    let has_main = content
        .main()
        .map(|block| block.text.split(' ').count())
        .sum::<usize>()
        >= MAIN_WORDS_MIN;
    let mut buffer = WordBuffer::default();
    for block in content.blocks.iter().filter(|block| block.is_main || !has_main) {
        buffer.before = None;
        words(&block.text, |word| {
            if left == 0 {
                return;
            }
            left -= 1;
            buffer.next(word.text);
            // A heading is text as well.
            let places = [Place::Text, Place::Heading];
            let of_block = if block.kind == BlockKind::Heading {
                &places[..]
            } else {
                &places[..1]
            };
            for place in of_block {
                take(SeenWord {
                    place: *place,
                    before: None,
                    word: &buffer.word,
                    number: number_of(*place, buffer.hash),
                });
            }
            if let Some(pair) = buffer.pair() {
                let (before, number) = (Some(buffer.last.as_str()), number_of(Place::TextPair, pair));
                take(SeenWord {
                    place: Place::TextPair,
                    before,
                    word: &buffer.word,
                    number,
                });
            }
            buffer.turn();
        });
        if left == 0 {
            break;
        }
    }
}

/// The words of a title or an anchor, in pairs, and how they are written.
fn each_of_title(title: &str, take: &mut impl FnMut(SeenWord<'_>)) {
    let mut buffer = WordBuffer::default();
    let mut left = TITLE_WORDS_MAX;
    let mut form = String::with_capacity(8);
    words(title, |word| {
        if left == 0 {
            return;
        }
        left -= 1;
        if form.len() < 5 {
            form.push(written(word.text));
        }
        buffer.next(word.text);
        take(SeenWord {
            place: Place::Title,
            before: None,
            word: &buffer.word,
            number: number_of(Place::Title, buffer.hash),
        });
        if let Some(pair) = buffer.pair() {
            let (before, number) = (Some(buffer.last.as_str()), number_of(Place::TitlePair, pair));
            take(SeenWord {
                place: Place::TitlePair,
                before,
                word: &buffer.word,
                number,
            });
        }
        buffer.turn();
    });
    if !form.is_empty() {
        take(SeenWord {
            place: Place::TitleForm,
            before: None,
            word: &form,
            number: number_of(Place::TitleForm, hash(form.bytes())),
        });
    }
}

/// A number, an acronym, an initial, a name, a word.
fn written(word: &str) -> char {
    let mut signs = word.chars();
    let first = signs.next().unwrap_or(' ');
    if first.is_numeric() {
        return '#';
    }
    match (first.is_uppercase(), signs.next()) {
        (true, None) => 'I',
        (true, Some(second)) if second.is_uppercase() => 'A',
        (true, Some(_)) => 'N',
        _ => 'w',
    }
}

/// The words of a path and its form.
fn each_of_address(url: &Url, take: &mut impl FnMut(SeenWord<'_>)) {
    let path = url.path();
    let mut buffer = WordBuffer::default();
    let mut left = ADDRESS_WORDS_MAX;
    for segment in path.split('/') {
        for word in segment.split(|sign: char| !sign.is_alphanumeric()) {
            for part in runs(word) {
                if left == 0 {
                    break;
                }
                left -= 1;
                buffer.next(part);
                take(SeenWord {
                    place: Place::Address,
                    before: None,
                    word: &buffer.word,
                    number: number_of(Place::Address, buffer.hash),
                });
            }
        }
    }
    let mut form = |form: &str| {
        take(SeenWord {
            place: Place::AddressForm,
            before: None,
            word: form,
            number: number_of(Place::AddressForm, hash(form.bytes())),
        });
    };
    let depth = path.split('/').filter(|part| !part.is_empty()).count();
    form(["0", "1", "2", "3", "4", "5", "6"][depth.min(6)]);
    let last = path.rsplit('/').next().unwrap_or("");
    form(&masked(last));
    if let Some(behind) = path.find("/~") {
        let below = path[behind + 2..]
            .split('/')
            .filter(|part| !part.is_empty())
            .count();
        form(["~0", "~1", "~2", "~3", "~4"][below.min(4)]);
    }
}

/// Runs of letters and runs of digits.
pub(crate) fn runs(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest
            .find(|sign: char| sign.is_numeric() != first.is_numeric())
            .unwrap_or(rest.len());
        let (run, behind) = rest.split_at(end);
        rest = behind;
        Some(run)
    })
}

/// A name with its runs of letters as `a` and of digits as `9`; the endings of pages are left out.
pub(crate) fn masked(name: &str) -> String {
    let name = name
        .strip_suffix(".html")
        .or(name.strip_suffix(".htm"))
        .unwrap_or(name);
    let mut out = String::with_capacity(8);
    for sign in name.chars().take(48) {
        let mask = if sign.is_numeric() {
            '9'
        } else if sign.is_alphabetic() {
            'a'
        } else {
            sign
        };
        if !(out.ends_with(mask) && mask.is_alphanumeric()) {
            out.push(mask);
        }
    }
    out
}

/// The word at hand and the one before it, in lower case without accents, numbers as `#`.
#[derive(Default)]
pub(crate) struct WordBuffer {
    pub(crate) word: String,
    pub(crate) hash: u64,
    last: String,
    before: Option<u64>,
}

impl WordBuffer {
    pub(crate) fn next(&mut self, word: &str) {
        self.word.clear();
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            self.word.push('#');
        } else if word.is_ascii() {
            self.word
                .extend(word.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
        } else {
            self.word.push_str(&folded(&word.to_lowercase()));
        }
        self.hash = hash(self.word.bytes());
    }

    pub(crate) fn pair(&self) -> Option<u64> {
        Some(self.before?.rotate_left(17) ^ self.hash)
    }

    pub(crate) fn turn(&mut self) {
        self.before = Some(self.hash);
        std::mem::swap(&mut self.word, &mut self.last);
    }
}

/// FNV-1a: the same on every machine and for ever, because examples are kept by it.
pub(crate) fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The number of a word in its place, well mixed.
fn number_of(place: Place, hash: u64) -> u32 {
    mixed(hash ^ (place as u64) << 56, BUCKETS)
}

/// One of `count` numbers; `count` is a power of two.
pub(crate) fn mixed(hash: u64, count: usize) -> u32 {
    let mut mixed = hash;
    mixed ^= mixed >> 32;
    mixed = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^= mixed >> 29;
    (mixed as u32) & (count as u32 - 1)
}
