//! What changed alike on the pages of a site? In: pages before and now. Out: the changes that are the site's own: of its
//! frame, and of the part that its titles share.
//!
//! A frame is what stands around every page, so it changes on every page: "Sign in" comes, "Pool 3.2" becomes "Pool 3.3". No
//! page alone can tell this from a change of its own. The one idea: the very same exchange of words on several pages that
//! say different things, and on most of those asked for in this run, is no change of any of them. What stands between a
//! page's main heading and the end of its text is never taken for frame.

use crate::diff::{Change, ChangeKind, changes};
use crate::equality::edition::{self, Edition};
use crate::equality::title;
use crate::equality::verdict::Difference;
use gleaner_model::{Block, BlockKind, Content};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

/// Pages with the same exchange that make it the site's.
const PAGES_MIN: usize = 3;
/// One page in so many of those asked for must have it: of what says itself that it is frame, and of all else.
const FRAME_SHARE: usize = 4;
const SHARE: usize = 2;
/// With so many pages compared, an exchange that is not the site's is the page's own. Where a project has fewer, no more will
/// come to tell.
pub const PAGES_ENOUGH: usize = 8;
/// Exchanges remembered: proven ones for good, others for this run.
const PROVEN_MAX: usize = 300;
const OPEN_MAX: usize = 20_000;
/// A text of so many words is the page's own, if it is in the main text.
const PROSE_WORDS_MIN: usize = 12;
/// A page with more exchanges than this is a long list that moved on: only what says itself that it is frame may be the frame's.
const EXCHANGES_MAX: usize = 1_000;
/// A longer text outside of menus and footers is no label.
const WORDS_MAX: usize = 60;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Alike {
    /// Exchanges that are the site's, the newest last.
    proven: Vec<u64>,
    #[serde(skip)]
    open: HashMap<u64, HashMap<u64, u64>>,
    /// Pages compared in this run.
    #[serde(skip)]
    pages: HashSet<u64>,
    /// Pages that were asked for and had not changed.
    #[serde(skip)]
    still: usize,
    /// The proven ones, to be looked up, and those of this run.
    #[serde(skip)]
    ready: Arc<HashSet<u64>>,
    #[serde(skip)]
    recent: Arc<HashSet<u64>>,
}

/// What a comparison needs of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Shared {
    proven: Arc<HashSet<u64>>,
    recent: Arc<HashSet<u64>>,
    pages: usize,
    has_all_editions: bool,
}

impl Alike {
    pub(super) fn is_empty(&self) -> bool {
        self.proven.is_empty()
    }

    pub(super) fn note_still(&mut self) {
        self.still += 1;
    }

    /// `page` tells pages apart; a page that is looked at twice counts once.
    pub(super) fn observe(&mut self, page: u64, before: &Content, now: &Content) {
        self.pages.insert(page);
        let found = changes(&before.blocks, &now.blocks);
        let versions = Versions::new(before, now);
        let mark = mark(&versions, &found);
        let mut of_blocks: Vec<Exchange> = found
            .iter()
            .filter_map(|change| versions.exchange(change))
            .collect();
        if of_blocks.len() > EXCHANGES_MAX {
            of_blocks.retain(|exchange| exchange.share == FRAME_SHARE);
            of_blocks.truncate(EXCHANGES_MAX);
        }
        let of_title = of_title(before, now).map(|key| (key, Proof::of_frame(SHARE)));
        let of_blocks = of_blocks.into_iter().flat_map(|exchange| {
            let with_proof = |key| (key, Proof::of_frame(exchange.share));
            [Some(with_proof(exchange.whole)), exchange.come.map(with_proof)]
        });
        let of_editions = edition::marks(before, now, &found).map(|key| (key, Proof::OF_EDITION));
        let exchanges: Vec<(u64, Proof)> = of_blocks.flatten().chain(of_title).chain(of_editions).collect();
        if self.open.len() > OPEN_MAX {
            self.open.retain(|_, pages| pages.len() > 1);
        }
        for (exchange, proof) in exchanges {
            if self.recent.contains(&exchange) {
                continue;
            }
            let pages = self.open.entry(exchange).or_default();
            pages.insert(page, mark);
            let texts: HashSet<u64> = pages.values().copied().collect();
            let asked = self.pages.len() + self.still;
            if proof.is_given(texts.len(), pages.len(), asked) {
                self.open.remove(&exchange);
                Arc::make_mut(&mut self.recent).insert(exchange);
                if self.proven.contains(&exchange) {
                    continue;
                }
                if self.proven.len() >= PROVEN_MAX {
                    self.proven.remove(0);
                }
                self.proven.push(exchange);
                self.ready = self.gathered();
            }
        }
    }

    pub(super) fn shared(&self) -> Shared {
        // What was read from the store is not gathered yet.
        let is_ready = self.ready.len() == self.proven.len();
        Shared {
            proven: if is_ready {
                Arc::clone(&self.ready)
            } else {
                self.gathered()
            },
            recent: Arc::clone(&self.recent),
            pages: self.pages.len() + self.still,
            has_all_editions: false,
        }
    }

    fn gathered(&self) -> Arc<HashSet<u64>> {
        Arc::new(self.proven.iter().copied().collect())
    }
}

impl Shared {
    pub(super) fn is_of_the_site(&self, versions: &Versions<'_>, change: &Change) -> bool {
        if self.proven.is_empty() {
            return false;
        }
        let Some(exchange) = versions.exchange(change) else {
            return false;
        };
        // A page that was kept later than the others has another text of the frame to lose.
        let came_now =
            |come: u64| self.recent.contains(&come) || self.pages == 0 && self.proven.contains(&come);
        self.proven.contains(&exchange.whole)
            || exchange.come.is_none_or(came_now)
                && exchange
                    .came_before
                    .is_some_and(|came| self.proven.contains(&came))
    }

    pub(super) fn is_title_of_the_site(&self, before: &Content, now: &Content) -> bool {
        of_title(before, now).is_some_and(|exchange| self.proven.contains(&exchange))
    }

    pub(super) fn knows_edition(&self, edition: &Edition) -> bool {
        self.has_all_editions || edition.is_of_the_site(|mark| self.proven.contains(&mark))
    }

    pub(super) fn assume_editions(&mut self) {
        self.has_all_editions = true;
    }

    pub(super) fn assume_enough(&mut self) {
        self.pages = self.pages.max(PAGES_ENOUGH);
    }

    /// Whether enough pages were compared to say that what is not the site's is the page's own.
    pub(super) fn knows_enough(&self) -> bool {
        self.pages >= PAGES_ENOUGH
    }
}

/// What makes an exchange the site's.
#[derive(Clone, Copy)]
struct Proof {
    texts_min: usize,
    /// One page in so many of those asked for; none: however few they are.
    share: Option<usize>,
}

impl Proof {
    /// A site may hold several works, each with its own editions.
    const OF_EDITION: Proof = Proof {
        texts_min: 2,
        share: None,
    };

    fn of_frame(share: usize) -> Proof {
        Proof {
            texts_min: PAGES_MIN,
            share: Some(share),
        }
    }

    fn is_given(self, texts: usize, pages: usize, asked: usize) -> bool {
        texts >= self.texts_min && self.share.is_none_or(|share| pages * share >= asked)
    }
}

/// Whether more pages of the site may show that all of these differences are the site's.
pub fn may_be_of_the_site(before: &Content, now: &Content, differences: &[Difference]) -> bool {
    let versions = Versions::new(before, now);
    !differences.is_empty()
        && differences.iter().all(|difference| match difference {
            Difference::Title => of_title(before, now).is_some() || title::is_release(before, now),
            Difference::Block(change) => versions.exchange(change).is_some(),
        })
}

fn of_title(before: &Content, now: &Content) -> Option<u64> {
    if before.title == now.title {
        return None;
    }
    let (gone, come) = title::exchanged(&before.title, &now.title)?;
    Some(xxh3_64(format!("title\u{1}{gone}\u{1}{come}").as_bytes()))
}

/// An exchange of words in what may be the frame.
struct Exchange {
    whole: u64,
    /// The text that is there now, and the one that was, as one that came.
    come: Option<u64>,
    came_before: Option<u64>,
    /// One page in so many must have it.
    share: usize,
}

/// Two versions of a page, with the outline of each: made once, when first asked for.
#[derive(Debug, Clone)]
pub(super) struct Versions<'a> {
    before: &'a Content,
    now: &'a Content,
    outlines: OnceLock<[Outline; 2]>,
}

impl<'a> Versions<'a> {
    pub(super) fn new(before: &'a Content, now: &'a Content) -> Versions<'a> {
        Versions {
            before,
            now,
            outlines: OnceLock::new(),
        }
    }

    /// The exchange of a block's words, where it may be one of the frame.
    fn exchange(&self, change: &Change) -> Option<Exchange> {
        if !matches!(
            change.kind,
            ChangeKind::Change | ChangeKind::Add | ChangeKind::Remove
        ) {
            return None;
        }
        let sides = [(self.before, change.before), (self.now, change.after)];
        let mut key = String::from("block");
        let mut share = FRAME_SHARE;
        for (side, (content, at)) in sides.into_iter().enumerate() {
            key.push('\u{1}');
            let Some(at) = at else { continue };
            let block = &content.blocks[at];
            if !block.is_frame {
                let is_short = block.text.split_whitespace().nth(WORDS_MAX).is_none();
                if !is_short || !self.outlines()[side].is_outside(at) {
                    return None;
                }
                share = SHARE;
            }
            key.push_str(&block.text);
        }
        let came = |content: &Content, at: Option<usize>| {
            let text = &content.blocks[at?].text;
            Some(xxh3_64(format!("come\u{1}{text}").as_bytes()))
        };
        Some(Exchange {
            whole: xxh3_64(key.as_bytes()),
            come: came(self.now, change.after),
            came_before: came(self.before, change.before),
            share,
        })
    }

    fn outlines(&self) -> &[Outline; 2] {
        self.outlines
            .get_or_init(|| [Outline::of(self.before), Outline::of(self.now)])
    }
}

/// Where a page's text begins and ends.
#[derive(Debug, Clone, Default)]
struct Outline {
    /// Places of all headings outside the frame, and of the first of the highest rank.
    headings: Vec<usize>,
    highest: Option<usize>,
    /// The first two paragraphs of the text: a block is not asked about itself.
    prose: Vec<usize>,
    first_main: Option<usize>,
    last_main: Option<usize>,
}

impl Outline {
    fn of(content: &Content) -> Outline {
        let mut outline = Outline::default();
        let mut rank_min = u32::MAX;
        for (at, block) in content.blocks.iter().enumerate() {
            let is_heading = block.kind == BlockKind::Heading && !block.is_frame;
            if is_heading {
                outline.headings.push(at);
                if rank(block) < rank_min {
                    rank_min = rank(block);
                    outline.highest = Some(at);
                }
            }
            if !block.is_main {
                continue;
            }
            outline.first_main = outline.first_main.or(Some(at));
            outline.last_main = Some(at);
            let is_prose = || block.text.split_whitespace().nth(PROSE_WORDS_MIN).is_some();
            if !is_heading && outline.prose.len() < 2 && is_prose() {
                outline.prose.push(at);
            }
        }
        outline
    }

    /// Whether a block stands before the page's main heading or behind its text. The site may have a heading of its own
    /// above: the page's is of the highest rank, and the last before its text.
    fn is_outside(&self, at: usize) -> bool {
        let prose = self.prose.iter().find(|prose| **prose != at);
        let above = prose.and_then(|prose| {
            let before = self.headings.partition_point(|heading| heading < prose);
            self.headings[..before].last().copied()
        });
        let first = self.highest.max(above).or(self.first_main);
        first.is_some_and(|first| at < first) || self.last_main.is_some_and(|last| at > last)
    }
}

/// 1 for `h1`.
fn rank(heading: &Block) -> u32 {
    let element = heading.path.rsplit('/').next().unwrap_or_default();
    let digit = element.strip_prefix('h').and_then(|rest| rest.chars().next());
    digit.and_then(|digit| digit.to_digit(10)).unwrap_or(9)
}

/// What tells a page from its copies: all that it says beside the frame and what may be of it.
fn mark(versions: &Versions<'_>, found: &[Change]) -> u64 {
    let may_be_frame = |change: &&Change| versions.exchange(change).is_some();
    let left_out: HashSet<usize> = found
        .iter()
        .filter(may_be_frame)
        .filter_map(|change| change.after)
        .collect();
    let mut hasher = Xxh3Default::new();
    for (at, block) in versions.now.blocks.iter().enumerate() {
        if !block.is_frame && !left_out.contains(&at) {
            hasher.update(block.text.as_bytes());
            hasher.update(b"\n");
        }
    }
    hasher.digest()
}

#[cfg(test)]
mod tests;
