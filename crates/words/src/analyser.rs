//! A language with what is known about its words: their stems, and which of them say nothing by themselves.

use crate::Language;
use crate::stop_words::MORE_ENGLISH;
use foldhash::{HashSet, HashSetExt};
use frostem::Stemmer;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A language with what is known about it. Where there is no stemmer or no list, words stay as they are.
pub struct Analyser {
    /// As [`Language::code`] gives it.
    pub code: &'static str,
    stemmer: Option<Stemmer>,
    stop_words: HashSet<&'static str>,
}

impl Analyser {
    /// The language of this code; one that knows nothing where the code is not known.
    pub fn of(code: &str) -> &'static Analyser {
        static KNOWN: OnceLock<Mutex<HashMap<Language, &'static Analyser>>> = OnceLock::new();
        let language = Language::parse(code).unwrap_or(Language::UNKNOWN);
        let mut known = KNOWN
            .get_or_init(Mutex::default)
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        known
            .entry(language)
            .or_insert_with(|| Box::leak(Box::new(Analyser::new(language))))
    }

    fn new(language: Language) -> Self {
        let mut stop_words = HashSet::new();
        stop_words.extend(stop_words::lookup(language.code()).unwrap_or_default());
        if language == Language::ENGLISH {
            stop_words.extend(MORE_ENGLISH);
        }
        Self {
            code: language.code(),
            stemmer: language.algorithm().map(Stemmer::new),
            stop_words,
        }
    }

    /// The stem of a word in lower case.
    pub fn stem(&self, word: &str) -> String {
        match &self.stemmer {
            Some(stemmer) => stemmer.stem(word).into_owned(),
            None => word.to_owned(),
        }
    }

    /// Whether a word in lower case says nothing by itself.
    pub fn is_stop_word(&self, word: &str) -> bool {
        self.stop_words.contains(word)
    }
}

/// The code of the language that a text is written in, see [`Language::of_declared`].
pub fn language_of(text: &str, declared: Option<&str>) -> &'static str {
    Language::of_declared(text, declared).code()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart() {
        let of = |text| language_of(text, None);
        assert_eq!(
            of(
                "The cat sat on the mat and looked at the dog that was barking in the garden of our neighbours."
            ),
            "en"
        );
        assert_eq!(
            of("Die Katze saß auf der Matte und sah den Hund an, der im Garten unserer Nachbarn bellte."),
            "de"
        );
        assert_eq!(
            of("Москва является столицей России и крупнейшим по численности населения городом страны."),
            "ru"
        );
        assert_eq!(of("12345"), "und");
    }

    #[test]
    fn where_there_is_little_text_its_author_is_believed() {
        assert_eq!(language_of("Winter", Some("de-AT")), "de");
        assert_eq!(
            language_of(
                &"The cat sat on the mat and looked at the dog that was barking in the garden. ".repeat(3),
                Some("de")
            ),
            "en"
        );
        assert_eq!(language_of("42", Some("é")), "und");
    }

    #[test]
    fn every_language_that_is_listed_once_stems_or_leaves_words_as_they_are() {
        for language in Language::all() {
            assert_eq!(Language::all().filter(|one| *one == language).count(), 1);
            assert_eq!(Analyser::of(language.code()).code, language.code());
        }
        assert_eq!(Analyser::of("en").stem("running"), "run");
        assert_eq!(Analyser::of("zh").stem("词"), "词");
        assert_eq!(Analyser::of("xx").code, "und");
        assert!(Analyser::of("de").is_stop_word("und"));
    }
}
