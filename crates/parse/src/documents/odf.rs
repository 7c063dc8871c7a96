//! `OpenDocument` text, sheets and slides, zipped or flat (ISO/IEC 26300): one `content.xml` for all three.
//!
//! Comments, tracked deletions, speaker's notes and what masters repeat on every slide are left out.

use super::container::Zip;
use super::elements::Elements;
use super::limits::CELLS_REPEATED_MAX;
use super::pen::Pen;
use super::properties::dublin_core;
use super::reading::{Format, Unread};
use crate::xml::{Element, Piece, walk};
use gleaner_model::BlockKind;
use std::collections::{HashMap, HashSet};

pub(super) fn read(bytes: &[u8], pen: &mut Pen) -> Result<(), Unread> {
    if !bytes.starts_with(b"PK") {
        let xml = super::container::xml_text(bytes);
        dublin_core(&xml, pen.metadata());
        Body::new(pen).walk(&xml);
        return Ok(());
    }
    let zip = Zip::open(bytes)?;
    if let Some(manifest) = zip.text("META-INF/manifest.xml")?
        && manifest.contains("encryption-data")
    {
        return Err(Unread::Encrypted);
    }
    if let Some(xml) = zip.text("meta.xml")? {
        dublin_core(&xml, pen.metadata());
    }
    let Some(xml) = zip.text("content.xml")? else {
        return Err(Unread::damaged("content.xml is missing"));
    };
    Body::new(pen).walk(&xml);
    Ok(())
}

#[expect(
    clippy::struct_excessive_bools,
    clippy::struct_field_names,
    reason = "where the reader stands, one mark for each element it is in"
)]
struct Body<'a> {
    pen: &'a mut Pen,
    open: Elements,
    in_body: bool,
    /// A heading under way, and its level.
    heading: u8,
    lists: u8,
    /// Paragraphs of the item so far.
    is_item_open: bool,
    rows: u32,
    cells: usize,
    /// How often the cell under way is repeated.
    repeated: usize,
    /// Empty cells that come only if another follows.
    blank_cells: usize,
    cell_begin: bool,
    page: u32,
    /// The value of a cell that shows no text of its own.
    value: String,
    cell_has_text: bool,
    /// Footers by name, and that of the slide under way.
    footers: HashMap<String, String>,
    footer: Option<String>,
    footer_name: String,
    /// Styles of slides that show no footer, and the style that is read before the body.
    footless: HashSet<String>,
    style_name: String,
}

impl<'a> Body<'a> {
    fn new(pen: &'a mut Pen) -> Body<'a> {
        Body {
            pen,
            open: Elements::default(),
            in_body: false,
            heading: 0,
            lists: 0,
            is_item_open: false,
            rows: 0,
            cells: 0,
            repeated: 1,
            blank_cells: 0,
            cell_begin: false,
            page: 0,
            value: String::new(),
            cell_has_text: false,
            footers: HashMap::new(),
            footer: None,
            footer_name: String::new(),
            footless: HashSet::new(),
            style_name: String::new(),
        }
    }

    fn walk(&mut self, xml: &str) {
        let _partial = walk(xml, |piece| match piece {
            Piece::Start(element) => self.start(element),
            Piece::End => self.end(),
            Piece::Text(text) => self.text(text),
        });
        self.pen.paragraph();
        if self.page > 0 {
            self.pen.metadata().pages = Some(self.page);
        }
    }

    fn start(&mut self, element: &Element<'_>) {
        if !self.open.begin(element.name) {
            return;
        }
        if !self.in_body {
            self.before_body(element);
            return;
        }
        match element.name {
            "annotation"
            | "tracked-changes"
            | "notes"
            | "settings"
            | "forms"
            | "title"
            | "desc"
            | "script"
            | "event-listeners"
            | "shapes"
            | "calculation-settings"
            | "content-validations"
            | "sequence-decls"
            | "variable-decls"
            | "user-field-decls"
            | "ruby-text" => self.open.skip(),
            "h" => {
                let level = element
                    .attribute("outline-level")
                    .and_then(|level| level.parse::<u8>().ok());
                self.heading = level.unwrap_or(1).clamp(1, 6);
            }
            "list" => self.lists = self.lists.saturating_add(1),
            "list-item" | "list-header" => self.is_item_open = true,
            "s" => {
                let count = element
                    .attribute("c")
                    .and_then(|count| count.parse::<usize>().ok());
                self.pen.push(&" ".repeat(count.unwrap_or(1).min(100)));
            }
            "tab" => self.pen.push("\t"),
            "line-break" => self.pen.push("\n"),
            "a" => self.pen.open_link(&element.attribute("href").unwrap_or_default()),
            "page" if element.prefix == "draw" => {
                self.page += 1;
                self.pen.page(self.page);
                let style = element.attribute("style-name").unwrap_or_default();
                self.footer = element
                    .attribute("use-footer-name")
                    .filter(|_| !self.footless.contains(&style));
            }
            "footer-decl" => self.footer_name = element.attribute("name").unwrap_or_default(),
            "table" if self.rows == 0 && matches!(self.format(), Format::Ods) => {
                self.page += 1;
                self.pen.page(self.page);
                self.pen.sheet(&element.attribute("name").unwrap_or_default());
            }
            "table-row" => {
                if self.rows == 0 {
                    self.pen.paragraph();
                    (self.cells, self.blank_cells) = (0, 0);
                }
                self.rows += 1;
            }
            "table-cell" | "covered-table-cell" if self.rows == 1 => {
                let repeated = element.attribute("number-columns-repeated");
                self.repeated = repeated.and_then(|count| count.parse().ok()).unwrap_or(1);
                self.value = element.attribute("value").unwrap_or_default();
                (self.cell_begin, self.cell_has_text) = (true, false);
            }
            _ => {}
        }
    }

    fn before_body(&mut self, element: &Element<'_>) {
        match element.name {
            "body" => self.in_body = true,
            "style" => self.style_name = element.attribute("name").unwrap_or_default(),
            "drawing-page-properties"
                if element
                    .attribute("display-footer")
                    .is_some_and(|shown| shown == "false") =>
            {
                self.footless.insert(std::mem::take(&mut self.style_name));
            }
            _ => {}
        }
    }

    fn format(&self) -> Format {
        self.pen.format()
    }

    /// Text is in paragraphs only; blanks between elements are layout of the file.
    fn text(&mut self, text: &str) {
        if self.open.innermost() == Some("footer-decl") {
            self.footers.insert(self.footer_name.clone(), text.to_owned());
        }
        let is_shown = self.in_body && !self.open.is_skipped() && self.open.has(&["p", "h"]);
        if !is_shown {
            return;
        }
        if self.rows > 0 {
            self.begin_cell();
        }
        self.pen.push(text);
    }

    /// The border before a cell that has text, and before the empty ones in front of it.
    fn begin_cell(&mut self) {
        self.cell_has_text = true;
        if !std::mem::take(&mut self.cell_begin) {
            return;
        }
        for _ in 0..self.blank_cells.min(CELLS_REPEATED_MAX) {
            self.pen.next_cell();
        }
        self.blank_cells = 0;
        if self.cells > 0 {
            self.pen.next_cell();
        }
        self.cells += 1;
    }

    fn end(&mut self) {
        let Some(name) = self.open.end() else { return };
        if !self.in_body {
            return;
        }
        match name.as_ref() {
            "p" | "h" if self.rows > 0 => {
                self.heading = 0;
                self.pen.push("\n");
            }
            "p" | "h" => self.end_paragraph(),
            "list" => self.lists = self.lists.saturating_sub(1),
            "list-item" | "list-header" => self.is_item_open = false,
            "a" => self.pen.close_link(),
            "table-cell" | "covered-table-cell" if self.rows == 1 => {
                if !self.cell_has_text && !self.value.is_empty() {
                    let value = std::mem::take(&mut self.value);
                    self.begin_cell();
                    self.pen.push(&value);
                }
                if self.cell_has_text {
                    self.blank_cells = 0;
                } else {
                    self.blank_cells = self.blank_cells.saturating_add(self.repeated);
                }
            }
            "table-row" => {
                self.rows = self.rows.saturating_sub(1);
                if self.rows == 0 {
                    self.pen.end(BlockKind::Row, 0);
                }
            }
            "page" => {
                // As it is shown at the foot of the slide.
                if let Some(footer) = self.footer.take().and_then(|name| self.footers.get(&name)) {
                    let text = footer.clone();
                    self.pen.block(BlockKind::Other, 0, &text);
                }
            }
            "note-citation" => self.pen.push(" "),
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let level = std::mem::take(&mut self.heading);
        if level > 0 {
            self.pen.end(BlockKind::Heading, level);
        } else if self.lists > 0 && self.is_item_open {
            self.pen.end(BlockKind::Item, self.lists.min(20));
        } else {
            self.pen.paragraph();
        }
    }
}
