//! From a question to a query: every word in every language that the index has, in every field it may stand in.

use super::{Fields, Index};
use crate::query::{Field, Node};
use crate::{Language, Question, SearchError};
use gleaner_words::{Stems, folded, words};
use std::collections::BTreeSet;
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, EmptyQuery, FuzzyTermQuery, Occur, PhraseQuery,
    Query, TermQuery,
};
use tantivy::schema::{Field as IndexField, IndexRecordOption};
use tantivy::{Searcher, Term};

/// How much a word weighs by where it stands.
const TITLE: f32 = 3.0;
const HEADINGS: f32 = 1.5;
const BODY: f32 = 1.0;
const REST: f32 = 0.3;
/// What words of a question weigh beyond that where they stand together as typed.
const TOGETHER_TITLE: f32 = 3.0;
const TOGETHER: f32 = 1.5;
/// What each two of a few words that stand side by side weigh.
const PAIR: f32 = 0.3;
/// From how many words on a question is a sentence, and what each of its words weighs where all stand together.
const SENTENCE_WORDS_MIN: usize = 6;
const SENTENCE_WORD: f32 = 4.0;

/// The terms of some words with their places, in one language.
type Sequence = Vec<(usize, Piece)>;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    Term(String),
    /// One character of a script without blanks: it begins a pair or stands alone.
    Start(String),
}

impl Index {
    /// The query that a question becomes.
    pub(super) fn ask(&self, question: &Question) -> Result<Box<dyn Query>, SearchError> {
        let mut languages = self.languages()?;
        languages.push(Language::UNKNOWN);
        let mut asker = Asker {
            fields: self.fields,
            stems: languages.into_iter().map(Stems::new).collect(),
            searcher: self.searcher(),
        };
        let mut query = asker.node(&question.root);
        let together = asker.together(&question.root);
        if !together.is_empty() {
            let mut clauses = vec![(Occur::Must, query)];
            clauses.extend(together.into_iter().map(|one| (Occur::Should, one)));
            query = Box::new(BooleanQuery::new(clauses));
        }
        if question.tags.is_empty() {
            return Ok(query);
        }
        let mut clauses = vec![(Occur::Must, query)];
        for tags in &question.tags {
            let any = tags.iter().map(|tag| term_query(self.fields.tags, tag)).collect();
            clauses.push((Occur::Must, Box::new(ConstScoreQuery::new(union(any), 0.0))));
        }
        Ok(Box::new(BooleanQuery::new(clauses)))
    }
}

struct Asker {
    fields: Fields,
    /// One for every language, no stems among them.
    stems: Vec<Stems>,
    searcher: Searcher,
}

impl Asker {
    fn node(&mut self, node: &Node) -> Box<dyn Query> {
        match node {
            Node::All(nodes) => self.all(nodes),
            Node::Any(nodes) => union(nodes.iter().map(|node| self.node(node)).collect()),
            Node::Not(inner) => Box::new(BooleanQuery::new(vec![
                (
                    Occur::Must,
                    Box::new(ConstScoreQuery::new(Box::new(AllQuery), 0.0)),
                ),
                (Occur::MustNot, self.node(inner)),
            ])),
            Node::Word { field, text } => self
                .tag(*field, text)
                .unwrap_or_else(|| self.words(*field, text, 0)),
            Node::Phrase { field, text, slop } => self
                .tag(*field, text)
                .unwrap_or_else(|| self.words(*field, text, *slop)),
            Node::Prefix { field, text } => self
                .tag(*field, text)
                .unwrap_or_else(|| self.prefix(*field, text)),
            Node::Fuzzy {
                field,
                text,
                distance,
            } => self
                .tag(*field, text)
                .unwrap_or_else(|| self.fuzzy(*field, text, *distance)),
        }
    }

    fn all(&mut self, nodes: &[Node]) -> Box<dyn Query> {
        let clauses: Vec<_> = nodes
            .iter()
            .map(|node| match node {
                Node::Not(inner) => (Occur::MustNot, self.node(inner)),
                node => (Occur::Must, self.node(node)),
            })
            .collect();
        Box::new(BooleanQuery::new(clauses))
    }

    /// What is known of a document and not said by it: a whole, not words.
    fn tag(&self, field: Field, text: &str) -> Option<Box<dyn Query>> {
        let tag = match field {
            Field::Host => super::tag_of_host(text),
            Field::Type => super::tag_of_type(text),
            Field::Language => {
                let Some(language) = Language::parse(text) else {
                    return Some(Box::new(EmptyQuery));
                };
                super::tag_of_language(language)
            }
            _ => return None,
        };
        Some(Box::new(ConstScoreQuery::new(
            term_query(self.fields.tags, &tag),
            0.0,
        )))
    }

    /// Where a word is looked for, and what it weighs there.
    fn places(&self, field: Field) -> Vec<(IndexField, f32)> {
        let fields = &self.fields;
        match field {
            Field::Title => vec![(fields.title, TITLE)],
            Field::Heading => vec![(fields.headings, HEADINGS)],
            Field::Text => vec![(fields.body, BODY), (fields.rest, REST)],
            Field::Url => vec![(fields.url, BODY)],
            _ => vec![
                (fields.title, TITLE),
                (fields.headings, HEADINGS),
                (fields.body, BODY),
                (fields.rest, REST),
            ],
        }
    }

    /// Words that stand side by side, in any language; `it's` and `東京都` are several as well.
    fn words(&mut self, field: Field, text: &str, slop: u32) -> Box<dyn Query> {
        let sequences = self.sequences(text);
        let mut any = Vec::new();
        for (place, weight) in self.places(field) {
            for sequence in &sequences {
                any.extend(
                    self.sequence(place, sequence, slop)
                        .map(|query| boosted(query, weight)),
                );
            }
        }
        union(any)
    }

    /// What the words of a text become, once for each way in which a language reads them.
    fn sequences(&mut self, text: &str) -> BTreeSet<Sequence> {
        let mut found = BTreeSet::new();
        for stems in &mut self.stems {
            let (mut usual, mut plain): (Sequence, Sequence) = (Vec::new(), Vec::new());
            let mut position = 0;
            let mut end_of_pair = 0;
            words(text, |word| {
                let is_one = word.is_piece && word.text.chars().nth(1).is_none();
                let is_tail = is_one && word.range.end == end_of_pair;
                if word.is_piece {
                    end_of_pair = word.range.end;
                }
                if !is_tail {
                    let terms = stems.terms(&word);
                    let piece = if is_one { Piece::Start } else { Piece::Term };
                    usual.push((position, piece(terms.stem.clone())));
                    plain.push((
                        position,
                        piece(terms.plain.as_ref().unwrap_or(&terms.stem).clone()),
                    ));
                }
                position += 1;
            });
            found.insert(usual);
            found.insert(plain);
        }
        found.retain(|sequence| !sequence.is_empty());
        found
    }

    fn prefix(&mut self, field: Field, text: &str) -> Box<dyn Query> {
        let (before, last) = last_word(text);
        let start = folded(&last.to_lowercase()).into_owned();
        let mut any: Vec<Box<dyn Query>> = Vec::new();
        let mut places = self.places(field);
        if matches!(field, Field::Anywhere | Field::Text) {
            places.push((self.fields.words, REST));
        }
        for (place, weight) in places {
            let term = Term::from_field_text(place, &start);
            any.push(boosted(
                Box::new(FuzzyTermQuery::new_prefix(term, 0, true)),
                weight,
            ));
        }
        let started = union(any);
        if before.chars().any(char::is_alphanumeric) {
            return Box::new(BooleanQuery::new(vec![
                (Occur::Must, self.words(field, before, 0)),
                (Occur::Must, started),
            ]));
        }
        started
    }

    fn fuzzy(&mut self, field: Field, text: &str, distance: u8) -> Box<dyn Query> {
        let word = folded(&text.to_lowercase()).into_owned();
        let mut any: Vec<Box<dyn Query>> = Vec::new();
        let mut places = self.places(field);
        if matches!(field, Field::Anywhere | Field::Text) {
            places.push((self.fields.words, REST));
        }
        for (place, weight) in places {
            let term = Term::from_field_text(place, &word);
            any.push(boosted(
                Box::new(FuzzyTermQuery::new(term, distance, true)),
                weight,
            ));
        }
        // As it is written, too: a word that is there weighs by how rare it is.
        any.push(self.words(field, text, 0));
        union(any)
    }

    /// Documents in which the question's words stand together are better answers.
    fn together(&mut self, root: &Node) -> Vec<Box<dyn Query>> {
        let Node::All(nodes) = root else {
            return Vec::new();
        };
        let words: Vec<&str> = nodes
            .iter()
            .filter_map(|node| match node {
                Node::Word {
                    field: Field::Anywhere,
                    text,
                } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        if words.len() < 2 {
            return Vec::new();
        }
        let Fields { title, body, .. } = self.fields;
        let mut found = Vec::new();
        self.push(
            &mut found,
            &words.join(" "),
            &[(title, TOGETHER_TITLE), (body, TOGETHER)],
        );
        if words.len() >= SENTENCE_WORDS_MIN {
            // Whoever types a sentence means the document that says it, however long that is.
            let worth = SENTENCE_WORD * words.len() as f32;
            for sequence in self.sequences(&words.join(" ")) {
                let said = self
                    .sequence(body, &sequence, 0)
                    .map(|query| ConstScoreQuery::new(query, worth));
                found.extend(said.map(|query| Box::new(query) as Box<dyn Query>));
            }
        } else if words.len() > 2 {
            for pair in words.windows(2) {
                self.push(&mut found, &pair.join(" "), &[(body, PAIR)]);
            }
        }
        found
    }

    /// These words side by side, in each of these fields.
    fn push(&mut self, found: &mut Vec<Box<dyn Query>>, text: &str, places: &[(IndexField, f32)]) {
        for sequence in self.sequences(text) {
            for (place, weight) in places {
                let query = self.sequence(*place, &sequence, 0);
                found.extend(query.map(|query| boosted(query, *weight)));
            }
        }
    }

    /// Terms side by side in a field; nothing where one of them stands nowhere in it. Most languages of an index make stems
    /// of a word that no document has, and to look for these would cost more than all the rest.
    fn sequence(&self, field: IndexField, sequence: &Sequence, slop: u32) -> Option<Box<dyn Query>> {
        let is_there = |piece: &Piece| match piece {
            // What cannot be looked up is asked for, and fails there.
            Piece::Term(text) => self
                .searcher
                .doc_freq(&Term::from_field_text(field, text))
                .map_or(true, |count| count > 0),
            Piece::Start(_) => true,
        };
        let is_whole = sequence.iter().all(|(_, piece)| is_there(piece));
        is_whole.then(|| sequence_query(field, sequence, slop)).flatten()
    }
}

/// What stands before the last word, and that word: `foo-ba` as a beginning is `foo` and `ba…`.
fn last_word(text: &str) -> (&str, &str) {
    let mut start = 0;
    words(text, |word| {
        if !word.is_piece {
            start = word.range.start;
        }
    });
    text.split_at(start)
}

fn sequence_query(field: IndexField, sequence: &Sequence, slop: u32) -> Option<Box<dyn Query>> {
    let term = |text: &str| Term::from_field_text(field, text);
    if let [(_, piece)] = sequence.as_slice() {
        return Some(match piece {
            Piece::Term(text) => term_query(field, text),
            Piece::Start(text) => Box::new(FuzzyTermQuery::new_prefix(term(text), 0, true)),
        });
    }
    // A single character among others is left out: its place is kept, and others stand around it.
    let terms: Vec<(usize, Term)> = sequence
        .iter()
        .filter_map(|(place, piece)| match piece {
            Piece::Term(text) => Some((*place, term(text))),
            Piece::Start(_) => None,
        })
        .collect();
    match terms.as_slice() {
        [] => None,
        [(_, only)] => Some(Box::new(TermQuery::new(
            only.clone(),
            IndexRecordOption::WithFreqs,
        ))),
        _ => Some(Box::new(PhraseQuery::new_with_offset_and_slop(terms, slop))),
    }
}

fn term_query(field: IndexField, text: &str) -> Box<dyn Query> {
    Box::new(TermQuery::new(
        Term::from_field_text(field, text),
        IndexRecordOption::WithFreqs,
    ))
}

fn boosted(query: Box<dyn Query>, weight: f32) -> Box<dyn Query> {
    Box::new(BoostQuery::new(query, weight))
}

fn union(mut any: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    match any.len() {
        0 => Box::new(EmptyQuery),
        1 => any.remove(0),
        _ => Box::new(BooleanQuery::union(any)),
    }
}
