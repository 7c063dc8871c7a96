//! A letter as its reader sees it: who wrote what when, then the text of its parts, then the names of what is attached.
//!
//! Of parts that say the same in different ways the first is shown: plain text comes first by custom.

use super::plain::BLOCKS_MAX;
use super::words::folded;
use super::{digest, of_html, of_text};
use crate::kind::Kind;
use crate::mail::{Letter, Part};
use gleaner_model::{Block, BlockKind, Content, Url};

pub(super) fn of_mail(body: &[u8], url: &Url) -> Content {
    let letter = Letter::read(body);
    let mut blocks = Vec::new();
    let fields: Vec<String> = [("From", "from"), ("Subject", "subject"), ("Date", "date")]
        .into_iter()
        .map(|(shown, name)| (shown, folded(&letter.field(name))))
        .filter(|(_, value)| !value.is_empty())
        .map(|(shown, value)| format!("{shown}: {value}"))
        .collect();
    if !fields.is_empty() {
        blocks.push(block(
            "fields".to_owned(),
            BlockKind::Code,
            fields.join("\n"),
            true,
        ));
    }
    let mut told = None;
    for (index, part) in letter.parts.iter().enumerate() {
        let place = format!("part[{}]", index + 1);
        let Some((text, _)) = part.text() else {
            if !part.name.is_empty() || part.is_attachment {
                blocks.push(block(place, BlockKind::Other, attachment(part), false));
            }
            continue;
        };
        if part.alternative.is_some() && part.alternative == told {
            continue;
        }
        told = part.alternative;
        let read = match part.kind() {
            Some(Kind::Html) => of_html(&text, url),
            _ => of_text(&text, Kind::Text),
        };
        let room = BLOCKS_MAX.saturating_sub(blocks.len());
        blocks.extend(read.blocks.into_iter().take(room).map(|block| Block {
            path: format!("{place} {}", block.path),
            ..block
        }));
    }
    let mut hasher = blake3::Hasher::new();
    for block in &blocks {
        hasher.update(block.path.as_bytes()).update(b"\n");
        hasher.update(block.text.as_bytes()).update(b"\0");
    }
    Content {
        title: folded(&letter.field("subject")),
        blocks,
        normal_digest: digest::cut(&hasher),
    }
}

fn block(path: String, kind: BlockKind, text: String, is_main: bool) -> Block {
    Block {
        path,
        kind,
        text,
        is_main,
        is_frame: false,
        links: Vec::new(),
        images: Vec::new(),
    }
}

fn attachment(part: &Part<'_>) -> String {
    folded(&format!("{} ({})", part.name, part.media_type))
}
