//! What does a letter say? News articles and mail: fields, a tree of MIME parts, text in them (RFC 5322, 2045–2047).
//!
//! In: the raw bytes, announced as `message/rfc822`; nothing else makes a letter of them. Out: the subject as title, the
//! charset of the first text, and the links of HTML parts. [`Letter`] gives the readable parts to `content` too.
//!
//! The one idea: the tree is walked line by line with a short stack of boundaries, so that neither ten thousand levels nor
//! ten thousand parts can hurt (HC108), and attachments are named but never unpacked. The code is our own because the
//! crates at hand hold nested letters as nested values, and so a deep one ends the process when it is dropped.

mod encoded;
mod fields;
mod letter;

pub(crate) use letter::{Letter, Part};

use crate::collect::{Against, Collector};
use crate::kind::Kind;
use crate::text::fold;
use crate::{Input, Note, Parsed, headers, html};
use encoding_rs::UTF_8;
use gleaner_model::LinkKind;
use gleaner_model::defaults::TITLE_CHARS_MAX;
use std::borrow::Cow;
use std::collections::HashSet;

/// Ids of earlier articles that are counted.
const REFERENCES_MAX: usize = 1000;

/// Whether a media type, lower case and without parameters, is that of a letter.
pub(crate) fn is_mail(media_type: &str) -> bool {
    matches!(media_type, "message/rfc822" | "message/global" | "message/news")
}

/// Reads a letter.
pub(crate) fn read(input: &Input<'_>, body: &[u8], parsed: &mut Parsed) {
    let letter = Letter::read(body);
    let mut links = Collector::new(input.url, UTF_8);
    headers::read(input, &mut links, parsed);
    parsed.title = fold(&letter.field("subject"), TITLE_CHARS_MAX);
    for part in &letter.parts {
        let Some((text, chosen)) = part.text() else {
            continue;
        };
        parsed.charset.get_or_insert(chosen.charset());
        if part.kind() == Some(Kind::Html) {
            html::read_inner(&text, input.agent, &mut links);
        }
    }
    // What it answers is named by ids. Those whose addresses are known came as links already; the others lead nowhere by
    // themselves and are counted as links that are not fetched.
    let references = [letter.field("references"), letter.field("in-reply-to")].join(" ");
    let mut told: HashSet<String> = headers::references(input).into_iter().collect();
    for id in ids(&references).take(REFERENCES_MAX) {
        if told.insert(id.to_owned()) {
            let address = Cow::Owned(format!("news:{id}"));
            links.add_text(address, LinkKind::Other, false, Against::Page);
        }
    }
    if letter.is_too_deep {
        parsed.notes.push(Note::DepthCut);
    }
    if letter.has_too_many {
        parsed.notes.push(Note::Partial {
            what: "the letter has more parts than are read".to_owned(),
        });
    }
    links.finish(input.url, parsed);
}

/// The message ids in a field; what stands between them is a comment or nonsense.
fn ids(text: &str) -> impl Iterator<Item = &str> {
    text.split('<')
        .skip(1)
        .filter_map(|rest| rest.split_once('>'))
        .map(|(id, _)| id)
        .filter(|id| !id.is_empty() && !id.contains(char::is_whitespace))
}

#[cfg(test)]
mod tests;
