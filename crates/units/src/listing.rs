//! What lies in a folder, as far as the protocol tells without sending it (B2)?
//!
//! A unit that can list gives entries one by one, each with its address and what the server says of it. Names are data:
//! [`child`] writes their bytes as one segment of a URL and [`segments`] reads them back, so that a name is never a path
//! and never a second command, whatever is in it (HC093, HC104, HC110).

use crate::Unclear;
use gleaner_model::{Timestamp, Url};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// One thing in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingEntry {
    /// A folder's ends with a slash.
    pub url: Url,
    pub kind: EntryKind,
    pub meta: Meta,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    /// A symbolic link: named, not followed (HC094, HC109).
    Link,
    /// A pipe, a device, a folder of another file system: nothing to read.
    Other,
}

/// What the server says of a file without sending it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meta {
    pub size: Option<u64>,
    pub modified: Option<FileTime>,
    /// What else changes when the file does and tells it from others: inode and change time, MLSD's `unique`, a message id.
    pub id: Option<String>,
}

/// When a file was last written, and how exactly that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileTime {
    pub at: Timestamp,
    /// `at` may be this much earlier than the truth: a second, a minute, a day.
    pub precision: Duration,
}

impl Meta {
    /// The metadata as one word. Two equal stamps of one file mean that it was not written in between; `None` where that
    /// could not be told: no time, or one so young that a second write within the clock's precision would not show.
    pub fn stamp(&self, listed: Timestamp) -> Option<String> {
        let modified = self.modified;
        if modified.is_none() && self.id.is_none() {
            return None; // A size alone proves nothing.
        }
        if let Some(modified) = modified {
            // A listing and a clock may be a little apart; two seconds are the coarsest file system's step.
            let settled = modified.at.after(modified.precision + Duration::from_secs(2));
            if settled > listed {
                return None;
            }
        }
        let mut stamp = String::new();
        if let Some(size) = self.size {
            let _never_fails = write!(stamp, "size={size};");
        }
        if let Some(modified) = modified {
            let _never_fails = write!(stamp, "modified={};", modified.at.0);
        }
        if let Some(id) = &self.id {
            let _never_fails = write!(stamp, "id={id};");
        }
        stamp.pop();
        Some(stamp)
    }
}

/// The length that a stamp speaks of.
pub fn stamped_bytes(stamp: &str) -> Option<u64> {
    let told = stamp.split(';').find_map(|part| part.strip_prefix("size="))?;
    told.parse().ok()
}

/// Takes the entries of a folder as they come; false if it wants no more.
pub type TakeEntry<'a> = dyn FnMut(ListingEntry) -> bool + Send + 'a;

/// How a listing ended.
#[derive(Debug)]
pub enum ListingEnd {
    /// Every entry was given: what is missing is not there.
    Whole,
    /// Every entry that the server still keeps was given. Entries are numbered, and those below `oldest` have gone by their
    /// age (HC107): a missing one above is not there, a missing one below was not taken back.
    WholeFrom {
        oldest: u64,
    },
    /// Entries were left out (a limit, lines that cannot be read): what is missing may be there all the same (HC095).
    Part {
        detail: String,
    },
    /// It is no folder but a file.
    File,
    /// The server said that there is no such folder.
    Gone,
    Unclear(Box<Unclear>),
}

/// The names that a listing gave, by a keyed hash of each: a million of them take some 20 MB, and nobody can make two meet.
#[derive(Default)]
pub(crate) struct Names {
    keys: RandomState,
    hashes: HashSet<u64>,
}

impl Names {
    pub(crate) fn is_new(&mut self, name: &[u8]) -> bool {
        self.hashes.insert(self.keys.hash_one(name))
    }
}

/// Lets others have their turn once in so many entries, also where everything has come already: whoever takes the entries
/// may want a pause.
#[derive(Default)]
pub(crate) struct Turns(usize);

impl Turns {
    const ENTRIES: usize = 1024;

    pub(crate) async fn after(&mut self, entries: usize) {
        self.0 += entries;
        if self.0 >= Self::ENTRIES {
            self.0 = 0;
            tokio::task::yield_now().await;
        }
    }
}

/// The address of a thing in a folder; `None` for names that no thing can have.
pub fn child(folder: &Url, name: &[u8], is_folder: bool) -> Option<Url> {
    if name.is_empty() || name.iter().all(|byte| *byte == b'.') && name.len() <= 2 {
        return None;
    }
    let mut text = String::with_capacity(folder.as_str().len() + name.len() * 2);
    let end = folder.path().rfind('/')? + 1;
    text.push_str(folder.origin());
    text.push_str(&folder.path()[..end]);
    for &byte in name {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                text.push(char::from(byte));
            }
            _ => {
                let _never_fails = write!(text, "%{byte:02X}");
            }
        }
    }
    if is_folder {
        text.push('/');
    }
    Url::parse(&text).ok()
}

/// The names on the way to a URL, as bytes; the last is empty for a folder.
pub fn segments(url: &Url) -> Vec<Vec<u8>> {
    let path = url.path().strip_prefix('/').unwrap_or(url.path());
    path.split('/').map(unescaped).collect()
}

/// Percent-escapes undone, whatever bytes they stand for.
pub(crate) fn unescaped(segment: &str) -> Vec<u8> {
    let bytes = segment.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%').then(|| segment.get(at + 1..at + 3)).flatten();
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            out.push(byte);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> Url {
        Url::parse("ftp://a.test/pub/").expect("a URL")
    }

    #[test]
    fn hc110_a_name_comes_back_whatever_is_in_it() {
        let names: [&[u8]; 12] = [
            b"plain.txt",
            b"a b",
            b"100%",
            b"%41",
            "grün".as_bytes(),
            b"gr\xfcn",
            b"line\nbreak\r",
            b"a/b",
            b"back\\slash",
            b"?query#fragment;x=1",
            b"...",
            b"\0",
        ];
        let mut seen = std::collections::BTreeSet::new();
        for name in names {
            for is_folder in [false, true] {
                let url = child(&folder(), name, is_folder).expect("a name");
                let mut found = segments(&url);
                if is_folder {
                    assert_eq!(found.pop().as_deref(), Some(b"".as_slice()));
                }
                assert_eq!(found, [b"pub".as_slice(), name], "{url}");
                assert!(seen.insert(url.to_string()), "two names, one address: {url}");
            }
        }
        for none in [b"".as_slice(), b".", b".."] {
            assert_eq!(child(&folder(), none, false), None);
        }
    }

    #[test]
    fn hc096_what_is_unknown_or_too_young_proves_nothing() {
        let listed = Timestamp(1_000_000_000);
        let file = |modified: Option<(i64, u64)>, id: Option<&str>| Meta {
            size: Some(7),
            modified: modified.map(|(at, precision)| FileTime {
                at: Timestamp(at),
                precision: Duration::from_secs(precision),
            }),
            id: id.map(str::to_owned),
        };
        assert_eq!(file(None, None).stamp(listed), None);
        assert_eq!(
            file(Some((999_000_000, 1)), None).stamp(listed).as_deref(),
            Some("size=7;modified=999000000")
        );
        assert_eq!(stamped_bytes("size=7;modified=999000000"), Some(7));
        assert_eq!((stamped_bytes("id=4-9"), stamped_bytes("\"tag\"")), (None, None));
        // Written in the minute of the listing: it may be written once more within it.
        assert_eq!(file(Some((999_960_000, 60)), None).stamp(listed), None);
        assert_eq!(file(Some((2_000_000_000, 1)), None).stamp(listed), None);
        assert_eq!(
            file(None, Some("4-9")).stamp(listed).as_deref(),
            Some("size=7;id=4-9")
        );
    }
}
