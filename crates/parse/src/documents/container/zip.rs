//! ZIP archives, as far as documents use them: stored and deflated entries, found by the central directory or, where that
//! is missing or broken, by the entries themselves.
//!
//! Our own, because a document cut off in the middle still has its first parts, and because the limit counts over all parts.

use super::{u16_at, u32_at, u64_at};
use crate::documents::limits::{ENTRIES_MAX, UNPACKED_BYTES_MAX};
use crate::documents::reading::Unread;
use flate2::read::DeflateDecoder;
use std::cell::Cell;
use std::io::Read;

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

#[derive(Debug)]
struct Entry {
    name: String,
    method: u16,
    is_locked: bool,
    /// Of its local header.
    at: usize,
    packed: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct Zip<'a> {
    bytes: &'a [u8],
    entries: Vec<Entry>,
    /// Bytes that may still be unpacked.
    left: Cell<usize>,
}

impl<'a> Zip<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Zip<'a>, Unread> {
        let mut entries = by_directory(bytes).unwrap_or_default();
        if entries.is_empty() {
            entries = by_walking(bytes);
        }
        if entries.is_empty() {
            return Err(Unread::damaged("the archive has no entries"));
        }
        Ok(Zip {
            bytes,
            entries,
            left: Cell::new(UNPACKED_BYTES_MAX),
        })
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    fn find(&self, name: &str) -> Option<&Entry> {
        let name = name.trim_start_matches('/');
        self.entries.iter().find(|entry| entry.name == name).or_else(|| {
            self.entries
                .iter()
                .find(|entry| entry.name.eq_ignore_ascii_case(name))
        })
    }

    /// An entry unpacked; `None` where there is none of that name. One that breaks off gives what came before.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Unread> {
        let Some(entry) = self.find(name) else {
            return Ok(None);
        };
        if entry.is_locked {
            return Err(Unread::Encrypted);
        }
        let Some(data) = self.data(entry) else {
            return Ok(None);
        };
        let left = self.left.get();
        let mut out = Vec::new();
        match entry.method {
            0 => out.extend_from_slice(&data[..data.len().min(left + 1)]),
            8 => {
                // An error means damage; what came before is there.
                let _damage = DeflateDecoder::new(data)
                    .take(left as u64 + 1)
                    .read_to_end(&mut out);
            }
            _ => {
                return Err(Unread::damaged(
                    "an entry is packed in a way that documents do not use",
                ));
            }
        }
        if out.len() > left {
            return Err(Unread::TooLarge);
        }
        self.left.set(left - out.len());
        Ok(Some(out))
    }

    /// An entry as text: UTF-8, or UTF-16 where a byte order mark says so.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, Unread> {
        Ok(self.read(name)?.map(|bytes| xml_text(&bytes)))
    }

    fn data(&self, entry: &Entry) -> Option<&'a [u8]> {
        if !self.bytes.get(entry.at..)?.starts_with(LOCAL) {
            return None;
        }
        let names =
            usize::from(u16_at(self.bytes, entry.at + 26)?) + usize::from(u16_at(self.bytes, entry.at + 28)?);
        let from = entry.at + 30 + names;
        let rest = self.bytes.get(from..)?;
        Some(match entry.packed {
            Some(packed) => &rest[..packed.min(rest.len())],
            None => rest,
        })
    }
}

/// The text of an XML file, by byte order mark, declaration or guess.
pub(crate) fn xml_text(bytes: &[u8]) -> String {
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(bytes) {
        return encoding.decode_with_bom_removal(bytes).0.into_owned();
    }
    match bytes {
        [b'<', 0, ..] => encoding_rs::UTF_16LE
            .decode_without_bom_handling(bytes)
            .0
            .into_owned(),
        [0, b'<', ..] => encoding_rs::UTF_16BE
            .decode_without_bom_handling(bytes)
            .0
            .into_owned(),
        _ => {
            let head = &bytes[..bytes.len().min(200)];
            let label = memchr::memmem::find(head, b"encoding=")
                .and_then(|at| head.get(at + 10..))
                .and_then(|rest| rest.split(|b| matches!(b, b'"' | b'\'')).next());
            let encoding = label
                .and_then(encoding_rs::Encoding::for_label)
                .unwrap_or(encoding_rs::UTF_8);
            encoding.decode_without_bom_handling(bytes).0.into_owned()
        }
    }
}

fn by_directory(bytes: &[u8]) -> Option<Vec<Entry>> {
    let tail = bytes.len().saturating_sub(66_000);
    let end = tail + memchr::memmem::rfind(&bytes[tail..], END)?;
    let mut at = u32_at(bytes, end + 16)? as usize;
    let size = u32_at(bytes, end + 12)? as usize;
    // Something was put in front of the archive: all its places moved.
    let moved = end
        .checked_sub(size)
        .filter(|begin| bytes[*begin..].starts_with(CENTRAL));
    let shift = moved.map_or(0, |begin| begin.saturating_sub(at));
    if let Some(begin) = moved {
        at = begin;
    }
    let mut entries = Vec::new();
    while bytes.get(at..)?.starts_with(CENTRAL) && entries.len() < ENTRIES_MAX {
        let name_len = usize::from(u16_at(bytes, at + 28)?);
        let extra_len = usize::from(u16_at(bytes, at + 30)?);
        let comment_len = usize::from(u16_at(bytes, at + 32)?);
        let name = bytes.get(at + 46..at + 46 + name_len)?;
        let extra = bytes.get(at + 46 + name_len..at + 46 + name_len + extra_len)?;
        let mut packed = u64::from(u32_at(bytes, at + 20)?);
        let mut place = u64::from(u32_at(bytes, at + 42)?);
        let unpacked = u32_at(bytes, at + 24)?;
        if packed == 0xFFFF_FFFF || place == 0xFFFF_FFFF || unpacked == 0xFFFF_FFFF {
            large(extra, unpacked, &mut packed, &mut place);
        }
        entries.push(Entry {
            name: clean(name),
            method: u16_at(bytes, at + 10)?,
            is_locked: u16_at(bytes, at + 8)? & 1 != 0,
            at: (place as usize).saturating_add(shift),
            packed: Some(packed as usize),
        });
        at += 46 + name_len + extra_len + comment_len;
    }
    Some(entries)
}

/// ZIP64: sizes and places that do not fit stand in an extra field.
fn large(extra: &[u8], unpacked: u32, packed: &mut u64, place: &mut u64) {
    let mut at = 0;
    while let (Some(id), Some(len)) = (u16_at(extra, at), u16_at(extra, at + 2)) {
        if id == 1 {
            let mut from = at + 4;
            let mut next = || {
                from += 8;
                u64_at(extra, from - 8)
            };
            if unpacked == 0xFFFF_FFFF {
                let _size = next();
            }
            if *packed == 0xFFFF_FFFF {
                *packed = next().unwrap_or(*packed);
            }
            if *place == 0xFFFF_FFFF {
                *place = next().unwrap_or(*place);
            }
            return;
        }
        at += 4 + usize::from(len);
    }
}

/// The entries as they follow each other.
fn by_walking(bytes: &[u8]) -> Vec<Entry> {
    let mut entries = Vec::new();
    for at in memchr::memmem::find_iter(bytes, LOCAL).take(ENTRIES_MAX) {
        let parts = (
            u16_at(bytes, at + 6),
            u16_at(bytes, at + 8),
            u32_at(bytes, at + 18),
            u16_at(bytes, at + 26),
        );
        let (Some(flags), Some(method), Some(packed), Some(name_len)) = parts else {
            continue;
        };
        let Some(name) = bytes.get(at + 30..at + 30 + usize::from(name_len)) else {
            continue;
        };
        // The size may stand behind the data; deflated data ends by itself.
        let packed = Some(packed as usize).filter(|packed| *packed > 0 && flags & 8 == 0);
        entries.push(Entry {
            name: clean(name),
            method,
            is_locked: flags & 1 != 0,
            at,
            packed,
        });
    }
    entries
}

fn clean(name: &[u8]) -> String {
    String::from_utf8_lossy(name)
        .replace('\\', "/")
        .trim_start_matches('/')
        .to_owned()
}
