//! Pages and plain text as pieces, by the readers that the crawl has for them.

use super::pen::Pen;
use super::reading::Layout;
use crate::charset;
use crate::content::{of_html, of_text};
use crate::kind::Kind;
use gleaner_model::{Block, BlockKind, Url};

/// Stands in for the address of a document that has none; links to it lead to nowhere outside.
const NOWHERE: &str = "http://document.invalid/";

pub(super) fn read(bytes: &[u8], media_type: &str, pen: &mut Pen) {
    let text = decoded(Kind::Html, bytes, media_type);
    read_html(&text, pen);
}

pub(super) fn read_plain(bytes: &[u8], media_type: &str, pen: &mut Pen) {
    let text = decoded(Kind::Text, bytes, media_type);
    let mut layout = Layout::default();
    for line in text.lines() {
        layout.add_line(line);
    }
    pen.metadata().layout = Some(layout);
    read_lines(&text, pen);
}

pub(super) fn read_lines(text: &str, pen: &mut Pen) {
    for block in of_text(text, Kind::Text).blocks {
        pen.block(block.kind, 0, &block.text);
    }
}

pub(super) fn decoded(kind: Kind, bytes: &[u8], media_type: &str) -> String {
    let announced = Some(media_type).filter(|said| !said.is_empty());
    let chosen = charset::choose(kind, announced, None, bytes);
    chosen.encoding.decode_with_bom_removal(bytes).0.into_owned()
}

/// The visible text of HTML, all of it.
pub(super) fn read_html(html: &str, pen: &mut Pen) {
    let Ok(base) = Url::parse(NOWHERE) else { return };
    let content = of_html(html, &base);
    if pen.metadata().title.is_empty() {
        pen.metadata().title = content.title;
    }
    for block in content.blocks {
        add(&block, pen);
    }
}

fn add(block: &Block, pen: &mut Pen) {
    let level = match block.kind {
        BlockKind::Heading => heading_level(&block.path),
        BlockKind::Item => 1,
        _ => 0,
    };
    // Only one link of a short block surely has its words.
    let is_single = block.links.len() == 1;
    for address in &block.links {
        if address.starts_with(NOWHERE) {
            continue;
        }
        let words = if is_single && block.text.chars().count() < 80 {
            block.text.as_str()
        } else {
            ""
        };
        pen.link(address, words);
    }
    pen.block(block.kind, level, &block.text);
}

/// From the path of the block: `main/h2.title[3]` is of level 2.
fn heading_level(path: &str) -> u8 {
    path.rsplit('/')
        .find_map(|step| {
            let digit = step.strip_prefix('h')?.as_bytes().first().copied()?;
            let is_end = !step.as_bytes().get(2).is_some_and(u8::is_ascii_alphanumeric);
            (is_end && (b'1'..=b'6').contains(&digit)).then(|| digit - b'0')
        })
        .unwrap_or(2)
}
