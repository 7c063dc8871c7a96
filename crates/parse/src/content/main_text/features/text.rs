//! A block's words by themselves: how many, how long, how much of them is linked, whether they are sentences.

use super::super::super::blocks::Draft;
use super::super::super::tags::Tag;
use super::super::super::tree::{Said, Tree};
use super::super::lexicon::{Lexicon, Topic};
use gleaner_model::BlockKind;
use std::collections::{HashMap, HashSet};

/// Words that carry sentences, of the languages with most pages in Latin letters.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "als", "also", "am", "an", "and", "are", "as", "at", "au", "auch", "auf",
    "aus", "be", "been", "bei", "but", "by", "can", "che", "com", "come", "con", "da", "dans", "das", "dass",
    "de", "del", "dem", "den", "der", "des", "di", "die", "do", "du", "durch", "e", "een", "ein", "eine",
    "einem", "einen", "einer", "el", "en", "er", "es", "est", "et", "for", "from", "für", "had", "has",
    "hat", "have", "he", "her", "het", "his", "how", "i", "if", "ihr", "il", "im", "in", "into", "is", "ist",
    "it", "its", "je", "kann", "la", "las", "le", "les", "lo", "los", "mais", "mehr", "mit", "more", "my",
    "nach", "nicht", "no", "non", "not", "noch", "nur", "o", "oder", "of", "on", "one", "or", "os", "ou",
    "our", "par", "para", "pas", "per", "por", "pour", "qu", "que", "qui", "se", "she", "si", "sich", "sie",
    "sind", "so", "su", "sur", "than", "that", "the", "their", "them", "there", "these", "they", "this",
    "to", "um", "un", "una", "und", "une", "up", "van", "vom", "von", "vor", "was", "we", "werden", "were",
    "what", "when", "which", "who", "wie", "will", "wir", "wird", "with", "would", "you", "your", "zu",
    "zum", "zur", "über",
];
/// A block with more words than this is no label.
pub(in crate::content::main_text) const LABEL_WORDS_MAX: f32 = 8.0;

#[derive(Debug, Default, Clone)]
pub(in crate::content::main_text) struct TextFacts {
    pub(in crate::content::main_text) words: f32,
    pub(super) word_length: f32,
    pub(super) link_share: f32,
    pub(super) stop_share: f32,
    pub(super) is_prose: bool,
    /// Ends of sentences a word.
    pub(super) ends: f32,
    /// What the last character is.
    pub(super) last: f32,
    pub(super) commas: f32,
    pub(super) digits: f32,
    pub(super) capitals: f32,
    /// Of a heading, 1 to 6.
    pub(super) level: u8,
    /// 1 a mark of copyright, 2 a price, 3 marks between entries.
    pub(super) symbol: u8,
    /// It names a year.
    pub(super) year: f32,
    /// How often the same text is there.
    pub(super) copies: f32,
    /// Share of its words that are in the title.
    pub(super) in_title: f32,
    /// Share of its words that are in what the page says of itself.
    pub(super) echoed: f32,
}

pub(super) fn read(tree: &Tree, drafts: &[Draft]) -> Vec<TextFacts> {
    let stops: HashSet<&str, foldhash::fast::FixedState> = STOP_WORDS.iter().copied().collect();
    let title = tree
        .title
        .map(|title| tree.str(title).to_lowercase())
        .unwrap_or_default();
    let title: HashSet<&str> = letters(&title).collect();
    let echo = echo(tree).to_lowercase();
    let echo: HashSet<&str> = letters(&echo).collect();
    let mut copies: HashMap<&str, u32> = HashMap::new();
    for draft in drafts {
        *copies.entry(&draft.text).or_default() += 1;
    }
    let mut lower = String::new();
    drafts
        .iter()
        .map(|draft| {
            lower.clear();
            lower.extend(draft.text.chars().flat_map(char::to_lowercase));
            let mut facts = measured(draft, &lower, &stops);
            let count =
                |set: &HashSet<&str>| letters(&lower).filter(|word| set.contains(word)).count() as f32;
            let words = letters(&lower).count().max(1) as f32;
            facts.in_title = if title.is_empty() {
                0.0
            } else {
                count(&title) / words
            };
            facts.echoed = if echo.is_empty() {
                0.0
            } else {
                count(&echo) / words
            };
            facts.copies = copies.get(draft.text.as_str()).copied().unwrap_or(1) as f32;
            facts.level = level(tree, draft);
            facts
        })
        .collect()
}

fn measured(draft: &Draft, lower: &str, stops: &HashSet<&str, foldhash::fast::FixedState>) -> TextFacts {
    let text = &draft.text;
    let (mut words, mut stop_words, mut capitals) = (0u32, 0u32, 0u32);
    for word in text.split_whitespace() {
        words += 1;
        capitals += u32::from(word.chars().next().is_some_and(char::is_uppercase));
    }
    for word in letters(lower) {
        stop_words += u32::from(stops.contains(word));
    }
    let (mut ends, mut commas, mut digits, mut chars, mut wide) = (0u32, 0u32, 0u32, 0u32, 0u32);
    let mut symbol = 0u8;
    let (mut run, mut year, mut run_start) = (0u32, false, ' ');
    let mut bars = 0u32;
    for c in text.chars() {
        chars += 1;
        match c {
            '.' | '!' | '?' | '。' | '！' | '？' | '…' => ends += 1,
            ',' | ';' | '，' | '、' => commas += 1,
            '©' => symbol = 1,
            '$' | '€' | '£' | '¥' | '₹' if symbol != 1 => symbol = 2,
            '|' | '•' | '·' | '»' | '›' | '/' => bars += 1,
            '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' => wide += 1,
            _ => {}
        }
        if c.is_ascii_digit() {
            digits += 1;
            if run == 0 {
                run_start = c;
            }
            run += 1;
        } else {
            year |= run == 4 && matches!(run_start, '1' | '2');
            run = 0;
        }
    }
    year |= run == 4 && matches!(run_start, '1' | '2');
    if symbol == 0 && bars >= 2 {
        symbol = 3;
    }
    // Scripts without blanks: two characters make a word.
    let words = words as f32 + wide as f32 / 2.0;
    let last = match text.chars().last() {
        Some('.' | '!' | '?' | '。' | '！' | '？' | '…' | '"' | '”' | '»') => 3.0,
        Some(':' | '：') => 2.0,
        Some(last) if last.is_alphanumeric() => 1.0,
        _ => 0.0,
    };
    let link_share = draft.linked as f32 / text.len().max(1) as f32;
    TextFacts {
        words,
        word_length: chars as f32 / words.max(1.0),
        link_share,
        stop_share: stop_words as f32 / words.max(1.0),
        is_prose: super::super::hints::is_prose(draft),
        ends: ends as f32 / words.max(1.0),
        last,
        commas: commas as f32 / words.max(1.0),
        digits: digits as f32 / chars.max(1) as f32,
        capitals: capitals as f32 / words.max(1.0),
        symbol,
        year: f32::from(u8::from(year)),
        ..TextFacts::default()
    }
}

fn level(tree: &Tree, draft: &Draft) -> u8 {
    if draft.kind != BlockKind::Heading {
        return 0;
    }
    let level = tree.upwards(draft.owner).find_map(|at| match tree.tag(at) {
        Some(Tag::Heading(level)) => Some(level),
        _ => None,
    });
    level.unwrap_or(0)
}

/// What the page says of itself for those who list it.
fn echo(tree: &Tree) -> String {
    let mut echo = String::new();
    for (said, name, content) in &tree.said {
        let name = tree.str(*name);
        let is_description = name
            .get(name.len().saturating_sub("description".len())..)
            .is_some_and(|end| end.eq_ignore_ascii_case("description"));
        if *said == Said::Meta && is_description {
            echo.push_str(tree.str(*content));
            echo.push(' ');
        }
    }
    echo
}

pub(in crate::content::main_text) fn letters(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// Mean, least and greatest weight of the words of a label.
pub(super) fn weigh(text: &str, words: f32, lexicon: &Lexicon, topic: Topic) -> (f32, f32, f32) {
    if words > LABEL_WORDS_MAX {
        return (0.0, 0.0, 0.0);
    }
    let lower = text.to_lowercase();
    let (mut sum, mut count, mut least, mut greatest) = (0.0f32, 0.0f32, 0.0f32, 0.0f32);
    for word in letters(&lower) {
        let weight = lexicon.weight(topic, word).unwrap_or(0.0);
        sum += weight;
        count += 1.0;
        least = least.min(weight);
        greatest = greatest.max(weight);
    }
    (sum / count.max(1.0), least, greatest)
}
