//! One gzip member per WARC record, with the number of the commit that wrote it in the header.
//!
//! The commit number sits in an extra field (RFC 1952 2.3.1.1, subfield `GC`): readers skip it, and recovery can tell
//! a torn last commit (normal after a kill) from a catalog that went back in time (never normal).

use super::deflate::Deflate;
use crc32fast::Hasher;

const EXTRA: &[u8] = &[12, 0, b'G', b'C', 8, 0];
/// Where the eight bytes of the commit number begin.
const COMMIT_AT: usize = 10 + EXTRA.len();
const HEADER_BYTES: usize = COMMIT_AT + 8;

/// An empty stored block that ends a stream.
const LAST_BLOCK: &[u8] = &[1, 0, 0, 0xff, 0xff];
/// A piece that keeps more of its size than this is stored as it is …
const WORTH_PERCENT: usize = 90;
/// … and so are this many behind it, untried.
const UNTRIED: u32 = 15;

/// How hard to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Text.
    Fast,
    /// Bytes that are compressed already.
    Store,
}

/// Makes gzip members, keeping its working memory between them.
#[derive(Default)]
pub struct Members {
    deflate: Deflate,
}

impl Members {
    /// Appends one member holding `parts`, one after the other, to `out`. The commit number is filled in later by
    /// [`set_commit`].
    pub fn append(&mut self, effort: Effort, parts: &[&[u8]], out: &mut Vec<u8>) {
        begin(out);
        let mut crc = Hasher::new();
        for part in parts {
            crc.update(part);
        }
        match effort {
            Effort::Fast => self.deflate.append(parts, out),
            Effort::Store => {
                stored(parts, out);
                out.extend_from_slice(LAST_BLOCK);
            }
        }
        end(crc, parts.iter().map(|part| part.len() as u64).sum(), out);
    }

    /// Begins a member that is written piece by piece.
    pub fn stream(&mut self, effort: Effort) -> Stream<'_> {
        let mut out = Vec::new();
        begin(&mut out);
        Stream {
            deflate: &mut self.deflate,
            effort,
            untried: 0,
            crc: Hasher::new(),
            total: 0,
            out,
        }
    }
}

/// A member whose content comes piece by piece, because it is too large for memory.
pub struct Stream<'a> {
    deflate: &'a mut Deflate,
    effort: Effort,
    /// Pieces to come that are stored as they are, because the last that was tried hardly got smaller.
    untried: u32,
    crc: Hasher,
    total: u64,
    out: Vec<u8>,
}

impl Stream<'_> {
    pub fn write(&mut self, piece: &[u8]) {
        self.crc.update(piece);
        self.total += piece.len() as u64;
        if self.effort == Effort::Store || self.untried > 0 {
            self.untried = self.untried.saturating_sub(1);
            stored(&[piece], &mut self.out);
            return;
        }
        let before = self.out.len();
        self.deflate.append_piece(piece, &mut self.out);
        if self.out.len() - before > piece.len() / 100 * WORTH_PERCENT {
            self.out.truncate(before);
            stored(&[piece], &mut self.out);
            self.untried = UNTRIED;
        }
    }

    /// What is ready so far; it is forgotten here.
    pub fn ready(&mut self) -> std::vec::Drain<'_, u8> {
        self.out.drain(..)
    }

    /// The rest of the member.
    pub fn finish(mut self) -> Vec<u8> {
        self.out.extend_from_slice(LAST_BLOCK);
        end(self.crc, self.total, &mut self.out);
        self.out
    }
}

fn begin(out: &mut Vec<u8>) {
    // ID1 ID2 CM=8 FLG=FEXTRA MTIME=0 XFL=4 (fastest) OS=255 (unknown)
    out.extend_from_slice(&[0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 4, 255]);
    out.extend_from_slice(EXTRA);
    out.extend_from_slice(&[0; 8]);
}

fn end(crc: Hasher, total: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&crc.finalize().to_le_bytes());
    out.extend_from_slice(&(total as u32).to_le_bytes());
}

/// Stored blocks (RFC 1951 3.2.4), none of them the last.
fn stored(parts: &[&[u8]], out: &mut Vec<u8>) {
    for piece in parts.iter().flat_map(|part| part.chunks(0xffff)) {
        out.push(0);
        out.extend_from_slice(&(piece.len() as u16).to_le_bytes());
        out.extend_from_slice(&(!(piece.len() as u16)).to_le_bytes());
        out.extend_from_slice(piece);
    }
}

/// Writes the commit number into the member that begins at the start of `member`.
pub fn set_commit(member: &mut [u8], commit: u64) {
    member[COMMIT_AT..HEADER_BYTES].copy_from_slice(&commit.to_le_bytes());
}

/// The commit number of the member that begins at the start of `bytes`, if it is one of ours.
pub fn commit_of(bytes: &[u8]) -> Option<u64> {
    let header = bytes.get(..HEADER_BYTES)?;
    if header[..4] != [0x1f, 0x8b, 8, 4] || &header[10..COMMIT_AT] != EXTRA {
        return None;
    }
    header[COMMIT_AT..].try_into().ok().map(u64::from_le_bytes)
}

/// The same from the extra field alone, as gzip readers give it.
pub fn commit_in_extra(extra: &[u8]) -> Option<u64> {
    extra
        .strip_prefix(&EXTRA[2..])?
        .try_into()
        .ok()
        .map(u64::from_le_bytes)
}

/// How many bytes of a member's start [`commit_of`] needs.
pub const COMMIT_NEEDS: usize = HEADER_BYTES;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn members_read_back_and_carry_their_commit() {
        let mut members = Members::default();
        let mut out = Vec::new();
        members.append(Effort::Fast, &[b"one ", b"two"], &mut out);
        let second = out.len();
        let big = vec![7u8; 1_000_000];
        members.append(Effort::Store, &[&big], &mut out);
        set_commit(&mut out, 41);
        set_commit(&mut out[second..], 42);

        let mut stream = members.stream(Effort::Fast);
        stream.write(b"three");
        let mut third: Vec<u8> = stream.ready().collect();
        stream.write(b" four");
        third.extend(stream.finish());
        set_commit(&mut third, 43);
        assert_eq!(commit_of(&third), Some(43));
        out.extend(third);

        let mut text = Vec::new();
        flate2::read::MultiGzDecoder::new(&out[..])
            .read_to_end(&mut text)
            .unwrap();

        assert_eq!(&text[..7], b"one two");
        assert_eq!(&text[7..1_000_007], &big[..]);
        assert_eq!(&text[1_000_007..], b"three four");
        assert_eq!(commit_of(&out), Some(41));
        assert_eq!(commit_of(&out[second..]), Some(42));
        assert_eq!(
            commit_of(b"\x1f\x8b\x08\x00 not one of ours, though long enough"),
            None
        );
    }
}
