//! One gzip member per WARC record, with the number of the commit that wrote it in the header.
//!
//! The commit number sits in an extra field (RFC 1952 2.3.1.1, subfield `GC`): readers skip it, and recovery can tell
//! a torn last commit (normal after a kill) from a catalog that went back in time (never normal).

use flate2::{Compress, Compression, Crc, FlushCompress, Status};

const EXTRA: &[u8] = &[12, 0, b'G', b'C', 8, 0];
/// Where the eight bytes of the commit number begin.
const COMMIT_AT: usize = 10 + EXTRA.len();
const HEADER_BYTES: usize = COMMIT_AT + 8;

/// How hard to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Text: the fastest level already halves it twice.
    Fast,
    /// Bytes that are compressed already.
    Store,
}

/// Makes gzip members, keeping its working memory between them.
pub struct Members {
    fast: Compress,
    store: Compress,
}

impl Default for Members {
    fn default() -> Self {
        Members { fast: Compress::new(Compression::new(1), false), store: Compress::new(Compression::none(), false) }
    }
}

impl Members {
    /// Appends one member holding `parts`, one after the other, to `out`. The commit number is filled in later by
    /// [`set_commit`].
    pub fn append(&mut self, effort: Effort, parts: &[&[u8]], out: &mut Vec<u8>) {
        let mut member = self.begin(effort, out);
        for part in parts {
            member.write(part);
        }
        member.finish();
    }

    pub fn begin<'a>(&'a mut self, effort: Effort, out: &'a mut Vec<u8>) -> Member<'a> {
        // ID1 ID2 CM=8 FLG=FEXTRA MTIME=0 XFL=4 (fastest) OS=255 (unknown)
        out.extend_from_slice(&[0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 4, 255]);
        out.extend_from_slice(EXTRA);
        out.extend_from_slice(&[0; 8]);
        let deflate = match effort {
            Effort::Fast => &mut self.fast,
            Effort::Store => &mut self.store,
        };
        deflate.reset();
        Member { deflate, crc: Crc::new(), out }
    }
}

pub struct Member<'a> {
    deflate: &'a mut Compress,
    crc: Crc,
    out: &'a mut Vec<u8>,
}

impl Member<'_> {
    pub fn write(&mut self, part: &[u8]) {
        self.crc.update(part);
        let mut rest = part;
        while !rest.is_empty() {
            self.out.reserve(rest.len() / 4 + 256);
            let before = self.deflate.total_in();
            self.deflate
                .compress_vec(rest, self.out, FlushCompress::None)
                .expect("deflate takes any bytes: only a misuse of its stream fails");
            rest = &rest[(self.deflate.total_in() - before) as usize..];
        }
    }

    /// What has been compressed so far may be moved elsewhere: a large record goes to a file piece by piece.
    pub fn drain(&mut self) -> std::vec::Drain<'_, u8> {
        self.out.drain(..)
    }

    pub fn finish(self) {
        loop {
            self.out.reserve(256);
            let status = self
                .deflate
                .compress_vec(&[], self.out, FlushCompress::Finish)
                .expect("deflate takes any bytes: only a misuse of its stream fails");
            if status == Status::StreamEnd {
                break;
            }
        }
        self.out.extend_from_slice(&self.crc.sum().to_le_bytes());
        self.out.extend_from_slice(&self.crc.amount().to_le_bytes());
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

        let mut text = Vec::new();
        flate2::read::MultiGzDecoder::new(&out[..]).read_to_end(&mut text).unwrap();

        assert_eq!(&text[..7], b"one two");
        assert_eq!(&text[7..], &big[..]);
        assert_eq!(commit_of(&out), Some(41));
        assert_eq!(commit_of(&out[second..]), Some(42));
        assert_eq!(commit_of(b"\x1f\x8b\x08\x00 not one of ours, though long enough"), None);
    }
}
