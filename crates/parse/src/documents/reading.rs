//! What a reader made of a document, or why nothing.

use gleaner_model::{BlockKind, Reason};
use serde::{Deserialize, Serialize};

/// How a document is written. Names are stable: they are shown and stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Pdf,
    PostScript,
    Doc,
    Docx,
    Ppt,
    Pptx,
    Xls,
    Xlsx,
    Odt,
    Ods,
    Odp,
    Rtf,
    Tex,
    Epub,
    Mail,
    Markdown,
    Html,
    Text,
    #[default]
    Unknown,
}

impl Format {
    pub fn as_str(self) -> &'static str {
        match self {
            Format::Pdf => "pdf",
            Format::PostScript => "postscript",
            Format::Doc => "doc",
            Format::Docx => "docx",
            Format::Ppt => "ppt",
            Format::Pptx => "pptx",
            Format::Xls => "xls",
            Format::Xlsx => "xlsx",
            Format::Odt => "odt",
            Format::Ods => "ods",
            Format::Odp => "odp",
            Format::Rtf => "rtf",
            Format::Tex => "tex",
            Format::Epub => "epub",
            Format::Mail => "mail",
            Format::Markdown => "markdown",
            Format::Html => "html",
            Format::Text => "text",
            Format::Unknown => "unknown",
        }
    }

    /// Pages and plain text are read where they are met; everything else by a process apart.
    pub fn is_foreign(self) -> bool {
        !matches!(self, Format::Html | Format::Text | Format::Unknown)
    }
}

/// A document as its reader sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reading {
    pub format: Format,
    pub metadata: Metadata,
    pub pieces: Vec<Piece>,
    /// More than a limit allows was there; what follows was left out.
    #[serde(default)]
    pub is_cut: bool,
}

impl Reading {
    /// All links in order, those of pieces among them.
    pub fn links(&self) -> impl Iterator<Item = &Target> {
        self.pieces.iter().flat_map(|piece| &piece.links)
    }
}

/// What a document says about itself. Empty where it says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    pub title: String,
    pub authors: Vec<String>,
    /// As RFC 3339 where it could be read, else as written.
    pub created: Option<String>,
    pub modified: Option<String>,
    pub language: Option<String>,
    /// Pages, slides or sheets.
    pub pages: Option<u32>,
    pub keywords: Vec<String>,
    pub description: Option<String>,
    /// `doi:10.1000/1`, `arxiv:1207.1234`: by which others name it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub identifiers: Vec<String>,
    /// What it was written with, as that program calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// The lines of the first page, where the format tells how large its letters are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub head: Vec<HeadLine>,
}

/// A line with the size of most of its letters in half points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadLine {
    pub text: String,
    pub size: u32,
}

/// How a document looks, where its format tells. Whole numbers, so that two of them can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Layout {
    /// Pages that were looked at; what follows is counted on these. None where the format has no pages before it is printed.
    pub pages: u32,
    /// Pages that are wider than high.
    pub wide_pages: u32,
    /// Of the first page, in points.
    pub width: u32,
    pub height: u32,
    /// Pages whose text stands in columns.
    pub column_pages: u32,
    pub lines: u32,
    /// Lines of fewer than 30 letters.
    pub short_lines: u32,
    pub letters: u32,
    /// Of the letters that most of the text is in, in half points.
    pub text_size: u32,
    /// Of the largest letters in which a word stands on the first page, in half points.
    pub title_size: u32,
    pub fonts: u32,
    /// Places to write or tick.
    pub fields: u32,
}

impl Layout {
    /// A line shorter than this is a short one.
    pub const SHORT_LINE_LETTERS: usize = 30;

    pub fn add_line(&mut self, line: &str) {
        let letters = line.chars().filter(|c| !c.is_whitespace()).count();
        if letters == 0 {
            return;
        }
        self.lines = self.lines.saturating_add(1);
        self.letters = self
            .letters
            .saturating_add(u32::try_from(letters).unwrap_or(u32::MAX));
        if letters < Layout::SHORT_LINE_LETTERS {
            self.short_lines = self.short_lines.saturating_add(1);
        }
    }
}

/// A block of text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    pub kind: BlockKind,
    /// Of a heading 1 to 6, of a list item its depth from 1, else 0.
    #[serde(default)]
    pub level: u8,
    /// Page, slide or sheet from 1; 0 where the format has none.
    #[serde(default)]
    pub page: u32,
    /// Blanks folded; cells of a row parted by ` | `; code keeps its lines. May be empty where only a link stands.
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Target>,
}

/// Where a link leads, as written in the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    pub address: String,
    /// The words it stands under.
    #[serde(default)]
    pub text: String,
}

/// Why a document could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Unread {
    #[error("it is protected with a password")]
    Encrypted,
    #[error("it is damaged: {0}")]
    Damaged(String),
    #[error("it contains no text")]
    NoText,
    #[error("its format is not supported")]
    Unknown,
    #[error("it unpacks to more than the limits allow")]
    TooLarge,
    #[error("it needs a program that is not installed: {0}")]
    ToolMissing(String),
    #[error("reading took longer than the limit")]
    Timeout,
    #[error("the program that reads it failed: {0}")]
    Crashed(String),
}

impl Unread {
    pub fn reason(&self) -> Reason {
        match self {
            Unread::Encrypted => Reason::DocumentLocked,
            Unread::Damaged(_) => Reason::DocumentDamaged,
            Unread::NoText => Reason::DocumentNoText,
            Unread::Unknown => Reason::DocumentUnknown,
            Unread::TooLarge => Reason::DocumentTooLarge,
            Unread::ToolMissing(_) => Reason::DocumentToolMissing,
            Unread::Timeout => Reason::DocumentTimeout,
            Unread::Crashed(_) => Reason::DocumentCrashed,
        }
    }

    /// For readers elsewhere.
    pub fn damaged_by(what: &str) -> Unread {
        Unread::damaged(what)
    }

    pub(crate) fn damaged(what: &str) -> Unread {
        Unread::Damaged(what.to_owned())
    }
}
