//! The first line of every diff: what changed, said as a person would.

use super::{ChangeKind, Diff, Hunk};
use gleaner_model::BlockKind;
use std::fmt::Write as _;

/// Verbs in the order in which they are told.
const TOLD: [(ChangeKind, &str); 5] = [
    (ChangeKind::Change, "changed"),
    (ChangeKind::Add, "added"),
    (ChangeKind::Remove, "removed"),
    (ChangeKind::Move, "moved"),
    (ChangeKind::Link, "with other links or pictures"),
];

const BLOCKS: [(BlockKind, &str, &str); 6] = [
    (BlockKind::Heading, "heading", "headings"),
    (BlockKind::Paragraph, "paragraph", "paragraphs"),
    (BlockKind::Row, "table row", "table rows"),
    (BlockKind::Item, "list item", "list items"),
    (BlockKind::Code, "code block", "code blocks"),
    (BlockKind::Other, "block", "blocks"),
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
            for (block, one, many) in BLOCKS {
                let number = count(kind, block);
                if number > 0 {
                    said.push(format!(
                        "{number} {} {verb}",
                        if number == 1 { one } else { many }
                    ));
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
            let blocks = if reasons.len() == 1 { "block" } else { "blocks" };
            let sort = if reasons.iter().all(|why| why.starts_with("volatile")) {
                "volatile "
            } else {
                ""
            };
            let _ = write!(sentence, "; {} {sort}{blocks} ignored", reasons.len());
        }
        sentence + "."
    }
}
