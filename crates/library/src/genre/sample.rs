//! What is looked at of a document: its beginning, its middle and its end, cut into words.
//!
//! A book of 300 pages says what it is in its first and last pages; reading all of it would take longer and say no more.

use gleaner_model::BlockKind;
use gleaner_parse::documents::{Piece, Reading};
use std::ops::Range;

/// A text up to this is looked at whole.
const WHOLE_BYTES: usize = 60_000;
const HEAD_BYTES: usize = 36_000;
const MIDDLE_BYTES: usize = 12_000;
const TAIL_BYTES: usize = 12_000;
/// Longer words are data.
const WORD_BYTES_MAX: usize = 40;

/// The words that are looked at, in lower case, digits as `0`.
#[derive(Debug, Default)]
pub(super) struct Sample<'a> {
    lower: String,
    words: Vec<Range<u32>>,
    pub(super) parts: Vec<Part<'a>>,
    /// Of the whole text.
    pub(super) bytes: usize,
    pub(super) sampled_bytes: usize,
}

/// As much of a piece as is looked at.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub(super) piece: &'a Piece,
    pub(super) text: &'a str,
    pub(super) words: Range<usize>,
    /// The beginning of the piece is there.
    pub(super) is_begin: bool,
    /// Its end is there.
    pub(super) is_end: bool,
    /// Where it begins, as a share of the whole text.
    pub(super) place: f32,
}

impl<'a> Sample<'a> {
    pub(super) fn of(reading: &'a Reading) -> Sample<'a> {
        let bytes: usize = reading.pieces.iter().map(|piece| piece.text.len() + 1).sum();
        let windows: Vec<Range<usize>> = if bytes <= WHOLE_BYTES {
            std::iter::once(0..bytes).collect()
        } else {
            let middle = bytes / 2 - MIDDLE_BYTES / 2;
            vec![
                0..HEAD_BYTES,
                middle.max(HEAD_BYTES)..(middle + MIDDLE_BYTES).min(bytes - TAIL_BYTES),
                bytes - TAIL_BYTES..bytes,
            ]
        };
        let mut sample = Sample {
            bytes,
            ..Sample::default()
        };
        let mut from = 0;
        let mut window = 0;
        for piece in &reading.pieces {
            let to = from + piece.text.len();
            while window < windows.len() {
                let cut = from.max(windows[window].start)..to.min(windows[window].end);
                if cut.start <= cut.end && from < windows[window].end && to >= windows[window].start {
                    let inside = at_borders(&piece.text, cut.start - from..cut.end - from);
                    sample.add(piece, inside, from);
                }
                if windows[window].end > to {
                    break;
                }
                window += 1;
            }
            from = to + 1;
        }
        sample
    }

    fn add(&mut self, piece: &'a Piece, inside: Range<usize>, from: usize) {
        let text = &piece.text[inside.clone()];
        let first = self.words.len();
        self.cut(text);
        self.sampled_bytes += text.len() + 1;
        self.parts.push(Part {
            piece,
            text,
            words: first..self.words.len(),
            is_begin: inside.start == 0,
            is_end: inside.end == piece.text.len(),
            place: from as f32 / self.bytes.max(1) as f32,
        });
    }

    fn cut(&mut self, text: &str) {
        let mut begun: Option<usize> = None;
        for sign in text.chars() {
            if !sign.is_alphanumeric() {
                self.end(&mut begun);
                continue;
            }
            if gleaner_words::is_unspaced(sign) {
                self.end(&mut begun);
                begun = Some(self.lower.len());
                self.lower.push(sign);
                self.end(&mut begun);
                continue;
            }
            if begun.is_none() {
                begun = Some(self.lower.len());
            }
            if sign.is_ascii_digit() {
                self.lower.push('0');
            } else if sign.is_ascii() {
                self.lower.push(sign.to_ascii_lowercase());
            } else {
                self.lower.extend(sign.to_lowercase());
            }
        }
        self.end(&mut begun);
    }

    fn end(&mut self, begun: &mut Option<usize>) {
        let Some(from) = begun.take() else { return };
        if self.lower.len() - from > WORD_BYTES_MAX {
            let mut to = from + WORD_BYTES_MAX;
            while !self.lower.is_char_boundary(to) {
                to -= 1;
            }
            self.lower.truncate(to);
        }
        self.words.push(from as u32..self.lower.len() as u32);
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    pub(super) fn word(&self, at: usize) -> &str {
        let range = &self.words[at];
        &self.lower[range.start as usize..range.end as usize]
    }

    pub(super) fn words(&self, range: Range<usize>) -> impl Iterator<Item = &str> + Clone {
        range.map(|at| self.word(at))
    }
}

impl Part<'_> {
    pub(super) fn is(&self, kind: BlockKind) -> bool {
        self.piece.kind == kind
    }
}

fn at_borders(text: &str, range: Range<usize>) -> Range<usize> {
    let down = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    down(range.start)..down(range.end)
}
