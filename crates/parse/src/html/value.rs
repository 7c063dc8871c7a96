//! Values as they are meant: bytes of the page to text, names without their prefix.

use super::entities::{self, Place as EntityPlace};
use super::scan::{Key, is_plain};
use encoding_rs::Encoding;
use std::borrow::Cow;

/// Text of the page: charset, then character references where they count.
pub(super) fn decode<'a>(
    bytes: &'a [u8],
    encoding: &'static Encoding,
    references: Option<EntityPlace>,
) -> Cow<'a, str> {
    if is_plain(bytes)
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Cow::Borrowed(text);
    }
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let text = match references {
        Some(place) => entities::unescape(text, place),
        None => text,
    };
    if memchr::memchr(0, text.as_bytes()).is_some() {
        return Cow::Owned(text.replace('\0', "\u{fffd}"));
    }
    text
}

/// The text of an attribute's value.
pub(crate) fn decode_attribute<'a>(value: &'a [u8], encoding: &'static Encoding) -> Cow<'a, str> {
    decode(value, encoding, Some(EntityPlace::Attribute))
}

/// The key of a name without its prefix.
pub(super) fn local(name: &[u8], key: Key) -> Key {
    match memchr::memchr(b':', name) {
        Some(at) if name.len() - at <= 16 => {
            let mut packed = 0u128;
            for (i, b) in name[at + 1..].iter().enumerate() {
                packed |= u128::from(b.to_ascii_lowercase()) << (8 * i);
            }
            packed
        }
        _ => key,
    }
}
