//! Is a heading that of an error page? Only where it says nothing else.
//!
//! "Error handling in Rust", "Fiat 500 review" and "404 Not Found: a history" are articles, "Error 500" and "Page not found |
//! Example" are messages. So a heading counts only if one of its parts consists of nothing but the words that such
//! messages are made of, and the rest of it is no more than a site's name.

use super::word_lists::{ABSENT, KNOWN, PROGRAM_ERRORS, UNSPACED, WRONG, WRONG_PHRASES};

/// Longer headings in scripts without blanks are no messages.
const UNSPACED_CHARS_MAX: usize = 24;

/// More words are a sentence of an article.
const WORDS_MAX: usize = 14;
/// Beside the message a title may hold the name of the site.
const NAME_WORDS_MAX: usize = 4;

/// Whether a title or heading is that of an error page: nothing there, something broken, a check of the browser.
pub fn says_wrong(heading: &str) -> bool {
    let is_wrong = |words: &[String]| {
        words.iter().any(|word| WRONG.contains(word.as_str())) || has_phrase(words, WRONG_PHRASES)
    };
    is_short_unspaced(heading) || has_message(heading, |words| is_wrong(words) || has_phrase(words, ABSENT))
}

/// The phrase by which it says that there is nothing at this address, if it does.
pub(super) fn absent_phrase(heading: &str) -> Option<&'static str> {
    let is_said = |phrase: &&'static str| has_message(heading, |words| has_phrase(words, &[*phrase]));
    ABSENT.iter().find(|phrase| is_said(phrase)).copied()
}

/// Texts as programs print them when they break: there is no heading then.
pub(super) fn is_from_a_program(text: &str) -> bool {
    let text = text.trim_start().to_lowercase();
    PROGRAM_ERRORS.iter().any(|beginning| text.starts_with(beginning))
}

fn has_message(heading: &str, is_core: impl Fn(&[String]) -> bool) -> bool {
    let parts: Vec<Vec<String>> = heading
        .split(['|', '–', '—', '·', '•', '»', '«', '!', '.', '?', '…'])
        .flat_map(|part| part.split(" - "))
        .map(words_of)
        .filter(|words| !words.is_empty())
        .collect();
    let is_message = |words: &Vec<String>| words.iter().all(|word| KNOWN.contains(word.as_str()));
    let others: usize = parts.iter().filter(|part| !is_message(part)).map(Vec::len).sum();
    let count: usize = parts.iter().map(Vec::len).sum();
    count <= WORDS_MAX + NAME_WORDS_MAX
        && others <= NAME_WORDS_MAX
        && parts
            .iter()
            .any(|part| part.len() <= WORDS_MAX && is_message(part) && is_core(part))
}

fn is_short_unspaced(heading: &str) -> bool {
    heading.chars().count() <= UNSPACED_CHARS_MAX && UNSPACED.iter().any(|phrase| heading.contains(phrase))
}

/// The words in lower case; "doesn't" is one.
fn words_of(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace(['\'', '’'], "");
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Whether one of the phrases stands there in whole words.
fn has_phrase(words: &[String], phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        let wanted: Vec<&str> = phrase.split(' ').collect();
        words
            .windows(wanted.len())
            .any(|window| window.iter().zip(&wanted).all(|(word, wanted)| word == wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case08_messages_are_told_from_headings_that_use_their_words() {
        for message in [
            "404 Not Found",
            "Page not found - Example",
            "Example | Error",
            "Error 500",
            "Database Error",
            "503 Service Unavailable",
            "Error establishing a database connection",
            "We will be back soon",
            "We'll be right back!",
            "Just a moment...",
            "Sorry, the page you requested could not be found.",
            "Oops! Something went wrong",
            "Down for maintenance",
            "Seite nicht gefunden",
            "Wartungsarbeiten",
            "Page introuvable",
            "Página no encontrada",
            "Страница не найдена",
            "ページが見つかりません",
            "Access denied",
            "Site en maintenance",
            "This topic does not exist yet",
            "Are you human?",
        ] {
            assert!(says_wrong(message), "{message}");
        }
        for heading in [
            "Fiat 500 review",
            "Error handling in Rust",
            "Captchas: a history",
            "404 Not Found: a history of the error page",
            "Maintenance of bicycles",
            "Errors of judgement in the Boer War",
            "The 500 best films",
            "A robot at the gate",
            "Forbidden planet",
            "Denied: the story of a claim",
            "Room 404",
            "Indianapolis 500 results",
            "Fehlerkultur im Betrieb",
            "Wartung von Fahrrädern",
            "Introuvable Alain-Fournier",
            "Home",
            "",
            "Not found guilty after all these years",
            "Service manual for the 503 tractor",
            "Offline first: building apps",
            "Welcome back, swallows",
            "About us",
            "Monty Python's Back Soon tour",
            "Lost and found",
            "Blocked drains and how to clear them",
        ] {
            assert!(!says_wrong(heading), "{heading}");
        }
    }

    #[test]
    fn hc017_absence_is_not_every_error() {
        let deleted = absent_phrase("This page does not exist anymore");
        assert!(deleted.is_some());
        assert_eq!(deleted, absent_phrase("This topic does not exist yet"));
        assert_ne!(deleted, absent_phrase("410 Gone"));
        for other in [
            "We will be back soon",
            "Database Error",
            "The dodo does not exist anymore",
        ] {
            assert_eq!(absent_phrase(other), None, "{other}");
        }
    }
}
