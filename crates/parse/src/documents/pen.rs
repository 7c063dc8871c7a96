//! Writes a [`Reading`]: words in, blocks out, within limits. Readers of all formats share it.

use super::limits::{LINKS_MAX, PIECE_BYTES_MAX, PIECES_MAX, TEXT_BYTES_MAX};
use super::reading::{Format, Metadata, Piece, Reading, Target, Unread};
use crate::content::words::folded;
use gleaner_model::BlockKind;

const CELL_BORDER: &str = " | ";
const LINK_TEXT_CHARS_MAX: usize = 300;

#[derive(Debug)]
pub struct Pen {
    reading: Reading,
    /// The block under way.
    words: String,
    links: Vec<Target>,
    /// Addresses of open links, with the place in `words` where their text began.
    open_links: Vec<(String, usize)>,
    /// A heading that is written when something follows it.
    heading: Option<String>,
    page: u32,
    text_bytes: usize,
    links_count: usize,
}

impl Pen {
    pub fn new(format: Format) -> Pen {
        Pen {
            reading: Reading {
                format,
                ..Reading::default()
            },
            words: String::new(),
            links: Vec::new(),
            open_links: Vec::new(),
            heading: None,
            page: 0,
            text_bytes: 0,
            links_count: 0,
        }
    }

    pub fn format(&self) -> Format {
        self.reading.format
    }

    pub fn metadata(&mut self) -> &mut Metadata {
        &mut self.reading.metadata
    }

    /// What follows stands on this page, slide or sheet, from 1.
    pub fn page(&mut self, page: u32) {
        self.page = page;
    }

    /// Takes nothing more: a limit was reached elsewhere.
    pub fn cut(&mut self) {
        self.reading.is_cut = true;
    }

    /// Nothing more is taken.
    pub fn is_full(&self) -> bool {
        self.reading.is_cut
    }

    /// No words since the last block ended.
    pub fn is_blank(&self) -> bool {
        self.words.trim().is_empty()
    }

    /// The last thing was a border between cells.
    pub fn ends_with_border(&self) -> bool {
        self.words.trim_end().ends_with('\u{1f}')
    }

    pub fn push(&mut self, text: &str) {
        if self.reading.is_cut {
            return;
        }
        if self.words.len() + text.len() > PIECE_BYTES_MAX {
            self.reading.is_cut = true;
            return;
        }
        self.words.push_str(text);
    }

    pub fn push_char(&mut self, c: char) {
        self.push(c.encode_utf8(&mut [0; 4]));
    }

    /// What follows is another cell of the row.
    pub fn next_cell(&mut self) {
        self.push("\u{1f}");
    }

    pub fn open_link(&mut self, address: &str) {
        if self.open_links.len() < 64 {
            self.open_links
                .push((address.trim().to_owned(), self.words.len()));
        }
    }

    pub fn close_link(&mut self) {
        if let Some((address, from)) = self.open_links.pop() {
            let text = self.words.get(from..).unwrap_or("").to_owned();
            self.link(&address, &text);
        }
    }

    /// A link whose words are known.
    pub fn link(&mut self, address: &str, text: &str) {
        let address = address.trim();
        let leads_nowhere = address.is_empty() || address.starts_with('#') || address.contains('\0');
        if leads_nowhere || address.len() > 8192 {
            return;
        }
        if self.links_count >= LINKS_MAX {
            self.reading.is_cut = true;
            return;
        }
        self.links_count += 1;
        self.links.push(Target {
            address: address.to_owned(),
            text: crate::text::fold(text, LINK_TEXT_CHARS_MAX),
        });
    }

    /// Ends the block. Nothing happens where there is none.
    pub fn end(&mut self, kind: BlockKind, level: u8) {
        // A link around several blocks has its words in the first.
        while !self.open_links.is_empty() {
            self.close_link();
        }
        let raw = std::mem::take(&mut self.words);
        let text = match kind {
            BlockKind::Row => row(&raw),
            BlockKind::Code => lines(&raw),
            _ => folded(&raw),
        };
        let links = std::mem::take(&mut self.links);
        if text.is_empty() && links.is_empty() {
            return;
        }
        self.add(Piece {
            kind,
            level,
            page: self.page,
            text,
            links,
        });
    }

    pub fn paragraph(&mut self) {
        self.end(BlockKind::Paragraph, 0);
    }

    /// A whole block at once.
    pub fn block(&mut self, kind: BlockKind, level: u8, text: &str) {
        self.push(text);
        self.end(kind, level);
    }

    /// The name of a sheet: it says nothing where nothing follows it.
    pub fn sheet(&mut self, name: &str) {
        self.heading = Some(folded(name)).filter(|name| !name.is_empty());
    }

    /// A block that was made elsewhere.
    pub fn add(&mut self, piece: Piece) {
        if let Some(text) = self.heading.take() {
            self.add(Piece {
                kind: BlockKind::Heading,
                level: 2,
                page: self.page,
                text,
                links: Vec::new(),
            });
        }
        self.text_bytes += piece.text.len();
        if self.text_bytes > TEXT_BYTES_MAX || self.reading.pieces.len() >= PIECES_MAX {
            self.reading.is_cut = true;
            return;
        }
        self.reading.pieces.push(piece);
    }

    /// The whole; a document without a word is no reading.
    pub fn finish(mut self) -> Result<Reading, Unread> {
        self.paragraph();
        let has_text = self.reading.pieces.iter().any(|piece| !piece.text.is_empty());
        let has_links = self.reading.links().next().is_some();
        if !has_text && !has_links {
            return Err(if self.reading.is_cut {
                Unread::TooLarge
            } else {
                Unread::NoText
            });
        }
        let metadata = &mut self.reading.metadata;
        metadata.title = folded(&metadata.title);
        for name in &mut metadata.authors {
            *name = folded(name);
        }
        metadata.authors.retain(|name| !name.is_empty());
        metadata.authors.dedup();
        Ok(self.reading)
    }
}

/// Cells parted by a bar; empty ones at the end go, and a bar inside a cell would read as a border.
fn row(raw: &str) -> String {
    let raw = raw.trim_end_matches(|c: char| c.is_whitespace() || c == '\u{1f}');
    if raw
        .trim_matches(|c: char| c.is_whitespace() || c == '\u{1f}')
        .is_empty()
    {
        return String::new();
    }
    let cells: Vec<String> = raw.split('\u{1f}').map(folded).collect();
    cells.join(CELL_BORDER)
}

/// Lines without blanks at their ends and without empty lines around them.
fn lines(raw: &str) -> String {
    let clean: Vec<&str> = raw.lines().map(str::trim_end).collect();
    let from = clean
        .iter()
        .position(|line| !line.is_empty())
        .unwrap_or(clean.len());
    let to = clean
        .iter()
        .rposition(|line| !line.is_empty())
        .map_or(from, |at| at + 1);
    clean[from..to].join("\n")
}
