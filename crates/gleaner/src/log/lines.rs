//! Lines on their way out: one event is one line, without secrets and without anything that moves a terminal.

use super::SECRETS;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::PoisonError;

/// A shorter text would take half of every line with it.
const SECRET_BYTES_MIN: usize = 4;
const HIDDEN: &str = "[hidden]";

/// Writes each event whole: the formatter gives it in one piece.
pub(crate) struct Lines<W>(W);

impl<W> Lines<W> {
    pub(super) fn to(out: W) -> Lines<W> {
        Lines(out)
    }
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let secrets = SECRETS.read().unwrap_or_else(PoisonError::into_inner);
        self.0.write_all(one_line(&without(&secrets, &text)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn without<'a>(secrets: &[String], line: &'a str) -> Cow<'a, str> {
    let mut line = Cow::Borrowed(line);
    for secret in secrets {
        if line.contains(secret.as_str()) {
            line = Cow::Owned(line.replace(secret.as_str(), HIDDEN));
        }
    }
    line
}

/// What a server says may hold line ends and orders to a terminal: they become blanks.
fn one_line(line: &str) -> Cow<'_, str> {
    let body = line.strip_suffix('\n').unwrap_or(line);
    if !body.contains(char::is_control) {
        return Cow::Borrowed(line);
    }
    Cow::Owned(body.replace(char::is_control, " ") + "\n")
}

/// How a secret may be written: as it is, in the query of an address, in a path, in JSON.
pub(super) fn spellings(secret: &str) -> Vec<String> {
    if secret.len() < SECRET_BYTES_MIN {
        return Vec::new();
    }
    let escaped = |is_plain: fn(u8) -> bool, blank: &str| {
        let mut out = String::new();
        for byte in secret.bytes() {
            match byte {
                b' ' => out.push_str(blank),
                byte if is_plain(byte) => out.push(char::from(byte)),
                byte => {
                    let _never_fails = write!(out, "%{byte:02X}");
                }
            }
        }
        out
    };
    let form = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.*".contains(&byte);
    let address = |byte: u8| byte.is_ascii_graphic() && !b"\"#<>%`{}|^\\".contains(&byte);
    let json = serde_json::Value::from(secret).to_string();
    let mut all = vec![
        secret.to_owned(),
        escaped(form, "+"),
        escaped(form, "%20"),
        escaped(address, "%20"),
        json.trim_matches('"').to_owned(),
    ];
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_goes_however_it_is_spelt() {
        let secret = "open \"se/same\" é";
        let secrets = spellings(secret);
        for line in [
            format!("it is {secret}."),
            "q=open+%22se%2Fsame%22+%C3%A9&x=1".to_owned(),
            "/a/open%20%22se/same%22%20%C3%A9".to_owned(),
            serde_json::json!({ "detail": secret }).to_string(),
        ] {
            let shown = without(&secrets, &line);
            assert!(
                !shown.contains("same") && shown.contains(HIDDEN),
                "{line}: {shown}"
            );
        }
        assert_eq!(without(&secrets, "nothing here"), "nothing here");
        assert!(spellings("abc").is_empty());
    }

    #[test]
    fn an_event_is_one_line() {
        let mut out = Vec::new();
        Lines::to(&mut out)
            .write_all(b"a\x1b[2Jb\r\nc\n")
            .expect("memory takes all");
        assert_eq!(out, b"a [2Jb  c\n");
    }
}
