//! Excel's sheets since 2007: each sheet a heading, each row with something in it a row. Binary sheets (`xlsb`) are not read.

use super::container::Zip;
use super::limits::{CELLS_REPEATED_MAX, COLUMNS_MAX};
use super::pen::Pen;
use super::properties::{Relations, dublin_core};
use super::reading::Unread;
use super::sheet::{Look, builtin, of_code, shown};
use crate::xml::{Element, Piece, walk};
use gleaner_model::BlockKind;
use std::collections::HashMap;

const SHEETS_MAX: usize = 2000;

pub(super) fn read(bytes: &[u8], pen: &mut Pen) -> Result<(), Unread> {
    let zip = Zip::open(bytes)?;
    if let Some(xml) = zip.text("docProps/core.xml")? {
        dublin_core(&xml, pen.metadata());
    }
    let main = Relations::of(&zip, "")?
        .of_kind("officeDocument")
        .filter(|part| zip.has(part))
        .unwrap_or("xl/workbook.xml")
        .to_owned();
    let relations = Relations::of(&zip, &main)?;
    let book = Book::read(&zip, &main, &relations)?;
    if book.sheets.is_empty() {
        return Err(Unread::damaged("the workbook names no sheets"));
    }
    pen.metadata().pages = Some(book.sheets.len() as u32);
    for (index, (name, part)) in book.sheets.iter().enumerate() {
        pen.page(index as u32 + 1);
        pen.sheet(name);
        if part.to_ascii_lowercase().ends_with(".bin") {
            return Err(Unread::damaged("binary sheets are not read"));
        }
        let relations = Relations::of(&zip, part)?;
        if let Some(xml) = zip.text(part)? {
            Sheet::new(pen, &book, &relations).walk(&xml);
        }
        if pen.is_full() {
            break;
        }
    }
    Ok(())
}

struct Book {
    /// Name and part.
    sheets: Vec<(String, String)>,
    strings: Vec<String>,
    /// How cells of each style look.
    looks: Vec<Look>,
    is_1904: bool,
}

impl Book {
    fn read(zip: &Zip<'_>, main: &str, relations: &Relations) -> Result<Book, Unread> {
        let mut book = Book {
            sheets: Vec::new(),
            strings: Vec::new(),
            looks: Vec::new(),
            is_1904: false,
        };
        let xml = zip.text(main)?.unwrap_or_default();
        let _partial = walk(&xml, |piece| {
            let Piece::Start(element) = piece else { return };
            match element.name {
                "workbookPr" => {
                    let said = element.attribute("date1904").unwrap_or_default();
                    book.is_1904 = matches!(said.as_str(), "1" | "true");
                }
                "sheet" if book.sheets.len() < SHEETS_MAX => {
                    let part = element
                        .attribute("id")
                        .and_then(|id| relations.get(&id).map(|found| found.target.clone()));
                    if let Some(part) = part {
                        book.sheets
                            .push((element.attribute("name").unwrap_or_default(), part));
                    }
                }
                _ => {}
            }
        });
        if let Some(part) = relations.of_kind("sharedStrings")
            && let Some(xml) = zip.text(part)?
        {
            book.strings = strings(&xml);
        }
        if let Some(part) = relations.of_kind("styles")
            && let Some(xml) = zip.text(part)?
        {
            book.looks = looks(&xml);
        }
        Ok(book)
    }
}

/// Strings that cells refer to by number. What is said of their pronunciation is no part of them.
fn strings(xml: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut open: Vec<Box<str>> = Vec::new();
    let mut text = String::new();
    let mut spoken = 0u32;
    let _partial = walk(xml, |piece| match piece {
        Piece::Start(element) => {
            spoken += u32::from(element.name == "rPh");
            open.push(element.name.into());
        }
        Piece::Text(more) => {
            if spoken == 0 && open.last().is_some_and(|name| name.as_ref() == "t") {
                text.push_str(more);
            }
        }
        Piece::End => match open.pop().as_deref() {
            Some("si") => all.push(std::mem::take(&mut text)),
            Some("rPh") => spoken = spoken.saturating_sub(1),
            _ => {}
        },
    });
    all
}

/// How each cell style shows numbers.
fn looks(xml: &str) -> Vec<Look> {
    let mut codes: HashMap<u32, Look> = HashMap::new();
    let mut looks = Vec::new();
    let mut in_cells = false;
    let mut depth = 0usize;
    let mut cells_at = 0usize;
    let _partial = walk(xml, |piece| match piece {
        Piece::Start(element) => {
            depth += 1;
            let number = |name: &str| element.attribute(name).and_then(|id| id.parse::<u32>().ok());
            match element.name {
                "numFmt" => {
                    if let (Some(id), Some(code)) = (number("numFmtId"), element.attribute("formatCode")) {
                        codes.insert(id, of_code(&code));
                    }
                }
                "cellXfs" => (in_cells, cells_at) = (true, depth),
                "xf" if in_cells => {
                    let id = number("numFmtId").unwrap_or(0);
                    looks.push(codes.get(&id).copied().unwrap_or_else(|| builtin(id)));
                }
                _ => {}
            }
        }
        Piece::End => {
            if in_cells && depth == cells_at {
                in_cells = false;
            }
            depth = depth.saturating_sub(1);
        }
        Piece::Text(_) => {}
    });
    looks
}

struct Sheet<'a> {
    pen: &'a mut Pen,
    book: &'a Book,
    relations: &'a Relations,
    open: Vec<Box<str>>,
    row: Vec<String>,
    kind: String,
    look: Look,
    column: usize,
    value: String,
}

impl<'a> Sheet<'a> {
    fn new(pen: &'a mut Pen, book: &'a Book, relations: &'a Relations) -> Sheet<'a> {
        Sheet {
            pen,
            book,
            relations,
            open: Vec::new(),
            row: Vec::new(),
            kind: String::new(),
            look: Look::Number,
            column: 0,
            value: String::new(),
        }
    }

    fn walk(&mut self, xml: &str) {
        let mut is_spoken = 0u32;
        let _partial = walk(xml, |piece| match piece {
            Piece::Start(element) => {
                is_spoken += u32::from(element.name == "rPh");
                self.start(element);
            }
            Piece::Text(text) => {
                let is_value = self
                    .open
                    .last()
                    .is_some_and(|name| matches!(name.as_ref(), "v" | "t"));
                if is_value && is_spoken == 0 {
                    self.value.push_str(text);
                }
            }
            Piece::End => {
                let name = self.open.pop();
                match name.as_deref() {
                    Some("rPh") => is_spoken = is_spoken.saturating_sub(1),
                    Some("c") => self.cell(),
                    Some("row") => self.end_row(),
                    _ => {}
                }
            }
        });
        self.end_row();
        self.pen.end(BlockKind::Other, 0);
    }

    fn start(&mut self, element: &Element<'_>) {
        self.open.push(element.name.into());
        match element.name {
            "row" => self.row.clear(),
            "c" => {
                self.value.clear();
                self.kind = element.attribute("t").unwrap_or_default();
                let style = element
                    .attribute("s")
                    .and_then(|style| style.parse::<usize>().ok());
                self.look = style
                    .and_then(|style| self.book.looks.get(style).copied())
                    .unwrap_or_default();
                let place = element.attribute("r").and_then(|place| column_of(&place));
                self.column = place.unwrap_or(self.row.len());
            }
            "hyperlink" => {
                if let Some(address) = element.attribute("id").and_then(|id| self.relations.link(&id)) {
                    let words = element.attribute("display").unwrap_or_default();
                    let address = address.to_owned();
                    self.pen.link(&address, &words);
                }
            }
            _ => {}
        }
    }

    fn cell(&mut self) {
        let raw = std::mem::take(&mut self.value);
        let text = match self.kind.as_str() {
            "s" => {
                let index = raw.trim().parse::<usize>().ok();
                index
                    .and_then(|index| self.book.strings.get(index).cloned())
                    .unwrap_or_default()
            }
            "b" => if raw.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            "str" | "inlineStr" | "e" | "d" => raw,
            _ => match raw.trim().parse::<f64>() {
                Ok(value) => shown(value, self.look, self.book.is_1904),
                Err(_) => raw,
            },
        };
        if text.is_empty() || self.column >= COLUMNS_MAX {
            return;
        }
        // Far to the right, the empty cells between say nothing.
        let gap = self.column.saturating_sub(self.row.len()).min(CELLS_REPEATED_MAX);
        self.row.extend(std::iter::repeat_n(String::new(), gap));
        self.row.push(text);
    }

    fn end_row(&mut self) {
        for (index, cell) in self.row.drain(..).enumerate() {
            if index > 0 {
                self.pen.next_cell();
            }
            self.pen.push(&cell);
        }
        self.pen.end(BlockKind::Row, 0);
    }
}

/// `C12` is column 2.
fn column_of(place: &str) -> Option<usize> {
    let mut column = 0usize;
    for letter in place.bytes().take_while(u8::is_ascii_alphabetic).take(4) {
        column = column * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1;
    }
    column.checked_sub(1)
}
