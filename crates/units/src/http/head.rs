//! What does a response head say? Bytes in, status, fields and framing out (RFC 9112 §4–§6).
//!
//! The end of the head is searched for incrementally and the head parsed once, so that a head that drips in byte
//! by byte costs no more than one that comes whole. Folded lines and bare LF are tolerated, as old servers send
//! them; lines that are no fields are skipped.

use crate::Headers;
use crate::net::failure::Failure;
use gleaner_model::{Reason, defaults};

#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    /// HTTP/1.0 closes unless it says otherwise.
    pub(crate) minor_version: u8,
}

/// How the end of the body is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    Empty,
    Length(u64),
    Chunked,
    UntilClose,
}

/// Finds the length of the head at the start of `bytes`, the empty line included. `scanned` is where an earlier
/// call left off.
pub(crate) fn head_length(bytes: &[u8], scanned: &mut usize) -> Option<usize> {
    let mut at = *scanned;
    while let Some(found) = memchr::memchr(b'\n', &bytes[at..]) {
        let newline = at + found;
        match bytes.get(newline + 1..) {
            Some([b'\n', ..]) => return Some(newline + 2),
            Some([b'\r', b'\n', ..]) => return Some(newline + 3),
            Some([] | [b'\r']) | None => {
                *scanned = newline;
                return None;
            }
            Some(_) => at = newline + 1,
        }
    }
    *scanned = bytes.len();
    None
}

/// Whether `bytes` can still become an HTTP/1 answer.
pub(crate) fn may_be_http(bytes: &[u8]) -> bool {
    let known = bytes.len().min(5);
    bytes[..known] == b"HTTP/"[..known]
}

/// Parses one whole head.
pub(crate) fn parse(bytes: &[u8]) -> Result<Head, Failure> {
    let mut few = [httparse::EMPTY_HEADER; 64];
    match parse_into(bytes, &mut few) {
        Err(httparse::Error::TooManyHeaders) => {
            let mut many = vec![httparse::EMPTY_HEADER; defaults::HEADER_FIELDS_MAX];
            parse_into(bytes, &mut many)
        }
        other => other,
    }
    .map_err(|error| match error {
        httparse::Error::TooManyHeaders => Failure::new(
            Reason::HeadersTooLarge,
            format!("more than {} fields", defaults::HEADER_FIELDS_MAX),
        ),
        httparse::Error::Status => Failure::new(Reason::BadStatus, status_line(bytes)),
        _ => Failure::new(Reason::NotHttp, status_line(bytes)),
    })
}

fn parse_into<'b>(bytes: &'b [u8], fields: &mut [httparse::Header<'b>]) -> Result<Head, httparse::Error> {
    let mut response = httparse::Response::new(fields);
    let status = httparse::ParserConfig::default()
        .allow_spaces_after_header_name_in_responses(true)
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true)
        .allow_space_before_first_header_name(true)
        .ignore_invalid_headers_in_responses(true)
        .parse_response(&mut response, bytes)?;
    if status.is_partial() {
        return Err(httparse::Error::NewLine);
    }
    let mut headers = Headers::with_capacity(response.headers.len(), bytes.len());
    for field in response.headers.iter() {
        if memchr::memchr(b'\n', field.value).is_some() {
            headers.push(field.name, &unfolded(field.value));
        } else {
            headers.push(field.name, field.value);
        }
    }
    Ok(Head {
        status: response.code.unwrap_or(0),
        headers,
        minor_version: response.version.unwrap_or(1),
    })
}

/// A folded value on one line: the break and the blanks after it become one blank (RFC 9112 §5.2).
fn unfolded(value: &[u8]) -> Vec<u8> {
    let lines = value.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.collect::<Vec<_>>().join(&b' ')
}

/// The beginning of the first line, for people: printable ASCII only.
pub(crate) fn status_line(bytes: &[u8]) -> String {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or(bytes);
    let shown = line.iter().take(80).filter(|byte| **byte != b'\r');
    let text = shown.map(|&byte| {
        if (b' '..=b'~').contains(&byte) {
            char::from(byte)
        } else {
            '?'
        }
    });
    format!("the answer began with: {}", text.collect::<String>())
}

impl Head {
    /// RFC 9112 §6.3.
    pub(crate) fn framing(&self) -> Result<Framing, Failure> {
        if matches!(self.status, 100..=199 | 204 | 304) {
            return Ok(Framing::Empty);
        }
        let mut codings = self
            .headers
            .all("transfer-encoding")
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity"));
        if let Some(first) = codings.next() {
            if !first.eq_ignore_ascii_case("chunked") {
                let detail = format!("a transfer coding that was not asked for: {}", shortened(first));
                return Err(Failure::new(Reason::BadFraming, detail));
            }
            if codings.next().is_some() {
                return Err(Failure::new(
                    Reason::BadFraming,
                    "chunked is not the last transfer coding",
                ));
            }
            return Ok(Framing::Chunked);
        }
        let mut length = None;
        for value in self
            .headers
            .all("content-length")
            .flat_map(|value| value.split(','))
        {
            let value = value.trim();
            let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
            let Some(bytes) = value.parse::<u64>().ok().filter(|_| digits) else {
                let detail = format!("Content-Length is not a length: {}", shortened(value));
                return Err(Failure::new(Reason::BadFraming, detail));
            };
            if length.is_some_and(|earlier| earlier != bytes) {
                return Err(Failure::new(
                    Reason::BadFraming,
                    "two different Content-Length values",
                ));
            }
            length = Some(bytes);
        }
        Ok(match length {
            Some(0) => Framing::Empty,
            Some(bytes) => Framing::Length(bytes),
            None => Framing::UntilClose,
        })
    }

    /// Whether the server lets the connection be used again, going by the head alone.
    pub(crate) fn keeps_alive(&self) -> bool {
        let says = |word: &str| {
            let options = self.headers.all("connection").flat_map(|value| value.split(','));
            options
                .into_iter()
                .any(|option| option.trim().eq_ignore_ascii_case(word))
        };
        let ambiguous = self.headers.get("transfer-encoding").is_some()
            && (self.headers.get("content-length").is_some() || self.minor_version == 0);
        !ambiguous && !says("close") && (self.minor_version > 0 || says("keep-alive"))
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

/// The head for the archive: as received, but since the body is stored without its transfer coding, the name of each
/// `Transfer-Encoding` field gets a prefix (docs/decisions/0003).
pub(crate) fn for_archive(bytes: &[u8], headers: &Headers) -> Vec<u8> {
    const NAME: &[u8] = b"transfer-encoding";
    if headers.get("transfer-encoding").is_none() {
        return bytes.to_vec();
    }
    let mut archived = Vec::with_capacity(bytes.len() + 32);
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let named = line
            .get(..NAME.len())
            .is_some_and(|name| name.eq_ignore_ascii_case(NAME));
        if named && line[NAME.len()..].trim_ascii_start().starts_with(b":") {
            archived.extend_from_slice(b"X-Archive-Orig-");
        }
        archived.extend_from_slice(line);
    }
    archived
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(fields: &str) -> Head {
        parse(format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes()).unwrap()
    }

    fn reason(result: Result<impl std::fmt::Debug, Failure>) -> Reason {
        match result {
            Err(Failure::Theirs { reason, .. }) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_end_of_a_head_is_found_however_it_drips_in() {
        for text in [
            "HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody",
            "HTTP/1.1 200 OK\nA: b\n\nbody",
            "x\r\n\n",
            "x\n\r\n",
        ] {
            let whole = head_length(text.as_bytes(), &mut 0);
            let mut scanned = 0;
            let dripping = (0..=text.len()).find_map(|n| head_length(&text.as_bytes()[..n], &mut scanned));
            assert!(whole.is_some(), "{text:?}");
            assert_eq!(whole, dripping, "{text:?}");
        }
        assert_eq!(head_length(b"HTTP/1.1 200 OK\r\n", &mut 0), None);
    }

    #[test]
    fn hc010_framing_follows_the_standard() {
        let cases = [
            ("Content-Length: 5\r\n", Ok(Framing::Length(5))),
            (
                "Content-Length: 5\r\nContent-Length: 5\r\n",
                Ok(Framing::Length(5)),
            ),
            ("Content-Length: 5, 5\r\n", Ok(Framing::Length(5))),
            ("Content-Length: 0\r\n", Ok(Framing::Empty)),
            (
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                Ok(Framing::Chunked),
            ),
            ("Transfer-Encoding: Chunked\r\n", Ok(Framing::Chunked)),
            (
                "Transfer-Encoding: identity\r\nContent-Length: 3\r\n",
                Ok(Framing::Length(3)),
            ),
            ("", Ok(Framing::UntilClose)),
            ("Content-Length: 5\r\nContent-Length: 6\r\n", Err(())),
            ("Content-Length: 5, 6\r\n", Err(())),
            ("Content-Length: -1\r\n", Err(())),
            ("Content-Length: +1\r\n", Err(())),
            ("Content-Length: 0x10\r\n", Err(())),
            ("Content-Length:\r\n", Err(())),
            ("Content-Length: 99999999999999999999999\r\n", Err(())),
            ("Transfer-Encoding: gzip, chunked\r\n", Err(())),
            ("Transfer-Encoding: chunked, chunked\r\n", Err(())),
        ];
        for (fields, expected) in cases {
            let found = head(fields).framing();
            match expected {
                Ok(framing) => assert_eq!(found.ok(), Some(framing), "{fields:?}"),
                Err(()) => assert_eq!(reason(found), Reason::BadFraming, "{fields:?}"),
            }
        }
    }

    #[test]
    fn old_and_sloppy_heads_are_read() {
        let old = parse(b"HTTP/1.0 200\nFolded: a\n  b\nName : value\nno field\n\n").unwrap();
        assert_eq!((old.status, old.minor_version), (200, 0));
        assert_eq!(old.headers.get("folded"), Some("a b"));
        assert_eq!(old.headers.get("name"), Some("value"));
        assert!(!old.keeps_alive());
        assert!(head("").keeps_alive());
        assert!(!head("Connection: x, Close\r\n").keeps_alive());
        assert!(!head("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n").keeps_alive());
    }

    #[test]
    fn hc013_odd_status_lines() {
        for (line, status) in [
            ("HTTP/1.1 200", 200),
            ("HTTP/1.1 099 X", 99),
            ("HTTP/1.1 999 Y", 999),
        ] {
            assert_eq!(
                parse(format!("{line}\r\n\r\n").as_bytes()).unwrap().status,
                status,
                "{line}"
            );
        }
        assert_eq!(reason(parse(b"HTTP/1.1 2000 OK\r\n\r\n")), Reason::BadStatus);
        assert_eq!(reason(parse(b"HTTP/1.1 abc OK\r\n\r\n")), Reason::BadStatus);
        assert_eq!(reason(parse(b"SSH-2.0-OpenSSH\r\n\r\n")), Reason::NotHttp);
    }

    #[test]
    fn the_archived_head_says_that_the_transfer_coding_is_gone() {
        let bytes = b"HTTP/1.1 200 OK\r\nTransfer-encoding : chunked\r\nX: Transfer-Encoding: no\r\n\r\n";
        let parsed = parse(bytes).unwrap();
        assert_eq!(
            String::from_utf8(for_archive(bytes, &parsed.headers)).unwrap(),
            "HTTP/1.1 200 OK\r\nX-Archive-Orig-Transfer-encoding : chunked\r\nX: Transfer-Encoding: no\r\n\r\n"
        );
    }
}
