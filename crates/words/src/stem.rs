//! A word's terms in a language, remembered: the same words come again and again.

use crate::{Language, Word, folded};
use frostem::Stemmer;
use std::collections::HashMap;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Words remembered of a language before all are forgotten.
const REMEMBERED_MAX: usize = 200_000;

/// What a word becomes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms {
    /// Its stem, accents off.
    pub stem: String,
    /// The stem it has when it is written without accents, where that is another.
    pub plain: Option<String>,
    /// The word itself without accents, where that is neither: for questions that give the beginning of a word.
    pub surface: Option<String>,
}

/// Makes terms in one language.
pub struct Stems {
    stemmer: Option<Stemmer>,
    known: HashMap<String, Terms>,
    buffer: String,
}

impl Stems {
    pub fn new(language: Language) -> Stems {
        Stems {
            stemmer: language.algorithm().map(Stemmer::new),
            known: HashMap::new(),
            buffer: String::new(),
        }
    }

    /// The terms of a word.
    pub fn terms(&mut self, word: &Word<'_>) -> &Terms {
        let mut lower = std::mem::take(&mut self.buffer);
        lower.clear();
        lowered(word.text, &mut lower);
        if self.known.len() > REMEMBERED_MAX {
            self.known.clear();
        }
        if !self.known.contains_key(&lower) {
            let stemmer = self.stemmer.filter(|_| !word.is_piece);
            self.known.insert(lower.clone(), make(stemmer, &lower));
        }
        self.buffer = lower;
        self.known
            .get(&self.buffer)
            .expect("it was put there if it was missing")
    }

    /// A word in lower case as its stem, accents still on.
    pub fn stem(&self, word: &str) -> String {
        match self.stemmer {
            Some(stemmer) => stemmer.stem(word).into_owned(),
            None => word.to_owned(),
        }
    }
}

fn make(stemmer: Option<Stemmer>, word: &str) -> Terms {
    let bare = folded(word);
    let Some(stemmer) = stemmer.filter(|_| !word.bytes().any(|b| b.is_ascii_digit())) else {
        return Terms {
            stem: bare.into_owned(),
            ..Terms::default()
        };
    };
    let stem = folded(&stemmer.stem(word)).into_owned();
    let plain = (bare != word)
        .then(|| folded(&stemmer.stem(&bare)).into_owned())
        .filter(|plain| *plain != stem && !plain.is_empty());
    let surface = (bare != stem && plain.as_deref() != Some(&*bare)).then(|| bare.clone().into_owned());
    if stem.is_empty() {
        return Terms {
            stem: bare.into_owned(),
            ..Terms::default()
        };
    }
    Terms { stem, plain, surface }
}

/// In lower case and composed, wide forms narrowed where people mix them.
fn lowered(word: &str, into: &mut String) {
    if word.is_ascii() {
        into.extend(word.bytes().map(|b| char::from(b.to_ascii_lowercase())));
        return;
    }
    let lower = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        c => c,
    };
    let chars = word.chars().map(lower).flat_map(char::to_lowercase);
    // `İ` in lower case is an i with a dot above it, which nobody types.
    let chars = chars.filter(|c| !matches!(c, '\u{307}' | '\u{200c}' | '\u{200d}'));
    if is_nfc_quick(word.chars()) == IsNormalized::Yes {
        into.extend(chars);
    } else {
        into.extend(chars.nfc());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    fn terms(language: &str, text: &str) -> Terms {
        let mut stems = Stems::new(Language::parse(language).expect("a language"));
        let mut found = Vec::new();
        words(text, |word| found.push(stems.terms(&word).clone()));
        assert_eq!(found.len(), 1, "{text}");
        found.remove(0)
    }

    #[test]
    fn a_word_has_the_stem_of_its_language() {
        assert_eq!(terms("en", "Connections").stem, "connect");
        assert_eq!(terms("en", "Connections").surface.as_deref(), Some("connections"));
        assert_eq!(terms("de", "Häuser").stem, terms("de", "Haus").stem);
        assert_eq!(terms("und", "Connections").stem, "connections");
        assert_eq!(terms("en", "1990s").stem, "1990s");
        assert_eq!(terms("tr", "İstanbul").stem, terms("tr", "istanbul").stem);
        assert_eq!(terms("und", "Ｗｅｂ").stem, "web");
    }

    #[test]
    fn a_word_is_found_without_its_accents() {
        for (language, word, bare) in [
            ("fr", "généralité", "generalite"),
            ("fr", "cafés", "cafes"),
            ("es", "canción", "cancion"),
            ("pt", "informações", "informacoes"),
        ] {
            let kept = terms(language, word);
            let asked = terms(language, bare);
            assert!(
                kept.stem == asked.stem || kept.plain.as_deref() == Some(&asked.stem),
                "{word}: {kept:?} {asked:?}"
            );
        }
    }
}
