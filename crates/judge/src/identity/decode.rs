//! What does an escaped value say, and where in the raw text does it say it?
//!
//! In: a piece of a URL. Out: the text with its percent-escapes undone, together with the raw position of every byte,
//! so that a part found in the decoded text can be replaced in the raw one. Escapes may be nested (`%252F`): they are
//! undone at most [`LEVELS_MAX`] times.

/// A value is decoded this often and no oftener: redirectors of redirectors were seen twice deep, never four times.
pub(super) const LEVELS_MAX: usize = 4;

/// Where each byte of a text lies in the URL: `at[i]` for byte `i`, and one more for the end.
#[derive(Debug, Clone)]
pub(super) enum Offsets {
    /// The text is a plain slice of the URL that begins here.
    From(usize),
    Table(Vec<u32>),
}

impl Offsets {
    pub(super) fn raw(&self, position: usize) -> usize {
        match self {
            Offsets::From(start) => start + position,
            Offsets::Table(table) => table
                .get(position)
                .or(table.last())
                .map_or(0, |&offset| offset as usize),
        }
    }

    /// The offsets of the part of the text that begins at `start`.
    pub(super) fn shifted(&self, start: usize, length: usize) -> Offsets {
        match self {
            Offsets::From(first) => Offsets::From(first + start),
            Offsets::Table(table) => Offsets::Table(table[start..=start + length].to_vec()),
        }
    }
}

/// Undoes one level of escapes; `None` where there are none, or where they do not spell text.
pub(super) fn decode_once(text: &str, offsets: &Offsets) -> Option<(String, Offsets)> {
    if !has_escape(text) {
        return None;
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut table = Vec::with_capacity(bytes.len() + 1);
    let mut at = 0;
    while at < bytes.len() {
        table.push(offsets.raw(at) as u32);
        if let Some(byte) = escape_at(bytes, at) {
            decoded.push(byte);
            at += 3;
        } else {
            decoded.push(bytes[at]);
            at += 1;
        }
    }
    table.push(offsets.raw(bytes.len()) as u32);
    Some((String::from_utf8(decoded).ok()?, Offsets::Table(table)))
}

/// Undoes all levels of escapes, up to the limit.
pub(super) fn settle(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut settled = text.to_owned();
    for _ in 0..LEVELS_MAX {
        match decode_once(&settled, &Offsets::From(0)) {
            Some((decoded, _)) => settled = decoded,
            None => break,
        }
    }
    settled
}

/// Like [`settle`], and tells where each byte stood in `text`.
pub(super) fn settle_with_offsets(text: &str, start: usize) -> (String, Offsets) {
    let mut settled = (text.to_owned(), Offsets::From(start));
    for _ in 0..LEVELS_MAX {
        match decode_once(&settled.0, &settled.1) {
            Some(decoded) => settled = decoded,
            None => break,
        }
    }
    settled
}

fn has_escape(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr_percent(bytes).any(|at| escape_at(bytes, at).is_some())
}

fn memchr_percent(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'%')
        .map(|(at, _)| at)
}

fn escape_at(bytes: &[u8], at: usize) -> Option<u8> {
    match bytes.get(at..at + 3)? {
        [b'%', high, low] => Some(hex(*high)? << 4 | hex(*low)?),
        _ => None,
    }
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_and_traced_back() {
        let (text, offsets) = settle_with_offsets("a%253Fb", 10);
        assert_eq!(text, "a?b");
        assert_eq!(
            (offsets.raw(0), offsets.raw(1), offsets.raw(2), offsets.raw(3)),
            (10, 11, 16, 17)
        );
        assert_eq!(settle("%FF"), "%FF", "bytes that are no text stay escaped");
        assert_eq!(settle("100%"), "100%");
    }
}
