//! The sentences that say most of a text.
//!
//! A sentence counts by the key phrases that it names, each only once over all that are chosen, and by how early it stands. Long
//! sentences are no better than short ones that say the same.

use gleaner_concepts::phrases::Phrase;
use unicode_segmentation::UnicodeSegmentation;

/// How many are chosen.
const SENTENCES: usize = 3;
/// Shorter ones are headings, longer ones lists.
const WORDS: std::ops::RangeInclusive<usize> = 5..=60;
/// How much the first sentence of a text is worth beside one key phrase.
const FIRST: f64 = 0.5;
/// Sentences that are looked at: what comes later is no summary.
const LOOKED_AT_MAX: usize = 2_000;

/// The best sentences, in the order of the text. Fewer where there are fewer.
pub(super) fn summary(text: &str, phrases: &[Phrase]) -> Vec<String> {
    let sentences: Vec<(String, String)> = text
        .lines()
        .flat_map(UnicodeSegmentation::unicode_sentences)
        .map(str::trim)
        .filter(|sentence| WORDS.contains(&sentence.unicode_words().count()))
        .take(LOOKED_AT_MAX)
        .map(|sentence| (sentence.to_owned(), sentence.to_lowercase()))
        .collect();
    let mut wanted: Vec<(String, f64)> = phrases
        .iter()
        .map(|phrase| (phrase.text.to_lowercase(), phrase.score))
        .collect();
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < SENTENCES {
        let score = |at: usize| {
            let (sentence, lower) = &sentences[at];
            let named: f64 = wanted
                .iter()
                .filter(|(phrase, _)| lower.contains(phrase))
                .map(|(_, score)| score)
                .sum();
            let words = sentence.unicode_words().count() as f64;
            (named + FIRST / (at as f64 + 1.0)) / words.ln()
        };
        let is_new = |at: &usize| chosen.iter().all(|&other| sentences[other].1 != sentences[*at].1);
        let best = (0..sentences.len())
            .filter(is_new)
            .map(|at| (at, score(at)))
            .reduce(|best, next| if next.1 > best.1 { next } else { best });
        let Some((best, _)) = best else { break };
        wanted.retain(|(phrase, _)| !sentences[best].1.contains(phrase));
        chosen.push(best);
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|at| sentences[at].0.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrase(text: &str, score: f64) -> Phrase {
        Phrase {
            text: text.to_owned(),
            stems: text.to_owned(),
            score,
            times: 1,
            start: 0,
        }
    }

    #[test]
    fn the_sentences_that_name_what_it_is_about_are_chosen_in_their_order() {
        let text = "Menu\n\
            This page begins with a word of welcome to everybody. Nothing is said in this second sentence here.\n\
            The solar panel on the roof gives power in winter too. The weather was fine on that day in May.\n\
            The town hall pays for the solar panel with a loan. It is repeated that the solar panel gives power.\n";
        let phrases = [
            phrase("solar panel", 0.9),
            phrase("town hall", 0.5),
            phrase("winter", 0.3),
        ];
        assert_eq!(
            summary(text, &phrases),
            [
                "This page begins with a word of welcome to everybody.",
                "The solar panel on the roof gives power in winter too.",
                "The town hall pays for the solar panel with a loan.",
            ]
        );
        assert!(summary("Too short.\n", &phrases).is_empty());
        assert_eq!(summary("", &[]), Vec::<String>::new());
    }
}
