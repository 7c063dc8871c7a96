//! Questions about a page that must be answered before it is read: a charset declared late, the root element, where the head
//! begins.

use super::attributes::Attributes;
use super::scan::{Raw, Scanner, Syntax, Token, key};
use crate::charset;
use encoding_rs::Encoding;

/// A late `<meta charset>` is looked for this far.
const LATE_META_BYTES: usize = 64 * 1024;

/// A `<meta charset>` beyond the bytes that the prescan sees: the parser of a browser still obeys it.
pub(crate) fn late_meta(body: &[u8]) -> Option<&'static Encoding> {
    let mut scanner = Scanner::new(&body[..body.len().min(LATE_META_BYTES)], Syntax::Html);
    while let Some(token) = scanner.next() {
        let Token::Start { name, key, .. } = token else {
            continue;
        };
        if key == self::key("meta") {
            let wanted = Attributes::of(&scanner);
            let label = wanted.charset().or_else(|| {
                let pragma = wanted.http_equiv()?;
                let content = wanted.content()?;
                pragma
                    .eq_ignore_ascii_case(b"content-type")
                    .then(|| charset::label_in_content(content))?
            });
            if let Some(encoding) = label.and_then(charset::known_inside) {
                return Some(encoding);
            }
        } else if key == self::key("body") {
            return None;
        } else if [self::key("title"), self::key("textarea")].contains(&key) {
            scanner.enter(Raw::Rcdata(name));
        } else if [
            self::key("style"),
            self::key("iframe"),
            self::key("noframes"),
            self::key("xmp"),
        ]
        .contains(&key)
        {
            scanner.enter(Raw::Rawtext(name));
        } else if key == self::key("script") {
            scanner.enter(Raw::Script(name));
        }
    }
    None
}

/// Where the first thing of the head stands, or could be put: behind the doctype, because nothing may stand before it.
pub(crate) fn head_start(body: &[u8]) -> usize {
    let mut scanner = Scanner::new(body, Syntax::Html);
    let mut start = 0;
    while let Some(token) = scanner.next() {
        match token {
            Token::Comment(_) if scanner.at() == body.len() => break, // It may have no end.
            Token::Doctype(_) | Token::Comment(_) | Token::Instruction(_) => start = scanner.at(),
            Token::Text { bytes, .. } if bytes.trim_ascii().is_empty() => {}
            Token::Start { key, .. } if key == self::key("html") => start = scanner.at(),
            Token::Start { key, .. } if key == self::key("head") => return scanner.at(),
            _ => break,
        }
    }
    start
}

/// The local name of the root element of an XML document, if it comes within the first bytes.
pub(crate) fn root(body: &[u8]) -> Option<&str> {
    const LOOK_BYTES: usize = 64 * 1024;
    let mut scanner = Scanner::new(&body[..body.len().min(LOOK_BYTES)], Syntax::Xml);
    while let Some(token) = scanner.next() {
        match token {
            Token::Start { name, .. } => {
                let local = memchr::memrchr(b':', name).map_or(name, |at| &name[at + 1..]);
                return std::str::from_utf8(local).ok();
            }
            Token::Text { bytes, .. } if !bytes.trim_ascii().is_empty() => return None,
            _ => {}
        }
    }
    None
}
