//! Two charsets that the detector leaves out on purpose (browsers must not guess them) and a crawler still meets.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

const LOOK_BYTES: usize = 4096;

/// UTF-16 without a byte order mark, where most characters are Latin: every other byte is NUL.
pub(super) fn utf16_without_mark(body: &[u8]) -> Option<&'static Encoding> {
    let head = &body[..body.len().min(LOOK_BYTES) & !1];
    if head.len() < 8 || memchr::memchr(0, &head[..8]).is_none() {
        return None;
    }
    let (mut even, mut odd) = (0, 0);
    for pair in head.chunks_exact(2) {
        even += usize::from(pair[0] == 0);
        odd += usize::from(pair[1] == 0);
    }
    let pairs = head.len() / 2;
    if odd * 10 >= pairs * 7 && even * 50 <= pairs {
        Some(UTF_16LE)
    } else if even * 10 >= pairs * 7 && odd * 50 <= pairs {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Cyrillic as the Macintosh wrote it. It shares the small letters with windows-1251 except one (`я`), but has its
/// capitals at 0x80; so capitals before small letters, and `я` behind them, tell the two apart.
pub(super) fn is_mac_cyrillic(bytes: &[u8]) -> bool {
    let is_small = |b: u8| matches!(b, 0xE0..=0xFE);
    let (mut high, mut together, mut letters, mut mac, mut windows) = (0u32, 0u32, 0u32, 0u32, 0u32);
    let mut previous = b' ';
    for &b in bytes {
        if b >= 0x80 {
            high += 1;
            together += u32::from(previous >= 0x80);
            letters += u32::from(is_small(b) || matches!(b, 0xDF | 0x80..=0x9F));
            if is_small(previous) {
                mac += u32::from(b == 0xDF);
                windows += u32::from(b == 0xFF);
            }
        }
        if is_small(b) {
            mac += u32::from(matches!(previous, 0x80..=0x9F));
            windows += u32::from(matches!(previous, 0xC0..=0xDE));
        }
        previous = b;
    }
    // Whole words of such letters (Latin scripts have them one by one), little else, and evidence that is not chance.
    high >= 20 && together * 10 >= high * 6 && letters * 10 >= high * 9 && mac >= 4 && mac >= 8 * windows
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{IBM866, ISO_8859_5, KOI8_R, WINDOWS_1251, X_MAC_CYRILLIC};

    const RUSSIAN: &str = "Москва является столицей Российской Федерации. Великая история города \
        начинается в двенадцатом веке. Россия, Татьяна и Ольга были здесь, моя семья тоже.";

    #[test]
    fn only_macintosh_cyrillic_is_taken_for_it() {
        assert!(is_mac_cyrillic(&X_MAC_CYRILLIC.encode(RUSSIAN).0));
        for other in [WINDOWS_1251, KOI8_R, ISO_8859_5, IBM866] {
            assert!(!is_mac_cyrillic(&other.encode(RUSSIAN).0), "{}", other.name());
        }
        let czech = "Příliš žluťoučký kůň úpěl ďábelské ódy, běžel přes šťavnaté louky. ".repeat(20);
        assert!(!is_mac_cyrillic(&encoding_rs::WINDOWS_1250.encode(&czech).0));
        assert!(!is_mac_cyrillic(
            "Größe, Übermaß, café, naïve, déjà vu, Ærø, œuvre "
                .repeat(20)
                .as_bytes()
        ));
    }

    #[test]
    fn utf_16_shows_by_its_nuls() {
        let le: Vec<u8> = "plain words here"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let be: Vec<u8> = "plain words here"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert_eq!(utf16_without_mark(&le), Some(UTF_16LE));
        assert_eq!(utf16_without_mark(&be), Some(UTF_16BE));
        assert_eq!(utf16_without_mark(b"plain words here"), None);
        assert_eq!(utf16_without_mark(b"a\0b\0\0\0\0\0\0\0\0\0\0\0"), None);
    }
}
