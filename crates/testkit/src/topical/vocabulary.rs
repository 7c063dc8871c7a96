//! Which words does a topic have of its own? They take the place of the words of a text's first topic.

use std::collections::HashMap;

use super::corpus::Topic;

/// A word used in so many topics says nothing of any of them.
const COMMON_TOPICS_MIN: u32 = 5;
const WORDS_OF_A_TOPIC: usize = 600;

pub(super) struct Vocabulary {
    /// In how many topics a word is used.
    topics_of: HashMap<String, u32>,
    /// The words of each topic, the most telling ones first.
    own: Vec<Vec<String>>,
}

impl Vocabulary {
    pub(super) fn of(topics: &[Topic]) -> Vocabulary {
        let mut counts: Vec<HashMap<String, u32>> = Vec::new();
        let mut topics_of: HashMap<String, u32> = HashMap::new();
        for topic in topics {
            let mut texts_with: HashMap<String, u32> = HashMap::new();
            let mut sources_with: HashMap<String, u32> = HashMap::new();
            for source in &topic.sources {
                let mut of_source: HashMap<String, u32> = HashMap::new();
                for text in &topic.texts[source.start as usize..source.end as usize] {
                    let mut words: Vec<String> =
                        text.paragraphs.iter().flat_map(|text| words(text)).collect();
                    words.sort_unstable();
                    words.dedup();
                    for word in words {
                        *of_source.entry(word).or_default() += 1;
                    }
                }
                for (word, texts) in of_source {
                    *texts_with.entry(word.clone()).or_default() += texts;
                    *sources_with.entry(word).or_default() += 1;
                }
            }
            // What only one source says is its markup or its name.
            if topic.sources.len() > 1 {
                texts_with.retain(|word, _| sources_with[word] > 1);
            }
            let least = (topic.texts.len() / 100).max(2) as u32;
            texts_with.retain(|_, texts| *texts >= least);
            for word in texts_with.keys() {
                *topics_of.entry(word.clone()).or_default() += 1;
            }
            counts.push(texts_with);
        }
        let all = topics.len() as f64;
        let own = counts.iter().map(|counts| {
            let mut scored: Vec<(f64, &String)> = counts
                .iter()
                .map(|(word, texts)| (f64::from(*texts) * (all / f64::from(topics_of[word])).ln(), word))
                .collect();
            scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
            scored.truncate(WORDS_OF_A_TOPIC);
            scored.into_iter().map(|(_, word)| word.clone()).collect()
        });
        let own = own.collect();
        Vocabulary { topics_of, own }
    }

    /// The words by which a topic is known, the most telling ones first.
    pub(super) fn own(&self, topic: usize) -> &[String] {
        &self.own[topic]
    }

    /// Whether a word belongs to a field of its own: long, and not used everywhere.
    pub(super) fn is_special(&self, lower: &str) -> bool {
        lower.len() >= 5
            && lower.bytes().all(|byte| byte.is_ascii_lowercase())
            && self
                .topics_of
                .get(lower)
                .is_none_or(|topics| *topics < COMMON_TOPICS_MIN)
    }
}

/// The words of a text in lower case: letters only, three or more.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphabetic())
        .filter(|word| word.len() >= 3)
        .map(str::to_lowercase)
}
