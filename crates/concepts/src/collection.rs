//! The documents whose concepts are asked for.
//!
//! What a document gives is found from its own text alone. What the collection decides (which words are too rare or too common,
//! what is frequent) is decided when the table is made, from the documents that are there then. So adding and removing
//! documents in any order gives the table that the same documents give from scratch.

use std::collections::BTreeMap;

use foldhash::HashMap;

use crate::mine;
use crate::table::{ConceptOptions, ConceptTable};
use gleaner_words::Analyser;
use gleaner_words::{PlacedWord, words_of};

/// A paragraph that is longer is cut at the ends of sentences, in words that count.
const WINDOW_MAX: usize = 60;

/// Documents by their key, which the caller chooses.
#[derive(Default)]
pub struct Collection {
    pub(crate) documents: BTreeMap<u64, Document>,
    pub(crate) stems: Names,
    pub(crate) surfaces: Names,
}

/// What is kept of a document.
pub(crate) struct Document {
    pub(crate) language: &'static str,
    /// Words that count, window after window.
    pub(crate) places: Vec<Place>,
    /// Where each window ends in `places`.
    pub(crate) ends: Vec<u32>,
}

/// A word that counts.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) stem: u32,
    pub(crate) surface: u32,
    /// How many words of the document stand before it.
    pub(crate) position: u32,
    /// In characters of the text.
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Document {
    /// The windows in order.
    pub(crate) fn windows(&self) -> impl Iterator<Item = &[Place]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.places[start as usize..*end as usize])
    }
}

impl Collection {
    /// Adds a document, in place of the one that had its key. Its language is what its text shows, or what it declares.
    pub fn add(&mut self, key: u64, text: &str, declared: Option<&str>) {
        self.insert(key, &ReadText::of(text, declared));
    }

    /// The same for a text that was read before, by another thread perhaps.
    pub fn insert(&mut self, key: u64, reading: &ReadText) {
        let stems: Vec<u32> = reading.stems.iter().map(|stem| self.stems.number(stem)).collect();
        let surfaces: Vec<u32> = reading
            .surfaces
            .iter()
            .map(|one| self.surfaces.number(one))
            .collect();
        let numbered = |place: &Place| Place {
            stem: stems[place.stem as usize],
            surface: surfaces[place.surface as usize],
            ..*place
        };
        let document = Document {
            language: reading.document.language,
            places: reading.document.places.iter().map(numbered).collect(),
            ends: reading.document.ends.clone(),
        };
        self.documents.insert(key, document);
    }

    /// Takes a document away.
    pub fn remove(&mut self, key: u64) {
        self.documents.remove(&key);
    }

    pub fn len(&self) -> usize {
        self.documents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The concepts of the documents that are there now.
    pub fn table(&self, options: &ConceptOptions) -> ConceptTable {
        mine::table(self, options)
    }
}

/// A text that has been read: what a collection takes, found from the text alone.
pub struct ReadText {
    /// Its words by their numbers in `stems` and `surfaces`.
    document: Document,
    stems: Vec<Box<str>>,
    surfaces: Vec<Box<str>>,
}

impl ReadText {
    pub fn of(text: &str, declared: Option<&str>) -> ReadText {
        let language = Analyser::of(gleaner_words::language_of(text, declared));
        let words = words_of(text, language);
        let (mut stems, mut surfaces) = (Names::default(), Names::default());
        let (mut places, mut ends) = (Vec::new(), Vec::new());
        for window in windows_of(&words) {
            places.extend(window.iter().map(|word| Place {
                stem: stems.number(&word.stem),
                surface: surfaces.number(&text[word.bytes.clone()]),
                position: word.position,
                start: word.characters.start,
                end: word.characters.end,
            }));
            ends.push(places.len() as u32);
        }
        ReadText {
            document: Document {
                language: language.code,
                places,
                ends,
            },
            stems: stems.names,
            surfaces: surfaces.names,
        }
    }
}

/// The windows of a text: its paragraphs, long ones cut at the ends of sentences, a sentence without end after so many words.
/// No word is in two windows, so that nothing is counted twice and the law of closure holds.
fn windows_of(words: &[PlacedWord]) -> Vec<Vec<&PlacedWord>> {
    let mut windows: Vec<Vec<&PlacedWord>> = Vec::new();
    for paragraph in words.chunk_by(|left, right| left.paragraph == right.paragraph) {
        let mut window = Vec::new();
        for sentence in paragraph.chunk_by(|left, right| left.sentence == right.sentence) {
            let counting: Vec<&PlacedWord> = sentence.iter().filter(|word| word.counts).collect();
            if !window.is_empty() && window.len() + counting.len() > WINDOW_MAX {
                windows.push(std::mem::take(&mut window));
            }
            for word in counting {
                if window.len() == WINDOW_MAX {
                    windows.push(std::mem::take(&mut window));
                }
                window.push(word);
            }
        }
        if !window.is_empty() {
            windows.push(window);
        }
    }
    windows
}

/// Texts by number, each stored once.
#[derive(Default)]
pub(crate) struct Names {
    numbers: HashMap<Box<str>, u32>,
    names: Vec<Box<str>>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    pub(crate) fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paragraphs_are_cut_at_sentences_and_no_word_is_in_two_windows() {
        let sentence = "alpha beta gamma delta epsilon zeta eta theta iota kappa. ";
        let text = format!("{}\n\nshort one here", sentence.repeat(13));
        let words = words_of(&text, Analyser::of("xx"));
        let windows = windows_of(&words);
        let sizes: Vec<usize> = windows.iter().map(Vec::len).collect();
        assert_eq!(sizes, [60, 60, 10, 3]);
        let mut positions: Vec<u32> = windows.iter().flatten().map(|word| word.position).collect();
        positions.dedup();
        assert_eq!(positions.len(), words.len());
    }

    #[test]
    fn a_sentence_without_end_is_cut() {
        let words = words_of(&"word ".repeat(150), Analyser::of("xx"));
        assert_eq!(
            windows_of(&words).iter().map(Vec::len).collect::<Vec<_>>(),
            [60, 60, 30]
        );
    }
}
