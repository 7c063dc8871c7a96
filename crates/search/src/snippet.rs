//! The piece of a text that shows why it was found, with what was asked for marked.

use crate::Question;
use crate::near;
use crate::query::Node;
use gleaner_words::{Language, Stems, folded, words};
use std::collections::HashSet;
use std::ops::Range;

/// What is marked: terms in the languages of the index, beginnings of words, and words with a few letters wrong.
pub struct Marks {
    terms: HashSet<String>,
    starts: Vec<String>,
    /// With how many letters may be wrong.
    misspelt: Vec<(String, usize)>,
    stems: Vec<Stems>,
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    pub text: String,
    /// What is marked in it, in bytes.
    pub marks: Vec<Range<usize>>,
    /// Whether there is text before it and behind it.
    pub is_cut: (bool, bool),
}

impl Marks {
    /// `languages` are those of the index.
    pub fn new(question: &Question, languages: &[Language]) -> Marks {
        let mut stems: Vec<Stems> = languages
            .iter()
            .chain([&Language::UNKNOWN])
            .map(|one| Stems::new(*one))
            .collect();
        let mut terms = HashSet::new();
        let (mut starts, mut misspelt) = (Vec::new(), Vec::new());
        for node in question.sought() {
            if let Node::Fuzzy { text, distance, .. } = node {
                misspelt.push((folded(&text.to_lowercase()).into_owned(), usize::from(*distance)));
            }
            match node {
                Node::Word { text, .. } | Node::Phrase { text, .. } | Node::Fuzzy { text, .. } => {
                    for stems in &mut stems {
                        words(text, |word| {
                            let found = stems.terms(&word);
                            terms.insert(found.stem.clone());
                            terms.extend(found.plain.clone());
                        });
                    }
                }
                Node::Prefix { text, .. } => starts.push(folded(&text.to_lowercase()).into_owned()),
                _ => {}
            }
        }
        Marks {
            terms,
            starts,
            misspelt,
            stems,
        }
    }

    /// The words of a text that are marked, each with the number of its term.
    fn find(&mut self, text: &str) -> Vec<(Range<usize>, String)> {
        let Marks {
            terms,
            starts,
            misspelt,
            stems,
        } = self;
        let mut found: Vec<(Range<usize>, String)> = Vec::new();
        words(text, |word| {
            for stems in &mut *stems {
                let made = stems.terms(&word);
                let is_term =
                    terms.contains(&made.stem) || made.plain.as_ref().is_some_and(|one| terms.contains(one));
                let surface = made.surface.as_ref().unwrap_or(&made.stem);
                let is_near = |(text, most): &(String, usize)| {
                    near::is_near(surface, text, *most) || near::is_near(&made.stem, text, *most)
                };
                let is_marked = is_term
                    || starts.iter().any(|start| surface.starts_with(start))
                    || misspelt.iter().any(is_near);
                if is_marked {
                    found.push((word.range.clone(), made.stem.clone()));
                    return;
                }
            }
        });
        found
    }
}

/// What is looked at of a long text: a snippet is not worth more.
const SCAN_BYTES_MAX: usize = 1 << 20;

/// What is shown if nothing better comes.
struct Best<'a> {
    worth: usize,
    passage: &'a str,
    /// From the first mark to the last.
    core: Range<usize>,
    ranges: Vec<Range<usize>>,
}

/// The best piece of about `length` bytes among the passages: with as many different words of the question as possible, and
/// these near each other. Where nothing is marked, the beginning.
pub fn snippet<'a>(passages: impl IntoIterator<Item = &'a str>, marks: &mut Marks, length: usize) -> Snippet {
    let mut best: Option<Best<'_>> = None;
    let mut first = None;
    let mut seen_bytes = 0;
    for passage in passages {
        seen_bytes += passage.len();
        if seen_bytes > SCAN_BYTES_MAX && first.is_some() {
            break;
        }
        if first.is_none() && !passage.trim().is_empty() {
            first = Some(passage);
        }
        let found = marks.find(passage);
        for from in 0..found.len() {
            let start = found[from].0.start;
            let inside = found[from..]
                .iter()
                .take_while(|(range, _)| range.end <= start + length);
            let (mut kinds, mut ranges) = (HashSet::new(), Vec::new());
            for (range, term) in inside {
                kinds.insert(term.as_str());
                ranges.push(range.clone());
            }
            // A sentence says more than a heading that says the same as the title.
            let worth = kinds.len() * 1000 + ranges.len().min(20) * 5 + passage.len().min(length) / 4;
            if best.as_ref().is_none_or(|before| before.worth < worth) {
                let end = ranges.last().map_or(start, |range| range.end);
                best = Some(Best {
                    worth,
                    passage,
                    core: start..end,
                    ranges,
                });
            }
        }
    }
    let Some(Best {
        passage,
        core,
        ranges,
        ..
    }) = best
    else {
        let Some(text) = first else {
            return Snippet::default();
        };
        let end = floor(text, length);
        return Snippet {
            text: text[..end].to_owned(),
            marks: Vec::new(),
            is_cut: (false, end < text.len()),
        };
    };
    let spare = length.saturating_sub(core.len());
    let from = word_start(
        passage,
        floor(passage, core.start.saturating_sub(spare / 3)),
        core.start,
    );
    let to = word_stop(
        passage,
        floor(passage, from + length.max(core.end - from)),
        core.end,
    );
    let ranges = joined(
        ranges
            .into_iter()
            .filter(|range| range.end <= to)
            .map(|range| range.start - from..range.end - from),
    );
    Snippet {
        text: passage[from..to].to_owned(),
        marks: ranges,
        is_cut: (from > 0, to < passage.len()),
    }
}

/// Pairs of characters overlap: one mark for all of them.
fn joined(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The first blank behind `from`, if it comes before `latest`.
fn word_start(text: &str, from: usize, latest: usize) -> usize {
    if from == 0 {
        return 0;
    }
    let blank = text[from..latest].char_indices().find(|(_, c)| c.is_whitespace());
    blank.map_or(from, |(at, c)| from + at + c.len_utf8())
}

/// The last blank before `to`, if it comes behind `earliest`.
fn word_stop(text: &str, to: usize, earliest: usize) -> usize {
    if to >= text.len() {
        return text.len();
    }
    text[earliest..to]
        .rfind(char::is_whitespace)
        .map_or(to, |at| earliest + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(question: &str, passages: &[&str], length: usize) -> (String, Vec<String>) {
        let question = Question::parse(question).expect("a question");
        let mut marks = Marks::new(&question, &[Language::ENGLISH]);
        let found = snippet(passages.iter().copied(), &mut marks, length);
        let marked = found
            .marks
            .iter()
            .map(|range| found.text[range.clone()].to_owned())
            .collect();
        (found.text, marked)
    }

    #[test]
    fn it_shows_where_most_of_the_words_are() {
        let long = format!(
            "{} The quick brown foxes jumped over it. {}",
            "nothing ".repeat(50),
            "more ".repeat(50)
        );
        let (text, marked) = shown("fox jump", &["A fox.", &long], 80);
        assert_eq!(marked, ["foxes", "jumped"]);
        assert!(text.len() <= 90 && text.contains("brown foxes"), "{text}");
        assert_eq!(
            shown("東京都", &["これは東京都です"], 80).1,
            ["東京都で"[..9].to_owned()]
        );
        assert_eq!(shown("conn*", &["A connection."], 80).1, ["connection"]);
        assert_eq!(
            shown("harbuor~", &["About", "The old harbours were closed."], 80).1,
            ["harbours"],
            "what is found although it is misspelt"
        );
    }

    #[test]
    fn without_marks_it_is_the_beginning() {
        assert_eq!(
            shown("title:x", &["", "One two three"], 7),
            ("One two".to_owned(), vec![])
        );
        assert_eq!(shown("x", &[], 7), (String::new(), vec![]));
    }

    proptest::proptest! {
        #[test]
        fn marks_lie_on_letters(text in "\\PC{0,80}", word in "\\w{1,4}", length in 1usize..60) {
            let Ok(question) = Question::parse(&word) else { return Ok(()) };
            let mut marks = Marks::new(&question, &[Language::ENGLISH]);
            let found = snippet([text.as_str(), word.as_str()], &mut marks, length);
            for range in found.marks {
                assert!(!found.text[range].is_empty());
            }
        }
    }
}
