//! Is a page only built anew, or of another edition? In: two versions of a page and what differs. Out: the version and the years
//! that it shows of its edition, where both are others.
//!
//! A version in a title is the site's, and so is the year of a copyright: a rebuild changes the one or the other on every page.
//! The one idea: where both change at once, and the year stands in what the page does not call its frame, time has passed and
//! something was released: the page alone does not tell whether it says something new. Other pages of the site do. Two that
//! show the same version, or the same year, in the place of the same other say that it is the site's.

use super::verdict::Difference;
use super::{stamp, title};
use crate::diff::Change;
use gleaner_model::Content;
use xxhash_rust::xxh3::xxh3_64;

/// What took whose place, as keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edition {
    version: u64,
    years: Vec<u64>,
}

impl Edition {
    /// None where the title shows the same version, or what differs beside it shows the same years.
    pub(super) fn between(before: &Content, now: &Content, found: &[Difference]) -> Option<Edition> {
        if !found.contains(&Difference::Title) {
            return None;
        }
        let version = version(before, now)?;
        let blocks = found.iter().filter_map(|difference| match difference {
            Difference::Block(change) => Some(change),
            Difference::Title => None,
        });
        let years: Vec<u64> = years(before, now, blocks).collect();
        (!years.is_empty()).then_some(Edition { version, years })
    }

    /// Whether one of both marks is the site's: then only the other is left.
    pub(super) fn is_of_the_site(&self, is_proven: impl Fn(u64) -> bool) -> bool {
        is_proven(self.version) || self.years.iter().all(|years| is_proven(*years))
    }
}

/// Each mark of an edition that is another one on this page.
pub(super) fn marks(before: &Content, now: &Content, found: &[Change]) -> impl Iterator<Item = u64> {
    version(before, now)
        .into_iter()
        .chain(years(before, now, found.iter()))
}

fn version(before: &Content, now: &Content) -> Option<u64> {
    let (old, new) = title::release(before, now)?;
    Some(xxh3_64(format!("version\u{1}{old}\u{1}{new}").as_bytes()))
}

fn years<'a>(
    before: &Content,
    now: &Content,
    found: impl Iterator<Item = &'a Change>,
) -> impl Iterator<Item = u64> {
    found.filter_map(|change| {
        let (old, new) = (&before.blocks[change.before?], &now.blocks[change.after?]);
        let (gone, come) = stamp::other_years(&old.text, &new.text)?;
        Some(xxh3_64(format!("years\u{1}{gone}\u{1}{come}").as_bytes()))
    })
}
