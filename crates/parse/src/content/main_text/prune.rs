//! What stands inside the text and is not part of it: lists of links, rows of buttons, headings of what was taken out.

use super::super::blocks::Draft;
use super::hints::is_prose;
use super::region::Region;
use gleaner_model::BlockKind;

pub(super) fn prune(drafts: &[Draft], region: &Region, is_main: &mut [bool]) {
    for (draft, is_main) in drafts.iter().zip(is_main.iter_mut()) {
        let is_button = draft.kind == BlockKind::Other && draft.text.len() < 20 && draft.linked > 0;
        // Where there is prose, links stand beside it; where there is none, they are what the page shows.
        if is_button || (region.is_prose && is_linked(draft)) {
            *is_main = false;
        }
    }
    if region.is_prose {
        drop_edges(drafts, is_main);
        drop_empty_headings(drafts, region, is_main);
    }
}

/// Nothing but links.
pub(super) fn is_linked(draft: &Draft) -> bool {
    draft.linked * 10 > draft.text.len() * 9
}

/// Before the first sentence stand dates and names, after the last one labels; the headings stay.
fn drop_edges(drafts: &[Draft], is_main: &mut [bool]) {
    let is_text = |index: &usize| is_main[*index] && is_prose(&drafts[*index]);
    let Some(first) = (0..drafts.len()).find(is_text) else {
        return;
    };
    let last = (0..drafts.len()).rev().find(is_text).unwrap_or(first);
    for (index, draft) in drafts.iter().enumerate() {
        let is_before = index < first && draft.kind != BlockKind::Heading;
        let is_after = index > last && draft.kind == BlockKind::Other;
        if is_before || is_after {
            is_main[index] = false;
        }
    }
}

/// A heading goes with what it stood over: if all of that was taken out, "Related stories" says nothing.
fn drop_empty_headings(drafts: &[Draft], region: &Region, is_main: &mut [bool]) {
    let mut lost = 0;
    let mut kept = false;
    for index in (0..drafts.len()).rev() {
        let draft = &drafts[index];
        if !region.holds(draft.owner) {
            continue;
        }
        if draft.kind != BlockKind::Heading {
            kept |= is_main[index];
            lost += usize::from(!is_main[index]);
            continue;
        }
        // Headings that follow each other share what comes below.
        if is_main[index] && !kept && lost > 0 {
            is_main[index] = false;
            continue;
        }
        kept = false;
        lost = 0;
    }
}
