//! What is likely around a block, once it is known how likely each block is by itself: main text stands together.

use super::{Facts, WIDE, WIDTH, in_eighths, text};
use std::collections::HashMap;
use std::ops::Range;

pub(super) const EXTRA: usize = 23;

impl Facts<'_> {
    /// The rows of some blocks again, each with what is likely around it.
    pub(in crate::content::main_text) fn wide_rows(
        &self,
        rows: &[f32],
        likely: &[f32],
        wanted: &[usize],
    ) -> Vec<f32> {
        let count = self.drafts.len();
        let exact = likely;
        let likely: &[f32] = &likely
            .iter()
            .map(|likely| in_eighths(*likely))
            .collect::<Vec<f32>>();
        let mut mass = Vec::with_capacity(count + 1);
        let mut sum = 0.0f32;
        mass.push(sum);
        for (at, likely) in likely.iter().enumerate() {
            sum += likely * self.texts[at].counted;
            mass.push(sum);
        }
        let mean = |range: Range<usize>| {
            let words = self.words[range.end] - self.words[range.start];
            (mass[range.end] - mass[range.start]) / words.max(1.0)
        };
        let mut groups = vec![[0.0f32; 2]; self.group_count];
        for (at, group) in self.groups.iter().enumerate() {
            groups[*group][0] += likely[at] * self.texts[at].counted;
            groups[*group][1] += self.texts[at].counted;
        }
        let held = self.held(likely, wanted);
        let best = self.best_run(likely);
        let inside = (mass[best.end] - mass[best.start]) / sum.max(1.0);
        let core = (0..count).max_by(|one, other| {
            let worth = |at: &usize| (likely[*at] - 0.5) * self.texts[*at].counted;
            worth(one).total_cmp(&worth(other)).then(other.cmp(one))
        });
        let core = core.map(|core| self.path_of(core));
        let tree_best = self.best_element(likely);
        let mut wide = Vec::with_capacity(wanted.len() * WIDE);
        for (number, at) in wanted.iter().copied().enumerate() {
            wide.extend_from_slice(&rows[at * WIDTH..(at + 1) * WIDTH]);
            let window =
                |before: usize, behind: usize| at.saturating_sub(before)..(at + behind + 1).min(count);
            let [near, far] = &self.holders[at];
            let [records, most] = self.places.records(self.tree, self.drafts[at].owner);
            let group = groups[self.groups[at]];
            let before = at.checked_sub(1).map_or(-1.0, |before| likely[before]);
            let behind = likely.get(at + 1).copied().unwrap_or(-1.0);
            let [near_core, steps] = self.near(at, core.as_deref());
            let both = core.as_deref().and_then(|core| self.both(at, core));
            let likely_both = both.map_or(-1.0, |(both, _)| mean(self.places.blocks(self.tree, both)));
            wide.extend([
                exact[at],
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
                held[number],
                outside(&best, at),
                inside,
                near_core,
                steps,
                likely_both,
                f32::from(u8::from(tree_best.contains(&at))),
                mean(tree_best.clone()),
            ]);
        }
        wide
    }

    /// The share of each block's words that other likely blocks have too, words of every sentence left out: what is told
    /// of another story shares few.
    fn held(&self, likely: &[f32], wanted: &[usize]) -> Vec<f32> {
        const LIKELY_MIN: f32 = 0.5;
        let stops = text::stops();
        let mut known: HashMap<u64, [usize; 2], foldhash::fast::FixedState> = HashMap::default();
        for (at, likely) in likely.iter().enumerate() {
            if *likely < LIKELY_MIN {
                continue;
            }
            for word in self.hashes.of(at) {
                // The first and the last block that has it.
                known.entry(*word).or_insert([at; 2])[1] = at;
            }
        }
        let is_held = |word: &u64, at: usize| {
            let blocks = known.get(word);
            blocks.is_some_and(|[first, last]| *first != at || *last != at)
        };
        let wanted = wanted.iter().copied();
        wanted
            .map(|at| {
                let (mut found, mut all) = (0.0f32, 0.0f32);
                for word in self.hashes.of(at) {
                    if !stops.contains(*word) {
                        all += 1.0;
                        found += f32::from(u8::from(is_held(word, at)));
                    }
                }
                if all > 0.0 { found / all } else { -1.0 }
            })
            .collect()
    }

    /// The blocks of the element that holds most likely words and fewest others.
    fn best_element(&self, likely: &[f32]) -> Range<usize> {
        let mut sums = Vec::with_capacity(likely.len() + 1);
        let mut sum = 0.0f32;
        sums.push(sum);
        for (at, likely) in likely.iter().enumerate() {
            sum += (likely - 0.5) * self.texts[at].counted;
            sums.push(sum);
        }
        let (mut best, mut best_sum) = (0..0, 0.0f32);
        for at in 0..self.tree.len() {
            if self.tree.tag(at).is_none() {
                continue;
            }
            let range = self.places.blocks(self.tree, at);
            let sum = sums[range.end] - sums[range.start];
            if sum > best_sum {
                (best, best_sum) = (range, sum);
            }
        }
        best
    }

    /// The blocks in a row that hold most likely words and fewest others.
    fn best_run(&self, likely: &[f32]) -> Range<usize> {
        let (mut best, mut best_sum) = (0..0, 0.0f32);
        let (mut start, mut sum) = (0, 0.0f32);
        for (at, likely) in likely.iter().enumerate() {
            if sum <= 0.0 {
                (start, sum) = (at, 0.0);
            }
            sum += (likely - 0.5) * self.texts[at].counted;
            if sum > best_sum {
                (best, best_sum) = (start..at + 1, sum);
            }
        }
        best
    }
}

/// How far a block is from a run of them: below nothing before it, above behind it.
fn outside(run: &Range<usize>, at: usize) -> f32 {
    if at < run.start {
        -((run.start - at) as f32).ln_1p()
    } else if at >= run.end {
        ((at + 1 - run.end) as f32).ln_1p()
    } else {
        0.0
    }
}
