//! Where do tags and texts stand in the source of a page? A plain scan: enough to put things in and take things out of
//! well-formed stretches; whatever looks odd is left alone.

use std::ops::Range;

/// A tag as written.
#[derive(Debug, Clone)]
pub(super) struct Tag {
    /// In lower case.
    pub(super) name: String,
    pub(super) is_end: bool,
    pub(super) span: Range<usize>,
}

/// A stretch of text between two tags.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) span: Range<usize>,
    /// The tag in front of it.
    pub(super) after: usize,
}

#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) tags: Vec<Tag>,
    pub(super) texts: Vec<Text>,
    /// Past the start tag of the body.
    pub(super) body_from: usize,
    /// The end tag of the body, or the end.
    pub(super) body_to: usize,
}

/// Elements whose content is not shown as it stands.
const RAW: [&str; 12] = [
    "script", "style", "textarea", "title", "noscript", "template", "svg", "iframe", "select", "object",
    "pre", "button",
];

impl Places {
    pub(super) fn of(html: &str) -> Places {
        let mut places = Places {
            body_to: html.len(),
            ..Places::default()
        };
        let bytes = html.as_bytes();
        let mut at = 0;
        while let Some(found) = html[at..].find('<') {
            let open = at + found;
            if open > at && !places.tags.is_empty() {
                places.texts.push(Text {
                    span: at..open,
                    after: places.tags.len() - 1,
                });
            }
            if html[open..].starts_with("<!--") {
                at = html[open..].find("-->").map_or(html.len(), |end| open + end + 3);
                continue;
            }
            let is_end = bytes.get(open + 1) == Some(&b'/');
            let name_from = open + 1 + usize::from(is_end);
            let name_len = html[name_from..]
                .bytes()
                .take_while(u8::is_ascii_alphanumeric)
                .count();
            let Some(close) = tag_end(html, open) else { break };
            at = close;
            if name_len == 0 {
                continue;
            }
            let name = html[name_from..name_from + name_len].to_ascii_lowercase();
            if name == "body" {
                if is_end {
                    places.body_to = open;
                } else {
                    places.body_from = close;
                }
            }
            if !is_end && RAW.contains(&name.as_str()) {
                let ending = format!("</{name}");
                let lower_end = find_ignoring_case(&bytes[at..], ending.as_bytes());
                at = lower_end.map_or(html.len(), |end| at + end);
            }
            places.tags.push(Tag {
                name,
                is_end,
                span: open..close,
            });
        }
        places
    }

    /// The end tag that closes the element begun by `tag`, if nothing of the same name stands between.
    pub(super) fn simple_end(&self, tag: usize) -> Option<usize> {
        let name = &self.tags[tag].name;
        let next = self.tags[tag + 1..]
            .iter()
            .position(|other| &other.name == name)?;
        let at = tag + 1 + next;
        self.tags[at].is_end.then_some(at)
    }

    /// Elements of a name that hold no other of that name, as (start tag, end tag), inside the body.
    pub(super) fn elements(&self, name: &str) -> Vec<(usize, usize)> {
        (0..self.tags.len())
            .filter(|&at| {
                let tag = &self.tags[at];
                tag.name == name
                    && !tag.is_end
                    && tag.span.start >= self.body_from
                    && tag.span.end <= self.body_to
            })
            .filter_map(|at| Some((at, self.simple_end(at)?)))
            .collect()
    }
}

fn find_ignoring_case(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len())
        .position(|window| window.eq_ignore_ascii_case(wanted))
}

/// Past the `>` of the tag, quotes respected.
fn tag_end(html: &str, open: usize) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in html.bytes().enumerate().skip(open + 1) {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') if html.as_bytes()[at - 1] == b'=' => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// The attributes of a tag as written: name and the span of its value without quotes.
pub(super) fn attributes(html: &str, tag: &Tag) -> Vec<(String, Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let bytes = html.as_bytes();
    let end = tag.span.end - 1;
    let mut at = tag.span.start + 1 + tag.name.len();
    while at < end {
        while at < end && (bytes[at].is_ascii_whitespace() || bytes[at] == b'/') {
            at += 1;
        }
        let from = at;
        while at < end && !bytes[at].is_ascii_whitespace() && bytes[at] != b'=' && bytes[at] != b'/' {
            at += 1;
        }
        if at == from {
            at += 1;
            continue;
        }
        let name = html[from..at].to_ascii_lowercase();
        if at >= end || bytes[at] != b'=' {
            found.push((name, at..at, from..at));
            continue;
        }
        at += 1;
        let quote = (at < end && matches!(bytes[at], b'"' | b'\'')).then(|| bytes[at]);
        let value_from = at + usize::from(quote.is_some());
        let mut value_to = value_from;
        while value_to < end
            && quote.map_or(!bytes[value_to].is_ascii_whitespace(), |quote| {
                bytes[value_to] != quote
            })
        {
            value_to += 1;
        }
        at = (value_to + usize::from(quote.is_some())).min(end);
        found.push((name, value_from..value_to, from..at));
    }
    found
}

/// Puts replacements into a text; those that overlap an earlier one are left out.
pub(super) fn replaced(html: &str, mut parts: Vec<(Range<usize>, String)>) -> String {
    parts.sort_by_key(|(span, _)| (span.start, span.end));
    let mut out = String::with_capacity(html.len() + 1024);
    let mut at = 0;
    for (span, text) in parts {
        if span.start < at {
            continue;
        }
        out.push_str(&html[at..span.start]);
        out.push_str(&text);
        at = span.end;
    }
    out.push_str(&html[at..]);
    out
}
