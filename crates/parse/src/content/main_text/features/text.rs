//! A block's words by themselves: how many, how long, how much of them is linked, whether they are sentences.
//!
//! Each text is walked once; its words are kept as hashes, because all that is asked later is whether they are equal.

use super::super::super::blocks::Draft;
use super::super::super::tags::Tag;
use super::super::super::tree::{Said, Tree};
use super::super::lexicon::{Lexicon, Topic, USES};
use super::hashes::{Hashes, HashesOf};
use gleaner_model::BlockKind;
use std::collections::HashMap;
use std::sync::OnceLock;

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
/// What a longer block begins with says something if the block has no more words than this.
pub(in crate::content::main_text) const LEAD_WORDS_MAX: f32 = 60.0;
/// So many words are its beginning.
pub(in crate::content::main_text) const LEAD_WORDS: usize = 3;

#[derive(Debug, Default, Clone)]
pub(in crate::content::main_text) struct TextFacts {
    pub(in crate::content::main_text) words: f32,
    /// For how many words it counts beside others, see [`counted`].
    pub(super) counted: f32,
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
    /// Share of its letters that are capitals.
    pub(super) shouted: f32,
    /// Of a heading, 1 to 6.
    pub(super) level: u8,
    /// 1 a mark of copyright, 2 a price, 3 marks between entries.
    pub(super) symbol: u8,
    /// It names a year.
    pub(super) year: f32,
    /// How often the same text is there.
    pub(super) copies: f32,
    /// Which of them it is, counted from 1.
    pub(super) copy: f32,
    /// Share of its words that are in the title.
    pub(super) in_title: f32,
    /// Share of its words that are in what the page says of itself.
    pub(super) echoed: f32,
    /// Share of its pairs of words that are in the texts of linked data.
    pub(super) linked_data: f32,
}

/// The facts of each block, and the hashes of its words.
pub(super) fn read(tree: &Tree, drafts: &[Draft]) -> (Vec<TextFacts>, Hashes) {
    let title = tree.title.map(|title| tree.str(title)).unwrap_or_default();
    let title = HashesOf::words(title);
    let echo = HashesOf::words(&echo(tree));
    let linked = HashesOf::pairs(&linked_texts(tree));
    let mut copies: HashMap<&str, [u32; 2], foldhash::fast::FixedState> = HashMap::default();
    for draft in drafts {
        copies.entry(&draft.text).or_default()[0] += 1;
    }
    let mut hashes = Hashes::default();
    let facts = drafts
        .iter()
        .map(|draft| {
            let mut facts = measured(draft, &mut hashes);
            let own = hashes.last();
            facts.in_title = title.share(own);
            facts.echoed = echo.share(own);
            facts.linked_data = linked.share_of_pairs(own);
            let [all, so_far] = copies.entry(draft.text.as_str()).or_default();
            *so_far += 1;
            facts.copies = *all as f32;
            facts.copy = *so_far as f32;
            facts.level = level(tree, draft);
            facts
        })
        .collect();
    (facts, hashes)
}

#[derive(Default)]
struct Counts {
    words: u32,
    stop_words: u32,
    capitals: u32,
    letters: u32,
    upper: u32,
    ends: u32,
    commas: u32,
    digits: u32,
    chars: u32,
    wide: u32,
    bars: u32,
}

fn measured(draft: &Draft, hashes: &mut Hashes) -> TextFacts {
    let text = &draft.text;
    let mut counts = Counts::default();
    let mut symbol = 0u8;
    let (mut run, mut year, mut run_start) = (0u32, false, ' ');
    let mut was_blank = true;
    hashes.begin();
    for c in text.chars() {
        counts.chars += 1;
        if c.is_whitespace() {
            was_blank = true;
        } else if was_blank {
            was_blank = false;
            counts.words += 1;
            counts.capitals += u32::from(c.is_uppercase());
        }
        match c {
            '.' | '!' | '?' | '。' | '！' | '？' | '…' => counts.ends += 1,
            ',' | ';' | '，' | '、' => counts.commas += 1,
            '©' => symbol = 1,
            '$' | '€' | '£' | '¥' | '₹' if symbol != 1 => symbol = 2,
            '|' | '•' | '·' | '»' | '›' | '/' => counts.bars += 1,
            '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' => counts.wide += 1,
            _ => {}
        }
        hashes.push(c);
        if c.is_ascii_digit() {
            counts.digits += 1;
            if run == 0 {
                run_start = c;
            }
            run += 1;
        } else {
            year |= run == 4 && matches!(run_start, '1' | '2');
            run = 0;
            if c.is_alphabetic() {
                counts.letters += 1;
                counts.upper += u32::from(c.is_uppercase());
            }
        }
    }
    hashes.end();
    let stops = stops();
    counts.stop_words = hashes.last().iter().filter(|word| stops.contains(**word)).count() as u32;
    year |= run == 4 && matches!(run_start, '1' | '2');
    if symbol == 0 && counts.bars >= 2 {
        symbol = 3;
    }
    // Scripts without blanks: two characters make a word.
    let words = counts.words as f32 + counts.wide as f32 / 2.0;
    let last = match text.chars().last() {
        Some('.' | '!' | '?' | '。' | '！' | '？' | '…' | '"' | '”' | '»') => 3.0,
        Some(':' | '：') => 2.0,
        Some(last) if last.is_alphanumeric() => 1.0,
        _ => 0.0,
    };
    let a_word = |count: u32| count as f32 / words.max(1.0);
    TextFacts {
        words,
        counted: counted(words),
        word_length: a_word(counts.chars),
        link_share: draft.linked as f32 / text.len().max(1) as f32,
        stop_share: a_word(counts.stop_words),
        is_prose: super::super::hints::is_prose(draft),
        ends: a_word(counts.ends),
        last,
        commas: a_word(counts.commas),
        digits: counts.digits as f32 / counts.chars.max(1) as f32,
        capitals: a_word(counts.capitals),
        shouted: counts.upper as f32 / counts.letters.max(1) as f32,
        symbol,
        year: f32::from(u8::from(year)),
        ..TextFacts::default()
    }
}

/// For how many words a block counts where blocks are added up: in few and wide steps. A page on which somebody has added
/// some words to a paragraph is the same page to all other blocks, unless the paragraph was about as long as a label.
fn counted(words: f32) -> f32 {
    match words {
        words if words < 6.0 => words,
        words if words < 16.0 => 10.0,
        _ => 24.0,
    }
}

pub(super) fn stops() -> &'static HashesOf {
    static STOPS: OnceLock<HashesOf> = OnceLock::new();
    STOPS.get_or_init(|| HashesOf::words(&STOP_WORDS.join(" ")))
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

/// The texts in linked data: what a product is, what an article says.
fn linked_texts(tree: &Tree) -> String {
    const KEYS: [&str; 3] = ["\"description\"", "\"articleBody\"", "\"text\""];
    let mut texts = String::new();
    for script in tree.linked_data_texts() {
        for key in KEYS {
            for (found, _) in script.match_indices(key) {
                let rest = script[found + key.len()..].trim_start().strip_prefix(':');
                let Some(value) = rest.and_then(|rest| rest.trim_start().strip_prefix('"')) else {
                    continue;
                };
                push_string(value, &mut texts);
            }
        }
    }
    texts
}

/// Appends the JSON string at the beginning, marks instead of what is escaped: only its words are wanted.
fn push_string(value: &str, out: &mut String) {
    let mut is_escaped = false;
    for c in value.chars() {
        match c {
            '"' if !is_escaped => break,
            '\\' if !is_escaped => {
                is_escaped = true;
                continue;
            }
            'n' | 'r' | 't' if is_escaped => out.push(' '),
            _ => out.push(c),
        }
        is_escaped = false;
    }
    out.push('\n');
}

pub(in crate::content::main_text) fn letters(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// The first words of a block that is longer than a label.
pub(in crate::content::main_text) fn lead(text: &str) -> String {
    let words: Vec<&str> = letters(text).take(LEAD_WORDS).collect();
    words.join(" ").to_lowercase()
}

/// What the words of a text weigh together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Weighed {
    pub(super) mean: f32,
    pub(super) least: f32,
    pub(super) greatest: f32,
    /// The mean on pages that are used like this one.
    pub(super) used: f32,
}

/// A lexicon, and what the page at hand is likely used for.
#[derive(Clone, Copy)]
pub(super) struct Scales<'a> {
    pub(super) lexicon: &'a Lexicon,
    pub(super) uses: [f32; USES],
}

impl Scales<'_> {
    /// The words of a label.
    pub(super) fn weigh(&self, text: &str, words: f32, topic: Topic) -> Weighed {
        if words > LABEL_WORDS_MAX {
            return Weighed::default();
        }
        self.weights(&text.to_lowercase(), topic)
    }

    /// As [`Scales::weigh`] for the beginning of a block that is no label.
    pub(super) fn weigh_lead(&self, text: &str, words: f32) -> Weighed {
        if words <= LABEL_WORDS_MAX || words > LEAD_WORDS_MAX {
            return Weighed::default();
        }
        self.weights(&lead(text), Topic::Lead)
    }

    fn weights(&self, lower: &str, topic: Topic) -> Weighed {
        let mut weighed = Weighed::default();
        let mut count = 0.0f32;
        for word in letters(lower) {
            let weights = self.lexicon.weights(topic, word).unwrap_or_default();
            weighed.mean += weights.all;
            weighed.used += weights.on(&self.uses);
            weighed.least = weighed.least.min(weights.all);
            weighed.greatest = weighed.greatest.max(weights.all);
            count += 1.0;
        }
        weighed.mean /= count.max(1.0);
        weighed.used /= count.max(1.0);
        weighed
    }
}
