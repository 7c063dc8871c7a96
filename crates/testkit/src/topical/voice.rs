//! In whose words is a document written? A voice speaks of one topic: in real sentences, or with exchanged words.

use super::corpus::Corpus;
use super::people::surname;
use super::works::Work;
use crate::sessions::Random;

/// Speaks of one topic.
pub(super) struct Voice<'a> {
    pub(super) corpus: &'a Corpus,
    pub(super) topic: usize,
    salt: u64,
    pub(super) random: Random,
    /// Sentences not yet said.
    waiting: Vec<String>,
}

impl<'a> Voice<'a> {
    pub(super) fn of(work: &Work, corpus: &'a Corpus) -> Voice<'a> {
        Voice {
            corpus,
            topic: usize::from(work.topic),
            salt: work.salt,
            random: work.random(4),
            waiting: Vec::new(),
        }
    }

    /// The next sentence of some text of the topic.
    pub(super) fn sentence(&mut self) -> String {
        loop {
            if let Some(sentence) = self.waiting.pop() {
                return sentence;
            }
            let texts = &self.corpus.topics[self.topic].texts;
            let text = self.random.pick(texts);
            let paragraph = self.random.pick(&text.paragraphs);
            self.waiting
                .extend(sentences(paragraph).take(4).map(str::to_owned));
            self.waiting.reverse();
        }
    }

    pub(super) fn prose(&mut self, sentences: usize) -> String {
        let said: Vec<String> = (0..sentences).map(|_| self.sentence()).collect();
        said.join(" ")
    }

    /// A line with the special words exchanged, each for the same one wherever it stands in this work.
    pub(super) fn swapped(&self, line: &str, names: bool) -> String {
        let mut out = String::with_capacity(line.len() + 16);
        let mut word = String::new();
        for c in line.chars().chain(std::iter::once('\n')) {
            if c.is_alphabetic() {
                word.push(c);
                continue;
            }
            if !word.is_empty() {
                self.swap(&word, names, &mut out);
                word.clear();
            }
            out.push(c);
        }
        out.pop();
        out
    }

    fn swap(&self, word: &str, names: bool, out: &mut String) {
        let lower = word.to_lowercase();
        let is_special = self.corpus.vocabulary.is_special(&lower) || !word.is_ascii();
        if is_of_structure(&lower) || !is_special {
            out.push_str(word);
            return;
        }
        let mut hash = self.salt;
        for byte in lower.bytes() {
            hash = hash.rotate_left(7) ^ u64::from(byte).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        let mut random = Random::of(&[hash]);
        let is_capital = word.chars().next().is_some_and(char::is_uppercase);
        if names && is_capital {
            out.push_str(surname(&mut random));
            return;
        }
        let own = self.corpus.vocabulary.own(self.topic);
        let rank = random
            .within(0, own.len() - 1)
            .min(random.within(0, own.len() - 1));
        let new = &own[rank];
        let is_loud = word.len() > 1 && word.chars().all(char::is_uppercase);
        let mut letters = new.chars();
        match (is_loud, is_capital, letters.next()) {
            (true, _, _) => out.push_str(&new.to_uppercase()),
            (_, true, Some(first)) => {
                out.extend(first.to_uppercase());
                out.push_str(letters.as_str());
            }
            _ => out.push_str(new),
        }
    }
}

/// Words by which a genre is known.
fn is_of_structure(lower: &str) -> bool {
    const WORDS: &[&str] = &[
        "abstract",
        "acknowledgements",
        "acknowledgments",
        "acknowledgement",
        "appendix",
        "assignment",
        "bibliography",
        "chapter",
        "chapters",
        "conclusion",
        "conclusions",
        "contents",
        "course",
        "deadline",
        "degree",
        "department",
        "dissertation",
        "doctor",
        "edition",
        "evaluation",
        "exam",
        "exams",
        "experiments",
        "figure",
        "figures",
        "frequently",
        "fulfilment",
        "fulfillment",
        "grades",
        "grading",
        "homework",
        "instructor",
        "introduction",
        "journal",
        "keywords",
        "lecture",
        "lectures",
        "literature",
        "manual",
        "master",
        "methodology",
        "minutes",
        "partial",
        "philosophy",
        "proceedings",
        "professor",
        "question",
        "questions",
        "references",
        "requirements",
        "results",
        "science",
        "section",
        "semester",
        "sections",
        "submitted",
        "supervisor",
        "syllabus",
        "table",
        "tables",
        "technical",
        "textbook",
        "thesis",
        "university",
        "volume",
        "present",
        "propose",
        "investigate",
        "approach",
        "motivation",
        "related",
        "future",
        "theorem",
        "lemma",
        "proof",
        "definition",
        "et",
        "al",
        "conference",
        "press",
        "research",
        "institute",
        "faculty",
        "attendees",
        "agenda",
        "sincerely",
        "regards",
        "dear",
    ];
    WORDS.contains(&lower)
}

/// Whether a sentence speaks of its own text or to its reader: these show the genre.
pub(super) fn speaks_of_itself(sentence: &str) -> bool {
    const CUES: &[&str] = &[
        " we ",
        " our ",
        "this paper",
        "this thesis",
        "this study",
        "this report",
        "this document",
        "this chapter",
        "this work",
        "this memo",
        "section ",
        "figure ",
        "table ",
        "et al",
        " you ",
        "your ",
        " i ",
        "?",
        "copyright",
        "must ",
        "shall ",
        "q:",
        "a:",
        "students",
        "submitted",
        "university",
    ];
    let lower = format!(" {} ", sentence.to_lowercase());
    CUES.iter().any(|cue| lower.contains(cue)) || sentence.contains('[')
}

pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(". ")
        .map(str::trim)
        .filter(|sentence| sentence.len() > 20)
}
