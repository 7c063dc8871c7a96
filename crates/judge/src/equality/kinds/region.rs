//! Same if a part of the page that the user chose by selector is the same (E5).
//!
//! `parse` cuts the region out; here it is a content like any other, in which every text and every link counts.
//! A selector that finds nothing in the version now, or found nothing before, is no sameness: it is said (HC086).

use super::{ChainError, Entry};
use crate::diff::changes;
use crate::equality::{Difference, Equality, Side, Verdict};

pub(in crate::equality) const ENTRY: Entry = Entry {
    name: Region::NAME,
    options: &["select", "exclude"],
    make: |options| match options.first("select") {
        Some(select) if !select.is_empty() => Ok(Box::new(Region)),
        _ => Err(ChainError::Missing {
            name: Region::NAME,
            option: "select",
        }),
    },
};

#[derive(Debug)]
pub(in crate::equality) struct Region;

impl Region {
    pub(in crate::equality) const NAME: &str = "region";
}

impl Equality for Region {
    fn name(&self) -> &'static str {
        Region::NAME
    }

    fn same(&self, before: &Side, now: &Side) -> Verdict {
        let (Some(old), Some(new)) = (before.region(), now.region()) else {
            return Verdict::different("region: the region was not cut out of both versions");
        };
        match (old.blocks.is_empty(), new.blocks.is_empty()) {
            (true, true) => {
                return Verdict::different("region: the selector matched nothing in either version");
            }
            (false, true) => return Verdict::different("region: the selector matches nothing any more"),
            _ => {}
        }
        let blocks = changes(&old.blocks, &new.blocks);
        let found = Verdict::from_differences(blocks.into_iter().map(Difference::Block).collect());
        Verdict {
            is_region: true,
            ..found
        }
    }
}
