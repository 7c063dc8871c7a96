//! The one door through which a stored version becomes text.
//!
//! ```text
//!  Opened ──► detect ─┬─ page, plain text, letter ──► parse::content
//!                     └─ PDF, office, book, TeX … ──► readers::Pool (a process apart, with limits)
//! ```
//! A document that breaks its reader, hangs or explodes has a reason instead of a text. A collection of pages alone starts no
//! process.

use crate::TextError;
use gleaner_history::side::Opened;
use gleaner_model::project::TypeGroup;
use gleaner_model::{Block, BlockKind, Content, Reason};
use gleaner_parse::content::{self, Repeats};
use gleaner_parse::documents::{Format, Given, Metadata, Piece, Reading, Unread, detect, is_packed};
use gleaner_parse::group_of;
use gleaner_readers::Pool;
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Changes with every change of what [`read`] gives for the same bytes: texts and the index are then made anew.
pub const EXTRACTOR: u32 = 8;

/// What a document says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Text {
    #[serde(rename = "t")]
    pub title: String,
    /// In document order.
    #[serde(rename = "p")]
    pub passages: Vec<Passage>,
    /// What a document that is no page says about itself.
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Box<Metadata>>,
}

/// A block of text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    #[serde(rename = "k")]
    pub kind: BlockKind,
    /// Of a heading, 1 to 6; 0 for all else.
    #[serde(rename = "l", default, skip_serializing_if = "is_zero")]
    pub level: u8,
    /// It belongs to the main text.
    #[serde(rename = "m", default)]
    pub is_main: bool,
    #[serde(rename = "x")]
    pub text: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(level: &u8) -> bool {
    *level == 0
}

/// Reads a version; a reason where it has no text, or its reader broke over it. `Err` where no reader could be had at all.
pub fn read(opened: &Opened, readers: &Pool) -> Result<Result<Text, Reason>, TextError> {
    read_among(opened, readers, &Repeats::default())
}

/// As [`read`] for a page of a site of which is known what it says on many pages.
pub(crate) fn read_among(
    opened: &Opened,
    readers: &Pool,
    repeats: &Repeats,
) -> Result<Result<Text, Reason>, TextError> {
    if is_page_part(given(opened).media_type) {
        return Ok(Err(Reason::DocumentNoText));
    }
    match catch_unwind(AssertUnwindSafe(|| is_page(opened))) {
        Ok(Ok(true)) => {}
        Ok(Ok(false)) => {
            let answer = readers.read(&opened.body, &given(opened))?;
            return Ok(answer.map(Text::of_document).map_err(|unread| unread.reason()));
        }
        Ok(Err(unread)) => return Ok(Err(unread.reason())),
        Err(_) => return Ok(Err(Reason::DocumentCrashed)),
    }
    let read = || content::read_said_among(&opened.url, &opened.headers, &opened.body, repeats);
    Ok(match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Some(content)) => Ok(Text::of(content)),
        Ok(None) if opened.body.is_empty() => Err(Reason::DocumentNoText),
        Ok(None) => Err(Reason::DocumentUnknown),
        Err(_) => Err(Reason::ParserFailed),
    })
}

/// Style sheets, scripts and fonts say how a page looks and what it does. Nobody searches them for what they say.
pub fn is_page_part(media_type: &str) -> bool {
    group_of(media_type) == TypeGroup::Assets
}

/// What is known of a document besides its bytes.
pub fn given(opened: &Opened) -> Given<'_> {
    let announced = opened.headers.iter().find(|(name, _)| name == "content-type");
    Given {
        media_type: announced.map_or("", |(_, value)| value.as_str()),
        name: opened.url.path(),
    }
}

/// Whether it is read where it is met: pages, plain text, and letters of servers that say so. Everything else is for a process
/// apart, also what has to be unpacked first.
pub fn is_page(opened: &Opened) -> Result<bool, Unread> {
    if is_packed(&opened.body) {
        return Ok(false);
    }
    Ok(match detect(&opened.body, &given(opened))? {
        Format::Mail => content::is_letter(&opened.headers),
        format => !format.is_foreign(),
    })
}

impl Text {
    pub fn of(content: Content) -> Text {
        let passage = |block: Block| Passage {
            kind: block.kind,
            level: level(&block),
            is_main: block.is_main,
            text: block.text,
        };
        Text {
            title: content.title,
            passages: content.blocks.into_iter().map(passage).collect(),
            about: None,
        }
    }

    /// All of a document that is no page is main text. One without a title is called as its first heading.
    pub fn of_document(reading: Reading) -> Text {
        let passage = |piece: Piece| Passage {
            kind: piece.kind,
            level: if piece.kind == BlockKind::Heading {
                piece.level.clamp(1, 6)
            } else {
                0
            },
            is_main: true,
            text: piece.text,
        };
        let passages: Vec<Passage> = (reading.pieces.into_iter())
            .filter(|piece| !piece.text.is_empty())
            .map(passage)
            .collect();
        let title = Some(reading.metadata.title.clone()).filter(|title| !title.is_empty());
        let heading = || {
            let first = passages.iter().find(|passage| passage.level > 0)?;
            Some(first.text.clone())
        };
        Text {
            title: title.or_else(heading).unwrap_or_default(),
            passages,
            about: Some(Box::new(reading.metadata)),
        }
    }

    /// The main text, or all of it where there is none.
    pub fn main(&self) -> impl Iterator<Item = &Passage> {
        let has_main = self.passages.iter().any(|passage| passage.is_main);
        self.passages
            .iter()
            .filter(move |passage| passage.is_main || !has_main)
    }
}

/// `h2` somewhere in a block's path is its level; a heading without one is below all others.
fn level(block: &Block) -> u8 {
    if block.kind != BlockKind::Heading {
        return 0;
    }
    let of_step = |step: &str| {
        let mut bytes = step.bytes();
        let level = match (bytes.next()?, bytes.next()?) {
            (b'h', digit @ b'1'..=b'6') => digit - b'0',
            _ => return None,
        };
        bytes
            .next()
            .is_none_or(|next| !next.is_ascii_alphanumeric())
            .then_some(level)
    };
    block.path.rsplit('/').find_map(of_step).unwrap_or(6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_model::Url;

    #[test]
    fn headings_have_levels() {
        let html = "<title>T</title><main><h1 class=x>One</h1><p>Some words that are long enough to be a paragraph.</p>\
                    <h3><span>Two</span></h3><p>Other words that are long enough to be a paragraph.</p></main>";
        let url = Url::parse("http://a.test/").expect("an address");
        let text = Text::of(content::of_html(html, &url));
        let levels: Vec<u8> = text.passages.iter().map(|passage| passage.level).collect();
        assert_eq!((text.title.as_str(), levels), ("T", vec![1, 0, 3, 0]));
        let json = serde_json::to_string(&text).expect("JSON");
        assert_eq!(serde_json::from_str::<Text>(&json).expect("as it was"), text);
    }
}
