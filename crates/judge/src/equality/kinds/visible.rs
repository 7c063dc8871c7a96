//! Same if all visible text is the same, whatever happened to mark-up, scripts, styles and links (E3).

use super::Entry;
use crate::diff::{ChangeKind, changes};
use crate::equality::{Difference, Equality, Side, Verdict};
use gleaner_model::Content;

pub(super) const ENTRY: Entry = Entry {
    name: "visible",
    options: &[],
    make: |_| Ok(Box::new(Visible)),
};

#[derive(Debug)]
struct Visible;

impl Equality for Visible {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn same(&self, before: &Side, now: &Side) -> Verdict {
        Verdict::from_differences(visible_differences(before.content(), now.content()))
    }
}

/// Every difference of the text, and the title's.
pub(super) fn visible_differences(before: &Content, now: &Content) -> Vec<Difference> {
    let title = (before.title != now.title).then_some(Difference::Title);
    let blocks = changes(&before.blocks, &now.blocks)
        .into_iter()
        .filter(|change| change.kind != ChangeKind::Link);
    title.into_iter().chain(blocks.map(Difference::Block)).collect()
}
