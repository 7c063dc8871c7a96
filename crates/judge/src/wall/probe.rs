//! What does a host say to addresses that cannot exist? And does a page say just that?
//!
//! A server that ignores a part of its addresses answers a changed one with the very page it was made from. That proves
//! nothing about that page: it has to be found at another, quite different address that cannot exist either.

use super::likeness::{is_alike, is_alike_beside, own_blocks, share_of_words};
use super::words::{absent_phrase, says_wrong};
use gleaner_model::{Block, Content, Url};

/// What says that nothing is there stands near the beginning.
const OPENING_BLOCKS: usize = 8;
/// Titles of two messages that differ by an echo of the address.
const SAME_TITLE: f64 = 0.5;

/// What the host says to addresses that cannot exist, and what its home page is. `None` where it says honestly that there
/// is no such page, or nothing at all.
#[derive(Debug, Default)]
pub struct Probe {
    /// The page that the addresses were made from.
    pub near: Option<Url>,
    /// Beside it, with another name.
    pub sibling: Option<Content>,
    /// In a folder that cannot exist.
    pub stranger: Option<Content>,
    /// The page itself, with other values in its query.
    pub query: Option<Content>,
    /// The page itself, without its query.
    pub bare: Option<Content>,
    pub home: Option<Content>,
}

impl Probe {
    /// Whether the host says this to addresses that cannot exist. `before` is what the page was: what it shares with the others
    /// then belongs to the site. A host that has other words for what was deleted than for what never was (`DokuWiki`) is
    /// believed where both say in one phrase that nothing is there.
    pub fn is_nowhere(&self, url: &Url, now: &Content, before: &Content) -> bool {
        let is_like = |nowhere: &Content| {
            is_alike_beside(nowhere, now, before) || say_absent_beside(nowhere, now, before)
        };
        self.is_said(url, Some(before), is_like)
    }

    /// The same for a page that was never seen before: it must have their title too, and text beside the site's own.
    pub fn is_nowhere_from_the_start(&self, url: &Url, now: &Content) -> bool {
        let frame = self.home.as_ref();
        let is_like = |nowhere: &Content| {
            let is_titled =
                says_wrong(&nowhere.title) && share_of_words(&nowhere.title, &now.title) >= SAME_TITLE;
            is_titled
                && match frame {
                    Some(frame) => is_alike_beside(nowhere, now, frame),
                    None => is_alike(nowhere, now),
                }
        };
        !own_blocks(now, frame).is_empty() && self.is_said(url, frame, is_like)
    }

    fn is_said(&self, url: &Url, frame: Option<&Content>, is_like: impl Fn(&Content) -> bool) -> bool {
        let is_near = self.near.as_ref() == Some(url);
        let at_sibling = self.sibling.as_ref().is_some_and(&is_like);
        let at_stranger = self.stranger.as_ref().is_some_and(&is_like);
        let of_query = !self.ignores_query(frame) && self.query.as_ref().is_some_and(&is_like);
        // What the server says to a neighbour of the very page may be the page: it looks at only a part of the address.
        at_stranger || at_sibling && !is_near || of_query
    }

    /// Whether the page is the same with other values in its query and with none.
    fn ignores_query(&self, frame: Option<&Content>) -> bool {
        match (&self.query, &self.bare, frame) {
            (Some(query), Some(bare), Some(frame)) => is_alike_beside(query, bare, frame),
            (Some(query), Some(bare), None) => is_alike(query, bare),
            _ => false,
        }
    }

    /// Whether this is the home page, at another address.
    pub fn is_home(&self, now: &Content, before: &Content) -> bool {
        let home = self.home.as_ref();
        home.is_some_and(|home| is_alike_beside(home, now, before))
    }
}

/// Whether both say that nothing is there, in the same phrase. A page that uses another one may have something to say.
fn say_absent_beside(one: &Content, other: &Content, frame: &Content) -> bool {
    let phrases = |content: &Content| -> Vec<&'static str> {
        let own: Vec<&Block> = own_blocks(content, Some(frame));
        let opening = own.iter().take(OPENING_BLOCKS);
        opening.filter_map(|block| absent_phrase(&block.text)).collect()
    };
    let said = phrases(one);
    !said.is_empty() && phrases(other).iter().any(|phrase| said.contains(phrase))
}

/// Two addresses that cannot exist: beside `near`, and in a folder that cannot exist either.
pub fn nowhere_near(near: &Url, luck: u64) -> Vec<Url> {
    let name = format!("gleaner-{luck:016x}");
    let folder = format!("gleaner-{:016x}", luck.rotate_left(17) ^ 0x9e37_79b9_7f4a_7c15);
    let extension = match near.path().rsplit_once('.') {
        Some((_, extension)) if extension.len() <= 5 && !extension.contains('/') => format!(".{extension}"),
        _ => String::new(),
    };
    // Nothing of the page's own path is left: some servers look at its first part only.
    let stranger = format!("/{folder}/{name}{extension}");
    [format!("{name}{extension}"), stranger]
        .iter()
        .filter_map(|address| near.join(address).ok())
        .collect()
}

/// The page with other values in its query, and without one. Where a program tells its pages apart by the query, it is the
/// program that says what does not exist, and the web server around it knows nothing of that.
pub fn nowhere_of_query(near: &Url, luck: u64) -> Option<(Url, Url)> {
    let query = near.query().filter(|query| query.contains('='))?;
    let fields: Vec<String> = query
        .split('&')
        .map(|field| match field.split_once('=') {
            Some((field, _)) => format!("{field}=gleaner-{luck:016x}"),
            None => field.to_owned(),
        })
        .collect();
    let other = near.join(&format!("?{}", fields.join("&"))).ok()?;
    let bare = near.join(near.path()).ok()?;
    Some((other, bare))
}
