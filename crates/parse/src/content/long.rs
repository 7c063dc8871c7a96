//! What does a document say that is too long for a tree? In: its bytes as a stream. Out: a digest of its words, and where
//! its links lead, one by one.
//!
//! One forward pass that holds a tag at a time, so a document of any length costs the same memory. Comments, scripts,
//! styles, all other attributes and white space do not count, as in shorter pages; unlike there, what a style hides counts
//! and references (`&amp;`) are taken as they are written.

use super::tags::{self, Tag};
use crate::charset;
use crate::decode::{DecodeLimits, encodings, reader, reason_of};
use crate::headers::header;
use crate::kind::{Kind, sniff};
use gleaner_model::{Reason, Url};
use html5ever::LocalName;
use std::io::BufRead;

/// Kind and charset are told by so many bytes.
const HEAD_BYTES: usize = 64 * 1024;
/// Of a longer tag only the beginning is looked at.
const TAG_BYTES_MAX: usize = 16 * 1024;
/// Text is hashed in pieces of this size.
const PIECE_BYTES: usize = 64 * 1024;

/// Reads a document from `raw`, `raw_len` bytes with its content encodings. `link` is told what each link leads to, as it
/// is written. `None` where there is no text to be had here.
pub fn read_long<R: std::io::Read>(
    url: &Url,
    headers: &[(String, String)],
    raw: R,
    raw_len: u64,
    link: &mut dyn FnMut(&str),
) -> Result<Option<[u8; 16]>, Reason> {
    let limits = DecodeLimits::default();
    let mut from = reader(raw, raw_len, &encodings(headers)?, &limits)?;
    let mut head = Vec::with_capacity(HEAD_BYTES);
    while head.len() < HEAD_BYTES {
        let piece = from.fill_buf().map_err(|e| reason_of(&e))?;
        let length = piece.len();
        if length == 0 {
            break;
        }
        head.extend_from_slice(piece);
        from.consume(length);
    }
    let content_type = header(headers, "content-type");
    let nosniff =
        header(headers, "x-content-type-options").is_some_and(|v| v.trim().eq_ignore_ascii_case("nosniff"));
    let sniffed = sniff(content_type, nosniff, &head);
    if !sniffed.kind.is_textual() && sniffed.media_type != "image/svg+xml" {
        return Ok(None);
    }
    let is_markup = !matches!(sniffed.kind, Kind::Text | Kind::Css | Kind::Json);
    let tld = url.host().rsplit('.').next();
    let chosen = charset::choose(sniffed.kind, content_type, tld, &head);
    let mut decoder = chosen.encoding.new_decoder_with_bom_removal();
    let mut scanner = Scanner::new(is_markup, link);
    let mut text = String::with_capacity(4 * HEAD_BYTES);
    let mut piece = head;
    let mut decoded_bytes = 0u64;
    loop {
        let is_last = piece.is_empty();
        decoded_bytes += piece.len() as u64;
        if decoded_bytes > limits.decoded_bytes_max {
            return Err(Reason::DecodedTooLarge);
        }
        text.clear();
        text.reserve(decoder.max_utf8_buffer_length(piece.len()).unwrap_or(0));
        let _all_of_it = decoder.decode_to_string(&piece, &mut text, is_last);
        scanner.read(text.as_bytes());
        if is_last {
            return Ok(Some(scanner.finish()));
        }
        piece.clear();
        let next = from.fill_buf().map_err(|e| reason_of(&e))?;
        let length = next.len().min(HEAD_BYTES);
        piece.extend_from_slice(&next[..length]);
        from.consume(length);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    /// Behind a `<`.
    Open,
    /// In a tag, and in which quotes.
    Tag(Option<u8>),
    /// In a declaration, up to `>`; `--` may make a comment of it.
    Declaration,
    /// Up to `-->`.
    Comment,
    /// Up to the end tag of this element, whose text is not shown.
    Raw(&'static str),
}

struct Scanner<'l> {
    is_markup: bool,
    state: State,
    /// The tag under way; in raw text and comments the last bytes.
    tag: Vec<u8>,
    words: Vec<u8>,
    blank_due: bool,
    has_words: bool,
    hasher: blake3::Hasher,
    link: &'l mut dyn FnMut(&str),
}

/// Elements whose text is neither markup nor shown.
const RAW: [&str; 5] = ["script", "style", "iframe", "noembed", "noframes"];

impl<'l> Scanner<'l> {
    fn new(is_markup: bool, link: &'l mut dyn FnMut(&str)) -> Scanner<'l> {
        Scanner {
            is_markup,
            state: State::Text,
            tag: Vec::new(),
            words: Vec::with_capacity(PIECE_BYTES),
            blank_due: false,
            has_words: false,
            hasher: blake3::Hasher::new(),
            link,
        }
    }

    fn read(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.step(byte);
        }
    }

    fn step(&mut self, byte: u8) {
        match self.state {
            State::Text if byte == b'<' && self.is_markup => self.state = State::Open,
            State::Text => self.text(byte),
            State::Open => {
                self.tag.clear();
                self.state = match byte {
                    b'!' => State::Declaration,
                    b'/' | b'?' => State::Tag(None),
                    _ if byte.is_ascii_alphabetic() => State::Tag(None),
                    _ => State::Text,
                };
                match self.state {
                    State::Text => {
                        self.text(b'<');
                        self.step(byte);
                    }
                    State::Tag(_) => self.tag.push(byte),
                    _ => {}
                }
            }
            State::Tag(None) if byte == b'>' => self.end_tag(),
            State::Tag(quote) => {
                let opens = matches!(byte, b'"' | b'\'') && self.tag.trim_ascii_end().ends_with(b"=");
                self.state = match quote {
                    None if opens => State::Tag(Some(byte)),
                    Some(quote) if quote == byte => State::Tag(None),
                    other => State::Tag(other),
                };
                if self.tag.len() < TAG_BYTES_MAX {
                    self.tag.push(byte);
                } else if !byte.is_ascii_whitespace() {
                    // Only whether an equals sign was last is still of use.
                    let last = self.tag.len() - 1;
                    self.tag[last] = byte;
                }
            }
            State::Declaration => {
                self.tag.push(byte);
                if self.tag == b"--" {
                    self.tag.clear();
                    self.state = State::Comment;
                } else if byte == b'>' {
                    self.state = State::Text;
                } else if self.tag.len() > 2 {
                    self.tag.truncate(2);
                }
            }
            State::Comment => {
                // `<!-->` is one, too.
                let is_short = byte == b'>' && self.tag.is_empty();
                self.last(byte, 3);
                if self.tag.ends_with(b"-->") || is_short {
                    self.state = State::Text;
                }
            }
            State::Raw(name) => {
                self.last(byte, name.len() + 2);
                let is_end =
                    self.tag.starts_with(b"</") && self.tag[2..].eq_ignore_ascii_case(name.as_bytes());
                if is_end {
                    self.tag.splice(..1, []);
                    self.state = State::Tag(None);
                }
            }
        }
    }

    /// Keeps the last bytes of a stretch.
    fn last(&mut self, byte: u8, count: usize) {
        if self.tag.len() == count {
            self.tag.remove(0);
        }
        self.tag.push(byte);
    }

    fn text(&mut self, byte: u8) {
        if byte.is_ascii_whitespace() {
            self.blank_due = true;
            return;
        }
        if self.blank_due && self.has_words {
            self.words.push(b' ');
        }
        (self.blank_due, self.has_words) = (false, true);
        self.words.push(byte);
        if self.words.len() >= PIECE_BYTES {
            self.hasher.update(&self.words);
            self.words.clear();
        }
    }

    fn end_tag(&mut self) {
        self.state = State::Text;
        let tag = std::mem::take(&mut self.tag);
        let text = String::from_utf8_lossy(&tag);
        let (is_end, rest) = match text.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, &*text),
        };
        let length = rest
            .find(|c: char| c.is_ascii_whitespace() || c == '/')
            .unwrap_or(rest.len());
        let (name, attributes) = rest.split_at(length);
        let name = name.to_ascii_lowercase();
        let kind = tags::of(&LocalName::from(name.as_str()));
        if kind.breaks() || kind == Tag::Break {
            self.blank_due = true;
        }
        if !is_end {
            if let Some(raw) = RAW.into_iter().find(|raw| *raw == name) {
                self.state = State::Raw(raw);
            } else if kind == Tag::Link
                && let Some(target) = href(attributes)
            {
                (self.link)(target);
            }
        }
        self.tag = tag;
        self.tag.clear();
    }

    fn finish(mut self) -> [u8; 16] {
        self.hasher.update(&self.words);
        let mut digest = [0; 16];
        digest.copy_from_slice(&self.hasher.finalize().as_bytes()[..16]);
        digest
    }
}

/// The value of `href` in the attributes of a tag.
fn href(attributes: &str) -> Option<&str> {
    let mut left = attributes.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
    while !left.is_empty() {
        let end = left
            .find(|c: char| c.is_ascii_whitespace() || c == '=' || c == '/')
            .unwrap_or(left.len());
        let (name, rest) = left.split_at(end.max(1).min(left.len()));
        let rest = rest.trim_start();
        let Some(rest) = rest.strip_prefix('=') else {
            left = rest.trim_start_matches('/').trim_start();
            continue;
        };
        let rest = rest.trim_start();
        let (value, after) = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let rest = &rest[1..];
                let end = rest.find(quote).unwrap_or(rest.len());
                (&rest[..end], rest.get(end + 1..).unwrap_or_default())
            }
            _ => rest.split_at(rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len())),
        };
        if name.eq_ignore_ascii_case("href") {
            return Some(value.trim());
        }
        left = after.trim_start();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content_type: &str, body: &[u8]) -> (Option<[u8; 16]>, Vec<String>) {
        let url = Url::parse("http://a.test/").unwrap();
        let headers = [("content-type".to_owned(), content_type.to_owned())];
        let mut links = Vec::new();
        let digest = read_long(&url, &headers, body, body.len() as u64, &mut |link| {
            links.push(link.to_owned());
        });
        (digest.unwrap(), links)
    }

    #[test]
    fn case07_words_count_and_marks_do_not() {
        let base =
            "<html><body><p>One two <b>three</b></p><p>four</p><a href='/x?a=1'>five</a></body></html>";
        let same = [
            "<html><!-- made <p>at</p> 12 --><body class=x><p id='a>b'>One  two <b data-n=1>three</b></p>\n<p>four</p><a class=y href=/x?a=1>five</a>",
            "<html><script nonce=x>if (a < b) document.write('<p>no</p>')</script><style>p { content: '>' }</style><p>One two <i>three</i><div>four</div><a title='h=\"' href=\"/x?a=1\">five</a>",
            "<!DOCTYPE html><p>One two three<p>four<br><a href=/x?a=1>five</a><!-->",
        ];
        let expected = read("text/html", base.as_bytes());
        for page in same {
            assert_eq!(read("text/html", page.as_bytes()), expected, "{page}");
        }
        assert_eq!(expected.1, ["/x?a=1"]);
        let other = [
            base.replace("two", "too"),
            base.replace("</p><p>", ""),
            base.replace("four", "f our"),
        ];
        for page in other {
            assert_ne!(read("text/html", page.as_bytes()).0, expected.0, "{page}");
        }
    }

    #[test]
    fn case07_charsets_and_pieces_make_no_difference() {
        let words = "Wörter über Straßen. ".repeat(9_000);
        let page = |charset: &str| format!("<meta charset={charset}><p>{words}</p>");
        let utf8 = read("text/html", page("utf-8").as_bytes()).0;
        let latin = encoding_rs::WINDOWS_1252
            .encode(&page("windows-1252"))
            .0
            .into_owned();
        assert_eq!(read("text/html", &latin).0, utf8);
        assert_eq!(read("application/pdf", b"%PDF-1.7 x").0, None);
        assert_eq!(
            read("text/plain", b"a < b\n c").0,
            read("text/plain", b"a  <  b c").0
        );
    }
}
