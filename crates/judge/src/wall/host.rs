//! Is a host away? What became of all its pages in one run says what no single page can say.
//!
//! In: what a run found about every document of a host. Out: changes that are taken back, and documents that are not called
//! gone although their addresses say so.
//!
//! ```text
//!  home page lost and most others too ──► away: nothing is gone or changed, in no run, until a person confirms it
//!  home page as ever, most others lost ──► wait a run; the server's own word is believed when it is repeated, a guess
//!                                           about all of them is not, and neither are pages without any text
//!  a few pages lost ──► what the server says of them
//! ```
//! A home page is lost when it failed, is gone, shows what others show, or shows something else while most others are lost.

use super::changed::{ChangedPages, is_empty};
use crate::equality::Ladder;

/// A page alone is what its server says of it: there is nothing to compare it with.
const PAGES_MIN: usize = 2;
/// With fewer documents a host has no "most of them".
const MOST_MIN: usize = 3;
/// Changed pages that may have something in common.
const CHANGED_MIN: usize = 3;

/// What a run found about a document.
#[derive(Debug, Clone)]
pub enum PageOutcome {
    /// As it was, or changed in its bytes only.
    Same,
    /// It could not be told. `is_wall`: because something stood before it, of which `shown` are the digests.
    Failed { is_wall: bool, shown: Option<Ladder> },
    /// `is_said`: by the server's own word. `again`: the last run was told so too.
    Gone { is_said: bool, again: bool },
    /// `stays`: the last run saw the same in its place and did not believe it.
    Changed {
        before: Option<Ladder>,
        now: Ladder,
        stays: bool,
    },
}

#[derive(Debug, Clone)]
pub struct HostPage {
    pub is_home: bool,
    pub outcome: PageOutcome,
}

/// What follows for the documents, by their places in the list.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct HostVerdict {
    /// Changes that are none.
    pub taken_back: Vec<usize>,
    /// Not called gone in this run.
    pub withheld: Vec<usize>,
    /// The home page is lost, and so are most others.
    pub is_away: bool,
    /// The home page is well and all others are lost.
    pub is_all_but_home: bool,
    /// Seeing the same once more proves nothing: a person has to say that it is so.
    pub needs_confirmation: bool,
}

/// Whether a host's documents need judging together, from how many of them have which outcome.
pub fn needs_judging(same: usize, changed: usize, failed: usize, gone: usize, is_home_same: bool) -> bool {
    let all = same + changed + failed + gone;
    all >= PAGES_MIN && ((changed + failed + gone) * 2 > all || !is_home_same || changed >= CHANGED_MIN)
}

/// `same`: how many more documents of the host are as they were.
pub fn judge_host(pages: &[HostPage], same: usize) -> HostVerdict {
    if pages.len() + same < PAGES_MIN {
        return HostVerdict::default();
    }
    let host = Host::of(pages, same);
    let is_away = host.loss == Loss::Away;
    let is_all_but_home = host.loss == Loss::AllButHome;
    let mut verdict = HostVerdict {
        is_away,
        is_all_but_home,
        needs_confirmation: is_away,
        ..HostVerdict::default()
    };
    for (at, page) in pages.iter().enumerate() {
        match &page.outcome {
            PageOutcome::Changed { now, stays, .. } => {
                let never = is_away || host.is_mostly_empty && is_empty(now);
                if host.is_doubtful(at) && (never || !stays) {
                    verdict.taken_back.push(at);
                    verdict.needs_confirmation |= never;
                }
            }
            PageOutcome::Gone { is_said, again } => {
                let never = is_away || !is_said && is_all_but_home;
                if never || (host.is_most || is_all_but_home) && !again {
                    verdict.withheld.push(at);
                    verdict.needs_confirmation |= never;
                }
            }
            PageOutcome::Same | PageOutcome::Failed { .. } => {}
        }
    }
    verdict
}

/// What is true of the host as a whole.
struct Host<'a> {
    pages: &'a [HostPage],
    changed: ChangedPages<'a>,
    homes: Vec<usize>,
    /// Changed pages that shrank or share something new.
    is_suspect: Vec<bool>,
    /// Most pages shrank, say one thing, or have something before them.
    is_most: bool,
    /// Most pages have no text any more.
    is_mostly_empty: bool,
    loss: Loss,
}

/// How much of a host is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loss {
    Parts,
    /// All pages but a home page that is well.
    AllButHome,
    /// The home page and most others.
    Away,
}

impl<'a> Host<'a> {
    fn of(pages: &'a [HostPage], same: usize) -> Host<'a> {
        let all = pages.len() + same;
        let is_most = |count: usize| all >= MOST_MIN && count * 2 > all;
        let changed = ChangedPages::of(pages);
        let is_suspect: Vec<bool> = (0..pages.len()).map(|at| changed.is_suspect(at)).collect();
        let count =
            |is_it: fn(&PageOutcome) -> bool| pages.iter().filter(|page| is_it(&page.outcome)).count();
        let walls = count(|outcome| matches!(outcome, PageOutcome::Failed { is_wall: true, .. }));
        let guesses = count(|outcome| matches!(outcome, PageOutcome::Gone { is_said: false, .. }));
        let empty = count(|outcome| match outcome {
            PageOutcome::Changed { now, .. } => is_empty(now),
            PageOutcome::Failed { shown, .. } => shown.as_ref().is_some_and(is_empty),
            PageOutcome::Same | PageOutcome::Gone { .. } => false,
        });
        let suspects = is_suspect.iter().filter(|is| **is).count();
        let mut host = Host {
            pages,
            changed,
            homes: (0..pages.len()).filter(|at| pages[*at].is_home).collect(),
            is_suspect,
            is_most: is_most(suspects + walls + guesses),
            is_mostly_empty: is_most(empty),
            loss: Loss::Parts,
        };
        let others = all - host.homes.len();
        let lost = (0..pages.len())
            .filter(|at| !pages[*at].is_home && host.is_lost(*at))
            .count();
        let is_all_lost = others >= MOST_MIN && lost == others;
        let is_away = match host.homes.as_slice() {
            // With no document at its root a host is judged by all it has.
            [] => is_all_lost,
            // Nothing but pages that the project names one by one: of a few of them all may well be gone.
            homes if others == 0 => all >= MOST_MIN && homes.iter().all(|at| host.is_home_lost(*at)),
            homes => lost * 2 > others && homes.iter().all(|at| host.is_home_lost(*at)),
        };
        host.loss = match (is_away, is_all_lost) {
            (true, _) => Loss::Away,
            (false, true) => Loss::AllButHome,
            (false, false) => Loss::Parts,
        };
        host
    }

    /// A page that shrank by itself was edited; with most others it was not.
    fn is_lost(&self, at: usize) -> bool {
        match self.pages[at].outcome {
            PageOutcome::Same => false,
            PageOutcome::Failed { .. } | PageOutcome::Gone { .. } => true,
            PageOutcome::Changed { .. } => self.is_suspect[at] && self.is_most,
        }
    }

    /// Asked where most other pages are lost: a home page that is quite another is lost then too.
    fn is_home_lost(&self, at: usize) -> bool {
        self.is_lost(at) || self.changed.is_replaced(at)
    }

    /// Whether a change of this page may be none.
    fn is_doubtful(&self, at: usize) -> bool {
        let is_as_home = || (self.homes.iter()).any(|home| self.changed.is_one_text(at, *home));
        self.is_most && self.is_suspect[at]
            || self.loss == Loss::Away && self.changed.is_replaced(at)
            || is_as_home()
    }
}
