//! How the index cuts its texts into terms. A text carries its language in front of it, and a mark between passages:
//! `en␁first passage␂second passage`. A phrase does not reach over that mark.

use crate::Language;
use gleaner_words::{Stems, Word, words};
use std::collections::HashMap;
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer, TokenizerManager};

/// Stems only.
pub(super) const STEMS: &str = "stems";
/// Stems, and words that differ from them at the same place.
pub(super) const BOTH: &str = "stems-and-words";
/// Words that differ from their stems only.
pub(super) const SURFACE: &str = "words";

const BEHIND_LANGUAGE: char = '\u{1}';
const BETWEEN_PASSAGES: char = '\u{2}';

pub(super) fn register(tokenizers: &TokenizerManager) {
    for (name, wanted) in [
        (STEMS, Wanted::Stems),
        (BOTH, Wanted::Both),
        (SURFACE, Wanted::Surface),
    ] {
        let cutter = Cutter {
            wanted,
            stems: Memory::default(),
        };
        tokenizers.register(name, TextAnalyzer::from(cutter));
    }
}

/// A text as the index takes it.
pub(super) struct Marked(String);

impl Marked {
    pub(super) fn new(language: Language) -> Marked {
        Marked(format!("{}{BEHIND_LANGUAGE}", language.code()))
    }

    pub(super) fn push(&mut self, passage: &str) {
        self.0.push_str(passage);
        self.0.push(BETWEEN_PASSAGES);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.ends_with(BEHIND_LANGUAGE)
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Stems,
    Both,
    Surface,
}

/// Stems by language. A copy begins with nothing: what is remembered belongs to one thread.
#[derive(Default)]
struct Memory(HashMap<Language, Stems>);

impl Clone for Memory {
    fn clone(&self) -> Memory {
        Memory::default()
    }
}

#[derive(Clone)]
struct Cutter {
    wanted: Wanted,
    stems: Memory,
}

impl Tokenizer for Cutter {
    type TokenStream<'a> = Cut;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Cut {
        let (code, text) = text.split_once(BEHIND_LANGUAGE).unwrap_or(("", text));
        let language = Language::parse(code).unwrap_or(Language::UNKNOWN);
        let stems = self
            .stems
            .0
            .entry(language)
            .or_insert_with(|| Stems::new(language));
        let wanted = self.wanted;
        let mut cut = Cut::default();
        for passage in text.split(BETWEEN_PASSAGES) {
            words(passage, |word: Word<'_>| {
                let terms = stems.terms(&word);
                if wanted != Wanted::Surface {
                    cut.push(&terms.stem);
                    if let Some(plain) = &terms.plain {
                        cut.push(plain);
                    }
                }
                if wanted != Wanted::Stems
                    && let Some(surface) = &terms.surface
                {
                    cut.push(surface);
                }
                cut.position += 1;
            });
            cut.position += 1;
        }
        cut
    }
}

/// Terms one after the other in one string: a text has thousands, and none of them wants an allocation of its own.
#[derive(Default)]
struct Cut {
    text: String,
    /// Where each ends, and its place.
    ends: Vec<(u32, u32)>,
    /// Of what comes next.
    position: u32,
    next: usize,
    token: Token,
}

impl Cut {
    fn push(&mut self, term: &str) {
        self.text.push_str(term);
        self.ends.push((self.text.len() as u32, self.position));
    }
}

impl TokenStream for Cut {
    fn advance(&mut self) -> bool {
        let Some(&(end, position)) = self.ends.get(self.next) else {
            return false;
        };
        let from = self.next.checked_sub(1).map_or(0, |before| self.ends[before].0);
        self.token.text.clear();
        self.token.text.push_str(&self.text[from as usize..end as usize]);
        self.token.position = position as usize;
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
