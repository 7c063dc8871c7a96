//! Is it only the site's part of a title that changed? In: two versions of a page. Out: yes or no, and which words took the
//! place of which.
//!
//! A title names the page and, behind or before a separator, the site ("reciprocity — Graphs 3.2.1 documentation"). What
//! names the page also stands in one of its headings; the rest stands around every page of the site, and a release of the
//! site is no change of the page.

use crate::diff::words::tokens;
use gleaner_model::{Block, BlockKind, Content};
use std::ops::Range;

/// What parts a title, with its blanks; the sign alone stands in words.
const SEPARATORS: [&str; 11] = [
    " — ", " – ", " - ", " | ", " · ", " • ", " :: ", " » ", " « ", " / ", ": ",
];
/// Words that stand for a version.
const VERSION_WORDS: [&str; 9] = [
    "alpha", "beta", "dev", "latest", "nightly", "rc", "snapshot", "stable", "unstable",
];
/// Longer titles are not taken apart.
const TITLE_BYTES_MAX: usize = 2_000;

/// Whether two different titles differ in nothing that names the page.
pub(super) fn is_of_the_site(before: &Content, now: &Content) -> bool {
    if before.title.len().max(now.title.len()) > TITLE_BYTES_MAX {
        return false;
    }
    let (old, new) = (parts(&before.title), parts(&now.title));
    let only = |these: &[&str], those: &[&str]| -> Vec<String> {
        let left = these.iter().filter(|part| !those.contains(part));
        left.map(|part| letters(part)).collect()
    };
    let (gone, come) = (only(&old, &new), only(&new, &old));
    let (old_headings, new_headings) = (headings(before), headings(now));
    let names_page = |part: &str, headings: &[String]| {
        let part = letters(part);
        !part.is_empty() && headings.iter().any(|heading| heading.contains(&part))
    };
    let is_named = old
        .iter()
        .any(|part| new.contains(part) && names_page(part, &old_headings) && names_page(part, &new_headings));
    let is_site = |parts: &[String], headings: &[String]| {
        parts
            .iter()
            .all(|part| part.is_empty() || !headings.iter().any(|heading| heading.contains(part)))
    };
    is_named && is_site(&gone, &old_headings) && is_site(&come, &new_headings) || is_release(before, now)
}

/// Whether nothing but a version took another's place, and no heading says it: the page does not speak of that version.
pub(super) fn is_release(before: &Content, now: &Content) -> bool {
    release(before, now).is_some()
}

/// The version of the site that took another's place.
pub(super) fn release(before: &Content, now: &Content) -> Option<(String, String)> {
    if before.title.len().max(now.title.len()) > TITLE_BYTES_MAX {
        return None;
    }
    let is_said = |content: &Content, version: &str| {
        let version = letters(version);
        !version.is_empty() && headings(content).iter().any(|heading| heading.contains(&version))
    };
    replaced(&before.title, &now.title).filter(|(old, new)| !is_said(before, old) && !is_said(now, new))
}

/// The parts of two titles that took each other's place; `None` where no part stayed, for then the page is another one.
pub(super) fn exchanged(before: &str, now: &str) -> Option<(String, String)> {
    if before.len().max(now.len()) > TITLE_BYTES_MAX {
        return None;
    }
    let (old, new) = (parts(before), parts(now));
    let [gone, come] = between_common_ends(&old, &new);
    (gone.len() < old.len()).then(|| (old[gone].join("\u{2}"), new[come].join("\u{2}")))
}

/// The version in the first title and the one that took its place, where all else is equal.
pub(super) fn replaced(before: &str, now: &str) -> Option<(String, String)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (
        before.split_whitespace().collect(),
        now.split_whitespace().collect(),
    );
    let [gone, come] = between_common_ends(&old, &new);
    let is_version = |words: &[&str]| words.len() == 1 && is_version(words[0]);
    let next = old.get(gone.start + 1).copied().unwrap_or_default();
    if next.starts_with(['$', '€', '£', '¥', '%', '°']) {
        return None;
    }
    let (gone, come) = (&old[gone], &new[come]);
    (is_version(gone) && is_version(come)).then(|| (gone.concat(), come.concat()))
}

/// The places of what differs between two lists, without what both begin and end with.
fn between_common_ends(old: &[&str], new: &[&str]) -> [Range<usize>; 2] {
    let is_equal = |(one, other): &(&&str, &&str)| one == other;
    let ahead = old.iter().zip(new).take_while(is_equal).count();
    let (old_rest, new_rest) = (&old[ahead..], &new[ahead..]);
    let behind = (old_rest.iter().rev().zip(new_rest.iter().rev()))
        .take_while(is_equal)
        .count();
    [ahead..old.len() - behind, ahead..new.len() - behind]
}

/// A version as it is written elsewhere, without brackets and `v`.
pub(super) fn plain(version: &str) -> String {
    let version = version.trim_matches(|c: char| !c.is_alphanumeric());
    version.strip_prefix(['v', 'V']).unwrap_or(version).to_lowercase()
}

/// `2.7.1`, `v3`, `2.5.14-SNAPSHOT`, `(3.5rc0.dev0)`; a price is none.
pub(super) fn is_version(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"$€£¥%".contains(c));
    let lower = word.to_lowercase();
    if VERSION_WORDS.contains(&lower.as_str()) {
        return true;
    }
    let numbers = lower.strip_prefix('v').unwrap_or(&lower);
    let is_plain = numbers
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+'));
    let begins = numbers.starts_with(|c: char| c.is_ascii_digit());
    let is_dotted = numbers.contains('.') || numbers.len() < lower.len();
    begins && is_plain && is_dotted
}

/// A title cut at its separators and at brackets in its end.
fn parts(title: &str) -> Vec<&str> {
    let (head, bracket) = match title.strip_suffix(')').and_then(|title| title.rsplit_once(" (")) {
        Some((head, bracket)) => (head, bracket),
        None => (title, ""),
    };
    let mut parts = vec![head];
    for separator in SEPARATORS {
        parts = parts.into_iter().flat_map(|part| part.split(separator)).collect();
    }
    parts.push(bracket);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// What a page's headings say, as letters. A heading in the frame names the site.
fn headings(content: &Content) -> Vec<String> {
    let is_heading = |block: &&Block| block.kind == BlockKind::Heading && !block.is_frame;
    let headings = content.blocks.iter().filter(is_heading);
    headings.map(|block| letters(&block.text)).collect()
}

/// Letters and digits alone, in lower case: signs and blanks are the template's.
fn letters(text: &str) -> String {
    let kept = tokens(text)
        .into_iter()
        .filter(|token| token.chars().any(char::is_alphanumeric));
    kept.flat_map(str::chars).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(title: &str, heading: &str) -> Content {
        Content {
            title: title.to_owned(),
            blocks: vec![Block {
                path: "main/h1".to_owned(),
                kind: BlockKind::Heading,
                text: heading.to_owned(),
                is_main: true,
                is_frame: false,
                links: Vec::new(),
                images: Vec::new(),
            }],
            ..Content::default()
        }
    }

    #[test]
    fn case29_a_release_of_the_site_is_no_change_of_its_pages() {
        let cases = [
            (
                "reciprocity — Graphs 3.2 documentation",
                "reciprocity — Graphs 3.2.1 documentation",
                "reciprocity¶",
            ),
            (
                "Class Node (Core 2.5-SNAPSHOT API)",
                "Class Node (Core 2.5.1 API)",
                "Class Node",
            ),
            ("Tool 7.1: Install", "Tool 8: Install", "Install"),
            ("Setup | Old Name", "Setup | New Name", "Setup"),
            ("Setup", "Setup | New Name", "Setup"),
            (
                "Graphs 3.2 documentation",
                "Graphs 3.3rc1 documentation",
                "Overview",
            ),
            ("API v3", "API latest", "Calls"),
        ];
        for (old, new, heading) in cases {
            assert!(
                is_of_the_site(&page(old, heading), &page(new, heading)),
                "{old} → {new}"
            );
        }
    }

    #[test]
    fn case29_a_page_that_is_renamed_has_changed() {
        let cases = [
            ("Old name | Site", "New name | Site", "Old name", "Old name"),
            (
                "Release 1.2 | Site",
                "Release 1.3 | Site",
                "Release 1.2",
                "Release 1.3",
            ),
            ("Release 1.2", "Release 1.3", "Release 1.2", "Release 1.2"),
            ("A story", "Another story", "Welcome", "Welcome"),
            ("Lamp, $19.99", "Lamp, $18.99", "Lamp", "Lamp"),
            ("12 people", "13 people", "People", "People"),
        ];
        for (old, new, old_heading, new_heading) in cases {
            assert!(
                !is_of_the_site(&page(old, old_heading), &page(new, new_heading)),
                "{old} → {new}"
            );
        }
    }
}
