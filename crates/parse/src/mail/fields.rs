//! Header fields of a letter and of its parts: names, unfolded values, parameters (RFC 5322 §2.2, RFC 2045 §5).

use super::encoded;
use gleaner_model::defaults::HEADER_FIELDS_MAX;

/// Longer values are kept only this far.
const VALUE_BYTES_MAX: usize = 64 * 1024;
/// Parameters that are looked at.
const PARAMETERS_MAX: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Fields {
    /// Names in lower case, values unfolded.
    fields: Vec<(String, Vec<u8>)>,
}

impl Fields {
    /// Reads fields up to the empty line or to what is no field; gives also how many bytes they take, the empty line
    /// included.
    pub(super) fn read(text: &[u8]) -> (Fields, usize) {
        let mut fields: Vec<(String, Vec<u8>)> = Vec::new();
        let mut is_kept = true;
        let mut at = 0;
        while at < text.len() {
            let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |found| at + found + 1);
            let line = text[at..end].strip_suffix(b"\n").unwrap_or(&text[at..end]);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                return (Fields { fields }, end);
            }
            if matches!(line[0], b' ' | b'\t') && at > 0 {
                if let Some((_, value)) = fields.last_mut().filter(|_| is_kept) {
                    let room = VALUE_BYTES_MAX.saturating_sub(value.len());
                    value.extend_from_slice(&line[..line.len().min(room)]);
                }
            } else {
                let Some((name, value)) = field(line) else {
                    return (Fields { fields }, at);
                };
                is_kept = fields.len() < HEADER_FIELDS_MAX;
                if is_kept {
                    let value = value[..value.len().min(VALUE_BYTES_MAX)].to_vec();
                    fields.push((name, value));
                }
            }
            at = end;
        }
        (Fields { fields }, at)
    }

    fn raw(&self, name: &str) -> Option<&[u8]> {
        let found = self.fields.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.trim_ascii())
    }

    /// A field as people read it; empty where there is none.
    pub(super) fn text(&self, name: &str) -> String {
        self.raw(name).map(encoded::words).unwrap_or_default()
    }

    /// A field of the form `value; name=value`, taken apart; `None` where there is none.
    pub(super) fn structured(&self, name: &str) -> Option<Structured> {
        let text = self.text(name);
        let mut pieces = split_outside_quotes(&text).into_iter();
        let value = pieces.next()?.trim().to_ascii_lowercase();
        if value.is_empty() {
            return None;
        }
        let parameters = pieces
            .filter_map(|piece| {
                let (name, value) = piece.split_once('=')?;
                Some((name.trim().to_ascii_lowercase(), unquoted(value.trim())))
            })
            .collect();
        Some(Structured { value, parameters })
    }
}

/// A value with parameters.
#[derive(Debug)]
pub(super) struct Structured {
    /// In lower case.
    pub(super) value: String,
    parameters: Vec<(String, String)>,
}

impl Structured {
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// `Name: value`; boundaries of MIME are not taken for names.
fn field(line: &[u8]) -> Option<(String, &[u8])> {
    let colon = memchr::memchr(b':', line)?;
    let name = line[..colon].trim_ascii_end();
    let is_name = !name.is_empty() && !name.starts_with(b"--") && name.iter().all(u8::is_ascii_graphic);
    let name = std::str::from_utf8(name).ok().filter(|_| is_name)?;
    Some((name.to_ascii_lowercase(), &line[colon + 1..]))
}

fn split_outside_quotes(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut is_quoted, mut is_escaped) = (false, false);
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b';' if !is_quoted => {
                pieces.push(&text[start..at]);
                start = at + 1;
                if pieces.len() >= PARAMETERS_MAX {
                    return pieces;
                }
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    pieces
}

fn unquoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"') else {
        return text.to_owned();
    };
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out
}
