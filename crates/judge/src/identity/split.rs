//! Which parts has a URL that could carry an id?
//!
//! In: a canonical URL. Out: its pieces, each with the slot it stands in, its decoded value and its place in the raw
//! text. Values that are themselves URLs or queries are opened, at most four deep, so an id inside
//! `return=%2Fx%3Fsid%3D…` has a slot too.

use std::ops::Range;

use super::decode::{LEVELS_MAX, Offsets, decode_once, settle};
use super::slots::{UrlPiece, UrlStep};

/// Pieces of one URL that are looked at; a URL of 8 KiB made of ampersands is not a puzzle worth solving.
const PIECES_MAX: usize = 200;

/// The pieces of a canonical URL, or of any text that has the form of one.
pub fn split(url: &str) -> Vec<UrlPiece> {
    let mut splitter = Splitter {
        pieces: Vec::with_capacity(8),
        steps: Vec::new(),
    };
    splitter.url(url, &Offsets::From(0));
    splitter.pieces
}

struct Splitter {
    pieces: Vec<UrlPiece>,
    steps: Vec<UrlStep>,
}

impl Splitter {
    fn url(&mut self, text: &str, offsets: &Offsets) {
        let mut rest_start = 0;
        if let Some(at) = scheme_end(text) {
            let host_start = at + 3;
            let host_end = find_any(text, host_start, b"/?#");
            self.host(text, host_start, host_end, offsets);
            rest_start = host_end;
        }
        let end = text[rest_start..]
            .find('#')
            .map_or(text.len(), |at| rest_start + at);
        let path_end = text[rest_start..end].find('?').map_or(end, |at| rest_start + at);
        self.path(text, rest_start, path_end, offsets);
        if path_end < end {
            self.query(text, path_end + 1, end, offsets, true);
        }
    }

    fn host(&mut self, text: &str, start: usize, end: usize, offsets: &Offsets) {
        let host = &text[start..end];
        let host = &host[host.rfind('@').map_or(0, |at| at + 1)..];
        let name_start = end - host.len();
        let name = host.split(':').next().unwrap_or("");
        // An address has no labels; its numbers name nothing.
        if name.starts_with('[') || name.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            return;
        }
        let count = name.split('.').count();
        let mut at = name_start;
        for (index, label) in name.split('.').enumerate() {
            let next = (at + label.len() + 1).min(name_start + name.len());
            self.push(
                UrlStep::Host {
                    from_right: count - 1 - index,
                },
                text,
                at..at + label.len(),
                at..next,
                at..at,
                offsets,
            );
            at += label.len() + 1;
        }
    }

    fn path(&mut self, text: &str, start: usize, end: usize, offsets: &Offsets) {
        let path = &text[start..end];
        let count = path
            .split('/')
            .filter(|segment| !bare(segment).is_empty())
            .count();
        let mut index = 0;
        let mut at = start;
        let mut previous = None;
        let mut names: Vec<String> = Vec::new();
        for segment in path.split('/') {
            let mut parameters = segment.split(';');
            let name = parameters.next().unwrap_or("");
            if !name.is_empty() {
                let whole = at.saturating_sub(1).max(start)..at + name.len();
                let this = settle(name);
                let step = UrlStep::Segment {
                    index,
                    count,
                    previous: previous.replace(this),
                };
                self.value(step, text, at..at + name.len(), whole, at..at, offsets, 1);
                index += 1;
            }
            let mut from = at + name.len() + 1;
            for parameter in parameters {
                let (name, value_start) = parameter
                    .find('=')
                    .map_or(("", 0), |equals| (&parameter[..equals], equals + 1));
                let nth = names.iter().filter(|other| *other == name).count();
                names.push(name.to_owned());
                let step = UrlStep::Matrix {
                    name: name.to_owned(),
                    nth,
                };
                let to = from + parameter.len();
                let named = from..from + value_start.saturating_sub(1);
                self.value(
                    step,
                    text,
                    from + value_start..to,
                    from - 1..to,
                    named,
                    offsets,
                    0,
                );
                from = to + 1;
            }
            at += segment.len() + 1;
        }
    }

    fn query(&mut self, text: &str, start: usize, end: usize, offsets: &Offsets, has_mark: bool) {
        let parameters = parameters(text, start, end);
        let mut names: Vec<String> = Vec::new();
        for (number, parameter) in parameters.iter().enumerate() {
            let body = &text[parameter.clone()];
            if body.is_empty() {
                continue;
            }
            let (name, value_start) = match body.find('=') {
                Some(equals) => (settle(&body[..equals]), parameter.start + equals + 1),
                None => (String::new(), parameter.start),
            };
            let nth = names.iter().filter(|other| **other == name).count();
            names.push(name.clone());
            let whole = match parameters.get(number + 1) {
                _ if number > 0 => parameter.start - 1..parameter.end,
                Some(next) => parameter.start..next.start,
                None if has_mark => parameter.start - 1..parameter.end,
                None => parameter.clone(),
            };
            self.value(
                UrlStep::Query { name, nth },
                text,
                value_start..parameter.end,
                whole,
                parameter.start..value_start.saturating_sub(1).max(parameter.start),
                offsets,
                0,
            );
        }
    }

    /// A value, opened where it is itself a URL or a query. `level_min` is 1 where only an escaped one can be meant.
    #[expect(clippy::too_many_arguments, reason = "one value with all its borders")]
    fn value(
        &mut self,
        step: UrlStep,
        text: &str,
        span: Range<usize>,
        whole: Range<usize>,
        name: Range<usize>,
        offsets: &Offsets,
        level_min: usize,
    ) {
        let before = self.pieces.len();
        if self.steps.len() < LEVELS_MAX && span.len() > 3 {
            self.steps.push(step.clone());
            self.inside(
                &text[span.clone()],
                &offsets.shifted(span.start, span.len()),
                level_min,
            );
            self.steps.pop();
        }
        let is_composite = self.pieces.len() > before;
        self.push(step, text, span, whole, name, offsets);
        if is_composite && let Some(piece) = self.pieces.last_mut() {
            piece.is_composite = true;
        }
    }

    fn inside(&mut self, raw: &str, offsets: &Offsets, level_min: usize) {
        let mut decoded: Option<(String, Offsets)> = None;
        for level in 0..=LEVELS_MAX {
            let (text, map) = decoded
                .as_ref()
                .map_or((raw, offsets), |(text, map)| (text.as_str(), map));
            if level >= level_min {
                if is_url_like(text) {
                    return self.url(text, map);
                }
                if is_query_like(text) {
                    return self.query(text, 0, text.len(), map, false);
                }
            }
            match decode_once(text, map) {
                Some(next) => decoded = Some(next),
                None => return,
            }
        }
    }

    fn push(
        &mut self,
        step: UrlStep,
        text: &str,
        span: Range<usize>,
        whole: Range<usize>,
        name: Range<usize>,
        offsets: &Offsets,
    ) {
        if self.pieces.len() >= PIECES_MAX {
            return;
        }
        let mut steps = self.steps.clone();
        steps.push(step);
        self.pieces.push(UrlPiece {
            steps,
            value: settle(&text[span.clone()]),
            span: offsets.raw(span.start)..offsets.raw(span.end),
            whole: offsets.raw(whole.start)..offsets.raw(whole.end),
            name: offsets.raw(name.start)..offsets.raw(name.end),
            spelled: None,
            is_composite: false,
        });
    }
}

fn bare(segment: &str) -> &str {
    segment.split(';').next().unwrap_or("")
}

/// The parameters of a query. `;` separates only where a name follows (`a=1;jsessionid=…`): elsewhere it is data.
fn parameters(text: &str, start: usize, end: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = start;
    for (at, byte) in text.as_bytes()[start..end].iter().enumerate() {
        let at = start + at;
        if *byte == b'&' || (*byte == b';' && begins_with_name(&text[at + 1..end])) {
            found.push(from..at);
            from = at + 1;
        }
    }
    found.push(from..end);
    found
}

fn begins_with_name(text: &str) -> bool {
    let name = text.bytes().take_while(|b| is_name_byte(*b)).count();
    (1..=40).contains(&name) && text.as_bytes().get(name) == Some(&b'=')
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'[' | b']' | b':')
}

fn find_any(text: &str, start: usize, any: &[u8]) -> usize {
    text.as_bytes()[start..]
        .iter()
        .position(|byte| any.contains(byte))
        .map_or(text.len(), |at| start + at)
}

fn scheme_end(text: &str) -> Option<usize> {
    let at = text.find("://")?;
    let is_scheme = (1..=10).contains(&at) && text[..at].bytes().all(|b| b.is_ascii_alphanumeric());
    is_scheme.then_some(at)
}

fn is_url_like(text: &str) -> bool {
    let bytes = text.as_bytes();
    if scheme_end(text).is_some() {
        return true;
    }
    // Base 64 may begin with a slash too; its other signs give it away.
    if let [b'/', second, ..] = bytes
        && (second.is_ascii_alphanumeric() || matches!(second, b'(' | b'?' | b'~'))
        && (bytes.contains(&b'?') || !(bytes.contains(&b'+') || bytes.ends_with(b"=")))
    {
        return true;
    }
    // `page.php?x=1`
    text.find('?')
        .is_some_and(|at| at > 0 && begins_with_name(&text[at + 1..]))
}

/// `a=1&b=2`, or one `name=value`. Padding at the end of base 64 is not a value.
fn is_query_like(text: &str) -> bool {
    let mut count = 0;
    for parameter in text.split('&') {
        if !begins_with_name(parameter) || parameter.as_bytes()[0].is_ascii_digit() {
            return false;
        }
        count += 1;
    }
    let value = text.split_once('=').map_or("", |(_, value)| value);
    count > 1 || !(value.is_empty() || value.starts_with('='))
}
