//! The topic's own words, and S1's rule on them: the judge where there are no examples.
//!
//! S1 takes a page with more than one different keyword. Here that is where the odds are even; more words, words in the title and
//! words that come often raise them. A phrase counts where its words follow each other.

use super::seen::WordBuffer;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Different topic words beyond these say no more.
const ENOUGH: f32 = 4.0;

/// The words that name a topic.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Keywords {
    /// As given.
    words: Vec<String>,
    /// By the first word of each as it is compared: the others that must follow, and which keyword it is.
    first: BTreeMap<String, Vec<(Vec<String>, usize)>>,
}

/// Which of the topic's words a page has.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct KeywordHits {
    /// Places in the list of keywords.
    pub different: BTreeSet<usize>,
    pub in_title: BTreeSet<usize>,
    /// All occurrences.
    pub times: u32,
    /// Words of the page that were looked at.
    pub of: u32,
}

impl Keywords {
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> Keywords {
        let mut keywords = Keywords::default();
        for word in words {
            let mut parts = compared(word);
            if parts.is_empty() {
                continue;
            }
            let place = keywords.words.len();
            let first = parts.remove(0);
            keywords.first.entry(first).or_default().push((parts, place));
            keywords.words.push(word.to_owned());
        }
        keywords
    }

    /// A file of keywords: one in a line; what stands behind `#` is a note.
    pub fn of_file(text: &str) -> Keywords {
        let lines = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or("").trim());
        Keywords::new(lines.filter(|line| !line.is_empty()))
    }

    /// The keywords that a page names itself (`<meta name=keywords>`), parted by commas or semicolons.
    pub fn of_meta(content: &str) -> Keywords {
        Keywords::new(
            content
                .split([',', ';'])
                .map(str::trim)
                .filter(|word| !word.is_empty()),
        )
    }

    pub fn words(&self) -> &[String] {
        &self.words
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(super) fn counter(&self) -> KeywordCounter<'_> {
        KeywordCounter {
            keywords: self,
            waiting: Vec::new(),
            hits: KeywordHits::default(),
            word: String::new(),
        }
    }

    /// Which keywords a text has.
    pub fn hits(&self, title: &str, text: &str) -> KeywordHits {
        let mut counter = self.counter();
        let mut buffer = WordBuffer::default();
        for (part, is_title) in [(title, true), (text, false)] {
            gleaner_words::words(part, |word| {
                buffer.next(word.text);
                counter.word(&buffer.word, is_title);
            });
            counter.waiting.clear();
        }
        counter.hits()
    }
}

/// The words of a keyword as they are compared: in lower case, accents off, without the endings of plurals.
fn compared(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut buffer = WordBuffer::default();
    gleaner_words::words(text, |word| {
        buffer.next(word.text);
        parts.push(singular(&buffer.word).to_owned());
    });
    parts
}

/// Without the ending of a plural, where it is plainly one.
fn singular(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() >= 3 && !stem.ends_with(['s', 'u', 'i']) => stem,
        _ => word,
    }
}

/// Counts the words of a page as they come.
pub(super) struct KeywordCounter<'a> {
    keywords: &'a Keywords,
    /// Phrases of which the first words were seen: what must follow, and which keyword it is.
    waiting: Vec<(&'a [String], usize)>,
    hits: KeywordHits,
    word: String,
}

impl KeywordCounter<'_> {
    pub(super) fn word(&mut self, word: &str, is_title: bool) {
        self.hits.of += 1;
        if self.keywords.first.is_empty() {
            return;
        }
        self.word.clear();
        self.word.push_str(singular(word));
        let mut found = Vec::new();
        let mut waiting = Vec::new();
        for (rest, place) in self.waiting.drain(..) {
            match rest {
                [next, behind @ ..] if *next == self.word && behind.is_empty() => found.push(place),
                [next, behind @ ..] if *next == self.word => waiting.push((behind, place)),
                _ => {}
            }
        }
        for (rest, place) in self.keywords.first.get(&self.word).into_iter().flatten() {
            if rest.is_empty() {
                found.push(*place);
            } else {
                waiting.push((rest.as_slice(), *place));
            }
        }
        self.waiting = waiting;
        for place in found {
            self.hits.times += 1;
            self.hits.different.insert(place);
            if is_title {
                self.hits.in_title.insert(place);
            }
        }
    }

    pub(super) fn hits(self) -> KeywordHits {
        self.hits
    }
}

impl KeywordHits {
    /// S1's rule for a page.
    pub fn seed_rule(&self) -> bool {
        self.different.len() > 1
    }

    /// The logarithm of the odds that the page is on the topic, where nothing else is known. `weight` says what a keyword counts,
    /// 0 to 1: one that all pages have says nothing.
    pub fn odds(&self, weight: impl Fn(usize) -> f32) -> f32 {
        let different: f32 = self.different.iter().map(|place| weight(*place)).sum();
        let in_title: f32 = self.in_title.iter().map(|place| weight(*place)).sum();
        let per_hundred = 100.0 * self.times as f32 / (self.of as f32).max(50.0);
        if different <= 0.0 {
            return -4.0;
        }
        -3.0 + 1.5 * different.min(ENOUGH)
            + 1.5 * in_title.min(1.0)
            + per_hundred.min(2.0) * different.min(1.0)
    }
}
