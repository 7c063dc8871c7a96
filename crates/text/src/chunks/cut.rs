//! Where a text is cut, so that an edit moves no cut but its own.
//!
//! Filling chunks one after the other would move every cut behind an edit. Instead every gap between two blocks has a rank
//! that depends on the block before it alone: gaps before headings first (higher headings before lower ones), then by a hash.
//! A text that is too long is cut at its best gap, and each side again, until all pieces fit. Blocks that are too long by
//! themselves are first taken apart into sentences. An edit changes its own block's rank and the length of the pieces it
//! lies in, so what lies elsewhere is cut as before.

use super::tokens;
use crate::read::Text;
use std::collections::HashSet;
use std::ops::Range;

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// BLAKE3 over its headings and text, blanks folded: 128 bits in hexadecimal digits.
    pub id: String,
    /// The headings above it, the highest first; those inside it are part of its text.
    pub headings: Vec<String>,
    pub text: String,
    /// An estimate, see [`tokens`].
    pub tokens: usize,
    /// In the document, from 0.
    pub ordinal: usize,
}

/// What is never cut.
struct Unit<'a> {
    text: &'a str,
    /// Of a heading; 0 for all else.
    level: u8,
    /// It goes on in the middle of a block.
    is_inner: bool,
    tokens: usize,
    /// Of the gap behind it; the smallest is cut first.
    hash: u64,
}

/// Cuts the main text of a document into chunks of at most `limit` tokens.
pub fn cut(text: &Text, limit: usize) -> Vec<Chunk> {
    let limit = limit.max(1);
    let mut units = Vec::new();
    for passage in text.main().filter(|passage| !passage.text.trim().is_empty()) {
        take_apart(&passage.text, passage.level, limit, &mut units);
    }
    let mut pieces = Vec::new();
    // A stack instead of recursion: a hostile text may be cut at its very end again and again.
    let mut open: Vec<Range<usize>> = Vec::new();
    open.push(0..units.len());
    while let Some(range) = open.pop() {
        let piece = &units[range.clone()];
        let length: usize = piece.iter().map(|unit| unit.tokens).sum();
        if piece.len() <= 1 || length <= limit {
            pieces.push(range);
            continue;
        }
        let at = range.start + best_gap(piece, limit);
        open.push(at..range.end);
        open.push(range.start..at);
    }
    pieces.retain(|range| !range.is_empty());
    let mut path: Vec<(u8, &str)> = Vec::new();
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut named = HashSet::new();
    for range in pieces {
        // A heading at the very beginning is part of the text: it does not stand above itself.
        let headings: Vec<String> = match units[range.start].level {
            0 => path.iter().map(|(_, text)| (*text).to_owned()).collect(),
            level => path
                .iter()
                .filter(|(above, _)| *above < level)
                .map(|(_, text)| (*text).to_owned())
                .collect(),
        };
        let mut text = String::new();
        for unit in &units[range] {
            if unit.level > 0 {
                path.retain(|(above, _)| *above < unit.level);
                path.push((unit.level, unit.text));
            }
            if !text.is_empty() {
                text.push_str(if unit.is_inner { " " } else { "\n\n" });
            }
            text.push_str(unit.text.trim());
        }
        let id = name(&headings, &text);
        if !named.insert(id.clone()) {
            continue; // Said twice; kept once.
        }
        chunks.push(Chunk {
            id,
            tokens: tokens(&text),
            headings,
            text,
            ordinal: chunks.len(),
        });
    }
    chunks
}

/// How many units come before the best gap.
fn best_gap(units: &[Unit<'_>], limit: usize) -> usize {
    // Crumbs at either end are no good chunks, if there is another way.
    let crumb = limit / 8;
    let all: usize = units.iter().map(|unit| unit.tokens).sum();
    let mut before = 0;
    let mut best = None;
    for at in 1..units.len() {
        before += units[at - 1].tokens;
        let is_crumb = before < crumb || all - before < crumb;
        // A heading belongs to what follows it.
        let is_behind_heading = units[at - 1].level > 0 && units[at].level == 0;
        let level = match units[at].level {
            0 => 7 + u8::from(units[at].is_inner),
            level => level,
        };
        let rank = (is_behind_heading, is_crumb, level, units[at - 1].hash, at);
        if best.is_none_or(|best| rank < best) {
            best = Some(rank);
        }
    }
    best.map_or(1, |(.., at)| at)
}

/// A block as one unit, or as its sentences where it is too long, or those as their words.
fn take_apart<'a>(text: &'a str, level: u8, limit: usize, units: &mut Vec<Unit<'a>>) {
    let unit = |text: &'a str, is_inner: bool| Unit {
        text,
        level: if is_inner { 0 } else { level },
        is_inner,
        tokens: tokens(text),
        hash: hash(text),
    };
    let whole = unit(text, false);
    if whole.tokens <= limit {
        units.push(whole);
        return;
    }
    let first = units.len();
    for sentence in sentences(text) {
        let is_inner = units.len() > first;
        let one = unit(sentence, is_inner);
        if one.tokens <= limit {
            units.push(one);
            continue;
        }
        for words in lengths(sentence, limit) {
            let is_inner = units.len() > first;
            units.push(unit(words, is_inner));
        }
    }
}

/// Sentences, roughly: an end mark and a blank behind it, or a line break.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let mut was_end = false;
        for (at, c) in rest.char_indices() {
            let is_wide_end = matches!(c, '。' | '！' | '？');
            if c == '\n' || is_wide_end || (was_end && c.is_whitespace()) {
                let end = if is_wide_end { at + c.len_utf8() } else { at };
                let (sentence, behind) = rest.split_at(end);
                rest = behind;
                return Some(sentence);
            }
            was_end = matches!(c, '.' | '!' | '?' | ';' | '…')
                || (was_end && matches!(c, '"' | '\'' | ')' | '”' | '»'));
        }
        Some(std::mem::take(&mut rest))
    })
}

/// A sentence that never ends, in lengths that fit.
fn lengths(text: &str, limit: usize) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    let mut blank = None;
    let mut count = 0;
    let mut letters = 0;
    for (at, c) in text.char_indices() {
        let is_letter = c.is_alphanumeric() && (c as u32) < 0x0e00;
        if is_letter {
            count += usize::from(letters % 6 == 0);
            letters += 1;
        } else {
            letters = 0;
            count += usize::from(!c.is_whitespace());
        }
        if count > limit {
            let end = blank.filter(|blank| *blank > from).unwrap_or(at);
            out.push(text[from..end].trim());
            from = end;
            count = tokens(&text[from..at + c.len_utf8()]);
            blank = None;
        }
        if c.is_whitespace() {
            blank = Some(at);
        }
    }
    out.push(text[from..].trim());
    out.retain(|piece| !piece.is_empty());
    out
}

fn hash(text: &str) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&folded(text).as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// Over the words, so that blanks do not count.
fn folded(text: &str) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for word in text.split_whitespace() {
        hasher.update(word.as_bytes());
        hasher.update(b" ");
    }
    hasher.finalize()
}

fn name(headings: &[String], text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in headings.iter().map(String::as_str).chain([text]) {
        hasher.update(folded(part).as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Passage;
    use gleaner_model::BlockKind;
    use proptest::prelude::*;

    fn text(blocks: &[(u8, String)]) -> Text {
        let passages = blocks.iter().map(|(level, text)| Passage {
            kind: if *level > 0 {
                BlockKind::Heading
            } else {
                BlockKind::Paragraph
            },
            level: *level,
            is_main: true,
            text: text.clone(),
        });
        Text {
            title: "T".to_owned(),
            passages: passages.collect(),
        }
    }

    fn paragraph(number: usize) -> String {
        format!(
            "Paragraph number {number} says {} and nothing else of note.",
            "some words ".repeat(number % 7 + 2)
        )
    }

    #[test]
    fn chunks_know_the_headings_above_them() {
        let mut blocks = vec![(1, "One".to_owned()), (0, paragraph(1)), (2, "Two".to_owned())];
        blocks.extend((2..12).map(|number| (0, paragraph(number))));
        blocks.push((2, "Three".to_owned()));
        blocks.push((0, paragraph(13)));
        let chunks = cut(&text(&blocks), 60);
        assert!(chunks.len() > 3);
        assert!(chunks.iter().all(|chunk| chunk.tokens <= 60), "{chunks:#?}");
        assert!(chunks[0].headings.is_empty() && chunks[0].text.starts_with("One"));
        let last = chunks.last().expect("a chunk");
        assert_eq!(last.headings, ["One"]);
        assert!(last.text.starts_with("Three"), "{last:?}");
        assert!(chunks.iter().any(|chunk| chunk.headings == ["One", "Two"]));
    }

    #[test]
    fn a_short_text_is_one_chunk_and_none_is_none() {
        assert_eq!(cut(&text(&[(0, "Short.".to_owned())]), 60).len(), 1);
        assert!(cut(&text(&[]), 60).is_empty());
        assert!(cut(&text(&[(0, " \n".to_owned())]), 60).is_empty());
    }

    #[test]
    fn blanks_do_not_count() {
        let one = cut(&text(&[(0, "a b".to_owned())]), 60);
        let two = cut(&text(&[(0, "a  \n b".to_owned())]), 60);
        assert_eq!(one[0].id, two[0].id);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_all_fits(
            blocks in proptest::collection::vec((0u8..4, "[a-zA-Z.,;東京 \n]{0,120}"), 0..40),
            limit in 8usize..80,
        ) {
            let text = text(&blocks);
            let chunks = cut(&text, limit);
            let words = |text: &str| text.split_whitespace().collect::<String>();
            let said: std::collections::HashSet<String> = chunks.iter().map(|chunk| words(&chunk.text)).collect();
            for chunk in &chunks {
                prop_assert!(chunk.tokens <= limit, "{} > {limit}: {}", chunk.tokens, chunk.text);
            }
            let all = chunks.iter().map(|chunk| words(&chunk.text)).collect::<String>();
            let whole = blocks.iter().map(|(_, text)| words(text)).collect::<String>();
            // What is said twice below the same headings is kept once.
            if said.len() == chunks.len() && all.len() == whole.len() {
                prop_assert_eq!(all, whole);
            } else {
                prop_assert!(all.len() <= whole.len());
            }
        }
    }
}
