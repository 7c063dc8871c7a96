//! Which of the changes count? The project's equality knows; a diff shows the rest folded, each with the reason (B6).
//!
//! The one idea: the chain judges the same two versions and names the places that count and those it excused. A hunk that
//! is neither stands where the chain does not look.

use super::{ChangeKind, Diff, DiffPart, Hunk};
use crate::equality::{Chain, Difference, Ignored, Side, Verdict};
use gleaner_model::Content;
use std::collections::{HashMap, HashSet};

/// A block, known by where it stands and what it says.
type Place<'a> = (&'a str, &'a str);

impl Diff {
    /// Marks the hunks that an equality chose to overlook.
    #[must_use]
    pub fn fold(mut self, ignored: &[Ignored]) -> Diff {
        let excused = Excused::of(ignored);
        for hunk in &mut self.hunks {
            hunk.ignored = excused.why(hunk);
        }
        self
    }

    /// Takes the folding back: everything counts.
    pub fn unfold(&mut self) {
        self.title_ignored = None;
        for hunk in &mut self.hunks {
            hunk.ignored = None;
        }
    }

    /// The diff of two versions under a project's equality, and the equality's word on them. `whole` is what the pages
    /// say with the parts that the chain has cut out before it looks.
    pub fn judged(
        chain: &Chain,
        before: &Side,
        now: &Side,
        whole: Option<(&Content, &Content)>,
    ) -> (Diff, Verdict) {
        let verdict = chain.judge(before, now);
        let (old, new) = whole.unwrap_or((before.content(), now.content()));
        let mut diff = Diff::between(old, new);
        if !verdict.is_same() && verdict.differences.is_empty() {
            // Digests decided, and they know no places.
            return (diff, verdict);
        }
        let ground = match (verdict.is_region, before.region(), now.region()) {
            (true, Some(before), Some(now)) => (before, now),
            _ => (before.content(), now.content()),
        };
        let counted = Counted::of(&verdict, ground);
        let excused = Excused::of(&verdict.ignored);
        let looked_at = whole.map(|_| (places(before.content()), places(now.content())));
        for hunk in &mut diff.hunks {
            if let Some(why) = excused.why(hunk) {
                hunk.ignored = Some(why);
            } else if !counted.holds(hunk) {
                let is_cut = looked_at.as_ref().is_some_and(|(old, new)| {
                    !is_in(hunk.before.as_ref(), old) && !is_in(hunk.after.as_ref(), new)
                });
                hunk.ignored = Some(unseen(hunk, chain, verdict.is_region, is_cut));
            }
        }
        if diff.title.is_some() && !verdict.differences.contains(&Difference::Title) {
            let excuse = verdict.ignored.iter().find(|one| one.path == "title");
            let why = excuse.map_or_else(|| nowhere(chain), |one| one.why.clone());
            diff.title_ignored = Some(why);
        }
        (diff, verdict)
    }
}

/// Why a difference that nobody judged does not count.
fn unseen(hunk: &Hunk, chain: &Chain, is_region: bool, is_cut: bool) -> String {
    if is_cut {
        "left out by the ignore selector".to_owned()
    } else if is_region {
        "outside the region".to_owned()
    } else if !hunk.is_main {
        "outside the main text".to_owned()
    } else if hunk.kind == ChangeKind::Link {
        "where links lead does not count".to_owned()
    } else {
        nowhere(chain)
    }
}

fn nowhere(chain: &Chain) -> String {
    format!("no difference to the equality {chain}")
}

fn places(content: &Content) -> HashSet<Place<'_>> {
    let blocks = content.blocks.iter();
    blocks
        .map(|block| (block.path.as_str(), block.text.as_str()))
        .collect()
}

/// Blocks whose change counts. Looked up one side at a time: the whole page may be paired otherwise than a part of it.
struct Counted<'a> {
    before: HashSet<Place<'a>>,
    now: HashSet<Place<'a>>,
}

impl<'a> Counted<'a> {
    fn of(verdict: &Verdict, ground: (&'a Content, &'a Content)) -> Counted<'a> {
        let mut counted = Counted {
            before: HashSet::new(),
            now: HashSet::new(),
        };
        for difference in &verdict.differences {
            let Difference::Block(change) = difference else {
                continue;
            };
            let place = |content: &'a Content, at: Option<usize>| {
                let block = content.blocks.get(at?)?;
                Some((block.path.as_str(), block.text.as_str()))
            };
            counted.before.extend(place(ground.0, change.before));
            counted.now.extend(place(ground.1, change.after));
        }
        counted
    }

    fn holds(&self, hunk: &Hunk) -> bool {
        is_in(hunk.before.as_ref(), &self.before) || is_in(hunk.after.as_ref(), &self.now)
    }
}

fn is_in(part: Option<&DiffPart>, all: &HashSet<Place<'_>>) -> bool {
    part.is_some_and(|part| all.contains(&(part.path.as_str(), part.text.as_str())))
}

/// What an equality excused, by place and texts.
struct Excused<'a> {
    told: HashMap<(&'a str, Option<&'a str>, Option<&'a str>), &'a str>,
}

impl<'a> Excused<'a> {
    fn of(ignored: &'a [Ignored]) -> Excused<'a> {
        let told = ignored.iter().map(|one| {
            let key = (one.path.as_str(), one.before.as_deref(), one.after.as_deref());
            (key, one.why.as_str())
        });
        Excused { told: told.collect() }
    }

    fn why(&self, hunk: &Hunk) -> Option<String> {
        let before = hunk.before.as_ref().map(|part| part.text.as_str());
        let after = hunk.after.as_ref().map(|part| part.text.as_str());
        let key = (hunk.path.as_str(), before, after);
        self.told.get(&key).map(|why| (*why).to_owned())
    }
}
