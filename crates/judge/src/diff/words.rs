//! Which words of a block changed? In: the text before and after. Out: runs of text, each kept, removed or added, that
//! put together give both texts back.
//!
//! Words, numbers and signs are tokens; a number keeps its separators (`1,299.50` is one). Scripts without blanks
//! between words are cut at every character. Little islands of sameness between two changes are joined to them: a
//! person reads "old phrase → new phrase", not a sieve.

use super::align::align;
use xxhash_rust::xxh3::xxh3_64;

/// Texts of more tokens than this, both sides together, are shown whole (HC087).
pub const TOKENS_MAX: usize = 200_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Kept,
    Removed,
    Added,
}

/// A run of text with one fate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub fate: Fate,
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Word,
    Blank,
    Sign,
}

/// Cuts a text into words, runs of blanks, and single signs; together they are the text.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut sort = Sort::Sign;
    let mut characters = text.char_indices().peekable();
    let mut last = ' ';
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map_or(' ', |&(_, next)| next);
        let here = sort_of(last, character, next);
        let starts = at > start && (here != sort || here == Sort::Sign || stands_alone(character));
        if starts || (at > start && stands_alone(last)) {
            found.push(&text[start..at]);
            start = at;
        }
        sort = here;
        last = character;
    }
    if start < text.len() {
        found.push(&text[start..]);
    }
    found
}

fn sort_of(last: char, character: char, next: char) -> Sort {
    if character.is_whitespace() {
        return Sort::Blank;
    }
    let joins_digits = matches!(character, '.' | ',' | ':') && last.is_ascii_digit() && next.is_ascii_digit();
    let joins_letters = matches!(character, '\'' | '’') && last.is_alphanumeric() && next.is_alphanumeric();
    if character.is_alphanumeric() || character == '_' || joins_digits || joins_letters {
        Sort::Word
    } else {
        Sort::Sign
    }
}

/// Han, kana, Thai, Lao, Khmer, Burmese: no blanks between words.
fn stands_alone(character: char) -> bool {
    matches!(u32::from(character), 0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x2e80..=0x30ff
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x323af)
}

/// The runs that turn `before` into `after`. Texts beyond [`TOKENS_MAX`] come back as one removed and one added run.
pub fn compare_words(before: &str, after: &str) -> Vec<Run> {
    if before == after {
        return one(Fate::Kept, before);
    }
    // A token is a byte at least: long texts need not be cut to know.
    if before.len() + after.len() > TOKENS_MAX * 16 {
        return whole(before, after);
    }
    let (old, new) = (tokens(before), tokens(after));
    if old.len() + new.len() > TOKENS_MAX {
        return whole(before, after);
    }
    let hash =
        |tokens: &[&str]| -> Vec<u64> { tokens.iter().map(|token| xxh3_64(token.as_bytes())).collect() };
    let matched = align(&hash(&old), &hash(&new));
    let pieces = pieces(&old, &new, &matched);
    join(pieces)
}

/// All of it gone, all of it new.
pub(super) fn whole(before: &str, after: &str) -> Vec<Run> {
    let mut runs = one(Fate::Removed, before);
    runs.extend(one(Fate::Added, after));
    runs
}

fn one(fate: Fate, text: &str) -> Vec<Run> {
    if text.is_empty() {
        return Vec::new();
    }
    vec![Run {
        fate,
        text: text.to_owned(),
    }]
}

/// Either kept text, or what was there and what is there now.
enum Piece {
    Kept {
        text: String,
        words: usize,
    },
    Changed {
        removed: String,
        added: String,
        words: usize,
    },
}

fn pieces(old: &[&str], new: &[&str], matched: &[(usize, usize)]) -> Vec<Piece> {
    let words = |tokens: &[&str]| tokens.iter().filter(|token| is_word(token)).count();
    let mut pieces = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    let mut run = 0;
    while run <= matched.len() {
        let (to_old, to_new) = matched.get(run).copied().unwrap_or((old.len(), new.len()));
        if old_at < to_old || new_at < to_new {
            pieces.push(Piece::Changed {
                removed: old[old_at..to_old].concat(),
                added: new[new_at..to_new].concat(),
                words: words(&old[old_at..to_old]).max(words(&new[new_at..to_new])),
            });
        }
        let first = run;
        while run < matched.len() && matched[run] == (to_old + run - first, to_new + run - first) {
            run += 1;
        }
        if run == first {
            break;
        }
        let kept = &old[to_old..to_old + run - first];
        pieces.push(Piece::Kept {
            text: kept.concat(),
            words: words(kept),
        });
        (old_at, new_at) = (to_old + run - first, to_new + run - first);
    }
    pieces
}

fn is_word(token: &str) -> bool {
    token.chars().next().is_some_and(char::is_alphanumeric)
}

/// Joins changes over islands that carry no meaning of their own.
fn join(pieces: Vec<Piece>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut open: Option<(String, String, usize)> = None;
    let mut pieces = pieces.into_iter().peekable();
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Changed {
                removed,
                added,
                words,
            } => {
                let change = open.get_or_insert_with(|| (String::new(), String::new(), 0));
                change.0 += &removed;
                change.1 += &added;
                change.2 += words;
            }
            Piece::Kept { text, words } => {
                let following = match pieces.peek() {
                    Some(Piece::Changed { words, .. }) => Some(*words),
                    _ => None,
                };
                let is_island = match (&open, following) {
                    (Some((_, _, left)), Some(right)) => {
                        words == 0 && text.chars().all(char::is_whitespace)
                            || words <= 1 && text.trim().chars().count() <= 3 && *left >= 3 && right >= 3
                    }
                    _ => false,
                };
                match &mut open {
                    Some(change) if is_island => {
                        change.0 += &text;
                        change.1 += &text;
                    }
                    _ => {
                        close(&mut open, &mut runs);
                        runs.push(Run {
                            fate: Fate::Kept,
                            text,
                        });
                    }
                }
            }
        }
    }
    close(&mut open, &mut runs);
    runs
}

fn close(open: &mut Option<(String, String, usize)>, runs: &mut Vec<Run>) {
    if let Some((removed, added, _)) = open.take() {
        runs.extend(one(Fate::Removed, &removed));
        runs.extend(one(Fate::Added, &added));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(before: &str, after: &str) -> String {
        compare_words(before, after)
            .iter()
            .map(|run| match run.fate {
                Fate::Kept => run.text.clone(),
                Fate::Removed => format!("[-{}-]", run.text),
                Fate::Added => format!("{{+{}+}}", run.text),
            })
            .collect()
    }

    #[test]
    fn words_change_whole() {
        let cases = [
            (
                "costs 19.99 today",
                "costs 18.99 today",
                "costs [-19.99-]{+18.99+} today",
            ),
            ("the old house", "the house", "the [-old -]house"),
            (
                "a big red car",
                "a small blue car",
                "a [-big red-]{+small blue+} car",
            ),
            ("don't", "don’t", "[-don't-]{+don’t+}"),
            ("你好世界", "你好朋友", "你好[-世界-]{+朋友+}"),
            ("", "new", "{+new+}"),
        ];
        for (before, after, expected) in cases {
            assert_eq!(shown(before, after), expected);
        }
    }

    #[test]
    fn hc087_two_huge_lines_are_shown_whole() {
        let before = "a ".repeat(5 << 20);
        let after = "b ".repeat(5 << 20);
        assert_eq!(compare_words(&before, &after).len(), 2);
    }

    proptest! {
        #[test]
        fn tokens_lose_nothing(text in any::<String>()) {
            prop_assert_eq!(tokens(&text).concat(), text);
        }

        #[test]
        fn runs_give_both_texts_back(before in "[ab1., ]{0,40}", after in "[ab1., ]{0,40}") {
            let runs = compare_words(&before, &after);
            let side = |not: Fate| runs.iter().filter(|run| run.fate != not).map(|run| run.text.as_str()).collect::<String>();
            prop_assert_eq!(side(Fate::Added), before.clone());
            prop_assert_eq!(side(Fate::Removed), after.clone());
        }
    }
}
