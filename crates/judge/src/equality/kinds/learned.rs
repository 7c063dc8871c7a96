//! A difference does not count where earlier fetches, seconds apart, have shown that this place is noise, nor where the
//! text only shows when it was sent or built, nor where a title only names the site otherwise.
//!
//! A trigger word of the user that comes or goes inside such a place still counts.

use super::Entry;
use super::main_text::MainText;
use crate::equality::age::only_aged;
use crate::equality::clock::only_time_passed;
use crate::equality::learn::Noise;
use crate::equality::{Difference, Equality, Ground, Role, Side, Verdict, feed, since, stamp, title};
use gleaner_model::Block;

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
        if ground.is_region {
            return None;
        }
        let Difference::Block(change) = difference else {
            if self.triggered(&ground.before.title, &ground.now.title) {
                return None;
            }
            let noise = ground.noise.as_ref();
            // Where other pages of the site were seen, they tell; else the page's headings have to.
            let is_told = noise.is_some_and(Noise::knows_the_site);
            let is_of_the_site = title::is_release(ground.before, ground.now)
                || !is_told && title::is_of_the_site(ground.before, ground.now);
            let may_be_new = ground
                .edition
                .as_ref()
                .is_some_and(|edition| !noise.is_some_and(|noise| noise.knows_edition(edition)));
            if is_of_the_site && !may_be_new {
                return Some("title: only the part that names the site".to_owned());
            }
            return noise?.excuses_title();
        };
        let (before, now) = ground.blocks(change);
        let text = |block: Option<&'_ Block>| block.map(|block| block.text.clone());
        let (old, new) = (text(before), text(now));
        let (shown_old, shown_new) = (old.as_deref().unwrap_or(""), new.as_deref().unwrap_or(""));
        if self.triggered(shown_old, shown_new) {
            return None;
        }
        if stamp::is_stamp(old.as_deref(), new.as_deref()) {
            return Some("stamp: says when or by what the page was built".to_owned());
        }
        let mut sides = before.into_iter().chain(now);
        if sides.all(|block| feed::is_build_stamp(&block.path)) {
            return Some("stamp: says when or by what the feed was made".to_owned());
        }
        if since::is_same_note(shown_old, shown_new) {
            return Some("wording: the tool's own words for the same note".to_owned());
        }
        if let (Some(old), Some(new)) = (before, now)
            && is_release(ground, old, new)
        {
            return Some("release: the version that the site's titles show".to_owned());
        }
        let is_clock =
            |made| only_time_passed(shown_old, shown_new, made) || only_aged(shown_old, shown_new, made);
        if ground.made.is_some_and(is_clock) {
            return Some("clock: shows when the page was sent".to_owned());
        }
        ground.noise.as_ref()?.excuses(change)
    }
}

/// Whether a block outside the main text shows the release that the site's part of the title shows, and nothing else new.
fn is_release(ground: &Ground<'_>, before: &Block, now: &Block) -> bool {
    let is_label = !before.is_main && !now.is_main;
    let of_title = || title::replaced(&ground.before.title, &ground.now.title);
    let of_block = || title::replaced(&before.text, &now.text);
    let plain = |(old, new): (String, String)| (title::plain(&old), title::plain(&new));
    is_label
        && of_title()
            .map(plain)
            .is_some_and(|title| of_block().map(plain) == Some(title))
}
