//! Bytes exchanged in place.

use std::ops::Range;

/// These bytes become that text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) at: Range<usize>,
    pub(super) with: String,
}

/// Where a slice of `whole` lies in it; none if it is no slice of it.
pub(super) fn place_in(whole: &[u8], part: &[u8]) -> Option<Range<usize>> {
    let start = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
    let end = start + part.len();
    (end <= whole.len()).then_some(start..end)
}

/// The bytes with all edits made; none where that changes nothing. Of two edits that overlap the first counts.
pub(super) fn apply(bytes: &[u8], mut edits: Vec<Edit>) -> Option<Vec<u8>> {
    edits.retain(|edit| bytes[edit.at.clone()] != *edit.with.as_bytes());
    if edits.is_empty() {
        return None;
    }
    edits.sort_by_key(|edit| (edit.at.start, edit.at.end));
    let longer: usize = edits.iter().map(|edit| edit.with.len()).sum();
    let mut out = Vec::with_capacity(bytes.len() + longer);
    let mut copied = 0;
    for edit in edits {
        if edit.at.start < copied {
            continue;
        }
        out.extend_from_slice(&bytes[copied..edit.at.start]);
        out.extend_from_slice(edit.with.as_bytes());
        copied = edit.at.end;
    }
    out.extend_from_slice(&bytes[copied..]);
    Some(out)
}

/// As [`apply`], for text whose edits are text, at boundaries of characters.
pub(super) fn apply_text(text: &str, edits: Vec<Edit>) -> Option<String> {
    apply(text.as_bytes(), edits).and_then(|bytes| String::from_utf8(bytes).ok())
}
