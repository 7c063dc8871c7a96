//! What did the server reply? Lines in, a code and its text out, within limits (RFC 959 §4.2, HC092).
//!
//! ```text
//! 220-several lines, the last of which
//!  repeats the code followed by a blank
//! 220 like this
//! ```

use crate::net::failure::Failure;
use gleaner_model::Reason;

pub(super) const LINE_BYTES_MAX: usize = 8 * 1024;
const REPLY_BYTES_MAX: usize = 64 * 1024;
/// Of a server's words, as much is told to people.
const SHOWN_CHARS_MAX: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) code: u16,
    /// The lines without the code, as far as they are text.
    pub(super) text: String,
}

impl Reply {
    /// It will take a while: another reply follows.
    pub(super) fn is_begun(&self) -> bool {
        self.code / 100 == 1
    }

    pub(super) fn is_good(&self) -> bool {
        self.code / 100 == 2
    }

    /// The server does not know the command, or not with this argument.
    pub(super) fn is_unknown_command(&self) -> bool {
        matches!(self.code, 500 | 502 | 504)
    }

    /// Whether the text holds one of these words, whatever their case.
    pub(super) fn says(&self, words: &[&str]) -> bool {
        let text = self.text.to_ascii_lowercase();
        words.iter().any(|word| text.contains(word))
    }

    /// The code and the last line, for people.
    pub(super) fn shown(&self) -> String {
        let line = self
            .text
            .lines()
            .rev()
            .find(|line| !line.trim().is_empty())
            .unwrap_or("");
        let line: String = line
            .chars()
            .filter(|c| !c.is_control())
            .take(SHOWN_CHARS_MAX)
            .collect();
        format!("the server says: {} {}", self.code, line.trim())
            .trim_end()
            .to_owned()
    }

    /// Why this is no success.
    pub(super) fn failure(&self) -> Failure {
        let reason = match self.code {
            421 | 451 | 452 => Reason::ServerBusy,
            425 | 426 => Reason::Reset,
            530 | 532 => Reason::LoginRefused,
            450 | 501 | 550..=559 => Reason::AccessDenied,
            _ => Reason::BadReply,
        };
        Failure::new(reason, self.shown())
    }
}

pub(super) fn bad_reply(detail: impl Into<String>) -> Failure {
    Failure::new(Reason::BadReply, detail)
}

/// A reply while its lines come.
#[derive(Debug, Default)]
pub(super) struct Building {
    code: Option<u16>,
    text: String,
    bytes: usize,
}

impl Building {
    /// Takes the next line without its end; a reply once it is whole.
    pub(super) fn take(&mut self, line: &[u8]) -> Result<Option<Reply>, Failure> {
        self.bytes += line.len() + 1;
        if self.bytes > REPLY_BYTES_MAX {
            return Err(bad_reply(format!("a reply of more than {REPLY_BYTES_MAX} bytes")));
        }
        let coded = code_of(line);
        let (is_last, text) = match (self.code, coded) {
            (None, None) => {
                let shown: String = String::from_utf8_lossy(line)
                    .chars()
                    .filter(|c| !c.is_control())
                    .take(80)
                    .collect();
                return Err(bad_reply(format!("a reply without a code: {shown}")));
            }
            (None, Some((code, is_last))) => {
                self.code = Some(code);
                (is_last, line.get(4..).unwrap_or_default())
            }
            (Some(code), Some((again, is_last))) if code == again => {
                (is_last, line.get(4..).unwrap_or_default())
            }
            (Some(_), _) => (false, line),
        };
        self.text.push_str(&String::from_utf8_lossy(text));
        match self.code {
            Some(code) if is_last => Ok(Some(Reply {
                code,
                text: std::mem::take(&mut self.text),
            })),
            _ => {
                self.text.push('\n');
                Ok(None)
            }
        }
    }
}

/// The code that a line begins with, and whether it ends a reply.
fn code_of(line: &[u8]) -> Option<(u16, bool)> {
    let [a @ b'1'..=b'5', b @ b'0'..=b'9', c @ b'0'..=b'9', rest @ ..] = line else {
        return None;
    };
    let code = u16::from(a - b'0') * 100 + u16::from(b - b'0') * 10 + u16::from(c - b'0');
    match rest.first() {
        None | Some(b' ') => Some((code, true)),
        Some(b'-') => Some((code, false)),
        Some(_) => None,
    }
}

/// The port of `229 Entering Extended Passive Mode (|||6446|)` (RFC 2428 §3).
pub(super) fn epsv_port(reply: &Reply) -> Option<u16> {
    let (_, inside) = reply.text.split_once('(')?;
    let (inside, _) = inside.split_once(')')?;
    let mark = inside.chars().next().filter(char::is_ascii_graphic)?;
    let fields: Vec<&str> = inside.split(mark).collect();
    let ["", "", "", port, ""] = fields.as_slice() else {
        return None;
    };
    port.parse().ok().filter(|port| *port != 0)
}

/// The port of `227 Entering Passive Mode (h1,h2,h3,h4,p1,p2)`. The address is not even read: data comes from where the
/// control connection goes (HC091).
pub(super) fn pasv_port(reply: &Reply) -> Option<u16> {
    // Some leave the brackets out (RFC 1123 §4.1.2.6).
    let text = match reply.text.split_once('(') {
        Some((_, inside)) => inside.split_once(')')?.0,
        None => reply.text.rsplit(' ').find(|word| word.contains(','))?,
    };
    let fields: Result<Vec<u8>, _> = text
        .trim_matches(['=', '.', ' '])
        .split(',')
        .map(|field| field.trim().parse())
        .collect();
    let [_, _, _, _, high, low] = fields.ok()?[..] else {
        return None;
    };
    Some(u16::from_be_bytes([high, low])).filter(|port| *port != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(lines: &[&str]) -> Result<Option<Reply>, Failure> {
        let mut building = Building::default();
        for line in lines {
            if let Some(reply) = building.take(line.as_bytes())? {
                return Ok(Some(reply));
            }
        }
        Ok(None)
    }

    fn reply(text: &str) -> Reply {
        Reply {
            code: 227,
            text: text.into(),
        }
    }

    #[test]
    fn replies_of_one_line_and_of_many() {
        let found = built(&["220 hello"]).unwrap().unwrap();
        assert_eq!((found.code, found.text.as_str()), (220, "hello"));
        let found = built(&["220-hello", "221 not yet", "  220 nor here", "220-", "220 done"])
            .unwrap()
            .unwrap();
        assert_eq!(found.text, "hello\n221 not yet\n  220 nor here\n\ndone");
        assert_eq!(found.shown(), "the server says: 220 done");
        assert_eq!(built(&["226"]).unwrap().unwrap().code, 226);
        assert_eq!(built(&["220-never ends"]).unwrap(), None);
    }

    #[test]
    fn hc092_what_is_no_reply_is_refused() {
        for line in [
            "SSH-2.0-OpenSSH_9.2",
            "",
            "22",
            "999 x",
            "020 x",
            "220x",
            "HTTP/1.1 400 Bad Request",
        ] {
            assert!(built(&[line]).is_err(), "{line}");
        }
        let mut building = Building::default();
        assert!(building.take(b"220-").is_ok());
        let ended = (0..100_000).find(|_| building.take(b"more").is_err());
        assert_eq!(ended, Some((REPLY_BYTES_MAX - 5) / 5));
    }

    #[test]
    fn hc091_only_the_port_is_taken() {
        for (text, port) in [
            ("Entering Passive Mode (10,0,0,1,4,1)", Some(1025)),
            ("Entering Passive Mode 127,0,0,1,4,1", Some(1025)),
            ("=127,0,0,1,4,1", Some(1025)),
            ("(127,0,0,1,0,0)", None),
            ("(127,0,0,1,256,0)", None),
            ("(127,0,0,1,1)", None),
            ("(127,0,0,1,1,2,3)", None),
            ("(a,b,c,d,e,f)", None),
            ("", None),
        ] {
            assert_eq!(pasv_port(&reply(text)), port, "{text}");
        }
        for (text, port) in [
            ("Extended (|||6446|)", Some(6446)),
            ("(!!!6446!)", Some(6446)),
            ("(|||0|)", None),
            ("(|||70000|)", None),
            ("(|||-1|)", None),
            ("(|1|10.0.0.1|6446|)", None),
            ("(|||6446)", None),
            ("|||6446|", None),
            ("()", None),
        ] {
            assert_eq!(epsv_port(&reply(text)), port, "{text}");
        }
    }
}
