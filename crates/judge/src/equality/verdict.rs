//! What an equality answers: same or different, why, and what it overlooked.

use super::edition::Edition;
use super::learn::{Noise, watched_bytes};
use super::side::Side;
use crate::diff::{Change, ChangeKind};
use gleaner_model::{Block, Content, Timestamp, measure};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EqualityOutcome {
    Same,
    Different { why: String },
}

/// A difference that was seen and does not count; shown as "ignored (why)".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ignored {
    pub path: String,
    pub why: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// One thing that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    Title,
    /// Places in the blocks of the [`Ground`].
    Block(Change),
}

/// The contents in which differences were found.
#[derive(Debug)]
pub struct Ground<'a> {
    pub before: &'a Content,
    pub now: &'a Content,
    /// What was learned about the noise of such pages.
    pub noise: Option<Noise<'a>>,
    /// When the server made them, if it said so.
    pub made: Option<(Timestamp, Timestamp)>,
    /// A region that the user chose: nothing in it is ever learned away.
    pub is_region: bool,
    /// Both marks of an edition, where they are others than before.
    pub(super) edition: Option<Edition>,
}

impl<'a> Ground<'a> {
    pub fn page(before: &'a Side, now: &'a Side, found: &[Difference]) -> Ground<'a> {
        let (old, new) = (before.content(), now.content());
        let main_bytes = watched_bytes(old).max(watched_bytes(new));
        Ground {
            before: old,
            now: new,
            noise: now.known().map(|known| known.over(old, new, main_bytes)),
            made: before.made().zip(now.made()),
            is_region: false,
            edition: Edition::between(old, new, found),
        }
    }

    /// The blocks of a difference, before and now.
    pub fn blocks(&self, change: &Change) -> (Option<&'a Block>, Option<&'a Block>) {
        (
            change.before.map(|at| &self.before.blocks[at]),
            change.after.map(|at| &self.now.blocks[at]),
        )
    }

    /// A difference as it is reported when it is overlooked.
    pub fn ignored(&self, difference: &Difference, why: String) -> Ignored {
        match difference {
            Difference::Title => Ignored {
                path: "title".to_owned(),
                why,
                before: Some(self.before.title.clone()),
                after: Some(self.now.title.clone()),
            },
            Difference::Block(change) => {
                let (before, now) = self.blocks(change);
                Ignored {
                    path: now.or(before).map(|block| block.path.clone()).unwrap_or_default(),
                    why,
                    before: before.map(|block| block.text.clone()),
                    after: now.map(|block| block.text.clone()),
                }
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub outcome: EqualityOutcome,
    /// What differed and was overlooked.
    pub ignored: Vec<Ignored>,
    /// What differed and counts, as places. Empty where the equality compares digests only: that cannot be excused.
    pub differences: Vec<Difference>,
    /// Whether the places are those of the region.
    pub is_region: bool,
    /// What the chain's equalities have to say about their own settings.
    pub remarks: Vec<String>,
}

impl Verdict {
    pub fn same() -> Verdict {
        Verdict {
            outcome: EqualityOutcome::Same,
            ignored: Vec::new(),
            differences: Vec::new(),
            is_region: false,
            remarks: Vec::new(),
        }
    }

    pub fn different(why: impl Into<String>) -> Verdict {
        Verdict {
            outcome: EqualityOutcome::Different { why: why.into() },
            ..Verdict::same()
        }
    }

    /// Same if nothing differs; else different, with a count of what.
    pub fn from_differences(differences: Vec<Difference>) -> Verdict {
        if differences.is_empty() {
            return Verdict::same();
        }
        let why = told(&differences);
        Verdict {
            differences,
            ..Verdict::different(why)
        }
    }

    pub fn is_same(&self) -> bool {
        self.outcome == EqualityOutcome::Same
    }
}

/// Such as "title, 2 blocks changed, 1 added".
pub(super) fn told(differences: &[Difference]) -> String {
    let count = |kind: ChangeKind| {
        let is_meant = |one: &&Difference| matches!(one, Difference::Block(change) if change.kind == kind);
        differences.iter().filter(is_meant).count()
    };
    let mut said = Vec::new();
    if differences.contains(&Difference::Title) {
        said.push("title changed".to_owned());
    }
    let verbs = [
        (ChangeKind::Change, "changed"),
        (ChangeKind::Add, "added"),
        (ChangeKind::Remove, "removed"),
        (ChangeKind::Move, "moved"),
        (ChangeKind::Link, "with other links or pictures"),
    ];
    for (kind, verb) in verbs {
        let number = count(kind);
        if number > 0 {
            said.push(format!("{} {verb}", measure::count(number as u64, "block")));
        }
    }
    said.join(", ")
}
