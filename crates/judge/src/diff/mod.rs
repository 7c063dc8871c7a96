//! What changed between two versions, for a person to read? (B7)
//!
//! In: two [`Content`] values. Out: a [`Diff`] of hunks, one per block, and its forms: a sentence, unified text, words,
//! side by side, JSON, HTML. Which of the changes matter is not decided here: [`Diff::fold`] takes the equality's word
//! for what is ignored and why.
//!
//! | file | idea |
//! |---|---|
//! | [`align`] | equal items of two lists, in bounded time |
//! | [`changes`] | blocks that changed, came, went, moved |
//! | [`words`] | words inside a block |
//! | [`delta`] | numbers and dates as differences |
//! | `fold` | what the project's equality overlooks |
//! | `effort` | how much is compared word by word before the rest is shown whole |
//! | `sentence`, `unified`, `side_by_side`, `json`, `html` | one form each |

pub mod align;
pub mod changes;
pub mod delta;
mod effort;
mod fold;
pub mod html;
mod json;
mod quantity;
mod sentence;
mod side_by_side;
#[cfg(test)]
mod tests;
mod unified;
pub mod words;

pub(crate) use changes::text_hashes;
pub use changes::{Change, ChangeKind, changes};

use effort::Effort;
use gleaner_model::{Block, BlockKind, Content};

/// A block on one side of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffPart {
    /// Its place among the page's blocks.
    pub at: usize,
    pub path: String,
    pub text: String,
    /// Where its links lead, then what its pictures are called.
    pub links: Vec<String>,
}

/// One block's change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    pub kind: ChangeKind,
    pub block: BlockKind,
    pub path: String,
    pub is_main: bool,
    pub before: Option<DiffPart>,
    pub after: Option<DiffPart>,
    /// Why it does not count, where an equality said so.
    pub ignored: Option<String>,
}

/// Everything that differs between two versions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diff {
    /// Before and after, where the title changed.
    pub title: Option<(String, String)>,
    /// Why another title does not count, where an equality said so.
    pub title_ignored: Option<String>,
    pub hunks: Vec<Hunk>,
    /// How many blocks stayed.
    pub kept: usize,
}

/// More changed blocks than this nobody reads (HC087).
const HUNKS_MAX: usize = 2_000;

impl Diff {
    pub fn between(before: &Content, after: &Content) -> Diff {
        let found = changes(&before.blocks, &after.blocks);
        let touched = found
            .iter()
            .filter(|change| change.after.is_some() && change.kind != ChangeKind::Link)
            .count();
        let title = (before.title != after.title).then(|| (before.title.clone(), after.title.clone()));
        Diff {
            title,
            title_ignored: None,
            kept: after.blocks.len() - touched,
            hunks: found.iter().map(|change| hunk(before, after, change)).collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.title.is_none() && self.hunks.is_empty()
    }

    /// The hunks that count.
    pub fn shown(&self) -> impl Iterator<Item = &Hunk> {
        self.hunks.iter().filter(|hunk| hunk.ignored.is_none())
    }

    /// The hunks that count and are ignored, as many as people read, and how many are left over.
    fn listed(&self) -> (Vec<&Hunk>, Vec<&Hunk>, usize) {
        let (ignored, mut shown): (Vec<&Hunk>, Vec<&Hunk>) =
            self.hunks.iter().partition(|hunk| hunk.ignored.is_some());
        let left = shown.len().saturating_sub(HUNKS_MAX);
        shown.truncate(HUNKS_MAX);
        (shown, ignored, left)
    }

    /// Turns the block texts of the version before into those of the version after.
    pub fn apply(&self, before: &[String]) -> Vec<String> {
        let mut leaves = vec![false; before.len()];
        let mut arrives: Vec<(usize, &str)> = Vec::new();
        for hunk in &self.hunks {
            if let Some(part) = &hunk.before
                && let Some(place) = leaves.get_mut(part.at)
            {
                *place = true;
            }
            if let Some(part) = &hunk.after {
                arrives.push((part.at, &part.text));
            }
        }
        arrives.sort_unstable();
        let mut stays = before
            .iter()
            .zip(&leaves)
            .filter(|(_, leaves)| !**leaves)
            .map(|(text, _)| text);
        let mut after = Vec::with_capacity(before.len());
        for (at, text) in arrives {
            while after.len() < at
                && let Some(kept) = stays.next()
            {
                after.push(kept.clone());
            }
            after.push(text.to_owned());
        }
        after.extend(stays.cloned());
        after
    }
}

fn hunk(before: &Content, after: &Content, change: &Change) -> Hunk {
    let old = change.before.map(|at| (at, &before.blocks[at]));
    let new = change.after.map(|at| (at, &after.blocks[at]));
    let part = |(at, block): (usize, &Block)| DiffPart {
        at,
        path: block.path.clone(),
        text: block.text.clone(),
        links: block.links.iter().chain(&block.images).cloned().collect(),
    };
    let (_, shown) = new.or(old).expect("a change has a block on one side at least");
    Hunk {
        kind: change.kind,
        block: shown.kind,
        path: shown.path.clone(),
        is_main: old.is_some_and(|(_, block)| block.is_main) || new.is_some_and(|(_, block)| block.is_main),
        before: old.map(part),
        after: new.map(part),
        ignored: None,
    }
}

/// Text cut for showing; what was cut is said.
fn clipped(text: &str) -> std::borrow::Cow<'_, str> {
    const SHOWN_MAX: usize = 20_000;
    if text.len() <= SHOWN_MAX {
        return text.into();
    }
    let mut end = SHOWN_MAX;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!(
        "{} … ({} bytes in all, too large to show)",
        &text[..end],
        text.len()
    )
    .into()
}
