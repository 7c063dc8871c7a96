//! What was cut, counted by shape for the report.

use super::{CUTS_MAX, Traps};
use gleaner_model::{Reason, Url};

/// URLs of one shape that were not fetched, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrapCut {
    pub reason: Reason,
    /// The shape as text, as `a.test/calendar/#/#`.
    pub shape: String,
    pub count: u64,
    pub example: String,
}

impl Traps {
    pub(super) fn cut(&mut self, url: &Url, reason: Reason) -> Result<(), Reason> {
        let key = (reason, self.buffer.shapes(url).fine);
        let is_listed = self.cuts.contains_key(&key) || self.cuts.len() < CUTS_MAX;
        let key = if is_listed { key } else { (reason, 0) };
        let buffer = &mut self.buffer;
        let cut = self.cuts.entry(key).or_insert_with(|| TrapCut {
            reason,
            shape: if is_listed {
                buffer.text(url)
            } else {
                "others".to_owned()
            },
            count: 0,
            example: url.to_string(),
        });
        cut.count += 1;
        Err(reason)
    }

    /// A guess that is not asked for, for the report.
    pub fn cut_guess(&mut self, url: &Url) {
        let _its_reason = self.cut(url, Reason::ScriptLink);
    }

    /// Everything that was cut, most first.
    pub fn cuts(&self) -> Vec<TrapCut> {
        let mut cuts: Vec<TrapCut> = self.cuts.values().cloned().collect();
        cuts.sort_by(|a, b| {
            b.count
                .cmp(&a.count)
                .then_with(|| (a.reason, &a.shape).cmp(&(b.reason, &b.shape)))
        });
        cuts
    }
}
