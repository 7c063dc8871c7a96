//! Runs of words that may be key phrases, merged by their stems.

use foldhash::HashMap;

use gleaner_words::PlacedWord;

/// Key phrases of more words are rare.
const WORDS_MAX: usize = 4;

/// A run of words and what its places in the text show.
pub(super) struct Candidate {
    /// Stems joined by blanks.
    pub(super) stems: String,
    pub(super) words: usize,
    pub(super) times: u32,
    /// Words before its first and its last place.
    pub(super) first: u32,
    pub(super) last: u32,
    /// In characters.
    pub(super) start: u32,
    /// How often nothing that counts stands on either side of it.
    pub(super) alone: u32,
    /// How often all its words begin with a capital.
    pub(super) capitals: u32,
    /// The distinct words that stand before and behind it.
    pub(super) before: Vec<u32>,
    pub(super) behind: Vec<u32>,
    /// The ways it is written, with how often.
    pub(super) written: HashMap<String, u32>,
}

/// The candidates of a text, and how many words it has.
pub(super) struct Candidates {
    pub(super) candidates: Vec<Candidate>,
    pub(super) words: u32,
}

pub(super) fn candidates_of(text: &str, words: &[PlacedWord]) -> Candidates {
    let mut found: HashMap<String, Candidate> = HashMap::default();
    let mut numbers: HashMap<&str, u32> = HashMap::default();
    let numbered: Vec<u32> = words
        .iter()
        .map(|word| {
            let next = numbers.len() as u32;
            *numbers.entry(&word.stem).or_insert(next)
        })
        .collect();
    for run in runs(words) {
        for start in run.clone() {
            let mut stems = String::new();
            for end in start + 1..=run.end.min(start + WORDS_MAX) {
                if end > start + 1 {
                    stems.push(' ');
                }
                stems.push_str(&words[end - 1].stem);
                let candidate = found.entry(stems.clone()).or_insert_with(|| Candidate {
                    stems: stems.clone(),
                    words: end - start,
                    times: 0,
                    first: words[start].position,
                    last: 0,
                    start: words[start].characters.start,
                    alone: 0,
                    capitals: 0,
                    before: Vec::new(),
                    behind: Vec::new(),
                    written: HashMap::default(),
                });
                candidate.times += 1;
                candidate.last = words[start].position;
                candidate.alone += u32::from(run == (start..end));
                let begins_large =
                    |word: &PlacedWord| text[word.bytes.clone()].starts_with(char::is_uppercase);
                candidate.capitals += u32::from(words[start..end].iter().all(begins_large));
                if start > run.start {
                    note(&mut candidate.before, numbered[start - 1]);
                }
                if end < run.end {
                    note(&mut candidate.behind, numbered[end]);
                }
                let written: Vec<&str> = words[start..end]
                    .iter()
                    .map(|word| &text[word.bytes.clone()])
                    .collect();
                *candidate.written.entry(written.join(" ")).or_default() += 1;
            }
        }
    }
    let mut candidates: Vec<Candidate> = found.into_values().collect();
    candidates.sort_unstable_by(|left, right| left.stems.cmp(&right.stems));
    Candidates {
        candidates,
        words: words.len() as u32,
    }
}

/// Notes a neighbour; more than a few are as good as many.
fn note(neighbours: &mut Vec<u32>, word: u32) {
    if neighbours.len() < 4 && !neighbours.contains(&word) {
        neighbours.push(word);
    }
}

/// Words that count and follow each other with nothing but blanks or a hyphen between.
fn runs(words: &[PlacedWord]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < words.len() && !words[at].counts {
            at += 1;
        }
        let start = at;
        while at < words.len() && words[at].counts && (at == start || !words[at].after_break) {
            at += 1;
        }
        (at > start).then_some(start..at)
    })
}
