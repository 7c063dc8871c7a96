//! How much work is a diff worth? Words are compared for the first few megabytes of changed blocks; what comes after is
//! shown whole (HC087). Each form of a diff has an effort of its own.

use super::delta::{Delta, deltas};
use super::words::{Run, compare_words, whole};
use super::{ChangeKind, DiffPart, Hunk, clipped};
use std::borrow::Cow;

/// Bytes of changed blocks whose words are compared.
const BYTES_MAX: usize = 2 << 20;

pub(super) struct Effort {
    left_bytes: usize,
}

impl Effort {
    pub(super) fn new() -> Effort {
        Effort {
            left_bytes: BYTES_MAX,
        }
    }

    /// The words of two texts while there is effort left, then both texts whole.
    pub(super) fn compare(&mut self, before: &str, after: &str) -> Vec<Run> {
        let cost = before.len() + after.len();
        if cost > self.left_bytes {
            return whole(before, after);
        }
        self.left_bytes -= cost;
        compare_words(before, after)
    }

    /// The words of a hunk, and its numbers and dates that took other values.
    pub(super) fn words(&mut self, hunk: &Hunk) -> (Vec<Run>, Vec<Delta>) {
        let (before, after) = (shown(hunk.before.as_ref()), shown(hunk.after.as_ref()));
        let runs = self.compare(&before, &after);
        let found = match hunk.kind {
            ChangeKind::Change => deltas(&before, &after, &runs),
            _ => Vec::new(),
        };
        (runs, found)
    }

    /// The numbers and dates alone.
    pub(super) fn deltas(&mut self, hunk: &Hunk) -> Vec<Delta> {
        match hunk.kind {
            ChangeKind::Change => self.words(hunk).1,
            _ => Vec::new(),
        }
    }
}

/// A side's text as it is shown; nothing where the block is not there.
pub(super) fn shown(part: Option<&DiffPart>) -> Cow<'_, str> {
    part.map_or(Cow::Borrowed(""), |part| clipped(&part.text))
}
