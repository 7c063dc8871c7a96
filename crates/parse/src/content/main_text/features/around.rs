//! What is likely around a block, once it is known how likely each block is by itself: main text stands together.

use super::{Facts, WIDE, WIDTH};
use std::ops::Range;

pub(super) const EXTRA: usize = 15;

impl Facts<'_> {
    /// The rows again, each with what is likely around it.
    pub(in crate::content::main_text) fn wide_rows(&self, rows: &[f32], likely: &[f32]) -> Vec<f32> {
        let count = self.drafts.len();
        let mut mass = Vec::with_capacity(count + 1);
        let mut sum = 0.0f32;
        mass.push(sum);
        for (at, likely) in likely.iter().enumerate() {
            sum += likely * self.texts[at].words;
            mass.push(sum);
        }
        let mean = |range: Range<usize>| {
            let words = self.words[range.end] - self.words[range.start];
            (mass[range.end] - mass[range.start]) / words.max(1.0)
        };
        let mut groups = vec![[0.0f32; 2]; self.group_count];
        for (at, group) in self.groups.iter().enumerate() {
            groups[*group][0] += likely[at] * self.texts[at].words;
            groups[*group][1] += self.texts[at].words;
        }
        let mut wide = Vec::with_capacity(count * WIDE);
        for at in 0..count {
            wide.extend_from_slice(&rows[at * WIDTH..(at + 1) * WIDTH]);
            let window =
                |before: usize, behind: usize| at.saturating_sub(before)..(at + behind + 1).min(count);
            let [near, far] = &self.holders[at];
            let [records, most] = self.places.records(self.tree, self.drafts[at].owner);
            let group = groups[self.groups[at]];
            let before = at.checked_sub(1).map_or(-1.0, |before| likely[before]);
            let behind = likely.get(at + 1).copied().unwrap_or(-1.0);
            wide.extend([
                likely[at],
                before,
                behind,
                mean(window(2, 0)),
                mean(window(0, 2)),
                mean(window(4, 4)),
                mean(window(12, 12)),
                mean(near.clone()),
                mean(far.clone()),
                mean(records.blocks),
                mean(most.blocks),
                group[0] / group[1].max(1.0),
                mass[at] / sum.max(1.0),
                (sum - mass[at + 1]) / sum.max(1.0),
                sum / self.words[count].max(1.0),
            ]);
        }
        wide
    }
}
