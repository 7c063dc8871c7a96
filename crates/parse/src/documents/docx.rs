//! Word's documents since 2007 (ECMA-376, part 1, section 17): a ZIP of XML parts.
//!
//! The text is that of the body, with the notes it refers to at its end. What was deleted but is still kept, field codes, and
//! the second form of drawings (`mc:Fallback`) are left out; text boxes are read where they hang.

use super::container::Zip;
use super::elements::Elements;
use super::fields::{Fields, hyperlink_of};
use super::pen::Pen;
use super::properties::{Relations, dublin_core};
use super::reading::Unread;
use crate::xml::{Element, Piece, walk};
use gleaner_model::BlockKind;
use std::collections::HashMap;

pub(super) fn read(bytes: &[u8], pen: &mut Pen) -> Result<(), Unread> {
    let zip = Zip::open(bytes)?;
    if let Some(xml) = zip.text("docProps/core.xml")? {
        dublin_core(&xml, pen.metadata());
    }
    let root = Relations::of(&zip, "")?;
    let main = root
        .of_kind("officeDocument")
        .filter(|part| zip.has(part))
        .unwrap_or("word/document.xml")
        .to_owned();
    let relations = Relations::of(&zip, &main)?;
    let styles = match relations.of_kind("styles") {
        Some(part) => zip
            .text(part)?
            .map(|xml| heading_styles(&xml))
            .unwrap_or_default(),
        None => HashMap::new(),
    };
    let Some(xml) = zip.text(&main)? else {
        return Err(Unread::damaged("the document's main part is missing"));
    };
    Body::new(pen, &relations, &styles).walk(&xml);
    for kind in ["footnotes", "endnotes"] {
        let Some(part) = relations.of_kind(kind).map(str::to_owned) else {
            continue;
        };
        let inner = Relations::of(&zip, &part)?;
        if let Some(xml) = zip.text(&part)? {
            Body::new(pen, &inner, &styles).walk(&xml);
        }
    }
    Ok(())
}

/// Styles that are headings, by id: their outline level from 1.
fn heading_styles(xml: &str) -> HashMap<String, u8> {
    let mut levels = HashMap::new();
    let mut id = String::new();
    let _partial = walk(xml, |piece| {
        let Piece::Start(element) = piece else { return };
        match element.name {
            "style" => id = element.attribute("styleId").unwrap_or_default(),
            "name" => {
                let name = element.attribute("val").unwrap_or_default().to_ascii_lowercase();
                if name == "title" {
                    levels.insert(id.clone(), 1);
                } else if let Some(level) = name.strip_prefix("heading ").and_then(|n| n.parse::<u8>().ok()) {
                    levels.insert(id.clone(), level.clamp(1, 6));
                }
            }
            "outlineLvl" => {
                if let Some(level) = element.attribute("val").and_then(|n| n.parse::<u8>().ok())
                    && level < 9
                {
                    levels.insert(id.clone(), (level + 1).min(6));
                }
            }
            _ => {}
        }
    });
    levels
}

struct Body<'a> {
    pen: &'a mut Pen,
    relations: &'a Relations,
    styles: &'a HashMap<String, u8>,
    open: Elements,
    heading: u8,
    item: u8,
    /// Tables that are open; only the outermost makes rows.
    tables: u32,
    /// Cells of the row so far.
    cells: usize,
    fields: Fields,
    page: u32,
}

impl<'a> Body<'a> {
    fn new(pen: &'a mut Pen, relations: &'a Relations, styles: &'a HashMap<String, u8>) -> Body<'a> {
        Body {
            pen,
            relations,
            styles,
            open: Elements::default(),
            heading: 0,
            item: 0,
            tables: 0,
            cells: 0,
            fields: Fields::default(),
            page: 0,
        }
    }

    fn walk(&mut self, xml: &str) {
        let _partial = walk(xml, |piece| match piece {
            Piece::Start(element) => self.start(element),
            Piece::End => self.end(),
            Piece::Text(text) => self.text(text),
        });
        self.end_paragraph();
    }

    fn start(&mut self, element: &Element<'_>) {
        if !self.open.begin(element.name) {
            return;
        }
        let value = || element.attribute("val").unwrap_or_default();
        match element.name {
            "del" | "moveFrom" | "Fallback" | "rubyPr" | "rt" | "sectPrChange" | "pPrChange"
            | "rPrChange" => {
                self.open.skip();
            }
            // The separator lines above notes are notes themselves.
            "footnote" | "endnote" if element.attribute("type").is_some_and(|kind| kind != "normal") => {
                self.open.skip();
            }
            "pStyle" => {
                let style = value();
                self.heading = self
                    .styles
                    .get(&style)
                    .copied()
                    .unwrap_or_else(|| by_name(&style));
            }
            "outlineLvl" => {
                if let Ok(level) = value().parse::<u8>()
                    && level < 9
                {
                    self.heading = (level + 1).min(6);
                }
            }
            "numPr" => self.item = self.item.max(1),
            "ilvl" => self.item = value().parse::<u8>().unwrap_or(0).saturating_add(1),
            "tab" if self.open.parent() == Some("r") => self.pen.push("\t"),
            "br" | "cr" => {
                if element.attribute("type").is_some_and(|kind| kind == "page") {
                    self.next_page();
                }
                self.pen.push("\n");
            }
            "lastRenderedPageBreak" => self.next_page(),
            "noBreakHyphen" => self.pen.push("-"),
            "sym" => {
                let code = element
                    .attribute("char")
                    .and_then(|hex| u32::from_str_radix(&hex, 16).ok());
                // Symbols in the private area mean something in one font only.
                if let Some(c) = code.filter(|code| *code < 0xE000).and_then(char::from_u32) {
                    self.pen.push_char(c);
                }
            }
            "hyperlink" => {
                let link = element
                    .attribute("id")
                    .and_then(|id| self.relations.link(&id).map(str::to_owned));
                self.pen.open_link(&link.unwrap_or_default());
            }
            "fldSimple" => {
                let link = hyperlink_of(&element.attribute("instr").unwrap_or_default());
                self.pen.open_link(&link.unwrap_or_default());
            }
            "fldChar" => self.field(&element.attribute("fldCharType").unwrap_or_default()),
            "tbl" => {
                if self.tables == 0 {
                    self.end_paragraph();
                }
                self.tables += 1;
            }
            "tr" if self.tables == 1 => self.cells = 0,
            "tc" if self.tables == 1 => {
                if self.cells > 0 {
                    self.pen.next_cell();
                }
                self.cells += 1;
            }
            "txbxContent" => self.end_paragraph(),
            _ => {}
        }
    }

    fn next_page(&mut self) {
        self.page += 1;
        self.pen.page(self.page + 1);
    }

    fn field(&mut self, what: &str) {
        match what {
            "begin" => self.fields.begin(),
            "separate" => self.fields.separate(self.pen),
            "end" => self.fields.end(self.pen),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.open.is_skipped() {
            return;
        }
        match self.open.innermost() {
            Some("t") => self.pen.push(text),
            Some("instrText") => self.fields.push_code(text),
            _ => {}
        }
    }

    fn end(&mut self) {
        let Some(name) = self.open.end() else { return };
        match name.as_ref() {
            "p" if self.tables > 0 => {
                self.pen.push("\n");
                (self.heading, self.item) = (0, 0);
            }
            "p" => self.end_paragraph(),
            "tr" if self.tables == 1 => self.pen.end(BlockKind::Row, 0),
            "tbl" => self.tables = self.tables.saturating_sub(1),
            "hyperlink" | "fldSimple" => self.pen.close_link(),
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        match (std::mem::take(&mut self.heading), std::mem::take(&mut self.item)) {
            (0, 0) => self.pen.paragraph(),
            (0, depth) => self.pen.end(BlockKind::Item, depth.min(20)),
            (level, _) => self.pen.end(BlockKind::Heading, level),
        }
    }
}

fn by_name(style: &str) -> u8 {
    let style = style.to_ascii_lowercase();
    let level = style
        .strip_prefix("heading")
        .and_then(|n| n.trim().parse::<u8>().ok());
    level.map_or(u8::from(style == "title"), |level| level.clamp(1, 6))
}
