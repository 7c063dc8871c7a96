//! What does a line of reply say? A code of three digits and some words (RFC 3977 §3.2); anything else is no reply.

use crate::net::failure::Failure;
use gleaner_model::Reason;

/// Words of a reply that are shown to people.
const SHOWN_CHARS_MAX: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) code: u16,
    /// What follows the code, whatever bytes it holds.
    pub(super) text: String,
}

/// Reads a line without its end.
pub(super) fn read(line: &[u8]) -> Result<Reply, Failure> {
    let (digits, rest) = line.split_at(line.len().min(3));
    let is_code = matches!(digits, [b'1'..=b'5', b'0'..=b'9', b'0'..=b'9']);
    if !is_code || !matches!(rest.first(), None | Some(b' ' | b'\t')) {
        return Err(Failure::new(Reason::BadReply, shown(line)));
    }
    let code = digits
        .iter()
        .fold(0, |code, digit| code * 10 + u16::from(digit - b'0'));
    Ok(Reply {
        code,
        text: String::from_utf8_lossy(rest.trim_ascii()).into_owned(),
    })
}

impl Reply {
    /// What a reply means that is not the one hoped for.
    pub(super) fn refusal(&self) -> Failure {
        let reason = match self.code {
            400 | 403 => Reason::ServerBusy,
            480..=482 => Reason::LoginRefused,
            // Both "you may not" and "too many of you" are 502; only the words tell.
            502 if self.text.to_ascii_lowercase().contains("too many") => Reason::ServerBusy,
            // 483 wants encryption, which we only begin for a login.
            483 | 502 | 503 => Reason::AccessDenied,
            _ => Reason::BadReply,
        };
        Failure::new(reason, self.shown())
    }

    /// The server does not know the command at all.
    pub(super) fn is_unknown_command(&self) -> bool {
        matches!(self.code, 500 | 501 | 503)
    }

    pub(super) fn shown(&self) -> String {
        shown(format!("{} {}", self.code, self.text).as_bytes())
    }

    /// The numbers at the beginning of the text.
    pub(super) fn numbers<const N: usize>(&self) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        let mut words = self.text.split_ascii_whitespace();
        for number in &mut numbers {
            *number = words.next().and_then(|word| number_of(word.as_bytes()))?;
        }
        Some(numbers)
    }
}

/// Digits and nothing else.
pub(super) fn number_of(word: &[u8]) -> Option<u64> {
    if word.is_empty() || !word.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(word).ok()?.parse().ok()
}

fn shown(line: &[u8]) -> String {
    String::from_utf8_lossy(line)
        .chars()
        .filter(|c| !c.is_control())
        .take(SHOWN_CHARS_MAX)
        .collect::<String>()
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_and_words_are_a_reply_and_nothing_else_is() {
        let good: [(&[u8], u16, &str); 4] = [
            (b"200 ready", 200, "ready"),
            (b"205", 205, ""),
            (b"211 1 2 3 misc.test", 211, "1 2 3 misc.test"),
            (b"400 \xff", 400, "\u{fffd}"),
        ];
        for (line, code, text) in good {
            let reply = read(line).unwrap();
            assert_eq!((reply.code, reply.text.as_str()), (code, text));
        }
        let bad: [&[u8]; 8] = [
            b"",
            b"2",
            b"20",
            b"2000 x",
            b"600 x",
            b"20x x",
            b"HTTP/1.1 200 OK",
            b" 200 x",
        ];
        for line in bad {
            let Err(Failure::Theirs { reason, .. }) = read(line) else {
                panic!("taken for a reply: {line:?}");
            };
            assert_eq!(reason, Reason::BadReply);
        }
    }

    #[test]
    fn numbers_are_digits_that_fit() {
        assert_eq!(number_of(b"0042"), Some(42));
        assert_eq!(number_of(b"18446744073709551615"), Some(u64::MAX));
        let none: [&[u8]; 5] = [b"", b"-1", b"+1", b"18446744073709551616", b"1 "];
        for word in none {
            assert_eq!(number_of(word), None);
        }
        let group = read(b"211 3 5 9 a.b").unwrap();
        assert_eq!(group.numbers(), Some([3, 5, 9]));
        assert_eq!(group.numbers::<4>(), None);
    }

    #[test]
    fn refusals_have_their_reasons() {
        let cases = [
            ("400 idle for too long", Reason::ServerBusy),
            ("480 login first", Reason::LoginRefused),
            ("481 wrong", Reason::LoginRefused),
            ("502 no permission to talk", Reason::AccessDenied),
            ("502 Too many connections", Reason::ServerBusy),
            ("223 what?", Reason::BadReply),
        ];
        for (line, expected) in cases {
            let Failure::Theirs { reason, .. } = read(line.as_bytes()).unwrap().refusal() else {
                panic!("ours?");
            };
            assert_eq!(reason, expected, "{line}");
        }
    }
}
