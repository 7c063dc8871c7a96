//! Word's documents up to 2003 ([MS-DOC]), and of Word 6 and 95.
//!
//! The text lies in pieces all over the stream; the piece table says in which order and whether a piece has one or two
//! bytes a character. Which paragraphs are headings, items and row ends stands in pages of paragraph properties, found by
//! the place of the paragraph's end. Headers, footers and comments are left out.

mod layout;

use super::container::{Cfb, u16_at, u32_at};
use super::fields::Fields;
use super::pen::Pen;
use super::properties::{codepage_text, summary};
use super::reading::Unread;
use gleaner_model::BlockKind;
use layout::{Layout, Paragraph};

const WORD_97: u16 = 0xC1;
const FLAG_LOCKED: u16 = 0x0100;
const FLAG_TABLE_1: u16 = 0x0200;
const CHARS_MAX: usize = 16 << 20;

pub(super) fn read(bytes: &[u8], pen: &mut Pen) -> Result<(), Unread> {
    let (main, table) = if bytes.starts_with(b"\xD0\xCF\x11\xE0") {
        let cfb = Cfb::open(bytes)?;
        summary(&cfb, pen.metadata());
        let main = cfb
            .stream("WordDocument")
            .ok_or_else(|| Unread::damaged("it has no text stream"))?;
        let flags = u16_at(&main, 10).unwrap_or(0);
        let name = if flags & FLAG_TABLE_1 != 0 {
            "1Table"
        } else {
            "0Table"
        };
        let table = cfb.stream(name).unwrap_or_default();
        (main, table)
    } else {
        (bytes.to_vec(), Vec::new())
    };
    let flags = u16_at(&main, 10).unwrap_or(0);
    if flags & FLAG_LOCKED != 0 {
        return Err(Unread::Encrypted);
    }
    let version = u16_at(&main, 2).unwrap_or(0);
    if version < WORD_97 {
        return old(&main, flags, pen);
    }
    let found = Text::find(&main, &table);
    let Some(text) = found else {
        return Err(Unread::damaged("its table of text pieces cannot be read"));
    };
    let layout = Layout::read(&main, &table);
    let mut writer = Writer::new(pen, &layout);
    for part in text.parts(&main) {
        for &(c, place) in text.chars.get(part).unwrap_or(&[]) {
            writer.take(c, place);
        }
        writer.end_paragraph(u32::MAX);
    }
    Ok(())
}

/// All characters in order, each with its place in the stream.
struct Text {
    chars: Vec<(char, u32)>,
}

impl Text {
    fn find(main: &[u8], table: &[u8]) -> Option<Text> {
        let from = u32_at(main, 0x01A2)? as usize;
        let len = u32_at(main, 0x01A6)? as usize;
        let clx = table.get(from..from.checked_add(len)?.min(table.len()))?;
        let mut at = 0;
        while *clx.get(at)? == 1 {
            at += 3 + usize::from(u16_at(clx, at + 1)?);
        }
        if clx.get(at) != Some(&2) {
            return None;
        }
        let pieces = clx.get(at + 5..)?;
        let len = (u32_at(clx, at + 1)? as usize).min(pieces.len());
        let count = len.checked_sub(4)? / 12;
        let mut text = Text { chars: Vec::new() };
        for index in 0..count {
            let begin = u32_at(pieces, 4 * index)?;
            let end = u32_at(pieces, 4 * index + 4)?;
            let place = u32_at(pieces, 4 * (count + 1) + 8 * index + 2)?;
            let chars = end.checked_sub(begin)? as usize;
            text.add(main, place, chars);
        }
        Some(text)
    }

    fn add(&mut self, main: &[u8], place: u32, count: usize) {
        let is_narrow = place & 0x4000_0000 != 0;
        let room = CHARS_MAX.saturating_sub(self.chars.len());
        let count = count.min(room);
        let from = if is_narrow {
            (place & 0x3FFF_FFFF) / 2
        } else {
            place & 0x3FFF_FFFF
        } as usize;
        let width = if is_narrow { 1 } else { 2 };
        let end = from.saturating_add(count * width).min(main.len());
        let Some(bytes) = main.get(from..end) else { return };
        if is_narrow {
            let text = codepage_text(bytes, 1252);
            self.chars
                .extend(text.chars().enumerate().map(|(n, c)| (c, (from + n) as u32)));
            return;
        }
        let units = bytes
            .chunks_exact(2)
            .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let mut place = from as u32;
        for c in char::decode_utf16(units) {
            let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.chars.push((c, place));
            place += 2 * c.len_utf16() as u32;
            // Keeps positions and characters in step.
            if c.len_utf16() == 2 {
                self.chars.push(('\u{2}', place - 2));
            }
        }
    }

    /// The ranges that are read: main text, foot- and endnotes, text boxes.
    fn parts(&self, main: &[u8]) -> Vec<std::ops::Range<usize>> {
        let counts: Vec<usize> = (0..7)
            .map(|n| u32_at(main, 0x4C + 4 * n).unwrap_or(0) as usize)
            .collect();
        let mut parts = Vec::new();
        let mut from = 0usize;
        // Main, footnotes, headers, (unused), comments, endnotes, text boxes.
        for (index, count) in counts.into_iter().enumerate() {
            let to = from.saturating_add(count).min(self.chars.len());
            if matches!(index, 0 | 1 | 5 | 6) && from < to {
                parts.push(from..to);
            }
            from = to;
        }
        if parts.is_empty() {
            parts.push(0..self.chars.len());
        }
        parts
    }
}

/// Word 6 and 95: one range of bytes, unless it was saved in pieces.
fn old(main: &[u8], flags: u16, pen: &mut Pen) -> Result<(), Unread> {
    let damaged = || Unread::damaged("its text lies outside the file");
    let from = u32_at(main, 0x18).ok_or_else(damaged)? as usize;
    let count = u32_at(main, 0x34).unwrap_or(0) as usize;
    let to = u32_at(main, 0x1C).ok_or_else(damaged)? as usize;
    let to = if count > 0 {
        to.min(from.saturating_add(count))
    } else {
        to
    };
    let codepage = match u16_at(main, 6).unwrap_or(0) & 0xFF {
        0x19 | 0x22 | 0x23 => 1251,
        0x05 | 0x0E | 0x15 | 0x1B | 0x24 => 1250,
        0x08 => 1253,
        0x1F => 1254,
        0x11 => 932,
        0x12 => 949,
        _ => 1252,
    };
    let layout = Layout::default();
    let mut writer = Writer::new(pen, &layout);
    let mut text = String::new();
    // Saved quickly: pieces, as in later versions, in this stream itself.
    if flags & 4 != 0 {
        text = old_pieces(main, codepage).unwrap_or_default();
    }
    if text.is_empty() {
        let bytes = main.get(from..to.min(main.len())).ok_or_else(damaged)?;
        text = codepage_text(bytes, codepage);
    }
    for c in text.chars() {
        writer.take(c, u32::MAX);
    }
    writer.end_paragraph(u32::MAX);
    Ok(())
}

fn old_pieces(main: &[u8], codepage: u16) -> Option<String> {
    let from = u32_at(main, 0x160)? as usize;
    let len = u32_at(main, 0x164)? as usize;
    let clx = main.get(from..from.checked_add(len)?.min(main.len()))?;
    let mut at = 0;
    while *clx.get(at)? == 1 {
        at += 3 + usize::from(u16_at(clx, at + 1)?);
    }
    let pieces = clx.get(at + 5..)?;
    let count = (u32_at(clx, at + 1)? as usize).min(pieces.len()).checked_sub(4)? / 12;
    let mut text = String::new();
    for index in 0..count {
        let chars = u32_at(pieces, 4 * index + 4)?.checked_sub(u32_at(pieces, 4 * index)?)? as usize;
        let place = u32_at(pieces, 4 * (count + 1) + 8 * index + 2)? as usize;
        if let Some(bytes) = main.get(place..place.saturating_add(chars).min(main.len())) {
            text.push_str(&codepage_text(bytes, codepage));
        }
        if text.len() > CHARS_MAX {
            break;
        }
    }
    Some(text)
}

/// Makes blocks of characters.
struct Writer<'a> {
    pen: &'a mut Pen,
    layout: &'a Layout,
    fields: Fields,
    in_row: bool,
    page: u32,
}

impl<'a> Writer<'a> {
    fn new(pen: &'a mut Pen, layout: &'a Layout) -> Writer<'a> {
        Writer {
            pen,
            layout,
            fields: Fields::default(),
            in_row: false,
            page: 0,
        }
    }

    fn take(&mut self, c: char, place: u32) {
        match c {
            '\u{13}' => self.fields.begin(),
            '\u{14}' => self.fields.separate(self.pen),
            '\u{15}' => self.fields.end(self.pen),
            c if self.fields.is_in_code() => self.fields.push_code(c.encode_utf8(&mut [0; 4])),
            '\r' => self.end_paragraph(place),
            '\u{7}' => self.end_cell(place),
            '\u{c}' => {
                self.end_paragraph(place);
                self.page += 1;
                self.pen.page(self.page + 1);
            }
            '\u{b}' => self.pen.push("\n"),
            '\t' => self.pen.push("\t"),
            '\u{1e}' => self.pen.push("-"),
            '\0'..='\u{1f}' => {}
            // Symbols of one font.
            '\u{e000}'..='\u{f8ff}' => self.pen.push(" "),
            c => self.pen.push_char(c),
        }
    }

    fn end_cell(&mut self, place: u32) {
        let is_row_end = match self.layout.at(place) {
            Some(paragraph) => paragraph.is_row_end,
            None => self.pen.is_blank() || self.pen.ends_with_border(),
        };
        if is_row_end {
            self.pen.end(BlockKind::Row, 0);
            self.in_row = false;
        } else {
            self.pen.next_cell();
            self.in_row = true;
        }
    }

    fn end_paragraph(&mut self, place: u32) {
        let Paragraph {
            heading,
            item,
            is_in_table,
            ..
        } = self.layout.at(place).copied().unwrap_or_default();
        if is_in_table || self.in_row && self.layout.at(place).is_none() && place != u32::MAX {
            self.pen.push("\n");
        } else if heading > 0 {
            self.pen.end(BlockKind::Heading, heading.min(6));
        } else if item > 0 {
            self.pen.end(BlockKind::Item, item);
        } else {
            self.pen.paragraph();
        }
    }
}
