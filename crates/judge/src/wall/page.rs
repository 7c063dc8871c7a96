//! What came in place of one page? The evidence in its order.

use super::likeness::own_blocks;
use super::probe::Probe;
use super::signs::Signs;
use super::words::{is_from_a_program, says_wrong};
use crate::equality::Ladder;
use gleaner_model::{Block, BlockKind, Content, Reason, Url};

/// More text of its own, in characters, is content, whatever words are in its heading.
const LITTLE_CHARS: usize = 800;
/// From this likeness on a text is the one of the last run: clocks and counters aside.
const STAYS: f64 = 0.8;
/// Blocks that a message without a heading begins with.
const OPENING_BLOCKS: usize = 2;

/// A page that shares hardly a word with what it was.
#[derive(Debug)]
pub struct ReplacedPage<'a> {
    pub url: &'a Url,
    pub before: &'a Content,
    pub now: &'a Content,
    pub old_signs: Signs,
    pub signs: Signs,
    /// The last run saw the same in place of the page.
    pub stays: bool,
    /// A person said that what is gone or empty on the whole site really is.
    pub is_confirmed: bool,
}

/// What came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    /// Another version of the page.
    Content,
    /// Something that stands before the page.
    Wall(Reason),
    /// What the host says to addresses that cannot exist.
    Gone,
    /// That cannot be said before the host was asked for addresses that cannot exist.
    AskTheHost,
}

pub fn judge_replaced(page: &ReplacedPage<'_>, probe: Option<&Probe>) -> Replacement {
    let own = own_blocks(page.now, Some(page.before));
    let asks = match page.signs {
        _ if !is_little(&own) => None,
        signs if signs.asks_password && !page.old_signs.asks_password => Some(Reason::LoginWall),
        signs if signs.asks_human && !page.old_signs.asks_human => Some(Reason::Blocked),
        _ => None,
    };
    if let (Some(reason), false) = (asks, page.stays) {
        return Replacement::Wall(reason);
    }
    let Some(probe) = probe else {
        return Replacement::AskTheHost;
    };
    let is_home = page.url.path() == "/" && page.url.query().is_none();
    let is_nowhere = probe.is_nowhere(page.url, page.now, page.before);
    let is_like_home = !is_home && probe.is_home(page.now, page.before);
    let is_for_all = is_nowhere && (is_home || is_like_home);
    if is_for_all && page.is_confirmed && asks.is_none() {
        return if is_home {
            Replacement::Content
        } else {
            Replacement::Gone
        };
    }
    if is_for_all || is_like_home && !page.stays {
        return Replacement::Wall(asks.unwrap_or(Reason::SameForAll));
    }
    if is_nowhere {
        return Replacement::Gone;
    }
    let title = Some(page.now.title.as_str()).filter(|title| *title != page.before.title);
    if !page.stays && !page.is_confirmed && is_message(title.unwrap_or_default(), &own) {
        return Replacement::Wall(Reason::ErrorPage);
    }
    Replacement::Content
}

/// Whether a page shows what the last run saw in its place.
pub fn stays(last: &Ladder, now: &Ladder) -> bool {
    last.visible == now.visible
        || last.same_main(now)
        || last.title == now.title && last.sketch.likeness(&now.sketch) >= STAYS
}

/// The main text counts; a page without one is taken whole.
fn is_little(own: &[&Block]) -> bool {
    let chars = |is_counted: &dyn Fn(&Block) -> bool| -> usize {
        let counted = own.iter().filter(|block| is_counted(block));
        counted.map(|block| block.text.chars().count()).sum()
    };
    match chars(&|block| block.is_main) {
        0 => chars(&|_| true) <= LITTLE_CHARS,
        main => main <= LITTLE_CHARS,
    }
}

/// A page whose title or heading says that something is wrong, with little else.
fn is_message(title: &str, own: &[&Block]) -> bool {
    if !is_little(own) {
        return false;
    }
    let mut headings = own
        .iter()
        .filter(|block| block.kind == BlockKind::Heading)
        .peekable();
    if headings.peek().is_none() {
        // No heading: the first words are all there is.
        let mut opening = own.iter().take(OPENING_BLOCKS);
        return says_wrong(title)
            || opening.any(|block| is_from_a_program(&block.text) || says_wrong(&block.text));
    }
    says_wrong(title) || headings.next().is_some_and(|heading| says_wrong(&heading.text))
}
