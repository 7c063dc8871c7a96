//! From a URL to the path that a file of the copy would like to have: readable, and possible on every system.
//!
//! ```text
//!  http://a.test:8080/docs/page.php?id=3   text/html   a.test_8080/docs/page.php@id=3.html
//! ```
//! The one idea: a name is made of what a person would read in the URL, and whatever a file system could misunderstand becomes
//! `_`. That two URLs may want the same name is left to [`super::atlas`]. No part of a path is ever `..`, empty, or absolute, so
//! none can leave the copy's folder (HC031).

use super::types::missing_end;
use gleaner_model::{Url, UrlKey};
use std::fmt::Write as _;
use unicode_normalization::UnicodeNormalization;

/// Of one name, in bytes. File systems take 255; a mark and the tools of others need room.
pub(crate) const NAME_BYTES_MAX: usize = 120;
/// Of a whole path in the copy. Windows takes 260 characters with the path to the copy itself.
pub(crate) const PATH_BYTES_MAX: usize = 250;
/// Of a name's first part where the path was too long.
const SHORT_BYTES_MAX: usize = 40;
/// Longer ends of names are no ends.
const END_BYTES_MAX: usize = 12;
/// How names begin that are our own: lists of files, and files that are being written.
pub(crate) const OWN_NAMES: &str = ".gleaner-";

/// The path that a document would like to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wish {
    /// Each with what its mark is made of: the URL up to there.
    pub(crate) folders: Vec<(String, String)>,
    pub(crate) file: String,
    /// The whole URL.
    pub(crate) of: String,
}

impl Wish {
    pub(crate) fn new(url: &Url, media_type: &str) -> Wish {
        let path = url.path().strip_prefix('/').unwrap_or(url.path());
        let (folders, last) = path.rsplit_once('/').unwrap_or(("", path));
        let mut at = url.origin().to_owned();
        let mut wished = vec![(host_name(url), at.clone())];
        for folder in folders.split('/').filter(|_| !folders.is_empty()) {
            at.push('/');
            at.push_str(folder);
            wished.push((possible(&readable(folder)), at.clone()));
        }
        let mut wish = Wish {
            folders: wished,
            file: file_name(last, url.query(), media_type, url.as_str()),
            of: url.as_str().to_owned(),
        };
        for (name, of) in &mut wish.folders {
            if name.len() > NAME_BYTES_MAX {
                *name = marked(name, of, Mark::Short);
            }
        }
        wish
    }

    /// What cannot be taken apart is one name.
    pub(crate) fn unknown(url: &str) -> Wish {
        Wish {
            folders: vec![("other".to_owned(), "other".to_owned())],
            file: marked(&possible(&readable(url)), url, Mark::Short),
            of: url.to_owned(),
        }
    }

    pub(crate) fn path(&self) -> String {
        let mut path = String::new();
        for (name, _) in &self.folders {
            path.push_str(name);
            path.push('/');
        }
        path.push_str(&self.file);
        path
    }

    /// The same document right below its host, under a shorter name: for paths that are too long.
    pub(crate) fn short(&self, mark: Mark, of: &str) -> Wish {
        let (stem, end) = split_end(&self.file);
        let mut file = cut(stem, SHORT_BYTES_MAX).to_owned();
        if let Some(end) = end {
            file.push('.');
            file.push_str(end);
        }
        let (host, origin) = &self.folders[0];
        let below = ("_".to_owned(), format!("{origin}/_"));
        Wish {
            folders: vec![(host.clone(), origin.clone()), below],
            file: marked(&file, of, mark),
            of: self.of.clone(),
        }
    }
}

/// How much of a digest tells two names apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Short,
    Long,
}

/// The name with a mark of what it stands for, no longer than a name may be.
pub(crate) fn marked(name: &str, of: &str, mark: Mark) -> String {
    let digest = UrlKey::of_text(of).0;
    let bytes = match mark {
        Mark::Short => &digest[..5],
        Mark::Long => &digest[..],
    };
    let mut tail = String::from("-");
    for byte in bytes {
        let _infallible = write!(tail, "{byte:02x}");
    }
    let (stem, end) = split_end(name);
    if let Some(end) = end {
        tail.push('.');
        tail.push_str(end);
    }
    format!("{}{tail}", cut(stem, NAME_BYTES_MAX - tail.len()))
}

/// The parts of a name before and behind its last dot; no second part where that is no end of a name.
pub(crate) fn split_end(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('.') {
        Some((stem, end))
            if !stem.is_empty()
                && (1..=END_BYTES_MAX).contains(&end.len())
                && end.bytes().all(|b| b.is_ascii_alphanumeric()) =>
        {
            (stem, Some(end))
        }
        _ => (name, None),
    }
}

fn cut(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

/// Servers by their name and, where it is not the usual one, their port; what is no web server by its protocol too.
fn host_name(url: &Url) -> String {
    let mut name = String::new();
    if !url.is_web() {
        name.push_str(url.scheme());
        if !url.host().is_empty() {
            name.push('_');
        }
    }
    name.push_str(&url.authority());
    possible(&name)
}

fn file_name(last: &str, query: Option<&str>, media_type: &str, of: &str) -> String {
    let given = readable(last);
    let name = if given.is_empty() { "index" } else { &given };
    let (stem, end) = split_end(name);
    let query = query.map_or_else(String::new, |query| format!("@{}", readable(query)));
    let (stem, end) = match missing_end(media_type, end.unwrap_or("")) {
        // `page.php?id=3` is a page, and its author's name stays readable.
        Some(missing) => (format!("{name}{query}"), Some(missing)),
        None => (format!("{stem}{query}"), end),
    };
    let whole = match end {
        Some(end) => possible(&format!("{stem}.{end}")),
        None => possible(&stem),
    };
    if whole.len() > NAME_BYTES_MAX {
        marked(&whole, of, Mark::Short)
    } else {
        whole
    }
}

/// Escapes of a URL undone where they are text; what is none keeps its escape.
fn readable(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut raw = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        raw.push(escaped.unwrap_or(bytes[at]));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    let mut out = String::with_capacity(raw.len());
    for chunk in raw.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _infallible = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The name with everything exchanged that a file system could misunderstand.
pub fn possible(name: &str) -> String {
    let mut out: String = name.nfc().map(|c| if is_possible(c) { c } else { '_' }).collect();
    if out.starts_with(' ') {
        out.replace_range(..1, "_");
    }
    if out.ends_with(['.', ' ']) {
        out.pop();
        out.push('_');
    }
    if out.is_empty() || is_device(&out) || out.starts_with(OWN_NAMES) {
        out.insert(0, '_');
    }
    out
}

fn is_possible(c: char) -> bool {
    let is_refused = matches!(c, '<' | '>' | ':' | '"' | '/' | '\\' | '|' | '?' | '*');
    // What shows nothing, or turns the direction of what follows, makes two names look like one.
    let is_unseen = matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}');
    !(is_refused || is_unseen || c.is_control())
}

/// Names that Windows takes for devices, whatever their end.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    let stem = stem.to_ascii_uppercase();
    let numbered = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    let is_numbered = numbered.is_some_and(|rest| {
        let mut chars = rest.chars();
        let first = chars.next();
        chars.next().is_none() && first.is_some_and(|c| c.is_ascii_digit() || "¹²³".contains(c))
    });
    is_numbered
        || matches!(
            stem.as_str(),
            "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$"
        )
}

/// Under what two names are one on systems that do not tell case or normal forms apart.
pub(crate) fn folded(path: &str) -> String {
    let upper: String = path.nfd().collect::<String>().to_uppercase();
    upper.to_lowercase().nfc().collect()
}

/// The address of one file of the copy as another one writes it.
pub(crate) fn relative(from: &str, to: &str) -> String {
    let (from, to): (Vec<&str>, Vec<&str>) = (from.split('/').collect(), to.split('/').collect());
    let folders = from.len().min(to.len()) - 1;
    let shared = (0..folders).take_while(|&i| from[i] == to[i]).count();
    let mut out = "../".repeat(from.len() - 1 - shared);
    for (i, name) in to[shared..].iter().enumerate() {
        if i > 0 {
            out.push('/');
        }
        for byte in name.bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~@=".contains(&byte) {
                out.push(char::from(byte));
            } else {
                let _infallible = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
