//! Pages and plain text as pieces, by the readers that the crawl has for them.

use super::pen::Pen;
use super::reading::Layout;
use crate::charset;
use crate::content::metadata::of_html as of_page;
use crate::content::{of_html, of_text};
use crate::kind::Kind;
use gleaner_model::{Block, BlockKind, Url};

/// Stands in for the address of a document that has none; links to it lead to nowhere outside.
const NOWHERE: &str = "http://document.invalid/";

pub(super) fn read(bytes: &[u8], media_type: &str, pen: &mut Pen) {
    let text = decoded(Kind::Html, bytes, media_type);
    about(&text, pen);
    read_html(&text, pen);
}

/// What the page says about itself, that of libraries first: `citation_title` is the title of the work, `title` that of the page.
fn about(html: &str, pen: &mut Pen) {
    let Ok(base) = Url::parse(NOWHERE) else { return };
    let page = of_page(html, &base);
    let said = |name: &str| {
        let found = page.meta.iter().find(|pair| pair.name == name);
        found.map(|pair| pair.content.clone())
    };
    let metadata = pen.metadata();
    metadata.title = said("citation_title").or(page.title.clone()).unwrap_or_default();
    metadata.language = said("citation_language").or(page.language.clone());
    metadata.created = said("citation_publication_date")
        .or_else(|| said("citation_date"))
        .or(page.published.clone());
    metadata.modified.clone_from(&page.modified);
    metadata.description = said("citation_abstract").or(page.description.clone());
    let authors: Vec<String> = page
        .meta
        .iter()
        .filter(|pair| pair.name == "citation_author")
        .map(|pair| pair.content.clone())
        .collect();
    metadata.authors = if authors.is_empty() { page.authors } else { authors };
    metadata.keywords = match said("citation_keywords") {
        Some(words) => words
            .split([';', ','])
            .map(|word| word.trim().to_owned())
            .collect(),
        None => page.keywords,
    };
    for (name, kind) in [("citation_doi", "doi"), ("citation_arxiv_id", "arxiv")] {
        let found = page.meta.iter().find(|pair| pair.name == name);
        metadata
            .identifiers
            .extend(found.map(|pair| format!("{kind}:{}", pair.content)));
    }
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
