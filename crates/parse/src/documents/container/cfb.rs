//! The Compound File of older office programs: streams in folders, in sectors chained by tables ([MS-CFB]).
//!
//! Chains that loop, or lead outside, end there: each sector of the file is followed at most once per stream.

use super::{u16_at, u32_at, u64_at};
use crate::documents::reading::Unread;

const MAGIC: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
const LAST: u32 = 0xFFFF_FFFA;

#[derive(Debug)]
pub(crate) struct Cfb<'a> {
    bytes: &'a [u8],
    sector: usize,
    mini_sector: usize,
    mini_cutoff: u64,
    fat: Vec<u32>,
    mini_fat: Vec<u32>,
    mini_stream: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    name: String,
    is_stream: bool,
    /// It lies at the top: not in a document inside the document.
    is_top: bool,
    start: u32,
    size: u64,
}

impl<'a> Cfb<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Cfb<'a>, Unread> {
        Cfb::try_open(bytes).ok_or_else(|| Unread::damaged("its compound file has no usable head"))
    }

    fn try_open(bytes: &'a [u8]) -> Option<Cfb<'a>> {
        if !bytes.starts_with(MAGIC) {
            return None;
        }
        let shift = u16_at(bytes, 30)?;
        let mini_shift = u16_at(bytes, 32)?;
        if !matches!(shift, 7..=16) || !matches!(mini_shift, 2..=12) {
            return None;
        }
        let mut cfb = Cfb {
            bytes,
            sector: 1 << shift,
            mini_sector: 1 << mini_shift,
            mini_cutoff: u64::from(u32_at(bytes, 56)?),
            fat: Vec::new(),
            mini_fat: Vec::new(),
            mini_stream: Vec::new(),
            entries: Vec::new(),
        };
        cfb.read_fat()?;
        let directory = cfb.chain(u32_at(bytes, 48)?, usize::MAX);
        for entry in directory.chunks_exact(128) {
            let name_len = usize::from(u16_at(entry, 64)?).min(64).saturating_sub(2);
            let name: Vec<u16> = entry[..name_len]
                .chunks_exact(2)
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                .collect();
            cfb.entries.push(Entry {
                name: String::from_utf16_lossy(&name),
                is_stream: entry[66] == 2,
                is_top: false,
                start: u32_at(entry, 116)?,
                size: if shift == 9 {
                    u64::from(u32_at(entry, 120)?)
                } else {
                    u64_at(entry, 120)?
                },
            });
        }
        cfb.mark_top(&directory);
        let root = cfb.entries.first()?;
        let (start, size) = (root.start, root.size);
        cfb.mini_stream = cfb.chain(start, size as usize);
        let mini_fat = cfb.chain(u32_at(bytes, 60)?, usize::MAX);
        cfb.mini_fat = words(&mini_fat);
        Some(cfb)
    }

    /// The entries of a folder hang in a tree; the root names the first of its own.
    fn mark_top(&mut self, directory: &[u8]) {
        let number = |index: usize, at: usize| u32_at(directory, index * 128 + at).map(|n| n as usize);
        let mut open: Vec<usize> = number(0, 76).into_iter().collect();
        while let Some(index) = open.pop() {
            match self.entries.get_mut(index) {
                Some(entry) if !entry.is_top => entry.is_top = true,
                _ => continue,
            }
            open.extend([number(index, 68), number(index, 72)].into_iter().flatten());
        }
    }

    /// The table of chains: its first 109 sectors are named in the head, further ones in sectors of their own.
    fn read_fat(&mut self) -> Option<()> {
        let mut sectors: Vec<u32> = (0..109).filter_map(|n| u32_at(self.bytes, 76 + 4 * n)).collect();
        let mut next = u32_at(self.bytes, 68)?;
        let most = self.bytes.len() / self.sector + 1;
        for _ in 0..most {
            let Some(more) = self.sector_at(next).map(words) else {
                break;
            };
            let Some((last, names)) = more.split_last() else {
                break;
            };
            sectors.extend(names);
            next = *last;
        }
        sectors.retain(|sector| *sector < LAST);
        sectors.truncate(most);
        for sector in sectors {
            let table = self.sector_at(sector).map(words).unwrap_or_default();
            self.fat.extend(table);
        }
        Some(())
    }

    fn sector_at(&self, number: u32) -> Option<&'a [u8]> {
        let from = (number as usize).checked_add(1)?.checked_mul(self.sector)?;
        let rest = self.bytes.get(from..).filter(|rest| !rest.is_empty())?;
        Some(&rest[..rest.len().min(self.sector)])
    }

    fn chain(&self, start: u32, size: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let mut at = start;
        for _ in 0..=self.bytes.len() / self.sector {
            if at >= LAST || out.len() >= size {
                break;
            }
            let Some(sector) = self.sector_at(at) else { break };
            out.extend_from_slice(sector);
            at = self.fat.get(at as usize).copied().unwrap_or(u32::MAX);
        }
        out.truncate(size);
        out
    }

    fn mini_chain(&self, start: u32, size: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let mut at = start;
        for _ in 0..=self.mini_stream.len() / self.mini_sector {
            if at >= LAST || out.len() >= size {
                break;
            }
            let from = (at as usize).saturating_mul(self.mini_sector);
            let Some(rest) = self.mini_stream.get(from..) else {
                break;
            };
            out.extend_from_slice(&rest[..rest.len().min(self.mini_sector)]);
            at = self.mini_fat.get(at as usize).copied().unwrap_or(u32::MAX);
        }
        out.truncate(size);
        out
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    fn find(&self, name: &str) -> Option<&Entry> {
        let is_it = |entry: &&Entry| entry.is_stream && entry.name.eq_ignore_ascii_case(name);
        let top = self.entries.iter().filter(|entry| entry.is_top).find(is_it);
        top.or_else(|| self.entries.iter().find(is_it))
    }

    /// Whether it lies at the top itself.
    pub(crate) fn has_on_top(&self, name: &str) -> bool {
        self.find(name).is_some_and(|entry| entry.is_top)
    }

    /// A stream by name; one at the top, else the first anywhere.
    pub(crate) fn stream(&self, name: &str) -> Option<Vec<u8>> {
        let entry = self.find(name)?;
        let size = usize::try_from(entry.size).ok()?;
        Some(if entry.size < self.mini_cutoff {
            self.mini_chain(entry.start, size)
        } else {
            self.chain(entry.start, size)
        })
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}
