//! What changed alike on the pages of a site? In: pages before and now. Out: the changes that are the site's own: of its
//! frame, and of the part that its titles share.
//!
//! A frame is what stands around every page, so it changes on every page: "Sign in" comes, "Pool 3.2" becomes "Pool 3.3". No
//! page alone can tell this from a change of its own. The one idea: the very same exchange of words on several pages that
//! say different things, and on most of those asked for in this run, is no change of any of them. What stands between a
//! page's main heading and the end of its text is never taken for frame.

use crate::diff::{Change, ChangeKind, changes};
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
        let of_title = of_title(before, now).map(|exchange| (exchange, SHARE));
        let of_blocks = of_blocks.into_iter().flat_map(|exchange| {
            let come = exchange.come.map(|come| (come, exchange.share));
            [Some((exchange.whole, exchange.share)), come]
        });
        let exchanges: Vec<(u64, usize)> = of_blocks.flatten().chain(of_title).collect();
        if self.open.len() > OPEN_MAX {
            self.open.retain(|_, pages| pages.len() > 1);
        }
        for (exchange, share) in exchanges {
            if self.recent.contains(&exchange) {
                continue;
            }
            let pages = self.open.entry(exchange).or_default();
            pages.insert(page, mark);
            let texts: HashSet<u64> = pages.values().copied().collect();
            let asked = self.pages.len() + self.still;
            if texts.len() >= PAGES_MIN && pages.len() * share >= asked {
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

    pub(super) fn assume_enough(&mut self) {
        self.pages = self.pages.max(PAGES_ENOUGH);
    }

    /// Whether enough pages were compared to say that what is not the site's is the page's own.
    pub(super) fn knows_enough(&self) -> bool {
        self.pages >= PAGES_ENOUGH
    }
}

/// Whether more pages of the site may show that all of these differences are the site's.
pub fn may_be_of_the_site(before: &Content, now: &Content, differences: &[Difference]) -> bool {
    let versions = Versions::new(before, now);
    !differences.is_empty()
        && differences.iter().all(|difference| match difference {
            Difference::Title => of_title(before, now).is_some(),
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
mod tests {
    use super::*;

    #[test]
    fn a_page_of_very_many_blocks_is_learned_from_in_no_time() {
        let rows = |word: &str| -> Vec<String> { (0..40_000).map(|row| format!("{word} {row}")).collect() };
        let many = |rows: &[String]| {
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            page(
                1,
                &rows,
                "The same words that stand at the end of the page, enough of them to be read as a text of its own.",
            )
        };
        let (before, now) = (many(&rows("old")), many(&rows("new")));
        let mut alike = Alike::default();
        alike.observe(1, &before, &now);
        assert!(alike.open.is_empty(), "rows of a list are no frame");
        let frame = |text: &str| Block {
            text: text.to_owned(),
            is_frame: true,
            ..now.blocks[0].clone()
        };
        let (log_in, sign_in) = (frame("Log in"), frame("Sign in"));
        let (mut before, mut now) = (before, now);
        before.blocks.push(log_in);
        now.blocks.push(sign_in);
        alike.observe(1, &before, &now);
        assert!(
            !alike.open.is_empty(),
            "what says that it is frame is learned beside them"
        );
    }

    #[test]
    fn a_page_of_very_many_blocks_has_a_frame_too() {
        let rows: Vec<Block> = (0..3_000)
            .map(|row| Block {
                text: format!("Row {row} of a long table"),
                ..page(1, &["Row"], "").blocks[0].clone()
            })
            .map(|block| Block {
                is_main: true,
                ..block
            })
            .collect();
        let long = |number, header: &[&str]| {
            let mut page = page(number, header, "");
            page.blocks.extend(rows.iter().cloned());
            page
        };
        let mut alike = Alike::default();
        let pair = |number| (long(number, &["Site"]), long(number, &["Site", "Sign in"]));
        for number in 0..3 {
            let (before, now) = pair(number);
            alike.observe(number as u64, &before, &now);
        }
        let (before, now) = pair(9);
        assert!(is_known(&alike, &before, &now).0);
    }

    fn page(number: usize, header: &[&str], words: &str) -> Content {
        let block = |kind: BlockKind, text: &str, is_main: bool| Block {
            path: format!("body/{}", if kind == BlockKind::Heading { "h1" } else { "p" }),
            kind,
            text: text.to_owned(),
            is_main,
            is_frame: false,
            links: Vec::new(),
            images: Vec::new(),
        };
        let mut blocks: Vec<Block> = header
            .iter()
            .map(|text| block(BlockKind::Paragraph, text, false))
            .collect();
        blocks.push(block(BlockKind::Heading, &format!("Story {number}"), true));
        let story = format!("This is the story of the number {number}, told at some length. {words}");
        blocks.push(block(BlockKind::Paragraph, &story, true));
        Content {
            title: format!("Story {number} | Site {}", header.len()),
            blocks,
            ..Content::default()
        }
    }

    fn is_known(alike: &Alike, before: &Content, now: &Content) -> (bool, bool) {
        let shared = alike.shared();
        let found = changes(&before.blocks, &now.blocks);
        let versions = Versions::new(before, now);
        (
            found
                .iter()
                .all(|change| shared.is_of_the_site(&versions, change)),
            shared.is_title_of_the_site(before, now),
        )
    }

    #[test]
    fn case21_what_comes_on_every_page_is_the_frame() {
        let mut alike = Alike::default();
        let pair = |number| {
            (
                page(number, &["Site"], ""),
                page(number, &["Site", "Sign in"], ""),
            )
        };
        for number in 0..3 {
            let (before, now) = pair(number);
            alike.observe(number as u64, &before, &now);
        }
        let (before, now) = pair(9);
        assert_eq!(is_known(&alike, &before, &now), (true, true));
        let other = page(9, &["Site", "Closed for ever"], "");
        assert!(!is_known(&alike, &before, &other).0);
    }

    #[test]
    fn case21_what_comes_on_few_pages_or_in_the_text_is_a_change() {
        let mut few = Alike::default();
        let pair = |number| {
            (
                page(number, &["Site"], ""),
                page(number, &["Site", "Sold out"], ""),
            )
        };
        for _ in 0..10 {
            few.note_still();
        }
        let mut in_text = Alike::default();
        let edited = |number| (page(number, &["Site"], ""), page(number, &["Site"], "Sold out."));
        let mut copies = Alike::default();
        for number in 0..4 {
            let (before, now) = pair(number);
            few.observe(number as u64, &before, &now);
            let (before, now) = edited(number);
            in_text.observe(number as u64, &before, &now);
            let (before, now) = pair(7);
            copies.observe(number as u64, &before, &now);
        }
        let (before, now) = pair(1);
        assert_eq!(is_known(&few, &before, &now), (false, false));
        assert_eq!(is_known(&copies, &before, &now), (false, false));
        let (before, now) = edited(1);
        assert!(!is_known(&in_text, &before, &now).0);
    }
}
