//! Is a host away? What became of all its documents in one run says what no single page can say.
//!
//! In: the fate of every document that a host had. Out: which changes are taken back, and which documents are not called
//! gone although their addresses say so. A home page that failed, vanished or shows what all others show, all other pages
//! lost at once, most pages shrunken or with one text: then nothing is gone and nothing of that is a change, in this run. The next run that sees the
//! same is believed, unless the home page is part of it.

use crate::equality::Ladder;
use std::collections::{HashMap, HashSet};

/// With fewer documents a host has no "most of them".
const DOCUMENTS_MIN: usize = 3;
/// Pages that must share something new before it is called common.
const COMMON_MIN: usize = 3;
/// Below this likeness a text was replaced.
const REPLACED: f64 = 0.3;
/// Shorter texts (in overlapping runs of words) do not shrink, they are edited.
const SHRINKS_FROM: u32 = 20;
/// So much of what is left was there before: the rest is the end of a sentence that was cut, or chance.
const KEPT: f64 = 0.8;
/// From this likeness on two pages are copies.
const COPIES: f64 = 0.7;

/// What a run found about a document.
#[derive(Debug, Clone)]
pub enum Fate {
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
pub struct Seen {
    pub is_home: bool,
    pub fate: Fate,
}

/// What follows for the documents, by their places in the list.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Weighed {
    /// Changes that are none.
    pub taken_back: Vec<usize>,
    /// Not called gone in this run.
    pub withheld: Vec<usize>,
    /// The home page is not what it was, and neither are most others.
    pub is_away: bool,
}

/// Whether a host's documents need weighing at all, from how many of them have which fate.
pub fn is_worth_a_look(same: usize, changed: usize, failed: usize, gone: usize, is_home_well: bool) -> bool {
    let all = same + changed + failed + gone;
    all >= DOCUMENTS_MIN && ((changed + failed + gone) * 2 > all || !is_home_well || changed >= COMMON_MIN)
}

/// `same`: how many more documents of the host are as they were.
pub fn weigh(seen: &[Seen], same: usize) -> Weighed {
    let all = seen.len() + same;
    if all < DOCUMENTS_MIN {
        return Weighed::default();
    }
    let others = Others::of(seen);
    let is_changed = |at: usize| matches!(seen[at].fate, Fate::Changed { .. });
    let is_suspect: Vec<bool> = (0..seen.len())
        .map(|at| is_changed(at) && others.is_suspect(at))
        .collect();
    let walls = seen
        .iter()
        .filter(|one| matches!(one.fate, Fate::Failed { is_wall: true, .. }))
        .count();
    let suspects = is_suspect.iter().filter(|is| **is).count();
    let soft = (seen.iter())
        .filter(|one| matches!(one.fate, Fate::Gone { is_said: false, .. }))
        .count();
    let is_most = (suspects + walls + soft) * 2 > all;
    // A page that shrank by itself was edited; with most others it was not.
    let is_well = |at: usize| match seen[at].fate {
        Fate::Same => true,
        Fate::Changed { .. } => {
            !(is_suspect[at] && is_most || seen[at].is_home && others.is_one_text(at, at))
        }
        Fate::Failed { .. } | Fate::Gone { .. } => false,
    };
    let homes: Vec<usize> = (0..seen.len()).filter(|at| seen[*at].is_home).collect();
    let well = same + (0..seen.len()).filter(|at| is_well(*at)).count();
    // A home page that was replaced while most others are behind a wall is one more of them.
    let is_home_walled = |at: usize| others.is_other(at) && (walls + suspects) * 2 > all;
    let is_other_well = |at: usize| !seen[at].is_home && is_well(at);
    let others_count = all - homes.len();
    let is_all_lost = others_count >= DOCUMENTS_MIN && same == 0 && !(0..seen.len()).any(is_other_well);
    // With no document at its root a host is judged by all it has; of several that a project begins with one may well be gone.
    let is_home_lost = match homes.as_slice() {
        [] => well == 0,
        homes => homes.iter().all(|at| !is_well(*at) || is_home_walled(*at)),
    };
    let is_home_other = homes.iter().any(|at| others.is_other(*at));
    let mut weighed = Weighed {
        is_away: is_home_lost && well * 2 < all,
        ..Weighed::default()
    };
    for (at, one) in seen.iter().enumerate() {
        match &one.fate {
            Fate::Changed { stays, .. } => {
                let is_common = others.is_common(at);
                let is_at_home = homes.iter().any(|home| others.is_one_text(at, *home));
                let is_home_alone = is_all_lost && others.is_other(at);
                let counts = is_most && is_suspect[at]
                    || is_at_home
                    || one.is_home && (is_home_walled(at) || is_home_alone);
                // Guesses about most others speak against a new start page too.
                let is_among_guesses = one.is_home && soft * 2 > all;
                let is_believed = *stays && !(is_common && is_home_lost) && !is_among_guesses;
                if counts && !is_believed {
                    weighed.taken_back.push(at);
                }
            }
            Fate::Gone { is_said, again } if is_home_lost || is_most || is_all_lost => {
                // A guess is not believed while the home page is another: it may be what the host says to everything.
                let is_believed = *again && (*is_said || !is_home_lost && !is_home_other);
                if !is_believed {
                    weighed.withheld.push(at);
                }
            }
            Fate::Gone { .. } | Fate::Same | Fate::Failed { .. } => {}
        }
    }
    weighed
}

/// What the pages that changed into something else have in common.
struct Others<'a> {
    seen: &'a [Seen],
    /// How many pages say it now and did not before, for each block, title and whole text.
    blocks: HashMap<u64, usize>,
    titles: HashMap<u64, usize>,
    texts: HashMap<[u8; 16], HashSet<[u8; 16]>>,
    count: usize,
}

impl<'a> Others<'a> {
    fn of(seen: &'a [Seen]) -> Others<'a> {
        let mut others = Others {
            seen,
            blocks: HashMap::new(),
            titles: HashMap::new(),
            texts: HashMap::new(),
            count: 0,
        };
        for at in 0..seen.len() {
            let Some((before, now)) = others.other(at) else {
                continue;
            };
            others.count += 1;
            for block in new_blocks(before, now) {
                *others.blocks.entry(block).or_default() += 1;
            }
            if let Some(title) = new_title(before, now) {
                *others.titles.entry(title).or_default() += 1;
            }
            // As many as differed before: copies of one text may become copies of another.
            let texts = others.texts.entry(now.visible).or_default();
            texts.insert(before.map_or((at as u128).to_le_bytes(), |before| before.visible));
        }
        others
    }

    /// The two sides of a page that is hardly what it was.
    fn other(&self, at: usize) -> Option<(Option<&'a Ladder>, &'a Ladder)> {
        match &self.seen[at].fate {
            Fate::Changed { before, now, .. } => {
                let before = before.as_ref();
                let is_other = before.is_none_or(|before| {
                    before.sketch.likeness(&now.sketch) < REPLACED || is_shrunken(before, now)
                });
                is_other.then_some((before, now))
            }
            Fate::Failed { shown, .. } => shown.as_ref().map(|shown| (None, shown)),
            Fate::Same | Fate::Gone { .. } => None,
        }
    }

    fn is_other(&self, at: usize) -> bool {
        self.other(at).is_some()
    }

    fn is_suspect(&self, at: usize) -> bool {
        let is_small =
            |(before, now): (Option<&Ladder>, &Ladder)| before.is_some_and(|before| is_shrunken(before, now));
        self.other(at).is_some_and(is_small) || self.is_common(at)
    }

    /// Whether it shares something new with most of the pages that changed into something else.
    fn is_common(&self, at: usize) -> bool {
        let Some((before, now)) = self.other(at) else {
            return false;
        };
        let is_shared = |count: usize| count >= COMMON_MIN && count * 2 > self.count;
        let of = |counts: &HashMap<u64, usize>, key: u64| counts.get(&key).copied().unwrap_or(0);
        is_shared(self.texts.get(&now.visible).map_or(0, HashSet::len))
            || new_blocks(before, now).any(|block| is_shared(of(&self.blocks, block)))
            || new_title(before, now).is_some_and(|title| is_shared(of(&self.titles, title)))
    }

    /// Whether a page and the home page changed into one and the same text, as others did.
    fn is_one_text(&self, at: usize, home: usize) -> bool {
        match (self.other(at), self.other(home)) {
            (Some((_, now)), Some((_, home))) => {
                now.visible == home.visible && self.texts[&now.visible].len() >= COMMON_MIN
            }
            _ => false,
        }
    }
}

/// Less than half is left, or a part is missing and nothing came in its place.
fn is_shrunken(before: &Ladder, now: &Ladder) -> bool {
    let (was, is) = (f64::from(before.sketch.shingles), f64::from(now.sketch.shingles));
    let likeness = before.sketch.likeness(&now.sketch);
    // From the share of both that is common to the share of what is left that was there.
    let kept = likeness / (1.0 + likeness) * (was + is) / is.max(1.0);
    before.sketch.shingles >= SHRINKS_FROM && (is < was / 2.0 || is < was * 0.9 && kept >= KEPT)
}

fn new_blocks(before: Option<&Ladder>, now: &Ladder) -> impl Iterator<Item = u64> {
    let known: HashSet<u64> = before
        .into_iter()
        .flat_map(|before| before.main_blocks.iter().copied())
        .collect();
    let new: HashSet<u64> = now.main_blocks.iter().copied().collect();
    new.into_iter().filter(move |block| !known.contains(block))
}

fn new_title(before: Option<&Ladder>, now: &Ladder) -> Option<u64> {
    let is_new = before.is_none_or(|before| before.title != now.title);
    (is_new && now.title != Ladder::title_of("")).then_some(now.title)
}

/// What is new on a host that is away, beside what stood before its documents.
#[derive(Debug)]
pub struct Copies<'a> {
    pub new: &'a [Ladder],
    pub walls: &'a [Ladder],
}

/// Which of the new pages are only one more address of a page that all addresses show.
pub fn copies(given: &Copies<'_>) -> Vec<bool> {
    let is_titled =
        |one: &Ladder, other: &Ladder| one.title == other.title && one.title != Ladder::title_of("");
    let is_copy = |one: &Ladder, other: &Ladder| {
        let shares_a_block = || {
            one.main_blocks
                .iter()
                .any(|block| other.main_blocks.contains(block))
        };
        let is_alike = one.sketch.shingles > 0 && one.sketch.likeness(&other.sketch) >= COPIES;
        one.visible == other.visible || is_alike || is_titled(one, other) && shares_a_block()
    };
    let is_of_a_wall = |one: &Ladder, wall: &Ladder| is_titled(one, wall) || is_copy(one, wall);
    (given.new.iter().enumerate())
        .map(|(at, one)| {
            let mut others = given.new.iter().enumerate().filter(|(other, _)| *other != at);
            others.any(|(_, other)| is_copy(one, other))
                || given.walls.iter().any(|wall| is_of_a_wall(one, wall))
        })
        .collect()
}
