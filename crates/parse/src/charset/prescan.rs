//! The standard's prescan of the first 1024 bytes for `<meta charset>`, before anything is known about the page.
//!
//! It is cruder than the parser on purpose: it knows no scripts and no text, only comments, tags and attributes.

use super::known_inside;
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

/// Finds the declared encoding in the first bytes of a page.
pub(crate) fn prescan(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [b'<', 0, b'?', 0, b'x', 0, ..] => return Some(UTF_16LE),
        [0, b'<', 0, b'?', 0, b'x', ..] => return Some(UTF_16BE),
        _ => {}
    }
    let mut at = 0;
    while at < head.len() {
        at += memchr::memchr(b'<', &head[at..])?;
        let rest = &head[at..];
        if rest.starts_with(b"<!--") {
            // The two dashes of the opening may be those of the end: `<!-->`.
            at += 2 + memchr::memmem::find(&rest[2..], b"-->")? + 3;
        } else if is_meta(rest) {
            at += 5;
            if let Some(found) = meta(head, &mut at) {
                return Some(found);
            }
        } else if matches!(rest, [b'<', b'a'..=b'z' | b'A'..=b'Z', ..])
            || matches!(rest, [b'<', b'/', b'a'..=b'z' | b'A'..=b'Z', ..])
        {
            at += rest.iter().position(|&b| is_space(b) || b == b'>')?;
            while attribute(head, &mut at).is_some() {}
            at += 1;
        } else if matches!(rest, [b'<', b'!' | b'/' | b'?', ..]) {
            at += memchr::memchr(b'>', rest)? + 1;
        } else {
            at += 1;
        }
    }
    xml_declaration(head)
}

/// The encoding of an XML declaration, which must be the very first thing.
pub(crate) fn xml_declaration(body: &[u8]) -> Option<&'static Encoding> {
    match body {
        [b'<', 0, b'?' | b'a'..=b'z' | b'A'..=b'Z', 0, ..] => return Some(UTF_16LE),
        [0, b'<', 0, b'?' | b'a'..=b'z' | b'A'..=b'Z', ..] => return Some(UTF_16BE),
        _ => {}
    }
    let head = body[..body.len().min(1024)].trim_ascii_start();
    if !head.starts_with(b"<?xml") {
        return None;
    }
    let declaration = &head[..memchr::memchr(b'>', head)?];
    let after = memchr::memmem::find(declaration, b"encoding")? + b"encoding".len();
    let rest = declaration[after..]
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let quote = *rest.first().filter(|&&b| b == b'"' || b == b'\'')?;
    let end = memchr::memchr(quote, &rest[1..])?;
    known_inside(&rest[1..=end])
}

fn is_space(b: u8) -> bool {
    matches!(b, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

fn is_meta(rest: &[u8]) -> bool {
    rest.len() > 5 && rest[1..5].eq_ignore_ascii_case(b"meta") && (is_space(rest[5]) || rest[5] == b'/')
}

fn meta(head: &[u8], at: &mut usize) -> Option<&'static Encoding> {
    let (mut got_pragma, mut need_pragma, mut charset) = (false, None, None);
    let (mut seen_pragma, mut seen_content, mut seen_charset) = (false, false, false);
    while let Some((name, value)) = attribute(head, at) {
        match name.as_slice() {
            b"http-equiv" if !seen_pragma => {
                seen_pragma = true;
                got_pragma = value == b"content-type";
            }
            b"content" if !seen_content => {
                seen_content = true;
                if charset.is_none()
                    && let Some(encoding) = label_in_content(&value).and_then(known_inside)
                {
                    charset = Some(encoding);
                    need_pragma = Some(true);
                }
            }
            b"charset" if !seen_charset => {
                seen_charset = true;
                charset = known_inside(&value);
                need_pragma = Some(false);
            }
            _ => {}
        }
    }
    if need_pragma? && !got_pragma {
        return None;
    }
    charset
}

/// The standard's "get an attribute": lower-cased name and value, or `None` at the end of the tag.
fn attribute(head: &[u8], at: &mut usize) -> Option<(Vec<u8>, Vec<u8>)> {
    let peek = |at: usize| head.get(at).copied();
    while peek(*at).is_some_and(|b| is_space(b) || b == b'/') {
        *at += 1;
    }
    if peek(*at)? == b'>' {
        return None;
    }
    let (mut name, mut value) = (Vec::new(), Vec::new());
    loop {
        match peek(*at)? {
            b'=' if !name.is_empty() => break,
            b if is_space(b) => {
                while is_space(peek(*at)?) {
                    *at += 1;
                }
                if peek(*at)? != b'=' {
                    return Some((name, value));
                }
                break;
            }
            b'/' | b'>' => return Some((name, value)),
            b => name.push(b.to_ascii_lowercase()),
        }
        *at += 1;
    }
    *at += 1;
    while is_space(peek(*at)?) {
        *at += 1;
    }
    match peek(*at)? {
        quote @ (b'"' | b'\'') => {
            let end = *at + 1 + memchr::memchr(quote, &head[*at + 1..])?;
            value.extend(head[*at + 1..end].iter().map(u8::to_ascii_lowercase));
            *at = end + 1;
        }
        b'>' => {}
        _ => {
            while let b = peek(*at)?
                && !is_space(b)
                && b != b'>'
            {
                value.push(b.to_ascii_lowercase());
                *at += 1;
            }
        }
    }
    Some((name, value))
}

/// The charset inside `text/html; charset=…`, as the standard extracts it from a meta element.
pub(crate) fn label_in_content(content: &[u8]) -> Option<&[u8]> {
    let mut rest = content;
    loop {
        let at = rest.windows(7).position(|w| w.eq_ignore_ascii_case(b"charset"))?;
        rest = rest[at + 7..].trim_ascii_start();
        let Some(after) = rest.strip_prefix(b"=") else {
            continue;
        };
        let value = after.trim_ascii_start();
        if let quote @ (b'"' | b'\'') = *value.first()? {
            let end = memchr::memchr(quote, &value[1..])?;
            return Some(&value[1..=end]);
        }
        let end = value
            .iter()
            .position(|&b| is_space(b) || b == b';')
            .unwrap_or(value.len());
        return Some(&value[..end]);
    }
}
