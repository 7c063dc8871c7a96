//! Rich Text Format (Microsoft's RTF 1.9.1): groups, control words and text, read in one pass.
//!
//! A stack of states stands for the groups; what a group holds that is not shown (fonts, styles, pictures, headers) is read
//! over. Bytes are decoded by the code page of the font they stand in.

mod scan;

use super::fields::hyperlink_of;
use super::pen::Pen;
use super::properties::encoding_of;
use crate::text::fold;
use gleaner_model::BlockKind;
use scan::{Scan, Token};
use std::collections::HashMap;
use std::fmt::Write as _;

const DEPTH_MAX: usize = 10_000;
const BYTES_PENDING_MAX: usize = 1 << 20;

pub(super) fn read(bytes: &[u8], pen: &mut Pen) {
    let mut reader = Reader {
        pen,
        codepage: 1252,
        fonts: HashMap::new(),
        default_font: 0,
        state: State::default(),
        stack: Vec::new(),
        too_deep: 0,
        pending: Vec::new(),
        pending_page: 1252,
        high: None,
        skip_chars: 0,
        is_starred: false,
        font_defined: 0,
        field_code: String::new(),
        info: String::new(),
        page: 0,
        heading: 0,
        item: 0,
        is_in_table: false,
    };
    let mut scan = Scan::new(bytes);
    while let Some(token) = scan.next() {
        reader.take(token);
        if reader.pen.is_full() {
            break;
        }
    }
    reader.flush();
    reader.end_paragraph();
}

/// What becomes of the text of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Goes {
    #[default]
    Text,
    Nowhere,
    FieldCode,
    /// A field's result that is a link.
    Link,
    Fonts,
    Title,
    Author,
    Subject,
    Keywords,
    Created,
    Modified,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    goes: Goes,
    font: i32,
    /// Characters that stand in for one in Unicode.
    unicode_skip: u8,
    is_hidden: bool,
}

struct Reader<'a> {
    pen: &'a mut Pen,
    codepage: u16,
    fonts: HashMap<i32, u16>,
    default_font: i32,
    state: State,
    stack: Vec<State>,
    too_deep: usize,
    /// Bytes of text that are not decoded yet: characters may have two.
    pending: Vec<u8>,
    pending_page: u16,
    /// The first half of a surrogate pair.
    high: Option<u16>,
    skip_chars: u32,
    /// `\*` stood before: what follows may be passed over where it is unknown.
    is_starred: bool,
    font_defined: i32,
    field_code: String,
    info: String,
    page: u32,
    heading: u8,
    item: u8,
    is_in_table: bool,
}

impl Reader<'_> {
    fn take(&mut self, token: Token<'_>) {
        match token {
            Token::Open => {
                self.flush();
                if self.stack.len() >= DEPTH_MAX {
                    self.too_deep += 1;
                    return;
                }
                if self.stack.is_empty() {
                    self.state.unicode_skip = 1;
                }
                self.stack.push(self.state);
                self.is_starred = false;
            }
            Token::Close => {
                self.flush();
                self.close();
            }
            Token::Byte(byte) => self.byte(byte),
            Token::Word(name, value) => self.word(name, value),
            Token::Symbol(symbol) => self.symbol(symbol),
        }
    }

    fn close(&mut self) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        let Some(outer) = self.stack.pop() else { return };
        let inner = std::mem::replace(&mut self.state, outer);
        self.skip_chars = 0;
        if inner.goes == outer.goes {
            return;
        }
        let said = fold(&std::mem::take(&mut self.info), 1000);
        let metadata = self.pen.metadata();
        match inner.goes {
            Goes::Link => self.pen.close_link(),
            Goes::Title => metadata.title = said,
            Goes::Author => metadata.authors = vec![said],
            Goes::Subject => metadata.description = Some(said).filter(|said| !said.is_empty()),
            Goes::Keywords => {
                let words = said.split([',', ';']).map(|word| word.trim().to_owned());
                metadata.keywords = words.filter(|word| !word.is_empty()).collect();
            }
            Goes::Created => metadata.created = Some(said).filter(|said| !said.is_empty()),
            Goes::Modified => metadata.modified = Some(said).filter(|said| !said.is_empty()),
            _ => {}
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.skip_chars > 0 {
            self.skip_chars -= 1;
            return;
        }
        self.high = None;
        let page = match self.state.goes {
            Goes::Text | Goes::Link => self.fonts.get(&self.state.font).copied().unwrap_or(self.codepage),
            _ => self.codepage,
        };
        if page != self.pending_page || self.pending.len() > BYTES_PENDING_MAX {
            self.flush();
            self.pending_page = page;
        }
        self.pending.push(byte);
    }

    /// Decodes what has come.
    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.pending);
        // Symbols of one font say nothing to a reader of text.
        if self.pending_page == SYMBOLS {
            self.say(" ");
            return;
        }
        let text = encoding_of(self.pending_page)
            .decode_without_bom_handling(&bytes)
            .0
            .into_owned();
        self.say(&text);
    }

    fn say(&mut self, text: &str) {
        match self.state.goes {
            Goes::Text | Goes::Link if !self.state.is_hidden => self.pen.push(text),
            Goes::FieldCode if self.field_code.len() < 8192 => self.field_code.push_str(text),
            Goes::Title | Goes::Author | Goes::Subject | Goes::Keywords if self.info.len() < 8192 => {
                self.info.push_str(text);
            }
            _ => {}
        }
    }

    fn symbol(&mut self, symbol: u8) {
        if self.skip_chars > 0 && symbol != b'*' {
            self.skip_chars -= 1;
            return;
        }
        match symbol {
            b'*' => self.is_starred = true,
            b'\\' | b'{' | b'}' => self.byte(symbol),
            b'~' => {
                self.flush();
                self.say("\u{a0}");
            }
            b'_' => {
                self.flush();
                self.say("-");
            }
            b'\n' | b'\r' => {
                self.flush();
                self.end_paragraph();
            }
            _ => {}
        }
    }

    fn unicode(&mut self, value: i32) {
        self.flush();
        let unit = value as u16;
        self.skip_chars = u32::from(self.state.unicode_skip);
        match (self.high.take(), unit) {
            (_, 0xD800..=0xDBFF) => self.high = Some(unit),
            (Some(high), 0xDC00..=0xDFFF) => {
                let text = String::from_utf16_lossy(&[high, unit]);
                self.say(&text);
            }
            (_, 0xE000..=0xF8FF) => self.say(" "),
            _ => {
                let text = char::from_u32(u32::from(unit)).unwrap_or(' ').to_string();
                self.say(&text);
            }
        }
    }

    fn word(&mut self, name: &[u8], value: Option<i32>) {
        let is_starred = std::mem::take(&mut self.is_starred);
        let number = value.unwrap_or(0);
        if name == b"u" {
            self.unicode(number);
            return;
        }
        if name == b"uc" {
            self.state.unicode_skip = number.clamp(0, 255) as u8;
            return;
        }
        if self.skip_chars > 0 && !matches!(name, b"par" | b"cell" | b"row") {
            self.skip_chars -= 1;
        }
        self.flush();
        if let Some(goes) = destination(name) {
            if goes == Goes::Created || goes == Goes::Modified {
                self.info.clear();
            }
            self.state.goes = goes;
            return;
        }
        match name {
            b"ansicpg" => self.codepage = number.clamp(0, 65_535) as u16,
            b"mac" => self.codepage = 10_000,
            b"deff" => self.default_font = number,
            b"f" if self.state.goes == Goes::Fonts => self.font_defined = number,
            b"f" => self.state.font = number,
            b"fcharset" => {
                if let Some(page) = page_of_charset(number) {
                    self.fonts.insert(self.font_defined, page);
                }
            }
            b"plain" => {
                self.state.font = self.default_font;
                self.state.is_hidden = false;
            }
            b"v" | b"deleted" => self.state.is_hidden = value != Some(0),
            b"fldrslt" => {
                let code = std::mem::take(&mut self.field_code);
                match hyperlink_of(&code) {
                    Some(address) if self.state.goes != Goes::Nowhere => {
                        self.pen.open_link(&address);
                        self.state.goes = Goes::Link;
                    }
                    _ => {}
                }
            }
            b"yr" | b"mo" | b"dy" | b"hr" | b"min"
                if matches!(self.state.goes, Goes::Created | Goes::Modified) =>
            {
                let sign = match name {
                    b"yr" => "",
                    b"mo" | b"dy" => "-",
                    b"hr" => "T",
                    _ => ":",
                };
                // Writing to a string cannot fail.
                let _ = write!(self.info, "{sign}{number:02}");
            }
            _ if matches!(self.state.goes, Goes::Text | Goes::Link) => self.shown(name, number, is_starred),
            _ => {}
        }
    }

    /// Control words inside shown text.
    fn shown(&mut self, name: &[u8], number: i32, is_starred: bool) {
        match name {
            b"par" | b"sect" => self.end_paragraph(),
            b"page" => {
                self.end_paragraph();
                self.page += 1;
                self.pen.page(self.page + 1);
            }
            b"line" | b"softline" => self.pen.push("\n"),
            b"tab" => self.pen.push("\t"),
            b"cell" | b"nestcell" => self.pen.next_cell(),
            b"row" | b"nestrow" => {
                self.pen.end(BlockKind::Row, 0);
                self.is_in_table = false;
            }
            b"intbl" => self.is_in_table = true,
            b"pard" => {
                (self.heading, self.item) = (0, 0);
                self.is_in_table = false;
            }
            b"outlinelevel" if (0..9).contains(&number) => self.heading = number as u8 + 1,
            b"ls" => self.item = self.item.max(1),
            b"ilvl" => self.item = number.clamp(0, 8) as u8 + 1,
            b"emdash" => self.pen.push("\u{2014}"),
            b"endash" => self.pen.push("\u{2013}"),
            b"lquote" => self.pen.push("\u{2018}"),
            b"rquote" => self.pen.push("\u{2019}"),
            b"ldblquote" => self.pen.push("\u{201c}"),
            b"rdblquote" => self.pen.push("\u{201d}"),
            b"bullet" => self.pen.push("\u{2022}"),
            b"emspace" | b"enspace" | b"qmspace" => self.pen.push(" "),
            // An unknown group that may be passed over.
            _ if is_starred && !matches!(name, b"shpinst" | b"shptxt" | b"cs" | b"ds") => {
                self.state.goes = Goes::Nowhere;
            }
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        if self.is_in_table {
            self.pen.push("\n");
        } else if self.heading > 0 {
            self.pen.end(BlockKind::Heading, self.heading.min(6));
        } else if self.item > 0 {
            self.pen.end(BlockKind::Item, self.item);
        } else {
            self.pen.paragraph();
        }
    }
}

/// Stands for fonts of symbols.
const SYMBOLS: u16 = 42;

/// Groups whose text goes elsewhere.
fn destination(name: &[u8]) -> Option<Goes> {
    Some(match name {
        b"fonttbl" => Goes::Fonts,
        b"fldinst" => Goes::FieldCode,
        b"title" => Goes::Title,
        b"author" => Goes::Author,
        b"subject" => Goes::Subject,
        b"keywords" => Goes::Keywords,
        b"creatim" => Goes::Created,
        b"revtim" => Goes::Modified,
        b"colortbl"
        | b"stylesheet"
        | b"info"
        | b"pict"
        | b"header"
        | b"headerl"
        | b"headerr"
        | b"headerf"
        | b"footer"
        | b"footerl"
        | b"footerr"
        | b"footerf"
        | b"object"
        | b"objdata"
        | b"themedata"
        | b"colorschememapping"
        | b"datastore"
        | b"latentstyles"
        | b"listtable"
        | b"listoverridetable"
        | b"rsidtbl"
        | b"generator"
        | b"operator"
        | b"company"
        | b"doccomm"
        | b"manager"
        | b"category"
        | b"comment"
        | b"buptim"
        | b"printim"
        | b"xmlnstbl"
        | b"bkmkstart"
        | b"bkmkend"
        | b"pgptbl"
        | b"revtbl"
        | b"filetbl"
        | b"atnid"
        | b"atnauthor"
        | b"annotation"
        | b"atrfstart"
        | b"atrfend"
        | b"sp"
        | b"nonshppict"
        | b"tc"
        | b"xe"
        | b"ftnsep"
        | b"ftnsepc"
        | b"ftncn"
        | b"aftnsep"
        | b"aftnsepc"
        | b"aftncn"
        | b"mmathPr"
        | b"wgrffmtfilter"
        | b"formfield"
        | b"datafield"
        | b"panose"
        | b"falt"
        | b"fontemb"
        | b"passwordhash"
        | b"userprops"
        | b"hlinkbase"
        | b"nesttableprops"
        | b"nonesttables"
        | b"listname"
        | b"pnseclvl" => Goes::Nowhere,
        _ => return None,
    })
}

/// The code page of a font's character set; `None` for the document's own.
fn page_of_charset(charset: i32) -> Option<u16> {
    Some(match charset {
        0 => 1252,
        2 => SYMBOLS,
        77 => 10_000,
        128 => 932,
        129 | 130 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178..=180 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    })
}
