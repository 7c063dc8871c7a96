//! The first line of every diff: what changed, said as a person would.

use super::{ChangeKind, Diff, Hunk};
use gleaner_model::{BlockKind, measure};
use std::fmt::Write as _;

/// Verbs in the order in which they are told.
const TOLD: [(ChangeKind, &str); 5] = [
    (ChangeKind::Change, "changed"),
    (ChangeKind::Add, "added"),
    (ChangeKind::Remove, "removed"),
    (ChangeKind::Move, "moved"),
    (ChangeKind::Link, "with other links or pictures"),
];

const BLOCKS: [(BlockKind, &str); 6] = [
    (BlockKind::Heading, "heading"),
    (BlockKind::Paragraph, "paragraph"),
    (BlockKind::Row, "table row"),
    (BlockKind::Item, "list item"),
    (BlockKind::Code, "code block"),
    (BlockKind::Other, "block"),
];

impl Diff {
    /// Such as "2 paragraphs changed, 1 table row added, title same; 3 volatile blocks ignored."
    pub fn sentence(&self) -> String {
        let count = |kind: ChangeKind, block: BlockKind| {
            let is_meant = |hunk: &&Hunk| hunk.kind == kind && hunk.block == block;
            self.shown().filter(is_meant).count()
        };
        let mut said = Vec::new();
        for (kind, verb) in TOLD {
            for (block, one) in BLOCKS {
                let number = count(kind, block);
                if number > 0 {
                    said.push(format!("{} {verb}", measure::count(number as u64, one)));
                }
            }
        }
        if said.is_empty() {
            said.push("no text changed".to_owned());
        }
        let title = match (&self.title, &self.title_ignored) {
            (None, _) => "title same",
            (Some(_), None) => "title changed",
            (Some(_), Some(_)) => "title ignored",
        };
        said.push(title.to_owned());
        let mut sentence = said.join(", ");
        let reasons: Vec<&String> = self
            .hunks
            .iter()
            .filter_map(|hunk| hunk.ignored.as_ref())
            .collect();
        if !reasons.is_empty() {
            let sort = if reasons.iter().all(|why| why.starts_with("volatile")) {
                "volatile block"
            } else {
                "block"
            };
            let _ = write!(
                sentence,
                "; {} ignored",
                measure::count(reasons.len() as u64, sort)
            );
        }
        sentence + "."
    }
}
