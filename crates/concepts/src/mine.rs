//! From windows to the table of concepts.
//!
//! The support of a set of stems is the number of windows in which all of them stand within the span. A window that holds a set
//! holds each of its subsets, so a subset is never rarer (the law of closure), and a set can only be frequent if all its subsets
//! are: sets are counted level by level, pairs from frequent words, triples from frequent pairs.
//!
//! A set is named by a number of 64 bits: the row of its first words at the level below, and its last word, in the order of
//! their stems. The trap is memory: pairs are many. Where a map would grow too large the work is done in shares, each
//! counting its own part of the names; the numbers stay exact.

mod bonds;
mod rows;

use bonds::{topics, weigh};
use foldhash::{HashMap, HashMapExt};
use rows::Row;

use crate::collection::{Collection, Document, Place};
use crate::table::{Concept, ConceptOptions, ConceptTable, WORDS_MAX};

/// Sets that are counted at a time: what a map of 2^23 places takes, 25 bytes each, before it doubles.
const SETS_MAX: usize = 7_000_000;
/// Rows of a size that are kept. Where more are frequent, only what is more frequent counts from this size on: the bound is
/// found from the numbers alone, so the same documents give the same table.
const ROWS_MAX: usize = 500_000;

pub(crate) fn table(collection: &Collection, options: &ConceptOptions) -> ConceptTable {
    let mut languages: Vec<&'static str> = collection
        .documents
        .values()
        .map(|document| document.language)
        .collect();
    languages.sort_unstable();
    languages.dedup();
    let mut whole = ConceptTable {
        documents: collection.documents.len(),
        ..ConceptTable::default()
    };
    for language in languages {
        let documents: Vec<(u64, &Document)> = collection
            .documents
            .iter()
            .filter(|(_, one)| one.language == language)
            .map(|(key, one)| (*key, one))
            .collect();
        let mut part = Mine::new(collection, &documents, options, language).table();
        whole.windows += part.windows;
        whole.words += part.words;
        whole.windows_min = whole.windows_min.max(part.windows_min);
        for row in &mut part.rows {
            row.topic = row.topic.map(|topic| topic + whole.topics.len());
        }
        whole.rows.append(&mut part.rows);
        whole.topics.append(&mut part.topics);
    }
    whole.rows.sort_by(|left, right| {
        right
            .frequency
            .cmp(&left.frequency)
            .then_with(|| left.tokens.cmp(&right.tokens))
    });
    whole
}

/// The name of a set: the row of its first words at the level below, and its last word.
type Name = u64;

fn name(row: u32, word: u32) -> Name {
    u64::from(row) << 32 | u64::from(word)
}

/// A set in a window: where it stands closest.
#[derive(Clone, Copy)]
struct Found {
    name: Name,
    /// Places of the window, in the order of the text.
    at: [u8; WORDS_MAX],
    span: u32,
}

#[derive(Clone, Copy, Default)]
struct Counted {
    windows: u32,
    documents: u32,
    /// The last document that was counted, plus one.
    last: u32,
}

struct Mine<'a> {
    collection: &'a Collection,
    documents: &'a [(u64, &'a Document)],
    options: &'a ConceptOptions,
    language: &'static str,
    /// Windows that a frequent set has at least: as asked for, or more where there are too many.
    windows_min: u32,
    /// Frequent words by the number of their stem: their place in the order of the alphabet.
    ranks: HashMap<u32, u32>,
    /// Frequent sets of each level by name; level 0 has the words, named by their ranks.
    levels: Vec<HashMap<Name, u32>>,
}

impl<'a> Mine<'a> {
    fn new(
        collection: &'a Collection,
        documents: &'a [(u64, &'a Document)],
        options: &'a ConceptOptions,
        language: &'static str,
    ) -> Self {
        Self {
            collection,
            documents,
            options,
            language,
            windows_min: options.windows_min,
            ranks: HashMap::new(),
            levels: Vec::new(),
        }
    }

    fn table(&mut self) -> ConceptTable {
        let windows = self
            .documents
            .iter()
            .map(|(_, document)| document.ends.len() as u64)
            .sum();
        let words = self
            .documents
            .iter()
            .map(|(_, document)| document.places.len() as u64)
            .sum();
        self.choose_words();
        let mut rows = self.rows(1);
        for size in 2..=self.options.words_max.min(WORDS_MAX) {
            self.choose_sets(size);
            let more = self.rows(size);
            if more.is_empty() {
                break;
            }
            rows.extend(more);
        }
        let mut rows: Vec<Concept> = rows.into_iter().map(|row| row.finish(self)).collect();
        weigh(&mut rows, windows as f64);
        let topics = topics(&mut rows, self.language);
        ConceptTable {
            documents: self.documents.len(),
            windows,
            words,
            windows_min: self.windows_min,
            rows,
            topics,
        }
    }

    /// Finds the words that are neither too rare nor too common, and ranks them by the alphabet, so that nothing depends on the
    /// order in which documents came.
    fn choose_words(&mut self) {
        let mut counts: HashMap<u32, Counted> = HashMap::new();
        let mut seen: Vec<u32> = Vec::new();
        for (number, (_, document)) in self.documents.iter().enumerate() {
            for window in document.windows() {
                seen.clear();
                seen.extend(window.iter().map(|place| place.stem));
                seen.sort_unstable();
                seen.dedup();
                for stem in &seen {
                    count(counts.entry(*stem).or_default(), number);
                }
            }
        }
        let common = (self.options.share_max * self.documents.len() as f64).ceil() as u32;
        let common = common.max(self.options.documents_floor);
        let frequent = counts
            .into_iter()
            .filter(|(_, counted)| self.is_frequent(counted) && counted.documents <= common);
        let mut stems: Vec<u32> = frequent.map(|(stem, _)| stem).collect();
        stems.sort_unstable_by_key(|stem| self.collection.stems.name(*stem));
        self.ranks = stems
            .iter()
            .enumerate()
            .map(|(rank, stem)| (*stem, rank as u32))
            .collect();
        self.levels = vec![
            (0..stems.len() as u32)
                .map(|rank| (name(0, rank), rank))
                .collect(),
        ];
    }

    fn is_frequent(&self, counted: &Counted) -> bool {
        counted.windows >= self.windows_min && counted.documents >= self.options.documents_min
    }

    /// Counts the sets of this size and keeps the frequent ones.
    fn choose_sets(&mut self, size: usize) {
        let mut shares = 1;
        let mut names = loop {
            match self.frequent_names(size, shares) {
                Some(names) => break names,
                None => shares *= 2,
            }
        };
        self.windows_min = cut_rare(&mut names, self.windows_min, ROWS_MAX);
        names.sort_unstable();
        self.levels.push(
            names
                .into_iter()
                .enumerate()
                .map(|(row, (name, _))| (name, row as u32))
                .collect(),
        );
    }

    /// The names of the frequent sets with their windows, counted in so many shares; nothing where a share is too large.
    fn frequent_names(&self, size: usize, shares: u64) -> Option<Vec<(Name, u32)>> {
        let mut frequent = Vec::new();
        for share in 0..shares {
            let counts = self.count_share(size, share, shares)?.into_iter();
            frequent.extend(
                counts
                    .filter(|(_, counted)| self.is_frequent(counted))
                    .map(|(name, counted)| (name, counted.windows)),
            );
            // What is too rare among some is too rare among all.
            cut_rare(&mut frequent, self.windows_min, 2 * ROWS_MAX);
        }
        Some(frequent)
    }

    /// Counts the sets whose names fall into this share; nothing where even these are too many.
    fn count_share(&self, size: usize, share: u64, shares: u64) -> Option<HashMap<Name, Counted>> {
        let mut counts: HashMap<Name, Counted> = HashMap::new();
        let mut finder = SetFinder::new(self, size);
        for (number, (_, document)) in self.documents.iter().enumerate() {
            for window in document.windows() {
                for found in finder.sets(window) {
                    if shares > 1 && spread(found.name) % shares != share {
                        continue;
                    }
                    count(counts.entry(found.name).or_default(), number);
                }
            }
            if counts.len() > SETS_MAX {
                return None;
            }
        }
        Some(counts)
    }

    /// The rows of the frequent sets of this size, in the order of their numbers.
    fn rows(&self, size: usize) -> Vec<Row> {
        let level = &self.levels[size - 1];
        let mut rows: Vec<Row> = vec![Row::default(); level.len()];
        let mut finder = SetFinder::new(self, size);
        finder.only_known = true;
        for (number, (key, document)) in self.documents.iter().enumerate() {
            for window in document.windows() {
                for found in finder.sets(window) {
                    let row = level[&found.name] as usize;
                    let places: Vec<&Place> = found.at[..size]
                        .iter()
                        .map(|at| &window[usize::from(*at)])
                        .collect();
                    rows[row].take(number, *key, &places, self);
                }
            }
        }
        rows
    }
}

fn count(counted: &mut Counted, document: usize) {
    let document = document as u32 + 1;
    counted.windows += 1;
    if counted.last != document {
        counted.last = document;
        counted.documents += 1;
    }
}

/// Drops the rarest sets until no more than `most` are left, all of a kind or none, and says how many windows the others have
/// at least.
fn cut_rare(names: &mut Vec<(Name, u32)>, windows_min: u32, most: usize) -> u32 {
    if names.len() <= most {
        return windows_min;
    }
    let mut windows: Vec<u32> = names.iter().map(|(_, windows)| *windows).collect();
    windows.sort_unstable_by(|left, right| right.cmp(left));
    let least = windows[most].saturating_add(1).max(windows_min);
    names.retain(|(_, windows)| *windows >= least);
    least
}

/// Spreads names over shares.
fn spread(name: Name) -> u64 {
    (name ^ (name >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
}

/// Finds the sets of a window, each once, where it stands closest.
struct SetFinder<'a> {
    mine: &'a Mine<'a>,
    size: usize,
    /// Whether sets that are not in the level's own table are left out.
    only_known: bool,
    /// The places of the window that hold frequent words: place, rank, position.
    places: Vec<(u8, u32, u32)>,
    found: Vec<Found>,
}

impl<'a> SetFinder<'a> {
    fn new(mine: &'a Mine<'a>, size: usize) -> Self {
        Self {
            mine,
            size,
            only_known: false,
            places: Vec::new(),
            found: Vec::new(),
        }
    }

    fn sets(&mut self, window: &[Place]) -> &[Found] {
        self.places.clear();
        for (at, place) in window.iter().enumerate() {
            if let Some(rank) = self.mine.ranks.get(&place.stem) {
                self.places.push((at as u8, *rank, place.position));
            }
        }
        self.found.clear();
        let mut chosen = [0; WORDS_MAX];
        for first in 0..self.places.len() {
            chosen[0] = first;
            self.extend(&mut chosen, 1);
        }
        self.found
            .sort_by_key(|found| (found.name, found.span, found.at[0]));
        self.found.dedup_by_key(|found| found.name);
        &self.found
    }

    /// Adds one more place behind the last chosen one, until there are enough. What is not frequent is not extended.
    fn extend(&mut self, chosen: &mut [usize; WORDS_MAX], size: usize) {
        let Some(name) = self.name_of(&chosen[..size], size == self.size && !self.only_known) else {
            return;
        };
        let (_, _, start) = self.places[chosen[0]];
        let (_, _, end) = self.places[chosen[size - 1]];
        if size == self.size {
            let mut at = [0; WORDS_MAX];
            for (slot, place) in at.iter_mut().zip(&chosen[..size]) {
                *slot = self.places[*place].0;
            }
            self.found.push(Found {
                name,
                at,
                span: end - start,
            });
            return;
        }
        for next in chosen[size - 1] + 1..self.places.len() {
            if self.places[next].2 - start >= self.mine.options.span_max {
                break;
            }
            chosen[size] = next;
            self.extend(chosen, size + 1);
        }
    }

    /// The name of these places as a set of words: nothing if a word stands twice or the set is known to be rare. The last
    /// level is not looked up where it is only being counted.
    fn name_of(&self, chosen: &[usize], counting: bool) -> Option<Name> {
        let mut ranks = [0; WORDS_MAX];
        let ranks = &mut ranks[..chosen.len()];
        for (slot, place) in ranks.iter_mut().zip(chosen) {
            *slot = self.places[*place].1;
        }
        ranks.sort_unstable();
        if ranks.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        let mut last = name(0, ranks[0]);
        let mut row = ranks[0];
        for (level, rank) in ranks.iter().enumerate().skip(1) {
            last = name(row, *rank);
            if level + 1 == ranks.len() && counting {
                return Some(last);
            }
            row = *self.mine.levels[level].get(&last)?;
        }
        Some(last)
    }
}

#[cfg(test)]
mod tests;
