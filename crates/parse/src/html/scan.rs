//! The tokenizer: from bytes to tags and text, as the HTML standard's tokenization section says, in one forward pass.
//!
//! It holds no tree and decodes nothing: names, attributes and text are slices of the input, and the one who needs a
//! value decodes it. Everything is ASCII-compatible on purpose: in every charset that is scanned as bytes, the bytes
//! below 0x40 that decide (`<>"'=/&` and white space) never occur inside another character.
//!
//! Which elements hold raw text depends on the tree (an SVG `title` does not); the caller knows, and says so with
//! [`Scanner::enter`] right after the start tag.

use gleaner_model::defaults::HTML_ATTRIBUTES_MAX;
use memchr::{memchr, memchr2, memchr3, memmem};

/// A tag or attribute name packed into a number, lower case; 0 for names longer than any that matter.
pub(crate) type Key = u128;

/// The key of a name known at compile time.
pub(crate) const fn key(name: &str) -> Key {
    let bytes = name.as_bytes();
    assert!(bytes.len() <= 16, "longer names have no key");
    let mut packed = 0u128;
    let mut i = 0;
    while i < bytes.len() {
        packed |= (bytes[i] as u128) << (8 * i);
        i += 1;
    }
    packed
}

/// The key of the name that is `len` bytes long at the beginning of `input`.
fn pack(input: &[u8], len: usize) -> Key {
    const fn each(byte: u8) -> u128 {
        u128::from_le_bytes([byte; 16])
    }
    if len > 16 || len == 0 {
        return 0;
    }
    // Sixteen bytes at once where there are as many: names are short, and a loop over each costs more than all this.
    let bytes = if let Some(sixteen) = input.first_chunk() {
        u128::from_le_bytes(*sixteen) & (u128::MAX >> (128 - 8 * len))
    } else {
        let mut buffer = [0u8; 16];
        buffer[..len].copy_from_slice(&input[..len]);
        u128::from_le_bytes(buffer)
    };
    // The top bit of every byte that is a capital letter, moved to where it makes it small.
    let low = bytes & each(0x7F);
    let capitals = (low + each(0x80 - b'A')) & !(low + each(0x80 - b'Z' - 1)) & !bytes & each(0x80);
    let name = bytes | capitals >> 2;
    let padded = bytes | u128::MAX.checked_shl(8 * len as u32).unwrap_or(0);
    let has_nul = padded.wrapping_sub(each(1)) & !padded & each(0x80) != 0;
    if !has_nul {
        return name;
    }
    // NUL is part of a name (as U+FFFD), so it must not vanish in the padding.
    let mut buffer = name.to_le_bytes();
    for byte in &mut buffer[..len] {
        if *byte == 0 {
            *byte = 0xFF;
        }
    }
    u128::from_le_bytes(buffer)
}

/// A name and a value as written: entities, case and charset untouched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attribute<'a> {
    pub(crate) key: Key,
    pub(crate) value: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// `is_raw`: character references mean nothing here.
    Text {
        bytes: &'a [u8],
        is_raw: bool,
    },
    /// Its attributes are in [`Scanner::attributes`] until the next token.
    Start {
        name: &'a [u8],
        key: Key,
        is_self_closing: bool,
    },
    End {
        name: &'a [u8],
        key: Key,
    },
    Comment(&'a [u8]),
    /// What stands behind the word.
    Doctype(&'a [u8]),
    /// `<?…>` in XML; in HTML it is a comment.
    Instruction(&'a [u8]),
}

/// What the next bytes are, where that is not markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Raw<'a> {
    /// Ends at the end tag of this name; character references count.
    Rcdata(&'a [u8]),
    /// Ends at the end tag of this name.
    Rawtext(&'a [u8]),
    Script(&'a [u8]),
    /// Never ends.
    Plaintext,
    Cdata,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    Html,
    /// Instructions end at `?>`, comments only at `-->`, CDATA is everywhere.
    Xml,
}

pub(crate) struct Scanner<'a> {
    input: &'a [u8],
    at: usize,
    syntax: Syntax,
    raw: Option<Raw<'a>>,
    /// `<![CDATA[` is honoured: the current element is SVG or `MathML`.
    pub(crate) is_foreign: bool,
    pub(crate) attributes: Vec<Attribute<'a>>,
    /// Their names as written, for those who asked by [`Scanner::with_names`]; everyone else goes by the keys.
    pub(crate) names: Vec<&'a [u8]>,
    keeps_names: bool,
    /// Where the last text ended: there is markup, or the end of the input.
    text_ended: usize,
    /// Tags with more attributes than the limit.
    pub(crate) tags_cut: u64,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(input: &'a [u8], syntax: Syntax) -> Scanner<'a> {
        Scanner {
            input,
            at: 0,
            syntax,
            raw: None,
            is_foreign: false,
            attributes: Vec::with_capacity(16),
            names: Vec::new(),
            keeps_names: false,
            text_ended: usize::MAX,
            tags_cut: 0,
        }
    }

    /// As [`Scanner::new`] for those who want the names of attributes, also of those that have no key.
    pub(crate) fn with_names(input: &'a [u8], syntax: Syntax) -> Scanner<'a> {
        Scanner {
            keeps_names: true,
            ..Scanner::new(input, syntax)
        }
    }

    /// How far the input is read.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Says that what follows is not markup.
    pub(crate) fn enter(&mut self, raw: Raw<'a>) {
        self.raw = Some(raw);
    }

    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        loop {
            if self.at >= self.input.len() {
                return None;
            }
            if let Some(raw) = self.raw {
                let (end, is_over) = self.raw_end(raw);
                let bytes = &self.input[self.at..end];
                self.at = end;
                self.raw = None;
                if is_over && raw == Raw::Cdata {
                    self.at += b"]]>".len();
                }
                if bytes.is_empty() {
                    continue;
                }
                return Some(Token::Text {
                    bytes,
                    is_raw: !matches!(raw, Raw::Rcdata(_)),
                });
            }
            // Behind a text the place of the markup is known.
            if self.text_ended != self.at {
                let text_end = self.text_end(self.at);
                self.text_ended = text_end;
                if text_end > self.at {
                    let bytes = &self.input[self.at..text_end];
                    self.at = text_end;
                    return Some(Token::Text { bytes, is_raw: false });
                }
            }
            if let Some(token) = self.markup() {
                return Some(token);
            }
        }
    }

    /// Where the text that starts at `from` ends: at the next `<` that opens markup.
    fn text_end(&self, from: usize) -> usize {
        let input = self.input;
        let mut at = from;
        while let Some(found) = memchr(b'<', &input[at..]) {
            at += found;
            match input.get(at + 1) {
                Some(b'a'..=b'z' | b'A'..=b'Z' | b'!' | b'?') => return at,
                Some(b'/') if at + 2 < input.len() => return at,
                // XML names may begin with any letter; the few signs that cannot open one stay text.
                Some(b'_' | b':' | 0x80..) if self.syntax == Syntax::Xml => return at,
                _ => at += 1,
            }
        }
        input.len()
    }

    /// Reads the markup at `self.at`, which is a `<` that [`Self::text_end`] accepted. `None` where nothing is emitted.
    fn markup(&mut self) -> Option<Token<'a>> {
        let input = self.input;
        let open = self.at;
        match input[open + 1] {
            b'!' => self.declaration(),
            b'?' => {
                let start = open + 2;
                if self.syntax == Syntax::Xml {
                    let end = memmem::find(&input[start..], b"?>").map_or(input.len(), |i| start + i);
                    self.at = (end + 2).min(input.len());
                    return Some(Token::Instruction(&input[start..end]));
                }
                // The question mark is part of the comment.
                Some(self.bogus_comment(open + 1))
            }
            b'/' => match input[open + 2] {
                b'a'..=b'z' | b'A'..=b'Z' => self.tag(open + 2, true),
                b'>' => {
                    self.at = open + 3;
                    None
                }
                b'_' | b':' | 0x80.. if self.syntax == Syntax::Xml => self.tag(open + 2, true),
                _ => Some(self.bogus_comment(open + 2)),
            },
            _ => self.tag(open + 1, false),
        }
    }

    fn bogus_comment(&mut self, start: usize) -> Token<'a> {
        let end = memchr(b'>', &self.input[start..]).map_or(self.input.len(), |i| start + i);
        self.at = (end + 1).min(self.input.len());
        Token::Comment(&self.input[start..end])
    }

    fn declaration(&mut self) -> Option<Token<'a>> {
        let start = self.at + 2;
        let rest = &self.input[start..];
        if rest.starts_with(b"--") {
            return Some(self.comment(start + 2));
        }
        if rest.len() >= 7 && rest[..7].eq_ignore_ascii_case(b"doctype") {
            return Some(Token::Doctype(self.doctype(start + 7)));
        }
        if rest.starts_with(b"[CDATA[") && (self.is_foreign || self.syntax == Syntax::Xml) {
            self.at = start + 7;
            self.raw = Some(Raw::Cdata);
            return None;
        }
        Some(self.bogus_comment(start))
    }

    /// A doctype ends at the first `>`; in XML its internal subset in brackets is passed over, unread (HC058).
    fn doctype(&mut self, start: usize) -> &'a [u8] {
        let rest = &self.input[start..];
        let mut end = memchr(b'>', rest).unwrap_or(rest.len());
        if self.syntax == Syntax::Xml
            && let Some(bracket) = memchr(b'[', &rest[..end])
        {
            let close = memchr(b']', &rest[bracket..]).map_or(rest.len(), |i| bracket + i);
            end = memchr(b'>', &rest[close..]).map_or(rest.len(), |i| close + i);
        }
        self.at = (start + end + 1).min(self.input.len());
        &rest[..end]
    }

    fn comment(&mut self, start: usize) -> Token<'a> {
        let body = &self.input[start..];
        let mut from = 0;
        while let Some(found) = memchr(b'>', &body[from..]) {
            let close = from + found;
            let inside = &body[..close];
            let cut = if inside.ends_with(b"--") {
                Some(2)
            } else if self.syntax == Syntax::Xml {
                None
            } else if inside.is_empty() {
                Some(0)
            } else if inside == b"-" {
                Some(1)
            } else if inside.ends_with(b"--!") {
                Some(3)
            } else {
                None
            };
            if let Some(cut) = cut {
                self.at = start + close + 1;
                return Token::Comment(&inside[..close - cut]);
            }
            from = close + 1;
        }
        self.at = self.input.len();
        // At the end of the input, an end that has begun is not part of the comment.
        let body = ["--!".as_bytes(), b"--", b"-"]
            .iter()
            .find_map(|tail| body.strip_suffix(*tail))
            .unwrap_or(body);
        Token::Comment(body)
    }

    /// A tag whose name begins at `start`. A tag that the input ends in is no tag.
    fn tag(&mut self, start: usize, is_end: bool) -> Option<Token<'a>> {
        let input = self.input;
        self.attributes.clear();
        self.names.clear();
        let mut at = start;
        while at < input.len() && !ENDS_TAG_NAME[usize::from(input[at])] {
            at += 1;
        }
        let name = &input[start..at];
        let key = pack(&input[start..], name.len());
        let mut is_cut = false;
        loop {
            while at < input.len() && is_space(input[at]) {
                at += 1;
            }
            let Some(&b) = input.get(at) else {
                return self.drop_rest();
            };
            match b {
                b'>' => return Some(self.close_tag(at, name, key, is_end, false, is_cut)),
                b'/' => {
                    if input.get(at + 1) == Some(&b'>') {
                        return Some(self.close_tag(at + 1, name, key, is_end, true, is_cut));
                    }
                    at += 1;
                    continue;
                }
                _ => {}
            }
            // An equals sign at the start belongs to the name.
            let name_start = at;
            at += 1;
            while at < input.len() && !ENDS_ATTRIBUTE_NAME[usize::from(input[at])] {
                at += 1;
            }
            let name_len = at - name_start;
            while at < input.len() && is_space(input[at]) {
                at += 1;
            }
            // Also an absent value has a place: right behind the name.
            let mut value = &input[at..at];
            if input.get(at) == Some(&b'=') {
                at += 1;
                while at < input.len() && is_space(input[at]) {
                    at += 1;
                }
                let Some(&b) = input.get(at) else {
                    return self.drop_rest();
                };
                match b {
                    b'"' | b'\'' => {
                        let from = at + 1;
                        let Some(len) = memchr(b, &input[from..]) else {
                            return self.drop_rest();
                        };
                        value = &input[from..from + len];
                        at = from + len + 1;
                    }
                    b'>' => {}
                    _ => {
                        let from = at;
                        while at < input.len() && !is_space(input[at]) && input[at] != b'>' {
                            at += 1;
                        }
                        value = &input[from..at];
                    }
                }
            }
            if self.attributes.len() < HTML_ATTRIBUTES_MAX {
                self.attributes.push(Attribute {
                    key: pack(&input[name_start..], name_len),
                    value,
                });
                if self.keeps_names {
                    self.names.push(&input[name_start..name_start + name_len]);
                }
            } else {
                is_cut = true;
            }
        }
    }

    fn close_tag(
        &mut self,
        close: usize,
        name: &'a [u8],
        key: Key,
        is_end: bool,
        is_self_closing: bool,
        is_cut: bool,
    ) -> Token<'a> {
        self.at = close + 1;
        self.tags_cut += u64::from(is_cut);
        if is_end {
            Token::End { name, key }
        } else {
            Token::Start {
                name,
                key,
                is_self_closing,
            }
        }
    }

    fn drop_rest(&mut self) -> Option<Token<'a>> {
        self.at = self.input.len();
        None
    }

    /// Where the raw text ends, and whether something ended it other than the end of the input.
    fn raw_end(&self, raw: Raw<'_>) -> (usize, bool) {
        let rest = &self.input[self.at..];
        let found = match raw {
            Raw::Plaintext => None,
            Raw::Cdata => memmem::find(rest, b"]]>"),
            Raw::Rcdata(name) | Raw::Rawtext(name) => end_tag(rest, name),
            Raw::Script(name) => script_end(rest, name),
        };
        (found.map_or(self.input.len(), |i| self.at + i), found.is_some())
    }
}

fn is_space(b: u8) -> bool {
    matches!(b, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

const fn table(enders: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut i = 0;
    while i < enders.len() {
        table[enders[i] as usize] = true;
        i += 1;
    }
    table
}

static ENDS_TAG_NAME: [bool; 256] = table(b"\t\n\x0C\r />");
static ENDS_ATTRIBUTE_NAME: [bool; 256] = table(b"\t\n\x0C\r />=");

/// Whether `rest` (behind a `<` or `</`) opens with this tag name, ended as a tag name ends.
fn opens_with(rest: &[u8], name: &[u8]) -> bool {
    rest.len() > name.len()
        && rest[..name.len()].eq_ignore_ascii_case(name)
        && ENDS_TAG_NAME[usize::from(rest[name.len()])]
}

/// The place of the first appropriate end tag.
fn end_tag(text: &[u8], name: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr(b'<', &text[at..])?;
        if text.get(at + 1) == Some(&b'/') && opens_with(&text[at + 2..], name) {
            return Some(at);
        }
        at += 1;
    }
}

/// The place of the end tag of a script, with the escapes that `<!--` and `<script>` inside it bring.
fn script_end(text: &[u8], name: &[u8]) -> Option<usize> {
    #[derive(PartialEq)]
    enum State {
        Plain,
        Escaped,
        DoubleEscaped,
    }
    let mut state = State::Plain;
    let mut at = 0;
    loop {
        at += match state {
            State::Plain => memchr(b'<', &text[at..])?,
            _ => memchr2(b'<', b'>', &text[at..])?,
        };
        if text[at] == b'>' {
            if text[..at].ends_with(b"--") {
                state = State::Plain;
            }
            at += 1;
            continue;
        }
        let after = &text[at + 1..];
        match state {
            State::Plain if after.starts_with(b"!--") => {
                state = State::Escaped;
                // The dashes of `<!--` may already be those of `-->`.
                at += 4;
                continue;
            }
            State::Plain | State::Escaped
                if after.first() == Some(&b'/') && opens_with(&after[1..], name) =>
            {
                return Some(at);
            }
            State::Escaped if opens_with(after, b"script") => {
                state = State::DoubleEscaped;
                // The byte that ended the name is consumed with it: a `>` there cannot end the comment.
                at += 1 + b"script".len();
            }
            State::DoubleEscaped if after.first() == Some(&b'/') && opens_with(&after[1..], b"script") => {
                state = State::Escaped;
                at += 2 + b"script".len();
            }
            _ => {}
        }
        at += 1;
    }
}

/// Whether a slice of text holds anything that must be decoded: references, NULs, or bytes beyond ASCII.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    bytes.is_ascii() && memchr2(b'&', 0, bytes).is_none()
}

/// Whether a style holds anything that can be an address.
pub(crate) fn may_hold_url(style: &[u8]) -> bool {
    memchr3(b'(', b'@', b'\\', style).is_some()
}
