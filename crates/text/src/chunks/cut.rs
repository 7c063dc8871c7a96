//! Where a text is cut, so that an edit moves no cut but its own.
//!
//! Filling chunks one after the other would move every cut behind an edit. Instead every gap between two blocks has a rank
//! that depends on a word or two of the block before it alone: gaps before headings first (higher headings before lower ones),
//! then by a hash.
//! A text that is too long is cut at its best gap, and each side again, until all pieces fit. Gaps between sentences come last,
//! so a block is cut only where it is too long by itself.
//!
//! Which gap is the best never depends on how long its sides are. So all possible pieces are a tree that an edited block is a leaf
//! of, and lengths only say which of its branches are chunks: those that just fit. A block that grows makes at most the one
//! branch too long that it is in, whose two branches are then the new chunks. Another chunk comes only where the words that
//! the rank hangs on are edited away, or where a block grows by more than what stands beside it.

use super::tokens;
use crate::read::Text;
use std::collections::HashSet;
use std::ops::Range;

/// Shorter blocks are labels.
const SOLID_TOKENS_MIN: usize = 5;

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
    /// The block it is of, and where it begins there.
    block: &'a str,
    from: usize,
    /// Of a heading; 0 for all else.
    level: u8,
    /// It goes on in the middle of a block.
    is_inner: bool,
    /// A block that says something begins with it.
    is_solid: bool,
    tokens: usize,
    /// Of the gap behind it; the smallest is cut first.
    hash: [u64; 2],
}

impl Unit<'_> {
    fn end(&self) -> usize {
        self.from + self.text.len()
    }
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
        let mut last: Option<&Unit<'_>> = None;
        for unit in &units[range] {
            if unit.level > 0 {
                path.retain(|(above, _)| *above < unit.level);
                path.push((unit.level, unit.block.trim()));
            }
            match last {
                None => {}
                // What stands between two sentences of a block stays: blanks, or the line breaks of a program.
                Some(before) if unit.is_inner => text.push_str(&unit.block[before.end()..unit.from]),
                Some(_) => text.push_str("\n\n"),
            }
            text.push_str(unit.text);
            last = Some(unit);
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
    // A heading or a label alone is no good chunk, if there is another way. Nor is a crumb of a block that is cut.
    let solid = |units: &[Unit<'_>]| units.iter().filter(|unit| unit.is_solid).count();
    let length = |units: &[Unit<'_>]| units.iter().map(|unit| unit.tokens).sum::<usize>();
    let is_of_blocks = solid(units) > 1;
    let (crumb, all) = if is_of_blocks {
        (1, solid(units))
    } else {
        (limit / 8, length(units))
    };
    let mut before = 0;
    let mut best = None;
    for at in 1..units.len() {
        before += if is_of_blocks {
            usize::from(units[at - 1].is_solid)
        } else {
            units[at - 1].tokens
        };
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

/// A block as its sentences, and those that are too long as rows of words. A heading stays whole if it can.
fn take_apart<'a>(block: &'a str, level: u8, limit: usize, units: &mut Vec<Unit<'a>>) {
    let is_solid = level == 0 && tokens(block) >= SOLID_TOKENS_MIN;
    let unit = |text: &'a str, is_inner: bool| Unit {
        text,
        block,
        from: text.as_ptr() as usize - block.as_ptr() as usize, // Every unit is a piece of its block.
        level: if is_inner { 0 } else { level },
        is_inner,
        is_solid: is_solid && !is_inner,
        tokens: tokens(text),
        hash: hash(text),
    };
    let first = units.len();
    for sentence in sentences(block) {
        let is_inner = units.len() > first;
        let one = unit(sentence, is_inner);
        if one.tokens <= limit {
            units.push(one);
            continue;
        }
        for words in rows(sentence, limit) {
            let is_inner = units.len() > first;
            units.push(unit(words, is_inner));
        }
    }
    if let Some(last) = units[first..].last_mut() {
        last.hash = hash(block); // The gap behind a block is that of the whole block.
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

/// A sentence that never ends, in short rows of words. Where a row ends depends on its last word, so that an edit moves the
/// ends near it and no others.
fn rows(text: &str, limit: usize) -> Vec<&str> {
    let tokens_max = limit.min(48);
    let mut out = Vec::new();
    let mut from = None;
    let mut length = 0;
    let mut at = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let (start, word) = (at, piece.trim_end());
        at += piece.len();
        if word.is_empty() {
            continue;
        }
        let tokens = tokens(word);
        if let Some(begun) = from.filter(|_| length + tokens > tokens_max) {
            out.push(text[begun..start].trim());
            (from, length) = (None, 0);
        }
        if tokens > tokens_max {
            out.extend(signs(word, tokens_max)); // No blanks at all.
            continue;
        }
        length += tokens;
        let begun = *from.get_or_insert(start);
        if row_hash(&[word]) >> 61 == 0 {
            out.push(text[begun..start + word.len()].trim());
            (from, length) = (None, 0);
        }
    }
    if let Some(begun) = from {
        out.push(text[begun..].trim());
    }
    out
}

/// A word that never ends, in pieces that end with certain signs.
fn signs(word: &str, tokens_max: usize) -> Vec<&str> {
    const SIGNS_PER_PIECE: u32 = 16;
    let mut out = Vec::new();
    let (mut from, mut count) = (0, 0);
    for (at, c) in word.char_indices() {
        count += 1;
        let end = at + c.len_utf8();
        if count >= tokens_max
            || (c as u32).wrapping_mul(0x9e37_79b1) >> 16 & 0xffff < 0xffff / SIGNS_PER_PIECE
        {
            out.push(&word[from..end]);
            (from, count) = (end, 0);
        }
    }
    out.push(&word[from..]);
    out.retain(|piece| !piece.is_empty());
    out
}

/// The smallest hash of a word, and of two words in a row where blocks share that word: an edit that leaves these words leaves
/// it as it was. Marks and capitals are no part of words: they change more often.
fn hash(text: &str) -> [u64; 2] {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let smallest = |row: usize| words.windows(row).map(row_hash).min();
    let whole = || row_hash(&words);
    [1, 2].map(|row| smallest(row).unwrap_or_else(whole))
}

fn row_hash(row: &[&str]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in row.iter().flat_map(|word| word.bytes().chain([b' '])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    // FNV leaves the high bits of short rows alike; these are compared first.
    (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
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
            about: None,
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
            for chunk in &chunks {
                prop_assert!(chunk.tokens <= limit, "{} > {limit}: {}", chunk.tokens, chunk.text);
            }
            let all = chunks.iter().map(|chunk| words(&chunk.text)).collect::<String>();
            let whole = blocks.iter().map(|(_, text)| words(text)).collect::<String>();
            // What is said twice is kept once.
            prop_assert!(all == whole || all.len() < whole.len(), "{all} {whole}");
        }
    }
}
