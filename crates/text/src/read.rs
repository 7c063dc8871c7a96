//! The one door through which a stored version becomes text. Readers of further formats are joined here.

use gleaner_model::{Block, BlockKind, Content};
use gleaner_parse::content;
use gleaner_run::side::Opened;
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Changes with every change of what [`read`] gives for the same bytes: texts and the index are then made anew.
pub const EXTRACTOR: u32 = 1;

/// What a document says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Text {
    #[serde(rename = "t")]
    pub title: String,
    /// In document order.
    #[serde(rename = "p")]
    pub passages: Vec<Passage>,
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

/// Reads a version; none where it has no text, or its reader broke over it.
pub fn read(opened: &Opened) -> Option<Text> {
    let read = || content::read(&opened.url, &opened.headers, &opened.body);
    let content = catch_unwind(AssertUnwindSafe(read)).ok().flatten()?;
    Some(Text::of(content))
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
