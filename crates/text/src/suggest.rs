//! What else could be asked? (F4, F5) The key phrases of the best answers, those first that most of them have.

use crate::TextError;
use crate::concepts::main_text;
use crate::find::{Finder, SearchHit};
use gleaner_concepts::phrases::{Background, phrases_of};
use gleaner_words::{Analyser, language_of, words_of};
use std::collections::{BTreeMap, BTreeSet};

/// Key phrases of an answer that are looked at.
const PHRASES: usize = 15;
/// What is read of a long answer: what a text is about it says at its beginning.
const TEXT_BYTES: usize = 20_000;

/// A phrase to go on with.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// As it is written most often in the best answer that has it.
    pub phrase: String,
    /// How many of the answers have it among their key phrases.
    pub answers: usize,
    /// The sum of its scores in them.
    pub score: f64,
}

impl Finder<'_> {
    /// Phrases that lead on from these answers to `words`, the best first. A phrase that only repeats the words is none.
    pub fn suggestions(
        &mut self,
        words: &str,
        answers: &[SearchHit],
        most: usize,
    ) -> Result<Vec<Suggestion>, TextError> {
        let mut texts: Vec<(String, &'static Analyser)> = Vec::new();
        // What all answers say, as `prep time` in recipes, says little about any of them.
        let mut background = Background::default();
        for answer in answers {
            let text = self.text(&answer.standing, answer.version)?;
            if let Some(text) = text.as_ref().and_then(main_text) {
                let text = beginning(&text).to_owned();
                let analyser = Analyser::of(language_of(&text, None));
                background.add(&text, analyser);
                texts.push((text, analyser));
            }
        }
        let mut found: BTreeMap<String, Suggestion> = BTreeMap::new();
        for (text, analyser) in texts {
            let asked: BTreeSet<String> = words_of(words, analyser)
                .into_iter()
                .map(|word| word.stem)
                .collect();
            for phrase in phrases_of(&text, analyser, Some(&background), PHRASES) {
                if phrase.stems.split(' ').all(|stem| asked.contains(stem)) {
                    continue;
                }
                let one = found.entry(phrase.stems).or_insert(Suggestion {
                    phrase: phrase.text,
                    answers: 0,
                    score: 0.0,
                });
                one.answers += 1;
                one.score += phrase.score;
            }
        }
        let mut found: Vec<Suggestion> = found.into_values().collect();
        found.sort_by(|left, right| {
            let by_score = right.score.total_cmp(&left.score);
            by_score.then_with(|| left.phrase.cmp(&right.phrase))
        });
        found.truncate(most);
        Ok(found)
    }
}

fn beginning(text: &str) -> &str {
    let mut end = text.len().min(TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
