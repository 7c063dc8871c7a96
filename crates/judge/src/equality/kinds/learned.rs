//! A difference does not count where earlier fetches, seconds apart, have shown that this place is noise, nor where the
//! text only shows when it was sent.
//!
//! A trigger word of the user that comes or goes inside such a place still counts.

use super::Entry;
use super::main_text::MainText;
use crate::equality::clock::only_time_passed;
use crate::equality::{Difference, Equality, Ground, Role, Side, Verdict};

pub(in crate::equality) const NAME: &str = "learned";

pub(super) const ENTRY: Entry = Entry {
    name: NAME,
    options: &["trigger"],
    make: |options| {
        let triggers = options.all("trigger").map(str::to_lowercase).collect();
        Ok(Box::new(LearnedNoise { triggers }))
    },
};

#[derive(Debug)]
struct LearnedNoise {
    /// In lower case.
    triggers: Vec<String>,
}

impl LearnedNoise {
    fn triggered(&self, before: &str, now: &str) -> bool {
        if self.triggers.is_empty() {
            return false;
        }
        let (before, now) = (before.to_lowercase(), now.to_lowercase());
        self.triggers
            .iter()
            .any(|word| before.contains(word.as_str()) != now.contains(word.as_str()))
    }
}

impl Equality for LearnedNoise {
    fn name(&self) -> &'static str {
        NAME
    }

    fn role(&self) -> Role {
        Role::Excuses
    }

    /// On its own it stands beside the main text.
    fn same(&self, before: &Side, now: &Side) -> Verdict {
        MainText::excused_by(self, before, now)
    }

    fn excuses(&self, ground: &Ground<'_>, difference: &Difference) -> Option<String> {
        let Difference::Block(change) = difference else {
            return None;
        };
        if ground.is_region {
            return None;
        }
        let (before, now) = ground.blocks(change);
        let text =
            |block: Option<&gleaner_model::Block>| block.map_or("", |block| block.text.as_str()).to_owned();
        let (old, new) = (text(before), text(now));
        if self.triggered(&old, &new) {
            return None;
        }
        if ground.made.is_some_and(|made| only_time_passed(&old, &new, made)) {
            return Some("clock: shows when the page was sent".to_owned());
        }
        ground
            .known?
            .excuses(ground.before, ground.now, ground.main_bytes, change)
    }
}
