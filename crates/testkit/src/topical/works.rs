//! What does a document say? A work is the text of a real document of its genre, with the sentences of a topic.
//!
//! What makes a genre stays: headings, lists, questions, reference lists, and sentences in which the text speaks of itself. The
//! rest is exchanged: most sentences for real ones of the topic, the words of the first topic for words of the new one. Each
//! text is a pure function of (work, version).

use super::corpus::{Corpus, KEPT};
use super::people::{person, place, surname};
use crate::sessions::Random;

/// Longer texts are shortened in the middle.
const LETTERS_MAX: usize = 22_000;
const LETTERS_AT_END: usize = 4_000;
/// So many of a hundred sentences that do not speak of the text itself are exchanged.
const EXCHANGED_PERCENT: usize = 80;

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

    fn random(&self, what: u64) -> Random {
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
            (_, 5) => format!("{} and the problem of {word}", base),
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

/// Speaks of one topic.
struct Voice<'a> {
    corpus: &'a Corpus,
    topic: usize,
    salt: u64,
    random: Random,
    /// Sentences not yet said.
    waiting: Vec<String>,
}

impl<'a> Voice<'a> {
    fn of(work: &Work, corpus: &'a Corpus) -> Voice<'a> {
        Voice {
            corpus,
            topic: usize::from(work.topic),
            salt: work.salt,
            random: work.random(4),
            waiting: Vec::new(),
        }
    }

    /// The next sentence of some text of the topic.
    fn sentence(&mut self) -> String {
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

    fn prose(&mut self, sentences: usize) -> String {
        let said: Vec<String> = (0..sentences).map(|_| self.sentence()).collect();
        said.join(" ")
    }

    /// A line with the special words exchanged, each for the same one wherever it stands in this work.
    fn swapped(&self, line: &str, names: bool) -> String {
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
        if is_of_structure(&lower) || !(self.corpus.vocabulary.is_special(&lower) || !word.is_ascii()) {
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
fn speaks_of_itself(sentence: &str) -> bool {
    let lower = format!(" {} ", sentence.to_lowercase());
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
    CUES.iter().any(|cue| lower.contains(cue)) || sentence.contains('[')
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(". ")
        .map(str::trim)
        .filter(|sentence| sentence.len() > 20)
}

/// The text of a real document, in the words of another topic.
fn transplanted(draft: &mut Draft, voice: &mut Voice, work: &Work, text: &str) {
    let shortened;
    let text = if text.len() > LETTERS_MAX {
        let first = text.floor_char_boundary(LETTERS_MAX - LETTERS_AT_END);
        let last = text.ceil_char_boundary(text.len() - LETTERS_AT_END);
        shortened = format!("{}\n\n{}", &text[..first], &text[last..]);
        &shortened
    } else {
        text
    };
    let authors = draft.author.clone();
    draft.lines.push((Style::Title, draft.title.clone()));
    let mut block = String::new();
    let mut is_first = true;
    let mut is_in_references = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_matches(|c: char| c.is_whitespace() || c.is_control());
        let letters = line.chars().count();
        let lower = line.to_lowercase();
        if letters < 40 && (lower.contains("references") || lower.contains("bibliography")) {
            is_in_references = true;
        }
        let is_prose = letters >= 40 && !line.contains('@') && !is_in_references;
        if is_prose {
            if !block.is_empty() && !block.ends_with('-') {
                block.push(' ');
            }
            block.push_str(line);
            continue;
        }
        // A short last line ends the paragraph it belongs to.
        if letters > 0 && !block.is_empty() && line.ends_with('.') && !is_in_references {
            block.push(' ');
            block.push_str(line);
            flush(draft, voice, &mut block);
            continue;
        }
        flush(draft, voice, &mut block);
        if line.is_empty() {
            continue;
        }
        if is_first {
            // The first line is the title of the text that is taken as an example.
            is_first = false;
            if matches!(work.genre, "paper" | "thesis" | "technical-report") {
                draft.lines.push((Style::Byline, authors.clone()));
            }
            continue;
        }
        let said = voice.swapped(line, at < 25 || is_in_references);
        let is_heading = letters < 60
            && (is_numbered(line)
                || line.starts_with('#')
                || lower == "abstract"
                || is_loud(line)
                || lower == "references");
        let style = if line.starts_with(['*', '-', '•']) {
            Style::Item
        } else if is_heading {
            Style::Heading
        } else {
            Style::Text
        };
        draft.lines.push((style, said));
    }
    flush(draft, voice, &mut block);
}

fn flush(draft: &mut Draft, voice: &mut Voice, block: &mut String) {
    if block.is_empty() {
        return;
    }
    let mut said = String::new();
    for sentence in sentences(block) {
        if !said.is_empty() {
            said.push(' ');
        }
        if !speaks_of_itself(sentence) && voice.random.percent(EXCHANGED_PERCENT) {
            said.push_str(&voice.sentence());
        } else {
            said.push_str(&voice.swapped(sentence, false));
        }
    }
    block.clear();
    if !said.is_empty() {
        draft.lines.push((Style::Text, said));
    }
}

fn is_numbered(line: &str) -> bool {
    let mut parts = line.splitn(2, ' ');
    let number = parts.next().unwrap_or_default();
    let rest = parts.next().unwrap_or_default();
    number.starts_with(|c: char| c.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_digit() || c == '.')
        && rest.starts_with(char::is_uppercase)
}

fn is_loud(line: &str) -> bool {
    let letters: Vec<char> = line.chars().filter(|c| c.is_alphabetic()).collect();
    letters.len() >= 4 && letters.iter().all(|c| c.is_uppercase())
}

/// Slides: few words on wide pages.
fn slides(draft: &mut Draft, voice: &mut Voice) {
    draft.is_landscape = true;
    draft.lines.push((Style::Title, draft.title.clone()));
    draft.lines.push((Style::Byline, draft.author.clone()));
    let place = place(&mut voice.random);
    draft
        .lines
        .push((Style::Byline, format!("Seminar talk, University of {place}")));
    let pages = voice.random.within(12, 35);
    for page in 0..pages {
        draft.lines.push((Style::PageBreak, String::new()));
        let heading = match page {
            0 => "Outline".to_owned(),
            last if last + 1 == pages => "Questions? Thank you!".to_owned(),
            _ => few_words(&voice.sentence(), 5),
        };
        draft.lines.push((Style::Heading, heading));
        for _ in 0..voice.random.within(3, 6) {
            let words = voice.random.within(3, 10);
            draft
                .lines
                .push((Style::Item, few_words(&voice.sentence(), words)));
        }
    }
}

fn few_words(text: &str, words: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().take(words).collect();
    words.join(" ").trim_end_matches(['.', ',', ';', ':']).to_owned()
}

fn assignment(draft: &mut Draft, voice: &mut Voice) {
    draft.lines.push((Style::Title, draft.title.clone()));
    let (course, day, total) = (
        voice.random.within(101, 599),
        voice.random.within(2, 28),
        voice.random.within(3, 9),
    );
    draft.lines.push((
        Style::Byline,
        format!("Course {course}, due on October {day} at the beginning of class"),
    ));
    draft.lines.push((
        Style::Text,
        format!("There are {total} problems on this assignment. Show all your work. You may discuss the problems with other students, but you must write up your own solutions and hand them in before the lecture. Late homework gets no points."),
    ));
    for number in 1..=total {
        let points = 5 * voice.random.within(1, 5);
        draft
            .lines
            .push((Style::Heading, format!("Problem {number} ({points} points)")));
        draft.lines.push((Style::Text, voice.prose(2)));
        for letter in ["(a)", "(b)", "(c)"] {
            let ask = *voice.random.pick(&[
                "Prove or disprove:",
                "Compute, and explain your answer:",
                "Give an example of this:",
                "Write a program for this and test it:",
            ]);
            let of = few_words(&voice.sentence(), 12);
            draft.lines.push((Style::Item, format!("{letter} {ask} {of}.")));
        }
    }
}

/// A paper, thesis, report or manual where no real text shows how these are built.
fn invented(draft: &mut Draft, voice: &mut Voice, work: &Work) {
    draft.lines.push((Style::Title, draft.title.clone()));
    draft.lines.push((Style::Byline, draft.author.clone()));
    let place = place(&mut voice.random);
    draft
        .lines
        .push((Style::Byline, format!("University of {place}, {}", work.year())));
    if work.genre == "thesis" {
        draft.lines.push((Style::Byline, "A thesis submitted in partial fulfilment of the requirements for the degree of Doctor of Philosophy".to_owned()));
        draft.lines.push((Style::PageBreak, String::new()));
    }
    if work.genre == "faq-or-manual" {
        for number in 1..=voice.random.within(8, 25) {
            let about = few_words(&voice.sentence(), 9);
            draft
                .lines
                .push((Style::Heading, format!("{number}. How do I use {about}?")));
            draft.lines.push((
                Style::Text,
                format!("You can do this as follows. {}", voice.prose(4)),
            ));
        }
        return;
    }
    draft.lines.push((Style::Heading, "Abstract".to_owned()));
    draft.lines.push((Style::Text, format!("In this {} we present a new approach. {} We show that our results are better than those known before.", work.genre.replace('-', " "), voice.prose(3))));
    let own = voice.corpus.vocabulary.own(voice.topic);
    let keywords: Vec<&str> = (0..4)
        .map(|_| own[voice.random.within(0, own.len().min(80) - 1)].as_str())
        .collect();
    draft
        .lines
        .push((Style::Text, format!("Keywords: {}", keywords.join(", "))));
    let headings = [
        "Introduction",
        "Related Work",
        "Method",
        "Experiments",
        "Results",
        "Discussion",
        "Conclusion",
    ];
    for (number, heading) in headings.iter().enumerate() {
        let chapter = if work.genre == "thesis" { "Chapter " } else { "" };
        draft
            .lines
            .push((Style::Heading, format!("{chapter}{} {heading}", number + 1)));
        for _ in 0..voice.random.within(2, 5) {
            let cited = voice.random.within(1, 12);
            let said = voice.prose(5);
            draft.lines.push((
                Style::Text,
                format!("{said} We follow the work of others [{cited}], as shown in Figure {number}."),
            ));
        }
    }
    draft.lines.push((Style::Heading, "References".to_owned()));
    for number in 1..=12 {
        let (author, about, year) = (
            person(&mut voice.random),
            few_words(&voice.sentence(), 8),
            voice.random.within(1980, 2020),
        );
        draft.lines.push((
            Style::Text,
            format!(
                "[{number}] {author}. {about}. In Proceedings of the Conference, pages {}-{}, {year}.",
                number * 11,
                number * 11 + 9
            ),
        ));
    }
}
