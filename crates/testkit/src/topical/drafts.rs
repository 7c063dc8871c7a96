//! How is a document of each genre built? As a real one of it, or, where none shows how, as everybody knows them.

use super::people::{person, place};
use super::voice::{Voice, sentences, speaks_of_itself};
use super::works::{Draft, Style, Work};

/// Longer texts are shortened in the middle.
const LETTERS_MAX: usize = 22_000;
const LETTERS_AT_END: usize = 4_000;
/// So many of a hundred sentences that do not speak of the text itself are exchanged.
const EXCHANGED_PERCENT: usize = 80;

/// The text of a real document, in the words of another topic.
pub(super) fn transplanted(draft: &mut Draft, voice: &mut Voice, work: &Work, text: &str) {
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
pub(super) fn slides(draft: &mut Draft, voice: &mut Voice) {
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

pub(super) fn assignment(draft: &mut Draft, voice: &mut Voice) {
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
pub(super) fn invented(draft: &mut Draft, voice: &mut Voice, work: &Work) {
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
