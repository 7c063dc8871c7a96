//! Excel's sheets up to 2003: a stream of records ([MS-XLS]; versions 2 to 8). Each sheet a heading, each row a row.

mod strings;

use super::container::{Cfb, u16_at, u32_at};
use super::limits::{CELLS_REPEATED_MAX, COLUMNS_MAX};
use super::pen::Pen;
use super::properties::{codepage_text, summary, utf16};
use super::reading::Unread;
use super::sheet::{Look, builtin, of_code, shown};
use gleaner_model::BlockKind;
use std::collections::{BTreeMap, HashMap};
use strings::{Shared, wide};

const CELLS_MAX: usize = 5_000_000;
/// What names a web address inside a link record.
const URL_MONIKER: [u8; 16] = [
    0xE0, 0xC9, 0xEA, 0x79, 0xF9, 0xBA, 0xCE, 0x11, 0x8C, 0x82, 0x00, 0xAA, 0x00, 0x4B, 0xA9, 0x0B,
];

pub(super) fn read(bytes: &[u8], pen: &mut Pen) -> Result<(), Unread> {
    let stream = if bytes.starts_with(b"\xD0\xCF\x11\xE0") {
        let cfb = Cfb::open(bytes)?;
        summary(&cfb, pen.metadata());
        cfb.stream("Workbook")
            .filter(|stream| !stream.is_empty())
            .or_else(|| cfb.stream("Book"))
            .ok_or_else(|| Unread::damaged("it has no workbook stream"))?
    } else {
        bytes.to_vec()
    };
    let mut book = Book::new(&stream);
    book.walk(pen)?;
    book.end_sheet(pen);
    if book.count > 0 {
        pen.metadata().pages = Some(book.count);
    }
    Ok(())
}

struct Book<'a> {
    bytes: &'a [u8],
    /// 2, 3, 4, 5 or 8.
    version: u8,
    codepage: u16,
    is_1904: bool,
    names: Vec<String>,
    strings: Vec<String>,
    formats: HashMap<u16, Look>,
    /// Number format of each cell style.
    styles: Vec<u16>,
    depth: u32,
    /// Sheets begun so far.
    count: u32,
    cells: BTreeMap<(u16, u16), String>,
    /// A formula whose text follows.
    waiting: Option<(u16, u16)>,
    links: Vec<String>,
}

impl<'a> Book<'a> {
    fn new(bytes: &'a [u8]) -> Book<'a> {
        Book {
            bytes,
            version: 8,
            codepage: 1252,
            is_1904: false,
            names: Vec::new(),
            strings: Vec::new(),
            formats: HashMap::new(),
            styles: Vec::new(),
            depth: 0,
            count: 0,
            cells: BTreeMap::new(),
            waiting: None,
            links: Vec::new(),
        }
    }

    fn walk(&mut self, pen: &mut Pen) -> Result<(), Unread> {
        let bytes = self.bytes;
        let mut at = 0;
        while let (Some(kind), Some(len)) = (u16_at(bytes, at), u16_at(bytes, at + 2)) {
            let from = at + 4;
            let to = (from + usize::from(len)).min(bytes.len());
            let Some(record) = bytes.get(from..to) else { break };
            at = from + usize::from(len);
            match kind {
                0x0009 | 0x0209 | 0x0409 | 0x0809 => self.begin(kind, record, pen),
                0x000A => self.depth = self.depth.saturating_sub(1),
                0x002F if self.version >= 2 => return Err(Unread::Encrypted),
                0x0022 => self.is_1904 = u16_at(record, 0) == Some(1),
                0x0042 => self.codepage = u16_at(record, 0).unwrap_or(1252),
                0x0085 => self.names.push(self.sheet_name(record)),
                // Strings go on in the records behind; they are read across them.
                0x00FC => self.strings = Shared::read(bytes, from, to),
                0x041E | 0x001E => self.format(record),
                0x00E0 => self.styles.push(u16_at(record, 2).unwrap_or(0)),
                0x01B8 => self.link(record),
                _ => self.cell(kind, record),
            }
            if self.cells.len() > CELLS_MAX || pen.is_full() {
                break;
            }
        }
        Ok(())
    }

    fn begin(&mut self, kind: u16, record: &[u8], pen: &mut Pen) {
        self.depth += 1;
        if self.depth == 1 {
            self.version = match (kind >> 8, u16_at(record, 0)) {
                (8, Some(0x0600)) => 8,
                (8, _) => 5,
                (4, _) => 4,
                (2, _) => 3,
                _ => 2,
            };
            // 5 is the workbook itself; what follows are its sheets. Version 4 and older have one sheet alone.
            let is_book = u16_at(record, 2) == Some(5);
            self.end_sheet(pen);
            if !is_book {
                self.count += 1;
                pen.page(self.count);
                let name = self
                    .names
                    .get(self.count as usize - 1)
                    .cloned()
                    .unwrap_or_default();
                pen.sheet(&name);
            }
        }
    }

    fn end_sheet(&mut self, pen: &mut Pen) {
        let mut row = None;
        let mut column = 0u16;
        for ((at, place), text) in std::mem::take(&mut self.cells) {
            if row != Some(at) {
                pen.end(BlockKind::Row, 0);
                (row, column) = (Some(at), 0);
            }
            let gap = usize::from(place.saturating_sub(column)).min(CELLS_REPEATED_MAX);
            for _ in 0..gap {
                pen.next_cell();
            }
            column = place;
            pen.push(&text);
        }
        pen.end(BlockKind::Row, 0);
        for address in std::mem::take(&mut self.links) {
            pen.link(&address, "");
        }
        pen.end(BlockKind::Other, 0);
    }

    fn sheet_name(&self, record: &[u8]) -> String {
        let len = usize::from(record.get(6).copied().unwrap_or(0));
        if self.version == 8 {
            return wide(record, 7, len).0;
        }
        let bytes = record.get(7..).unwrap_or(&[]);
        codepage_text(&bytes[..bytes.len().min(len)], self.codepage)
    }

    fn format(&mut self, record: &[u8]) {
        let Some(id) = u16_at(record, 0) else { return };
        let code = if self.version == 8 {
            wide(record, 4, usize::from(u16_at(record, 2).unwrap_or(0))).0
        } else {
            codepage_text(record.get(3..).unwrap_or(&[]), self.codepage)
        };
        self.formats.insert(id, of_code(&code));
    }

    fn look(&self, style: u16) -> Look {
        let id = self.styles.get(usize::from(style)).copied().unwrap_or(0);
        let known = self.formats.get(&id).copied();
        known.unwrap_or_else(|| builtin(u32::from(id)))
    }

    fn link(&mut self, record: &[u8]) {
        let Some(at) = memchr::memmem::find(record, &URL_MONIKER) else {
            return;
        };
        let len = u32_at(record, at + 16).unwrap_or(0) as usize;
        let bytes = record.get(at + 20..).unwrap_or(&[]);
        let address = utf16(&bytes[..bytes.len().min(len)]);
        self.links
            .push(address.split('\0').next().unwrap_or("").to_owned());
    }

    fn cell(&mut self, kind: u16, record: &[u8]) {
        let place = (u16_at(record, 0).unwrap_or(0), u16_at(record, 2).unwrap_or(0));
        let style = u16_at(record, 4).unwrap_or(0);
        match kind {
            0x00FD => {
                let index = u32_at(record, 6).unwrap_or(u32::MAX) as usize;
                let text = self.strings.get(index).cloned().unwrap_or_default();
                self.put(place, text);
            }
            0x0204 | 0x00D6 | 0x0004 => {
                let text = self.label(kind, record);
                self.put(place, text);
            }
            0x027E | 0x007E => {
                let value = packed(u32_at(record, 6).unwrap_or(0));
                self.number(place, style, value);
            }
            0x00BD => {
                for (n, pair) in record.get(4..).unwrap_or(&[]).chunks_exact(6).enumerate() {
                    let style = u16_at(pair, 0).unwrap_or(0);
                    let value = packed(u32_at(pair, 2).unwrap_or(0));
                    self.number((place.0, place.1.saturating_add(n as u16)), style, value);
                }
            }
            0x0203 => self.float(place, style, record, 6),
            0x0003 => self.float(place, 0, record, 7),
            0x0002 => {
                let value = f64::from(u16_at(record, 7).unwrap_or(0));
                self.number(place, 0, value);
            }
            0x0006 | 0x0206 | 0x0406 => {
                let at = if self.version == 2 { 7 } else { 6 };
                self.formula(place, style, record, at);
            }
            0x0207 | 0x0007 => {
                if let Some(place) = self.waiting.take() {
                    let text = if self.version == 8 {
                        wide(record, 2, usize::from(u16_at(record, 0).unwrap_or(0))).0
                    } else {
                        let from = if kind == 7 { 1 } else { 2 };
                        codepage_text(record.get(from..).unwrap_or(&[]), self.codepage)
                    };
                    self.put(place, text);
                }
            }
            0x0205 | 0x0005 => {
                let at = if kind == 5 { 7 } else { 6 };
                let (value, is_error) = (record.get(at).copied(), record.get(at + 1).copied());
                if is_error == Some(0) {
                    self.put(place, if value == Some(0) { "FALSE" } else { "TRUE" }.to_owned());
                }
            }
            _ => {}
        }
    }

    fn label(&self, kind: u16, record: &[u8]) -> String {
        if kind == 4 {
            let len = usize::from(record.get(7).copied().unwrap_or(0));
            let bytes = record.get(8..).unwrap_or(&[]);
            return codepage_text(&bytes[..bytes.len().min(len)], self.codepage);
        }
        let len = usize::from(u16_at(record, 6).unwrap_or(0));
        if self.version == 8 {
            return wide(record, 8, len).0;
        }
        let bytes = record.get(8..).unwrap_or(&[]);
        codepage_text(&bytes[..bytes.len().min(len)], self.codepage)
    }

    fn formula(&mut self, place: (u16, u16), style: u16, record: &[u8], at: usize) {
        self.waiting = None;
        if u16_at(record, at + 6) != Some(0xFFFF) {
            self.float(place, style, record, at);
            return;
        }
        match record.get(at) {
            Some(0) => self.waiting = Some(place),
            Some(1) => {
                let is_true = record.get(at + 2).is_some_and(|value| *value != 0);
                self.put(place, if is_true { "TRUE" } else { "FALSE" }.to_owned());
            }
            _ => {}
        }
    }

    fn float(&mut self, place: (u16, u16), style: u16, record: &[u8], at: usize) {
        if let Some(bytes) = record.get(at..at + 8) {
            let mut raw = [0; 8];
            raw.copy_from_slice(bytes);
            self.number(place, style, f64::from_le_bytes(raw));
        }
    }

    fn number(&mut self, place: (u16, u16), style: u16, value: f64) {
        let text = shown(value, self.look(style), self.is_1904);
        self.put(place, text);
    }

    fn put(&mut self, place: (u16, u16), text: String) {
        if !text.is_empty() && usize::from(place.1) < COLUMNS_MAX {
            self.cells.insert(place, text);
        }
    }
}

/// A number in 30 bits: whole or the upper part of a fraction, perhaps times a hundred.
fn packed(raw: u32) -> f64 {
    let value = if raw & 2 != 0 {
        f64::from(raw as i32 >> 2)
    } else {
        f64::from_bits(u64::from(raw & !3) << 32)
    };
    if raw & 1 != 0 { value / 100.0 } else { value }
}
