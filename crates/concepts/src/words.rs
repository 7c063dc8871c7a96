//! The words of a text, in order, with their stems and places.
//!
//! A paragraph ends at an empty line: a single line end is where someone wrapped a line. A sentence ends at a full stop that is
//! followed by white space and no small letter. Scripts that write no blanks between words (Han, kana) give pairs of
//! neighbouring characters, which is what can be said about them without a dictionary.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use crate::language::Analyser;

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
        language,
        words: Vec::new(),
        sentence: 0,
        paragraph: 0,
        after_break: true,
        ends: false,
        line_ends: 0,
    };
    let mut character = 0;
    let mut pieces = text.split_word_bound_indices().peekable();
    while let Some((start, piece)) = pieces.next() {
        let end = start + piece.len();
        let long = piece.chars().count() as u32;
        let begins = piece.chars().next().unwrap_or(' ');
        if is_unspaced(begins) {
            // The segmenter gives such characters one by one: they are taken together first.
            let mut end = end;
            while let Some((at, next)) = pieces.next_if(|(_, next)| next.chars().all(is_unspaced)) {
                end = at + next.len();
            }
            character += reader.take_unspaced(&text[start..end], start, character);
            continue;
        }
        if begins.is_alphanumeric() {
            reader.take(piece, start..end, character..character + long);
        } else {
            reader.pass(piece);
        }
        character += long;
    }
    reader.words
}

/// Whether a character belongs to a script that writes no blanks between words.
fn is_unspaced(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

struct Reader<'a> {
    language: &'a Analyser,
    words: Vec<PlacedWord>,
    sentence: u32,
    paragraph: u32,
    after_break: bool,
    /// A full stop has been read: the sentence ends if no small letter follows.
    ends: bool,
    /// Line ends since the last word.
    line_ends: u32,
}

impl Reader<'_> {
    fn take(&mut self, piece: &str, bytes: Range<usize>, characters: Range<u32>) {
        self.begin(piece.starts_with(char::is_lowercase));
        let lower = lower(piece);
        let counts = !self.language.is_stop_word(&lower)
            && lower.chars().any(char::is_alphabetic)
            && (2..=WORD_MAX).contains(&lower.chars().count());
        let stem = if counts { self.language.stem(&lower) } else { lower };
        self.push(bytes, characters, stem, counts);
    }

    /// Takes neighbouring characters in pairs, or one that stands alone, and says how many characters there were.
    fn take_unspaced(&mut self, run: &str, start: usize, first: u32) -> u32 {
        self.begin(false);
        let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
        let long = starts.len() - 1;
        for at in 0..long.saturating_sub(1).max(1) {
            let to = (at + 2).min(long);
            let pair = &run[starts[at]..starts[to]];
            let counts = to - at == 2 && !self.language.is_stop_word(pair);
            let characters = first + at as u32..first + to as u32;
            self.push(
                start + starts[at]..start + starts[to],
                characters,
                pair.nfc().collect(),
                counts,
            );
        }
        long as u32
    }

    fn push(&mut self, bytes: Range<usize>, characters: Range<u32>, stem: String, counts: bool) {
        let position = self.words.len() as u32;
        let after_break = std::mem::take(&mut self.after_break);
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

    /// Passes what stands between words.
    fn pass(&mut self, piece: &str) {
        match piece {
            "." | "!" | "?" | "…" => {
                self.ends = true;
                self.after_break = true;
            }
            "。" | "！" | "？" => {
                self.sentence += 1;
                self.after_break = true;
            }
            _ if piece.chars().all(char::is_whitespace) => self.line_ends += u32::from(piece.contains('\n')),
            // A hyphen joins: `well-known` is read as two words that stand together.
            "-" | "\u{2010}" | "\u{2011}" | "'" | "’" => {}
            _ => self.after_break = true,
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

/// A word in small letters, in one form of each character, with a plain apostrophe.
fn lower(piece: &str) -> String {
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
