//! What is known of a link before it is followed, as numbers of a hash.

use super::surroundings::LinkPlace;
use super::weights::FEATURES;
use crate::topic::words_of_hash::{WordBuffer, hash, masked, mixed, runs};
use gleaner_frontier::{LinkSeen, traps};
use gleaner_model::Url;
use gleaner_words::words;

/// Features of one link, and of an address that many pages link to.
pub(super) const LINK_MAX: usize = 96;
const ANCHOR_WORDS_MAX: usize = 10;
const WORDS_AROUND: usize = 5;
const HEADING_WORDS: usize = 6;
const ADDRESS_WORDS_MAX: usize = 20;

/// What the page is that the link stands on.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinkParent<'a> {
    pub(super) url: &'a Url,
    pub(super) worth: f32,
}

/// The keys of what a link is counted with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ArmKeys {
    /// Site and shape of the address.
    pub(super) shape: u64,
    /// Host and first folder.
    pub(super) wide: u64,
    /// How it stands to its page, and of which worth that is.
    pub(super) relation: u64,
    /// The part of its page.
    pub(super) part: u64,
}

// What a feature is about. They are kept between runs: the numbers never change.
const HOST: u64 = 1;
const DEPTH: u64 = 2;
const HOME: u64 = 3;
const ENDING: u64 = 4;
const SEGMENT: u64 = 5;
const SEGMENT_PAIR: u64 = 6;
const ADDRESS_WORD: u64 = 7;
const NAME_FORM: u64 = 8;
const FOLDER: u64 = 9;
const ANCHOR_WORD: u64 = 10;
const ANCHOR_PAIR: u64 = 11;
const ANCHOR_LENGTH: u64 = 12;
const AROUND_WORD: u64 = 13;
const HEADING_WORD: u64 = 14;
const REGION: u64 = 15;
const RELATION: u64 = 16;
const WORTH: u64 = 17;
const PARENT: u64 = 18;
const PARENT_FOLDER: u64 = 19;
const KIND: u64 = 20;
const SHAPE: u64 = 21;

struct Features {
    found: Vec<u32>,
}

impl Features {
    fn add(&mut self, about: u64, hash: u64) {
        if self.found.len() < LINK_MAX {
            self.found
                .push(mixed(hash ^ about.wrapping_mul(0xd6e8_feb8_6659_fd93), FEATURES));
        }
    }
}

fn text(text: &str) -> u64 {
    hash(text.bytes())
}

/// A name with each run of digits as `#`, in lower case; homes of people are alike.
fn shaped(segment: &str) -> u64 {
    if segment.starts_with('~') {
        return text("~");
    }
    let mut in_number = false;
    hash(segment.bytes().filter_map(|byte| {
        let is_digit = byte.is_ascii_digit();
        let is_again = is_digit && in_number;
        in_number = is_digit;
        match (is_digit, is_again) {
            (_, true) => None,
            (true, _) => Some(b'#'),
            _ => Some(byte.to_ascii_lowercase()),
        }
    }))
}

/// The worth of a page in four steps.
fn step(worth: f32) -> u64 {
    match worth {
        worth if worth < 0.1 => 0,
        worth if worth < 0.5 => 1,
        worth if worth < 0.9 => 2,
        _ => 3,
    }
}

fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |end| &path[..=end])
}

/// How a link stands to its page: elsewhere, on the same host, in an enclosing folder, in the same one, or below it.
fn relation(url: &Url, parent: &Url) -> u64 {
    let (of_link, of_page) = (folder(url.path()), folder(parent.path()));
    if url.host() != parent.host() {
        0
    } else if of_link == of_page {
        3
    } else if of_link.starts_with(of_page) {
        4
    } else if of_page.starts_with(of_link) {
        2
    } else {
        1
    }
}

/// What is known of the address alone.
fn of_address(found: &mut Features, url: &Url) -> (u64, u64) {
    let path = url.path();
    let host = text(url.host());
    found.add(HOST, host);
    let (mut depth, mut before, mut wide) = (0u64, None, host);
    let mut folder = host;
    let mut left = ADDRESS_WORDS_MAX;
    let mut buffer = WordBuffer::default();
    for segment in path.split('/').filter(|segment| !segment.is_empty()).take(12) {
        if let Some(before) = before {
            folder = folder.rotate_left(9) ^ before;
        }
        let shaped = shaped(segment);
        found.add(SEGMENT, shaped ^ depth.min(3));
        if let Some(before) = before {
            found.add(SEGMENT_PAIR, shaped ^ u64::rotate_left(before, 21));
        }
        if segment.starts_with('~') {
            let below = path.split('/').filter(|part| !part.is_empty()).count() as u64 - depth;
            found.add(HOME, below.min(5));
        }
        for word in segment.split(|sign: char| !sign.is_alphanumeric()).flat_map(runs) {
            if left == 0 {
                break;
            }
            left -= 1;
            buffer.next(word);
            found.add(ADDRESS_WORD, buffer.hash);
        }
        if depth == 0 && path.len() > segment.len() + 1 {
            wide ^= shaped.rotate_left(7);
        }
        before = Some(shaped);
        depth += 1;
    }
    found.add(DEPTH, depth.min(7));
    found.add(FOLDER, folder);
    let last = path.rsplit('/').next().unwrap_or("");
    found.add(NAME_FORM, text(&masked(last)));
    if let Some((_, ending)) = last.rsplit_once('.').filter(|(_, ending)| ending.len() <= 5) {
        found.add(ENDING, hash(ending.bytes().map(|byte| byte.to_ascii_lowercase())));
    }
    let shape = traps::shape(url);
    found.add(SHAPE, shape);
    (shape, wide)
}

/// Of a row whose page is not remembered: the address alone.
pub(super) fn of_row(url: &Url) -> (Vec<u32>, ArmKeys) {
    let mut found = Features {
        found: Vec::with_capacity(48),
    };
    let (shape, wide) = of_address(&mut found, url);
    (
        different(found),
        ArmKeys {
            shape,
            wide,
            ..ArmKeys::default()
        },
    )
}

pub(super) fn of_link(
    link: &LinkSeen<'_>,
    place: &LinkPlace<'_>,
    parent: LinkParent<'_>,
) -> (Vec<u32>, ArmKeys) {
    let mut found = Features {
        found: Vec::with_capacity(LINK_MAX),
    };
    let (shape, wide) = of_address(&mut found, link.url);
    let mut buffer = WordBuffer::default();
    let mut count = 0u64;
    words(link.anchor, |word| {
        count += 1;
        if count as usize > ANCHOR_WORDS_MAX {
            return;
        }
        buffer.next(word.text);
        found.add(ANCHOR_WORD, buffer.hash);
        if let Some(pair) = buffer.pair() {
            found.add(ANCHOR_PAIR, pair);
        }
        buffer.turn();
    });
    found.add(ANCHOR_LENGTH, count.min(6));
    let relation = relation(link.url, parent.url);
    let worth = step(parent.worth);
    found.add(RELATION, relation * 8 + worth);
    found.add(WORTH, worth);
    found.add(KIND, link.kind as u64);
    found.add(REGION, u64::from(place.region));
    let page = text(parent.url.as_str());
    found.add(PARENT, page);
    found.add(
        PARENT_FOLDER,
        text(parent.url.host()) ^ shaped(folder(parent.url.path())),
    );
    let mut near = Vec::with_capacity(16);
    words(place.before, |word| near.push(word.text));
    let from = near.len().saturating_sub(WORDS_AROUND);
    near.drain(..from);
    let enough = near.len() + WORDS_AROUND;
    words(place.after, |word| {
        if near.len() < enough {
            near.push(word.text);
        }
    });
    for word in near {
        buffer.next(word);
        found.add(AROUND_WORD, buffer.hash);
    }
    let mut left = HEADING_WORDS;
    words(place.heading, |word| {
        if left > 0 {
            left -= 1;
            buffer.next(word.text);
            found.add(HEADING_WORD, buffer.hash);
        }
    });
    let keys = ArmKeys {
        shape,
        wide,
        relation: 0x7265_6c00 + relation * 8 + worth,
        part: page
            ^ (u64::from(place.part) << 8 | u64::from(place.region)).wrapping_mul(0x9e37_79b9_7f4a_7c15),
    };
    (different(found), keys)
}

fn different(found: Features) -> Vec<u32> {
    let mut found = found.found;
    found.sort_unstable();
    found.dedup();
    found
}
