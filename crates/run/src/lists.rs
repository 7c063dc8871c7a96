//! Whose lists (sitemaps, Atom feeds) are believed in this run? (B2)
//!
//! In a track, those of hosts that have earned it, or of all, or of none, as the project says. Their pages wait until the
//! lists are read; all other hosts are asked as if there were no dates, and only what their lists say is noted.

use crate::error::RunError;
use crate::stages::reserve::Waiters;
use gleaner_model::project::{Lastmod, VerifyContent};
use gleaner_model::{Project, defaults};
use gleaner_store::Keeper;
use gleaner_store::catalog::runs::RunKind;

pub(crate) struct Believed {
    pub(crate) waiters: Waiters,
    /// Of so many pages that a believed list calls unchanged one is asked for all the same; 0: none.
    pub(crate) sample: u32,
}

pub(crate) fn begin(
    keeper: &mut Keeper,
    project: &Project,
    kind: RunKind,
    reads_sitemaps: bool,
) -> Result<Believed, RunError> {
    // robots.txt names the lists; without it there are none.
    let has_lists = reads_sitemaps && project.obey_robots && project.lastmod != Lastmod::Never;
    let is_track = kind == RunKind::Track;
    if has_lists && is_track {
        keeper.note_dates();
    }
    let asks_all = !has_lists || !is_track || project.verify_content == VerifyContent::All;
    let waiters = match project.lastmod {
        _ if asks_all => Waiters::None,
        Lastmod::Never => Waiters::None,
        Lastmod::Earned => match keeper.trusted_lists()? {
            trusted if trusted.is_empty() => Waiters::None,
            trusted => Waiters::These(trusted),
        },
        Lastmod::Always => Waiters::All,
    };
    let sample = match project.lastmod {
        // Who believes always is not to be talked out of it by a sample, unless they want one.
        Lastmod::Always => project.verify_content.sample(),
        Lastmod::Earned | Lastmod::Never => defaults::LIST_SAMPLE,
    };
    Ok(Believed { waiters, sample })
}
