//! What does a document say? A work is the text of a real document of its genre, with the sentences of a topic.
//!
//! What makes a genre stays: headings, lists, questions, reference lists, and sentences in which the text speaks of itself. The
//! rest is exchanged: most sentences for real ones of the topic, the words of the first topic for words of the new one. Each
//! text is a pure function of (work, version).

use super::corpus::{Corpus, KEPT};
use super::drafts::{assignment, invented, slides, transplanted};
use super::people::person;
use super::voice::Voice;
use crate::sessions::Random;

/// One work, in whatever formats and places it is served.
#[derive(Debug, Clone)]
pub(super) struct Work {
    pub(super) topic: u8,
    pub(super) genre: &'static str,
    pub(super) skeleton: Option<u32>,
    pub(super) salt: u64,
    /// Epochs at which its text changes.
    pub(super) changes: Vec<u8>,
}

/// How a line of a document looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Title,
    Byline,
    Heading,
    Text,
    Item,
    PageBreak,
}

/// A document before it has a format.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    pub(super) title: String,
    pub(super) author: String,
    pub(super) is_landscape: bool,
    pub(super) lines: Vec<(Style, String)>,
}

impl Work {
    pub(super) fn is_kept(&self) -> bool {
        KEPT.contains(&self.genre)
    }

    pub(super) fn version(&self, epoch: u8) -> u8 {
        self.changes.iter().filter(|change| **change <= epoch).count() as u8
    }

    pub(super) fn random(&self, what: u64) -> Random {
        Random::of(&[self.salt, what])
    }

    pub(super) fn title(&self, corpus: &Corpus) -> String {
        let topic = &corpus.topics[usize::from(self.topic)];
        let mut random = self.random(1);
        let base = &random.pick(&topic.texts).title;
        let own = corpus.vocabulary.own(usize::from(self.topic));
        let word = &own[random.within(0, own.len().min(150) - 1)];
        match (self.genre, random.within(0, 6)) {
            ("faq-or-manual", 0..=2) => format!("{base}: Frequently Asked Questions"),
            ("faq-or-manual", _) => format!("{base}: User Manual"),
            ("slides", _) => format!("{base} ({word})"),
            ("assignment-or-exam", _) => format!("Homework {}: {base}", random.within(1, 9)),
            ("syllabus", _) => format!("Syllabus: {base}"),
            (_, 0) => format!("On {base}"),
            (_, 1) => format!("{base} and {word}: a comparison"),
            (_, 2) => format!("Towards better {word}: {base}"),
            (_, 3) => format!("{base} revisited"),
            (_, 4) => format!("An evaluation of {base}"),
            (_, 5) => format!("{base} and the problem of {word}"),
            _ => base.clone(),
        }
    }

    pub(super) fn authors(&self) -> Vec<String> {
        let mut random = self.random(2);
        let number = match self.genre {
            "thesis" | "assignment-or-exam" | "book" => 1,
            _ => random.within(1, 4),
        };
        (0..number).map(|_| person(&mut random)).collect()
    }

    pub(super) fn year(&self) -> usize {
        self.random(3).within(1994, 2024)
    }

    pub(super) fn draft(&self, corpus: &Corpus, version: u8) -> Draft {
        let mut draft = Draft {
            title: self.title(corpus),
            author: self.authors().join(", "),
            ..Draft::default()
        };
        let mut voice = Voice::of(self, corpus);
        match self.genre {
            "slides" => slides(&mut draft, &mut voice),
            "assignment-or-exam" => assignment(&mut draft, &mut voice),
            _ => match self.skeleton {
                Some(at) => transplanted(&mut draft, &mut voice, self, &corpus.skeletons[at as usize].text),
                None => invented(&mut draft, &mut voice, self),
            },
        }
        for change in 0..version {
            let mut changed = Voice::of(self, corpus);
            changed.random = self.random(0x1000 + u64::from(change));
            let texts: Vec<usize> = (0..draft.lines.len())
                .filter(|at| draft.lines[*at].0 == Style::Text)
                .collect();
            for _ in 0..3.min(texts.len()) {
                let at = texts[changed.random.within(0, texts.len() - 1)];
                draft.lines[at].1 = changed.prose(3);
            }
        }
        draft
    }
}
