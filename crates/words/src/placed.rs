//! The words of a text, in order, with their stems, sentences and paragraphs.
//!
//! A paragraph ends at an empty line: a single line end is where someone wrapped a line. A sentence ends at a full stop that is
//! followed by white space and no small letter. What [`words`](crate::words) cuts apart is joined again where UAX 29 sees one
//! word: `don't`, `e.g`, `3.14`, `snake_case`. Scripts that write no blanks between words give pairs of neighbouring
//! characters, which is what can be said about them without a dictionary.

use crate::stop_words::BEGIN_NAMES;
use crate::{Analyser, Word, words};
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// A word is rarely longer; what is longer is a key, an address or a formula. In characters.
const WORD_MAX: usize = 40;

/// A word where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedWord {
    /// As written, in bytes of the text.
    pub bytes: Range<usize>,
    /// As written, in characters of the text.
    pub characters: Range<u32>,
    /// What its forms have in common.
    pub stem: String,
    /// How many words stand before it.
    pub position: u32,
    pub sentence: u32,
    pub paragraph: u32,
    /// Whether it may be part of a concept: no stop word, no number, no rubbish.
    pub counts: bool,
    /// Whether something other than blanks stands between it and the word before.
    pub after_break: bool,
}

/// The words of a text.
pub fn words_of(text: &str, language: &Analyser) -> Vec<PlacedWord> {
    let mut reader = Reader {
        text,
        language,
        words: Vec::new(),
        sentence: 0,
        paragraph: 0,
        after_break: true,
        ends: false,
        line_ends: 0,
        open: None,
        read: 0,
        counted: (0, 0),
    };
    words(text, |word| reader.take(&word));
    reader.close();
    count_names(text, language, &mut reader.words);
    reader.words
}

/// A word that says nothing by itself may begin a name: `New Zealand`, `New York`. It counts where it and the word behind it are
/// written with a capital.
fn count_names(text: &str, language: &Analyser, words: &mut [PlacedWord]) {
    let is_name = |word: &PlacedWord| text[word.bytes.clone()].starts_with(char::is_uppercase);
    for at in 1..words.len() {
        let (before, behind) = words.split_at_mut(at);
        let (word, next) = (&mut before[at - 1], &behind[0]);
        if BEGIN_NAMES.contains(&word.stem.as_str())
            && !word.counts
            && next.counts
            && !next.after_break
            && is_name(word)
            && is_name(next)
        {
            word.counts = true;
            word.stem = language.stem(&word.stem);
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    language: &'a Analyser,
    words: Vec<PlacedWord>,
    sentence: u32,
    paragraph: u32,
    after_break: bool,
    /// A full stop has been read: the sentence ends if no small letter follows.
    ends: bool,
    /// Line ends since the last word.
    line_ends: u32,
    /// A word that may go on.
    open: Option<Range<usize>>,
    /// In bytes: everything before has been read.
    read: usize,
    /// A place in bytes, and the same place in characters.
    counted: (usize, u32),
}

impl Reader<'_> {
    fn take(&mut self, word: &Word<'_>) {
        let Range { start, end } = word.range;
        if word.is_piece {
            self.close();
            self.take_piece(word);
            return;
        }
        if let Some(open) = &mut self.open
            && is_joined(&self.text[open.clone()], &self.text[open.end..start], word.text)
        {
            open.end = end;
            self.read = end;
            return;
        }
        self.close();
        self.pass(start);
        self.open = Some(start..end);
        self.read = end;
    }

    /// Ends the word that was open.
    fn close(&mut self) {
        let Some(bytes) = self.open.take() else {
            return;
        };
        let piece = &self.text[bytes.clone()];
        self.begin(piece.starts_with(char::is_lowercase));
        let lower = lower(piece);
        let counts = !self.language.is_stop_word(&lower)
            && lower.chars().any(char::is_alphabetic)
            && (2..=WORD_MAX).contains(&lower.chars().count());
        let stem = if counts { self.language.stem(&lower) } else { lower };
        self.push(bytes, stem, counts);
    }

    /// Takes a pair of neighbouring characters, or one that stands alone. The last of a run is part of the pair before it.
    fn take_piece(&mut self, word: &Word<'_>) {
        if word.range.end <= self.read {
            return;
        }
        self.pass(word.range.start);
        self.begin(false);
        let is_pair = word.text.chars().nth(1).is_some();
        let counts = is_pair && !self.language.is_stop_word(word.text);
        self.push(word.range.clone(), word.text.nfc().collect(), counts);
        self.read = word.range.end;
    }

    fn push(&mut self, bytes: Range<usize>, stem: String, counts: bool) {
        let position = self.words.len() as u32;
        let after_break = std::mem::take(&mut self.after_break);
        let start = self.counted.1 + characters(&self.text[self.counted.0..bytes.start]);
        self.counted = (bytes.start, start);
        let characters = start..start + characters(&self.text[bytes.clone()]);
        self.words.push(PlacedWord {
            bytes,
            characters,
            stem,
            position,
            sentence: self.sentence,
            paragraph: self.paragraph,
            counts,
            after_break,
        });
    }

    /// Passes what stands between the last word and this place.
    fn pass(&mut self, to: usize) {
        let between = self.text.get(self.read..to).unwrap_or_default();
        for character in between.chars() {
            match character {
                '.' | '!' | '?' | '…' => {
                    self.ends = true;
                    self.after_break = true;
                }
                '。' | '！' | '？' => {
                    self.sentence += 1;
                    self.after_break = true;
                }
                '\n' => self.line_ends += 1,
                // A hyphen joins: `well-known` is read as two words that stand together.
                '-' | '\u{2010}' | '\u{2011}' | '\'' | '’' => {}
                _ if character.is_whitespace() => {}
                _ => self.after_break = true,
            }
        }
    }

    /// Goes on to the next paragraph or sentence where what stood before this word ended one.
    fn begin(&mut self, goes_on: bool) {
        let full_stop = std::mem::take(&mut self.ends) && !goes_on;
        let empty_line = std::mem::take(&mut self.line_ends) > 1;
        if empty_line && !self.words.is_empty() {
            self.paragraph += 1;
            self.after_break = true;
        }
        if full_stop || (empty_line && !self.words.is_empty()) {
            self.sentence += 1;
        }
    }
}

/// Whether two words with this between them are one word by UAX 29.
fn is_joined(left: &str, between: &str, right: &str) -> bool {
    let (Some(last), Some(first)) = (left.chars().next_back(), right.chars().next()) else {
        return false;
    };
    let are = |kind: fn(char) -> bool| kind(last) && kind(first);
    match between {
        "'" | "’" | "." => are(char::is_alphabetic) || are(char::is_numeric),
        ":" | "·" => are(char::is_alphabetic),
        "," | ";" => are(char::is_numeric),
        _ => !between.is_empty() && between.chars().all(|character| character == '_'),
    }
}

fn characters(text: &str) -> u32 {
    text.chars().count() as u32
}

/// A word in small letters, in one form of each character, with a plain apostrophe.
fn lower(piece: &str) -> String {
    if piece.is_ascii() {
        return piece.to_ascii_lowercase();
    }
    piece
        .nfc()
        .flat_map(char::to_lowercase)
        .map(|character| if character == '’' { '\'' } else { character })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(text: &str, code: &str) -> Vec<String> {
        words_of(text, Analyser::of(code))
            .into_iter()
            .filter(|word| word.counts)
            .map(|word| word.stem)
            .collect()
    }

    #[test]
    fn words_are_stemmed_and_stop_words_do_not_count() {
        assert_eq!(
            stems("The crawlers were running over 25 networks.", "en"),
            ["crawler", "run", "network"]
        );
    }

    #[test]
    fn a_stop_word_counts_at_the_beginning_of_a_name() {
        assert_eq!(
            stems("A new farm in New Zealand. New, Zealand", "en"),
            ["farm", "new", "zealand", "zealand"]
        );
    }

    #[test]
    fn names_with_accents_stay_whole() {
        assert_eq!(stems("César Chávez", "en"), ["césar", "chávez"]);
        assert_eq!(stems("Ce\u{301}sar", "en"), ["césar"]);
    }

    #[test]
    fn paragraphs_end_at_empty_lines_and_sentences_at_full_stops() {
        let words = words_of("One line\nwrapped. Next e.g. this.\n \nLast", Analyser::of("xx"));
        let places: Vec<_> = words.iter().map(|word| (word.paragraph, word.sentence)).collect();
        assert_eq!(places, [(0, 0), (0, 0), (0, 0), (0, 1), (0, 1), (0, 1), (1, 2)]);
    }

    #[test]
    fn what_is_one_word_stays_one() {
        let text = "Don't e.g. 3.14 snake_case a.b.c well-known 1,000 left.Right end.";
        let words: Vec<_> = words_of(text, Analyser::of("xx"))
            .into_iter()
            .map(|word| text[word.bytes].to_owned())
            .collect();
        let wanted = [
            "Don't",
            "e.g",
            "3.14",
            "snake_case",
            "a.b.c",
            "well",
            "known",
            "1,000",
            "left.Right",
            "end",
        ];
        assert_eq!(words, wanted);
    }

    #[test]
    fn scripts_without_blanks_give_pairs_of_characters() {
        assert_eq!(stems("机器学习。数据", "zh"), ["机器", "器学", "学习", "数据"]);
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "Über die Straße, 日本語 gehen.";
        for word in words_of(text, Analyser::of("de")) {
            let by_characters: String = text
                .chars()
                .skip(word.characters.start as usize)
                .take(word.characters.len())
                .collect();
            assert_eq!(by_characters, text[word.bytes.clone()]);
        }
    }
}
