//! Where words begin and end: runs of letters and digits; scripts without blanks in pairs of characters.
//!
//! Pairs overlap (`東京都` is `東京`, `京都`), and the last character of a run stands alone behind them, so that a question
//! of one character finds it as the beginning of a pair or alone. No dictionary is needed, and nothing is cut wrongly.

use std::ops::Range;

/// A piece of text that becomes a term, as it stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'a> {
    pub text: &'a str,
    /// In bytes.
    pub range: Range<usize>,
    /// A pair of characters, or the last one of a run, in a script without blanks.
    pub is_piece: bool,
}

/// Longer ones are no words but data; their beginning stands for them.
const WORD_BYTES_MAX: usize = 64;

/// Calls `each` for every word in order.
pub fn words<'a>(text: &'a str, mut each: impl FnMut(Word<'a>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        // Most text is ASCII, and most of that is words.
        if bytes[at].is_ascii() && !bytes[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let Some(first) = text[at..].chars().next() else {
            break;
        };
        if !is_word(first) {
            at += first.len_utf8();
        } else if is_unspaced(first) {
            at = pieces(text, at, &mut each);
        } else {
            let end = word_end(text, at);
            each(Word {
                text: cut(&text[at..end]),
                range: at..end,
                is_piece: false,
            });
            at = end;
        }
    }
}

fn word_end(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        if bytes[at].is_ascii() {
            if !bytes[at].is_ascii_alphanumeric() {
                break;
            }
            at += 1;
            continue;
        }
        let Some(next) = text[at..].chars().next() else {
            break;
        };
        if !is_word(next) || is_unspaced(next) {
            break;
        }
        at += next.len_utf8();
    }
    at
}

/// The pairs of a run of characters without blanks; gives where it ends.
fn pieces<'a>(text: &'a str, from: usize, each: &mut impl FnMut(Word<'a>)) -> usize {
    let mut before: Option<usize> = None;
    let mut last = from;
    let mut at = from;
    for next in text[from..].chars() {
        if !is_unspaced(next) {
            break;
        }
        let end = at + next.len_utf8();
        if let Some(start) = before {
            each(Word {
                text: &text[start..end],
                range: start..end,
                is_piece: true,
            });
        }
        before = Some(at);
        last = at;
        at = end;
    }
    each(Word {
        text: &text[last..at],
        range: last..at,
        is_piece: true,
    });
    at
}

fn cut(word: &str) -> &str {
    if word.len() <= WORD_BYTES_MAX {
        return word;
    }
    let mut end = WORD_BYTES_MAX;
    while !word.is_char_boundary(end) {
        end -= 1;
    }
    &word[..end]
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || is_mark(c)
}

/// Marks that belong to the letter before them: accents written apart, vowel signs, points.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c2}'
        | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}'
        | '\u{951}'..='\u{957}' | '\u{962}'..='\u{963}' | '\u{980}'..='\u{983}' | '\u{9bc}'..='\u{9cd}' | '\u{a3c}'..='\u{a4d}'
        | '\u{abc}'..='\u{acd}' | '\u{b3c}'..='\u{b57}' | '\u{bbe}'..='\u{bcd}' | '\u{c3c}'..='\u{c56}' | '\u{cbc}'..='\u{cd6}'
        | '\u{d3b}'..='\u{d4d}' | '\u{dca}'..='\u{ddf}' | '\u{200c}' | '\u{200d}')
}

/// Scripts that put no blanks between words, and Korean, whose words carry their endings with them.
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e01}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17d3}'
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{3096}' | '\u{3099}'..='\u{309f}' | '\u{30a1}'..='\u{30ff}' | '\u{3105}'..='\u{312f}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        words(text, |word| found.push(word.text));
        found
    }

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(
            all("It's 3.14, naïve-ish: x_y"),
            ["It", "s", "3", "14", "naïve", "ish", "x", "y"]
        );
        assert_eq!(all("cafe\u{301}s"), ["cafe\u{301}s"]);
        assert_eq!(all("हिन्दी में"), ["हिन्दी", "में"]);
    }

    #[test]
    fn scripts_without_blanks_come_in_pairs() {
        assert_eq!(all("東京都 x"), ["東京", "京都", "都", "x"]);
        assert_eq!(all("日 5月"), ["日", "5", "月"]);
        assert_eq!(all("가나다"), ["가나", "나다", "다"]);
    }

    proptest! {
        #[test]
        fn a_word_is_where_it_says(text in "\\PC{0,60}") {
            let mut end = 0;
            words(&text, |word| {
                assert!(text[word.range.clone()].starts_with(word.text));
                assert!(word.range.end >= end && !word.text.is_empty());
                end = word.range.end;
            });
        }
    }
}
