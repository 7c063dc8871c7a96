//! Strings of version 8: one or two bytes a character, and the shared ones run on across records.

use crate::documents::container::{u16_at, u32_at};
use crate::documents::properties::utf16;

const STRINGS_MAX: usize = 2_000_000;

/// `len` characters at a place that begins with their flags, and the place behind them. Formatting is passed over.
pub(super) fn wide(bytes: &[u8], at: usize, len: usize) -> (String, usize) {
    let flags = bytes.get(at).copied().unwrap_or(0);
    let mut from = at + 1;
    if flags & 8 != 0 {
        from += 2;
    }
    if flags & 4 != 0 {
        from += 4;
    }
    let width = if flags & 1 != 0 { 2 } else { 1 };
    let rest = bytes.get(from..).unwrap_or(&[]);
    let raw = &rest[..rest.len().min(len * width)];
    (decoded(raw, width == 2), from + raw.len())
}

fn decoded(raw: &[u8], is_wide: bool) -> String {
    if is_wide {
        utf16(raw)
    } else {
        // The upper halves of UTF-16 that are all zero were left out.
        raw.iter().map(|byte| char::from(*byte)).collect()
    }
}

/// The table of strings that cells share.
pub(super) struct Shared<'a> {
    bytes: &'a [u8],
    at: usize,
    /// End of the record under way.
    to: usize,
}

impl<'a> Shared<'a> {
    /// `from` to `to` is the first record; those that go on follow it.
    pub(super) fn read(bytes: &'a [u8], from: usize, to: usize) -> Vec<String> {
        let mut shared = Shared { bytes, at: from, to };
        let count = u32_at(bytes, from + 4).unwrap_or(0) as usize;
        shared.at += 8;
        let mut strings = Vec::new();
        for _ in 0..count.min(STRINGS_MAX) {
            let Some(text) = shared.string() else { break };
            strings.push(text);
        }
        strings
    }

    /// Goes over to the record that goes on with this one.
    fn turn(&mut self) -> bool {
        if u16_at(self.bytes, self.to) != Some(0x003C) {
            return false;
        }
        let len = usize::from(u16_at(self.bytes, self.to + 2).unwrap_or(0));
        self.at = self.to + 4;
        self.to = (self.at + len).min(self.bytes.len());
        true
    }

    fn string(&mut self) -> Option<String> {
        if self.at >= self.to && !self.turn() {
            return None;
        }
        let len = usize::from(u16_at(self.bytes, self.at)?);
        let mut flags = *self.bytes.get(self.at + 2)?;
        self.at += 3;
        let mut formats = 0usize;
        let mut spoken = 0usize;
        if flags & 8 != 0 {
            formats = usize::from(u16_at(self.bytes, self.at)?);
            self.at += 2;
        }
        if flags & 4 != 0 {
            spoken = u32_at(self.bytes, self.at)? as usize;
            self.at += 4;
        }
        let mut text = String::new();
        let mut left = len;
        while left > 0 {
            let width = if flags & 1 != 0 { 2 } else { 1 };
            let here = (self.to.saturating_sub(self.at) / width).min(left);
            text.push_str(&decoded(
                self.bytes.get(self.at..self.at + here * width)?,
                width == 2,
            ));
            self.at += here * width;
            left -= here;
            if left > 0 {
                if !self.turn() {
                    break;
                }
                // Each record says anew how wide its characters are.
                flags = *self.bytes.get(self.at)?;
                self.at += 1;
            }
        }
        self.skip(formats * 4 + spoken);
        Some(text)
    }

    fn skip(&mut self, mut count: usize) {
        while count > 0 {
            let here = self.to.saturating_sub(self.at).min(count);
            self.at += here;
            count -= here;
            if count > 0 && !self.turn() {
                return;
            }
        }
    }
}
