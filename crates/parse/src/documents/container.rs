//! Boxes that office documents come in: ZIP, and the older Compound File. Both are read in memory, nothing is written by
//! name, and what unpacks beyond its limits is refused (HC114).

mod cfb;
mod zip;

pub(crate) use cfb::Cfb;
pub(crate) use zip::{Zip, xml_text};

/// A little-endian number at a place; `None` behind the end.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let piece = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes([piece[0], piece[1]]))
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let piece = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([piece[0], piece[1], piece[2], piece[3]]))
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from(u32_at(bytes, at)?) | u64::from(u32_at(bytes, at + 4)?) << 32)
}
