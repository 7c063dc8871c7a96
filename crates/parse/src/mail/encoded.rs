//! Text that went through seven-bit channels: base64, quoted-printable, and encoded words in fields (RFC 2045, 2047).
//!
//! Every decoding makes its input shorter, so none can be a bomb. What is damaged is read as far as it makes sense.

use crate::charset;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// RFC 2047 allows 75; what is much longer is no word.
const WORD_BYTES_MAX: usize = 1000;

/// Passes over what is not of the alphabet, as RFC 2045 §6.8 asks.
pub(super) fn base64(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for &byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                // Padding ends a run; another may follow where lines were joined.
                (bits, count) = (0, 0);
                continue;
            }
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    out
}

/// `=41` is a byte, `=` at the end of a line joins it to the next.
pub(super) fn quoted_printable(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'=' {
            out.push(byte);
            continue;
        }
        match (text.get(at), text.get(at + 1)) {
            (Some(b'\n'), _) => at += 1,
            (Some(b'\r'), Some(b'\n')) => at += 2,
            (Some(&high), Some(&low)) => match (hex(high), hex(low)) {
                (Some(high), Some(low)) => {
                    out.push(high << 4 | low);
                    at += 2;
                }
                _ => out.push(b'='),
            },
            _ => out.push(b'='),
        }
    }
    out
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// A field's text: encoded words decoded, other bytes taken as UTF-8 or, failing that, as Windows-1252.
pub(super) fn words(value: &[u8]) -> String {
    let mut out = Words::default();
    let mut rest = value;
    while !rest.is_empty() {
        let Some(start) = memchr::memmem::find(rest, b"=?") else {
            break;
        };
        if let Some((word, length)) = word(&rest[start..]) {
            out.plain(&rest[..start]);
            out.encoded(word);
            rest = &rest[start + length..];
        } else {
            out.plain(&rest[..start + 2]);
            rest = &rest[start + 2..];
        }
    }
    out.plain(rest);
    out.flush();
    out.text
}

struct Word {
    encoding: &'static Encoding,
    bytes: Vec<u8>,
}

/// `=?charset?B?text?=` at the beginning of `text`, and how long it is.
fn word(text: &[u8]) -> Option<(Word, usize)> {
    let window = &text[..text.len().min(WORD_BYTES_MAX)];
    let mut pieces = window[2..].splitn(3, |byte| *byte == b'?');
    let (label, method, rest) = (pieces.next()?, pieces.next()?, pieces.next()?);
    let end = memchr::memmem::find(rest, b"?=")?;
    let coded = &rest[..end];
    if coded.contains(&b' ') {
        return None;
    }
    // A language may follow the charset (RFC 2231 §5).
    let label = label.split(|byte| *byte == b'*').next()?;
    let encoding = charset::known(label)?;
    let bytes = match method {
        b"B" | b"b" => base64(coded),
        b"Q" | b"q" => {
            let spaced: Vec<u8> = coded
                .iter()
                .map(|byte| if *byte == b'_' { b' ' } else { *byte })
                .collect();
            quoted_printable(&spaced)
        }
        _ => return None,
    };
    let length = 2 + (window.len() - 2 - rest.len()) + end + 2;
    Some((Word { encoding, bytes }, length))
}

/// Words that follow each other belong together: blanks between them go, and a character may be cut in two.
#[derive(Default)]
struct Words {
    text: String,
    pending: Option<Word>,
}

impl Words {
    fn plain(&mut self, bytes: &[u8]) {
        if self.pending.is_some() && bytes.trim_ascii().is_empty() {
            return;
        }
        self.flush();
        match std::str::from_utf8(bytes) {
            Ok(text) => self.text.push_str(text),
            Err(_) => self
                .text
                .push_str(&WINDOWS_1252.decode_without_bom_handling(bytes).0),
        }
    }

    fn encoded(&mut self, word: Word) {
        match &mut self.pending {
            Some(pending) if pending.encoding == word.encoding => pending.bytes.extend(word.bytes),
            _ => {
                self.flush();
                self.pending = Some(word);
            }
        }
    }

    fn flush(&mut self) {
        if let Some(word) = self.pending.take() {
            let encoding = if word.encoding == WINDOWS_1252 && word.bytes.is_ascii() {
                UTF_8
            } else {
                word.encoding
            };
            self.text
                .push_str(&encoding.decode_without_bom_handling(&word.bytes).0);
        }
    }
}
