//! What a run remembers of the sites that it meets: each a value of its own with a lock of its own, held for one question.

mod folders;
mod left_out;
mod sitemaps;
mod trap_rules;

pub use self::folders::{FolderLooks, Likeness};
pub use self::left_out::LeftOut;
pub use self::sitemaps::SitemapCounts;
pub use self::trap_rules::TrapRules;
use crate::identity::Identities;
use gleaner_frontier::traps::{Slashes, merged};
use gleaner_model::Url;

#[derive(Default)]
pub struct SiteMemory {
    /// Which parts of addresses are volatile.
    pub identities: Identities,
    /// Where addresses are made without end, and which are one page's.
    pub traps: TrapRules,
    /// Sitemaps taken up so far.
    pub sitemaps: SitemapCounts,
    /// How the folders that were listed look.
    pub folders: FolderLooks,
    /// URLs that were left out, for counting each once.
    pub left_out: LeftOut,
}

impl SiteMemory {
    pub(crate) fn new(traps: TrapRules) -> SiteMemory {
        SiteMemory {
            traps,
            ..SiteMemory::default()
        }
    }

    /// The address that `url` is another spelling of, because its host merges slashes.
    pub fn other_spelling(&self, url: &Url) -> Option<Url> {
        let merged = merged(url)?;
        (self.traps.slashes(&url.authority()) == Some(Slashes::Merge)).then_some(merged)
    }

    /// Whether nothing but a string of some page leads to an address that was asked for as a guess.
    pub fn is_guess(&self, url: &Url) -> bool {
        let seen_as = self.identities.without_ids(url);
        let traps = self.traps.lock();
        traps.guesses.is_guess(seen_as.as_ref().unwrap_or(url))
    }
}
