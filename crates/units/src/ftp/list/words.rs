//! A line cut at its blanks, each word with its place: what follows a word may be a name with blanks of its own.

/// No reader looks further; a name of a thousand words is cut into no more than this.
const WORDS_MAX: usize = 48;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) bytes: &'a [u8],
    /// Where the byte after it stands.
    pub(super) end: usize,
}

pub(super) fn of(line: &[u8]) -> Vec<Word<'_>> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let mut words = Vec::new();
    let mut at = 0;
    while words.len() < WORDS_MAX {
        let Some(start) = line[at..].iter().position(|byte| !is_blank(byte)) else {
            break;
        };
        let start = at + start;
        let length = line[start..]
            .iter()
            .position(is_blank)
            .unwrap_or(line.len() - start);
        at = start + length;
        words.push(Word {
            bytes: &line[start..at],
            end: at,
        });
    }
    words
}

/// What follows a word after one blank: further blanks belong to the name.
pub(super) fn name_after(line: &[u8], end: usize) -> Option<&[u8]> {
    line.get(end + 1..).filter(|name| !name.is_empty())
}

/// What follows a word after any number of blanks.
pub(super) fn name_after_blanks(line: &[u8], end: usize) -> Option<&[u8]> {
    let rest = line.get(end..)?;
    let start = rest.iter().position(|byte| *byte != b' ' && *byte != b'\t')?;
    Some(&rest[start..])
}

/// Cuts at the first `mark`; the whole where there is none.
pub(super) fn before<'a>(text: &'a [u8], mark: &[u8]) -> &'a [u8] {
    match memchr::memmem::find(text, mark) {
        Some(at) => &text[..at],
        None => text,
    }
}
