//! The digest of a page's normalised tree (level E2).
//!
//! In: elements and texts in document order. Out: BLAKE3, cut to 128 bits. Left out is what changes without anybody
//! changing the page: comments, scripts, styles, nonces and tokens, hash-like names and `data-*` values, the order of
//! attributes and classes, white space. Addresses, labels and every word stay in.

use super::made::MadeElement;
use super::shape::{is_hash_like, is_token};
use super::words::Words;
use html5ever::{LocalName, local_name};

const OPEN: u8 = 1;
const CLOSE: u8 = 2;
const TEXT: u8 = 3;
const ATTRIBUTE: u8 = 4;
const VALUE: u8 = 5;

pub(super) struct Normal {
    hasher: blake3::Hasher,
    /// Gathered before hashing: BLAKE3 likes long pieces.
    buffer: Vec<u8>,
    words: Words,
    depth: usize,
    /// The depth at which an element that does not count was opened.
    skipped_at: Option<usize>,
}

impl Normal {
    pub(super) fn new() -> Normal {
        Normal {
            hasher: blake3::Hasher::new(),
            buffer: Vec::with_capacity(BUFFER_BYTES),
            words: Words::default(),
            depth: 0,
            skipped_at: None,
        }
    }

    pub(super) fn open(&mut self, element: &impl MadeElement) {
        self.depth += 1;
        if self.skipped_at.is_some() {
            return;
        }
        if !counts(element) {
            self.skipped_at = Some(self.depth);
            return;
        }
        self.flush_text();
        self.buffer.push(OPEN);
        self.buffer.extend_from_slice(element.name().local.as_bytes());
        self.attributes(element);
        if self.buffer.len() > BUFFER_BYTES / 2 {
            self.flush();
        }
    }

    pub(super) fn close(&mut self) {
        if self.skipped_at.is_none() {
            self.flush_text();
            self.buffer.push(CLOSE);
        }
        if self.skipped_at == Some(self.depth) {
            self.skipped_at = None;
        }
        self.depth = self.depth.saturating_sub(1);
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.skipped_at.is_none() {
            self.words.push(text);
        }
    }

    /// Source text that no tree was made of.
    pub(super) fn rest(&mut self, source: &str) {
        self.hasher.update(source.as_bytes());
    }

    pub(super) fn finish(mut self) -> [u8; 16] {
        self.flush_text();
        self.flush();
        cut(&self.hasher)
    }

    fn flush_text(&mut self) {
        if self.words.is_empty() {
            return;
        }
        self.buffer.push(TEXT);
        self.words.take_into(&mut self.buffer);
        if self.buffer.len() > BUFFER_BYTES / 2 {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.hasher.update(&self.buffer);
        self.buffer.clear();
    }

    fn attributes(&mut self, element: &impl MadeElement) {
        let all = element.attributes();
        if all.clone().next().is_none() {
            return;
        }
        let is_hidden_field = element.name().local == local_name!("input")
            && all
                .clone()
                .any(|(name, value)| *name == local_name!("type") && value.eq_ignore_ascii_case("hidden"));
        let holds_token = is_hidden_field
            && all.clone().any(|(name, value)| {
                matches!(*name, local_name!("name") | local_name!("id")) && names_token(value)
            });
        let mut kept: Vec<(&LocalName, &str)> = all
            .filter(|(name, value)| {
                let is_field_value = is_hidden_field && **name == local_name!("value");
                !(is_noise(name, value) || (is_field_value && (holds_token || is_token(value))))
            })
            .collect();
        kept.sort_unstable();
        for (name, value) in kept {
            self.buffer.push(ATTRIBUTE);
            self.buffer.extend_from_slice(name.as_bytes());
            self.buffer.push(VALUE);
            if is_name_list(name) {
                self.names(value);
            } else {
                self.buffer.extend_from_slice(value.trim().as_bytes());
            }
        }
    }

    /// Classes and ids: without the hash-like ones, in alphabetical order.
    fn names(&mut self, value: &str) {
        let is_name = |name: &str| !name.split(['-', '_', ':', '.']).any(is_hash_like);
        if !value.bytes().any(|byte| byte.is_ascii_whitespace()) {
            if !value.is_empty() && is_name(value) {
                self.buffer.extend_from_slice(value.as_bytes());
                self.buffer.push(b' ');
            }
            return;
        }
        let mut names: Vec<&str> = value
            .split_ascii_whitespace()
            .filter(|name| is_name(name))
            .collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            self.buffer.extend_from_slice(name.as_bytes());
            self.buffer.push(b' ');
        }
    }
}

const BUFFER_BYTES: usize = 32 * 1024;

/// The first 128 bits.
pub(super) fn cut(hasher: &blake3::Hasher) -> [u8; 16] {
    let mut digest = [0; 16];
    digest.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    digest
}

/// Elements that a reader, or a link, depends on.
fn counts(element: &impl MadeElement) -> bool {
    match element.name().local {
        local_name!("script") | local_name!("style") | local_name!("template") => false,
        // What a page loads is not what it says; where else it lives (canonical, alternate) is.
        local_name!("link") => {
            let rel = value_of(element, &local_name!("rel"));
            ["canonical", "alternate", "next", "prev", "license"]
                .iter()
                .any(|kept| {
                    rel.split_ascii_whitespace()
                        .any(|word| word.eq_ignore_ascii_case(kept))
                })
        }
        local_name!("meta") => {
            let name = value_of(element, &local_name!("name"));
            let name = if name.is_empty() {
                value_of(element, &local_name!("property"))
            } else {
                name
            };
            !names_token(name) && !is_token(value_of(element, &local_name!("content")))
        }
        _ => true,
    }
}

fn value_of<'a>(element: &'a impl MadeElement, name: &LocalName) -> &'a str {
    let mut found = element.attributes().filter(|(there, _)| *there == name);
    found.next().map_or("", |(_, value)| value)
}

/// Attributes that say nothing to a reader: styling, scripts, one-time values.
fn is_noise(name: &LocalName, value: &str) -> bool {
    match *name {
        local_name!("style")
        | local_name!("nonce")
        | local_name!("integrity")
        | local_name!("crossorigin") => true,
        _ => {
            let name: &str = name;
            name.starts_with("on")
                || (name.starts_with("data-") && (is_token(value) || names_token(name)))
                || name.starts_with("_ng")
                || name.starts_with("jsaction")
                || name == "jsdata"
                || name == "ping"
        }
    }
}

/// Lists of names that refer to elements.
fn is_name_list(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("class") | local_name!("id") | local_name!("for") | local_name!("headers")
    ) || matches!(
        &**name,
        "aria-labelledby" | "aria-describedby" | "aria-controls" | "aria-owns"
    )
}

/// Names that forms and frameworks give to one-time values.
fn names_token(name: &str) -> bool {
    const WORDS: [&str; 11] = [
        "csrf",
        "xsrf",
        "token",
        "nonce",
        "viewstate",
        "eventvalidation",
        "authenticity",
        "form_build_id",
        "captcha",
        "requestid",
        "timestamp",
    ];
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use crate::content::of_html;
    use gleaner_model::Url;

    fn digest(html: &str) -> [u8; 16] {
        of_html(html, &Url::parse("http://site.test/").unwrap()).normal_digest
    }

    #[test]
    fn what_nobody_sees_makes_no_difference() {
        let page = "<html><head><title>T</title></head><body class='a b'><p id=x title=y>Hello <b>world</b></p></body>";
        for other in [
            "<html><head><title>T</title><!-- 12:01 --></head><body class='a b'><p id=x title=y>Hello <b>world</b></p></body>",
            "<html><head><title>T</title><script>1</script></head><body class='b a'><p title=y id=x>Hello <b>world</b></p></body>",
            "<html><head><title>T</title><style>p{}</style></head><body class='a b css-1x9f3a'><p id=x title=y>Hello\n <b>world</b></p></body>",
            "<html><head><title>T</title><meta name=csrf-token content=abc></head><body class='a b'><p id=x title=y nonce=q1>Hello <b>world</b></p></body>",
            "<html><head><title>T</title><link rel=preload href=a.js></head><body class='a b'><p id=x title=y data-r=9f8a7b6c5d style='color:red'>Hello <b>world</b></p>\n</body>",
        ] {
            assert_eq!(digest(page), digest(other), "{other}");
        }
    }

    #[test]
    fn hidden_fields_with_tokens_make_no_difference_and_others_do() {
        let field =
            |name: &str, value: &str| format!("<form><input type=hidden name={name} value={value}></form>");
        assert_eq!(digest(&field("csrf", "a")), digest(&field("csrf", "b")));
        assert_eq!(
            digest(&field("x", "9f8a7b6c5d4e")),
            digest(&field("x", "0a1b2c3d4e5f"))
        );
        assert_ne!(
            digest(&field("product", "red")),
            digest(&field("product", "blue"))
        );
    }

    #[test]
    fn what_a_reader_sees_or_follows_makes_a_difference() {
        let page = "<p>Hello <a href=/a>world</a> <img src=a.png alt=b></p><ul><li>1<li>2</ul>";
        for other in [
            "<p>Hullo <a href=/a>world</a> <img src=a.png alt=b></p><ul><li>1<li>2</ul>",
            "<p>Hello <a href=/b>world</a> <img src=a.png alt=b></p><ul><li>1<li>2</ul>",
            "<p>Hello <a href=/a>world</a> <img src=b.png alt=b></p><ul><li>1<li>2</ul>",
            "<p>Hello <a href=/a>world</a> <img src=a.png alt=c></p><ul><li>1<li>2</ul>",
            "<p>Hello <a href=/a>world</a> <img src=a.png alt=b></p><ul><li>2<li>1</ul>",
            "<h2>Hello <a href=/a>world</a> <img src=a.png alt=b></h2><ul><li>1<li>2</ul>",
            "<p>Hello <a href=/a>world</a> <img src=a.png alt=b></p><ul><li>1<li>2<li>3</ul>",
            "<title>t</title><p>Hello <a href=/a>world</a> <img src=a.png alt=b></p><ul><li>1<li>2</ul>",
        ] {
            assert_ne!(digest(page), digest(other), "{other}");
        }
    }
}
