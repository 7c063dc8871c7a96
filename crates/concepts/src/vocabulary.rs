//! Which terms of a vocabulary does a text name? (F4)
//!
//! A vocabulary is a list of terms, each with the names it goes by. It comes as plain lines, or as SKOS: RDF/XML, Turtle or
//! N-Triples. A term is named where the words of one of its names stand in a row, compared by their stems; of two names that
//! begin at the same word the longer one counts.

mod plain;
mod rdf_xml;
mod turtle;

use foldhash::HashMap;
use serde::Serialize;

use gleaner_words::Analyser;
use gleaner_words::words_of;

/// Terms with their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vocabulary {
    pub terms: Vec<Term>,
}

/// A term of a vocabulary.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Term {
    /// Its address where it has one, otherwise its first name.
    pub id: String,
    /// The name it is shown by.
    pub name: String,
    /// All names, each with its language where that is known.
    pub names: Vec<(String, Option<String>)>,
}

/// What is wrong with a vocabulary.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum VocabularyError {
    #[error("the vocabulary is not readable as {format}: line {line}: {what}")]
    Format {
        format: &'static str,
        line: usize,
        what: String,
    },
    #[error("the vocabulary has no terms; give a file with one term per line, or SKOS with skos:prefLabel")]
    Empty,
}

impl Vocabulary {
    /// Reads a vocabulary of any of the known forms.
    pub fn read(text: &str) -> Result<Self, VocabularyError> {
        let start = text.trim_start_matches('\u{feff}').trim_start();
        let terms = if start.starts_with("<?xml") || start.starts_with("<rdf:") || start.starts_with("<!") {
            rdf_xml::read(text)?
        } else if is_turtle(start) {
            turtle::read(text)?
        } else {
            plain::read(text)
        };
        if terms.is_empty() {
            Err(VocabularyError::Empty)
        } else {
            Ok(Self { terms })
        }
    }

    /// What finds the terms in texts of a language.
    pub fn tagger(&self, language: &'static Analyser) -> Tagger<'_> {
        let mut by_first: HashMap<String, Vec<(Vec<String>, usize)>> = HashMap::default();
        for (at, term) in self.terms.iter().enumerate() {
            for (name, of) in &term.names {
                let is_other = of
                    .as_deref()
                    .and_then(|of| of.get(..2))
                    .is_some_and(|of| !of.eq_ignore_ascii_case(language.code));
                if is_other && language.code != "und" {
                    continue;
                }
                let mut stems = words_of(name, language).into_iter().map(|word| word.stem);
                if let Some(first) = stems.next() {
                    by_first.entry(first).or_default().push((stems.collect(), at));
                }
            }
        }
        for names in by_first.values_mut() {
            names.sort_by(|left, right| right.0.len().cmp(&left.0.len()).then(left.1.cmp(&right.1)));
        }
        Tagger {
            vocabulary: self,
            language,
            by_first,
        }
    }
}

/// Whether a text begins as Turtle or N-Triples do.
fn is_turtle(start: &str) -> bool {
    let line = start
        .lines()
        .find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .unwrap_or_default();
    let lower = line.trim_start().to_ascii_lowercase();
    let is_directive = ["@prefix", "@base", "prefix ", "base "]
        .iter()
        .any(|word| lower.starts_with(word));
    is_directive || (lower.starts_with('<') && lower.contains("> ")) || lower.starts_with("_:")
}

/// Finds terms in texts of one language.
pub struct Tagger<'a> {
    vocabulary: &'a Vocabulary,
    language: &'static Analyser,
    /// Names by the stem of their first word: the other words, and the term. Longer ones first.
    by_first: HashMap<String, Vec<(Vec<String>, usize)>>,
}

/// A term that a text names, and where, in characters.
#[derive(Clone, Debug, PartialEq)]
pub struct Tag<'a> {
    pub term: &'a Term,
    pub passages: Vec<(u32, u32)>,
}

impl<'a> Tagger<'a> {
    /// The terms that a text names, those it names most often first.
    pub fn tags(&self, text: &str) -> Vec<Tag<'a>> {
        let words = words_of(text, self.language);
        let mut found: HashMap<usize, Vec<(u32, u32)>> = HashMap::default();
        let mut at = 0;
        while at < words.len() {
            let names = self
                .by_first
                .get(&words[at].stem)
                .map(Vec::as_slice)
                .unwrap_or_default();
            let stands = |rest: &[String]| {
                let behind = words.get(at + 1..=at + rest.len()).unwrap_or_default();
                behind.len() == rest.len()
                    && behind
                        .iter()
                        .zip(rest)
                        .all(|(word, stem)| word.stem == *stem && !word.after_break)
            };
            let Some(longest) = names
                .iter()
                .find(|(rest, _)| stands(rest))
                .map(|(rest, _)| rest.len())
            else {
                at += 1;
                continue;
            };
            for (_, term) in names
                .iter()
                .filter(|(rest, _)| rest.len() == longest && stands(rest))
            {
                let passage = (words[at].characters.start, words[at + longest].characters.end);
                let passages = found.entry(*term).or_default();
                if passages.last() != Some(&passage) {
                    passages.push(passage);
                }
            }
            at += longest + 1;
        }
        let mut tags: Vec<Tag<'a>> = found
            .into_iter()
            .map(|(term, passages)| Tag {
                term: &self.vocabulary.terms[term],
                passages,
            })
            .collect();
        tags.sort_by(|left, right| {
            right
                .passages
                .len()
                .cmp(&left.passages.len())
                .then_with(|| left.term.id.cmp(&right.term.id))
        });
        tags
    }
}

#[cfg(test)]
mod tests;
