//! Which phrases say what a document is about? (F4)
//!
//! Candidates are runs of up to four words that count, with nothing but blanks or a hyphen between. Each is described by what
//! its document shows (how often, how early, how spread, how it is written, whether it stands in longer runs) and by how
//! common its words are elsewhere. A table of weights, made from documents whose authors chose their key phrases
//! (`examples/phrases.rs`), says how much each trait speaks for it. The trap of every such list is the long document, in
//! which everything is frequent: so the rank of a phrase among its peers counts, not only its number.

mod candidates;
mod features;
mod model;

use foldhash::HashMap;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use gleaner_words::Analyser;
use gleaner_words::words_of;

pub use features::{Features, Traits};
pub use model::Example;
pub use model::PhraseModel;

/// In how many of a collection's documents each run of words stands. A sample of a large collection is enough.
#[derive(Default)]
pub struct Background {
    documents: u32,
    /// By the hash of the stems: the words themselves are not needed.
    runs: HashMap<u64, u32>,
}

impl Background {
    /// Counts the runs of words of a document.
    pub fn add(&mut self, text: &str, language: &Analyser) {
        self.documents += 1;
        for candidate in candidates::candidates_of(text, &words_of(text, language)).candidates {
            *self.runs.entry(xxh3_64(candidate.stems.as_bytes())).or_default() += 1;
        }
    }

    /// How rare a run is, as the logarithm of one in so many documents; unknown while there is nothing to compare with.
    fn rarity(&self, stems: &str) -> Option<f64> {
        let documents = f64::from(self.runs.get(&xxh3_64(stems.as_bytes())).copied().unwrap_or(0));
        (self.documents > 1).then(|| ((f64::from(self.documents) + 1.0) / (documents + 0.5)).ln())
    }
}

/// A phrase that says what its document is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Phrase {
    /// As it is written most often.
    pub text: String,
    /// Its words' stems, joined by blanks: equal for phrases that differ by their endings only.
    pub stems: String,
    /// From 0 to 1; comparable within a document.
    pub score: f64,
    /// How often it stands there.
    pub times: u32,
    /// Where it stands first, in characters.
    pub start: u32,
}

/// The best phrases of a text, best first. Without a background every word counts as equally common.
pub fn phrases_of(
    text: &str,
    language: &Analyser,
    background: Option<&Background>,
    most: usize,
) -> Vec<Phrase> {
    phrases_by(PhraseModel::built_in(), text, language, background, most)
}

/// The same by another model.
pub fn phrases_by(
    model: &PhraseModel,
    text: &str,
    language: &Analyser,
    background: Option<&Background>,
    most: usize,
) -> Vec<Phrase> {
    let mut phrases: Vec<Phrase> = described(text, language, background)
        .into_iter()
        .map(|(traits, features)| Phrase {
            score: model.score(&features),
            text: traits.text,
            stems: traits.stems,
            times: traits.times,
            start: traits.start,
        })
        .collect();
    phrases.sort_by(|left, right| {
        right
            .score
            .total_cmp(&left.score)
            .then_with(|| left.stems.cmp(&right.stems))
    });
    phrases.truncate(most);
    phrases
}

/// All candidates of a text with what describes them.
pub fn described(
    text: &str,
    language: &Analyser,
    background: Option<&Background>,
) -> Vec<(Traits, Features)> {
    features::describe(
        candidates::candidates_of(text, &words_of(text, language)),
        background,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Incremental crawling of web archives\n\nIncremental crawling visits a page again when it has probably changed. \
        We show how incremental crawling keeps web archives fresh, and we measure the cost of a visit. A web archive that is \
        crawled incrementally needs half of the requests.";

    #[test]
    fn what_a_text_repeats_and_begins_with_is_what_it_is_about() {
        let phrases = phrases_of(TEXT, Analyser::of("en"), None, 3);
        let best: Vec<&str> = phrases.iter().map(|phrase| phrase.stems.as_str()).collect();
        assert!(
            best.contains(&"increment crawl") && best.contains(&"web archiv"),
            "{best:?}"
        );
        assert!(phrases[0].score >= phrases[1].score && phrases[0].times > 1);
    }

    #[test]
    fn no_text_has_no_phrases() {
        assert_eq!(phrases_of("", Analyser::of("en"), None, 10), []);
        assert_eq!(phrases_of("of the and", Analyser::of("en"), None, 10), []);
    }

    #[test]
    fn the_order_of_the_background_does_not_matter() {
        let texts = [
            TEXT,
            "Web archives are kept by libraries.",
            "A page may be crawled by anyone.",
        ];
        let mut one = Background::default();
        for text in texts {
            one.add(text, Analyser::of("en"));
        }
        let mut other = Background::default();
        for text in texts.iter().rev() {
            other.add(text, Analyser::of("en"));
        }
        let of = |background| phrases_of(TEXT, Analyser::of("en"), Some(background), 10);
        assert_eq!(of(&one), of(&other));
    }
}
