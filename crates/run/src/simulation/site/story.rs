//! What a page of the scripted site says: words that no other page has.

use gleaner_model::Chance;
use gleaner_model::chance::SplitMix;
use std::fmt::Write;

const PARAGRAPHS: u64 = 5;
const WORDS_OF_A_PARAGRAPH: usize = 14;
const SYLLABLES: [&str; 16] = [
    "ba", "co", "di", "fe", "gu", "ha", "ki", "lo", "me", "nu", "pa", "ri", "so", "te", "vu", "za",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Story {
    pub(super) number: u64,
    /// How often it was edited, a paragraph each time.
    pub(super) revision: u64,
    pub(super) links: Vec<String>,
}

fn word(dice: &SplitMix) -> String {
    let syllable = |_| SYLLABLES[(dice.next() % 16) as usize];
    (0..4).map(syllable).collect()
}

impl Story {
    /// The seed of a paragraph: another one after each of its edits.
    fn seed_of(&self, paragraph: u64) -> u64 {
        let edits = (self.revision + PARAGRAPHS - 1 - paragraph) / PARAGRAPHS;
        (self.number * PARAGRAPHS + paragraph) * 1000 + edits
    }

    pub(super) fn html(&self) -> String {
        let title = word(&SplitMix::seeded(self.number));
        let mut html = format!("<html><title>About {title}</title><body><h1>About {title}</h1>");
        for paragraph in 0..PARAGRAPHS {
            let dice = SplitMix::seeded(self.seed_of(paragraph));
            let words: Vec<String> = (0..WORDS_OF_A_PARAGRAPH).map(|_| word(&dice)).collect();
            let _to_a_string = write!(html, "<p>{}.</p>", words.join(" "));
        }
        for link in &self.links {
            let _to_a_string = write!(html, "<a href=\"{link}\">{link}</a>");
        }
        html
    }
}
